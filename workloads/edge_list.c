/* edge_list.c - edge lists `u v` and adjacency lists `u v w ..`, ids compacted.
 *
 * Grammar: ids set apart by blanks or tabs, by commas, or by tabs alone where they are words, as the first line shows.
 * Ids are decimal numbers from 0 to 2^63 - 1; or words, perhaps in double quotes, if the first edge has one. In an edge
 * list, what follows two ids in a line is ignored, whatever it holds; in an adjacency list all others are neighbours
 * of the first. Blank lines and lines that begin with # or % may stand anywhere. A file without an edge is an error.
 * KONECT: a first line `% sym ..`, `% asym ..` or `% bip ..`, perhaps one `% EDGES LEFT [RIGHT]` after it. sym: each edge
 * goes both ways; bip: the ids before and behind are those of two sides, columns and rows of a matrix.
 * Header: the first line of words, before numbers or with a name such as `source`; or numbers `n m` or `n n m` where m
 * lines follow and no id exceeds n. Ids then are 0 .. n-1 or 1 .. n, whether they occur or not. Numbers that could be a
 * header but fit less well are refused, as are columns of ids that look like an adjacency list.
 * Method: the first line of numbers is kept until the end, when the number of lines and the ids are known.
 * Cost: expected O(1) an id; 8 bytes an edge, and what id_table.c takes.
 */
#include "workloads/edge_list.h"

#include "workloads/dimacs.h"
#include "workloads/edge_list_private.h"

#include <stdio.h>

/* ---- ids ---- */

enum failure_kind edge_list_fail(const struct edge_reader *reader, uint64_t line,
                                 const char *expected, const char *found)
{
    return fail(reader->failure, FAIL_INPUT, "%s:%llu: expected %s, found %s", reader->line.name,
                (unsigned long long)line, expected, found);
}

static enum failure_kind id_expected(const struct edge_reader *reader, const char *at)
{
    const char *what = reader->has_words ? "an id, a word or a number"
                                         : "an id from 0 to 2^63 - 1, and a blank behind it";
    bool is_alone = at == reader->line.end && at > reader->line.text && !reader->is_adjacency;
    char expected[128];
    snprintf(expected, sizeof expected, "%s%s", what,
             is_alone ? " (an adjacency list needs --format adjacency)" : "");
    return scan_expected(&reader->line, at, expected, reader->failure);
}

/* Takes a field that is a number; true if it is one. */
static inline bool take_number(const struct edge_reader *reader, const char **at, uint64_t *number)
{
    struct field field;
    return (reader->separator != ',' && scan_decimal(at, reader->line.end, number)) ||
           (field_next(&field, reader->separator, at, reader->line.end) &&
            field_natural(&field, number));
}

/* Takes an id of the side; *id becomes the number that it is, or that the table gives to a word. */
static inline enum failure_kind take_id(struct edge_reader *reader, const char **at, unsigned side,
                                        uint64_t *id, uint32_t *number)
{
    const char *word = *at;
    struct field field;
    struct id_table *table = &reader->ids[side];
    if (!reader->has_words) {
        if (take_number(reader, at, id) && *id <= INT64_MAX)
            return id_table_find(table, &reader->line, *id, number, reader->failure);
    } else if (field_next(&field, reader->separator, at, reader->line.end) &&
               field_is_word(&field)) {
        enum failure_kind kind = id_table_find_word(table, &reader->line, field.text, field.length,
                                                    number, reader->failure);
        *id = *number;
        return kind;
    }
    return id_expected(reader, word);
}

/* ---- lines ---- */

static inline enum failure_kind add_edge(struct edge_reader *reader, uint32_t from, uint32_t to)
{
    return entry_list_store(reader->list, from, to, reader->is_symmetric, "the edges of a graph",
                            reader->failure);
}

/* Notes what is behind the ids of an edge, the first of which is `from`. */
static void look_behind(struct edge_reader *reader, const char *at, uint64_t from, bool is_first)
{
    struct edge_columns *columns = &reader->columns;
    struct field field;
    unsigned count = 0;
    if (!columns->are_ids)
        return;
    for (; field_next(&field, reader->separator, &at, reader->line.end); count++) {
        uint64_t value = 0;
        if (field_natural(&field, &value))
            columns->are_ids = !reader->has_words;
        else
            columns->are_ids = reader->has_words && field_is_word(&field);
        if (!columns->are_ids)
            break;
        columns->largest = value > columns->largest ? value : columns->largest;
    }
    if (reader->list->stored == 0)
        columns->behind = count + !columns->are_ids;
    if (!columns->are_ids)
        return;
    if (count != columns->behind && columns->uneven == 0)
        columns->uneven = reader->line.number;
    if (is_first)
        return;
    if (reader->lines == 1)
        columns->second = from;
    columns->descends |= reader->lines > 1 && from <= columns->previous;
    columns->previous = from;
}

