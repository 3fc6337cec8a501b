/* outbox.c - items sorted by the ranks to which they go: a counting sort, then a swap.
 *
 * Cost: on several ranks the items twice, while they are sent; alone one group of them.
 */
#include "machine/ranks/outbox.h"

#include <stdlib.h>
#include <string.h>

/* Returns the most items of a group. */
static uint64_t largest_group(const struct outbox *outbox)
{
    uint64_t most = 0;
    for (uint32_t group = 0; group < outbox->groups; group++) {
        uint64_t count = outbox->offset[group + 1] - outbox->offset[group];
        most = count > most ? count : most;
    }
    return most;
}

/* Lists all items into `sorted`, those for each rank r from end[r] on, which moves on to the last
 * one's end. `item` has room for a group. On one rank each group is taken at once. */
static enum failure_kind list_all(const struct outbox *outbox, const struct ranks *ranks,
                                  struct mesh mesh, char *item, char *sorted, size_t *end,
                                  struct failure *failure)
{
    size_t size = outbox->item_bytes;
    for (uint32_t group = 0; group < outbox->groups; group++) {
        uint64_t first = outbox->offset[group], count = outbox->offset[group + 1] - first;
        outbox->list(outbox->context, group, item);
        if (sorted == NULL && outbox->take(outbox->context, item, count, failure) != FAIL_NONE)
            return FAIL_SYSTEM;
        for (uint64_t i = 0; sorted != NULL && i < count; i++) {
            uint32_t to = ranks_owner(ranks, mesh.rows, outbox->node[first + i] / mesh.cols);
            memcpy(sorted + end[to], item + i * size, size);
            end[to] += size;
        }
    }
    return FAIL_NONE;
}

/* Counts the items for each rank into bytes[], sorts them, swaps them, and takes what it received.
 * end[]: where items are put. */
static enum failure_kind swap_all(const struct outbox *outbox, struct ranks *ranks,
                                  struct mesh mesh, char *item, size_t *bytes, size_t *end,
                                  struct failure *failure)
{
    size_t all = 0, got = 0;
    for (uint64_t i = 0; i < outbox->offset[outbox->groups]; i++)
        bytes[ranks_owner(ranks, mesh.rows, outbox->node[i] / mesh.cols)] += outbox->item_bytes;
    for (uint32_t r = 0; r < ranks_size(ranks); all += bytes[r++])
        end[r] = all;
    char *sorted = memory_allocate(all, 1);
    void *received = NULL;
    enum failure_kind kind = sorted == NULL
                                 ? fail_memory(failure, outbox->what)
                                 : list_all(outbox, ranks, mesh, item, sorted, end, failure);
    if (kind == FAIL_NONE)
        kind = ranks_swap(ranks, sorted, bytes, &received, failure);
    free(sorted);
    for (uint32_t r = 0; r < ranks_size(ranks); r++)
        got += bytes[r];
    if (kind == FAIL_NONE)
        kind = outbox->take(outbox->context, received, got / outbox->item_bytes, failure);
    free(received);
    return kind;
}

enum failure_kind outbox_deliver(const struct outbox *outbox, struct ranks *ranks, struct mesh mesh,
                                 struct failure *failure)
{
    uint32_t size = ranks_size(ranks);
    char *item = memory_allocate(largest_group(outbox), outbox->item_bytes);
    size_t *bytes = memory_allocate(2 * (size_t)size, sizeof *bytes);
    enum failure_kind kind = FAIL_NONE;
    if (item == NULL || bytes == NULL)
        kind = fail_memory(failure, outbox->what);
    else if (size == 1)
        kind = list_all(outbox, ranks, mesh, item, NULL, NULL, failure);
    else
        kind = swap_all(outbox, ranks, mesh, item, bytes, bytes + size, failure);
    free(item);
    free(bytes);
    return kind;
}
