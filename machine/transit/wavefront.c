/* wavefront.c - rows do several steps one after the other, while they are in cache.
 *
 * A step has one phase or two (all rows depart, then all arrive). A row's phase depends only
 * on the states of the row and its neighbours after the phase before. So once row r has done its
 * first phase, row r - 1 can do its second one, row r - 2 its third, .. : a wave, and then the next
 * row begins. A row is read from memory once for all phases of a wave. At the border of two
 * threads' rows a thread does a row less with each phase. When all threads are done with these, the
 * thread below a border does the remaining phases of the rows on both sides of it. At the border of
 * a rank (machine/ranks/ranks.h) each rank does those of its own side, a phase after another:
 * before each the ranks exchange the packets that left their border rows in the phase before.
 *
 * Each step has its own counts, which enter the machine's step after step: the clock, peaks, an
 * overflow and the last step of a call are as if all rows had done each step together. If buffers
 * have a capacity, an overflow may end the run in any of the steps. Then a list per step keeps its
 * deliveries, so that those of steps after the last one can be undone. Ranks add up the counts of
 * all steps of a wave together.
 * Cost: a barrier within a wave with several threads, and the caller's; besides only the cost of
 * the steps.
 */
#include "machine/transit/wavefront.h"

#include "machine/ranks/border.h"

#include <stdlib.h>
#include <string.h>

/* ---- counts ---- */

bool wave_tallies_allocate(const struct machine *machine, struct wave_tallies *counts,
                           uint32_t steps)
{
    size_t tallies = (size_t)machine->config.threads * steps;
    counts->threads = machine->config.threads;
    counts->steps = steps;
    counts->tally = memory_allocate(tallies, sizeof *counts->tally);
    for (size_t i = 0; i < tallies && counts->tally != NULL; i++)
        counts->tally[i].gone = machine->tally[i / steps].gone;
    if (counts->tally == NULL || machine->config.expected == NULL ||
        (machine->config.buffer == 0 && machine->config.receive == NULL))
        return counts->tally != NULL;
    counts->delivery = memory_allocate(tallies, sizeof *counts->delivery);
    for (size_t i = 0; i < tallies && counts->delivery != NULL; i++)
        counts->tally[i].delivery = &counts->delivery[i];
    return counts->delivery != NULL;
}

void wave_tallies_free(struct wave_tallies *counts)
{
    size_t tallies = (size_t)counts->threads * counts->steps;
    for (size_t i = 0; i < tallies && counts->delivery != NULL; i++)
        free(counts->delivery[i].at);
    for (size_t i = 0; i < tallies && counts->tally != NULL; i++)
        for (int group = 0; group < EVENT_GROUPS; group++)
            free(counts->tally[i].events[group].event);
    free(counts->delivery);
    free(counts->tally);
    *counts = (struct wave_tallies){0};
}

struct tally *wave_tally(const struct wave_tallies *counts, uint32_t thread, uint32_t step)
{
    return &counts->tally[(size_t)thread * counts->steps + step];
}

uint32_t wave_peak_before(const struct wave_tallies *counts, uint32_t thread, uint32_t step,
                          uint32_t peak)
{
    for (uint32_t i = 0; i < step; i++)
        if (wave_tally(counts, thread, i)->peak > peak)
            peak = wave_tally(counts, thread, i)->peak;
    return peak;
}

/* Passes the deliveries of a wave of one step to config.receive. */
static void receive(struct machine *machine, const struct wave_tallies *counts)
{
    const struct machine_config *config = &machine->config;
    const struct expected_messages *expected = config->expected;
    for (uint32_t thread = 0; thread < counts->threads; thread++) {
        struct tally *tally = wave_tally(counts, thread, 0);
        for (size_t i = 0; i < tally->delivery->count; i++) {
            uint32_t at = tally->delivery->at[i];
            tally->stops += config->receive(config->receive_context, expected_node(expected, at),
                                            expected->message[at], machine->counts.steps + 1);
        }
        if (tally->delivery->is_short)
            machine_rank_fails(machine, "what a step delivers");
    }
}

