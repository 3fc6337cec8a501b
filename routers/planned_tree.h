/* planned_tree.h - trees of network/schemes/ for messages of the mesh machine: the same code makes them for the network.
 *
 * Apart from the other headers of routers, because network/schemes/scheme.h has a `struct routing` too.
 */
#ifndef MESHCAST_ROUTERS_PLANNED_TREE_H
#define MESHCAST_ROUTERS_PLANNED_TREE_H

#include "base/failure.h"
#include "machine/machine.h"

#include <stdint.h>

/* A node of a tree; node[0] is the source, and a parent is before its children. */
struct planned_node {
    node_place place;
    uint32_t parent; /* its place in node[]; 0 for the source, too */
    bool is_destination;
};

/* One source's planning; its memory is kept for the next one's. */
struct tree_planner;

/* A planner by the scheme of that name, one of those whose plans are trees of links, with its usual parameters. NULL: no
 * memory, and `failure` is filled. The caller frees it; tree_planner_free(NULL) does nothing. */
struct tree_planner *tree_planner_create(const char *scheme, struct mesh mesh,
                                         struct failure *failure);
void tree_planner_free(struct tree_planner *planner);

/* Plans the tree from `source` to `count` distinct destinations, at least one; the source may be among them. Returns how many
 * nodes it has and lets *node show them until the next call; 0: no memory, and `failure` is filled. */
uint32_t tree_planner_plan(struct tree_planner *planner, node_place source,
                           const node_place *destination, uint32_t count,
                           const struct planned_node **node, struct failure *failure);

#endif
