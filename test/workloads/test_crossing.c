/* test_crossing.c - the search for rectangles that many messages must cross.
 *
 * Oracles: all rectangles, counted by the definitions (crossing_oracle.h); and sets made for one.
 */
#include "base/pcg.h"
#include "test/workloads/crossing_oracle.h"
#include "workloads/crossing.h"

#include <check.h>
#include <stdlib.h>

static struct lower_bounds bounds_of_pairs(struct mesh mesh, uint32_t pairs, const node_index *from,
                                           const node_index *to)
{
    struct message_set set;
    struct lower_bounds bounds;
    struct failure failure = {0};
    ck_assert_int_eq(message_set_from_pairs(&set, shape_of_mesh(mesh), pairs, from, to, &failure),
                     FAIL_NONE);
    ck_assert_int_eq(lower_bounds_compute(&set, BOUNDS_ALL, &bounds, &failure), FAIL_NONE);
    message_set_free(&set);
    return bounds;
}

/* Returns the bounds of a set in which each of `count` nodes outside the rectangle, spread over the
 * mesh, sends to one inside, in turn. */
static struct lower_bounds crowd_bounds(struct mesh mesh, const struct rectangle *at,
                                        uint32_t count)
{
    uint32_t nodes = mesh_nodes(mesh), pairs = 0, node = 0;
    node_index *from = calloc(count, sizeof *from), *to = calloc(count, sizeof *to);
    ck_assert(from != NULL && to != NULL);
    for (; pairs < count; node = (node + 7919) % nodes) /* a prime: all nodes in turn */
        if (!oracle_holds(at, mesh, node)) {
            uint32_t place = pairs % (at->rows * at->cols);
            from[pairs] = node;
            to[pairs++] = (at->row + place / at->cols) * mesh.cols + at->col + place % at->cols;
        }
    struct lower_bounds bounds = bounds_of_pairs(mesh, pairs, from, to);
    free(from);
    free(to);
    return bounds;
}

/* 3968 messages over 20 links, into 10 x 5 nodes at the left edge that no square of 2^j fits. */
START_TEST(rectangle_that_no_square_fits)
{
    struct rectangle at = {27, 0, 10, 5};
    struct lower_bounds bounds = crowd_bounds((struct mesh){64, 64}, &at, 3968);
    ck_assert_uint_ge(bounds.steps[BOUND_ENTER], 199);
    ck_assert_uint_eq(bounds.reason[BOUND_ENTER].links, 20);
    ck_assert_int_eq(lower_bound_best(&bounds, true), BOUND_ENTER);
}
END_TEST

/* Also on meshes larger than the grid of the sweep: rectangles at an edge, inside, half the
 * mesh. */
START_TEST(rectangles_of_large_meshes)
{
    static const struct {
        struct mesh mesh;
        struct rectangle at;
    } CASES[] = {{{200, 150}, {0, 31, 37, 22}},    {{200, 150}, {77, 13, 21, 59}},
                 {{256, 256}, {129, 0, 127, 256}}, {{97, 301}, {90, 200, 7, 101}},
                 {{1, 700}, {0, 123, 1, 50}},      {{500, 3}, {333, 0, 167, 3}}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct mesh mesh = CASES[i].mesh;
        uint32_t outside = mesh_nodes(mesh) - CASES[i].at.rows * CASES[i].at.cols;
        struct lower_bounds bounds = crowd_bounds(mesh, &CASES[i].at, outside);
        ck_assert_msg(
            bounds.steps[BOUND_ENTER] >= oracle_ceiling(outside, oracle_links(&CASES[i].at, mesh)),
            "%u x %u: %lu", mesh.rows, mesh.cols, (unsigned long)bounds.steps[BOUND_ENTER]);
    }
}
END_TEST

static uint32_t scale(uint32_t length)
{
    uint32_t bits = 0;
    while (length >> (bits + 1) != 0)
        bits++;
    return bits;
}

/* Checks that a / b of `found` is that of the oracle's best of the same scale. */
static void check_sweep(const struct message_set *set)
{
    uint64_t messages[2][SWEEP_SCALES][SWEEP_SCALES] = {{{0}}},
             links[2][SWEEP_SCALES][SWEEP_SCALES];
    struct message_set sample;
    struct crossing found[SWEEP_FOUND];
    struct failure failure = {0};
    struct rectangle r;
    uint32_t count;
    for (r.row = 0; r.row < set->mesh.rows; r.row++)
        for (r.rows = 1; r.row + r.rows <= set->mesh.rows; r.rows++)
            for (r.col = 0; r.col < set->mesh.cols; r.col++)
                for (r.cols = 1; r.col + r.cols <= set->mesh.cols; r.cols++)
                    for (int enters = 0; enters < 2; enters++) {
                        uint32_t y = scale(r.rows), x = scale(r.cols);
                        uint64_t crossing = oracle_crossings(set, &r, enters, 0, 0);
                        uint64_t over = oracle_links(&r, set->mesh);
                        if (crossing == 0 ||
                            (messages[enters][y][x] != 0 &&
                             crossing * links[enters][y][x] <= messages[enters][y][x] * over))
                            continue;
                        messages[enters][y][x] = crossing;
                        links[enters][y][x] = over;
                    }
    ck_assert_int_eq(sample_take(set, UINT32_MAX, &sample, &failure), FAIL_NONE);
    ck_assert_int_eq(crossing_sweep(&sample, found, &count, &failure), FAIL_NONE);
    for (uint32_t i = 0; i < count; i++) {
        const struct rectangle *at = &found[i].rectangle;
        uint32_t y = scale(at->rows), x = scale(at->cols);
        uint64_t crossing = crossing_count(&sample, &found[i]);
        ck_assert_uint_eq(crossing, oracle_crossings(set, at, found[i].enters, 0, 0));
        ck_assert_uint_gt(messages[found[i].enters][y][x], 0);
        ck_assert_uint_eq(crossing * links[found[i].enters][y][x],
                          messages[found[i].enters][y][x] * oracle_links(at, set->mesh));
        messages[found[i].enters][y][x] = 0;
    }
    for (uint32_t i = 0; i < SWEEP_FOUND; i++)
        ck_assert_uint_eq((&messages[0][0][0])[i], 0);
    message_set_free(&sample);
}

/* The sweep finds the best rectangle of every scale and direction. */
START_TEST(sweep_sees_all_rectangles)
{
    static const struct mesh MESHES[] = {{1, 9}, {6, 1}, {5, 6}, {8, 7}, {13, 11}};
    struct pcg32 random = pcg32_seed(26, 8);
    for (uint32_t i = 0; i < 100; i++) {
        struct message_set set;
        struct failure failure = {0};
        struct mesh mesh = MESHES[i % (sizeof MESHES / sizeof *MESHES)];
        node_index from[300], to[300];
        uint32_t pairs = 1 + pcg32_below(&random, 300);
        uint32_t sources = 1 + pcg32_below(&random, mesh_nodes(mesh));
        for (uint32_t j = 0; j < pairs; j++) {
            from[j] = pcg32_below(&random, sources);
            to[j] = pcg32_below(&random, mesh_nodes(mesh));
        }
        ck_assert_int_eq(
            message_set_from_pairs(&set, shape_of_mesh(mesh), pairs, from, to, &failure),
            FAIL_NONE);
        check_sweep(&set);
        message_set_free(&set);
    }
}
END_TEST

void crossing_suite(TCase *tests)
{
    tcase_add_test(tests, rectangle_that_no_square_fits);
    tcase_add_test(tests, rectangles_of_large_meshes);
    tcase_add_test(tests, sweep_sees_all_rectangles);
}
