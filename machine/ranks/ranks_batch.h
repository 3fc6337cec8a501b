/* ranks_batch.h - items that a rank makes for others, sent in batches, so that no rank holds all of them at once.
 *
 *     ranks_batch_open(&batch, ranks, sizeof item, take, context);
 *     while (ranks_batch_next(&batch, something is left, failure))
 *         ranks_batch_put(&batch, to, &item, failure);
 *     kind = ranks_batch_close(&batch);
 *
 * What a rank has for itself is taken at once. Alone nothing is ever sent, and nothing takes memory. When one of the
 * functions has failed, the others do nothing, and ranks_batch_close() returns the kind of failure.
 */
#ifndef MESHCAST_MACHINE_RANKS_RANKS_BATCH_H
#define MESHCAST_MACHINE_RANKS_RANKS_BATCH_H

#include "machine/ranks/ranks.h"

struct ranks_batch {
    struct ranks *ranks;
    size_t item_bytes;
    size_t items; /* that were put and not sent yet */
    size_t room;  /* for items */
    char *item;   /* [room][item_bytes] */
    uint32_t *to; /* [room]: a rank */
    void (*take)(void *context, const void *item);
    void *context;
    enum failure_kind kind; /* of the first function that failed */
};

/* `take` is called at the rank to which an item was put, with the item, aligned as an element of an array of such items.
 * ranks_batch_close() must follow. */
void ranks_batch_open(struct ranks_batch *batch, struct ranks *ranks, size_t item_bytes,
                      void (*take)(void *context, const void *item), void *context);

/* Frees the batch, and returns FAIL_NONE or how it failed. */
enum failure_kind ranks_batch_close(struct ranks_batch *batch);

/* Returns whether the caller is to put its next item, or its next ones that belong together, such as those of a message;
 * `is_left`: it has one. If a megabyte has been put, this first sends it, and takes what comes, in the order of ranks. If the
 * caller has nothing left, this sends and takes until no rank has. So all ranks call it until it returns false. It fails
 * without memory, and if another rank has failed: then it returns false. */
bool ranks_batch_next(struct ranks_batch *batch, bool is_left, struct failure *failure);

/* Gives rank `to` a copy of the item. FAIL_SYSTEM: no memory. */
enum failure_kind ranks_batch_put(struct ranks_batch *batch, uint32_t to, const void *item,
                                  struct failure *failure);

#endif
