/* wait_policy.c - makes the program's threads sleep while they wait.
 *
 * By default a thread of libgomp spins for milliseconds before it sleeps. If another program has
 * the core of the thread for which it waits, two threads are then several times slower than one;
 * sleeping has no measured cost. libgomp reads its environment in a constructor, before main() but
 * after this one.
 */
#ifndef MESHCAST_SERIAL

#include <stdlib.h>

enum { FIRST = 101 }; /* lower priorities are reserved for the compiler */

__attribute__((constructor(FIRST))) static void wait_passively(void)
{
    setenv("OMP_WAIT_POLICY", "passive", 0);
}

#endif
