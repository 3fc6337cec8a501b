/* ranks_batch.c - batches between ranks: items that are kept until they are a megabyte, then sent by an outbox. */
#include "machine/ranks/ranks_batch.h"

#include "machine/ranks/ranks_outbox.h"

#include <stdlib.h>
#include <string.h>

enum { FULL_BYTES = 1 << 20 };

void ranks_batch_open(struct ranks_batch *batch, struct ranks *ranks, size_t item_bytes,
                      void (*take)(void *context, const void *item), void *context)
{
    *batch = (struct ranks_batch){
        .ranks = ranks, .item_bytes = item_bytes, .take = take, .context = context};
}

enum failure_kind ranks_batch_close(struct ranks_batch *batch)
{
    enum failure_kind kind = batch->kind;
    free(batch->item);
    free(batch->to);
    *batch = (struct ranks_batch){0};
    return kind;
}

static bool make_room(struct ranks_batch *batch)
{
    size_t room = batch->room;
    char *item = memory_grow(batch->item, &room, batch->items + 1, batch->item_bytes);
    if (item == NULL)
        return false;
    batch->item = item;
    uint32_t *to = memory_grow(batch->to, &batch->room, batch->items + 1, sizeof *to);
    if (to == NULL)
        return false;
    batch->to = to;
    return true;
}

enum failure_kind ranks_batch_put(struct ranks_batch *batch, uint32_t to, const void *item,
                                  struct failure *failure)
{
    if (batch->kind != FAIL_NONE)
        return batch->kind;
    if (to == ranks_rank(batch->ranks)) {
        batch->take(batch->context, item);
        return FAIL_NONE;
    }
    if (!make_room(batch))
        return batch->kind = fail_memory(failure, "what ranks send");
    memcpy(batch->item + batch->items * batch->item_bytes, item, batch->item_bytes);
    batch->to[batch->items++] = to;
    return FAIL_NONE;
}

/* Puts all items into the outbox, and swaps it. */
static enum failure_kind swap(struct ranks_batch *batch, struct ranks_outbox *outbox, void **came,
                              size_t *items, struct failure *failure)
{
    for (size_t i = 0; i < batch->items; i++)
        ranks_outbox_count(outbox, batch->to[i]);
    if (ranks_outbox_make_room(outbox, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    for (size_t i = 0; i < batch->items; i++)
        ranks_outbox_put(outbox, batch->to[i], batch->item + i * batch->item_bytes);
    batch->items = 0;
    return ranks_outbox_swap(outbox, came, items, failure);
}

/* Sends what was put, and takes what comes. *is_left becomes whether any rank has something left. */
static enum failure_kind send(struct ranks_batch *batch, bool *is_left, struct failure *failure)
{
    struct ranks_outbox outbox;
    void *came = NULL;
    size_t items = 0;
    enum failure_kind kind =
        ranks_outbox_open(&outbox, batch->ranks, batch->item_bytes, "what ranks send", failure);
    if (kind == FAIL_NONE)
        kind = swap(batch, &outbox, &came, &items, failure);
    for (size_t i = 0; kind == FAIL_NONE && i < items; i++)
        batch->take(batch->context, (const char *)came + i * batch->item_bytes);
    free(came);
    ranks_outbox_close(&outbox);
    return kind == FAIL_NONE ? ranks_any(batch->ranks, is_left, failure) : kind;
}

bool ranks_batch_next(struct ranks_batch *batch, bool is_left, struct failure *failure)
{
    if (batch->kind != FAIL_NONE)
        return false;
    if (ranks_size(batch->ranks) == 1)
        return is_left;
    if (is_left && batch->items * batch->item_bytes < FULL_BYTES)
        return true;
    bool any;
    do {
        any = is_left;
        batch->kind = send(batch, &any, failure);
    } while (batch->kind == FAIL_NONE && any && !is_left);
    return batch->kind == FAIL_NONE && any;
}
