/* turn.c - events that ranks have in another order than that in which they are told. */
#include "machine/turn.h"

#include "machine/tally_private.h"

#include <stdlib.h>

static int compare_turns(const void *a, const void *b)
{
    const struct turned_event *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->turn.major != y->turn.major)
        return x->turn.major < y->turn.major ? -1 : 1;
    if (x->turn.minor != y->turn.minor)
        return x->turn.minor < y->turn.minor ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

void events_take_sorted(struct machine *machine, const struct turned_event *own, size_t count)
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
    struct turned_event *turned = collected;
    for (size_t i = 0; i < all; i++)
        turned[i].place = i;
    if (all > 0)
        qsort(turned, all, sizeof *turned, compare_turns);
    for (size_t i = 0; i < all; i++)
        tally_event(machine, tally, turned[i].group, turned[i].event);
    free(collected);
    free(bytes);
}
