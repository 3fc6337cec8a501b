/* forward.c - store-and-forward routing through unbounded first-in-first-out queues.
 *
 * Each node has one queue a link; in a step the first packet of each queue crosses its link, and
 * is then at its next stop, where the rule says what becomes of it, or joins the queue straight
 * ahead. A queue's first packet is kept beside the node as one word, `stop << 32 | packet`; those
 * behind it are a list through machine->next, so that an idle queue costs one bit of its node.
 * A step has two halves with a barrier between them: departures take words out of the queues
 * (reading only what the node held at the end of the last step), arrivals pull from the four
 * neighbours. Each node writes only its own queues, so the result is the same for any bands.
 *
 * Rules by construction: one packet a link (one pop a queue), one action a packet (it stands in
 * one queue), with unit copies one copy a node (one `work` item a step; what was copied enters a
 * queue whose packet for this step has left already). With free copies a packet that arrives is
 * split at once and its copies leave in the next step.
 * Order at a node: arrivals from the south, north, east and west, in that order.
 * Cost: 82 bytes a node; O(1) a packet hop, and a byte's look at an idle node.
 */
#include "machine/machine_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WORK = 1 << 4 }; /* bit of `active`: packets wait for the node's copy */

struct forward {
    uint64_t *head[DIRECTIONS]; /* of each queue: its first word, if its bit of `active` is set */
    uint32_t *tail[DIRECTIONS]; /* its last packet */
    uint64_t
        *out[DIRECTIONS]; /* what crosses the link in this step, if its bit of `moved` is set */
    uint32_t *work_first, *work_last; /* packets that wait for the node's copy, as a list */
    uint8_t *active, *moved;          /* padded: read one row beyond the mesh */
};

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

/* One thread's view of it. */
struct lane {
    struct machine *machine;
    struct forward *forward;
    const struct routing_rule *rule;
    struct band *band;
    uint32_t first_row, end_row;
};

static void forward_release(struct machine *machine, struct forward *forward)
{
    if (forward == NULL)
        return;
    for (int d = 0; d < DIRECTIONS; d++) {
        free(forward->head[d]);
        free(forward->tail[d]);
        free(forward->out[d]);
    }
    free(forward->work_first);
    free(forward->work_last);
    padded_free(machine, forward->active, 1);
    padded_free(machine, forward->moved, 1);
    free(forward);
}

void forward_free(struct machine *machine)
{
    forward_release(machine, machine->forward);
    machine->forward = NULL;
}

static enum failure_kind forward_prepare(struct machine *machine, struct failure *failure)
{
    if (machine->forward != NULL)
        return FAIL_NONE;
    struct forward *forward = memory_allocate(1, sizeof *forward);
    if (forward == NULL)
        return fail_memory(failure, "the links' queues");
    bool whole = true;
    for (int d = 0; d < DIRECTIONS; d++) {
        forward->head[d] = memory_allocate(machine->nodes, sizeof(uint64_t));
        forward->tail[d] = memory_allocate(machine->nodes, sizeof(uint32_t));
        forward->out[d] = memory_allocate(machine->nodes, sizeof(uint64_t));
        whole = whole && forward->head[d] && forward->tail[d] && forward->out[d];
    }
    forward->work_first = memory_allocate(machine->nodes, sizeof(uint32_t));
    forward->work_last = memory_allocate(machine->nodes, sizeof(uint32_t));
    forward->active = padded_allocate(machine, 1);
    forward->moved = padded_allocate(machine, 1);
    if (whole && forward->work_first && forward->work_last && forward->active && forward->moved) {
        machine->forward = forward;
        return FAIL_NONE;
    }
    forward_release(machine, forward);
    return fail_memory(failure, "the links' queues");
}

/* ---- what happens at a stop ---- */

static void enqueue(struct lane *lane, node_index node, enum direction d, uint64_t word)
{
    struct forward *forward = lane->forward;
    if (forward->active[node] & (1u << d)) {
        lane->machine->next[forward->tail[d][node]] = word;
    } else {
        forward->head[d][node] = word;
        forward->active[node] |= (uint8_t)(1u << d);
    }
    forward->tail[d][node] = (uint32_t)word;
}

