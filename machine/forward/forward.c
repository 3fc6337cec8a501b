/* forward.c - store-and-forward routing through queues of links.
 *
 * Each node has one queue per link; in a step the first packet of each queue crosses its link, and
 * is then at its next stop, or joins the queue straight ahead.
 *   A step of a row. The first packet of a queue always crosses its link in the next step, since
 * queues are unbounded. It is in a slot that moves with it (conveyor.c); the others of its queue
 * stay where they are (link_queue.c). After the packets that crossed links are a node further in
 * the same slots, packets that wait for a copy get it. Then, link after link, packets at their
 * stops do what the rule says, and those that find others in their queue go behind them. At last
 * each queue's first packet enters the slot. A row reads nothing of another one in the same step,
 * so rows take several steps while they are in cache. Between calls slots are empty: packets that
 * are under way are in queues.
 *   A stop. The rule gives the packet's outputs. If there is one, the packet leaves, is delivered
 * and ends, rests, or is discarded. If there are several, a copy is made for one output after
 * another, and the packet keeps the rest: with free copies in the step of its arrival, with unit
 * copies one per step and node, first come first served. By rules 2 and 3 of the model neither the
 * packet nor its copy may do anything else in that step: they enter queues whose packet for the
 * step has left already.
 *
 * Rules that hold by construction: a link carries one packet (it has one slot), a packet does one
 * thing per step (it is in one slot or one queue). The capacity is checked at the end of every step
 * (machine_end_step).
 *   Order at a node: packets that travel north first, then south, west, east.
 * Cost: 48 bytes per node for slots (and as many for up to eight more rows, since rows may be some
 * steps apart), 240 for their queues, 8 for packets that wait for copies, and 5.5 for bits and
 * blocks (352 bytes per block, even if the last one of a row is not full). Some twenty operations
 * on words per step for 64 nodes, for any number of packets that go straight on; a look at 64 due
 * steps per packet that enters a slot; else O(1) per stop or packet in a queue, and the cost of the
 * rule. A stop needs two places of memory far from others, which are fetched while the blocks
 * before are done. Occupancies are added up only where they may be a new peak.
 */
#include "machine/forward.h"

#include "machine/ranks/border.h"
#include "machine/transit/conveyor.h"

#include <assert.h>
#include <stdlib.h>

struct forward_block {
    uint64_t copying;       /* nodes at which packets wait for a copy, node i at bit i */
    uint32_t max_occupancy; /* no node holds more, without slots */
};

struct forward {
    struct conveyor conveyor;    /* first packets of queues; empty between calls */
    struct link_queues queues;   /* the remaining packets */
    struct forward_block *block; /* [row][block] */
    /* [node]: the list of the packets that wait for a copy, valid if .. */
    uint32_t *waiting_first;
    uint32_t *waiting_last;     /* .. `copying` says so */
    bool has_urgencies;         /* some packet may have an urgency */
    struct wave_tallies counts; /* of the steps of a wave */
};

/* One thread's part of a call of machine_forward. */
struct forward_worker {
    struct machine *machine;
    struct forward *forward;
    const struct routing_rule *rule;
    struct tally *tally;
    struct conveyor_view view; /* the step of this call; 0: before the first */
    uint32_t peak_before;      /* some node has held as much at the end of a step before this one */
    unsigned passed; /* packets that go straight on in directions below this one are in slots */
    struct conveyor_line rows[CONVEYOR_ROWS][DIRECTIONS]; /* memory for both of .. */
    struct conveyor_line *line;                           /* [direction]: the current row .. */
    struct conveyor_line *next_line;                      /* .. and the next one; or NULL */
};

static inline struct forward_block *forward_block(const struct forward *forward, struct site site)
{
    return &forward->block[(size_t)site.row * forward->conveyor.blocks + (site.col >> BLOCK_SHIFT)];
}

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

/* Makes the arrays if there are none, and finds if packets may have urgencies: packets under way
 * may, even if the rule of this call gives none. */
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

/* ---- a stop ---- */

/* Puts `word`, which the rule sends over link `d`, into the queue, after all that are at least as
 * urgent; or into the slot, if nothing else may enter it in this step. */
