/* test_negative_first.c - schemes pure and minimal: their lists. That no plan has fewer worms:
 * suite scheme_promises.
 *
 * Method: a list is good if no leg needs a smaller coordinate once a leg has taken a larger one;
 * for minimal, each leg leads away from the source, too.
 */
#include "network/schemes/scheme.h"

#include "test/length.h"
#include "test/schemes/route_walk.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_NODES = 1024 };
enum { PURE, ABSORB, PRINTED, PLANS, PURE_X_FIRST = PLANS, MINIMAL_X_FIRST, ALL_PLANS };

static struct plan plan_of(int which, const struct topology *topology,
                           const struct multicast *multicast)
{
    const struct scheme *scheme = NULL;
    struct scheme_choices choices = {{which < PLANS ? 0 : 2, which == PRINTED}};
    bool is_pure = which == PURE || which == PURE_X_FIRST;
    struct plan plan = {0};
    struct failure failure = {0};
    ck_assert_int_eq(scheme_find(is_pure ? "pure" : "minimal", &scheme, &failure), FAIL_NONE);
    ck_assert_int_eq(scheme_check(scheme, topology, &choices, 1, &failure), FAIL_NONE);
    ck_assert_msg(scheme_plan(scheme, topology, multicast, &choices, &plan, &failure) == FAIL_NONE,
                  "%s", failure.text);
    return plan;
}

struct point {
    uint32_t x, y;
};

static struct point point_of(const struct topology *topology, uint32_t node)
{
    uint32_t columns = topology->shape.size[0];
    return (struct point){node % columns, node / columns};
}

/* ---- lists ---- */

/* The legs of a worm so far, and the plan whose rules it must keep. */
struct visit {
    const struct topology *topology;
    int which;
    uint32_t source, at;
    bool has_grown; /* a leg has taken a larger coordinate */
};

/* True if the way of x-first from the source to `to` passes `at`. */
static bool x_first_passes(const struct visit *visit, uint32_t to)
{
    uint32_t node = visit->source;
    while (node != visit->at && node != to) {
        struct routing_choice choice[ROUTING_CHOICES];
        ck_assert_uint_eq(routing_x_first.next(visit->topology, node, to, choice), 1);
        node = topology_neighbour(visit->topology, node, choice->port);
    }
    return node == visit->at;
}

/* Goes on to a destination; false: it may not. */
static bool go_on(struct visit *visit, uint32_t to)
{
    const struct topology *t = visit->topology;
    bool shrinks = false, grows = false;
    for (uint32_t i = 0; i < t->shape.dimensions; i++) {
        shrinks |= topology_coordinate(t, to, i) < topology_coordinate(t, visit->at, i);
        grows |= topology_coordinate(t, to, i) > topology_coordinate(t, visit->at, i);
    }
    uint32_t legs =
        topology_distance(t, visit->source, visit->at) + topology_distance(t, visit->at, to);
    bool is_shortest = legs == topology_distance(t, visit->source, to);
    if (visit->which >= PLANS ? !x_first_passes(visit, to) : visit->has_grown && shrinks)
        return false;
    if (visit->which != PURE && !is_shortest)
        return false;
    visit->has_grown |= grows;
    visit->at = to;
    return true;
}

/* The source sends all worms, and each is a good list. */
static void check_lists(const struct plan *plan, const struct topology *topology, uint32_t source,
                        int which)
{
    for (uint32_t i = 0; i < plan->worms; i++) {
        struct visit visit = {topology, which, source, source, false};
        ck_assert_uint_eq(plan->worm[i].sender, source);
        for (uint32_t j = 0; j < plan->worm[i].stops; j++) {
            const struct stop *stop = &plan->stop[plan->worm[i].first + j];
            ck_assert_uint_eq(stop->span, plan->worm[i].stops - j);
            ck_assert(go_on(&visit, stop->node));
        }
    }
}

