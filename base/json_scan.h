/* json_scan.h - JSON text, value by value, in one line of text.
 *
 * As in base/text_scan.h a function moves a cursor `*at` over the text that it accepts and never
 * reads at or beyond `end`. If it returns false, the cursor is where the text stops being JSON.
 */
#ifndef MESHCAST_BASE_JSON_SCAN_H
#define MESHCAST_BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the first byte from `at` on that is not a JSON blank. */
static inline const char *json_scan_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

/* Passes blanks, the byte `mark`, and the blanks after it. */
static inline bool json_scan_mark(const char **at, const char *end, char mark)
{
    *at = json_scan_blanks(*at, end);
    if (*at == end || **at != mark)
        return false;
    *at = json_scan_blanks(*at + 1, end);
    return true;
}

/* Scans a whole number from 0 to 2^64 - 1 (larger ones give that), without sign, fraction or
 * exponent. */
bool json_scan_natural(const char **at, const char *end, uint64_t *value);

/* Scans a string; `text` and `text_end` become the text between its quotes, with its escapes as
 * written. */
bool json_scan_string(const char **at, const char *end, const char **text, const char **text_end);

/* Passes any value. Arrays and objects are nested at most JSON_SCAN_DEPTH deep. */
enum { JSON_SCAN_DEPTH = 64 };
bool json_scan_value(const char **at, const char *end);

#endif
