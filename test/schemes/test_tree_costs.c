/* test_tree_costs.c - the costs of trees of links: on tori, on the average, and in worked examples.
 *
 * Method: a torus is cut into zones by arithmetic of its own, and the tree of each is grown by the
 * plain implementation on a mesh of its sizes; with the wraparound links that lead to zones they
 * are the links of the plan. Averages are over sets that all schemes share. The worked examples are
 * Wang's; their costs were worked out from the rules.
 */
#include "network/schemes/plan_cost.h"

#include "test/length.h"
#include "test/schemes/plain_tree.h"
#include "test/schemes/route_walk.h"
#include "test/schemes/scheme_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = SCHEME_CASE_NODES, TREES = 4, ZONES = 16 };

static const char *const trees[TREES] = {"vh", "diag", "dds", "min"};

static struct plan_costs costs_of(const char *name, const struct scheme_choices *choices,
                                  const struct topology *topology,
                                  const struct multicast *multicast)
{
    static struct plan_meter meter;
    const struct scheme *scheme = NULL;
    struct plan_costs costs;
    struct failure failure = {0};
    struct plan plan = scheme_case_plan(name, choices, topology, multicast);
    ck_assert_int_eq(scheme_find(name, &scheme, &failure), FAIL_NONE);
    ck_assert_int_eq(plan_measure(&meter, scheme, topology, multicast, &plan, &costs, &failure),
                     FAIL_NONE);
    plan_free(&plan);
    plan_meter_free(&meter);
    return costs;
}

/* ---- tori ---- */

/* The destinations of a zone, by numbers on a mesh of its sizes; 0 is its root, next to the source,
 * or the source. */
struct zone {
    bool is_on_way; /* it has some, or its root leads to a zone that has */
    uint32_t targets, target[MOST_NODES];
};

static void cut_torus(const struct topology *topology, const struct multicast *multicast,
                      struct zone *zone)
{
    uint32_t n = topology->shape.dimensions;
    memset(zone, 0, ZONES * sizeof *zone);
    for (uint32_t i = 0; i < multicast->destinations; i++) {
        uint32_t number = 0, signs = 0;
        for (uint32_t d = n; d-- > 0;) {
            uint32_t size = topology->shape.size[d], half = (size + 1) / 2;
            uint32_t at = topology_coordinate(topology, multicast->destination[i], d);
            uint32_t from = topology_coordinate(topology, multicast->source, d);
            uint32_t up = at >= from ? at - from : at + size - from;
            bool is_negative = up >= half;
            signs |= (uint32_t)is_negative << d;
            number =
                number * (is_negative ? size - half : half) + (is_negative ? size - 1 - up : up);
        }
        struct zone *of = &zone[signs];
        of->target[of->targets++] = number;
        /* Wraparound links are taken in the order 0, n - 1, .., 1; the parent is the zone without
         * the last one */
        for (uint32_t to = signs; to > 0;) {
            zone[to].is_on_way = true;
            uint32_t above_0 = to & ~UINT32_C(1);
            to &= above_0 > 0 ? ~(above_0 & -above_0) : 0;
        }
    }
}

