/* matrix_market.c - Matrix Market coordinate files, and near variants.
 *
 * Grammar: the banner `%%MatrixMarket matrix coordinate FIELD SYMMETRY` on line 1, in any case; a
 * line ROWS COLS ENTRIES; then ENTRIES lines ROW COL and anything after it, indices from 1. Blank
 * lines and lines that begin with % may stand anywhere after the banner. Values are ignored, since
 * only the pattern matters. A symmetric, skew-symmetric or hermitian matrix is square, and the
 * mirror image of each entry off the diagonal is added; entries above the diagonal are accepted.
 * Any field goes with any symmetry. Accepted with a note: one % in the banner, blanks before it;
 * entries on the diagonal of a skew-symmetric matrix; a line of sizes that is missing or a comment,
 * as files of Network Repository have it.
 * Invariant: nothing is allocated from a declared number; the list grows with the entries read.
 * Source: Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats", NISTIR 5935 (1996).
 * Cost: one look at each byte; 8 bytes per entry read or mirrored.
 */
#include "workloads/import_formats.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const FIELDS[] = {"real",    "double",  "integer", "unsigned-integer",
                                     "complex", "pattern", NULL};

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

/* Three numbers of a line, which may be the sizes of the matrix. */
struct sizes {
    uint64_t rows, cols, entries;
    uint64_t line; /* 0: no such line */
};

struct reader {
    struct byte_source *source;
    struct byte_line line;
    struct entry_list *list;
    const struct symmetry *symmetry;
    uint64_t declared;     /* entries */
    struct sizes comment;  /* the last comment of three numbers before the first line */
    bool is_without_sizes; /* the first line is an entry: */
    struct byte_line first;
    unsigned columns; /* of that line */
    double third;     /* the number in its third column, without a sign; -1: none */
    bool has_zero_diagonal;
    struct failure *failure;
};

/* Reads the last two words of the banner, each out of its table. */
static enum failure_kind read_kind(struct reader *reader, const char *at)
{
    const char *end = reader->line.end;
    const char *const *field = FIELDS;
    while (*field != NULL && !scan_word(&at, end, *field))
        field++;
    if (*field == NULL)
        return scan_expected(&reader->line, at, "real, integer, complex or pattern",
                             reader->failure);
    for (size_t i = 0; i < sizeof SYMMETRIES / sizeof *SYMMETRIES && reader->symmetry == NULL; i++)
        if (scan_word(&at, end, SYMMETRIES[i].name))
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
    struct byte_line *line = &reader->line;
    struct import_notes *notes = &reader->list->notes;
    enum failure_kind kind = byte_source_line(reader->source, line, reader->failure);
    const char *at = line->text;
    if (kind == FAIL_NONE && at != NULL && (at == line->end || scan_is_blank(*at))) {
        line->text = scan_blanks(at, line->end);
        if (line->text == line->end)
            kind = scan_content(reader->source, "", line, reader->failure);
        import_note(notes, "banner has blanks before it");
    }
    if (kind != FAIL_NONE)
        return kind;
    at = line->text;
    if (at == NULL)
        return fail(reader->failure, FAIL_INPUT,
                    "%s:1: expected the banner %s, found an empty file", line->name,
                    MATRIX_MARKET_BANNER);
    if (scan_word(&at, line->end, &MATRIX_MARKET_BANNER[1]))
        import_note(notes, "banner has one %%, not two");
    else if (!scan_word(&at, line->end, MATRIX_MARKET_BANNER))
        return scan_expected(line, at, "the banner " MATRIX_MARKET_BANNER, reader->failure);
    if (!scan_word(&at, line->end, "matrix"))
        return scan_expected(line, at, "matrix", reader->failure);
    if (!scan_word(&at, line->end, "coordinate"))
        return scan_expected(line, at, "coordinate (array format not supported)", reader->failure);
    return read_kind(reader, at);
}

/* Reads a number of rows or columns, within the limits of a mesh. */
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

