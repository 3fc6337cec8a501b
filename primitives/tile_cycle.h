/* tile_cycle.h - the Hamiltonian cycle of a tessellation's tiles, and relative positions that all
 * tiles have in common. Pure arithmetic, no communication. */
#ifndef MESHCAST_PRIMITIVES_TILE_CYCLE_H
#define MESHCAST_PRIMITIVES_TILE_CYCLE_H

#include "machine/machine.h"
#include "primitives/tessellation.h"

/* Each tile has height x width cells, the size of the largest one. The home of a cell (y, x) is the
 * node (y, x) of its tile, or, in a tile that is a row lower or a column narrower, at its last row
 * or column: so a node is the home of one cell, or of two, or at one corner of four. */
struct tile_cycle {
    const struct tessellation *tiles; /* must outlive the cycle */
    uint32_t count;                   /* tiles, and positions on the cycle */
    uint32_t height, width;           /* of the cells of a tile */
    uint32_t stride;    /* the most cells between the homes of neighbours on the cycle */
    bool is_even;       /* all tiles are equally large: one cell per node */
    uint32_t *tile;     /* [count]: at a position, row * (tiles across) + column */
    uint32_t *position; /* [count]: of a tile */
};

/* Makes the cycle of a grid of tiles with an even number of rows or of columns, or a single one.
 * Neighbours on the cycle are in one row or one column of tiles, side by side; if there is only one
 * row or column of tiles, at most two tiles apart (the paper's Fact 1). Any node finds its row of
 * these tables in O(1) from the sizes. FAIL_SYSTEM: no memory. The caller frees with
 * tile_cycle_free, for which a zeroed cycle is fine. */
enum failure_kind tile_cycle_make(struct tile_cycle *cycle, const struct tessellation *tiles,
                                  struct failure *failure);
void tile_cycle_free(struct tile_cycle *cycle);

/* Makes a cycle that turns in about half of the tiles or more, if the grid has an even number of
 * rows and of columns, at least four of each; otherwise the cycle of tile_cycle_make. */
enum failure_kind tile_cycle_make_turning(struct tile_cycle *cycle,
                                          const struct tessellation *tiles,
                                          struct failure *failure);

/* Returns the position on the cycle of a node's tile. */
uint32_t tile_cycle_position(const struct tile_cycle *cycle, node_place node);

/* A place for a walker in every tile: a cell that all tiles have, and one of two seats there.
 * Walkers go forward from the first seats of even y + x and the second ones of odd y + x, backward
 * from the rest (tile_cycle.c gives the reason). */
struct seat {
    node_place cell;
    bool is_second, goes_forward;
};

/* Returns the seat of a node: its own cell, first seat; the nodes of the last row or column of a
 * tile that is larger than others have second seats, spread over the tile's cells. One to one while
 * there are at least as many cells as such nodes, as in tiles with sides of 3 and more. */
struct seat tile_cycle_seat(const struct tile_cycle *cycle, node_place node);

/* Returns the first or the second seat whose home in its tile is `home`. */
struct seat tile_cycle_seat_at(const struct tile_cycle *cycle, node_place home, bool is_second);

/* Sets the excess of second seats over one walker per cell. FAIL_SYSTEM: no memory. */
enum failure_kind tile_cycle_excess(const struct tile_cycle *cycle, struct excess *excess,
                                    struct failure *failure);

/* Returns the home of a cell of the tile at `position`. */
node_place tile_cycle_home(const struct tile_cycle *cycle, uint32_t position, node_place cell);

/* Returns the position after `position`, forward or backward. */
static inline uint32_t tile_cycle_next(const struct tile_cycle *cycle, uint32_t position,
                                       bool forward)
{
    uint32_t last = cycle->count - 1;
    return forward ? (position == last ? 0 : position + 1) : (position == 0 ? last : position - 1);
}

/* Returns the number of tiles between `from` and `to` that way: 0 .. count-1. */
static inline uint32_t tile_cycle_distance(const struct tile_cycle *cycle, uint32_t from,
                                           uint32_t to, bool forward)
{
    uint32_t low = forward ? from : to, high = forward ? to : from;
    return high >= low ? high - low : high + cycle->count - low;
}

#endif
