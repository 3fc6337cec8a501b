/* kernel_migrate.c - the kernel "migrate": k instances of the t-migration, in every tile.
 *
 * A tile is a region; t is its longer side rounded down to a power of two, as far as it can be cut,
 * so with side s a block has about s nodes. Input: one packet at each loaded node, with d = 4 k
 * destinations in its tile (fewer in tiles of fewer nodes). Number j is j floor(N / d) nodes after
 * the one to which the pattern sends the node in copy j, in the tile's cyclic row-major order,
 * where N is the tile's number of nodes. So every block is wanted by many more packets than it
 * accepts.
 * Check: ranks by a plain walk along each tile's snake. Every copy must rest at the node that its
 * rank gives and hold all destinations of its packet in its block; destinations that stay at a
 * packet's own node must be selected for no block; no destination may be lost.
 * Cost of the check: 16 bytes per destination.
 */
#include "primitives/kernel_row.h"
#include "primitives/migrate.h"
#include "primitives/prefix.h"

static const struct kernel_method METHODS[] = {
    {"literal", "Proposition 3: spread, copied along segments, routed by sorted blocks", 1, 64},
    {NULL, NULL, 0, 0},
};

/* Slots are numbered node by node: node v has the slots v * degree .. + degree - 1. */
struct own {
    uint32_t degree;
    node_index *target;      /* [node] */
    node_place *destination; /* [slot], before the run */
    uint32_t *block;         /* [slot]: the block's number in the mesh */
    uint64_t *rank;          /* [slot]: its packet's rank in the block */
    uint64_t *met;           /* [block of the mesh] */
};

struct tile {
    struct interval rows, cols;
    uint32_t width, area;
};

static struct tile tile_of(const struct tessellation *tiles, uint32_t row, uint32_t col)
{
    struct interval rows = axis_interval_at(&tiles->row, row);
    struct interval cols = axis_interval_at(&tiles->col, col);
    uint32_t width = interval_length(cols);
    return (struct tile){rows, cols, width, interval_length(rows) * width};
}

/* ---- input ---- */

/* Fills in destination number j of the packets of all nodes. */
static void fill(struct kernel_case *run, uint32_t j)
{
    struct own *own = run->own;
    uint32_t cols = run->options->mesh.cols;
    for (node_index node = 0; node < run->nodes; node++) {
        if (own->target[node] == MESH_NO_NODE)
            continue;
        struct tile tile = tile_of(&run->tiles, node / cols, node % cols);
        uint32_t row = own->target[node] / cols - tile.rows.start;
        uint32_t col = own->target[node] % cols - tile.cols.start;
        uint64_t number = (uint64_t)row * tile.width + col;
        number = (number + (uint64_t)j * (tile.area / own->degree)) % tile.area;
        own->destination[(size_t)node * own->degree + j] =
            place_of(tile.rows.start + (uint32_t)number / tile.width,
                     tile.cols.start + (uint32_t)number % tile.width);
    }
}

static enum failure_kind inject(struct kernel_case *run, struct failure *failure)
{
    struct own *own = run->own;
    struct headers *header = machine_headers(run->machine);
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t j = 0; j < own->degree && kind == FAIL_NONE; j++) {
        kind = kernel_targets(run, j, own->target, failure);
        if (kind == FAIL_NONE)
            fill(run, j);
    }
    for (node_index node = 0; node < run->nodes && kind == FAIL_NONE; node++) {
        uint32_t first = node * own->degree;
        if (own->target[node] == MESH_NO_NODE)
            continue;
        uint32_t packet = kernel_inject(run, node, first, first + own->degree - 1);
        for (uint32_t slot = first; slot < first + own->degree; slot++) {
            node_place place = own->destination[slot];
            if (packet != MACHINE_NONE)
                header->destination[header->packet[packet].first + slot - first] = place;
            uint32_t y = run->blocks.row.tile[place_row(place)];
            own->block[slot] =
                y * axis_intervals(&run->blocks.col) + run->blocks.col.tile[place_col(place)];
        }
    }
    return kind;
}

