/* fuzz_broken.c - the reader of what a mesh lacks against any bytes.
 *
 * For libFuzzer: LLVMFuzzerTestOneInput. Behind the head (test/fuzz/faults.h) come lines for a
 * torus of 3 x 4 nodes or, with FUZZ_OWN, a mesh of 4 x 4. What the reader takes must be neighbour
 * lists of what is whole, with parts and levels; what it refuses must leave the topology whole, and
 * be refused with FAIL_INPUT and one printable line, or with FAIL_SYSTEM where a call failed.
 */
#include "network/topology/topology.h"
#include "test/fuzz/faults.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_node(const struct topology *whole, const struct topology *broken, uint32_t node)
{
    bool is_dead = broken->part[node] == TOPOLOGY_NO_NODE;
    fuzz_require(!is_dead || topology_degree(broken, node) == 0);
    fuzz_require(is_dead || broken->part[node] <= node);
    fuzz_require(is_dead ||
                 (broken->level[TOPOLOGY_LEAST_NODE][node] == 0) == (broken->part[node] == node));
    for (uint32_t port = 0; port < topology_node_ports(broken, node); port++) {
        uint32_t neighbour = topology_neighbour(broken, node, port);
        fuzz_require(topology_port_to(whole, node, neighbour) != UINT32_MAX);
        fuzz_require(topology_port_to(broken, node, neighbour) == port);
        fuzz_require(broken->part[neighbour] != TOPOLOGY_NO_NODE);
        fuzz_require(topology_distance(broken, node, neighbour) == 1);
    }
}

/* Fails unless the list has missing links, as many as are missing, by their senders. */
static void check_missing(const struct topology *whole, const struct topology *broken)
{
    uint64_t *link = topology_list_missing(broken);
    fuzz_require(link != NULL);
    for (uint64_t i = 0; i < broken->missing_links; i++) {
        uint32_t from = (uint32_t)(link[i] >> 32), to = (uint32_t)link[i];
        fuzz_require(i == 0 || link[i - 1] >> 32 <= from);
        fuzz_require(topology_port_to(whole, from, to) != UINT32_MAX);
        fuzz_require(topology_port_to(broken, from, to) == UINT32_MAX);
    }
    free(link);
}

static void check_broken(const struct topology *whole, const struct topology *broken)
{
    fuzz_require(shape_equals(&whole->shape, &broken->shape) && broken->nodes == whole->nodes);
    fuzz_require(broken->main_nodes >= 2 && broken->links >= 2);
    for (uint32_t node = 0; node < broken->nodes; node++)
        check_node(whole, broken, node);
    check_missing(whole, broken);
    fuzz_require(topology_is_main(broken, broken->main_part));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct topology whole, topology;
    struct failure failure = {0};
    enum failure_kind kind;
    unsigned flags;
    if (!fuzz_begin(&bytes, &length, &flags))
        return 0;
    topology_parse(&whole, flags & FUZZ_OWN ? "mesh:4x4" : "torus:3x4", NULL);
    topology = whole;
    const char *path = fuzz_serve("input", bytes, length, flags);
    if (flags & FUZZ_FILE)
        kind = topology_break(&topology, path, &failure);
    else
        kind = topology_break_memory(&topology, bytes, length, "input", &failure);
    bool has_struck = fuzz_end();
    if (kind != FAIL_NONE) {
        fuzz_require_failure(kind, &failure, has_struck);
        fuzz_require(!topology_is_broken(&topology));
    } else if (topology_is_broken(&topology)) {
        check_broken(&whole, &topology);
    }
    topology_free(&topology);
    return 0;
}
