/* test_d_port.c - the trees of unicasts that send over all ports at once, d-port, or over two,
 * two-port.
 *
 * Method: worms tell the step in which they are sent. Every hop of every worm is walked, and the
 * links that two worms share are counted one by one, without regard to the scheme's division of its
 * chain.
 */
#include "network/schemes/scheme.h"

#include "test/length.h"
#include "test/schemes/route_walk.h"
#include "test/schemes/scheme_case.h"

#include <check.h>
#include <string.h>

enum { MOST_NODES = 2048, MOST_LINKS = 8192, MOST_ON_LINK = 64 };

static const struct scheme_choices defaults;

/* The step of each worm, and the worm that brings a node the message. */
struct schedule {
    uint32_t steps, step[MOST_NODES], server[MOST_NODES];
    /* The worms that cross each link. */
    uint32_t on[MOST_LINKS], worm[MOST_LINKS][MOST_ON_LINK];
};

static void cross(struct schedule *schedule, uint64_t link, uint32_t worm)
{
    ck_assert_uint_lt(link, MOST_LINKS);
    ck_assert_uint_lt(schedule->on[link], MOST_ON_LINK);
    schedule->worm[link][schedule->on[link]++] = worm;
}

/* Walks all worms. Without forced hops those stops are left out that take no copy. */
static void read_schedule(struct schedule *schedule, const struct plan *plan,
                          const struct topology *topology, bool forces_hops)
{
    static struct route_walk walk;
    uint32_t since[MOST_NODES] = {0};
    memset(schedule->on, 0, sizeof schedule->on);
    schedule->steps = 0;
    for (uint32_t i = 0; i < plan->worms; i++) {
        const struct worm *worm = &plan->worm[i];
        uint32_t at = worm->sender;
        ck_assert_uint_ge(worm->step, 1);
        schedule->step[i] = since[worm->sender] + worm->step;
        for (uint32_t j = worm->first; j < worm->first + worm->stops; j++) {
            const struct stop *stop = &plan->stop[j];
            ck_assert(stop->is_destination == (j == worm->first + worm->stops - 1));
            if (!forces_hops && !stop->is_destination)
                continue;
            route_walk(&walk, topology, plan->routing, at, stop->node);
            ck_assert(stop->is_destination || walk.hops == 1);
            for (uint32_t hop = 0; hop < walk.hops; hop++)
                cross(schedule, walk.link[hop], i);
            at = stop->node;
        }
        since[at] = schedule->step[i];
        schedule->server[at] = i;
        if (schedule->step[i] > schedule->steps)
            schedule->steps = schedule->step[i];
    }
}

/* True if worm `later` comes from the sender of `earlier`, or from a node that got the message from
 * this sender no earlier than `earlier` was sent. */
static bool is_behind(const struct plan *plan, const struct schedule *schedule, uint32_t source,
                      uint32_t earlier, uint32_t later)
{
    uint32_t sender = plan->worm[earlier].sender, worm = later;
    while (plan->worm[worm].sender != sender) {
        if (plan->worm[worm].sender == source)
            return false;
        worm = schedule->server[plan->worm[worm].sender];
    }
    return schedule->step[worm] >= schedule->step[earlier];
}

struct counts {
    uint32_t shared, disordered; /* pairs of worms on a link: of one step; of two, in no order */
};

static struct counts count(const struct plan *plan, const struct schedule *schedule,
                           const struct topology *topology, uint32_t source)
{
    struct counts counts = {0, 0};
    for (uint64_t link = 0; link < topology->links; link++)
        for (uint32_t a = 0; a < schedule->on[link]; a++)
            for (uint32_t b = 0; b < a; b++) {
                uint32_t one = schedule->worm[link][a], other = schedule->worm[link][b];
                bool is_first = schedule->step[one] < schedule->step[other];
                if (schedule->step[one] == schedule->step[other])
                    counts.shared++;
                else
                    counts.disordered += !is_behind(plan, schedule, source, is_first ? one : other,
                                                    is_first ? other : one);
            }
    return counts;
}

/* Returns the least S with base^S >= number. */
static uint32_t logarithm(uint32_t base, uint32_t number)
{
    uint32_t steps = 0;
    for (uint64_t power = 1; power < number; power *= base)
        steps++;
    return steps;
}

static uint32_t most_degree(const struct topology *topology)
{
    uint32_t most = 1;
    for (uint32_t node = 0; node < topology->nodes; node++)
        if (topology_degree(topology, node) > most)
            most = topology_degree(topology, node);
    return most;
}

