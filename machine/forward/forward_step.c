/* forward_step.c - a step of machine_forward: packets that go straight on move with their slots.
 *
 * The first packet of a queue always crosses its link in the next step, since queues are unbounded. It is in
 * a slot that moves with it (conveyor.c); the others of its queue stay where they are
 * (link_queue.c). A packet that meets others, or is at its stop, is taken out of its slot.
 *
 * A step of a row. The packets that crossed links are in the same slots, a node further. Packets that wait for
 * a copy get it. Then, link after link, packets at their stops do what the rule
 * says, and those that find others in their queue go behind them. At last each queue's first packet enters the
 * slot. A row reads nothing of another one in the same step, so rows take several steps while they are in cache
 * (forward.c).
 *
 * Between calls slots are empty: packets that are under way are in queues.
 * Cost: some twenty operations on words per step for 64 nodes, whatever goes straight on there; a look
 * at 64 due steps for each packet that enters a slot; else O(1) a stop or a packet in a queue, which needs
 * two places of memory far from others. They are fetched while the blocks before
 * are done. Occupancies are added up only where they may be a new peak.
 */
#include "machine/forward/forward_private.h"
#include "machine/tally_private.h"

/* ---- fetching ---- */

/* Fetches the bits of a block that say which queues are not empty, and where their rings begin. */
static void fetch_bits(const struct forward_worker *worker, const struct conveyor_line *line,
                       struct site first)
{
    (void)line;
    fetch_has_effect();
    __builtin_prefetch(forward_block(worker->forward, first), 1);
    link_queues_fetch_bits(&worker->forward->queues, first);
}

/* Fetches the slots and queues of a block in which some packets stop or wait. */
static void fetch_queues(const struct forward_worker *worker, const struct conveyor_line *line,
                         struct site first)
{
    const uint32_t *occupancy = worker->machine->occupancy + first.index;
    fetch_has_effect();
    for (uint32_t i = 0; i < BLOCK; i += CACHE_LINE / sizeof *occupancy)
        __builtin_prefetch(occupancy + i, 1);
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t queued = link_queued(&worker->forward->queues, first)[d];
        if ((line[d].stops[first.col >> BLOCK_SHIFT] | queued) != 0)
            conveyor_fetch(&worker->view, line, first, d);
        if (queued != 0)
            link_queues_fetch(&worker->forward->queues, first, d);
    }
}

/* Fetches the headers and lists of packets that stop or wait at a block; they lie far apart. */
static void fetch_packets(const struct forward_worker *worker, const struct conveyor_line *line,
                          struct site first)
{
    const struct machine *machine = worker->machine;
    const struct forward *forward = worker->forward;
    fetch_has_effect();
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t stops = line[d].stops[first.col >> BLOCK_SHIFT];
        for (; stops != 0; stops &= stops - 1) {
            struct site site = block_site(first, (unsigned)__builtin_ctzll(stops));
            uint32_t packet = (uint32_t)conveyor_word(&worker->view, line, site, d);
            header_fetch(machine, packet);
            expected_fetch(machine->config.expected, site.index);
        }
        if (link_queued(&forward->queues, first)[d] != 0)
            link_queues_fetch_lists(machine, &forward->queues, first, d);
    }
    uint64_t copying = forward_block(forward, first)->copying;
    for (; copying != 0; copying &= copying - 1)
        header_fetch(machine,
                     forward->waiting_first[first.index + (unsigned)__builtin_ctzll(copying)]);
}

/* Fetches, for all packets that stop at a block, the memory that the rule reads. */
static void fetch_for_rule(const struct forward_worker *worker, struct site first)
{
    const struct routing_rule *rule = worker->rule;
    uint64_t all = 0;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t stops = worker->line[d].stops[first.col >> BLOCK_SHIFT];
        all |= stops;
        for (; stops != 0 && rule->fetch != NULL; stops &= stops - 1) {
            struct site site = block_site(first, (unsigned)__builtin_ctzll(stops));
            rule->fetch(rule->context,
                        (uint32_t)conveyor_word(&worker->view, worker->line, site, d));
        }
    }
    if (worker->forward->has_urgencies)
        for (enum direction d = 0; d < DIRECTIONS; d++)
            link_queues_fetch_first(&worker->forward->queues, first, d, all);
}

/* Fetches for the block that comes `ahead` blocks after `first`, in its row or the next, while those between are
 * done. */
