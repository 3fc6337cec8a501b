/* forward.c - store-and-forward routing through queues of links: calls, and their waves.
 *
 * Each node has one queue a link; in a step the first packet of each queue crosses its link, and is then at its
 * next stop (forward_stop.c), or joins the queue straight ahead. forward_step.c does that for many packets at once.
 *
 * Rules that hold by construction: a link carries one packet (it has one slot), a packet does one thing a step (it
 * is in one slot or one queue). The capacity is checked at the end of every step (machine_end_step).
 * Order at a node: packets that travel north first, then south, west, east.
 * Cost: 48 bytes per node for slots (and as many for up to eight rows more, since rows may be some steps apart), 240
 * for the queues behind them, 8 for packets that wait for copies, and 5.5 for bits and blocks (352 bytes per block,
 * also where the last one of a row is not full).
 */
#include "machine/forward.h"
#include "machine/forward/forward_private.h"
#include "machine/ranks/border.h"
#include "machine/tally_private.h"

#include <stdlib.h>

/* One call of machine_forward. */
struct forward_call {
    struct machine *machine;
    struct forward *forward;
    const struct routing_rule *rule;
    bool waking; /* the next step is the first after a wake */
    bool done;
    uint64_t limit;
    enum failure_kind kind;
    struct failure *failure;
};

/* ---- memory ---- */

static void forward_free(struct machine *machine)
{
    struct forward *forward = machine->forward;
    if (forward == NULL)
        return;
    conveyor_free(&forward->conveyor);
    link_queues_free(&forward->queues);
    free(forward->block);
    free(forward->waiting_first);
    free(forward->waiting_last);
    wave_tallies_free(&forward->counts);
    free(forward);
    machine->forward = NULL;
}

static bool forward_allocate(struct machine *machine)
{
    struct forward *forward = machine->forward = memory_allocate(1, sizeof *forward);
    if (forward == NULL)
        return false;
    forward->block =
        machine_allocate_rows(machine, blocks_of_row(machine), 0, sizeof *forward->block);
    forward->waiting_first = machine_allocate_nodes(machine, sizeof *forward->waiting_first);
    forward->waiting_last = machine_allocate_nodes(machine, sizeof *forward->waiting_last);
    return forward->block && forward->waiting_first && forward->waiting_last &&
           conveyor_allocate(machine, &forward->conveyor, false) &&
           link_queues_allocate(machine, &forward->queues, RING_PLACES) &&
           wave_tallies_allocate(machine, &forward->counts, WAVE_STEPS);
}

/* Makes the arrays if there are none, and finds whether packets may have urgencies: those that are under way may,
 * even if the rule of this call gives none. */
static enum failure_kind forward_prepare(struct machine *machine, const struct routing_rule *rule,
                                         struct failure *failure)
{
    if (machine->forward == NULL && !forward_allocate(machine)) {
        forward_free(machine);
        return fail_memory(failure, "the links' queues");
    }
    struct forward *forward = machine->forward;
    forward->has_urgencies =
        rule->urgency != NULL || (forward->has_urgencies && machine->travelling > 0);
    return FAIL_NONE;
}

/* ---- a call begins ---- */

static void wake_node(struct forward_worker *worker, struct site site)
{
    struct machine *machine = worker->machine;
    uint32_t packet = machine->resting_first[site.index];
    machine->resting_first[site.index] = MACHINE_NONE;
    while (packet != MACHINE_NONE) {
        uint32_t next = (uint32_t)machine->next[packet];
        tally_wake(worker->tally);
        forward_settle(worker, DEPARTURES, site, packet);
        packet = next;
    }
}

/* Fetches the headers of packets some nodes ahead, and nearer ones' memory that the rule reads. */
static void fetch_resting(const struct forward_worker *worker, node_index node, node_index end)
{
    enum { NEAR = 6, FAR = 12 };
    const struct machine *machine = worker->machine;
    uint32_t packet = node + FAR < end ? machine->resting_first[node + FAR] : MACHINE_NONE;
    if (packet != MACHINE_NONE) {
        header_fetch(machine, packet);
        __builtin_prefetch(&machine->next[packet], 1);
    }
    packet = node + NEAR < end ? machine->resting_first[node + NEAR] : MACHINE_NONE;
    if (packet != MACHINE_NONE && worker->rule->fetch != NULL)
        worker->rule->fetch(worker->rule->context, packet);
}

