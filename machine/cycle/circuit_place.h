/* circuit_place.h - places and slots of a call of machine_circulate: which node, which way, what is beside. For
 * machine/cycle/ only. */
#ifndef MESHCAST_MACHINE_CYCLE_CIRCUIT_PLACE_H
#define MESHCAST_MACHINE_CYCLE_CIRCUIT_PLACE_H

#include "machine/cycle/circuit_private.h"

/* Returns the stretch of a place or slot. */
static inline const struct circuit_stretch *circuit_stretch_of(const struct circuit_call *call,
                                                               uint32_t place)
{
    if (call->stretch_of == NULL)
        return &call->stretch[place >= call->circuit->length];
    const struct circuit_stretch *stretch = &call->stretch[call->stretch_of[place / CIRCUIT_GROUP]];
    while (place - stretch->first >= stretch->size)
        stretch++;
    return stretch;
}

/* Returns the place before `place`, which is in the same stretch: a stretch is a ring. */
static inline uint32_t circuit_before(const struct circuit_call *call, uint32_t place)
{
    const struct circuit_stretch *stretch = circuit_stretch_of(call, place);
    return place != stretch->first ? place - 1 : place - 1 + stretch->size;
}

static inline struct site circuit_site(const struct circuit_call *call, uint32_t place)
{
    node_place at = call->place[place];
    uint32_t row = place_row(at), col = place_col(at);
    return (struct site){row * call->machine->config.mesh.cols + col, row, col};
}

/* Returns whether the place is another rank's. */
static inline bool circuit_is_foreign(const struct circuit_call *call, uint32_t place)
{
    const struct circuit_stretch *stretch = circuit_stretch_of(call, place);
    return stretch->is_open && place == stretch->first;
}

/* Returns the place of a slot in this round. */
static inline uint32_t circuit_place_of_slot(const struct circuit_call *call, uint32_t slot)
{
    const struct circuit_stretch *stretch = circuit_stretch_of(call, slot);
    uint32_t at = slot - stretch->first + call->round % stretch->size;
    return stretch->first + (at < stretch->size ? at : at - stretch->size);
}

/* Returns the slot that is at a place in a round. */
static inline uint32_t circuit_slot_at(const struct circuit_call *call, uint32_t place,
                                       uint32_t round)
{
    const struct circuit_stretch *stretch = circuit_stretch_of(call, place);
    uint32_t at = place - stretch->first, shift = round % stretch->size;
    return stretch->first + (at >= shift ? at - shift : at + stretch->size - shift);
}

/* Returns the number of a place in the circuit. */
static inline uint32_t circuit_number(const struct circuit_call *call, uint32_t place)
{
    const struct circuit_stretch *stretch = circuit_stretch_of(call, place);
    uint32_t length = call->circuit->length, way = stretch->way * length;
    return way + (stretch->number - way + (place - stretch->first)) % length;
}

/* Returns the number in the circuit of the slot that is at a place in this round. */
static inline uint32_t circuit_slot_number(const struct circuit_call *call, uint32_t place)
{
    uint32_t length = call->circuit->length, way = circuit_stretch_of(call, place)->way * length;
    uint32_t at = circuit_number(call, place) - way, shift = call->round % length;
    return way + (at >= shift ? at - shift : at + length - shift);
}

/* Returns the step in which a packet that comes to a place in this round comes there. */
static inline uint32_t circuit_came_to(const struct circuit_call *call, uint32_t place)
{
    return call->copies_are_free ? call->round
                                 : circuit_step(call, call->link[circuit_before(call, place)]);
}

/* Returns the place behind `place`; CIRCUIT_NO_PLACE: it is another rank's. */
static inline uint32_t circuit_next(const struct circuit_call *call, uint32_t place)
{
    const struct circuit_stretch *stretch = circuit_stretch_of(call, place);
    if (place + 1 < stretch->first + stretch->size)
        return place + 1;
    return stretch->is_open ? CIRCUIT_NO_PLACE : stretch->first;
}

/* Returns the node behind that of a place. */
static inline node_place circuit_next_node(const struct circuit_call *call, uint32_t place)
{
    const struct circuit *circuit = call->circuit;
    uint32_t next = circuit_next(call, place), number;
    if (next != CIRCUIT_NO_PLACE)
        return call->place[next];
    number = circuit_number(call, place) + 1;
    return circuit->place(circuit->context,
                          number % circuit->length != 0 ? number : number - circuit->length);
}

#endif
