/* ranks_outbox.c - items sorted by the ranks to which they go: a counting sort, then a swap. */
#include "machine/ranks/ranks_outbox.h"

#include <stdlib.h>
#include <string.h>

enum failure_kind ranks_outbox_open(struct ranks_outbox *outbox, struct ranks *ranks,
                                    size_t item_bytes, const char *what, struct failure *failure)
{
    *outbox = (struct ranks_outbox){.ranks = ranks, .item_bytes = item_bytes, .what = what};
    outbox->bytes = memory_allocate(ranks_size(ranks), sizeof *outbox->bytes);
    outbox->end = memory_allocate(ranks_size(ranks), sizeof *outbox->end);
    return outbox->bytes != NULL && outbox->end != NULL ? FAIL_NONE
                                                        : fail_memory(failure, outbox->what);
}

void ranks_outbox_close(struct ranks_outbox *outbox)
{
    free(outbox->bytes);
    free(outbox->end);
    free(outbox->item);
    *outbox = (struct ranks_outbox){0};
}

enum failure_kind ranks_outbox_make_room(struct ranks_outbox *outbox, struct failure *failure)
{
    size_t all = 0;
    for (uint32_t r = 0; r < ranks_size(outbox->ranks); r++) {
        outbox->end[r] = all;
        all += outbox->bytes[r];
    }
    outbox->item = memory_allocate(all, 1);
    return outbox->item != NULL ? FAIL_NONE : fail_memory(failure, outbox->what);
}

void ranks_outbox_put(struct ranks_outbox *outbox, uint32_t to, const void *item)
{
    memcpy(outbox->item + outbox->end[to], item, outbox->item_bytes);
    outbox->end[to] += outbox->item_bytes;
}

enum failure_kind ranks_outbox_swap(struct ranks_outbox *outbox, void **came, size_t *items,
                                    struct failure *failure)
{
    size_t bytes = 0;
    enum failure_kind kind = ranks_swap(outbox->ranks, outbox->item, outbox->bytes, came, failure);
    free(outbox->item);
    outbox->item = NULL;
    for (uint32_t r = 0; kind == FAIL_NONE && r < ranks_size(outbox->ranks); r++)
        bytes += outbox->bytes[r];
    *items = bytes / outbox->item_bytes;
    return kind;
}
