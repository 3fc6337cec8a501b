/* channel.c - store-and-forward routing through bounded channels with credits.
 *
 * A node has input channels, one for each class (0 or 1) and direction of travel, each a queue of
 * `slots` packets, and a slot for the packet that it injects. Only the first packet of a channel
 * acts. At its stop it may want several links; it keeps its slot until every part has left. A part
 * leaves when its link is free and the neighbour's channel was not full at the end of the last step
 * (the model's credit, one bit per channel). Nothing is dropped, and no channel can overflow: a
 * link carries one packet per step, into a channel that had room.
 *
 * Copies. Free copies: a part is copied in the step in which it leaves. Unit copies: the node makes
 * one copy per step, which waits in a register and leaves later. There is one register for parts
 * that turn into rows and one for parts that turn into columns, and one for the parts of the
 * injected packet. So all but the last hold only parts that leave the direction in which their
 * packet travelled.
 *   Straight first (the rule's `straight_first`). A packet of a channel that wants the link
 * straight on and two or more other outputs is split in one step: the part straight on keeps the
 * slot, and the rest goes into its register as one packet, which is copied there. If that packet
 * wants two links, its copy goes into the other of these two registers. Only one of these two
 * registers may hold such a packet; while one does, other packets are copied part by part.
 *   No deadlock: within a class the rule's turns close no cycle (say first along rows, then along
 * columns), so the channels can be ordered; a register waits for later channels only, and nothing
 * but the injected packet waits for the register of the injected packet.
 *   Switching class. Class 0 goes along columns first, class 1 along rows first. A packet of which
 * nothing could leave in a step may change its class for the next one (the rule's `switch_class`):
 * the injected one anywhere; one in a channel of class 0 along a column of even number; one in a
 * channel of class 1 along a row, at a column of odd number. So packets that wait along even
 * columns may go on into rows, and packets that wait along rows into odd columns, but none comes
 * back into even ones. So packets still wait only for later channels in this order: even columns of
 * class 0; rows of class 1; odd columns of class 0 and all columns of class 1; rows of class 0. A
 * packet in a register of turning parts waits for columns of class 1, for rows of class 0, or for
 * the other of these two registers; from there no wait leads back, even if a part is in the other
 * register.
 *   Fewer channels. Where both classes share the channels along rows there are six: a packet of
 * class 0 becomes one of class 1 as soon as it wants only links along rows. In the order columns of
 * class 0, rows, columns of class 1 every packet waits for later channels. Only the injected packet
 * may switch its class.
 *   A step goes through rows by blocks of nodes (conveyor.c), rows take several steps while they
 * are in cache (wavefront.c), and packets that go straight on move with their slots
 * (channel_node.c); channel_arbiter.c says which packet takes a link. The departures of a block are
 * found first, and done two blocks later, when the memory they need is in cache. A row's departures
 * read which channels of the rows beside it were full at the end of the step before; these bits
 * change when those rows arrive. Rows share nothing else but slots that move. On ranks both are
 * exchanged.
 * Cost: some hundred operations on words per step for a block of 64 nodes that holds packets; O(1)
 * per stop, copy, and waiting packet; two looks per step for an idle block. The memory is stated
 * under "memory".
 */
#include "machine/channel/channel_private.h"
#include "machine/ranks/border.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

uint32_t machine_channel_capacity(uint32_t channels, uint32_t slots, bool copy_is_free)
{
    return channels * slots + 1 + (copy_is_free ? 0 : REGISTERS);
}

/* ---- memory ---- The arrays of machine_channel: made once, when packets first move; packets may
 * then wait in them between instructions.
 *
 * Cost: 64 slots + 94 bytes per node, of which only the written ones use memory; 101 more once
 * there are express packets. 127 of them are for whole blocks, even if the last one of a row is not
 * full.
 */

/* Returns the number of blocks allocated before the first one, and also after the last one. */
static size_t blocks_around(const struct channels *channels)
{
    return channels->blocks + 1;
}

static void express_release(struct channels *channels)
{
    conveyor_free(&channels->express.conveyor);
    link_queues_free(&channels->express.queues);
}

