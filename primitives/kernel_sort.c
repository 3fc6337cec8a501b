/* kernel_sort.c - the kernel "sort": a packet per node, into the snake order of each tile.
 *
 * Input: the key of a node's packet is the number, in the snake order of its tile, of the node to
 * which the pattern sends it. So `identity` is sorted before the first step and `reversal` is
 * backwards; a load below 100 leaves nodes without a packet, and unused keys.
 * Check: along each tile's snake are the keys of the input, ascending, each with its own packet;
 * then nothing. The host lists the keys of a tile by counting, not by comparing, when they are
 * drawn.
 * Cost: 8 bytes per node of the rank; 8 bytes per node of a tile, of which 4 only while it is
 * drawn.
 */
#include "primitives/kernel_row.h"
#include "primitives/prefix.h"
#include "primitives/sort.h"

static const struct kernel_method METHODS[] = {
    {"deal", "merges of many blocks, in at most 4.2m steps (powers of two) or 5.8m", 1, 1},
    {NULL, NULL, 0, 0},
};

#define NO_KEY UINT32_MAX

/* Input kept for the check, of nodes that are here. */
struct own {
    /* [node]: key of the packet that starts there, which has the node's number */
    uint32_t *key;
    uint32_t *expected; /* [node]: the name of the packet that must end there, or MACHINE_NONE */
    node_index *start;  /* [key of a tile]: start of its packet, in the current tile */
};

/* Keeps the keys of the nodes that are here, and the packets that must end there: along the snake
 * those of the keys, ascending. */
static void draw_tile(struct kernel_case *run, const struct kernel_tile *tile, void *context)
{
    struct own *own = context;
    for (uint32_t key = 0; key < tile->nodes; key++)
        own->start[key] = MESH_NO_NODE;
    for (uint32_t i = 0; i < tile->nodes; i++) {
        uint32_t to = tile->target[i], key = NO_KEY;
        node_index node = kernel_tile_node(run, tile, i);
        if (to != MESH_NO_NODE) {
            key = (uint32_t)snake_number(to / tile->width, to % tile->width, tile->width);
            own->start[key] = node;
        }
        if (kernel_has(run, node))
            own->key[node] = key;
    }
    for (uint32_t number = 0, key = 0; number < tile->nodes; number++, key++) {
        while (key < tile->nodes && own->start[key] == MESH_NO_NODE)
            key++;
        node_index node = kernel_snake_node(run, tile, number);
        if (kernel_has(run, node))
            own->expected[node] = key < tile->nodes ? own->start[key] : MACHINE_NONE;
    }
}

static enum failure_kind prepare(struct kernel_case *run, struct failure *failure)
{
    struct own *own = run->own;
    own->key = kernel_allocate(run, run->nodes, sizeof *own->key);
    own->expected = kernel_allocate(run, run->nodes, sizeof *own->expected);
    own->start = kernel_allocate(run, mesh_nodes(kernel_largest_tile(run)), sizeof *own->start);
    if (run->lacks_memory)
        return fail_memory(failure, "the keys");
    enum failure_kind kind = kernel_each_tile(run, 0, draw_tile, own, failure);
    if (kind == FAIL_NONE)
        kind = kernel_machine(run, run->nodes, kernel_own_nodes(run), failure);
    struct node_range nodes = kernel_nodes(run);
    for (node_index node = nodes.first; node < nodes.end && kind == FAIL_NONE; node++) {
        if (own->key[node] == NO_KEY)
            continue;
        uint32_t packet = kernel_inject(run, node, node, node);
        machine_headers(run->machine)->packet[packet].target = own->key[node];
    }
    return kind;
}

static enum failure_kind run_sort(struct kernel_case *run, struct failure *failure)
{
    struct sort_plan plan = {.tiles = &run->tiles};
    machine_begin_phase(run->machine, "sort");
    return sort_tiles(run->machine, &plan, failure);
}

static enum failure_kind check_tile(struct kernel_case *run, const struct kernel_tile *tile,
                                    struct failure *failure)
{
    const struct own *own = run->own;
    const struct headers *header = machine_headers(run->machine);
    for (uint32_t number = 0; number < tile->nodes; number++) {
        node_index node = kernel_snake_node(run, tile, number);
        if (!kernel_has(run, node))
            continue;
        uint32_t packet = machine_first_resting(run->machine, node);
        uint32_t name = packet == MACHINE_NONE ? MACHINE_NONE : packet_name(header, packet);
        uint32_t expected = own->expected[node], cols = run->options->mesh.cols;
        bool is_alone =
            packet == MACHINE_NONE || machine_next_resting(run->machine, packet) == MACHINE_NONE;
        if (name != expected || !is_alone)
            return fail(failure, FAIL_CHECK,
                        "the node at row %u, column %u, number %u in the snake of its tile, %s",
                        node / cols, node % cols, number,
                        expected == MACHINE_NONE ? "holds a packet although none is left for it"
                                                 : "does not hold exactly the packet of that rank");
    }
    return FAIL_NONE;
}

static enum failure_kind check(struct kernel_case *run, struct failure *failure)
{
    return kernel_for_tiles(run, check_tile, failure);
}

const struct kernel_row kernel_sort_row = {
    .shown = {.name = "sort",
              .summary = "sorts a packet per node into snake order",
              .methods = METHODS},
    .own_bytes = sizeof(struct own),
    .prepare = prepare,
    .run = run_sort,
    .check = check,
};
