/* topology_graph.c - graphs from edge lists, and the topology that a text names.
 *
 * Grammar: two node numbers per line, set apart by blanks or tabs; further columns are ignored.
 * Blank lines and lines that begin with # or % may stand anywhere. An edge may be given in both
 * directions and more than once.
 * Invariant: no number in the file decides how much memory is taken. Nodes 0 .. N-1 need N - 1
 * edges of the path 0, 1, 2, ..; with E edges one of the first E + 1 is missing if N - 1 > E. So
 * the first missing edge of the path is looked for among these, before anything is made for N
 * nodes.
 * Method: edges are dealt to both their ends, in the order of the file; then the lists of
 * neighbours are dealt once more, node by node, to those neighbours. A graph is its own transpose,
 * so this sorts every list, and equal neighbours meet.
 * Cost: O(nodes + edges) time, 24 bytes per edge and 20 per node while it is made.
 */
#include "base/numbers.h"
#include "base/suggestion.h"
#include "base/text_scan.h"
#include "network/topology/topology.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_EDGES = 1 << 28 };

struct edge {
    uint32_t node[2];
};

struct edges {
    struct edge *edge;
    size_t count, room;
    uint32_t last_node;
    struct byte_line line; /* the last one */
};

static enum failure_kind add_edge(struct edges *edges, struct edge edge, struct failure *failure)
{
    if (edges->count == MOST_EDGES)
        return fail(failure, FAIL_INPUT, "%s:%llu: expected at most %d edges, found one more",
                    edges->line.name, (unsigned long long)edges->line.number, MOST_EDGES);
    struct edge *grown = memory_grow(edges->edge, &edges->room, edges->count + 1, sizeof *grown);
    if (grown == NULL)
        return fail_memory(failure, "the edges of a graph");
    edges->edge = grown;
    edges->edge[edges->count++] = edge;
    for (int i = 0; i < 2; i++)
        if (edge.node[i] > edges->last_node)
            edges->last_node = edge.node[i];
    return FAIL_NONE;
}

/* Reads the edge of a line. */
static enum failure_kind read_edge(const struct byte_line *line, struct edge *edge,
                                   struct failure *failure)
{
    const char *at = line->text, *word = at;
    for (int i = 0; i < 2; i++) {
        uint64_t node;
        word = at;
        if (!scan_decimal(&at, line->end, &node) || node >= TOPOLOGY_MAX_NODES)
            return scan_expected(line, word, "a node from 0 to 67108863 (two per line: an edge)",
                                 failure);
        edge->node[i] = (uint32_t)node;
    }
    if (edge->node[0] == edge->node[1])
        return scan_expected(line, word, "an edge to another node", failure);
    return FAIL_NONE;
}

static enum failure_kind read_edges(struct byte_source *source, struct edges *edges,
                                    struct failure *failure)
{
    for (;;) {
        enum failure_kind kind = scan_content(source, "#%", &edges->line, failure);
        if (kind != FAIL_NONE)
            return kind;
        if (edges->line.text == NULL)
            break;
        struct edge edge;
        if ((kind = read_edge(&edges->line, &edge, failure)) != FAIL_NONE ||
            (kind = add_edge(edges, edge, failure)) != FAIL_NONE)
            return kind;
    }
    if (edges->count == 0)
        return fail(failure, FAIL_INPUT, "%s:%llu: expected an edge (two nodes), found %s",
                    edges->line.name,
                    (unsigned long long)edges->line.number + (edges->line.number == 0),
                    edges->line.number > 0 ? "no edges" : "an empty file");
    return FAIL_NONE;
}

static enum failure_kind check_path(const struct edges *edges, struct failure *failure)
{
    bool *is_joined = memory_allocate(edges->count + 1, sizeof *is_joined); /* i, to i + 1 */
    if (is_joined == NULL)
        return fail_memory(failure, "the edges of a graph");
    for (size_t i = 0; i < edges->count; i++) {
        uint32_t u = edges->edge[i].node[0], v = edges->edge[i].node[1], low = u < v ? u : v;
        if ((u + 1 == v || v + 1 == u) && low < edges->count)
            is_joined[low] = true;
    }
    size_t missing = 0;
    while (is_joined[missing])
        missing++;
    free(is_joined);
    if (missing >= edges->last_node)
        return FAIL_NONE;
    return fail(failure, FAIL_INPUT,
                "%s:%llu: expected an edge %zu %zu (the nodes 0, 1, 2, .. must be a path; relabel "
                "them), found none in the file",
                edges->line.name, (unsigned long long)edges->line.number, missing, missing + 1);
}

/* Turns counts at [v] into the first place of each. */
static void first_of_counts(uint64_t *count, uint32_t nodes)
{
    uint64_t total = 0;
    for (uint32_t v = 0; v <= nodes; v++) {
        uint64_t here = count[v];
        count[v] = total;
        total += here;
    }
}

/* Leaves each neighbour once; lists ascend. */
static void drop_repeats(struct topology *graph)
{
    uint64_t kept = 0, begin = 0;
    for (uint32_t v = 0; v < graph->nodes; v++) {
        uint64_t first = kept, end = graph->offset[v + 1];
        for (uint64_t i = begin; i < end; i++)
            if (kept == first || graph->neighbour[kept - 1] != graph->neighbour[i])
                graph->neighbour[kept++] = graph->neighbour[i];
        begin = end;
        graph->offset[v + 1] = kept;
        if (kept - first > graph->ports)
            graph->ports = (uint32_t)(kept - first);
    }
    graph->links = kept;
}