/* Sends `packet` on its way over link `d`. The stop must lie ahead, within the mesh: otherwise the
 * rule would send a packet off the mesh. */
static void depart(struct lane *lane, struct site site, uint32_t packet, enum direction d)
{
    uint32_t stop = lane->rule->stop(lane->rule->context, site, packet, d);
    struct mesh mesh = lane->machine->config.mesh;
    uint32_t here = direction_is_vertical(d) ? site.row : site.col;
    uint32_t side = direction_is_vertical(d) ? mesh.rows : mesh.cols;
    assert(d == NORTH || d == WEST ? stop < here : stop > here && stop < side);
    (void)here;
    (void)side;
    enqueue(lane, site.index, d, (uint64_t)stop << 32 | packet);
}

/* The packet does its one remaining part. */
static void finish(struct lane *lane, enum half half, struct site site, uint32_t packet,
                   unsigned part)
{
    struct machine *machine = lane->machine;
    struct band *band = lane->band;
    if (part & PART_LINKS) {
        depart(lane, site, packet, (enum direction)__builtin_ctz(part));
        return;
    }
    band->travelling--;
    if (part == PART_PARK) {
        machine_rest(machine, site.index, packet);
        band->resting++;
        return;
    }
    machine->occupancy[site.index]--;
    if (part == PART_HERE) {
        assert(machine->header.first[packet] == packet);
        band_deliver(machine, band, half, site, packet, packet);
    } else {
        assert(part == PART_DISCARD);
        band_event(machine, band, half, (struct event){{site.index, packet, 0}, 'R'});
    }
}

/* Makes one copy of the packet: of its message into the output queue, or of the packet. */
static void copy_once(struct lane *lane, enum half half, struct site site, uint32_t packet,
                      unsigned parts)
{
    const struct routing_rule *rule = lane->rule;
    struct band *band = lane->band;
    unsigned part = parts & PART_HERE ? (unsigned)PART_HERE : parts & -parts;
    assert(part & (PART_LINKS | PART_HERE));
    uint32_t taken = rule->take(rule->context, site, packet, (enum part)part);
    assert(taken != packet);
    if (part == PART_HERE) {
        band_deliver(lane->machine, band, half, site, packet, taken);
        return;
    }
    band->copies++;
    band->travelling++;
    lane->machine->occupancy[site.index]++;
    band_event(lane->machine, band, half, (struct event){{site.index, packet, taken}, 'C'});
    depart(lane, site, taken, (enum direction)__builtin_ctz(part));
}

static void wait_for_copy(struct lane *lane, node_index node, uint32_t packet)
{
    struct forward *forward = lane->forward;
    if (forward->active[node] & WORK)
        lane->machine->next[forward->work_last[node]] = packet;
    else
        forward->work_first[node] = packet;
    forward->work_last[node] = packet;
    forward->active[node] |= WORK;
}

/* The packet is at a stop. With free copies all is done at once. */
static void settle(struct lane *lane, enum half half, struct site site, uint32_t packet)
{
    const struct routing_rule *rule = lane->rule;
    unsigned parts = rule->parts(rule->context, site, packet);
    while (!is_single_part(parts)) {
        if (!lane->machine->config.copy_is_free) {
            wait_for_copy(lane, site.index, packet);
            return;
        }
        copy_once(lane, half, site, packet, parts);
        parts = rule->parts(rule->context, site, packet);
    }
    finish(lane, half, site, packet, parts);
}

