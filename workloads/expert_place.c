/* expert_place.c - experts in the middles of tiles, or one after the other.
 *
 * Method of the spread: C columns of tiles and R rows of them, C the least whole number with C^2 / E at least COLS / ROWS, but
 * at most E, R the least with R C >= E, so that tiles are about square; expert e is in tile e in row-major order, and the
 * last R C - E tiles have none. 60 experts on 64 x 64 nodes are at (4, 4), (4, 12), ..
 * Cost: O(1) but for a loop over C.
 */
#include "workloads/expert_place.h"

#include <stddef.h>

const char *const expert_order_names[] = {
    [EXPERTS_SPREAD] = "spread", [EXPERTS_BLOCK] = "block", NULL};

/* The middle of part `index` of `side`, which is cut into `parts`. */
static uint32_t middle_of(uint32_t index, uint32_t parts, uint32_t side)
{
    uint32_t begin = (uint32_t)((uint64_t)index * side / parts);
    uint32_t end = (uint32_t)((uint64_t)(index + 1) * side / parts);
    return (begin + end) / 2;
}

static uint32_t tile_columns(struct mesh mesh, uint32_t experts)
{
    uint64_t wanted = (uint64_t)experts * mesh.cols;
    uint32_t columns = 1, rows;
    while (columns < mesh.cols && columns < experts &&
           (uint64_t)columns * columns * mesh.rows < wanted)
        columns++;
    rows = (experts + columns - 1) / columns;
    return rows <= mesh.rows ? columns : (experts + mesh.rows - 1) / mesh.rows;
}

node_index expert_place(const struct shape *shape, enum expert_order order, uint32_t experts,
                        uint32_t expert)
{
    uint32_t nodes = shape_nodes(shape);
    if (experts > nodes) {
        expert = (uint32_t)((uint64_t)expert * nodes / experts);
        experts = nodes;
    }
    if (order == EXPERTS_BLOCK)
        return expert;
    if (shape->dimensions != 2)
        return middle_of(expert, experts, nodes);
    struct mesh mesh = {shape->size[1], shape->size[0]};
    uint32_t columns = tile_columns(mesh, experts), rows = (experts + columns - 1) / columns;
    return middle_of(expert / columns, rows, mesh.rows) * mesh.cols +
           middle_of(expert % columns, columns, mesh.cols);
}
