/* wavefront.h - several steps of a row while it is in cache (wavefront.c): the counts
 * of each step, and the order in which rows depart and arrive. For machine/ only. */
#ifndef MESHCAST_MACHINE_TRANSIT_WAVEFRONT_H
#define MESHCAST_MACHINE_TRANSIT_WAVEFRONT_H

#include "machine/machine_private.h"

/* The most steps of a wave; conveyors have lines for as many (conveyor.c). */
enum { WAVE_STEPS = MOST_AHEAD };

/* The threads' tallies of each step of a wave, separately. */
struct wave_tallies {
    struct tally *tally;            /* [thread][steps] */
    struct delivery_list *delivery; /* the same; or NULL: nothing can end a wave before its end */
    uint32_t threads, steps;
};

/* Makes the tallies for the machine's threads and waves of up to `steps` steps. False: no memory;
 * wave_tallies_free() frees what was made. */
bool wave_tallies_allocate(const struct machine *machine, struct wave_tallies *counts,
                           uint32_t steps);
void wave_tallies_free(struct wave_tallies *counts);

/* Returns a thread's tally of one step. */
struct tally *wave_tally(const struct wave_tallies *counts, uint32_t thread, uint32_t step);

/* Returns the most packets that a node of the thread held at the end of a step of this wave before
 * `step`, or the peak before the wave, if that is more. */
uint32_t wave_peak_before(const struct wave_tallies *counts, uint32_t thread, uint32_t step,
                          uint32_t peak);

/* Passes deliveries to config.receive. On ranks, adds up the counts of the wave's `steps` steps
 * over all ranks at once, before the first of them ends. For one thread, while the others wait. */
void wave_add_up(struct machine *machine, const struct wave_tallies *counts, uint32_t steps);

/* Passes the counts of a step to the machine, before its end. For one thread, while the others
 * wait. */
void wave_collect(struct machine *machine, const struct wave_tallies *counts, uint32_t step);

/* Ends a wave of which `ended` steps count: deliveries of later steps are undone. Counts begin
 * anew. FAIL_SYSTEM, instead of an earlier failure: no memory to keep all deliveries. */
enum failure_kind wave_end(struct machine *machine, struct wave_tallies *counts, uint32_t ended,
                           struct failure *failure);

/* Does phase `phase` of one row. It may read the rows beside it as they were after the phase
 * before; it writes nothing that they write in this phase. */
typedef void wave_act(void *worker, uint32_t phase, uint32_t row);

/* Exchanges with the ranks beside this one, before phase `phase` of the rows at their borders, the
 * state that these rows need of one another from the phases before (machine/ranks/border.h). All
 * threads call it, and meet before and after it. */
typedef void wave_exchange(void *worker, uint32_t phase, const struct team *team);

/* Returns the number of steps of so many phases in a wave: 1 .. `most`, at most `limit`; one in an
 * observed run. The same on all ranks. */
uint32_t wave_steps(const struct machine *machine, uint32_t phases, uint32_t most, uint64_t limit);

/* Does all phases for the thread's rows. No row is more than one phase ahead of those beside it.
 * All threads call it; they meet inside it, but not at its end. On ranks exchange(worker, phase,
 * team) is called for phase 0, 1, .., when the rows at the rank's borders have done all phases
 * before; without ranks it is not called. */
void wave_go(const struct machine *machine, wave_act *act, wave_exchange *exchange, void *worker,
             uint32_t phases, const struct team *team);

#endif
