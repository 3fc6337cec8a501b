/* forward.c - store-and-forward routing through queues of links.
 *
 * Each node has one queue a link; in a step the first packet of each queue crosses its link, and
 * is then at its next stop (forward_stop.c), or joins the queue straight ahead. A step has two
 * halves: departures take the first words out of the queues, reading only what the node held at
 * the end of the last step; arrivals pull from the four neighbours. Each node writes only what is
 * its own, so the result is the same for any bands of rows.
 *
 * The common case, a packet that passes straight through a node with an empty queue, is a copy, a
 * comparison and a selection on planes of words, without a branch, a block of a row at a time;
 * queues of several packets and stops are picked out and handled one by one. A band departs from
 * each row just before its neighbour arrives, while both are in cache; only its first and last
 * row must depart before the other bands arrive.
 *
 * Rules by construction: one packet a link (one word in `out`), one action a packet (it stands in
 * one queue), capacity at the end of every step (machine_end_step).
 * Order at a node: what travels north first, then south, west, east.
 * Queues are unbounded, or held within input channels of rule->slots packets (forward_credit.c).
 * Cost: 104 bytes a node; an idle block of 64 nodes costs two looks a step.
 */
#include "machine/forward_private.h"

#include <assert.h>
#include <string.h>

/* One call of machine_forward. */
struct forwarding {
    struct machine *machine;
    struct forward *forward;
    const struct routing_rule *rule;
    bool waking; /* the next step is the first after a wake */
    bool done;
    uint64_t limit;
    enum failure_kind kind;
    struct failure *failure;
};

/* ---- departures ---- */

/* Takes the first words of `count` queues out; returns how many there were. */
VECTORISED static uint32_t take_heads(uint64_t *restrict head, uint64_t *restrict out,
                                      uint32_t *restrict occupancy, uint32_t count)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t is_word = head[i] != NO_WORD;
        out[i] = head[i];
        head[i] = NO_WORD;
        occupancy[i] -= is_word;
        taken += is_word;
    }
    return taken;
}

/* Where a queue holds more packets the second becomes the first; tells whether there were any. */
static bool refill_heads(struct lane *lane, enum direction d, node_index start, uint32_t count)
{
    struct forward *forward = lane->forward;
    uint8_t *more = forward->more[d] + start;
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        if (i % 8 == 0 && !forward_any_of_eight(more + i, count - i))
            i += 7;
        if (i >= count || !more[i] || forward->out[d][start + i] == NO_WORD)
            continue; /* a word that was held back is still the first */
        uint64_t word = lane->machine->next[(uint32_t)forward->out[d][start + i]];
        forward->head[d][start + i] = word;
        more[i] = forward->tail[d][start + i] != (uint32_t)word;
        any = true;
    }
    return any;
}

static void trace_departures(struct lane *lane, node_index start, uint32_t count)
{
    const int cols = (int)lane->machine->config.mesh.cols;
    const int offset[DIRECTIONS] = {-cols, cols, -1, 1};
    for (node_index node = start; node < start + count; node++) {
        for (int d = 0; d < DIRECTIONS; d++) {
            uint64_t word = lane->forward->out[d][node];
            if (word != NO_WORD)
                band_event(lane->machine, lane->band, DEPARTURES,
                           (struct machine_event){
                               {(uint32_t)word, node, node + (uint32_t)offset[d]}, 'M'});
        }
    }
}

