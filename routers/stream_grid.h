/* stream_grid.h - the tiles of the streaming router, and what follows from them alone. */
#ifndef MESHCAST_ROUTERS_STREAM_GRID_H
#define MESHCAST_ROUTERS_STREAM_GRID_H

#include "machine/mesh.h"
#include "primitives/tile_cycle.h"

/* Returns the grid of tiles for congestion c, at least min(c, n / 4) of them if possible: the one with the
 * shortest walk. It has a cycle (tile_cycle.h). */
struct mesh stream_grid(struct mesh mesh, uint32_t congestion);

/* Returns the legs of the walk past the tiles of that grid, and *steps becomes how long the walk is with free copies,
 * on a line of unequal tiles a step less per leg. */
uint32_t stream_grid_walk(struct mesh mesh, uint32_t congestion, uint64_t *steps);

/* Returns the steps of a leg, from one tile to the next: the stride, and what second seats add to it. */
uint32_t stream_leg(const struct tile_cycle *cycle);

/* Returns the most masters of a node, at rest and under way, at the end of any step: 1, 2, 4 or 6. */
uint32_t stream_masters(const struct tile_cycle *cycle);

#endif
