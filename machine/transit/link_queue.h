/* link_queue.h - the queue of a link, the most urgent packet first (link_queue.c). For machine/ only. */
#ifndef MESHCAST_MACHINE_TRANSIT_LINK_QUEUE_H
#define MESHCAST_MACHINE_TRANSIT_LINK_QUEUE_H

#include "machine/transit/block.h"

/* The packets of a link's queue behind its slot: a line of the cache. */
enum { LINK_QUEUE_WORDS = 7 };
struct link_queue {
    uint64_t word[LINK_QUEUE_WORDS]; /* a ring; the last of these begins a list through `next` .. */
    uint32_t last;                   /* .. which ends with this packet, if it is longer than one */
    uint32_t count : 29, first : 3;
};

/* The i-th word, i below LINK_QUEUE_WORDS. */
static inline uint64_t *link_queue_word(struct link_queue *queue, uint32_t i)
{
    uint32_t place = queue->first + i;
    return &queue->word[place < LINK_QUEUE_WORDS ? place : place - LINK_QUEUE_WORDS];
}

/* Puts `word` behind all that are at least as urgent. */
void link_queue_put(struct machine *machine, struct link_queue *queue, uint64_t word);

/* Puts `word` before all others. */
void link_queue_put_first(struct machine *machine, struct link_queue *queue, uint64_t word);

/* Takes the first word out of a queue that has one. */
uint64_t link_queue_take(struct machine *machine, struct link_queue *queue);

#endif
