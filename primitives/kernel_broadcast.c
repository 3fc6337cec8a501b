/* kernel_broadcast.c - the kernel "broadcast": copies of packets along segments of the snake.
 *
 * Input: in every tile the snake has k positions per node, and segments follow one another on them.
 * Let a segment start at position j of node v, and let copy j of the pattern send v to the node
 * with number i in the tile's snake. The segment then has floor(p / (1 + i)) of the tile's p
 * positions, or as many as are left. So under a random pattern lengths of L or more have
 * probability 1 / L, from one position to the whole tile; under `identity` a tile is one segment. A
 * segment whose first node the load leaves empty is left out. Its packet has a slot per position.
 * Check: on every position of a segment rests one copy, with one slot of that segment's packet;
 * elsewhere nothing.
 * Cost of the check: 5 bytes per position.
 */
#include "primitives/kernel_row.h"
#include "primitives/prefix.h"
#include "primitives/segmented_broadcast.h"

static const struct kernel_method METHODS[] = {
    {"trunk", "a trunk down a column, branches along the rows", 1, 1024},
    {NULL, NULL, 0, 0},
};

#define NO_SEGMENT UINT32_MAX

/* Slots are numbered tile after tile, by position: slot = the tile's first slot + position. */
struct own {
    node_index *all, *loaded; /* [copy][node]: targets with every node loaded, and under the load */
    uint32_t *start;          /* [slot]: the first slot of its segment */
    bool *seen;               /* [slot]: a copy rests at its position */
    uint32_t slots;           /* slots of packets that start at this rank's nodes */
    struct segments segments;
};

/* Returns the first slot of a tile, and its number of positions. */
static uint32_t first_slot(const struct kernel_case *run, const struct kernel_tile *tile)
{
    return tile->before * run->options->k;
}

static uint32_t positions_of(const struct kernel_case *run, const struct kernel_tile *tile)
{
    return tile->nodes * run->options->k;
}

static node_index node_of(const struct kernel_case *run, const struct kernel_tile *tile,
                          uint32_t position)
{
    return kernel_snake_node(run, tile, position / run->options->k);
}

/* Returns the number of positions of the segment that starts here; the tile may end before. */
static uint32_t length_at(const struct kernel_case *run, const struct kernel_tile *tile,
                          uint32_t position)
{
    const struct own *own = run->own;
    size_t copy = position % run->options->k;
    node_index target = own->all[copy * run->nodes + node_of(run, tile, position)];
    uint32_t row = target / run->options->mesh.cols - tile->rows.start;
    uint32_t col = target % run->options->mesh.cols - tile->cols.start;
    uint64_t number = snake_number(row, col, interval_length(tile->cols));
    uint64_t length = positions_of(run, tile) / (1 + number);
    uint64_t left = positions_of(run, tile) - position;
    return (uint32_t)(length == 0 ? 1 : length < left ? length : left);
}

/* Lays the segments of one tile. */
static enum failure_kind lay_segments(struct kernel_case *run, const struct kernel_tile *tile,
                                      struct failure *failure)
{
    struct own *own = run->own;
    (void)failure;
    for (uint32_t position = 0, length; position < positions_of(run, tile); position += length) {
        length = length_at(run, tile, position);
        node_index node = node_of(run, tile, position);
        uint32_t first = first_slot(run, tile) + position;
        bool is_there = own->loaded[node] != MESH_NO_NODE;
        for (uint32_t slot = first; slot < first + length; slot++)
            own->start[slot] = is_there ? first : NO_SEGMENT;
        own->slots += is_there && kernel_has(run, node) ? length : 0;
    }
    return FAIL_NONE;
}

/* Injects the packets of one tile. */
static enum failure_kind fill_tile(struct kernel_case *run, const struct kernel_tile *tile,
                                   struct failure *failure)
{
    struct own *own = run->own;
    (void)failure; /* kernel_inject() cannot fail */
    for (uint32_t position = 0, length; position < positions_of(run, tile); position += length) {
        length = length_at(run, tile, position);
        uint32_t first = first_slot(run, tile) + position, packet;
        if (own->start[first] == NO_SEGMENT)
            continue;
        packet = kernel_inject(run, node_of(run, tile, position), first, first + length - 1);
        if (packet != MACHINE_NONE)
            machine_headers(run->machine)->packet[packet].target = position;
    }
    return FAIL_NONE;
}

