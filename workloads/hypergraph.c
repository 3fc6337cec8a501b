/* hypergraph.c - hypergraphs in the format of hMETIS, KaHyPar and others, and in that of PaToH.
 *
 * Grammar of hMETIS: a line EDGES VERTICES [FORMAT]; a line per hyperedge, of its vertices, counted
 * from 1; if FORMAT is 1 or 11 each has the hyperedge's weight before it, if it is 10 or 11 a line
 * with a vertex's weight follows for each vertex. Of PaToH: a line BASE VERTICES EDGES PINS
 * [WEIGHTS [CONSTRAINTS]]; the same lines of hyperedges, PINS numbers in all, counted from BASE,
 * with a weight before if WEIGHTS is 2 or 3; then CONSTRAINTS weights for each vertex if it is 1 or
 * 3, in any lines. Blank lines are ignored, and % begins a comment. A hyperedge's weight is that of
 * all its entries if weights are kept; vertices' weights are left out. A METIS graph under another
 * name is found by its lines, which name each other.
 * Invariant: no size in the file determines the use of memory; only the content that is read does.
 * Lines may have any length.
 * Source: Karypis and Kumar, hMETIS, A Hypergraph Partitioning Package, version 1.5.3 (1998),
 * Section 3.1; Catalyurek and Aykanat, PaToH: Partitioning Tool for Hypergraphs, version 3.2
 * (2011), Section 5.1.
 * Cost: one look at each byte; 8 bytes per vertex of a hyperedge, 4 per hyperedge.
 */
#include "workloads/import_formats.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_CONSTRAINTS = 64 };

struct reader {
    struct text_scan scan;
    struct entry_list *list;
    bool has_edge_weights, has_vertex_weights;
    uint32_t constraints; /* weights per vertex */
    struct twin_sum twins;
    bool is_no_graph; /* a weighted graph of METIS would have two numbers per neighbour */
};

/* Passes the end of the header's line. */
static enum failure_kind end_header(struct reader *reader, const char *expected)
{
    enum failure_kind kind = text_scan_blanks(&reader->scan);
    if (kind == FAIL_NONE && !text_scan_at_line_end(&reader->scan))
        kind = text_scan_fail(&reader->scan, expected);
    reader->list->items = reader->list->rows;
    return kind;
}

/* Reads a number of the header if there is one more. */
static enum failure_kind read_optional(struct reader *reader, const char *what, uint32_t least,
                                       uint32_t most, uint32_t *number)
{
    enum failure_kind kind = text_scan_blanks(&reader->scan);
    if (kind == FAIL_NONE && !text_scan_at_line_end(&reader->scan))
        kind = text_scan_number(&reader->scan, what, least, most, number);
    return kind;
}

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
        kind = read_optional(reader, "a format of 0, 1, 10 or 11,", 0, 11, &format);
    if (kind == FAIL_NONE && format % 10 > 1)
        kind = text_scan_refuse(scan,
                                "expected a format of 0, 1, 10 or 11, found %u (the header of "
                                "PaToH? --format patoh)",
                                format);
    reader->has_edge_weights = format % 10 == 1;
    reader->has_vertex_weights = format >= 10;
    reader->constraints = 1;
    return kind == FAIL_NONE ? end_header(reader, "the end of the line after the format (a header "
                                                  "of PaToH needs --format patoh)")
                             : kind;
}

