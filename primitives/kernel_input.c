/* kernel_input.c - the inputs of the rows of the table of kernels: machine, targets, packets.
 *
 * Each tile gets its own permutation of its own size, and each copy of the input of k packets per
 * node another one, drawn from (seed, copy, tile) if the pattern is a random one. The nodes left
 * empty are drawn only from (seed, node): nodes that hold packets at some load hold the same ones
 * at every greater load. So two runs of neighbouring loads differ only in the packets of a few
 * nodes. Locality is tested by that.
 *
 * Cost: O(n) time per copy, 4 bytes per node of the largest tile.
 */
#include "primitives/kernel_row.h"

#include "base/parallel.h"
#include "base/pcg.h"
#include "machine/ranks/ranks.h"
#include "primitives/prefix.h"
#include "workloads/permutation.h"

#include <assert.h>
#include <stdlib.h>

enum { STREAM_TILE = 0x6b65726e, STREAM_LOAD };

struct mesh kernel_largest_tile(const struct kernel_case *run)
{
    return (struct mesh){axis_longest(&run->tiles.row), axis_longest(&run->tiles.col)};
}

/* Returns a step limit that no correct kernel reaches, which ends endless runs: kernels need some
 * m, the longer side, times log m at most, and as many as there are packets or values if all cross
 * one link. The factors here are far above that. */
static uint64_t most_steps(const struct kernel_options *options)
{
    enum { FACTOR = 1 << 14, OF_ALL = 16 };
    struct mesh mesh = options->mesh;
    uint64_t items = (uint64_t)mesh_nodes(mesh) * (options->k + 1);
    return FACTOR * ((uint64_t)mesh.rows + mesh.cols) + OF_ALL * items;
}

void *kernel_allocate(struct kernel_case *run, size_t count, size_t size)
{
    void *array = memory_allocate(count, size);
    assert(run->arrays < KERNEL_ARRAYS);
    run->lacks_memory |= array == NULL;
    run->array[run->arrays++] = array;
    return array;
}

uint32_t kernel_own_nodes(const struct kernel_case *run)
{
    return (run->rows.end - run->rows.first) * run->options->mesh.cols;
}

enum failure_kind kernel_machine(struct kernel_case *run, uint32_t slots, uint32_t own,
                                 struct failure *failure)
{
    const struct kernel_options *options = run->options;
    uint32_t wanted =
        parallel_threads_for(kernel_own_nodes(run), options->mesh.rows, options->threads);
    struct machine_config config = {
        .mesh = options->mesh,
        .slots = slots,
        .ranks = options->ranks,
        .own_slots = own,
        .buffer = options->buffer,
        .copy_is_free = options->copy_is_free,
        .most_steps = most_steps(options),
        .threads = parallel_begin(wanted),
        .trace = options->trace,
        .kernel = run->kernel->name,
        .progress = options->progress,
        .progress_context = options->progress_context,
        .interrupt = options->interrupt,
    };
    run->threads_refused = wanted - config.threads;
    run->machine = machine_create(&config, failure);
    return run->machine == NULL ? FAIL_SYSTEM : FAIL_NONE;
}

/* Returns a seed of its own for each copy of each tile. */
static uint64_t tile_seed(uint64_t seed, uint64_t number)
{
    uint64_t high = pcg32_at(seed, STREAM_TILE, 2 * number);
    return high << 32 | pcg32_at(seed, STREAM_TILE, 2 * number + 1);
}

static bool holds_packets(const struct kernel_options *options, node_index node)
{
    return pcg32_at(options->seed, STREAM_LOAD, node) % 100 < options->load;
}

/* Sets all but the targets of the tile of rows and columns `row` and `col` of the tessellation. */
static void lay_tile(const struct kernel_case *run, uint32_t row, uint32_t col,
                     struct kernel_tile *tile)
{
    tile->rows = axis_interval(&run->tiles.row, row);
    tile->cols = axis_interval(&run->tiles.col, col);
    tile->width = interval_length(tile->cols);
    tile->nodes = interval_length(tile->rows) * tile->width;
}

