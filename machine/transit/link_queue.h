/* link_queue.h - the queues of packets that wait for a link, the most urgent first (link_queue.c): those behind the
 * slots of machine_forward, and those of the express packets of machine_channel. For machine/ only.
 *
 * The first words of a queue are a ring in as many places as it has words, so that a packet that goes
 * behind the others changes places with the first one, and nothing else moves. Place j of a block's
 * nodes stands side by side, and which place is first is bits of words: 64 nodes at a time. */
#ifndef MESHCAST_MACHINE_TRANSIT_LINK_QUEUE_H
#define MESHCAST_MACHINE_TRANSIT_LINK_QUEUE_H

#include "machine/transit/conveyor.h"

/* Places of a ring at most, and the bits of their number. */
enum { RING_PLACES = 7, RING_BITS = 3 };

/* The queues of one link of a block's nodes, node i at bit i: a line of the cache. */
struct ring_bits {
    uint64_t first[RING_BITS]; /* the place of the first word, lowest bits first; 0 if none */
    uint64_t size[RING_BITS];  /* the words of the ring */
    uint64_t longer;           /* a list through machine->next goes on behind the full ring .. */
    uint64_t unused;
};

struct link_queues {
    uint32_t cols, blocks;
    uint32_t places; /* of a ring, 1 .. RING_PLACES */
    uint64_t (
        *queued)[DIRECTIONS]; /* [row][block]: the link's queue is not empty: node i at bit i */
    void *link_memory, *word_memory;
    struct ring_bits *link; /* [row][block][direction] */
    uint64_t *word;         /* [row][block][direction][place][column] */
    uint32_t *last;         /* [row][block][direction][column]: .. which ends with this packet */
};

/* Makes empty queues for the machine's mesh. False: no memory; link_queues_free() frees what was made. */
bool link_queues_allocate(const struct machine *machine, struct link_queues *queues,
                          uint32_t places);
void link_queues_free(struct link_queues *queues);

/* Returns, for each link of the block in which `site` is, the nodes whose queue is not empty. */
static inline const uint64_t *link_queued(const struct link_queues *queues, struct site site)
{
    return queues->queued[(size_t)site.row * queues->blocks + (site.col >> BLOCK_SHIFT)];
}

/* link_queue_put puts `word` behind all that are at least as urgent, link_queue_put_first before all others;
 * link_queue_take takes out the first word of a queue that has one, and returns it. */
void link_queue_put(struct machine *machine, const struct link_queues *queues, struct site site,
                    enum direction d, uint64_t word);
void link_queue_put_first(struct machine *machine, const struct link_queues *queues,
                          struct site site, enum direction d, uint64_t word);
uint64_t link_queue_take(struct machine *machine, const struct link_queues *queues,
                         struct site site, enum direction d);

/* Moves the first packets of the queues at these `nodes` of a block into their slots, which are empty. */
void link_queues_fill(struct machine *machine, const struct link_queues *queues,
                      const struct conveyor_view *view, const struct conveyor_line *line,
                      struct site first, enum direction d, uint64_t nodes);

/* Moves the packets in the slots at these `nodes` into the queues. */
void link_queues_empty_slots(struct machine *machine, const struct link_queues *queues,
                             const struct conveyor_view *view, const struct conveyor_line *line,
                             struct site first, enum direction d, uint64_t nodes);

/* Does both, the slots first, where queues are not empty and no packet has an urgency. */
void link_queues_exchange(struct machine *machine, const struct link_queues *queues,
                          const struct conveyor_view *view, struct conveyor_line *line,
                          struct site first, enum direction d, uint64_t nodes);

/* Fetch the bits of a block's queues into the cache, and the words of those of one link that are not empty. */
void link_queues_fetch_bits(const struct link_queues *queues, struct site first);
void link_queues_fetch(const struct link_queues *queues, struct site first, enum direction d);

/* Fetches the first words of the queues of these nodes, or the places to which the first word of an empty queue
 * goes. */
void link_queues_fetch_first(const struct link_queues *queues, struct site first, enum direction d,
                             uint64_t nodes);

/* Fetches the ends of the lists of a block's queues. */
void link_queues_fetch_lists(const struct machine *machine, const struct link_queues *queues,
                             struct site first, enum direction d);

#endif
