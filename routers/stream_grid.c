/* stream_grid.c - the tiles of the streaming router.
 *
 * How many. With c tiles or more every node gets one message per visit on average, or less. In a tile
 * of side s masters need half of the steps of the links that they use, and trees about a third
 * (s / 4 of them cross the middle of a row or column in a visit of s steps, and they are not spread
 * evenly); with fewer tiles trees fall behind, and what falls behind has farther to go.
 * Beyond c = n / 4 that would be tiles of less than four nodes, whose trees cost next to nothing
 * and whose walk costs most: no more tiles than that.
 * Which. In each leg all masters walk as far as the longest side of a tile, so that the walk past
 * p q tiles is about p q times that side, twice that on a line of tiles. Tiles of unequal sizes
 * have second seats (tile_cycle.h), about one more master a line and leg. They are home in as many
 * steps, on a line in one more, but they take the links from trees: a leg is a step longer for these (measured: without
 * it trees fall behind, and the walk on 59 x 59 nodes with c = 100 takes twice as long).
 * How many masters a node holds (doc/stream.md has the argument): equal square tiles 2; other grids
 * at most one for each direction of travel; on a line of tiles two that rest and two each way.
 * Cost: as many steps of arithmetic as the mesh has rows; every node does the same.
 */
#include "routers/stream_grid.h"

enum { LEAST_TILE = 4 }; /* nodes, on average */

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return a / b + (a % b != 0);
}

/* Whether each node beyond the cells that all tiles have finds a second seat of its own. */
static bool has_seats(struct mesh mesh, struct mesh grid)
{
    uint64_t height = mesh.rows / grid.rows, width = mesh.cols / grid.cols;
    uint64_t higher = divide_up(mesh.rows, grid.rows), wider = divide_up(mesh.cols, grid.cols);
    return higher * wider <= 2 * height * width;
}

/* The length of the walk past all tiles; UINT64_MAX if they have no cycle or too few seats. */
static uint64_t walk_length(struct mesh mesh, struct mesh grid)
{
    uint32_t tiles = mesh_nodes(grid);
    bool is_line = grid.rows == 1 || grid.cols == 1;
    bool is_even = mesh.rows % grid.rows == 0 && mesh.cols % grid.cols == 0;
    if ((!is_line && grid.rows % 2 == 1 && grid.cols % 2 == 1) || !has_seats(mesh, grid))
        return UINT64_MAX;
    uint32_t height = divide_up(mesh.rows, grid.rows), width = divide_up(mesh.cols, grid.cols);
    uint32_t leg = height > width ? height : width;
    return (uint64_t)(tiles - 1) * (leg * (is_line && tiles > 2 ? 2 : 1) + !is_even);
}

struct mesh stream_grid(struct mesh mesh, uint32_t congestion)
{
    uint32_t most = mesh_nodes(mesh) / LEAST_TILE;
    uint32_t wanted = congestion < most ? congestion : most;
    struct mesh best = {1, 1};
    uint64_t shortest = UINT64_MAX;
    for (uint32_t rows = 1; wanted > 1 && rows <= mesh.rows && rows <= wanted; rows++) {
        uint32_t cols = divide_up(wanted, rows);
        for (uint32_t more = 0; more < 2 && cols + more <= mesh.cols; more++) {
            struct mesh grid = {rows, cols + more};
            uint64_t length = walk_length(mesh, grid);
            if (length < shortest) {
                shortest = length;
                best = grid;
            }
        }
    }
    return best;
}

uint32_t stream_grid_walk(struct mesh mesh, uint32_t congestion, uint64_t *steps)
{
    struct mesh grid = stream_grid(mesh, congestion);
    *steps = walk_length(mesh, grid);
    return mesh_nodes(grid) - 1;
}

static bool is_line(const struct tile_cycle *cycle)
{
    return axis_intervals(&cycle->tiles->row) == 1 || axis_intervals(&cycle->tiles->col) == 1;
}

uint32_t stream_leg(const struct tile_cycle *cycle)
{
    return cycle->stride + (cycle->is_even ? 0 : is_line(cycle) ? 2 : 1);
}

uint32_t stream_masters(const struct tile_cycle *cycle)
{
    if (cycle->count == 1)
        return 1;
    if (is_line(cycle))
        return 6;
    return cycle->is_even && cycle->height == cycle->width ? 2 : 4;
}