static void enqueue(struct forward_worker *worker, struct site site, enum direction d,
                    uint64_t word)
{
    struct machine *machine = worker->machine;
    const struct link_queues *queues = &worker->forward->queues;
    bool is_open = d < worker->passed && !(link_queued(queues, site)[d] & conveyor_bit(site));
    bool is_taken = conveyor_is_taken(worker->line, site, d);
    if (is_open && !is_taken) {
        machine->occupancy[site.index]--;
        conveyor_set(&worker->view, worker->line, site, d, word);
        return;
    }
    if (is_open && worker->forward->has_urgencies) {
        machine->occupancy[site.index]++;
        link_queue_put(machine, queues, site, d,
                       conveyor_clear(&worker->view, worker->line, site, d));
    }
    link_queue_put(machine, queues, site, d, word);
}

/* Sends `packet` on its way over link `d`. */
static void depart(struct forward_worker *worker, struct site site, uint32_t packet,
                   enum direction d)
{
    const struct routing_rule *rule = worker->rule;
    uint32_t stop = rule->stop(rule->context, site, packet, d), urgency = 0;
    assert(is_ahead(worker->machine, site, d, stop));
    if (rule->urgency != NULL)
        urgency = rule->urgency(rule->context, site, packet, d);
    assert(urgency <= MACHINE_MAX_URGENCY);
    enqueue(worker, site, d,
            (uint64_t)urgency << URGENCY_SHIFT | (uint64_t)stop << STOP_SHIFT | packet);
}

/* Sends the packet to its one remaining output. */
static void finish(struct forward_worker *worker, enum event_group group, struct site site,
                   uint32_t packet, unsigned part)
{
    struct machine *machine = worker->machine;
    struct tally *tally = worker->tally;
    if (part & OUT_LINKS) {
        depart(worker, site, packet, (enum direction)__builtin_ctz(part));
        return;
    }
    if (part == OUT_HOLD) {
        tally_rest(machine, tally, site.index, packet);
        return;
    }
    tally->travelling--;
    machine->occupancy[site.index]--;
    if (part == OUT_EJECT) {
        assert(machine->header.packet[packet].first == packet);
        tally_deliver(machine, tally, group, site, packet, packet);
    } else {
        assert(part == OUT_DISCARD);
        tally_discard(machine, tally, group, site.index, packet);
    }
}

/* Makes one copy: of the packet's message into the output queue, or of the packet for one of its
 * outputs. */
static void copy_once(struct forward_worker *worker, enum event_group group, struct site site,
                      uint32_t packet, unsigned outputs)
{
    const struct routing_rule *rule = worker->rule;
    struct tally *tally = worker->tally;
    unsigned choice = outputs & ~(unsigned)OUT_AGAIN;
    unsigned part = outputs & OUT_EJECT ? (unsigned)OUT_EJECT : choice & -choice;
    assert(part & (OUT_LINKS | OUT_EJECT | OUT_HOLD));
    uint32_t taken = rule->take(rule->context, site, packet, (enum output)part);
    assert(taken != packet);
    if (part == OUT_EJECT) {
        tally_deliver(worker->machine, tally, group, site, packet, taken);
        return;
    }
    tally_copy(worker->machine, tally, group, site.index, packet, taken);
    finish(worker, group, site, taken, part);
}

static void wait_for_copy(struct forward_worker *worker, struct site site, uint32_t packet)
{
    struct forward *forward = worker->forward;
    struct forward_block *block = forward_block(forward, site);
    if (block->copying & conveyor_bit(site))
        worker->machine->next[forward->waiting_last[site.index]] = packet;
    else
        forward->waiting_first[site.index] = packet;
    forward->waiting_last[site.index] = packet;
    block->copying |= conveyor_bit(site);
}

/* Applies the rule to a packet at its stop. With free copies all is done at once; with unit copies
 * a packet that must be copied waits for its node. */
static void settle(struct forward_worker *worker, enum event_group group, struct site site,
                   uint32_t packet)
{
    const struct routing_rule *rule = worker->rule;
    unsigned outputs = rule->outputs(rule->context, site, packet);
    for (uint32_t copies = 0; !is_single_output(outputs); copies++) {
        if (!worker->machine->config.copy_is_free) {
            wait_for_copy(worker, site, packet);
            return;
        }
        assert(copies < worker->machine->header.slots); /* each has a name of its own */
        copy_once(worker, group, site, packet, outputs);
        outputs = rule->outputs(rule->context, site, packet);
    }
    finish(worker, group, site, packet, outputs);
}