static void check_scheme(const char *scheme, const struct topology *topology,
                         const struct multicast *multicast, const struct scheme_choices *choices,
                         uint32_t ports)
{
    static struct schedule schedule;
    uint32_t n = multicast->destinations + 1, sent[MOST_NODES][2] = {{0}};
    struct plan plan = scheme_case_plan(scheme, choices, topology, multicast);
    read_schedule(&schedule, &plan, topology, true);
    struct counts counts = count(&plan, &schedule, topology, multicast->source);
    ck_assert_uint_eq(counts.shared, 0);
    ck_assert_uint_eq(counts.disordered, 0);
    ck_assert_uint_eq(plan.worms, multicast->destinations);
    ck_assert_uint_le(schedule.steps, logarithm(3, 2 * n));
    ck_assert_uint_ge(schedule.steps, logarithm(ports + 1, n));
    for (uint32_t i = 0; i < plan.worms; i++) {
        uint32_t *last = sent[plan.worm[i].sender];
        ck_assert_uint_ge(schedule.step[i], last[0]);
        last[1] = schedule.step[i] == last[0] ? last[1] + 1 : 1;
        last[0] = schedule.step[i];
        ck_assert_uint_le(last[1], ports);
    }
    plan_free(&plan);
}

static void check_case(const struct topology *topology, const struct multicast *multicast,
                       const struct scheme_choices *choices, uint32_t ports)
{
    check_scheme("d-port", topology, multicast, choices, ports);
    check_scheme("two-port", topology, multicast, &defaults, 2);
}

/* ---- small topologies, all multicasts ---- */

/* two-port by hand, from an end of nine nodes: 5 gets 3 .. 8, then 1 gets 1 and 2; 5 hands 3, 4 and
 * 7, 8 over at once, then 6. */
START_TEST(example)
{
    static const uint32_t worms[][3] = {{0, 5, 1}, {0, 1, 2}, {5, 4, 1}, {5, 7, 1},
                                        {5, 6, 2}, {1, 2, 1}, {4, 3, 1}, {7, 8, 1}};
    static const uint32_t destination[] = {1, 2, 3, 4, 5, 6, 7, 8};
    enum { WORMS = sizeof worms / sizeof worms[0] };
    const struct multicast multicast = {0, WORMS, destination, 1};
    struct topology line = route_walk_topology("mesh:9");
    struct plan plan = scheme_case_plan("two-port", &defaults, &line, &multicast);
    ck_assert_uint_eq(plan.worms, WORMS);
    for (uint32_t i = 0; i < WORMS; i++) {
        uint32_t found = 0;
        for (uint32_t j = 0; j < WORMS; j++)
            found += plan.worm[j].sender == worms[i][0] && plan.worm[j].step == worms[i][2] &&
                     plan.stop[plan.worm[j].first].node == worms[i][1];
        ck_assert_uint_eq(found, 1);
    }
    plan_free(&plan);
}
END_TEST

static const char *const small[] = {"mesh:3x3",     "mesh:2x2x2", "mesh:1x8", "mesh:2x4",
                                    "mesh:2x2x1x2", "torus:3x3",  "torus:8",  "torus:2x2x2",
                                    "graph:8:6",    "graph:8:20"};
enum { SMALL = sizeof small / sizeof small[0] };

/* From every source to every set: no link is shared in a step, all else is in order, steps are
 * within their bounds. */
START_TEST(all_multicasts)
{
    struct topology topology = route_walk_topology(small[_i]);
    uint32_t degree = most_degree(&topology), destination[16];
    for (uint32_t source = 0; source < topology.nodes; source++)
        for (uint32_t set = 1; set < 1u << topology.nodes; set++) {
            struct multicast multicast = {.source = source, .destination = destination, .flits = 1};
            if (set >> source & 1 || (TEST_IS_SHORT && (set + source) % 4 != 0))
                continue;
            for (uint32_t node = 0; node < topology.nodes; node++)
                if (set >> node & 1)
                    destination[multicast.destinations++] = node;
            check_case(&topology, &multicast, &defaults, degree);
        }
    topology_free(&topology);
}
END_TEST

/* ---- larger ones, random multicasts ---- */

static const char *const large[] = {"mesh:3x3x3",   "mesh:8x8",  "mesh:5x7",         "mesh:4x4x4",
                                    "mesh:3x3x3x3", "torus:5x6", "mesh:2x2x2x2x2x2", "torus:3x4x5",
                                    "graph:60:60",  "mesh:1x90", "mesh:16x16"};
enum { LARGE = sizeof large / sizeof large[0] };

/* The same; also with fewer ports, which no sender exceeds. */
START_TEST(random_multicasts)
{
    struct topology topology = route_walk_topology(large[_i]);
    uint32_t degree = most_degree(&topology), destination[MOST_NODES];
    uint32_t cases = TEST_IS_SHORT ? 40 : 1000;
    for (uint32_t number = 0; number < cases; number++) {
        uint32_t limit = number % 4, most = topology.nodes - 1;
        struct multicast multicast =
            scheme_case_multicast(&topology, number, 1 + number * 37 % most, destination);
        struct scheme_choices choices = {{limit}};
        check_case(&topology, &multicast, &choices,
                   limit == 0 || 2 * limit > degree ? degree : 2 * limit);
    }
    topology_free(&topology);
}
END_TEST

