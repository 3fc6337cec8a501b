/* rutherford_boeing.c - sparse matrices by columns, with numbers in Fortran's fields.
 *
 * Grammar: a line of title and key; a line of numbers of lines, the fifth of which, in
 * Harwell-Boeing format, is that of right-hand sides; a line TYPE ROWS COLS ENTRIES ELEMENTS; a
 * line of Fortran's formats, as (26I3); one of right-hand sides if there are any. Then COLS + 1
 * pointers and ENTRIES rows, from 1; values follow, which are not read. TYPE is a letter of the
 * values, one of the symmetry (s, h and z are mirrored, u and r are not), and a: a matrix by
 * elements (e) is not read. Numbers have blanks between them, or touch each other in fields of the
 * width that the format gives them; files whose lines hold more than the format allows are read
 * with a note.
 * Invariant: nothing is allocated from a declared number; pointers and entries grow with the
 * content.
 * Source: Duff, Grimes, Lewis, "The Rutherford-Boeing Sparse Matrix Collection", RAL-TR-97-031
 * (1997).
 * Cost: one look at each byte; 8 bytes per entry read or mirrored, and 8 per column.
 */
#include "workloads/import_formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PER_LINE = 1000, MOST_WIDTH = 32 };

/* (COUNT I WIDTH): COUNT numbers per line. */
struct layout {
    uint32_t count, width;
};

struct reader {
    struct byte_source *source;
    struct byte_line line;
    struct entry_list *list;
    struct layout pointers, rows;
    uint64_t entries;
    bool is_mirrored, has_right_sides;
    bool has_more;     /* a line has more numbers than its format says */
    uint64_t *pointer; /* [cols + 1] once they are read */
    size_t room;
    const char *at; /* in the line, after the last number */
    uint32_t taken; /* numbers of the line */
    struct failure *failure;
};

static enum failure_kind expected(const struct reader *reader, const char *at, const char *what)
{
    return scan_expected(&reader->line, at, what, reader->failure);
}

static enum failure_kind next_line(struct reader *reader, const char *what)
{
    enum failure_kind kind = byte_source_line(reader->source, &reader->line, reader->failure);
    if (kind == FAIL_NONE && reader->line.text == NULL)
        kind = scan_refuse(&reader->line, reader->failure, "expected %s, found the end of the file",
                           what);
    return kind;
}

/* Reads the letters of the type, at the beginning of the third line. */
static enum failure_kind read_type(struct reader *reader)
{
    const char *at = reader->line.text;
    if (reader->line.end - at < 3 || memchr("rciqpxRCIQPX", at[0], 12) == NULL ||
        memchr("suhzrSUHZR", at[1], 10) == NULL || memchr("aeAE", at[2], 4) == NULL)
        return expected(reader, at, "a type of matrix, such as rua or psa");
    if (at[2] == 'e' || at[2] == 'E')
        return expected(reader, at,
                        "an assembled matrix, of a type such as rsa (a sum of elements is "
                        "not read)");
    reader->is_mirrored = memchr("shzSHZ", at[1], 6) != NULL;
    return FAIL_NONE;
}

static enum failure_kind read_sizes(struct reader *reader)
{
    uint64_t rows = 0, cols = 0;
    if (read_type(reader) != FAIL_NONE)
        return reader->failure->kind;
    const char *at = scan_blanks(reader->line.text + 3, reader->line.end), *first = at;
    enum failure_kind kind = scan_number(&reader->line, &at, "a number of rows", 1, ENTRY_MAX_SIDE,
                                         &rows, reader->failure);
    if (kind == FAIL_NONE)
        kind = scan_number(&reader->line, &at, "a number of columns", 1, ENTRY_MAX_SIDE, &cols,
                           reader->failure);
    if (kind == FAIL_NONE)
        kind = scan_number(&reader->line, &at, "a number of entries", 0, INT64_MAX,
                           &reader->entries, reader->failure);
    if (kind == FAIL_NONE && reader->is_mirrored && rows != cols)
        kind = expected(reader, first, "as many rows as columns");
    reader->list->rows = (uint32_t)rows;
    reader->list->cols = (uint32_t)cols;
    return kind;
}

static uint32_t scan_small(const char **at, const char *end, uint32_t otherwise)
{
    uint32_t number = 0;
    const char *c = *at;
    for (; c < end && scan_is_digit(*c) && number < 10000; c++)
        number = 10 * number + (uint32_t)(*c - '0');
    uint32_t result = c > *at ? number : otherwise;
    *at = c;
    return result;
}

/* Reads a format such as (26I3), (I8) or (10I8.8). */
static enum failure_kind read_layout(struct reader *reader, const char **at, struct layout *layout)
{
    const char *end = reader->line.end, *c = scan_blanks(*at, end), *word = c;
    bool is_format = c < end && *c++ == '(';
    c = scan_blanks(c, end);
    layout->count = scan_small(&c, end, 1);
    is_format = is_format && c < end && (*c == 'I' || *c == 'i');
    c += is_format;
    layout->width = scan_small(&c, end, 0);
    if (c < end && *c == '.') {
        c++;
        scan_small(&c, end, 0);
    }
    c = scan_blanks(c, end);
    if (!is_format || c == end || *c != ')' || layout->count < 1 || layout->count > MOST_PER_LINE ||
        layout->width < 1 || layout->width > MOST_WIDTH)
        return expected(reader, word, "a format of integers, such as (26I3)");
    *at = c + 1;
    return FAIL_NONE;
}

