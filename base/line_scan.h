/* line_scan.h - numbers and words of one line of text, and the message when they are not there.
 *
 * The scanning functions move a cursor `*at` over what they accept and never read at or beyond
 * `end`. Blanks are spaces and tabs. They are inline because a large matrix is nothing but this.
 */
#ifndef MESHCAST_BASE_LINE_SCAN_H
#define MESHCAST_BASE_LINE_SCAN_H

#include "base/byte_source.h"

#include <stdbool.h>

static inline bool scan_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool scan_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static inline const char *scan_blanks(const char *at, const char *end)
{
    while (at < end && scan_is_blank(*at))
        at++;
    return at;
}

/* Returns whether a word ends here. */
static inline bool scan_at_gap(const char *at, const char *end)
{
    return at == end || scan_is_blank(*at);
}

/* Scans an unsigned decimal number that ends at a gap, then the blanks behind it. A number beyond
 * 2^64 - 1 gives UINT64_MAX. Returns false, with *at unmoved, if there is none. */
static inline bool scan_decimal(const char **at, const char *end, uint64_t *value)
{
    const char *c = *at;
    uint64_t sum = 0;
    for (; c < end && scan_is_digit(*c); c++) {
        unsigned digit = (unsigned)(*c - '0');
        sum = sum > (UINT64_MAX - digit) / 10 ? UINT64_MAX : sum * 10 + digit;
    }
    if (c == *at || !scan_at_gap(c, end))
        return false;
    *value = sum;
    *at = scan_blanks(c, end);
    return true;
}

/* Fails with FAIL_INPUT and "NAME:LINE: expected WHAT from LEAST to MOST, found ..." with the word at `at`. */
enum failure_kind scan_number_expected(const struct byte_line *line, const char *at,
                                       const char *what, uint64_t least, uint64_t most,
                                       struct failure *failure);

/* Scans as scan_decimal() a number from `least` to `most`; fails as scan_number_expected(). */
static inline enum failure_kind scan_number(const struct byte_line *line, const char **at,
                                            const char *what, uint64_t least, uint64_t most,
                                            uint64_t *number, struct failure *failure)
{
    const char *word = *at;
    *number = 0;
    if (scan_decimal(at, line->end, number) && *number >= least && *number <= most)
        return FAIL_NONE;
    return scan_number_expected(line, word, what, least, most, failure);
}

/* Scans the word `word`, in any case, and the blanks after it. */
bool scan_word(const char **at, const char *end, const char *word);

/* Scans a decimal number without sign and exponent, as 0.25, 3 or .5, then the blanks behind it; digits beyond the
 * eighteenth count for nothing. */
bool scan_fraction(const char **at, const char *end, double *value);

/* Reads the next line that is neither blank nor begins with one of `comment`'s characters.
 * line->text is its first character that is not blank; NULL behind the last line. Fails
 * as byte_source_line() does. */
enum failure_kind scan_content(struct byte_source *source, const char *comment,
                               struct byte_line *line, struct failure *failure);

/* Fails with FAIL_INPUT and "NAME:LINE: expected EXPECTED, found ...", followed by the word at `at`, shortened. */
enum failure_kind scan_expected(const struct byte_line *line, const char *at, const char *expected,
                                struct failure *failure);

#endif
