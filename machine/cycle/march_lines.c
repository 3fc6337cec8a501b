/* march_lines.c - the lines of a march: cycles, or on several ranks their sections in a rank's rows, the packets that cross
 * between these, and the order of their events.
 *
 * Cost: on several ranks two walks round each cycle that touches the rank's rows; 16 bytes per line for the crossings.
 */
#include "machine/cycle/march_private.h"
#include "machine/ranks/border.h"
#include "machine/tally_private.h"

#include <assert.h>
#include <stdlib.h>

/* ---- lines ---- */

/* Adds a line of `nodes` own nodes of a cycle, from place `start` on; unless that is the whole cycle, place `start` is
 * another rank's. Before the lines are allocated it only counts them. */
static void add_line(struct march_call *call, uint32_t length, uint32_t cycle, uint32_t start,
                     uint32_t nodes)
{
    bool is_open = nodes < length;
    uint32_t slots = nodes + is_open;
    if (call->line != NULL) {
        uint32_t *memory = call->memory + call->places * MARCH_ARRAYS;
        call->line[call->lines] = (struct march_line){.place = memory,
                                                      .packet = memory + slots,
                                                      .due = memory + 2 * (size_t)slots,
                                                      .first = memory + 3 * (size_t)slots,
                                                      .next = memory + 4 * (size_t)slots,
                                                      .taken = memory + 5 * (size_t)slots,
                                                      .now = memory + 6 * (size_t)slots,
                                                      .slots = slots,
                                                      .is_open = is_open,
                                                      .way = call->march->ways != NULL ? cycle : 0,
                                                      .cycle = cycle,
                                                      .start = start,
                                                      .length = length};
    }
    call->lines++;
    call->places += slots;
}

static bool is_own(const struct march_call *call, uint32_t cycle, uint32_t number)
{
    uint32_t row = place_row(call->march->place(call->march->context, cycle, number));
    return row >= call->machine->first_row && row < call->machine->end_row;
}

/* Adds the sections of a cycle that lie in the rank's rows, from a place outside them on. */
static void add_sections(struct march_call *call, uint32_t length, uint32_t cycle)
{
    uint32_t before = 0, nodes = 0;
    while (is_own(call, cycle, before))
        before++;
    uint32_t foreign = before;
    for (uint32_t i = 1; i <= length; i++) {
        uint32_t number = (before + i) % length;
        if (is_own(call, cycle, number)) {
            nodes++;
            continue;
        }
        if (nodes > 0)
            add_line(call, length, cycle, foreign, nodes);
        foreign = number;
        nodes = 0;
    }
}

static void add_cycle(struct march_call *call, uint32_t cycle)
{
    struct march_cycle of = call->march->cycle(call->march->context, cycle);
    const struct machine *machine = call->machine;
    assert(of.length > 0);
    if (of.first_row >= machine->first_row && of.end_row <= machine->end_row)
        add_line(call, of.length, cycle, 0, of.length);
    else if (of.end_row > machine->first_row && of.first_row < machine->end_row)
        add_sections(call, of.length, cycle);
}

static void add_cycles(struct march_call *call)
{
    call->lines = 0;
    call->places = 0;
    for (uint32_t i = 0; i < call->march->cycles; i++)
        add_cycle(call, i);
}

bool march_prepare(struct march_call *call)
{
    struct machine *machine = call->machine;
    call->is_split = machine->is_split;
    assert(call->march->ways == NULL || call->march->cycles == 2);
    add_cycles(call);
    call->memory = memory_allocate(call->places * MARCH_ARRAYS + 1, sizeof *call->memory);
    call->visits = machine_allocate_nodes(machine, sizeof *call->visits);
    call->held = machine_allocate_nodes(machine, sizeof *call->held);
    call->line = memory_allocate(call->lines + (size_t)1, sizeof *call->line);
    if (call->is_split && !machine_observer_memory(machine, &call->orders, machine->config.threads,
                                                   sizeof *call->orders))
        return false;
    if (!call->line || !call->memory || !call->visits || !call->held ||
        !wave_tallies_allocate(machine, &call->counts, MARCH_STEPS))
        return false;
    add_cycles(call);
    return true;
}

void march_release(struct march_call *call)
{
    for (enum rank_side side = 0; side < RANK_SIDES; side++) {
        free(call->border[side].out);
        free(call->border[side].in);
    }
    for (uint32_t i = 0; call->orders != NULL && i < call->machine->config.threads; i++)
        for (int group = 0; group < EVENT_GROUPS; group++)
            free(call->orders[i].order[group]);
    free(call->orders);
    wave_tallies_free(&call->counts);
    free(call->line);
    free(call->memory);
    free(call->visits);
    free(call->held);
}

