/* glide_private.h - queues whose first packets glide, shared by glide.c and glide_turns.c (steps),
 * glide_fetch.c, glide_queue.c, glide_credit.c and glide_credit_bits.c (the same with credits) and
 * glide_memory.c. What they are: glide.c. */
#ifndef MESHCAST_MACHINE_GLIDE_PRIVATE_H
#define MESHCAST_MACHINE_GLIDE_PRIVATE_H

#include "machine/forward_private.h"
#include "machine/glide_fifo_private.h"
#include "machine/glide_slot_private.h"

/* The packets of a link's queue behind its slot: a line of the cache. */
enum { GLIDE_WORDS = 7 };
struct glide_queue {
    uint64_t word[GLIDE_WORDS]; /* a ring; the last of these begins a list through `next` .. */
    uint32_t last;              /* .. which ends with this packet, if it is longer than one */
    uint32_t count : 29, first : 3;
};

/* What the nodes of a block hold apart from slots, node i at bit i. */
struct glide_block {
    uint64_t queued[DIRECTIONS]; /* the queue of this link is not empty */
    uint32_t most;               /* no node holds more, slots apart */
};

/* With credits, of a row: what nodes hold, as bits. CREDIT_STANDING: packets stand in the queue of
 * link d, CREDIT_SEVERAL: more than one. Those of channel d that stand at the node are as many as
 * the channel has slots (CREDIT_CLOSED), or one less (CREDIT_TIGHT). CREDIT_FULL: at the end of the
 * last step channel d was full. */
enum credit_bits {
    CREDIT_STANDING,
    CREDIT_SEVERAL,
    CREDIT_CLOSED,
    CREDIT_TIGHT,
    CREDIT_FULL,
    CREDIT_BITS
};

/* Who stands at the nodes of a block. */
struct credit_block {
    uint64_t first[DIRECTIONS][BLOCK]; /* of a link's queue; the others: a list through
                                          machine->next, which NO_WORD ends */
    uint8_t count[DIRECTIONS][BLOCK];  /* packets of a channel */
};

struct glide {
    struct slots slots; /* of the first packets; no more between calls */

    struct glide_block *block; /* [row][block] */
    void *queue_memory;
    struct glide_queue *queue; /* [row][block][direction][column]: glide_queues; or NULL */
    struct fifos fifos;        /* where nothing has an urgency; or no memory */
    bool is_fifo;              /* packets stand in those in this call .. */
    bool leaves_fifos;         /* .. not any more */
    struct turn_counts counts; /* of the steps that rows take while in cache */

    uint64_t *credit_bits; /* [row][enum credit_bits][direction][block]; a row and a block around */
    struct credit_block *standing; /* [row][block] */
    uint32_t *most;                /* [row][block]: with credits, no node holds more, slots apart */
};

/* One thread's part of a run. */
struct gliding {
    struct lane lane; /* first: forward_stop.c knows no more */
    struct glide *glide;
    struct slot_view view; /* the step of this run; 0: before the first */
    uint32_t peak_before;  /* some node has held as much at the end of a step before this one */
    bool is_fifo;          /* this run's queues are fifos */
    bool is_cached;        /* the row at hand is in cache, but for headers and lists */
    unsigned passed; /* directions before this one: what goes straight on stands in its slot */
    struct slot_line rows[SLOT_ROWS][DIRECTIONS]; /* the row at hand, and the one after it */
    struct slot_line *line, *next_line;           /* [direction]; NULL: there is none after it */
};

static inline struct glide_block *glide_block(const struct glide *glide, struct site site)
{
    return &glide->block[(size_t)site.row * glide->slots.blocks + (site.col >> BLOCK_SHIFT)];
}

/* The queues of link `d` of the block that begins at `first`, where this run's are fifos. */
static inline struct fifo_block glide_fifo(const struct gliding *gliding, struct site first,
                                           enum direction d)
{
    return fifo_block_at(&gliding->glide->fifos, first, d);
}

/* ---- steps (glide.c, glide_turns.c) ---- */

/* A step of a row, whose slots `line` and `view` show. */
void glide_step_row(struct gliding *gliding, uint32_t row);

/* How many steps threads do before they meet, 1 .. TURN_STEPS. */
uint32_t glide_steps_at_once(const struct forwarding *run, const struct team *team);

/* So many steps of all rows of the thread's band; all threads call it. */
void glide_steps(struct gliding *gliding, const struct team *team, uint32_t steps);

