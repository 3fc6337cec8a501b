/* arrivals_joint.c - the messages of an open loop, of all ranks.
 *
 * Method: a rank makes its messages some cycles ahead, and keeps them. All get the cycles of all ranks' messages, and
 * merge them: messages of one cycle come in the order of their sources, which is that of ranks.
 */
#include "network/arrivals_joint.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_AHEAD = 64, NODES_A_MESSAGE = 8 }; /* messages that are made ahead, about */

/* ---- ahead ---- */

static bool keep_next(struct arrivals_joint *arrivals)
{
    struct kept kept = {.first = arrivals->destination.count};
    kept.multicast = arrivals_take(arrivals->own);
    if (arrivals->keeps == arrivals->room) {
        void *more = list_grow(arrivals->kept, &arrivals->room, sizeof *arrivals->kept);
        if (more == NULL)
            return false;
        arrivals->kept = more;
    }
    arrivals->kept[arrivals->keeps++] = kept;
    for (uint32_t i = 0; i < kept.multicast.destinations; i++)
        if (!index_push(&arrivals->destination, kept.multicast.destination[i]))
            return false;
    return true;
}

/* Makes the messages of this rank up to the horizon, of which *cycle gets the cycles; the caller frees it. NULL: no
 * memory. */
static struct coming *make_ahead(struct arrivals_joint *arrivals, size_t *count)
{
    struct coming *made = NULL;
    uint32_t room = 0;
    *count = 0;
    arrivals->keeps = arrivals->taken = arrivals->destination.count = 0; /* all have been taken */
    do {
        if (*count == room) {
            struct coming *more = list_grow(made, &room, sizeof *made);
            if (more == NULL)
                break;
            made = more;
        }
        uint64_t cycle = arrivals_cycle(arrivals->own);
        if (cycle >= arrivals->horizon)
            return made;
        made[(*count)++] = (struct coming){cycle, ranks_rank(arrivals->ranks)};
    } while (keep_next(arrivals));
    free(made);
    return NULL;
}

/* Merges the sorted pieces of ranks first .. end - 1, rank r's from start[r] on; `spare` has room for as much. */
static void merge(struct coming *coming, struct coming *spare, const size_t *start, uint32_t first,
                  uint32_t end)
{
    if (end - first < 2)
        return;
    uint32_t middle = first + (end - first) / 2;
    merge(coming, spare, start, first, middle);
    merge(coming, spare, start, middle, end);
    size_t one = start[first], other = start[middle];
    for (size_t i = start[first]; i < start[end]; i++) {
        bool takes_one = other == start[end] ||
                         (one < start[middle] && coming[one].cycle <= coming[other].cycle);
        spare[i] = takes_one ? coming[one++] : coming[other++];
    }
    memcpy(coming + start[first], spare + start[first],
           (start[end] - start[first]) * sizeof *coming);
}

/* Gives all ranks what comes to any of them: rank r's from start[r] on, [size + 1]. */
static enum failure_kind join(struct arrivals_joint *arrivals, const struct coming *made,
                              size_t count, size_t *start, struct failure *failure)
{
    uint32_t size = ranks_size(arrivals->ranks);
    void *all = NULL;
    if (ranks_collect(arrivals->ranks, made, count * sizeof *made, &all, start, failure) ==
        FAIL_NONE)
        ranks_broadcast(arrivals->ranks, start, size * sizeof *start, failure);
    for (size_t r = 0, begin = 0; r <= size; r++) {
        size_t here = r < size ? start[r] / sizeof *made : 0;
        start[r] = begin;
        begin += here;
    }
    arrivals->comings = failure->kind == FAIL_NONE ? start[size] : 0;
    if (all == NULL && failure->kind == FAIL_NONE)
        all = memory_allocate(arrivals->comings, sizeof *arrivals->coming);
    if (all == NULL)
        return fail_memory(failure, "the arrivals of messages");
    free(arrivals->coming);
    arrivals->coming = all;
    return ranks_broadcast(arrivals->ranks, all, arrivals->comings * sizeof *arrivals->coming,
                           failure);
}

static enum failure_kind look_ahead(struct arrivals_joint *arrivals, struct failure *failure)
{
    uint32_t size = ranks_size(arrivals->ranks);
    size_t count, *start = memory_allocate(size + (size_t)1, sizeof *start);
    arrivals->horizon += arrivals->span;
    arrivals->next = arrivals->comings = 0;
    struct coming *made = make_ahead(arrivals, &count), *spare = NULL;
    if (made == NULL || start == NULL)
        fail_memory(failure, "the arrivals of messages");
    else if (join(arrivals, made, count, start, failure) == FAIL_NONE) {
        spare = memory_allocate(arrivals->comings, sizeof *spare);
        if (spare == NULL)
            fail_memory(failure, "the arrivals of messages");
        else
            merge(arrivals->coming, spare, start, 0, size);
    }
    free(made);
    free(start);
    free(spare);
    return failure->kind;
}

/* ---- the interface ---- */

enum failure_kind arrivals_joint_make(struct arrivals_joint **made, const struct open_loop *loop,
                                      uint32_t run, struct failure *failure)
{
    struct arrivals_joint *arrivals = memory_allocate(1, sizeof *arrivals);
    *made = arrivals;
    if (arrivals == NULL)
        return fail_memory(failure, "the arrivals of messages");
    arrivals->ranks = loop->settings.ranks;
    if (arrivals_make(&arrivals->own, loop, run, failure) != FAIL_NONE)
        return failure->kind;
    uint64_t senders = arrivals_senders(arrivals->own);
    if (ranks_sum(arrivals->ranks, &senders, 1, failure) != FAIL_NONE)
        return failure->kind;
    arrivals->senders = (uint32_t)senders;
    if (arrivals->ranks == NULL || senders == 0)
        return FAIL_NONE;
    double ahead = LEAST_AHEAD + loop->topology->nodes / (double)NODES_A_MESSAGE;
    arrivals->span = 1 + (uint64_t)ceil(ahead / (loop->rate * (double)senders));
    return arrivals_joint_find_next(arrivals, failure);
}

void arrivals_joint_free(struct arrivals_joint *arrivals)
{
    if (arrivals == NULL)
        return;
    arrivals_free(arrivals->own);
    free(arrivals->coming);
    free(arrivals->kept);
    free(arrivals->destination.item);
    free(arrivals);
}

struct multicast arrivals_joint_take_kept(struct arrivals_joint *arrivals)
{
    assert(arrivals_joint_is_here(arrivals) && arrivals->taken < arrivals->keeps);
    const struct kept *kept = &arrivals->kept[arrivals->taken++];
    struct multicast multicast = kept->multicast;
    multicast.destination =
        multicast.destinations > 0 ? arrivals->destination.item + kept->first : NULL;
    return multicast;
}

enum failure_kind arrivals_joint_find_next(struct arrivals_joint *arrivals, struct failure *failure)
{
    while (failure->kind == FAIL_NONE && arrivals->next == arrivals->comings)
        look_ahead(arrivals, failure);
    return failure->kind;
}
