/* forward_step_private.h - the slots and queues of machine_forward's packets, shared by forward_step.c and
 * forward_wavefront.c (steps), forward_fetch.c and forward_queues.c. The banner of forward_step.c
 * explains slots and queues. */
#ifndef MESHCAST_MACHINE_FORWARD_FORWARD_STEP_PRIVATE_H
#define MESHCAST_MACHINE_FORWARD_FORWARD_STEP_PRIVATE_H

#include "machine/forward/forward_private.h"
#include "machine/transit/conveyor.h"
#include "machine/transit/link_fifo.h"
#include "machine/transit/link_queue.h"

/* What the nodes of a block hold apart from slots, node i at bit i. */
struct forward_block {
    uint64_t queued[DIRECTIONS]; /* the queue of this link is not empty */
    uint32_t max_occupancy;      /* no node holds more, slots apart */
};

struct forward_queues {
    struct conveyor slots; /* of the first packets; no more between calls */

    struct forward_block *block; /* [row][block] */
    void *queue_memory;
    struct link_queue *queue;   /* [row][block][direction][column]: link_queues_at; or NULL */
    struct fifos fifos;         /* where nothing has an urgency; or no memory */
    bool is_fifo;               /* packets stand in those in this call .. */
    bool leaves_fifos;          /* .. not any more */
    struct wave_tallies counts; /* of the steps that rows take while in cache */
};

/* One thread's part of a call of machine_forward. */
struct forward_worker {
    struct machine *machine;
    struct forward *forward;
    const struct routing_rule *rule;
    struct tally *tally;
    unsigned
        arriving; /* the direction in which the packet at hand came; DIRECTIONS: its own node */

    struct forward_queues *queues;
    struct conveyor_view view; /* the step of this call; 0: before the first */
    uint32_t peak_before;      /* some node has held as much at the end of a step before this one */
    bool is_fifo;              /* this call's queues are fifos */
    bool is_cached;            /* the row at hand is in cache, but for headers and lists */
    unsigned passed; /* directions before this one: what goes straight on stands in its slot */
    struct conveyor_line rows[CONVEYOR_ROWS]
                             [DIRECTIONS];  /* the row at hand, and the one after it */
    struct conveyor_line *line, *next_line; /* [direction]; NULL: there is none after it */
};

static inline struct forward_block *forward_block(const struct forward_queues *queues,
                                                  struct site site)
{
    return &queues->block[(size_t)site.row * queues->slots.blocks + (site.col >> BLOCK_SHIFT)];
}

/* The queues of link `d` of the block that begins at `first`, where this run's are fifos. */
static inline struct fifo_block forward_fifo(const struct forward_worker *worker, struct site first,
                                             enum direction d)
{
    return fifo_block_at(&worker->queues->fifos, first, d);
}

/* ---- steps (forward_step.c, forward_wavefront.c) ---- */

/* What a rule sends over link `d`: `word` enters the queue, behind all that are at least as urgent. */
void forward_enqueue(struct forward_worker *worker, struct site site, enum direction d,
                     uint64_t word);

/* When a call begins: makes `row` the worker's, and its queues those that the call's rule needs. Then,
 * behind packets that are woken: the first of each queue enters its slot. */
void forward_begin_row(struct forward_worker *worker, uint32_t row);
void forward_load_row(struct forward_worker *worker, uint32_t row);

/* Behind the last one: they enter queues again. */
void forward_unload_row(struct forward_worker *worker, uint32_t row);

/* Whether packets wait in queues at the node, between calls. */
bool forward_is_queued_at(const struct machine *machine, node_index node);

/* Tells an observer that what stands in the slots of a row crosses its links in the next step. */
void forward_tell_row(struct forward_worker *worker, uint32_t row);

/* A step of a row, whose slots `line` and `view` show. */
void forward_step_row(struct forward_worker *worker, uint32_t row);

/* How many steps threads do before they meet, 1 .. WAVE_STEPS. */
uint32_t forward_steps_at_once(const struct forward_call *call);

/* So many steps of all rows of the thread; all threads call it. */
void forward_steps(struct forward_worker *worker, const struct team *team, uint32_t steps);

/* At their end, for one thread while the others wait: step by step, until one is the last. */
void forward_end_steps(struct forward_call *call, uint32_t steps);

/* Soon the blocks behind the one that begins at `first` are done (forward_fetch.c). */
void forward_fetch(const struct forward_worker *worker, struct site first);

/* And the first ones of a row that is cached, which begins at `start`. */
void forward_fetch_first(const struct forward_worker *worker, struct site start);

/* ---- queues of either kind (forward_queues.c) ---- */

/* Those of a block's nodes stand together, link by link: of the node that is i columns from `first`,
 * where the block begins, the i-th. The last block of a row has fewer nodes. */
static inline struct link_queue *link_queues_at(const struct forward_queues *queues,
                                                struct site first, enum direction d)
{
    uint32_t nodes =
        queues->slots.cols - first.col < BLOCK ? queues->slots.cols - first.col : BLOCK;
    return &queues->queue[(size_t)first.index * DIRECTIONS + d * nodes];
}

static inline struct link_queue *link_queue_of(const struct forward_queues *queues,
                                               struct site site, enum direction d)
{
    uint32_t i = site.col & (BLOCK - 1);
    return &link_queues_at(queues, (struct site){site.index - i, site.row, site.col - i}, d)[i];
}

/* Puts `word` last, or behind all that are at least as urgent; before all others; takes the first word of
 * the queue of node `i` of a block. */
void forward_put(struct forward_worker *worker, struct site site, enum direction d, uint64_t word);
void forward_put_first(struct forward_worker *worker, struct site first, enum direction d,
                       unsigned i, uint64_t word);
uint64_t forward_take(struct forward_worker *worker, struct site first, enum direction d,
                      unsigned i);

/* Moves a block's packets from fifos to link queues: the call before gave no urgencies, this one does. */
void forward_leave_fifos(void *worker, struct span span);

#endif
