/* move.h - how a set is changed to find a worse one: one table of moves, each a small program of
 * changes of a draft. Pure arithmetic and a random generator; whatever a move does, the set stays
 * valid (search/draft.h).
 */
#ifndef MESHCAST_SEARCH_MOVE_H
#define MESHCAST_SEARCH_MOVE_H

#include "base/pcg.h"
#include "search/draft.h"

/* What a move looks at and changes. */
struct move_scene {
    struct draft *draft; /* just taken from `base`, pair for pair */
    const struct message_set
        *base; /* has a message at least; messages in the order of their sources */
    const struct message_set *other; /* another good set of the same mesh */
    node_index peak;   /* where the base crowds most, or MESH_NO_NODE: changes aim there, often */
    uint32_t tile;     /* the side of a tile of l n / c nodes */
    uint32_t *scratch; /* [2 seats] */
    struct pcg32 random;
};

struct move {
    const char *name, *summary;
    void (*make)(struct move_scene *scene);
};

uint32_t move_count(void);
const struct move *move_at(uint32_t index);

#endif
