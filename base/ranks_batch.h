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
    size_t item_bytes, items, room;
    char *item;    /* [room][item_bytes] */
    uint32_t *to;  /* [room]: a rank */
    size_t *bytes; /* [ranks] */
    void (*take)(void *context, const void *item);
    void *context;
};

/* `take` gets each item at the rank to which it was put, aligned for what `item_bytes` is the size of. FAIL_SYSTEM: no
 * memory. ranks_batch_close() in any case. */
enum failure_kind ranks_batch_open(struct ranks_batch *batch, struct ranks *ranks,
                                   size_t item_bytes, void (*take)(void *context, const void *item),
                                   void *context, struct failure *failure);
void ranks_batch_close(struct ranks_batch *batch);

/* Whether no more should be put before the next ranks_batch_swap(); what is begun can be put to its end. */
bool ranks_batch_is_full(const struct ranks_batch *batch);

/* Gives rank `to` a copy of the item. FAIL_SYSTEM: no memory. */
enum failure_kind ranks_batch_put(struct ranks_batch *batch, uint32_t to, const void *item,
                                  struct failure *failure);

/* Sends what was put, and takes what came, in the order of ranks. *more becomes whether any rank has more. All ranks call
 * it. */
enum failure_kind ranks_batch_swap(struct ranks_batch *batch, bool *more, struct failure *failure);

#endif
