/* cell_map.c - linear maps of a tile's cells.
 *
 * Method: an image moves with the visits by as much for every cell. So the cells that a map takes to each cell
 * are listed once, for visit 0, and a cell at a later visit is looked up as what it would be at visit 0.
 * Cost: of a list, time and two numbers a cell.
 */
#include "search/cell_map.h"

#include <stdlib.h>

enum { QUARTERS = 4 };

static int64_t times(int8_t count, uint32_t coordinate)
{
    return count * ((int64_t)coordinate + (count < 0 ? 1 : 0));
}

static uint32_t modulo(int64_t coordinate, uint32_t side)
{
    int64_t rest = coordinate % side;
    return (uint32_t)(rest < 0 ? rest + side : rest);
}

static uint32_t coordinate_of(const struct cell_image *image, uint32_t row, uint32_t col,
                              uint32_t visit, uint32_t side)
{
    int64_t shift = (int64_t)image->quarters * side / QUARTERS + times(image->visits, visit);
    return modulo(times(image->rows, row) + times(image->cols, col) + shift, side);
}

uint32_t cell_map_of(const struct cell_map *map, struct mesh tile, uint32_t cell, uint32_t visit)
{
    uint32_t row = cell / tile.cols, col = cell % tile.cols;
    return coordinate_of(&map->row, row, col, visit, tile.rows) * tile.cols +
           coordinate_of(&map->col, row, col, visit, tile.cols);
}

uint32_t cell_map_at_start(const struct cell_map *map, struct mesh tile, uint32_t cell,
                           uint32_t visit)
{
    int64_t rows = times(map->row.visits, visit) - times(map->row.visits, 0);
    int64_t cols = times(map->col.visits, visit) - times(map->col.visits, 0);
    return modulo(cell / tile.cols - rows, tile.rows) * tile.cols +
           modulo(cell % tile.cols - cols, tile.cols);
}

/* Counts the cells with each image, then deals them out. */
enum failure_kind cell_origins_make(struct cell_origins *origins, const struct cell_map *map,
                                    struct mesh tile, struct failure *failure)
{
    uint32_t cells = mesh_nodes(tile);
    *origins = (struct cell_origins){memory_allocate(cells + (size_t)1, sizeof *origins->first),
                                     memory_allocate(cells, sizeof *origins->cell)};
    if (origins->first == NULL || origins->cell == NULL)
        return fail_memory(failure, "the origins of cells");
    for (uint32_t cell = 0; cell < cells; cell++)
        origins->first[cell_map_of(map, tile, cell, 0)]++;
    for (uint32_t cell = 1; cell <= cells; cell++)
        origins->first[cell] += origins->first[cell - 1];
    for (uint32_t cell = cells; cell-- > 0;)
        origins->cell[--origins->first[cell_map_of(map, tile, cell, 0)]] = cell;
    return FAIL_NONE;
}

void cell_origins_free(struct cell_origins *origins)
{
    free(origins->first);
    free(origins->cell);
    *origins = (struct cell_origins){NULL, NULL};
}
