/* expander_seats.c - the groups of router `expander`'s replicas, and their seats there.
 *
 * Entries. Entry j of input i is at node r i + j of the mesh's snake, or those of the last input at
 * the last r nodes where n is no multiple of r: no node has more than two. With a Reed-Solomon
 * graph nothing is stored: a node computes the value of polynomial i at point j. Groups and tiles.
 * Group l sits in the l-th tile of the cycle; those of a Reed-Solomon graph in one whose place is l
 * times a number, since near inputs have groups of near numbers there: they are then far apart.
 * Seats. A tile has h x w cells that all tiles have. Seat q of a group is in column q mod w and has
 * number q / w there: below h that is the row; others, if any, are in further layers, spread over
 * the rows: w of one number in succession, those of the next number after them.
 *
 * The assignment of seats. The entries of a permutation that fall to a group are numbers in
 * succession, and its replicas sit in their order: a replica's entry, which its node is given, is
 * the group and the seat at once. Any permutation is an order of seats, and no other table is
 * needed. The ways there and home depend on t, the most entries of one row of the mesh whose seats
 * are in one column (public_traffic.c): 4 to 9 in random graphs.
 *   A Reed-Solomon graph has no table. There rank k = floor(i / q) is different for all replicas of
 * a group, since of the polynomials that differ only in the constant one has each value at a point.
 * Its column is (k + R y) mod w in a tile of the y-th row of tiles, R the ranks that the entries of
 * a row have: inputs that are near one another have the same rank or the next one, and otherwise
 * would all turn in one column.
 *   Either way t, steps and packets are counted here, not assumed. The way home begins where the
 * last visit was, in the tile before a replica's own; it goes along columns first, so that replicas
 * turn in the rows of their entries.
 *
 * Source: Section 5, Steps 1(c), 2 and 3.
 * Cost: O(1) per entry, twice; no memory that lasts.
 */
#include "routers/expander_run.h"

#include "base/numbers.h"
#include "primitives/prefix.h"

#include <stdlib.h>

/* ---- entries and tiles ---- */

node_place expander_entry(const struct expander_seats *seats, uint32_t input, uint32_t j)
{
    struct mesh mesh = seats->mesh;
    uint64_t first = (uint64_t)input * seats->graph->degree;
    uint64_t last = mesh_nodes(mesh) - seats->graph->degree;
    return snake_place((struct interval){0, mesh.rows}, (struct interval){0, mesh.cols},
                       (first < last ? first : last) + j);
}

/* The tiles are a power of two. */
uint32_t expander_tile(const struct expander_seats *seats, uint32_t group)
{
    uint32_t count = seats->cycle->count;
    uint64_t step = 1;
    if (seats->graph->kind == EXPANDER_REED_SOLOMON)
        step = (uint64_t)count * 618 / 1000 | 1;
    return seats->cycle->tile[group * step % count];
}

/* Returns the first entry of a group, of the entries of a permutation in order; for group c their
 * end. */
static uint32_t first_entry(const struct expander *graph, uint32_t group)
{
    uint64_t edges = (uint64_t)graph->inputs * graph->degree;
    return (uint32_t)((group * edges + graph->groups - 1) / graph->groups);
}

/* ---- seats ---- */

/* Returns the seat in its group of a replica whose tile is in row `tile_row` of the tiles. */
static uint32_t seat_in_group(const struct expander_seats *seats, uint32_t input, uint32_t j,
                              uint32_t tile_row)
{
    uint32_t width = seats->cells.cols;
    if (seats->graph->kind != EXPANDER_REED_SOLOMON) {
        uint32_t group = expander_neighbour(seats->graph, input, j);
        return seats->graph->entry[(size_t)input * seats->graph->degree + j] -
               first_entry(seats->graph, group);
    }
    uint32_t rank = input / seats->graph->field.q;
    uint32_t in_a_row =
        seats->graph->degree * seats->graph->field.q; /* nodes with entries of a rank */
    uint32_t ranks = (seats->mesh.cols + in_a_row - 1) / in_a_row;
    return rank / width * width + (rank + tile_row * ranks) % width;
}

/* Returns the row of the seat with that number in a column. In a further layer each number has
 * another row: multiples of the width return to one after h / g numbers, g the divisor, and then
 * continue a row further. */
static uint32_t seat_row(const struct expander_seats *seats, uint32_t number, uint32_t col)
{
    uint64_t height = seats->cells.rows, width = seats->cells.cols, more = number % height;
    if (number < height)
        return number;
    uint64_t turns = more * common_divisor((uint32_t)height, (uint32_t)width) / height;
    return (uint32_t)((more * width + turns + col) % height);
}

node_place expander_seat(const struct expander_seats *seats, uint32_t input, uint32_t j,
                         uint32_t *layer)
{
    const struct axis *rows = &seats->cycle->tiles->row, *cols = &seats->cycle->tiles->col;
    uint32_t across = axis_intervals(cols), height = seats->cells.rows;
    uint32_t tile = expander_tile(seats, expander_neighbour(seats->graph, input, j));
    uint32_t seat = seat_in_group(seats, input, j, tile / across);
    uint32_t col = seat % seats->cells.cols, number = seat / seats->cells.cols;
    *layer = number / height;
    return place_of(rows->cut[tile / across] + seat_row(seats, number, col),
                    cols->cut[tile % across] + col);
}

