/* columns.h - columns of whole numbers, packed: what a page's frames are made of (doc/view-format.md).
 *
 * A column is a list of numbers in base 128, the low seven bits first, all bytes but a number's last one with bit 7
 * set. Columns of one block are joined behind their lengths, deflated (RFC 1951) and written in base 64.
 */
#ifndef MESHCAST_VIEW_COLUMNS_H
#define MESHCAST_VIEW_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A zeroed column is empty. When memory is out it takes no more, and columns_write() says so. */
struct column {
    uint8_t *byte;
    size_t count, room;
    bool is_lost; /* a number found no memory */
};

void column_grow(struct column *column);

static inline void column_put(struct column *column, uint64_t number)
{
    enum { LONGEST = 10 };
    if (column->room - column->count < LONGEST)
        column_grow(column);
    if (column->is_lost)
        return;
    uint8_t *at = column->byte + column->count;
    for (; number >= 0x80; number >>= 7)
        *at++ = (uint8_t)(number | 0x80);
    *at++ = (uint8_t)number;
    column->count = (size_t)(at - column->byte);
}

/* `to` - `from`, which may be negative: 0, -1, 1, -2, .. are put as 0, 1, 2, 3, .. */
static inline void column_put_change(struct column *column, uint64_t from, uint64_t to)
{
    uint64_t change = to - from;
    column_put(column, change << 1 ^ (0 - (change >> 63)));
}

/* Writes a block of `count` columns to `out` and empties them. False: no memory; what goes wrong with `out` is told by
 * ferror(). */
bool columns_write(struct column *column, size_t count, FILE *out);

void columns_free(struct column *column, size_t count);

#endif
