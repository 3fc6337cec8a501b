/* scheme_vh.c - a tree of the ways by dimensions to all destinations, or of ways up, then down
 * (tree_plan_up_down()).
 *
 * Method: from each destination back along its way from the corner, until the way meets the tree;
 * from there it is added. The union of these ways does not depend on the order of the destinations.
 * Properties: shortest ways. From a corner of an n-dimensional mesh, over one port at most n - 1
 * hops more than to the farthest destination.
 * Cost: O(n) per node of the tree.
 * Source: S. Wang, 2005 (VH).
 */
#include "network/schemes/tree.h"

enum { PATHS = 2 }; /* among the parameters */

/* Returns the last node of the tree on the way to a node. */
static uint32_t branching(const struct orthant *orthant, uint32_t local)
{
    const struct topology *topology = orthant->tree->topology;
    for (uint32_t i = topology->shape.dimensions; i-- > 0;)
        for (uint32_t left = orthant_at(orthant, local, i); left > 0; left--) {
            if (orthant->tree->place[local] > 0)
                return orthant->tree->place[local] - 1;
            local -= topology->stride[i];
        }
    return orthant->corner;
}

static void grow(struct orthant *orthant, const struct scheme_choices *choices)
{
    (void)choices;
    for (uint32_t i = 0; i < orthant->targets; i++)
        orthant_connect(orthant, branching(orthant, orthant->target[i]), orthant->target[i]);
}

static void plan(const struct planning *planning)
{
    if (planning->plan->routing == &routing_up_down)
        tree_plan_up_down(planning);
    else
        tree_plan(planning, grow);
}

static const struct routing *routing_of(const struct scheme_choices *choices)
{
    return choices->choice[PATHS] == 0 ? &routing_link : &routing_up_down;
}

const struct scheme scheme_vh = {
    .name = "vh",
    .summary = "a tree of links, by dimensions, dimension 0 first; can deadlock",
    .parameter = {TREE_ORDER_PARAMETER,
                  TREE_WRAPS_PARAMETER,
                  {"paths",
                   {"x-first", "up-down"},
                   "which paths the tree is made of; up-down: on every topology, and without a "
                   "deadlock under cut-through"}},
    .routing = routing_of,
    .needs = NEEDS_RINGS_OR_MESH,
    .plan = plan,
};
