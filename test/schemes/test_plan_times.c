/* test_plan_times.c - the times of trees of links, by another method.
 *
 * Method: random trees, cut into worms at random. Store-and-forward is acted out: in each hop, a
 * holder of the message sends it to its next child, or to all of them.
 */
#include "network/schemes/plan_cost.h"

#include "test/length.h"
#include "test/schemes/route_walk.h"
#include "test/schemes/scheme_case.h"

#include <check.h>
#include <string.h>

enum { MOST_NODES = SCHEME_CASE_NODES, NOBODY = UINT32_MAX };

static const char *const places[] = {"mesh:8",    "mesh:5x6",   "mesh:1x1",         "mesh:1x2",
                                     "mesh:9x9",  "mesh:3x4x3", "mesh:2x2x2x2x2",   "torus:7",
                                     "torus:4x5", "torus:2x2",  "mesh:1x2x1x7x1x5", "graph:30:40"};
enum { PLACES = sizeof places / sizeof places[0] };

static const struct routing *link_routing(const struct scheme_choices *choices)
{
    (void)choices;
    return &routing_link;
}

static const struct scheme scheme_of_trees = {.name = "trees", .routing = link_routing};

/* A random tree, and its sending: children in the order of their nodes' times of joining. */
struct random_tree {
    uint32_t nodes, node[MOST_NODES]; /* in that order; node[0] is the source */
    uint32_t parent[MOST_NODES];      /* of each node; NOBODY: it is not in the tree */
    bool is_destination[MOST_NODES];
    /* of a destination: from this time on it sends to its children by worms of its own */
    uint32_t cut[MOST_NODES];
};

static bool has_child(const struct random_tree *tree, uint32_t node)
{
    for (uint32_t i = 1; i < tree->nodes; i++)
        if (tree->parent[tree->node[i]] == node)
            return true;
    return false;
}

static void grow_tree(struct random_tree *tree, const struct topology *topology,
                      struct pcg32 *random)
{
    uint32_t tries = pcg32_below(random, 4 * topology->nodes);
    *tree = (struct random_tree){.nodes = 1, .node = {pcg32_below(random, topology->nodes)}};
    memset(tree->parent, 0xff, sizeof tree->parent);
    tree->parent[tree->node[0]] = tree->node[0];
    for (uint32_t i = 0; i < tries; i++) {
        uint32_t node = tree->node[pcg32_below(random, tree->nodes)];
        uint32_t ports = topology_node_ports(topology, node);
        uint32_t next = ports == 0 ? TOPOLOGY_NO_NODE
                                   : topology_neighbour(topology, node, pcg32_below(random, ports));
        if (next == TOPOLOGY_NO_NODE || tree->parent[next] != NOBODY)
            continue;
        tree->parent[next] = node;
        tree->node[tree->nodes++] = next;
    }
    for (uint32_t i = 1; i < tree->nodes; i++) {
        uint32_t node = tree->node[i];
        tree->is_destination[node] = !has_child(tree, node) || pcg32_below(random, 3) == 0;
        tree->cut[node] = tree->is_destination[node] ? pcg32_below(random, MOST_NODES) : NOBODY;
    }
    tree->cut[tree->node[0]] = pcg32_below(random, 3 * tree->nodes) / 2;
}

/* Adds a node and the nodes below it, except those that it serves by worms of its own; notes where
 * each stop's part ends. */
static void add_subtree(struct plan *plan, const struct random_tree *tree, uint32_t node,
                        uint32_t *end)
{
    uint32_t at = plan->stops;
    plan_add_stop(plan, node, tree->is_destination[node]);
    for (uint32_t i = 1; i < tree->nodes && i < tree->cut[node]; i++)
        if (tree->parent[tree->node[i]] == node)
            add_subtree(plan, tree, tree->node[i], end);
    end[at] = plan->stops;
}

