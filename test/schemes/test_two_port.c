/* test_two_port.c - the tree of unicasts that sends two at a time.
 *
 * Method: a node that has the message at step t sends its i-th worm to smaller labels, and its i-th
 * to larger ones, in step t + i, by the worms' steps. Steps depend only on the chain's length and
 * the source's place in it, so a line has all cases.
 */
#include "network/schemes/scheme.h"

#include "test/length.h"
#include "test/schemes/route_walk.h"
#include "test/schemes/scheme_case.h"

#include <check.h>
#include <stdlib.h>

Suite *two_port_suite(void);

enum { LONGEST = 400, SHORT = 60 };

static const struct scheme_choices defaults;

/* The step in which each node gets the message, and its sender. */
struct tree {
    uint32_t step[LONGEST], server[LONGEST]; /* the worm that serves a node */
    uint32_t worm_step[LONGEST], steps;
};

static void read_tree(struct tree *tree, const struct plan *plan, const struct topology *topology,
                      uint32_t source)
{
    uint32_t sent[LONGEST][2] = {{0}};
    tree->steps = tree->step[source] = 0;
    for (uint32_t i = 0; i < plan->worms; i++) {
        uint32_t from = plan->worm[i].sender, to = plan->stop[plan->worm[i].first].node;
        bool grows = topology_label(topology, to) > topology_label(topology, from);
        ck_assert_uint_eq(plan->worm[i].stops, 1);
        tree->worm_step[i] = tree->step[to] = tree->step[from] + ++sent[from][grows];
        ck_assert_uint_eq(plan->worm[i].step, sent[from][grows]);
        tree->server[to] = i;
        if (tree->step[to] > tree->steps)
            tree->steps = tree->step[to];
    }
}

/* ---- steps ---- */

/* Returns the steps of the whole line from a place. */
static uint32_t steps_from(const struct topology *line, uint32_t source)
{
    static struct tree tree;
    uint32_t destination[LONGEST];
    struct multicast multicast = {.source = source, .destination = destination, .flits = 1};
    for (uint32_t node = 0; node < line->nodes; node++)
        if (node != source)
            destination[multicast.destinations++] = node;
    struct plan plan = scheme_case_plan("two-port", &defaults, line, &multicast);
    ck_assert_uint_eq(plan.worms, line->nodes - 1);
    read_tree(&tree, &plan, line, source);
    plan_free(&plan);
    return tree.steps;
}

/* Returns the least S with 3^S >= number. */
static uint32_t logarithm(uint32_t number)
{
    uint32_t steps = 0;
    for (uint32_t power = 1; power < number; power *= 3)
        steps++;
    return steps;
}

/* By hand, from an end of nine nodes: 5 gets 3 .. 8, then 1 gets 1 and 2; 5 hands 3, 4 and 7, 8
 * over at once, then 6. */
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

/* From every place at most ceil(log3 2n) steps for n nodes, from the best one ceil(log3 n), from an
 * end the least S with (3^S + 1) / 2 >= n, that is 3^S >= 2n - 1. */
START_TEST(fewest_steps)
{
    for (uint32_t nodes = 1; nodes <= LONGEST; nodes += TEST_IS_SHORT && nodes >= SHORT ? 85 : 1) {
        struct topology line = topology_of_shape(
            &(struct shape){.kind = TOPOLOGY_MESH, .dimensions = 1, .size = {nodes}});
        uint32_t best = UINT32_MAX;
        for (uint32_t source = 0; source < nodes; source++) {
            uint32_t steps = steps_from(&line, source);
            ck_assert_uint_le(steps, logarithm(2 * nodes));
            ck_assert_uint_le(steps, logarithm(nodes) + 1);
            if (source == 0 || source == nodes - 1)
                ck_assert_uint_eq(steps, logarithm(2 * nodes - 1));
            best = steps < best ? steps : best;
        }
        ck_assert_uint_eq(best, logarithm(nodes));
    }
}
END_TEST

/* ---- links ---- */

/* True if worm `later` comes from the sender of `earlier`, or from a node that got the message from
 * this sender no earlier than `earlier` was sent. */
static bool is_behind(const struct plan *plan, const struct tree *tree, uint32_t source,
                      uint32_t earlier, uint32_t later)
{
    uint32_t sender = plan->worm[earlier].sender, worm = later;
    while (plan->worm[worm].sender != sender) {
        if (plan->worm[worm].sender == source)
            return false;
        worm = tree->server[plan->worm[worm].sender];
    }
    return tree->worm_step[worm] >= tree->worm_step[earlier];
}

