/* tile_cycle.c - the Hamiltonian cycle of a tessellation's tiles.
 *
 * The tiles form a grid; with two rows and columns at least, one of them even in number, they have
 * the closed ring of ring.c, neighbours side by side. A single row or column is visited 0, 2, 4, ..
 * and back .., 5, 3, 1 (Fact 1).
 *
 * The reason for `stride` steps in a walk. Let packets that start in different cells, all at once,
 * each walk straight from its cell to the same cell of a neighbouring tile. Think of all tiles as
 * full, and of each packet as moving by one cell per step: after `stride` steps all are at home.
 * Two packets that want one link in one step then move the same way from cells of one node: with
 * one cell per node (is_even) that is one cell, so they started in one, and nobody ever waits.
 * Where a node has two cells or four, a move between its cells uses no link, and a link joins two
 * rows (or columns) of cells at most. If at most every second packet goes each way, those of even y
 * + x, say, then at every moment at most one of the two cells holds a packet that goes that way,
 * and again no two want one link. Real packets do not stay for moves between the cells of a node,
 * so two may meet at a link after all. Farthest first, they are at home in time nevertheless: on a
 * line, all going the same way, no order of the packets is done sooner than that one, and we have
 * just seen an order that needs `stride` steps. First come first served is not enough: on 3 x 5
 * nodes in four tiles, all cells taken, one packet comes a step late.
 *   Seats do better than cells that share a node at the border of a smaller tile: there a line
 * would carry twice its share. All seats are in cells that every tile has. With at least two rows
 * and columns of tiles first and second seat of a cell, going different ways, leave a tile in
 * different directions, so that no two walkers ever want one link, and nobody waits (doc/stream.md,
 * Claim 1).
 *   A cycle that turns. The ring of ring.c goes straight through most tiles, so walkers take half
 * of the steps of every link along the rows of tiles, and none across. If it turns in a tile they
 * use a quarter each way: deliveries there find every middle line with a quarter to spare. Take
 * blocks of 2 x 2 tiles and a tree of blocks: the way around the tree is a cycle of the tiles, and
 * straight where a tile has the tree on exactly one of its two outer sides. In the tree used here
 * every third row of blocks is a spine, whose blocks have a tooth up and a tooth down: of 12 tiles
 * 4 are straight.
 * Cost: two numbers per tile.
 */
#include "primitives/tile_cycle.h"

#include "base/numbers.h"
#include "primitives/ring.h"

#include <assert.h>
#include <stdlib.h>

/* Orders a single row or column of tiles: even ones on the way out, odd ones on the way home. */
static void order_line(struct tile_cycle *cycle)
{
    uint32_t position = 0;
    for (uint32_t tile = 0; tile < cycle->count; tile += 2)
        cycle->tile[position++] = tile;
    for (uint32_t tile = cycle->count; tile-- > 0;)
        if (tile % 2 == 1)
            cycle->tile[position++] = tile;
}

static void order_grid(struct tile_cycle *cycle, struct mesh grid)
{
    for (uint32_t i = 0; i < cycle->count; i++)
        cycle->tile[i] = mesh_index(grid, ring_place(grid, i));
}

/* ---- the cycle that turns ---- */

/* True for the middle one of three rows of blocks. Of the last four, if one would be left over, the
 * two in the middle. */
static bool is_spine(struct mesh blocks, uint32_t row)
{
    enum { GROUP = 3 };
    if (blocks.rows == 1)
        return true;
    if (blocks.rows % GROUP == 1 && row + GROUP + 1 >= blocks.rows)
        return row + GROUP == blocks.rows || row + GROUP - 1 == blocks.rows;
    return row % GROUP == 1;
}

/* True if the tree joins block (row, col) of `blocks` to the one below it: a spine and a tooth, or
 * once two groups of rows. */
static bool joins_below(struct mesh blocks, uint32_t row, uint32_t col)
{
    if (row + 1 >= blocks.rows)
        return false;
    return col == 0 || is_spine(blocks, row) != is_spine(blocks, row + 1);
}

/* True if the tree joins it to the block on its right. */
static bool joins_right(struct mesh blocks, uint32_t row, uint32_t col)
{
    return col + 1 < blocks.cols && is_spine(blocks, row);
}

/* Finds the two neighbours of a tile on the way around the tree: beyond an outer side, up or down
 * and left or right, where the tree goes there, else along it within the block. */
