/* tree_choice.h - the values of `tree=` for trees that packets carry, and what is told of the trees before a run.
 */
#ifndef MESHCAST_ROUTERS_TREE_CHOICE_H
#define MESHCAST_ROUTERS_TREE_CHOICE_H

#include "routers/grown_tree.h"
#include "routers/routing.h"

#define TREE_CHOICES "xy near spread crowd measured vh diag dds min"
enum tree_choice {
    TREE_XY,
    TREE_NEAR,
    TREE_SPREAD,
    TREE_CROWD,
    TREE_MEASURED,
    TREE_VH,
    TREE_DIAG,
    TREE_DDS,
    TREE_MIN,
};

/* Whether c and d allow crowds at single nodes that are worth a detour. */
bool nodes_are_crowded(const struct routing *routing);

/* How sources grow the trees of that choice, for the sides, c and d of this run. */
enum tree_growth tree_growth_of(const struct routing *routing, enum tree_choice choice);

/* The bytes that a run with such trees takes at most, of a machine with these needs. */
uint64_t grown_trees_run_footprint(const struct routing *routing, enum tree_choice choice,
                                   struct machine_needs needs);

/* Puts what is known of the trees before the first packet moves into the result. No node acts on it. */
void grown_trees_foretell(struct routing *routing, const struct grown_trees *trees);

#endif
