/* edge_list_first.c - what an edge list begins with: comments that say something, names of columns, numbers n m.
 *
 * A first line of numbers is an edge or a header. It is a header if as many lines follow as its last number says and no
 * id exceeds its first; what fits nearly is refused, with what to say. A header of words comes before numbers,
 * or has a name such as `source` first.
 */
#include "workloads/edge_list_private.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SHOWN_LINE = 60 };

/* True if the line holds `word`, in any case. */
static bool mentions(const struct byte_line *line, const char *word)
{
    size_t length = strlen(word);
    for (const char *c = line->text; (size_t)(line->end - c) >= length; c++)
        if (strncasecmp(c, word, length) == 0)
            return true;
    return false;
}

/* The comment in the present line, before the first edge. */
static enum failure_kind look_at_comment(struct edge_reader *reader)
{
    static const char *const KINDS[] = {
        [KONECT_SYMMETRIC] = "sym", [KONECT_ASYMMETRIC] = "asym", [KONECT_BIPARTITE] = "bip"};
    const struct byte_line *line = &reader->line;
    const char *at = line->text;
    struct field field;
    if (mentions(line, "MatrixMarket "))
        return scan_expected(line, at,
                             "an edge list (this begins like Matrix Market: --format mtx)",
                             reader->failure);
    reader->is_undirected |= mentions(line, "undirected");
    if (reader->is_adjacency || *at++ != '%' ||
        !field_next(&field, reader->separator, &at, reader->line.end))
        return FAIL_NONE;
    if (line->number == 1)
        for (int k = KONECT_SYMMETRIC; k <= KONECT_BIPARTITE; k++)
            if (field_equals(&field, KINDS[k]))
                reader->konect = (enum konect)k;
    if (reader->konect == KONECT_BIPARTITE && reader->list->reading.is_symmetric)
        return fail(reader->failure, FAIL_USAGE,
                    "--symmetric is for graphs with one kind of vertices; %s is bipartite",
                    line->name);
    reader->is_symmetric |= reader->konect == KONECT_SYMMETRIC;
    if (reader->konect == NOT_KONECT || line->number != 2)
        return FAIL_NONE;
    at = scan_blanks(line->text + 1, line->end);
    uint64_t sizes[KEPT_NUMBERS] = {0};
    for (unsigned i = 0; i < KEPT_NUMBERS && at < line->end; i++)
        if (!scan_decimal(&at, line->end, &sizes[i]))
            return FAIL_NONE;
    if (at == line->end)
        memcpy(reader->konect_sizes, sizes, sizeof sizes);
    return FAIL_NONE;
}

static enum failure_kind find_first(struct edge_reader *reader)
{
    for (;;) {
        enum failure_kind kind = scan_content(reader->source, "", &reader->line, reader->failure);
        const struct byte_line *line = &reader->line;
        if (kind != FAIL_NONE)
            return kind;
        if (line->text == NULL)
            return edge_list_fail(reader, line->number + (line->number == 0), "an edge (two ids)",
                                  line->number > 0 ? "no edges" : "an empty file");
        if (memchr("#%", *line->text, 2) == NULL)
            return FAIL_NONE;
        if ((kind = look_at_comment(reader)) != FAIL_NONE)
            return kind;
    }
}

/* The kinds of the first two fields of a line. */
struct kinds {
    unsigned fields, numbers, words; /* words that are no numbers */
};

static struct kinds count_kinds(const struct edge_reader *reader)
{
    struct kinds kinds = {0};
    const char *at = reader->line.text;
    struct field field;
    uint64_t value;
    while (kinds.fields < 2 && field_next(&field, reader->separator, &at, reader->line.end)) {
        bool is_numeral = field_natural(&field, &value);
        kinds.fields++;
        kinds.numbers += is_numeral;
        kinds.words += !is_numeral && field_is_word(&field);
    }
    return kinds;
}

