/* test_tile_cycle.c - the cycle of a tessellation's tiles, and the walks along it.
 *
 * Oracles: tables of what was visited, distances by coordinates, and for the claim of the banner of
 * tile_cycle.c a mesh of its own, on which one packet a step crosses each link.
 */
#include "primitives/tile_cycle.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *tile_cycle_suite(void);

static uint32_t apart(uint32_t a, uint32_t b)
{
    return a < b ? b - a : a - b;
}

static uint32_t distance(node_place a, node_place b)
{
    return apart(place_row(a), place_row(b)) + apart(place_col(a), place_col(b));
}

/* ---- meshes ---- */

/* Calls `check` for the cycles of every number of tiles that the mesh can have. */
static void for_cycles(struct mesh mesh, void (*check)(const struct tile_cycle *cycle))
{
    for (uint64_t tiles = 1; tiles <= mesh_nodes(mesh); tiles *= 2) {
        struct tessellation tessellation;
        struct tile_cycle cycle;
        ck_assert_int_eq(tessellation_make(&tessellation, mesh, tiles, NULL), FAIL_NONE);
        ck_assert_int_eq(tile_cycle_make(&cycle, &tessellation, NULL), FAIL_NONE);
        check(&cycle);
        tile_cycle_free(&cycle);
        tile_cycle_free(&cycle); /* survives a freed one */
        tessellation_free(&tessellation);
    }
}

static void for_meshes(uint32_t most, void (*check)(const struct tile_cycle *cycle))
{
    static const struct mesh others[] = {{1, 40}, {40, 1}, {2, 33}, {33, 2},  {3, 31},
                                         {31, 3}, {5, 64}, {64, 5}, {32, 32}, {37, 29}};
    for (uint32_t rows = 1; rows <= most; rows++)
        for (uint32_t cols = 1; cols <= most; cols++)
            for_cycles((struct mesh){rows, cols}, check);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        for_cycles(others[i], check);
}

/* ---- the cycle ---- */

static void check_order(const struct tile_cycle *cycle)
{
    uint32_t across = axis_intervals(&cycle->tiles->col), down = axis_intervals(&cycle->tiles->row);
    uint32_t most = across == 1 || down == 1 ? 2 : 1;
    uint8_t *seen = calloc(cycle->count, 1);
    ck_assert(cycle->count == tessellation_tiles(cycle->tiles));
    for (uint32_t i = 0; i < cycle->count; i++) {
        uint32_t tile = cycle->tile[i], next = cycle->tile[i + 1 < cycle->count ? i + 1 : 0];
        ck_assert(tile < cycle->count);
        ck_assert(!seen[tile]);
        seen[tile] = 1;
        ck_assert(cycle->position[tile] == i);
        uint32_t rows = apart(tile / across, next / across);
        uint32_t cols = apart(tile % across, next % across);
        ck_assert(rows == 0 || cols == 0);
        ck_assert(rows + cols <= most);
    }
    free(seen);
}

/* Every tile once; neighbours side by side in the grid, or two apart at most on a line. */
START_TEST(order_of_tiles)
{
    for_meshes(20, check_order);
    for_cycles((struct mesh){256, 512}, check_order);
}
END_TEST

/* Tiles whose neighbours on the cycle are on opposite sides. */
static uint32_t straight_tiles(const struct tile_cycle *cycle)
{
    uint32_t across = axis_intervals(&cycle->tiles->col), straight = 0;
    for (uint32_t i = 0; i < cycle->count; i++) {
        uint32_t before = cycle->tile[i > 0 ? i - 1 : cycle->count - 1];
        uint32_t after = cycle->tile[i + 1 < cycle->count ? i + 1 : 0];
        straight += apart(before, after) == 2 || apart(before, after) == 2 * across;
    }
    return straight;
}

/* The cycle that turns is one, whatever the grid; with even sides from 4 on it goes straight through two
 * tiles of three at most, two of five of a large grid. */
