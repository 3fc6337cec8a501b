/* length.h - whether tests are short, as `make test` runs them; `make check-all` runs the long form.
 *
 * Short tests leave out larger meshes, statistics with many samples, and cases that resemble others.
 */
#ifndef MESHCAST_TEST_LENGTH_H
#define MESHCAST_TEST_LENGTH_H

#include <stdlib.h>

/* The variable with which test/run.c tells the tests to be long. */
#define TEST_LENGTH_VARIABLE "MESHCAST_LONG_TESTS"

#define TEST_IS_SHORT (getenv(TEST_LENGTH_VARIABLE) == NULL)

#endif