/* Makes the node's one copy of this step. */
static void copy_for_node(struct forward_worker *worker, struct site site)
{
    struct forward *forward = worker->forward;
    const struct routing_rule *rule = worker->rule;
    uint32_t packet = forward->waiting_first[site.index];
    unsigned outputs = rule->outputs(rule->context, site, packet);
    if (!is_single_output(outputs)) {
        copy_once(worker, COPIES, site, packet, outputs);
        outputs = rule->outputs(rule->context, site, packet);
        /* a delivery that ends the packet is left to the next step: it was copied in this one */
        if (!is_single_output(outputs) || outputs == OUT_EJECT)
            return;
    }
    if (forward->waiting_last[site.index] == packet)
        forward_block(forward, site)->copying &= ~conveyor_bit(site);
    else
        forward->waiting_first[site.index] = (uint32_t)worker->machine->next[packet];
    finish(worker, COPIES, site, packet, outputs);
}

/* With unit copies: makes the one copy of this step at each node of a block where packets wait, for
 * the packet that has waited longest. */
static void copy_block(struct forward_worker *worker, struct site first)
{
    uint64_t nodes = forward_block(worker->forward, first)->copying;
    for (; nodes != 0; nodes &= nodes - 1)
        copy_for_node(worker, block_site(first, (unsigned)__builtin_ctzll(nodes)));
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

/* Puts packets that would go straight on over link `d`, but find others in its queue, after those.
 * Without urgencies the first packet of the queue enters the slot at once, since no arrival of this
 * step can precede it. */
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

/* Fetch the memory for the row, or the block that begins at `first`, and the blocks after it. */
static void fetch_for_row(const struct forward_worker *worker, struct site first);
static void fetch_for_block(const struct forward_worker *worker, struct site first);

static void stop_at(struct forward_worker *worker, struct site first, enum direction d,
                    uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        uint64_t word = conveyor_clear(&worker->view, worker->line, site, d);
        worker->machine->occupancy[site.index]++;
        settle(worker, ARRIVALS, site, (uint32_t)word);
    }
}

/* Discards all packets that it may at a node that has no room for them at the end of the step.
 * Returns the number of remaining packets. */
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

/* Raises the tally's peak to the block's fullest buffers, if they may be fuller than all before. No
 * node holds more than the block's max_occupancy and the packets in its slots: four if two may
 * meet, else one. */
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
    copy_block(worker, span.start);
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
        fetch_for_block(worker, span.start);
        step_exceptional(worker, span);
    }
    /* the second: nothing arrived, but copies that rest may have been made when the call began */
    if ((coming | exceptional) != 0 || block->max_occupancy > worker->peak_before)
        measure(worker, span);
}

/* Does the step of the worker's view in a row. */
static void step_row(struct forward_worker *worker, uint32_t row)
{
    struct site start = {row * worker->machine->config.mesh.cols, row, 0};
    fetch_for_row(worker, start);
    worker->tally->packet_hops += conveyor_count(&worker->view, worker->line);
    for_blocks(worker->machine, row, step_block, worker);
}

/* ---- rows, when a call begins and ends ---- */

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

static void begin_row(struct forward_worker *worker, uint32_t row)
{
    conveyor_at_row(&worker->view, worker->line, row);
    conveyor_forget(&worker->view, worker->line);
}

/* Moves the first packet of each queue into its slot. */
static void load_row(struct forward_worker *worker, uint32_t row)
{
    for_blocks(worker->machine, row, load_block, worker);
}

/* Moves the packets in slots back into queues. */
static void unload_row(struct forward_worker *worker, uint32_t row)
{
    conveyor_at_row(&worker->view, worker->line, row);
    for_blocks(worker->machine, row, unload_block, worker);
}

static void emit_block(void *of_worker, struct span span)
{
    struct forward_worker *worker = of_worker;
    uint32_t place = span.start.col >> BLOCK_SHIFT;
    uint64_t left = 0;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        left |= worker->line[d].held[place];
    for (; left != 0; left &= left - 1)
        conveyor_emit(worker->machine, worker->tally, &worker->view, worker->line,
                      block_site(span.start, (unsigned)__builtin_ctzll(left)));
}

/* Reports to an observer that the packets in the slots of a row cross its links in the next
 * step. */
static void emit_row(struct forward_worker *worker, uint32_t row)
{
    conveyor_at_row(&worker->view, worker->line, row);
    emit_blocks(worker->machine, row, emit_block, worker);
}

/* ---- fetching ---- */

/* Fetches the bits of a block that say which queues are not empty, and where their rings begin. */
static void fetch_bits(const struct forward_worker *worker, const struct conveyor_line *line,
                       struct site first)
{
    (void)line;
    FETCH_HAS_EFFECT();
    __builtin_prefetch(forward_block(worker->forward, first), 1);
    link_queues_fetch_bits(&worker->forward->queues, first);
}

