/* link_queue_private.h - where the link queues of a block are in memory, for link_queue.c (one queue) and
 * link_exchange.c (many at once). */
#ifndef MESHCAST_MACHINE_TRANSIT_LINK_QUEUE_PRIVATE_H
#define MESHCAST_MACHINE_TRANSIT_LINK_QUEUE_PRIVATE_H

#include "machine/transit/link_queue.h"

/* The queues of one link of a block. */
struct queue_block {
    struct ring_bits *link;
    uint64_t *word; /* [place][nodes] */
    uint32_t *last; /* [nodes] */
    uint64_t *queued;
    uint32_t nodes, places;
};

/* Returns the queues of link `d` at the block that begins at `first`. */
static inline struct queue_block queue_block_at(const struct link_queues *queues, struct site first,
                                                enum direction d)
{
    uint32_t nodes = queues->cols - first.col < BLOCK ? queues->cols - first.col : BLOCK;
    size_t block = (size_t)first.row * queues->blocks + (first.col >> BLOCK_SHIFT);
    size_t at = (size_t)first.index * DIRECTIONS + d * nodes;
    return (struct queue_block){.link = &queues->link[block * DIRECTIONS + d],
                                .word = &queues->word[at * queues->places],
                                .last = &queues->last[at],
                                .queued = &queues->queued[block][d],
                                .nodes = nodes,
                                .places = queues->places};
}

static inline uint32_t ring_number(const uint64_t bits[static RING_BITS], unsigned i)
{
    return (uint32_t)((bits[0] >> i & 1) | (bits[1] >> i & 1) << 1 | (bits[2] >> i & 1) << 2);
}

static inline uint64_t *ring_word(const struct queue_block *block, unsigned i, uint32_t place)
{
    return &block->word[(size_t)place * block->nodes + i];
}

/* Returns the packet behind which the list of a full ring begins. */
static inline uint32_t ring_last(const struct queue_block *block, unsigned i)
{
    uint32_t first = ring_number(block->link->first, i);
    return (uint32_t)*ring_word(block, i, first == 0 ? block->places - 1 : first - 1);
}

/* Returns the nodes whose first word is in `place`. */
static inline uint64_t ring_first_in(const struct ring_bits *link, uint32_t place)
{
    uint64_t nodes = UINT64_MAX;
    for (unsigned j = 0; j < RING_BITS; j++)
        nodes &= place >> j & 1 ? link->first[j] : ~link->first[j];
    return nodes;
}

#endif
