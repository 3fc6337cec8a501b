/* test_best.c - the scheme that chooses among plans of others.
 *
 * Method: all candidates plan by themselves. Which of them was chosen is told by comparing worms, and what must hold
 * whatever the estimate's constants are is counted by following the ways.
 */
#include "schemes/plan_cost.h"

#include "test/schemes/route_walk.h"
#include "test/schemes/scheme_case.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

Suite *best_suite(void);

/* Those by labels, then those by x-first; some only on meshes of one or two dimensions. */
static const struct {
    const char *name;
    uint32_t routing;
    bool is_x_first, is_flat;
} candidates[] = {
    {"otms", 0, false, false},   {"ocms", 0, false, false},   {"multi", 0, false, false},
    {"dual", 0, false, false},   {"d-port", 0, false, false}, {"two-port", 0, false, false},
    {"u-mesh", 1, false, false}, {"schl", 0, true, true},     {"column", 0, true, true},
    {"u-mesh", 0, true, false},  {"unicast", 0, true, false}};
enum { CANDIDATES = sizeof candidates / sizeof candidates[0] };

static bool runs(uint32_t candidate, const struct topology *topology, bool is_x_first)
{
    bool is_flat = topology->shape.kind == TOPOLOGY_MESH && topology->shape.dimensions <= 2;
    return candidates[candidate].is_x_first == is_x_first &&
           (is_flat || !candidates[candidate].is_flat);
}

enum { LOW, MEDIUM, HIGH };

static const char *const places[] = {"mesh:8x8",    "mesh:4x4x4", "torus:5x6",
                                     "graph:40:60", "mesh:1x9",   "mesh:2x2x2x2"};
enum { PLACES = sizeof places / sizeof places[0] };

static bool is_same(const struct plan *one, const struct plan *other)
{
    if (one->worms != other->worms || one->stops != other->stops)
        return false;
    for (uint32_t i = 0; i < one->worms; i++)
        if (one->worm[i].sender != other->worm[i].sender ||
            one->worm[i].first != other->worm[i].first)
            return false;
    for (uint32_t i = 0; i < one->stops; i++)
        if (one->stop[i].node != other->stop[i].node)
            return false;
    return true;
}

/* Hops that all worms make, and the most of one. */
struct hops {
    uint32_t all, longest;
};

static struct hops hops_of(const struct plan *plan, const struct topology *topology)
{
    static struct route_walk walk;
    struct hops hops = {0, 0};
    for (uint32_t i = 0; i < plan->worms; i++) {
        uint32_t at = plan->worm[i].sender, length = 0;
        for (uint32_t j = 0; j < plan->worm[i].stops; j++) {
            uint32_t to = plan->stop[plan->worm[i].first + j].node;
            route_walk(&walk, topology, plan->routing, at, to);
            length += walk.hops;
            at = to;
        }
        hops.all += length;
        hops.longest = length > hops.longest ? length : hops.longest;
    }
    return hops;
}

static struct plan plan_by(const char *text, const struct topology *topology,
                           const struct multicast *multicast)
{
    const struct scheme *scheme;
    struct scheme_choices choices = {{0}};
    struct failure failure = {0};
    char word[64];
    ck_assert_int_eq(scheme_find("best", &scheme, &failure), FAIL_NONE);
    for (const char *at = text; *at != '\0'; at += strcspn(at, " "), at += *at == ' ') {
        size_t length = strcspn(at, " ");
        memcpy(word, at, length);
        word[length] = '\0';
        ck_assert_int_eq(scheme_choose(scheme, word, &choices, &failure), FAIL_NONE);
    }
    return scheme_case_plan("best", &choices, topology, multicast);
}

