/* forward.c - store-and-forward routing through queues of links.
 *
 * Each node has one queue a link; in a step the first packet of each queue crosses its link, and
 * is then at its next stop (forward_stop.c), or joins the queue straight ahead. A step has two
 * halves: departures take the first words out of the queues, reading only what the node held at
 * the end of the last step; arrivals pull from the four neighbours. Each node writes only what is
 * its own, so the result is the same for any bands of rows.
 *
 * The queues are planes (queue.c), gone through by blocks of nodes; a row's departures come just
 * before its neighbour's arrivals (blocks.c).
 *
 * Rules by construction: one packet a link (one word in `out`), one action a packet (it stands in
 * one queue), capacity at the end of every step (machine_end_step).
 * Order at a node: what travels north first, then south, west, east.
 * This is the plain way, taken where somebody watches, where nodes discard, and in short calls.
 * Everywhere else packets glide (glide.c).
 * Cost: 104 bytes a node; an idle block of 64 nodes costs two looks a step.
 */
#include "machine/forward_private.h"

#include <string.h>

/* ---- departures ---- */

/* The nodes of a block send the first packet of each queue. */
static void send_block(struct lane *lane, struct span span, size_t block)
{
    struct forward *forward = lane->forward;
    struct queues *queues = &forward->queues;
    uint32_t taken = 0;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        taken += queues_take(lane->machine, queues, span, d);
        if (queues_refill(lane->machine, queues, span, d))
            forward->busy[block] = 1;
    }
    lane->band->packet_hops += taken;
    forward->sent[block] = taken > 0; /* else `out` is empty, and the block may fall idle */
    if (machine_is_watched(lane->machine))
        queues_trace(lane->machine, lane->band, queues, span);
}

void forward_copy_block(struct lane *lane, struct span span)
{
    struct forward *forward = lane->forward;
    size_t block = block_index(forward, span.start.row, span.start.col);
    struct site start = span.start;
    for (uint32_t i = 0; i < span.count; i++) {
        struct site site = {start.index + i, start.row, start.col + i};
        if (i % 8 == 0 && !any_of_eight(forward->waiting + site.index, span.count - i)) {
            i += 7;
        } else if (forward->waiting[site.index]) {
            forward->busy[block] = 1;
            forward_copy(lane, site);
        }
    }
}

static void wake_node(struct lane *lane, struct site site)
{
    struct machine *machine = lane->machine;
    uint32_t packet = machine->resting_first[site.index];
    lane->arriving = DIRECTIONS;
    machine->resting_first[site.index] = MACHINE_NONE;
    while (packet != MACHINE_NONE) {
        uint32_t next = (uint32_t)machine->next[packet];
        lane->band->resting--;
        lane->band->travelling++;
        forward_settle(lane, DEPARTURES, site, packet);
        packet = next;
    }
}

/* The headers of packets some nodes ahead, and later what the rule looks at. */
static void fetch_resting(const struct lane *lane, node_index node, node_index end)
{
    enum { NEAR = 6, FAR = 12 };
    const struct machine *machine = lane->machine;
    uint32_t packet = node + FAR < end ? machine->resting_first[node + FAR] : MACHINE_NONE;
    if (packet != MACHINE_NONE) {
        header_fetch(machine, packet);
        __builtin_prefetch(&machine->next[packet], 1);
    }
    packet = node + NEAR < end ? machine->resting_first[node + NEAR] : MACHINE_NONE;
    if (packet != MACHINE_NONE && lane->rule->fetch != NULL)
        lane->rule->fetch(lane->rule->context, packet);
}

void forward_wake_row(struct lane *lane, struct site start)
{
    node_index end = start.index + lane->machine->config.mesh.cols;
    for (uint32_t col = 0; start.index + col < end; col++) {
        fetch_resting(lane, start.index + col, end);
        wake_node(lane, (struct site){start.index + col, start.row, col});
    }
}

static void depart_block(void *of_band, struct span span)
{
    struct lane *lane = of_band;
    struct forward *forward = lane->forward;
    size_t block = block_index(forward, span.start.row, span.start.col);
    if (lane->waking && span.start.col == 0)
        forward_wake_row(lane, span.start);
    if (!forward->busy[block]) {
        for (int d = 0; forward->sent[block] && d < DIRECTIONS; d++)
            memset(forward->queues.out[d] + span.start.index, 0xff, span.count * sizeof(uint64_t));
        forward->sent[block] = 0;
        return;
    }
    forward->busy[block] = 0;
    send_block(lane, span, block);
    if (!lane->machine->config.copy_is_free)
        forward_copy_block(lane, span);
}

/* ---- arrivals ---- */