/* ---- places and packets ---- */

/* Finds the nodes of the line. */
static void find_places(const struct march_worker *worker)
{
    struct march_call *call = worker->call;
    struct march_line *line = worker->line;
    const struct march *march = call->march;
    for (uint32_t i = 0; i < line->slots; i++) {
        uint32_t number = line->start + i;
        number = number < line->length ? number : number - line->length;
        line->place[i] = march->place(march->context, line->cycle, number);
        assert(place_row(line->place[i]) < call->machine->config.mesh.rows);
        assert(place_col(line->place[i]) < call->machine->config.mesh.cols);
        assert(i <= line->is_open || march_is_beside(line->place[i - 1], line->place[i]));
        if (i == 0 && line->is_open)
            continue;
        call->visits[march_site_at(worker, line->place[i]).index]++;
        assert(march->ways != NULL ||
               call->visits[march_site_at(worker, line->place[i]).index] == 1);
    }
    assert(line->is_open || line->slots == 1 || march->ways != NULL ||
           march_is_beside(line->place[line->slots - 1], line->place[0]));
}

/* Takes the packet that rests at the slot's node, or its part for cycle 0, into the slot if it begins its march there. */
static void load_slot(struct march_worker *worker, uint32_t slot)
{
    struct machine *machine = worker->call->machine;
    const struct march *march = worker->call->march;
    struct march_line *line = worker->line;
    struct site site = march_site_of(worker, slot);
    uint32_t packet = machine->resting_first[site.index], part = MACHINE_NONE;
    uint32_t number = (line->start + slot) % line->length;
    if (packet == MACHINE_NONE ||
        (march->ways != NULL &&
         march->ways->begin(march->context, line->cycle, site, packet) != number))
        return;
    assert((uint32_t)machine->next[packet] == MACHINE_NONE);
    if (march->ways != NULL && line->way == 0)
        part = march->ways->split(march->context, packet);
    if (part != MACHINE_NONE) {
        worker->tally->copies++;
        worker->tally->resting++;
        tally_copy_event(machine, worker->tally, DEPARTURES, site.index, packet, part);
        march_note_order(worker, EVENT_SPLIT, slot);
        packet = part;
    } else {
        machine->resting_first[site.index] = MACHINE_NONE;
        machine->occupancy[site.index]--;
    }
    uint32_t ahead = march->due(march->context, line->place[slot], packet);
    assert(ahead < (line->slots > 1 ? MARCH_LEFT / 4 : 1) && (ahead > 0 || part == MACHINE_NONE));
    march_add(line, slot, packet, ahead);
}

static void load(struct march_worker *worker)
{
    struct march_line *line = worker->line;
    for (uint32_t slot = 0; slot < line->slots; slot++) {
        line->due[slot] = MARCH_EMPTY;
        line->first[slot] = MARCH_NO_SLOT;
    }
    for (uint32_t slot = line->is_open; slot < line->slots; slot++)
        load_slot(worker, slot);
}

/* Finds the most packets that do not march at one of the line's nodes, and the nodes that the ways visit more than twice.
 * All lines that share these nodes must be loaded. */
static void find_most(struct march_worker *worker)
{
    struct march_call *call = worker->call;
    struct march_line *line = worker->line;
    for (uint32_t at = line->is_open; at < line->slots; at++) {
        node_index node = march_site_at(worker, line->place[at]).index;
        uint32_t occupancy = call->machine->occupancy[node];
        line->most = occupancy > line->most ? occupancy : line->most;
        if (call->visits[node] <= 2)
            continue;
        assert(call->crowds < MARCH_MOST_CROWDS);
        call->crowd[call->crowds++] = (struct march_crowd){at, (uint32_t)(line - call->line)};
    }
}

void march_unload(struct march_worker *worker)
{
    struct machine *machine = worker->call->machine;
    for (uint32_t slot = 0; slot < worker->line->slots; slot++) {
        if (!march_is_taken(worker->line, slot))
            continue;
        node_index node = march_site_of(worker, slot).index;
        machine->occupancy[node]++;
        machine_rest(machine, node, worker->line->packet[slot]);
    }
}

