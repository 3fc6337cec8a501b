/* run_machine_events.c - takes the events of a mesh machine's run, and keeps where each packet is.
 *
 * Method: an event must be possible: its packet must be in the network and at the node named, and must move to a neighbour.
 * Events are kept until their row, a step in which something happened, is over (run_machine_frames.c). Packets are
 * renumbered from 0 in the order in which they come; an array gives the packet of a name.
 * Invariant: before[v] = occupancy[v] for every node that is not in `changed`.
 * Cost: some twenty operations per event.
 */
#include "view/run_machine_private.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- packets and nodes ---- */

/* Enters a node in `changed`, which has room for one entry more than there are nodes; returns its new length. */
static inline uint32_t note_change(struct machine_run *run, uint32_t changes, uint32_t node)
{
    run->changed[changes] = node;
    changes += !run->is_changed[node];
    run->is_changed[node] = 1;
    return changes;
}

static void enter(struct machine_run *run, uint32_t node)
{
    run->changes = note_change(run, run->changes, node);
    run->occupancy[node]++;
    run->in_network++;
}

static void leave(struct machine_run *run, uint32_t packet)
{
    struct packet_place *place = &run->place[run->name[packet]];
    run->changes = note_change(run, run->changes, place->node);
    run->occupancy[place->node]--;
    run->in_network--;
    place->node = MESH_NO_NODE;
}

/* Returns the direction from a node towards another number; the neighbour there may be another node, or none. */
static inline unsigned direction_to(const struct machine_run *run, uint32_t from, uint32_t to)
{
    unsigned is_row = (to + 1 == from || from + 1 == to) && run->mesh.cols > 1;
    return is_row << 1 | (to > from); /* NORTH, SOUTH, WEST, EAST */
}

static inline bool link_is_there(const struct machine_run *run, uint32_t from, uint32_t to,
                                 unsigned direction)
{
    return to == from + (uint32_t)run->step_to[direction] && run->links[from] >> direction & 1;
}

/* Returns the packet of that name if it is at that node, else NO_PACKET, with a failure. */
static uint32_t packet_at(struct machine_run *run, uint32_t name, uint32_t node,
                          struct failure *failure)
{
    if (name >= run->names_room || run->place[name].node == MESH_NO_NODE) {
        machine_run_refuse(run, failure, "no packet of name %" PRIu32 " is in the network", name);
        return NO_PACKET;
    }
    struct packet_place place = run->place[name];
    if (place.node == node)
        return place.packet;
    machine_run_refuse(run, failure,
                       "packet %" PRIu64 " is at node %" PRIu32 ", not at node %" PRIu32,
                       run->number[place.packet], place.node, node);
    return NO_PACKET;
}

/* Keeps an event's further number until the row is over; returns the event's bits for it. */
static uint64_t keep_further(struct machine_run *run, uint32_t number)
{
    if (run->is_summary)
        return 0;
    run->further[run->furthers] = number;
    return (uint64_t)run->furthers++ << FURTHER_BIT;
}

static void keep_event(struct machine_run *run, uint32_t packet, enum operation operation,
                       uint64_t further)
{
    if (!run->is_summary)
        run->event[run->events++] = (uint64_t)(operation == MERGE) << MERGE_BIT |
                                    (uint64_t)packet << PACKET_BIT | further | operation;
}

static bool grow_packets(struct machine_run *run, struct failure *failure)
{
    struct {
        void *array;
        size_t size;
    } const all[] = {{&run->number, sizeof *run->number},
                     {&run->name, sizeof *run->name},
                     {&run->message, sizeof *run->message},
                     {&run->last_move, sizeof *run->last_move},
                     {&run->contributions, sizeof *run->contributions}};
    size_t arrays = run->reduces ? 5 : 4;
    uint32_t room = run->packets_room;
    if (run->packets < room)
        return true;
    for (size_t i = 0; i < arrays; i++) {
        room = run->packets_room;
        if (!machine_run_grow(all[i].array, (uint64_t)run->packets + 1, &room, all[i].size,
                              failure))
            return false;
    }
    run->packets_room = room;
    return true;
}

