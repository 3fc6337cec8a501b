/* border.c - packets as messages between two ranks. */
#include "machine/border.h"

#include <stdlib.h>
#include <string.h>

bool border_has(const struct machine *machine, enum rank_side side)
{
    return ranks_has(machine->config.ranks, side, false);
}

/* ---- bytes ---- */

/* Makes room for `bytes` more. False: no memory; the failure is kept. */
static bool parcel_grow(struct machine *machine, struct parcel *parcel, size_t bytes)
{
    size_t room = 2 * parcel->room + bytes;
    char *grown = memory_resize(parcel->content, room, 1);
    if (grown == NULL) {
        machine_rank_fails(machine, "packets to other ranks");
        return false;
    }
    memory_expect_use(grown, room);
    parcel->content = grown;
    parcel->room = room;
    return true;
}

/* Adds `bytes` bytes, and returns where they are to be written. NULL: a rank has failed. */
static inline char *add(struct machine *machine, struct parcel *parcel, size_t bytes)
{
    if (bytes > parcel->room - parcel->bytes && !parcel_grow(machine, parcel, bytes))
        return NULL;
    parcel->bytes += bytes;
    return parcel->content + parcel->bytes - bytes;
}

/* Passes over the next `bytes` bytes, and returns where they are. NULL: a rank has failed. */
static inline const char *next(struct machine *machine, struct parcel *parcel, size_t bytes)
{
    if (bytes > parcel->room - parcel->bytes) {
        if (machine->rank_failure.kind == FAIL_NONE) {
            fail(&machine->rank_failure, FAIL_CHECK, "a message of another rank is too short");
            ranks_break(machine->config.ranks, &machine->rank_failure);
        }
        return NULL;
    }
    parcel->bytes += bytes;
    return parcel->content + parcel->bytes - bytes;
}

void parcel_put(struct machine *machine, struct parcel *parcel, const void *from, size_t bytes)
{
    char *to = add(machine, parcel, bytes);
    if (to != NULL)
        memcpy(to, from, bytes);
}

void parcel_get(struct machine *machine, struct parcel *parcel, void *to, size_t bytes)
{
    const char *from = next(machine, parcel, bytes);
    if (from != NULL)
        memcpy(to, from, bytes);
    else
        memset(to, 0, bytes);
}

void border_put(struct machine *machine, enum rank_side side, const void *from, size_t bytes)
{
    parcel_put(machine, &machine->sent[side], from, bytes);
}

void border_get(struct machine *machine, enum rank_side side, void *to, size_t bytes)
{
    parcel_get(machine, &machine->received[side], to, bytes);
}

void border_exchange(struct machine *machine)
{
    struct ranks *ranks = machine->config.ranks;
    struct failure *failure = &machine->rank_failure;
    for (enum rank_side side = 0; side < RANK_SIDES; side++) {
        struct parcel *sent = &machine->sent[side];
        if (border_has(machine, side) && failure->kind == FAIL_NONE &&
            ranks_put(ranks, side, sent->content, sent->bytes, failure) == FAIL_NONE)
            ranks_post(ranks, side, failure);
        sent->bytes = 0;
    }
    for (enum rank_side side = 0; side < RANK_SIDES; side++) {
        const void *message = NULL;
        size_t bytes = 0;
        if (border_has(machine, side) && failure->kind == FAIL_NONE)
            ranks_wait(ranks, side, &message, &bytes, failure);
        machine->received[side] = (struct parcel){(char *)message, 0, bytes};
    }
}

void border_free(struct machine *machine)
{
    for (enum rank_side side = 0; side < RANK_SIDES; side++) {
        free(machine->sent[side].content);
        machine->sent[side] = (struct parcel){NULL, 0, 0};
    }
}

/* ---- packets ---- */

/* What a packet is, without what belongs to each of its slots. */
struct passport {
    uint32_t name, message, slots;
    node_place target;
    uint32_t state;
};

/* Returns how many bytes are sent for each slot. */
static size_t bytes_of_slot(const struct machine *machine)
{
    const struct pool *pool = &machine->pool;
    size_t bytes = sizeof *machine->header.destination;
    for (uint32_t i = 0; i < pool->fields; i++)
        bytes += pool->field[i].size;
    return bytes;
}

static void put_packet(struct machine *machine, struct parcel *parcel, uint32_t packet)
{
    const struct headers *header = &machine->header;
    const struct pool *pool = &machine->pool;
    const struct header *own = &header->packet[packet];
    struct passport passport = {.name = packet_name(header, packet),
                                .message = own->message,
                                .slots = packet + 1 - own->first,
                                .target = own->target,
                                .state = own->state};
    char *to = add(machine, parcel, sizeof passport + passport.slots * bytes_of_slot(machine));
    if (to == NULL)
        return;
    memcpy(to, &passport, sizeof passport);
    to += sizeof passport;
    for (uint32_t slot = own->first; slot <= packet; slot++, to += sizeof *header->destination)
        memcpy(to, &header->destination[slot], sizeof *header->destination);
    for (uint32_t i = 0; i < pool->fields; i++) {
        size_t bytes = passport.slots * pool->field[i].size;
        memcpy(to, pool->field[i].array + own->first * pool->field[i].size, bytes);
        to += bytes;
    }
}

