/* test_lower_bound.c - the lower bounds against a slow oracle.
 *
 * The oracle follows the definitions: for every rectangle it asks every message whether its source
 * lies outside and a destination inside (or the other way round), and counts the links over the
 * edge by asking every node for its neighbours. Depths and distances from a rectangle it finds by
 * asking every node, too.
 */
#include "machine/pcg.h"
#include "workloads/crossing.h"
#include "workloads/pattern.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *lower_bound_suite(void);

static bool holds(const struct rectangle *region, struct mesh mesh, node_index node)
{
    uint32_t row = node / mesh.cols, col = node % mesh.cols;
    return row >= region->row && row < region->row + region->rows && col >= region->col &&
           col < region->col + region->cols;
}

/* Links from nodes inside to nodes outside. */
static uint32_t count_links(const struct rectangle *region, struct mesh mesh)
{
    uint32_t links = 0;
    for (node_index v = 0; v < mesh_nodes(mesh); v++) {
        uint32_t row = v / mesh.cols, col = v % mesh.cols;
        if (!holds(region, mesh, v))
            continue;
        links += row > 0 && !holds(region, mesh, v - mesh.cols);
        links += row + 1 < mesh.rows && !holds(region, mesh, v + mesh.cols);
        links += col > 0 && !holds(region, mesh, v - 1);
        links += col + 1 < mesh.cols && !holds(region, mesh, v + 1);
    }
    return links;
}

static uint32_t apart(struct mesh mesh, node_index u, node_index v)
{
    return (uint32_t)(abs((int)(u / mesh.cols) - (int)(v / mesh.cols)) +
                      abs((int)(u % mesh.cols) - (int)(v % mesh.cols)));
}

/* The steps from a node to the nearest one that is inside (or is not). */
static uint32_t steps_to(const struct rectangle *region, struct mesh mesh, node_index node,
                         bool inside)
{
    uint32_t least = UINT32_MAX;
    for (node_index v = 0; v < mesh_nodes(mesh); v++)
        if (holds(region, mesh, v) == inside && apart(mesh, node, v) < least)
            least = apart(mesh, node, v);
    return least;
}

/* The messages that must cross, with so many steps before and after at least. */
static uint64_t crossing_messages(const struct message_set *set, const struct rectangle *region,
                                  bool entering, uint32_t before, uint32_t after)
{
    uint64_t messages = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        bool crosses = false, is_far = after == 0;
        if (holds(region, set->mesh, set->source[i]) == entering)
            continue;
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            node_index to = set->destination[j];
            if (holds(region, set->mesh, to) != entering)
                continue;
            crosses = true;
            is_far = is_far || steps_to(region, set->mesh, to, !entering) > after;
        }
        messages += crosses && is_far &&
                    (before == 0 || steps_to(region, set->mesh, set->source[i], entering) > before);
    }
    return messages;
}

static uint64_t ceiling(uint64_t a, uint64_t b)
{
    return b == 0 ? 0 : (a + b - 1) / b;
}

static void raise(uint64_t *bound, uint64_t value)
{
    *bound = value > *bound ? value : *bound;
}

/* All rectangles, without the ways before and after; and what copies ask of them. */
static void oracle_rectangles(const struct message_set *set, uint64_t steps[BOUND_KINDS])
{
    struct mesh mesh = set->mesh;
    struct rectangle r;
    for (r.row = 0; r.row < mesh.rows; r.row++)
        for (r.rows = 1; r.row + r.rows <= mesh.rows; r.rows++)
            for (r.col = 0; r.col < mesh.cols; r.col++)
                for (r.cols = 1; r.col + r.cols <= mesh.cols; r.cols++) {
                    uint64_t links = count_links(&r, mesh), inside = 0, starts = 0;
                    raise(&steps[BOUND_ENTER],
                          ceiling(crossing_messages(set, &r, true, 0, 0), links));
                    raise(&steps[BOUND_LEAVE],
                          ceiling(crossing_messages(set, &r, false, 0, 0), links));
                    for (uint64_t j = 0; j < set->deliveries; j++)
                        inside += holds(&r, mesh, set->destination[j]);
                    for (uint32_t i = 0; i < set->messages; i++)
                        starts += holds(&r, mesh, set->source[i]);
                    if (inside > starts)
                        raise(&steps[BOUND_COPIES],
                              ceiling(inside - starts, (uint64_t)r.rows * r.cols + links));
                }
}

