/* glide_private.h - queues whose first packets glide, shared by glide.c and glide_turns.c (steps),
 * glide_fetch.c, glide_queue.c and glide_memory.c. What they are: glide.c. */
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

struct glide {
    struct slots slots; /* of the first packets; no more between calls */

    struct glide_block *block; /* [row][block] */
    void *queue_memory;
    struct glide_queue *queue; /* [row][block][direction][column]: glide_queues; or NULL */
    struct fifos fifos;        /* where nothing has an urgency; or no memory */
    bool is_fifo;              /* packets stand in those in this call .. */
    bool leaves_fifos;         /* .. not any more */
    struct turn_counts counts; /* of the steps that rows take while in cache */
    struct slot_clock clock;   /* the step whose end has come; all 0 between calls */
};

/* One thread's part of a call of machine_forward. */
struct forward_worker {
    struct machine *machine;
    struct forward *forward;
    const struct routing_rule *rule;
    struct band *band;
    unsigned
        arriving; /* the direction in which the packet at hand came; DIRECTIONS: its own node */

    struct glide *glide;
    struct slot_view view; /* the step of this call; 0: before the first */
    uint32_t peak_before;  /* some node has held as much at the end of a step before this one */
    bool is_fifo;          /* this call's queues are fifos */
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
static inline struct fifo_block glide_fifo(const struct forward_worker *worker, struct site first,
                                           enum direction d)
{
    return fifo_block_at(&worker->glide->fifos, first, d);
}

/* ---- steps (glide.c, glide_turns.c) ---- */

/* What a rule sends over link `d`: `word` enters the queue, behind all that are at least as urgent. */
void glide_enqueue(struct forward_worker *worker, struct site site, enum direction d,
                   uint64_t word);

/* When a call begins: makes `row` the worker's, and its queues those that the call's rule needs. Then,
 * behind packets that are woken: the first of each queue enters its slot. */
void glide_begin_row(struct forward_worker *worker, uint32_t row);
void glide_load_row(struct forward_worker *worker, uint32_t row);

/* Behind the last one: they enter queues again. */
void glide_unload_row(struct forward_worker *worker, uint32_t row);

/* Whether packets wait in queues at the node, between calls; how many stand in slots there, which
 * `occupancy` does not count, and all of both are discarded, between steps. */
bool glide_node_is_busy(const struct machine *machine, node_index node);
uint32_t glide_holds(struct machine *machine, node_index node);
void glide_discard(struct machine *machine, node_index node,
                   void (*discard)(struct machine *machine, node_index node, uint32_t packet));

/* Observed: tells that what stands in the slots of a row crosses its links in the next step. */
void glide_tell_row(struct forward_worker *worker, uint32_t row);

/* A step of a row, whose slots `line` and `view` show. */
void glide_step_row(struct forward_worker *worker, uint32_t row);

/* How many steps threads do before they meet, 1 .. TURN_STEPS. */
uint32_t glide_steps_at_once(const struct forward_call *call, const struct team *team);

/* So many steps of all rows of the thread's band; all threads call it. */
void glide_steps(struct forward_worker *worker, const struct team *team, uint32_t steps);

/* At their end, for one thread while the others wait: step by step, until one is the last. */
void glide_end_steps(struct forward_call *call, uint32_t steps);

/* Soon the blocks behind the one that begins at `first` are done (glide_fetch.c). */
void glide_fetch(const struct forward_worker *worker, struct site first);

/* And the first ones of a row that is cached, which begins at `start`. */
void glide_fetch_first(const struct forward_worker *worker, struct site start);

/* ---- memory (glide_memory.c) ---- */

/* What packets need under `rule`: queues of the kind that it needs. */
enum failure_kind glide_prepare(struct machine *machine, const struct routing_rule *rule,
                                struct failure *failure);
void glide_free(struct machine *machine);

/* ---- queues of either kind (glide_queue.c) ---- */

/* Puts `word` last, or behind all that are at least as urgent; before all others; takes the first word of
 * the queue of node `i` of a block. */
void forward_put(struct forward_worker *worker, struct site site, enum direction d, uint64_t word);
void forward_put_first(struct forward_worker *worker, struct site first, enum direction d,
                       unsigned i, uint64_t word);
uint64_t forward_take(struct forward_worker *worker, struct site first, enum direction d,
                      unsigned i);

/* The call before had a rule without urgencies, and this one has some. */
void forward_leave_fifos(void *worker, struct span span);

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