static bool is_source_name(const struct field *field)
{
    static const char *const NAMES[] = {
        "source", "src",     "from",      "fromnodeid", "from_node", "from_id", "node1",
        "node_1", "node_a",  "id1",       "id_1",       "start",     "sender",  "follower",
        "citing", "vertex1", "source_id", "sourceid",   "head",      "tail",    "fromnode"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (field_equals(field, NAMES[i]))
            return true;
    return false;
}

/* Refuses a header of words that does not name the ids first. */
static enum failure_kind check_names(struct edge_reader *reader)
{
    const char *at = reader->line.text;
    struct field field;
    for (unsigned i = 0; field_next(&field, reader->separator, &at, reader->line.end); i++) {
        if (i == 0 && field.length == 0)
            return edge_list_fail(reader, reader->line.number, "two ids in the first two columns",
                                  "a first column without a name (leave it out)");
        if (i > 0 && is_source_name(&field))
            return edge_list_fail(reader, reader->line.number, "two ids in the first two columns",
                                  "them in later columns (leave out those before)");
    }
    return FAIL_NONE;
}

/* Keeps the text of the present line, which was read from the source and will be overwritten. */
static enum failure_kind keep_first(struct edge_reader *reader)
{
    struct edge_first *first = &reader->first;
    const struct byte_line *line = &reader->line;
    first->length = (size_t)(line->end - line->text);
    first->number = line->number;
    first->text = memory_allocate(first->length + 1, 1);
    if (first->text == NULL)
        return fail_memory(reader->failure, "the first line of an edge list");
    memcpy(first->text, line->text, first->length);
    const char *at = line->text;
    struct field field;
    for (; field_next(&field, reader->separator, &at, reader->line.end); first->columns++)
        if (first->values == first->columns && first->values < KEPT_NUMBERS &&
            field_natural(&field, &first->value[first->values]))
            first->values++;
    return FAIL_NONE;
}

static void note_header(struct edge_reader *reader, const char *what)
{
    const struct edge_first *first = &reader->first;
    int length = first->length < SHOWN_LINE ? (int)first->length : SHOWN_LINE;
    import_note(&reader->list->notes,
                "first line, '%.*s'%s, was read as a header%s; --header no makes it an edge",
                length, first->text, first->length > SHOWN_LINE ? ".." : "", what);
}

/* True if the kept line, of these kinds, names columns: words before numbers, a known name, or no name. */
static bool names_columns(const struct edge_reader *reader, const struct kinds *kinds,
                          const struct kinds *next)
{
    const char *at = reader->line.text;
    struct field field = {.text = "", .length = 0};
    field_next(&field, reader->separator, &at, reader->line.end);
    if (kinds->numbers > 0 || kinds->words == 0)
        return false;
    return field.length == 0 ||
           (kinds->words == kinds->fields && (next->numbers == 2 || is_source_name(&field)));
}

/* Decides whether the kept line is a header of words, which *is_header becomes, and whether ids are words. The present
 * line is the one after it, or there is none. */
static enum failure_kind judge_words(struct edge_reader *reader, bool *is_header)
{
    const struct byte_line line = reader->line;
    enum import_header header = reader->list->reading.header;
    struct kinds kinds, next = {0};
    enum failure_kind kind = FAIL_NONE;
    if (line.text != NULL)
        next = count_kinds(reader);
    edge_list_return_to_first(reader);
    kinds = count_kinds(reader);
    if (header == IMPORT_HEADER_GUESSED && kinds.numbers == 2 && next.words == 2)
        kind = edge_list_fail(reader, reader->first.number,
                              "an edge between words, as in the next line",
                              "numbers; say --header yes or --header no");
    if (header == IMPORT_HEADER_GUESSED && (*is_header = names_columns(reader, &kinds, &next)))
        kind = check_names(reader);
    if (header == IMPORT_HEADER_YES)
        *is_header = kinds.words > 0 || next.words > 0;
    reader->columns.are_ids &= !*is_header;
    reader->has_words = *is_header ? next.words > 0 : kinds.words > 0 || next.words == 2;
    if (kind == FAIL_NONE && *is_header)
        note_header(reader, "");
    reader->line = line;
    return kind;
}

enum failure_kind edge_list_begin(struct edge_reader *reader, bool *is_header)
{
    *is_header = false;
    enum failure_kind kind = find_first(reader);
    if (kind != FAIL_NONE)
        return kind;
    reader->separator = field_separator(&reader->line);
    if ((kind = keep_first(reader)) == FAIL_NONE)
        kind = scan_content(reader->source, "#%", &reader->line, reader->failure);
    return kind == FAIL_NONE ? judge_words(reader, is_header) : kind;
}

/* Fails: the first line could be an edge or not. */
static enum failure_kind ask_for_header(const struct edge_reader *reader, const char *guess)
{
    const struct edge_first *first = &reader->first;
    return fail(reader->failure, FAIL_INPUT,
                "%s:%llu: expected an edge, found '%.*s', which may be %s, before %llu lines; say "
                "--header yes or --header no",
                reader->line.name, (unsigned long long)first->number,
                first->length < SHOWN_LINE ? (int)first->length : SHOWN_LINE, first->text, guess,
                (unsigned long long)reader->lines);
}

/* True if ids that are at most `vertices` count from 0 or 1. */
static bool fits(const struct edge_reader *reader, uint64_t vertices)
{
    const struct id_table *ids = &reader->ids[0];
    return ids->last_id <= vertices && (ids->first_id > 0 || ids->last_id < vertices);
}

/* Decides whether the kept line, of numbers, is a header, whose number of vertices *vertices becomes, else 0. */
static enum failure_kind judge_numbers(struct edge_reader *reader, uint64_t *vertices)
{
    const struct edge_first *first = &reader->first;
    enum import_header header = reader->list->reading.header;
    uint64_t a = first->value[0], b = first->value[1], c = first->value[2], lines = reader->lines;
    unsigned next_columns = 2 + reader->columns.behind;
    bool is_three = first->values == 3 && first->columns == 3;
    bool is_two = first->values == 2 && first->columns == 2;
    *vertices = 0;
    if (header == IMPORT_HEADER_YES) {
        *vertices = a > 0 ? a : 1;
        return FAIL_NONE;
    }
    if (header == IMPORT_HEADER_NO || reader->konect != NOT_KONECT || lines == 0)
        return FAIL_NONE;
    bool holds_all = reader->ids[0].last_id <= (is_three && b > a ? b : a);
    if (reader->is_adjacency)
        return first->columns <= 2 && a == lines && holds_all
                   ? ask_for_header(reader, "a header n or n m")
                   : FAIL_NONE;
    if ((is_two && b == lines && fits(reader, a)) ||
        (is_three && a == b && c == lines && fits(reader, a))) {
        *vertices = a;
        return FAIL_NONE;
    }
    if (is_three && holds_all && c == lines)
        return ask_for_header(reader, "the sizes of a matrix without its banner");
    if (is_three && holds_all && b == lines && reader->ids[0].last_id <= a)
        return ask_for_header(reader, "a header n m");
    if (first->values == first->columns && first->columns > next_columns)
        return ask_for_header(reader, "a header of more columns");
    if (!is_two || !holds_all)
        return FAIL_NONE;
    bool is_near = b <= 2 * lines && lines <= 2 * b;
    if (next_columns > 2 || (is_near && (b > a || a > reader->ids[0].last_id)) || b == 2 * lines ||
        lines == 2 * b)
        return ask_for_header(reader, "a header n m");
    return FAIL_NONE;
}

enum failure_kind edge_list_judge_first(struct edge_reader *reader, uint64_t *vertices)
{
    const struct edge_first *first = &reader->first;
    enum failure_kind kind = judge_numbers(reader, vertices);
    if (kind != FAIL_NONE || *vertices == 0)
        return kind;
    if (*vertices > ENTRY_MAX_SIDE || !fits(reader, *vertices)) {
        char found[96];
        snprintf(found, sizeof found, "a header of %llu vertices before ids from %llu to %llu",
                 (unsigned long long)*vertices, (unsigned long long)reader->ids[0].first_id,
                 (unsigned long long)reader->ids[0].last_id);
        return edge_list_fail(reader, first->number, "ids that fit the header, and a mesh", found);
    }
    bool is_square = first->values == 3 && first->value[0] == first->value[1];
    uint64_t edges = first->value[is_square ? 2 : 1];
    char what[96] = " of vertices and edges";
    if (first->values > 1 && edges != reader->lines)
        snprintf(what, sizeof what, " of vertices and edges, though %llu lines follow",
                 (unsigned long long)reader->lines);
    note_header(reader, what);
    return FAIL_NONE;
}