/* Fills offset and neighbour, which have room; `dealt` and `next` are room of as many elements. */
static void deal(struct topology *graph, const struct edges *edges, uint32_t *dealt, uint64_t *next)
{
    uint64_t *offset = graph->offset;
    for (size_t i = 0; i < edges->count; i++)
        for (int end = 0; end < 2; end++)
            offset[edges->edge[i].node[end]]++;
    first_of_counts(offset, graph->nodes);

    memcpy(next, offset, graph->nodes * sizeof *next);
    for (size_t i = 0; i < edges->count; i++)
        for (int end = 0; end < 2; end++)
            dealt[next[edges->edge[i].node[end]]++] = edges->edge[i].node[1 - end];

    memcpy(next, offset, graph->nodes * sizeof *next);
    for (uint32_t v = 0; v < graph->nodes; v++)
        for (uint64_t i = offset[v]; i < offset[v + 1]; i++)
            graph->neighbour[next[dealt[i]]++] = v;
    drop_repeats(graph);
}

static enum failure_kind make_graph(struct topology *graph, const struct edges *edges,
                                    struct failure *failure)
{
    uint32_t nodes = edges->last_node + 1;
    *graph = (struct topology){.shape = {.kind = TOPOLOGY_GRAPH, .dimensions = 1, .size = {nodes}},
                               .nodes = nodes};
    graph->offset = memory_allocate((size_t)nodes + 1, sizeof *graph->offset);
    graph->neighbour = memory_allocate(2 * edges->count, sizeof *graph->neighbour);
    uint32_t *dealt = memory_allocate(2 * edges->count, sizeof *dealt);
    uint64_t *next = memory_allocate(nodes, sizeof *next);
    bool has_memory =
        graph->offset != NULL && graph->neighbour != NULL && dealt != NULL && next != NULL;
    if (has_memory) {
        deal(graph, edges, dealt, next);
        has_memory = topology_find_levels(graph, NULL);
    }
    if (!has_memory)
        topology_free(graph);
    free(dealt);
    free(next);
    return has_memory ? FAIL_NONE : fail_memory(failure, "a graph");
}

/* Closes the source. */
static enum failure_kind read_graph(struct topology *graph, struct byte_source *source,
                                    struct failure *failure)
{
    struct edges edges = {0};
    enum failure_kind kind = read_edges(source, &edges, failure);
    if (kind == FAIL_NONE)
        kind = check_path(&edges, failure);
    if (kind == FAIL_NONE)
        kind = make_graph(graph, &edges, failure);
    free(edges.edge);
    byte_source_close(source);
    return kind;
}

enum failure_kind topology_read_graph(struct topology *topology, const char *path,
                                      struct failure *failure)
{
    struct byte_source *source;
    *topology = (struct topology){0};
    enum failure_kind kind = byte_source_open(&source, path, failure);
    return kind == FAIL_NONE ? read_graph(topology, source, failure) : kind;
}

enum failure_kind topology_read_graph_memory(struct topology *topology, const void *bytes,
                                             size_t length, const char *name,
                                             struct failure *failure)
{
    struct byte_source *source;
    *topology = (struct topology){0};
    enum failure_kind kind = byte_source_open_memory(&source, bytes, length, name, failure);
    return kind == FAIL_NONE ? read_graph(topology, source, failure) : kind;
}

const char *topology_text_file(const char *text)
{
    static const char kind[] = "graph:";
    bool is_graph = text != NULL && strncmp(text, kind, sizeof kind - 1) == 0;
    return is_graph ? text + sizeof kind - 1 : NULL;
}

uint64_t topology_hash(const struct topology *topology)
{
    uint64_t hash = FNV_BEGIN;
    for (uint32_t node = 0; node <= topology->nodes; node++)
        hash = fnv_add(hash, topology->offset[node]);
    for (uint64_t i = 0; i < topology->offset[topology->nodes]; i++)
        hash = fnv_add(hash, topology->neighbour[i]);
    return hash;
}

enum failure_kind topology_parse(struct topology *topology, const char *text,
                                 struct failure *failure)
{
    static const struct name_family kinds = {.singular = "topology",
                                             .plural = "topologies",
                                             .prefix = "",
                                             .name_at = name_of_array,
                                             .context = topology_kind_names};
    char word[16] = "";
    size_t length = strcspn(text, ":");
    uint32_t kind;
    struct shape shape;
    *topology = (struct topology){0};
    if (text[length] == '\0' && text[0] >= '0' && text[0] <= '9')
        return fail(failure, FAIL_USAGE, "expected a topology, such as mesh:%.40s, found '%.40s'",
                    text, text);
    memcpy(word, text, length < sizeof word ? length : sizeof word - 1);
    enum failure_kind found = name_family_find(&kinds, word, &kind, failure);
    if (found != FAIL_NONE)
        return found;
    const char *behind = text + length + (text[length] == ':');
    if (kind == TOPOLOGY_GRAPH && *behind != '\0')
        return topology_read_graph(topology, behind, failure);
    if (kind == TOPOLOGY_GRAPH)
        return fail(failure, FAIL_USAGE, "expected graph:FILE, an edge list, found '%.40s'", text);
    if (!shape_read_sizes(behind, (enum topology_kind)kind, &shape))
        return fail(failure, FAIL_USAGE,
                    "expected %s:SIZExSIZE.. with 1 to %d sizes of at most %d nodes, slowest "
                    "dimension first, found '%.40s'",
                    word, TOPOLOGY_DIMENSIONS, TOPOLOGY_MAX_NODES, text);
    *topology = topology_of_shape(&shape);
    return FAIL_NONE;
}