static void find_neighbours(struct mesh grid, uint32_t tile, uint32_t neighbour[2])
{
    struct mesh blocks = {grid.rows / 2, grid.cols / 2};
    uint32_t row = tile / grid.cols, col = tile % grid.cols, y = row / 2, x = col / 2;
    bool is_lower = row % 2 == 1, is_right = col % 2 == 1;
    bool leaves_rows =
        is_lower ? joins_below(blocks, y, x) : y > 0 && joins_below(blocks, y - 1, x);
    bool leaves_cols =
        is_right ? joins_right(blocks, y, x) : x > 0 && joins_right(blocks, y, x - 1);
    uint32_t above = tile - grid.cols, below = tile + grid.cols;
    if (leaves_rows)
        neighbour[0] = is_lower ? below : above;
    else
        neighbour[0] = is_right ? tile - 1 : tile + 1;
    if (leaves_cols)
        neighbour[1] = is_right ? tile + 1 : tile - 1;
    else
        neighbour[1] = is_lower ? above : below;
}

static void order_turning(struct tile_cycle *cycle, struct mesh grid)
{
    uint32_t neighbour[2], tile = 0, before;
    find_neighbours(grid, tile, neighbour);
    before = neighbour[1];
    for (uint32_t i = 0; i < cycle->count; i++) {
        cycle->tile[i] = tile;
        find_neighbours(grid, tile, neighbour);
        uint32_t next = neighbour[neighbour[0] == before];
        before = tile;
        tile = next;
    }
    assert(tile == 0);
}

/* ---- life ---- */

static void order(struct tile_cycle *cycle, struct mesh grid, bool turns)
{
    if (grid.rows == 1 || grid.cols == 1)
        order_line(cycle);
    else if (turns && grid.rows % 2 == 0 && grid.cols % 2 == 0)
        order_turning(cycle, grid);
    else
        order_grid(cycle, grid);
}

static enum failure_kind make(struct tile_cycle *cycle, const struct tessellation *tiles,
                              bool turns, struct failure *failure)
{
    struct mesh grid = {axis_intervals(&tiles->row), axis_intervals(&tiles->col)};
    bool is_line = grid.rows == 1 || grid.cols == 1;
    assert(is_line || grid.rows % 2 == 0 || grid.cols % 2 == 0);
    *cycle = (struct tile_cycle){.tiles = tiles,
                                 .count = mesh_nodes(grid),
                                 .height = axis_longest(&tiles->row),
                                 .width = axis_longest(&tiles->col)};
    cycle->is_even = axis_is_even(&tiles->row) && axis_is_even(&tiles->col);
    cycle->tile = memory_allocate(cycle->count, sizeof *cycle->tile);
    cycle->position = memory_allocate(cycle->count, sizeof *cycle->position);
    if (cycle->tile == NULL || cycle->position == NULL) {
        tile_cycle_free(cycle);
        return fail_memory(failure, "the cycle of tiles");
    }
    uint32_t longest = grid.rows > 1 ? cycle->height : 0;
    if (grid.cols > 1 && cycle->width > longest)
        longest = cycle->width;
    cycle->stride = is_line && cycle->count > 2 ? 2 * longest : longest;
    order(cycle, grid, turns);
    for (uint32_t i = 0; i < cycle->count; i++)
        cycle->position[cycle->tile[i]] = i;
    return FAIL_NONE;
}

enum failure_kind tile_cycle_make(struct tile_cycle *cycle, const struct tessellation *tiles,
                                  struct failure *failure)
{
    return make(cycle, tiles, false, failure);
}

enum failure_kind tile_cycle_make_turning(struct tile_cycle *cycle,
                                          const struct tessellation *tiles, struct failure *failure)
{
    return make(cycle, tiles, true, failure);
}

void tile_cycle_free(struct tile_cycle *cycle)
{
    free(cycle->tile);
    free(cycle->position);
    *cycle = (struct tile_cycle){0};
}

uint32_t tile_cycle_position(const struct tile_cycle *cycle, node_place node)
{
    const struct axis *rows = &cycle->tiles->row, *cols = &cycle->tiles->col;
    return cycle->position[rows->tile[place_row(node)] * axis_intervals(cols) +
                           cols->tile[place_col(node)]];
}

static uint32_t clamp(const struct axis *axis, uint32_t interval, uint32_t offset)
{
    uint32_t coordinate = axis->cut[interval] + offset, end = axis->cut[interval + 1];
    return coordinate < end ? coordinate : end - 1;
}

