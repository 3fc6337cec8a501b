/* march.c - packets march along closed walks, all at once, without being moved in memory.
 *
 * All packets of a cycle go to the next place at the same time, so they keep their order, and no two want one link. A
 * cycle is a line of slots. A packet keeps its slot, and after h hops slot s is at place s + h. A packet computes from
 * its own header in how many hops it acts next, and is in a list of that hop until then; so a hop of a line costs O(1),
 * and so does each act of a packet.
 *   Lines share nothing: each thread has its own, and takes one through several steps before the next while nobody
 * observes and no buffer can become fuller than any before. Packets that are set aside, or rest at nodes of no cycle, stay
 * where they are. So the most packets that a node can hold is known beforehand: those, and one more per way. The few nodes
 * that a way visits twice are counted in each step.
 * Invariants: a taken slot is due after the last hop that was done, or its packet is copied in the next step; packets of
 * the march count as resting, but not in machine->occupancy.
 *   On several ranks a line is a section of a cycle between two links to other ranks. It has one place more, before its
 * first node, and is a ring: packets come in at that place and leave to it, so one that comes takes the slot of one that
 * has left. A hop takes one message to each neighbouring rank.
 * Cost: 28 bytes per place, 2 per node and 120 per cycle while the march lasts.
 */
#include "machine/cycle/march_private.h"

#include "machine/tally_private.h"
#include "machine/transit/conveyor.h"

#include <assert.h>
#include <stdlib.h>

/* ---- what is due ---- */

/* Does everything that the slot's packet can do in this step. With unit copies a packet that must be copied waits for the
 * step after the hop: then a node holds one packet that may be copied, and makes one copy. */
static void settle_slot(struct march_worker *worker, uint32_t slot)
{
    struct march_call *call = worker->call;
    struct machine *machine = call->machine;
    const struct march *march = call->march;
    struct march_line *line = worker->line;
    struct site site = march_site_of(worker, slot);
    uint32_t packet = line->packet[slot];
    unsigned outputs = march->outputs(march->context, site, packet);
    if (!is_single_output(outputs) && !worker->may_copy) {
        march_set_due(line, slot, 0);
        return;
    }
    if (!is_single_output(outputs)) {
        bool is_late = call->is_free && worker->event == EVENT_SETTLE;
        assert(outputs == (OUT_EJECT | OUT_HOLD));
        uint32_t taken = march->take(march->context, site, packet, OUT_EJECT);
        tally_deliver(machine, worker->tally, is_late ? ARRIVALS : DEPARTURES, site, packet, taken);
        outputs = march->outputs(march->context, site, packet);
        assert(outputs == OUT_HOLD);
    }
    if (outputs == OUT_HOLD) {
        uint32_t ahead = march->due(march->context, site_place(site), packet);
        assert(ahead > 0 && ahead < MARCH_LEFT / 4);
        assert(march_at(line, slot) + ahead < line->slots || line->is_open ||
               march_is_beside(line->place[line->slots - 1], line->place[0]));
        march_set_due(line, slot, ahead);
        return;
    }
    march_remove(line, slot);
    worker->tally->resting--;
    assert(outputs == OUT_EJECT || outputs == OUT_DISCARD);
    assert(outputs == OUT_DISCARD || machine->header.packet[packet].first == packet);
    if (outputs == OUT_EJECT)
        tally_deliver(machine, worker->tally, ARRIVALS, site, packet, packet);
    else
        tally_discard(machine, worker->tally, ARRIVALS, site.index, packet);
}

