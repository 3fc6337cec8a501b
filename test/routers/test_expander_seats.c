/* test_expander_seats.c - where the replicas of a group sit: each alone, few of a row in a column; and in the order
 * of their entries in the graph.
 *
 * Oracle: counting over all replicas.
 */
#include "routers/expander_run.h"

#include "base/pcg.h"
#include "test/length.h"

#include <check.h>
#include <stdlib.h>

Suite *expander_seats_suite(void);

/* t of a random graph: all seats are drawn, as its permutation is. */
enum { RANDOM_MOST = 9 };

struct scene {
    struct mesh mesh;
    uint32_t replicas;
    struct tessellation tiles;
    struct tile_cycle cycle;
    struct expander graph;
    struct expander_seats seats;
};

/* All but graph and seats. */
static void scene_make(struct scene *scene, struct mesh mesh, uint32_t tiles, uint32_t replicas)
{
    *scene = (struct scene){.mesh = mesh, .replicas = replicas};
    ck_assert_int_eq(tessellation_make(&scene->tiles, mesh, tiles, NULL), FAIL_NONE);
    ck_assert_int_eq(tile_cycle_make(&scene->cycle, &scene->tiles, NULL), FAIL_NONE);
}

static void scene_free(struct scene *scene)
{
    expander_free(&scene->graph);
    tile_cycle_free(&scene->cycle);
    tessellation_free(&scene->tiles);
}

static uint32_t inputs_of(const struct scene *scene)
{
    return (mesh_nodes(scene->mesh) + scene->replicas - 1) / scene->replicas;
}

/* Each seat is in its group's tile, in a cell that all tiles have, and has one replica; no node has
 * more than two entries. */
static void check_alone(const struct scene *scene)
{
    const struct expander_seats *seats = &scene->seats;
    const struct tile_cycle *cycle = &scene->cycle;
    struct mesh mesh = scene->mesh;
    uint8_t *layers = calloc(mesh_nodes(mesh), sizeof *layers);
    uint8_t *entries = calloc(mesh_nodes(mesh), sizeof *entries);
    for (uint32_t i = 0; i < inputs_of(scene) * scene->graph.degree; i++) {
        uint32_t input = i / scene->graph.degree, j = i % scene->graph.degree, layer;
        node_place seat = expander_seat(seats, input, j, &layer);
        node_place cell = place_in_tile(cycle->tiles, seat),
                   entry = expander_entry(seats, input, j);
        uint32_t tile = cycle->tile[tile_cycle_position(cycle, seat)];
        ck_assert_uint_eq(tile, expander_tile(seats, expander_neighbour(&scene->graph, input, j)));
        ck_assert_uint_lt(place_row(cell), seats->cells.rows);
        ck_assert_uint_lt(place_col(cell), seats->cells.cols);
        ck_assert_uint_lt(layer, seats->layers);
        uint8_t *taken = &layers[place_row(seat) * mesh.cols + place_col(seat)];
        ck_assert((*taken & 1 << layer) == 0);
        *taken |= (uint8_t)(1 << layer);
        ck_assert_uint_le(++entries[place_row(entry) * mesh.cols + place_col(entry)], 2);
    }
    free(layers);
    free(entries);
}

/* The most replicas of one row of the mesh whose seats are in one column. */
static uint32_t count_turning(const struct scene *scene)
{
    const struct expander_seats *seats = &scene->seats;
    struct mesh mesh = scene->mesh;
    uint32_t most = 0, *turn = calloc(mesh_nodes(mesh), sizeof *turn);
    for (uint32_t i = 0; i < inputs_of(scene) * scene->graph.degree; i++) {
        uint32_t input = i / scene->graph.degree, j = i % scene->graph.degree, layer;
        uint32_t col = place_col(expander_seat(seats, input, j, &layer));
        uint32_t here = ++turn[place_row(expander_entry(seats, input, j)) * mesh.cols + col];
        most = here > most ? here : most;
    }
    free(turn);
    return most;
}