/* The smallest set for which `printed` takes a worm more. */
START_TEST(printed_takes_more)
{
    struct topology topology = route_walk_topology("mesh:2x2");
    const uint32_t destination[] = {0, 1};
    const struct multicast multicast = {2, 2, destination, 1};
    struct plan absorb = plan_of(ABSORB, &topology, &multicast);
    struct plan printed = plan_of(PRINTED, &topology, &multicast);
    ck_assert_uint_eq(absorb.worms, 1);
    ck_assert_uint_eq(printed.worms, 2);
    plan_free(&absorb);
    plan_free(&printed);
}
END_TEST

/* ---- greedy chains ---- */

/* Returns the largest set of destinations no two of which are in a chain together: the longest list
 * in which x grows and y shrinks. */
static uint32_t antichain(const struct topology *topology, const struct multicast *multicast)
{
    uint32_t longest[MOST_NODES], most = 0, k = multicast->destinations;
    for (uint32_t i = k; i > 0; i--) { /* by shrinking y */
        struct point at = point_of(topology, multicast->destination[i - 1]);
        longest[i - 1] = 1;
        for (uint32_t j = k; j > i; j--) {
            struct point before = point_of(topology, multicast->destination[j - 1]);
            if (before.x < at.x && before.y > at.y && longest[j - 1] >= longest[i - 1])
                longest[i - 1] = longest[j - 1] + 1;
        }
        most = longest[i - 1] > most ? longest[i - 1] : most;
    }
    return most;
}

/* Random destinations, but the source's row and column where `leaves_axes`. */
static struct multicast from_corner(const struct topology *topology, uint32_t source,
                                    bool leaves_axes, uint64_t number, uint32_t *destination)
{
    struct multicast multicast = {source, 0, destination, 1};
    struct pcg32 random = pcg32_seed(29, number);
    struct point corner = point_of(topology, source);
    uint32_t part = 1 + pcg32_below(&random, 8);
    for (uint32_t node = 0; node < topology->nodes; node++) {
        struct point at = point_of(topology, node);
        bool is_left_out = leaves_axes && (at.x == corner.x || at.y == corner.y);
        if (node != source && !is_left_out && pcg32_below(&random, 8) < part)
            destination[multicast.destinations++] = node;
    }
    return multicast;
}

/* With the source in a corner, worms are greedy chains of its only quadrant: away from the source,
 * as many as the largest antichain has members. From the north-east corner pure joins two of them
 * in a worm. */
START_TEST(greedy_chains)
{
    static const char *const sizes[] = {"mesh:8x8", "mesh:5x9", "mesh:12x3", "mesh:1x7",
                                        "mesh:7x1", "mesh:2x2", "mesh:16x16"};
    uint32_t destination[MOST_NODES];
    for (uint64_t number = 0; number < (TEST_IS_SHORT ? 40 : 800); number++) {
        struct topology topology = route_walk_topology(sizes[number % 7]);
        uint32_t east = topology.shape.size[0] - 1, north = topology.nodes - 1 - east;
        const uint32_t corner[] = {0, east, north, north + east};
        for (uint32_t c = 0; c < 4; c++) {
            bool is_mixed = c == 1 || c == 2; /* there minimal takes columns and rows */
            struct multicast multicast =
                from_corner(&topology, corner[c], is_mixed, number, destination);
            uint32_t chains = antichain(&topology, &multicast);
            struct plan pure = plan_of(PURE, &topology, &multicast);
            struct plan minimal = plan_of(ABSORB, &topology, &multicast);
            check_lists(&pure, &topology, corner[c], PURE);
            check_lists(&minimal, &topology, corner[c], ABSORB);
            ck_assert_uint_eq(pure.worms, c == 3 ? (chains + 1) / 2 : chains);
            if (!is_mixed)
                ck_assert_uint_eq(minimal.worms, chains);
            plan_free(&pure);
            plan_free(&minimal);
        }
    }
}
END_TEST

/* ---- an example ---- */

