/* test_stars.c - worms along Hamiltonian paths: multi, ocms, otms.
 *
 * Method: a star is read back from its plan, port by port, its lengths are counted hop by hop, and
 * the optima are held against all ways to give ports to few destinations. The promises of one
 * scheme against another are counted on larger random multicasts.
 */
#include "base/numbers.h"
#include "network/schemes/plan_cost.h"
#include "test/length.h"

#include "test/schemes/route_walk.h"
#include "test/schemes/scheme_case.h"

#include <check.h>
#include <string.h>

enum { FORCED, STRICT, FEW = 8, MOST_PORTS = 16, NO_WAY = UINT32_MAX };

static const struct scheme_choices rules[] = {{{FORCED}}, {{STRICT}}};

static const char *const places[] = {"mesh:1",         "mesh:9",     "mesh:1x7",    "mesh:7x1",
                                     "mesh:2x3",       "mesh:5x5",   "mesh:8x6",    "mesh:3x4x3",
                                     "mesh:2x2x2x2x2", "torus:7",    "torus:5x6",   "torus:2x3x4",
                                     "graph:2:0",      "graph:12:0", "graph:24:30", "graph:30:90",
                                     "torus:2x2",      "mesh:2x2",   "mesh:4x4x4"};
enum { PLACES = sizeof places / sizeof places[0] };

/* ---- costs of a plan's worms ---- */

/* Returns the hops of label routing. */
static uint32_t hops(const struct topology *topology, uint32_t from, uint32_t to)
{
    static struct route_walk walk;
    route_walk(&walk, topology, &routing_label, from, to);
    return walk.hops;
}

static uint32_t first_hop(const struct topology *topology, uint32_t from, uint32_t to)
{
    static struct route_walk walk;
    route_walk(&walk, topology, &routing_label, from, to);
    return walk.node[1];
}

/* The lengths of the worms to larger labels [1], and of those to smaller ones [0]. */
struct lengths {
    uint32_t sum[2], longest[2];
};

static struct lengths lengths_of(const struct plan *plan, const struct topology *topology)
{
    struct lengths lengths = {{0}, {0}};
    for (uint32_t i = 0; i < plan->worms; i++) {
        const struct worm *worm = &plan->worm[i];
        uint32_t at = worm->sender, length = 0, side = 0;
        for (uint32_t j = 0; j < worm->stops; j++) {
            uint32_t node = plan->stop[worm->first + j].node;
            length += hops(topology, at, node);
            side = topology_label(topology, node) > topology_label(topology, at);
            at = node;
        }
        lengths.sum[side] += length;
        if (length > lengths.longest[side])
            lengths.longest[side] = length;
    }
    return lengths;
}

static struct lengths lengths_by(const char *scheme, uint32_t rule, const struct topology *topology,
                                 const struct multicast *multicast)
{
    struct plan plan = scheme_case_plan(scheme, &rules[rule], topology, multicast);
    struct lengths lengths = lengths_of(&plan, topology);
    plan_free(&plan);
    return lengths;
}

/* ---- worms ---- */

/* Every worm begins at the source over a link of its own, its labels only grow, or only shrink, hop
 * by hop, and under the strict rule, which has no stops but destinations, routing chooses the first
 * hop. */
static void check_worms(const struct plan *plan, const struct topology *topology,
                        const struct multicast *multicast, bool is_strict)
{
    static struct route_walk walk;
    bool is_begun[SCHEME_CASE_NODES] = {false};
    for (uint32_t i = 0; i < plan->worms; i++) {
        const struct worm *worm = &plan->worm[i];
        const struct stop *stop = &plan->stop[worm->first];
        uint32_t at = multicast->source;
        bool grows = topology_label(topology, stop->node) > topology_label(topology, at);
        ck_assert_uint_eq(worm->sender, multicast->source);
        for (uint32_t j = 0; j < worm->stops; j++) {
            route_walk(&walk, topology, &routing_label, at, stop[j].node);
            ck_assert(j == 0 || walk.hops > 0);
            for (uint32_t hop = 0; hop < walk.hops; hop++)
                ck_assert_int_eq(topology_label(topology, walk.node[hop + 1]) >
                                     topology_label(topology, walk.node[hop]),
                                 grows);
            if (j == 0) {
                ck_assert(!is_begun[walk.node[1]]);
                is_begun[walk.node[1]] = true;
            }
            ck_assert(stop[j].is_destination || (j == 0 && walk.hops == 1 && !is_strict));
            at = stop[j].node;
        }
        ck_assert(stop[worm->stops - 1].is_destination);
    }
}

