/* prefix.h - prefix computations in snake order, pipelined, in all tiles of a tessellation at once.
 */
#ifndef MESHCAST_PRIMITIVES_PREFIX_H
#define MESHCAST_PRIMITIVES_PREFIX_H

#include "machine/machine.h"
#include "primitives/tessellation.h"

/* An associative operator on words of 64 bits. It need not commute and needs no inverse: `before`
 * always precedes `after` in the snake. combine(identity, x) = combine(x, identity) = x. */
struct prefix_operator {
    uint64_t identity;
    uint64_t (*combine)(uint64_t before, uint64_t after);
};

/* Ready-made operators. */
extern const struct prefix_operator prefix_sum; /* modulo 2^64 */
extern const struct prefix_operator prefix_max;

/* `count` prefix computations by one operation. */
struct prefix_items {
    const struct prefix_operator *operation;
    uint32_t count; /* at least 1 */
    /* value[item * nodes + node]: the node's input, and then the combination of the inputs of the
     * nodes before it in the tile's snake (the identity at the first node). */
    uint64_t *value;
    /* total[item * nodes + node] receives the combination of all of the tile; NULL: not wanted. */
    uint64_t *total;
};

/* Runs them in each tile. A tile's snake runs along its first row from west to east, the second
 * from east to west, and so on.
 * Steps, a function of the sizes only, for tiles of at most h rows and w columns:
 *     without totals  2 floor(w / 2) + h - 1 + count - 1: 2 m - 2 + count at most on side m
 *     with totals     2 floor(w / 2) + 2 floor(h / 2) + count - 1
 * FAIL_SYSTEM: no memory. */
enum failure_kind prefix_snake(struct machine *machine, const struct tessellation *tessellation,
                               const struct prefix_items *items, struct failure *failure);

uint64_t prefix_snake_steps(const struct tessellation *tessellation, uint32_t count,
                            bool has_totals);

/* Returns the number of a node in the snake order of a mesh of `cols` columns: the inverse of
 * snake_place for the whole mesh. */
static inline uint64_t snake_number(uint32_t row, uint32_t col, uint32_t cols)
{
    return (uint64_t)row * cols + (row % 2 == 0 ? col : cols - 1 - col);
}

/* Returns the place of the node with number `rank` in the snake order of the tile with these first
 * and end coordinates. */
node_place snake_place(struct interval rows, struct interval cols, uint64_t rank);

#endif
