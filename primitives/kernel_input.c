/* kernel_input.c - what the rows of the table of kernels start from: machine, targets, packets.
 *
 * Each tile gets its own permutation of its own size, and each copy of the input of k packets a
 * node another one, drawn from (seed, copy, tile) where the pattern is a random one.
 * Which nodes are left empty is drawn from (seed, node) alone: the nodes that hold packets at some
 * load hold the same ones at every greater load, so two runs of neighbouring loads differ in what
 * starts at a few nodes and in nothing else. Locality is tested by that.
 *
 * Cost: O(n) time a copy, 4 bytes a node of the largest tile.
 */
#include "primitives/kernel_row.h"

#include "base/parallel.h"
#include "base/pcg.h"
#include "base/ranks.h"
#include "workloads/permutation.h"

#include <stdlib.h>

enum { STREAM_TILE = 0x6b65726e, STREAM_LOAD };

struct mesh kernel_largest_tile(const struct kernel_case *run)
{
    return (struct mesh){axis_longest(&run->tiles.row), axis_longest(&run->tiles.col)};
}

/* What no run of the table takes, so that one that goes on forever ends: kernels take some m, the
 * longer side, times log m at most, and as many as there are packets or values where all go over one
 * link. The factors here are far above that. */
static uint64_t most_steps(const struct kernel_options *options)
{
    enum { FACTOR = 1 << 14, OF_ALL = 16 };
    struct mesh mesh = options->mesh;
    uint64_t items = (uint64_t)mesh_nodes(mesh) * (options->k + 1);
    return FACTOR * ((uint64_t)mesh.rows + mesh.cols) + OF_ALL * items;
}

uint64_t kernel_machine_footprint(const struct kernel_case *run, uint64_t slots, unsigned uses)
{
    const struct kernel_options *options = run->options;
    struct machine_needs needs = {
        .mesh = options->mesh,
        .slots = slots,
        .threads =
            parallel_threads_for(mesh_nodes(options->mesh), options->mesh.rows, options->threads),
        .uses = uses,
        .is_observed = options->trace != NULL};
    return machine_footprint(&needs);
}

bool kernel_has(const struct kernel_case *run, node_index node)
{
    uint32_t row = node / run->options->mesh.cols;
    return row >= run->first_row && row < run->end_row;
}

uint32_t kernel_own_nodes(const struct kernel_case *run)
{
    return (run->end_row - run->first_row) * run->options->mesh.cols;
}

enum failure_kind kernel_machine(struct kernel_case *run, uint32_t slots, uint32_t own,
                                 struct failure *failure)
{
    const struct kernel_options *options = run->options;
    struct machine_config config = {
        .mesh = options->mesh,
        .slots = slots,
        .has_names = ranks_size(options->ranks) > 1,
        .ranks = options->ranks,
        .own_slots = own,
        .buffer = options->buffer,
        .copy_is_free = options->copy_is_free,
        .most_steps = most_steps(options),
        .threads =
            parallel_threads_for(mesh_nodes(options->mesh), options->mesh.rows, options->threads),
        .trace = options->trace,
        .kernel = run->kernel->name,
        .progress = options->progress,
        .progress_context = options->progress_context,
        .interrupt = options->interrupt,
    };
    run->machine = machine_create(&config, failure);
    return run->machine == NULL ? FAIL_SYSTEM : FAIL_NONE;
}

/* A seed of its own for each copy of each tile. */
static uint64_t tile_seed(uint64_t seed, uint64_t number)
{
    uint64_t high = pcg32_at(seed, STREAM_TILE, 2 * number);
    return high << 32 | pcg32_at(seed, STREAM_TILE, 2 * number + 1);
}

static bool holds_packets(const struct kernel_options *options, node_index node)
{
    return pcg32_at(options->seed, STREAM_LOAD, node) % 100 < options->load;
}

/* Fills the tile of rows and columns `row` and `col` of the tessellation; `inner` has room for the
 * permutation of a tile. */
static enum failure_kind tile_targets(const struct kernel_case *run, uint32_t copy, uint32_t row,
                                      uint32_t col, node_index *inner, node_index *target,
                                      struct failure *failure)
{
    const uint32_t *row_cut = run->tiles.row.cut + row, *col_cut = run->tiles.col.cut + col;
    struct mesh tile = {row_cut[1] - row_cut[0], col_cut[1] - col_cut[0]};
    uint64_t number = (uint64_t)row * axis_intervals(&run->tiles.col) + col;
    uint64_t seed = tile_seed(run->options->seed, copy * tessellation_tiles(&run->tiles) + number);
    if (permutation_fill(run->options->pattern, tile, seed, inner, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    uint32_t cols = run->options->mesh.cols;
    for (uint32_t i = 0; i < mesh_nodes(tile); i++) {
        node_index node = (row_cut[0] + i / tile.cols) * cols + col_cut[0] + i % tile.cols;
        target[node] = MESH_NO_NODE;
        if (holds_packets(run->options, node))
            target[node] =
                (row_cut[0] + inner[i] / tile.cols) * cols + col_cut[0] + inner[i] % tile.cols;
    }
    return FAIL_NONE;
}

enum failure_kind kernel_targets(const struct kernel_case *run, uint32_t copy, node_index *target,
                                 struct failure *failure)
{
    struct mesh largest = kernel_largest_tile(run);
    node_index *inner = memory_allocate(mesh_nodes(largest), sizeof *inner);
    enum failure_kind kind = inner != NULL ? FAIL_NONE : fail_memory(failure, "a permutation");
    for (uint32_t row = 0; row < axis_intervals(&run->tiles.row); row++)
        for (uint32_t col = 0; kind == FAIL_NONE && col < axis_intervals(&run->tiles.col); col++)
            kind = tile_targets(run, copy, row, col, inner, target, failure);
    free(inner);
    return kind;
}

/* Gives slots to a packet, and returns the first. Alone a slot's name is its number. */
static uint32_t take_slots(struct kernel_case *run, uint32_t first, uint32_t last)
{
    struct headers *header = machine_headers(run->machine);
    if (header->name == NULL)
        return first;
    uint32_t slot = run->slots;
    for (uint32_t name = first; name <= last; name++)
        header_name_slot(header, run->slots++, name);
    return slot;
}

uint32_t kernel_inject(struct kernel_case *run, node_index node, uint32_t first, uint32_t last)
{
    struct headers *header = machine_headers(run->machine);
    if (!kernel_has(run, node))
        return MACHINE_NONE;
    uint32_t message = run->injected[node]++ * mesh_nodes(run->options->mesh) + node;
    last -= first;
    first = take_slots(run, first, first + last);
    last += first;
    for (uint32_t slot = first; slot <= last; slot++) {
        header->destination[slot] = MACHINE_NO_PLACE;
        header->packet[slot].message = message;
    }
    header->packet[last].first = first;
    run->items++;
    machine_inject(run->machine, node, last);
    return last;
}
