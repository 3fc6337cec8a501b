/* json_scan.h - JSON text, value by value, in one line of text.
 *
 * As in base/text_scan.h a function moves a cursor `*at` over what it accepts and never reads at or
 * beyond `end`; where it returns false the cursor is where the text stops being JSON.
 */
#ifndef MESHCAST_BASE_JSON_SCAN_H
#define MESHCAST_BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stdint.h>

/* The first byte from `at` on that is no blank of JSON. */
static inline const char *json_scan_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

/* Blanks, the byte `mark`, and the blanks behind it. */
static inline bool json_scan_mark(const char **at, const char *end, char mark)
{
    *at = json_scan_blanks(*at, end);
    if (*at == end || **at != mark)
        return false;
    *at = json_scan_blanks(*at + 1, end);
    return true;
}

/* A whole number from 0 to 2^64 - 1 (larger ones give that), without sign, fraction or exponent. */
bool json_scan_natural(const char **at, const char *end, uint64_t *value);

/* A string; `text` and `text_end` become what is between its quotes, escapes as they are
 * written. */
bool json_scan_string(const char **at, const char *end, const char **text, const char **text_end);

/* Any value, which is not kept. Arrays and objects are nested at most JSON_SCAN_DEPTH deep. */
enum { JSON_SCAN_DEPTH = 64 };
bool json_scan_value(const char **at, const char *end);

#endif
