/* random_sizes.h - the numbers of phases, tiles and blocks of router `random`, for c <= n / 16. */
#ifndef MESHCAST_ROUTERS_RANDOM_SIZES_H
#define MESHCAST_ROUTERS_RANDOM_SIZES_H

#include "machine/mesh.h"

/* K. */
uint32_t random_last_phase(struct mesh mesh, uint64_t congestion);

/* c_i, a power of two. */
uint64_t random_tiles(uint64_t congestion, uint32_t phase);

/* The blocks of the mesh, if it has so many tiles. */
uint64_t random_blocks(struct mesh mesh, uint64_t tiles);

#endif
