/* scheme_diag.c - a tree about a stem along the diagonal of the destinations.
 *
 * Method: the stem goes from the corner to the node with the largest coordinates of any
 * destination, each hop to the neighbour that is nearest to the straight line between both, of
 * several in the smallest dimension. Then each destination, the nearest to the corner first, is
 * joined to the nearest node of the tree that has no larger coordinate than it. A stem that leads
 * to no destination is dropped (tree_unite.c).
 * Properties: shortest ways. Over one port at most k - 1 hops more than to the farthest of k
 * destinations.
 * Cost: O(n^2) per node of the stem, O(k log k), and k searches for the nearest node.
 * Source: S. Wang, 2005 (DIAG).
 */
#include "network/schemes/tree.h"

#include "base/numbers.h"

#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

/* The end of the stem, and its last node so far. */
struct stem {
    uint32_t end[TOPOLOGY_DIMENSIONS], at[TOPOLOGY_DIMENSIONS];
    uint64_t end_square, at_square, product; /* of both with themselves, and with each other */
};

static struct stem stem_to_corner(const struct orthant *orthant)
{
    struct stem stem = {.end_square = 0};
    for (uint32_t d = 0; d < orthant->tree->topology->shape.dimensions; d++) {
        for (uint32_t i = 0; i < orthant->targets; i++) {
            uint32_t at = orthant_at(orthant, orthant->target[i], d);
            stem.end[d] = at > stem.end[d] ? at : stem.end[d];
        }
        stem.end_square += (uint64_t)stem.end[d] * stem.end[d];
    }
    return stem;
}

/* Returns the dimension of the stem's next hop; there is one. The distance from the line grows with
 * |u|^2 |d|^2 - (u d)^2. */
static uint32_t next_dimension(const struct stem *stem, uint32_t dimensions)
{
    uint32_t best = 0;
    wide nearest = ~(wide)0;
    for (uint32_t d = 0; d < dimensions; d++) {
        wide square = stem->at_square + 2 * (uint64_t)stem->at[d] + 1;
        wide product = stem->product + stem->end[d];
        wide key = square * stem->end_square - product * product;
        if (stem->at[d] == stem->end[d] || key >= nearest)
            continue;
        nearest = key;
        best = d;
    }
    return best;
}

static void grow_stem(struct orthant *orthant)
{
    struct stem stem = stem_to_corner(orthant);
    uint32_t dimensions = orthant->tree->topology->shape.dimensions, from = orthant->corner;
    uint32_t hops = 0;
    for (uint32_t d = 0; d < dimensions; d++)
        hops += stem.end[d];
    for (; hops > 0; hops--) {
        uint32_t d = next_dimension(&stem, dimensions);
        from = orthant_join(orthant, from, d, false, TREE_STEM);
        stem.at_square += 2 * (uint64_t)stem.at[d] + 1;
        stem.product += stem.end[d];
        stem.at[d]++;
    }
}

static void grow(struct orthant *orthant, const struct scheme_choices *choices)
{
    uint64_t *key = plan_scratch(orthant->tree->plan, orthant->targets, sizeof *key);
    if (key == NULL)
        return;
    for (uint32_t i = 0; i < orthant->targets; i++) {
        uint32_t target = orthant->target[i];
        key[i] = (uint64_t)orthant_distance(orthant, target) << 32 | target;
    }
    qsort(key, orthant->targets, sizeof *key, compare_u64);
    grow_stem(orthant);
    for (uint32_t i = 0; i < orthant->targets; i++)
        orthant_connect_nearest(orthant, (uint32_t)key[i], choices->choice[TREE_TIES]);
}

static void plan(const struct planning *planning)
{
    tree_plan(planning, grow);
}

const struct scheme scheme_diag = {
    .name = "diag",
    .summary = "a tree of links about a stem along the diagonal; can deadlock",
    .parameter = {TREE_ORDER_PARAMETER, TREE_WRAPS_PARAMETER, TREE_TIES_PARAMETER,
                  TREE_CLASSES_PARAMETER},
    .routing = tree_routing_by_classes,
    .needs = NEEDS_RINGS_OR_MESH,
    .plan = plan,
};
