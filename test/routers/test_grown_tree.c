/* test_grown_tree.c - trees that sources grow: their figures, what they are for, and what they refuse.
 *
 * Deliveries, traces, locality and threads are tested with every router, in which `tree=` has its cases.
 */
#include "routers/router.h"

#include "workloads/pattern.h"

#include <check.h>
#include <string.h>

static struct message_set make(const char *name, uint32_t side, uint32_t degree,
                               uint32_t congestion, uint64_t seed)
{
    struct message_set set;
    struct pattern_options options = {
        .mesh = {side, side}, .degree = degree, .congestion = congestion, .seed = seed};
    ck_assert_int_eq(pattern_generate(pattern_find(name), &options, &set, NULL), FAIL_NONE);
    return set;
}

static struct router_result route(const struct message_set *set, const char *tree, bool free)
{
    struct router_options options = router_options_default();
    struct router_result result;
    struct failure failure = {0};
    options.threads = 1;
    options.copy_is_free = free;
    options.parameters = 1;
    options.parameter[0] = (struct router_parameter){"tree", tree};
    ck_assert_msg(router_run(router_find("trees"), set, &options, &result, &failure) == FAIL_NONE,
                  "%s", failure.text);
    return result;
}

/* 4096 tokens for four of 60 experts each take under 200 steps, with nothing measured and either cost of
 * copies; trees along rows and columns take over 350. */
START_TEST(tokens_are_spread)
{
    struct message_set set = make("moe", 64, 0, 0, (uint64_t)_i);
    for (int free = 0; free < 2; free++) {
        ck_assert_uint_lt(route(&set, "crowd", free).steps, 200);
        ck_assert_uint_gt(route(&set, "xy", free).steps, 350);
    }
    message_set_free(&set);
}
END_TEST

/* On every pattern, and on crowded ones, crowd takes no more than 1.1 times the steps of xy. */
START_TEST(crowd_costs_little)
{
    static const uint32_t loads[][2] = {{0, 0}, {4, 4}, {64, 64}, {16, 256}, {256, 256}, {1, 256}};
    const struct pattern *pattern = pattern_at((uint32_t)_i);
    if (pattern->needs || pattern->sends_many)
        return;
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        struct message_set set = make(pattern->name, 16, loads[i][0], loads[i][1], 1);
        for (int free = 0; free < 2; free++) {
            uint64_t xy = route(&set, "xy", free).steps, crowd = route(&set, "crowd", free).steps;
            ck_assert_msg(10 * crowd <= 11 * xy, "%s, d %u, c %u: %lu against %lu", pattern->name,
                          loads[i][0], loads[i][1], (unsigned long)crowd, (unsigned long)xy);
        }
        message_set_free(&set);
    }
}
END_TEST

static uint64_t figure(const struct router_result *result, const char *key)
{
    for (uint32_t i = 0; i < result->figures; i++)
        if (strcmp(result->figure[i].key, key) == 0)
            return result->figure[i].value;
    ck_abort_msg("no figure %s", key);
    return 0;
}

/* Packets cross each link of their trees once; a tree of one way of a turn has a source and two pieces; crowd is xy
 * where few messages are for a node. */
START_TEST(figures_are_right)
{
    static const char *const trees[] = {"near", "spread", "crowd"};
    struct message_set set = make("uniform", 16, 8, 8, 3);
    for (int i = 0; i < 3; i++) {
        struct router_result result = route(&set, trees[i], true);
        ck_assert_uint_eq(result.packet_hops, figure(&result, "trees_links"));
        ck_assert_uint_le(result.steps, figure(&result, "trees_c_plus_d"));
    }
    ck_assert_uint_eq(route(&set, "crowd", true).packet_hops, route(&set, "xy", true).packet_hops);
    message_set_free(&set);
    set = make("transpose", 8, 0, 0, 0);
    struct router_result result = route(&set, "near", true);
    ck_assert_uint_eq(figure(&result, "trees_header"), 3 * 4);
    ck_assert_uint_eq(figure(&result, "trees_c_plus_d") > 14, 1);
    message_set_free(&set);
}
END_TEST

/* Slots are for trees whose turns close no cycle. */
START_TEST(slots_are_refused)
{
    struct message_set set = make("permutation", 4, 0, 0, 0);
    struct router_options options = router_options_default();
    struct router_result result;
    struct failure failure = {0};
    options.parameters = 2;
    options.parameter[0] = (struct router_parameter){"tree", "spread"};
    options.parameter[1] = (struct router_parameter){"slots", "2"};
    ck_assert_int_eq(router_run(router_find("trees"), &set, &options, &result, &failure),
                     FAIL_USAGE);
    ck_assert_ptr_nonnull(strstr(failure.text, "slots are for tree=xy"));
    message_set_free(&set);
}
END_TEST

Suite *grown_tree_suite(void)
{
    Suite *suite = suite_create("grown_tree");
    TCase *tests = tcase_create("grown_tree");
    tcase_add_loop_test(tests, tokens_are_spread, 0, 3);
    tcase_add_loop_test(tests, crowd_costs_little, 0, (int)pattern_count());
    tcase_add_test(tests, figures_are_right);
    tcase_add_test(tests, slots_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
