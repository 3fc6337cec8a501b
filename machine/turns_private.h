/* turns_private.h - several steps of a row while it is in cache (turns.c): what is counted
 * in each of the steps, and in which order rows depart and arrive. For machine/ only. */
#ifndef MESHCAST_MACHINE_TURNS_PRIVATE_H
#define MESHCAST_MACHINE_TURNS_PRIVATE_H

#include "machine/machine_private.h"

/* The steps of a turn at most; slots that move have lines for as many (glide_slot.c). */
enum { TURN_STEPS = 8 };

/* What the threads count in each step of a turn, apart. */
struct turn_counts {
    struct band *band;          /* [thread][TURN_STEPS] */
    struct slot_list *delivery; /* the same; or NULL: nothing can end a turn before its end */
    uint32_t threads;
};

/* For the machine's threads. False: no memory, what was made is left to turn_counts_free. */
bool turn_counts_allocate(const struct machine *machine, struct turn_counts *counts);
void turn_counts_free(struct turn_counts *counts);

/* What a thread counts in one step. */
static inline struct band *turn_band(const struct turn_counts *counts, uint32_t thread,
                                     uint32_t step)
{
    return &counts->band[(size_t)thread * TURN_STEPS + step];
}

/* What a thread knows that some node held at the end of a step of this turn before `step`, if that is
 * more than `peak`, which was held before the turn. */
uint32_t turn_peak_before(const struct turn_counts *counts, uint32_t thread, uint32_t step,
                          uint32_t peak);

/* Hands the counts of a step to the machine, for its end: for one thread, while the others wait. */
void turn_collect(struct machine *machine, const struct turn_counts *counts, uint32_t step);

/* The turn is over, and `ended` of its steps have ended: what was delivered in others never was. Counts
 * begin anew. FAIL_SYSTEM, instead of what failed before: memory had not been enough to tell. */
enum failure_kind turn_end(struct machine *machine, struct turn_counts *counts, uint32_t ended,
                           struct failure *failure);

/* What a thread does of a step, for one row or before many. */
struct turning {
    void *lane;
    void (*enter)(void *lane, uint32_t step); /* what follows is of that step of the turn */
    void (*depart)(void *lane, uint32_t row);
    void (*arrive)(void *lane, uint32_t row);
};

/* How many steps a turn may have whose rows depart and arrive, 1 .. TURN_STEPS; `limit` at most. */
uint32_t turn_steps(const struct machine *machine, uint64_t limit);

/* So many steps, for the rows of the thread's band; all threads call it, and meet within it, but not at
 * its end. */
void turn_go(const struct machine *machine, const struct turning *turning, uint32_t steps,
             const struct team *team);

#endif