/* Makes a packet of that name; NO_PACKET, with a failure, if there is one or no memory. */
static uint32_t make_packet(struct machine_run *run, uint32_t name, uint32_t node, uint32_t message,
                            struct failure *failure)
{
    uint32_t packet = run->packets;
    if (name >= run->names_room || run->place[name].node != MESH_NO_NODE) {
        machine_run_refuse(run, failure, "expected a name that no packet has, not %" PRIu32, name);
        return NO_PACKET;
    }
    if (packet >= INT32_MAX || run->furthers >= UINT32_C(1) << FURTHER_BITS) {
        machine_run_refuse(run, failure,
                           "expected less than 2^31 packets, and 2^28 that come in a step");
        return NO_PACKET;
    }
    if (!grow_packets(run, failure))
        return NO_PACKET;
    uint32_t last = run->place[name].packet;
    uint64_t number = run->line > 0       ? run->born_number
                      : last == NO_PACKET ? run->first_number + name
                                          : run->number[last];
    run->number[packet] = number;
    run->name[packet] = name;
    run->message[packet] = message;
    run->last_move[packet] = UINT32_MAX;
    if (run->reduces)
        run->contributions[packet] = 1;
    if (!run->is_summary) {
        column_put_change(&run->born[BORN_MESSAGE], run->last_message, message);
        column_put_change(&run->born[BORN_NUMBER], run->last_number + 1, number);
        run->last_message = message;
        run->last_number = number;
    }
    run->place[name] = (struct packet_place){packet, node};
    enter(run, node);
    return run->packets++;
}

/* ---- events ---- */

/* Takes moves, which most events are, up to another event or `stop`; returns where it ends or fails. */
static const struct machine_event *take_moves(struct machine_run *run,
                                              const struct machine_event *event,
                                              const struct machine_event *stop,
                                              struct failure *failure)
{
    enum { AHEAD = 16 };
    const struct machine_event *begin = event;
    uint64_t *word = run->event + run->events;
    uint32_t changes = run->changes;
    unsigned keeps = !run->is_summary;
    for (; event < stop && event->kind == 'M'; event++) {
        uint32_t name = event->field[0], from = event->field[1], to = event->field[2];
        if (stop - event > AHEAD)
            __builtin_prefetch(&run->place[event[AHEAD].field[0]], 1);
        if (name >= run->names_room || run->place[name].node != from || from == MESH_NO_NODE) {
            packet_at(run, name, from, failure);
            break;
        }
        struct packet_place *place = &run->place[name];
        unsigned direction = direction_to(run, from, to);
        if (!link_is_there(run, from, to, direction)) {
            machine_run_refuse(run, failure, "expected a move to a neighbour");
            break;
        }
        place->node = to;
        run->occupancy[from]--;
        run->occupancy[to]++;
        changes = note_change(run, changes, from);
        changes = note_change(run, changes, to);
        run->load[(size_t)from * DIRECTIONS + direction]++;
        if (keeps)
            *word++ = (uint64_t)place->packet << PACKET_BIT | (MOVE + direction);
    }
    run->changes = changes;
    run->hops += (uint64_t)(event - begin);
    run->events += keeps ? (uint32_t)(event - begin) : 0;
    return event;
}

static enum failure_kind take_word(struct machine_run *run, const struct machine_event *event,
                                   struct failure *failure)
{
    uint32_t from = event->field[0], to = event->field[1], nodes = mesh_nodes(run->mesh);
    unsigned direction = direction_to(run, from, to);
    if (from >= nodes || to >= nodes || !link_is_there(run, from, to, direction))
        return machine_run_refuse(run, failure, "expected a word between two neighbours");
    run->word_hops++;
    if (!run->is_summary)
        run->word[run->words++] = (uint64_t)from * DIRECTIONS + direction;
    return FAIL_NONE;
}