/* What each node receives from farther than any distance. */
static void oracle_nodes(const struct message_set *set, uint64_t *steps)
{
    for (node_index v = 0; v < mesh_nodes(set->mesh); v++) {
        struct rectangle at = {v / set->mesh.cols, v % set->mesh.cols, 1, 1};
        uint64_t links = count_links(&at, set->mesh);
        for (uint32_t before = 0; before < set->mesh.rows + set->mesh.cols; before++) {
            uint64_t messages = crossing_messages(set, &at, true, before, 0);
            if (messages > 0)
                raise(steps, before + ceiling(messages, links));
        }
    }
}

static void oracle_messages(const struct message_set *set, uint64_t steps[BOUND_KINDS])
{
    for (uint32_t i = 0; i < set->messages; i++) {
        double sum = 0; /* exact: the meshes are small */
        uint64_t split = 0;
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            uint32_t distance = apart(set->mesh, set->source[i], set->destination[j]);
            raise(&steps[BOUND_DISTANCE], distance);
            sum += (double)(UINT64_C(1) << distance);
        }
        while ((double)(UINT64_C(1) << split) < sum)
            split++;
        raise(&steps[BOUND_SPLIT], split);
    }
}

/* A rectangle's reason adds up, and its messages are those that the oracle counts. */
static void check_reason(const struct message_set *set, const struct lower_bounds *bounds,
                         enum lower_bound_kind kind)
{
    const struct bound_reason *reason = &bounds->reason[kind];
    const struct rectangle *at = &reason->rectangle;
    if (bounds->steps[kind] == 0)
        return;
    ck_assert_uint_le(at->row + at->rows, set->mesh.rows);
    ck_assert_uint_le(at->col + at->cols, set->mesh.cols);
    ck_assert_uint_eq(bounds->steps[kind],
                      reason->before + ceiling(reason->messages, reason->links) + reason->after);
    if (kind == BOUND_COPIES)
        return;
    ck_assert_uint_eq(reason->links, count_links(at, set->mesh));
    ck_assert_uint_eq(reason->messages, crossing_messages(set, at, kind != BOUND_LEAVE,
                                                          reason->before, reason->after));
}

static void check_set(const struct message_set *set)
{
    uint64_t steps[BOUND_KINDS] = {0}, node = 0;
    struct lower_bounds bounds;
    struct failure failure = {0};
    ck_assert_int_eq(lower_bounds_compute(set, &bounds, &failure), FAIL_NONE);
    oracle_rectangles(set, steps);
    oracle_messages(set, steps);
    oracle_nodes(set, &node);
    ck_assert_uint_eq(bounds.steps[BOUND_DISTANCE], steps[BOUND_DISTANCE]);
    ck_assert_uint_eq(bounds.steps[BOUND_SPLIT], steps[BOUND_SPLIT]);
    ck_assert_uint_eq(bounds.steps[BOUND_COPIES], steps[BOUND_COPIES]);
    ck_assert_uint_ge(bounds.steps[BOUND_ENTER], steps[BOUND_ENTER]);
    ck_assert_uint_ge(bounds.steps[BOUND_LEAVE], steps[BOUND_LEAVE]);
    ck_assert_uint_le(bounds.steps[BOUND_NODE], node);
    ck_assert_uint_le(node, bounds.steps[lower_bound_best(&bounds, true)]);
    for (int kind = BOUND_NODE; kind < BOUND_KINDS; kind++)
        if (kind != BOUND_SPLIT)
            check_reason(set, &bounds, (enum lower_bound_kind)kind);
}

/* All bounds equal the oracle's, or are above where the ways before and after add to them, and the
 * reasons hold: every pattern, odd, even and oblong meshes, several degrees and congestions. */
