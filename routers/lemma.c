/* lemma.c - Lemma 1: packets of many destinations become packets of at most c.
 *
 * Packet i, of d_i destinations, becomes l_i = ceil(d_i / c) packets. A prefix sum of the l_i over
 * the whole mesh gives each packet its first position; the sum of all, at most 2 n because the d_i
 * add up to at most c n, shows every node whether a node has one position or two. Each packet is
 * routed to the node of its first position and copied over its segment. (The paper uses positions
 * modulo n; two neighbouring positions per node serve as well, and no segment wraps around the
 * mesh.)
 * Steps: rows + cols for the prefix, 2 (rows + cols) to route and a synchronisation, once more half
 * of that if packets are still under way, and rows + cols - 2 or d / c to broadcast, whichever is
 * less (twice that and 6 with unit copies). A second round has not been seen; an attempt gives up
 * after it.
 * Buffer: at most two packets per node at the end, O(1) measured under way.
 * Source: Lemma 1 of the paper; Step 2 of the t-migration (Proposition 3).
 */
#include "routers/lemma.h"

#include "machine/forward.h"
#include "primitives/prefix.h"
#include "primitives/segmented_broadcast.h"
#include "primitives/unicast_route.h"

#include <stdlib.h>

/* While a packet is routed header.state has its order of dimensions in the lowest bit, and above it
 * the number of its first position among its node's. */
struct lemma {
    struct routing *routing;
    struct headers *header;
    struct tessellation whole; /* one tile: the mesh */
    struct lemma_load load;
    uint32_t per_node;
    uint64_t *value, *total; /* [node]: l_i, then its first position; the sum of all */
};

static uint32_t packets_of(const struct lemma *lemma, uint32_t packet)
{
    return (packet - lemma->header->packet[packet].first) / lemma->load.block + 1;
}

/* Addresses the packets of each node to the nodes of their first positions. */
static void address(struct lemma *lemma)
{
    struct machine *machine = lemma->routing->machine;
    struct mesh mesh = lemma->routing->set->mesh;
    struct interval rows = {0, mesh.rows}, cols = {0, mesh.cols};
    uint64_t total = lemma->total[machine_nodes(machine).first]; /* the same at all */
    uint32_t per_node = 1 + (uint32_t)(total > 0 ? (total - 1) / mesh_nodes(mesh) : 0);
    lemma->per_node = per_node;
    for (struct resting at = resting_of(machine); resting_next(&at);) {
        uint64_t *position = &lemma->value[at.site.index];
        struct header *packet = &lemma->header->packet[at.packet];
        packet->target = snake_place(rows, cols, *position / per_node);
        packet->state = (uint8_t)((at.site.row + at.site.col) % 2 | (*position % per_node) << 1);
        *position += packets_of(lemma, at.packet);
    }
}

/* Finds the first position of each packet again, at the node of that position. */
static void find_positions(struct lemma *lemma)
{
    struct machine *machine = lemma->routing->machine;
    struct mesh mesh = lemma->routing->set->mesh;
    for (struct resting at = resting_of(machine); resting_next(&at);) {
        struct header *packet = &lemma->header->packet[at.packet];
        uint64_t first = snake_number(at.site.row, at.site.col, mesh.cols) * lemma->per_node;
        packet->target = (uint32_t)first + (packet->state >> 1);
        packet->state = 0;
    }
}

static enum failure_kind rank_packets(struct lemma *lemma, struct failure *failure)
{
    struct machine *machine = lemma->routing->machine;
    for (struct resting at = resting_of(machine); resting_next(&at);)
        lemma->value[at.site.index] += packets_of(lemma, at.packet);
    machine_begin_phase(machine, "rank pieces");
    struct prefix_items positions = {
        .operation = &prefix_sum, .count = 1, .value = lemma->value, .total = lemma->total};
    return prefix_snake(machine, &lemma->whole, &positions, failure);
}

enum { ROUNDS = 2, MOST_PER_NODE = 2 };

