/* test_lower_bound.c - the lower bounds against a slow oracle.
 *
 * The oracle follows the definitions: for every square it asks every message whether its source
 * lies outside and a destination inside (or the other way round), and counts the links over the
 * square's edge by asking every node for its neighbours.
 */
#include "workloads/lower_bound.h"
#include "workloads/pattern.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *lower_bound_suite(void);

struct region {
    uint32_t row, col, rows, cols;
};

static bool holds(const struct region *region, struct mesh mesh, node_index node)
{
    uint32_t row = node / mesh.cols, col = node % mesh.cols;
    return row >= region->row && row < region->row + region->rows && col >= region->col &&
           col < region->col + region->cols;
}

/* Links from nodes inside to nodes outside. */
static uint32_t count_links(const struct region *region, struct mesh mesh)
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

static uint64_t crossing_bound(const struct message_set *set, const struct region *region,
                               bool entering)
{
    uint64_t messages = 0, links = count_links(region, set->mesh);
    for (uint32_t i = 0; i < set->messages; i++) {
        bool crosses = false;
        if (holds(region, set->mesh, set->source[i]) == entering)
            continue;
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++)
            crosses |= holds(region, set->mesh, set->destination[j]) == entering;
        messages += crosses;
    }
    return links == 0 ? 0 : (messages + links - 1) / links;
}

static void raise(uint64_t *bound, uint64_t value)
{
    *bound = value > *bound ? value : *bound;
}

static void oracle_squares(const struct message_set *set, uint64_t steps[BOUND_KINDS])
{
    struct mesh mesh = set->mesh;
    uint32_t longer = mesh.rows > mesh.cols ? mesh.rows : mesh.cols;
    for (uint32_t side = 1; side < 2 * longer; side *= 2)
        for (uint32_t row = 0; row < mesh.rows; row += side)
            for (uint32_t col = 0; col < mesh.cols; col += side) {
                struct region region = {row, col, side, side};
                raise(&steps[BOUND_ENTER_SQUARE], crossing_bound(set, &region, true));
                raise(&steps[BOUND_LEAVE_SQUARE], crossing_bound(set, &region, false));
                if (side == 1)
                    raise(&steps[BOUND_NODE], crossing_bound(set, &region, true));
            }
}

static void oracle_corners(const struct message_set *set, uint64_t steps[BOUND_KINDS])
{
    struct mesh mesh = set->mesh;
    uint32_t side = 1, c = message_set_congestion(set);
    while ((side + 1) * (side + 1) * (c + 1) <= mesh_nodes(mesh) && side < mesh.rows &&
           side < mesh.cols)
        side++;
    for (int i = 0; i < 4; i++) {
        struct region region = {i & 1 ? mesh.rows - side : 0, i & 2 ? mesh.cols - side : 0, side,
                                side};
        raise(&steps[BOUND_ENTER_CORNER], crossing_bound(set, &region, true));
        raise(&steps[BOUND_LEAVE_CORNER], crossing_bound(set, &region, false));
    }
}

static void oracle_distance(const struct message_set *set, uint64_t steps[BOUND_KINDS])
{
    for (uint32_t i = 0; i < set->messages; i++)
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            int cols = (int)set->mesh.cols, from = (int)set->source[i];
            int to = (int)set->destination[j];
            raise(&steps[BOUND_DISTANCE],
                  (uint64_t)(abs(from / cols - to / cols) + abs(from % cols - to % cols)));
        }
}

static void check_squares(const struct message_set *set, const struct lower_bounds *bounds)
{
    for (int kind = BOUND_ENTER_SQUARE; kind < BOUND_KINDS; kind++) {
        struct region region = {bounds->square[kind].row, bounds->square[kind].col,
                                bounds->square[kind].rows, bounds->square[kind].cols};
        bool entering = kind != BOUND_LEAVE_SQUARE && kind != BOUND_LEAVE_CORNER;
        if (bounds->steps[kind] == 0)
            continue;
        ck_assert_uint_le(region.row + region.rows, set->mesh.rows);
        ck_assert_uint_le(region.col + region.cols, set->mesh.cols);
        ck_assert_uint_eq(bounds->steps[kind], crossing_bound(set, &region, entering));
    }
}

static void check_set(const struct message_set *set)
{
    uint64_t steps[BOUND_KINDS] = {0};
    struct lower_bounds bounds;
    struct failure failure = {0};
    ck_assert_int_eq(lower_bounds_compute(set, &bounds, &failure), FAIL_NONE);
    oracle_squares(set, steps);
    if (set->messages > 0)
        oracle_corners(set, steps);
    oracle_distance(set, steps);
    for (int kind = 0; kind < BOUND_KINDS; kind++) {
        ck_assert_msg(bounds.steps[kind] == steps[kind], "%s on %u x %u: %lu, oracle %lu",
                      lower_bound_name((enum lower_bound_kind)kind), set->mesh.rows, set->mesh.cols,
                      (unsigned long)bounds.steps[kind], (unsigned long)steps[kind]);
        ck_assert_uint_le(bounds.steps[kind], bounds.steps[bounds.best]);
    }
    check_squares(set, &bounds);
}