START_TEST(bounds_equal_the_oracle)
{
    static const struct mesh MESHES[] = {{1, 1}, {1, 7}, {7, 1}, {2, 2},
                                         {3, 3}, {5, 6}, {8, 8}, {11, 3}};
    static const uint32_t DEGREES[] = {1, 3, 40}, CONGESTIONS[] = {1, 3, 16};
    const struct pattern *pattern = pattern_at((uint32_t)_i);
    if (pattern->needs_graph)
        return;
    for (size_t m = 0; m < sizeof MESHES / sizeof *MESHES; m++)
        for (size_t d = 0; d < 3; d++)
            for (size_t c = 0; c < 3; c++) {
                struct pattern_options options = {.mesh = MESHES[m],
                                                  .degree = DEGREES[d],
                                                  .congestion = CONGESTIONS[c],
                                                  .seed = m + d + c};
                struct message_set set;
                struct failure failure = {0};
                ck_assert_int_eq(pattern_generate(pattern, &options, &set, &failure), FAIL_NONE);
                check_set(&set);
                message_set_free(&set);
            }
}
END_TEST

static struct lower_bounds bounds_of(const char *text)
{
    struct message_set set;
    struct lower_bounds bounds;
    struct failure failure = {0};
    ck_assert_int_eq(message_set_read_memory(&set, text, strlen(text), "text", &failure),
                     FAIL_NONE);
    ck_assert_int_eq(lower_bounds_compute(&set, &bounds, &failure), FAIL_NONE);
    message_set_free(&set);
    return bounds;
}

/* Sets that ask for nothing have no bounds: the empty set, and messages to their own sources. */
START_TEST(nothing_to_do_is_no_bound)
{
    static const char *const TEXTS[] = {"mcast 1 4 4\n", "mcast 1 1 1\n0 0\n",
                                        "mcast 1 3 5\n0 0\n7 7\n14 14\n"};
    for (int i = 0; i < 3; i++) {
        struct lower_bounds bounds = bounds_of(TEXTS[i]);
        for (int kind = 0; kind < BOUND_KINDS; kind++)
            ck_assert_uint_eq(bounds.steps[kind], 0);
        ck_assert_int_eq(lower_bound_best(&bounds, false), BOUND_DISTANCE);
    }
}
END_TEST

/* Known answers, counted by hand: all nodes of a 4 x 4 mesh send to node 0, which has two links. */
START_TEST(all_to_one_by_hand)
{
    struct lower_bounds bounds =
        bounds_of("mcast 1 4 4\n0 0\n1 0\n2 0\n3 0\n4 0\n5 0\n6 0\n7 0\n8 0\n9 0\n10 0\n11 0\n12 "
                  "0\n13 0\n14 0\n15 0\n");
    ck_assert_uint_eq(bounds.steps[BOUND_NODE], 8);  /* 15 messages, 2 links */
    ck_assert_uint_eq(bounds.steps[BOUND_ENTER], 8); /* the same as a rectangle */
    ck_assert_uint_eq(bounds.steps[BOUND_LEAVE], 3); /* 12 messages, 4 links */
    ck_assert_uint_eq(bounds.steps[BOUND_DISTANCE], 6);
    ck_assert_uint_eq(bounds.steps[BOUND_SPLIT], 6);
    ck_assert_int_eq(lower_bound_best(&bounds, false), BOUND_NODE);
}
END_TEST

/* What is far comes late: on a line of six the last three nodes send to the first, over one link,
 * from step 3 on; the rectangle of the last two and the node between say the same. */
START_TEST(distance_adds_to_the_count)
{
    struct lower_bounds bounds = bounds_of("mcast 1 1 6\n3 0\n4 0\n5 0\n");
    ck_assert_uint_eq(bounds.steps[BOUND_NODE], 5);
    ck_assert_uint_eq(bounds.steps[BOUND_LEAVE], 5);
    bounds = bounds_of("mcast 1 1 6\n2 0\n3 0\n4 0\n5 1\n");
    ck_assert_uint_eq(bounds.steps[BOUND_ENTER], 4); /* 4 over a link, or 3 and a step behind it */
    bounds = bounds_of("mcast 1 1 6\n0 3\n1 4\n2 5\n");
    ck_assert_uint_eq(bounds.steps[BOUND_ENTER], 3);
}
END_TEST

