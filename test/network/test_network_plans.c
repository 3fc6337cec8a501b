/* test_network_plans.c - what plans cost on paper, and what the network counts when it carries them.
 *
 * Method: a message of one flit at a time, alone in the network, without delays. Every scheme, with all words of its
 * parameters, from sources anywhere, to few nodes and to all.
 */
#include "network/network.h"
#include "network/schemes/plan_cost.h"
#include "test/length.h"
#include "test/schemes/route_walk.h"
#include "test/schemes/scheme_case.h"

#include <check.h>

Suite *network_plans_suite(void);

enum { MOST_NODES = 64 };

static const char *const places[] = {"mesh:1",     "mesh:2",         "mesh:1x7",    "mesh:5x1",
                                     "mesh:2x2",   "mesh:3x5",       "mesh:7x8",    "mesh:1x3x1x4",
                                     "mesh:3x3x5", "mesh:2x2x2x2x2", "torus:2",     "torus:3",
                                     "torus:7",    "torus:5x6",      "torus:2x3x4", "torus:1x5",
                                     "graph:12:0", "graph:30:60",    "graph:9:40"};
enum { PLACES = sizeof places / sizeof places[0] };

/* Carries one message; what the network counted. */
static struct network_counts carry(const struct topology *topology,
                                   const struct multicast *multicast, const struct plan *plan,
                                   struct network_settings settings)
{
    struct network *network;
    struct failure failure = {0};
    settings.vcs = 2; /* datelines */
    settings.threads = 1;
    ck_assert_int_eq(network_make(&network, topology, plan->routing, &settings, NULL, &failure),
                     FAIL_NONE);
    ck_assert_int_eq(network_post(network, 0, multicast, plan, &failure), FAIL_NONE);
    ck_assert_msg(network_run(network, UINT64_MAX, &failure) == FAIL_NONE, "%s", failure.text);
    struct network_counts counts = network_counts(network);
    network_free(network);
    return counts;
}

/* Trees of links under store-and-forward: the times on paper, a cycle in and one out. */
static void check_times(const struct topology *topology, const struct multicast *multicast,
                        const struct plan *plan, const struct plan_costs *costs)
{
    struct network_settings settings = network_settings_default();
    settings.switching = SWITCHING_STORE_AND_FORWARD;
    settings.buffer = 0;
    if (multicast->destinations == 0 || costs->of[COST_ONE_PORT] == PLAN_NO_COST)
        return;
    struct network_counts all = carry(topology, multicast, plan, settings);
    settings.is_one_port = true;
    struct network_counts one = carry(topology, multicast, plan, settings);
    /* Two worms over one port follow one another */
    ck_assert_uint_ge(all.last_delivery, costs->of[COST_ALL_PORT] + 2);
    ck_assert_uint_le(all.last_delivery,
                      costs->of[COST_ALL_PORT] + 2 + (plan->worms > 2 ? plan->worms - 1 : 0));
    /* Of two worms the second one may wait a cycle for the injection channel */
    ck_assert_uint_ge(one.last_delivery, costs->of[COST_ONE_PORT] + 2);
    ck_assert_uint_le(one.last_delivery, costs->of[COST_ONE_PORT] + 1 + plan->worms);
}

static void check_plan(const struct scheme *scheme, const struct topology *topology,
                       const struct multicast *multicast, const struct scheme_choices *choices,
                       struct plan *plan)
{
    static struct plan_meter meter;
    struct plan_costs costs;
    struct failure failure = {0};
    scheme_plan(scheme, topology, multicast, choices, plan, &failure);
    ck_assert_int_eq(failure.kind, FAIL_NONE);
    plan_measure(&meter, scheme, topology, multicast, plan, &costs, &failure);
    ck_assert_int_eq(failure.kind, FAIL_NONE);
    plan_meter_free(&meter);
    struct network_counts counts = carry(topology, multicast, plan, network_settings_default());
    ck_assert_uint_eq(counts.deliveries, multicast->destinations);
    ck_assert_msg(counts.crossings == costs.of[COST_TRAFFIC], "%s: %llu crossings, traffic %llu",
                  scheme->name, (unsigned long long)counts.crossings,
                  (unsigned long long)costs.of[COST_TRAFFIC]);
    ck_assert_uint_eq(counts.startups, costs.of[COST_STARTUPS]);
    check_times(topology, multicast, plan, &costs);
    /* A cycle in, one a link, one out */
    if (plan->worms == 1)
        ck_assert_uint_eq(counts.last_delivery, costs.of[COST_LONGEST_PATH] + 2);
    else if (plan->worms > 1)
        ck_assert_uint_ge(counts.last_delivery, costs.of[COST_LONGEST_PATH] + 2);
}

static void check_scheme(const struct scheme *scheme, const struct topology *topology)
{
    uint32_t destination[MOST_NODES], stride = TEST_IS_SHORT ? 7 : 1;
    struct scheme_choices choices = {{0}};
    struct plan plan = {0};
    do {
        struct failure failure = {0};
        if (scheme_check(scheme, topology, &choices, 2, &failure) != FAIL_NONE)
            continue;
        for (uint32_t source = 0; source < topology->nodes; source += stride)
            for (uint32_t k = 0; k < topology->nodes; k = 3 * k + 1) {
                struct pcg32 random = pcg32_seed(29, source);
                uint32_t count = 3 * k + 1 < topology->nodes ? k : topology->nodes - 1;
                struct multicast multicast = {source, 0, destination, 1};
                multicast.destinations =
                    route_walk_destinations(&random, topology->nodes, source, count, destination);
                check_plan(scheme, topology, &multicast, &choices, &plan);
            }
    } while (scheme_case_next_choices(scheme, &choices));
    plan_free(&plan);
}

/* As many crossings as the plan has links, as many startups as worms; a single worm takes its longest path. */
START_TEST(counts)
{
    struct topology topology = route_walk_topology(places[_i]);
    ck_assert_uint_le(topology.nodes, MOST_NODES);
    for (uint32_t s = 0; s < scheme_count(); s++)
        check_scheme(scheme_at(s), &topology);
    topology_free(&topology);
}
END_TEST

Suite *network_plans_suite(void)
{
    Suite *suite = suite_create("network_plans");
    TCase *tests = tcase_create("network_plans");
    tcase_add_loop_test(tests, counts, 0, PLACES);
    suite_add_tcase(suite, tests);
    return suite;
}
