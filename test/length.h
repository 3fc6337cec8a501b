/* length.h - the length of tests: short, as `make test` runs them, or long, as `make check-long`
 * does.
 *
 * Short tests leave out larger meshes, statistics with many samples, and cases that resemble
 * others. A suite has a long form if its file includes this header (Makefile, LONG_FORMS).
 */
#ifndef MESHCAST_TEST_LENGTH_H
#define MESHCAST_TEST_LENGTH_H

#include <stdlib.h>

/* The variable with which test/run.c tells the tests to be long. */
#define TEST_LENGTH_VARIABLE "MESHCAST_LONG_TESTS"

#define TEST_IS_SHORT (getenv(TEST_LENGTH_VARIABLE) == NULL)

/* The serial program, which long tests compare with; NULL if there is none. */
#define TEST_SERIAL_PROGRAM getenv("MESHCAST_SERIAL_PROGRAM")

#endif