/* The plan is that of a candidate. */
START_TEST(one_of_the_candidates)
{
    static const char *const settings[] = {
        "load=low",        "load=high startup=100",     "startup=1000 startups=per-port",
        "routing=x-first", "routing=x-first load=high", "routing=x-first startup=100"};
    struct topology topology = route_walk_topology(places[_i]);
    uint32_t usable = topology.shape.kind == TOPOLOGY_GRAPH ? 3 : 6;
    uint32_t destination[SCHEME_CASE_NODES];
    for (uint32_t number = 0; number < 24; number++) {
        struct multicast multicast =
            scheme_case_multicast(&topology, number, 1 + number, destination);
        multicast.flits = 1 + number * 11;
        struct plan plan = plan_by(settings[number % usable], &topology, &multicast);
        bool is_one = false;
        for (uint32_t i = 0; i < CANDIDATES; i++) {
            if (!runs(i, &topology, number % usable >= 3))
                continue;
            struct scheme_choices choices = {{candidates[i].routing}};
            struct plan other =
                scheme_case_plan(candidates[i].name, &choices, &topology, &multicast);
            is_one = is_one || is_same(&plan, &other);
            plan_free(&other);
        }
        ck_assert(is_one);
        plan_free(&plan);
    }
    topology_free(&topology);
}
END_TEST

/* ---- the estimate, reckoned again ---- */

enum { SERIAL, PER_PORT };
enum { LOADS = 3, STARTUPS = 4, MODES = 2 };
static const char *const load_words[LOADS] = {"low", "medium", "high"};
static const double weights[LOADS] = {0, 1.0 / 64, 1};
static const uint32_t startups[STARTUPS] = {0, 100, 1000, 10000};
static const char *const mode_words[MODES] = {"serial", "per-port"};

/* The most startups that come one after the other before a worm leaves. */
static uint32_t longest_line(const struct plan *plan)
{
    uint32_t before[SCHEME_CASE_NODES] = {0}, sent[SCHEME_CASE_NODES] = {0}, most = 0;
    for (uint32_t i = 0; i < plan->worms; i++) {
        const struct worm *worm = &plan->worm[i];
        uint32_t line = before[worm->sender] + ++sent[worm->sender];
        most = line > most ? line : most;
        for (uint32_t j = worm->first; j < worm->first + worm->stops; j++)
            if (plan->stop[j].is_destination)
                before[plan->stop[j].node] = line;
    }
    return most;
}

/* What a plan costs in cycles, as the scheme's file says. */
static double cycles_of(const struct plan *plan, const struct topology *topology, uint32_t flits,
                        uint32_t load, uint32_t startup, uint32_t mode)
{
    uint32_t step[SCHEME_CASE_NODES];
    bool is_stepwise = plan->worm[0].step > 0;
    struct hops hops = hops_of(plan, topology);
    double steps = is_stepwise ? scheme_case_steps(plan, step) : 1;
    double links = (double)hops.all * flits / topology->ports;
    double line = mode == SERIAL ? longest_line(plan) : steps;
    uint32_t rounds = is_stepwise ? 1 : (plan->worms + topology->ports - 1) / topology->ports;
    double path = is_stepwise ? (double)hops.all / plan->worms : hops.longest;
    double queue = (double)plan->worms * startup / (mode == SERIAL ? 1 : topology->ports);
    return line * startup + steps * (path + rounds * (double)flits) +
           weights[load] * (links + queue);
}

/* In each of its situations the plan is that of the first candidate with the least cost. Several candidates have their
 * turn. */
