/* planned_tree.h - trees of network/schemes/ for messages of the mesh machine: the same code makes
 * them for the network.
 *
 * It is apart from the other headers of routers, because network/schemes/scheme.h also has a
 * `struct routing`.
 */
#ifndef MESHCAST_ROUTERS_PLANNED_TREE_H
#define MESHCAST_ROUTERS_PLANNED_TREE_H

#include "base/failure.h"
#include "machine/machine.h"

#include <stdint.h>

/* A node of a tree; a parent is before its children. A message's trees follow one another, each
 * from the source on. */
struct planned_node {
    node_place place;
    /* its parent's index in node[]; the source's own for the source, where a tree begins */
    uint32_t parent;
    bool is_destination;
};

struct topology;

/* One source's planning; its memory is kept for the next one's. */
struct tree_planner;

/* Returns a planner by the scheme of that name, whose plans name each node, with `parameter`,
 * NAME=VALUE, if that is not NULL; with `is_any` paths up, then down are replaced by shortest
 * paths. `broken`: the mesh if it is broken, else NULL; the caller's. NULL: no memory, and
 * `failure` is filled. The caller frees it; tree_planner_free(NULL) does nothing. */
struct tree_planner *tree_planner_create(const char *scheme, const char *parameter, bool is_any,
                                         struct mesh mesh, const struct topology *broken,
                                         struct failure *failure);
void tree_planner_free(struct tree_planner *planner);

/* Plans the trees from `source` to `count` distinct destinations, at least one; the source may be
 * among them. Paths lead up to the least node of their part, or with class 1 to the greatest. Of
 * several trees the first is the one to the next destination after the source, by node numbers.
 * Returns how many nodes they have and lets *node show them until the next call; 0: no memory, and
 * `failure` is filled. */
uint32_t tree_planner_plan(struct tree_planner *planner, unsigned class, node_place source,
                           const node_place *destination, uint32_t count,
                           const struct planned_node **node, struct failure *failure);

#endif
