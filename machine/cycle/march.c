/* march.c - packets march along closed cycles of nodes, all at once, without being moved in memory.
 *
 * All packets of a cycle go to the next node at the same time, so they keep their order, and no two
 * want one link. A cycle is a line of slots. A packet keeps its slot, and after h hops
 * slot s is at node s + h of the cycle. A packet computes from its own header in how many hops it
 * has something to do, and is not looked at before (due.h).
 *   Cycles do not touch one another: each thread has its own. Packets that are set aside, or rest at nodes of no
 * cycle, stay where they are. So the most that a node can hold is known beforehand: those, and one that marches.
 * Invariants: the due hop of a slot that is taken lies ahead of the hop that was done last, or a copy is made for
 * it in the next step; packets of the march do not count in machine->occupancy, but as resting.
 * On ranks a line is what lies of a cycle in a rank's rows between two links to other ranks. It is one place longer, and
 * a ring of its own: the place before its first node, where packets come from, is that to which they go behind the
 * last one, and the slot of the packet that has left is taken by the next one that comes. A hop has one message to each
 * neighbour.
 * Cost: 13 bytes a node and 64 a cycle while the march lasts; a step costs what due.c says, and a stop O(1) and what
 * the rule costs.
 */
#include "machine/cycle/march_private.h"

#include "machine/event_order.h"
#include "machine/footprint_private.h"
#include "machine/tally_private.h"

#include <assert.h>
#include <stdlib.h>

/* The kinds of events of a line in a step, in the order in which they are told. */
enum march_event { EVENT_CROSS, EVENT_SETTLE, EVENT_MEASURE };

/* A thread's view of a line. */
struct march_worker {
    struct march_call *call;
    struct march_line *line;
    struct tally *tally;
    struct order_list *orders; /* or NULL */
};

static bool is_taken(const struct march_line *line, uint32_t slot)
{
    return line->due.at[slot] != DUE_NEVER;
}

/* Returns where a slot is after so many hops. */
static struct site site_of(const struct march_worker *worker, uint32_t slot, uint32_t hop)
{
    uint32_t cols = worker->call->machine->config.mesh.cols;
    node_place place = worker->line->place[(slot + hop) % worker->line->due.slots];
    return (struct site){place_row(place) * cols + place_col(place), place_row(place),
                         place_col(place)};
}

/* ---- events on ranks ---- */

/* Notes where the events that came since the last call, all of one slot, come among those of all ranks. */
static void note_order(const struct march_worker *worker, enum march_event event, uint32_t slot)
{
    struct order_list *list = worker->orders;
    const struct march_line *line = worker->line;
    for (int group = 0; list != NULL && group < EVENT_GROUPS; group++) {
        size_t count = worker->tally->events[group].count;
        if (count > list->room[group]) {
            struct event_order *grown =
                memory_grow(list->order[group], &list->room[group], count, sizeof *grown);
            worker->tally->lost_events |= grown == NULL;
            if (grown == NULL)
                continue;
            list->order[group] = grown;
        }
        /* a slot's number in the cycle is that of its place in hop 0 */
        uint64_t length = line->length, hop = worker->call->hop - (event == EVENT_CROSS);
        uint64_t at = line->first + (slot + hop) % line->due.slots;
        uint64_t number = (at + length - hop % length) % length;
        while (list->count[group] < count)
            list->order[group][list->count[group]++] =
                (struct event_order){(uint64_t)line->cycle << 2 | event, number};
    }
}

