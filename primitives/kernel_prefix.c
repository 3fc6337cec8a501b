/* kernel_prefix.c - the kernel "prefix": k prefix computations in snake order, in every tile.
 *
 * Input: each loaded node puts a random number of 32 bits into each of the k computations (pcg32 of
 * the seed, stream = number of the computation), the rest put the identity. The pattern is not
 * used.
 * Check: a scan of each tile's snake in order, one node after another. Cost of the check: 16 bytes
 * per node and computation, 24 with totals.
 */
#include "base/pcg.h"
#include "primitives/kernel_row.h"
#include "primitives/prefix.h"

#include <string.h>

static const struct kernel_method METHODS[] = {
    {"sum", "sums, in 2m - 2 + k steps", 1, UINT32_MAX},
    {"total", "sums, and the tile's total to every node", 1, UINT32_MAX},
    {"max", "the largest item before the node", 1, UINT32_MAX},
    {NULL, NULL, 0, 0},
};

/* By the method's number. */
static const struct prefix_operator *const OPERATORS[] = {&prefix_sum, &prefix_sum, &prefix_max};
enum { METHOD_TOTAL = 1 };

enum { STREAM = 0x5eed };

struct own {
    uint64_t *put, *value, *total; /* [computation][node] */
};

/* Draws all items; nodes without a target put in the identity, and draw nevertheless. */
static void fill(struct kernel_case *run, const node_index *target)
{
    struct own *own = run->own;
    uint64_t identity = OPERATORS[run->method]->identity;
    for (uint32_t i = 0; i < run->options->k; i++) {
        struct pcg32 random = pcg32_seed(run->options->seed, STREAM + (uint64_t)i);
        for (node_index node = 0; node < run->nodes; node++) {
            uint64_t item = pcg32_next(&random);
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
    struct own *own = run->own;
    node_index *target = kernel_allocate(run, run->nodes, sizeof *target);
    own->put = kernel_allocate(run, items, sizeof *own->put);
    own->value = kernel_allocate(run, items, sizeof *own->value);
    if (run->method == METHOD_TOTAL)
        own->total = kernel_allocate(run, items, sizeof *own->total);
    if (run->lacks_memory)
        return fail_memory(failure, "the items of the prefix computations");
    enum failure_kind kind = kernel_targets(run, 0, target, failure);
    if (kind == FAIL_NONE)
        kind = kernel_machine(run, 0, 0, failure);
    if (kind == FAIL_NONE)
        fill(run, target);
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

/* Scans a tile for all computations: first the prefixes of each, then the totals. */
static enum failure_kind check_tile(struct kernel_case *run, const struct kernel_tile *tile,
                                    struct failure *failure)
{
    const struct own *own = run->own;
    const struct prefix_operator *operation = OPERATORS[run->method];
    uint64_t numbers = (uint64_t)tile->nodes * (own->total == NULL ? 1 : 2), before = 0;
    for (uint64_t i = 0; i < numbers * run->options->k; i++) {
        uint64_t computation = i / numbers, number = i % numbers;
        node_index node = kernel_snake_node(run, tile, (uint32_t)(number % tile->nodes));
        size_t at = computation * run->nodes + node;
        bool is_prefix = number < tile->nodes;
        const uint64_t found = is_prefix ? own->value[at] : own->total[at];
        before = number == 0 ? operation->identity : before;
        if (found != before && kernel_has(run, node))
            return fail(failure, FAIL_CHECK, "prefix %llu at row %u, column %u is %llu, not %llu",
                        (unsigned long long)computation, node / run->options->mesh.cols,
                        node % run->options->mesh.cols, (unsigned long long)found,
                        (unsigned long long)before);
        if (is_prefix)
            before = operation->combine(before, own->put[at]);
    }
    return FAIL_NONE;
}

static enum failure_kind check(struct kernel_case *run, struct failure *failure)
{
    return kernel_for_tiles(run, check_tile, failure);
}

const struct kernel_row kernel_prefix_row = {
    .shown = {"prefix", "prefix computations in snake order, k of them pipelined", METHODS},
    .own_bytes = sizeof(struct own),
    .prepare = prepare,
    .run = run_prefix,
    .check = check,
};