/* Worms of all three schemes, from every source, with few and with all destinations. */
START_TEST(worms)
{
    static const struct {
        const char *name;
        uint32_t rule;
    } schemes[] = {{"multi", FORCED}, {"lin", FORCED},  {"ocms", FORCED},
                   {"ocms", STRICT},  {"otms", FORCED}, {"otms", STRICT}};
    struct topology topology = route_walk_topology(places[_i]);
    uint32_t destination[SCHEME_CASE_NODES];
    for (uint32_t source = 0; source < topology.nodes; source++)
        for (uint32_t s = 0; s < sizeof schemes / sizeof schemes[0]; s++) {
            struct pcg32 random = pcg32_seed(29, source);
            uint32_t most = s % 2 == 0 && source % 7 == 0 ? 14 : 5;
            struct multicast multicast = {.source = source, .destination = destination, .flits = 1};
            multicast.destinations =
                route_walk_destinations(&random, topology.nodes, source, most, destination);
            struct plan plan =
                scheme_case_plan(schemes[s].name, &rules[schemes[s].rule], &topology, &multicast);
            check_worms(&plan, &topology, &multicast, schemes[s].rule == STRICT);
            plan_free(&plan);
        }
    topology_free(&topology);
}
END_TEST

/* multi on a mesh: from (2, 1) with 6 columns, whose row runs west, (1, 1) begins the worm to what
 * lies west, a hop that routing would not take to (1, 3), and (2, 2) the one to the rest; below,
 * (3, 1) begins that to what lies east. */
START_TEST(multi_sides)
{
    struct topology topology = route_walk_topology("mesh:4x6");
    const uint32_t destination[] = {1, 4, 9, 19, 20, 22};
    const struct multicast multicast = {
        .source = 8, .destinations = 6, .destination = destination, .flits = 1};
    struct plan plan = scheme_case_plan("multi", &rules[FORCED], &topology, &multicast);
    static const uint32_t stops[4][2] = {{7, 19}, {22, 20}, {9, 4}, {1}};
    ck_assert_uint_eq(plan.worms, 4);
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t j = 0; j < plan.worm[i].stops; j++) {
            const struct stop *stop = &plan.stop[plan.worm[i].first + j];
            ck_assert_uint_eq(stop->node, stops[i][j]);
            ck_assert_int_eq(stop->is_destination, stop->node != 7);
        }
    plan_free(&plan);
}
END_TEST

/* Snakes of hypercubes are Gray codes. */
START_TEST(gray_code)
{
    struct topology topology = route_walk_topology("mesh:2x2x2x2x2");
    for (uint32_t label = 0; label < topology.nodes; label++)
        ck_assert_uint_eq(topology_label(&topology, label ^ label >> 1), label);
}
END_TEST

/* ---- all stars ---- */

/* One side of a multicast, and the best of all its stars. */
struct side {
    uint32_t count, ports;
    uint32_t first[MOST_PORTS][FEW];               /* first legs */
    uint32_t hops[FEW][FEW];                       /* legs between destinations */
    uint32_t last[MOST_PORTS], length[MOST_PORTS]; /* of the star at hand: FEW before the first */
    uint32_t sum, longest, sum_of_longest;         /* the least ones */
};

static bool is_before(const struct topology *topology, uint32_t one, uint32_t other, bool grows)
{
    uint32_t a = topology_label(topology, one), b = topology_label(topology, other);
    return grows ? a < b : a > b;
}

