/* network_lists.c - how lists grow, and the memory of messages.
 *
 * A block is given back to the list of its size, so a network in a steady state asks the system for
 * nothing. Pieces are given back with the network.
 */
#include "network/network_lists_private.h"

#include "base/failure.h"

#include <stdlib.h>

enum { PIECE_BYTES = BLOCK_LEAST << (BLOCK_CLASSES - 1) };

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

void *list_grow(void *items, uint32_t *allocated, size_t size)
{
    size_t room = *allocated;
    void *more = room > UINT32_MAX / 2 ? NULL : memory_grow(items, &room, room + 1, size);
    if (more != NULL)
        *allocated = (uint32_t)room;
    return more;
}

/* Which list holds blocks for `bytes`; BLOCK_CLASSES: none, they are too large. */
static uint32_t class_of(size_t bytes)
{
    uint32_t class = 0;
    while (class < BLOCK_CLASSES && (size_t)BLOCK_LEAST << class < bytes)
        class ++;
    return class;
}

/* A piece begins with its link to the next one; the blocks stand behind, on lines of the cache. */
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

/* A block that no piece holds. */
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
