/* test_multicast_trees.c - the trees of links, and the two paths of xy-path.
 *
 * Method: random sets on meshes and tori of 1 to 4 dimensions; the promises are counted from the
 * plan. From corners the trees are compared with a plain implementation, which examines all nodes
 * of the tree for the nearest one.
 */
#include "network/schemes/plan_cost.h"

#include "test/length.h"
#include "test/schemes/plain_tree.h"
#include "test/schemes/route_walk.h"
#include "test/schemes/scheme_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = SCHEME_CASE_NODES, TREES = 4 };

static const char *const trees[TREES] = {"vh", "diag", "dds", "min"};
static const char *const places[] = {
    "mesh:8",       "mesh:5x6",     "mesh:1x1",  "mesh:1x2",      "mesh:9x9",    "mesh:3x4x3",
    "mesh:1x5x1x3", "mesh:3x3x3x4", "torus:7",   "torus:8",       "torus:1x1",   "torus:4x5",
    "torus:2x2",    "torus:3x4x5",  "torus:1x6", "torus:2x3x2x4", "torus:5x5x5", "mesh:15x16"};
enum { PLACES = sizeof places / sizeof places[0] };

static const struct scheme *scheme_of(const char *name)
{
    const struct scheme *scheme = NULL;
    struct failure failure = {0};
    ck_assert_int_eq(scheme_find(name, &scheme, &failure), FAIL_NONE);
    return scheme;
}

static struct plan_costs costs_of(const struct scheme *scheme, const struct topology *topology,
                                  const struct multicast *multicast, const struct plan *plan)
{
    static struct plan_meter meter;
    struct plan_costs costs;
    struct failure failure = {0};
    plan_measure(&meter, scheme, topology, multicast, plan, &costs, &failure);
    ck_assert_int_eq(failure.kind, FAIL_NONE);
    return costs;
}

/* The counts of a tree. */
struct counted {
    uint32_t parent[MOST_NODES], depth[MOST_NODES], links;
};

/* A tree: each node has one parent, a neighbour; each leaf is a destination, and each destination
 * is in it. */
static void count_tree(const struct plan *plan, const struct topology *topology,
                       const struct multicast *multicast, struct counted *counted)
{
    uint32_t served = 0;
    memset(counted, 0xff, sizeof *counted);
    counted->links = 0;
    if (multicast->destinations == 0) {
        ck_assert_uint_eq(plan->worms, 0);
        return;
    }
    ck_assert_uint_eq(plan->worms, 1);
    ck_assert_uint_eq(plan->stop[0].node, multicast->source);
    counted->parent[multicast->source] = multicast->source;
    counted->depth[multicast->source] = 0;
    for (uint32_t i = 0; i < plan->stops; i++) {
        const struct stop *stop = &plan->stop[i];
        ck_assert(stop->span > 1 || stop->is_destination);
        served += stop->is_destination;
        ck_assert(stop->is_destination == (multicast_place(multicast, stop->node) != UINT32_MAX));
        for (uint32_t child = i + 1; child < i + stop->span; child += plan->stop[child].span) {
            uint32_t node = plan->stop[child].node;
            ck_assert_uint_eq(counted->parent[node], UINT32_MAX);
            ck_assert_uint_ne(topology_port_to(topology, stop->node, node), UINT32_MAX);
            counted->parent[node] = stop->node;
            counted->depth[node] = counted->depth[stop->node] + 1;
            counted->links++;
        }
    }
    ck_assert_uint_eq(counted->links, plan->stops - 1);
    ck_assert_uint_eq(served, multicast->destinations);
}

static void check_shortest(const struct plan *plan, const struct topology *topology,
                           const struct multicast *multicast, const struct counted *counted)
{
    for (uint32_t i = 0; i < plan->stops; i++)
        ck_assert_uint_eq(counted->depth[plan->stop[i].node],
                          topology_distance(topology, multicast->source, plan->stop[i].node));
}

