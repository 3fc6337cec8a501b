/* border.c - packets as messages between two ranks. */
#include "machine/border.h"

#include <string.h>

bool border_has(const struct machine *machine, enum rank_side side)
{
    return ranks_has(machine->config.ranks, side, false);
}

void border_put(struct machine *machine, enum rank_side side, const void *from, size_t bytes)
{
    if (machine->rank_failure.kind == FAIL_NONE)
        ranks_put(machine->config.ranks, side, from, bytes, &machine->rank_failure);
}

void border_get(struct machine *machine, enum rank_side side, void *to, size_t bytes)
{
    struct border *border = &machine->border[side];
    if (machine->rank_failure.kind != FAIL_NONE || bytes > border->left) {
        memset(to, 0, bytes);
        return;
    }
    memcpy(to, border->next, bytes);
    border->next += bytes;
    border->left -= bytes;
}

void border_exchange(struct machine *machine)
{
    struct ranks *ranks = machine->config.ranks;
    struct failure *failure = &machine->rank_failure;
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        if (border_has(machine, side) && failure->kind == FAIL_NONE)
            ranks_post(ranks, side, failure);
    for (enum rank_side side = 0; side < RANK_SIDES; side++) {
        struct border *border = &machine->border[side];
        const void *message = NULL;
        *border = (struct border){NULL, 0};
        if (!border_has(machine, side) || failure->kind != FAIL_NONE)
            continue;
        if (ranks_wait(ranks, side, &message, &border->left, failure) == FAIL_NONE)
            border->next = message;
    }
}

/* ---- packets ---- */

/* What a packet is, without what belongs to each of its slots. */
struct passport {
    uint32_t name, message, slots;
    node_place target;
    uint8_t state;
};

/* Where a packet's bytes go to, or come from: a message to a neighbour, or a parcel. */
struct wagon {
    struct machine *machine;
    enum rank_side side;
    struct parcel *parcel; /* NULL: the message */
};

/* Makes room for `bytes` more. False: no memory; the failure is kept. */
static bool parcel_grow(struct machine *machine, struct parcel *parcel, size_t bytes)
{
    size_t room = 2 * parcel->room + bytes;
    char *grown = memory_resize(parcel->content, room, 1);
    if (grown == NULL) {
        machine_rank_fails(machine, "packets to other ranks");
        return false;
    }
    parcel->content = grown;
    parcel->room = room;
    return true;
}

static inline void put(const struct wagon *wagon, const void *from, size_t bytes)
{
    struct parcel *parcel = wagon->parcel;
    if (parcel == NULL) {
        border_put(wagon->machine, wagon->side, from, bytes);
        return;
    }
    if (bytes > parcel->room - parcel->bytes && !parcel_grow(wagon->machine, parcel, bytes))
        return;
    memcpy(parcel->content + parcel->bytes, from, bytes);
    parcel->bytes += bytes;
}

static inline void get(const struct wagon *wagon, void *to, size_t bytes)
{
    struct parcel *parcel = wagon->parcel;
    if (parcel == NULL) {
        border_get(wagon->machine, wagon->side, to, bytes);
    } else if (bytes > parcel->room - parcel->bytes) {
        memset(to, 0, bytes);
    } else {
        memcpy(to, parcel->content + parcel->bytes, bytes);
        parcel->bytes += bytes;
    }
}

static void put_packet(const struct wagon *wagon, uint32_t packet)
{
    const struct headers *header = &wagon->machine->header;
    const struct pool *pool = &wagon->machine->pool;
    const struct header *own = &header->packet[packet];
    struct passport passport = {.name = packet_name(header, packet),
                                .message = own->message,
                                .slots = packet + 1 - own->first,
                                .target = own->target,
                                .state = own->state};
    put(wagon, &passport, sizeof passport);
    put(wagon, &header->destination[own->first], passport.slots * sizeof *header->destination);
    for (uint32_t i = 0; i < pool->fields; i++)
        put(wagon, pool->field[i].array + own->first * pool->field[i].size,
            passport.slots * pool->field[i].size);
}

/* Returns the first of as many slots as those of packet `gone`, or others. */
static uint32_t take_slots(struct machine *machine, uint32_t slots, uint32_t gone)
{
    if (gone == MACHINE_NONE)
        return pool_take(&machine->pool, slots);
    uint32_t first = machine->header.packet[gone].first;
    if (gone + 1 - first == slots)
        return first;
    pool_drop(&machine->pool, machine->pool.gone[0], first, gone);
    return pool_take(&machine->pool, slots);
}

