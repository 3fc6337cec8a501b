/* network_memory.c - lists, segments, messages, and events that are due later.
 *
 * Lists and pools grow and never shrink, so a network in a steady state asks the system for nothing. A segment is one line of
 * the cache, so their pool begins on one. A message's block is given back to the list of its size.
 *
 * The next WHEEL_BUCKETS cycles have a bucket of events each, a list of chunks; events beyond are in a heap and are taken from
 * there. Events of a bucket come out in the order in which they went in, and after those of the heap. Nothing depends on
 * that order but the speed: worms that become ready in their order join the end of a queue.
 */
#include "network/network_private.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINE = 64,
    FIRST_ITEMS = 64,
    CHUNK_EVENTS = 31,
    PIECE_BYTES = BLOCK_LEAST << (BLOCK_CLASSES - 1)
};

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

struct chunk {
    struct chunk *next;
    uint32_t count, taken;
    struct event event[CHUNK_EVENTS];
};

struct far_event {
    uint64_t due;
    struct event event;
};

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

bool wheel_is_due(const struct wheel *wheel, uint64_t now)
{
    return wheel->first[now % WHEEL_BUCKETS] != NULL ||
           (wheel->far_count > 0 && wheel->far[0].due == now);
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

/* ---- messages ---- */

struct block {
    struct block *next;
};

struct piece {
    struct piece *next;
};

struct large {
    _Alignas(16) struct large *next;
    struct large *before;
};

/* Returns the list that holds blocks for `bytes`; BLOCK_CLASSES: none, they are too large. */
static uint32_t class_of(size_t bytes)
{
    uint32_t class = 0;
    while (class < BLOCK_CLASSES && (size_t)BLOCK_LEAST << class < bytes)
        class ++;
    return class;
}

/* A piece begins with its link to the next one; its blocks follow, on lines of the cache. */
static bool add_piece(struct block_pool *pool)
{
    struct piece *piece = memory_allocate(1, PIECE_BYTES + 2 * BLOCK_LEAST);
    if (piece == NULL)
        return false;
    piece->next = pool->pieces;
    pool->pieces = piece;
    uintptr_t begin = ((uintptr_t)(piece + 1) + BLOCK_LEAST - 1) / BLOCK_LEAST * BLOCK_LEAST;
    pool->rest = (char *)begin;
    pool->rest_bytes = PIECE_BYTES;
    return true;
}

/* Returns a block that no piece holds. */
static void *take_large(struct block_pool *pool, size_t bytes)
{
    if (bytes > SIZE_MAX - sizeof(struct large))
        return NULL;
    struct large *large = memory_allocate(1, sizeof *large + bytes);
    if (large == NULL)
        return NULL;
    large->next = pool->large;
    if (large->next != NULL)
        large->next->before = large;
    pool->large = large;
    return large + 1;
}

static void give_large(struct block_pool *pool, void *place)
{
    struct large *large = place;
    large--;
    *(large->before != NULL ? &large->before->next : &pool->large) = large->next;
    if (large->next != NULL)
        large->next->before = large->before;
    free(large);
}

void *block_take(struct block_pool *pool, size_t bytes)
{
    uint32_t class = class_of(bytes);
    if (class == BLOCK_CLASSES)
        return take_large(pool, bytes);
    struct block *block = pool->free[class];
    if (block != NULL) {
        pool->free[class] = block->next;
        return block;
    }
    size_t size = (size_t)BLOCK_LEAST << class;
    if (pool->rest_bytes < size && !add_piece(pool))
        return NULL;
    void *cut = pool->rest;
    pool->rest += size;
    pool->rest_bytes -= size;
    return cut;
}

void block_give(struct block_pool *pool, void *place, size_t bytes)
{
    uint32_t class = class_of(bytes);
    if (class == BLOCK_CLASSES) {
        give_large(pool, place);
        return;
    }
    struct block *block = place;
    block->next = pool->free[class];
    pool->free[class] = block;
}

void block_pool_free(struct block_pool *pool)
{
    while (pool->pieces != NULL) {
        struct piece *next = pool->pieces->next;
        free(pool->pieces);
        pool->pieces = next;
    }
    while (pool->large != NULL)
        give_large(pool, pool->large + 1);
}