START_TEST(least_cost)
{
    struct topology topology = route_walk_topology(places[_i]);
    uint32_t destination[SCHEME_CASE_NODES], chosen[CANDIDATES] = {0}, kinds = 0;
    uint32_t routings = topology.shape.kind == TOPOLOGY_GRAPH ? 1 : 2;
    for (uint32_t number = 0; number < 20 * LOADS * STARTUPS * MODES; number++) {
        bool is_x_first = number / (LOADS * STARTUPS * MODES) % routings == 1;
        uint32_t load = number % LOADS, startup = startups[number / LOADS % STARTUPS];
        uint32_t mode = number / LOADS / STARTUPS % MODES, least = CANDIDATES;
        char text[96];
        struct plan plan[CANDIDATES];
        double cost[CANDIDATES];
        struct multicast multicast =
            scheme_case_multicast(&topology, number, 1 + number * 7 % 40, destination);
        multicast.flits = 1 + number * number % 300;
        snprintf(text, sizeof text, "load=%s startup=%u startups=%s routing=%s", load_words[load],
                 startup, mode_words[mode], is_x_first ? "x-first" : "label");
        for (uint32_t i = 0; i < CANDIDATES; i++) {
            if (!runs(i, &topology, is_x_first))
                continue;
            struct scheme_choices own = {{candidates[i].routing}};
            plan[i] = scheme_case_plan(candidates[i].name, &own, &topology, &multicast);
            cost[i] = cycles_of(&plan[i], &topology, multicast.flits, load, startup, mode);
            least = least == CANDIDATES || cost[i] < cost[least] ? i : least;
        }
        struct plan best = plan_by(text, &topology, &multicast);
        ck_assert_msg(is_same(&best, &plan[least]), "%s, %u destinations, %u flits: not %s", text,
                      multicast.destinations, multicast.flits, candidates[least].name);
        kinds += chosen[least]++ == 0;
        plan_free(&best);
        for (uint32_t i = 0; i < CANDIDATES; i++)
            if (runs(i, &topology, is_x_first))
                plan_free(&plan[i]);
    }
    ck_assert_uint_ge(kinds, 3);
    topology_free(&topology);
}
END_TEST

/* The busier the network, the fewer hops: of two costs the second weighs more. In an empty network without startups no
 * path worms are chosen that are longer than those of another candidate. */
START_TEST(loads)
{
    struct topology topology = route_walk_topology(places[_i]);
    uint32_t destination[SCHEME_CASE_NODES];
    for (uint32_t number = 0; number < 24; number++) {
        struct multicast multicast =
            scheme_case_multicast(&topology, number, 2 + number, destination);
        multicast.flits = 20;
        struct scheme_choices none = {{0}};
        struct plan plan[] = {plan_by("load=low", &topology, &multicast),
                              plan_by("load=medium", &topology, &multicast),
                              plan_by("load=high", &topology, &multicast)};
        struct hops hops[] = {hops_of(&plan[LOW], &topology), hops_of(&plan[MEDIUM], &topology),
                              hops_of(&plan[HIGH], &topology)};
        struct plan dual = scheme_case_plan("dual", &none, &topology, &multicast);
        struct plan multi = scheme_case_plan("multi", &none, &topology, &multicast);
        ck_assert_uint_ge(hops[LOW].all, hops[MEDIUM].all);
        ck_assert_uint_ge(hops[MEDIUM].all, hops[HIGH].all);
        ck_assert_uint_le(hops[LOW].longest, hops_of(&dual, &topology).longest);
        ck_assert_uint_le(hops[LOW].longest, hops_of(&multi, &topology).longest);
        for (uint32_t i = LOW; i <= HIGH; i++)
            plan_free(&plan[i]);
        plan_free(&dual);
        plan_free(&multi);
    }
    topology_free(&topology);
}
END_TEST

/* Where startups are long and follow one another, the source sends no more worms than by dual. */
START_TEST(long_startups)
{
    struct topology topology = route_walk_topology(places[_i]);
    uint32_t destination[SCHEME_CASE_NODES];
    for (uint32_t number = 0; number < 24; number++) {
        struct multicast multicast =
            scheme_case_multicast(&topology, number, 3 + number, destination);
        struct scheme_choices none = {{0}};
        struct plan plan = plan_by("startup=10000", &topology, &multicast);
        struct plan dual = scheme_case_plan("dual", &none, &topology, &multicast);
        uint32_t worms = 0;
        for (uint32_t i = 0; i < plan.worms; i++)
            worms += plan.worm[i].sender == multicast.source;
        ck_assert_uint_le(worms, dual.worms);
        plan_free(&plan);
        plan_free(&dual);
    }
    topology_free(&topology);
}
END_TEST

Suite *best_suite(void)
{
    Suite *suite = suite_create("best");
    TCase *tests = tcase_create("best");
    tcase_add_loop_test(tests, one_of_the_candidates, 0, PLACES);
    tcase_add_loop_test(tests, least_cost, 0, PLACES);
    tcase_add_loop_test(tests, loads, 0, PLACES);
    tcase_add_loop_test(tests, long_startups, 0, PLACES);
    suite_add_tcase(suite, tests);
    return suite;
}