/* At their end, for one thread while the others wait: step by step, until one is the last. */
void glide_end_steps(struct forwarding *run, uint32_t steps);

/* Soon the blocks behind the one that begins at `first` are done (glide_fetch.c). */
void glide_fetch(const struct gliding *gliding, struct site first);

/* And the first ones of a row that is cached, which begins at `start`. */
void glide_fetch_first(const struct gliding *gliding, struct site start);

/* ---- credits (glide_credit.c) ---- */

static inline size_t credit_bits_of_row(const struct glide *glide)
{
    return (size_t)CREDIT_BITS * DIRECTIONS * (glide->slots.blocks + 2);
}

/* A row's words of the kind, block by block; there is one before the first and behind the last. `row`
 * may be one before the first (as an unsigned), or behind the last. */
static inline uint64_t *credit_bits(const struct glide *glide, uint32_t row, enum credit_bits kind,
                                    enum direction d)
{
    size_t words = glide->slots.blocks + 2;
    return glide->credit_bits + (size_t)(row + 1) * credit_bits_of_row(glide) +
           ((size_t)kind * DIRECTIONS + d) * words + 1;
}

/* ---- credits, many nodes at once (glide_credit_bits.c) ---- */

/* The blocks of a row that are looked at together. */
enum { CREDIT_CHUNK = 16 };

/* A row from one of its blocks on: its slots, where `stops` is NULL for those that leave, and what
 * stands there; `ahead`: CREDIT_FULL of the row to which link d leads, the same columns. */
struct credit_sight {
    uint64_t *held[DIRECTIONS], *stops[DIRECTIONS];
    uint64_t *standing[DIRECTIONS], *closed[DIRECTIONS], *tight[DIRECTIONS], *full[DIRECTIONS];
    const uint64_t *ahead[DIRECTIONS];
    const uint32_t *most;
};

/* Who does not stay as it is when packets leave. */
struct credit_leaving {
    uint64_t halted[DIRECTIONS][CREDIT_CHUNK]; /* in a slot, and the channel ahead was full */
    uint64_t ready[DIRECTIONS][CREDIT_CHUNK];  /* standing, and it was not */
    uint64_t odd[CREDIT_CHUNK];                /* any of these */
};

struct credit_sight credit_sight_of(const struct glide *glide, const struct slot_line *line,
                                    uint32_t row, uint32_t block);

/* All for `count` blocks, CREDIT_CHUNK at most. */
void credit_find_leaving(const struct credit_sight *sight, struct credit_leaving *leaving,
                         uint32_t count);

/* Nodes where who comes stops, or finds others. */
void credit_find_coming(const struct credit_sight *sight, uint64_t *odd, uint32_t count);

/* Which channels are full, and the blocks of which a node may hold more than `peak`; whether there
 * are any. */
bool credit_end_step(const struct credit_sight *sight, uint64_t *is_peak, uint32_t peak,
                     uint32_t count);

/* ---- queues, with urgencies (glide_queue.c) ---- */

/* Those of a block's nodes stand together, link by link: of the node that is i columns from `first`,
 * where the block begins, the i-th. The last block of a row has fewer nodes. */
static inline struct glide_queue *glide_queues(const struct glide *glide, struct site first,
                                               enum direction d)
{
    uint32_t nodes = glide->slots.cols - first.col < BLOCK ? glide->slots.cols - first.col : BLOCK;
    return &glide->queue[(size_t)first.index * DIRECTIONS + d * nodes];
}

static inline struct glide_queue *glide_queue_of(const struct glide *glide, struct site site,
                                                 enum direction d)
{
    uint32_t i = site.col & (BLOCK - 1);
    return &glide_queues(glide, (struct site){site.index - i, site.row, site.col - i}, d)[i];
}

/* The i-th word, i below GLIDE_WORDS. */
static inline uint64_t *glide_word(struct glide_queue *queue, uint32_t i)
{
    uint32_t place = queue->first + i;
    return &queue->word[place < GLIDE_WORDS ? place : place - GLIDE_WORDS];
}

/* Puts `word` behind all that are at least as urgent. */
void glide_put(struct machine *machine, struct glide_queue *queue, uint64_t word);

/* Puts `word` before all others. */
void glide_put_first(struct machine *machine, struct glide_queue *queue, uint64_t word);

/* Takes the first word out of a queue that has one. */
uint64_t glide_take(struct machine *machine, struct glide_queue *queue);

#endif
