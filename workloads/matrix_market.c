/* matrix_market.c - Matrix Market coordinate files, strictly read.
 *
 * Grammar: the banner `%%MatrixMarket matrix coordinate FIELD SYMMETRY` on line 1, in any case; a
 * line ROWS COLS ENTRIES; then ENTRIES lines ROW COL [VALUE [IMAGINARY]], indices from 1. Blank
 * lines and lines that begin with % may stand anywhere after the banner. Values are checked (a
 * finite decimal number, an integer where the field says so, as many as the field has) and thrown
 * away. A symmetric, skew-symmetric or hermitian matrix is square, and the mirror image of each
 * entry off the diagonal is added; entries above the diagonal are taken, as only the pattern
 * matters. The format omits the diagonal of a skew-symmetric matrix (it is zero), so an entry there
 * is an error. Any field goes with any symmetry.
 * Invariant: nothing is allocated from a declared number; the list grows with the entries read.
 * Source: Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats", NISTIR 5935 (1996).
 * Cost: one look at each byte; 8 bytes an entry read or mirrored.
 */
#include "workloads/matrix_market.h"

#include "base/line_scan.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct field {
    const char *name;
    unsigned values;
    bool (*scan)(const char **at, const char *end);
    const char *expected;
};

static const struct field FIELDS[] = {
    {"real", 1, scan_real, "a finite number"},
    {"integer", 1, scan_integer, "an integer"},
    {"complex", 2, scan_real, "a finite number"},
    {"pattern", 0, NULL, NULL},
};

struct symmetry {
    const char *name;
    bool mirrored, diagonal_omitted;
};

static const struct symmetry SYMMETRIES[] = {
    {"general", false, false},
    {"symmetric", true, false},
    {"skew-symmetric", true, true},
    {"hermitian", true, false},
};

struct reader {
    struct byte_source *source;
    struct byte_line line;
    struct entry_list *list;
    const struct field *field;
    const struct symmetry *symmetry;
    uint64_t declared; /* entries */
    struct failure *failure;
};

/* Takes the word `word` in any case, and the blanks behind it. */
static bool take_word(const char **at, const char *end, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(end - *at) < length || strncasecmp(*at, word, length) != 0 ||
        !scan_at_gap(*at + length, end))
        return false;
    *at = scan_blanks(*at + length, end);
    return true;
}

/* The last two words of the banner, each out of its table. */
static enum failure_kind read_kind(struct reader *reader, const char *at)
{
    const char *end = reader->line.end;
    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS && reader->field == NULL; i++)
        if (take_word(&at, end, FIELDS[i].name))
            reader->field = &FIELDS[i];
    if (reader->field == NULL)
        return scan_expected(&reader->line, at, "real, integer, complex or pattern",
                             reader->failure);
    for (size_t i = 0; i < sizeof SYMMETRIES / sizeof *SYMMETRIES && reader->symmetry == NULL; i++)
        if (take_word(&at, end, SYMMETRIES[i].name))
            reader->symmetry = &SYMMETRIES[i];
    if (reader->symmetry == NULL)
        return scan_expected(&reader->line, at, "general, symmetric, skew-symmetric or hermitian",
                             reader->failure);
    if (at < end)
        return scan_expected(&reader->line, at, "the end of the banner", reader->failure);
    return FAIL_NONE;
}

static enum failure_kind read_banner(struct reader *reader)
{
    enum failure_kind kind = byte_source_line(reader->source, &reader->line, reader->failure);
    if (kind != FAIL_NONE)
        return kind;
    struct byte_line *line = &reader->line;
    if (line->text == NULL)
        return fail(reader->failure, FAIL_INPUT,
                    "%s:1: expected the banner %s, found an empty file", line->name,
                    MATRIX_MARKET_BANNER);
    const char *at = line->text;
    if (!take_word(&at, line->end, MATRIX_MARKET_BANNER))
        return scan_expected(line, at, "the banner " MATRIX_MARKET_BANNER, reader->failure);
    if (!take_word(&at, line->end, "matrix"))
        return scan_expected(line, at, "matrix", reader->failure);
    if (!take_word(&at, line->end, "coordinate"))
        return scan_expected(line, at, "coordinate (array format not supported)", reader->failure);
    return read_kind(reader, at);
}

/* A number of rows or columns, within what a mesh can own. */
static enum failure_kind read_size(struct reader *reader, const char **at, const char *what,
                                   uint32_t *size)
{
    const char *word = *at;
    uint64_t value = 0;
    if (scan_decimal(at, reader->line.end, &value) && value >= 1 && value <= ENTRY_MAX_SIDE) {
        *size = (uint32_t)value;
        return FAIL_NONE;
    }
    char expected[128];
    snprintf(expected, sizeof expected,
             "a number of %s from 1 to %d (the nodes of the largest mesh)", what, ENTRY_MAX_SIDE);
    return scan_expected(&reader->line, word, expected, reader->failure);
}