static enum failure_kind prepare(struct kernel_case *run, struct failure *failure)
{
    struct own *own = run->own;
    struct mesh tile = kernel_largest_tile(run);
    uint64_t side = tile.rows > tile.cols ? tile.rows : tile.cols, blocks = 1;
    while (2 * blocks <= side)
        blocks *= 2;
    if (tessellation_make(&run->blocks, run->options->mesh, run->options->tiles * blocks,
                          failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    uint32_t least = mesh_nodes(run->options->mesh);
    for (node_index node = 0; node < run->nodes; node++) {
        uint32_t cols = run->options->mesh.cols;
        uint32_t area = tile_of(&run->tiles, node / cols, node % cols).area;
        least = area < least ? area : least;
    }
    own->degree = 4 * run->options->k < least ? 4 * run->options->k : least;
    uint64_t slots = (uint64_t)own->degree * run->nodes;
    if (slots >= UINT32_MAX)
        return fail(failure, FAIL_USAGE, "k = %u is too much for so many nodes", run->options->k);
    own->target = kernel_allocate(run, run->nodes, sizeof *own->target);
    own->destination = kernel_allocate(run, slots, sizeof *own->destination);
    own->block = kernel_allocate(run, slots, sizeof *own->block);
    own->rank = kernel_allocate(run, slots, sizeof *own->rank);
    own->met = kernel_allocate(run, tessellation_tiles(&run->blocks), sizeof *own->met);
    if (run->lacks_memory)
        return fail_memory(failure, "the migration");
    enum failure_kind kind =
        kernel_machine(run, (uint32_t)slots, own->degree * kernel_own_nodes(run), failure);
    return kind == FAIL_NONE ? inject(run, failure) : kind;
}

static enum failure_kind run_migration(struct kernel_case *run, struct failure *failure)
{
    struct migration_plan plan = {
        .regions = &run->tiles, .blocks = &run->blocks, .instances = run->options->k};
    machine_begin_phase(run->machine, "migrate");
    return migrate(run->machine, &plan, failure);
}

/* ---- check ---- */

/* Ranks by a walk along the snake of a tile: own->met counts each block's packets so far. */
static enum failure_kind rank_tile(struct kernel_case *run, const struct kernel_tile *tile,
                                   struct failure *failure)
{
    const struct own *own = run->own;
    (void)failure;
    for (uint32_t number = 0; number < tile->nodes; number++) {
        node_index node = kernel_snake_node(run, tile, number);
        const uint32_t first = node * own->degree, end = first + own->degree;
        for (uint32_t slot = first; own->target[node] != MESH_NO_NODE && slot < end; slot++) {
            uint32_t before = first;
            while (own->block[before] != own->block[slot])
                before++;
            own->rank[slot] = before < slot ? own->rank[before] : own->met[own->block[slot]]++;
        }
    }
    return FAIL_NONE;
}

/* Returns the slot that `slot` of a packet from `source` was before the run. */
static uint32_t original_slot(const struct kernel_case *run, node_index source, uint32_t slot)
{
    const struct own *own = run->own;
    uint32_t before = source * own->degree, end = before + own->degree - 1;
    node_place place = machine_headers(run->machine)->destination[slot];
    while (before < end && own->destination[before] != place)
        before++;
    return before;
}

/* Returns the place where a copy with the original slot must be; MACHINE_NO_PLACE: it is not
 * selected. */
static node_place place_of_rank(const struct kernel_case *run, uint32_t slot)
{
    const struct own *own = run->own;
    struct tile block =
        tile_of(&run->blocks, place_row(own->destination[slot]), place_col(own->destination[slot]));
    if (own->rank[slot] / block.area >= run->options->k)
        return MACHINE_NO_PLACE;
    return snake_place(block.rows, block.cols, own->rank[slot] % block.area);
}

/* True if a packet that rests at `site` is right; adds its slots to *slots. */
static bool packet_is_right(const struct kernel_case *run, struct site site, uint32_t packet,
                            uint64_t *slots)
{
    const struct own *own = run->own;
    const struct headers *header = machine_headers(run->machine);
    node_index source = header->packet[packet].message % run->nodes;
    bool is_copy = header->packet[packet].state & MIGRATE_IS_COPY;
    uint32_t first = header->packet[packet].first, wanted = packet - first + 1;
    uint32_t original = original_slot(run, source, packet);
    *slots += wanted;
    for (uint32_t slot = first; slot <= packet; slot++) {
        uint32_t was = original_slot(run, source, slot);
        node_place place = place_of_rank(run, was);
        if (is_copy && place != site_place(site)) /* it is in one of its packet's blocks */
            return false;
        if (!is_copy && (place != MACHINE_NO_PLACE || source != site.index))
            return false;
    }
    if (!is_copy)
        return true;
    for (uint32_t j = 0; j < own->degree; j++)
        wanted -= own->block[source * own->degree + j] == own->block[original];
    return wanted == 0;
}

static enum failure_kind check(struct kernel_case *run, struct failure *failure)
{
    const struct own *own = run->own;
    uint64_t slots = 0;
    enum failure_kind kind = kernel_for_tiles(run, rank_tile, failure);
    for (struct resting at = resting_of(run->machine); resting_next(&at);)
        if (!packet_is_right(run, at.site, at.packet, &slots))
            kind = fail(failure, FAIL_CHECK,
                        "the node at row %u, column %u holds a packet that does not belong",
                        at.site.row, at.site.col);
    if (machine_add_up(run->machine, &slots, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    if (kind != FAIL_NONE)
        return kind;
    if (slots != run->items * own->degree)
        return fail(failure, FAIL_CHECK, "%llu destinations of %llu are left",
                    (unsigned long long)slots, (unsigned long long)(run->items * own->degree));
    return FAIL_NONE;
}

const struct kernel_row kernel_migrate_row = {
    .shown = {"migrate", "t-migration: copies into blocks, one per node; k instances", METHODS},
    .own_bytes = sizeof(struct own),
    .prepare = prepare,
    .run = run_migration,
    .check = check,
};