static void handle_odd(struct lane *lane, struct site site, enum direction d, uint64_t word)
{
    if (word_stop(word) == (direction_is_vertical(d) ? site.row : site.col))
        forward_settle(lane, ARRIVALS, site, (uint32_t)word);
    else
        forward_enqueue(lane, site, d, word);
}

static void arrive_from(struct lane *lane, struct span span, enum direction d)
{
    struct queues *queues = &lane->forward->queues;
    const uint64_t *in = queues_incoming(lane->machine, queues, span, d);
    struct site start = span.start;
    uint8_t odd[BLOCK];
    queues_pass(lane->machine, queues, span, d, odd);
    lane->arriving = d;
    for (uint32_t i = 0; i < span.count; i++) {
        if (i % 8 == 0 && !any_of_eight(odd + i, span.count - i))
            i += 7;
        if (i < span.count && odd[i])
            handle_odd(lane, (struct site){start.index + i, start.row, start.col + i}, d, in[i]);
    }
}

static void arrive_block(void *of_band, struct span span)
{
    struct lane *lane = of_band;
    struct forward *forward = lane->forward;
    size_t block = block_index(forward, span.start.row, span.start.col);
    const uint8_t *sent = forward->sent + block;
    bool from_sides = sent[0] | sent[1] | sent[-1];
    bool from_south = sent[forward->blocks], from_north = *(sent - forward->blocks);
    if (from_south)
        arrive_from(lane, span, NORTH);
    if (from_north)
        arrive_from(lane, span, SOUTH);
    if (from_sides) {
        arrive_from(lane, span, WEST);
        arrive_from(lane, span, EAST);
    }
    if (from_sides | from_south | from_north)
        forward->busy[block] = 1;
    if (lane->waking | forward->busy[block]) /* copies of its own count too */
        span_measure(lane->machine, lane->band, span);
}

/* ---- a run ---- */

void forward_end_step(struct forwarding *run)
{
    run->kind = machine_end_step(run->machine, run->failure);
    run->limit--;
    run->waking = false;
    run->done = run->kind != FAIL_NONE || run->limit == 0 || run->machine->travelling == 0;
}

static void forward_band(void *context, const struct team *team)
{
    struct forwarding *run = context;
    uint32_t rows = run->machine->config.mesh.rows;
    struct lane lane = {.machine = run->machine,
                        .forward = run->forward,
                        .rule = run->rule,
                        .band = &run->machine->band[team->rank],
                        .enqueue = forward_enqueue};
    struct row_step step = {.lane = &lane,
                            .depart = depart_block,
                            .arrive = arrive_block,
                            .first_row = parallel_band_start(rows, team->rank, team->size),
                            .end_row = parallel_band_start(rows, team->rank + 1, team->size)};
    while (!run->done) {
        lane.waking = run->waking;
        rows_step(run->machine, &step, team);
        parallel_barrier(team);
        if (team->rank == 0)
            forward_end_step(run);
        parallel_barrier(team);
    }
}

/* Other than plainly where nobody wants the events and no node discards: gliding in calls that are
 * long enough to pay for finding who is under way. Packets that are go on as they began. */
static enum forward_way way_of(const struct machine *machine, uint64_t limit)
{
    enum { STEPS_THAT_PAY = 8 };
    if (machine_is_watched(machine) || machine->attempt.has_discarded != NULL)
        return FORWARD_PLAINLY;
    if (machine->forward != NULL && machine->travelling > 0)
        return machine->forward->glides ? FORWARD_GLIDING : FORWARD_PLAINLY;
    return limit >= STEPS_THAT_PAY ? FORWARD_GLIDING : FORWARD_PLAINLY;
}

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
    limit = attempt_limit(machine, limit);
    enum forward_way way = way_of(machine, limit);
    if (forward_prepare(machine, rule, way, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    struct forwarding run = {.machine = machine,
                             .forward = machine->forward,
                             .rule = rule,
                             .waking = wake,
                             .limit = machine_limit_steps(machine, limit),
                             .failure = failure};
    void (*band)(void *run, const struct team *team) = forward_band;
    uint32_t peak = begin_proven(machine, rule);
    if (way == FORWARD_GLIDING)
        band = glide_band;
    parallel_run(machine->config.crew, band, &run);
    end_proven(machine, peak);
    if (run.kind == FAIL_NONE)
        run.kind = machine_judge_steps(machine, failure);
    return attempt_judge(machine, run.kind);
}

bool machine_node_is_busy(const struct machine *machine, node_index node)
{
    const struct forward *forward = machine->forward;
    bool busy = channel_node_is_busy(machine, node);
    if (forward == NULL)
        return busy;
    busy |= forward->waiting[node];
    for (int d = 0; d < DIRECTIONS && forward->queues.head[d] != NULL; d++)
        busy |= forward->queues.head[d][node] != NO_WORD;
    return busy | glide_node_is_busy(machine, node);
}
