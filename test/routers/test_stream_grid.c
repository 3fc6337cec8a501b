/* test_stream_grid.c - the tiles of the streaming router, its masters' seats, and their walk.
 *
 * Oracles: tables of seats, and a mesh of its own on which masters walk: one a link and step, the
 * farthest first, none of the machine's code. The walk is checked twice. Crowded: one leg with a
 * master on every seat that some tile uses, in all tiles at once, which is more than can be there.
 * Whole: all legs of a run, with one master from each node of the mesh.
 */
#include "routers/stream_walk.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *stream_grid_suite(void);

/* ---- grids ---- */

struct tiling {
    struct mesh mesh, grid, common; /* common: the cells that all tiles have */
    uint32_t congestion;
    struct tessellation tiles;
    struct tile_cycle cycle;
};

static bool has_cycle(struct mesh grid)
{
    return grid.rows == 1 || grid.cols == 1 || grid.rows % 2 == 0 || grid.cols % 2 == 0;
}

/* Calls `check` for the grid that the mesh gets for this congestion. */
static void for_grid(struct mesh mesh, uint32_t congestion, void (*check)(struct tiling *tiling))
{
    struct mesh grid = stream_grid(mesh, congestion);
    struct tiling tiling = {.mesh = mesh, .grid = grid, .congestion = congestion};
    ck_assert_msg(grid.rows >= 1 && grid.rows <= mesh.rows && grid.cols >= 1 &&
                      grid.cols <= mesh.cols && has_cycle(grid),
                  "%u x %u, c = %u: %u x %u tiles", mesh.rows, mesh.cols, congestion, grid.rows,
                  grid.cols);
    tiling.common = (struct mesh){mesh.rows / grid.rows, mesh.cols / grid.cols};
    ck_assert_int_eq(tessellation_grid(&tiling.tiles, mesh, grid, NULL), FAIL_NONE);
    ck_assert_int_eq(tile_cycle_make_turning(&tiling.cycle, &tiling.tiles, NULL), FAIL_NONE);
    check(&tiling);
    tile_cycle_free(&tiling.cycle);
    tessellation_free(&tiling.tiles);
}

/* Congestions one by one, then in growing strides (`dense` of them before each doubling). */
static void for_congestions(struct mesh mesh, uint32_t dense, void (*check)(struct tiling *tiling))
{
    for (uint32_t c = 1; c <= mesh_nodes(mesh) / 4 + 2; c += 1 + c / dense)
        for_grid(mesh, c, check);
}

static void for_sides(uint32_t most, uint32_t dense, void (*check)(struct tiling *tiling))
{
    for (uint32_t rows = 1; rows <= most; rows++)
        for (uint32_t cols = 1; cols <= most; cols++)
            for_congestions((struct mesh){rows, cols}, dense, check);
}

