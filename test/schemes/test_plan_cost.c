/* test_plan_cost.c - the costs of plans, by another method.
 *
 * Method: links are followed hop by hop. Steps are acted out: in each of them, a holder of the
 * message sends the next of its worms.
 */
#include "network/schemes/plan_cost.h"

#include "test/schemes/route_walk.h"
#include "test/schemes/scheme_case.h"

#include <check.h>
#include <string.h>

enum { MOST_NODES = SCHEME_CASE_NODES };

static const char *const places[] = {
    "mesh:8",     "mesh:5x6",       "mesh:1x1",         "mesh:1x9",   "mesh:7x1",    "mesh:9x9",
    "mesh:3x4x3", "mesh:2x2x2x2x2", "torus:7",          "torus:4x5",  "torus:2x3x4", "mesh:1x2",
    "torus:2x2",  "mesh:15x16",     "mesh:1x2x1x7x1x5", "graph:30:40"};
enum { PLACES = sizeof places / sizeof places[0] };

static struct plan_costs measure(const struct scheme *scheme, const struct topology *topology,
                                 const struct multicast *multicast, const struct plan *plan)
{
    static struct plan_meter meter;
    struct plan_costs costs;
    struct failure failure = {0};
    ck_assert_int_eq(plan_measure(&meter, scheme, topology, multicast, plan, &costs, &failure),
                     FAIL_NONE);
    plan_meter_free(&meter);
    return costs;
}

/* ---- hops ---- */

/* The hops of every routing are those of its ways. */
START_TEST(lengths_of_ways)
{
    static const struct routing *const routings[] = {
        &routing_x_first, &routing_label, &routing_negative_first, &routing_negative_first_fixed};
    static struct route_walk walk;
    struct topology topology = route_walk_topology(places[_i]);
    for (size_t r = 0; r < sizeof routings / sizeof routings[0]; r++)
        for (uint32_t from = 0; from < topology.nodes; from++)
            for (uint32_t to = 0; to < topology.nodes; to++) {
                if (from == to || routings[r]->classes(&topology) == 0)
                    continue;
                route_walk(&walk, &topology, routings[r], from, to);
                ck_assert_uint_eq(routings[r]->hops(&topology, from, to), walk.hops);
            }
    ck_assert_uint_eq(routing_link.hops(&topology, 0, 1), 1);
    topology_free(&topology);
}
END_TEST

/* ---- links ---- */

static uint32_t walk_leg(const struct topology *topology, const struct routing *routing,
                         uint32_t from, uint32_t to)
{
    static struct route_walk walk;
    route_walk(&walk, topology, routing, from, to);
    return walk.hops;
}

/* Adds the links below a stop to *all; returns those of its longest branch. */
static uint32_t branch(const struct plan *plan, const struct topology *topology, uint32_t stop,
                       uint64_t *all)
{
    uint32_t longest = 0, last = stop + plan->stop[stop].span - 1;
    for (uint32_t child = stop + 1; child <= last; child += plan->stop[child].span) {
        uint32_t hops =
            walk_leg(topology, plan->routing, plan->stop[stop].node, plan->stop[child].node);
        uint32_t length = hops + branch(plan, topology, child, all);
        *all += hops;
        longest = length > longest ? length : longest;
    }
    return longest;
}

static void check_links(const struct plan *plan, const struct topology *topology,
                        const struct multicast *multicast, const struct plan_costs *costs)
{
    uint64_t all = 0, longest = 0;
    for (uint32_t i = 0; i < plan->worms; i++) {
        const struct worm *worm = &plan->worm[i];
        uint32_t first =
            plan->stop[worm->first].node; /* the sender's own, where it branches there */
        uint32_t hops =
            first == worm->sender ? 0 : walk_leg(topology, plan->routing, worm->sender, first);
        uint32_t length = hops + branch(plan, topology, worm->first, &all);
        all += hops;
        longest = length > longest ? length : longest;
    }
    ck_assert_uint_eq(costs->of[COST_TRAFFIC], all);
    ck_assert_uint_eq(costs->of[COST_ADDITIONAL_TRAFFIC], all - multicast->destinations);
    ck_assert_uint_ge(all, multicast->destinations);
    ck_assert_uint_eq(costs->of[COST_LONGEST_PATH], longest);
    ck_assert_uint_eq(costs->of[COST_STARTUPS], plan->worms);
}

