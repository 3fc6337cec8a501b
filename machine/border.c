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

static void put(const struct wagon *wagon, const void *from, size_t bytes)
{
    struct parcel *parcel = wagon->parcel;
    if (parcel == NULL) {
        border_put(wagon->machine, wagon->side, from, bytes);
        return;
    }
    if (bytes > parcel->room - parcel->bytes) {
        size_t room = 2 * parcel->room + bytes;
        char *grown = memory_resize(parcel->content, room, 1);
        if (grown == NULL) {
            fail_memory(&wagon->machine->rank_failure, "packets to other ranks");
            return;
        }
        parcel->content = grown;
        parcel->room = room;
    }
    memcpy(parcel->content + parcel->bytes, from, bytes);
    parcel->bytes += bytes;
}

static void get(const struct wagon *wagon, void *to, size_t bytes)
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

static void put_load(const struct wagon *wagon, uint32_t packet)
{
    const struct packet_load *load = &wagon->machine->pool.load;
    if (load->carried == NULL)
        return;
    size_t bytes = 0;
    const void *carried = load->carried(load->context, packet, &bytes);
    put(wagon, &bytes, sizeof bytes);
    put(wagon, carried, bytes);
}

static void get_load(const struct wagon *wagon, uint32_t packet)
{
    const struct packet_load *load = &wagon->machine->pool.load;
    if (load->carried == NULL)
        return;
    size_t bytes;
    get(wagon, &bytes, sizeof bytes);
    void *room = load->take(load->context, packet, bytes);
    if (room == NULL)
        fail_memory(&wagon->machine->rank_failure, "what packets of other ranks carry");
    else
        get(wagon, room, bytes);
}

static void put_packet(const struct wagon *wagon, uint32_t packet)
{
    const struct headers *header = &wagon->machine->header;
    struct pool *pool = &wagon->machine->pool;
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
    put_load(wagon, packet);
    pool_drop(pool, pool->gone[0], own->first, packet);
}

static uint32_t get_packet(const struct wagon *wagon)
{
    struct machine *machine = wagon->machine;
    struct headers *header = &machine->header;
    const struct pool *pool = &machine->pool;
    struct passport passport;
    get(wagon, &passport, sizeof passport);
    if (passport.slots == 0)
        return MACHINE_NONE;
    uint32_t first = pool_take(machine, passport.slots), last = first + passport.slots - 1;
    if (first == MACHINE_NONE) {
        fail_memory(&machine->rank_failure, "packets of other ranks");
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
    get_load(wagon, last);
    return last;
}

void border_put_packet(struct machine *machine, enum rank_side side, uint32_t packet)
{
    put_packet(&(struct wagon){machine, side, NULL}, packet);
}

uint32_t border_get_packet(struct machine *machine, enum rank_side side)
{
    return get_packet(&(struct wagon){machine, side, NULL});
}

void border_pack(struct machine *machine, struct parcel *parcel, uint32_t packet)
{
    put_packet(&(struct wagon){.machine = machine, .parcel = parcel}, packet);
}

uint32_t border_unpack(struct machine *machine, struct parcel *parcel)
{
    return get_packet(&(struct wagon){.machine = machine, .parcel = parcel});
}
