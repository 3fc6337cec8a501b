/* turns.c - rows go through several steps one behind the other, while they are in cache.
 *
 * In a step all rows depart, then all arrive. A row departs as it and the rows beside it were at the
 * end of the step before; what arrives at it left it and the rows beside it in the same step. So once
 * row r + 1 has departed, row r can arrive, and when row r + 1 has arrived, row r can depart in the
 * next step: each step follows the one before it at a distance of two rows. A row is read from memory
 * once for all steps of a turn.
 * At the border of two threads' rows a thread does a row less with each half of a step; when all are
 * there, what is left on both sides of a border is done, step after step, by the thread below it.
 *
 * What is counted is counted by steps, and taken into the machine's counts step after step: the
 * clock, peaks, an overflow and the last step of a call are as if all rows had done each step
 * together. Where a buffer may overflow in one of them, which ends the run, what is delivered is kept
 * in a list for each step: deliveries of steps behind the last one are taken back.
 * Cost: two barriers a turn with several threads, and the caller's, else what the steps cost.
 */
#include "machine/turns_private.h"

#include "machine/footprint_private.h"

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

bool turn_counts_allocate(const struct machine *machine, struct turn_counts *counts)
{
    size_t bands = (size_t)machine->config.threads * TURN_STEPS;
    counts->threads = machine->config.threads;
    counts->band = memory_allocate(bands, sizeof *counts->band);
    if (counts->band == NULL || machine->config.buffer == 0)
        return counts->band != NULL;
    counts->delivery = memory_allocate(bands, sizeof *counts->delivery);
    for (size_t i = 0; i < bands && counts->delivery != NULL; i++)
        counts->band[i].delivery = &counts->delivery[i];
    return counts->delivery != NULL;
}

uint64_t turn_footprint(const struct machine_needs *needs)
{
    const struct turn_counts *counts = NULL;
    return (uint64_t)needs->threads * TURN_STEPS *
           (sizeof *counts->band + sizeof *counts->delivery);
}

void turn_counts_free(struct turn_counts *counts)
{
    size_t bands = (size_t)counts->threads * TURN_STEPS;
    for (size_t i = 0; i < bands && counts->delivery != NULL; i++)
        free(counts->delivery[i].slot);
    for (size_t i = 0; i < bands && counts->band != NULL; i++)
        for (int group = 0; group < EVENT_GROUPS; group++)
            free(counts->band[i].events[group].event);
    free(counts->delivery);
    free(counts->band);
    *counts = (struct turn_counts){0};
}

uint32_t turn_peak_before(const struct turn_counts *counts, uint32_t thread, uint32_t step,
                          uint32_t peak)
{
    for (uint32_t i = 0; i < step; i++)
        if (turn_band(counts, thread, i)->peak > peak)
            peak = turn_band(counts, thread, i)->peak;
    return peak;
}

void turn_collect(struct machine *machine, const struct turn_counts *counts, uint32_t step)
{
    for (uint32_t thread = 0; thread < counts->threads; thread++) {
        struct band *band = &machine->band[thread], *of_step = turn_band(counts, thread, step);
        struct band empty = *band;
        *band = *of_step;
        band->delivery = NULL;
        memcpy(of_step->events, empty.events, sizeof empty.events);
    }
}

/* What was delivered in steps behind the last one. */
static bool take_back(struct machine *machine, const struct turn_counts *counts, uint32_t ended)
{
    bool whole = true;
    for (size_t i = 0; i < (size_t)counts->threads * TURN_STEPS; i++) {
        const struct slot_list *list = &counts->delivery[i];
        for (size_t j = 0; j < list->count && i % TURN_STEPS >= ended; j++)
            machine->delivered_at[list->slot[j]] = MACHINE_NO_PLACE;
        whole &= !list->is_short || i % TURN_STEPS < ended;
    }
    return whole;
}