static int compare_slots(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* Moves the list of this hop into line->now, the highest slot first if events are told. Returns the number of slots. */
static uint32_t find_due(const struct march_worker *worker)
{
    struct march_line *line = worker->line;
    uint32_t count = 0, slot = line->first[line->shift];
    bool in_order = true;
    for (; slot != MARCH_NO_SLOT; slot = line->next[slot]) {
        in_order &= count == 0 || slot < line->now[count - 1];
        header_fetch(worker->call->machine, line->packet[slot]);
        line->now[count++] = slot;
    }
    line->first[line->shift] = MARCH_NO_SLOT;
    if (!in_order && worker->call->is_told)
        qsort(line->now, count, sizeof *line->now, compare_slots);
    return count;
}

/* Settles the packets that are due. */
static void settle(struct march_worker *worker, enum march_event event, bool may_copy)
{
    struct march_line *line = worker->line;
    worker->event = event;
    worker->may_copy = may_copy;
    for (uint32_t i = find_due(worker); i-- > 0;) {
        uint32_t slot = line->now[i], due = line->due[slot];
        if (due != line->hop) { /* in a later round of the ring */
            march_set_due(line, slot, due - line->hop);
            continue;
        }
        settle_slot(worker, slot);
        march_note_order(worker, event, slot);
    }
}

/* ---- hops ---- */

/* Brings the list of taken slots up to date. */
static void renew_taken(struct march_line *line)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < line->takes && line->takes > line->packets; i++) {
        uint32_t slot = line->taken[i];
        if (march_is_taken(line, slot))
            line->taken[count++] = slot;
        else
            line->due[slot] = MARCH_EMPTY;
    }
    line->takes = line->takes > line->packets ? count : line->takes;
}

/* Returns the node of place `at`, which may be one after the line's last place. */
static node_index node_at(const struct march_worker *worker, uint32_t at)
{
    const struct march_line *line = worker->line;
    const struct march *march = worker->call->march;
    if (at < line->slots || !line->is_open)
        return march_site_at(worker, line->place[at < line->slots ? at : 0]).index;
    uint32_t number = (line->start + at) % line->length;
    return march_site_at(worker, march->place(march->context, line->cycle, number)).index;
}

static void tell_moves(const struct march_worker *worker)
{
    const struct march_line *line = worker->line;
    for (uint32_t i = 0; i < line->takes; i++) {
        uint32_t slot = line->taken[i], at = march_at(line, slot);
        tally_move(worker->call->machine, worker->tally, line->packet[slot],
                   march_site_at(worker, line->place[at]).index, node_at(worker, at + 1));
        march_note_order(worker, EVENT_CROSS, slot);
    }
}

/* Moves all packets of the line over a link; a line of one node has none. */
static void hop(struct march_worker *worker)
{
    struct march_line *line = worker->line;
    if (line->slots > 1 && worker->call->is_told) {
        renew_taken(line);
        tell_moves(worker);
    }
    line->hop++;
    line->shift = line->shift + 1 < line->slots ? line->shift + 1 : 0;
    if (line->slots > 1)
        worker->tally->packet_hops += line->packets;
}

/* ---- the fullest buffers ---- */

static void count_slot(const struct march_worker *worker, uint32_t slot)
{
    worker->call->held[march_site_of(worker, slot).index]++;
}

/* Raises the tally's peak to what the slot's node holds. A node without room discards its packets. */
static void judge_slot(struct march_worker *worker, uint32_t slot)
{
    struct machine *machine = worker->call->machine;
    node_index node = march_site_of(worker, slot).index;
    uint32_t held = machine->occupancy[node] + worker->call->held[node];
    worker->call->held[node] = 0;
    if (!attempt_has_room(machine, held)) {
        machine->occupancy[node]++; /* as if it rested there */
        attempt_discard(machine, worker->tally, ARRIVALS, node, worker->line->packet[slot]);
        attempt_discard_resting(machine, worker->tally, ARRIVALS, node);
        march_remove(worker->line, slot);
        worker->tally->resting--;
        march_note_order(worker, EVENT_MEASURE, slot);
    } else if (held > machine->attempt.peak) {
        tally_holds(worker->tally, node, held);
    }
}

