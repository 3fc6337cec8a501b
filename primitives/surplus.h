/* surplus.h - packets of a tile beyond one a node. */
#ifndef MESHCAST_PRIMITIVES_SURPLUS_H
#define MESHCAST_PRIMITIVES_SURPLUS_H

#include <stdint.h>

/* In every tile there are at most so many packets more than nodes: at a node, in a row of the tile, in a column,
 * and in all of it; so too in any part of a row, and in any rows together. All 0: no node has two. */
struct surplus {
    uint32_t at_node, in_row, in_col, in_tile;
};

#endif
