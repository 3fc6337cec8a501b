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
    uint32_t *cut; /* [intervals + 1]: interval i is cut[i] .. cut[i+1]-1; the first is a longest */
    uint32_t *tile; /* [length]: the interval of a coordinate */
};

struct tessellation {
    struct axis row, col;
};

/* Halves the longer side of the tiles again and again (rows first when equal) until there are
 * `tiles` of them, rounded down to a power of two, or no interval can be halved. tiles >= 1. The
 * caller frees with tessellation_free, which a zeroed tessellation survives. */
enum failure_kind tessellation_make(struct tessellation *tessellation, struct mesh mesh,
                                    uint64_t tiles, struct failure *failure);
void tessellation_free(struct tessellation *tessellation);

/* The lengths and levels of what tessellation_make makes, without its tables. */
struct tessellation tessellation_numbers(struct mesh mesh, uint64_t tiles);

/* Cuts each tile into parts.rows x parts.cols, which differ by at most one row and one column; 1 .. the
 * sides of a smallest tile. Nothing is halved, as in a grid. The caller frees `finer`. FAIL_SYSTEM: no
 * memory. */
enum failure_kind tessellation_divide(const struct tessellation *tiles, struct mesh parts,
                                      struct tessellation *finer, struct failure *failure);

/* Cuts the mesh into rows x cols tiles, 1 .. the mesh's rows and columns, that differ by at most
 * one row and one column. Nothing is halved: axis_halves is not for these.
 * The caller frees. FAIL_SYSTEM: no memory. */
enum failure_kind tessellation_grid(struct tessellation *tessellation, struct mesh mesh,
                                    struct mesh tiles, struct failure *failure);

/* How many tiles there are. */
uint64_t tessellation_tiles(const struct tessellation *tessellation);

static inline uint32_t axis_intervals(const struct axis *axis)
{
    return axis->intervals;
}

/* The two halves into which halving number `level` (from 0) cuts the interval that holds
 * `coordinate`: start .. middle-1 and middle .. end-1. */
struct halves {
    uint32_t start, middle, end;
};
static inline struct halves axis_halves(const struct axis *axis, uint32_t coordinate,
                                        uint32_t level)
{
    uint32_t below = axis->levels - level; /* halvings from here on, at least 1 */
    uint32_t first = axis->tile[coordinate] >> below << below;
    return (struct halves){axis->cut[first], axis->cut[first + (1u << (below - 1))],
                           axis->cut[first + (1u << below)]};
}

#endif
