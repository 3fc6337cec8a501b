/* plain_tree.c - the trees of links from the corner of a mesh, plainly. */
#include "test/schemes/plain_tree.h"

#include <string.h>

enum { NONE = UINT32_MAX };

static uint32_t at(const struct topology *topology, uint32_t node, uint32_t dimension)
{
    return topology_coordinate(topology, node, dimension);
}

static bool is_within(const struct topology *topology, uint32_t node, uint32_t zone)
{
    for (uint32_t d = 0; d < topology->shape.dimensions; d++)
        if (at(topology, node, d) > at(topology, zone, d))
            return false;
    return true;
}

static void join(struct plain_tree *tree, uint32_t node, uint32_t parent)
{
    if (tree->parent[node] != NONE)
        return;
    tree->parent[node] = parent;
    tree->node[tree->nodes++] = node;
}

/* By dimensions, links that are there shared. */
static void connect(struct plain_tree *tree, const struct topology *topology, uint32_t from,
                    uint32_t to)
{
    for (uint32_t d = 0; d < topology->shape.dimensions; d++)
        while (at(topology, from, d) != at(topology, to, d)) {
            bool grows = at(topology, from, d) < at(topology, to, d);
            uint32_t next = grows ? from + topology->stride[d] : from - topology->stride[d];
            join(tree, next, from);
            from = next;
        }
}

static uint32_t nearest(const struct plain_tree *tree, const struct topology *topology,
                        uint32_t node, bool in_zone, uint32_t tie)
{
    uint32_t best = NONE, least = NONE;
    for (uint32_t i = 0; i < tree->nodes; i++) {
        uint32_t other = tree->node[i], distance = topology_distance(topology, node, other);
        if ((in_zone && !is_within(topology, other, node)) || distance > least)
            continue;
        if (distance < least || (tie == 0 && other < best) || tie == 2)
            best = other;
        least = distance;
    }
    return best;
}

/* ---- orders ---- */

static uint32_t sum_of(const struct topology *topology, uint32_t node)
{
    return topology_distance(topology, 0, node);
}

/* The rule as Wang gives it: the smallest coordinate, the first dimension that has it, then without
 * it. */
static bool dds_is_before(const struct topology *topology, uint32_t one, uint32_t other)
{
    bool is_gone[TOPOLOGY_DIMENSIONS] = {false};
    for (uint32_t round = 0; round < topology->shape.dimensions; round++) {
        uint32_t i = NONE, j = NONE;
        for (uint32_t d = 0; d < topology->shape.dimensions; d++) {
            if (is_gone[d])
                continue;
            if (i == NONE || at(topology, one, d) < at(topology, one, i))
                i = d;
            if (j == NONE || at(topology, other, d) < at(topology, other, j))
                j = d;
        }
        if (at(topology, one, i) != at(topology, other, j))
            return at(topology, one, i) < at(topology, other, j);
        if (i != j)
            return i < j;
        is_gone[i] = true;
    }
    return false;
}

static bool lex_is_before(const struct topology *topology, uint32_t one, uint32_t other,
                          uint32_t dimension)
{
    for (uint32_t i = 0; i < topology->shape.dimensions; i++) {
        uint32_t d = (dimension + i) % topology->shape.dimensions;
        if (at(topology, one, d) != at(topology, other, d))
            return at(topology, one, d) < at(topology, other, d);
    }
    return false;
}

/* ---- rules ---- */

static void make_stem(struct plain_tree *tree, const struct topology *topology,
                      const struct multicast *multicast)
{
    uint32_t end[TOPOLOGY_DIMENSIONS] = {0}, u = 0;
    for (uint32_t i = 0; i < multicast->destinations; i++)
        for (uint32_t d = 0; d < topology->shape.dimensions; d++)
            if (at(topology, multicast->destination[i], d) > end[d])
                end[d] = at(topology, multicast->destination[i], d);
    for (;;) {
        int64_t least = INT64_MAX;
        uint32_t next = NONE;
        for (uint32_t e = 0; e < topology->shape.dimensions; e++) {
            int64_t uu = 0, dd = 0, ud = 0;
            for (uint32_t d = 0; d < topology->shape.dimensions; d++) {
                int64_t x = at(topology, u, d) + (d == e), y = end[d];
                uu += x * x;
                dd += y * y;
                ud += x * y;
            }
            if (at(topology, u, e) < end[e] && uu * dd - ud * ud < least) {
                least = uu * dd - ud * ud;
                next = u + topology->stride[e];
            }
        }
        if (next == NONE)
            return;
        join(tree, next, u);
        u = next;
    }
}

/* Returns the one of the remaining destinations that joins next. */
static uint32_t choose(const struct plain_tree *tree, const struct topology *topology,
                       const struct multicast *multicast, const bool *is_done, enum plain_rule rule,
                       uint32_t round, uint32_t tie, uint32_t min)
{
    uint32_t best = NONE, dimension = round % topology->shape.dimensions;
    for (uint32_t i = 0; i < multicast->destinations; i++) {
        uint32_t node = multicast->destination[i];
        bool is_better = best == NONE;
        if (is_done[node])
            continue;
        if (best != NONE && rule == PLAIN_DIAG)
            is_better = sum_of(topology, node) < sum_of(topology, best);
        if (best != NONE && rule == PLAIN_DDS)
            is_better = dds_is_before(topology, node, best);
        if (best != NONE && rule == PLAIN_MIN) {
            uint32_t mine = at(topology, node, dimension), its = at(topology, best, dimension);
            uint32_t near = min == 0 ? 0
                                     : topology_distance(topology, node,
                                                         nearest(tree, topology, node, false, tie));
            uint32_t other =
                min == 0
                    ? 0
                    : topology_distance(topology, best, nearest(tree, topology, best, false, tie));
            is_better = mine != its     ? mine < its
                        : near != other ? near < other
                                        : lex_is_before(topology, node, best, dimension);
        }
        if (is_better)
            best = node;
    }
    return best;
}

/* Drops leaves that are no destinations. */
static void prune(struct plain_tree *tree, const bool *is_done)
{
    for (uint32_t i = tree->nodes; i-- > 1;) {
        bool has_child = false;
        for (uint32_t j = 1; j < tree->nodes; j++)
            has_child |= tree->parent[tree->node[j]] == tree->node[i];
        if (!has_child && !is_done[tree->node[i]])
            tree->parent[tree->node[i]] = NONE;
    }
}

void plain_tree_make(struct plain_tree *tree, const struct topology *topology,
                     const struct multicast *multicast, enum plain_rule rule, uint32_t tie,
                     uint32_t min)
{
    bool is_done[SCHEME_CASE_NODES] = {false};
    memset(tree, 0xff, sizeof *tree);
    tree->nodes = tree->links = 0;
    join(tree, 0, 0);
    if (rule == PLAIN_DIAG)
        make_stem(tree, topology, multicast);
    for (uint32_t round = 0; round < multicast->destinations; round++) {
        uint32_t node = choose(tree, topology, multicast, is_done, rule, round, tie, min);
        uint32_t from =
            rule == PLAIN_VH ? 0 : nearest(tree, topology, node, rule != PLAIN_MIN, tie);
        connect(tree, topology, from, node);
        is_done[node] = true;
    }
    prune(tree, is_done);
    for (uint32_t i = 1; i < tree->nodes; i++)
        tree->links += tree->parent[tree->node[i]] != NONE;
}