/* True if a node that each way visits once may become fuller than any before. */
static bool may_all_be_fuller(const struct march_call *call)
{
    bool goes[2] = {false, false};
    for (uint32_t i = 0; i < call->lines && call->march->ways != NULL; i++)
        goes[call->line[i].way] |= call->line[i].packets > 0;
    uint32_t ways = call->march->ways == NULL ? 1 : (uint32_t)goes[0] + goes[1];
    return call->most + ways > call->machine->attempt.peak;
}

/* True if a node that a way visits twice may become so. */
static bool may_crowd(const struct march_call *call)
{
    enum { MOST_PLACES = DIRECTIONS };
    return call->crowds > 0 && call->most + MOST_PLACES > call->machine->attempt.peak;
}

/* Measures the nodes of all packets of these lines; no other line has packets there. */
static void measure_lines(struct march_worker *worker, struct march_line *line, uint32_t lines)
{
    for (worker->line = line; worker->line < line + lines; worker->line++) {
        renew_taken(worker->line);
        for (uint32_t i = 0; i < worker->line->takes; i++)
            count_slot(worker, worker->line->taken[i]);
    }
    for (worker->line = line; worker->line < line + lines; worker->line++)
        for (uint32_t i = 0; i < worker->line->takes; i++)
            judge_slot(worker, worker->line->taken[i]);
}

/* Two ways: measures the nodes that may be fuller than all before. For one thread, while the others wait. */
static void measure_ways(struct march_worker *worker)
{
    struct march_call *call = worker->call;
    if (may_all_be_fuller(call)) {
        measure_lines(worker, call->line, call->lines);
        return;
    }
    for (int is_counted = 0; is_counted < 2; is_counted++)
        for (uint32_t i = 0; i < call->crowds; i++) {
            worker->line = &call->line[call->crowd[i].line];
            uint32_t slot = march_slot(worker->line, call->crowd[i].at);
            if (!march_is_taken(worker->line, slot))
                continue;
            if (is_counted)
                judge_slot(worker, slot);
            else
                count_slot(worker, slot);
        }
}

/* ---- steps ---- */

/* Does the first half of a line's step: the hop. */
static void leave(struct march_worker *worker)
{
    struct march_call *call = worker->call;
    if (worker->step == 1 && call->is_free && call->march->ways != NULL)
        settle(worker, EVENT_BEGIN, true);
    if (march_hops(call, worker->line, worker->step))
        hop(worker);
}

/* Does the second half: what packets do where they are now. */
static void arrive(struct march_worker *worker)
{
    struct march_call *call = worker->call;
    struct march_line *line = worker->line;
    bool hops = march_hops(call, line, worker->step);
    if (worker->step == 1 && !hops && line->way == 1)
        return; /* it hops in step 2 */
    settle(worker, EVENT_SETTLE, call->is_free || !hops);
    if (hops && call->march->ways == NULL && line->most + 1 > call->machine->attempt.peak)
        measure_lines(worker, line, 1);
}

/* Does the steps of a wave with the lines of a thread. */
static void do_wave(struct march_worker *worker, uint32_t first, uint32_t end,
                    const struct team *team)
{
    struct march_call *call = worker->call;
    for (uint32_t i = first; i < end; i++)
        for (uint32_t step = 0; step < call->steps_at_once; step++) {
            worker->line = &call->line[i];
            worker->tally = wave_tally(&call->counts, team->rank, step);
            worker->step = call->step + step + 1;
            leave(worker);
            if (!call->is_split)
                arrive(worker);
        }
    if (!call->is_split)
        return;
    parallel_barrier(team);
    if (team->rank == 0)
        march_cross_border(call);
    parallel_barrier(team);
    for (uint32_t i = first; i < end; i++) {
        worker->line = &call->line[i];
        arrive(worker);
    }
}