/* Wang's bounds of times and traffic, for sources anywhere. */
static void check_bounds(const char *name, const struct topology *topology,
                         const struct multicast *multicast, const struct plan_costs *costs)
{
    uint64_t farthest = 0, sum = 0, k = multicast->destinations, one = costs->of[COST_ONE_PORT];
    uint64_t all = costs->of[COST_ALL_PORT], traffic = costs->of[COST_TRAFFIC];
    uint32_t n = topology->shape.dimensions;
    for (uint32_t i = 0; i < k; i++) {
        uint64_t distance =
            topology_distance(topology, multicast->source, multicast->destination[i]);
        farthest = distance > farthest ? distance : farthest;
        sum += distance;
    }
    ck_assert_uint_ge(traffic, k > farthest ? k : farthest);
    ck_assert(all <= one && one <= traffic);
    if (k + 1 == topology->nodes)
        ck_assert_uint_eq(traffic, k);
    if (k == 1)
        ck_assert(traffic == sum && one == sum);
    if (strcmp(name, "min") == 0 || k == 0)
        return;
    ck_assert_uint_eq(all, farthest);
    ck_assert_uint_le(one, farthest + k - 1);
    ck_assert_uint_le(traffic, sum);
    if (strcmp(name, "vh") != 0 || topology->shape.kind != TOPOLOGY_MESH)
        return;
    ck_assert_uint_le(one, farthest + (multicast->source == 0 ? n - 1 : 2 * n - 1));
}

static void check_set(const char *name, const struct topology *topology,
                      const struct multicast *multicast, const struct scheme_choices *choices)
{
    static struct counted counted;
    const struct scheme *scheme = scheme_of(name);
    struct scheme_choices deepest = *choices;
    deepest.choice[0] = 1;
    struct plan plan = scheme_case_plan(name, choices, topology, multicast);
    struct plan other = scheme_case_plan(name, &deepest, topology, multicast);
    struct plan_costs costs = costs_of(scheme, topology, multicast, &plan);
    struct plan_costs best = costs_of(scheme, topology, multicast, &other);
    count_tree(&plan, topology, multicast, &counted);
    ck_assert_uint_eq(costs.of[COST_TRAFFIC], counted.links);
    if (strcmp(name, "min") != 0)
        check_shortest(&plan, topology, multicast, &counted);
    check_bounds(name, topology, multicast, &costs);
    check_bounds(name, topology, multicast, &best);
    ck_assert_uint_le(best.of[COST_ONE_PORT], costs.of[COST_ONE_PORT]);
    ck_assert_uint_eq(best.of[COST_TRAFFIC], costs.of[COST_TRAFFIC]);
    plan_free(&plan);
    plan_free(&other);
}

/* All words of all parameters, sources anywhere and in the corner, sets of all sizes. */
START_TEST(properties)
{
    struct topology topology = route_walk_topology(places[_i]);
    uint32_t destination[MOST_NODES], number = 0;
    for (int t = 0; t < TREES; t++) {
        struct scheme_choices choices = {{0}};
        do {
            if (strcmp(trees[t], "vh") == 0 && choices.choice[2] != 0)
                continue; /* paths=up-down: suite up_down */
            for (uint32_t k = 0; k < topology.nodes; k += k < 8 || !TEST_IS_SHORT ? 1 : 37) {
                struct multicast multicast =
                    scheme_case_multicast(&topology, number++, k, destination);
                check_set(trees[t], &topology, &multicast, &choices);
            }
            struct multicast all =
                scheme_case_multicast(&topology, number++, MOST_NODES, destination);
            check_set(trees[t], &topology, &all, &choices);
        } while (scheme_case_next_choices(scheme_of(trees[t]), &choices));
    }
    topology_free(&topology);
}
END_TEST

/* Every source on small meshes and tori, whose cuts have many nodes. */
START_TEST(all_sources)
{
    static const char *const small[] = {"mesh:3x3x3", "mesh:4x5", "torus:3x4", "mesh:2x3x2x3",
                                        "torus:2x4x3"};
    struct topology topology = route_walk_topology(small[_i]);
    uint32_t destination[MOST_NODES];
    for (int t = 0; t < TREES; t++)
        for (uint32_t source = 0; source < topology.nodes; source++)
            for (uint32_t number = 0; number < (TEST_IS_SHORT ? 20 : 400); number++) {
                struct pcg32 random = pcg32_seed(30 + source, number);
                struct scheme_choices choices = {{0, number % 2, t > 0 ? number % 3 : 0}};
                struct multicast multicast = {source, 0, destination, 1};
                uint32_t k = pcg32_below(&random, topology.nodes);
                multicast.destinations =
                    route_walk_destinations(&random, topology.nodes, source, k, destination);
                check_set(trees[t], &topology, &multicast, &choices);
            }
    topology_free(&topology);
}
END_TEST