void wave_add_up(struct machine *machine, const struct wave_tallies *counts, uint32_t steps)
{
    if (machine->config.receive != NULL)
        receive(machine, counts);
    machine_sum_ahead(machine, counts->tally, counts->steps, steps);
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

/* Undoes the deliveries of steps after the last one. False: the lists were short of memory. */
static bool take_back(struct machine *machine, const struct wave_tallies *counts, uint32_t ended)
{
    bool whole = true;
    for (size_t i = 0; i < (size_t)counts->threads * counts->steps; i++) {
        const struct delivery_list *list = &counts->delivery[i];
        for (size_t j = 0; j < list->count && i % counts->steps >= ended; j++)
            machine->config.expected->arrived[list->at[j]] = 0;
        whole &= !list->is_short || i % counts->steps < ended;
    }
    return whole;
}

enum failure_kind wave_end(struct machine *machine, struct wave_tallies *counts, uint32_t ended,
                           struct failure *failure)
{
    machine_forget_ahead(machine);
    bool whole = counts->delivery == NULL || take_back(machine, counts, ended);
    for (size_t i = 0; i < (size_t)counts->threads * counts->steps; i++) {
        struct delivery_list *list = counts->delivery == NULL ? NULL : &counts->delivery[i];
        struct tally empty = {.delivery = list, .gone = counts->tally[i].gone};
        memcpy(empty.events, counts->tally[i].events, sizeof empty.events);
        counts->tally[i] = empty;
        if (list == NULL)
            continue;
        list->count = 0;
        list->is_short = false;
    }
    if (whole)
        return FAIL_NONE;
    if (failure != NULL) /* may report an overflow, whose deliveries are not all known now */
        *failure = (struct failure){0};
    return fail_memory(failure, "what a wave delivers");
}

/* ---- rows ---- */

/* The rows of a thread, and whether rows of other threads or ranks are beside them. */
struct wave_rows {
    uint32_t first, end;
    bool has_above, has_below;
};

/* The work of a thread in a wave. */
struct wave {
    wave_act *act;
    wave_exchange *exchange; /* NULL without ranks */
    void *worker;
    uint32_t phases;
    const struct team *team;
};

uint32_t wave_steps(const struct machine *machine, uint32_t phases, uint32_t most, uint64_t limit)
{
    uint32_t rows = machine->config.mesh.rows, threads = machine->most_threads;
    if (threads > 1 || machine->is_split) /* the remaining rows at two borders must not touch */
        rows = machine->fewest_rows / threads / (2 * phases);
    most = rows < most ? rows : most;
    most = limit < most ? (uint32_t)limit : most;
    return machine_steps_at_once(machine, most > 0 ? most : 1);
}

/* True if row `row` can do so many phases before it needs rows of other threads. */
static bool is_free(const struct wave_rows *rows, uint32_t row, uint32_t phases)
{
    return row < rows->end && (!rows->has_above || row - rows->first >= phases) &&
           (!rows->has_below || rows->end - 1 - row >= phases);
}

/* Does the phases of the thread's rows as far as its own rows suffice; each follows the one before
 * it at a distance of a row. */
static void go_within(const struct wave *wave, const struct wave_rows *rows)
{
    uint32_t phases = wave->phases;
    for (uint32_t front = rows->first; front < rows->end + phases - 1; front++)
        for (uint32_t phase = 0; phase < phases && phase <= front - rows->first; phase++)
            if (is_free(rows, front - phase, phase))
                wave->act(wave->worker, phase, front - phase);
}

/* Does the remaining rows on both sides of the border above `middle`: a row more with each
 * phase. */
static void go_between(const struct wave *wave, uint32_t middle)
{
    for (uint32_t phase = 1; phase < wave->phases; phase++)
        for (uint32_t row = middle - phase; row < middle + phase; row++)
            wave->act(wave->worker, phase, row);
}

/* Exchanges with other ranks, when all threads have done the phases before. */
static void exchange_together(const struct wave *wave, uint32_t phase)
{
    if (wave->exchange == NULL)
        return;
    wave->exchange(wave->worker, phase, wave->team);
    parallel_barrier(wave->team);
}

/* Does the remaining rows within the borders of the rank, which has the rows of `rank`. Each thread
 * does some of them, as far as possible the same ones in each phase. */
static void go_at_borders(const struct wave *wave, const struct wave_rows *rank)
{
    uint32_t threads = wave->team->size, above = wave->team->rank, below = threads - 1 - above;
    for (uint32_t phase = 1; phase < wave->phases; phase++) {
        parallel_barrier(wave->team);
        exchange_together(wave, phase);
        for (uint32_t i = above; rank->has_above && i < phase; i += threads)
            wave->act(wave->worker, phase, rank->first + i);
        for (uint32_t i = below; rank->has_below && i < phase; i += threads)
            wave->act(wave->worker, phase, rank->end - 1 - i);
    }
}

/* Does one phase after the other, the thread's rows in order. */
static void go_together(const struct wave *wave, const struct wave_rows *rows)
{
    for (uint32_t phase = 0; phase < wave->phases; phase++) {
        if (phase > 0)
            parallel_barrier(wave->team);
        exchange_together(wave, phase);
        for (uint32_t row = rows->first; row < rows->end; row++)
            wave->act(wave->worker, phase, row);
    }
}

void wave_go(const struct machine *machine, wave_act *act, wave_exchange *exchange, void *worker,
             uint32_t phases, const struct team *team)
{
    struct wave_rows rank = {.first = machine->first_row,
                             .end = machine->end_row,
                             .has_above = machine->is_split && border_has(machine, RANK_BEFORE),
                             .has_below = machine->is_split && border_has(machine, RANK_BEHIND)};
    bool has_ranks = rank.has_above || rank.has_below;
    struct wave wave = {act, has_ranks ? exchange : NULL, worker, phases, team};
    struct row_range band = machine_band(machine, team);
    struct wave_rows rows = {.first = band.first,
                             .end = band.end,
                             .has_above = team->rank > 0 || rank.has_above,
                             .has_below = team->rank + 1 < team->size || rank.has_below};
    /* rows at a border are last in a wave, but events must be reported row by row */
    bool in_order = machine_steps_at_once(machine, WAVE_STEPS) == 1;
    bool has_borders = team->size > 1 || has_ranks;
    if (has_borders && (in_order || (rank.end - rank.first) / team->size < 2 * phases)) {
        go_together(&wave, &rows);
        return;
    }
    exchange_together(&wave, 0);
    go_within(&wave, &rows);
    if (!has_borders || phases == 1)
        return;
    parallel_barrier(team);
    if (team->rank > 0)
        go_between(&wave, rows.first);
    if (has_ranks)
        go_at_borders(&wave, &rank);
}