static enum failure_kind targets(struct kernel_case *run, struct failure *failure)
{
    struct own *own = run->own;
    struct kernel_options all_loaded = *run->options;
    struct kernel_case full = *run;
    all_loaded.load = 100;
    full.options = &all_loaded;
    enum failure_kind kind = kernel_targets(run, 0, own->loaded, failure);
    for (uint32_t copy = 0; copy < run->options->k && kind == FAIL_NONE; copy++)
        kind = kernel_targets(&full, copy, own->all + (size_t)copy * run->nodes, failure);
    return kind;
}

static enum failure_kind prepare(struct kernel_case *run, struct failure *failure)
{
    uint32_t slots = run->nodes * run->options->k;
    struct own *own = run->own;
    own->all = kernel_allocate(run, slots, sizeof *own->all);
    own->loaded = kernel_allocate(run, run->nodes, sizeof *own->loaded);
    own->start = kernel_allocate(run, slots, sizeof *own->start);
    own->seen = kernel_allocate(run, slots, sizeof *own->seen);
    own->segments =
        (struct segments){.tiles = &run->tiles, .per_node = run->options->k, .block = 1};
    if (run->lacks_memory)
        return fail_memory(failure, "the segments");
    enum failure_kind kind = targets(run, failure);
    if (kind == FAIL_NONE)
        kind = kernel_for_tiles(run, lay_segments, failure);
    if (kind == FAIL_NONE)
        kind = kernel_machine(run, slots, own->slots, failure);
    return kind == FAIL_NONE ? kernel_for_tiles(run, fill_tile, failure) : kind;
}

static enum failure_kind run_broadcast(struct kernel_case *run, struct failure *failure)
{
    const struct own *own = run->own;
    return segmented_broadcast(run->machine, &own->segments, "broadcast", failure);
}

static enum failure_kind wrong(const struct kernel_case *run, node_index node, const char *what,
                               struct failure *failure)
{
    struct site site = machine_site(run->machine, node);
    return fail(failure, FAIL_CHECK, "the node at row %u, column %u holds %s", site.row, site.col,
                what);
}

/* Checks the copies that rest at the node of the positions from `position` on. */
static enum failure_kind check_node(struct kernel_case *run, const struct kernel_tile *tile,
                                    uint32_t position, struct failure *failure)
{
    struct own *own = run->own;
    const struct headers *header = machine_headers(run->machine);
    node_index node = node_of(run, tile, position);
    for (uint32_t packet = machine_first_resting(run->machine, node); packet != MACHINE_NONE;
         packet = machine_next_resting(run->machine, packet)) {
        uint32_t at = header->packet[packet].target, slot = first_slot(run, tile) + at;
        if (header->packet[packet].first != packet)
            return wrong(run, node, "a packet that was not split", failure);
        if (at < position || at >= position + run->options->k || own->seen[slot])
            return wrong(run, node, "a copy too many", failure);
        if (own->start[slot] != own->start[packet_name(header, packet)])
            return wrong(run, node, "a copy of another segment", failure);
        own->seen[slot] = true;
    }
    for (uint32_t slot = first_slot(run, tile) + position;
         slot < first_slot(run, tile) + position + run->options->k; slot++)
        if (own->start[slot] != NO_SEGMENT && !own->seen[slot])
            return wrong(run, node, "too few copies", failure);
    return FAIL_NONE;
}

static enum failure_kind check_tile(struct kernel_case *run, const struct kernel_tile *tile,
                                    struct failure *failure)
{
    for (uint32_t at = 0; at < positions_of(run, tile); at += run->options->k)
        if (kernel_has(run, node_of(run, tile, at)) &&
            check_node(run, tile, at, failure) != FAIL_NONE)
            return FAIL_CHECK;
    return FAIL_NONE;
}

static enum failure_kind check(struct kernel_case *run, struct failure *failure)
{
    return kernel_for_tiles(run, check_tile, failure);
}

const struct kernel_row kernel_broadcast_row = {
    .shown = {"broadcast", "copies of packets along segments of the snake, k positions per node",
              METHODS},
    .own_bytes = sizeof(struct own),
    .prepare = prepare,
    .run = run_broadcast,
    .check = check,
};