static int compare(const void *one, const void *other)
{
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

static uint32_t links_of_zone(const struct topology *topology, struct zone *zone, uint32_t signs,
                              enum plain_rule rule, const struct scheme_choices *choices)
{
    static struct plain_tree plain;
    struct shape shape = topology->shape;
    shape.kind = TOPOLOGY_MESH;
    for (uint32_t d = 0; d < shape.dimensions; d++)
        shape.size[d] = signs >> d & 1 ? shape.size[d] / 2 : (shape.size[d] + 1) / 2;
    if (zone->targets == 0)
        return 0;
    qsort(zone->target, zone->targets, sizeof *zone->target, compare);
    struct topology mesh = topology_of_shape(&shape);
    struct multicast multicast = {0, zone->targets, zone->target, 1};
    plain_tree_make(&plain, &mesh, &multicast, rule, choices->choice[2], choices->choice[3]);
    return plain.links;
}

/* The traffic on a torus is that of its zones, and the wraparound links on the way to those with
 * destinations. */
START_TEST(zones)
{
    static const char *const tori[] = {
        "torus:7",   "torus:8",       "torus:4x5",   "torus:2x2",  "torus:3x4x5",
        "torus:1x6", "torus:2x3x2x4", "torus:5x5x5", "torus:9x10", "torus:3x3x3x3"};
    static struct zone zone[ZONES];
    struct topology topology = route_walk_topology(tori[_i]);
    uint32_t destination[MOST_NODES];
    for (uint32_t number = 0; number < (TEST_IS_SHORT ? 40 : 1000); number++) {
        struct pcg32 random = pcg32_seed(33, number);
        struct multicast multicast = {pcg32_below(&random, topology.nodes), 0, destination, 1};
        uint32_t k = 1 + pcg32_below(&random, topology.nodes - 1);
        multicast.destinations =
            route_walk_destinations(&random, topology.nodes, multicast.source, k, destination);
        for (int t = 0; t < TREES; t++) {
            struct scheme_choices choices = {
                {number % 2, number / 2 % 2, number % 3, number % 5 < 2}};
            uint32_t links = 0;
            if (t < PLAIN_MIN)
                choices.choice[3] = 0;
            if (t == PLAIN_VH)
                choices.choice[2] = 0;
            cut_torus(&topology, &multicast, zone);
            for (uint32_t signs = 0; signs < ZONES; signs++)
                links +=
                    links_of_zone(&topology, &zone[signs], signs, (enum plain_rule)t, &choices) +
                    (signs > 0 && zone[signs].is_on_way);
            ck_assert_uint_eq(costs_of(trees[t], &choices, &topology, &multicast).of[COST_TRAFFIC],
                              links);
        }
    }
}
END_TEST

/* ---- the union of ways by dimensions ---- */

/* From the corner of a mesh of two dimensions: the links of row 0 as far as the last column with
 * destinations, and those of each column as far as its last destination. */
START_TEST(rows_and_columns)
{
    static const char *const meshes[] = {"mesh:1x9", "mesh:9x1", "mesh:5x8", "mesh:16x16"};
    struct topology topology = route_walk_topology(meshes[_i]);
    uint32_t destination[MOST_NODES], cols = topology.shape.size[0];
    for (uint32_t number = 0; number < (TEST_IS_SHORT ? 100 : 4000); number++) {
        struct pcg32 random = pcg32_seed(35, number);
        struct scheme_choices choices = {{number % 2}};
        struct multicast multicast = {0, 0, destination, 1};
        uint32_t k = 1 + pcg32_below(&random, topology.nodes - 1), links = 0;
        uint32_t last[MOST_NODES] = {0};
        multicast.destinations =
            route_walk_destinations(&random, topology.nodes, 0, k, destination);
        for (uint32_t i = 0; i < multicast.destinations; i++) {
            uint32_t x = destination[i] % cols, y = destination[i] / cols;
            last[x] = y > last[x] ? y : last[x];
            links = x > links ? x : links;
        }
        for (uint32_t x = 0; x < cols; x++)
            links += last[x];
        ck_assert_uint_eq(costs_of("vh", &choices, &topology, &multicast).of[COST_TRAFFIC], links);
    }
}
END_TEST

/* ---- averages ---- */

/* Over sets of all sizes: traffic grows from min to dds, diag and vh, and of vh, dds and min vh
 * takes the least time; no set takes longer with the deepest child first. */
START_TEST(averages)
{
    static const char *const places[] = {"mesh:20x20", "torus:20x20", "mesh:10x10x10",
                                         "torus:10x10x10"};
    static uint32_t destination[1000];
    struct topology topology = route_walk_topology(places[_i]);
    uint64_t traffic[TREES] = {0}, time[TREES] = {0};
    uint32_t sets = TEST_IS_SHORT ? 50 : 999;
    for (uint32_t number = 0; number < sets; number++) {
        struct pcg32 random = pcg32_seed(34, number);
        struct multicast multicast = {0, 0, destination, 1};
        uint32_t k = 1 + number * (topology.nodes - 1) / sets;
        multicast.destinations =
            route_walk_destinations(&random, topology.nodes, 0, k, destination);
        for (int t = 0; t < TREES; t++) {
            struct scheme_choices own = {{0}}, deepest = {{1}};
            struct plan_costs costs = costs_of(trees[t], &own, &topology, &multicast);
            ck_assert_uint_le(costs_of(trees[t], &deepest, &topology, &multicast).of[COST_ONE_PORT],
                              costs.of[COST_ONE_PORT]);
            traffic[t] += costs.of[COST_TRAFFIC];
            time[t] += costs.of[COST_ONE_PORT];
        }
    }
    for (int t = 1; t < TREES; t++)
        ck_assert_uint_lt(traffic[t], traffic[t - 1]);
    ck_assert(time[PLAIN_VH] < time[PLAIN_DDS] && time[PLAIN_VH] < time[PLAIN_MIN]);
}
END_TEST

/* ---- worked examples ---- */

static const uint32_t DIAGONAL[] = {32, 53, 64, 96};    /* (2,3) (3,5) (4,6) (6,9) */
static const uint32_t EIGHT[] = {3, 4, 16, 39, 52, 54}; /* (3,0) (4,0) (0,2) (7,4) (4,6) (6,6) */
static const uint32_t FIVE[] = {8,  15, 16,
                                17, 71, 94}; /* (3,1,0) (0,3,0) (1,3,0) (2,3,0) (1,4,2) (4,3,3) */
static const uint32_t TEN[] = {2, 13, 27, 31, 40, 57}; /* (2,0) (3,1) (7,2) (1,3) (0,4) (7,5) */

static const struct {
    const char *topology, *scheme;
    uint32_t destinations;
    const uint32_t *destination;
    enum plan_cost other; /* a cost beside traffic */
    uint64_t traffic, cost;
} examples[] = {
    {"mesh:10x10", "vh", 4, DIAGONAL, COST_ONE_PORT, 29, 15},
    {"mesh:10x10", "diag", 4, DIAGONAL, COST_ONE_PORT, 15, 15},
    {"mesh:8x8", "vh", 6, EIGHT, COST_ONE_PORT, 25, 13},
    {"mesh:8x8", "diag", 6, EIGHT, COST_ONE_PORT, 21, 12},
    {"mesh:8x8", "dds", 6, EIGHT, COST_ONE_PORT, 17, 13},
    {"torus:8x8", "vh", 6, EIGHT, COST_ONE_PORT, 18, 6},
    {"torus:8x8", "diag", 6, EIGHT, COST_ONE_PORT, 17, 6},
    {"torus:8x8", "dds", 6, EIGHT, COST_ONE_PORT, 16, 6},
    {"mesh:5x5x5", "diag", 6, FIVE, COST_ONE_PORT, 20, 10},
    {"mesh:5x5x5", "dds", 6, FIVE, COST_ONE_PORT, 16, 11},
    {"torus:5x5x5", "diag", 6, FIVE, COST_ONE_PORT, 14, 6},
    {"torus:5x5x5", "dds", 6, FIVE, COST_ONE_PORT, 14, 6},
    {"mesh:10x10", "xy-path", 6, TEN, COST_LONGEST_PATH, 18, 12},
    {"mesh:10x10", "lin", 6, TEN, COST_LONGEST_PATH, 26, 26},
};
enum { EXAMPLES = sizeof examples / sizeof examples[0] };

START_TEST(worked_examples)
{
    struct scheme_choices choices = {{0}};
    struct topology topology = route_walk_topology(examples[_i].topology);
    struct multicast multicast = {0, examples[_i].destinations, examples[_i].destination, 1};
    struct plan_costs costs = costs_of(examples[_i].scheme, &choices, &topology, &multicast);
    ck_assert_uint_eq(costs.of[COST_TRAFFIC], examples[_i].traffic);
    ck_assert_uint_eq(costs.of[examples[_i].other], examples[_i].cost);
}
END_TEST

/* The nodes of a mesh with 16 columns and 8 rows on each path of xy-path: the X path has few long
 * runs, the Y path many short ones. */
START_TEST(shared_by_paths)
{
    static const char expected[] = ".XXXXXXXXXXXXXXX"
                                   "YYYXXXXXXXXXXXXX"
                                   "YYYXXXXXXXXXXXXX"
                                   "YYYYYYYYYXXXXXXX"
                                   "YYYYYYYYYXXXXXXX"
                                   "YYYYYYYYYYYXXXXX"
                                   "YYYYYYYYYYYXXXXX"
                                   "YYYYYYYYYYYYYYYY";
    struct scheme_choices choices = {{0}};
    struct topology topology = route_walk_topology("mesh:8x16");
    uint32_t destination[127];
    struct multicast multicast = {0, 127, destination, 1};
    char found[sizeof expected] = ".";
    for (uint32_t i = 0; i < 127; i++)
        destination[i] = i + 1;
    struct plan plan = scheme_case_plan("xy-path", &choices, &topology, &multicast);
    ck_assert_uint_eq(plan.worms, 2);
    for (uint32_t w = 0; w < 2; w++)
        for (uint32_t s = 0; s < plan.worm[w].stops; s++)
            found[plan.stop[plan.worm[w].first + s].node] = "XY"[w];
    ck_assert_str_eq(found, expected);
    plan_free(&plan);
}
END_TEST

void tree_costs_suite(TCase *tests)
{
    tcase_add_loop_test(tests, zones, 0, 10);
    tcase_add_loop_test(tests, rows_and_columns, 0, 4);
    tcase_add_loop_test(tests, averages, 0, 4);
    tcase_add_loop_test(tests, worked_examples, 0, EXAMPLES);
    tcase_add_test(tests, shared_by_paths);
}
