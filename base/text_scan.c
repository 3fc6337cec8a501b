/* text_scan.c - a text as a sequence of items: the parts that need not be inline.
 *
 * Method: hand-written scanners that accept exactly the grammar stated in the header; no locale
 * plays a part. In a line a scanner that returns false has not moved the cursor, which therefore
 * points at the word for the message.
 *   A text of any lines comes in large blocks into one window. Before each item the window is
 * refilled until it holds WINDOW_AHEAD bytes or the rest of the text, so that an item is in it
 * whole and can be shown in a message; a zero byte after the window stops every scan. Numbers are
 * parsed digit by digit; a value that has passed 2^32 is not multiplied on, so that no number of
 * digits overflows. Bytes that do not print are never shown as they are.
 *
 * Cost: one look at each byte; one window of 64 KiB.
 */
#include "base/text_scan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- in a line ---- */

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

__attribute__((format(printf, 4, 0))) static enum failure_kind
refuse(const char *name, uint64_t line, struct failure *failure, const char *format,
       va_list arguments)
{
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    return fail(failure, FAIL_INPUT, "%.303s:%" PRIu64 ": %s", name, line, text);
}

enum failure_kind scan_refuse(const struct byte_line *line, struct failure *failure,
                              const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    enum failure_kind kind =
        refuse(line->name, line->number + (line->number == 0), failure, format, arguments);
    va_end(arguments);
    return kind;
}

