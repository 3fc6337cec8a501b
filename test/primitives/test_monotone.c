/* test_monotone.c - spread and pack: every packet at its place, in h + w - 2 steps, within buffers.
 *
 * A case is a set F of places of the snake: the i-th place of F and the snake's place i are the two
 * ends of packet i, some of which are missing. Capacities are those of monotone.h, and the audit
 * reads every trace.
 */
#include "primitives/monotone.h"

#include "base/pcg.h"
#include "primitives/prefix.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <stdlib.h>

Suite *monotone_suite(void);

enum { MOST_NODES = 4096, SPREAD_BUFFER = 4, PACK_BUFFER = 6 };
enum place { OUTSIDE, PRESENT, MISSING }; /* of F with its packet, or without */

struct scene {
    struct mesh mesh;
    uint64_t tiles;
    enum monotone_direction direction, order; /* order: as which it is routed */
    uint32_t buffer;
    enum place place[MOST_NODES]; /* [number in the tile's snake], the same for all tiles */
};

static node_index node_of(struct mesh mesh, struct interval rows, struct interval cols,
                          uint32_t number)
{
    node_place place = snake_place(rows, cols, number);
    return place_row(place) * mesh.cols + place_col(place);
}

/* Injects the packets of one tile; expected[node] is the packet that must end there. */
static void inject_tile(struct machine_run *run, const struct scene *scene, struct interval rows,
                        struct interval cols, uint32_t *expected)
{
    uint32_t nodes = (rows.end - rows.start) * (cols.end - cols.start), near = 0;
    for (uint32_t far = 0; far < nodes; far++) {
        if (scene->place[far] == OUTSIDE)
            continue;
        node_index a = node_of(scene->mesh, rows, cols, near++);
        node_index b = node_of(scene->mesh, rows, cols, far);
        bool spreads = scene->direction == MONOTONE_SPREAD;
        if (scene->place[far] == PRESENT)
            expected[spreads ? b : a] =
                run_inject_target(run, spreads ? a : b, spreads ? b : a, false);
    }
}

static void check_places(const struct machine_run *run, const uint32_t *expected, uint32_t nodes)
{
    for (node_index node = 0; node < nodes; node++) {
        uint32_t packet = machine_first_resting(run->machine, node);
        ck_assert_uint_eq(packet, expected[node]);
        if (packet != MACHINE_NONE)
            ck_assert_uint_eq(machine_next_resting(run->machine, packet), MACHINE_NONE);
    }
}

