/* length.h - whether tests are to be short: those of `make test`, in every build.
 *
 * `make check-all` runs everything on everything. Short tests leave out what differs least from the
 * rest, larger meshes, and statistics that need many samples. Each suite has short tests.
 */
#ifndef MESHCAST_TEST_LENGTH_H
#define MESHCAST_TEST_LENGTH_H

#include <stdlib.h>

/* The variable with which test/run.c tells the tests to be long. */
#define TEST_LENGTH_VARIABLE "MESHCAST_LONG_TESTS"

#define TEST_IS_SHORT (getenv(TEST_LENGTH_VARIABLE) == NULL)

#endif
