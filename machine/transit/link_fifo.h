/* link_fifo.h - queues behind slots of packets that leave in the order in which they came
 * (link_fifo.c). For forward*.c and link_queue.c only.
 *
 * The first words of a queue are a ring in as many places as it has words, so that a packet that goes
 * behind the others changes places with the first one, and nothing else moves. Place j of a block's
 * nodes stands side by side, and which place is first is bits of words: 64 nodes at a time. */
#ifndef MESHCAST_MACHINE_TRANSIT_LINK_FIFO_H
#define MESHCAST_MACHINE_TRANSIT_LINK_FIFO_H

#include "machine/transit/conveyor.h"

/* Places of a ring, and the bits of their number. */
enum { FIFO_PLACES = 7, FIFO_BITS = 3 };

/* The queues of one link of a block's nodes, node i at bit i: a line of the cache. */
struct fifo_link {
    uint64_t first[FIFO_BITS]; /* the place of the first word, lowest bits first; 0 if none */
    uint64_t size[FIFO_BITS];  /* the words of the ring */
    uint64_t longer; /* behind the ring's last word begins a list through machine->next .. */
    uint64_t unused;
};

struct fifos {
    uint32_t cols, blocks;
    void *link_memory, *word_memory;
    struct fifo_link *link; /* [row][block][direction] */
    uint64_t *word;         /* [row][block][direction][place][column] */
    uint32_t *last;         /* [row][block][direction][column]: .. which ends with this packet */
};

/* What a block has of these for one link. */
struct fifo_block {
    struct fifo_link *link;
    uint64_t *word; /* [place][nodes] */
    uint32_t *last; /* [nodes] */
    uint32_t nodes;
};

/* Empty queues for the machine's mesh. False: no memory, what was made is left to fifos_free. */
bool fifos_allocate(const struct machine *machine, struct fifos *fifos);
uint64_t fifo_footprint(struct mesh mesh); /* of what that allocates */
void fifos_free(struct fifos *fifos);

/* The queues of link `d` at the block that begins at `first`. */
static inline struct fifo_block fifo_block_at(const struct fifos *fifos, struct site first,
                                              enum direction d)
{
    uint32_t nodes = fifos->cols - first.col < BLOCK ? fifos->cols - first.col : BLOCK;
    size_t block = (size_t)first.row * fifos->blocks + (first.col >> BLOCK_SHIFT);
    size_t at = (size_t)first.index * DIRECTIONS + d * nodes;
    return (struct fifo_block){.link = &fifos->link[block * DIRECTIONS + d],
                               .word = &fifos->word[at * FIFO_PLACES],
                               .last = &fifos->last[at],
                               .nodes = nodes};
}

static inline uint32_t fifo_number(const uint64_t bits[static FIFO_BITS], unsigned i)
{
    return (uint32_t)((bits[0] >> i & 1) | (bits[1] >> i & 1) << 1 | (bits[2] >> i & 1) << 2);
}

/* How many words stand in the ring of node i; a list is behind full ones only. */
static inline uint32_t fifo_size(const struct fifo_block *block, unsigned i)
{
    return fifo_number(block->link->size, i);
}

/* Puts `word` last, or first, into the queue of node i. */
void fifo_put(struct machine *machine, const struct fifo_block *block, unsigned i, uint64_t word);
void fifo_put_first(struct machine *machine, const struct fifo_block *block, unsigned i,
                    uint64_t word);

/* Takes the first word out of the queue of node i, which has one. */
uint64_t fifo_take(struct machine *machine, const struct fifo_block *block, unsigned i);

/* The packets in the slots of `line` at these `nodes`, whose queues hold others, go behind those, and
 * the first ones enter the slots. */
void fifo_exchange(struct machine *machine, const struct fifo_block *block,
                   const struct conveyor_view *view, struct conveyor_line *line, struct site first,
                   enum direction d, uint64_t nodes);

/* Soon these queues are needed; later than that, the lists of them. */
void fifo_fetch(const struct fifo_block *block);
void fifo_fetch_lists(const struct machine *machine, const struct fifo_block *block);

#endif