static void fetch_ahead(const struct forward_worker *worker, struct site first, uint32_t ahead,
                        void (*fetch)(const struct forward_worker *worker,
                                      const struct conveyor_line *line, struct site first))
{
    const struct conveyor *conveyor = &worker->forward->conveyor;
    uint32_t block = (first.col >> BLOCK_SHIFT) + ahead, behind = block - conveyor->blocks;
    struct site next = {(first.row + 1) * conveyor->cols + behind * BLOCK, first.row + 1,
                        behind * BLOCK};
    if (block < conveyor->blocks)
        fetch(worker, worker->line, block_site(first, ahead * BLOCK));
    else if (worker->next_line != NULL && behind < conveyor->blocks)
        fetch(worker, worker->next_line, next);
}

/* ---- slots and queues ---- */

/* Moves the first packets of the queues of a block into their slots, where these are empty. */
static void fill_slots(struct forward_worker *worker, struct site first)
{
    const struct link_queues *queues = &worker->forward->queues;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t held = worker->line[d].held[first.col >> BLOCK_SHIFT];
        uint64_t nodes = link_queued(queues, first)[d] & ~held;
        if (nodes != 0)
            link_queues_fill(worker->machine, queues, &worker->view, worker->line, first, d, nodes);
    }
}

/* Puts packets that would go straight on over link `d`, but find others in its queue, behind those. Without urgencies
 * the first of these enters the slot at once, since nothing that comes in this step can go before it. */
static void go_behind(struct forward_worker *worker, struct site first, enum direction d,
                      uint64_t nodes)
{
    const struct forward *forward = worker->forward;
    if (nodes == 0)
        return;
    if (!forward->has_urgencies)
        link_queues_exchange(worker->machine, &forward->queues, &worker->view, worker->line, first,
                             d, nodes);
    else
        link_queues_empty_slots(worker->machine, &forward->queues, &worker->view, worker->line,
                                first, d, nodes);
}

/* ---- a step ---- */

static void stop_at(struct forward_worker *worker, struct site first, enum direction d,
                    uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        uint64_t word = conveyor_clear(&worker->view, worker->line, site, d);
        worker->machine->occupancy[site.index]++;
        forward_settle(worker, ARRIVALS, site, (uint32_t)word);
    }
}

/* Discards all packets that it may at a node that has no room for them at the end of the step. Returns how many are
 * left. */
static uint32_t discard_at(struct forward_worker *worker, struct site first, unsigned i)
{
    struct site site = block_site(first, i);
    struct machine *machine = worker->machine;
    const struct forward *forward = worker->forward;
    struct tally *tally = worker->tally;
    uint32_t packet = forward->waiting_first[site.index], last = forward->waiting_last[site.index];
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        if (conveyor_is_taken(worker->line, site, d)) {
            machine->occupancy[site.index]++;
            tally->travelling--;
            attempt_discard(machine, tally, ARRIVALS, site.index,
                            (uint32_t)conveyor_clear(&worker->view, worker->line, site, d));
        }
        while (link_queued(&forward->queues, site)[d] & conveyor_bit(site)) {
            tally->travelling--;
            attempt_discard(machine, tally, ARRIVALS, site.index,
                            (uint32_t)link_queue_take(machine, &forward->queues, site, d));
        }
    }
    struct forward_block *block = forward_block(forward, site);
    for (; block->copying & conveyor_bit(site); packet = (uint32_t)machine->next[packet]) {
        tally->travelling--;
        attempt_discard(machine, tally, ARRIVALS, site.index, packet);
        if (packet == last)
            block->copying &= ~conveyor_bit(site);
    }
    attempt_discard_resting(machine, tally, ARRIVALS, site.index);
    return machine->occupancy[site.index];
}

/* Takes the block's fullest buffers into the tally's peak, if they may be fuller than all before. No node holds more
 * than the block's max_occupancy and the packets in its slots: four if two may meet, else one. */
static void measure(struct forward_worker *worker, struct span span)
{
    uint32_t place = span.start.col >> BLOCK_SHIFT;
    const uint32_t *occupancy = worker->machine->occupancy + span.start.index;
    uint64_t held[DIRECTIONS];
    uint32_t sum[BLOCK];
    for (enum direction d = 0; d < DIRECTIONS; d++)
        held[d] = worker->line[d].held[place];
    uint32_t most = forward_block(worker->forward, span.start)->max_occupancy + conveyor_most(held);
    if (most <= worker->peak_before ||
        conveyor_add(occupancy, held, sum, span.count) <= worker->peak_before)
        return;
    for (uint32_t i = 0; i < span.count; i++) {
        if (!attempt_has_room(worker->machine, sum[i]))
            sum[i] = discard_at(worker, span.start, i);
        tally_holds(worker->tally, span.start.index + i, sum[i]);
    }
}

