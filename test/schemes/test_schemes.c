/* test_schemes.c - the table of schemes, and the plans that they make.
 *
 * Method: random multicasts on small topologies; the promises of a plan are counted from its worms,
 * and links by following the routing. Worms have their senders and steps.
 */
#include "network/schemes/scheme.h"

#include "test/schemes/route_walk.h"
#include "test/schemes/scheme_case.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NODES = SCHEME_CASE_NODES };

static const struct scheme_choices defaults;

/* ---- every scheme ---- */

static const char *const places[] = {"mesh:8",    "mesh:5x6",   "mesh:1x1",    "mesh:1x9",
                                     "mesh:7x1",  "mesh:9x9",   "mesh:3x4x3",  "mesh:2x2x2x2x2",
                                     "torus:7",   "torus:4x5",  "torus:2x3x4", "mesh:1x2",
                                     "torus:2x2", "graph:30:40"};
enum { PLACES = sizeof places / sizeof places[0] };

/* Each destination is served once, by a worm whose sender has the message; stops of a chain have
 * their spans. Suite multicast_trees checks those of trees, the only ones that begin at their
 * sender. */
static void check_plan(const struct plan *plan, const struct multicast *multicast)
{
    bool has_it[MOST_NODES] = {false};
    uint32_t served = 0;
    has_it[multicast->source] = true;
    for (uint32_t i = 0; i < plan->worms; i++) {
        const struct worm *worm = &plan->worm[i];
        ck_assert(has_it[worm->sender]);
        for (uint32_t j = 0; j < worm->stops; j++) {
            const struct stop *stop = &plan->stop[worm->first + j];
            if (plan->stop[worm->first].node != worm->sender)
                ck_assert_uint_eq(stop->span, worm->stops - j);
            ck_assert(!stop->is_destination || !has_it[stop->node]);
            has_it[stop->node] |= stop->is_destination;
            served += stop->is_destination;
        }
    }
    ck_assert_uint_eq(served, multicast->destinations);
    for (uint32_t i = 0; i < multicast->destinations; i++)
        ck_assert(has_it[multicast->destination[i]]);
}

/* Every scheme, with all words of its parameters, serves each destination once wherever it can
 * run. */
START_TEST(plans_serve_once)
{
    struct topology topology = route_walk_topology(places[_i]);
    uint32_t destination[MOST_NODES];
    for (uint32_t s = 0; s < scheme_count(); s++) {
        const struct scheme *scheme = scheme_at(s);
        struct scheme_choices choices = {{0}};
        struct plan plan = {0};
        do {
            struct failure failure = {0};
            if (scheme_check(scheme, &topology, &choices, 2, &failure) != FAIL_NONE) {
                ck_assert(scheme->needs != NEEDS_NOTHING ||
                          scheme->routing(&choices)->classes(&topology) == 0);
                continue;
            }
            for (uint32_t k = 0; k < topology.nodes; k++) {
                struct multicast multicast = scheme_case_multicast(&topology, k, k, destination);
                scheme_plan(scheme, &topology, &multicast, &choices, &plan, &failure);
                ck_assert_int_eq(failure.kind, FAIL_NONE);
                ck_assert_ptr_eq(plan.routing, scheme->routing(&choices));
                check_plan(&plan, &multicast);
            }
        } while (scheme_case_next_choices(scheme, &choices));
        plan_free(&plan);
    }
    topology_free(&topology);
}
END_TEST

/* A multicast without destinations has no worms; unicast has a worm per destination, in their
 * order. */
START_TEST(unicast_worms)
{
    struct topology topology = route_walk_topology("mesh:4x4");
    const uint32_t destination[] = {1, 7, 15};
    struct multicast none = {.source = 3, .destination = destination, .flits = 1}, three = none;
    three.destinations = 3;
    struct plan plan = scheme_case_plan("unicast", &defaults, &topology, &none);
    ck_assert_uint_eq(plan.worms, 0);
    plan_free(&plan);
    plan = scheme_case_plan("unicast", &defaults, &topology, &three);
    ck_assert_uint_eq(plan.worms, 3);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(plan.worm[i].sender, 3);
        ck_assert_uint_eq(plan.stop[plan.worm[i].first].node, destination[i]);
    }
    plan_free(&plan);
}
END_TEST

/* dual: at most a worm to larger labels and one to smaller ones, in their order. */
START_TEST(dual_order)
{
    struct topology topology = route_walk_topology(places[_i]);
    uint32_t destination[MOST_NODES];
    for (uint32_t k = 1; k < topology.nodes; k++) {
        struct multicast multicast = scheme_case_multicast(&topology, k, k, destination);
        uint32_t worms[2] = {0};
        struct plan plan = scheme_case_plan("dual", &defaults, &topology, &multicast);
        for (uint32_t i = 0; i < plan.worms; i++) {
            uint32_t from = topology_label(&topology, multicast.source);
            const struct stop *stop = &plan.stop[plan.worm[i].first];
            bool grows = topology_label(&topology, stop->node) > from;
            worms[grows]++;
            ck_assert_uint_eq(plan.worm[i].sender, multicast.source);
            for (uint32_t j = 0; j < plan.worm[i].stops; j++) {
                uint32_t label = topology_label(&topology, stop[j].node);
                ck_assert_int_eq(label > from, grows);
                from = label;
            }
        }
        ck_assert(worms[0] <= 1 && worms[1] <= 1);
        plan_free(&plan);
    }
    topology_free(&topology);
}
END_TEST

