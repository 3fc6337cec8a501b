/* scheme_dds.c - a tree to which destinations are joined as they are met plane after plane from the
 * corner.
 *
 * Method: destinations are sorted by their smallest coordinate, then by the first dimension that
 * has it, then in the same way by the others: in two dimensions that is column 0, row 0, what is
 * left of column 1, of row 1, and so on. In this order each is joined to the nearest node of the
 * tree that has no larger coordinate than it.
 * Properties: shortest ways. Over one port at most k - 1 hops more than to the farthest of k
 * destinations.
 * Cost: O(n k log k), and k searches for the nearest node; 36 bytes per destination.
 * Source: S. Wang, 2005 (DDS).
 */
#include "network/schemes/tree.h"

#include <stdlib.h>

struct scanned {
    /* Coordinates with their dimensions, the smallest first: 8 x coordinate + dimension */
    uint32_t key[TOPOLOGY_DIMENSIONS];
    uint32_t target;
};

static struct scanned scanned_of(const struct orthant *orthant, uint32_t target)
{
    struct scanned scanned = {.target = target};
    for (uint32_t d = 0; d < orthant->tree->topology->shape.dimensions; d++) {
        uint32_t key = TOPOLOGY_DIMENSIONS * orthant_at(orthant, target, d) + d, i = d;
        for (; i > 0 && scanned.key[i - 1] > key; i--)
            scanned.key[i] = scanned.key[i - 1];
        scanned.key[i] = key;
    }
    return scanned;
}

static int compare(const void *one, const void *other)
{
    const struct scanned *a = one, *b = other;
    for (uint32_t i = 0; i < TOPOLOGY_DIMENSIONS; i++)
        if (a->key[i] != b->key[i])
            return a->key[i] < b->key[i] ? -1 : 1;
    return 0;
}

static void grow(struct orthant *orthant, const struct scheme_choices *choices)
{
    struct scanned *order = plan_scratch(orthant->tree->plan, orthant->targets, sizeof *order);
    if (order == NULL)
        return;
    for (uint32_t i = 0; i < orthant->targets; i++)
        order[i] = scanned_of(orthant, orthant->target[i]);
    qsort(order, orthant->targets, sizeof *order, compare);
    for (uint32_t i = 0; i < orthant->targets; i++)
        orthant_connect_nearest(orthant, order[i].target, choices->choice[TREE_TIES]);
}

static void plan(const struct planning *planning)
{
    tree_plan(planning, grow);
}

const struct scheme scheme_dds = {
    .name = "dds",
    .summary = "a tree of links, plane after plane from the source; can deadlock",
    .parameter = {TREE_ORDER_PARAMETER, TREE_WRAPS_PARAMETER, TREE_TIES_PARAMETER,
                  TREE_CLASSES_PARAMETER},
    .routing = tree_routing_by_classes,
    .needs = NEEDS_RINGS_OR_MESH,
    .plan = plan,
};