/* Chooses the steps of the next wave. */
static void begin_wave(struct march_call *call)
{
    uint64_t left = call->last - call->step;
    bool is_measured = may_all_be_fuller(call) || may_crowd(call);
    call->steps_at_once = call->is_told || call->is_split || is_measured ? 1 : MARCH_STEPS;
    if (left < call->steps_at_once)
        call->steps_at_once = (uint32_t)left;
}

/* Ends the steps of a wave. For one thread, while the others wait. */
static void end_wave(struct march_worker *worker)
{
    struct march_call *call = worker->call;
    struct machine *machine = call->machine;
    uint32_t ended = 0;
    worker->tally = wave_tally(&call->counts, 0, 0);
    if (call->march->ways != NULL && (may_all_be_fuller(call) || may_crowd(call)))
        measure_ways(worker);
    while (ended < call->steps_at_once && !call->done) {
        wave_collect(machine, &call->counts, ended++);
        if (call->orders != NULL)
            march_sort_events(call);
        call->kind = machine_end_step(machine, call->failure);
        call->step++;
        call->done = call->kind != FAIL_NONE || call->step == call->last ||
                     (call->march->ways != NULL && machine->resting == 0);
    }
    if (wave_end(machine, &call->counts, ended, call->failure) != FAIL_NONE)
        call->kind = FAIL_SYSTEM;
    if (!call->done)
        begin_wave(call);
}

static void march_lines(void *context, const struct team *team)
{
    struct march_call *call = context;
    struct march_worker worker = {.call = call, .tally = wave_tally(&call->counts, team->rank, 0)};
    uint32_t first = parallel_band_start(call->lines, team->rank, team->size);
    uint32_t end = parallel_band_start(call->lines, team->rank + 1, team->size);
    if (call->orders != NULL)
        worker.orders = &call->orders[team->rank];
    march_load_lines(&worker, call->line + first, call->line + end);
    parallel_barrier(team);
    if (team->rank == 0) {
        if (call->is_split && !march_find_crossings(call))
            machine_rank_fails(call->machine, "a march");
        for (uint32_t i = 0; i < call->lines; i++)
            call->most = call->line[i].most > call->most ? call->line[i].most : call->most;
        begin_wave(call);
    }
    parallel_barrier(team);
    while (!call->done) {
        do_wave(&worker, first, end, team);
        parallel_barrier(team);
        if (team->rank == 0)
            end_wave(&worker);
        parallel_barrier(team);
    }
    for (uint32_t i = first; i < end; i++) {
        worker.line = &call->line[i];
        march_unload(&worker);
    }
}

/* ---- a march ---- */

/* Returns the most steps that the march may take. */
static uint64_t steps_of(const struct march_call *call, uint32_t hops)
{
    if (!call->is_free)
        return 1 + 2 * (uint64_t)hops;
    return hops + (uint64_t)(call->march->ways == NULL);
}

enum failure_kind machine_march(struct machine *machine, const struct march *march, uint32_t hops,
                                struct failure *failure)
{
    struct march_call call = {.machine = machine, .march = march, .failure = failure};
    assert(hops < MARCH_LEFT / 4);
    enum failure_kind kind = machine_judge_call(machine, FAIL_NONE, failure);
    if (kind != FAIL_NONE || (march->ways != NULL && machine->resting == 0))
        return kind;
    call.is_free =
        machine->config.copy_is_free || (march->ways != NULL && march->ways->copies_nothing);
    call.is_told = machine_steps_at_once(machine, MARCH_STEPS) == 1;
    call.last = machine_limit_steps(machine, steps_of(&call, hops));
    kind = march_prepare(&call) ? FAIL_NONE : fail_memory(failure, "a march");
    if (kind == FAIL_NONE) {
        /* two ways share their nodes, and a node belongs to one thread */
        parallel_run(march->ways != NULL ? 1 : machine->config.threads, march_lines, &call);
        kind = call.kind;
    }
    march_release(&call);
    return machine_judge_call(machine, kind, failure);
}