static void check_seats(struct scene *scene, uint32_t most)
{
    struct expander_seats *seats = &scene->seats;
    struct failure failure = {0};
    enum failure_kind kind = expander_seats_make(seats, &scene->graph, &scene->cycle, &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
    check_alone(scene);
    uint32_t turning = count_turning(scene);
    ck_assert_msg(turning <= most, "t = %u, at most %u was expected", turning, most);
    ck_assert_uint_le(seats->there.turning, turning);
    if (seats->layers > 1 || mesh_nodes(scene->mesh) % scene->replicas != 0)
        return;
    uint64_t around = (uint64_t)scene->mesh.rows + scene->mesh.cols;
    ck_assert_uint_le(seats->there.packets, seats->there.turning + 2);
    ck_assert_uint_le(seats->home.packets, seats->home.turning + 2);
    ck_assert_uint_le(seats->there.steps, around - 2);
    ck_assert_uint_le(seats->home.steps, around - 2);
}

static const struct {
    struct mesh mesh;
    uint32_t tiles, replicas;
    uint32_t rs_most; /* 0: no such graph */
} CASES[] = {
    {{16, 16}, 16, 4, 1},     {{32, 32}, 16, 4, 1},  {{32, 32}, 64, 4, 2},
    {{64, 64}, 16, 4, 1},     {{64, 64}, 64, 4, 1},  {{64, 64}, 256, 4, 4},
    {{128, 128}, 64, 4, 1},   {{33, 33}, 16, 4, 0},  {{61, 67}, 64, 3, 0},
    {{50, 20}, 16, 4, 0},     {{40, 64}, 32, 3, 0},  {{64, 64}, 64, 4, 2},
    {{1, 1024}, 16, 4, 0},    {{1024, 1}, 16, 4, 0}, {{128, 128}, 1024, 4, 2},
    {{256, 256}, 1024, 4, 3},
};

START_TEST(of_random_graphs)
{
    for (uint64_t seed = 1; seed <= (TEST_IS_SHORT ? 1 : 4); seed++) {
        struct scene scene;
        scene_make(&scene, CASES[_i].mesh, CASES[_i].tiles, CASES[_i].replicas);
        ck_assert_int_eq(expander_random(&scene.graph, inputs_of(&scene), CASES[_i].tiles,
                                         CASES[_i].replicas, seed, NULL),
                         FAIL_NONE);
        check_seats(&scene, RANDOM_MOST);
        scene_free(&scene);
    }
}
END_TEST

START_TEST(of_reed_solomon_graphs)
{
    struct scene scene;
    uint32_t r = CASES[_i].replicas, q = CASES[_i].tiles / r;
    if (CASES[_i].rs_most == 0)
        return;
    scene_make(&scene, CASES[_i].mesh, CASES[_i].tiles, CASES[_i].replicas);
    uint32_t inputs = (inputs_of(&scene) + q - 1) / q * q;
    ck_assert_int_eq(
        expander_reed_solomon(&scene.graph, inputs, r, q, expander_dimension(inputs, q), NULL),
        FAIL_NONE);
    check_seats(&scene, CASES[_i].rs_most);
    scene_free(&scene);
}
END_TEST

/* Graphs that crowd: near inputs have the same groups, in order, in reverse, or in blocks. */
START_TEST(of_crowded_graphs)
{
    for (uint32_t kind = 0; kind < 4; kind++) {
        struct scene scene;
        struct pcg32 random = pcg32_seed(kind, 1);
        scene_make(&scene, CASES[_i].mesh, CASES[_i].tiles, CASES[_i].replicas);
        struct expander *graph = &scene.graph;
        ck_assert_int_eq(
            expander_random(graph, inputs_of(&scene), CASES[_i].tiles, CASES[_i].replicas, 1, NULL),
            FAIL_NONE);
        uint32_t entries = graph->inputs * graph->degree;
        for (uint32_t i = 0; i < entries; i++)
            graph->entry[i] = kind == 0 ? i : entries - 1 - i;
        for (uint32_t i = 0; i < entries && kind >= 2; i++) { /* near ones change places */
            uint32_t other = i + pcg32_below(&random, kind == 2 ? 20 : 300), held = graph->entry[i];
            other = other < entries ? other : i;
            graph->entry[i] = graph->entry[other];
            graph->entry[other] = held;
        }
        check_seats(&scene, UINT32_MAX);
        scene_free(&scene);
    }
}
END_TEST

Suite *expander_seats_suite(void)
{
    const int cases = sizeof CASES / sizeof CASES[0];
    Suite *suite = suite_create("expander_seats");
    TCase *tests = tcase_create("expander_seats");
    tcase_add_loop_test(tests, of_random_graphs, 0, cases);
    tcase_add_loop_test(tests, of_reed_solomon_graphs, 0, cases);
    tcase_add_loop_test(tests, of_crowded_graphs, 0, cases);
    suite_add_tcase(suite, tests);
    return suite;
}
