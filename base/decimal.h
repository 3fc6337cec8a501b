/* decimal.h - many decimal numbers as text: four digits at a time, from a table.
 *
 * An entry is copied whole and the text advances by its length, so there is no loop over digits,
 * and no branch that depends on how many of four there are.
 * Cost: 120,000 bytes; a number of at most eight digits is a division by a constant, two loads and
 * two stores.
 */
#ifndef MESHCAST_BASE_DECIMAL_H
#define MESHCAST_BASE_DECIMAL_H

#include <stdint.h>
#include <string.h>

enum {
    DECIMAL_ENTRIES = 10000,
    DECIMAL_ROOM = 28 /* bytes that a call may overwrite; the longest text has 21 */
};

/* plain: a blank and the digits; the last byte is the number of these characters. padded: four
 * digits. */
struct decimals {
    char plain[DECIMAL_ENTRIES][8];
    char padded[DECIMAL_ENTRIES][4];
};

/* Fills the table. */
void decimals_fill(struct decimals *decimals);

/* Writes a blank and a number below DECIMAL_ENTRIES to `text`; returns the end. */
static inline char *decimal_write_short(const struct decimals *decimals, char *text,
                                        uint32_t number)
{
    memcpy(text, decimals->plain[number], 8);
    return text + decimals->plain[number][7];
}

/* Does the same for a number of more than eight digits. */
char *decimal_write_long(const struct decimals *decimals, char *text, uint64_t number);

/* Does the same for any number. */
static inline char *decimal_write(const struct decimals *decimals, char *text, uint64_t number)
{
    if (number >= (uint64_t)DECIMAL_ENTRIES * DECIMAL_ENTRIES)
        return decimal_write_long(decimals, text, number);
    uint32_t upper = (uint32_t)number / DECIMAL_ENTRIES;
    uint32_t lower = (uint32_t)number % DECIMAL_ENTRIES;
    text = decimal_write_short(decimals, text, upper > 0 ? upper : lower);
    memcpy(text, decimals->padded[lower], 4);
    return upper > 0 ? text + 4 : text;
}

#endif
