/* circuit_rounds.c - packets circulate, round by round: what happens in a round.
 *
 * In every round all packets go one place on, so each keeps one slot: slot s of a way
 * is at place s + k in round k. The round of a packet's next destination is known, and the packet is not looked at
 * before (due.c). A round passes different links in different steps:
 *     step(link, k + 1) = 1 + the largest of step(link', k), for itself and the links beside it,
 *                         and of the steps in which the copies of the packets that cross it are made.
 * (circuit_lags.c). With free copies a round is a step. circuit_clock.c moves the machine's clock.
 * Invariants: `due` of a slot lies ahead of the round that was done last; a slot is empty from the
 * round `gone` on.
 * Cost: 32 bytes a place, 8 a node. A round costs a comparison for 64 slots, and with unit copies what circuit_lags.c
 * says; a destination costs O(1), and what the functions cost.
 */
#include "machine/cycle/circuit_place.h"

#include "machine/tally_private.h"

#include <assert.h>

/* Delivers `packet` to its first destination, in that step of the call; with its last one it ends. */
static void deliver(struct circuit_call *call, enum event_group group, struct site site,
                    uint32_t packet, uint32_t step)
{
    struct header *header = &call->machine->header.packet[packet];
    uint32_t slot = header->first;
    if (slot != packet)
        header->first = slot + 1;
    uint64_t before = call->tally->delivered;
    tally_deliver(call->machine, call->tally, group, site, packet, slot);
    circuit_note_deliveries(call, step, call->tally->delivered - before);
    if (call->events != NULL)
        circuit_note_events(call, step);
}

static void set_due(struct circuit_call *call, uint32_t slot, uint32_t round)
{
    assert(round > call->round);
    due_set(&call->due, slot, round);
}

/* The round passes all links, some not before the copies of the packets that cross them are made. */
static void cross(struct circuit_call *call)
{
    circuit_lags_begin_round(call, call->stops + call->crossings[RANK_BEFORE] +
                                       call->crossings[RANK_BEHIND]);
    call->is_held_up |= call->stops > 0;
    for (uint32_t i = 0; i < call->stops; i++)
        circuit_delay(call, call->link[call->stop[i].place], call->stop[i].came + 1);
    call->stops = 0;
}

/* ---- sources ---- */

/* Returns the place at which the packet begins, or the part that is split off it. */
static uint32_t begin_at(const struct circuit_call *call, struct site site, uint32_t packet,
                         bool split)
{
    const struct circuit *circuit = call->circuit;
    uint32_t number = circuit->begin(circuit->context, site, packet, split);
    if (!call->is_split || number == CIRCUIT_NO_PLACE)
        return number;
    for (int d = 0; d < DIRECTIONS; d++) {
        uint32_t place = call->leaving[(size_t)site.index * DIRECTIONS + (unsigned)d];
        if (place != CIRCUIT_NO_PLACE && circuit_number(call, place) == number)
            return place;
    }
    assert(false);
    return CIRCUIT_NO_PLACE;
}

/* Returns the links from `place` to the packet's next destination. */
static uint32_t hops_from(const struct circuit_call *call, uint32_t place, uint32_t packet)
{
    const struct circuit *circuit = call->circuit;
    return circuit->hops(circuit->context, call->is_split ? circuit_number(call, place) : place,
                         packet);
}

static void begin_part(struct circuit_call *call, uint32_t place, uint32_t packet, uint32_t step)
{
    struct site site = circuit_site(call, place);
    uint32_t hops = hops_from(call, place, packet);
    assert(call->gone[place] == 0);
    if (call->name != NULL)
        call->name[place] = packet_name(&call->machine->header, packet);
    call->packet[place] = packet;
    call->gone[place] = DUE_NEVER;
    call->living[circuit_stretch_of(call, place)->way]++;
    call->alive[call->alive_slots++] = place;
    if (hops == 0) {
        step = ++call->busy[site.index];
        deliver(call, DEPARTURES, site, packet, call->copies_are_free ? 1 : step);
        hops = hops_from(call, place, packet);
    }
    if (step > 0)
        call->stop[call->stops++] = (struct copy_stop){place, place, step};
    set_due(call, place, hops);
}

static void begin(struct circuit_call *call, node_index node)
{
    const struct circuit *circuit = call->circuit;
    struct site site = machine_site(call->machine, node);
    uint32_t packet = call->machine->resting_first[node], step = 0;
    if (packet == MACHINE_NONE)
        return;
    assert((uint32_t)call->machine->next[packet] == MACHINE_NONE);
    call->machine->resting_first[node] = MACHINE_NONE;
    call->machine->occupancy[node]--;
    call->tally->resting--;
    uint32_t place = begin_at(call, site, packet, false);
    uint32_t other = begin_at(call, site, packet, true);
    call->order.minor = node;
    if (other != CIRCUIT_NO_PLACE) {
        uint32_t part = circuit->take(circuit->context, packet);
        call->tally->copies++;
        step = call->busy[node] = 1;
        tally_copy_event(call->machine, call->tally, DEPARTURES, node, packet, part);
        if (call->events != NULL)
            circuit_note_events(call, step);
        begin_part(call, other, part, step);
        if (!call->copies_are_free && call->peak[2].step == DUE_NEVER)
            call->peak[2] = (struct peak){1, node};
    }
    begin_part(call, place, packet, step);
}

