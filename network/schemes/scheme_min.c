/* scheme_min.c - a tree of few links: destinations join at the nearest node of the tree, on any
 * side.
 *
 * Method: dimensions take turns. Of the destinations that are left, with the least coordinate in
 * the dimension, one is joined to the nearest node of the tree. `min=lex`: the one with the least
 * coordinates in the next dimensions, and so on round. `min=near`: the one nearest to the tree; of
 * several the first one by `lex`.
 * Properties: no shortest ways. Over one port the time can be that of all links one after the
 * other.
 * Cost: O(n k log k) and k searches for the nearest node; 4 n + 12 bytes per destination and 4 per
 * unit of a size. `min=near` searches for all that share the least coordinate, as long as one of
 * them can be nearer than the nearest so far: none can be where that is a neighbour of the tree,
 * unless a way has passed a destination with this coordinate.
 * Source: H. Harutyunyan, J. Liu, 2003, as told by S. Wang, 2005 (MIN), who leaves open which
 * destination of several is taken.
 */
#include "network/schemes/tree.h"

#include "base/numbers.h"

#include <stdlib.h>

enum { MIN_LEX, MIN_NEAR };

/* The destinations that are left, in an order for each dimension. */
struct waiting {
    const struct orthant *orthant;
    uint32_t dimensions, count;
    uint32_t *order; /* of dimension d from order[d * count] on: their places in target[] */
    uint32_t first[TOPOLOGY_DIMENSIONS]; /* before it all have been taken */
    uint64_t *key;                       /* room for sorting */
    uint8_t *is_taken;
    /* `min=near`: for each coordinate of dimension d, the waiting destinations that a way to
     * another one passed */
    uint32_t *passed[TOPOLOGY_DIMENSIONS];
};

/* Returns the coordinates from a dimension on as one number, round to the one before it; the first
 * one is the most significant. */
static uint32_t key_from(const struct orthant *orthant, uint32_t target, uint32_t dimension)
{
    uint32_t key = 0, dimensions = orthant->tree->topology->shape.dimensions;
    for (uint32_t i = 0; i < dimensions; i++) {
        uint32_t d = (dimension + i) % dimensions;
        key = key * orthant->size[d] + orthant_at(orthant, target, d);
    }
    return key;
}

static void sort_all(struct waiting *waiting)
{
    for (uint32_t d = 0; d < waiting->dimensions; d++) {
        for (uint32_t i = 0; i < waiting->count; i++) {
            uint64_t key = key_from(waiting->orthant, waiting->orthant->target[i], d);
            waiting->key[i] = key << 32 | i;
        }
        qsort(waiting->key, waiting->count, sizeof *waiting->key, compare_u64);
        for (uint32_t i = 0; i < waiting->count; i++)
            waiting->order[(size_t)d * waiting->count + i] = (uint32_t)waiting->key[i];
    }
}

static uint32_t first_waiting(struct waiting *waiting, uint32_t dimension)
{
    const uint32_t *order = waiting->order + (size_t)dimension * waiting->count;
    while (waiting->is_taken[order[waiting->first[dimension]]])
        waiting->first[dimension]++;
    return waiting->first[dimension];
}

/* Counts the destinations among the nodes that joined from place `first` on, but for the one that
 * was taken last. */
static void count_passed(struct waiting *waiting, uint32_t first, uint32_t taken)
{
    const struct orthant *orthant = waiting->orthant;
    for (uint32_t i = first; i < orthant->tree->nodes; i++) {
        uint32_t local = orthant->tree->node[i].local;
        if (local == taken || bsearch(&local, orthant->target, waiting->count,
                                      sizeof *orthant->target, compare_u32) == NULL)
            continue;
        for (uint32_t d = 0; d < waiting->dimensions; d++)
            waiting->passed[d][orthant_at(orthant, local, d)]++;
    }
}

/* Takes the next destination of a dimension: its local number, and the nearest place of the
 * tree. */
static uint32_t take(struct waiting *waiting, uint32_t dimension, bool nearest_first,
                     enum tree_tie tie, struct tree_nearest *nearest)
{
    const struct orthant *orthant = waiting->orthant;
    const uint32_t *order = waiting->order + (size_t)dimension * waiting->count;
    uint32_t i = first_waiting(waiting, dimension), taken = order[i];
    uint32_t coordinate = orthant_at(orthant, orthant->target[taken], dimension);
    *nearest = tree_find_nearest(orthant, orthant->target[taken], false, UINT32_MAX, tie);
    uint32_t least = nearest_first && waiting->passed[dimension][coordinate] == 0;
    while (nearest_first && ++i < waiting->count && nearest->distance > least) {
        uint32_t target = orthant->target[order[i]];
        if (orthant_at(orthant, target, dimension) != coordinate)
            break;
        if (waiting->is_taken[order[i]])
            continue;
        struct tree_nearest other =
            tree_find_nearest(orthant, target, false, nearest->distance, tie);
        if (other.distance == UINT32_MAX)
            continue;
        *nearest = other;
        taken = order[i];
    }
    waiting->is_taken[taken] = 1;
    return orthant->target[taken];
}

static void join_all(struct orthant *orthant, struct waiting *waiting,
                     const struct scheme_choices *choices)
{
    bool nearest_first = choices->choice[TREE_OWN] == MIN_NEAR;
    sort_all(waiting);
    for (uint32_t i = 0; i < orthant->targets; i++) {
        struct tree_nearest nearest;
        uint32_t joined = orthant->tree->nodes;
        uint32_t target = take(waiting, i % waiting->dimensions, nearest_first,
                               choices->choice[TREE_TIES], &nearest);
        orthant_connect(orthant, nearest.place, target);
        if (!nearest_first)
            continue;
        for (uint32_t d = 0; d < waiting->dimensions && nearest.distance == 0; d++)
            waiting->passed[d][orthant_at(orthant, target, d)]--;
        count_passed(waiting, joined, target);
    }
}

static void grow(struct orthant *orthant, const struct scheme_choices *choices)
{
    struct plan *plan = orthant->tree->plan;
    uint32_t dimensions = orthant->tree->topology->shape.dimensions, count = orthant->targets;
    struct waiting waiting = {
        .orthant = orthant,
        .dimensions = dimensions,
        .count = count,
        .key = plan_scratch(plan, count, sizeof *waiting.key),
        .is_taken = plan_scratch(plan, count, 1),
        .order = plan_scratch(plan, (size_t)dimensions * count, sizeof *waiting.order)};
    for (uint32_t d = 0; d < dimensions; d++)
        waiting.passed[d] = plan_scratch(plan, orthant->size[d], sizeof *waiting.passed[d]);
    if (plan->lacks_memory)
        return;
    /* A corner that is a destination is in the tree from the first */
    for (uint32_t d = 0; d < dimensions; d++)
        waiting.passed[d][0] = orthant->target[0] == 0;
    join_all(orthant, &waiting, choices);
}

static void plan(const struct planning *planning)
{
    tree_plan(planning, grow);
}

const struct scheme scheme_min = {
    .name = "min",
    .summary = "a tree of few links, not of shortest ways; can deadlock",
    .parameter = {TREE_ORDER_PARAMETER,
                  TREE_WRAPS_PARAMETER,
                  TREE_TIES_PARAMETER,
                  {"min",
                   {"lex", "near"},
                   "which of several destinations joins next: the one with the "
                   "least other coordinates, or the one nearest to the tree"}},
    .routing = scheme_link_routing,
    .needs = NEEDS_RINGS_OR_MESH,
    .plan = plan,
};