static void make_side(struct side *side, const struct topology *topology,
                      const struct multicast *multicast, bool grows, uint32_t rule)
{
    uint32_t node[FEW];
    *side = (struct side){.sum = NO_WAY, .longest = NO_WAY, .sum_of_longest = NO_WAY};
    for (uint32_t i = 0; i < multicast->destinations; i++) {
        if (!is_before(topology, multicast->source, multicast->destination[i], grows))
            continue;
        uint32_t place = side->count++;
        for (; place > 0 && is_before(topology, multicast->destination[i], node[place - 1], grows);
             place--)
            node[place] = node[place - 1];
        node[place] = multicast->destination[i];
    }
    for (uint32_t i = 0; i < side->count; i++)
        for (uint32_t j = i + 1; j < side->count; j++)
            side->hops[i][j] = hops(topology, node[i], node[j]);
    for (uint32_t port = 0; port < topology_node_ports(topology, multicast->source); port++) {
        uint32_t next = topology_neighbour(topology, multicast->source, port);
        if (next == TOPOLOGY_NO_NODE || !is_before(topology, multicast->source, next, grows))
            continue;
        ck_assert_uint_lt(side->ports, MOST_PORTS);
        for (uint32_t i = 0; i < side->count; i++) {
            bool is_allowed = rule == STRICT
                                  ? first_hop(topology, multicast->source, node[i]) == next
                                  : !is_before(topology, node[i], next, grows);
            side->first[side->ports][i] = is_allowed ? 1 + hops(topology, next, node[i]) : NO_WAY;
        }
        side->last[side->ports++] = FEW;
    }
}

/* Tries all ports for destinations i .., with what those before have. */
static void try_all(struct side *side, uint32_t i)
{
    uint32_t sum = 0, longest = 0;
    for (uint32_t port = 0; port < side->ports; port++) {
        uint32_t last = side->last[port], length = side->length[port];
        sum += length;
        longest = length > longest ? length : longest;
        if (i == side->count)
            continue;
        uint32_t leg = last == FEW ? side->first[port][i] : side->hops[last][i];
        if (leg == NO_WAY)
            continue;
        side->last[port] = i;
        side->length[port] += leg;
        try_all(side, i + 1);
        side->last[port] = last;
        side->length[port] = length;
    }
    if (i < side->count)
        return;
    if (sum < side->sum)
        side->sum = sum;
    if (longest < side->longest || (longest == side->longest && sum < side->sum_of_longest)) {
        side->longest = longest;
        side->sum_of_longest = sum;
    }
}

static const char *const few_places[] = {
    "mesh:6",      "mesh:4x5",   "mesh:8x8",    "mesh:3x3x3",  "mesh:2x2x2x2", "torus:4x5",
    "torus:3x2x3", "graph:16:0", "graph:20:30", "graph:30:60", "mesh:5x1",     "mesh:16x16"};
enum { FEW_PLACES = sizeof few_places / sizeof few_places[0] };

/* The sum of ocms, and the longest worm of otms with its sum, are the least ones of all stars, by
 * either rule. */
START_TEST(optima)
{
    struct topology topology = route_walk_topology(few_places[_i]);
    uint32_t destination[SCHEME_CASE_NODES];
    for (uint32_t number = 0; number < 40; number++)
        for (uint32_t rule = FORCED; rule <= STRICT; rule++) {
            struct multicast multicast =
                scheme_case_multicast(&topology, number, 1 + number % FEW, destination);
            struct lengths sums = lengths_by("ocms", rule, &topology, &multicast);
            struct lengths times = lengths_by("otms", rule, &topology, &multicast);
            for (uint32_t grows = 0; grows < 2; grows++) {
                struct side side;
                make_side(&side, &topology, &multicast, grows, rule);
                try_all(&side, 0);
                ck_assert_uint_eq(sums.sum[grows], side.sum);
                ck_assert_uint_eq(times.longest[grows], side.longest);
                ck_assert_uint_eq(times.sum[grows], side.sum_of_longest);
            }
        }
    topology_free(&topology);
}
END_TEST

/* ---- stars that share no link ---- */

/* Adds a way to the worm of a port: false if a link of it belongs to another one. */
static bool take_links(const struct topology *topology, uint32_t from, uint32_t to, uint32_t port,
                       uint8_t owner[SCHEME_CASE_NODES][SCHEME_CASE_NODES])
{
    static struct route_walk walk;
    route_walk(&walk, topology, &routing_label, from, to);
    for (uint32_t hop = 0; hop < walk.hops; hop++) {
        uint8_t *of = &owner[walk.node[hop]][walk.node[hop + 1]];
        if (*of != 0 && *of != port + 1)
            return false;
        *of = (uint8_t)(port + 1);
    }
    return true;
}

