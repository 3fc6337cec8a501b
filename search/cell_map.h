/* cell_map.h - linear maps of a tile's cells, which move from visit to visit. Pure arithmetic. */
#ifndef MESHCAST_SEARCH_CELL_MAP_H
#define MESHCAST_SEARCH_CELL_MAP_H

#include "base/failure.h"
#include "machine/mesh.h"

#include <stdint.h>

/* A coordinate of the image: so many times the cell's row, its column and the number of the visit, and
 * quarters of the tile's side, modulo that side. A negative number of times counts from the far edge: -1 is
 * the mirror. */
struct cell_image {
    int8_t rows, cols, visits, quarters;
};

struct cell_map {
    struct cell_image row, col;
};

/* The number (row * columns + column) of the image of a cell with that number, in tiles of that size. */
uint32_t cell_map_of(const struct cell_map *map, struct mesh tile, uint32_t cell, uint32_t visit);

/* A map the other way round: the cells that it takes to cell i at visit 0 are cell[first[i]] up to
 * cell[first[i + 1] - 1]. */
struct cell_origins {
    uint32_t *first, *cell;
};

/* FAIL_SYSTEM: no memory. cell_origins_free() in any case; zeroed origins are fine. */
enum failure_kind cell_origins_make(struct cell_origins *origins, const struct cell_map *map,
                                    struct mesh tile, struct failure *failure);
void cell_origins_free(struct cell_origins *origins);

/* The number of the cell that is at visit 0 what `cell` is at `visit`: its origins are those of `cell`. */
uint32_t cell_map_at_start(const struct cell_map *map, struct mesh tile, uint32_t cell,
                           uint32_t visit);

#endif