static uint32_t get_packet(const struct wagon *wagon, uint32_t gone)
{
    struct machine *machine = wagon->machine;
    struct headers *header = &machine->header;
    const struct pool *pool = &machine->pool;
    struct passport passport;
    get(wagon, &passport, sizeof passport);
    if (passport.slots == 0)
        return MACHINE_NONE;
    uint32_t first = take_slots(machine, passport.slots, gone), last = first + passport.slots - 1;
    if (first == MACHINE_NONE) {
        machine_rank_fails(machine, "packets of other ranks");
        return MACHINE_NONE;
    }
    for (uint32_t slot = first; slot <= last; slot++) {
        header->packet[slot].message = passport.message;
        header->name[slot] = passport.name - (last - slot);
        header->slot_of_name[header->name[slot]] = slot;
    }
    header->packet[last].first = first;
    header->packet[last].target = passport.target;
    header->packet[last].state = passport.state;
    get(wagon, &header->destination[first], passport.slots * sizeof *header->destination);
    for (uint32_t i = 0; i < pool->fields; i++)
        get(wagon, pool->field[i].array + first * pool->field[i].size,
            passport.slots * pool->field[i].size);
    return last;
}

static void put_cargo(const struct wagon *wagon, uint32_t packet)
{
    const struct machine_cargo *cargo = &wagon->machine->pool.cargo;
    size_t bytes;
    if (cargo->show == NULL)
        return;
    const void *from = cargo->show(cargo->context, packet, &bytes);
    put(wagon, &bytes, sizeof bytes);
    put(wagon, from, bytes);
}

/* Returns where the next bytes are, and passes over them. NULL: there are fewer. */
static const void *get_in_place(const struct wagon *wagon, size_t bytes)
{
    struct border *border = &wagon->machine->border[wagon->side];
    struct parcel *parcel = wagon->parcel;
    size_t left = parcel == NULL ? border->left : parcel->room - parcel->bytes;
    if (bytes > left || wagon->machine->rank_failure.kind != FAIL_NONE)
        return NULL;
    if (parcel != NULL) {
        parcel->bytes += bytes;
        return parcel->content + parcel->bytes - bytes;
    }
    border->next += bytes;
    border->left -= bytes;
    return border->next - bytes;
}

/* False: there was no room for it. */
static bool get_cargo(const struct wagon *wagon, uint32_t packet)
{
    const struct machine_cargo *cargo = &wagon->machine->pool.cargo;
    size_t bytes;
    if (cargo->show == NULL)
        return true;
    get(wagon, &bytes, sizeof bytes);
    const void *from = get_in_place(wagon, bytes);
    if (from != NULL && cargo->keep(cargo->context, packet, from, bytes))
        return true;
    machine_rank_fails(wagon->machine, "what packets of other ranks carry");
    return false;
}

void border_put_packet(struct machine *machine, enum rank_side side, uint32_t packet)
{
    struct pool *pool = &machine->pool;
    struct wagon wagon = {machine, side, NULL};
    put_packet(&wagon, packet);
    put_cargo(&wagon, packet);
    pool_drop(pool, pool->gone[0], machine->header.packet[packet].first, packet);
}

uint32_t border_get_packet(struct machine *machine, enum rank_side side)
{
    struct wagon wagon = {machine, side, NULL};
    uint32_t packet = get_packet(&wagon, MACHINE_NONE);
    return packet != MACHINE_NONE && get_cargo(&wagon, packet) ? packet : MACHINE_NONE;
}

void parcel_reserve(struct machine *machine, struct parcel *parcel, size_t packets, size_t beside)
{
    const struct pool *pool = &machine->pool;
    size_t of_packet = sizeof(struct passport) + sizeof *machine->header.destination + beside;
    for (uint32_t i = 0; i < pool->fields; i++)
        of_packet += pool->field[i].size;
    parcel_grow(machine, parcel, packets * of_packet);
}

void parcel_put(struct machine *machine, struct parcel *parcel, const void *from, size_t bytes)
{
    struct wagon wagon = {.machine = machine, .parcel = parcel};
    put(&wagon, from, bytes);
}

void parcel_get(struct machine *machine, struct parcel *parcel, void *to, size_t bytes)
{
    struct wagon wagon = {.machine = machine, .parcel = parcel};
    get(&wagon, to, bytes);
}

void border_pack(struct machine *machine, struct parcel *parcel, uint32_t packet)
{
    struct wagon wagon = {.machine = machine, .parcel = parcel};
    put_packet(&wagon, packet);
    put_cargo(&wagon, packet);
}

uint32_t border_unpack(struct machine *machine, struct parcel *parcel, uint32_t gone)
{
    struct wagon wagon = {.machine = machine, .parcel = parcel};
    uint32_t packet = get_packet(&wagon, gone);
    return packet != MACHINE_NONE && get_cargo(&wagon, packet) ? packet : MACHINE_NONE;
}
