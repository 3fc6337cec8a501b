/* rows.h - a database of results whose rows an input chooses. */
#ifndef MESHCAST_TEST_FUZZ_ROWS_H
#define MESHCAST_TEST_FUZZ_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the bytes of a database of runs, or of points of load, for sqlite3_free(). The first byte
 * of the input chooses what right rows have; then each row has a byte with the number of its
 * columns, at most 7, that have a value of the input's: the column, and a byte below 128 for
 * another right value or one above it for a value of any type. */
uint8_t *fuzz_rows(const uint8_t *bytes, size_t length, bool is_load, size_t *size);

#endif