static void channels_release(struct channels *channels)
{
    if (channels == NULL)
        return;
    free(channels->behind);
    conveyor_free(&channels->bypass);
    free(channels->block_memory);
    wave_tallies_free(&channels->counts);
    express_release(channels);
    free(channels);
}

static void channels_free(struct machine *machine)
{
    channels_release(machine->channels);
    machine->channels = NULL;
}

static bool channels_allocate(struct machine *machine, struct channels *channels)
{
    size_t behind = channels->slots - 1;
    channels->blocks = blocks_of_row(machine);
    size_t around = blocks_around(channels);
    /* one more, so that blocks can begin with a cache line */
    channels->block_memory =
        machine_allocate_rows(machine, channels->blocks, 2 * around + 1, sizeof *channels->block);
    if (channels->block_memory != NULL) {
        struct channel_block *first = first_line(channels->block_memory);
        channels->block = first + around;
    }
    if (behind > 0)
        channels->behind =
            machine_allocate_nodes(machine, CHANNELS * behind * sizeof *channels->behind);
    return channels->block && (channels->behind || behind == 0) &&
           conveyor_allocate(machine, &channels->bypass, true) &&
           wave_tallies_allocate(machine, &channels->counts, WAVE_STEPS);
}

static enum failure_kind express_prepare(struct machine *machine, struct channels *channels,
                                         struct failure *failure)
{
    channels->has_express = conveyor_allocate(machine, &channels->express.conveyor, false) &&
                            link_queues_allocate(machine, &channels->express.queues, 1);
    if (channels->has_express)
        return FAIL_NONE;
    express_release(channels);
    return fail_memory(failure, "the express packets");
}

static enum failure_kind channels_prepare(struct machine *machine, const struct channel_rule *rule,
                                          struct failure *failure)
{
    struct channels *channels = machine->channels;
    if (channels == NULL) {
        channels = memory_allocate(1, sizeof *channels);
        if (channels != NULL)
            channels->slots = rule->slots;
        if (channels == NULL || !channels_allocate(machine, channels)) {
            channels_release(channels);
            return fail_memory(failure, "the channels");
        }
        machine->channels = channels;
    }
    assert(channels->slots == rule->slots);
    bool lacks_express = (rule->inject != NULL || rule->has_express) && !channels->has_express;
    return lacks_express ? express_prepare(machine, channels, failure) : FAIL_NONE;
}

/* ---- both conveyors ---- The two conveyors of machine_channel: one for first packets of channels
 * that go straight on (channel_node.c), one for express packets (channel_node.c).
 *
 * A row's departures read slots as they were at the end of the last step, and its arrivals move
 * them on. Lines of slots that move along columns belong to the next row then. So only arrivals at
 * this row or at a neighbour change what departures read, as wavefront.c requires.
 *
 * Packets in slots count in no `occupancy` during a call; they are added if a new peak is possible,
 * and at the end. Slots and lists stay as they are between calls.
 */

/* Finds the nodes of a block whose slots of each link are taken; returns the nodes of all links
 * together. */
static uint64_t held_of(const struct conveyor_line line[DIRECTIONS], uint32_t place,
                        uint64_t held[DIRECTIONS])
{
    uint64_t any = 0;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        any |= held[d] = line[d].held[place];
    return any;
}

static void channel_measure(struct channel_worker *worker, struct span span, bool has_changed)
{
    const uint32_t *occupancy = worker->machine->occupancy + span.start.index;
    struct channel_block *block = block_of(worker->channels, span.start);
    uint32_t place = place_of_block(span.start), most = 0, sum[BLOCK], with_express[BLOCK];
    uint64_t bypass[DIRECTIONS], express[DIRECTIONS] = {0};
    uint64_t any = held_of(worker->bypass.coming, place, bypass);
    if (worker->has_express)
        any |= held_of(worker->express.coming, place, express);
    if (has_changed)
        block->max_occupancy = largest_of(occupancy, span.count);
    if (!has_changed && any == 0)
        return;
    if (block->max_occupancy + conveyor_most(bypass) + conveyor_most(express) <=
        worker->peak_before)
        return;
    conveyor_add(occupancy, bypass, sum, span.count);
    most = conveyor_add(sum, express, with_express, span.count);
    for (uint32_t i = 0; most > worker->peak_before && i < span.count; i++) {
        node_index node = span.start.index + i;
        uint32_t slots = with_express[i] - occupancy[i];
        if (!attempt_has_room(worker->machine, with_express[i]))
            attempt_discard_resting(worker->machine, worker->tally, ARRIVALS, node);
        tally_holds(worker->tally, node, occupancy[i] + slots);
    }
}