void march_load_lines(struct march_worker *worker, struct march_line *first, struct march_line *end)
{
    for (worker->line = first; worker->line < end; worker->line++) {
        find_places(worker);
        load(worker);
        if (worker->call->march->ways == NULL)
            find_most(worker);
    }
    for (worker->line = first; worker->line < end; worker->line++)
        if (worker->call->march->ways != NULL)
            find_most(worker);
}

/* ---- other ranks ---- */

/* Sends the slot that has left the line. */
static void send(struct march_call *call, enum rank_side side, struct march_line *line)
{
    uint32_t slot = march_slot(line, 0), due = line->due[slot];
    bool is_taken = march_is_taken(line, slot);
    due = is_taken ? due : MARCH_EMPTY;
    border_put(call->machine, side, &due, sizeof due);
    if (!is_taken)
        return;
    border_put_packet(call->machine, side, line->packet[slot]);
    march_remove(line, slot);
}

static void receive(struct march_call *call, enum rank_side side, struct march_line *line)
{
    uint32_t slot = march_slot(line, 1), due;
    border_get(call->machine, side, &due, sizeof due);
    if (due == MARCH_EMPTY || call->machine->rank_failure.kind != FAIL_NONE)
        return;
    uint32_t packet = border_get_packet(call->machine, side);
    if (packet != MACHINE_NONE)
        march_add(line, slot, packet, due - line->hop);
}

void march_cross_border(struct march_call *call)
{
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        for (uint32_t i = 0; i < call->border[side].outs; i++) {
            struct march_line *line = &call->line[call->border[side].out[i].line];
            if (march_hops(call, line, call->step + 1))
                send(call, side, line);
        }
    border_exchange(call->machine);
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        for (uint32_t i = 0; i < call->border[side].ins; i++) {
            struct march_line *line = &call->line[call->border[side].in[i].line];
            if (march_hops(call, line, call->step + 1))
                receive(call, side, line);
        }
}

static int compare_crossings(const void *a, const void *b)
{
    const struct march_crossing *x = a, *y = b;
    return (x->col > y->col) - (x->col < y->col);
}

bool march_find_crossings(struct march_call *call)
{
    const struct march *march = call->march;
    uint32_t first_row = call->machine->first_row;
    for (enum rank_side side = 0; side < RANK_SIDES; side++) {
        struct march_border *border = &call->border[side];
        border->out = memory_allocate(call->lines + (size_t)1, sizeof *border->out);
        border->in = memory_allocate(call->lines + (size_t)1, sizeof *border->in);
        if (border->out == NULL || border->in == NULL)
            return false;
    }
    for (uint32_t i = 0; i < call->lines; i++) {
        const struct march_line *line = &call->line[i];
        if (!line->is_open)
            continue;
        uint32_t after = (line->start + line->slots) % line->length;
        node_place from = line->place[0];
        node_place to = march->place(march->context, line->cycle, after);
        struct march_border *in =
            &call->border[place_row(from) < first_row ? RANK_BEFORE : RANK_BEHIND];
        struct march_border *out =
            &call->border[place_row(to) < first_row ? RANK_BEFORE : RANK_BEHIND];
        /* a walk that is not closed begins, or ends, where two places are not neighbours */
        if (march_is_beside(from, line->place[1]))
            in->in[in->ins++] = (struct march_crossing){place_col(from), i};
        if (march_is_beside(line->place[line->slots - 1], to))
            out->out[out->outs++] = (struct march_crossing){place_col(to), i};
    }
    for (enum rank_side side = 0; side < RANK_SIDES; side++) {
        struct march_border *border = &call->border[side];
        qsort(border->out, border->outs, sizeof *border->out, compare_crossings);
        qsort(border->in, border->ins, sizeof *border->in, compare_crossings);
    }
    return true;
}

/* ---- events ---- */

void march_note_order(const struct march_worker *worker, enum march_event event, uint32_t slot)
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
        /* a slot's number in the cycle is the number of its place before the first hop */
        uint64_t length = line->length, at = line->start + march_at(line, slot);
        uint64_t number = (at + length - line->hop % length) % length;
        while (list->count[group] < count)
            list->order[group][list->count[group]++] =
                (struct event_order){(uint64_t)line->cycle << 3 | event, number};
    }
}

void march_sort_events(struct march_call *call)
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
    struct ordered_event *all = events_collect(machine, ordered, &count);
    for (size_t i = 0; i < count; i++)
        tally_event(machine, &machine->tally[0], all[i].group, all[i].event);
    free(all);
    free(ordered);
}