/* Does the copies, arrivals and departures of a block in which not everything goes straight on. */
static void step_exceptional(struct forward_worker *worker, struct span span)
{
    struct forward_block *block = forward_block(worker->forward, span.start);
    const uint64_t *queued = link_queued(&worker->forward->queues, span.start);
    uint32_t place = span.start.col >> BLOCK_SHIFT;
    worker->passed = 0;
    forward_copy_block(worker, span.start);
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        struct conveyor_line *line = &worker->line[d];
        uint64_t stops = line->stops[place];
        line->stops[place] = 0;
        worker->passed = d + 1;
        go_behind(worker, span.start, d, line->held[place] & queued[d] & ~stops);
        stop_at(worker, span.start, d, stops);
    }
    fill_slots(worker, span.start);
    block->max_occupancy = largest_of(worker->machine->occupancy + span.start.index, span.count);
}

static void step_block(void *of_worker, struct span span)
{
    struct forward_worker *worker = of_worker;
    const struct forward_block *block = forward_block(worker->forward, span.start);
    const uint64_t *queued = link_queued(&worker->forward->queues, span.start);
    uint32_t place = span.start.col >> BLOCK_SHIFT;
    uint64_t coming = 0, exceptional = block->copying;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        coming |= worker->line[d].held[place];
        exceptional |= worker->line[d].stops[place] | queued[d];
    }
    if (exceptional != 0) {
        if (worker->next_line != NULL) {
            fetch_ahead(worker, span.start, 4, fetch_bits);
            fetch_ahead(worker, span.start, 3, fetch_queues);
        }
        fetch_ahead(worker, span.start, 2, fetch_packets);
        fetch_for_rule(worker, span.start);
        step_exceptional(worker, span);
    }
    /* the second: nothing came, but copies that rest may have been made when the call began */
    if ((coming | exceptional) != 0 || block->max_occupancy > worker->peak_before)
        measure(worker, span);
}

void forward_step_row(struct forward_worker *worker, uint32_t row)
{
    struct site start = {row * worker->machine->config.mesh.cols, row, 0};
    if (worker->next_line == NULL) {
        fetch_packets(worker, worker->line, start);
        fetch_ahead(worker, start, 1, fetch_packets);
    }
    worker->tally->packet_hops += conveyor_count(&worker->view, worker->line);
    for_blocks(worker->machine, row, step_block, worker);
}

/* ---- a call ---- */

/* Moves the first packets of a block's queues into slots when a call begins. */
static void load_block(void *of_worker, struct span span)
{
    struct forward_worker *worker = of_worker;
    fill_slots(worker, span.start);
    forward_block(worker->forward, span.start)->max_occupancy =
        largest_of(worker->machine->occupancy + span.start.index, span.count);
}

/* Moves the packets in slots back into queues when a call ends. */
static void unload_block(void *of_worker, struct span span)
{
    struct forward_worker *worker = of_worker;
    struct machine *machine = worker->machine;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t left = worker->line[d].held[span.start.col >> BLOCK_SHIFT];
        for (; left != 0; left &= left - 1) {
            struct site site = block_site(span.start, (unsigned)__builtin_ctzll(left));
            link_queue_put_first(machine, &worker->forward->queues, site, d,
                                 conveyor_clear(&worker->view, worker->line, site, d));
            machine->occupancy[site.index]++;
        }
    }
}

void forward_begin_row(struct forward_worker *worker, uint32_t row)
{
    conveyor_at_row(&worker->view, worker->line, row);
    conveyor_forget(&worker->view, worker->line);
}

void forward_load_row(struct forward_worker *worker, uint32_t row)
{
    for_blocks(worker->machine, row, load_block, worker);
}

void forward_unload_row(struct forward_worker *worker, uint32_t row)
{
    conveyor_at_row(&worker->view, worker->line, row);
    for_blocks(worker->machine, row, unload_block, worker);
}

static void tell_block(void *of_worker, struct span span)
{
    struct forward_worker *worker = of_worker;
    uint32_t place = span.start.col >> BLOCK_SHIFT;
    uint64_t left = 0;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        left |= worker->line[d].held[place];
    for (; left != 0; left &= left - 1)
        conveyor_tell(worker->machine, worker->tally, &worker->view, worker->line,
                      block_site(span.start, (unsigned)__builtin_ctzll(left)));
}

void forward_tell_row(struct forward_worker *worker, uint32_t row)
{
    conveyor_at_row(&worker->view, worker->line, row);
    tell_blocks(worker->machine, row, tell_block, worker);
}