/* ---- events ---- */

static void channel_emit(void *of_worker, struct span span)
{
    struct channel_worker *worker = of_worker;
    uint32_t place = place_of_block(span.start);
    uint64_t bypass[DIRECTIONS], express[DIRECTIONS];
    uint64_t left = held_of(worker->bypass.leaving, place, bypass);
    if (worker->has_express)
        left |= held_of(worker->express.leaving, place, express);
    for (; left != 0; left &= left - 1) {
        struct site site = block_site(span.start, (unsigned)__builtin_ctzll(left));
        conveyor_emit(worker->machine, worker->tally, &worker->bypass.leaving_view,
                      worker->bypass.leaving, site);
        if (worker->has_express)
            conveyor_emit(worker->machine, worker->tally, &worker->express.leaving_view,
                          worker->express.leaving, site);
    }
}

/* ---- a step of both conveyors ---- */

static void begin_step(struct worker_conveyor *conveyor, const struct conveyor_clock *clock)
{
    conveyor->leaving_view.clock = conveyor->coming_view.clock = *clock;
    conveyor_clock_tick(&conveyor->coming_view.clock, conveyor->coming_view.conveyor);
}

static void channel_begin_step(struct channel_worker *worker, const struct conveyor_clock *clock,
                               uint32_t peak)
{
    begin_step(&worker->bypass, clock);
    if (worker->has_express)
        begin_step(&worker->express, clock);
    worker->peak_before = peak;
}

static void channel_begin_row(struct channel_worker *worker, uint32_t row)
{
    conveyor_at_row(&worker->bypass.leaving_view, worker->bypass.leaving, row);
    if (worker->has_express)
        conveyor_at_row(&worker->express.leaving_view, worker->express.leaving, row);
}

static void advance_row(struct channel_worker *worker, struct worker_conveyor *conveyor,
                        uint32_t row)
{
    conveyor_advance(&conveyor->coming_view, conveyor->coming, row);
    worker->tally->packet_hops += conveyor_count(&conveyor->coming_view, conveyor->coming);
}

static void channel_advance_row(struct channel_worker *worker, uint32_t row)
{
    advance_row(worker, &worker->bypass, row);
    if (worker->has_express)
        advance_row(worker, &worker->express, row);
}

/* ---- when a call begins and ends ---- */

/* Adds `change` to the occupancies for each taken slot of one conveyor. */
static void count_slots(uint32_t *occupancy, const struct conveyor_line line[DIRECTIONS],
                        uint32_t place, uint32_t change)
{
    for (enum direction d = 0; d < DIRECTIONS; d++)
        for (uint64_t held = line[d].held[place]; held != 0; held &= held - 1)
            occupancy[__builtin_ctzll(held)] += change;
}

static void count_all_slots(struct channel_worker *worker, struct span span, uint32_t change)
{
    uint32_t *occupancy = worker->machine->occupancy + span.start.index;
    uint32_t place = place_of_block(span.start);
    count_slots(occupancy, worker->bypass.leaving, place, change);
    if (worker->has_express)
        count_slots(occupancy, worker->express.leaving, place, change);
}

static void channel_load(struct channel_worker *worker, struct span span)
{
    count_all_slots(worker, span, UINT32_MAX); /* subtracts one */
    block_of(worker->channels, span.start)->max_occupancy =
        largest_of(worker->machine->occupancy + span.start.index, span.count);
}

static void channel_unload(struct channel_worker *worker, struct span span)
{
    count_all_slots(worker, span, 1);
}