enum failure_kind scan_expected(const struct byte_line *line, const char *at, const char *expected,
                                struct failure *failure)
{
    const char *end = at;
    while (end < line->end && end - at < SHOWN_BYTES && !scan_is_blank(*end))
        end++;
    if (end == at)
        return scan_refuse(line, failure, "expected %s, found the end of the line", expected);
    char word[SHOWN_BYTES + 1] = ""; /* copied, as %.*s would stop at a NUL byte */
    for (size_t i = 0; i < (size_t)(end - at); i++)
        word[i] = at[i] > ' ' && at[i] <= '~' ? at[i] : '?';
    return scan_refuse(line, failure, "expected %s, found '%s%s'", expected, word,
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

/* ---- in a text of any lines ---- */

enum {
    WINDOW_AHEAD = 128, /* an item, at most MAX_ITEM long, is complete in the window */
    MAX_ITEM = 64,
    SHOWN = 40, /* bytes of a wrong item that a message shows */
    FOUND = 80, /* room for the description of the item that was found */
};

enum failure_kind text_scan_open(struct text_scan *scan, struct byte_source *source, char comment,
                                 const char *name, struct failure *failure)
{
    *scan = (struct text_scan){
        .source = source, .name = name, .line = 1, .comment = comment, .failure = failure};
    scan->window = memory_allocate(TEXT_SCAN_WINDOW + 1, 1);
    scan->at = scan->end = scan->window;
    return scan->window != NULL ? FAIL_NONE : fail_memory(failure, "reading a text");
}

void text_scan_close(struct text_scan *scan)
{
    free(scan->window);
    *scan = (struct text_scan){0};
}

/* Moves the rest to the window's front and fills the window after it, with at least an item. */
static void refill(struct text_scan *scan)
{
    size_t have = (size_t)(scan->end - scan->at), got;
    memmove(scan->window, scan->at, have);
    do {
        scan->broken = byte_source_read(scan->source, scan->window + have, TEXT_SCAN_WINDOW - have,
                                        &got, scan->failure);
        scan->at_end = got == 0;
        have += got;
    } while (have < WINDOW_AHEAD && !scan->at_end);
    scan->at = scan->window;
    scan->end = scan->window + have;
    scan->window[have] = '\0';
}

static inline void look_ahead(struct text_scan *scan)
{
    if (scan->end - scan->at < WINDOW_AHEAD && !scan->at_end)
        refill(scan);
}

bool text_scan_at_line_end(const struct text_scan *scan)
{
    if (*scan->at == '\n')
        return true;
    if (*scan->at == '\r')
        return scan->at[1] == '\n' || scan->at + 1 == scan->end;
    return scan->at == scan->end;
}

static inline bool prints(unsigned char byte)
{
    return byte > ' ' && byte < 127;
}

/* Describes the item at the window's front in `text`, for a message. */
static void describe_found(const struct text_scan *scan, char text[FOUND])
{
    size_t length = 0;
    if (scan->at == scan->end) {
        strcpy(text, "the end of the file");
        return;
    }
    if (text_scan_at_line_end(scan)) {
        strcpy(text, "the end of the line");
        return;
    }
    while (scan->at + length < scan->end && prints(scan->at[length]) && length <= SHOWN)
        length++;
    const unsigned char *after = scan->at + length;
    if (length == 0)
        snprintf(text, FOUND, "the byte 0x%02x", *after);
    else if (length > SHOWN)
        snprintf(text, FOUND, "'%.*s...'", SHOWN, (const char *)scan->at);
    else if (after == scan->end || memchr(" \t\r\n", *after, 4) != NULL)
        snprintf(text, FOUND, "'%.*s'", (int)length, (const char *)scan->at);
    else
        snprintf(text, FOUND, "'%.*s' and the byte 0x%02x", (int)length, (const char *)scan->at,
                 *after);
}

enum failure_kind text_scan_refuse(const struct text_scan *scan, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    enum failure_kind kind = refuse(scan->name, scan->line, scan->failure, format, arguments);
    va_end(arguments);
    return kind;
}

enum failure_kind text_scan_fail(struct text_scan *scan, const char *expected)
{
    char found[FOUND];
    if (scan->broken != FAIL_NONE)
        return scan->broken; /* it has been reported */
    describe_found(scan, found);
    return text_scan_refuse(scan, "expected %s, found %s", expected, found);
}

/* Passes a comment up to its line end. A NUL in it shows that this is no text file. */
static enum failure_kind skip_comment(struct text_scan *scan)
{
    for (;;) {
        size_t left = (size_t)(scan->end - scan->at);
        const unsigned char *stop = memchr(scan->at, '\n', left);
        size_t span = stop != NULL ? (size_t)(stop - scan->at) : left;
        const unsigned char *nul = memchr(scan->at, '\0', span);
        scan->at += nul != NULL ? (size_t)(nul - scan->at) : span;
        if (nul != NULL)
            return text_scan_fail(scan, "text in a comment");
        if (stop != NULL || scan->at_end)
            return FAIL_NONE;
        refill(scan);
    }
}

enum failure_kind text_scan_blanks(struct text_scan *scan)
{
    while (look_ahead(scan), *scan->at == ' ' || *scan->at == '\t')
        scan->at++;
    return *scan->at == (unsigned char)scan->comment ? skip_comment(scan) : FAIL_NONE;
}

enum failure_kind text_scan_comment_lines(struct text_scan *scan)
{
    while (look_ahead(scan), *scan->at == (unsigned char)scan->comment && scan->at < scan->end) {
        enum failure_kind kind = skip_comment(scan);
        if (kind != FAIL_NONE)
            return kind;
        text_scan_next_line(scan);
    }
    return scan->broken;
}

bool text_scan_next_line(struct text_scan *scan)
{
    look_ahead(scan);
    if (*scan->at == '\r' && scan->at < scan->end)
        scan->at++;
    if (scan->at == scan->end)
        return false;
    scan->at++;
    scan->line++;
    return true;
}

enum failure_kind text_scan_find(struct text_scan *scan, bool *found)
{
    *found = true;
    for (;;) {
        enum failure_kind kind = text_scan_blanks(scan);
        if (kind != FAIL_NONE || !text_scan_at_line_end(scan))
            return kind;
        if (!text_scan_next_line(scan)) {
            *found = false;
            return scan->broken;
        }
    }
}

/* Reads a number that begins here, and ends as an item does or before one of the bytes `stops`. */
static inline enum failure_kind take_number(struct text_scan *scan, const char *what,
                                            uint64_t least, uint64_t most, const char *stops,
                                            uint64_t *number)
{
    const unsigned char *digit = scan->at;
    uint64_t value = 0;
    for (; (unsigned char)(*digit - '0') < 10 && digit - scan->at < MAX_ITEM; digit++)
        if (value < (uint64_t)1 << 56)
            value = 10 * value + (uint64_t)(*digit - '0');
    bool ends = *digit == ' ' || *digit == '\n' || *digit == '\t' || *digit == '\r' ||
                *digit == (unsigned char)scan->comment || digit == scan->end ||
                (*stops != '\0' && *digit != '\0' && strchr(stops, *digit) != NULL);
    if (digit == scan->at || !ends || value < least || value > most) {
        char expected[96];
        snprintf(expected, sizeof expected, "%s from %lu to %lu", what, (unsigned long)least,
                 (unsigned long)most);
        return text_scan_fail(scan, expected);
    }
    scan->at = digit;
    *number = value;
    return FAIL_NONE;
}

enum failure_kind text_scan_number(struct text_scan *scan, const char *what, uint32_t least,
                                   uint32_t most, uint32_t *number)
{
    uint64_t value = 0;
    enum failure_kind kind = text_scan_blanks(scan);
    if (kind == FAIL_NONE)
        kind = take_number(scan, what, least, most, "", &value);
    *number = (uint32_t)value;
    return kind;
}

enum failure_kind text_scan_number_part(struct text_scan *scan, const char *what, uint64_t least,
                                        uint64_t most, const char *ends, uint64_t *number,
                                        char *end)
{
    look_ahead(scan);
    enum failure_kind kind = take_number(scan, what, least, most, ends, number);
    *end = '\0';
    if (kind == FAIL_NONE && scan->at < scan->end && *scan->at != '\0' &&
        strchr(ends, *scan->at) != NULL)
        *end = (char)*scan->at++;
    return kind;
}

enum failure_kind text_scan_skip_number(struct text_scan *scan, const char *what)
{
    enum failure_kind kind = text_scan_blanks(scan);
    if (kind != FAIL_NONE)
        return kind;
    const unsigned char *end = scan->at;
    bool has_digit = false;
    for (; end < scan->end && memchr("0123456789+-.eE", *end, 15) != NULL; end++)
        has_digit |= scan_is_digit((char)*end);
    bool ends = end == scan->end || memchr(" \t\r\n", *end, 4) != NULL ||
                *end == (unsigned char)scan->comment;
    if (!has_digit || !ends || end - scan->at >= MAX_ITEM)
        return text_scan_fail(scan, what);
    scan->at = end;
    return FAIL_NONE;
}

bool text_scan_word(struct text_scan *scan, const char *word)
{
    size_t length = strlen(word);
    if (strncmp((const char *)scan->at, word, length) != 0)
        return false;
    const unsigned char *after = scan->at + length;
    if (*after > ' ' && *after != (unsigned char)scan->comment)
        return false;
    scan->at = after;
    return true;
}