/* From the corner of a mesh: the links of the plain implementation. */
START_TEST(plainly)
{
    static struct counted counted;
    static struct plain_tree plain;
    struct topology topology = route_walk_topology(places[_i]);
    uint32_t destination[MOST_NODES], rounds = TEST_IS_SHORT ? 60 : 600;
    if (topology.shape.kind != TOPOLOGY_MESH || topology.nodes == 1)
        return;
    for (uint32_t number = 0; number < rounds; number++) {
        struct pcg32 random = pcg32_seed(31, number);
        struct multicast multicast = {0, 0, destination, 1};
        uint32_t k = 1 + pcg32_below(&random, topology.nodes - 1);
        multicast.destinations =
            route_walk_destinations(&random, topology.nodes, 0, k, destination);
        for (int t = 0; t < TREES; t++) {
            struct scheme_choices choices = {{0}};
            do {
                /* Neither order nor wrap changes the links: one of their words will do */
                if (choices.choice[0] != number % 2 || choices.choice[1] != number / 2 % 2)
                    continue;
                if (strcmp(trees[t], "vh") == 0 && choices.choice[2] != 0)
                    continue; /* as above */
                struct plan plan = scheme_case_plan(trees[t], &choices, &topology, &multicast);
                count_tree(&plan, &topology, &multicast, &counted);
                plain_tree_make(&plain, &topology, &multicast, (enum plain_rule)t,
                                choices.choice[2], choices.choice[3]);
                ck_assert_uint_eq(plain.links, counted.links);
                for (uint32_t node = 0; node < topology.nodes; node++)
                    ck_assert_uint_eq(plain.parent[node], counted.parent[node]);
                plan_free(&plan);
            } while (scheme_case_next_choices(scheme_of(trees[t]), &choices));
        }
    }
}
END_TEST

/* ---- xy-path ---- */

