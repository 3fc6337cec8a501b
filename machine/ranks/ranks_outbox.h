/* ranks_outbox.h - items that a rank has for others, in memory of just their size: they are counted, then put, then sent.
 *
 *     ranks_outbox_open(&outbox, ranks, sizeof item, "the items", failure);
 *     for each item: ranks_outbox_count(&outbox, to);
 *     ranks_outbox_make_room(&outbox, failure);
 *     for each item, in any order: ranks_outbox_put(&outbox, to, &item);
 *     ranks_outbox_swap(&outbox, &came, &items, failure);
 *     ranks_outbox_close(&outbox);
 *
 * Alone a rank sends all to itself.
 */
#ifndef MESHCAST_MACHINE_RANKS_RANKS_OUTBOX_H
#define MESHCAST_MACHINE_RANKS_RANKS_OUTBOX_H

#include "machine/ranks/ranks.h"

struct ranks_outbox {
    struct ranks *ranks;
    size_t item_bytes;
    const char *what;
    size_t *bytes; /* [ranks]: of items for each, and at last of those that came from it */
    size_t *end;   /* [ranks]: where the next item for each is put, in bytes */
    char *item;    /* those for rank 0, for rank 1, .. */
};

/* Opens an empty outbox for items of `item_bytes` bytes; `what` says in messages what they are, and must outlive it.
 * FAIL_SYSTEM: no memory. ranks_outbox_close() in any case. */
enum failure_kind ranks_outbox_open(struct ranks_outbox *outbox, struct ranks *ranks,
                                    size_t item_bytes, const char *what, struct failure *failure);
void ranks_outbox_close(struct ranks_outbox *outbox);

/* Counts an item for rank `to`, 0 .. ranks - 1. */
static inline void ranks_outbox_count(struct ranks_outbox *outbox, uint32_t to)
{
    outbox->bytes[to] += outbox->item_bytes;
}

/* Allocates memory for all items that were counted. FAIL_SYSTEM: there is not enough. */
enum failure_kind ranks_outbox_make_room(struct ranks_outbox *outbox, struct failure *failure);

/* Puts a copy of an item that was counted for rank `to` behind those that were put for it. */
void ranks_outbox_put(struct ranks_outbox *outbox, uint32_t to, const void *item);

/* Sends all items, when as many have been put as counted. *came, which the caller frees, gets the *items items that came,
 * in the order of ranks, those of a rank in the order in which it put them. The outbox can then only be closed. All ranks
 * call it. FAIL_SYSTEM: no memory, too. */
enum failure_kind ranks_outbox_swap(struct ranks_outbox *outbox, void **came, size_t *items,
                                    struct failure *failure);

#endif
