/* march.c - packets march along closed walks, all at once, without being moved in memory.
 *
 * All packets of a cycle go to the next place at the same time, so they keep their order, and no
 * two want one link. A cycle is a line of slots. A packet keeps its slot, and after h hops slot s
 * is at place s + h. A packet computes from its own header in how many hops it acts next, and is in
 * a list of that hop until then; so a hop of a line costs O(1), and so does each act of a packet.
 *   Lines share nothing: each thread has its own, and takes one through several steps before the
 * next while nobody observes and no buffer can become fuller than any before. Packets that are
 * parked, or rest at nodes of no cycle, stay where they are. So the most packets that a node can
 * hold is known beforehand: those, and one more per way. Crowded nodes, which both ways together
 * visit more than twice, are counted in each step while they may be fuller than before.
 * Invariants: a taken slot is due after the last hop that was done, or its packet is copied in the
 * next step; packets of the march count as resting, but not in machine->occupancy.
 *   On several ranks a line is a section of a cycle between two links to other ranks. It has one
 * place more, before its first node, and is a ring: packets come in at that place and leave to it,
 * so an arriving packet gets the slot of one that has left. A hop costs one message to each
 * neighbouring rank.
 * Cost while a march lasts: 28 bytes per place, 8 more per place at a crowded node, 2 per node and
 * 120 per cycle. On several ranks also two walks around each cycle that touches the rank's rows,
 * and 16 bytes per line for the crossings.
 */
#include "machine/cycle.h"

#include "machine/ranks/border.h"
#include "machine/transit/conveyor.h"

#include <assert.h>
#include <stdlib.h>

/* Values of march_line.due: the slot is empty; it is empty, but still in the list of taken
 * slots. */
#define MARCH_EMPTY UINT32_MAX
#define MARCH_LEFT (UINT32_MAX - 1)
#define MARCH_NO_SLOT UINT32_MAX

/* A cycle, or on several ranks one section of it; an open section begins with another rank's place.
 * A packet keeps its slot: after h hops slot s is at place s + h. */
struct march_line {
    node_place *place; /* [slots]: its nodes, in the order of the walk */
    uint32_t *packet;  /* [slot] */
    uint32_t *due;     /* [slot]: the hop at which the packet acts, or one of the values above */
    uint32_t *first;   /* [hop % slots]: the first slot of the list that is due then */
    uint32_t *next;    /* [slot]: the next slot of the same list, or MARCH_NO_SLOT */
    uint32_t *taken;   /* [takes]: every taken slot and some empty ones; sorted if not is_open */
    uint32_t *now;     /* the slots that are due at this hop */
    uint32_t slots, takes, packets;
    uint32_t hop;    /* hops done */
    uint32_t shift;  /* hop % slots */
    uint32_t most;   /* the most packets besides the march at one of its nodes */
    bool is_open;    /* its first place is another rank's */
    uint32_t way;    /* with two ways 0 on cycles 2 i, 1 on cycles 2 i + 1; else 0 */
    uint32_t cycle;  /* the number of the cycle */
    uint32_t start;  /* the number in the cycle of the first place */
    uint32_t length; /* of the cycle, in places */
};

/* Returns the current place of a slot on the line. */
static inline uint32_t march_at(const struct march_line *line, uint32_t slot)
{
    uint32_t at = slot + line->shift;
    return at < line->slots ? at : at - line->slots;
}

/* Returns the slot that is now at a place of the line. */
static inline uint32_t march_slot(const struct march_line *line, uint32_t at)
{
    return at >= line->shift ? at - line->shift : at + line->slots - line->shift;
}

static inline bool march_is_taken(const struct march_line *line, uint32_t slot)
{
    return line->due[slot] < MARCH_LEFT;
}

/* Sets the slot's packet to be due `ahead` hops from now, and lists it unless that is beyond the
 * end of an open line. */
static inline void march_set_due(struct march_line *line, uint32_t slot, uint32_t ahead)
{
    uint32_t at = line->shift + ahead, left = line->slots - 1 - march_at(line, slot);
    line->due[slot] = line->hop + ahead;
    if (line->is_open && ahead > left)
        return;
    at = at < line->slots ? at : at % line->slots;
    line->next[slot] = line->first[at];
    line->first[at] = slot;
}

/* Puts a packet into an empty slot. */
static inline void march_add(struct march_line *line, uint32_t slot, uint32_t packet,
                             uint32_t ahead)
{
    if (line->due[slot] == MARCH_EMPTY)
        line->taken[line->takes++] = slot;
    line->packet[slot] = packet;
    line->packets++;
    march_set_due(line, slot, ahead);
}

static inline void march_remove(struct march_line *line, uint32_t slot)
{
    line->due[slot] = MARCH_LEFT;
    line->packets--;
}