/* Rank 0 takes the events of all ranks in the order in which they are told alone. */
static void sort_events(struct march_call *call)
{
    struct machine *machine = call->machine;
    size_t count = 0;
    for (uint32_t i = 0; i < machine->config.threads; i++)
        for (int group = 0; group < EVENT_GROUPS; group++)
            count += machine->tally[i].events[group].count;
    struct ordered_event *ordered = memory_allocate(count + 1, sizeof *ordered);
    machine->tally[0].lost_events |= ordered == NULL;
    count = 0;
    for (uint32_t i = 0; i < machine->config.threads; i++)
        for (int group = 0; group < EVENT_GROUPS; group++) {
            struct event_list *list = &machine->tally[i].events[group];
            size_t known = ordered == NULL ? 0 : call->orders[i].count[group];
            for (size_t e = 0; e < known; e++)
                ordered[count++] = (struct ordered_event){list->event[e], (enum event_group)group,
                                                          call->orders[i].order[group][e], 0};
            list->count = call->orders[i].count[group] = 0;
        }
    events_take_sorted(machine, ordered, count);
    free(ordered);
}

/* ---- a step ---- */

/* Removes the slot's packet, which has ended. */
static void remove_slot(struct march_worker *worker, uint32_t slot)
{
    worker->line->due.at[slot] = DUE_NEVER;
    worker->line->packets--;
    worker->tally->resting--;
}

/* Does all that the slot's packet can do in this step. With unit copies a packet that must be copied waits for
 * the second step of the hop: a node holds one packet of the march, and makes one copy. */
static void settle_slot(void *of_worker, uint32_t slot)
{
    struct march_worker *worker = of_worker;
    struct march_call *call = worker->call;
    struct machine *machine = call->machine;
    const struct march *march = call->march;
    struct site site = site_of(worker, slot, call->hop);
    uint32_t packet = worker->line->packet[slot];
    bool is_free = machine->config.copy_is_free;
    unsigned outputs = march->outputs(march->context, site, packet);
    if (!is_single_output(outputs) && !is_free && call->stage == MARCH_HOP) {
        due_set(&worker->line->due, slot, call->hop);
        return;
    }
    if (!is_single_output(outputs)) {
        assert(outputs == (OUT_EJECT | OUT_HOLD));
        uint32_t taken = march->take(march->context, site, packet, OUT_EJECT);
        tally_deliver(machine, worker->tally, is_free ? ARRIVALS : DEPARTURES, site, packet, taken);
        outputs = march->outputs(march->context, site, packet);
        assert(outputs == OUT_HOLD);
    }
    if (outputs == OUT_HOLD) {
        uint32_t ahead = march->due(march->context, site_place(site), packet);
        assert(ahead > 0 && ahead < DUE_NEVER / 4);
        due_set(&worker->line->due, slot, call->hop + ahead);
        return;
    }
    remove_slot(worker, slot);
    assert(outputs == OUT_EJECT || outputs == OUT_DISCARD);
    assert(outputs == OUT_DISCARD || machine->header.packet[packet].first == packet);
    if (outputs == OUT_EJECT)
        tally_deliver(machine, worker->tally, ARRIVALS, site, packet, packet);
    else
        tally_discard(machine, worker->tally, ARRIVALS, site.index, packet);
}

static void settle(void *of_worker, uint32_t slot)
{
    settle_slot(of_worker, slot);
    note_order(of_worker, EVENT_SETTLE, slot);
}

/* Returns where the packet of a slot goes in this hop. */
static node_index next_of(const struct march_worker *worker, uint32_t slot)
{
    const struct march_line *line = worker->line;
    const struct march *march = worker->call->march;
    uint32_t at = (slot + worker->call->hop) % line->due.slots;
    if (at > 0 || !line->is_open)
        return site_of(worker, slot, worker->call->hop).index;
    node_place to = march->next(march->context, line->place[line->due.slots - 1]);
    return place_row(to) * worker->call->machine->config.mesh.cols + place_col(to);
}

