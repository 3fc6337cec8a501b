/* kernel_monotone.c - `meshcast kernel spread` and `kernel pack`: monotone routing along the snake.
 *
 * Input: in every tile of p nodes let F be the places to which the pattern sends the first p / 2
 * (rounded up) nodes of the snake, and f(i) the i-th place of F along the snake. Spread: the packet
 * of the snake's place i goes to f(i). Pack: that of f(i) goes to place i. Nodes that the load
 * leaves empty have no packet, and the others' targets stay the same.
 * Check: along the snake the i-th of the nodes with a packet holds the packet that was the i-th to
 * start, and these nodes are the targets; nothing is missing.
 * Cost of the check: 9 bytes per node.
 */
#include "machine/ranks/ranks.h"
#include "primitives/kernel_row.h"
#include "primitives/monotone.h"
#include "primitives/prefix.h"

#include <stdlib.h>

static const struct kernel_method METHODS[] = {
    {"monotone", "the order of rows and columns that keeps queues short: 2m - 2", 1, 1},
    {NULL, NULL, 0, 0},
};

/* Arrays of a number per node. */
struct own {
    node_index *all;     /* targets of the pattern with every node filled */
    node_index *filled;  /* MESH_NO_NODE at empty nodes */
    bool *is_far;        /* of F */
    uint32_t *packet_at; /* [node]: the packet's name, while checking */
    enum monotone_direction direction;
};

/* ---- the input ---- */

/* Each tile's injections are told together, because these are not in the order of names; within a tile they go
 * along the snake, whose rows are the ranks' in their order. */
static enum failure_kind inject_tile(struct kernel_case *run, const struct kernel_tile *tile,
                                     struct failure *failure)
{
    struct own *own = run->own;
    struct headers *header = machine_headers(run->machine);
    uint32_t nodes = tile->nodes, next = 0;
    for (uint32_t i = 0; i < (nodes + 1) / 2; i++)
        own->is_far[own->all[kernel_snake_node(run, tile, i)]] = true;
    for (uint32_t i = 0; i < nodes; i++) {
        node_index far = kernel_snake_node(run, tile, i), near = kernel_snake_node(run, tile, next);
        if (!own->is_far[far])
            continue;
        next++;
        bool spreads = own->direction == MONOTONE_SPREAD;
        node_index from = spreads ? near : far, to = spreads ? far : near;
        if (own->filled[from] == MESH_NO_NODE)
            continue;
        uint32_t packet = kernel_inject(run, from, from, from);
        if (packet != MACHINE_NONE)
            header->packet[packet].target = site_place(machine_site(run->machine, to));
    }
    return machine_end_injection(run->machine, failure);
}

static enum failure_kind own_make(struct kernel_case *run, struct failure *failure)
{
    struct own *own = memory_allocate(1, sizeof *own);
    run->own = own;
    if (own != NULL) {
        own->all = memory_allocate(run->nodes, sizeof *own->all);
        own->filled = memory_allocate(run->nodes, sizeof *own->filled);
        own->is_far = memory_allocate(run->nodes, sizeof *own->is_far);
        own->packet_at = memory_allocate(run->nodes, sizeof *own->packet_at);
    }
    if (own == NULL || !own->all || !own->filled || !own->is_far || !own->packet_at)
        return fail_memory(failure, "places along the snake");
    return FAIL_NONE;
}

static enum failure_kind prepare(struct kernel_case *run, enum monotone_direction direction,
                                 struct failure *failure)
{
    struct kernel_options full = *run->options;
    struct kernel_case all = *run;
    full.load = 100;
    all.options = &full;
    if (own_make(run, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    struct own *own = run->own;
    own->direction = direction;
    enum failure_kind kind = kernel_targets(&all, 0, own->all, failure);
    if (kind == FAIL_NONE)
        kind = kernel_targets(run, 0, own->filled, failure);
    if (kind == FAIL_NONE)
        kind = kernel_machine(run, run->nodes, kernel_own_nodes(run), failure);
    return kind == FAIL_NONE ? kernel_for_tiles(run, inject_tile, failure) : kind;
}

static enum failure_kind prepare_spread(struct kernel_case *run, struct failure *failure)
{
    return prepare(run, MONOTONE_SPREAD, failure);
}

static enum failure_kind prepare_pack(struct kernel_case *run, struct failure *failure)
{
    return prepare(run, MONOTONE_PACK, failure);
}

/* ---- the run and its check ---- */

static enum failure_kind route(struct kernel_case *run, struct failure *failure)
{
    enum monotone_direction direction = ((struct own *)run->own)->direction;
    return monotone_route(run->machine, &run->tiles, direction, "monotone", failure);
}

/* Both walks follow the snake: `from` over the nodes where packets start, `to` where they end. */
static enum failure_kind check_tile(struct kernel_case *run, const struct kernel_tile *tile,
                                    struct failure *failure)
{
    struct own *own = run->own;
    uint32_t nodes = tile->nodes, near = 0, far = 0;
    bool spreads = own->direction == MONOTONE_SPREAD;
    for (; near < (nodes + 1) / 2; near++, far++) {
        while (!own->is_far[kernel_snake_node(run, tile, far)])
            far++;
        node_index from = kernel_snake_node(run, tile, spreads ? near : far);
        node_index to = kernel_snake_node(run, tile, spreads ? far : near);
        uint32_t expected = own->filled[from] == MESH_NO_NODE ? MACHINE_NONE : from;
        if (kernel_has(run, to) && own->packet_at[to] != expected)
            return fail(failure, FAIL_CHECK,
                        "node %u, place %u of its tile's snake, does not hold what started at %u",
                        to, spreads ? far : near, from);
    }
    return FAIL_NONE;
}

static enum failure_kind check(struct kernel_case *run, struct failure *failure)
{
    struct own *own = run->own;
    uint64_t found = 0;
    enum failure_kind kind = FAIL_NONE;
    struct node_range nodes = machine_nodes(run->machine);
    for (node_index node = nodes.first; node < nodes.end; node++) {
        uint32_t packet = machine_first_resting(run->machine, node);
        own->packet_at[node] = packet == MACHINE_NONE
                                   ? MACHINE_NONE
                                   : packet_name(machine_headers(run->machine), packet);
        found += packet != MACHINE_NONE;
        if (packet != MACHINE_NONE && machine_next_resting(run->machine, packet) != MACHINE_NONE)
            kind = fail(failure, FAIL_CHECK, "node %u holds two packets", node);
    }
    if (machine_add_up(run->machine, &found, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    if (kind != FAIL_NONE)
        return kind;
    if (found != run->items)
        return fail(failure, FAIL_CHECK, "%llu of %llu packets are at rest",
                    (unsigned long long)found, (unsigned long long)run->items);
    return kernel_for_tiles(run, check_tile, failure);
}

static void release(struct kernel_case *run)
{
    struct own *own = run->own;
    if (own == NULL)
        return;
    free(own->all);
    free(own->filled);
    free(own->is_far);
    free(own->packet_at);
    free(own);
}

const struct kernel_row kernel_spread_row = {
    .shown = {"spread", "packets of the snake's first places move apart, their order kept",
              METHODS},
    .prepare = prepare_spread,
    .run = route,
    .check = check,
    .release = release,
};

const struct kernel_row kernel_pack_row = {
    .shown = {"pack", "scattered packets move to the snake's first places, their order kept",
              METHODS},
    .prepare = prepare_pack,
    .run = route,
    .check = check,
    .release = release,
};