/* Unit copies: the node makes its one copy of this step, for the packet that waits longest. */
static void work_once(struct lane *lane, struct site site)
{
    struct forward *forward = lane->forward;
    const struct routing_rule *rule = lane->rule;
    uint32_t packet = forward->work_first[site.index];
    unsigned parts = rule->parts(rule->context, site, packet);
    bool copied = !is_single_part(parts);
    if (copied) {
        copy_once(lane, DEPARTURES, site, packet, parts);
        parts = rule->parts(rule->context, site, packet);
        /* a delivery that ends the packet is left to the next step: it was copied in this one */
        if (!is_single_part(parts) || parts == PART_HERE) {
            band_occupancy(lane->machine, lane->band, site.index);
            return;
        }
    }
    if (forward->work_last[site.index] == packet)
        forward->active[site.index] &= (uint8_t)~WORK;
    else
        forward->work_first[site.index] = (uint32_t)lane->machine->next[packet];
    finish(lane, DEPARTURES, site, packet, parts);
    band_occupancy(lane->machine, lane->band, site.index);
}

/* ---- the two halves of a step ---- */

static void wake_node(struct lane *lane, struct site site)
{
    struct machine *machine = lane->machine;
    uint32_t packet = machine->resting_first[site.index];
    machine->resting_first[site.index] = MACHINE_NONE;
    while (packet != MACHINE_NONE) {
        uint32_t next = (uint32_t)machine->next[packet];
        lane->band->resting--;
        lane->band->travelling++;
        settle(lane, DEPARTURES, site, packet);
        packet = next;
    }
}

static void wake_row(struct lane *lane, uint32_t row)
{
    uint32_t cols = lane->machine->config.mesh.cols;
    for (uint32_t col = 0; col < cols; col++)
        wake_node(lane, (struct site){row * cols + col, row, col});
}

static void depart_node(struct lane *lane, node_index node, unsigned links, uint32_t cols)
{
    struct forward *forward = lane->forward;
    struct machine *machine = lane->machine;
    machine->occupancy[node] -= (uint32_t)__builtin_popcount(links);
    lane->band->packet_hops += (uint32_t)__builtin_popcount(links);
    unsigned emptied = 0;
    for (unsigned left = links; left != 0; left &= left - 1) {
        int d = __builtin_ctz(left);
        uint64_t word = forward->head[d][node];
        uint32_t packet = (uint32_t)word;
        forward->out[d][node] = word;
        if (forward->tail[d][node] == packet)
            emptied |= 1u << d;
        else
            forward->head[d][node] = machine->next[packet];
        if (machine->config.trace != NULL) {
            const int step[DIRECTIONS] = {-(int)cols, (int)cols, -1, 1};
            band_event(machine, lane->band, DEPARTURES,
                       (struct event){{packet, node, node + (uint32_t)step[d]}, 'M'});
        }
    }
    forward->active[node] &= (uint8_t)~emptied;
}

/* Eight nodes are looked at together, so that an idle region costs next to nothing. */
static void depart_row(struct lane *lane, uint32_t row)
{
    struct forward *forward = lane->forward;
    uint32_t cols = lane->machine->config.mesh.cols;
    node_index start = row * cols;
    for (uint32_t col = 0; col < cols; col += 8) {
        uint64_t eight = 1;
        uint32_t end = col + 8 < cols ? col + 8 : cols;
        if (end - col == 8)
            memcpy(&eight, forward->active + start + col, sizeof eight);
        if (eight == 0) {
            memset(forward->moved + start + col, 0, 8);
            continue;
        }
        for (uint32_t c = col; c < end; c++) {
            node_index node = start + c;
            unsigned active = forward->active[node], links = active & PART_LINKS;
            forward->moved[node] = (uint8_t)links;
            if (links != 0)
                depart_node(lane, node, links, cols);
            if (active & WORK)
                work_once(lane, (struct site){node, row, c});
        }
    }
}

/* The packets that arrive at `site`; bit d of `links` is set if one arrives that travels in
 * direction d. */