static void wake_row(struct forward_worker *worker, struct site start)
{
    node_index end = start.index + worker->machine->config.mesh.cols;
    for (uint32_t col = 0; start.index + col < end; col++) {
        fetch_resting(worker, start.index + col, end);
        wake_node(worker, (struct site){start.index + col, start.row, col});
    }
}

/* ---- waves: several steps of rows, one behind the other (transit/wavefront.c) ---- */

/* A wave as a thread sees it: its rows, and the clock of each step. */
struct forward_wave {
    struct forward_worker *worker;
    uint32_t thread;
    struct row_range rows;
    struct conveyor_clock clock[WAVE_STEPS + 1]; /* before its first step, and of each */
    uint32_t peak_before;
};

/* Moves the slots of a row on. In the first step of a wave also those of the row after it, so that the packets
 * there are fetched from memory in time; in later steps the row is in cache. */
static void find_slots(const struct forward_wave *wave, uint32_t step, uint32_t row)
{
    struct forward_worker *worker = wave->worker;
    bool is_first = step == 0;
    worker->line = worker->rows[is_first ? row % 2 : CONVEYOR_ROWS - 1];
    worker->next_line = is_first && row + 1 < wave->rows.end ? worker->rows[(row + 1) % 2] : NULL;
    if (!is_first || row == wave->rows.first)
        conveyor_advance(&worker->view, worker->line, row);
    if (worker->next_line != NULL)
        conveyor_advance(&worker->view, worker->next_line, row + 1);
}

/* Does a step in a row. It is one phase, since no row reads another one in the same step. */
static void do_step(void *of_thread, uint32_t step, uint32_t row)
{
    const struct forward_wave *wave = of_thread;
    struct forward_worker *worker = wave->worker;
    const struct wave_tallies *counts = &worker->forward->counts;
    worker->view.clock = wave->clock[step + 1];
    worker->tally = wave_tally(counts, wave->thread, step);
    worker->peak_before = wave_peak_before(counts, wave->thread, step, wave->peak_before);
    find_slots(wave, step, row);
    forward_step_row(worker, row);
}

/* Lets packets cross the links to other ranks, and those of the other ranks come, before a step of the rows there. */
static void cross_borders(void *of_thread, uint32_t step, const struct team *team)
{
    const struct forward_wave *wave = of_thread;
    struct machine *machine = wave->worker->machine;
    struct conveyor_view view = {&wave->worker->forward->conveyor, wave->clock[step]};
    conveyor_put_border(machine, &view, team->rank);
    border_exchange_together(machine, team);
    view.clock = wave->clock[step + 1];
    conveyor_get_border(machine, &view, team->rank);
}

/* Does so many steps in all rows of the thread; all threads call it. */
static void do_steps(struct forward_worker *worker, const struct team *team, uint32_t steps)
{
    struct forward_wave wave = {.worker = worker,
                                .thread = team->rank,
                                .rows = machine_band(worker->machine, team),
                                .clock = {worker->view.clock},
                                .peak_before = worker->machine->attempt.peak};
    for (uint32_t i = 0; i < steps; i++) {
        wave.clock[i + 1] = wave.clock[i];
        conveyor_clock_tick(&wave.clock[i + 1], &worker->forward->conveyor);
    }
    wave_go(worker->machine, do_step, cross_borders, &wave, steps, team);
    worker->view.clock = wave.clock[steps];
}

/* Returns how many steps threads do before they meet, 1 .. WAVE_STEPS. */
static uint32_t steps_at_once(const struct forward_call *call)
{
    bool in_step = call->rule->by_steps && call->machine->config.buffer > 0;
    return in_step ? 1 : wave_steps(call->machine, 1, WAVE_STEPS, call->limit);
}

static void end_step(struct forward_call *call)
{
    call->kind = machine_end_step(call->machine, call->failure);
    call->limit--;
    call->waking = false;
    call->done = call->kind != FAIL_NONE || call->limit == 0 || call->machine->travelling == 0;
}

/* Ends the steps of a wave, one by one, until one is the last of the call: for one thread, while the others wait.
 * Steps after that in which the last packet stops have done nothing. */
