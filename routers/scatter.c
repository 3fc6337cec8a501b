/* scatter.c - every packet to a random node of its own.
 *
 * A permutation of the nodes that each node computes for itself sends the packet of source i to
 * node p(i). So a tile gets at most as many packets as it has nodes, one a node, and which ones
 * does not depend on their destinations: groups at random, and exactly as large as their tiles.
 * Source: Step 1 of Theorem 3, which draws the groups independently and ranks them afterwards.
 */
#include "routers/scatter.h"

#include "primitives/unicast_route.h"

enum failure_kind scatter_to_targets(struct routing *routing, const char *name,
                                     struct failure *failure)
{
    struct tessellation whole;
    enum failure_kind kind = tessellation_make(&whole, routing->set->mesh, 1, failure);
    if (kind != FAIL_NONE)
        return kind;
    struct unicast_plan plan = {
        .tiles = &whole, .name = name, .k = 1, .seed = routing->options->seed};
    kind = unicast_credits(routing->machine, &plan, failure);
    tessellation_free(&whole);
    return kind;
}