/* Scans the numbers of a line that has exactly three. */
static bool scan_sizes(const char *at, const struct byte_line *line, struct sizes *sizes)
{
    struct sizes found = {.line = line->number};
    if (!scan_decimal(&at, line->end, &found.rows) || !scan_decimal(&at, line->end, &found.cols) ||
        !scan_decimal(&at, line->end, &found.entries) || at < line->end)
        return false;
    *sizes = found;
    return true;
}

/* Reads the first line that is neither blank nor a comment. */
static enum failure_kind read_first(struct reader *reader)
{
    struct byte_line *line = &reader->line;
    for (;;) {
        if (scan_content(reader->source, "", line, reader->failure) != FAIL_NONE)
            return reader->failure->kind;
        if (line->text == NULL)
            return scan_refuse(line, reader->failure,
                               "expected a line of rows, columns and entries, found the end of "
                               "the file");
        if (*line->text != '%')
            return FAIL_NONE;
        scan_sizes(scan_blanks(line->text + 1, line->end), line, &reader->comment);
    }
}

static enum failure_kind read_sizes(struct reader *reader)
{
    struct byte_line *line = &reader->line;
    struct entry_list *list = reader->list;
    const char *at = line->text;
    if (read_size(reader, &at, "rows", &list->rows) != FAIL_NONE ||
        read_size(reader, &at, "columns", &list->cols) != FAIL_NONE)
        return reader->failure->kind;
    const char *word = at;
    if (!scan_decimal(&at, line->end, &reader->declared) || reader->declared > INT64_MAX)
        return scan_expected(line, word, "a number of entries below 2^63", reader->failure);
    if (at < line->end)
        return scan_expected(line, at, "the end of the line after three numbers", reader->failure);
    return FAIL_NONE;
}

static unsigned count_columns(const struct byte_line *line)
{
    unsigned columns = 0;
    for (const char *at = line->text; at < line->end; at = scan_blanks(at, line->end)) {
        columns++;
        while (at < line->end && !scan_is_blank(*at))
            at++;
    }
    return columns;
}

/* Decides if the line is an entry rather than the sizes: it begins with two indices, and is not
 * three whole numbers, or three that a symmetric matrix cannot have. The next line must have as
 * many columns. */
static void look_for_sizes(struct reader *reader)
{
    const struct byte_line *line = &reader->line;
    const char *at = line->text;
    uint64_t row, col;
    struct sizes sizes;
    if (!scan_decimal(&at, line->end, &row) || !scan_decimal(&at, line->end, &col))
        return;
    reader->first = *line;
    reader->columns = count_columns(line);
    reader->is_without_sizes = scan_sizes(line->text, line, &sizes)
                                   ? reader->symmetry->mirrored && row != col
                                   : reader->columns <= 4;
    at += at < line->end && *at == '-';
    if (!scan_fraction(&at, line->end, &reader->third))
        reader->third = -1;
}

/* Fails: the first line is neither a line of sizes nor an entry. */
static enum failure_kind sizes_expected(const struct reader *reader, const char *found)
{
    return scan_refuse(&reader->first, reader->failure,
                       "expected a line of rows, columns and entries%s, found %s",
                       reader->symmetry->mirrored ? ", with as many rows as columns" : "", found);
}

static enum failure_kind add_entry(struct reader *reader, uint32_t row, uint32_t col)
{
    reader->has_zero_diagonal |= row == col && reader->symmetry->diagonal_omitted;
    return entry_list_store(reader->list, col, row, reader->symmetry->mirrored,
                            "the entries of a matrix", reader->failure);
}

/* Reads the entry in the current line. */
static enum failure_kind read_entry(struct reader *reader)
{
    struct byte_line *line = &reader->line;
    const char *at = line->text;
    uint64_t row, col;
    if (scan_number(line, &at, "a row", 1, reader->list->rows, &row, reader->failure) !=
            FAIL_NONE ||
        scan_number(line, &at, "a column", 1, reader->list->cols, &col, reader->failure) !=
            FAIL_NONE)
        return FAIL_INPUT;
    if (reader->list->most_weight > 0) {
        if (entry_list_scan_weight(reader->list, line, &at, reader->failure) != FAIL_NONE)
            return reader->failure->kind;
    }
    return add_entry(reader, (uint32_t)(row - 1), (uint32_t)(col - 1));
}

