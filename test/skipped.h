/* skipped.h - checks that this system does not allow. */
#ifndef MESHCAST_TEST_SKIPPED_H
#define MESHCAST_TEST_SKIPPED_H

#include <stdio.h>

/* How a line of a test's output begins by which test/run.c knows that the test was skipped. */
#define TEST_SKIPPED "skipped: "

/* Says what the calling test does not check, and why; the test returns then. The runner does not count it as passed, and
 * shows the line at its end. At most one line per test. */
#define test_skip(...) (printf(TEST_SKIPPED __VA_ARGS__), puts(""))

#endif
