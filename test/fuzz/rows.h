/* rows.h - a database of results whose rows an input chooses. */
#ifndef MESHCAST_TEST_FUZZ_ROWS_H
#define MESHCAST_TEST_FUZZ_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of a database with the tables of results, for sqlite3_free(). The first byte of the input
 * chooses what right rows have; then each row has a byte that says how many of its columns, at most 7,
 * have a value of the input's: the column, and a byte below 128 for another right value or one above
 * it for a value of any type. */
uint8_t *fuzz_rows(const uint8_t *bytes, size_t length, size_t *size);

#endif
