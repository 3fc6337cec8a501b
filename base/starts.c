/* starts.c - which messages may start, and when.
 *
 * Method: each message counts the receipts that it still waits for; one that waits for none is in a heap.
 *
 * Cost: O(log messages) per message, and O(log waiters) per receipt; 52 bytes per message and 8 per wait, where there are times.
 */
#include "base/starts.h"

#include "base/numbers.h"

#include <stdlib.h>

/* ---- the heap ---- */

static bool precedes(struct due_message one, struct due_message other)
{
    return one.time != other.time ? one.time < other.time : one.message < other.message;
}

static void add(struct starts *starts, struct due_message added)
{
    uint32_t place = starts->count++;
    for (; place > 0 && precedes(added, starts->heap[(place - 1) / 2]); place = (place - 1) / 2)
        starts->heap[place] = starts->heap[(place - 1) / 2];
    starts->heap[place] = added;
}

uint32_t starts_take(struct starts *starts)
{
    struct due_message *heap = starts->heap, last = heap[--starts->count];
    uint32_t taken = heap[0].message, place = 0;
    for (uint32_t child = 1; child < starts->count; child = 2 * place + 1) {
        child += child + 1 < starts->count && precedes(heap[child + 1], heap[child]);
        if (!precedes(heap[child], last))
            break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = last;
    return taken;
}

/* ---- waits ---- */

void starts_receive(struct starts *starts, uint32_t message, uint32_t node, uint64_t time)
{
    uint64_t at = starts->first[message], end = starts->first[message + 1];
    for (uint64_t high = end; at < high;) {
        uint64_t middle = at + (high - at) / 2;
        if (starts->waiter[middle] >> 32 < node)
            at = middle + 1;
        else
            high = middle;
    }
    for (; at < end && starts->waiter[at] >> 32 == node; at++) {
        uint32_t waiter = (uint32_t)starts->waiter[at];
        starts->last[waiter] = max_u64(starts->last[waiter], time);
        if (--starts->left[waiter] == 0)
            add(starts, (struct due_message){starts->last[waiter] + starts->delay[waiter], waiter});
    }
}

/* Lists who waits for each message, by source. */
static void list_waiters(struct starts *starts, const struct timings *timings)
{
    uint64_t *first = starts->first;
    for (uint32_t i = 0; i < timings->count; i++) {
        struct timing timing = timings->at(timings->context, i);
        for (uint32_t j = 0; j < timing.waits; j++)
            first[timing.wait_on[j] + (size_t)1]++;
    }
    for (uint32_t i = 0; i < timings->awaited; i++)
        first[i + 1] += first[i];
    for (uint32_t i = 0; i < timings->count; i++) {
        struct timing timing = timings->at(timings->context, i);
        for (uint32_t j = 0; j < timing.waits; j++)
            starts->waiter[first[timing.wait_on[j]]++] = (uint64_t)timing.source << 32 | i;
    }
    for (uint32_t i = timings->awaited; i > 0; i--) /* each is now the next one's */
        first[i] = first[i - 1];
    first[0] = 0;
    for (uint32_t i = 0; i < timings->awaited; i++)
        if (first[i + 1] - first[i] > 1)
            qsort(starts->waiter + first[i], first[i + 1] - first[i], sizeof *starts->waiter,
                  compare_u64);
}

/* ---- all of it ---- */

static enum failure_kind allocate(struct starts *starts, const struct timings *timings,
                                  uint64_t waits, struct failure *failure)
{
    uint32_t messages = timings->count;
    *starts = (struct starts){
        .first = memory_allocate((size_t)timings->awaited + 1, sizeof *starts->first),
        .waiter = memory_allocate(waits, sizeof *starts->waiter),
        .left = memory_allocate(messages, sizeof *starts->left),
        .last = memory_allocate(messages, sizeof *starts->last),
        .delay = memory_allocate(messages, sizeof *starts->delay),
        .heap = memory_allocate(messages, sizeof *starts->heap),
    };
    if (starts->first != NULL && starts->waiter != NULL && starts->left != NULL &&
        starts->last != NULL && starts->delay != NULL && starts->heap != NULL)
        return FAIL_NONE;
    starts_free(starts);
    return fail_memory(failure, "the starts of messages");
}

enum failure_kind starts_make(struct starts *starts, const struct timings *timings,
                              struct failure *failure)
{
    uint64_t waits = 0;
    *starts = (struct starts){.count = 0};
    if (timings->at == NULL)
        return FAIL_NONE;
    for (uint32_t i = 0; i < timings->count; i++)
        waits += timings->at(timings->context, i).waits;
    if (allocate(starts, timings, waits, failure) != FAIL_NONE)
        return failure->kind;
    list_waiters(starts, timings);
    for (uint32_t i = 0; i < timings->count; i++) {
        struct timing timing = timings->at(timings->context, i);
        starts->left[i] = timing.receipts > 0 ? timing.receipts : timing.waits;
        starts->delay[i] = timing.start;
        if (timing.waits == 0 && !timing.follows)
            add(starts, (struct due_message){timing.start, i});
    }
    return FAIL_NONE;
}

void starts_free(struct starts *starts)
{
    free(starts->first);
    free(starts->waiter);
    free(starts->left);
    free(starts->last);
    free(starts->delay);
    free(starts->heap);
    *starts = (struct starts){.count = 0};
}