/* ---- between calls ---- */

static uint32_t count_at(const struct channels *channels, const struct conveyor *conveyor,
                         struct site site)
{
    struct conveyor_view view = {conveyor, channels->clock};
    struct conveyor_line line[DIRECTIONS] = {{0}};
    uint32_t count = 0;
    conveyor_at_row(&view, line, site.row);
    for (enum direction d = 0; d < DIRECTIONS; d++)
        count += conveyor_is_taken(line, site, d);
    return count;
}

static uint32_t channel_count_slots(const struct channels *channels, struct site site)
{
    uint32_t count = count_at(channels, &channels->bypass, site);
    return channels->has_express ? count + count_at(channels, &channels->express.conveyor, site)
                                 : count;
}

/* ---- other ranks ---- The exchanges of machine_channel with the ranks on both sides
 * (machine/ranks/border.h).
 *
 * Before departures a rank is told which channels of the rows beside its own were full at the end
 * of the last step. That is written into the blocks of those rows, as if they were the rank's.
 * Before arrivals packets in slots move on to the rows of other ranks (conveyor.h). So departures
 * and arrivals at a border are those of all other rows.
 * Cost: two messages per step and border: one of 16 bytes per block of a row, one of 16 or, with
 * express packets, 24 bytes per block and the packets that cross.
 */

/* Return the row of this rank at the border that link `d` crosses, and the row beyond that
 * border. */
static uint32_t row_before(const struct machine *machine, enum direction d)
{
    return d == NORTH ? machine->first_row : machine->end_row - 1;
}

static uint32_t row_behind(const struct machine *machine, enum direction d)
{
    return d == NORTH ? machine->first_row - 1 : machine->end_row;
}

static struct channel_block *blocks_of(const struct channels *channels, uint32_t row)
{
    return &channels->block[(size_t)row * channels->blocks];
}

/* ---- credits ---- */

/* Sends the rank beyond the border in direction `d` the full channels that its packets enter, .. */
static void put_full(struct channel_worker *worker, enum direction d)
{
    const struct channels *channels = worker->channels;
    struct machine *machine = worker->machine;
    enum direction travel = direction_opposite(d);
    const struct channel_block *block = blocks_of(channels, row_before(machine, d));
    for (uint32_t i = 0; i < channels->blocks; i++) {
        uint64_t full[2] = {block[i].full[travel], block[i].full[4 + travel]};
        border_put(machine, border_side(d), full, sizeof full);
    }
}

/* .. and notes the full channels that this rank's packets enter, as that rank sent them. */
static void get_full(struct channel_worker *worker, enum direction d)
{
    const struct channels *channels = worker->channels;
    struct machine *machine = worker->machine;
    struct channel_block *block = blocks_of(channels, row_behind(machine, d));
    for (uint32_t i = 0; i < channels->blocks; i++) {
        uint64_t full[2];
        border_get(machine, border_side(d), full, sizeof full);
        block[i].full[d] = full[0];
        block[i].full[4 + d] = full[1];
    }
}

/* ---- a step ---- */

static void border_before_departures(struct channel_worker *worker)
{
    struct machine *machine = worker->machine;
    for (enum direction d = NORTH; d <= SOUTH; d++)
        if (border_has(machine, border_side(d)))
            put_full(worker, d);
    border_exchange(machine);
    for (enum direction d = NORTH; d <= SOUTH; d++)
        if (border_has(machine, border_side(d)))
            get_full(worker, d);
}

static void border_before_arrivals(struct channel_worker *worker, const struct team *team)
{
    struct machine *machine = worker->machine;
    conveyor_put_border(machine, &worker->bypass.leaving_view, team->rank);
    if (worker->has_express)
        conveyor_put_border(machine, &worker->express.leaving_view, team->rank);
    border_exchange_together(machine, team);
    conveyor_get_border(machine, &worker->bypass.coming_view, team->rank);
    if (worker->has_express)
        conveyor_get_border(machine, &worker->express.coming_view, team->rank);
}

