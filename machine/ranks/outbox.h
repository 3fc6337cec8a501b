/* outbox.h - items for the nodes of a mesh, each of which goes to the rank that has its node. */
#ifndef MESHCAST_MACHINE_RANKS_OUTBOX_H
#define MESHCAST_MACHINE_RANKS_OUTBOX_H

#include "machine/mesh.h"
#include "machine/ranks/ranks.h"

/* Items in groups, which are listed one group after another. */
struct outbox {
    const char *what; /* the items, in messages */
    size_t item_bytes;
    uint32_t groups;
    const uint64_t *offset; /* [groups + 1]: where a group's items begin in .. */
    const node_index *node; /* .. this: the node of each item */
    void *context;
    /* Fills in the items of a group; called once for each group, in their order. */
    void (*list)(void *context, uint32_t group, void *item);
    /* Takes `count` items for this rank's nodes: on several ranks all at once, in the order of
     * ranks, else each group when it has been listed. */
    enum failure_kind (*take)(void *context, const void *item, size_t count,
                              struct failure *failure);
};

/* Sends the items to the ranks of their nodes, and lets these take them. All ranks call it.
 * FAIL_SYSTEM: also no memory. */
enum failure_kind outbox_deliver(const struct outbox *outbox, struct ranks *ranks, struct mesh mesh,
                                 struct failure *failure);

#endif
