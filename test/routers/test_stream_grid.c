/* test_stream_grid.c - the tiles of the streaming router, its masters' seats, and their walk.
 *
 * Oracle: a mesh of the test's own on which masters walk, one per link and step, the farthest
 * first, with none of the machine's code. The walk is checked twice. Crowded: one leg with a master
 * on every seat that some tile uses, in all tiles at once, which is more than there can be. Whole:
 * all legs of a run, with one master from each node.
 */
#include "routers/stream_walk.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

struct master {
    uint32_t row, col, home_row, home_col, position;
    struct seat seat;
};

struct walk {
    struct mesh mesh, common; /* common: the cells that all tiles have */
    struct tile_cycle cycle;
    uint32_t masters, peak;
    struct master *master;
    uint32_t *load, *taken; /* [node]; [node][direction]: a master's number and 1 */
    uint8_t *is_used;       /* [position][cell][second] */
};

static void add_master(struct walk *walk, struct seat seat, uint32_t position)
{
    node_place home = tile_cycle_home(&walk->cycle, position, seat.cell);
    uint32_t row = place_row(home), col = place_col(home);
    walk->master[walk->masters++] = (struct master){row, col, row, col, position, seat};
    uint32_t load = ++walk->load[row * walk->mesh.cols + col];
    walk->peak = load > walk->peak ? load : walk->peak;
}

/* Seats are one to one, in cells that all tiles have, and go the way of their cell's colour. */
static void take_seats(struct walk *walk, bool is_crowded)
{
    uint32_t seats = 2 * mesh_nodes(walk->common);
    for (uint32_t node = 0; node < mesh_nodes(walk->mesh); node++) {
        node_place place = mesh_place(walk->mesh, node);
        struct seat seat = tile_cycle_seat(&walk->cycle, place);
        uint32_t position = tile_cycle_position(&walk->cycle, place);
        uint32_t row = place_row(seat.cell), col = place_col(seat.cell);
        ck_assert(row < walk->common.rows && col < walk->common.cols);
        uint32_t number = 2 * (row * walk->common.cols + col) + seat.is_second;
        ck_assert(seat.goes_forward == ((row + col) % 2 == seat.is_second));
        ck_assert(walk->is_used[position * seats + number]++ == 0);
        if (!is_crowded)
            add_master(walk, seat, position);
    }
    for (uint32_t number = 0; is_crowded && number < seats; number++) {
        uint32_t row = number / 2 / walk->common.cols, col = number / 2 % walk->common.cols,
                 users = 0;
        struct seat seat = {place_of(row, col), number % 2, (row + col + number) % 2 == 0};
        for (uint32_t position = 0; position < walk->cycle.count; position++)
            users += walk->is_used[position * seats + number];
        for (uint32_t position = 0; users > 0 && position < walk->cycle.count; position++)
            add_master(walk, seat, position);
    }
}

static int to_go(const struct master *master)
{
    return abs((int)master->row - (int)master->home_row) +
           abs((int)master->col - (int)master->home_col);
}

static enum direction towards(const struct master *master)
{
    if (master->row != master->home_row)
        return master->row < master->home_row ? SOUTH : NORTH;
    return master->col < master->home_col ? EAST : WEST;
}

/* Moves one master over each link that some master wants. */
static void step(struct walk *walk)
{
    static const int down[DIRECTIONS] = {-1, 1, 0, 0}, right[DIRECTIONS] = {0, 0, -1, 1};
    uint32_t cols = walk->mesh.cols, nodes = mesh_nodes(walk->mesh);
    memset(walk->taken, 0, nodes * DIRECTIONS * sizeof *walk->taken);
    for (uint32_t i = 0; i < walk->masters; i++) {
        const struct master *master = &walk->master[i];
        uint32_t node = master->row * cols + master->col;
        uint32_t *taken = &walk->taken[node * DIRECTIONS + towards(master)];
        if (to_go(master) > 0 && (*taken == 0 || to_go(master) > to_go(&walk->master[*taken - 1])))
            *taken = i + 1;
    }
    for (uint32_t link = 0; link < nodes * DIRECTIONS; link++)
        if (walk->taken[link] > 0) {
            struct master *master = &walk->master[walk->taken[link] - 1];
            walk->load[link / DIRECTIONS]--;
            master->row += (uint32_t)down[link % DIRECTIONS];
            master->col += (uint32_t)right[link % DIRECTIONS];
            walk->load[master->row * cols + master->col]++;
        }
    for (uint32_t node = 0; node < nodes; node++)
        walk->peak = walk->load[node] > walk->peak ? walk->load[node] : walk->peak;
}

