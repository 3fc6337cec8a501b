/* tally_private.h - what happens in a step: a thread's counts, and the events that observers are told. For machine/
 * and its folders. */
#ifndef MESHCAST_MACHINE_TALLY_PRIVATE_H
#define MESHCAST_MACHINE_TALLY_PRIVATE_H

#include "machine/attempt.h"
#include "machine/machine_private.h"

/* Returns whether events are collected: for a trace, or for an observer. What an instruction does may not depend on
 * it; only in which order (machine_steps_at_once), and what it tells. */
static inline bool machine_is_observed(const struct machine *machine)
{
    return machine->is_observed;
}

/* Returns how many steps a row may take at once: `most`, or one in an observed run, because the events of a step are
 * told together. */
static inline uint32_t machine_steps_at_once(const struct machine *machine, uint32_t most)
{
    return machine_is_observed(machine) ? 1 : most;
}

/* Allocates what only an observed run needs; in other runs *pointer becomes NULL. False: no memory. */
bool machine_observer_memory(const struct machine *machine, void *pointer, size_t count,
                             size_t size);

/* Makes room for `count` more events. False: no memory. */
bool event_list_grow(struct event_list *list, size_t count);
/* Writes and tells the events of all tallies as those of the machine's step, and empties the lists. */
void trace_end_step(struct machine *machine);
/* Tells of a phase that begins. */
void trace_tell_phase(struct machine *machine, const char *name);
/* Tells, when an attempt ends, that all packets which live are discarded. */
void trace_give_up(struct machine *machine);
/* Makes what a trace is written with, if there is one, and writes its first line. False: no memory. */
bool trace_begin(struct machine *machine);

/* Adds an event in which packets are named. */
static inline void tally_event(const struct machine *machine, struct tally *tally,
                               enum event_group group, struct machine_event event)
{
    struct event_list *list = &tally->events[group];
    if (!machine_is_observed(machine))
        return;
    if (list->count < list->room || event_list_grow(list, 1))
        list->event[list->count++] = event;
    else
        tally->lost_events = true;
}

/* Returns the packet's name, for an event; it is not read where none are told, as it lies far from all else. */
static inline uint32_t event_name(const struct machine *machine, uint32_t packet)
{
    return machine_is_observed(machine) ? packet_name(&machine->header, packet) : MACHINE_NONE;
}

/* Tells that `packet` crosses the link between two neighbours. */
static inline void tally_move(const struct machine *machine, struct tally *tally, uint32_t packet,
                              node_index from, node_index to)
{
    uint32_t name = event_name(machine, packet);
    tally_event(machine, tally, DEPARTURES, (struct machine_event){{name, from, to}, 'M'});
}

/* Gives up the slots first .. last, of a packet that has ended or been discarded. */
static inline void tally_drop(struct machine *machine, const struct tally *tally, uint32_t first,
                              uint32_t last)
{
    if (tally->gone != NULL)
        pool_drop(&machine->pool, tally->gone, first, last);
}

/* Tells that `packet` is discarded at `node`. */
static inline void tally_discard(struct machine *machine, struct tally *tally,
                                 enum event_group group, node_index node, uint32_t packet)
{
    uint32_t name = event_name(machine, packet);
    tally_drop(machine, tally, machine->header.packet[packet].first, packet);
    tally_event(machine, tally, group, (struct machine_event){{node, name, 0}, 'R'});
}

/* Notes in the lists of what nodes expect that `message` comes to `node`. Returns false if an earlier attempt
 * delivered it there. */
static inline bool tally_expect(struct expected_messages *expected, struct tally *tally,
                                node_index node, uint32_t message)
{
    uint32_t at = expected_find(expected, node, message);
    if (expected_is_held(expected, at)) {
        tally->marked++;
        return false;
    }
    if (at == EXPECTED_NONE || expected->came[at] != 0) {
        if (tally->wrong++ == 0 || message < tally->first_wrong)
            tally->first_wrong = message;
        return true;
    }
    if (tally->delivery != NULL)
        delivery_list_add(tally->delivery, at);
    expected->came[at] = expected->attempt;
    return true;
}

/* Ends packet `packet` at `site` with the delivery of its last slot (E), or delivers `slot` while the packet stays
 * (D). If an earlier attempt delivered the message here, nothing is delivered. */
static inline void tally_deliver(struct machine *machine, struct tally *tally,
                                 enum event_group group, struct site site, uint32_t packet,
                                 uint32_t slot)
{
    char kind = packet == slot ? 'E' : 'D';
    uint32_t message = machine->header.packet[slot].message;
    struct expected_messages *expected = machine->config.expected;
    if (expected != NULL && !tally_expect(expected, tally, site.index, message)) {
        if (kind == 'E')
            tally_discard(machine, tally, group, site.index, packet);
        return;
    }
    tally->delivered++;
    tally_drop(machine, tally, slot, slot);
    if (kind == 'D')
        tally->copies++;
    uint32_t name = event_name(machine, packet);
    tally_event(machine, tally, group, (struct machine_event){{site.index, name, message}, kind});
}

/* Whether packet `packet` has no destination but `site`. */
static inline bool packet_ends_at(const struct machine *machine, struct site site, uint32_t packet)
{
    const struct headers *header = &machine->header;
    return header->packet[packet].first == packet &&
           header->destination[packet] == site_place(site);
}

static inline void tally_injection(const struct machine *machine, struct tally *tally,
                                   node_index node, uint32_t packet)
{
    uint32_t name = event_name(machine, packet);
    tally_event(machine, tally, DEPARTURES,
                (struct machine_event){{node, name, machine->header.packet[packet].message}, 'I'});
}

/* Tells that `copy` was made of `packet` at `node`. */
static inline void tally_copy_event(const struct machine *machine, struct tally *tally,
                                    enum event_group group, node_index node, uint32_t packet,
                                    uint32_t copy)
{
    uint32_t name = event_name(machine, packet), name_of_copy = event_name(machine, copy);
    tally_event(machine, tally, group, (struct machine_event){{node, name, name_of_copy}, 'C'});
}

/* Counts and tells that `copy` was made of `packet` at `node`; it is under way. */
static inline void tally_copy(struct machine *machine, struct tally *tally, enum event_group group,
                              node_index node, uint32_t packet, uint32_t copy)
{
    tally->copies++;
    tally->travelling++;
    machine->occupancy[node]++;
    tally_copy_event(machine, tally, group, node, packet, copy);
}

/* Counts that a packet that rested is under way, .. */
static inline void tally_wake(struct tally *tally)
{
    tally->resting--;
    tally->travelling++;
}

/* .. and brings one that was under way to rest at `node`. */
static inline void tally_rest(struct machine *machine, struct tally *tally, node_index node,
                              uint32_t packet)
{
    machine_rest(machine, node, packet);
    tally->travelling--;
    tally->resting++;
}

/* Takes into account that `node` ends the step with so many packets. */
static inline void tally_holds(struct tally *tally, node_index node, uint32_t occupancy)
{
    if (occupancy > tally->peak || (occupancy == tally->peak && node < tally->peak_node)) {
        tally->peak = occupancy;
        tally->peak_node = node;
    }
}

static inline void tally_occupancy(struct machine *machine, struct tally *tally, node_index node)
{
    tally_holds(tally, node, machine->occupancy[node]);
}

#endif
