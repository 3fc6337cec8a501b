/* test_exact_bound.c - no lower bound is above the exact optimum.
 *
 * Oracle: an exhaustive search over the schedules of tiny sets (exact_steps.h), which in turn has
 * to find every schedule as short as a router's.
 */
#include "base/pcg.h"
#include "routers/router.h"
#include "test/topology/broken_case.h"
#include "test/workloads/exact_steps.h"
#include "workloads/faults.h"
#include "workloads/lower_bound.h"

#include <check.h>
#include <string.h>

enum { SETS = 40, MESHES = 9, SMALL = 4, FEW = 3, BROKEN_SETS = 60, BROKEN_DETOUR = 6 };

/* The most messages with which the search ends soon, with free copies, and with copies that
 * cost. */
static const struct {
    struct mesh mesh;
    uint32_t messages[2];
} SIZES[MESHES] = {{{2, 2}, {4, 4}}, {{1, 2}, {2, 2}}, {{1, 3}, {3, 3}},
                   {{1, 5}, {5, 2}}, {{4, 1}, {4, 2}}, {{2, 3}, {5, 2}},
                   {{3, 2}, {5, 2}}, {{2, 4}, {4, 1}}, {{3, 3}, {4, 1}}};

/* Draws `messages` sources, all different, and for each its destinations, at most `most`: few or
 * many, anywhere or crowded. */
static void draw(struct message_set *set, struct mesh mesh, uint32_t messages, uint32_t most,
                 struct pcg32 *random)
{
    node_index from[EXACT_MESSAGES * EXACT_NODES], to[EXACT_MESSAGES * EXACT_NODES];
    uint32_t nodes = mesh_nodes(mesh), taken = 0, pairs = 0;
    uint32_t crowd = pcg32_below(random, 2) ? 1 + pcg32_below(random, nodes) : nodes;
    struct failure failure = {0};
    for (uint32_t m = 0; m < messages; m++) {
        uint32_t source = pcg32_below(random, nodes), degree = 1 + pcg32_below(random, most);
        while (taken >> source & 1)
            source = (source + 1) % nodes;
        taken |= 1u << source;
        degree = pcg32_below(random, 2) ? 1 : degree;
        for (uint32_t i = 0; i < degree; i++) {
            from[pairs] = source;
            to[pairs++] = pcg32_below(random, crowd);
        }
    }
    ck_assert_int_eq(message_set_from_pairs(set, shape_of_mesh(mesh), pairs, from, to, &failure),
                     FAIL_NONE);
}

static uint64_t router_steps(const struct message_set *set, bool copy_is_free)
{
    static struct router_result result;
    struct router_options options = {.copy_is_free = copy_is_free, .threads = 1};
    struct failure failure = {0};
    ck_assert_int_eq(router_run(router_find("trees"), set, &options, &result, &failure), FAIL_NONE);
    return result.steps;
}

/* One step less than the bound is not enough for any schedule; the steps of `trees` are. */
START_TEST(bounds_are_no_more_than_the_optimum)
{
    struct mesh mesh = SIZES[_i / 2].mesh;
    bool copy_is_free = _i % 2 == 0;
    uint32_t most = SIZES[_i / 2].messages[!copy_is_free];
    /* the search for schedules with copies is soon without end */
    bool is_long = !copy_is_free && mesh_nodes(mesh) > SMALL;
    struct pcg32 random = pcg32_seed(26, (uint64_t)_i);
    for (int i = 0; i < SETS; i++) {
        struct message_set set;
        struct lower_bounds bounds;
        struct failure failure = {0};
        draw(&set, mesh, 1 + pcg32_below(&random, most),
             is_long && most > 1 ? FEW : mesh_nodes(mesh), &random);
        for (uint32_t m = 0; i % 2 == 1 && m < set.messages; m++)
            set.source[m] = pcg32_below(&random, mesh_nodes(mesh)); /* nodes may send several */
        ck_assert_int_eq(message_set_leave_home(&set, &failure), FAIL_NONE);
        ck_assert_int_eq(lower_bounds_compute(&set, BOUNDS_ALL, &bounds, &failure), FAIL_NONE);
        enum lower_bound_kind best = lower_bound_best(&bounds, copy_is_free);
        uint32_t steps = (uint32_t)bounds.steps[best];
        if (steps > 0)
            ck_assert_msg(!exact_can_be_done(&set, copy_is_free, steps - 1),
                          "%u x %u, set %d: %s says %u", mesh.rows, mesh.cols, i,
                          lower_bound_name(best), steps);
        ck_assert(
            exact_can_be_done(&set, copy_is_free, (uint32_t)router_steps(&set, copy_is_free)));
        message_set_free(&set);
    }
}
END_TEST

