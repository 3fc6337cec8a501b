/* test_steiner.c - the fewest links of a tree: against all sets of nodes of small meshes, tori and
 * graphs, and the plans of schemes.
 */
#include "network/schemes/steiner.h"

#include "network/schemes/plan_cost.h"
#include "test/length.h"
#include "test/schemes/route_walk.h"
#include "test/schemes/scheme_case.h"

#include <check.h>
#include <string.h>

Suite *steiner_suite(void);

enum { MOST_NODES = 12 };

/* True if the nodes of a set are joined by links among them. */
static bool is_connected(const struct topology *topology, uint32_t set)
{
    uint32_t found = set & (~set + 1), before = 0;
    while (found != before) {
        before = found;
        for (uint32_t node = 0; node < topology->nodes; node++)
            for (uint32_t port = 0; port < topology_node_ports(topology, node); port++) {
                uint32_t to = topology_neighbour(topology, node, port);
                if ((before >> node & 1) == 1 && to != TOPOLOGY_NO_NODE && (set >> to & 1) == 1)
                    found |= UINT32_C(1) << to;
            }
    }
    return found == set;
}

static struct multicast multicast_of(uint32_t set, uint32_t source, uint32_t *destination)
{
    struct multicast multicast = {source, 0, destination, 1};
    for (uint32_t node = 0; node < MOST_NODES; node++)
        if ((set >> node & 1) == 1 && node != source)
            destination[multicast.destinations++] = node;
    return multicast;
}

static const char *const places[] = {"mesh:3x3",  "mesh:3x4",  "mesh:2x2x3", "mesh:1x7",
                                     "torus:3x4", "torus:5x2", "graph:9:6",  "graph:12:0"};
enum { PLACES = sizeof places / sizeof places[0] };

/* All sets of terminals: the links of the least connected set of nodes that has them; bounds alone
 * are not above it. */
START_TEST(all_sets)
{
    static uint32_t least[1 << MOST_NODES];
    struct topology topology = route_walk_topology(places[_i]);
    uint32_t sets = UINT32_C(1) << topology.nodes, destination[MOST_NODES];
    memset(least, 0xff, sizeof least);
    for (uint32_t set = 1; set < sets; set++)
        if (is_connected(&topology, set))
            least[set] = (uint32_t)__builtin_popcount(set) - 1;
    for (uint32_t set = sets - 1; set > 0; set--) /* larger sets first: those with a node more */
        for (uint32_t node = 0; node < topology.nodes; node++) {
            uint32_t larger = least[set | UINT32_C(1) << node];
            least[set] = larger < least[set] ? larger : least[set];
        }
    for (uint32_t set = 1; set < sets; set += TEST_IS_SHORT ? 3 : 1) {
        uint32_t source = set % topology.nodes;
        struct multicast multicast = multicast_of(set, source, destination);
        struct failure failure = {0};
        uint64_t links, bound;
        bool is_exact;
        ck_assert_int_eq(steiner_bound(&topology, &multicast, &links, &is_exact, &failure),
                         FAIL_NONE);
        ck_assert(is_exact);
        ck_assert_uint_eq(links, least[set | UINT32_C(1) << source]);
        if (multicast.destinations == 0)
            continue;
        ck_assert_int_eq(steiner_lower_bound(&topology, &multicast, &bound, &failure), FAIL_NONE);
        ck_assert_uint_le(bound, links);
        ck_assert(multicast.destinations > 1 || bound == links);
    }
    topology_free(&topology);
}
END_TEST

/* No plan of any scheme has less traffic, of sets of all sizes; a broadcast's least tree is known
 * by its bound. */
START_TEST(plans)
{
    static const char *const large[] = {"mesh:9x9", "mesh:4x4x4", "torus:6x7", "graph:40:30"};
    struct topology topology = route_walk_topology(large[_i]);
    uint32_t destination[SCHEME_CASE_NODES], exact = 0;
    struct plan_meter meter = {0};
    for (uint32_t s = 0; s < scheme_count(); s++)
        for (uint32_t k = 1; k < topology.nodes; k += 1 + k / 3) {
            const struct scheme_choices choices = {{0}};
            struct multicast multicast = scheme_case_multicast(&topology, k, k, destination);
            struct plan_costs costs;
            struct failure failure = {0};
            uint64_t links;
            bool is_exact;
            if (scheme_check(scheme_at(s), &topology, &choices, 2, &failure) != FAIL_NONE)
                continue;
            struct plan plan =
                scheme_case_plan(scheme_at(s)->name, &choices, &topology, &multicast);
            plan_measure(&meter, scheme_at(s), &topology, &multicast, &plan, &costs, &failure);
            steiner_bound(&topology, &multicast, &links, &is_exact, &failure);
            ck_assert_int_eq(failure.kind, FAIL_NONE);
            ck_assert_uint_le(links, costs.of[COST_TRAFFIC]);
            ck_assert_uint_ge(links, multicast.destinations);
            exact += is_exact;
            plan_free(&plan);
        }
    ck_assert_uint_gt(exact, 0);
    plan_meter_free(&meter);
    topology_free(&topology);
}
END_TEST

Suite *steiner_suite(void)
{
    Suite *suite = suite_create("steiner");
    TCase *tests = tcase_create("steiner");
    tcase_add_loop_test(tests, all_sets, 0, PLACES);
    tcase_add_loop_test(tests, plans, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}
