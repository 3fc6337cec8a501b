/* tessellation.h - the mesh cut into tiles: nested halvings, or any grid. Pure arithmetic, no
 * communication.
 *
 * An axis of `length` coordinates is halved `levels` times, the first half getting the odd one, so
 * that its 2^levels intervals differ by at most one in length (the paper's footnotes 2 and 3: any
 * length, up to roundings). The tile of a coordinate, read as a binary number of `levels` digits,
 * is its path through the halvings, first halving first.
 */
#ifndef MESHCAST_PRIMITIVES_TESSELLATION_H
#define MESHCAST_PRIMITIVES_TESSELLATION_H

#include "base/failure.h"
#include "machine/mesh.h"

struct axis {
    uint32_t length, levels; /* levels: 0 for a grid */
    uint32_t intervals;
    uint32_t *cut;  /* [intervals + 1]: interval i is cut[i] .. cut[i+1]-1 */
    uint32_t *tile; /* [length]: the interval of a coordinate */
};

struct tessellation {
    struct axis row, col;
};

/* Every tile has at most so many more packets than nodes: at a node, in a row of the tile, in a
 * column, and in all of it; likewise in any part of a row, and in any rows together. All 0: no node
 * has two. */
struct excess {
    uint32_t at_node, in_row, in_col, in_tile;
};

/* Halves the longer side of the tiles again and again (rows first when equal) until there are
 * `tiles` of them, rounded down to a power of two, or no interval can be halved. tiles >= 1. The
 * caller frees with tessellation_free, for which a zeroed tessellation is fine. */
enum failure_kind tessellation_make(struct tessellation *tessellation, struct mesh mesh,
                                    uint64_t tiles, struct failure *failure);
void tessellation_free(struct tessellation *tessellation);

/* Returns the lengths and levels of tessellation_make's result, without its tables. */
struct tessellation tessellation_numbers(struct mesh mesh, uint64_t tiles);

/* Cuts each tile into parts.rows x parts.cols, which differ by at most one row and one column; 1 ..
 * the sides of a smallest tile. Nothing is halved, as in a grid. The caller frees `finer`.
 * FAIL_SYSTEM: no memory. */
enum failure_kind tessellation_divide(const struct tessellation *tiles, struct mesh parts,
                                      struct tessellation *finer, struct failure *failure);

/* Cuts the mesh into rows x cols tiles, 1 .. the mesh's rows and columns, that differ by at most
 * one row and one column. Nothing is halved. The caller frees. FAIL_SYSTEM: no memory. */
enum failure_kind tessellation_grid(struct tessellation *tessellation, struct mesh mesh,
                                    struct mesh tiles, struct failure *failure);

/* Returns the number of tiles. */
uint64_t tessellation_tiles(const struct tessellation *tessellation);

static inline uint32_t axis_intervals(const struct axis *axis)
{
    return axis->intervals;
}

/* The coordinates start .. end-1. */
struct interval {
    uint32_t start, end;
};

static inline struct interval axis_interval(const struct axis *axis, uint32_t i)
{
    return (struct interval){axis->cut[i], axis->cut[i + 1]};
}

/* Returns the interval that holds `coordinate`. */
static inline struct interval axis_interval_at(const struct axis *axis, uint32_t coordinate)
{
    return axis_interval(axis, axis->tile[coordinate]);
}

static inline uint32_t interval_length(struct interval interval)
{
    return interval.end - interval.start;
}

/* Return the length of a longest interval, and of a shortest one, which has as many coordinates or
 * one less. */
static inline uint32_t axis_longest(const struct axis *axis)
{
    return axis->cut[1];
}

static inline uint32_t axis_shortest(const struct axis *axis)
{
    return axis->length - axis->cut[axis->intervals - 1];
}

/* True if all intervals are equally long. */
static inline bool axis_is_even(const struct axis *axis)
{
    return axis_longest(axis) == axis_shortest(axis);
}

/* Returns the number of the block that holds (row, col) among those of its tile, row by row. Both
 * tessellations are of tessellation_make, and `blocks` has as many tiles or more. */
static inline uint32_t tessellation_block(const struct tessellation *tiles,
                                          const struct tessellation *blocks, uint32_t row,
                                          uint32_t col)
{
    uint32_t down = blocks->row.levels - tiles->row.levels;
    uint32_t across = blocks->col.levels - tiles->col.levels;
    uint32_t y = blocks->row.tile[row] & ((1u << down) - 1);
    uint32_t x = blocks->col.tile[col] & ((1u << across) - 1);
    return y << across | x;
}

/* Returns the place of a node within its tile. */
static inline node_place place_in_tile(const struct tessellation *tiles, node_place node)
{
    const struct axis *row = &tiles->row, *col = &tiles->col;
    uint32_t y = place_row(node), x = place_col(node);
    return place_of(y - row->cut[row->tile[y]], x - col->cut[col->tile[x]]);
}

#endif
