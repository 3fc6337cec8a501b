/* text_scan.h - the one scanner of text: numbers and words of a line, or of a text whose lines may
 * be of any length.
 *
 * A line (struct byte_line) has at most BYTE_SOURCE_LONGEST_LINE bytes and can be scanned as often
 * as needed: scan_*() move a cursor `*at` over the text that they accept and never read at or
 * beyond `end`. Blanks are spaces and tabs. Some are inline because most of the time for a large
 * matrix is spent here.
 *   A struct text_scan is a sequence of items, mostly numbers, and line ends. All functions that
 * return a kind fill scan->failure with `FILE:LINE: expected ..., found ...` when they fail; after
 * a read error they return its kind, and the text is the source's.
 */
#ifndef MESHCAST_BASE_TEXT_SCAN_H
#define MESHCAST_BASE_TEXT_SCAN_H

#include "base/byte_source.h"
#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- in a line ---- */

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

/* True if a word ends here. */
static inline bool scan_at_gap(const char *at, const char *end)
{
    return at == end || scan_is_blank(*at);
}

/* Scans an unsigned decimal number that ends at a gap, then the blanks after it. A number beyond
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

/* Fails with FAIL_INPUT and "NAME:LINE: expected WHAT from LEAST to MOST, found ..." with the word
 * at `at`. */
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

/* Scans a decimal number without sign or exponent, such as 0.25, 3 or .5, and the blanks after it.
 * Only its first eighteen digits count. */
bool scan_fraction(const char **at, const char *end, double *value);

/* Reads the next line that is neither blank nor begins with one of `comment`'s characters.
 * line->text is its first character that is not blank; NULL after the last line. Fails as
 * byte_source_line() does. */
enum failure_kind scan_content(struct byte_source *source, const char *comment,
                               struct byte_line *line, struct failure *failure);

/* Fails with FAIL_INPUT and "NAME:LINE: expected EXPECTED, found ...", followed by the word at
 * `at`, shortened. */
enum failure_kind scan_expected(const struct byte_line *line, const char *at, const char *expected,
                                struct failure *failure);

/* Fails with FAIL_INPUT and "NAME:LINE: ", followed by the formatted text; an empty file fails at
 * line 1. */
enum failure_kind scan_refuse(const struct byte_line *line, struct failure *failure,
                              const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- in a text of any lines ---- */

enum { TEXT_SCAN_WINDOW = 1 << 16 };

struct text_scan {
    struct byte_source *source;
    unsigned char *window; /* [TEXT_SCAN_WINDOW + 1], with a zero byte at *end */
    const unsigned char *at, *end;
    bool at_end;              /* the window will get nothing more */
    enum failure_kind broken; /* the kind of a failure to read the source; `failure` has the rest */
    const char *name;
    uint64_t line; /* from 1 */
    char comment;  /* begins a comment, which goes to the line's end */
    struct failure *failure;
};

/* Makes a scan of the source from its first line; `name` names it in messages. FAIL_SYSTEM: no
 * memory. The caller closes the scan; the source stays open. */
enum failure_kind text_scan_open(struct text_scan *scan, struct byte_source *source, char comment,
                                 const char *name, struct failure *failure);
void text_scan_close(struct text_scan *scan);

/* Goes to the next item, on this or a later line; *found is false at the end of the text. */
enum failure_kind text_scan_find(struct text_scan *scan, bool *found);

/* Passes blanks and a comment, up to an item or the line's end. */
enum failure_kind text_scan_blanks(struct text_scan *scan);

/* Passes whole lines that are comments; must be called where a line begins. */
enum failure_kind text_scan_comment_lines(struct text_scan *scan);

/* True if the text is at its end; to be called after a call that passes blanks or comments. */
static inline bool text_scan_at_end(const struct text_scan *scan)
{
    return scan->at == scan->end;
}

/* True at a line end: LF, CR LF or the end of the text. */
bool text_scan_at_line_end(const struct text_scan *scan);

/* Passes a line's end; false, and nothing passed, at the end of the text. */
bool text_scan_next_line(struct text_scan *scan);

/* Passes `word` if it is here as an item of its own. */
bool text_scan_word(struct text_scan *scan, const char *word);

/* Passes blanks and reads a decimal number from `least` to `most`; `what` names it in messages. */
enum failure_kind text_scan_number(struct text_scan *scan, const char *what, uint32_t least,
                                   uint32_t most, uint32_t *number);

/* Reads a number that begins at the next byte and ends as an item does, or at one of the bytes in
 * `ends`. Such a byte is passed and stored in *end; without one *end becomes 0. */
enum failure_kind text_scan_number_part(struct text_scan *scan, const char *what, uint64_t least,
                                        uint64_t most, const char *ends, uint64_t *number,
                                        char *end);

/* Passes blanks and a number of any form: with a sign, a point, an exponent. */
enum failure_kind text_scan_skip_number(struct text_scan *scan, const char *what);

/* Fails with FAIL_INPUT and "NAME:LINE: ", followed by the formatted text. */
enum failure_kind text_scan_refuse(const struct text_scan *scan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fails: `expected` is missing here; the text shows what is here instead. */
enum failure_kind text_scan_fail(struct text_scan *scan, const char *expected);

#endif
