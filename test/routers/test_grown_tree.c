/* test_grown_tree.c - trees that sources grow: their figures, what they are for, and what they refuse.
 *
 * Deliveries, traces, locality and threads are tested with every router, in which `tree=` has its cases.
 */
#include "routers/router.h"

#include "network/schemes/scheme.h"
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <stdlib.h>
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

/* Runs trees with parameters "NAME=VALUE NAME=VALUE". */
static enum failure_kind run(const struct message_set *set, const char *parameters, bool free,
                             struct router_result *result, struct failure *failure)
{
    struct router_options options = router_options_default();
    char text[ROUTER_MAX_PARAMETERS * 2 * ROUTER_NAME_SIZE], *rest = text, *word;
    snprintf(text, sizeof text, "%s", parameters);
    options.threads = 1;
    options.copy_is_free = free;
    while ((word = strtok_r(rest, " ", &rest)) != NULL) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        options.parameter[options.parameters++] = (struct router_parameter){word, value};
    }
    *failure = (struct failure){0};
    return router_run(router_find("trees"), set, &options, result, failure);
}

static struct router_result route(const struct message_set *set, const char *tree, bool free)
{
    char parameters[64];
    struct router_result result;
    struct failure failure;
    snprintf(parameters, sizeof parameters, "tree=%s", tree);
    ck_assert_msg(run(set, parameters, free, &result, &failure) == FAIL_NONE, "%s", failure.text);
    return result;
}

/* 4096 tokens for four of 60 experts each take under 200 steps by drawn sides, with either cost of copies; trees along
 * rows and columns take over 350. */
START_TEST(tokens_are_spread)
{
    struct message_set set = make("moe", 64, 0, 0, (uint64_t)_i);
    for (int free = 0; free < 2; free++) {
        ck_assert_uint_lt(route(&set, "spread", free).steps, 200);
        ck_assert_uint_gt(route(&set, "xy", free).steps, 350);
    }
    message_set_free(&set);
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

/* Packets cross each link of their trees once; a tree of one way of a turn has a source and two pieces. */
START_TEST(figures_are_right)
{
    struct message_set set = make("uniform", 16, 8, 8, 3);
    struct router_result result = route(&set, "spread", true);
    ck_assert_uint_eq(result.packet_hops, figure(&result, "trees_links"));
    ck_assert_uint_le(result.steps, figure(&result, "trees_c_plus_d"));
    message_set_free(&set);
    set = make("transpose", 8, 0, 0, 0);
    result = route(&set, "dds", true);
    ck_assert_uint_eq(figure(&result, "trees_header"), 3 * 4);
    ck_assert_uint_gt(figure(&result, "trees_c_plus_d"), 14);
    message_set_free(&set);
}
END_TEST

/* ---- trees of schemes ---- */

/* Links of the scheme's plans for all messages, which test_multicast_trees.c checks. */
static uint64_t links_of_plans(const struct message_set *set, const char *name)
{
    struct topology topology = topology_of_shape(&set->shape);
    const struct scheme *scheme;
    struct scheme_choices choices = {0};
    struct plan plan = {0};
    struct failure failure = {0};
    uint64_t links = 0;
    scheme_find(name, &scheme, &failure);
    for (uint32_t i = 0; i < set->messages; i++) {
        node_index to[256];
        struct multicast multicast = {.source = set->source[i], .destination = to, .flits = 1};
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++)
            if (set->destination[j] != set->source[i])
                to[multicast.destinations++] = set->destination[j];
        ck_assert_int_eq(scheme_plan(scheme, &topology, &multicast, &choices, &plan, &failure),
                         FAIL_NONE);
        for (uint32_t worm = 0; worm < plan.worms; worm++)
            links += plan.worm[worm].stops - 1;
    }
    plan_free(&plan);
    return links;
}

/* Packets cross each link of the plans once. */
START_TEST(plans_are_followed)
{
    static const char *const names[] = {"diag", "dds"};
    struct message_set set = make("uniform", 12, 6, 6, (uint64_t)_i);
    for (int i = 0; i < 2; i++) {
        struct router_result result = route(&set, names[i], _i % 2);
        uint64_t links = links_of_plans(&set, names[i]);
        ck_assert_uint_eq(result.packet_hops, links);
        ck_assert_uint_eq(figure(&result, "trees_links"), links);
    }
    message_set_free(&set);
}
END_TEST

/* Slots are for trees along rows and columns. */
START_TEST(slots_are_refused)
{
    static const char *const refused[][2] = {
        {"tree=spread slots=2", "slots are for tree=xy"},
        {"tree=dds slots=2", "slots are for tree=xy"},
    };
    struct message_set set = make("permutation", 4, 0, 0, 0);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct router_result result;
        struct failure failure;
        ck_assert_int_eq(run(&set, refused[i][0], false, &result, &failure), FAIL_USAGE);
        ck_assert_ptr_nonnull(strstr(failure.text, refused[i][1]));
    }
    message_set_free(&set);
}
END_TEST

Suite *grown_tree_suite(void)
{
    Suite *suite = suite_create("grown_tree");
    TCase *tests = tcase_create("grown_tree");
    tcase_add_loop_test(tests, tokens_are_spread, 0, 3);
    tcase_add_test(tests, figures_are_right);
    tcase_add_loop_test(tests, plans_are_followed, 0, 4);
    tcase_add_test(tests, slots_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
