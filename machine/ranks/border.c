/* border.c - packets in parcels, and the parcels of all threads as one message to each
 * neighbour. */
#include "machine/ranks/border.h"

#include <stdlib.h>
#include <string.h>

/* ---- failures ---- */

void machine_rank_fails(struct machine *machine, const char *purpose)
{
    if (atomic_flag_test_and_set(&machine->rank_has_failed))
        return;
    fail_memory(&machine->rank_failure, purpose);
    ranks_break(machine->config.ranks, &machine->rank_failure);
}

/* Fails because of bytes that another rank has sent. */
static void distrust(struct machine *machine)
{
    if (atomic_flag_test_and_set(&machine->rank_has_failed))
        return;
    fail(&machine->rank_failure, FAIL_CHECK, "a message of another rank is too short");
    ranks_break(machine->config.ranks, &machine->rank_failure);
}

/* ---- bytes of a parcel ---- */

/* Makes room for `bytes` more. False: no memory; the failure is kept. */
static bool parcel_grow(struct machine *machine, struct parcel *parcel, size_t bytes)
{
    char *grown = memory_grow(parcel->content, &parcel->room, parcel->bytes + bytes, 1);
    if (grown == NULL) {
        machine_rank_fails(machine, "packets to other ranks");
        return false;
    }
    memory_prefer_large_pages(grown, parcel->room);
    parcel->content = grown;
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
static inline const char *parcel_next(struct machine *machine, struct parcel *parcel, size_t bytes)
{
    if (bytes > parcel->room - parcel->bytes) {
        distrust(machine);
        return NULL;
    }
    parcel->bytes += bytes;
    return parcel->content + parcel->bytes - bytes;
}

void parcel_put(struct machine *machine, struct parcel *parcel, const void *from, size_t bytes)
{
    char *to = add(machine, parcel, bytes);
    if (to != NULL && bytes > 0) /* `from` may then be NULL */
        memcpy(to, from, bytes);
}

void parcel_get(struct machine *machine, struct parcel *parcel, void *to, size_t bytes)
{
    const char *from = parcel_next(machine, parcel, bytes);
    if (bytes == 0)
        return;
    if (from != NULL)
        memcpy(to, from, bytes);
    else
        memset(to, 0, bytes);
}

/* ---- packets of a parcel ---- */

/* The fields of a packet, without those of its slots. */
struct packet_head {
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

static void put_cargo(struct machine *machine, struct parcel *parcel, uint32_t packet)
{
    const struct machine_cargo *cargo = &machine->pool.cargo;
    size_t bytes;
    const void *from = cargo->show(cargo->context, packet, &bytes);
    char *to = add(machine, parcel, sizeof bytes + bytes);
    if (to == NULL)
        return;
    memcpy(to, &bytes, sizeof bytes);
    if (bytes > 0)
        memcpy(to + sizeof bytes, from, bytes);
}

void parcel_reserve(struct machine *machine, struct parcel *parcel, size_t packets, size_t beside)
{
    parcel_grow(machine, parcel,
                packets * (sizeof(struct packet_head) + bytes_of_slot(machine) + beside));
}

/* Puts a packet, with `of_slot` bytes per slot. */
static inline void put_packet(struct machine *machine, struct parcel *parcel, uint32_t packet,
                              size_t of_slot)
{
    const struct headers *header = &machine->header;
    const struct pool *pool = &machine->pool;
    struct header own = header->packet[packet];
    uint32_t slots = packet + 1 - own.first;
    struct packet_head head = {
        packet_name(header, packet), own.message, slots, own.target, own.state,
    };
    char *to = add(machine, parcel, sizeof head + slots * of_slot);
    if (to == NULL)
        return;
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    for (uint32_t slot = own.first; slot <= packet; slot++, to += sizeof *header->destination)
        memcpy(to, &header->destination[slot], sizeof *header->destination);
    for (uint32_t i = 0; i < pool->fields; i++) {
        size_t bytes = slots * pool->field[i].size;
        memcpy(to, pool->field[i].array + own.first * pool->field[i].size, bytes);
        to += bytes;
    }
    if (pool->cargo.show != NULL)
        put_cargo(machine, parcel, packet);
}

/* Fetches into the cache the memory that put_packet() reads first. */
static inline void fetch_packet(const struct machine *machine, uint32_t packet)
{
    __builtin_prefetch(&machine->header.packet[packet], 1);
    __builtin_prefetch(&machine->header.destination[packet], 1);
    __builtin_prefetch(&machine->header.name[packet], 1);
}

void parcel_put_packets(struct machine *machine, struct parcel *parcel, uint32_t thread,
                        const uint32_t *packet, size_t count)
{
    enum { AHEAD = 16 };
    struct pool *pool = &machine->pool;
    struct pool_gone *gone = &pool->gone[thread];
    size_t of_slot = bytes_of_slot(machine);
    for (size_t i = 0; i < count && i < AHEAD; i++)
        fetch_packet(machine, packet[i]);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            fetch_packet(machine, packet[i + AHEAD]);
        put_packet(machine, parcel, packet[i], of_slot);
        uint32_t first = machine->header.packet[packet[i]].first, slots = packet[i] + 1 - first;
        parcel->packets[slots <= POOL_LISTS ? slots - 1 : POOL_LISTS]++;
        pool_list_add(pool, gone, first, packet[i]);
    }
}

static bool get_cargo(struct machine *machine, struct parcel *parcel, uint32_t packet)
{
    const struct machine_cargo *cargo = &machine->pool.cargo;
    size_t bytes = 0;
    const char *from = parcel_next(machine, parcel, sizeof bytes);
    if (from != NULL)
        memcpy(&bytes, from, sizeof bytes);
    from = from != NULL ? parcel_next(machine, parcel, bytes) : NULL;
    if (from != NULL && cargo->keep(cargo->context, packet, from, bytes))
        return true;
    machine_rank_fails(machine, "what packets of other ranks carry");
    return false;
}

/* Receives a packet, and returns its id. MACHINE_NONE: a rank has failed. */
static inline uint32_t get_packet(struct machine *machine, struct parcel *parcel, size_t of_slot,
                                  uint32_t thread)
{
    struct headers *header = &machine->header;
    struct pool *pool = &machine->pool;
    struct packet_head head;
    const char *from = parcel_next(machine, parcel, sizeof head);
    if (from == NULL)
        return MACHINE_NONE;
    memcpy(&head, from, sizeof head);
    from = parcel_next(machine, parcel, head.slots * of_slot);
    if (from == NULL)
        return MACHINE_NONE;
    uint32_t first = pool_list_take(pool, &pool->gone[thread], head.slots);
    if (first == MACHINE_NONE && thread == 0)
        first = pool_take(pool, head.slots);
    uint32_t last = first + head.slots - 1;
    if (first == MACHINE_NONE) {
        machine_rank_fails(machine, "packets of other ranks");
        return MACHINE_NONE;
    }
    for (uint32_t slot = first; slot <= last; slot++, from += sizeof *header->destination) {
        header->packet[slot] = (struct header){.message = head.message};
        header_name_slot(header, slot, head.name - (last - slot));
        memcpy(&header->destination[slot], from, sizeof *header->destination);
    }
    header->packet[last].first = first;
    header->packet[last].target = head.target;
    header->packet[last].state = (uint8_t)head.state;
    for (uint32_t i = 0; i < pool->fields; i++) {
        size_t bytes = head.slots * pool->field[i].size;
        memcpy(pool->field[i].array + first * pool->field[i].size, from, bytes);
        from += bytes;
    }
    return pool->cargo.show == NULL || get_cargo(machine, parcel, last) ? last : MACHINE_NONE;
}

bool parcel_get_packets(struct machine *machine, struct parcel *parcel, uint32_t thread,
                        uint32_t *packet, size_t count)
{
    size_t of_slot = bytes_of_slot(machine);
    for (size_t i = 0; i < count; i++) {
        packet[i] = get_packet(machine, parcel, of_slot, thread);
        if (packet[i] == MACHINE_NONE)
            return false;
    }
    return true;
}

/* ---- borders ---- */

bool border_has(const struct machine *machine, enum rank_side side)
{
    return ranks_has(machine->config.ranks, side);
}

bool border_begin(struct machine *machine, uint32_t parts)
{
    machine->border =
        memory_allocate(1, sizeof *machine->border + parts * sizeof machine->border->part[0]);
    if (machine->border == NULL)
        return false;
    machine->border->parts = parts;
    return true;
}

void border_free(struct machine *machine)
{
    struct border *border = machine->border;
    for (uint32_t i = 0; border != NULL && i < border->parts * RANK_SIDES; i++)
        free(border->part[i / RANK_SIDES].sent[i % RANK_SIDES].content);
    for (int side = 0; border != NULL && side < RANK_SIDES; side++)
        free(border->message[side].content);
    free(border);
    machine->border = NULL;
}

/* ---- bytes and packets over a border ---- */

void border_put(struct machine *machine, enum rank_side side, const void *from, size_t bytes)
{
    parcel_put(machine, &machine->border->part[0].sent[side], from, bytes);
}

void border_get(struct machine *machine, enum rank_side side, void *to, size_t bytes)
{
    parcel_get(machine, &machine->border->part[0].received[side], to, bytes);
}

void border_put_packet(struct machine *machine, enum rank_side side, uint32_t packet)
{
    parcel_put_packets(machine, &machine->border->part[0].sent[side], 0, &packet, 1);
}

uint32_t border_get_packet(struct machine *machine, enum rank_side side)
{
    uint32_t packet;
    struct parcel *received = &machine->border->part[0].received[side];
    return parcel_get_packets(machine, received, 0, &packet, 1) ? packet : MACHINE_NONE;
}

/* ---- exchanges ---- */

/* If there are several parts, a message begins with one of these for each. */
struct part_head {
    uint64_t bytes;
    uint32_t packets[POOL_LISTS + 1];
};

/* Returns the message to a neighbour: all that the threads have put. */
static struct rank_message message_to(struct machine *machine, enum rank_side side)
{
    struct border *border = machine->border;
    struct parcel *message = &border->message[side];
    if (border->parts == 1)
        return (struct rank_message){border->part[0].sent[side].content,
                                     border->part[0].sent[side].bytes};
    message->bytes = 0;
    for (uint32_t i = 0; i < border->parts; i++) {
        const struct parcel *sent = &border->part[i].sent[side];
        struct part_head head = {.bytes = sent->bytes};
        memcpy(head.packets, sent->packets, sizeof head.packets);
        parcel_put(machine, message, &head, sizeof head);
    }
    for (uint32_t i = 0; i < border->parts; i++)
        parcel_put(machine, message, border->part[i].sent[side].content,
                   border->part[i].sent[side].bytes);
    return (struct rank_message){message->content, message->bytes};
}

/* Gives the threads the parts of a neighbour's message. */
static void take_message(struct machine *machine, enum rank_side side, struct rank_message message)
{
    struct border *border = machine->border;
    struct parcel heads = {.content = (char *)message.bytes, .room = message.count}, parts = heads;
    if (border->parts > 1)
        parcel_next(machine, &parts, border->parts * sizeof(struct part_head));
    for (uint32_t i = 0; i < border->parts; i++) {
        struct part_head head = {.bytes = message.count};
        struct parcel *received = &border->part[i].received[side];
        if (border->parts > 1)
            parcel_get(machine, &heads, &head, sizeof head);
        const char *content = parcel_next(machine, &parts, head.bytes);
        if (content == NULL)
            return;
        *received = (struct parcel){.content = (char *)content, .room = head.bytes};
        memcpy(received->packets, head.packets, sizeof head.packets);
    }
}

/* Takes the slots that the threads will need for the packets that arrived. */
static void reserve_slots(struct machine *machine)
{
    struct border *border = machine->border;
    for (uint32_t i = 1; i < border->parts; i++) {
        struct border_part *part = &border->part[i];
        uint32_t packets[POOL_LISTS + 1];
        for (uint32_t slots = 0; slots <= POOL_LISTS; slots++)
            packets[slots] = part->received[RANK_BEFORE].packets[slots] +
                             part->received[RANK_BEHIND].packets[slots];
        part->is_for_first = packets[POOL_LISTS] > 0;
        if (!part->is_for_first && !pool_fill(&machine->pool, &machine->pool.gone[i], packets))
            machine_rank_fails(machine, "packets of other ranks");
    }
}

void border_exchange(struct machine *machine)
{
    struct border *border = machine->border;
    struct rank_message out[RANK_SIDES], in[RANK_SIDES] = {{0}};
    pool_trim(&machine->pool);
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        out[side] = message_to(machine, side);
    if (machine->rank_failure.kind == FAIL_NONE)
        ranks_exchange(machine->config.ranks, out, in, &machine->rank_failure);
    for (uint32_t i = 0; i < border->parts * RANK_SIDES; i++) {
        struct border_part *part = &border->part[i / RANK_SIDES];
        struct parcel *sent = &part->sent[i % RANK_SIDES];
        sent->bytes = 0;
        memset(sent->packets, 0, sizeof sent->packets);
        part->received[i % RANK_SIDES] = (struct parcel){.room = 0};
    }
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        if (border_has(machine, side) && machine->rank_failure.kind == FAIL_NONE)
            take_message(machine, side, in[side]);
    reserve_slots(machine);
}

void border_exchange_together(struct machine *machine, const struct team *team)
{
    parallel_barrier(team);
    if (team->rank == 0)
        border_exchange(machine);
    parallel_barrier(team);
}
