/* kernel_prefix.c - the kernel "prefix": k prefix computations in snake order, in every tile.
 *
 * Input: each node that the load leaves puts a random number of 32 bits into each of the k
 * computations (pcg32 of the seed, stream = number of the computation), the others the identity;
 * in segments every eighth node, at random, starts one. The pattern plays no part.
 * Check: a scan of each tile's snake in order, one node after another.
 * Cost of the check: 16 bytes per node and computation, 24 with totals.
 */
#include "base/pcg.h"
#include "primitives/kernel_row.h"
#include "primitives/prefix.h"

#include <stdlib.h>
#include <string.h>

static const struct kernel_method METHODS[] = {
    {"sum", "sums, in 2m - 2 + k steps", 1, UINT32_MAX},
    {"total", "sums, and the tile's total to every node", 1, UINT32_MAX},
    {"max", "the largest item before the node", 1, UINT32_MAX},
    {"segmented", "sums that begin anew at each segment's start", 1, UINT32_MAX},
    {"copy", "the item of the segment's first node", 1, UINT32_MAX},
    {NULL, NULL, 0, 0},
};

/* By number of the method. */
static const struct prefix_operator *const OPERATORS[] = {
    &prefix_sum, &prefix_sum, &prefix_max, &prefix_segmented_sum, &prefix_copy_first};
enum { METHOD_TOTAL = 1, METHOD_SEGMENTED = 3, METHOD_COPY = 4 };

enum { STREAM = 0x5eed, SEGMENT = 8 }; /* a node in eight starts a segment */

struct own {
    uint64_t *put, *value, *total; /* [computation][node] */
};

static uint64_t draw(struct pcg32 *random, uint32_t method)
{
    uint64_t item = pcg32_next(random);
    if (method < METHOD_SEGMENTED)
        return item;
    bool starts = pcg32_below(random, SEGMENT) == 0;
    if (method == METHOD_COPY && !starts)
        return 0;
    return starts ? item | PREFIX_START : item;
}

/* Draws all items; nodes without a target put in the identity, and draw all the same. */
static void fill(struct kernel_case *run, const node_index *target)
{
    struct own *own = run->own;
    uint64_t identity = OPERATORS[run->method]->identity;
    for (uint32_t i = 0; i < run->options->k; i++) {
        struct pcg32 random = pcg32_seed(run->options->seed, STREAM + (uint64_t)i);
        for (node_index node = 0; node < run->nodes; node++) {
            uint64_t item = draw(&random, run->method);
            bool is_there = target[node] != MESH_NO_NODE;
            own->put[(size_t)i * run->nodes + node] = is_there ? item : identity;
            run->items += is_there && kernel_has(run, node);
        }
    }
    memcpy(own->value, own->put, (size_t)run->nodes * run->options->k * sizeof *own->value);
}

static enum failure_kind prepare(struct kernel_case *run, struct failure *failure)
{
    size_t items = (size_t)run->nodes * run->options->k;
    struct own *own = run->own = memory_allocate(1, sizeof *own);
    node_index *target = memory_allocate(run->nodes, sizeof *target);
    enum failure_kind kind = FAIL_NONE;
    if (own != NULL) {
        own->put = memory_allocate(items, sizeof *own->put);
        own->value = memory_allocate(items, sizeof *own->value);
        if (run->method == METHOD_TOTAL)
            own->total = memory_allocate(items, sizeof *own->total);
    }
    if (own == NULL || target == NULL || own->put == NULL || own->value == NULL ||
        (run->method == METHOD_TOTAL && own->total == NULL))
        kind = fail_memory(failure, "the items of the prefix computations");
    if (kind == FAIL_NONE)
        kind = kernel_targets(run, 0, target, failure);
    if (kind == FAIL_NONE)
        kind = kernel_machine(run, 0, 0, failure);
    if (kind == FAIL_NONE)
        fill(run, target);
    free(target);
    return kind;
}

static enum failure_kind run_prefix(struct kernel_case *run, struct failure *failure)
{
    const struct own *own = run->own;
    struct prefix_items items = {.operation = OPERATORS[run->method],
                                 .count = run->options->k,
                                 .value = own->value,
                                 .total = own->total};
    machine_begin_phase(run->machine, "prefix");
    return prefix_snake(run->machine, &run->tiles, &items, failure);
}

/* Scans one tile for one computation: first its prefixes, then the totals. */
static enum failure_kind check_tile(const struct kernel_case *run, struct interval rows,
                                    struct interval cols, uint32_t computation,
                                    struct failure *failure)
{
    const struct own *own = run->own;
    const struct prefix_operator *operation = OPERATORS[run->method];
    size_t plane = (size_t)computation * run->nodes;
    uint64_t area = (uint64_t)interval_length(rows) * interval_length(cols);
    uint64_t before = operation->identity;
    for (uint64_t i = 0; i < 2 * area; i++) {
        if (i >= area && own->total == NULL)
            break;
        node_place place = snake_place(rows, cols, i % area);
        size_t at = plane + place_row(place) * run->options->mesh.cols + place_col(place);
        const uint64_t found = i < area ? own->value[at] : own->total[at];
        if (found != before && place_row(place) >= run->rows.first &&
            place_row(place) < run->rows.end)
            return fail(failure, FAIL_CHECK, "prefix %u at row %u, column %u is %llu, not %llu",
                        computation, place_row(place), place_col(place), (unsigned long long)found,
                        (unsigned long long)before);
        if (i < area)
            before = operation->combine(before, own->put[at]);
    }
    return FAIL_NONE;
}

static enum failure_kind check(struct kernel_case *run, struct failure *failure)
{
    const struct axis *row = &run->tiles.row, *col = &run->tiles.col;
    for (uint32_t i = 0; i < run->options->k; i++)
        for (uint32_t y = 0; y < axis_intervals(row); y++)
            for (uint32_t x = 0; x < axis_intervals(col); x++) {
                enum failure_kind kind =
                    check_tile(run, axis_interval(row, y), axis_interval(col, x), i, failure);
                if (kind != FAIL_NONE)
                    return kind;
            }
    return FAIL_NONE;
}

static void release(struct kernel_case *run)
{
    struct own *own = run->own;
    if (own == NULL)
        return;
    free(own->put);
    free(own->value);
    free(own->total);
    free(own);
}

const struct kernel_row kernel_prefix_row = {
    .shown = {"prefix", "prefix computations in snake order, k of them pipelined", METHODS},
    .prepare = prepare,
    .run = run_prefix,
    .check = check,
    .release = release,
};
