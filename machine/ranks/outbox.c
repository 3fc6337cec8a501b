/* outbox.c - items sorted by the ranks to which they go: a counting sort, then a swap.
 *
 * Cost: on several ranks the items twice, while they are sent; without ranks one group of them.
 */
#include "machine/ranks/outbox.h"

#include <stdlib.h>
#include <string.h>

bool items_sort(struct items *items, struct ranks *ranks, size_t size,
                void (*list)(void *context, struct items *items), void *context)
{
    uint32_t count = ranks_size(ranks);
    size_t all = 0;
    *items = (struct items){.ranks = ranks, .size = size};
    items->bytes = memory_allocate(2 * (size_t)count, sizeof *items->bytes);
    if (items->bytes == NULL)
        return false;
    items->end = items->bytes + count;
    list(context, items);
    for (uint32_t r = 0; r < count; all += items->bytes[r++])
        items->end[r] = all;
    items->all = memory_allocate(all, 1);
    if (items->all != NULL)
        list(context, items);
    return items->all != NULL;
}

void items_put(struct items *items, uint32_t rank, const void *item)
{
    if (items->all == NULL) {
        items->bytes[rank] += items->size;
        return;
    }
    memcpy(items->all + items->end[rank], item, items->size);
    items->end[rank] += items->size;
}

enum failure_kind items_swap(struct items *items, struct failure *failure)
{
    void *received = NULL;
    enum failure_kind kind = ranks_swap(items->ranks, items->all, items->bytes, &received, failure);
    free(items->all);
    items->all = received;
    items->count = 0;
    for (uint32_t r = 0; kind == FAIL_NONE && r < ranks_size(items->ranks); r++)
        items->count += items->bytes[r] / items->size;
    return kind;
}

void items_free(struct items *items)
{
    free(items->all);
    free(items->bytes);
    *items = (struct items){.size = 0};
}

/* ---- groups of items for nodes ---- */

struct delivery {
    const struct outbox *outbox;
    struct mesh mesh;
    char *item; /* of a group */
};

/* Puts the items of all groups, which are listed when they are not only counted. */
static void put_groups(void *of_delivery, struct items *items)
{
    const struct delivery *delivery = of_delivery;
    const struct outbox *outbox = delivery->outbox;
    for (uint32_t group = 0; group < outbox->groups; group++) {
        uint64_t first = outbox->offset[group], count = outbox->offset[group + 1] - first;
        if (items->all != NULL)
            outbox->list(outbox->context, group, delivery->item);
        for (uint64_t i = 0; i < count; i++)
            items_put(items,
                      ranks_owner(items->ranks, delivery->mesh.rows,
                                  outbox->node[first + i] / delivery->mesh.cols),
                      delivery->item + i * outbox->item_bytes);
    }
}

/* Passes each group to the receiver when it has been listed. */
static enum failure_kind take_groups(const struct delivery *delivery, struct failure *failure)
{
    const struct outbox *outbox = delivery->outbox;
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t group = 0; group < outbox->groups && kind == FAIL_NONE; group++) {
        uint64_t count = outbox->offset[group + 1] - outbox->offset[group];
        outbox->list(outbox->context, group, delivery->item);
        kind = outbox->take(outbox->context, delivery->item, count, failure);
    }
    return kind;
}

enum failure_kind outbox_deliver(const struct outbox *outbox, struct ranks *ranks, struct mesh mesh,
                                 struct failure *failure)
{
    uint64_t most = 0;
    for (uint32_t group = 0; group < outbox->groups; group++)
        most = max_u64(most, outbox->offset[group + 1] - outbox->offset[group]);
    struct delivery delivery = {outbox, mesh, memory_allocate(most, outbox->item_bytes)};
    struct items items = {.size = 0};
    enum failure_kind kind = FAIL_NONE;
    bool is_alone = ranks_size(ranks) == 1;
    if (delivery.item == NULL ||
        (!is_alone && !items_sort(&items, ranks, outbox->item_bytes, put_groups, &delivery)))
        kind = fail_memory(failure, outbox->what);
    else if (is_alone)
        kind = take_groups(&delivery, failure);
    else if ((kind = items_swap(&items, failure)) == FAIL_NONE)
        kind = outbox->take(outbox->context, items.all, items.count, failure);
    items_free(&items);
    free(delivery.item);
    return kind;
}