enum failure_kind turn_end(struct machine *machine, struct turn_counts *counts, uint32_t ended,
                           struct failure *failure)
{
    bool whole = counts->delivery == NULL || take_back(machine, counts, ended);
    for (size_t i = 0; i < (size_t)counts->threads * TURN_STEPS; i++) {
        struct slot_list *list = counts->delivery == NULL ? NULL : &counts->delivery[i];
        struct band empty = {.delivery = list};
        memcpy(empty.events, counts->band[i].events, sizeof empty.events);
        counts->band[i] = empty;
        if (list == NULL)
            continue;
        list->count = 0;
        list->is_short = false;
    }
    if (whole)
        return FAIL_NONE;
    if (failure != NULL) /* of an overflow, about which not all can be told */
        *failure = (struct failure){0};
    return fail_memory(failure, "what a turn delivers");
}

/* ---- rows ---- */

/* Bands of fewer rows for a step are not worth a turn, or not enough for one. */
enum { ROWS_FOR_A_STEP = 4 };

uint32_t turn_steps(const struct machine *machine, uint64_t limit)
{
    uint32_t rows = machine->config.mesh.rows, threads = machine->config.threads;
    uint32_t most = rows < TURN_STEPS ? rows : TURN_STEPS;
    if (machine_is_lockstep(machine))
        return 1;
    if (threads > 1) /* what is left at two borders must not touch */
        most = rows / threads / ROWS_FOR_A_STEP < most ? rows / threads / ROWS_FOR_A_STEP : most;
    most = limit < most ? (uint32_t)limit : most;
    return most > 0 ? most : 1;
}

/* The rows of a thread, and whether others are beside them. */
struct turn_rows {
    uint32_t first, end;
    bool has_above, has_below;
};

/* Whether other threads' rows leave row `row` alone until it has gone through so many halves of steps. */
static bool is_free(const struct turn_rows *rows, uint32_t row, uint32_t halves)
{
    return row >= rows->first && row < rows->end &&
           (!rows->has_above || row - rows->first >= halves) &&
           (!rows->has_below || rows->end - 1 - row >= halves);
}

/* The step before comes first: of one wave of rows it departs and arrives one row further on. */
static void go_within(const struct turning *turning, uint32_t steps, const struct turn_rows *rows)
{
    for (uint32_t wave = rows->first; wave < rows->end + 2 * steps - 1; wave++) {
        for (uint32_t step = 0; step < steps && wave >= rows->first + 2 * step; step++) {
            uint32_t row = wave - 2 * step;
            bool departs = is_free(rows, row, 2 * step);
            bool arrives = row > rows->first && is_free(rows, row - 1, 2 * step + 1);
            if (departs || arrives)
                turning->enter(turning->lane, step);
            if (departs)
                turning->depart(turning->lane, row);
            if (arrives)
                turning->arrive(turning->lane, row - 1);
        }
    }
}

/* What is left on both sides of the border above `middle`. */
static void go_between(const struct turning *turning, uint32_t steps, uint32_t middle)
{
    for (uint32_t step = 0; step < steps; step++) {
        turning->enter(turning->lane, step);
        for (uint32_t row = middle - 2 * step; row < middle + 2 * step; row++)
            turning->depart(turning->lane, row);
        for (uint32_t row = middle - 2 * step - 1; row < middle + 2 * step + 1; row++)
            turning->arrive(turning->lane, row);
    }
}

/* One step of bands of any number of rows; each thread does its own, in order. */
static void go_one_step(const struct turning *turning, const struct turn_rows *rows,
                        const struct team *team)
{
    turning->enter(turning->lane, 0);
    for (uint32_t row = rows->first; row < rows->end; row++)
        turning->depart(turning->lane, row);
    parallel_barrier(team);
    for (uint32_t row = rows->first; row < rows->end; row++)
        turning->arrive(turning->lane, row);
}

void turn_go(const struct machine *machine, const struct turning *turning, uint32_t steps,
             const struct team *team)
{
    uint32_t all = machine->config.mesh.rows;
    struct turn_rows rows = {.first = parallel_band_start(all, team->rank, team->size),
                             .end = parallel_band_start(all, team->rank + 1, team->size),
                             .has_above = team->rank > 0,
                             .has_below = team->rank + 1 < team->size};
    bool is_small = team->size > 1 && all / team->size < ROWS_FOR_A_STEP;
    if (is_small || machine_is_lockstep(machine)) {
        go_one_step(turning, &rows, team);
        return;
    }
    go_within(turning, steps, &rows);
    if (team->size == 1)
        return;
    parallel_barrier(team);
    if (rows.has_above)
        go_between(turning, steps, rows.first);
}
