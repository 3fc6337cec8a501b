/* kernel_route.c - `meshcast kernel route`: permutations and (k,k)-routing, by one of several
 * methods.
 *
 * Every node that holds packets sends k of them, copy i of the input to the node that the pattern's
 * i-th permutation names.
 * Check: each packet rests at the node to which the input sent it, and no packet is missing or
 * under way.
 * Cost: that of the method; 8 bytes per node of a rank, of which 4 are for each copy; while a tile
 * is drawn 4 bytes per node of it.
 */
#include "primitives/kernel_row.h"
#include "primitives/unicast_route.h"

/* ---- methods ---- */

enum { MOST_WAVES = 1024 }; /* each of them looks at all packets that wait */

/* Packets per node by which blocks are chosen: no fewer are possible, and no more are needed. */
enum { LEAST_PACKETS = 5, MOST_PACKETS = 12 };

enum { BLOCKS, SPREAD, GREEDY, METHODS };

static const struct kernel_method METHOD[METHODS + 1] = {
    [BLOCKS] = {"blocks",
                "blocks sorted, then rows, then columns: at most 3.2m, 12 packets (--buffer 8: 4m)",
                1, 1},
    [SPREAD] = {"spread", "random lines nearby, k waves: k m/2 + 2m, O(k) queues", 1, MOST_WAVES},
    [GREEDY] = {"greedy", "along rows and columns: 2m, queues of m/2 and more", 1, UINT32_MAX},
};

/* ---- the run ---- */

/* Input kept for the check, of nodes that are here. */
struct own {
    node_index *target; /* [node]: of the current copy, or MESH_NO_NODE */
    /* [copy][node]: the name of the packet that must end there, or MACHINE_NONE. */
    uint32_t *expected;
    uint32_t copy; /* the current one */
};

static void draw_tile(struct kernel_case *run, const struct kernel_tile *tile, void *context)
{
    struct own *own = context;
    uint32_t before = own->copy * run->nodes;
    for (uint32_t i = 0; i < tile->nodes; i++) {
        node_index node = kernel_tile_node(run, tile, i), to = tile->target[i];
        if (to != MESH_NO_NODE)
            to = kernel_tile_node(run, tile, to);
        if (kernel_has(run, node))
            own->target[node] = to;
        if (to != MESH_NO_NODE && kernel_has(run, to))
            own->expected[(size_t)before + to] = before + node;
    }
}

static enum failure_kind inject_copy(struct kernel_case *run, uint32_t copy,
                                     struct failure *failure)
{
    struct own *own = run->own;
    struct node_range nodes = kernel_nodes(run);
    own->copy = copy;
    for (node_index node = nodes.first; node < nodes.end; node++)
        own->expected[(size_t)copy * run->nodes + node] = MACHINE_NONE;
    enum failure_kind kind = kernel_each_tile(run, copy, draw_tile, own, failure);
    for (node_index node = nodes.first; kind == FAIL_NONE && node < nodes.end; node++) {
        if (own->target[node] == MESH_NO_NODE)
            continue;
        uint32_t name = copy * run->nodes + node, packet = kernel_inject(run, node, name, name);
        machine_headers(run->machine)->packet[packet].target =
            site_place(machine_site(run->machine, own->target[node]));
    }
    return kind;
}

static enum failure_kind prepare(struct kernel_case *run, struct failure *failure)
{
    uint32_t k = run->options->k;
    struct own *own = run->own;
    own->target = kernel_allocate(run, run->nodes, sizeof *own->target);
    own->expected = kernel_allocate(run, (size_t)run->nodes * k, sizeof *own->expected);
    if (run->lacks_memory)
        return fail_memory(failure, "the packets' targets");
    enum failure_kind kind =
        kernel_machine(run, run->nodes * k, kernel_own_nodes(run) * k, failure);
    for (uint32_t copy = 0; kind == FAIL_NONE && copy < k; copy++)
        kind = inject_copy(run, copy, failure);
    return kind;
}

static enum failure_kind route(struct kernel_case *run, struct failure *failure)
{
    struct unicast_plan plan = {
        .tiles = &run->tiles, .name = "route", .k = run->options->k, .seed = run->options->seed};
    if (run->method == SPREAD)
        return unicast_spread(run->machine, &plan, failure);
    if (run->method == GREEDY)
        return unicast_greedy(run->machine, &plan, failure);
    uint32_t buffer = run->options->buffer == 0 ? MOST_PACKETS : run->options->buffer;
    return unicast_blocks(run->machine, &plan,
                          max_u32(LEAST_PACKETS, min_u32(buffer, MOST_PACKETS)), failure);
}

static enum failure_kind check(struct kernel_case *run, struct failure *failure)
{
    const struct own *own = run->own;
    uint64_t found = 0;
    enum failure_kind kind = FAIL_NONE;
    for (struct resting at = resting_of(run->machine); resting_next(&at);) {
        uint32_t name = packet_name(machine_headers(run->machine), at.packet);
        found++;
        if (own->expected[name - name % run->nodes + (size_t)at.site.index] != name &&
            kind == FAIL_NONE)
            kind = fail(failure, FAIL_CHECK,
                        "node %u holds packet %u, which was to go from node %u to another one",
                        at.site.index, name, name % run->nodes);
    }
    if (machine_add_up(run->machine, &found, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    if (kind != FAIL_NONE)
        return kind;
    if (found != run->items)
        return fail(failure, FAIL_CHECK, "%llu of %llu packets are at their targets",
                    (unsigned long long)found, (unsigned long long)run->items);
    return FAIL_NONE;
}

const struct kernel_row kernel_route_row = {
    .shown = {"route", "permutation routing and (k,k)-routing: packets to their targets", METHOD},
    .own_bytes = sizeof(struct own),
    .prepare = prepare,
    .run = route,
    .check = check,
};
