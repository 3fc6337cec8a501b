/* prefix.h - prefix sums in snake order, pipelined, in all tiles of a tessellation at once. */
#ifndef MESHCAST_PRIMITIVES_PREFIX_H
#define MESHCAST_PRIMITIVES_PREFIX_H

#include "machine/machine.h"
#include "primitives/tessellation.h"

/* In each tile, for each of `count` sums: value[sum * nodes + node] holds what the node puts in
 * (0 .. 2^32-1) and receives the sum of what the nodes before it in the tile's snake order put in;
 * total[sum * nodes + node] receives the tile's sum. The tile's snake order runs along its first
 * row from west to east, the second from east to west, and so on. Sums must stay below 2^32.
 * Steps: 2 max(arm) + 2 h - 2 + count - 1 for tiles of h rows, where the arm is half of the tile's
 * columns: about w + 2 h + count, a function of the sizes alone. FAIL_SYSTEM: no memory. */
enum failure_kind prefix_snake(struct machine *machine, const struct tessellation *tessellation,
                               uint32_t count, uint32_t *value, uint32_t *total,
                               struct failure *failure);

/* The number of a node in the snake order of a mesh of `cols` columns: the inverse of snake_place
 * for the whole mesh. */
static inline uint64_t snake_number(uint32_t row, uint32_t col, uint32_t cols)
{
    return (uint64_t)row * cols + (row % 2 == 0 ? col : cols - 1 - col);
}

/* The place of the node with number `rank` in the snake order of the tile with these first and
 * end coordinates. */
node_place snake_place(struct halves rows, struct halves cols, uint64_t rank);

#endif