/* Also on a broken mesh one step less than the bound is not enough. */
START_TEST(bounds_of_broken_meshes)
{
    struct mesh mesh = SIZES[_i / 2].mesh;
    bool copy_is_free = _i % 2 == 0;
    uint32_t most = SIZES[_i / 2].messages[!copy_is_free], checked = 0, raised = 0;
    bool is_long = !copy_is_free && mesh_nodes(mesh) > SMALL;
    struct pcg32 random = pcg32_seed(27, (uint64_t)_i);
    for (int i = 0; i < BROKEN_SETS; i++) {
        struct shape shape = shape_of_mesh(mesh);
        struct topology topology = topology_of_shape(&shape);
        struct message_set set;
        struct lower_bounds bounds, whole;
        struct failure failure = {0};
        draw(&set, mesh, 1 + pcg32_below(&random, most),
             is_long && most > 1 ? FEW : mesh_nodes(mesh), &random);
        if (broken_case(&topology, 6, 6, &random)) {
            ck_assert_int_eq(message_set_keep_main(&set, &topology, false, &failure), FAIL_NONE);
            ck_assert_int_eq(message_set_leave_home(&set, &failure), FAIL_NONE);
            ck_assert_int_eq(message_set_check_parts(&set, "set", &topology, "file", &failure),
                             FAIL_NONE);
            ck_assert_int_eq(lower_bounds_compute(&set, BOUNDS_ALL, &bounds, &failure), FAIL_NONE);
            whole = bounds;
            ck_assert_int_eq(lower_bounds_raise_broken(&set, &topology, &bounds, &failure),
                             FAIL_NONE);
            enum lower_bound_kind best = lower_bound_best(&bounds, copy_is_free);
            uint32_t steps = (uint32_t)bounds.steps[best];
            for (int kind = 0; kind < BOUND_KINDS; kind++)
                ck_assert_uint_ge(bounds.steps[kind], whole.steps[kind]);
            checked += set.messages > 0;
            raised += steps > whole.steps[lower_bound_best(&whole, copy_is_free)];
            if (steps > 0)
                ck_assert_msg(!exact_can_be_done_on(&topology, &set, copy_is_free, steps - 1),
                              "%u x %u, set %d: %s says %u", mesh.rows, mesh.cols, i,
                              lower_bound_name(best), steps);
        }
        topology_free(&topology);
        message_set_free(&set);
    }
    ck_assert((checked > 0 && raised > 0) || mesh_nodes(mesh) < BROKEN_DETOUR);
}
END_TEST

static bool can_be_done(const char *text, bool copy_is_free, uint32_t steps)
{
    struct message_set set;
    struct failure failure = {0};
    ck_assert_int_eq(message_set_read_memory(&set, text, strlen(text), "text", &failure),
                     FAIL_NONE);
    bool can = exact_can_be_done(&set, copy_is_free, steps);
    message_set_free(&set);
    return can;
}

/* The search itself, on sets whose optimum is plain: the cost of a copy, shared links. */
START_TEST(search_by_hand)
{
    static const struct {
        const char *text;
        uint32_t free, unit;
    } KNOWN[] = {
        {"mcast 1 1 4\n0 1 3\n2 0\n", 3, 4},          /* doc/model.md's four steps */
        {"mcast 1 1 2\n0 0 1\n", 1, 2},               /* delivers to itself: a copy, then moves */
        {"mcast 1 1 3\n0 2\n1 2\n", 2, 2},            /* one after the other */
        {"mcast 1 3 3\n4 1 3 5 7\n", 1, 4},           /* a node copies once a step: 3 and a move */
        {"mcast 1 2 2\n0 3\n1 3\n2 3\n", 2, 2},       /* two links into node 3 */
        {"mcast 1 1 3\n0 1 2\n1 0 2\n2 0 1\n", 2, 3}, /* all to all on a line */
    };
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        for (int copy_is_free = 0; copy_is_free < 2; copy_is_free++) {
            uint32_t steps = copy_is_free ? KNOWN[i].free : KNOWN[i].unit;
            ck_assert_msg(can_be_done(KNOWN[i].text, copy_is_free, steps), "%s", KNOWN[i].text);
            ck_assert_msg(!can_be_done(KNOWN[i].text, copy_is_free, steps - 1), "%s",
                          KNOWN[i].text);
        }
}
END_TEST

void exact_bound_suite(TCase *tests)
{
    tcase_add_loop_test(tests, bounds_are_no_more_than_the_optimum, 0, 2 * MESHES);
    tcase_add_loop_test(tests, bounds_of_broken_meshes, 0, 2 * MESHES);
    tcase_add_test(tests, search_by_hand);
}
