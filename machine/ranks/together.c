/* together.c - the machine's work with other ranks: adds up their counts, fails with them, and
 * collects their events at rank 0.
 */
#include "machine/ranks/border.h"

#include <stdlib.h>

/* ---- sums ---- */

enum failure_kind machine_add_up(struct machine *machine, uint64_t *number, struct failure *failure)
{
    const struct failure *own = &machine->rank_failure;
    if (own->kind != FAIL_NONE)
        return fail_as(failure, own);
    return ranks_sum(machine->config.ranks, number, 1, failure);
}

void machine_agree_most(struct machine *machine, uint32_t *number)
{
    uint64_t most = *number;
    ranks_most(machine->config.ranks, &most, 1, &machine->rank_failure);
    *number = (uint32_t)most;
}

void machine_add_up_steps(struct machine *machine, uint64_t *number, uint64_t *peak, uint32_t steps)
{
    struct ranks *ranks = machine->config.ranks;
    number[SUM_INTERRUPTS] += interrupt_is_sent(machine->config.interrupt);
    ranks_sum(ranks, number, (size_t)steps * STEP_NUMBERS, &machine->rank_failure);
    ranks_most(ranks, peak, steps, &machine->rank_failure);
}

enum failure_kind machine_join_ranks(struct machine *machine, struct failure *failure)
{
    struct machine_config *config = &machine->config;
    struct row_range own = ranks_rows(config->ranks, config->mesh.rows);
    uint64_t fewest_threads = config->threads;
    machine->first_row = own.first;
    machine->end_row = own.end;
    machine->fewest_rows = config->mesh.rows / ranks_size(config->ranks);
    machine->is_split = ranks_size(config->ranks) > 1;
    config->has_names |= machine->is_split;
    machine_agree_most(machine, &machine->most_threads);
    if (ranks_any(config->ranks, &machine->is_observed, failure) != FAIL_NONE ||
        ranks_least(config->ranks, &fewest_threads, 1, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    if (machine->is_split && !border_begin(machine, (uint32_t)fewest_threads))
        return fail_memory(failure, "other ranks");
    return FAIL_NONE;
}

/* ---- events ---- */

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

struct ordered_event *events_collect(struct machine *machine, const struct ordered_event *own,
                                     size_t *count)
{
    struct ranks *ranks = machine->config.ranks;
    size_t *bytes = memory_allocate(ranks_size(ranks), sizeof *bytes), all = 0;
    void *collected = NULL;
    if (bytes == NULL)
        machine_rank_fails(machine, "the trace's events");
    else if (machine->rank_failure.kind == FAIL_NONE)
        ranks_collect(ranks, own, *count * sizeof *own, &collected, bytes, &machine->rank_failure);
    for (uint32_t i = 0; collected != NULL && i < ranks_size(ranks); i++)
        all += bytes[i] / sizeof *own;
    struct ordered_event *ordered = collected;
    for (size_t i = 0; i < all; i++)
        ordered[i].place = i;
    if (all > 0)
        qsort(ordered, all, sizeof *ordered, compare_orders);
    free(bytes);
    *count = all;
    return ordered;
}

/* Reports the injections of all ranks by ascending names, each with its result. */
static void emit_injections(struct machine *machine, struct event_list *rest, uint32_t ranks,
                            events_emit *tell)
{
    for (;;) {
        struct event_list *next = NULL;
        for (uint32_t i = 0; i < ranks; i++)
            if (rest[i].count > 0 &&
                (next == NULL || rest[i].event->field[1] < next->event->field[1]))
                next = &rest[i];
        if (next == NULL)
            return;
        struct event_list one = {next->event, 1, 0};
        while (one.count < next->count && next->event[one.count].kind != 'I')
            one.count++;
        tell(machine, &one);
        next->event += one.count;
        next->count -= one.count;
    }
}

void events_emit_ranks(struct machine *machine, int group, events_emit *tell)
{
    struct ranks *ranks = machine->config.ranks;
    struct event_list *own = &machine->tally[0].events[group];
    uint32_t size = ranks_size(ranks);
    size_t *bytes = memory_allocate(size, sizeof *bytes);
    struct event_list *list = memory_allocate(size, sizeof *list);
    void *all = NULL;
    if (bytes == NULL || list == NULL)
        machine_rank_fails(machine, "the trace's events");
    if (bytes != NULL && list != NULL && machine->rank_failure.kind == FAIL_NONE)
        ranks_collect(ranks, own->event, own->count * sizeof *own->event, &all, bytes,
                      &machine->rank_failure);
    struct machine_event *event = all;
    for (uint32_t i = 0; all != NULL && i < size; i++) {
        list[i] = (struct event_list){event, bytes[i] / sizeof *event, 0};
        event += list[i].count;
        if (!machine->is_injecting)
            tell(machine, &list[i]);
    }
    if (all != NULL && machine->is_injecting)
        emit_injections(machine, list, size, tell);
    own->count = 0;
    free(all);
    free(list);
    free(bytes);
}
