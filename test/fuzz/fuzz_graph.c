/* fuzz_graph.c - the reader of graphs against any bytes.
 *
 * For libFuzzer: LLVMFuzzerTestOneInput. Behind the head (test/fuzz/faults.h; FUZZ_OWN: the bytes
 * are a topology's text instead of a file) comes an edge list, compressed or not. What the reader
 * takes must be a graph on the path 0, 1, 2, .. with ports that lead back; what it refuses must be
 * refused with FAIL_INPUT and one printable line that names the line, or with FAIL_SYSTEM where a
 * call failed.
 */
#include "network/topology/topology.h"
#include "test/fuzz/faults.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { MOST_INFLATION = 1 << 20, TEXT_SIZE = 64 };

static void check_node(const struct topology *graph, uint32_t node)
{
    uint32_t before = 0;
    for (uint32_t port = 0; port < topology_node_ports(graph, node); port++) {
        uint32_t neighbour = topology_neighbour(graph, node, port);
        fuzz_require(neighbour < graph->nodes && neighbour != node);
        fuzz_require(port == 0 || before < neighbour);
        fuzz_require(topology_port_to(graph, node, neighbour) == port);
        fuzz_require(topology_port_to(graph, neighbour, node) != UINT32_MAX);
        fuzz_require(topology_link_from(graph, topology_link(graph, node, port)) == node);
        before = neighbour;
    }
    fuzz_require(topology_degree(graph, node) <= graph->ports);
    fuzz_require(node == 0 || topology_port_to(graph, node, node - 1) != UINT32_MAX);
}

static void check_graph(const struct topology *graph, size_t length)
{
    fuzz_require(shape_is_valid(&graph->shape) && shape_nodes(&graph->shape) == graph->nodes);
    fuzz_require(graph->nodes >= 2 &&
                 4 * (uint64_t)(graph->nodes - 1) <= length * MOST_INFLATION + 4);
    for (uint32_t node = 0; node < graph->nodes; node++)
        check_node(graph, node);
    fuzz_require(topology_hash(graph) == topology_hash(graph));
    uint32_t hops = topology_distance(graph, 0, graph->nodes - 1);
    fuzz_require(hops >= 1 && hops < graph->nodes);
    fuzz_require(topology_distance(graph, graph->nodes - 1, 0) == hops);
}

/* Any words after --topology, but for files. */
static void check_text(const uint8_t *bytes, size_t length)
{
    char text[TEXT_SIZE] = "", again[TOPOLOGY_TEXT_SIZE];
    struct topology topology, other;
    struct failure failure = {0};
    memcpy(text, bytes, length < TEXT_SIZE ? length : TEXT_SIZE - 1);
    bool is_graph = strncmp(text, "graph:", 6) == 0;
    fuzz_require((topology_text_file(text) != NULL) == is_graph);
    if (is_graph)
        return;
    enum failure_kind kind = topology_parse(&topology, text, &failure);
    if (kind != FAIL_NONE) {
        fuzz_require(kind == FAIL_USAGE);
        fuzz_require_failure(kind, &failure, false);
        return;
    }
    shape_text(&topology.shape, again);
    fuzz_require(topology_parse(&other, again, NULL) == FAIL_NONE);
    fuzz_require(shape_equals(&topology.shape, &other.shape));
    uint32_t last = topology.nodes - 1;
    fuzz_require(topology_label(&topology, last) <= last);
    fuzz_require(topology_distance(&topology, 0, last) == topology_distance(&topology, last, 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct topology graph;
    struct failure failure = {0};
    enum failure_kind kind;
    unsigned flags;
    if (!fuzz_begin(&bytes, &length, &flags))
        return 0;
    if (flags & FUZZ_OWN) {
        check_text(bytes, length);
        return 0;
    }
    const char *path = fuzz_serve("input", bytes, length, flags);
    if (flags & FUZZ_FILE)
        kind = topology_read_graph(&graph, path, &failure);
    else
        kind = topology_read_graph_memory(&graph, bytes, length, "input", &failure);
    bool has_struck = fuzz_end();
    if (kind == FAIL_NONE)
        check_graph(&graph, length);
    else
        fuzz_require_failure(kind, &failure, has_struck);
    topology_free(&graph);
    return 0;
}
