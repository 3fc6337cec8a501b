/* starts.c - the messages that may start, and their times.
 *
 * Method: messages without waits are sorted by their starts. Each other message counts the receipts
 * that it still waits for; at 0 it joins a heap.
 *
 * Cost: O(log messages) per message, and O(log waiters) per receipt; 16 bytes per message if there
 * are times, 32 more if some wait, and 8 per wait.
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
    uint32_t place = starts->released++;
    for (; place > 0 && precedes(added, starts->heap[(place - 1) / 2]); place = (place - 1) / 2)
        starts->heap[place] = starts->heap[(place - 1) / 2];
    starts->heap[place] = added;
}

static uint32_t take_released(struct starts *starts)
{
    struct due_message *heap = starts->heap, last = heap[--starts->released];
    uint32_t taken = heap[0].message, place = 0;
    for (uint32_t child = 1; child < starts->released; child = 2 * place + 1) {
        child += child + 1 < starts->released && precedes(heap[child + 1], heap[child]);
        if (!precedes(heap[child], last))
            break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = last;
    return taken;
}

uint32_t starts_take(struct starts *starts)
{
    bool is_next = starts->fixed < starts->end_fixed &&
                   (starts->released == 0 || precedes(*starts->fixed, starts->heap[0]));
    return is_next ? starts->fixed++->message : take_released(starts);
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
        struct waiting *waiting = &starts->waiting[waiter];
        waiting->last = max_u64(waiting->last, time);
        if (--waiting->left == 0)
            add(starts, (struct due_message){waiting->last + waiting->delay, waiter});
    }
}

/* Lists the waiters of each message, by source. */
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

/* ---- the starts ---- */

static int compare_starts(const void *one, const void *other)
{
    struct due_message a = *(const struct due_message *)one;
    struct due_message b = *(const struct due_message *)other;
    return precedes(b, a) - precedes(a, b);
}

/* True if a message waits for none, and so starts by itself. */
static bool is_fixed(const struct timing *timing)
{
    return timing->waits == 0 && !timing->follows;
}

/* Allocates the arrays; `fixed` messages wait for none. */
static enum failure_kind allocate(struct starts *starts, const struct timings *timings,
                                  uint32_t fixed, uint64_t waits, struct failure *failure)
{
    uint32_t messages = timings->count;
    *starts = (struct starts){.start = memory_allocate(messages, sizeof *starts->start)};
    starts->fixed = starts->end_fixed = starts->start;
    if (starts->start != NULL && waits == 0)
        return FAIL_NONE;
    starts->heap = starts->start + fixed;
    starts->first = memory_allocate((size_t)timings->awaited + 1, sizeof *starts->first);
    starts->waiter = memory_allocate(waits, sizeof *starts->waiter);
    starts->waiting = memory_allocate(messages, sizeof *starts->waiting);
    if (starts->start != NULL && starts->first != NULL && starts->waiter != NULL &&
        starts->waiting != NULL)
        return FAIL_NONE;
    starts_free(starts);
    return fail_memory(failure, "the starts of messages");
}

enum failure_kind starts_make(struct starts *starts, const struct timings *timings,
                              struct failure *failure)
{
    uint64_t waits = 0;
    uint32_t fixed = 0;
    bool ascends = true;
    *starts = (struct starts){.released = 0};
    if (timings->at == NULL)
        return FAIL_NONE;
    for (uint32_t i = 0; i < timings->count; i++) {
        struct timing timing = timings->at(timings->context, i);
        waits += timing.waits;
        fixed += is_fixed(&timing);
    }
    if (allocate(starts, timings, fixed, waits, failure) != FAIL_NONE)
        return failure->kind;
    if (waits > 0)
        list_waiters(starts, timings);
    for (uint32_t i = 0; i < timings->count; i++) {
        struct timing timing = timings->at(timings->context, i);
        uint32_t left = timing.receipts > 0 ? timing.receipts : timing.waits;
        if (!is_fixed(&timing)) {
            if (timing.waits > 0)
                starts->waiting[i] = (struct waiting){.delay = timing.start, .left = left};
            continue;
        }
        ascends = ascends && (starts->end_fixed == starts->fixed ||
                              starts->end_fixed[-1].time <= timing.start);
        *starts->end_fixed++ = (struct due_message){timing.start, i};
    }
    if (!ascends)
        qsort(starts->fixed, fixed, sizeof *starts->fixed, compare_starts);
    return FAIL_NONE;
}

void starts_free(struct starts *starts)
{
    free(starts->first);
    free(starts->waiter);
    free(starts->waiting);
    free(starts->start);
    *starts = (struct starts){.released = 0};
}
