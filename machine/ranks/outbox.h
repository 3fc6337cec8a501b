/* outbox.h - items that go to other ranks: to named ranks, or to the ranks of nodes of a mesh. */
#ifndef MESHCAST_MACHINE_RANKS_OUTBOX_H
#define MESHCAST_MACHINE_RANKS_OUTBOX_H

#include "machine/mesh.h"
#include "machine/ranks/ranks.h"

/* Items of one size, in the order of the ranks to which they go, after items_swap() of the ranks
 * from which they came. */
struct items {
    struct ranks *ranks;
    size_t size;   /* of an item */
    size_t *bytes; /* [ranks]: of the items for each rank, or from it */
    size_t *end;   /* [ranks]: the place of the next item for each rank in .. */
    char *all;     /* .. this array; NULL while they are counted */
    size_t count;  /* number of items that have arrived */
};

/* Sorts the items that `list` puts, which is called twice: the first time they are only counted.
 * Items for one rank keep their order. False: no memory; items_free() is required in any case. */
bool items_sort(struct items *items, struct ranks *ranks, size_t size,
                void (*list)(void *context, struct items *items), void *context);
/* For `list`: puts an item for the rank. */
void items_put(struct items *items, uint32_t rank, const void *item);
/* Sends the items, and receives those for this rank instead. All ranks call it. */
enum failure_kind items_swap(struct items *items, struct failure *failure);
void items_free(struct items *items);

/* Items in groups, which are listed one group after another. */
struct outbox {
    const char *what; /* the items' name in messages */
    size_t item_bytes;
    uint32_t groups;
    const uint64_t *offset; /* [groups + 1]: the beginning of a group's items in .. */
    const node_index *node; /* .. this array: the node of each item */
    void *context;
    /* Fills in the items of a group; called once for each group, in their order. */
    void (*list)(void *context, uint32_t group, void *item);
    /* Receives `count` items for this rank's nodes: on several ranks all at once, in the order of
     * ranks, else each group when it has been listed. */
    enum failure_kind (*take)(void *context, const void *item, size_t count,
                              struct failure *failure);
};

/* Sends the items to the ranks of their nodes, whose take() receives them. All ranks call it.
 * FAIL_SYSTEM: also no memory. */
enum failure_kind outbox_deliver(const struct outbox *outbox, struct ranks *ranks, struct mesh mesh,
                                 struct failure *failure);

#endif