static void arrive_node(struct lane *lane, struct site site, unsigned links)
{
    struct forward *forward = lane->forward;
    struct machine *machine = lane->machine;
    uint32_t cols = machine->config.mesh.cols;
    const node_index from[DIRECTIONS] = {site.index + cols, site.index - cols, site.index + 1,
                                         site.index - 1};
    machine->occupancy[site.index] += (uint32_t)__builtin_popcount(links);
    for (; links != 0; links &= links - 1) {
        int d = __builtin_ctz(links);
        uint64_t word = forward->out[d][from[d]];
        uint32_t stop = (uint32_t)(word >> 32);
        if (stop == (direction_is_vertical((enum direction)d) ? site.row : site.col))
            settle(lane, ARRIVALS, site, (uint32_t)word);
        else
            enqueue(lane, site.index, (enum direction)d, word);
    }
    band_occupancy(machine, lane->band, site.index);
}

static void arrive_row(struct lane *lane, uint32_t row)
{
    const uint8_t *moved = lane->forward->moved;
    uint32_t cols = lane->machine->config.mesh.cols;
    node_index start = row * cols;
    const uint8_t *north = moved + start - cols, *south = moved + start + cols;
    const uint8_t *west = moved + start - 1, *east = moved + start + 1;
    enum { BLOCK = 64 };
    uint8_t arrivals[BLOCK];
    for (uint32_t col = 0; col < cols; col += BLOCK) {
        uint32_t count = cols - col < BLOCK ? cols - col : BLOCK;
        uint8_t any = 0;
        for (uint32_t i = 0; i < count; i++) {
            arrivals[i] = (uint8_t)((south[col + i] & PART_NORTH) | (north[col + i] & PART_SOUTH) |
                                    (east[col + i] & PART_WEST) | (west[col + i] & PART_EAST));
            any |= arrivals[i];
        }
        for (uint32_t i = 0; any != 0 && i < count; i++)
            if (arrivals[i] != 0)
                arrive_node(lane, (struct site){start + col + i, row, col + i}, arrivals[i]);
    }
}

/* After a wake buffers may have grown at nodes where nothing arrives. */
static void measure_band(struct lane *lane)
{
    uint32_t cols = lane->machine->config.mesh.cols;
    for (node_index node = lane->first_row * cols; node < lane->end_row * cols; node++)
        band_occupancy(lane->machine, lane->band, node);
}

static void end_step(struct forwarding *run)
{
    run->kind = machine_end_step(run->machine, run->failure);
    run->limit--;
    run->waking = false;
    run->done = run->kind != FAIL_NONE || run->limit == 0 || run->machine->travelling == 0;
}

static void forward_band(void *context, uint32_t rank, uint32_t size)
{
    struct forwarding *run = context;
    uint32_t rows = run->machine->config.mesh.rows;
    struct lane lane = {run->machine,
                        run->forward,
                        run->rule,
                        &run->machine->band[rank],
                        parallel_band_start(rows, rank, size),
                        parallel_band_start(rows, rank + 1, size)};
    while (!run->done) {
        bool waking = run->waking;
        for (uint32_t row = lane.first_row; row < lane.end_row; row++) {
            if (waking)
                wake_row(&lane, row);
            depart_row(&lane, row);
        }
        parallel_barrier();
        for (uint32_t row = lane.first_row; row < lane.end_row; row++)
            arrive_row(&lane, row);
        if (waking)
            measure_band(&lane);
        parallel_barrier();
        if (rank == 0)
            end_step(run);
        parallel_barrier();
    }
}

enum failure_kind machine_forward(struct machine *machine, const struct routing_rule *rule,
                                  bool wake, uint64_t limit, struct failure *failure)
{
    if (limit == 0 || (machine->travelling == 0 && (!wake || machine->resting == 0)))
        return FAIL_NONE;
    if (forward_prepare(machine, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    struct forwarding run = {.machine = machine,
                             .forward = machine->forward,
                             .rule = rule,
                             .waking = wake,
                             .limit = limit,
                             .failure = failure};
    parallel_run(machine->config.threads, forward_band, &run);
    return run.kind;
}

bool machine_node_is_busy(const struct machine *machine, node_index node)
{
    return machine->forward != NULL && machine->forward->active[node] != 0;
}