/* Returns the stop from which a worm comes to its i-th one: the nearest one before whose subtree
 * has it. */
static uint32_t before(const struct plan *plan, const struct worm *worm, uint32_t i)
{
    const struct stop *stop = plan->stop + worm->first;
    for (uint32_t j = i; j-- > 0;)
        if (j + stop[j].span > i)
            return stop[j].node;
    return worm->sender;
}

/* Worms on each link, counted worm by worm in a table of all pairs of nodes. */
static void check_sharing(const struct plan *plan, const struct topology *topology,
                          const struct multicast *multicast)
{
    static uint32_t worms[MOST_NODES][MOST_NODES];
    static struct route_walk way;
    static struct plan_meter meter;
    struct plan_costs costs;
    struct failure failure = {0};
    uint32_t most = 0, shared = 0;
    memset(worms, 0, sizeof worms);
    for (uint32_t i = 0; i < plan->worms; i++) {
        bool crosses[MOST_NODES][MOST_NODES] = {{false}};
        for (uint32_t j = 0; j < plan->worm[i].stops; j++) {
            uint32_t to = plan->stop[plan->worm[i].first + j].node;
            uint32_t from = before(plan, &plan->worm[i], j);
            if (from == to)
                continue;
            route_walk(&way, topology, plan->routing, from, to);
            for (uint32_t hop = 0; hop < way.hops; hop++)
                crosses[way.node[hop]][way.node[hop + 1]] = true;
        }
        for (uint32_t from = 0; from < topology->nodes; from++)
            for (uint32_t to = 0; to < topology->nodes; to++)
                worms[from][to] += crosses[from][to];
    }
    for (uint32_t from = 0; from < topology->nodes; from++)
        for (uint32_t to = 0; to < topology->nodes; to++) {
            most = worms[from][to] > most ? worms[from][to] : most;
            shared += worms[from][to] > 1;
        }
    ck_assert_int_eq(plan_measure_links(&meter, topology, plan, &costs, &failure), FAIL_NONE);
    ck_assert_uint_eq(costs.of[COST_LINK_WORMS], most);
    ck_assert_uint_eq(costs.of[COST_SHARED_LINKS], shared);
    ck_assert(multicast->destinations > 0 || most == 0);
}

/* ---- steps ---- */

/* The worms that a node sends in a step: one, one to smaller and one to larger labels, or those
 * with that step. */
enum pace { ONE, ONE_A_SIDE, AS_TOLD };

static enum pace pace_of(const struct scheme *scheme)
{
    if (strcmp(scheme->name, "d-port") == 0)
        return AS_TOLD;
    return strcmp(scheme->name, "two-port") == 0 ? ONE_A_SIDE : ONE;
}

/* Acts out the steps; returns their number until every worm is sent. Each worm has the step in
 * which it is sent. */
static uint32_t act_steps(const struct plan *plan, const struct topology *topology,
                          const struct multicast *multicast, enum pace pace)
{
    bool has_it[MOST_NODES] = {false};
    bool is_sent[MOST_NODES] = {false};
    uint32_t since[MOST_NODES] = {0}, steps = 0, left = plan->worms;
    has_it[multicast->source] = true;
    for (; left > 0; steps++) {
        bool had_it[MOST_NODES], is_busy[MOST_NODES][2] = {{false}};
        memcpy(had_it, has_it, sizeof had_it);
        for (uint32_t i = 0; i < plan->worms; i++) {
            const struct worm *worm = &plan->worm[i];
            const struct stop *stop = plan->stop + worm->first;
            bool grows = pace == ONE_A_SIDE && topology_label(topology, stop->node) >
                                                   topology_label(topology, worm->sender);
            uint32_t told = since[worm->sender] + worm->step;
            if (is_sent[i] || !had_it[worm->sender])
                continue;
            if (pace == AS_TOLD ? told != steps + 1 : is_busy[worm->sender][grows])
                continue;
            ck_assert_uint_eq(told, steps + 1);
            is_sent[i] = is_busy[worm->sender][grows] = true;
            left--;
            for (uint32_t j = 0; j < worm->stops; j++) {
                has_it[stop[j].node] |= stop[j].is_destination;
                since[stop[j].node] = steps + 1;
            }
        }
    }
    return steps;
}