/* Where copies cost a step: all to all is n - 1 copies a node; a broadcast splits on its way. */
START_TEST(copies_by_hand)
{
    struct lower_bounds bounds =
        bounds_of("mcast 1 2 2\n0 0 1 2 3\n1 0 1 2 3\n2 0 1 2 3\n3 0 1 2 3\n");
    ck_assert_uint_eq(bounds.steps[BOUND_COPIES], 3);
    ck_assert_uint_eq(bounds.steps[lower_bound_best(&bounds, true)], 2);
    ck_assert_uint_eq(bounds.steps[lower_bound_best(&bounds, false)], 4); /* split: 1 + 2 + 2 + 4 */
    bounds = bounds_of("mcast 1 3 3\n4 1 3 5 7\n");
    ck_assert_uint_eq(bounds.steps[BOUND_SPLIT], 3); /* 4 destinations at distance 1 */
    bounds = bounds_of("mcast 1 1 3\n0 0 2\n");
    ck_assert_uint_eq(bounds.steps[BOUND_SPLIT], 3); /* 1 + 4 is more than 4 */
}
END_TEST

static struct lower_bounds bounds_of_pairs(struct mesh mesh, uint32_t pairs, const node_index *from,
                                           const node_index *to)
{
    struct message_set set;
    struct lower_bounds bounds;
    struct failure failure = {0};
    ck_assert_int_eq(message_set_from_pairs(&set, mesh, pairs, from, to, &failure), FAIL_NONE);
    ck_assert_int_eq(lower_bounds_compute(&set, &bounds, &failure), FAIL_NONE);
    message_set_free(&set);
    return bounds;
}

/* Each of `count` nodes outside the rectangle, spread over the mesh, sends to one inside, in turn. */
static struct lower_bounds crowd_bounds(struct mesh mesh, const struct rectangle *at,
                                        uint32_t count)
{
    uint32_t nodes = mesh_nodes(mesh), pairs = 0, node = 0;
    node_index *from = calloc(count, sizeof *from), *to = calloc(count, sizeof *to);
    ck_assert(from != NULL && to != NULL);
    for (; pairs < count; node = (node + 7919) % nodes) /* a prime: all nodes in turn */
        if (!holds(at, mesh, node)) {
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

/* On meshes larger than the grid of the sweep too: rectangles at an edge, inside, half the mesh. */
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
            bounds.steps[BOUND_ENTER] >= ceiling(outside, count_links(&CASES[i].at, mesh)),
            "%u x %u: %lu", mesh.rows, mesh.cols, (unsigned long)bounds.steps[BOUND_ENTER]);
    }
}
END_TEST

