/* forward_private.h - the packets of machine_forward that are under way, shared by forward.c (calls and waves),
 * forward_step.c (a step of a row) and forward_stop.c (what becomes of a packet at a stop).
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
    struct conveyor conveyor;    /* of the first packets of queues; empty between calls */
    struct link_queues queues;   /* of the others */
    struct forward_block *block; /* [row][block] */
    uint32_t *waiting_first;     /* [node]: the packets that wait for a copy, a list where .. */
    uint32_t *waiting_last;      /* .. `copying` says so */
    bool has_urgencies;          /* some packet may have one */
    struct wave_tallies counts;  /* of the steps of a wave */
};

/* One thread's part of a call of machine_forward. */
struct forward_worker {
    struct machine *machine;
    struct forward *forward;
    const struct routing_rule *rule;
    struct tally *tally;
    struct conveyor_view view; /* the step of this call; 0: before the first */
    uint32_t peak_before;      /* some node has held as much at the end of a step before this one */
    unsigned passed; /* packets that go straight on in directions below this one are in slots */
    struct conveyor_line rows[CONVEYOR_ROWS][DIRECTIONS]; /* memory for both of .. */
    struct conveyor_line *line;                           /* [direction]: the row at hand .. */
    struct conveyor_line *next_line;                      /* .. and the one after it; or NULL */
};

static inline struct forward_block *forward_block(const struct forward *forward, struct site site)
{
    return &forward->block[(size_t)site.row * forward->conveyor.blocks + (site.col >> BLOCK_SHIFT)];
}

/* ---- what becomes of a packet (forward_stop.c) ---- */

/* Does what the rule says with a packet at its stop. With free copies all is done at once;
 * with unit copies a packet that must be copied waits for its node. */
void forward_settle(struct forward_worker *worker, enum event_group group, struct site site,
                    uint32_t packet);

/* With unit copies: makes the one copy of this step at each node of a block where packets wait, for the
 * packet that has waited longest. */
void forward_copy_block(struct forward_worker *worker, struct site first);

/* ---- a step of a row (forward_step.c) ---- */

/* When a call begins, forward_begin_row() makes `row` the worker's; then, when packets were woken,
 * forward_load_row() moves the first packet of each queue into its slot. After the last step forward_unload_row()
 * moves them back. */
void forward_begin_row(struct forward_worker *worker, uint32_t row);
void forward_load_row(struct forward_worker *worker, uint32_t row);
void forward_unload_row(struct forward_worker *worker, uint32_t row);

/* Tells an observer that the packets in the slots of a row cross its links in the next step. */
void forward_tell_row(struct forward_worker *worker, uint32_t row);

/* Does the step of the worker's view in a row. */
void forward_step_row(struct forward_worker *worker, uint32_t row);

#endif
