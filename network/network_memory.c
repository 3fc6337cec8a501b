/* network_memory.c - lists, segments, messages, and events that are due later.
 *
 * Lists and pools grow and never shrink, so a network in a steady state asks the system for
 * nothing. A segment is one cache line, so the pool begins on one. A message's block goes back to
 * the list of its size.
 *
 * The next WHEEL_BUCKETS cycles have a bucket of events each; events beyond are in a heap and are
 * taken from there. Events of a bucket come out in the order in which they went in, and after those
 * of the heap. Only the speed depends on that order: worms that become ready in their order join
 * the end of a queue.
 */
#include "network/network_private.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64, FIRST_ITEMS = 64 };

#define BLOCK_LEAST ((size_t)64)

static_assert(sizeof(struct segment) == LINE, "a segment is a line of the cache");

bool list_grow(void *list, size_t item_size)
{
    struct index_list any; /* whose items are of another type */
    memcpy(&any, list, sizeof any);
    size_t room = any.allocated;
    void *more = room > UINT32_MAX / 2 ? NULL : memory_grow(any.item, &room, room + 1, item_size);
    if (more == NULL)
        return false;
    any.item = more;
    any.allocated = (uint32_t)room;
    memcpy(list, &any, sizeof any);
    return true;
}

/* ---- segments ---- */

static bool grow_segments(struct band *band)
{
    uint32_t count = band->segments_allocated == 0 ? FIRST_ITEMS : band->segments_allocated * 2;
    char *block =
        count > band->segments_allocated ? memory_allocate((size_t)count + 1, LINE) : NULL;
    if (block == NULL)
        return false;
    struct segment *segment = (void *)(((uintptr_t)block + LINE - 1) / LINE * LINE);
    if (band->segments > 0)
        memcpy(segment, band->segment, band->segments * sizeof *segment);
    free(band->segment_block);
    band->segment_block = block;
    band->segment = segment;
    band->segments_allocated = count;
    return true;
}

uint32_t segment_add(struct band *band)
{
    if (band->segments == band->segments_allocated && !grow_segments(band)) {
        band->is_out_of_memory = true;
        return NONE;
    }
    return band->segments++;
}

/* ---- the wheel ---- */

/* Adds an event to the heap of those that are due beyond the buckets. */
static bool push_far(struct wheel *wheel, struct far_event event)
{
    if (!LIST_PUSH(&wheel->far, event))
        return false;
    struct far_event *item = wheel->far.item;
    uint32_t place = wheel->far.count - 1;
    for (; place > 0 && item[(place - 1) / 2].due > event.due; place = (place - 1) / 2)
        item[place] = item[(place - 1) / 2];
    item[place] = event;
    return true;
}

static struct event take_far(struct wheel *wheel)
{
    struct far_event *item = wheel->far.item;
    struct event first = item[0].event;
    struct far_event moved = item[--wheel->far.count];
    uint32_t place = 0;
    for (uint32_t child = 1; child < wheel->far.count; child = 2 * place + 1) {
        if (child + 1 < wheel->far.count && item[child + 1].due < item[child].due)
            child++;
        if (item[child].due >= moved.due)
            break;
        item[place] = item[child];
        place = child;
    }
    item[place] = moved;
    return first;
}

bool wheel_is_due(const struct wheel *wheel, uint64_t now)
{
    return wheel->bucket[now % WHEEL_BUCKETS].count > 0 ||
           (wheel->far.count > 0 && wheel->far.item[0].due == now);
}

bool wheel_push(struct wheel *wheel, uint64_t now, uint64_t due, struct event event)
{
    if (due - now >= WHEEL_BUCKETS)
        return push_far(wheel, (struct far_event){due, event});
    uint32_t bucket = due % WHEEL_BUCKETS;
    if (!LIST_PUSH(&wheel->bucket[bucket], event))
        return false;
    wheel->used[bucket / 64] |= UINT64_C(1) << bucket % 64;
    return true;
}

bool wheel_take(struct wheel *wheel, uint64_t now, struct event *event)
{
    if (wheel->far.count > 0 && wheel->far.item[0].due == now) {
        *event = take_far(wheel);
        return true;
    }
    uint32_t number = now % WHEEL_BUCKETS;
    struct event_list *bucket = &wheel->bucket[number];
    if (wheel->taken < bucket->count) {
        *event = bucket->item[wheel->taken++];
        return true;
    }
    bucket->count = wheel->taken = 0;
    wheel->used[number / 64] &= ~(UINT64_C(1) << number % 64);
    return false;
}

uint64_t wheel_next(const struct wheel *wheel, uint64_t now)
{
    uint64_t next = wheel->far.count > 0 ? wheel->far.item[0].due : UINT64_MAX;
    uint32_t bucket = now % WHEEL_BUCKETS, words = WHEEL_BUCKETS / 64;
    /* The word of `now` is examined twice: its later buckets first, its earlier ones last */
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

void wheel_free(struct wheel *wheel)
{
    for (uint32_t bucket = 0; bucket < WHEEL_BUCKETS; bucket++)
        free(wheel->bucket[bucket].item);
    free(wheel->far.item);
}

/* ---- messages ---- */

struct block {
    struct block *next;   /* of its size that is free */
    struct block *before; /* made before it */
};

/* Returns the number of the list of blocks for so many bytes. */
static uint32_t class_of(size_t bytes)
{
    uint32_t class = 0;
    while (BLOCK_LEAST << class < bytes)
        class ++;
    return class;
}

void *block_take(struct block_pool *pool, size_t bytes)
{
    if (bytes > SIZE_MAX / 4)
        return NULL;
    uint32_t class = class_of(bytes);
    struct block *block = pool->free[class];
    if (block != NULL) {
        pool->free[class] = block->next;
        return block + 1;
    }
    block = memory_allocate(1, sizeof *block + (BLOCK_LEAST << class));
    if (block == NULL)
        return NULL;
    block->before = pool->newest;
    pool->newest = block;
    return block + 1;
}

void block_give(struct block_pool *pool, void *place, size_t bytes)
{
    struct block *block = (struct block *)place - 1;
    uint32_t class = class_of(bytes);
    block->next = pool->free[class];
    pool->free[class] = block;
}

void block_pool_free(struct block_pool *pool)
{
    while (pool->newest != NULL) {
        struct block *block = pool->newest;
        pool->newest = block->before;
        free(block);
    }
}