/* A line that crosses to or from another rank by the link in a column. */
struct march_crossing {
    uint32_t col, line;
};

/* A place of a line whose node the lines visit more than twice. */
struct march_crowd {
    uint32_t at, line;
};

/* The crossings of one side, from west to east. */
struct march_border {
    struct march_crossing *out, *in;
    uint32_t outs, ins;
};

/* The order among all ranks' events of each event in a thread's lists. */
struct order_list {
    struct event_order *order[EVENT_GROUPS];
    size_t count[EVENT_GROUPS], room[EVENT_GROUPS];
};

enum {
    MARCH_ARRAYS = 7, /* arrays of a line with a number per slot */
    MARCH_STEPS = 64, /* the most steps that a thread takes one line through before the next */
};

struct march_call {
    struct machine *machine;
    const struct march *march;
    bool is_split;           /* among several ranks */
    bool is_told;            /* an observer gets each step's events */
    bool is_free;            /* copies cost no step, or there are none */
    struct march_line *line; /* [lines] */
    uint32_t lines;
    size_t places; /* of all lines */
    struct march_border border[RANK_SIDES];
    struct order_list *orders; /* [thread]; NULL unless observed on several ranks */
    uint32_t *memory;          /* the lines' arrays */
    uint8_t *visits;           /* [node]: places of lines */
    uint8_t *held;             /* [node]: packets of the march, while they are counted; else 0 */
    struct wave_tallies counts;
    struct march_crowd *crowd; /* [crowds] */
    size_t crowds;
    uint32_t most_crowded;  /* the most places of a crowded node that packets may reach */
    uint32_t most;          /* the largest march_line.most */
    uint32_t steps_at_once; /* of this wave */
    uint64_t step;          /* steps done */
    uint64_t last;          /* the last possible step of the march */
    bool done;
    enum failure_kind kind;
    struct failure *failure;
};

/* The kinds of events of a line in a step, in the order of the trace. */
enum march_event { EVENT_SPLIT, EVENT_BEGIN, EVENT_CROSS, EVENT_SETTLE, EVENT_MEASURE };

/* A thread's work on a line in a step. */
struct march_worker {
    struct march_call *call;
    struct march_line *line;
    struct tally *tally;
    struct order_list *orders; /* of the thread, or NULL */
    uint64_t step;
    bool may_copy;
    enum march_event event;
};

static inline struct site march_site_at(const struct march_worker *worker, node_place place)
{
    uint32_t cols = worker->call->machine->config.mesh.cols;
    return (struct site){place_row(place) * cols + place_col(place), place_row(place),
                         place_col(place)};
}

/* Returns the current node of a slot. */
static inline struct site march_site_of(const struct march_worker *worker, uint32_t slot)
{
    return march_site_at(worker, worker->line->place[march_at(worker->line, slot)]);
}

/* True if the packets of a line hop in step `step` of the call, from 1. */
static inline bool march_hops(const struct march_call *call, const struct march_line *line,
                              uint64_t step)
{
    if (call->is_free)
        return step > 1 || call->march->paths != NULL;
    return step > 1 && step % 2 == line->way;
}

static inline bool march_is_beside(node_place a, node_place b)
{
    return a + 1 == b || b + 1 == a || place_of(place_row(a) + 1, place_col(a)) == b ||
           place_of(place_row(b) + 1, place_col(b)) == a;
}

/* ---- lines ---- */

/* Adds a line of `nodes` own nodes of a cycle, from place `start` on; unless that is the whole
 * cycle, place `start` is another rank's. Before the lines are allocated it only counts them. */
static void add_line(struct march_call *call, uint32_t length, uint32_t cycle, uint32_t start,
                     uint32_t nodes)
{
    bool is_open = nodes < length;
    uint32_t slots = nodes + is_open;
    if (call->line != NULL) {
        uint32_t *memory = call->memory + call->places * MARCH_ARRAYS;
        call->line[call->lines] =
            (struct march_line){.place = memory,
                                .packet = memory + slots,
                                .due = memory + 2 * (size_t)slots,
                                .first = memory + 3 * (size_t)slots,
                                .next = memory + 4 * (size_t)slots,
                                .taken = memory + 5 * (size_t)slots,
                                .now = memory + 6 * (size_t)slots,
                                .slots = slots,
                                .is_open = is_open,
                                .way = call->march->paths != NULL ? cycle % 2 : 0,
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

/* Adds the sections of a cycle that are in the rank's rows, from a place outside them on. */
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
        assert(march->paths != NULL ||
               call->visits[march_site_at(worker, line->place[i]).index] == 1);
    }
    assert(line->is_open || line->slots == 1 || march->paths != NULL ||
           march_is_beside(line->place[line->slots - 1], line->place[0]));
}

/* Two ways: finds the nodes of all lines, and the places whose node they visit more than twice. */
static bool find_crowds(struct march_call *call)
{
    struct march_worker worker = {.call = call};
    struct march_line *end = call->line + call->lines;
    size_t room = 0;
    for (worker.line = call->line; worker.line < end; worker.line++)
        find_places(&worker);
    for (worker.line = call->line; worker.line < end; worker.line++)
        for (uint32_t at = worker.line->is_open; at < worker.line->slots; at++) {
            if (call->visits[march_site_at(&worker, worker.line->place[at]).index] <= 2)
                continue;
            if (!memory_make_room(&call->crowd, &room, call->crowds + 1, sizeof *call->crowd))
                return false;
            call->crowd[call->crowds++] =
                (struct march_crowd){at, (uint32_t)(worker.line - call->line)};
        }
    return true;
}

/* Finds the lines and allocates what a march needs. Returns false if there is no memory;
 * march_release() in any case. */
static bool march_prepare(struct march_call *call)
{
    struct machine *machine = call->machine;
    call->is_split = machine->is_split;
    assert(call->march->paths == NULL || call->march->cycles % 2 == 0);
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
    return call->march->paths == NULL || find_crowds(call);
}

static void march_release(struct march_call *call)
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
    free(call->crowd);
    free(call->memory);
    free(call->visits);
    free(call->held);
}

