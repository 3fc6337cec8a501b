/* wavefront.h - several steps of a row while it is in cache (wavefront.c): what is counted
 * in each of the steps, and in which order rows depart and arrive. For machine/ only. */
#ifndef MESHCAST_MACHINE_TRANSIT_WAVEFRONT_H
#define MESHCAST_MACHINE_TRANSIT_WAVEFRONT_H

#include "machine/footprint.h"
#include "machine/machine_private.h"

/* The steps of a wave at most; conveyors have lines for as many (conveyor.c). */
enum { WAVE_STEPS = 8 };

/* What the threads count in each step of a wave, apart. */
struct wave_tallies {
    struct tally *tally;        /* [thread][WAVE_STEPS] */
    struct slot_list *delivery; /* the same; or NULL: nothing can end a wave before its end */
    uint32_t threads;
};

/* For the machine's threads. False: no memory, the caller frees what was made with wave_tallies_free. */
bool wave_tallies_allocate(const struct machine *machine, struct wave_tallies *counts);
uint64_t wave_footprint(const struct machine_needs *needs); /* of what that allocates */
void wave_tallies_free(struct wave_tallies *counts);

/* What a thread counts in one step. */
static inline struct tally *wave_tally(const struct wave_tallies *counts, uint32_t thread,
                                       uint32_t step)
{
    return &counts->tally[(size_t)thread * WAVE_STEPS + step];
}

/* What a thread knows that some node held at the end of a step of this wave before `step`, if that is
 * more than `peak`, which was held before the wave. */
uint32_t wave_peak_before(const struct wave_tallies *counts, uint32_t thread, uint32_t step,
                          uint32_t peak);

/* Hands the counts of a step to the machine, for its end: for one thread, while the others wait. */
void wave_collect(struct machine *machine, const struct wave_tallies *counts, uint32_t step);

/* The wave is over, and `ended` of its steps have ended: what was delivered in others never was. Counts
 * begin anew. FAIL_SYSTEM, instead of what failed before: memory had not been enough to tell. */
enum failure_kind wave_end(struct machine *machine, struct wave_tallies *counts, uint32_t ended,
                           struct failure *failure);

/* What a thread does in phase `phase` for one row. It may read what the rows beside it were after the phase before; it
 * writes nothing that they write in this phase. */
typedef void wave_act(void *worker, uint32_t phase, uint32_t row);

/* How many steps of so many phases a wave may have, 1 .. `most`, `limit` at most; one where somebody observes. */
uint32_t wave_steps(const struct machine *machine, uint32_t phases, uint32_t most, uint64_t limit);

/* Does all phases for the thread's rows. No row is more than one phase ahead of those beside it. All threads call it;
 * they meet inside it, but not at its end. */
void wave_go(const struct machine *machine, wave_act *act, void *worker, uint32_t phases,
             const struct team *team);

#endif