/* One call of machine_channel. */
struct channel_call {
    struct machine *machine;
    struct channels *channels;
    const struct channel_rule *rule;
    bool waking, done, to_the_end;
    uint64_t limit;
    enum failure_kind kind;
    struct failure *failure;
};

/* ---- departures ---- */

static struct departures *found_at(struct channel_worker *worker, uint32_t place)
{
    return &worker->found[place % 3];
}

/* Does the departures of the `place`-th block of a row. */
static void send_found(struct channel_worker *worker, uint32_t place)
{
    struct departures *found = found_at(worker, place);
    if (found->are_any)
        arbiter_send(worker, found);
    found->are_any = false;
}

static void fetch_found(struct channel_worker *worker, uint32_t place)
{
    if (found_at(worker, place)->are_any)
        arbiter_fetch(worker, found_at(worker, place));
}

static bool is_last_of_row(const struct channel_worker *worker, struct span span)
{
    return span.start.col + span.count == worker->machine->config.mesh.cols;
}

/* Does the departures that were found two blocks ago, at the end of a row all that remain. */
static void send_later(struct channel_worker *worker, struct span span)
{
    uint32_t place = span.start.col >> BLOCK_SHIFT;
    if (place >= 1)
        fetch_found(worker, place - 1);
    if (place >= 2)
        send_found(worker, place - 2);
    if (!is_last_of_row(worker, span))
        return;
    fetch_found(worker, place);
    if (place >= 1)
        send_found(worker, place - 1);
    send_found(worker, place);
}

/* Fetches the packets of the next blocks, and the full channels of the block south of the next one.
 * A block of the next row may be another thread's, so its packets are not looked at. */
static void fetch_requests(const struct channels *channels, const struct channel_block *block,
                           bool is_last)
{
    FETCH_HAS_EFFECT();
    __builtin_prefetch(&block[2].full, 1);
    __builtin_prefetch(&block[2].may_inject, 1);
    __builtin_prefetch(&block[1 + channels->blocks].full);
    for (unsigned left = is_last ? 0 : block[1].holds; left != 0; left &= left - 1)
        __builtin_prefetch(&block[1].source[__builtin_ctz(left)], 1);
}

/* Does the departures of a block: packets at rest first, then those of channels and other
 * sources. */
static void depart_block(void *of_worker, struct span span)
{
    struct channel_worker *worker = of_worker;
    struct channel_block *block = block_of(worker->channels, span.start);
    struct departures *found = found_at(worker, place_of_block(span.start));
    uint64_t copied_now = 0;
    block->has_sent = false; /* those packets have arrived */
    if (block->may_inject != 0)
        copied_now = injection_depart(worker, span);
    if (block->is_busy) {
        block->is_busy = arbiter_find(worker, span, copied_now, found);
        arbiter_fetch_words(worker, found);
        fetch_requests(worker->channels, block, is_last_of_row(worker, span));
    }
    send_later(worker, span);
}

static void depart_row(struct channel_worker *worker, uint32_t row)
{
    channel_begin_row(worker, row);
    for_blocks(worker->machine, row, depart_block, worker);
    emit_blocks(worker->machine, row, channel_emit, worker);
}

/* ---- arrivals ---- */

static void arrive_block(void *of_worker, struct span span)
{
    struct channel_worker *worker = of_worker;
    struct channel_block *block = block_of(worker->channels, span.start);
    bool has_changed = worker->has_express && express_arrive(worker, span);
    if (!is_last_of_row(
            worker, span)) /* after the arrivals it would be too late: stream would be 5 % slower */
        bypass_fetch_coming(worker, block_site(span.start, BLOCK));
    bypass_arrive(worker, span);
    if (block->has_sent || block->is_busy)
        channels_note_full(worker, span);
    channel_measure(worker, span, has_changed || block->is_busy || block->has_input);
    block->has_input = false;
}

static void arrive_row(struct channel_worker *worker, uint32_t row)
{
    channel_advance_row(worker, row);
    for_blocks(worker->machine, row, arrive_block, worker);
}

/* ---- the end of a step ---- */