/* Returns the node of the replica after the last visit: its cell in the tile before its own. */
static node_place last_seat(const struct expander_seats *seats, uint32_t input, uint32_t j)
{
    uint32_t layer, position;
    node_place place = expander_seat(seats, input, j, &layer);
    position = tile_cycle_next(seats->cycle, tile_cycle_position(seats->cycle, place), false);
    return tile_cycle_home(seats->cycle, position, place_in_tile(seats->cycle->tiles, place));
}

/* Counts a seat in a further layer, which some group has, in its row and column of cells. */
static void count_seat(const struct expander_seats *seats, uint32_t number, uint32_t col,
                       uint32_t *in_line, struct excess *excess)
{
    uint32_t of_row = ++in_line[seat_row(seats, number, col)];
    uint32_t of_col = ++in_line[seats->cells.rows + col];
    excess->in_row = of_row > excess->in_row ? of_row : excess->in_row;
    excess->in_col = of_col > excess->in_col ? of_col : excess->in_col;
    excess->in_tile++;
}

/* Counts seats->excess, of all seats that the groups have together. */
static enum failure_kind excess_count(struct expander_seats *seats, struct failure *failure)
{
    uint32_t height = seats->cells.rows, width = seats->cells.cols;
    uint32_t *in_line = memory_allocate((size_t)height + 2 * width, sizeof *in_line);
    uint32_t *numbers = in_line + height + width; /* [column]: seats of the group with most there */
    if (in_line == NULL)
        return fail_memory(failure, "the seats of the groups");
    for (uint32_t i = 0; i < seats->inputs * seats->graph->degree; i++) {
        uint32_t input = i / seats->graph->degree, j = i % seats->graph->degree;
        uint32_t tile = expander_tile(seats, expander_neighbour(seats->graph, input, j));
        uint32_t across = axis_intervals(&seats->cycle->tiles->col);
        uint32_t seat = seat_in_group(seats, input, j, tile / across);
        if (seat / width >= numbers[seat % width])
            numbers[seat % width] = seat / width + 1;
    }
    seats->excess = (struct excess){.at_node = seats->layers - 1};
    for (uint32_t col = 0; col < width; col++)
        for (uint32_t number = height; number < numbers[col]; number++)
            count_seat(seats, number, col, in_line, &seats->excess);
    free(in_line);
    return FAIL_NONE;
}

/* Counts the bounds of all ways from entries to seats, or home. */
static enum failure_kind ways_count(struct expander_seats *seats, bool is_back,
                                    struct traffic_bounds *bounds, struct failure *failure)
{
    struct traffic traffic;
    struct traffic_way way = {.columns_first = is_back, .legs_apart = true};
    uint32_t pairs = seats->inputs * seats->graph->degree;
    enum failure_kind kind = traffic_make(&traffic, seats->mesh, way, pairs, failure);
    for (uint32_t input = 0; kind == FAIL_NONE && input < seats->inputs; input++)
        for (uint32_t j = 0; j < seats->graph->degree; j++) {
            uint32_t layer;
            node_place entry = expander_entry(seats, input, j);
            if (is_back)
                traffic_add(&traffic, last_seat(seats, input, j), entry);
            else
                traffic_add(&traffic, entry, expander_seat(seats, input, j, &layer));
        }
    if (kind == FAIL_NONE)
        kind = traffic_bound(&traffic, bounds, failure);
    traffic_free(&traffic);
    return kind;
}

enum failure_kind expander_seats_make(struct expander_seats *seats, const struct expander *graph,
                                      const struct tile_cycle *cycle, struct failure *failure)
{
    const struct tessellation *tiles = cycle->tiles;
    struct mesh mesh = {tiles->row.length, tiles->col.length};
    *seats =
        (struct expander_seats){.graph = graph,
                                .cycle = cycle,
                                .mesh = mesh,
                                .inputs = (mesh_nodes(mesh) + graph->degree - 1) / graph->degree,
                                .cells = {axis_shortest(&tiles->row), axis_shortest(&tiles->col)}};
    uint64_t edges = (uint64_t)graph->inputs * graph->degree;
    uint32_t area = mesh_nodes(seats->cells);
    uint32_t largest = (uint32_t)((edges + graph->groups - 1) / graph->groups);
    seats->layers = (largest + area - 1) / area;
    if (seats->layers > EXPANDER_MOST_LAYERS)
        return fail(failure, FAIL_USAGE,
                    "groups of %u replicas do not fit into tiles of %u nodes, %u per node", largest,
                    area, EXPANDER_MOST_LAYERS);
    enum failure_kind kind = excess_count(seats, failure);
    if (kind == FAIL_NONE)
        kind = ways_count(seats, false, &seats->there, failure);
    return kind == FAIL_NONE ? ways_count(seats, true, &seats->home, failure) : kind;
}