static enum failure_kind read_header(struct reader *reader)
{
    static const char *const LINES[] = {"a line of title and key", "a line of numbers of lines",
                                        "a line of type and sizes", "a line of formats",
                                        "a line of right-hand sides"};
    enum failure_kind kind = FAIL_NONE;
    for (int i = 0; i < 4 + reader->has_right_sides && kind == FAIL_NONE; i++) {
        if ((kind = next_line(reader, LINES[i])) != FAIL_NONE)
            return kind;
        const char *at = scan_blanks(reader->line.text, reader->line.end);
        uint64_t number = 0;
        for (int k = 0; i == 1 && k < 5 && at < reader->line.end && kind == FAIL_NONE; k++) {
            kind = scan_number(&reader->line, &at, "a number of lines", 0, INT64_MAX, &number,
                               reader->failure);
            reader->has_right_sides = k == 4 && number > 0;
        }
        if (i == 2)
            kind = read_sizes(reader);
        if (i == 3 && (kind = read_layout(reader, &at, &reader->pointers)) == FAIL_NONE)
            kind = read_layout(reader, &at, &reader->rows);
    }
    reader->at = reader->line.end;
    return kind;
}

/* Returns the end of the number at `at`: a blank, or where the next one touches it, since numbers
 * are at the right of their fields. NULL: it is longer than a field and does not end with one. */
static const char *number_end(const struct reader *reader, const struct layout *layout)
{
    const char *end = reader->at;
    while (end < reader->line.end && !scan_is_blank(*end))
        end++;
    size_t length = (size_t)(end - reader->at);
    if (length <= layout->width)
        return end;
    if ((size_t)(end - reader->line.text) % layout->width != 0)
        return NULL;
    return reader->at + (length - 1) % layout->width + 1;
}

/* Reads the next number of a part of the file that has this layout, on this line or the next. */
static enum failure_kind read_number(struct reader *reader, const struct layout *layout,
                                     const char *what, uint64_t least, uint64_t most,
                                     uint64_t *number)
{
    while ((reader->at = scan_blanks(reader->at, reader->line.end)) == reader->line.end) {
        if (next_line(reader, what) != FAIL_NONE)
            return reader->failure->kind;
        reader->at = reader->line.text;
        reader->taken = 0;
    }
    const char *at = reader->at, *end = number_end(reader, layout);
    reader->has_more |= reader->taken++ == layout->count;
    if (end != NULL && scan_decimal(&at, end, number) && at == end && *number >= least &&
        *number <= most) {
        reader->at = end;
        return FAIL_NONE;
    }
    char text[96];
    snprintf(text, sizeof text, "%s from %" PRIu64 " to %" PRIu64 " in %u columns", what, least,
             most, layout->width);
    return expected(reader, reader->at, text);
}

/* Reads the pointers, which ascend from 1 to the number of entries and one. */
static enum failure_kind read_pointers(struct reader *reader)
{
    uint64_t least = 1;
    for (uint64_t col = 0; col <= reader->list->cols; col++) {
        if (!memory_make_room(&reader->pointer, &reader->room, col + 1, sizeof *reader->pointer))
            return fail_memory(reader->failure, "the columns of a matrix");
        uint64_t most = col == 0 ? 1 : reader->entries + 1;
        if (col == reader->list->cols)
            least = most;
        if (read_number(reader, &reader->pointers, "a pointer to a column", least, most,
                        &reader->pointer[col]) != FAIL_NONE)
            return reader->failure->kind;
        least = reader->pointer[col];
    }
    return FAIL_NONE;
}

static enum failure_kind read_rows(struct reader *reader)
{
    struct entry_list *list = reader->list;
    uint32_t col = 0;
    reader->at = reader->line.end; /* rows begin on a line of their own */
    for (uint64_t i = 1; i <= reader->entries; i++) {
        while (i >= reader->pointer[col + 1])
            col++;
        uint64_t row = 0;
        if (read_number(reader, &reader->rows, "a row", 1, list->rows, &row) != FAIL_NONE ||
            entry_list_store(list, col, (uint32_t)row - 1, reader->is_mirrored,
                             "the entries of a matrix", reader->failure) != FAIL_NONE)
            return reader->failure->kind;
    }
    return FAIL_NONE;
}

enum failure_kind rutherford_boeing_read(struct byte_source *source, struct entry_list *list,
                                         struct failure *failure)
{
    struct reader reader = {.source = source, .list = list, .failure = failure};
    enum failure_kind kind = read_header(&reader);
    if (kind == FAIL_NONE)
        kind = read_pointers(&reader);
    if (kind == FAIL_NONE)
        kind = read_rows(&reader);
    if (kind == FAIL_NONE && reader.has_more)
        import_note(&list->notes, "lines hold more numbers than its formats say");
    free(reader.pointer);
    return kind;
}