/* Ends a step of the call, in one thread, while the others wait. */
static void end_step(struct channel_call *call)
{
    struct machine *machine = call->machine;
    const struct machine_counts *counts = &machine->counts;
    uint64_t before = counts->packet_hops + counts->copies + counts->delivered + machine->marked;
    uint64_t resting = machine->resting;
    call->kind = machine_end_step(machine, call->failure);
    call->waking = false;
    call->limit--;
    call->done = call->kind != FAIL_NONE || call->limit == 0 || machine->is_stopped ||
                 (machine->travelling == 0 && machine->resting == 0);
    /* as nothing waits for the clock, something happens in every step */
    if (!call->done && call->to_the_end && resting == machine->resting &&
        counts->packet_hops + counts->copies + counts->delivered + machine->marked == before) {
        call->kind = fail(call->failure, FAIL_CHECK,
                          "deadlock: from step %" PRIu64 " on all %" PRIu64
                          " packets under way wait for full channels",
                          counts->steps, machine->travelling);
        call->done = true;
    }
}

/* ---- a wave: several steps of rows, one after the other ---- */

/* A wave as a thread sees it. */
struct channel_wave {
    struct channel_worker worker;
    const struct channel_call *call;
    uint32_t thread, step; /* its number, and the step within the wave */
    uint64_t before;       /* number of steps ended when it began */
    uint32_t peak_before;  /* the fullest buffer by then */
    /* At the start of each of its steps, and at its end. */
    struct conveyor_clock clock[WAVE_STEPS + 1];
};

enum { PHASES = 2 }; /* phases of a step: all rows depart, then all arrive */

static void enter_step(struct channel_wave *wave, uint32_t step)
{
    struct channel_worker *worker = &wave->worker;
    const struct wave_tallies *counts = &worker->channels->counts;
    wave->step = step;
    worker->tally = wave_tally(counts, wave->thread, step);
    worker->waking = wave->call->waking && step == 0;
    worker->steps = wave->before + step;
    channel_begin_step(worker, &wave->clock[step],
                       wave_peak_before(counts, wave->thread, step, wave->peak_before));
}

static void do_phase(void *of_thread, uint32_t phase, uint32_t row)
{
    struct channel_wave *wave = of_thread;
    if (wave->step != phase / PHASES)
        enter_step(wave, phase / PHASES);
    if (phase % PHASES == 0)
        depart_row(&wave->worker, row);
    else
        arrive_row(&wave->worker, row);
}

/* Exchanges with other ranks before a phase. */
static void exchange(void *of_thread, uint32_t phase, const struct team *team)
{
    struct channel_wave *wave = of_thread;
    if (wave->step != phase / PHASES)
        enter_step(wave, phase / PHASES);
    if (phase % PHASES == 1)
        border_before_arrivals(&wave->worker, team);
    else if (team->rank == 0)
        border_before_departures(&wave->worker);
}

static void begin_wave(struct channel_wave *wave, uint32_t steps)
{
    wave->before = wave->worker.machine->counts.steps;
    wave->peak_before = wave->worker.machine->attempt.peak;
    wave->clock[0] = wave->worker.channels->clock;
    for (uint32_t i = 0; i < steps; i++) {
        wave->clock[i + 1] = wave->clock[i];
        conveyor_clock_tick(&wave->clock[i + 1], &wave->worker.channels->bypass);
    }
    enter_step(wave, 0);
}

/* Ends the steps of a wave, one by one, in one thread, while the others wait. */
static void end_wave(struct channel_call *call, const struct channel_wave *wave, uint32_t steps)
{
    struct channels *channels = call->channels;
    uint32_t ended = 0;
    channels->clock = wave->clock[steps];
    wave_add_up(call->machine, &channels->counts, steps);
    for (; ended < steps && !call->done; ended++) {
        wave_collect(call->machine, &channels->counts, ended);
        end_step(call);
    }
    if (wave_end(call->machine, &channels->counts, ended, call->failure) != FAIL_NONE)
        call->kind = FAIL_SYSTEM;
}

/* ---- a call ---- */

static void begin_block(void *of_worker, struct span span)
{
    injection_note(of_worker, span);
    channel_load(of_worker, span);
}

