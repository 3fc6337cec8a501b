/* forward_wavefront.c - the steps of machine_forward: several of a row while it is in cache (transit/wavefront.c).
 *
 * A step has one phase, since no row reads another one in the same step. Conveyors along columns have some lines more
 * than the mesh has rows, so what enters on one side does not overwrite what still has to leave on the other
 * (conveyor.c). Each step is counted apart until the wave ends; after the step in which the last packet stops
 * nothing happens.
 */
#include "machine/forward/forward_step_private.h"
#include "machine/tally_private.h"

uint32_t forward_steps_at_once(const struct forward_call *call)
{
    bool in_step = call->rule->by_steps && call->machine->config.buffer > 0;
    return in_step ? 1 : wave_steps(call->machine, 1, WAVE_STEPS, call->limit);
}

/* The rows of a thread, and how the steps of a wave see them. */
struct forward_wave {
    struct forward_worker *worker;
    uint32_t thread, first, end; /* rows */
    struct conveyor_clock clock[WAVE_STEPS];
    uint32_t peak_before;
};

/* A later step of a row, which is in cache. */
static void later_step(struct forward_worker *worker, uint32_t row)
{
    worker->line = worker->rows[CONVEYOR_ROWS - 1];
    worker->next_line = NULL;
    conveyor_advance(&worker->view, worker->line, row);
    forward_fetch_first(worker, (struct site){row * worker->queues->slots.cols, row, 0});
}

/* The first step of a row; the slots of the row after it are looked up, for fetching. */
static void first_step(const struct forward_wave *wave, uint32_t row)
{
    struct forward_worker *worker = wave->worker;
    worker->line = worker->rows[row % 2];
    worker->next_line = row + 1 < wave->end ? worker->rows[(row + 1) % 2] : NULL;
    if (row == wave->first)
        conveyor_advance(&worker->view, worker->line, row);
    if (worker->next_line != NULL)
        conveyor_advance(&worker->view, worker->next_line, row + 1);
}

static void do_step(void *of_thread, uint32_t step, uint32_t row)
{
    const struct forward_wave *wave = of_thread;
    struct forward_worker *worker = wave->worker;
    const struct wave_tallies *counts = &worker->queues->counts;
    worker->view.clock = wave->clock[step];
    worker->tally = wave_tally(counts, wave->thread, step);
    worker->peak_before = wave_peak_before(counts, wave->thread, step, wave->peak_before);
    worker->is_cached = step > 0;
    if (step > 0)
        later_step(worker, row);
    else
        first_step(wave, row);
    forward_step_row(worker, row);
}

void forward_steps(struct forward_worker *worker, const struct team *team, uint32_t steps)
{
    const struct machine *machine = worker->machine;
    uint32_t rows = machine->config.mesh.rows;
    struct forward_wave wave = {.worker = worker,
                                .thread = team->rank,
                                .first = parallel_band_start(rows, team->rank, team->size),
                                .end = parallel_band_start(rows, team->rank + 1, team->size),
                                .peak_before = machine->attempt.peak};
    struct conveyor_clock clock = worker->view.clock;
    for (uint32_t i = 0; i < steps; i++) {
        conveyor_clock_tick(&clock, &worker->queues->slots);
        wave.clock[i] = clock;
    }
    wave_go(machine, do_step, &wave, steps, team);
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
