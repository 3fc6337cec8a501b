/* metis_graph.c - graphs as METIS, KaHIP and Scotch read them: line v names the neighbours of
 * vertex v.
 *
 * Grammar: a line VERTICES EDGES [FORMAT [WEIGHTS]]; a line per vertex of [SIZE] [WEIGHT ..]
 * NEIGHBOUR [WEIGHT] NEIGHBOUR .., vertices counted from 1. FORMAT has three digits: the first is 1
 * if there are sizes, the second if a vertex has weights (WEIGHTS of them, 1 if not said), the
 * third if an edge has one. Lines that begin with % are comments; an empty line is a vertex without
 * neighbours, and only such may follow the last vertex. Each edge is in the lines of both its ends,
 * so neighbours are twice the edges. Sizes and weights, numbers of any form, are left out. If
 * weights are asked for, they are the vertices' sizes (what a vertex sends, as METIS counts
 * communication), without sizes those of edges.
 * Invariant: no size in the file decides how much memory is taken; what is read does. Lines may
 * have any length.
 * Source: Karypis, METIS 5.1.0 manual (2013), Section 4.1.1.
 * Cost: one look at each byte; 8 bytes per neighbour.
 */
#include "workloads/import_formats.h"

#include <inttypes.h>

enum { MOST_WEIGHTS = 64 };

struct reader {
    struct text_scan scan;
    struct entry_list *list;
    uint32_t edges, before; /* numbers before a vertex's neighbours */
    bool has_sizes, has_edge_weights;
    struct twin_sum twins;
};

/* Reads FORMAT and WEIGHTS, if the line has them. */
static enum failure_kind read_format(struct reader *reader)
{
    struct text_scan *scan = &reader->scan;
    uint32_t format = 0, weights = 1;
    enum failure_kind kind = text_scan_blanks(scan);
    if (kind == FAIL_NONE && !text_scan_at_line_end(scan))
        kind = text_scan_number(scan, "a format of three digits, each 0 or 1,", 0, 111, &format);
    if (kind == FAIL_NONE && (format % 10 > 1 || format / 10 % 10 > 1))
        kind = text_scan_refuse(scan, "expected a format of three digits, each 0 or 1, found %03u",
                                format);
    if (kind == FAIL_NONE)
        kind = text_scan_blanks(scan);
    if (kind == FAIL_NONE && !text_scan_at_line_end(scan))
        kind = text_scan_number(scan, "a number of weights per vertex", 0, MOST_WEIGHTS, &weights);
    reader->has_edge_weights = format % 10 == 1;
    reader->has_sizes = format >= 100;
    reader->before = format / 100 + (format / 10 % 10 == 1 ? weights : 0);
    return kind;
}

static enum failure_kind read_header(struct reader *reader)
{
    struct text_scan *scan = &reader->scan;
    struct entry_list *list = reader->list;
    bool found;
    enum failure_kind kind = text_scan_find(scan, &found);
    if (kind == FAIL_NONE)
        kind = text_scan_number(scan, "a number of vertices", 1, ENTRY_MAX_SIDE, &list->rows);
    if (kind == FAIL_NONE)
        kind = text_scan_number(scan, "a number of edges", 0, INT32_MAX, &reader->edges);
    if (kind == FAIL_NONE)
        kind = read_format(reader);
    if (kind == FAIL_NONE)
        kind = text_scan_blanks(scan);
    if (kind == FAIL_NONE && !text_scan_at_line_end(scan))
        kind = text_scan_fail(scan, "the end of the header's line");
    if (kind == FAIL_NONE)
        text_scan_next_line(scan);
    list->cols = list->rows;
    return kind;
}

/* Reads the weight of an edge; it counts only if vertices have no sizes, which are what a vertex
 * sends. */
static enum failure_kind read_edge_weight(struct reader *reader)
{
    return reader->has_sizes ? entry_list_skip_weight(reader->list, &reader->scan)
                             : entry_list_read_weight(reader->list, &reader->scan);
}