/* ---- u-mesh ---- */

static uint32_t logarithm(uint32_t number)
{
    uint32_t steps = 0;
    while (UINT32_C(1) << steps < number)
        steps++;
    return steps;
}

/* Plans random multicasts of all sizes by u-mesh; returns the number of contentions. */
static uint32_t u_mesh_contentions(const struct topology *topology, uint32_t routing)
{
    uint32_t destination[MOST_NODES], step[MOST_NODES], found = 0;
    struct scheme_choices choices = {{routing}};
    for (uint32_t number = 0; number < 4 * topology->nodes; number++) {
        struct multicast multicast =
            scheme_case_multicast(topology, number, number % topology->nodes, destination);
        struct plan plan = scheme_case_plan("u-mesh", &choices, topology, &multicast);
        uint32_t steps = scheme_case_steps(&plan, step);
        ck_assert_uint_eq(steps, logarithm(multicast.destinations + 1));
        found += scheme_case_contentions(&plan, topology, step, steps);
        plan_free(&plan);
    }
    return found;
}

/* u-mesh takes ceil(log2(k + 1)) steps; on meshes, on rings and with labels no link is taken twice
 * in a step. On tori of two dimensions links of the second dimension's rings are. */
START_TEST(u_mesh_steps)
{
    static const struct {
        const char *topology;
        uint32_t routing;
        bool has_contention;
    } cases[] = {
        {"mesh:16", 0, false},     {"mesh:6x7", 0, false},     {"mesh:8x8", 1, false},
        {"mesh:3x4x5", 0, false},  {"mesh:2x3x2x3", 0, false}, {"mesh:3x4x3", 1, false},
        {"torus:13", 0, false},    {"torus:16", 0, false},     {"torus:5x6", 1, false},
        {"graph:40:80", 1, false}, {"torus:8x8", 0, true},     {"mesh:2x2x2x2x2x2", 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct topology topology = route_walk_topology(cases[i].topology);
        ck_assert_msg((u_mesh_contentions(&topology, cases[i].routing) > 0) ==
                          cases[i].has_contention,
                      "%s", cases[i].topology);
        topology_free(&topology);
    }
}
END_TEST

/* The control: with the last dimension as the most significant one, links are taken twice. Such a
 * plan is one of the transposed mesh. */
START_TEST(u_mesh_wrong_order)
{
    struct topology topology = route_walk_topology("mesh:8x8");
    uint32_t destination[MOST_NODES], step[MOST_NODES], found = 0;
    for (uint32_t number = 0; number < 64; number++) {
        struct multicast multicast = scheme_case_multicast(&topology, number, number, destination);
        struct plan plan = scheme_case_plan("u-mesh", &defaults, &topology, &multicast);
        for (uint32_t i = 0; i < plan.worms; i++) {
            plan.worm[i].sender = plan.worm[i].sender % 8 * 8 + plan.worm[i].sender / 8;
            plan.stop[i].node = plan.stop[i].node % 8 * 8 + plan.stop[i].node / 8;
        }
        uint32_t steps = scheme_case_steps(&plan, step);
        found += scheme_case_contentions(&plan, &topology, step, steps);
        plan_free(&plan);
    }
    ck_assert_uint_gt(found, 0);
}
END_TEST

/* ---- names, parameters, topologies ---- */

/* A scheme is found by its name, a parameter's word by its own; for anything else the text names
 * the choices. */
START_TEST(names)
{
    const struct scheme *scheme = NULL;
    struct scheme_choices choices = {{0}};
    struct failure failure = {0};
    ck_assert_int_eq(scheme_find("u-mesh", &scheme, &failure), FAIL_NONE);
    ck_assert_str_eq(scheme->name, "u-mesh");
    ck_assert_int_eq(scheme_choose(scheme, "routing=label", &choices, &failure), FAIL_NONE);
    ck_assert_uint_eq(choices.choice[0], 1);
    static const struct {
        const char *scheme, *text, *part;
    } wrong[] = {
        {"unicast", "routing=labels", "unknown value of routing 'labels'; did you mean 'label'?"},
        {"unicast", "rooting=label", "did you mean 'routing'?"},
        {"unicast", "routing", "a parameter is NAME=VALUE, not 'routing'"},
        {"dual", "routing=label", "scheme dual has no parameters"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        failure = (struct failure){0};
        ck_assert_int_eq(scheme_find(wrong[i].scheme, &scheme, &failure), FAIL_NONE);
        ck_assert_int_eq(scheme_choose(scheme, wrong[i].text, &choices, &failure), FAIL_USAGE);
        ck_assert_msg(strstr(failure.text, wrong[i].part) != NULL, "%s", failure.text);
    }
    failure = (struct failure){0};
    ck_assert_int_eq(scheme_find("umesh", &scheme, &failure), FAIL_USAGE);
    ck_assert_msg(strstr(failure.text, "did you mean 'u-mesh'?") != NULL, "%s", failure.text);
}
END_TEST

/* Topologies on which a scheme cannot run are refused, and the text names the remedy. */
START_TEST(refusals)
{
    struct topology graph = route_walk_topology("graph:9:4"),
                    torus = route_walk_topology("torus:4x4");
    const struct scheme *scheme = NULL;
    struct scheme_choices label = {{1}};
    struct failure failure = {0};
    scheme_find("unicast", &scheme, &failure);
    ck_assert_int_eq(scheme_check(scheme, &graph, &defaults, 4, &failure), FAIL_USAGE);
    ck_assert_msg(strstr(failure.text, "needs meshes and tori; parameter routing=label would do"),
                  "%s", failure.text);
    failure = (struct failure){0};
    ck_assert_int_eq(scheme_check(scheme, &torus, &defaults, 1, &failure), FAIL_USAGE);
    ck_assert_msg(strstr(failure.text, "--vcs 2 would do") != NULL, "%s", failure.text);
    failure = (struct failure){0};
    ck_assert_int_eq(scheme_check(scheme, &torus, &defaults, 2, &failure), FAIL_NONE);
    ck_assert_int_eq(scheme_check(scheme, &torus, &label, 1, &failure), FAIL_NONE);
    ck_assert_int_eq(scheme_check(scheme, &graph, &label, 1, &failure), FAIL_NONE);
    topology_free(&graph);
}
END_TEST

/* Schemes for meshes, of two dimensions or any, are refused elsewhere, each by its own name. */
START_TEST(meshes_alone)
{
    static const char *const schemes[] = {"pure", "minimal", "column", "schl"};
    static const char *const others[] = {"torus:4x4", "mesh:2x3x4", "torus:5", "graph:9:4"};
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0] * 4; i++) {
        struct topology topology = route_walk_topology(others[i % 4]);
        const struct scheme *scheme = NULL;
        struct failure failure = {0};
        char begin[64];
        snprintf(begin, sizeof begin, "scheme %s cannot run on", schemes[i / 4]);
        scheme_find(schemes[i / 4], &scheme, &failure);
        bool is_any = i / 4 < 2;
        if (is_any && topology.shape.kind == TOPOLOGY_MESH) {
            ck_assert_int_eq(scheme_check(scheme, &topology, &defaults, 4, &failure), FAIL_NONE);
            continue;
        }
        ck_assert_int_eq(scheme_check(scheme, &topology, &defaults, 4, &failure), FAIL_USAGE);
        ck_assert_msg(strncmp(failure.text, begin, strlen(begin)) == 0, "%s", failure.text);
        const char *needs = is_any ? "needs a mesh; scheme dual would do"
                                   : "needs a mesh of one or two dimensions; scheme dual would do";
        ck_assert_msg(strstr(failure.text, needs) != NULL, "%s", failure.text);
        topology_free(&topology);
    }
}
END_TEST

