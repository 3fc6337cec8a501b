/* step_private.h - what a step is counted by, and its end (step.c). For machine/ and its folders. */
#ifndef MESHCAST_MACHINE_STEP_PRIVATE_H
#define MESHCAST_MACHINE_STEP_PRIVATE_H

#include "machine/machine.h"

/* The events of a step are told group after group, each by rows. DEPARTURES: what leaves its node, and
 * copies that must be made before. COPIES: those that stay where they were made, with unit copies.
 * ARRIVALS: deliveries, rests and discards of packets that have come. */
enum event_group { DEPARTURES, COPIES, ARRIVALS, EVENT_GROUPS };

struct delivery_list; /* expected.h */

struct event_list {
    struct machine_event *event;
    size_t count, room;
};

/* What one thread counts in a step. The machine adds up the tallies after each step, so no count is shared while
 * threads work. */
struct tally {
    uint64_t packet_hops, word_hops, copies, delivered;
    uint64_t wrong;     /* deliveries of what was not expected, or had come; .. */
    uint64_t discarded; /* packets for which a node had no room */
    uint64_t marked;    /* destinations found to hold their message already */
    int64_t travelling; /* change */
    int64_t resting;    /* change */
    uint32_t peak;      /* largest occupancy seen at the end of this step */
    node_index peak_node;
    uint32_t first_wrong; /* .. the least number of a message of these */
    struct event_list events[EVENT_GROUPS];
    bool lost_events;               /* no memory for an event */
    struct delivery_list *delivery; /* keeps expected deliveries; NULL: they are not kept */
    struct pool_gone *gone;         /* the thread's, for pool_drop() */
    char padding[64];
};

/* What a step adds to the counters, over all threads and ranks. */
enum step_number {
    SUM_PACKET_HOPS,
    SUM_WORD_HOPS,
    SUM_COPIES,
    SUM_DELIVERED,
    SUM_MARKED,
    SUM_DISCARDED,
    SUM_TRAVELLING, /* change, modulo 2^64, .. */
    SUM_RESTING,    /* .. as this */
    SUM_LOST_EVENTS,
    SUM_INTERRUPTS,
    STEP_NUMBERS
};

/* The sums of steps that all rows have done, but that have not ended yet; each of MOST_AHEAD at most. */
enum { MOST_AHEAD = 8 };
struct sums_ahead {
    uint32_t next, count; /* the first step that has not ended, and the one behind the last */
    uint64_t number[MOST_AHEAD][STEP_NUMBERS];
    uint64_t peak[MOST_AHEAD]; /* the fullest buffer << 32 | UINT32_MAX - its node, the least one */
};

/* Sums the tallies into the machine at the end of a step and writes the step's events. FAIL_CHECK:
 * the fullest buffer overflowed. For one thread, while the others wait. */
enum failure_kind machine_end_step(struct machine *machine, struct failure *failure);

/* On ranks, adds up over all threads and ranks the tallies of 1 .. MOST_AHEAD steps that machine_end_step() is to end one
 * after another: tally[thread * stride + step]. So ranks meet once for all of them. Steps that will not end are
 * forgotten. Both have no effect alone. */
void machine_sum_ahead(struct machine *machine, struct tally *tally, uint32_t stride,
                       uint32_t steps);
void machine_forget_ahead(struct machine *machine);

/* The same for `steps` steps at once; in an observed run one at a time. Only the last of them may make a new peak. */
enum failure_kind machine_end_steps(struct machine *machine, uint64_t steps,
                                    struct failure *failure);

/* Returns how many of `limit` steps an instruction may do under config.most_steps and an attempt's budget. */
uint64_t machine_limit_steps(const struct machine *machine, uint64_t limit);

/* Returns FAIL_CHECK if config.most_steps are spent. Called at the start of the instructions that every endless
 * loop of a broken router repeats, and at the end of those that can be long. */
enum failure_kind machine_judge_steps(const struct machine *machine, struct failure *failure);

/* Returns what an instruction returns that ended with `kind` (when it begins, FAIL_NONE): `kind` itself if it is a
 * failure, else that of machine_judge_steps(), else FAIL_VOID if the budget is spent, whatever packets are left. */
enum failure_kind machine_judge_call(const struct machine *machine, enum failure_kind kind,
                                     struct failure *failure);

#endif