static uint64_t round_steps(struct mesh mesh, uint32_t round)
{
    return (round == 0 ? 2ull : 1ull) * (mesh.rows + mesh.cols);
}

/* Routes greedily in rounds of known lengths. FAIL_VOID: an attempt's last one was not enough,
 * which all nodes know. */
static enum failure_kind spread_packets(const struct lemma *lemma, struct failure *failure)
{
    const struct routing *routing = lemma->routing;
    struct machine *machine = routing->machine;
    struct routing_rule rule = unicast_rule(machine, false);
    enum failure_kind kind = FAIL_NONE;
    bool busy = true;
    for (uint32_t round = 0; kind == FAIL_NONE && busy; round++) {
        if (round == ROUNDS && routing->attempt != NULL)
            return FAIL_VOID;
        uint64_t steps = lemma->load.most_sent * round_steps(routing->set->mesh, round);
        machine_begin_phase(machine, "spread pieces");
        uint64_t end = machine_counts(machine)->steps + steps;
        kind = machine_forward(machine, &rule, round == 0, steps, failure);
        if (kind == FAIL_NONE)
            kind = synchronise(machine, end - machine_counts(machine)->steps, &busy, failure);
    }
    return kind;
}

static struct segments segments_of(const struct routing *routing, const struct tessellation *whole,
                                   uint32_t per_node)
{
    uint32_t congestion = routing->congestion;
    return (struct segments){.tiles = whole,
                             .per_node = per_node,
                             .longest = (routing->degree + congestion - 1) / congestion,
                             .block = congestion};
}

enum failure_kind lemma_steps(const struct routing *routing, struct lemma_length *length,
                              struct failure *failure)
{
    struct mesh mesh = routing->set->mesh;
    struct tessellation whole;
    uint64_t most = 0;
    if (tessellation_make(&whole, mesh, 1, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    for (uint32_t per_node = 1; per_node <= MOST_PER_NODE; per_node++) {
        struct segments segments = segments_of(routing, &whole, per_node);
        uint64_t steps = segmented_broadcast_steps(&segments, routing->options->copy_is_free);
        most = steps > most ? steps : most;
    }
    length->planned = prefix_snake_steps(&whole, 1, true) + round_steps(mesh, 0) + most;
    length->most = length->planned;
    for (uint32_t round = 1; round < ROUNDS; round++)
        length->most += round_steps(mesh, round);
    length->most_syncs = ROUNDS;
    tessellation_free(&whole);
    return FAIL_NONE;
}

static enum failure_kind split(struct lemma *lemma, struct failure *failure)
{
    struct machine *machine = lemma->routing->machine;
    enum failure_kind kind = rank_packets(lemma, failure);
    if (kind != FAIL_NONE)
        return kind;
    address(lemma);
    kind = spread_packets(lemma, failure);
    if (kind != FAIL_NONE)
        return kind;
    find_positions(lemma);
    struct segments segments = segments_of(lemma->routing, &lemma->whole, lemma->per_node);
    segments.block = lemma->load.block;
    return segmented_broadcast(machine, &segments, "copy pieces", failure);
}

enum failure_kind lemma_split(struct routing *routing, struct lemma_load load,
                              struct failure *failure)
{
    struct lemma lemma = {.routing = routing,
                          .header = machine_headers(routing->machine),
                          .load = load,
                          .per_node = 1};
    uint32_t nodes = mesh_nodes(routing->set->mesh);
    lemma.value = memory_allocate(nodes, sizeof *lemma.value);
    lemma.total = memory_allocate(nodes, sizeof *lemma.total);
    enum failure_kind kind = tessellation_make(&lemma.whole, routing->set->mesh, 1, failure);
    if (kind == FAIL_NONE && (lemma.value == NULL || lemma.total == NULL))
        kind = fail_memory(failure, "the ranks of Lemma 1");
    if (kind == FAIL_NONE)
        kind = split(&lemma, failure);
    tessellation_free(&lemma.whole);
    free(lemma.value);
    free(lemma.total);
    return kind;
}