static void end_steps(struct forward_call *call, uint32_t steps)
{
    struct wave_tallies *counts = &call->forward->counts;
    uint32_t ended = 0;
    wave_add_up(call->machine, counts, steps);
    for (; ended < steps && !call->done; ended++) {
        wave_collect(call->machine, counts, ended);
        end_step(call);
    }
    if (wave_end(call->machine, counts, ended, call->failure) != FAIL_NONE)
        call->kind = FAIL_SYSTEM;
}

/* Tells an observer of the next step's departures before any row does that step: for one thread, while the
 * others wait. */
static void tell_departures(struct forward_worker *worker)
{
    worker->tally = wave_tally(&worker->forward->counts, 0, 0);
    struct row_range rows = machine_rows(worker->machine);
    for (uint32_t row = rows.first; row < rows.end; row++)
        forward_tell_row(worker, row);
}

static void forward_rows(void *context, const struct team *team)
{
    struct forward_call *call = context;
    struct machine *machine = call->machine;
    uint32_t cols = machine->config.mesh.cols;
    struct row_range rows = machine_band(machine, team);
    struct forward_worker worker = {.machine = machine,
                                    .forward = call->forward,
                                    .rule = call->rule,
                                    .tally = wave_tally(&call->forward->counts, team->rank, 0),
                                    .view = {.conveyor = &call->forward->conveyor}};
    for (uint32_t i = 0; i < CONVEYOR_ROWS; i++)
        conveyor_take_stops(&call->forward->conveyor, worker.rows[i], team->rank, i);
    worker.line = worker.rows[0];
    for (uint32_t row = rows.first; row < rows.end; row++) {
        forward_begin_row(&worker, row);
        if (call->waking)
            wake_row(&worker, (struct site){row * cols, row, 0});
        forward_load_row(&worker, row);
        forward_tell_row(&worker, row);
    }
    parallel_barrier(team);
    while (!call->done) {
        uint32_t steps = steps_at_once(call);
        do_steps(&worker, team, steps);
        parallel_barrier(team);
        if (team->rank == 0) {
            end_steps(call, steps);
            if (!call->done)
                tell_departures(&worker);
        }
        parallel_barrier(team);
    }
    for (uint32_t row = rows.first; row < rows.end && machine->travelling > 0; row++)
        forward_unload_row(&worker, row);
}

/* ---- between calls ---- */

static bool is_busy(const struct machine *machine, node_index node)
{
    const struct forward *forward = machine->forward;
    if (forward == NULL)
        return false;
    struct site site = machine_site(machine, node);
    const uint64_t *queued = link_queued(&forward->queues, site);
    uint64_t any = queued[NORTH] | queued[SOUTH] | queued[WEST] | queued[EAST];
    return (any | forward_block(forward, site)->copying) & conveyor_bit(site);
}

static const struct machine_part FORWARD_PART = {.free = forward_free, .is_busy = is_busy};

/* ---- a call ---- */

/* Lets every occupancy above the proven capacity be seen, even if nodes have held more before. Returns
 * what they have held. */
static uint32_t begin_proven(struct machine *machine, const struct routing_rule *rule)
{
    uint32_t peak = machine->attempt.peak;
    machine->proven_capacity = rule->capacity > 0 ? rule->capacity + machine->aside.most : 0;
    if (machine->proven_capacity > 0 && peak > machine->proven_capacity)
        machine->attempt.peak = machine->proven_capacity;
    return peak;
}

static void end_proven(struct machine *machine, uint32_t peak_before)
{
    machine->proven_capacity = 0;
    if (machine->attempt.peak < peak_before)
        machine->attempt.peak = peak_before;
}

enum failure_kind machine_forward(struct machine *machine, const struct routing_rule *rule,
                                  bool wake, uint64_t limit, struct failure *failure)
{
    enum failure_kind kind = machine_judge_call(machine, FAIL_NONE, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (limit == 0 || (machine->travelling == 0 && (!wake || machine->resting == 0)))
        return FAIL_NONE;
    machine_register(machine, &FORWARD_PART);
    if (forward_prepare(machine, rule, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    struct forward_call call = {.machine = machine,
                                .forward = machine->forward,
                                .rule = rule,
                                .waking = wake,
                                .limit = machine_limit_steps(machine, limit),
                                .failure = failure};
    uint32_t peak = begin_proven(machine, rule);
    parallel_run(machine->config.threads, forward_rows, &call);
    end_proven(machine, peak);
    return machine_judge_call(machine, call.kind, failure);
}