/* All bounds, and the squares that attain them, equal the oracle's: every pattern, odd, even and
 * oblong meshes, several degrees and congestions. */
START_TEST(bounds_equal_the_oracle)
{
    static const struct mesh MESHES[] = {{1, 1}, {1, 7},  {7, 1},  {2, 2},  {3, 3},  {5, 9},
                                         {8, 8}, {13, 4}, {17, 9}, {3, 33}, {16, 16}};
    static const uint32_t DEGREES[] = {1, 2, 5, 40}, CONGESTIONS[] = {1, 3, 16};
    const struct pattern *pattern = pattern_at((uint32_t)_i);
    if (pattern->needs_graph)
        return;
    for (size_t m = 0; m < sizeof MESHES / sizeof *MESHES; m++)
        for (size_t d = 0; d < 4; d++)
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
        ck_assert_int_eq(bounds.best, BOUND_DISTANCE);
    }
}
END_TEST

/* Known answers, counted by hand: all nodes of a 4 x 4 mesh send to node 0, which has two links. */
START_TEST(all_to_one_by_hand)
{
    struct lower_bounds bounds =
        bounds_of("mcast 1 4 4\n0 0\n1 0\n2 0\n3 0\n4 0\n5 0\n6 0\n7 0\n8 0\n9 0\n10 0\n11 0\n12 "
                  "0\n13 0\n14 0\n15 0\n");
    ck_assert_uint_eq(bounds.steps[BOUND_NODE], 8);         /* 15 messages, 2 links */
    ck_assert_uint_eq(bounds.steps[BOUND_ENTER_SQUARE], 8); /* the 1 x 1 square */
    ck_assert_uint_eq(bounds.steps[BOUND_LEAVE_SQUARE], 1); /* 4 messages, 4 links */
    ck_assert_uint_eq(bounds.steps[BOUND_ENTER_CORNER], 8);
    ck_assert_uint_eq(bounds.steps[BOUND_DISTANCE], 6);
    ck_assert_int_eq(bounds.best, BOUND_NODE);
}
END_TEST

/* Of squares that ask for as much the first is named, and of those of several sizes the smallest. */
START_TEST(first_of_equals)
{
    struct lower_bounds bounds = bounds_of("mcast 1 4 4\n0 5\n15 10\n");
    ck_assert_uint_eq(bounds.steps[BOUND_NODE], 1);
    ck_assert_uint_eq(bounds.steps[BOUND_ENTER_SQUARE], 1);
    for (int kind = BOUND_ENTER_SQUARE; kind < BOUND_KINDS; kind++) {
        bool leaves = kind == BOUND_LEAVE_SQUARE;
        if (kind != BOUND_NODE && kind != BOUND_ENTER_SQUARE && !leaves)
            continue;
        ck_assert_uint_eq(bounds.square[kind].row, leaves ? 0 : 1);
        ck_assert_uint_eq(bounds.square[kind].col, leaves ? 0 : 1);
        ck_assert_uint_eq(bounds.square[kind].rows, 1);
    }
}
END_TEST

/* Theorem 1's instance has its bound: c |A| messages over the 2 sqrt|A| links of a corner. */
START_TEST(worst_reaches_the_corner_bound)
{
    struct pattern_options options = {.mesh = {64, 64}, .congestion = 15, .seed = 1};
    struct message_set set;
    struct lower_bounds bounds;
    struct failure failure = {0};
    ck_assert_int_eq(pattern_generate(pattern_find("worst"), &options, &set, &failure), FAIL_NONE);
    ck_assert_int_eq(lower_bounds_compute(&set, &bounds, &failure), FAIL_NONE);
    ck_assert_uint_eq(bounds.steps[BOUND_ENTER_CORNER], 15 * 16 * 16 / (2 * 16));
    ck_assert_uint_eq(bounds.square[BOUND_ENTER_CORNER].rows, 16);
    message_set_free(&set);
}
END_TEST

/* The names are those of the report, all different. */
START_TEST(names_differ)
{
    ck_assert_str_eq(lower_bound_name(BOUND_DISTANCE), "distance");
    ck_assert_str_eq(lower_bound_name(BOUND_ENTER_SQUARE), "enter-square");
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
    tcase_add_loop_test(tests, bounds_equal_the_oracle, 0, (int)pattern_count());
    tcase_add_test(tests, nothing_to_do_is_no_bound);
    tcase_add_test(tests, all_to_one_by_hand);
    tcase_add_test(tests, first_of_equals);
    tcase_add_test(tests, worst_reaches_the_corner_bound);
    tcase_add_test(tests, names_differ);
    suite_add_tcase(suite, tests);
    return suite;
}