/* Walks a leg: along one line, and all are home within its length. */
static void walk_leg(struct walk *walk)
{
    uint32_t bent = 0, late = 0;
    for (uint32_t i = 0; i < walk->masters; i++) {
        struct master *master = &walk->master[i];
        bool forward = master->seat.goes_forward;
        master->position = tile_cycle_next(&walk->cycle, master->position, forward);
        node_place home = tile_cycle_home(&walk->cycle, master->position, master->seat.cell);
        master->home_row = place_row(home);
        master->home_col = place_col(home);
        bent += master->home_row != master->row && master->home_col != master->col;
    }
    for (uint32_t i = 0; i < stream_leg(&walk->cycle); i++)
        step(walk);
    for (uint32_t i = 0; i < walk->masters; i++)
        late += to_go(&walk->master[i]) > 0;
    ck_assert_msg(bent + late == 0, "%u x %u, %u tiles: %u bent, %u late", walk->mesh.rows,
                  walk->mesh.cols, walk->cycle.count, bent, late);
}

/* Checks the grid for this congestion, its seats, and the walk. */
static void check_grid(struct mesh mesh, uint32_t congestion, bool is_crowded)
{
    struct mesh grid = stream_grid(mesh, congestion);
    uint32_t nodes = mesh_nodes(mesh), wanted = congestion < nodes / 4 ? congestion : nodes / 4;
    struct walk walk = {.mesh = mesh, .common = {mesh.rows / grid.rows, mesh.cols / grid.cols}};
    struct tessellation tiles;
    ck_assert_uint_ge(mesh_nodes(grid), wanted);
    ck_assert_int_eq(tessellation_grid(&tiles, mesh, grid, NULL), FAIL_NONE);
    ck_assert_int_eq(tile_cycle_make_turning(&walk.cycle, &tiles, NULL), FAIL_NONE);
    size_t seats = (size_t)walk.cycle.count * 2 * mesh_nodes(walk.common);
    walk.master = calloc(seats > nodes ? seats : nodes, sizeof *walk.master);
    walk.load = calloc(nodes, sizeof *walk.load);
    walk.taken = calloc((size_t)nodes * DIRECTIONS, sizeof *walk.taken);
    walk.is_used = calloc(seats, 1);
    take_seats(&walk, is_crowded);
    for (uint32_t leg = 1; leg < (is_crowded && walk.cycle.count > 1 ? 2 : walk.cycle.count); leg++)
        walk_leg(&walk);
    ck_assert_msg(walk.peak <= stream_masters(&walk.cycle), "%u x %u, %u tiles: %u masters",
                  mesh.rows, mesh.cols, walk.cycle.count, walk.peak);
    free(walk.master);
    free(walk.load);
    free(walk.taken);
    free(walk.is_used);
    tile_cycle_free(&walk.cycle);
    tessellation_free(&tiles);
}

/* Congestions one by one, then in growing strides. */
static void check_mesh(struct mesh mesh, uint32_t dense, bool is_crowded)
{
    for (uint32_t c = 1; c <= mesh_nodes(mesh) / 4 + 2; c += 1 + c / dense)
        check_grid(mesh, c, is_crowded);
}

START_TEST(crowded_leg)
{
    static const struct mesh others[] = {{1, 200}, {200, 1}, {2, 151}, {97, 3},
                                         {5, 64},  {64, 64}, {61, 67}, {101, 101}};
    for (uint32_t nodes = 0; nodes < 40 * 40; nodes++)
        check_mesh((struct mesh){1 + nodes / 40, 1 + nodes % 40}, 3, true);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        check_mesh(others[i], 4, true);
}
END_TEST

START_TEST(whole_walk)
{
    for (uint32_t nodes = 0; nodes < 12 * 12; nodes++)
        check_mesh((struct mesh){1 + nodes / 12, 1 + nodes % 12}, 16, false);
    check_mesh((struct mesh){17, 23}, 3, false);
    check_grid((struct mesh){33, 33}, 16, false);
}
END_TEST

void stream_grid_suite(TCase *tests)
{
    tcase_add_test(tests, crowded_leg);
    tcase_add_test(tests, whole_walk);
}
