/* forward_wavefront.c - rows go through several steps one behind the other, while they are in cache.
 *
 * What a row does in a step depends on what it and the rows beside it did in the step before. So once
 * row r has done its first step, row r - 1 can do its second one, row r - 2 its third, .. : a wave,
 * and then the next row begins. A row is read from memory once for all steps of a wave.
 * At the border of two threads' rows a thread does with each step a row less; when all are there,
 * what is left on both sides of a border is done, step after step, by the thread below it.
 * Slots that go along columns are in lines that move: some more than rows, so that what enters the
 * mesh on one side is not what still has to leave it on the other (conveyor.c).
 * What is counted in each step is kept apart until the wave's end (wavefront.c). Behind the step in which
 * nothing is under way any more nothing happens.
 * Cost: a barrier within a wave with several threads and the caller's at its end, else what the steps
 * cost.
 */
#include "machine/forward/forward_step_private.h"
#include "machine/tally_private.h"

uint32_t forward_steps_at_once(const struct forward_call *call, const struct team *team)
{
    uint32_t rows = call->machine->config.mesh.rows, most = WAVE_STEPS;
    if (call->rule->by_steps && call->machine->config.buffer > 0)
        return 1;
    if (team->size > 1) /* what is left at two borders must not touch */
        rows = rows / team->size / 2;
    most = rows < most ? rows : most;
    most = call->limit < most ? (uint32_t)call->limit : most;
    return machine_steps_at_once(call->machine, most > 0 ? most : 1);
}

/* The rows of a thread, and how the steps of a wave see them. */
struct wave {
    struct forward_worker *worker;
    uint32_t first, end, steps;
    bool has_above, has_below; /* other threads' rows */
    struct conveyor_clock clock[WAVE_STEPS];
    uint32_t peak_before;
};

/* The worker counts in step `step` of the wave. */
static void enter_step(const struct wave *wave, uint32_t thread, uint32_t step)
{
    struct forward_worker *worker = wave->worker;
    const struct wave_tallies *counts = &worker->queues->counts;
    worker->view.clock = wave->clock[step];
    worker->tally = wave_tally(counts, thread, step);
    worker->peak_before = wave_peak_before(counts, thread, step, wave->peak_before);
}

/* A later step of a row, which is in cache. */
static void later_step(const struct wave *wave, uint32_t thread, uint32_t step, uint32_t row)
{
    struct forward_worker *worker = wave->worker;
    enter_step(wave, thread, step);
    worker->line = worker->rows[CONVEYOR_ROWS - 1];
    worker->next_line = NULL;
    worker->is_cached = true;
    conveyor_advance(&worker->view, worker->line, row);
    forward_fetch_first(worker, (struct site){row * worker->queues->slots.cols, row, 0});
    forward_step_row(worker, row);
}

/* The first step of a row; the slots of the row after it are looked up, for fetching. */
static void first_step(const struct wave *wave, uint32_t thread, uint32_t row)
{
    struct forward_worker *worker = wave->worker;
    enter_step(wave, thread, 0);
    worker->is_cached = false;
    worker->line = worker->rows[row % 2];
    worker->next_line = row + 1 < wave->end ? worker->rows[(row + 1) % 2] : NULL;
    if (row == wave->first)
        conveyor_advance(&worker->view, worker->line, row);
    if (worker->next_line != NULL)
        conveyor_advance(&worker->view, worker->next_line, row + 1);
    forward_step_row(worker, row);
}

/* Whether other threads' rows leave the row alone in that step. */
static bool is_free(const struct wave *wave, uint32_t step, uint32_t row)
{
    return (!wave->has_above || row - wave->first >= step) &&
           (!wave->has_below || wave->end - 1 - row >= step);
}

static void go_through_rows(const struct wave *wave, uint32_t thread)
{
    for (uint32_t front = wave->first; front < wave->end + wave->steps - 1; front++) {
        if (front < wave->end)
            first_step(wave, thread, front);
        for (uint32_t step = 1; step < wave->steps && front - step + 1 > wave->first; step++)
            if (front - step < wave->end && is_free(wave, step, front - step))
                later_step(wave, thread, step, front - step);
    }
}

/* What is left on both sides of the border above the worker's rows. */
static void go_along_border(const struct wave *wave, uint32_t thread)
{
    for (uint32_t step = 1; step < wave->steps; step++)
        for (uint32_t row = wave->first - step; row < wave->first + step; row++)
            later_step(wave, thread, step, row);
}

void forward_steps(struct forward_worker *worker, const struct team *team, uint32_t steps)
{
    const struct machine *machine = worker->machine;
    uint32_t rows = machine->config.mesh.rows;
    struct wave wave = {.worker = worker,
                        .first = parallel_band_start(rows, team->rank, team->size),
                        .end = parallel_band_start(rows, team->rank + 1, team->size),
                        .steps = steps,
                        .has_above = team->rank > 0,
                        .has_below = team->rank + 1 < team->size,
                        .peak_before = machine->attempt.peak};
    struct conveyor_clock clock = worker->view.clock;
    for (uint32_t i = 0; i < steps; i++) {
        conveyor_clock_tick(&clock, &worker->queues->slots);
        wave.clock[i] = clock;
    }
    go_through_rows(&wave, team->rank);
    if (team->size > 1 && steps > 1) {
        parallel_barrier(team);
        if (wave.has_above)
            go_along_border(&wave, team->rank);
    }
    worker->view.clock = clock;
}

/* For one thread, while the others wait. */
static void end_step(struct forward_call *call)
{
    call->kind = machine_end_step(call->machine, call->failure);
    call->limit--;
    call->waking = false;
    call->done = call->kind != FAIL_NONE || call->limit == 0 || call->machine->travelling == 0;
}

void forward_end_steps(struct forward_call *call, uint32_t steps)
{
    struct wave_tallies *counts = &call->forward->queues->counts;
    uint32_t ended = 0;
    for (; ended < steps && !call->done; ended++) {
        wave_collect(call->machine, counts, ended);
        end_step(call);
    }
    if (wave_end(call->machine, counts, ended, call->failure) != FAIL_NONE)
        call->kind = FAIL_SYSTEM;
}