/* Counts lines beyond the declared ones, so that the message can name both numbers. */
static enum failure_kind surplus(struct reader *reader)
{
    struct byte_line first = reader->line;
    uint64_t found = reader->declared;
    while (reader->line.text != NULL) {
        found++;
        if (scan_content(reader->source, "%", &reader->line, reader->failure) != FAIL_NONE)
            return reader->failure->kind;
    }
    return scan_refuse(&first, reader->failure,
                       "expected the end of the file after the %" PRIu64
                       " entries declared, found %" PRIu64 " "
                       "entries",
                       reader->declared, found);
}

static enum failure_kind read_entries(struct reader *reader)
{
    enum failure_kind kind = reader->is_without_sizes ? read_entry(reader) : FAIL_NONE;
    while (kind == FAIL_NONE) {
        kind = scan_content(reader->source, "%", &reader->line, reader->failure);
        if (kind != FAIL_NONE)
            return kind;
        if (reader->line.text == NULL)
            break;
        if (reader->list->stored == reader->declared)
            return surplus(reader);
        if (reader->is_without_sizes && reader->list->stored == 1 &&
            count_columns(&reader->line) != reader->columns)
            return sizes_expected(reader, "another number of columns than in the next line");
        kind = read_entry(reader);
    }
    if (kind == FAIL_NONE && !reader->is_without_sizes && reader->list->stored < reader->declared)
        return scan_refuse(&reader->line, reader->failure,
                           "expected the %" PRIu64
                           " entries declared, found the end of the file after "
                           "%" PRIu64 " entries",
                           reader->declared, reader->list->stored);
    return kind;
}

/* Finds the sizes of a file without a line of them: those of a comment if they fit, or the largest
 * row and column. */
static enum failure_kind find_sizes(struct reader *reader)
{
    struct entry_list *list = reader->list;
    const struct sizes *comment = &reader->comment;
    if (reader->third == (double)(list->stored - 1))
        return sizes_expected(reader,
                              "others, though as many lines follow as the third number says");
    list->rows = list->cols = 1;
    for (size_t i = 0; i < list->count; i++) {
        uint32_t row = entry_row(list->entry[i]) + 1, col = entry_col(list->entry[i]) + 1;
        list->rows = row > list->rows ? row : list->rows;
        list->cols = col > list->cols ? col : list->cols;
    }
    bool fits = comment->entries == list->stored && comment->rows >= list->rows &&
                comment->cols >= list->cols && comment->rows <= ENTRY_MAX_SIDE &&
                comment->cols <= ENTRY_MAX_SIDE &&
                (!reader->symmetry->mirrored || comment->rows == comment->cols);
    if (fits) {
        list->rows = (uint32_t)comment->rows;
        list->cols = (uint32_t)comment->cols;
        import_note(&list->notes, "line of sizes is the comment in line %" PRIu64, comment->line);
    } else {
        import_note(&list->notes, "line of sizes is missing; the largest row is %u, and column %u",
                    list->rows, list->cols);
    }
    return FAIL_NONE;
}

enum failure_kind matrix_market_read(struct byte_source *source, struct entry_list *list,
                                     struct failure *failure)
{
    struct reader reader = {.source = source, .list = list, .failure = failure};
    enum failure_kind kind = read_banner(&reader);
    if (kind == FAIL_NONE)
        kind = read_first(&reader);
    if (kind != FAIL_NONE)
        return kind;
    look_for_sizes(&reader);
    if (reader.is_without_sizes) {
        list->rows = list->cols = ENTRY_MAX_SIDE;
        reader.declared = UINT64_MAX;
    } else {
        kind = read_sizes(&reader);
    }
    if (kind == FAIL_NONE)
        kind = read_entries(&reader);
    if (kind == FAIL_NONE && reader.is_without_sizes)
        kind = find_sizes(&reader);
    if (kind == FAIL_NONE && reader.has_zero_diagonal)
        import_note(&list->notes, "diagonal has entries, which are zeros in a skew-symmetric "
                                  "matrix; they count as entries");
    return kind;
}
