/* tests_fork.h - whether each test runs in a process of its own: those that end it are else left out.
 */
#ifndef MESHCAST_TEST_TESTS_FORK_H
#define MESHCAST_TEST_TESTS_FORK_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* With CK_FORK=no a test that ends the program would end all tests. */
static inline bool tests_fork(void)
{
    const char *fork = getenv("CK_FORK");
    return fork == NULL || strcmp(fork, "no") != 0;
}

#endif
