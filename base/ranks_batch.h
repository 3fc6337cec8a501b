/* ranks_batch.h - items that a rank makes for others, sent in batches, so that no rank holds all of them at once.
 *
 *     ranks_batch_open(&batch, ranks, sizeof item, take, context, failure);
 *     for (bool more = true; more;) {
 *         while (something is left && !ranks_batch_is_full(&batch))
 *             .. ranks_batch_put(&batch, to, &item, failure) ..
 *         more = something is left;
 *         ranks_batch_swap(&batch, &more, failure);
 *     }
 *     ranks_batch_close(&batch);
 *
 * What a rank has for itself is taken at once. Alone nothing is ever sent, and nothing takes memory.
 */
#ifndef MESHCAST_BASE_RANKS_BATCH_H
#define MESHCAST_BASE_RANKS_BATCH_H

#include "base/ranks.h"

struct ranks_batch {
    struct ranks *ranks;
    size_t item_bytes, items,
        room;      /* bytes of an item; items that were put, and that there is room for */
    char *item;    /* [room][item_bytes] */
    uint32_t *to;  /* [room]: a rank */
    size_t *bytes; /* [ranks]: that go to each, and then that came from it */
    void (*take)(void *context, const void *item);
    void *context;
};

/* `take` is called at the rank to which an item was put, with the item, aligned as an element of an array of such items.
 * FAIL_SYSTEM: no memory. ranks_batch_close() in any case. */
enum failure_kind ranks_batch_open(struct ranks_batch *batch, struct ranks *ranks,
                                   size_t item_bytes, void (*take)(void *context, const void *item),
                                   void *context, struct failure *failure);
void ranks_batch_close(struct ranks_batch *batch);

/* Returns whether the items should be swapped before more are put; some more can still be put, such as the rest of a
 * message's. */
bool ranks_batch_is_full(const struct ranks_batch *batch);

/* Gives rank `to` a copy of the item. FAIL_SYSTEM: no memory. */
enum failure_kind ranks_batch_put(struct ranks_batch *batch, uint32_t to, const void *item,
                                  struct failure *failure);

/* Sends what was put, and takes what comes, in the order of ranks. *more, whether this rank has more to put, becomes
 * whether any rank has; alone it does not change. All ranks call it. FAIL_SYSTEM: no memory, too. */
enum failure_kind ranks_batch_swap(struct ranks_batch *batch, bool *more, struct failure *failure);

#endif
