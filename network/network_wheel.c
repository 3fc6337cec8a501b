/* network_wheel.c - events by the cycle in which they are due.
 *
 * The next WHEEL_BUCKETS cycles have a bucket each, a list of chunks; events beyond stand in a heap and are
 * taken from there. Events of a bucket come out in the order in which they went in, and after those of the
 * heap. Nothing depends on that order but the speed: worms that become ready in their order join the end of a queue.
 */
#include "network/network_lists_private.h"

#include "base/failure.h"

#include <stdlib.h>

static struct chunk *spare_chunk(struct wheel *wheel)
{
    struct chunk *chunk = wheel->spare;
    if (chunk == NULL)
        return memory_allocate(1, sizeof *chunk);
    wheel->spare = chunk->next;
    chunk->next = NULL;
    chunk->count = chunk->taken = 0;
    return chunk;
}

static bool push_far(struct wheel *wheel, struct far_event event)
{
    if (wheel->far_count == wheel->far_allocated) {
        struct far_event *far =
            memory_grow(wheel->far, &wheel->far_allocated, wheel->far_count + 1, sizeof *far);
        if (far == NULL)
            return false;
        wheel->far = far;
    }
    size_t place = wheel->far_count++;
    for (; place > 0 && wheel->far[(place - 1) / 2].due > event.due; place = (place - 1) / 2)
        wheel->far[place] = wheel->far[(place - 1) / 2];
    wheel->far[place] = event;
    return true;
}

static struct event take_far(struct wheel *wheel)
{
    struct event first = wheel->far[0].event;
    struct far_event moved = wheel->far[--wheel->far_count];
    size_t place = 0;
    for (size_t child = 1; child < wheel->far_count; child = 2 * place + 1) {
        if (child + 1 < wheel->far_count && wheel->far[child + 1].due < wheel->far[child].due)
            child++;
        if (wheel->far[child].due >= moved.due)
            break;
        wheel->far[place] = wheel->far[child];
        place = child;
    }
    wheel->far[place] = moved;
    return first;
}

bool wheel_push(struct wheel *wheel, uint64_t now, uint64_t due, struct event event)
{
    if (due - now >= WHEEL_BUCKETS)
        return push_far(wheel, (struct far_event){due, event});
    uint32_t bucket = due % WHEEL_BUCKETS;
    struct chunk *last = wheel->last[bucket];
    if (last == NULL || last->count == CHUNK_EVENTS) {
        struct chunk *chunk = spare_chunk(wheel);
        if (chunk == NULL)
            return false;
        if (last == NULL)
            wheel->first[bucket] = chunk;
        else
            last->next = chunk;
        wheel->last[bucket] = last = chunk;
        wheel->used[bucket / 64] |= UINT64_C(1) << bucket % 64;
    }
    last->event[last->count++] = event;
    return true;
}

bool wheel_take(struct wheel *wheel, uint64_t now, struct event *event)
{
    if (wheel->far_count > 0 && wheel->far[0].due == now) {
        *event = take_far(wheel);
        return true;
    }
    uint32_t bucket = now % WHEEL_BUCKETS;
    struct chunk *chunk = wheel->first[bucket];
    if (chunk == NULL)
        return false;
    *event = chunk->event[chunk->taken++];
    if (chunk->taken == chunk->count) {
        wheel->first[bucket] = chunk->next;
        chunk->next = wheel->spare;
        wheel->spare = chunk;
        if (wheel->first[bucket] == NULL) {
            wheel->last[bucket] = NULL;
            wheel->used[bucket / 64] &= ~(UINT64_C(1) << bucket % 64);
        }
    }
    return true;
}

uint64_t wheel_next(const struct wheel *wheel, uint64_t now)
{
    uint64_t next = wheel->far_count > 0 ? wheel->far[0].due : UINT64_MAX;
    uint32_t bucket = now % WHEEL_BUCKETS, words = WHEEL_BUCKETS / 64;
    /* The word of `now` is looked at twice: its later buckets first, its earlier ones last */
    for (uint32_t i = 0; i <= words; i++) {
        uint32_t word = (bucket / 64 + i) % words;
        uint64_t later = UINT64_MAX << bucket % 64;
        uint64_t used = wheel->used[word] & (i == 0 ? later : i == words ? ~later : UINT64_MAX);
        if (used == 0)
            continue;
        uint32_t found = word * 64 + (uint32_t)__builtin_ctzll(used);
        uint64_t due = now + (found + WHEEL_BUCKETS - bucket) % WHEEL_BUCKETS;
        return due < next ? due : next;
    }
    return next;
}

static void free_chunks(struct chunk *chunk)
{
    while (chunk != NULL) {
        struct chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
}

void wheel_free(struct wheel *wheel)
{
    for (uint32_t bucket = 0; bucket < WHEEL_BUCKETS; bucket++)
        free_chunks(wheel->first[bucket]);
    free_chunks(wheel->spare);
    free(wheel->far);
}
