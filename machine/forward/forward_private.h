/* forward_private.h - the packets of machine_forward that are under way, shared by forward.c (calls, and their steps
 * one behind the other), forward_step.c (a step of a row) and forward_stop.c (what becomes of a packet at a stop).
 * The banner of forward_step.c explains slots and queues. */
#ifndef MESHCAST_MACHINE_FORWARD_FORWARD_PRIVATE_H
#define MESHCAST_MACHINE_FORWARD_FORWARD_PRIVATE_H

#include "machine/rule.h"
#include "machine/transit/link_queue.h"

struct forward_block {
    uint64_t copying;       /* nodes at which packets wait for a copy, node i at bit i */
    uint32_t max_occupancy; /* no node holds more, slots apart */
};

struct forward {
    struct conveyor slots;       /* of the first packets; no more between calls */
    struct link_queues queues;   /* of the others */
    struct forward_block *block; /* [row][block] */
    uint32_t *waiting_first,
        *waiting_last;          /* [node]: a list, where `copying` says that there is one */
    bool has_urgencies;         /* some packet may */
    struct wave_tallies counts; /* of the steps that rows take while in cache */
};

/* One thread's part of a call of machine_forward. */
struct forward_worker {
    struct machine *machine;
    struct forward *forward;
    const struct routing_rule *rule;
    struct tally *tally;
    struct conveyor_view view; /* the step of this call; 0: before the first */
    uint32_t peak_before;      /* some node has held as much at the end of a step before this one */
    unsigned
        passed; /* directions before this one: their packets that go straight on are in slots */
    struct conveyor_line rows[CONVEYOR_ROWS]
                             [DIRECTIONS];  /* the row at hand, and the one after it */
    struct conveyor_line *line, *next_line; /* [direction]; NULL: there is none after it */
};

static inline struct forward_block *forward_block(const struct forward *forward, struct site site)
{
    return &forward->block[(size_t)site.row * forward->slots.blocks + (site.col >> BLOCK_SHIFT)];
}

/* ---- what becomes of a packet (forward_stop.c) ---- */

/* The packet is at a stop: the rule says what becomes of it. With free copies all is done at once;
 * with unit copies a packet that must be copied waits for its node. */
void forward_settle(struct forward_worker *worker, enum event_group group, struct site site,
                    uint32_t packet);

/* Unit copies: the nodes of a block at which packets wait make their one copy of this step, for the
 * packet that waits longest. */
void forward_copy_block(struct forward_worker *worker, struct site first);

/* ---- a step of a row (forward_step.c) ---- */

/* When a call begins: makes `row` the worker's. Then, behind packets that are woken: the first of each queue enters
 * its slot. Behind the last step: they enter queues again. */
void forward_begin_row(struct forward_worker *worker, uint32_t row);
void forward_load_row(struct forward_worker *worker, uint32_t row);
void forward_unload_row(struct forward_worker *worker, uint32_t row);

/* Tells an observer that what stands in the slots of a row crosses its links in the next step. */
void forward_tell_row(struct forward_worker *worker, uint32_t row);

/* Does the step of the worker's view in a row. */
void forward_step_row(struct forward_worker *worker, uint32_t row);

#endif