/* Adds a worm of a sender: a tree that is rooted at the sender itself, or at one child. */
static void add_worm(struct plan *plan, const struct random_tree *tree, uint32_t sender,
                     uint32_t first)
{
    uint32_t end[MOST_NODES], begin = plan->stops;
    plan_add_worm(plan, sender);
    add_subtree(plan, tree, first, end);
    for (uint32_t i = begin; i < plan->stops; i++)
        plan->stop[i].span = end[i] - i;
}

static void plan_tree(struct plan *plan, const struct random_tree *tree)
{
    plan->routing = &routing_link;
    plan->worms = plan->stops = 0;
    /* A sender is before those that it serves */
    for (uint32_t i = 0; i < tree->nodes; i++) {
        uint32_t sender = tree->node[i], children = plan->worms;
        for (uint32_t j = 1; j < tree->nodes; j++) {
            if (tree->parent[tree->node[j]] != sender || (i > 0 && j < tree->cut[sender]))
                continue;
            if (j >= tree->cut[sender])
                add_worm(plan, tree, sender, tree->node[j]);
            else if (plan->worms == children)
                add_worm(plan, tree, sender, sender);
        }
    }
}

/* Acts out store-and-forward: returns the time at which the last destination has the message, if a
 * node sends to `ports` children in each hop. */
static uint32_t act_times(const struct random_tree *tree, uint32_t ports)
{
    bool has_it[MOST_NODES] = {false};
    uint32_t time = 0, last = 0, left = tree->nodes - 1;
    has_it[tree->node[0]] = true;
    for (; left > 0; time++) {
        bool had_it[MOST_NODES];
        uint32_t sent[MOST_NODES] = {0};
        memcpy(had_it, has_it, sizeof had_it);
        for (uint32_t i = 1; i < tree->nodes; i++) {
            uint32_t node = tree->node[i], parent = tree->parent[node];
            if (has_it[node] || !had_it[parent] || sent[parent]++ >= ports)
                continue;
            has_it[node] = true;
            left--;
            last = tree->is_destination[node] ? time + 1 : last;
        }
    }
    return last;
}

/* Times of random trees of links, whole or in several worms. */
START_TEST(trees)
{
    static struct random_tree tree;
    struct topology topology = route_walk_topology(places[_i]);
    struct plan plan = {0};
    struct plan_meter meter = {0};
    struct plan_costs costs;
    struct failure failure = {0};
    for (uint32_t number = 0; number < (TEST_IS_SHORT ? 20 : 400); number++) {
        struct pcg32 random = pcg32_seed(29, number);
        uint32_t destination[MOST_NODES];
        grow_tree(&tree, &topology, &random);
        plan_tree(&plan, &tree);
        struct multicast multicast = {tree.node[0], 0, destination, 1};
        for (uint32_t node = 0; node < topology.nodes; node++)
            if (tree.is_destination[node])
                destination[multicast.destinations++] = node;
        ck_assert_int_eq(
            plan_measure(&meter, &scheme_of_trees, &topology, &multicast, &plan, &costs, &failure),
            FAIL_NONE);
        ck_assert_uint_eq(costs.of[COST_TRAFFIC], tree.nodes - 1);
        ck_assert_uint_eq(costs.of[COST_ADDITIONAL_TRAFFIC],
                          tree.nodes - 1 - multicast.destinations);
        ck_assert_uint_eq(costs.of[COST_ALL_PORT], act_times(&tree, MOST_NODES));
        ck_assert_uint_eq(costs.of[COST_ONE_PORT], act_times(&tree, 1));
        ck_assert_uint_le(costs.of[COST_LONGEST_PATH], costs.of[COST_ALL_PORT]);
        ck_assert(costs.of[COST_STEPS] == PLAN_NO_COST);
    }
    plan_free(&plan);
    plan_meter_free(&meter);
    topology_free(&topology);
}
END_TEST

void plan_times_suite(TCase *tests)
{
    tcase_add_loop_test(tests, trees, 0, PLACES);
}
