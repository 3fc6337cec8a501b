/* columns.h - packed columns of whole numbers, the contents of a page's frames
 * (doc/view-format.md).
 *
 * A column is a list of numbers in base 128, the low seven bits first, all bytes but a number's
 * last one with bit 7 set. Columns of one block are joined after their lengths, deflated (RFC 1951)
 * and written in base 64.
 */
#ifndef MESHCAST_VIEW_COLUMNS_H
#define MESHCAST_VIEW_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A zeroed column is empty. A column that finds no memory accepts no more numbers, and
 * columns_write() returns false. */
struct column {
    uint8_t *byte;
    size_t count, room;
    bool is_lost; /* a number found no memory */
};

/* Makes room for `bytes` more. False: no memory, and the column is lost. */
bool column_reserve(struct column *column, size_t bytes);

enum { NUMBER_BYTES = 10 /* of the largest number of 64 bits */, NUMBER_BYTES_32 = 5 };

/* Writes a number, for which there must be room; returns its end. */
static inline uint8_t *number_write(uint8_t *at, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *at++ = (uint8_t)(number | 0x80);
    *at++ = (uint8_t)number;
    return at;
}

/* Returns `to` - `from`, which may be negative, as a number: 0, -1, 1, -2, .. become 0, 1, 2, 3,
 * .. */
static inline uint64_t number_of_change(uint64_t from, uint64_t to)
{
    uint64_t change = to - from;
    return change << 1 ^ (0 - (change >> 63));
}

static inline void column_put(struct column *column, uint64_t number)
{
    if (column->room - column->count < NUMBER_BYTES && !column_reserve(column, NUMBER_BYTES))
        return;
    column->count = (size_t)(number_write(column->byte + column->count, number) - column->byte);
}

static inline void column_put_change(struct column *column, uint64_t from, uint64_t to)
{
    column_put(column, number_of_change(from, to));
}

/* Writes a block of `count` columns to `out` and empties them. False: no memory; ferror() reports
 * errors of `out`. */
bool columns_write(struct column *column, size_t count, FILE *out);

void columns_free(struct column *column, size_t count);

#endif