/* Fetches the slots and queues of a block in which some packets stop or wait. */
static void fetch_queues(const struct forward_worker *worker, const struct conveyor_line *line,
                         struct site first)
{
    const uint32_t *occupancy = worker->machine->occupancy + first.index;
    FETCH_HAS_EFFECT();
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

/* Fetches the headers and lists of packets that stop or wait at a block; they are far apart. */
static void fetch_packets(const struct forward_worker *worker, const struct conveyor_line *line,
                          struct site first)
{
    const struct machine *machine = worker->machine;
    const struct forward *forward = worker->forward;
    FETCH_HAS_EFFECT();
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

/* Fetches for the block that follows `ahead` blocks after `first`, in its row or the next, while
 * the blocks between are done. */
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

static void fetch_for_row(const struct forward_worker *worker, struct site first)
{
    if (worker->next_line != NULL)
        return; /* the row was fetched while the one before it was done */
    fetch_packets(worker, worker->line, first);
    fetch_ahead(worker, first, 1, fetch_packets);
}

static void fetch_for_block(const struct forward_worker *worker, struct site first)
{
    if (worker->next_line != NULL) {
        fetch_ahead(worker, first, 4, fetch_bits);
        fetch_ahead(worker, first, 3, fetch_queues);
    }
    fetch_ahead(worker, first, 2, fetch_packets);
    fetch_for_rule(worker, first);
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
        settle(worker, DEPARTURES, site, packet);
        packet = next;
    }
}

static void fetch_resting(const struct forward_worker *worker, node_index node, node_index end);

static void wake_row(struct forward_worker *worker, struct site start)
{
    node_index end = start.index + worker->machine->config.mesh.cols;
    for (uint32_t col = 0; start.index + col < end; col++) {
        fetch_resting(worker, start.index + col, end);
        wake_node(worker, (struct site){start.index + col, start.row, col});
    }
}

/* Fetches the headers of packets some nodes ahead, and for nearer packets the memory that the rule
 * reads. */
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

/* ---- waves: several steps of rows, one after the other (transit/wavefront.c) ---- */

/* A wave as a thread sees it: its rows, and the clock of each step. */
struct forward_wave {
    struct forward_worker *worker;
    uint32_t thread;
    struct row_range rows;
    struct conveyor_clock clock[WAVE_STEPS + 1]; /* before its first step, and after each step */
    uint32_t peak_before;
};

/* Moves the slots of a row on. In the first step of a wave it also moves those of the row after it,
 * so that the packets there are fetched from memory in time; in later steps the row is in cache. */
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
    step_row(worker, row);
}

/* Exchanges the packets that cross the links to and from other ranks, before a step of the rows
 * there. */
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

/* Returns the number of steps that threads do before they meet, 1 .. WAVE_STEPS. */
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
    call->done = call->kind != FAIL_NONE || call->limit == 0 || call->machine->travelling == 0 ||
                 call->machine->is_stopped;
}

/* Ends the steps of a wave, one by one, until one is the last of the call, in one thread, while the
 * others wait. Steps after that in which the last packet stops have done nothing. */
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

/* Reports the next step's departures to an observer before any row does that step, in one thread,
 * while the others wait. */
static void emit_departures(struct forward_worker *worker)
{
    worker->tally = wave_tally(&worker->forward->counts, 0, 0);
    struct row_range rows = machine_rows(worker->machine);
    for (uint32_t row = rows.first; row < rows.end; row++)
        emit_row(worker, row);
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
        begin_row(&worker, row);
        if (call->waking)
            wake_row(&worker, (struct site){row * cols, row, 0});
        load_row(&worker, row);
        emit_row(&worker, row);
    }
    parallel_barrier(team);
    while (!call->done) {
        uint32_t steps = steps_at_once(call);
        do_steps(&worker, team, steps);
        parallel_barrier(team);
        if (team->rank == 0) {
            end_steps(call, steps);
            if (!call->done)
                emit_departures(&worker);
        }
        parallel_barrier(team);
    }
    for (uint32_t row = rows.first; row < rows.end && machine->travelling > 0; row++)
        unload_row(&worker, row);
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

/* Lets every occupancy above the proven capacity be seen, even if nodes have held more before.
 * Returns the former peak. */
static uint32_t begin_proven(struct machine *machine, const struct routing_rule *rule)
{
    uint32_t peak = machine->attempt.peak;
    machine->proven_capacity = rule->capacity > 0 ? rule->capacity + machine->parked.most : 0;
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