/* Moves all packets of the line over a link, unless its one node is its own successor. */
static void cross(struct march_worker *worker)
{
    const struct march_call *call = worker->call;
    const struct march_line *line = worker->line;
    if (line->due.slots == 1)
        return;
    worker->tally->packet_hops += line->packets;
    for (uint32_t slot = 0; slot < line->due.slots; slot++) {
        if (!is_taken(line, slot))
            continue;
        tally_move(call->machine, worker->tally, line->packet[slot],
                   site_of(worker, slot, call->hop - 1).index, next_of(worker, slot));
        note_order(worker, EVENT_CROSS, slot);
    }
}

/* Takes nodes that are fuller than all before into the tally's peak; nodes without room discard their packets. */
static void measure(struct march_worker *worker)
{
    struct machine *machine = worker->call->machine;
    const struct march_line *line = worker->line;
    uint32_t before = machine->attempt.peak;
    for (uint32_t slot = 0; line->most + 1 > before && slot < line->due.slots; slot++) {
        if (!is_taken(line, slot))
            continue;
        node_index node = site_of(worker, slot, worker->call->hop).index;
        uint32_t held = machine->occupancy[node] + 1;
        if (!attempt_has_room(machine, held)) {
            machine->occupancy[node]++; /* as if it rested there */
            attempt_discard(machine, worker->tally, ARRIVALS, node, line->packet[slot]);
            attempt_discard_resting(machine, worker->tally, ARRIVALS, node);
            remove_slot(worker, slot);
            note_order(worker, EVENT_MEASURE, slot);
        } else if (held > before) {
            tally_holds(worker->tally, node, held);
        }
    }
}

static void do_stage(struct march_worker *worker)
{
    const struct march_call *call = worker->call;
    due_each(&worker->line->due, call->hop, settle, worker);
    if (call->stage == MARCH_HOP)
        measure(worker);
}

/* ---- a line ---- */

static bool is_beside(node_place a, node_place b)
{
    return a + 1 == b || b + 1 == a || place_of(place_row(a) + 1, place_col(a)) == b ||
           place_of(place_row(b) + 1, place_col(b)) == a;
}

/* Finds the line's nodes, each the successor of the one before; on ranks they are known. */
static void find_places(struct march_call *call, const struct march_line *line)
{
    const struct march *march = call->march;
    struct mesh mesh = call->machine->config.mesh;
    node_place start = line->place[0], here = start;
    for (uint32_t i = 0; i < line->due.slots; i++) {
        node_index node = place_row(here) * mesh.cols + place_col(here);
        assert(place_row(here) < mesh.rows && place_col(here) < mesh.cols);
        assert(!call->is_on[node] || (i == 0 && line->is_open));
        call->is_on[node] |= i > 0 || !line->is_open;
        line->place[i] = here;
        here = march->next(march->context, here);
        assert(line->due.slots == 1 || is_beside(line->place[i], here));
    }
    assert(here == start || line->is_open);
}

/* Puts the packets that rest at the line's nodes into its slots. */
static void load(struct march_worker *worker)
{
    struct machine *machine = worker->call->machine;
    const struct march *march = worker->call->march;
    struct march_line *line = worker->line;
    due_clear(&line->due);
    for (uint32_t slot = line->is_open; slot < line->due.slots; slot++) {
        node_index node = site_of(worker, slot, 0).index;
        uint32_t packet = machine->resting_first[node];
        if (packet != MACHINE_NONE) {
            assert((uint32_t)machine->next[packet] == MACHINE_NONE);
            machine->resting_first[node] = MACHINE_NONE;
            machine->occupancy[node]--;
            line->packet[slot] = packet;
            line->packets++;
            due_set(&line->due, slot, march->due(march->context, line->place[slot], packet));
            assert(line->due.at[slot] < (line->due.slots > 1 ? DUE_NEVER / 4 : 1));
        }
        if (machine->occupancy[node] > line->most)
            line->most = machine->occupancy[node];
    }
}

