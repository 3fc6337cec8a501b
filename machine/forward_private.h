/* forward_private.h - the queues of machine_forward, shared by forward.c (steps), forward_queue.c
 * (who leaves first), forward_stop.c (what happens at a stop), forward_credit.c (bounded input
 * channels) and forward_memory.c. */
#ifndef MESHCAST_MACHINE_FORWARD_PRIVATE_H
#define MESHCAST_MACHINE_FORWARD_PRIVATE_H

#include "machine/machine_private.h"

#include <string.h>

#define NO_WORD UINT64_MAX /* an empty queue's first word; crosses no link */

/* Nodes of a row are looked at in blocks, so that an idle block costs one look. */
enum { BLOCK_SHIFT = 6, BLOCK = 1 << BLOCK_SHIFT };

/* A packet on its way is one word: urgency << 47 | stop << 32 | packet. A queue's first word stands
 * in `head`; with `more` set there are others behind it, a list through machine->next up to `tail`,
 * none more urgent than the one before it. */
enum { STOP_SHIFT = 32, STOP_MASK = MESH_MAX_SIDE - 1, URGENCY_SHIFT = 47 };

struct forward {
    uint64_t *head[DIRECTIONS]; /* [node], NO_WORD: empty */
    uint64_t *out[DIRECTIONS];  /* [node], padded: what crosses the link in this step */
    uint32_t *tail[DIRECTIONS]; /* [node]: the last packet, where `more` is set */
    uint8_t *more[DIRECTIONS];  /* [node] */
    uint8_t *waiting;           /* [node]: packets wait for the node's copy, as a list */
    uint32_t *waiting_first, *waiting_last;
    uint32_t blocks; /* of a row */
    uint8_t *busy;   /* [row][block]: some node of it holds a packet that is under way */
    uint8_t *sent;   /* [row][block], a row and a block around: `out` is not all NO_WORD */

    uint32_t slots;            /* of an input channel, held by credits; 0: unbounded queues */
    uint8_t *held[DIRECTIONS]; /* [node]: packets in the channel of this direction of travel */
    uint8_t *full[DIRECTIONS]; /* [node], padded: whether it was full at the end of the last step */
};

/* A row's nodes start.index .. start.index + count - 1, within a block. */
struct span {
    struct site start;
    uint32_t count;
};

/* One thread's part of a run. */
struct lane {
    struct machine *machine;
    struct forward *forward;
    const struct routing_rule *rule;
    struct band *band;
    uint32_t first_row, end_row;
    unsigned
        arriving; /* the direction in which the packet at hand came; DIRECTIONS: its own node */
};

static inline size_t block_index(const struct forward *forward, uint32_t row, uint32_t col)
{
    return (size_t)row * forward->blocks + (col >> BLOCK_SHIFT);
}

static inline uint32_t word_stop(uint64_t word)
{
    return (uint32_t)(word >> STOP_SHIFT) & STOP_MASK;
}

/* The flags of eight nodes at once (fewer at a block's end), to pass over those without any. */
static inline bool forward_any_of_eight(const uint8_t *flag, uint32_t count)
{
    uint64_t eight = 1;
    if (count >= sizeof eight)
        memcpy(&eight, flag, sizeof eight);
    return eight != 0;
}

/* Puts `word` into the queue of link `d` at `site`, behind all that are at least as urgent. */
void forward_enqueue(struct lane *lane, struct site site, enum direction d, uint64_t word);

/* The packet is at a stop: the rule says what becomes of it. With free copies all is done at once;
 * with unit copies a packet that must be copied waits for its node. */
void forward_settle(struct lane *lane, enum half half, struct site site, uint32_t packet);

/* Unit copies: the node makes its one copy of this step, for the packet that waits longest. */
void forward_copy(struct lane *lane, struct site site);

/* Makes what is missing for queues, and for channels of `slots` packets if that is not 0. */
enum failure_kind forward_prepare(struct machine *machine, uint32_t slots, struct failure *failure);

/* ---- credits (forward_credit.c); only where slots > 0 ---- */

/* Takes the first words of the queues of link `d` out, where the neighbour's channel was not full;
 * returns how many. A word that is held back keeps its block busy. */
uint32_t credit_take(struct lane *lane, struct span span, enum direction d);

/* The words in `in` that passed straight into an empty queue (not `odd`) are in channel `d` now. */
void credit_pass(struct lane *lane, struct span span, enum direction d, const uint64_t *in,
                 const uint8_t *odd);

/* `word` comes into the queue of link `d`: counts it in its channel and returns it marked. */
uint64_t credit_enter(struct lane *lane, struct site site, enum direction d, uint64_t word);

/* At the end of a step: which channels are full. */
void credit_note_full(struct lane *lane, struct span span);

#endif
