/* event_order.c - sorts events that ranks have in another order than that in which they are told. */
#include "machine/event_order.h"

#include "machine/tally_private.h"

#include <stdlib.h>

static int compare_orders(const void *a, const void *b)
{
    const struct ordered_event *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->order.major != y->order.major)
        return x->order.major < y->order.major ? -1 : 1;
    if (x->order.minor != y->order.minor)
        return x->order.minor < y->order.minor ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

void events_take_sorted(struct machine *machine, const struct ordered_event *own, size_t count)
{
    struct ranks *ranks = machine->config.ranks;
    struct tally *tally = &machine->tally[0];
    size_t *bytes = memory_allocate(ranks_size(ranks), sizeof *bytes), all = 0;
    void *collected = NULL;
    if (bytes == NULL)
        machine_rank_fails(machine, "the trace's events");
    else if (machine->rank_failure.kind == FAIL_NONE)
        ranks_collect(ranks, own, count * sizeof *own, &collected, bytes, &machine->rank_failure);
    for (uint32_t i = 0; collected != NULL && i < ranks_size(ranks); i++)
        all += bytes[i] / sizeof *own;
    struct ordered_event *ordered = collected;
    for (size_t i = 0; i < all; i++)
        ordered[i].place = i;
    if (all > 0)
        qsort(ordered, all, sizeof *ordered, compare_orders);
    for (size_t i = 0; i < all; i++)
        tally_event(machine, tally, ordered[i].group, ordered[i].event);
    free(collected);
    free(bytes);
}