static void end_block(void *of_worker, struct span span)
{
    channel_unload(of_worker, span);
}

static void see_conveyor(struct worker_conveyor *view, const struct conveyor *conveyor,
                         uint32_t thread)
{
    view->leaving_view.conveyor = view->coming_view.conveyor = conveyor;
    conveyor_take_stops(conveyor, view->coming, thread, 0);
}

/* Calls `act` for all blocks of the thread's rows, before the first step of a call or after the
 * last one. */
static void go_through_blocks(struct channel_wave *wave, const struct team *team,
                              void (*act)(void *of_worker, struct span span))
{
    const struct machine *machine = wave->worker.machine;
    struct row_range band = machine_band(machine, team);
    channel_begin_step(&wave->worker, &wave->worker.channels->clock, 0);
    for (uint32_t row = band.first; row < band.end; row++) {
        channel_begin_row(&wave->worker, row);
        for_blocks(machine, row, act, &wave->worker);
    }
}

static void channel_rows(void *context, const struct team *team)
{
    struct channel_call *call = context;
    struct machine *machine = call->machine;
    struct channels *channels = call->channels;
    struct channel_wave wave = {.worker = {.machine = machine,
                                           .channels = channels,
                                           .rule = call->rule,
                                           .copy_is_free = machine->config.copy_is_free,
                                           .has_express = channels->has_express},
                                .call = call,
                                .thread = team->rank};
    see_conveyor(&wave.worker.bypass, &channels->bypass, team->rank);
    if (channels->has_express)
        see_conveyor(&wave.worker.express, &channels->express.conveyor, team->rank);
    go_through_blocks(&wave, team, begin_block);
    while (!call->done) {
        uint32_t steps = wave_steps(machine, PHASES, WAVE_STEPS, call->limit);
        begin_wave(&wave, steps);
        wave_go(machine, do_phase, exchange, &wave, PHASES * steps, team);
        parallel_barrier(team);
        if (team->rank == 0)
            end_wave(call, &wave, steps);
        parallel_barrier(team);
    }
    go_through_blocks(&wave, team, end_block);
}

/* ---- between calls ---- */

static bool is_busy(const struct machine *machine, node_index node)
{
    const struct channels *channels = machine->channels;
    struct site site = machine_site(machine, node);
    if (channels == NULL)
        return false;
    const struct channel_block *block = block_of(channels, site);
    uint64_t taken = 0;
    for (unsigned left = block->holds; left != 0; left &= left - 1)
        taken |= source_taken(block, (unsigned)__builtin_ctz(left));
    for (enum direction d = 0; channels->has_express && d < DIRECTIONS; d++)
        taken |= link_queued(&channels->express.queues, site)[d];
    return (taken & conveyor_bit(site)) || channel_count_slots(channels, site) > 0;
}

static bool has_injected(const struct machine *machine, node_index node)
{
    struct site site = machine_site(machine, node);
    return machine->channels != NULL &&
           (source_taken(block_of(machine->channels, site), INJECTED) & conveyor_bit(site));
}

static const struct machine_part CHANNEL_PART = {
    .free = channels_free, .is_busy = is_busy, .has_injected = has_injected};

/* ---- a call ---- */

enum failure_kind machine_channel(struct machine *machine, const struct channel_rule *rule,
                                  bool wake, uint64_t limit, struct failure *failure)
{
    enum failure_kind kind = machine_judge_call(machine, FAIL_NONE, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (limit == 0 || (machine->travelling == 0 && machine->resting == 0))
        return FAIL_NONE;
    machine_register(machine, &CHANNEL_PART);
    if (channels_prepare(machine, rule, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    struct channel_call call = {.machine = machine,
                                .channels = machine->channels,
                                .rule = rule,
                                .waking = wake,
                                .limit = machine_limit_steps(machine, limit),
                                .to_the_end = limit == UINT64_MAX,
                                .failure = failure};
    parallel_run(machine->config.threads, channel_rows, &call);
    return machine_judge_call(machine, call.kind, failure);
}