/* ---- places and packets ---- */

static void march_note_order(const struct march_worker *worker, enum march_event event,
                             uint32_t slot);

/* Loads the packet that rests at the slot's node, or its part for the first way, into the slot
 * if it begins its march there. */
static void load_slot(struct march_worker *worker, uint32_t slot)
{
    struct machine *machine = worker->call->machine;
    const struct march *march = worker->call->march;
    struct march_line *line = worker->line;
    struct site site = march_site_of(worker, slot);
    uint32_t packet = machine->resting_first[site.index], part = MACHINE_NONE;
    uint32_t number = (line->start + slot) % line->length;
    if (packet == MACHINE_NONE ||
        (march->paths != NULL &&
         march->paths->begin(march->context, line->cycle, site, packet) != number))
        return;
    assert((uint32_t)machine->next[packet] == MACHINE_NONE);
    if (march->paths != NULL && line->way == 0)
        part = march->paths->split(march->context, packet);
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

/* Finds the most packets besides the march at one of the line's nodes. All lines that share these
 * nodes must be loaded. */
static void find_most(struct march_worker *worker)
{
    struct march_line *line = worker->line;
    for (uint32_t at = line->is_open; at < line->slots; at++) {
        node_index node = march_site_at(worker, line->place[at]).index;
        line->most = max_u32(line->most, worker->call->machine->occupancy[node]);
    }
}

/* Finds the most packets of the march that a crowded node may have. */
static void find_most_crowded(struct march_call *call)
{
    struct march_worker worker = {.call = call};
    for (int is_counted = 0; is_counted < 2; is_counted++)
        for (size_t i = 0; i < call->crowds; i++) {
            worker.line = &call->line[call->crowd[i].line];
            node_place place = worker.line->place[call->crowd[i].at];
            uint8_t *held = &call->held[march_site_at(&worker, place).index];
            *held = is_counted ? 0 : *held + (worker.line->is_open || worker.line->packets > 0);
            call->most_crowded = max_u32(call->most_crowded, *held);
        }
}

static void march_unload(struct march_worker *worker)
{
    struct machine *machine = worker->call->machine;
    for (uint32_t at = 0; at < worker->line->slots; at++) {
        uint32_t slot = march_slot(worker->line, at);
        if (!march_is_taken(worker->line, slot))
            continue;
        node_index node = march_site_of(worker, slot).index;
        machine->occupancy[node]++;
        machine_rest(machine, node, worker->line->packet[slot]);
    }
}

/* Puts the packets that rest at the places of a thread's lines into slots. march_unload() brings
 * the remaining packets of the worker's line to rest. */
static void march_load_lines(struct march_worker *worker, struct march_line *first,
                             struct march_line *end)
{
    for (worker->line = first; worker->line < end; worker->line++) {
        if (worker->call->march->paths == NULL)
            find_places(worker);
        load(worker);
        if (worker->call->march->paths == NULL)
            find_most(worker);
    }
    for (worker->line = first; worker->line < end; worker->line++)
        if (worker->call->march->paths != NULL)
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

/* Exchanges the packets that cross to other ranks in this step, in one thread, while the others
 * wait. */
static void march_cross_border(struct march_call *call)
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

/* Finds the links by which lines come from other ranks and go there; all places must be known.
 * Returns false if there is no memory. */
static bool march_find_crossings(struct march_call *call)
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

/* Orders the events since the last call, all of one slot, among those of all ranks. */
static void march_note_order(const struct march_worker *worker, enum march_event event,
                             uint32_t slot)
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

/* Gives rank 0 the events of all ranks in the order of a run without ranks. */
static void march_sort_events(struct march_call *call)
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

/* ---- due packets ---- */

/* Does everything that the slot's packet can do in this step. With unit copies a packet that must
 * be copied waits for the step after the hop: then a node holds one packet that may be copied, and
 * makes one copy. */
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

/* Moves the list of this hop into line->now, the highest slot first if events are collected.
 * Returns the number of slots. */
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

static void emit_moves(const struct march_worker *worker)
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
        emit_moves(worker);
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

/* Raises the tally's peak to the packets of the slot's node. A node without room discards its
 * packets. */
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
    for (uint32_t i = 0; i < call->lines && call->march->paths != NULL; i++)
        goes[call->line[i].way] |= call->line[i].packets > 0;
    uint32_t ways = call->march->paths == NULL ? 1 : (uint32_t)goes[0] + goes[1];
    return call->most + ways > call->machine->attempt.peak;
}

/* True if a crowded node may become fuller than any before. */
static bool may_crowd(const struct march_call *call)
{
    return call->crowds > 0 && call->most + call->most_crowded > call->machine->attempt.peak;
}

static uint64_t packets_on_lines(const struct march_call *call)
{
    uint64_t packets = 0;
    for (uint32_t i = 0; i < call->lines; i++)
        packets += call->line[i].packets;
    return packets;
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

/* Two ways: measures the nodes that may be fuller than all before, by the packets if these are
 * fewer than the places of crowded nodes. For one thread, while the others wait. */
static void measure_ways(struct march_worker *worker)
{
    struct march_call *call = worker->call;
    if (may_all_be_fuller(call) || packets_on_lines(call) < call->crowds) {
        measure_lines(worker, call->line, call->lines);
        return;
    }
    for (int is_counted = 0; is_counted < 2; is_counted++)
        for (size_t i = 0; i < call->crowds; i++) {
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
    if (worker->step == 1 && call->is_free && call->march->paths != NULL)
        settle(worker, EVENT_BEGIN, true);
    if (march_hops(call, worker->line, worker->step))
        hop(worker);
}

/* Does the second half of a line's step: the packets' acts at their present places. */
static void arrive(struct march_worker *worker)
{
    struct march_call *call = worker->call;
    struct march_line *line = worker->line;
    bool hops = march_hops(call, line, worker->step);
    if (worker->step == 1 && !hops && line->way == 1)
        return; /* it hops in step 2 */
    settle(worker, EVENT_SETTLE, call->is_free || !hops);
    if (hops && call->march->paths == NULL && line->most + 1 > call->machine->attempt.peak)
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

/* Ends the steps of a wave, in one thread, while the others wait. */
static void end_wave(struct march_worker *worker)
{
    struct march_call *call = worker->call;
    struct machine *machine = call->machine;
    uint32_t ended = 0;
    worker->tally = wave_tally(&call->counts, 0, 0);
    if (call->march->paths != NULL && (may_all_be_fuller(call) || may_crowd(call)))
        measure_ways(worker);
    while (ended < call->steps_at_once && !call->done) {
        wave_collect(machine, &call->counts, ended++);
        if (call->orders != NULL)
            march_sort_events(call);
        call->kind = machine_end_step(machine, call->failure);
        call->step++;
        call->done = call->kind != FAIL_NONE || call->step == call->last ||
                     (call->march->paths != NULL && machine->resting == 0);
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
        find_most_crowded(call);
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

/* Returns the most steps of the march. */
static uint64_t steps_of(const struct march_call *call, uint32_t hops)
{
    if (!call->is_free)
        return 1 + 2 * (uint64_t)hops;
    return hops + (uint64_t)(call->march->paths == NULL);
}

enum failure_kind machine_march(struct machine *machine, const struct march *march, uint32_t hops,
                                struct failure *failure)
{
    struct march_call call = {.machine = machine, .march = march, .failure = failure};
    assert(hops < MARCH_LEFT / 4);
    enum failure_kind kind = machine_judge_call(machine, FAIL_NONE, failure);
    if (kind != FAIL_NONE || (march->paths != NULL && machine->resting == 0))
        return kind;
    call.is_free =
        machine->config.copy_is_free || (march->paths != NULL && march->paths->copies_nothing);
    call.is_told = machine_steps_at_once(machine, MARCH_STEPS) == 1;
    call.last = machine_limit_steps(machine, steps_of(&call, hops));
    kind = march_prepare(&call) ? FAIL_NONE : fail_memory(failure, "a march");
    if (kind == FAIL_NONE) {
        /* two ways share their nodes, and a node belongs to one thread */
        parallel_run(march->paths != NULL ? 1 : machine->config.threads, march_lines, &call);
        kind = call.kind;
    }
    march_release(&call);
    return machine_judge_call(machine, kind, failure);
}
