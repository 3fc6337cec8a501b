/* wait_policy.c - the program's threads wait by sleeping.
 *
 * By default a thread of libgomp spins for milliseconds before it sleeps. Where another program has taken the core of
 * the thread for which it waits, two threads then take several times the time of one; sleeping costs nothing that was
 * measured (doc/notes/threads.md). libgomp reads its environment in a constructor, which goes before main() but, as it is
 * linked into the program, behind this one.
 */
#ifndef MESHCAST_SERIAL

#include <stdlib.h>

enum { FIRST = 101 }; /* those below are the compiler's */

__attribute__((constructor(FIRST))) static void wait_passively(void)
{
    setenv("OMP_WAIT_POLICY", "passive", 0);
}

#endif
