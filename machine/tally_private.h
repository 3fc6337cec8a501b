/* tally_private.h - what happens in a step: a thread's counts, and the events that observers are told. For machine/
 * and its folders. */
#ifndef MESHCAST_MACHINE_TALLY_PRIVATE_H
#define MESHCAST_MACHINE_TALLY_PRIVATE_H

#include "machine/attempt.h"
#include "machine/machine_private.h"

/* Whether events are collected at all: for a trace, or for an observer. What an instruction does may not depend on
 * it, but for when (machine_steps_at_once) and for what it tells. */
static inline bool machine_is_observed(const struct machine *machine)
{
    return machine->config.trace != NULL || machine->config.observer != NULL;
}

/* How many steps a row may take at once, at most `most`: one in an observed run, because the events of a step are
 * told together. */
static inline uint32_t machine_steps_at_once(const struct machine *machine, uint32_t most)
{
    return machine_is_observed(machine) ? 1 : most;
}

/* Allocates what only an observed run needs, elsewhere nothing (NULL). False: no memory. */
bool machine_observer_memory(const struct machine *machine, void *pointer, size_t count,
                             size_t size);

/* Appends a slot, or notes that there is no memory for it (wavefront.c). */
void slot_list_add(struct slot_list *list, uint32_t slot);

/* Makes room for `count` more events. False: no memory. */
bool event_list_grow(struct event_list *list, size_t count);
/* Writes, tells and empties all tallies' lists under the machine's step. */
void trace_end_step(struct machine *machine);
/* An attempt ends: all packets that live are discarded. */
void trace_give_up(struct machine *machine);
/* Makes what a trace is written with, if there is one, and writes its first line. False: no memory. */
bool trace_begin(struct machine *machine);
uint64_t trace_footprint(void);

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

/* Ends packet `packet` at `site` with the delivery of its last slot (E), or of slot `slot` while
 * it stays (D); where the message is held already, without a delivery. */
static inline void tally_deliver(struct machine *machine, struct tally *tally,
                                 enum event_group group, struct site site, uint32_t packet,
                                 uint32_t slot)
{
    char kind = packet == slot ? 'E' : 'D';
    const struct machine_attempt *attempt = machine->config.attempt;
    if (attempt != NULL && attempt->is_held != NULL &&
        attempt->is_held(attempt->context, machine->header.packet[slot].message, site.index)) {
        tally->marked++;
        if (kind == 'E')
            tally_event(machine, tally, group,
                        (struct machine_event){{site.index, packet, 0}, 'R'});
        return;
    }
    if (machine->delivered_at[slot] != MACHINE_NO_PLACE)
        tally->duplicated++;
    else if (tally->delivery != NULL)
        slot_list_add(tally->delivery, slot);
    machine->delivered_at[slot] = site_place(site);
    tally->delivered++;
    if (kind == 'D')
        tally->copies++;
    tally_event(
        machine, tally, group,
        (struct machine_event){{site.index, packet, machine->header.packet[slot].message}, kind});
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
    tally_event(
        machine, tally, DEPARTURES,
        (struct machine_event){{node, packet, machine->header.packet[packet].message}, 'I'});
}

/* `node` ends the step with so many packets. */
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