START_TEST(turning_order)
{
    for (uint32_t rows = 1; rows <= 26; rows++)
        for (uint32_t cols = 1; cols <= 26; cols++) {
            struct tessellation tiles;
            struct tile_cycle cycle;
            if (rows > 1 && cols > 1 && rows % 2 == 1 && cols % 2 == 1)
                continue;
            ck_assert_int_eq(tessellation_grid(&tiles, (struct mesh){2 * rows, 3 * cols},
                                               (struct mesh){rows, cols}, NULL),
                             FAIL_NONE);
            ck_assert_int_eq(tile_cycle_make_turning(&cycle, &tiles, NULL), FAIL_NONE);
            check_order(&cycle);
            if (rows % 2 == 0 && cols % 2 == 0 && rows >= 4 && cols >= 4)
                ck_assert_uint_le(3 * straight_tiles(&cycle), 2 * cycle.count);
            if (rows == 24 && cols == 26)
                ck_assert_uint_le(5 * straight_tiles(&cycle), 2 * cycle.count);
            tile_cycle_free(&cycle);
            tessellation_free(&tiles);
        }
}
END_TEST

static void check_steps(const struct tile_cycle *cycle)
{
    uint32_t count = cycle->count;
    for (uint32_t from = 0; from < count; from += 1 + count / 40) {
        uint32_t position = from;
        for (uint32_t i = 0; i < count; i++) {
            ck_assert(tile_cycle_distance(cycle, from, position, true) == i);
            ck_assert(tile_cycle_distance(cycle, position, from, false) == i);
            uint32_t next = tile_cycle_next(cycle, position, true);
            ck_assert(next == (position + 1) % count);
            ck_assert(tile_cycle_next(cycle, next, false) == position);
            position = next;
        }
        ck_assert(position == from);
    }
}

/* Forward and backward steps undo one another, and distances count them. */
START_TEST(steps_and_distances)
{
    for_meshes(20, check_steps);
}
END_TEST

static bool is_inside(const struct tile_cycle *cycle, uint32_t position, node_place node)
{
    return tile_cycle_position(cycle, node) == position;
}

/* Of each node: its cell's home is the node. */
static void check_nodes(const struct tile_cycle *cycle)
{
    for (uint32_t row = 0; row < cycle->tiles->row.length; row++)
        for (uint32_t col = 0; col < cycle->tiles->col.length; col++) {
            node_place node = place_of(row, col), cell = place_in_tile(cycle->tiles, node);
            ck_assert(place_row(cell) < cycle->height);
            ck_assert(place_col(cell) < cycle->width);
            uint32_t position = tile_cycle_position(cycle, node);
            ck_assert(tile_cycle_home(cycle, position, cell) == node);
        }
}

/* Of each cell: its home lies in the tile, at the cell or clamped by one, and is no node's second
 * choice unless it is clamped. Homes of neighbours are `stride` apart at most, and somewhere are. */
static void check_cells(const struct tile_cycle *cycle)
{
    uint32_t longest = 0, clamped = 0;
    for (uint32_t position = 0; position < cycle->count; position++)
        for (uint32_t i = 0; i < cycle->height * cycle->width; i++) {
            node_place cell = place_of(i / cycle->width, i % cycle->width);
            node_place home = tile_cycle_home(cycle, position, cell);
            node_place next = tile_cycle_home(cycle, tile_cycle_next(cycle, position, true), cell);
            ck_assert(is_inside(cycle, position, home));
            node_place first = place_in_tile(cycle->tiles, home);
            ck_assert(apart(place_row(cell), place_row(first)) <= 1);
            ck_assert(apart(place_col(cell), place_col(first)) <= 1);
            clamped += first != cell;
            ck_assert(place_row(home) == place_row(next) || place_col(home) == place_col(next));
            longest = distance(home, next) > longest ? distance(home, next) : longest;
        }
    ck_assert(cycle->is_even == (clamped == 0));
    ck_assert(longest <= cycle->stride);
    if (cycle->is_even)
        ck_assert(longest == cycle->stride);
}