/* The nodes of a block send the first packet of each queue, and make a copy if packets wait. */
static void depart_block(struct lane *lane, struct site start, uint32_t count)
{
    struct forward *forward = lane->forward;
    struct machine *machine = lane->machine;
    size_t block = block_index(forward, start.row, start.col);
    if (!forward->busy[block]) {
        for (int d = 0; forward->sent[block] && d < DIRECTIONS; d++)
            memset(forward->out[d] + start.index, 0xff, count * sizeof(uint64_t));
        forward->sent[block] = 0;
        return;
    }
    uint32_t taken = 0;
    forward->busy[block] = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        taken += forward->slots > 0
                     ? credit_take(lane, (struct span){start, count}, (enum direction)d)
                     : take_heads(forward->head[d] + start.index, forward->out[d] + start.index,
                                  machine->occupancy + start.index, count);
        if (refill_heads(lane, (enum direction)d, start.index, count))
            forward->busy[block] = 1;
    }
    lane->band->packet_hops += taken;
    forward->sent[block] = taken > 0; /* else `out` is empty, and the block may fall idle */
    if (machine_is_watched(machine))
        trace_departures(lane, start.index, count);
    for (uint32_t i = 0; !machine->config.copy_is_free && i < count; i++) {
        struct site site = {start.index + i, start.row, start.col + i};
        if (i % 8 == 0 && !forward_any_of_eight(forward->waiting + site.index, count - i)) {
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

static void depart_row(struct lane *lane, uint32_t row, bool waking)
{
    uint32_t cols = lane->machine->config.mesh.cols;
    for (uint32_t col = 0; waking && col < cols; col++)
        wake_node(lane, (struct site){row * cols + col, row, col});
    for (uint32_t col = 0; col < cols; col += BLOCK)
        depart_block(lane, (struct site){row * cols + col, row, col},
                     cols - col < BLOCK ? cols - col : BLOCK);
}

/* ---- arrivals ---- */

/* Packets in `in` that pass through a node whose queue is empty become its first; the others are
 * marked in `odd`. A packet stops where its stop is `coordinate` (+ i with `moving` 1). */
VECTORISED static void pass_straight(const uint64_t *restrict in, uint64_t *restrict head,
                                     uint32_t *restrict occupancy, uint8_t *restrict odd,
                                     const uint32_t place[static 3])
{
    uint64_t coordinate = place[0], moving = place[1];
    for (uint32_t i = 0; i < place[2]; i++) {
        uint64_t word = in[i], first = head[i];
        bool arrives = word != NO_WORD, stops = word_stop(word) == coordinate + moving * i;
        bool passes = !stops & (first == NO_WORD);
        head[i] = passes ? word : first;
        occupancy[i] += arrives;
        odd[i] = arrives & !passes;
    }
}

static void handle_odd(struct lane *lane, struct site site, enum direction d, uint64_t word)
{
    if (word_stop(word) == (direction_is_vertical(d) ? site.row : site.col))
        forward_settle(lane, ARRIVALS, site, (uint32_t)word);
    else
        forward_enqueue(lane, site, d, word);
}

static void arrive_from(struct lane *lane, struct site start, uint32_t count, enum direction d)
{
    struct forward *forward = lane->forward;
    uint32_t cols = lane->machine->config.mesh.cols;
    const node_index from[DIRECTIONS] = {start.index + cols, start.index - cols, start.index + 1,
                                         start.index - 1};
    const uint64_t *in = forward->out[d] + (ptrdiff_t)(int32_t)from[d];
    bool vertical = direction_is_vertical(d);
    const uint32_t place[3] = {vertical ? start.row : start.col, !vertical, count};
    uint8_t odd[BLOCK];
    pass_straight(in, forward->head[d] + start.index, lane->machine->occupancy + start.index, odd,
                  place);
    if (forward->slots > 0)
        credit_pass(lane, (struct span){start, count}, d, in, odd);
    lane->arriving = d;
    for (uint32_t i = 0; i < count; i++) {
        if (i % 8 == 0 && !forward_any_of_eight(odd + i, count - i))
            i += 7;
        if (i < count && odd[i])
            handle_odd(lane, (struct site){start.index + i, start.row, start.col + i}, d, in[i]);
    }
}

VECTORISED static uint32_t largest(const uint32_t *value, uint32_t count)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = value[i] > most ? value[i] : most;
    return most;
}

static void measure_block(struct lane *lane, node_index start, uint32_t count)
{
    if (largest(lane->machine->occupancy + start, count) <= lane->band->peak)
        return;
    for (node_index node = start; node < start + count; node++)
        band_occupancy(lane->machine, lane->band, node);
}

static void arrive_block(struct lane *lane, struct site start, uint32_t count, bool waking)
{
    struct forward *forward = lane->forward;
    size_t block = block_index(forward, start.row, start.col);
    const uint8_t *sent = forward->sent + block;
    bool from_sides = sent[0] | sent[1] | sent[-1];
    if (sent[forward->blocks])
        arrive_from(lane, start, count, NORTH);
    if (*(sent - forward->blocks))
        arrive_from(lane, start, count, SOUTH);
    if (from_sides) {
        arrive_from(lane, start, count, WEST);
        arrive_from(lane, start, count, EAST);
    }
    if (from_sides | sent[forward->blocks] | *(sent - forward->blocks)) {
        forward->busy[block] = 1;
        measure_block(lane, start.index, count);
    } else if (waking | forward->busy[block]) { /* copies of its own */
        measure_block(lane, start.index, count);
    }
    if (forward->slots > 0 && (forward->busy[block] | sent[0]))
        credit_note_full(lane, (struct span){start, count});
}

static void arrive_row(struct lane *lane, uint32_t row, bool waking)
{
    uint32_t cols = lane->machine->config.mesh.cols;
    for (uint32_t col = 0; col < cols; col += BLOCK)
        arrive_block(lane, (struct site){row * cols + col, row, col},
                     cols - col < BLOCK ? cols - col : BLOCK, waking);
}

/* ---- a run ---- */

static void end_step(struct forwarding *run)
{
    uint64_t hops = run->machine->counts.packet_hops;
    run->kind = machine_end_step(run->machine, run->failure);
    run->limit--;
    run->waking = false;
    run->done = run->kind != FAIL_NONE || run->limit == 0 || run->machine->travelling == 0;
    /* credits never hold everything back: forward_credit.c says why */
    assert(run->forward->slots == 0 || run->done || run->machine->counts.packet_hops > hops);
    (void)hops;
}

/* One step of one band. A trace wants its events by rows, so then all rows depart first. */
static void step_band(struct lane *lane, bool waking, const struct team *team)
{
    uint32_t first = lane->first_row, end = lane->end_row;
    bool rolling = !machine_is_watched(lane->machine) && end - first > 2;
    if (rolling) {
        depart_row(lane, first, waking);
        depart_row(lane, end - 1, waking);
    }
    for (uint32_t row = first; !rolling && row < end; row++)
        depart_row(lane, row, waking);
    parallel_barrier(team);
    for (uint32_t row = first; row < end; row++) {
        if (rolling && row + 2 < end)
            depart_row(lane, row + 1, waking);
        arrive_row(lane, row, waking);
    }
}

static void forward_band(void *context, const struct team *team)
{
    struct forwarding *run = context;
    uint32_t rows = run->machine->config.mesh.rows;
    struct lane lane = {.machine = run->machine,
                        .forward = run->forward,
                        .rule = run->rule,
                        .band = &run->machine->band[team->rank],
                        .first_row = parallel_band_start(rows, team->rank, team->size),
                        .end_row = parallel_band_start(rows, team->rank + 1, team->size)};
    while (!run->done) {
        step_band(&lane, run->waking, team);
        parallel_barrier(team);
        if (team->rank == 0)
            end_step(run);
        parallel_barrier(team);
    }
}

enum failure_kind machine_forward(struct machine *machine, const struct routing_rule *rule,
                                  bool wake, uint64_t limit, struct failure *failure)
{
    if (machine_steps_left(machine) == 0)
        return FAIL_VOID;
    if (limit == 0 || (machine->travelling == 0 && (!wake || machine->resting == 0)))
        return FAIL_NONE;
    if (forward_prepare(machine, rule->slots, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    struct forwarding run = {.machine = machine,
                             .forward = machine->forward,
                             .rule = rule,
                             .waking = wake,
                             .limit = attempt_limit(machine, limit),
                             .failure = failure};
    parallel_run(machine->config.threads, forward_band, &run);
    return attempt_judge(machine, run.kind);
}

bool machine_node_is_busy(const struct machine *machine, node_index node)
{
    const struct forward *forward = machine->forward;
    bool busy = channel_node_is_busy(machine, node);
    if (forward == NULL)
        return busy;
    busy |= forward->waiting[node];
    for (int d = 0; d < DIRECTIONS; d++)
        busy |= forward->head[d][node] != NO_WORD;
    return busy;
}