/* Returns the first of as many slots as those of packet `gone`, or others. */
static uint32_t take_slots(struct machine *machine, uint32_t slots, uint32_t gone)
{
    if (gone == MACHINE_NONE)
        return pool_take(&machine->pool, slots);
    uint32_t first = machine->header.packet[gone].first;
    if (gone + 1 - first == slots)
        return first;
    pool_drop(&machine->pool, &machine->pool.gone[0], first, gone);
    return pool_take(&machine->pool, slots);
}

static uint32_t get_packet(struct machine *machine, struct parcel *parcel, uint32_t gone)
{
    struct headers *header = &machine->header;
    const struct pool *pool = &machine->pool;
    struct passport passport;
    const char *from = next(machine, parcel, sizeof passport);
    if (from == NULL)
        return MACHINE_NONE;
    memcpy(&passport, from, sizeof passport);
    from = next(machine, parcel, passport.slots * bytes_of_slot(machine));
    if (from == NULL)
        return MACHINE_NONE;
    uint32_t first = take_slots(machine, passport.slots, gone), last = first + passport.slots - 1;
    if (first == MACHINE_NONE) {
        machine_rank_fails(machine, "packets of other ranks");
        return MACHINE_NONE;
    }
    for (uint32_t slot = first; slot <= last; slot++, from += sizeof *header->destination) {
        header->packet[slot].message = passport.message;
        header_name_slot(header, slot, passport.name - (last - slot));
        memcpy(&header->destination[slot], from, sizeof *header->destination);
    }
    header->packet[last].first = first;
    header->packet[last].target = passport.target;
    header->packet[last].state = (uint8_t)passport.state;
    for (uint32_t i = 0; i < pool->fields; i++) {
        size_t bytes = passport.slots * pool->field[i].size;
        memcpy(pool->field[i].array + first * pool->field[i].size, from, bytes);
        from += bytes;
    }
    return last;
}

static void put_cargo(struct machine *machine, struct parcel *parcel, uint32_t packet)
{
    const struct machine_cargo *cargo = &machine->pool.cargo;
    size_t bytes;
    if (cargo->show == NULL)
        return;
    const void *from = cargo->show(cargo->context, packet, &bytes);
    char *to = add(machine, parcel, sizeof bytes + bytes);
    if (to == NULL)
        return;
    memcpy(to, &bytes, sizeof bytes);
    if (bytes > 0)
        memcpy(to + sizeof bytes, from, bytes);
}

/* False: there was no room for it. */
static bool get_cargo(struct machine *machine, struct parcel *parcel, uint32_t packet)
{
    const struct machine_cargo *cargo = &machine->pool.cargo;
    size_t bytes = 0;
    if (cargo->show == NULL)
        return true;
    const char *from = next(machine, parcel, sizeof bytes);
    if (from != NULL)
        memcpy(&bytes, from, sizeof bytes);
    from = from != NULL ? next(machine, parcel, bytes) : NULL;
    if (from != NULL && cargo->keep(cargo->context, packet, from, bytes))
        return true;
    machine_rank_fails(machine, "what packets of other ranks carry");
    return false;
}

void parcel_reserve(struct machine *machine, struct parcel *parcel, size_t packets, size_t beside)
{
    parcel_grow(machine, parcel,
                packets * (sizeof(struct passport) + bytes_of_slot(machine) + beside));
}

void border_pack(struct machine *machine, struct parcel *parcel, uint32_t packet)
{
    put_packet(machine, parcel, packet);
    put_cargo(machine, parcel, packet);
}

uint32_t border_unpack(struct machine *machine, struct parcel *parcel, uint32_t gone)
{
    uint32_t packet = get_packet(machine, parcel, gone);
    return packet != MACHINE_NONE && get_cargo(machine, parcel, packet) ? packet : MACHINE_NONE;
}

void border_put_packet(struct machine *machine, enum rank_side side, uint32_t packet)
{
    struct pool *pool = &machine->pool;
    border_pack(machine, &machine->sent[side], packet);
    pool_drop(pool, &pool->gone[0], machine->header.packet[packet].first, packet);
}

uint32_t border_get_packet(struct machine *machine, enum rank_side side)
{
    return border_unpack(machine, &machine->received[side], MACHINE_NONE);
}