/* Cells and homes are inverse to one another where a cell is its node's first. */
START_TEST(cells_and_homes)
{
    for_meshes(20, check_nodes);
    for_meshes(20, check_cells);
}
END_TEST

/* Of one tile: second seats in the lines of cells, at most those of the excess; and as many in the first tile, which
 * is a largest one. */
static void check_excess(const struct tile_cycle *cycle)
{
    struct mesh mesh = {cycle->tiles->row.length, cycle->tiles->col.length};
    struct excess excess, most = {0};
    ck_assert(tile_cycle_excess(cycle, &excess, NULL) == FAIL_NONE);
    for (uint32_t position = 0; position < cycle->count; position++) {
        uint32_t *in_line = calloc(2 * MESH_MAX_SIDE, sizeof *in_line), in_tile = 0;
        for (node_index node = 0; node < mesh_nodes(mesh); node++) {
            node_place place = place_of(node / mesh.cols, node % mesh.cols);
            struct seat seat = tile_cycle_seat(cycle, place);
            if (tile_cycle_position(cycle, place) != position || !seat.is_second)
                continue;
            uint32_t in_row = ++in_line[place_row(seat.cell)];
            uint32_t in_col = ++in_line[MESH_MAX_SIDE + place_col(seat.cell)];
            most.in_row = in_row > most.in_row ? in_row : most.in_row;
            most.in_col = in_col > most.in_col ? in_col : most.in_col;
            most.in_tile = ++in_tile > most.in_tile ? in_tile : most.in_tile;
        }
        free(in_line);
    }
    ck_assert(excess.at_node == !cycle->is_even);
    ck_assert(excess.in_row == most.in_row);
    ck_assert(excess.in_col == most.in_col);
    ck_assert(excess.in_tile == most.in_tile);
}

/* what second seats add in a line of cells and in a tile */
START_TEST(excesses)
{
    for_meshes(11, check_excess);
}
END_TEST

/* ---- walks ---- */

struct walker {
    node_place here, home;
    uint32_t came; /* the step in which it came to `here` */
};

struct walk {
    const struct tile_cycle *cycle;
    uint32_t count;
    struct walker *walker;
    uint32_t *taken; /* [node * 4 + direction]: who crosses the link in this step, and 1 */
    uint32_t waited; /* how often one had to wait */
};

/* Packets in all cells of all tiles: those for which goes(cell, forward) walk that way. */
static struct walk walk_make(const struct tile_cycle *cycle, bool (*goes)(node_place, bool))
{
    uint32_t cells = cycle->height * cycle->width;
    struct walk walk = {.cycle = cycle};
    walk.walker = calloc((size_t)cells * cycle->count, sizeof *walk.walker);
    walk.taken =
        calloc((size_t)cycle->tiles->row.length * cycle->tiles->col.length * 4, sizeof *walk.taken);
    for (uint32_t position = 0; position < cycle->count; position++)
        for (uint32_t i = 0; i < 2 * cells; i++) {
            node_place cell = place_of(i / 2 / cycle->width, i / 2 % cycle->width);
            uint32_t next = tile_cycle_next(cycle, position, i % 2 == 0);
            if (goes(cell, i % 2 == 0))
                walk.walker[walk.count++] = (struct walker){tile_cycle_home(cycle, position, cell),
                                                            tile_cycle_home(cycle, next, cell), 0};
        }
    return walk;
}

static enum direction towards(const struct walker *walker)
{
    if (place_col(walker->home) != place_col(walker->here))
        return place_col(walker->home) > place_col(walker->here) ? EAST : WEST;
    return place_row(walker->home) > place_row(walker->here) ? SOUTH : NORTH;
}