/* Runs the scene; gives the peak. */
static uint32_t run_scene(const struct scene *scene)
{
    struct machine_run run;
    struct tessellation tiles;
    struct failure failure = {0};
    uint32_t nodes = mesh_nodes(scene->mesh), expected[MOST_NODES];
    struct machine_config config = {.slots = nodes, .buffer = scene->buffer};
    run_start(&run, scene->mesh.rows, scene->mesh.cols, config);
    ck_assert_int_eq(tessellation_make(&tiles, scene->mesh, scene->tiles, NULL), FAIL_NONE);
    for (node_index node = 0; node < nodes; node++)
        expected[node] = MACHINE_NONE;
    const struct axis *row = &tiles.row, *col = &tiles.col;
    for (uint32_t i = 0; i < axis_intervals(row); i++)
        for (uint32_t j = 0; j < axis_intervals(col); j++)
            inject_tile(&run, scene, axis_interval(row, i), axis_interval(col, j), expected);
    enum failure_kind kind =
        monotone_route(run.machine, &tiles, scene->order, "monotone", &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
    check_places(&run, expected, nodes);
    ck_assert_uint_eq(machine_counts(run.machine)->steps, row->cut[1] + col->cut[1] - 2);
    ck_assert_uint_eq(machine_counts(run.machine)->word_hops, 0);
    run_audit(&run);
    uint32_t peak = machine_counts(run.machine)->peak;
    tessellation_free(&tiles);
    run_end(&run);
    return peak;
}

static uint32_t run_both(struct scene *scene)
{
    scene->order = scene->direction = MONOTONE_SPREAD;
    scene->buffer = SPREAD_BUFFER;
    uint32_t peak = run_scene(scene);
    scene->order = scene->direction = MONOTONE_PACK;
    scene->buffer = PACK_BUFFER;
    uint32_t other = run_scene(scene);
    return peak > other ? peak : other;
}

/* all sets of places of meshes of up to 9 nodes, and every 61st of 4 x 4 */
START_TEST(all_sets)
{
    static const struct mesh meshes[] = {{1, 7}, {7, 1}, {2, 4}, {3, 3}, {4, 2}, {4, 4}};
    static struct scene scene = {.tiles = 1};
    scene.mesh = meshes[_i];
    uint32_t nodes = mesh_nodes(scene.mesh);
    for (uint32_t set = 0; set >> nodes == 0; set += nodes < 16 ? 1 : 61) {
        for (uint32_t i = 0; i < nodes; i++)
            scene.place[i] = set >> i & 1 ? PRESENT : OUTSIDE;
        run_both(&scene);
    }
}
END_TEST

/* A set whose density changes from column to column or row to row, with packets missing. */
static void random_set(struct scene *scene, uint64_t seed)
{
    struct pcg32 random = pcg32_seed(seed, 82);
    uint32_t one = pcg32_below(&random, 101), other = pcg32_below(&random, 101);
    uint32_t period = 1 + pcg32_below(&random, 8), missing = pcg32_below(&random, 60);
    bool by_rows = pcg32_below(&random, 2);
    for (uint32_t i = 0; i < mesh_nodes(scene->mesh); i++) {
        uint32_t row = i / scene->mesh.cols, col = i % scene->mesh.cols;
        col = row % 2 == 0 ? col : scene->mesh.cols - 1 - col;
        uint32_t density = (by_rows ? row : col) / period % 2 == 0 ? one : other;
        bool inside = pcg32_below(&random, 100) < density;
        scene->place[i] = !inside                               ? OUTSIDE
                          : pcg32_below(&random, 100) < missing ? MISSING
                                                                : PRESENT;
    }
}

/* random sets, dense and sparse, whole and with gaps, on meshes of all shapes: 4 packets per node */
START_TEST(random_sets)
{
    static struct scene scene = {.tiles = 1};
    for (uint64_t seed = 0; seed < 250; seed++) {
        struct pcg32 random = pcg32_seed(seed, 83);
        scene.mesh = (struct mesh){1 + pcg32_below(&random, 24), 1 + pcg32_below(&random, 24)};
        random_set(&scene, seed);
        ck_assert_uint_le(run_both(&scene), 4);
    }
}
END_TEST

/* tiles side by side take the steps of one; they are square, so that all have the same places */
START_TEST(tiles_side_by_side)
{
    static struct scene scene = {.tiles = 16, .mesh = {8, 8}};
    for (uint64_t seed = 0; seed < 20; seed++) {
        scene.mesh = (struct mesh){32, 32};
        random_set(&scene, seed);
        run_both(&scene);
    }
}
END_TEST

/* two columns pack into two rows: in the wrong order a queue of half the side, in the right one not */
START_TEST(crossed)
{
    static struct scene scene = {.tiles = 1, .direction = MONOTONE_PACK};
    for (uint32_t side = 16; side <= 64; side *= 2) {
        scene.mesh = (struct mesh){side, side};
        for (uint32_t i = 0; i < side * side; i++) {
            uint32_t col = i / side % 2 == 0 ? i % side : side - 1 - i % side;
            scene.place[i] = col < 2 ? PRESENT : OUTSIDE;
        }
        scene.order = MONOTONE_PACK;
        ck_assert_uint_le(run_scene(&scene), 2);
        scene.order = MONOTONE_SPREAD;
        ck_assert_uint_eq(run_scene(&scene), side / 2);
    }
}
END_TEST

Suite *monotone_suite(void)
{
    Suite *suite = suite_create("monotone");
    TCase *tests = tcase_create("monotone");
    tcase_add_loop_test(tests, all_sets, 0, 6);
    tcase_add_test(tests, random_sets);
    tcase_add_test(tests, tiles_side_by_side);
    tcase_add_test(tests, crossed);
    suite_add_tcase(suite, tests);
    return suite;
}
