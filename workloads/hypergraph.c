/* hypergraph.c - hypergraphs as hMETIS, KaHyPar and others read them.
 *
 * Grammar: a line EDGES VERTICES [FORMAT]; a line a hyperedge, of its vertices, counted from 1; where FORMAT is 1 or
 * 11 each has the hyperedge's weight before it, where it is 10 or 11 a line with a vertex's weight follows for each
 * vertex. Blank lines count for nothing, and % begins a comment. Weights are passed and left out.
 * Invariant: no size in the file decides how much memory is taken; what is read does. Lines may have any length.
 * Source: Karypis and Kumar, hMETIS, A Hypergraph Partitioning Package, version 1.5.3 (1998), Section 3.1.
 * Cost: one look at each byte; 8 bytes a vertex of a hyperedge, 4 a hyperedge.
 */
#include "workloads/hypergraph.h"

#include "base/text_scan.h"

#include <stdio.h>

struct reader {
    struct text_scan scan;
    struct entry_list *list;
    bool has_edge_weights, has_vertex_weights;
};

static enum failure_kind read_header(struct reader *reader)
{
    struct text_scan *scan = &reader->scan;
    struct entry_list *list = reader->list;
    uint32_t format = 0;
    bool found;
    enum failure_kind kind = text_scan_find(scan, &found);
    if (kind == FAIL_NONE)
        kind = text_scan_number(scan, "a number of hyperedges", 1, ENTRY_MAX_SIDE, &list->cols);
    if (kind == FAIL_NONE)
        kind = text_scan_number(scan, "a number of vertices", 1, ENTRY_MAX_SIDE, &list->rows);
    if (kind == FAIL_NONE)
        kind = text_scan_blanks(scan);
    if (kind == FAIL_NONE && !text_scan_at_line_end(scan))
        kind = text_scan_number(scan, "a format of 0, 1, 10 or 11,", 0, 11, &format);
    if (kind == FAIL_NONE && format % 10 > 1)
        kind = fail(scan->failure, FAIL_INPUT,
                    "%.300s:%llu: expected a format of 0, 1, 10 or 11, found %lu", scan->name,
                    (unsigned long long)scan->line, (unsigned long)format);
    if (kind == FAIL_NONE)
        kind = text_scan_blanks(scan);
    if (kind == FAIL_NONE && !text_scan_at_line_end(scan))
        kind = text_scan_fail(scan, "the end of the line after the format");
    reader->has_edge_weights = format % 10 == 1;
    reader->has_vertex_weights = format >= 10;
    list->items = list->rows;
    return kind;
}

/* The line in which the scan is. */
static enum failure_kind read_edge(struct reader *reader, uint32_t edge)
{
    struct text_scan *scan = &reader->scan;
    struct entry_list *list = reader->list;
    uint32_t vertex;
    enum failure_kind kind =
        reader->has_edge_weights ? entry_list_skip_weight(reader->list, &reader->scan) : FAIL_NONE;
    if (kind == FAIL_NONE)
        kind = text_scan_number(scan, "a vertex", 1, list->rows, &vertex);
    if (kind != FAIL_NONE)
        return kind;
    if (!entry_list_set_source(list, edge, vertex - 1))
        return entry_list_fail(list, "the hyperedges of a hypergraph", scan->failure);
    while ((kind = text_scan_blanks(scan)) == FAIL_NONE && !text_scan_at_line_end(scan)) {
        kind = text_scan_number(scan, "a vertex", 1, list->rows, &vertex);
        if (kind != FAIL_NONE)
            return kind;
        if (!entry_list_add(list, entry_pack(edge, vertex - 1)))
            return entry_list_fail(list, "the hyperedges of a hypergraph", scan->failure);
        list->stored++;
    }
    return kind;
}

/* A line of one number. */
static enum failure_kind read_vertex_weight(struct reader *reader, uint32_t vertex)
{
    (void)vertex;
    enum failure_kind kind = entry_list_skip_weight(reader->list, &reader->scan);
    if (kind == FAIL_NONE)
        kind = text_scan_blanks(&reader->scan);
    if (kind == FAIL_NONE && !text_scan_at_line_end(&reader->scan))
        kind = text_scan_fail(&reader->scan, "the end of the line after a vertex's weight");
    return kind;
}

/* `count` lines, each by `read`. */
static enum failure_kind read_lines(struct reader *reader, uint32_t count, const char *what,
                                    enum failure_kind (*read)(struct reader *, uint32_t))
{
    struct text_scan *scan = &reader->scan;
    for (uint32_t i = 0; i < count; i++) {
        bool found;
        enum failure_kind kind = text_scan_find(scan, &found);
        if (kind == FAIL_NONE && !found)
            kind =
                fail(scan->failure, FAIL_INPUT,
                     "%.300s:%llu: expected %lu lines of %s, found the end of the file after %lu",
                     scan->name, (unsigned long long)scan->line, (unsigned long)count, what,
                     (unsigned long)i);
        if (kind == FAIL_NONE)
            kind = read(reader, i);
        if (kind != FAIL_NONE)
            return kind;
    }
    return FAIL_NONE;
}

static enum failure_kind read_all(struct reader *reader)
{
    struct text_scan *scan = &reader->scan;
    enum failure_kind kind = read_header(reader);
    bool found = false;
    if (kind == FAIL_NONE)
        kind = read_lines(reader, reader->list->cols, "hyperedges", read_edge);
    if (kind == FAIL_NONE && reader->has_vertex_weights)
        kind = read_lines(reader, reader->list->rows, "vertex weights", read_vertex_weight);
    if (kind == FAIL_NONE)
        kind = text_scan_find(scan, &found);
    if (kind != FAIL_NONE || !found)
        return kind;
    char expected[80];
    snprintf(expected, sizeof expected, "the end of the file after %lu hyperedges%s",
             (unsigned long)reader->list->cols,
             reader->has_vertex_weights ? " and the vertices' weights" : "");
    return text_scan_fail(scan, expected);
}

enum failure_kind hypergraph_read(struct byte_source *source, struct entry_list *list,
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