/* Returns the pairs of worms of different steps that share a link though neither is behind the
 * other. */
static uint32_t unordered(const struct plan *plan, const struct tree *tree,
                          const struct topology *topology, uint32_t source)
{
    static struct route_walk walk;
    uint32_t found = 0;
    uint8_t *takes = calloc((size_t)plan->worms * topology->links + 1, 1);
    ck_assert_ptr_nonnull(takes);
    for (uint32_t i = 0; i < plan->worms; i++) {
        route_walk(&walk, topology, plan->routing, plan->worm[i].sender,
                   plan->stop[plan->worm[i].first].node);
        for (uint32_t hop = 0; hop < walk.hops; hop++) {
            takes[i * topology->links + walk.link[hop]] = 1;
            for (uint32_t j = 0; j < i; j++) {
                bool is_first = tree->worm_step[j] < tree->worm_step[i];
                if (takes[j * topology->links + walk.link[hop]] &&
                    tree->worm_step[i] != tree->worm_step[j])
                    found += !is_behind(plan, tree, source, is_first ? j : i, is_first ? i : j);
            }
        }
    }
    free(takes);
    return found;
}

/* Random multicasts of all sizes; on a mesh of 8 x 8 each node may be exchanged with the one across
 * the diagonal. Counts the links that two worms of a step share, and the pairs of worms that are
 * not in order. */
static void count(const struct topology *topology, bool is_crossed, uint32_t *shared,
                  uint32_t *disordered)
{
    static struct tree tree;
    uint32_t destination[SCHEME_CASE_NODES];
    *shared = *disordered = 0;
    for (uint32_t number = 0; number < topology->nodes; number++) {
        struct multicast multicast = scheme_case_multicast(topology, number, number, destination);
        struct plan plan = scheme_case_plan("two-port", &defaults, topology, &multicast);
        uint32_t source = multicast.source;
        read_tree(&tree, &plan, topology, source);
        for (uint32_t i = 0; is_crossed && i < plan.worms; i++) {
            plan.worm[i].sender = plan.worm[i].sender % 8 * 8 + plan.worm[i].sender / 8;
            plan.stop[i].node = plan.stop[i].node % 8 * 8 + plan.stop[i].node / 8;
            tree.server[plan.stop[i].node] = i;
        }
        if (is_crossed)
            source = source % 8 * 8 + source / 8;
        *shared += scheme_case_contentions(&plan, topology, tree.worm_step, tree.steps);
        *disordered += unordered(&plan, &tree, topology, source);
        plan_free(&plan);
    }
}

static const char *const places[] = {"mesh:33",        "mesh:1x9",  "mesh:6x7",    "mesh:8x8",
                                     "mesh:3x4x3",     "torus:13",  "torus:5x6",   "torus:3x2x4",
                                     "mesh:2x2x2x2x2", "torus:2x2", "graph:40:80", "graph:30:0"};
enum { PLACES = sizeof places / sizeof places[0] };

/* No link is taken twice in a step, and of two worms that share one the later one is behind the
 * earlier one. */
START_TEST(links)
{
    struct topology topology = route_walk_topology(places[_i]);
    uint32_t shared, disordered;
    count(&topology, false, &shared, &disordered);
    ck_assert_uint_eq(shared, 0);
    ck_assert_uint_eq(disordered, 0);
    topology_free(&topology);
}
END_TEST

/* The control: with a chain in another order than that of labels both come at once. */
START_TEST(wrong_order)
{
    struct topology topology = route_walk_topology("mesh:8x8");
    uint32_t shared, disordered;
    count(&topology, true, &shared, &disordered);
    ck_assert_uint_gt(shared, 0);
    ck_assert_uint_gt(disordered, 0);
}
END_TEST

Suite *two_port_suite(void)
{
    Suite *suite = suite_create("two_port");
    TCase *tests = tcase_create("two_port");
    tcase_add_test(tests, example);
    tcase_add_test(tests, fewest_steps);
    tcase_add_loop_test(tests, links, 0, PLACES);
    tcase_add_test(tests, wrong_order);
    suite_add_tcase(suite, tests);
    return suite;
}
