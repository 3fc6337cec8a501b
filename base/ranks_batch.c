/* ranks_batch.c - batches between ranks: sorted by where they go, then swapped. */
#include "base/ranks_batch.h"

#include <stdlib.h>
#include <string.h>

enum { FULL_BYTES = 1 << 20, FIRST_ITEMS = 64 };

enum failure_kind ranks_batch_open(struct ranks_batch *batch, struct ranks *ranks,
                                   size_t item_bytes, void (*take)(void *context, const void *item),
                                   void *context, struct failure *failure)
{
    *batch = (struct ranks_batch){
        .ranks = ranks, .item_bytes = item_bytes, .take = take, .context = context};
    if (ranks_size(ranks) == 1)
        return FAIL_NONE;
    batch->bytes = memory_allocate(ranks_size(ranks), sizeof *batch->bytes);
    return batch->bytes != NULL ? FAIL_NONE : fail_memory(failure, "what ranks send");
}

void ranks_batch_close(struct ranks_batch *batch)
{
    free(batch->item);
    free(batch->to);
    free(batch->bytes);
    *batch = (struct ranks_batch){0};
}

bool ranks_batch_is_full(const struct ranks_batch *batch)
{
    return batch->items * batch->item_bytes >= FULL_BYTES;
}

static bool make_room(struct ranks_batch *batch)
{
    size_t room = batch->room == 0 ? FIRST_ITEMS : 2 * batch->room;
    if (batch->items < batch->room)
        return true;
    char *item = memory_resize(batch->item, room, batch->item_bytes);
    if (item != NULL)
        batch->item = item;
    uint32_t *to = memory_resize(batch->to, room, sizeof *to);
    if (to != NULL)
        batch->to = to;
    if (item == NULL || to == NULL)
        return false;
    batch->room = room;
    return true;
}

enum failure_kind ranks_batch_put(struct ranks_batch *batch, uint32_t to, const void *item,
                                  struct failure *failure)
{
    if (to == ranks_rank(batch->ranks)) {
        batch->take(batch->context, item);
        return FAIL_NONE;
    }
    if (!make_room(batch))
        return fail_memory(failure, "what ranks send");
    memcpy(batch->item + batch->items * batch->item_bytes, item, batch->item_bytes);
    batch->to[batch->items++] = to;
    return FAIL_NONE;
}

/* Returns the items in the order of the ranks to which they go, which the caller frees; batch->bytes[r] becomes how many
 * bytes go to rank r. NULL: no memory. */
static char *sort(struct ranks_batch *batch)
{
    uint32_t size = ranks_size(batch->ranks);
    size_t at = 0;
    char *sorted = memory_allocate(batch->items, batch->item_bytes);
    if (sorted == NULL)
        return NULL;
    memset(batch->bytes, 0, size * sizeof *batch->bytes);
    for (size_t i = 0; i < batch->items; i++)
        batch->bytes[batch->to[i]] += batch->item_bytes;
    /* bytes[r] becomes where the items of rank r begin, and moves on to where they end. */
    for (uint32_t r = 0; r < size; r++) {
        size_t bytes = batch->bytes[r];
        batch->bytes[r] = at;
        at += bytes;
    }
    for (size_t i = 0; i < batch->items; i++) {
        size_t *end = &batch->bytes[batch->to[i]];
        memcpy(sorted + *end, batch->item + i * batch->item_bytes, batch->item_bytes);
        *end += batch->item_bytes;
    }
    for (uint32_t r = size - 1; r > 0; r--)
        batch->bytes[r] -= batch->bytes[r - 1];
    return sorted;
}

enum failure_kind ranks_batch_swap(struct ranks_batch *batch, bool *more, struct failure *failure)
{
    void *came = NULL;
    if (ranks_size(batch->ranks) == 1)
        return FAIL_NONE;
    char *sorted = sort(batch);
    if (sorted == NULL)
        return fail_memory(failure, "what ranks send");
    enum failure_kind kind = ranks_swap(batch->ranks, sorted, batch->bytes, &came, failure);
    free(sorted);
    size_t bytes = 0;
    for (uint32_t r = 0; kind == FAIL_NONE && r < ranks_size(batch->ranks); r++)
        bytes += batch->bytes[r];
    for (size_t at = 0; at < bytes; at += batch->item_bytes)
        batch->take(batch->context, (const char *)came + at);
    free(came);
    batch->items = 0;
    return kind == FAIL_NONE ? ranks_any(batch->ranks, more, failure) : kind;
}