static void check_scheme(const struct scheme *scheme, const struct topology *topology)
{
    static const struct scheme_choices defaults;
    struct failure failure = {0};
    uint32_t destination[MOST_NODES];
    bool is_stepwise = scheme->is_stepwise, is_timed = scheme->routing(&defaults) == &routing_link;
    struct plan plan = {0};
    ck_assert(plan_has_cost(scheme, &defaults, COST_STEPS) == is_stepwise);
    ck_assert(plan_has_cost(scheme, &defaults, COST_ALL_PORT) == is_timed);
    ck_assert(plan_has_cost(scheme, &defaults, COST_TRAFFIC));
    for (uint32_t k = 0; k < topology->nodes; k += k < 20 ? 1 : 17) {
        struct multicast multicast = scheme_case_multicast(topology, k, k, destination);
        scheme_plan(scheme, topology, &multicast, &defaults, &plan, &failure);
        ck_assert_int_eq(failure.kind, FAIL_NONE);
        struct plan_costs costs = measure(scheme, topology, &multicast, &plan);
        check_links(&plan, topology, &multicast, &costs);
        check_sharing(&plan, topology, &multicast);
        ck_assert((costs.of[COST_ALL_PORT] != PLAN_NO_COST) == is_timed);
        ck_assert((costs.of[COST_ONE_PORT] != PLAN_NO_COST) == is_timed);
        if (!is_stepwise)
            ck_assert(costs.of[COST_STEPS] == PLAN_NO_COST);
        else
            ck_assert_uint_eq(costs.of[COST_STEPS],
                              act_steps(&plan, topology, &multicast, pace_of(scheme)));
    }
    plan_free(&plan);
}

/* The costs of every scheme wherever it can run. */
START_TEST(schemes_alike)
{
    static const struct scheme_choices defaults;
    struct topology topology = route_walk_topology(places[_i]);
    for (uint32_t s = 0; s < scheme_count(); s++) {
        struct failure failure = {0};
        if (scheme_check(scheme_at(s), &topology, &defaults, 2, &failure) == FAIL_NONE)
            check_scheme(scheme_at(s), &topology);
    }
    topology_free(&topology);
}
END_TEST

/* True if worms of one step are known to share no link: u-mesh on meshes by x-first and by labels,
 * two-port, d-port. Those of unicast have one sender, one per step. */
static bool is_free_of_contention(const struct scheme *scheme, const struct topology *topology,
                                  const struct routing *routing)
{
    if (strcmp(scheme->name, "schl") == 0)
        return false;
    return routing == &routing_label || strcmp(scheme->name, "unicast") == 0 ||
           (topology->shape.kind == TOPOLOGY_MESH && routing == &routing_x_first);
}

/* By the steps of the worms, and by nothing else. */
START_TEST(contention)
{
    struct topology topology = route_walk_topology(places[_i]);
    uint32_t destination[MOST_NODES], step[MOST_NODES];
    for (uint32_t s = 0; s < scheme_count(); s++) {
        const struct scheme *scheme = scheme_at(s);
        struct scheme_choices choices = {{0}};
        do {
            struct failure failure = {0};
            if (!scheme->is_stepwise ||
                scheme_check(scheme, &topology, &choices, 2, &failure) != FAIL_NONE ||
                !is_free_of_contention(scheme, &topology, scheme->routing(&choices)))
                continue;
            for (uint32_t k = 0; k < topology.nodes; k += k < 20 ? 1 : 17) {
                struct multicast multicast = scheme_case_multicast(&topology, k, k, destination);
                struct plan plan = scheme_case_plan(scheme->name, &choices, &topology, &multicast);
                uint32_t steps = scheme_case_steps(&plan, step);
                ck_assert_uint_eq(scheme_case_contentions(&plan, &topology, step, steps), 0);
                plan_free(&plan);
            }
        } while (scheme_case_next_choices(scheme, &choices));
    }
    topology_free(&topology);
}
END_TEST