/* Returns the worms of the plan, as "(x,y)(x,y) (x,y)". */
static const char *text_of(const struct plan *plan, const struct topology *topology)
{
    static char text[1024];
    size_t length = 0;
    for (uint32_t i = 0; i < plan->worms; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s", i > 0 ? " " : "");
        for (uint32_t j = 0; j < plan->worm[i].stops; j++) {
            struct point at = point_of(topology, plan->stop[plan->worm[i].first + j].node);
            length += (size_t)snprintf(text + length, sizeof text - length, "(%u,%u)", at.x, at.y);
        }
    }
    return text;
}

/* From (4, 3) of an 8 x 8 mesh, destinations in all quadrants and on the axes: the lists by
 * hand. */
START_TEST(worked_example)
{
    static const struct point points[] = {{2, 0}, {5, 0}, {3, 1}, {5, 1}, {0, 2}, {2, 2},
                                          {3, 2}, {4, 2}, {5, 2}, {7, 2}, {2, 3}, {1, 4},
                                          {5, 4}, {7, 4}, {1, 5}, {6, 5}, {2, 7}, {6, 7}};
    enum { POINTS = sizeof points / sizeof points[0] };
    static const char *const lists[PLANS] = {
        "(4,2)(3,2)(3,1)(0,2)(1,4)(1,5)(2,7)(6,7) "
        "(2,0)(5,0)(5,1)(5,2)(7,2)(7,4) "
        "(2,2)(2,3)(5,4)(6,5)",
        "(2,3)(1,4)(1,5) (2,7) (4,2)(5,0) (5,1) (5,2)(7,2) "
        "(3,2)(2,2)(0,2) (3,1)(2,0) (5,4)(6,5)(6,7) (7,4)",
        "(1,4)(1,5) (2,7) (5,0) (5,1) (5,2)(7,2) "
        "(2,3)(2,2)(0,2) (4,2)(3,2)(3,1)(2,0) (5,4)(6,5)(6,7) (7,4)"};
    struct topology topology = route_walk_topology("mesh:8x8");
    uint32_t destination[POINTS];
    for (uint32_t i = 0; i < POINTS; i++)
        destination[i] = points[i].y * 8 + points[i].x;
    const struct multicast multicast = {3 * 8 + 4, POINTS, destination, 1};
    for (int which = 0; which < PLANS; which++) {
        struct plan plan = plan_of(which, &topology, &multicast);
        ck_assert_str_eq(text_of(&plan, &topology), lists[which]);
        ck_assert_uint_eq(plan.worms, which == PURE ? 3 : 9);
        plan_free(&plan);
    }
}
END_TEST

/* ---- topologies ---- */

/* Broadcasts and large random sets from each source, on odd sizes, lines and single nodes. */
START_TEST(all_sources)
{
    static const char *const sizes[] = {"mesh:1x1",   "mesh:1x2",    "mesh:9",    "mesh:5x7",
                                        "mesh:7x5",   "mesh:9x9",    "mesh:13x1", "mesh:16x16",
                                        "mesh:5x4x6", "mesh:3x3x2x3"};
    struct topology topology = route_walk_topology(sizes[_i]);
    uint32_t destination[MOST_NODES];
    struct pcg32 random = pcg32_seed(29, 1);
    for (uint32_t source = 0; source < topology.nodes; source++)
        for (uint32_t part = 1; part <= 3; part++) {
            struct multicast multicast = {source, 0, destination, 1};
            multicast.destinations = route_walk_destinations(
                &random, topology.nodes, source, (topology.nodes - 1) / part, destination);
            for (int which = 0; which < ALL_PLANS; which++) {
                struct plan plan = plan_of(which, &topology, &multicast);
                check_lists(&plan, &topology, source, which);
                plan_free(&plan);
            }
        }
}
END_TEST

void negative_first_suite(TCase *tests)
{
    tcase_add_test(tests, printed_takes_more);
    tcase_add_test(tests, greedy_chains);
    tcase_add_test(tests, worked_example);
    tcase_add_loop_test(tests, all_sources, 0, 10);
}
