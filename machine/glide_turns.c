/* glide_turns.c - rows go through several steps one behind the other, while they are in cache.
 *
 * What a row does in a step depends on what it and the rows beside it did in the step before. So once
 * row r has done its first step, row r - 1 can do its second one, row r - 2 its third, .. : a wave,
 * and then the next row begins. A row is read from memory once for all steps of a turn.
 * At the border of two threads' rows a thread does with each step a row less; when all are there,
 * what is left on both sides of a border is done, step after step, by the thread below it.
 * Slots that go along columns are in lines that move: some more than rows, so that what enters the
 * mesh on one side is not what still has to leave it on the other (glide_slot.c).
 * What is counted in each step is kept apart until the turn's end (turns.c). Behind the step in which
 * nothing is under way any more nothing happens.
 * Cost: a barrier within a turn with several threads and the caller's at its end, else what the steps
 * cost.
 */
#include "machine/glide_private.h"

uint32_t glide_steps_at_once(const struct forwarding *run, const struct team *team)
{
    uint32_t rows = run->machine->config.mesh.rows, most = TURN_STEPS;
    if (run->rule->by_steps && run->machine->config.buffer > 0)
        return 1;
    if (team->size > 1) /* what is left at two borders must not touch */
        rows = rows / team->size / 2;
    most = rows < most ? rows : most;
    most = run->limit < most ? (uint32_t)run->limit : most;
    return most > 0 ? most : 1;
}

/* The rows of a thread, and how the steps of a turn see them. */
struct turn {
    struct gliding *gliding;
    uint32_t first, end, steps;
    bool has_above, has_below; /* other threads' rows */
    struct slot_clock clock[TURN_STEPS];
    uint32_t peak_before;
};

/* The lane counts in step `step` of the turn. */
static void enter_step(const struct turn *turn, uint32_t thread, uint32_t step)
{
    struct gliding *gliding = turn->gliding;
    const struct turn_counts *counts = &gliding->glide->counts;
    gliding->view.clock = turn->clock[step];
    gliding->lane.band = turn_band(counts, thread, step);
    gliding->peak_before = turn_peak_before(counts, thread, step, turn->peak_before);
}

/* A later step of a row, which is in cache. */
static void later_step(const struct turn *turn, uint32_t thread, uint32_t step, uint32_t row)
{
    struct gliding *gliding = turn->gliding;
    enter_step(turn, thread, step);
    gliding->line = gliding->rows[SLOT_ROWS - 1];
    gliding->next_line = NULL;
    gliding->is_cached = true;
    slots_advance(&gliding->view, gliding->line, row);
    glide_fetch_first(gliding, (struct site){row * gliding->glide->slots.cols, row, 0});
    glide_step_row(gliding, row);
}

/* The first step of a row; the slots of the row after it are looked up, for fetching. */
static void first_step(const struct turn *turn, uint32_t thread, uint32_t row)
{
    struct gliding *gliding = turn->gliding;
    enter_step(turn, thread, 0);
    gliding->is_cached = false;
    gliding->line = gliding->rows[row % 2];
    gliding->next_line = row + 1 < turn->end ? gliding->rows[(row + 1) % 2] : NULL;
    if (row == turn->first)
        slots_advance(&gliding->view, gliding->line, row);
    if (gliding->next_line != NULL)
        slots_advance(&gliding->view, gliding->next_line, row + 1);
    glide_step_row(gliding, row);
}

/* Whether other threads' rows leave the row alone in that step. */
static bool is_free(const struct turn *turn, uint32_t step, uint32_t row)
{
    return (!turn->has_above || row - turn->first >= step) &&
           (!turn->has_below || turn->end - 1 - row >= step);
}

static void go_through_rows(const struct turn *turn, uint32_t thread)
{
    for (uint32_t wave = turn->first; wave < turn->end + turn->steps - 1; wave++) {
        if (wave < turn->end)
            first_step(turn, thread, wave);
        for (uint32_t step = 1; step < turn->steps && wave - step + 1 > turn->first; step++)
            if (wave - step < turn->end && is_free(turn, step, wave - step))
                later_step(turn, thread, step, wave - step);
    }
}

/* What is left on both sides of the border above the band. */
static void go_along_border(const struct turn *turn, uint32_t thread)
{
    for (uint32_t step = 1; step < turn->steps; step++)
        for (uint32_t row = turn->first - step; row < turn->first + step; row++)
            later_step(turn, thread, step, row);
}

void glide_steps(struct gliding *gliding, const struct team *team, uint32_t steps)
{
    const struct machine *machine = gliding->lane.machine;
    uint32_t rows = machine->config.mesh.rows;
    struct turn turn = {.gliding = gliding,
                        .first = parallel_band_start(rows, team->rank, team->size),
                        .end = parallel_band_start(rows, team->rank + 1, team->size),
                        .steps = steps,
                        .has_above = team->rank > 0,
                        .has_below = team->rank + 1 < team->size,
                        .peak_before = machine->attempt.peak};
    struct slot_clock clock = gliding->view.clock;
    for (uint32_t i = 0; i < steps; i++) {
        slot_clock_tick(&clock, &gliding->glide->slots);
        turn.clock[i] = clock;
    }
    go_through_rows(&turn, team->rank);
    if (team->size > 1 && steps > 1) {
        parallel_barrier(team);
        if (turn.has_above)
            go_along_border(&turn, team->rank);
    }
    gliding->view.clock = clock;
}

void glide_end_steps(struct forwarding *run, uint32_t steps)
{
    struct turn_counts *counts = &run->forward->glide->counts;
    uint32_t ended = 0;
    for (; ended < steps && !run->done; ended++) {
        turn_collect(run->machine, counts, ended);
        forward_end_step(run);
    }
    if (turn_end(run->machine, counts, ended, run->failure) != FAIL_NONE)
        run->kind = FAIL_SYSTEM;
}