/* Theorem 1's instance has its bound: c |A| messages over the 2 sqrt|A| links of a corner. */
START_TEST(worst_reaches_the_corner_bound)
{
    static const uint32_t SIDES[] = {64, 160};
    for (int i = 0; i < 2; i++) {
        struct pattern_options options = {
            .mesh = {SIDES[i], SIDES[i]}, .congestion = 15, .seed = 1};
        struct message_set set;
        struct lower_bounds bounds;
        struct failure failure = {0};
        uint32_t side = SIDES[i] / 4;
        ck_assert_int_eq(pattern_generate(pattern_find("worst"), &options, &set, &failure),
                         FAIL_NONE);
        ck_assert_int_eq(lower_bounds_compute(&set, &bounds, &failure), FAIL_NONE);
        ck_assert_uint_ge(bounds.steps[BOUND_ENTER], 15 * side * side / (2 * side));
        message_set_free(&set);
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

/* Whether a / b of `found` is that of the oracle's best of the same scale. */
static void check_sweep(const struct message_set *set)
{
    uint64_t messages[2][SWEEP_SCALES][SWEEP_SCALES] = {{{0}}},
             links[2][SWEEP_SCALES][SWEEP_SCALES];
    struct message_sample sample;
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
                        uint64_t crossing = crossing_messages(set, &r, enters, 0, 0);
                        uint64_t over = count_links(&r, set->mesh);
                        if (crossing == 0 ||
                            (messages[enters][y][x] != 0 &&
                             crossing * links[enters][y][x] <= messages[enters][y][x] * over))
                            continue;
                        messages[enters][y][x] = crossing;
                        links[enters][y][x] = over;
                    }
    ck_assert_int_eq(message_sample_take(set, UINT32_MAX, &sample, &failure), FAIL_NONE);
    ck_assert_int_eq(crossing_sweep(&sample, found, &count, &failure), FAIL_NONE);
    for (uint32_t i = 0; i < count; i++) {
        const struct rectangle *at = &found[i].rectangle;
        uint32_t y = scale(at->rows), x = scale(at->cols);
        uint64_t crossing = crossing_count(&sample, &found[i]);
        ck_assert_uint_eq(crossing, crossing_messages(set, at, found[i].enters, 0, 0));
        ck_assert_uint_gt(messages[found[i].enters][y][x], 0);
        ck_assert_uint_eq(crossing * links[found[i].enters][y][x],
                          messages[found[i].enters][y][x] * count_links(at, set->mesh));
        messages[found[i].enters][y][x] = 0;
    }
    for (uint32_t i = 0; i < SWEEP_FOUND; i++)
        ck_assert_uint_eq((&messages[0][0][0])[i], 0);
    message_sample_free(&sample);
}

/* The sweep finds the best rectangle of every scale and direction. */
START_TEST(sweep_sees_all_rectangles)
{
    static const struct mesh MESHES[] = {{1, 9}, {6, 1}, {5, 6}, {8, 7}};
    struct pcg32 random = pcg32_seed(26, 8);
    for (uint32_t i = 0; i < 40; i++) {
        struct message_set set;
        struct failure failure = {0};
        struct mesh mesh = MESHES[i % 4];
        node_index from[300], to[300];
        uint32_t pairs = 1 + pcg32_below(&random, 300);
        uint32_t sources = 1 + pcg32_below(&random, mesh_nodes(mesh));
        for (uint32_t j = 0; j < pairs; j++) {
            from[j] = pcg32_below(&random, sources);
            to[j] = pcg32_below(&random, mesh_nodes(mesh));
        }
        ck_assert_int_eq(message_set_from_pairs(&set, mesh, pairs, from, to, &failure), FAIL_NONE);
        check_sweep(&set);
        message_set_free(&set);
    }
}
END_TEST

/* The names are those of the report, all different. */
START_TEST(names_differ)
{
    ck_assert_str_eq(lower_bound_name(BOUND_DISTANCE), "distance");
    ck_assert_str_eq(lower_bound_name(BOUND_ENTER), "enter-rectangle");
    for (int i = 0; i < BOUND_KINDS; i++)
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(lower_bound_name((enum lower_bound_kind)i),
                             lower_bound_name((enum lower_bound_kind)j));
}
END_TEST

Suite *lower_bound_suite(void)
{
    Suite *suite = suite_create("lower_bound");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, bounds_equal_the_oracle, 0, (int)pattern_count());
    tcase_add_test(tests, nothing_to_do_is_no_bound);
    tcase_add_test(tests, all_to_one_by_hand);
    tcase_add_test(tests, distance_adds_to_the_count);
    tcase_add_test(tests, copies_by_hand);
    tcase_add_test(tests, rectangle_that_no_square_fits);
    tcase_add_test(tests, rectangles_of_large_meshes);
    tcase_add_test(tests, sweep_sees_all_rectangles);
    tcase_add_test(tests, worst_reaches_the_corner_bound);
    tcase_add_test(tests, names_differ);
    suite_add_tcase(suite, tests);
    return suite;
}