/* ---- known figures ---- */

static struct plan_costs costs_of(const char *name, const struct topology *topology,
                                  const struct multicast *multicast)
{
    static const struct scheme_choices defaults;
    const struct scheme *scheme = NULL;
    struct failure failure = {0};
    struct plan plan = scheme_case_plan(name, &defaults, topology, multicast);
    ck_assert_int_eq(scheme_find(name, &scheme, &failure), FAIL_NONE);
    struct plan_costs costs = measure(scheme, topology, multicast, &plan);
    plan_free(&plan);
    return costs;
}

static uint32_t logarithm(uint32_t number, uint32_t base)
{
    uint32_t steps = 0;
    for (uint32_t power = 1; power < number; power *= base)
        steps++;
    return steps;
}

/* Steps: k for unicast, ceil(log2(k + 1)) for u-mesh, at most ceil(log3(2 (k + 1))) for two-port.
 * Traffic of unicast is the sum of distances. */
START_TEST(steps)
{
    struct topology topology = route_walk_topology("mesh:15x16");
    uint32_t destination[MOST_NODES];
    for (uint32_t k = 0; k < topology.nodes; k++) {
        struct multicast multicast = scheme_case_multicast(&topology, k, k, destination);
        struct plan_costs unicast = costs_of("unicast", &topology, &multicast);
        struct plan_costs u_mesh = costs_of("u-mesh", &topology, &multicast);
        struct plan_costs two_port = costs_of("two-port", &topology, &multicast);
        uint64_t distances = 0;
        for (uint32_t i = 0; i < k; i++)
            distances += topology_distance(&topology, multicast.source, destination[i]);
        ck_assert_uint_eq(unicast.of[COST_TRAFFIC], distances);
        ck_assert_uint_eq(unicast.of[COST_STEPS], k);
        ck_assert_uint_eq(u_mesh.of[COST_STEPS], logarithm(k + 1, 2));
        ck_assert_uint_le(two_port.of[COST_STEPS], logarithm(2 * (k + 1), 3));
        ck_assert_uint_ge(two_port.of[COST_STEPS], logarithm(k + 1, 3));
        ck_assert_uint_eq(two_port.of[COST_STARTUPS], k);
    }
}
END_TEST

/* The traffic of ocms is not above that of other stars; the longest path of otms is not
 * above that of ocms. */
START_TEST(stars)
{
    struct topology topology = route_walk_topology(places[_i]);
    uint32_t destination[MOST_NODES];
    for (uint32_t k = 0; k < topology.nodes; k += k < 12 ? 1 : 29) {
        struct multicast multicast = scheme_case_multicast(&topology, k, k, destination);
        struct plan_costs ocms = costs_of("ocms", &topology, &multicast);
        struct plan_costs otms = costs_of("otms", &topology, &multicast);
        struct plan_costs multi = costs_of("multi", &topology, &multicast);
        struct plan_costs dual = costs_of("dual", &topology, &multicast);
        ck_assert_uint_le(ocms.of[COST_TRAFFIC], otms.of[COST_TRAFFIC]);
        ck_assert_uint_le(ocms.of[COST_TRAFFIC], multi.of[COST_TRAFFIC]);
        ck_assert_uint_le(otms.of[COST_LONGEST_PATH], ocms.of[COST_LONGEST_PATH]);
        ck_assert_uint_le(otms.of[COST_LONGEST_PATH], multi.of[COST_LONGEST_PATH]);
        ck_assert_uint_le(dual.of[COST_STARTUPS], 2);
    }
    topology_free(&topology);
}
END_TEST

void plan_cost_suite(TCase *tests)
{
    tcase_add_loop_test(tests, lengths_of_ways, 0, PLACES);
    tcase_add_loop_test(tests, schemes_alike, 0, PLACES);
    tcase_add_loop_test(tests, contention, 0, PLACES);
    tcase_add_test(tests, steps);
    tcase_add_loop_test(tests, stars, 0, PLACES);
}