/* Reads the rest of a vertex's line. */
static enum failure_kind read_vertex(struct reader *reader, uint32_t vertex)
{
    struct text_scan *scan = &reader->scan;
    struct entry_list *list = reader->list;
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t i = 0; i < reader->before && kind == FAIL_NONE; i++)
        kind = i == 0 && reader->has_sizes ? entry_list_read_weight(list, scan)
                                           : entry_list_skip_weight(list, scan);
    while (kind == FAIL_NONE && (kind = text_scan_blanks(scan)) == FAIL_NONE &&
           !text_scan_at_line_end(scan)) {
        uint32_t neighbour;
        kind = entry_list_read_vertex(list, scan, "a neighbour", &neighbour);
        if (kind != FAIL_NONE)
            return kind;
        twin_sum_add(&reader->twins, vertex, neighbour);
        if (reader->has_edge_weights && (kind = read_edge_weight(reader)) != FAIL_NONE)
            return kind;
        kind =
            entry_list_store(list, vertex, neighbour, false, "the edges of a graph", scan->failure);
    }
    return kind;
}

/* Ends a file that lacks the line of `vertex`: right if the edges are complete, as the other
 * vertices have no neighbours. */
static enum failure_kind end_early(struct reader *reader, uint32_t vertex)
{
    const struct text_scan *scan = &reader->scan;
    struct entry_list *list = reader->list;
    if (reader->edges == 0 || list->stored != 2 * (uint64_t)reader->edges)
        return text_scan_refuse(scan, "expected %u lines of neighbours, found %u", list->rows,
                                vertex);
    import_note(&list->notes, "last lines are missing, of vertices without neighbours: %u",
                (list->rows - vertex));
    return FAIL_NONE;
}

static enum failure_kind read_vertices(struct reader *reader)
{
    struct text_scan *scan = &reader->scan;
    for (uint32_t vertex = 0; vertex < reader->list->rows; vertex++) {
        enum failure_kind kind = text_scan_comment_lines(scan);
        if (kind == FAIL_NONE && text_scan_at_end(scan))
            return end_early(reader, vertex);
        if (kind == FAIL_NONE)
            kind = read_vertex(reader, vertex);
        if (kind != FAIL_NONE)
            return kind;
        text_scan_next_line(scan);
    }
    return FAIL_NONE;
}

/* Fails for lines that do not name each other, or notes it where the user gave the format. */
static enum failure_kind judge_twins(struct reader *reader)
{
    const struct text_scan *scan = &reader->scan;
    if (!reader->list->reading.is_format_given)
        return text_scan_refuse(scan,
                                "expected each edge in the lines of both its ends, found some in "
                                "one; say --format graph, or --format hgr if this is a hypergraph");
    import_note(&reader->list->notes, "edges are not all in the lines of both their ends");
    return FAIL_NONE;
}

static enum failure_kind read_all(struct reader *reader)
{
    struct text_scan *scan = &reader->scan;
    uint64_t expected;
    bool found = false;
    enum failure_kind kind = read_header(reader);
    if (kind == FAIL_NONE)
        kind = read_vertices(reader);
    if (kind == FAIL_NONE)
        kind = text_scan_find(scan, &found);
    if (kind == FAIL_NONE && found)
        kind = text_scan_fail(scan, "the end of the file after the last vertex");
    expected = 2 * (uint64_t)reader->edges;
    if (kind == FAIL_NONE && reader->list->stored != expected)
        kind = text_scan_refuse(scan,
                                "expected %" PRIu64
                                " neighbours in all, two for each of the %u edges, "
                                "found %" PRIu64 " (a hypergraph of hMETIS needs --format hgr)",
                                expected, reader->edges, reader->list->stored);
    return kind == FAIL_NONE && reader->twins.sum != 0 ? judge_twins(reader) : kind;
}

enum failure_kind metis_graph_read(struct byte_source *source, struct entry_list *list,
                                   struct failure *failure)
{
    struct reader reader = {.list = list};
    enum failure_kind kind =
        text_scan_open(&reader.scan, source, '%', byte_source_name(source), failure);
    if (kind == FAIL_NONE)
        kind = read_all(&reader);
    text_scan_close(&reader.scan);
    return kind;
}