static enum failure_kind read_patoh_header(struct reader *reader, uint32_t *pins)
{
    struct text_scan *scan = &reader->scan;
    struct entry_list *list = reader->list;
    uint32_t weights = 0, base = 0;
    bool found;
    enum failure_kind kind = text_scan_find(scan, &found);
    if (kind == FAIL_NONE)
        kind = text_scan_number(scan, "the number of the first vertex,", 0, 1, &base);
    if (kind == FAIL_NONE)
        kind = text_scan_number(scan, "a number of vertices", 1, ENTRY_MAX_SIDE, &list->rows);
    if (kind == FAIL_NONE)
        kind = text_scan_number(scan, "a number of hyperedges", 1, ENTRY_MAX_SIDE, &list->cols);
    if (kind == FAIL_NONE)
        kind = text_scan_number(scan, "a number of pins", 0, UINT32_MAX, pins);
    if (kind == FAIL_NONE)
        kind = read_optional(reader, "a weighting scheme", 0, 3, &weights);
    reader->constraints = 1;
    list->reading.counts_from_zero = base == 0;
    if (kind == FAIL_NONE)
        kind = read_optional(reader, "a number of constraints", 1, MOST_CONSTRAINTS,
                             &reader->constraints);
    reader->has_edge_weights = weights >= 2;
    reader->has_vertex_weights = weights % 2 == 1;
    reader->is_no_graph = true;
    return kind == FAIL_NONE ? end_header(reader, "the end of the header's line") : kind;
}

/* Reads the weight before a hyperedge: in a weighted graph of METIS, a neighbour. */
static enum failure_kind read_edge_weight(struct reader *reader, uint32_t edge)
{
    struct text_scan *scan = &reader->scan;
    uint64_t number = 0;
    enum failure_kind kind = text_scan_blanks(scan);
    for (const unsigned char *c = scan->at; *c >= '0' && *c <= '9' && number < UINT32_MAX; c++)
        number = 10 * number + (uint64_t)(*c - '0');
    twin_sum_add(&reader->twins, edge, (uint32_t)number - 1);
    return kind == FAIL_NONE ? entry_list_read_weight(reader->list, scan) : kind;
}

/* True if lines so far could be those of a METIS graph, whose vertices are not their own
 * neighbours. */
static inline bool could_be_graph(const struct reader *reader)
{
    return !reader->is_no_graph && reader->twins.loops == 0;
}

/* Reads the line in which the scan is. */
static enum failure_kind read_edge(struct reader *reader, uint32_t edge)
{
    struct text_scan *scan = &reader->scan;
    struct entry_list *list = reader->list;
    uint32_t vertex = 0, count = reader->has_edge_weights;
    enum failure_kind kind = count > 0 ? read_edge_weight(reader, edge) : FAIL_NONE;
    if (kind == FAIL_NONE)
        kind = text_scan_blanks(scan);
    if (kind == FAIL_NONE)
        kind = entry_list_read_vertex(list, scan, "a vertex", &vertex);
    if (kind != FAIL_NONE)
        return kind;
    if (!entry_list_set_source(list, edge, vertex))
        return fail_memory(scan->failure, "the hyperedges of a hypergraph");
    if (!reader->has_edge_weights)
        twin_sum_add(&reader->twins, edge, vertex);
    while ((kind = text_scan_blanks(scan)) == FAIL_NONE && !text_scan_at_line_end(scan)) {
        if ((kind = entry_list_read_vertex(list, scan, "a vertex", &vertex)) != FAIL_NONE ||
            (kind = entry_list_store(list, edge, vertex, false, "the hyperedges of a hypergraph",
                                     scan->failure)) != FAIL_NONE)
            return kind;
        if (could_be_graph(reader) && (!reader->has_edge_weights || count++ % 2 == 1))
            twin_sum_add(&reader->twins, edge, vertex);
    }
    reader->is_no_graph |= reader->has_edge_weights && count % 2 == 0;
    return kind;
}

/* Reads a line of one number. */
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

/* Reads PaToH's weights of a vertex, in any lines. */
static enum failure_kind read_cell_weights(struct reader *reader, uint32_t vertex)
{
    (void)vertex;
    bool found;
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t i = 0; i < reader->constraints && kind == FAIL_NONE; i++)
        if ((kind = text_scan_find(&reader->scan, &found)) == FAIL_NONE)
            kind = entry_list_skip_weight(reader->list, &reader->scan);
    return kind;
}

