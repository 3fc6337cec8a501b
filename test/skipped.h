/* skipped.h - checks that this system does not allow. */
#ifndef MESHCAST_TEST_SKIPPED_H
#define MESHCAST_TEST_SKIPPED_H

#include <stdio.h>

/* The beginning of a line of output by which test/run.c recognises a skipped test. */
#define TEST_SKIPPED "skipped: "

/* Prints what the calling test does not check, and the reason; the test returns then. The runner
 * does not count it as passed, and shows the line at its end. At most one line per test. */
#define test_skip(...) (printf(TEST_SKIPPED __VA_ARGS__), puts(""))

#endif
