/* heard.h - what a source hears of the messages of the nodes in its row and its column before it makes its tree.
 */
#ifndef MESHCAST_ROUTERS_HEARD_H
#define MESHCAST_ROUTERS_HEARD_H

#include "machine/machine.h"
#include "routers/grown_tree.h"
#include "routers/routing.h"

struct heard_counts;

struct heard {
    const struct routing *routing;
    struct heard_counts *counts; /* [slots of destinations] */
    uint64_t steps;              /* and nodes on each side that were heard */
};

/* Whether a run is worth its words: for smaller c no line can be crowded, and trees to a quarter of the nodes or more use
 * all lines alike. */
bool is_worth_hearing(const struct routing *routing);

/* Sends words in a phase "hear", so that every source hears of the messages of the nodes in its row and column that are
 * near: (rows + cols) / 16 steps, 64 at most; twice as many on meshes that are not small, where c and d allow crowds at
 * single nodes. Before any packet moves. To be freed with heard_free, after a failure too. FAIL_SYSTEM: no memory. */
enum failure_kind hear(struct heard *heard, const struct routing *routing, struct failure *failure);
void heard_free(struct heard *heard);

/* How the source of `packet` grows its tree: GROW_SPREAD where c and d allow crowds at single nodes. Else, where so many
 * messages are for the columns, or the rows, of its destinations that trees xy would take longer over the links of these
 * lines than for their longest way, GROW_SPREAD, or GROW_NEAR for many destinations. Else GROW_XY. */
enum tree_growth heard_growth(const struct heard *heard, uint32_t packet);

/* Whether the destination in `slot` belongs to a crowd that is both wide and high. */
bool heard_is_in_square(const struct heard *heard, uint32_t slot);

uint64_t heard_footprint(const struct message_set *set);

#endif