/* Reads `count` lines, each by `read`. */
static enum failure_kind read_lines(struct reader *reader, uint32_t count, const char *what,
                                    enum failure_kind (*read)(struct reader *, uint32_t))
{
    struct text_scan *scan = &reader->scan;
    for (uint32_t i = 0; i < count; i++) {
        bool found;
        enum failure_kind kind = text_scan_find(scan, &found);
        if (kind == FAIL_NONE && !found)
            kind = text_scan_refuse(scan,
                                    "expected %u lines of %s, found the end of the file after %u",
                                    count, what, i);
        if (kind == FAIL_NONE)
            kind = read(reader, i);
        if (kind != FAIL_NONE)
            return kind;
    }
    return FAIL_NONE;
}

static enum failure_kind expect_end(struct reader *reader)
{
    bool found;
    enum failure_kind kind = text_scan_find(&reader->scan, &found);
    if (kind != FAIL_NONE || !found)
        return kind;
    char expected[80];
    snprintf(expected, sizeof expected, "the end of the file after %u hyperedges%s",
             reader->list->cols, reader->has_vertex_weights ? " and the vertices' weights" : "");
    return text_scan_fail(&reader->scan, expected);
}

/* Fails, or notes it if the format was given, if the lines are those of a METIS graph: two numbers
 * per edge, the second number of the header, each naming the other line. */
static enum failure_kind judge_twins(struct reader *reader)
{
    const struct twin_sum *twins = &reader->twins;
    struct entry_list *list = reader->list;
    if (!could_be_graph(reader) || twins->sum != 0 || twins->pairs != 2 * (uint64_t)list->rows)
        return FAIL_NONE;
    if (!list->reading.is_format_given)
        return text_scan_refuse(&reader->scan,
                                "expected a hypergraph, found lines that name each other as those "
                                "of a METIS graph; say --format graph or --format hgr");
    import_note(&list->notes, "lines name each other as those of a METIS graph (--format graph)");
    return FAIL_NONE;
}

static enum failure_kind read_hmetis(struct reader *reader)
{
    enum failure_kind kind = read_header(reader);
    if (kind == FAIL_NONE)
        kind = read_lines(reader, reader->list->cols, "hyperedges", read_edge);
    if (kind == FAIL_NONE && reader->has_vertex_weights)
        kind = read_lines(reader, reader->list->rows, "vertex weights", read_vertex_weight);
    if (kind == FAIL_NONE)
        kind = expect_end(reader);
    return kind == FAIL_NONE && !reader->has_vertex_weights ? judge_twins(reader) : kind;
}

static enum failure_kind read_patoh(struct reader *reader)
{
    uint32_t pins = 0;
    enum failure_kind kind = read_patoh_header(reader, &pins);
    if (kind == FAIL_NONE)
        kind = read_lines(reader, reader->list->cols, "hyperedges", read_edge);
    uint64_t found = reader->list->stored + reader->list->cols; /* with the sources */
    if (kind == FAIL_NONE && found != pins)
        kind = text_scan_refuse(&reader->scan, "expected the %u pins of the header, found %" PRIu64,
                                pins, found);
    if (kind == FAIL_NONE && reader->has_vertex_weights)
        kind = read_lines(reader, reader->list->rows, "vertex weights", read_cell_weights);
    return kind == FAIL_NONE ? expect_end(reader) : kind;
}

static enum failure_kind read_by(enum failure_kind (*read)(struct reader *),
                                 struct byte_source *source, struct entry_list *list,
                                 struct failure *failure)
{
    struct reader reader = {.list = list};
    enum failure_kind kind =
        text_scan_open(&reader.scan, source, '%', byte_source_name(source), failure);
    if (kind == FAIL_NONE)
        kind = read(&reader);
    text_scan_close(&reader.scan);
    return kind;
}

enum failure_kind hypergraph_read(struct byte_source *source, struct entry_list *list,
                                  struct failure *failure)
{
    return read_by(read_hmetis, source, list, failure);
}

enum failure_kind patoh_read(struct byte_source *source, struct entry_list *list,
                             struct failure *failure)
{
    return read_by(read_patoh, source, list, failure);
}
