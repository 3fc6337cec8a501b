/* deal_plan.h - the merges of a sort by deals: blocks and slices of each merge, chosen by their
 * steps.
 *
 * Rows are paired: "cells" are two per node. Tiles are cut across into halves again and again, at
 * nodes: of n nodes the left half has ceil(n / 2). So each interval starts with the first cell of a
 * node, and only the last one of a tile may have an odd number of cells. The blocks of a merge are
 * intervals of such a depth, and so are its slices. Down, a tile is cut into any number of blocks
 * that differ by a row.
 */
#ifndef MESHCAST_PRIMITIVES_DEAL_PLAN_H
#define MESHCAST_PRIMITIVES_DEAL_PLAN_H

#include "base/failure.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    DEAL_DEPTHS = 17,
    DEAL_DIFFER = 128
}; /* halvings of MESH_MAX_SIDE down to single nodes, and one more */

/* An axis of the mesh cut into intervals. */
struct cuts {
    uint32_t intervals;
    uint32_t *cut;    /* [intervals + 1] */
    uint32_t longest; /* length of an interval */
};

/* The rows cut `depth` times. */
struct deal_depth {
    struct cuts cuts;
    uint32_t *width, widths; /* the different lengths of intervals */
    bool has_odd;            /* one has an odd number of cells */
    bool halves_alike;       /* each has two halves of as many cells */
    /* [D]: the steps that put slices of this depth in order after interleaving, along snakes, or,
     * if has_odd, along rows both times (deal_mend_steps) */
    uint32_t mend[DEAL_DIFFER + 1];
};

/* The merge of tiles of some height and depth: from down x 2^across blocks, in slices whose depth
 * is greater by `slices`. */
struct deal_choice {
    uint32_t down, across, slices;
    uint64_t steps; /* including those of the blocks */
};

struct deal_plan {
    uint32_t depths, heights;
    struct deal_depth depth[DEAL_DEPTHS];
    uint32_t *height;           /* [heights], ascending: the possible heights of nested cuts */
    struct deal_choice *choice; /* [heights][depths] */
};

/* Makes the plan for tiles of up to `height` rows, cut across as in `tiles`. The caller frees the
 * plan, also after a failure. FAIL_SYSTEM: no memory. */
enum failure_kind deal_plan_make(struct deal_plan *plan, uint32_t height, const struct cuts *tiles,
                                 struct failure *failure);
void deal_plan_free(struct deal_plan *plan);

const struct deal_choice *deal_choice_of(const struct deal_plan *plan, uint32_t height,
                                         uint32_t depth);

/* Returns D: the most zeros by which two columns of a merged tile can differ after the deal. */
uint32_t deal_differ(uint32_t down, uint32_t across);

/* Returns the left half of `width` cells. */
static inline uint32_t deal_left(uint32_t width)
{
    return (width + 3) / 4 * 2;
}

/* Returns the steps along rows that sort intervals of up to `longest` cells. */
static inline uint32_t deal_row_steps(uint32_t longest)
{
    return longest == 2 ? 0 : longest / 2;
}

/* Return the steps of a deal in tiles of a depth, into so many halvings of slices; and of
 * interleaving slices to intervals of a depth. */
uint32_t deal_deal_steps(const struct deal_plan *plan, uint32_t depth, uint32_t slices);
uint32_t deal_interleave_steps(const struct deal_plan *plan, uint32_t depth);

#endif