static void for_others(uint32_t dense, void (*check)(struct tiling *tiling))
{
    static const struct mesh others[] = {{1, 200}, {200, 1}, {2, 151}, {151, 2},  {3, 97},
                                         {97, 3},  {5, 64},  {64, 64}, {61, 67},  {47, 53},
                                         {30, 90}, {99, 41}, {77, 50}, {101, 101}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        for_congestions(others[i], dense, check);
}

/* ---- seats ---- */

static void check_enough(struct tiling *tiling)
{
    uint32_t most = mesh_nodes(tiling->mesh) / 4;
    uint32_t wanted = tiling->congestion < most ? tiling->congestion : most;
    ck_assert_msg(mesh_nodes(tiling->grid) >= wanted, "%u x %u: %u x %u tiles for c = %u",
                  tiling->mesh.rows, tiling->mesh.cols, tiling->grid.rows, tiling->grid.cols,
                  tiling->congestion);
}

/* the grid has a cycle, and c tiles or n / 4 at least */
START_TEST(enough_tiles)
{
    for_sides(40, 24, check_enough);
    for_others(24, check_enough);
    for_grid((struct mesh){1, 65535}, 100, check_enough);
    for_grid((struct mesh){1024, 1024}, 4096, check_enough);
}
END_TEST

static uint32_t seats_of_tile(const struct tiling *tiling)
{
    return 2 * mesh_nodes(tiling->common);
}

static uint32_t seat_number(const struct tiling *tiling, struct seat seat)
{
    return 2 * (place_row(seat.cell) * tiling->common.cols + place_col(seat.cell)) + seat.is_second;
}

/* Calls `visit` for each node's seat, with the position of its tile. */
static void for_seats(struct tiling *tiling,
                      void (*visit)(void *context, struct seat seat, uint32_t position),
                      void *context)
{
    for (uint32_t row = 0; row < tiling->mesh.rows; row++)
        for (uint32_t col = 0; col < tiling->mesh.cols; col++) {
            node_place node = place_of(row, col);
            visit(context, tile_cycle_seat(&tiling->cycle, node),
                  tile_cycle_position(&tiling->cycle, node));
        }
}

struct seat_table {
    struct tiling *tiling;
    uint8_t *is_taken; /* [position][seat] */
    uint32_t wrong;
};

/* Counts what is wrong instead of asserting it: there are tens of millions of these checks. */
static void take_seat(void *context, struct seat seat, uint32_t position)
{
    struct seat_table *table = context;
    struct mesh common = table->tiling->common;
    bool is_odd = (place_row(seat.cell) + place_col(seat.cell)) % 2;
    table->wrong += seat.goes_forward != (is_odd == seat.is_second);
    if (place_row(seat.cell) >= common.rows || place_col(seat.cell) >= common.cols) {
        table->wrong++;
        return;
    }
    uint32_t number = seat_number(table->tiling, seat);
    uint8_t *is_taken = &table->is_taken[position * seats_of_tile(table->tiling) + number];
    table->wrong += *is_taken;
    *is_taken = true;
}

static void check_seats(struct tiling *tiling)
{
    struct seat_table table = {tiling, calloc(tiling->cycle.count, seats_of_tile(tiling)), 0};
    for_seats(tiling, take_seat, &table);
    ck_assert_msg(table.wrong == 0, "%u x %u, %u x %u tiles: %u seats are wrong", tiling->mesh.rows,
                  tiling->mesh.cols, tiling->grid.rows, tiling->grid.cols, table.wrong);
    free(table.is_taken);
}

/* seats are one to one, at cells that all tiles have, and half of them go each way */
START_TEST(seats)
{
    for_sides(40, 16, check_seats);
    for_others(16, check_seats);
}
END_TEST

/* ---- walks ---- */

struct master {
    uint32_t row, col, home_row, home_col, position;
    struct seat seat;
};

struct walk {
    struct tiling *tiling;
    struct master *master;
    uint32_t masters, peak;
    uint32_t *load;  /* [node] */
    uint32_t *taken; /* [node][direction]: a master's number and 1 */
};

static void add_master(void *context, struct seat seat, uint32_t position)
{
    struct walk *walk = context;
    node_place home = tile_cycle_home(&walk->tiling->cycle, position, seat.cell);
    uint32_t row = place_row(home), col = place_col(home);
    walk->master[walk->masters++] = (struct master){row, col, row, col, position, seat};
    uint32_t load = ++walk->load[row * walk->tiling->mesh.cols + col];
    walk->peak = load > walk->peak ? load : walk->peak;
}

/* A master in every tile for each seat that some tile uses. */
static void crowd_seats(struct walk *walk)
{
    struct tiling *tiling = walk->tiling;
    uint32_t most = seats_of_tile(tiling);
    struct seat_table table = {tiling, calloc(tiling->cycle.count, most), 0};
    for_seats(tiling, take_seat, &table);
    for (uint32_t number = 0; number < most; number++) {
        uint32_t position = 0, cell = number / 2;
        while (position < tiling->cycle.count && !table.is_taken[position * most + number])
            position++;
        uint32_t row = cell / tiling->common.cols, col = cell % tiling->common.cols;
        struct seat seat = {place_of(row, col), number % 2, (row + col + number) % 2 == 0};
        if (position < tiling->cycle.count)
            for (position = 0; position < tiling->cycle.count; position++)
                add_master(walk, seat, position);
    }
    free(table.is_taken);
}

static struct walk walk_make(struct tiling *tiling, bool is_crowded)
{
    size_t nodes = mesh_nodes(tiling->mesh), most = tiling->cycle.count * seats_of_tile(tiling);
    struct walk walk = {.tiling = tiling};
    walk.master = calloc(most > nodes ? most : nodes, sizeof *walk.master);
    walk.load = calloc(nodes, sizeof *walk.load);
    walk.taken = calloc(nodes * DIRECTIONS, sizeof *walk.taken);
    if (is_crowded)
        crowd_seats(&walk);
    else
        for_seats(tiling, add_master, &walk);
    return walk;
}

static void walk_free(struct walk *walk)
{
    free(walk->master);
    free(walk->load);
    free(walk->taken);
}

static void set_homes(struct walk *walk)
{
    uint32_t bent = 0;
    for (uint32_t i = 0; i < walk->masters; i++) {
        struct master *master = &walk->master[i];
        const struct tile_cycle *cycle = &walk->tiling->cycle;
        master->position = tile_cycle_next(cycle, master->position, master->seat.goes_forward);
        node_place home = tile_cycle_home(cycle, master->position, master->seat.cell);
        master->home_row = place_row(home);
        master->home_col = place_col(home);
        bent += master->home_row != master->row && master->home_col != master->col;
    }
    ck_assert_uint_eq(bent, 0);
}

static uint32_t apart(uint32_t a, uint32_t b)
{
    return a < b ? b - a : a - b;
}

static uint32_t to_go(const struct master *master)
{
    return apart(master->row, master->home_row) + apart(master->col, master->home_col);
}

static enum direction towards(const struct master *master)
{
    if (master->row != master->home_row)
        return master->row < master->home_row ? SOUTH : NORTH;
    return master->col < master->home_col ? EAST : WEST;
}

static void ask_for_link(struct walk *walk, uint32_t number)
{
    const struct master *master = &walk->master[number];
    uint32_t node = master->row * walk->tiling->mesh.cols + master->col;
    uint32_t *taken = &walk->taken[node * DIRECTIONS + towards(master)];
    if (*taken == 0 || to_go(master) > to_go(&walk->master[*taken - 1]))
        *taken = number + 1;
}

/* One step; how many moved. Nodes keep count of their masters. */
static uint32_t walk_step(struct walk *walk)
{
    static const int down[DIRECTIONS] = {-1, 1, 0, 0}, right[DIRECTIONS] = {0, 0, -1, 1};
    uint32_t cols = walk->tiling->mesh.cols, nodes = mesh_nodes(walk->tiling->mesh), moved = 0;
    memset(walk->taken, 0, nodes * DIRECTIONS * sizeof *walk->taken);
    for (uint32_t i = 0; i < walk->masters; i++)
        if (to_go(&walk->master[i]) > 0)
            ask_for_link(walk, i);
    for (uint32_t link = 0; link < nodes * DIRECTIONS; link++)
        if (walk->taken[link] > 0) {
            struct master *master = &walk->master[walk->taken[link] - 1];
            walk->load[link / DIRECTIONS]--;
            master->row += (uint32_t)down[link % DIRECTIONS];
            master->col += (uint32_t)right[link % DIRECTIONS];
            walk->load[master->row * cols + master->col]++;
            moved++;
        }
    for (uint32_t node = 0; node < nodes; node++)
        walk->peak = walk->load[node] > walk->peak ? walk->load[node] : walk->peak;
    return moved;
}

/* A leg of the claimed length. */
static void walk_leg(struct walk *walk)
{
    const struct tiling *tiling = walk->tiling;
    uint32_t steps = stream_leg(&tiling->cycle), late = 0;
    set_homes(walk);
    for (uint32_t step = 1; step <= steps; step++)
        if (walk_step(walk) == 0)
            break;
    for (uint32_t i = 0; i < walk->masters; i++)
        late += to_go(&walk->master[i]) > 0;
    ck_assert_msg(late == 0, "%u x %u, %u x %u tiles: %u late after %u steps", tiling->mesh.rows,
                  tiling->mesh.cols, tiling->grid.rows, tiling->grid.cols, late, steps);
}

static void check_walk(struct tiling *tiling, bool is_crowded)
{
    struct walk walk = walk_make(tiling, is_crowded);
    for (uint32_t leg = 1; leg < (is_crowded ? 2 : tiling->cycle.count); leg++)
        walk_leg(&walk);
    ck_assert_msg(walk.peak <= stream_masters(&tiling->cycle),
                  "%u x %u, %u x %u tiles: %u masters at a node, %u were claimed",
                  tiling->mesh.rows, tiling->mesh.cols, tiling->grid.rows, tiling->grid.cols,
                  walk.peak, stream_masters(&tiling->cycle));
    walk_free(&walk);
}

static void check_crowded(struct tiling *tiling)
{
    if (tiling->cycle.count > 1)
        check_walk(tiling, true);
}

static void check_whole(struct tiling *tiling)
{
    check_walk(tiling, false);
}

/* with a master on every seat, more than there can be, all are home after a leg, and no node holds
 * more than the claim at the end of any step */
START_TEST(crowded_leg)
{
    for_sides(40, 3, check_crowded);
    for_others(4, check_crowded);
}
END_TEST

/* so in every leg of a run, with one master from each node */
START_TEST(whole_walk)
{
    for_sides(12, 16, check_whole);
    for_congestions((struct mesh){17, 23}, 3, check_whole);
    for_congestions((struct mesh){5, 40}, 3, check_whole);
    for_congestions((struct mesh){41, 3}, 3, check_whole);
    for_grid((struct mesh){32, 32}, 16, check_whole);
    for_grid((struct mesh){33, 33}, 16, check_whole);
}
END_TEST

Suite *stream_grid_suite(void)
{
    Suite *suite = suite_create("stream_grid");
    TCase *tests = tcase_create("stream_grid");
    tcase_add_test(tests, enough_tiles);
    tcase_add_test(tests, seats);
    tcase_add_test(tests, crowded_leg);
    tcase_add_test(tests, whole_walk);
    suite_add_tcase(suite, tests);
    return suite;
}