/* Takes the weight of an edge, for lists that keep weights. */
static enum failure_kind take_weight(struct edge_reader *reader, const char *at)
{
    const char *word = at;
    uint64_t weight;
    if (!take_number(reader, &at, &weight))
        weight = 0;
    return entry_list_set_weight(reader->list, weight, &reader->line, word, reader->failure);
}

static inline enum failure_kind take_edge(struct edge_reader *reader, bool is_first)
{
    const char *at = reader->line.text;
    uint64_t id, from_id = 0;
    uint32_t from, to;
    enum failure_kind kind = take_id(reader, &at, 0, &from_id, &from);
    if (kind == FAIL_NONE)
        kind = take_id(reader, &at, reader->konect == KONECT_BIPARTITE, &id, &to);
    if (kind != FAIL_NONE)
        return kind;
    bool has_more = at < reader->line.end;
    if (has_more || reader->list->weights > 0)
        look_behind(reader, at, from_id, is_first);
    if (reader->list->most_weight == 0)
        reader->list->weights += has_more;
    else if ((kind = take_weight(reader, at)) != FAIL_NONE)
        return kind;
    return add_edge(reader, from, to);
}

/* A vertex and its neighbours, none or more. */
static enum failure_kind take_neighbours(struct edge_reader *reader)
{
    const char *at = reader->line.text;
    uint64_t id;
    uint32_t from, to;
    enum failure_kind kind = take_id(reader, &at, 0, &id, &from);
    while (kind == FAIL_NONE && at < reader->line.end) {
        kind = take_id(reader, &at, 0, &id, &to);
        if (kind == FAIL_NONE)
            kind = add_edge(reader, from, to);
    }
    return kind;
}

static inline enum failure_kind take_line(struct edge_reader *reader, bool is_first)
{
    if (reader->has_words && dimacs_begins(&reader->line))
        return scan_expected(&reader->line, reader->line.text,
                             "an edge (this is a line of DIMACS: --format dimacs)",
                             reader->failure);
    return reader->is_adjacency ? take_neighbours(reader) : take_edge(reader, is_first);
}

/* ---- the first line ---- */

/* Reads the first line, and takes it if it is an edge between words; if it is numbers, it is kept. The present line is the
 * one after it. */
static enum failure_kind read_first(struct edge_reader *reader)
{
    bool is_header;
    enum failure_kind kind = edge_list_begin(reader, &is_header);
    if (kind != FAIL_NONE || (!is_header && !reader->has_words))
        return kind;
    struct byte_line next = reader->line;
    edge_list_return_to_first(reader);
    reader->lines += !is_header;
    if (!is_header)
        kind = take_line(reader, false);
    reader->line = next;
    free(reader->first.text);
    reader->first.text = NULL;
    return kind;
}

/* Makes the kept line a header or an edge. */
static enum failure_kind settle_first(struct edge_reader *reader, uint64_t *vertices)
{
    enum failure_kind kind = edge_list_judge_first(reader, vertices);
    if (kind != FAIL_NONE || *vertices > 0)
        return kind;
    edge_list_return_to_first(reader);
    reader->columns.descends |=
        reader->lines > 0 && reader->columns.second <= reader->first.value[0];
    return take_line(reader, true);
}

/* ---- the end ---- */

/* Fails, or notes it, where columns of ids look like an adjacency list's. */
static enum failure_kind judge_columns(struct edge_reader *reader)
{
    const struct edge_columns *columns = &reader->columns;
    uint64_t last = reader->ids[0].last_id;
    if (reader->is_adjacency || reader->konect != NOT_KONECT || !columns->are_ids ||
        reader->list->weights == 0)
        return FAIL_NONE;
    if (columns->uneven > 0)
        return edge_list_fail(reader, columns->uneven, "as many columns as in other lines",
                              "others, all of ids (an adjacency list needs --format adjacency)");
    bool are_small = columns->largest <= last, ascends = !columns->descends;
    bool could_be_ids = columns->behind > 1 ? are_small || ascends
                                            : are_small && ascends && reader->list->stored > 1;
    if (!reader->has_words && !could_be_ids)
        return FAIL_NONE;
    if (reader->list->reading.is_format_given) {
        import_note(&reader->list->notes, "columns behind the first two could be ids (an adjacency "
                                          "list needs --format adjacency)");
        return FAIL_NONE;
    }
    return fail(
        reader->failure, FAIL_INPUT,
        "%s: expected two ids in a line, found %u; say --format adjacency if the others are "
        "neighbours of the first, --format edges if they are weights",
        reader->line.name, 2 + columns->behind);
}

