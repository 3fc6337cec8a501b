/* tree_choice.h - the values of `tree=` for trees that packets carry, and what is told of the trees before a run.
 */
#ifndef MESHCAST_ROUTERS_TREE_CHOICE_H
#define MESHCAST_ROUTERS_TREE_CHOICE_H

#include "routers/grown_tree.h"
#include "routers/routing.h"

#define TREE_CHOICES "xy near spread crowd vh diag dds min"
enum tree_choice {
    TREE_XY,
    TREE_NEAR,
    TREE_SPREAD,
    TREE_CROWD,
    TREE_VH,
    TREE_DIAG,
    TREE_DDS,
    TREE_MIN,
};

/* How sources grow the trees of that choice, for the sides, c and d of this run. */
enum tree_growth tree_growth_of(const struct routing *routing, enum tree_choice choice);

/* Puts what is known of the trees before the first packet moves into the result. No node acts on it. */
void grown_trees_foretell(struct routing *routing, const struct grown_trees *trees);

#endif
