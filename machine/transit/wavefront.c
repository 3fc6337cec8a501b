/* wavefront.c - rows go through several steps one behind the other, while they are in cache.
 *
 * In a step all rows depart, then all arrive. A row departs as it and the rows beside it were at the
 * end of the step before; what arrives at it left it and the rows beside it in the same step. So once
 * row r + 1 has departed, row r can arrive, and when row r + 1 has arrived, row r can depart in the
 * next step: each step follows the one before it at a distance of two rows. A row is read from memory
 * once for all steps of a wave.
 * At the border of two threads' rows a thread does a row less with each half of a step; when all are
 * there, what is left on both sides of a border is done, step after step, by the thread below it.
 *
 * What is counted is counted by steps, and taken into the machine's counts step after step: the
 * clock, peaks, an overflow and the last step of a call are as if all rows had done each step
 * together. Where a buffer may overflow in one of them, which ends the run, what is delivered is kept
 * in a list for each step: deliveries of steps behind the last one are taken back.
 * Cost: two barriers a wave with several threads, and the caller's, else what the steps cost.
 */
#include "machine/transit/wavefront.h"

#include "machine/footprint_private.h"
#include "machine/tally_private.h"

#include <stdlib.h>
#include <string.h>

/* ---- counts ---- */

void slot_list_add(struct slot_list *list, uint32_t slot)
{
    enum { FIRST_ROOM = 256 };
    if (list->count == list->room) {
        size_t room = list->room == 0 ? FIRST_ROOM : 2 * list->room;
        uint32_t *grown = memory_resize(list->slot, room, sizeof *grown);
        list->is_short |= grown == NULL;
        if (grown == NULL)
            return;
        list->slot = grown;
        list->room = room;
    }
    list->slot[list->count++] = slot;
}

bool wave_tallies_allocate(const struct machine *machine, struct wave_tallies *counts)
{
    size_t bands = (size_t)machine->config.threads * WAVE_STEPS;
    counts->threads = machine->config.threads;
    counts->tally = memory_allocate(bands, sizeof *counts->tally);
    if (counts->tally == NULL || machine->config.buffer == 0)
        return counts->tally != NULL;
    counts->delivery = memory_allocate(bands, sizeof *counts->delivery);
    for (size_t i = 0; i < bands && counts->delivery != NULL; i++)
        counts->tally[i].delivery = &counts->delivery[i];
    return counts->delivery != NULL;
}

uint64_t wave_footprint(const struct machine_needs *needs)
{
    const struct wave_tallies *counts = NULL;
    return (uint64_t)needs->threads * WAVE_STEPS *
           (sizeof *counts->tally + sizeof *counts->delivery);
}

void wave_tallies_free(struct wave_tallies *counts)
{
    size_t bands = (size_t)counts->threads * WAVE_STEPS;
    for (size_t i = 0; i < bands && counts->delivery != NULL; i++)
        free(counts->delivery[i].slot);
    for (size_t i = 0; i < bands && counts->tally != NULL; i++)
        for (int group = 0; group < EVENT_GROUPS; group++)
            free(counts->tally[i].events[group].event);
    free(counts->delivery);
    free(counts->tally);
    *counts = (struct wave_tallies){0};
}

uint32_t wave_peak_before(const struct wave_tallies *counts, uint32_t thread, uint32_t step,
                          uint32_t peak)
{
    for (uint32_t i = 0; i < step; i++)
        if (wave_tally(counts, thread, i)->peak > peak)
            peak = wave_tally(counts, thread, i)->peak;
    return peak;
}

void wave_collect(struct machine *machine, const struct wave_tallies *counts, uint32_t step)
{
    for (uint32_t thread = 0; thread < counts->threads; thread++) {
        struct tally *tally = &machine->tally[thread], *of_step = wave_tally(counts, thread, step);
        struct tally empty = *tally;
        *tally = *of_step;
        tally->delivery = NULL;
        memcpy(of_step->events, empty.events, sizeof empty.events);
    }
}

/* What was delivered in steps behind the last one. */
static bool take_back(struct machine *machine, const struct wave_tallies *counts, uint32_t ended)
{
    bool whole = true;
    for (size_t i = 0; i < (size_t)counts->threads * WAVE_STEPS; i++) {
        const struct slot_list *list = &counts->delivery[i];
        for (size_t j = 0; j < list->count && i % WAVE_STEPS >= ended; j++)
            machine->delivered_at[list->slot[j]] = MACHINE_NO_PLACE;
        whole &= !list->is_short || i % WAVE_STEPS < ended;
    }
    return whole;
}