/* Returns the least sum of a side's stars that share no link, of all ways to give ports. */
static uint32_t least_apart(const struct topology *topology, const struct multicast *multicast,
                            bool grows, uint32_t rule)
{
    static uint8_t owner[SCHEME_CASE_NODES][SCHEME_CASE_NODES];
    struct side side;
    uint32_t node[FEW], neighbour[MOST_PORTS], stars = 1, least = NO_WAY, ports = 0, count = 0;
    make_side(&side, topology, multicast, grows, rule);
    for (uint32_t port = 0; port < topology_node_ports(topology, multicast->source); port++) {
        uint32_t next = topology_neighbour(topology, multicast->source, port);
        if (next != TOPOLOGY_NO_NODE && is_before(topology, multicast->source, next, grows))
            neighbour[ports++] = next;
    }
    for (uint32_t label = 0; label < topology->nodes; label++)
        for (uint32_t i = 0; i < multicast->destinations; i++)
            if (topology_label(topology, multicast->destination[i]) ==
                    (grows ? label : topology->nodes - 1 - label) &&
                is_before(topology, multicast->source, multicast->destination[i], grows))
                node[count++] = multicast->destination[i];
    for (uint32_t i = 0; i < count; i++)
        stars *= ports;
    if (count == 0 || stars > 4096)
        return NO_WAY;
    for (uint32_t star = 0; star < stars; star++) {
        uint32_t last[MOST_PORTS], sum = 0, rest = star;
        bool is_apart = true;
        memset(owner, 0, sizeof owner);
        memset(last, 0xff, sizeof last);
        for (uint32_t i = 0; i < count && is_apart; i++, rest /= ports) {
            uint32_t port = rest % ports, leg;
            leg = last[port] == UINT32_MAX ? side.first[port][i] : side.hops[last[port]][i];
            is_apart = leg != NO_WAY;
            if (is_apart && last[port] == UINT32_MAX)
                is_apart = take_links(topology, multicast->source, neighbour[port], port, owner) &&
                           take_links(topology, neighbour[port], node[i], port, owner);
            else if (is_apart)
                is_apart = take_links(topology, node[last[port]], node[i], port, owner);
            last[port] = i;
            sum += leg;
        }
        least = is_apart && sum < least ? sum : least;
    }
    return least;
}

/* With share=none no two worms cross the same link, and of small sets no star that shares none has
 * a lesser sum. On larger meshes that costs links now and then. */
START_TEST(apart)
{
    struct topology topology = route_walk_topology(few_places[_i]);
    uint32_t destination[SCHEME_CASE_NODES], tried = 0, dearer = 0;
    struct plan_meter meter = {0};
    for (uint32_t number = 0; number < (TEST_IS_SHORT ? 400 : 4000); number++) {
        struct scheme_choices choices = {{number % 5 == 0 ? STRICT : FORCED, 1}};
        struct plan_costs costs;
        struct failure failure = {0};
        bool is_small = number % 8 > 0;
        struct multicast multicast =
            scheme_case_multicast(&topology, number, is_small ? FEW : 60, destination);
        struct plan plan = scheme_case_plan("ocms", &choices, &topology, &multicast);
        check_worms(&plan, &topology, &multicast, choices.choice[0] == STRICT);
        plan_measure_links(&meter, &topology, &plan, &costs, &failure);
        ck_assert_uint_eq(costs.of[COST_SHARED_LINKS], 0);
        struct lengths sums = lengths_of(&plan, &topology);
        struct lengths any = lengths_by("ocms", choices.choice[0], &topology, &multicast);
        for (uint32_t grows = 0; grows < 2; grows++) {
            ck_assert_uint_ge(sums.sum[grows], any.sum[grows]);
            dearer += is_small && sums.sum[grows] > any.sum[grows];
            uint32_t least = is_small && (number % 9 == 0 || sums.sum[grows] > any.sum[grows])
                                 ? least_apart(&topology, &multicast, grows, choices.choice[0])
                                 : NO_WAY;
            tried += least != NO_WAY;
            if (least != NO_WAY)
                ck_assert_uint_eq(sums.sum[grows], least);
        }
        plan_free(&plan);
    }
    ck_assert_uint_gt(tried, 0);
    ck_assert(_i != 2 || dearer > 0);
    plan_meter_free(&meter);
    topology_free(&topology);
}
END_TEST

/* ---- one scheme against another ---- */

/* ocms and otms gain by forced first hops; ocms is no worse than dual and multi in sum, otms than
 * multi and ocms in its longest worm. */