static int compare_nodes(const void *one, const void *other)
{
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

/* Each leg of a worm is a shortest way, and it ends at a destination. */
static void check_legs(const struct plan *plan, const struct topology *topology)
{
    for (uint32_t w = 0; w < plan->worms; w++) {
        uint32_t hops = 0, from = plan->worm[w].sender;
        for (uint32_t s = 0; s < plan->worm[w].stops; s++) {
            const struct stop *stop = &plan->stop[plan->worm[w].first + s];
            hops++;
            if (!stop->is_destination)
                continue;
            ck_assert_uint_eq(hops, topology_distance(topology, from, stop->node));
            from = stop->node;
            hops = 0;
        }
        ck_assert_uint_eq(hops, 0);
    }
}

/* Nodes that two worms have in common are in the source's row or column. */
static void check_meetings(const struct plan *plan, const struct topology *topology)
{
    uint32_t visitor[MOST_NODES] = {0};
    for (uint32_t w = 0; w < plan->worms; w++)
        for (uint32_t s = 0; s < plan->worm[w].stops; s++) {
            uint32_t node = plan->stop[plan->worm[w].first + s].node, different = 0;
            for (uint32_t i = 0; i < topology->shape.dimensions; i++)
                different += topology_coordinate(topology, node, i) !=
                             topology_coordinate(topology, plan->worm[w].sender, i);
            ck_assert(visitor[node] == 0 || visitor[node] == w + 1 || different == 1);
            visitor[node] = w + 1;
        }
}

/* From all nodes of meshes all nodes are reached, each leg is a shortest way, and worms meet in the
 * source's row and column alone; from corners there are two of them, which share no node. */
START_TEST(xy_path)
{
    uint32_t most = TEST_IS_SHORT ? 7 : 16, destination[MOST_NODES];
    struct scheme_choices choices = {{0}};
    for (uint32_t cell = 0; cell < most * most; cell++) {
        struct shape shape = {
            .kind = TOPOLOGY_MESH, .dimensions = 2, .size = {1 + cell % most, 1 + cell / most}};
        struct topology topology = topology_of_shape(&shape);
        for (uint32_t i = 0; i < 2 * topology.nodes; i++) {
            struct pcg32 random = pcg32_seed(32 + cell, i);
            struct multicast multicast = {i / 2, 0, destination, 1};
            uint32_t k = i % 2 == 0 ? topology.nodes : pcg32_below(&random, topology.nodes);
            uint32_t x = i / 2 % shape.size[0], y = i / 2 / shape.size[0];
            multicast.destinations =
                route_walk_destinations(&random, topology.nodes, i / 2, k, destination);
            struct plan plan = scheme_case_plan("xy-path", &choices, &topology, &multicast);
            ck_assert_uint_le(plan.worms, 8);
            check_legs(&plan, &topology);
            check_meetings(&plan, &topology);
            if ((x == 0 || x == shape.size[0] - 1) && (y == 0 || y == shape.size[1] - 1)) {
                ck_assert_uint_le(plan.worms, 2);
                ck_assert(i % 2 == 1 || plan.stops == topology.nodes - 1);
            }
            plan_free(&plan);
        }
    }
}
END_TEST

/* A set that is mirrored costs as much, unless as many destinations are on both sides of the
 * source's row or column. */
START_TEST(xy_mirrored)
{
    struct scheme_choices choices = {{0}};
    struct topology topology = route_walk_topology("mesh:9x8");
    uint32_t destination[MOST_NODES], mirrored[MOST_NODES], compared = 0;
    for (uint32_t number = 0; number < 300; number++) {
        struct multicast multicast =
            scheme_case_multicast(&topology, number, number % 40, destination);
        struct multicast other = multicast;
        int balance[2] = {0, 0}, mirrors = 1 + number % 3;
        for (uint32_t i = 0; i <= multicast.destinations; i++) {
            uint32_t node = i == 0 ? multicast.source : destination[i - 1], to = 0;
            for (uint32_t j = 0; j < 2; j++) {
                uint32_t at = topology_coordinate(&topology, node, j);
                uint32_t from = topology_coordinate(&topology, multicast.source, j);
                balance[j] += (at > from) - (at < from);
                to +=
                    (mirrors >> j & 1 ? topology.shape.size[j] - 1 - at : at) * topology.stride[j];
            }
            if (i == 0)
                other.source = to;
            else
                mirrored[i - 1] = to;
        }
        if (balance[0] == 0 || balance[1] == 0)
            continue;
        qsort(mirrored, other.destinations, sizeof *mirrored, compare_nodes);
        other.destination = mirrored;
        struct plan one = scheme_case_plan("xy-path", &choices, &topology, &multicast);
        struct plan two = scheme_case_plan("xy-path", &choices, &topology, &other);
        ck_assert(one.worms == two.worms && one.stops == two.stops);
        ck_assert_uint_eq(
            costs_of(scheme_of("xy-path"), &topology, &multicast, &one).of[COST_LONGEST_PATH],
            costs_of(scheme_of("xy-path"), &topology, &other, &two).of[COST_LONGEST_PATH]);
        plan_free(&one);
        plan_free(&two);
        compared++;
    }
    ck_assert_uint_gt(compared, 200);
}
END_TEST

/* Both paths on 4 x 4 nodes, worked out by hand: the Y path waits at the far border, then the X
 * path does. */
START_TEST(xy_partition)
{
    static const uint32_t expected[] = {1, 2, 3, 7, 6, 5, 9, 10, 11, 4, 8, 12, 13, 14, 15};
    struct scheme_choices choices = {{0}};
    struct topology topology = route_walk_topology("mesh:4x4");
    uint32_t destination[15];
    struct multicast multicast = {0, 15, destination, 1};
    for (uint32_t i = 0; i < 15; i++)
        destination[i] = i + 1;
    struct plan plan = scheme_case_plan("xy-path", &choices, &topology, &multicast);
    ck_assert(plan.worms == 2 && plan.stops == 15 && plan.worm[1].first == 9);
    for (uint32_t i = 0; i < 15; i++)
        ck_assert_uint_eq(plan.stop[i].node, expected[i]);
    plan_free(&plan);
}
END_TEST

/* Other topologies are refused, with the remedy; so are trees on graphs. */
START_TEST(refused)
{
    struct scheme_choices choices = {{0}};
    struct topology torus = route_walk_topology("torus:3x3"),
                    graph = route_walk_topology("graph:9:9");
    struct failure first = {0}, second = {0};
    ck_assert_int_eq(scheme_check(scheme_of("xy-path"), &torus, &choices, 2, &first), FAIL_USAGE);
    ck_assert_ptr_nonnull(strstr(first.text, "scheme dual would do"));
    ck_assert_int_eq(scheme_check(scheme_of("vh"), &graph, &choices, 1, &second), FAIL_USAGE);
    ck_assert_ptr_nonnull(strstr(second.text, "scheme vh cannot run on graph:9"));
    topology_free(&graph);
}
END_TEST

void multicast_trees_suite(TCase *tests)
{
    tcase_add_loop_test(tests, properties, 0, PLACES);
    tcase_add_loop_test(tests, all_sources, 0, 5);
    tcase_add_loop_test(tests, plainly, 0, PLACES);
    tcase_add_test(tests, xy_path);
    tcase_add_test(tests, xy_mirrored);
    tcase_add_test(tests, xy_partition);
    tcase_add_test(tests, refused);
}