/* ---- plans ---- */

/* A chain grows by single stops and by many; each stop's span reaches to its end. */
START_TEST(chains)
{
    struct plan plan = {0};
    const uint32_t node[] = {4, 5, 6};
    for (uint32_t worm = 0; worm < 50; worm++) {
        plan_add_worm(&plan, worm);
        plan_add_stop(&plan, 3, false);
        plan_add_chain(&plan, node, 3, true);
    }
    ck_assert_uint_eq(plan.worms, 50);
    ck_assert_uint_eq(plan.stops, 200);
    for (uint32_t i = 0; i < plan.stops; i++) {
        ck_assert_uint_eq(plan.worm[i / 4].first, i / 4 * 4);
        ck_assert_uint_eq(plan.worm[i / 4].stops, 4);
        ck_assert_uint_eq(plan.stop[i].node, 3 + i % 4);
        ck_assert_uint_eq(plan.stop[i].span, 4 - i % 4);
        ck_assert_uint_eq(plan.stop[i].is_destination, i % 4 > 0);
    }
    plan_free(&plan);
}
END_TEST

void schemes_suite(TCase *tests)
{
    tcase_add_loop_test(tests, plans_serve_once, 0, PLACES);
    tcase_add_test(tests, unicast_worms);
    tcase_add_loop_test(tests, dual_order, 0, PLACES);
    tcase_add_test(tests, u_mesh_steps);
    tcase_add_test(tests, u_mesh_wrong_order);
    tcase_add_test(tests, names);
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, meshes_alone);
    tcase_add_test(tests, chains);
}