START_TEST(inequalities)
{
    struct topology topology = route_walk_topology(places[_i]);
    uint32_t destination[SCHEME_CASE_NODES];
    for (uint32_t number = 0; number < 12; number++) {
        struct multicast multicast =
            scheme_case_multicast(&topology, number, 3 * number, destination);
        struct lengths dual = lengths_by("dual", FORCED, &topology, &multicast);
        struct lengths multi = lengths_by("multi", FORCED, &topology, &multicast);
        struct lengths sum = lengths_by("ocms", FORCED, &topology, &multicast);
        struct lengths strict_sum = lengths_by("ocms", STRICT, &topology, &multicast);
        struct lengths time = lengths_by("otms", FORCED, &topology, &multicast);
        struct lengths strict_time = lengths_by("otms", STRICT, &topology, &multicast);
        for (uint32_t side = 0; side < 2; side++) {
            ck_assert_uint_le(sum.sum[side], strict_sum.sum[side]);
            ck_assert_uint_le(strict_sum.sum[side], dual.sum[side]);
            ck_assert_uint_le(sum.sum[side], multi.sum[side]);
            ck_assert_uint_le(sum.sum[side], time.sum[side]);
            ck_assert_uint_le(time.longest[side], multi.longest[side]);
            ck_assert_uint_le(time.longest[side], sum.longest[side]);
            ck_assert_uint_le(time.longest[side], strict_time.longest[side]);
            ck_assert_uint_le(strict_time.longest[side], strict_sum.longest[side]);
        }
    }
    topology_free(&topology);
}
END_TEST

/* With more states than otms keeps (three ports, 40 destinations) its longest worm is shorter than
 * that of ocms still. */
START_TEST(many_states)
{
    struct topology topology = route_walk_topology("mesh:6x6x7");
    uint32_t destination[SCHEME_CASE_NODES];
    struct pcg32 random = pcg32_seed(29, 0);
    struct multicast multicast = {.source = 0, .destination = destination, .flits = 1};
    multicast.destinations = route_walk_destinations(&random, topology.nodes, 0, 40, destination);
    struct plan plan = scheme_case_plan("otms", &rules[FORCED], &topology, &multicast);
    struct lengths sum = lengths_by("ocms", FORCED, &topology, &multicast);
    check_worms(&plan, &topology, &multicast, false);
    ck_assert_uint_lt(lengths_of(&plan, &topology).longest[1], sum.longest[1]);
    plan_free(&plan);
}
END_TEST

static const struct {
    const char *place;
    uint32_t destinations, above;
} bounded[] = {{"mesh:5x5x5", 40, 0},   {"mesh:8x4x4", 60, 0},      {"mesh:6x6x6", 30, 0},
               {"mesh:3x3x3", 20, 0},   {"torus:8x8", 20, 2},       {"mesh:4x4x4x4", 30, 0},
               {"graph:60:120", 20, 2}, {"mesh:2x2x2x2x2x2", 24, 1}};
enum { BOUNDED = sizeof bounded / sizeof bounded[0] };

/* The bound of the longest worm is reached, so that these stars are proven to be the best ones; or
 * nearly. */
START_TEST(bounds)
{
    struct topology topology = route_walk_topology(bounded[_i].place);
    uint32_t destination[SCHEME_CASE_NODES];
    for (uint32_t number = 0; number < 6; number++) {
        struct multicast multicast =
            scheme_case_multicast(&topology, number, bounded[_i].destinations, destination);
        struct plan plan = scheme_case_plan("otms", &rules[number % 2], &topology, &multicast);
        struct lengths lengths = lengths_of(&plan, &topology);
        uint32_t longest = max_u32(lengths.longest[0], lengths.longest[1]);
        ck_assert_uint_le(plan.longest_bound, longest);
        ck_assert_uint_le(longest, plan.longest_bound + bounded[_i].above);
        plan_free(&plan);
    }
    topology_free(&topology);
}
END_TEST

void stars_suite(TCase *tests)
{
    tcase_add_loop_test(tests, worms, 0, PLACES);
    tcase_add_test(tests, multi_sides);
    tcase_add_test(tests, gray_code);
    tcase_add_loop_test(tests, optima, 0, FEW_PLACES);
    tcase_add_loop_test(tests, apart, 0, FEW_PLACES);
    tcase_add_loop_test(tests, inequalities, 0, PLACES);
    tcase_add_test(tests, many_states);
    tcase_add_loop_test(tests, bounds, 0, BOUNDED);
}