enum failure_kind wave_end(struct machine *machine, struct wave_tallies *counts, uint32_t ended,
                           struct failure *failure)
{
    bool whole = counts->delivery == NULL || take_back(machine, counts, ended);
    for (size_t i = 0; i < (size_t)counts->threads * WAVE_STEPS; i++) {
        struct slot_list *list = counts->delivery == NULL ? NULL : &counts->delivery[i];
        struct tally empty = {.delivery = list};
        memcpy(empty.events, counts->tally[i].events, sizeof empty.events);
        counts->tally[i] = empty;
        if (list == NULL)
            continue;
        list->count = 0;
        list->is_short = false;
    }
    if (whole)
        return FAIL_NONE;
    if (failure != NULL) /* of an overflow, about which not all can be told */
        *failure = (struct failure){0};
    return fail_memory(failure, "what a wave delivers");
}

/* ---- rows ---- */

/* Bands of fewer rows for a step are not worth a wave, or not enough for one. */
enum { ROWS_FOR_A_STEP = 4 };

uint32_t wave_steps(const struct machine *machine, uint64_t limit)
{
    uint32_t rows = machine->config.mesh.rows, threads = machine->config.threads;
    uint32_t most = rows < WAVE_STEPS ? rows : WAVE_STEPS;
    if (threads > 1) /* what is left at two borders must not touch */
        most = rows / threads / ROWS_FOR_A_STEP < most ? rows / threads / ROWS_FOR_A_STEP : most;
    most = limit < most ? (uint32_t)limit : most;
    return machine_steps_at_once(machine, most > 0 ? most : 1);
}

/* The rows of a thread, and whether others are beside them. */
struct wave_rows {
    uint32_t first, end;
    bool has_above, has_below;
};

/* Whether other threads' rows leave row `row` alone until it has gone through so many halves of steps. */
static bool is_free(const struct wave_rows *rows, uint32_t row, uint32_t halves)
{
    return row >= rows->first && row < rows->end &&
           (!rows->has_above || row - rows->first >= halves) &&
           (!rows->has_below || rows->end - 1 - row >= halves);
}

/* The step before comes first: of one wave of rows it departs and arrives one row further on. */
static void go_within(const struct wave_acts *acts, uint32_t steps, const struct wave_rows *rows)
{
    for (uint32_t wave = rows->first; wave < rows->end + 2 * steps - 1; wave++) {
        for (uint32_t step = 0; step < steps && wave >= rows->first + 2 * step; step++) {
            uint32_t row = wave - 2 * step;
            bool departs = is_free(rows, row, 2 * step);
            bool arrives = row > rows->first && is_free(rows, row - 1, 2 * step + 1);
            if (departs || arrives)
                acts->enter(acts->worker, step);
            if (departs)
                acts->depart(acts->worker, row);
            if (arrives)
                acts->arrive(acts->worker, row - 1);
        }
    }
}

/* What is left on both sides of the border above `middle`. */
static void go_between(const struct wave_acts *acts, uint32_t steps, uint32_t middle)
{
    for (uint32_t step = 0; step < steps; step++) {
        acts->enter(acts->worker, step);
        for (uint32_t row = middle - 2 * step; row < middle + 2 * step; row++)
            acts->depart(acts->worker, row);
        for (uint32_t row = middle - 2 * step - 1; row < middle + 2 * step + 1; row++)
            acts->arrive(acts->worker, row);
    }
}

/* One step of bands of any number of rows; each thread does its own, in order. */
static void go_one_step(const struct wave_acts *acts, const struct wave_rows *rows,
                        const struct team *team)
{
    acts->enter(acts->worker, 0);
    for (uint32_t row = rows->first; row < rows->end; row++)
        acts->depart(acts->worker, row);
    parallel_barrier(team);
    for (uint32_t row = rows->first; row < rows->end; row++)
        acts->arrive(acts->worker, row);
}

void wave_go(const struct machine *machine, const struct wave_acts *acts, uint32_t steps,
             const struct team *team)
{
    uint32_t all = machine->config.mesh.rows;
    struct wave_rows rows = {.first = parallel_band_start(all, team->rank, team->size),
                             .end = parallel_band_start(all, team->rank + 1, team->size),
                             .has_above = team->rank > 0,
                             .has_below = team->rank + 1 < team->size};
    /* a border's rows come last in a wave, and events are told row by row */
    bool in_order = machine_steps_at_once(machine, WAVE_STEPS) == 1;
    if (team->size > 1 && (in_order || all / team->size < ROWS_FOR_A_STEP)) {
        go_one_step(acts, &rows, team);
        return;
    }
    go_within(acts, steps, &rows);
    if (team->size == 1)
        return;
    parallel_barrier(team);
    if (rows.has_above)
        go_between(acts, steps, rows.first);
}