static node_place beyond(node_place node, enum direction direction)
{
    static const int32_t step[DIRECTIONS] = {-(1 << 16), 1 << 16, -1, 1};
    return node + (uint32_t)step[direction];
}

/* Whether `a` leaves before `b`, which wants the same link: the farther way, and else who came
 * first. */
static bool is_before(const struct walker *a, const struct walker *b)
{
    uint32_t of_a = distance(a->here, a->home), of_b = distance(b->here, b->home);
    return of_a != of_b ? of_a > of_b : a->came < b->came;
}

/* One step: each link carries one of those who want it. */
static void walk_step(struct walk *walk, uint32_t step)
{
    uint32_t cols = walk->cycle->tiles->col.length,
             links = 4 * cols * walk->cycle->tiles->row.length;
    memset(walk->taken, 0, links * sizeof *walk->taken);
    for (uint32_t i = 0; i < walk->count; i++) {
        struct walker *walker = &walk->walker[i];
        if (walker->here == walker->home)
            continue;
        uint32_t *taken =
            &walk->taken[(place_row(walker->here) * cols + place_col(walker->here)) * 4 +
                         towards(walker)];
        walk->waited += *taken > 0;
        if (*taken == 0 || is_before(walker, &walk->walker[*taken - 1]))
            *taken = i + 1;
    }
    for (uint32_t link = 0; link < links; link++)
        if (walk->taken[link] > 0) {
            struct walker *walker = &walk->walker[walk->taken[link] - 1];
            walker->here = beyond(walker->here, (enum direction)(link % 4));
            walker->came = step;
        }
}

/* Walks for `stride` steps; how many are not at home then. */
static uint32_t walk_all(struct walk *walk)
{
    uint32_t late = 0;
    for (uint32_t step = 1; step <= walk->cycle->stride; step++)
        walk_step(walk, step);
    for (uint32_t i = 0; i < walk->count; i++)
        late += walk->walker[i].here != walk->walker[i].home;
    return late;
}

static void check_walk(const struct tile_cycle *cycle, bool (*goes)(node_place, bool))
{
    struct walk walk = walk_make(cycle, goes);
    uint32_t late = walk_all(&walk);
    ck_assert_msg(late == 0 && (walk.waited == 0 || !cycle->is_even),
                  "%u x %u, %u tiles: %u of %u late after %u steps, %u waits",
                  cycle->tiles->row.length, cycle->tiles->col.length, cycle->count, late,
                  walk.count, cycle->stride, walk.waited);
    free(walk.walker);
    free(walk.taken);
}

static bool goes_by_parity(node_place cell, bool forward)
{
    return (place_row(cell) + place_col(cell)) % 2 == (forward ? 0 : 1);
}

static bool goes_forward(node_place cell, bool forward)
{
    (void)cell;
    return forward;
}

static void check_both_ways(const struct tile_cycle *cycle)
{
    check_walk(cycle, goes_by_parity);
}

static void check_all_forward(const struct tile_cycle *cycle)
{
    if (cycle->is_even)
        check_walk(cycle, goes_forward);
}

/* Cells of even y + x forward and the others backward, the farthest first: all are home in time,
 * and with one cell a node nobody waits. */
START_TEST(both_ways)
{
    for_meshes(24, check_both_ways);
}
END_TEST

/* One cell a node, all forward: nobody waits, all are home in time. */
START_TEST(all_forward)
{
    for_meshes(24, check_all_forward);
}
END_TEST

Suite *tile_cycle_suite(void)
{
    Suite *suite = suite_create("tile_cycle");
    TCase *tests = tcase_create("tile_cycle");
    tcase_add_test(tests, order_of_tiles);
    tcase_add_test(tests, turning_order);
    tcase_add_test(tests, steps_and_distances);
    tcase_add_test(tests, cells_and_homes);
    tcase_add_test(tests, both_ways);
    tcase_add_test(tests, all_forward);
    tcase_add_test(tests, excesses);
    suite_add_tcase(suite, tests);
    return suite;
}