/* Random sets, with every word of `ports`: never more steps than two-port. */
START_TEST(no_worse_than_two_port)
{
    static const char *const places[] = {"mesh:8x8", "mesh:5x12", "torus:4x4x4", "graph:60:60"};
    struct topology topology = route_walk_topology(places[_i]);
    uint32_t destination[SCHEME_CASE_NODES], step[SCHEME_CASE_NODES];
    for (uint32_t number = 0; number < (TEST_IS_SHORT ? 1000 : 25000); number++) {
        struct scheme_choices choices = {{number % 4}};
        struct multicast multicast = scheme_case_multicast(
            &topology, number, 1 + number * 37 % (topology.nodes - 1), destination);
        struct plan plan = scheme_case_plan("d-port", &choices, &topology, &multicast);
        struct plan other = scheme_case_plan("two-port", &defaults, &topology, &multicast);
        ck_assert_uint_le(scheme_case_steps(&plan, step), scheme_case_steps(&other, step));
        plan_free(&plan);
        plan_free(&other);
    }
    topology_free(&topology);
}
END_TEST

/* Dense boxes, rows, columns and diagonals, from a corner and from within. */
START_TEST(shaped_multicasts)
{
    struct topology topology = route_walk_topology("mesh:12x12");
    uint32_t destination[MOST_NODES];
    for (uint32_t shape = 0; shape < 5; shape++)
        for (uint32_t source = 0; source < topology.nodes; source += 13 - 2 * shape) {
            struct multicast multicast = {.source = source, .destination = destination, .flits = 1};
            for (uint32_t node = 0; node < topology.nodes; node++) {
                uint32_t x = node % 12, y = node / 12;
                bool is_in[] = {true, y == 4, x == 7, x == y, x > 2 && x < 9 && y > 4 && y < 8};
                if (is_in[shape] && node != source)
                    destination[multicast.destinations++] = node;
            }
            check_case(&topology, &multicast, &defaults, 4);
        }
}
END_TEST

/* Chains so long that receivers are chosen among some of their members only. */
START_TEST(long_chains)
{
    struct topology topology = route_walk_topology(_i == 0 ? "mesh:40x50" : "mesh:9x9x9");
    uint32_t destination[MOST_NODES], most = topology.nodes - 1, degree = most_degree(&topology);
    uint32_t cases = TEST_IS_SHORT ? 4 : 60;
    for (uint32_t number = 0; number < cases; number++) {
        struct multicast multicast =
            scheme_case_multicast(&topology, number, most - number * (most / cases), destination);
        check_case(&topology, &multicast, &defaults, degree);
    }
    topology_free(&topology);
}
END_TEST

/* ---- controls ---- */

/* The steps of each sender in the reverse order: the nearest parts first. */
static void reverse_steps(struct plan *plan)
{
    uint32_t last[MOST_NODES] = {0};
    for (uint32_t i = 0; i < plan->worms; i++)
        last[plan->worm[i].sender] = plan->worm[i].step;
    for (uint32_t i = 0; i < plan->worms; i++)
        plan->worm[i].step = last[plan->worm[i].sender] + 1 - plan->worm[i].step;
}

/* Where messages do not leave over the ports that they name, those of one step share links; where
 * senders serve the nearest parts first, messages of different steps share links in no order. */
START_TEST(controls)
{
    static struct schedule schedule;
    struct topology topology = route_walk_topology("mesh:8x8");
    uint32_t destination[MOST_NODES], shared = 0, disordered = 0;
    for (uint32_t number = 0; number < 60; number++) {
        struct multicast multicast = scheme_case_multicast(&topology, number, number, destination);
        struct plan plan = scheme_case_plan("d-port", &defaults, &topology, &multicast);
        read_schedule(&schedule, &plan, &topology, false);
        shared += count(&plan, &schedule, &topology, multicast.source).shared;
        reverse_steps(&plan);
        read_schedule(&schedule, &plan, &topology, true);
        disordered += count(&plan, &schedule, &topology, multicast.source).disordered;
        plan_free(&plan);
    }
    ck_assert_uint_gt(shared, 0);
    ck_assert_uint_gt(disordered, 0);
}
END_TEST

void d_port_suite(TCase *tests)
{
    tcase_add_test(tests, example);
    tcase_add_loop_test(tests, all_multicasts, 0, SMALL);
    tcase_add_loop_test(tests, random_multicasts, 0, LARGE);
    tcase_add_loop_test(tests, no_worse_than_two_port, 0, 4);
    tcase_add_test(tests, shaped_multicasts);
    tcase_add_loop_test(tests, long_chains, 0, 2);
    tcase_add_test(tests, controls);
}