/* Brings the packets that are left to rest where they are. */
static void unload(const struct march_worker *worker)
{
    struct machine *machine = worker->call->machine;
    for (uint32_t slot = 0; slot < worker->line->due.slots; slot++) {
        node_index node = site_of(worker, slot, worker->call->hop).index;
        if (!is_taken(worker->line, slot))
            continue;
        machine->occupancy[node]++;
        machine_rest(machine, node, worker->line->packet[slot]);
    }
}

/* ---- a march ---- */

/* Ends the step, and chooses the next stage. For one thread, while the others wait. */
static void end_stage(struct march_call *call)
{
    bool copies = call->stage == MARCH_HOP && !call->machine->config.copy_is_free;
    call->stage = copies ? MARCH_COPY : MARCH_HOP;
    call->left--;
    if (call->orders != NULL)
        sort_events(call);
    call->kind = machine_end_step(call->machine, call->failure);
    call->done = call->kind != FAIL_NONE || call->left == 0;
    call->hop += !call->done && call->stage == MARCH_HOP;
}

/* The first half of a hop: all packets cross a link. */
static void cross_all(struct march_worker *worker, uint32_t first, uint32_t end,
                      const struct team *team)
{
    struct march_call *call = worker->call;
    for (uint32_t i = first; i < end; i++) {
        worker->line = &call->line[i];
        cross(worker);
    }
    if (!call->is_split)
        return;
    parallel_barrier(team);
    if (team->rank == 0)
        march_cross_border(call);
    parallel_barrier(team);
}

static void march_lines(void *context, const struct team *team)
{
    struct march_call *call = context;
    struct march_worker worker = {.call = call, .tally = &call->machine->tally[team->rank]};
    uint32_t first = parallel_band_start(call->lines, team->rank, team->size);
    uint32_t end = parallel_band_start(call->lines, team->rank + 1, team->size);
    if (call->orders != NULL)
        worker.orders = &call->orders[team->rank];
    for (uint32_t i = first; i < end; i++) {
        worker.line = &call->line[i];
        find_places(call, worker.line);
        load(&worker);
    }
    if (call->is_split) {
        parallel_barrier(team);
        if (team->rank == 0 && !march_find_crossings(call))
            machine_rank_fails(call->machine, "a march");
        parallel_barrier(team);
    }
    while (!call->done) {
        if (call->stage == MARCH_HOP)
            cross_all(&worker, first, end, team);
        for (uint32_t i = first; i < end; i++) {
            worker.line = &call->line[i];
            do_stage(&worker);
        }
        parallel_barrier(team);
        if (team->rank == 0)
            end_stage(call);
        parallel_barrier(team);
    }
    for (uint32_t i = first; i < end; i++) {
        worker.line = &call->line[i];
        unload(&worker);
    }
}

/* Returns the bytes for one cycle through all nodes; 48 more for each further cycle are not counted. */
uint64_t march_footprint(const struct machine_needs *needs)
{
    const struct march_call *call = NULL;
    uint64_t of_node =
        sizeof *call->place + sizeof *call->packet + sizeof *call->due + sizeof *call->is_on;
    return needs_nodes(needs) * of_node + due_groups(needs_nodes(needs)) * sizeof *call->first_due;
}

enum failure_kind machine_march(struct machine *machine, const struct march *march, uint32_t hops,
                                struct failure *failure)
{
    struct march_call call = {.machine = machine, .march = march, .failure = failure};
    uint64_t steps_of_hop = machine->config.copy_is_free ? 1 : 2;
    assert(hops < DUE_NEVER / 4);
    enum failure_kind kind = machine_judge_call(machine, FAIL_NONE, failure);
    if (kind != FAIL_NONE)
        return kind;
    call.left = machine_limit_steps(machine, 1 + hops * steps_of_hop);
    kind = march_prepare(&call) ? FAIL_NONE : fail_memory(failure, "a march");
    if (kind == FAIL_NONE) {
        parallel_run(machine->config.threads, march_lines, &call);
        kind = call.kind;
    }
    march_release(&call);
    return machine_judge_call(machine, kind, failure);
}