node_place tile_cycle_home(const struct tile_cycle *cycle, uint32_t position, node_place cell)
{
    const struct axis *rows = &cycle->tiles->row, *cols = &cycle->tiles->col;
    uint32_t tile = cycle->tile[position], across = axis_intervals(cols);
    return place_of(clamp(rows, tile / across, place_row(cell)),
                    clamp(cols, tile % across, place_col(cell)));
}

/* Returns the number of `node` among those of its tile beyond the common cells, and the number of
 * cells there. */
static uint32_t number_beyond(struct mesh common, node_place cell, uint32_t tile_width)
{
    if (place_row(cell) == common.rows)
        return place_col(cell);
    return (place_col(cell) - common.cols) + tile_width + place_row(cell);
}

/* Returns a permutation of 0 .. count - 1 that moves neighbours far apart: multiples of a number
 * near the golden section without a common divisor. */
static uint32_t spread_over(uint32_t count, uint32_t number)
{
    uint32_t step = (uint32_t)((uint64_t)count * 618 / 1000) + 1;
    while (common_divisor(count, step) != 1)
        step++;
    return (uint32_t)((uint64_t)number * step % count);
}

/* Returns the cell of the second seat of a node beyond the common cells. If tiles differ only along
 * one axis, it is in the node's own line along that axis, so that no line has two of them; this is
 * so on lines of tiles. */
static node_place second_cell(const struct tile_cycle *cycle, struct mesh common, node_place cell)
{
    uint32_t row = place_row(cell), col = place_col(cell);
    if (cycle->height == common.rows)
        return place_of(row, spread_over(common.cols, row));
    if (cycle->width == common.cols)
        return place_of(spread_over(common.rows, col), col);
    return mesh_place(common,
                      spread_over(mesh_nodes(common), number_beyond(common, cell, cycle->width)));
}

static struct seat seat_in_cell(node_place cell, bool is_second)
{
    bool goes_forward = (place_row(cell) + place_col(cell) + is_second) % 2 == 0;
    return (struct seat){cell, is_second, goes_forward};
}

struct seat tile_cycle_seat(const struct tile_cycle *cycle, node_place node)
{
    const struct axis *rows = &cycle->tiles->row, *cols = &cycle->tiles->col;
    struct mesh common = {axis_shortest(rows), axis_shortest(cols)};
    node_place cell = place_in_tile(cycle->tiles, node);
    if (place_row(cell) >= common.rows || place_col(cell) >= common.cols)
        return seat_in_cell(second_cell(cycle, common, cell), true);
    return seat_in_cell(cell, false);
}

struct seat tile_cycle_seat_at(const struct tile_cycle *cycle, node_place home, bool is_second)
{
    return seat_in_cell(place_in_tile(cycle->tiles, home), is_second);
}

/* Counts a second seat in each of the longest tile's nodes that has one: smaller tiles have a part
 * of them. */
static void count_second(const struct tile_cycle *cycle, struct mesh common, uint16_t *in_line,
                         struct excess *excess)
{
    for (uint32_t i = 0; i < cycle->height * cycle->width; i++) {
        uint32_t row = i / cycle->width, col = i % cycle->width;
        if (row < common.rows && col < common.cols) {
            i += common.cols - 1 - col;
            continue;
        }
        node_place cell = second_cell(cycle, common, place_of(row, col));
        uint32_t of_row = ++in_line[place_row(cell)];
        uint32_t of_col = ++in_line[common.rows + place_col(cell)];
        excess->in_row = of_row > excess->in_row ? of_row : excess->in_row;
        excess->in_col = of_col > excess->in_col ? of_col : excess->in_col;
        excess->in_tile++;
    }
}

enum failure_kind tile_cycle_excess(const struct tile_cycle *cycle, struct excess *excess,
                                    struct failure *failure)
{
    struct mesh common = {axis_shortest(&cycle->tiles->row), axis_shortest(&cycle->tiles->col)};
    *excess = (struct excess){.at_node = cycle->is_even ? 0 : 1};
    if (cycle->is_even)
        return FAIL_NONE;
    uint16_t *in_line = memory_allocate(common.rows + common.cols, sizeof *in_line);
    if (in_line == NULL)
        return fail_memory(failure, "the second seats");
    count_second(cycle, common, in_line, excess);
    free(in_line);
    return FAIL_NONE;
}