static enum failure_kind read_size_line(struct reader *reader)
{
    struct byte_line *line = &reader->line;
    struct entry_list *list = reader->list;
    enum failure_kind kind = scan_content(reader->source, "%", line, reader->failure);
    if (kind != FAIL_NONE)
        return kind;
    if (line->text == NULL)
        return fail(reader->failure, FAIL_INPUT,
                    "%s:%llu: expected a line of rows, columns and entries, found the end of the "
                    "file",
                    line->name, (unsigned long long)line->number);
    const char *at = line->text;
    if ((kind = read_size(reader, &at, "rows", &list->rows)) != FAIL_NONE ||
        (kind = read_size(reader, &at, "columns", &list->cols)) != FAIL_NONE)
        return kind;
    const char *word = at;
    if (!scan_decimal(&at, line->end, &reader->declared) || reader->declared > INT64_MAX)
        return scan_expected(line, word, "a number of entries below 2^63", reader->failure);
    if (at < line->end)
        return scan_expected(line, at, "the end of the line after three numbers", reader->failure);
    if (reader->symmetry->mirrored && list->rows != list->cols)
        return fail(reader->failure, FAIL_INPUT,
                    "%s:%llu: expected as many rows as columns in a %s matrix, found %lu and %lu",
                    line->name, (unsigned long long)line->number, reader->symmetry->name,
                    (unsigned long)list->rows, (unsigned long)list->cols);
    return FAIL_NONE;
}

static enum failure_kind index_expected(struct reader *reader, const char *at, const char *what,
                                        uint32_t size)
{
    char expected[64];
    snprintf(expected, sizeof expected, "a %s from 1 to %lu", what, (unsigned long)size);
    return scan_expected(&reader->line, at, expected, reader->failure);
}

static enum failure_kind add_entry(struct reader *reader, uint32_t row, uint32_t col)
{
    bool mirrored = reader->symmetry->mirrored && row != col;
    if (row == col && reader->symmetry->diagonal_omitted)
        return fail(reader->failure, FAIL_INPUT,
                    "%s:%llu: expected no diagonal entry in a %s matrix, found row %lu, column %lu",
                    reader->line.name, (unsigned long long)reader->line.number,
                    reader->symmetry->name, (unsigned long)row + 1, (unsigned long)col + 1);
    if (!entry_list_add(reader->list, entry_pack(col, row)) ||
        (mirrored && !entry_list_add(reader->list, entry_pack(row, col))))
        return entry_list_fail(reader->list, "the entries of a matrix", reader->failure);
    reader->list->stored++;
    return FAIL_NONE;
}

/* The entry in the present line. */
static enum failure_kind read_entry(struct reader *reader)
{
    struct byte_line *line = &reader->line;
    const char *at = line->text, *word = at;
    uint64_t row, col;
    if (!scan_decimal(&at, line->end, &row) || row - 1 >= reader->list->rows)
        return index_expected(reader, word, "row", reader->list->rows);
    word = at;
    if (!scan_decimal(&at, line->end, &col) || col - 1 >= reader->list->cols)
        return index_expected(reader, word, "column", reader->list->cols);
    for (unsigned value = 0; value < reader->field->values; value++)
        if (!reader->field->scan(&at, line->end))
            return scan_expected(line, at, reader->field->expected, reader->failure);
    if (at < line->end)
        return scan_expected(line, at, "the end of the line after the entry", reader->failure);
    return add_entry(reader, (uint32_t)(row - 1), (uint32_t)(col - 1));
}

/* More lines than declared: counts them, so that the message can name both numbers. */
static enum failure_kind surplus(struct reader *reader)
{
    struct byte_line first = reader->line;
    uint64_t found = reader->declared;
    while (reader->line.text != NULL) {
        found++;
        enum failure_kind kind = scan_content(reader->source, "%", &reader->line, reader->failure);
        if (kind != FAIL_NONE)
            return kind;
    }
    return fail(reader->failure, FAIL_INPUT,
                "%s:%llu: expected the end of the file after the %llu entries declared, found %llu "
                "entries",
                first.name, (unsigned long long)first.number, (unsigned long long)reader->declared,
                (unsigned long long)found);
}

static enum failure_kind read_entries(struct reader *reader)
{
    for (;;) {
        enum failure_kind kind = scan_content(reader->source, "%", &reader->line, reader->failure);
        if (kind != FAIL_NONE)
            return kind;
        if (reader->line.text == NULL)
            break;
        if (reader->list->stored == reader->declared)
            return surplus(reader);
        if ((kind = read_entry(reader)) != FAIL_NONE)
            return kind;
    }
    if (reader->list->stored < reader->declared)
        return fail(reader->failure, FAIL_INPUT,
                    "%s:%llu: expected the %llu entries declared, found the end of the file after "
                    "%llu entries",
                    reader->line.name, (unsigned long long)reader->line.number,
                    (unsigned long long)reader->declared, (unsigned long long)reader->list->stored);
    return FAIL_NONE;
}

enum failure_kind matrix_market_read(struct byte_source *source, struct entry_list *list,
                                     struct failure *failure)
{
    struct reader reader = {.source = source, .list = list, .failure = failure};
    enum failure_kind kind = read_banner(&reader);
    if (kind == FAIL_NONE)
        kind = read_size_line(&reader);
    if (kind == FAIL_NONE)
        kind = read_entries(&reader);
    return kind;
}
