/* forward.c - store-and-forward routing through queues of links.
 *
 * Each node has one queue a link; in a step the first packet of each queue crosses its link, and is
 * then at its next stop (forward_stop.c), or joins the queue straight ahead. How packets do that in
 * bulk: forward_step.c.
 *
 * Rules by construction: one packet a link (a link has one slot), one action a packet (it stands in
 * one slot or one queue), capacity at the end of every step (machine_end_step).
 * Order at a node: what travels north first, then south, west, east.
 */
#include "machine/forward.h"
#include "machine/forward/forward_step_private.h"
#include "machine/tally_private.h"

/* ---- a call begins ---- */

static void wake_node(struct forward_worker *worker, struct site site)
{
    struct machine *machine = worker->machine;
    uint32_t packet = machine->resting_first[site.index];
    worker->arriving = DIRECTIONS;
    machine->resting_first[site.index] = MACHINE_NONE;
    while (packet != MACHINE_NONE) {
        uint32_t next = (uint32_t)machine->next[packet];
        worker->tally->resting--;
        worker->tally->travelling++;
        forward_settle(worker, DEPARTURES, site, packet);
        packet = next;
    }
}

/* The headers of packets some nodes ahead, and later what the rule looks at. */
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

/* ---- steps ---- */

static struct forward_worker worker_of(struct forward_call *call, const struct team *team)
{
    struct machine *machine = call->machine;
    struct forward_queues *queues = call->forward->queues;
    struct forward_worker worker = {.machine = machine,
                                    .forward = call->forward,
                                    .rule = call->rule,
                                    .tally = wave_tally(&queues->counts, team->rank, 0),
                                    .queues = queues,
                                    .is_fifo = queues->is_fifo,
                                    .view = {.slots = &queues->slots}};
    for (uint32_t i = 0; i < CONVEYOR_ROWS; i++)
        conveyor_take_stops(&queues->slots, worker.rows[i], team->rank, i);
    return worker;
}

/* Tells an observer of the next step's departures before any row does that step: for one thread, while the
 * others wait. */
static void tell_departures(struct forward_worker *worker)
{
    worker->tally = wave_tally(&worker->queues->counts, 0, 0);
    worker->line = worker->rows[0];
    for (uint32_t row = 0; row < worker->machine->config.mesh.rows; row++)
        forward_tell_row(worker, row);
}

static void forward_rows(void *context, const struct team *team)
{
    struct forward_call *call = context;
    struct machine *machine = call->machine;
    uint32_t rows = machine->config.mesh.rows, cols = machine->config.mesh.cols;
    uint32_t first = parallel_band_start(rows, team->rank, team->size);
    uint32_t end = parallel_band_start(rows, team->rank + 1, team->size);
    struct forward_worker worker = worker_of(call, team);
    worker.line = worker.rows[0];
    for (uint32_t row = first; row < end; row++) {
        forward_begin_row(&worker, row);
        if (call->waking)
            wake_row(&worker, (struct site){row * cols, row, 0});
        forward_load_row(&worker, row);
        forward_tell_row(&worker, row);
    }
    parallel_barrier(team);
    while (!call->done) {
        uint32_t steps = forward_steps_at_once(call);
        forward_steps(&worker, team, steps);
        parallel_barrier(team);
        if (team->rank == 0) {
            forward_end_steps(call, steps);
            if (!call->done)
                tell_departures(&worker);
        }
        parallel_barrier(team);
    }
    for (uint32_t row = first; row < end && machine->travelling > 0; row++)
        forward_unload_row(&worker, row);
}

/* ---- what stands at a node ---- */

static bool is_busy(const struct machine *machine, node_index node)
{
    const struct forward *forward = machine->forward;
    if (forward == NULL || forward->queues == NULL)
        return false;
    return forward->waiting[node] || forward_is_queued_at(machine, node);
}

static const struct machine_part FORWARD_PART = {.free = forward_free, .is_busy = is_busy};

/* ---- a call ---- */

/* Every occupancy above what is proven must be seen, also where nodes have held more before. Returns
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
    if (machine_steps_left(machine) == 0)
        return FAIL_VOID;
    if (machine_judge_steps(machine, failure) != FAIL_NONE)
        return FAIL_CHECK;
    if (limit == 0 || (machine->travelling == 0 && (!wake || machine->resting == 0)))
        return FAIL_NONE;
    machine_register(machine, &FORWARD_PART);
    if (forward_prepare(machine, rule, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    limit = attempt_limit(machine, limit);
    struct forward_call call = {.machine = machine,
                                .forward = machine->forward,
                                .rule = rule,
                                .waking = wake,
                                .limit = machine_limit_steps(machine, limit),
                                .failure = failure};
    uint32_t peak = begin_proven(machine, rule);
    parallel_run(machine->config.crew, forward_rows, &call);
    end_proven(machine, peak);
    if (call.kind == FAIL_NONE)
        call.kind = machine_judge_steps(machine, failure);
    return attempt_judge(machine, call.kind);
}