/* The vertices that KONECT's comment says are on the side; 0 if it does not, or they do not fit. */
static uint64_t konect_vertices(const struct edge_reader *reader, unsigned side)
{
    const struct id_table *ids = &reader->ids[side];
    uint64_t vertices = reader->konect_sizes[1 + side];
    return vertices <= ENTRY_MAX_SIDE && !ids->has_words && ids->first_id > 0 &&
                   ids->last_id <= vertices
               ? vertices
               : 0;
}

static void note_konect(struct edge_reader *reader)
{
    static const char *const KINDS[] = {[KONECT_SYMMETRIC] = "sym: each edge goes both ways",
                                        [KONECT_ASYMMETRIC] = "asym: each edge goes one way",
                                        [KONECT_BIPARTITE] =
                                            "bip: ids before are columns, ids behind are rows"};
    struct import_notes *notes = &reader->list->notes;
    if (reader->konect != NOT_KONECT)
        import_note(notes, "first line says %s", KINDS[reader->konect]);
    else if (reader->is_undirected && !reader->is_symmetric)
        import_note(notes,
                    "comments say that it is undirected; --symmetric makes each edge go both ways");
    if (reader->konect_sizes[0] > 0 && reader->konect_sizes[0] != reader->list->stored)
        import_note(notes, "second line says %llu edges, %llu follow",
                    (unsigned long long)reader->konect_sizes[0],
                    (unsigned long long)reader->list->stored);
}

/* Gives the entries their indices, and the list its sizes; `vertices` as a header says, or 0. */
static void number_entries(struct edge_reader *reader, uint64_t vertices)
{
    struct entry_list *list = reader->list;
    bool is_bipartite = reader->konect == KONECT_BIPARTITE;
    struct id_table *ids = reader->ids, *to = &ids[is_bipartite];
    uint32_t size[2];
    for (unsigned side = 0; side <= is_bipartite; side++) {
        uint64_t declared = vertices > 0 ? vertices : konect_vertices(reader, side);
        size[side] = declared > 0 ? (uint32_t)declared : ids[side].ids;
        uint32_t base = ids[side].first_id > 0;
        if (declared > 0) {
            id_table_count_from(&ids[side], base);
            ids[side].first_id = base;
            ids[side].last_id = declared - 1 + base;
        }
    }
    list->cols = size[0];
    list->rows = size[is_bipartite];
    if (!is_bipartite) {
        list->first_id = ids[0].first_id;
        list->last_id = ids[0].last_id;
    }
    for (size_t i = 0; i < list->count; i++)
        list->entry[i] = entry_pack(id_table_index(ids, entry_col(list->entry[i])),
                                    id_table_index(to, entry_row(list->entry[i])));
    if (reader->has_words)
        import_note(&list->notes,
                    "ids are words, numbered from 0 in the order in which they occur");
}

static enum failure_kind read_all(struct edge_reader *reader)
{
    uint64_t vertices = 0;
    enum failure_kind kind = read_first(reader);
    while (kind == FAIL_NONE && reader->line.text != NULL) {
        reader->lines++;
        if ((kind = take_line(reader, false)) == FAIL_NONE)
            kind = scan_content(reader->source, "#%", &reader->line, reader->failure);
    }
    id_table_span(&reader->ids[0]);
    if (kind == FAIL_NONE && reader->first.text != NULL)
        kind = settle_first(reader, &vertices);
    for (unsigned side = 0; side < 2 && kind == FAIL_NONE; side++)
        kind = id_table_order(&reader->ids[side], reader->failure);
    if (kind == FAIL_NONE && reader->list->stored == 0 && !reader->is_adjacency)
        kind = edge_list_fail(reader, reader->line.number, "an edge (two ids)", "no edges");
    if (kind == FAIL_NONE)
        kind = judge_columns(reader);
    if (kind != FAIL_NONE)
        return kind;
    note_konect(reader);
    number_entries(reader, vertices);
    return FAIL_NONE;
}

static enum failure_kind read_ids(struct byte_source *source, struct entry_list *list,
                                  bool is_adjacency, struct failure *failure)
{
    struct edge_reader reader = {.source = source,
                                 .list = list,
                                 .is_adjacency = is_adjacency,
                                 .is_symmetric = list->reading.is_symmetric,
                                 .separator = ' ',
                                 .columns = {.are_ids = true},
                                 .failure = failure};
    enum failure_kind kind = read_all(&reader);
    free(reader.first.text);
    id_table_free(&reader.ids[0]);
    id_table_free(&reader.ids[1]);
    return kind;
}

enum failure_kind edge_list_read(struct byte_source *source, struct entry_list *list,
                                 struct failure *failure)
{
    return read_ids(source, list, false, failure);
}

enum failure_kind adjacency_list_read(struct byte_source *source, struct entry_list *list,
                                      struct failure *failure)
{
    return read_ids(source, list, true, failure);
}