void circuit_begin(struct circuit_call *call)
{
    due_clear(&call->due);
    struct node_range own = machine_nodes(call->machine);
    for (node_index node = own.first; node < own.end; node++)
        begin(call, node);
    if (call->copies_are_free)
        call->stops = 0;
}

/* ---- destinations ---- */

static void find(void *of_call, uint32_t slot)
{
    struct circuit_call *call = of_call;
    __builtin_prefetch(&call->machine->header.packet[call->packet[slot]], 1);
    call->found[call->finds++] = slot;
}

/* Returns whether the node at `site` makes the copy of stop `a` before that of stop `b`. */
static bool is_first(const struct circuit_call *call, struct site site, const struct copy_stop *a,
                     const struct copy_stop *b)
{
    bool lower_first = (site.row + site.col) % 2 == 0;
    bool is_lower = circuit_number(call, a->place) < circuit_number(call, b->place);
    return a->came != b->came ? a->came < b->came : is_lower == lower_first;
}

/* Appends a stop; of two at one node the one copied first comes first. */
static void add_stop(struct circuit_call *call, struct copy_stop stop)
{
    struct site site = circuit_site(call, stop.place);
    struct copy_stop *own = &call->stop[call->stops];
    uint32_t mate = call->mate[site.index];
    *own = stop;
    if (call->stop_order != NULL)
        call->stop_order[call->stops] = circuit_slot_number(call, stop.place);
    call->mate[site.index] = ++call->stops;
    if (mate == 0)
        return;
    struct copy_stop *other = &call->stop[mate - 1];
    if (call->stop_order != NULL &&
        call->stop_order[mate - 1] > call->stop_order[call->stops - 1]) {
        uint64_t order = call->stop_order[mate - 1];
        call->stop_order[mate - 1] = call->stop_order[call->stops - 1];
        call->stop_order[call->stops - 1] = order;
    }
    if (is_first(call, site, own, other)) {
        *own = *other;
        *other = stop;
    }
}

/* Makes the node's copy, after its earlier ones; sets `came` to its step. */
static void copy(struct circuit_call *call, struct copy_stop *stop)
{
    struct site site = circuit_site(call, stop->place);
    uint32_t packet = call->packet[stop->slot], *busy = &call->busy[site.index];
    call->mate[site.index] = 0;
    if (call->stop_order != NULL)
        call->order = (struct event_order){2 * (uint64_t)call->round + 1,
                                           call->stop_order[stop - call->stop]};
    if (call->copies_are_free) {
        deliver(call, ARRIVALS, site, packet, stop->came);
    } else {
        stop->came = *busy = (*busy > stop->came ? *busy : stop->came) + 1;
        deliver(call, DEPARTURES, site, packet, stop->came);
    }
    set_due(call, stop->slot, call->round + hops_from(call, stop->place, packet));
}

static void arrive(struct circuit_call *call, uint32_t slot)
{
    uint32_t place = circuit_place_of_slot(call, slot), packet = call->packet[slot];
    uint32_t came = circuit_came_to(call, place);
    if (call->machine->header.packet[packet].first != packet) {
        add_stop(call, (struct copy_stop){place, slot, came});
        return;
    }
    if (call->stop_order != NULL)
        call->order =
            (struct event_order){2 * (uint64_t)call->round, circuit_slot_number(call, place)};
    deliver(call, ARRIVALS, circuit_site(call, place), packet, came);
    call->due.at[slot] = DUE_NEVER;
    call->gone[slot] = call->round;
    call->living[circuit_stretch_of(call, slot)->way]--;
    call->last = came > call->last ? came : call->last;
}

void circuit_do_round(struct circuit_call *call)
{
    call->round++;
    call->tally->packet_hops += call->living[0] + call->living[1];
    if (!call->copies_are_free)
        cross(call);
    if (call->is_split)
        circuit_cross_border(call);
    circuit_note_links(call);
    call->finds = 0;
    due_each(&call->due, call->round, find, call);
    for (uint32_t i = 0; i < call->finds; i++)
        arrive(call, call->found[i]);
    for (uint32_t i = 0; i < call->stops; i++)
        copy(call, &call->stop[i]);
    if (call->copies_are_free)
        call->stops = 0;
    circuit_peak_measure(call);
}