static enum failure_kind take_injection(struct machine_run *run, const struct machine_event *event,
                                        struct failure *failure)
{
    uint32_t node = event->field[0], message = event->field[2];
    if (node >= mesh_nodes(run->mesh) || message == UINT32_MAX)
        return machine_run_refuse(run, failure,
                                  "expected a node below %u and a message below 2^32 - 1",
                                  mesh_nodes(run->mesh));
    uint32_t packet = make_packet(run, event->field[1], node, message, failure);
    if (packet != NO_PACKET)
        keep_event(run, packet, INJECT, keep_further(run, node));
    return failure->kind;
}

static enum failure_kind take_copy(struct machine_run *run, const struct machine_event *event,
                                   uint32_t packet, struct failure *failure)
{
    uint32_t copy =
        make_packet(run, event->field[2], event->field[0], run->message[packet], failure);
    if (copy != NO_PACKET)
        keep_event(run, packet, COPY, keep_further(run, copy));
    return failure->kind;
}

/* Takes a D or E. A packet of a reduction delivers all contributions that it carries. */
static enum failure_kind take_delivery(struct machine_run *run, const struct machine_event *event,
                                       uint32_t packet, struct failure *failure)
{
    bool ends = event->kind == 'E';
    if (run->message[packet] != event->field[2])
        return machine_run_refuse(run, failure,
                                  "packet %" PRIu64 " is of message %" PRIu32 ", not of %" PRIu32,
                                  run->number[packet], run->message[packet], event->field[2]);
    run->delivered += run->reduces ? run->contributions[packet] : 1;
    if (ends)
        leave(run, packet);
    keep_event(run, packet, ends ? END : DELIVER, 0);
    return FAIL_NONE;
}

static enum failure_kind take_merge(struct machine_run *run, const struct machine_event *event,
                                    uint32_t packet, struct failure *failure)
{
    uint32_t into = packet_at(run, event->field[2], event->field[0], failure);
    if (into == NO_PACKET)
        return failure->kind;
    if (into == packet)
        return machine_run_refuse(run, failure, "expected a merge into another packet");
    if (run->reduces)
        run->contributions[into] += run->contributions[packet];
    leave(run, packet);
    keep_event(run, packet, MERGE, keep_further(run, into));
    return FAIL_NONE;
}

/* Takes an event that is not a move. */
static enum failure_kind take_event(struct machine_run *run, const struct machine_event *event,
                                    struct failure *failure)
{
    if (event->kind == 'X')
        return take_word(run, event, failure);
    if (event->kind == 'I')
        return take_injection(run, event, failure);
    uint32_t packet = packet_at(run, event->field[1], event->field[0], failure);
    if (packet == NO_PACKET)
        return failure->kind;
    switch (event->kind) {
    case 'C':
        return take_copy(run, event, packet, failure);
    case 'G':
        return take_merge(run, event, packet, failure);
    case 'R':
        leave(run, packet);
        run->number[packet] += run->slots;
        keep_event(run, packet, DISCARD, 0);
        return FAIL_NONE;
    default:
        return take_delivery(run, event, packet, failure);
    }
}

enum failure_kind machine_run_take(struct machine_run *run, uint64_t step,
                                   const struct machine_event *event, size_t count,
                                   struct failure *failure)
{
    const struct machine_event *stop = event + count;
    if (run_row_begin(run, step, failure) != FAIL_NONE)
        return failure->kind;
    if (!run->is_summary &&
        (!machine_run_grow(&run->event, run->events + count, &run->events_room, sizeof *run->event,
                           failure) ||
         !machine_run_grow(&run->further, run->furthers + count, &run->furthers_room,
                           sizeof *run->further, failure) ||
         !machine_run_grow(&run->word, run->words + count, &run->words_room, sizeof *run->word,
                           failure)))
        return failure->kind;
    while (event < stop && failure->kind == FAIL_NONE)
        if (event->kind != 'M')
            take_event(run, event++, failure);
        else
            event = take_moves(run, event, stop, failure);
    return failure->kind;
}
