/* line_scan.c - the parts of line scanning that need not be inline.
 *
 * Method: hand-written scanners that accept exactly the grammar stated in the header; no locale plays a part.
 * Invariant: a scanner that returns false has not moved the cursor, which therefore points at the
 * word that a message is to show.
 * Cost: one look at each byte.
 */
#include "base/line_scan.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SHOWN_BYTES = 24 };

/* Accepts the word *at .. c-1 if it is one. */
static bool accept(const char **at, const char *c, const char *end)
{
    if (!scan_at_gap(c, end))
        return false;
    *at = scan_blanks(c, end);
    return true;
}

bool scan_word(const char **at, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - *at) >= length && strncasecmp(*at, word, length) == 0 &&
           accept(at, *at + length, end);
}

bool scan_fraction(const char **at, const char *end, double *value)
{
    double sum = 0, unit = 1;
    int digits = 0;
    bool has_point = false;
    const char *c = *at;
    for (; c < end && (scan_is_digit(*c) || (*c == '.' && !has_point)); c++) {
        if (*c == '.') {
            has_point = true;
        } else if (digits++ < 18 || !has_point) {
            sum = 10 * sum + (*c - '0');
            unit = has_point ? 10 * unit : unit;
        }
    }
    if (digits == 0 || !accept(at, c, end))
        return false;
    *value = sum / unit;
    return true;
}

enum failure_kind scan_content(struct byte_source *source, const char *comment,
                               struct byte_line *line, struct failure *failure)
{
    size_t comments = strlen(comment);
    for (;;) {
        enum failure_kind kind = byte_source_line(source, line, failure);
        if (kind != FAIL_NONE || line->text == NULL)
            return kind;
        line->text = scan_blanks(line->text, line->end);
        if (line->text < line->end && memchr(comment, *line->text, comments) == NULL)
            return FAIL_NONE;
    }
}

enum failure_kind scan_expected(const struct byte_line *line, const char *at, const char *expected,
                                struct failure *failure)
{
    const char *end = at;
    while (end < line->end && end - at < SHOWN_BYTES && !scan_is_blank(*end))
        end++;
    if (end == at)
        return fail(failure, FAIL_INPUT, "%s:%llu: expected %s, found the end of the line",
                    line->name, (unsigned long long)line->number, expected);
    char word[SHOWN_BYTES + 1] = ""; /* copied, as %.*s would stop at a NUL byte */
    for (size_t i = 0; i < (size_t)(end - at); i++)
        word[i] = at[i] > ' ' && at[i] <= '~' ? at[i] : '?';
    return fail(failure, FAIL_INPUT, "%s:%llu: expected %s, found '%s%s'", line->name,
                (unsigned long long)line->number, expected, word,
                scan_at_gap(end, line->end) ? "" : "...");
}

enum failure_kind scan_number_expected(const struct byte_line *line, const char *at,
                                       const char *what, uint64_t least, uint64_t most,
                                       struct failure *failure)
{
    char expected[128];
    snprintf(expected, sizeof expected, "%s from %llu to %llu", what, (unsigned long long)least,
             (unsigned long long)most);
    return scan_expected(line, at, expected, failure);
}
