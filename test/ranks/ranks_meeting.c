/* ranks_meeting.c - all ranks together, where ranks are threads.
 *
 * They meet twice: before the first meeting each shows its data, and after it all read; after the
 * second one nobody reads any more. Ranks that call different functions at one meeting are a
 * mistake of the program (assert).
 */
#ifndef MESHCAST_SERIAL

#include "test/ranks/ranks_threads_private.h"

#include "base/failure.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Comes to the next meeting, with the mutex held; returns its number. */
static uint64_t come(struct hall *hall)
{
    uint64_t meeting = hall->meeting;
    if (++hall->present == hall->size) {
        hall->present = 0;
        hall->meeting++;
        hall_tell_all(hall);
    }
    return meeting;
}

/* Waits until all ranks have come, unless one fails before it comes. */
static enum failure_kind meet(struct thread_rank *rank, struct failure *failure)
{
    struct hall *hall = rank->hall;
    pthread_mutex_lock(&hall->mutex);
    enum failure_kind kind = hall_check(hall, failure);
    uint64_t meeting = kind == FAIL_NONE ? come(hall) : 0;
    while (kind == FAIL_NONE && hall->meeting == meeting)
        kind = hall_wait(rank, failure);
    pthread_mutex_unlock(&hall->mutex);
    return kind;
}

/* Holds the second meeting. All come to it that came to the first, whatever has failed since: until
 * then others read their data. */
static void part(struct thread_rank *rank)
{
    struct hall *hall = rank->hall;
    pthread_mutex_lock(&hall->mutex);
    for (uint64_t meeting = come(hall); hall->meeting == meeting;)
        pthread_cond_wait(&rank->told, &hall->mutex);
    pthread_mutex_unlock(&hall->mutex);
}

/* Shows this rank's data, and returns when all have done so. If it is FAIL_NONE, part() must
 * follow. */
static enum failure_kind show(struct ranks *ranks, enum meeting meeting, const void *given,
                              size_t *count, struct failure *failure)
{
    struct thread_rank *rank = thread_rank(ranks);
    rank->meeting = meeting;
    rank->given = given;
    rank->count = count;
    enum failure_kind kind = meet(rank, failure);
    for (uint32_t r = 0; kind == FAIL_NONE && r < ranks->size; r++)
        assert(rank->hall->rank[r].meeting == meeting);
    return kind;
}

/* Sums, or finds the most; at each meeting all give as many numbers. */
static enum failure_kind reduce(struct ranks *ranks, enum meeting meeting, uint64_t *number,
                                size_t count, struct failure *failure)
{
    struct thread_rank *rank = thread_rank(ranks);
    uint64_t *result = memory_allocate(count, sizeof *result);
    if (result == NULL)
        return fail_memory(failure, "sums over ranks");
    enum failure_kind kind = show(ranks, meeting, number, &count, failure);
    for (uint32_t r = 0; kind == FAIL_NONE && r < ranks->size; r++) {
        const uint64_t *given = rank->hall->rank[r].given;
        assert(*rank->hall->rank[r].count == count);
        for (size_t i = 0; i < count; i++)
            if (meeting == MEET_SUM)
                result[i] += given[i];
            else if (given[i] > result[i])
                result[i] = given[i];
    }
    if (kind == FAIL_NONE) {
        part(rank);
        memcpy(number, result, count * sizeof *number);
    }
    free(result);
    return kind;
}

enum failure_kind meeting_sum(struct ranks *ranks, uint64_t *number, size_t count, bool finds_most,
                              struct failure *failure)
{
    return reduce(ranks, finds_most ? MEET_MOST : MEET_SUM, number, count, failure);
}

enum failure_kind meeting_exchange(struct ranks *ranks, const struct rank_message *out,
                                   struct rank_message *in, struct failure *failure)
{
    struct thread_rank *rank = thread_rank(ranks);
    enum failure_kind kind = show(ranks, MEET_EXCHANGE, out, NULL, failure);
    if (kind != FAIL_NONE)
        return kind;
    for (enum rank_side side = 0; side < RANK_SIDES; side++) {
        free(rank->read[side]);
        rank->read[side] = NULL;
        if (!ranks_has(ranks, side))
            continue;
        const struct thread_rank *neighbour = rank + (side == RANK_BEFORE ? -1 : 1);
        const struct rank_message *message = neighbour->given;
        message += side == RANK_BEFORE ? RANK_BEHIND : RANK_BEFORE;
        rank->read[side] = memory_allocate(message->count, 1);
        if (rank->read[side] == NULL)
            kind = fail_memory(failure, "a message of another rank");
        else if (message->count > 0)
            memcpy(rank->read[side], message->bytes, message->count);
        in[side] = (struct rank_message){rank->read[side], message->count};
    }
    part(rank);
    return kind;
}

/* Joins part `to` of each rank's data, got[r] bytes of rank r's, in a block that the caller frees;
 * NULL: no memory. */
static void *join(const struct hall *hall, uint32_t to, size_t *got)
{
    size_t bytes = 0;
    for (uint32_t r = 0; r < hall->size; r++) {
        got[r] = hall->rank[r].count[to];
        bytes += got[r];
    }
    unsigned char *all = memory_allocate(bytes, 1), *at = all;
    for (uint32_t r = 0; all != NULL && r < hall->size; r++) {
        const unsigned char *part = hall->rank[r].given;
        for (uint32_t before = 0; before < to; before++)
            part += hall->rank[r].count[before];
        if (got[r] > 0)
            memcpy(at, part, got[r]);
        at += got[r];
    }
    return all;
}

enum failure_kind meeting_swap(struct ranks *ranks, const void *from, size_t *count, void **all,
                               struct failure *failure)
{
    size_t *got = memory_allocate(ranks->size, sizeof *got);
    if (got == NULL)
        return fail_memory(failure, "what the ranks give");
    enum failure_kind kind = show(ranks, MEET_SWAP, from, count, failure);
    if (kind == FAIL_NONE) {
        *all = join(thread_rank(ranks)->hall, ranks->rank, got);
        part(thread_rank(ranks));
        memcpy(count, got, ranks->size * sizeof *count);
        kind = *all == NULL ? fail_memory(failure, "what the ranks give") : FAIL_NONE;
    }
    free(got);
    return kind;
}

enum failure_kind meeting_trade(struct ranks *ranks, const struct rank_trade *trade,
                                struct failure *failure)
{
    enum failure_kind kind = show(ranks, MEET_TRADE, trade, NULL, failure);
    if (kind != FAIL_NONE)
        return kind;
    for (uint32_t r = 0; r < ranks->size; r++) {
        const struct rank_trade *shown = thread_rank(ranks)->hall->rank[r].given;
        const struct rank_trade *other = &shown[ranks->rank];
        assert(other->out == trade[r].in);
        if (other->out > 0)
            memcpy(trade[r].to, other->from, other->out);
    }
    part(thread_rank(ranks));
    return FAIL_NONE;
}

enum failure_kind meeting_broadcast(struct ranks *ranks, void *bytes, size_t count,
                                    struct failure *failure)
{
    enum failure_kind kind = show(ranks, MEET_BROADCAST, bytes, &count, failure);
    if (kind != FAIL_NONE)
        return kind;
    const struct thread_rank *first = &thread_rank(ranks)->hall->rank[0];
    assert(*first->count == count);
    if (ranks->rank > 0)
        memcpy(bytes, first->given, count);
    part(thread_rank(ranks));
    return FAIL_NONE;
}

#endif
