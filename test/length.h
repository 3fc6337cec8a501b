/* length.h - whether this build of the tests is one that leaves out what another has shown. */
#ifndef MESHCAST_TEST_LENGTH_H
#define MESHCAST_TEST_LENGTH_H

/* With sanitizers all takes eight times as long, and the serial build repeats what the other has
 * shown: tests that run everything on everything then leave out what differs least from the rest,
 * and statistics of what a function computes, which is the same in all builds, are left to one. */
#if defined __SANITIZE_ADDRESS__ || !defined _OPENMP
enum { TEST_IS_SHORT = 1 };
#else
enum { TEST_IS_SHORT = 0 };
#endif

#endif