node_index kernel_snake_node(const struct kernel_case *run, const struct kernel_tile *tile,
                             uint32_t number)
{
    return mesh_index(run->options->mesh, snake_place(tile->rows, tile->cols, number));
}

enum failure_kind kernel_for_tiles(struct kernel_case *run,
                                   enum failure_kind (*act)(struct kernel_case *run,
                                                            const struct kernel_tile *tile,
                                                            struct failure *failure),
                                   struct failure *failure)
{
    struct kernel_tile tile = {.before = 0};
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t row = 0; row < axis_intervals(&run->tiles.row); row++)
        for (uint32_t col = 0; kind == FAIL_NONE && col < axis_intervals(&run->tiles.col); col++) {
            lay_tile(run, row, col, &tile);
            kind = act(run, &tile, failure);
            tile.before += tile.nodes;
        }
    return kind;
}

/* Draws the tile of rows and columns `row` and `col` of the tessellation. */
static enum failure_kind draw_tile(const struct kernel_case *run, uint32_t copy, uint32_t row,
                                   uint32_t col, struct kernel_tile *tile, struct failure *failure)
{
    uint64_t number = (uint64_t)row * axis_intervals(&run->tiles.col) + col;
    uint64_t seed = tile_seed(run->options->seed, copy * tessellation_tiles(&run->tiles) + number);
    lay_tile(run, row, col, tile);
    struct mesh mesh = {interval_length(tile->rows), tile->width};
    if (permutation_fill(run->options->pattern, mesh, seed, tile->target, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    for (uint32_t i = 0; run->options->load < 100 && i < tile->nodes; i++)
        if (!holds_packets(run->options, kernel_tile_node(run, tile, i)))
            tile->target[i] = MESH_NO_NODE;
    return FAIL_NONE;
}

/* Draws all tiles, or those that have rows of this rank. */
static enum failure_kind each_tile(struct kernel_case *run, uint32_t copy, bool takes_all,
                                   kernel_tile_visit *visit, void *context, struct failure *failure)
{
    const struct axis *rows = &run->tiles.row;
    struct kernel_tile tile = {
        .target = memory_allocate(mesh_nodes(kernel_largest_tile(run)), sizeof *tile.target)};
    enum failure_kind kind =
        tile.target != NULL ? FAIL_NONE : fail_memory(failure, "a permutation");
    for (uint32_t row = 0; row < axis_intervals(rows); row++) {
        if (!takes_all && (axis_interval(rows, row).end <= run->rows.first ||
                           axis_interval(rows, row).start >= run->rows.end))
            continue;
        for (uint32_t col = 0; kind == FAIL_NONE && col < axis_intervals(&run->tiles.col); col++) {
            kind = draw_tile(run, copy, row, col, &tile, failure);
            if (kind == FAIL_NONE)
                visit(run, &tile, context);
        }
    }
    free(tile.target);
    return kind;
}

enum failure_kind kernel_each_tile(struct kernel_case *run, uint32_t copy, kernel_tile_visit *visit,
                                   void *context, struct failure *failure)
{
    return each_tile(run, copy, false, visit, context, failure);
}

static void fill_targets(struct kernel_case *run, const struct kernel_tile *tile, void *context)
{
    node_index *target = context;
    for (uint32_t i = 0; i < tile->nodes; i++)
        target[kernel_tile_node(run, tile, i)] = tile->target[i] == MESH_NO_NODE
                                                     ? MESH_NO_NODE
                                                     : kernel_tile_node(run, tile, tile->target[i]);
}

enum failure_kind kernel_targets(struct kernel_case *run, uint32_t copy, node_index *target,
                                 struct failure *failure)
{
    return each_tile(run, copy, true, fill_targets, target, failure);
}

/* Gives slots to a packet, and returns the first. Without ranks a slot's name is its number. */
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
