/* border.c - parcels of all threads as one message to each neighbour. */
#include "machine/border.h"

#include <stdlib.h>
#include <string.h>

bool border_has(const struct machine *machine, enum rank_side side)
{
    return ranks_has(machine->config.ranks, side);
}

bool border_begin(struct machine *machine, uint32_t parts)
{
    if (ranks_size(machine->config.ranks) == 1)
        return true;
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
    free(border);
    machine->border = NULL;
}

/* ---- bytes and packets ---- */

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

static void put_message(struct machine *machine, enum rank_side side)
{
    struct ranks *ranks = machine->config.ranks;
    struct failure *failure = &machine->rank_failure;
    struct border *border = machine->border;
    for (uint32_t i = 0; i < border->parts && border->parts > 1; i++) {
        const struct parcel *sent = &border->part[i].sent[side];
        struct part_head head = {.bytes = sent->bytes};
        memcpy(head.packets, sent->packets, sizeof head.packets);
        if (failure->kind == FAIL_NONE)
            ranks_put(ranks, side, &head, sizeof head, failure);
    }
    for (uint32_t i = 0; i < border->parts; i++) {
        struct parcel *sent = &border->part[i].sent[side];
        if (failure->kind == FAIL_NONE)
            ranks_put(ranks, side, sent->content, sent->bytes, failure);
        sent->bytes = 0;
        memset(sent->packets, 0, sizeof sent->packets);
    }
    if (failure->kind == FAIL_NONE)
        ranks_post(ranks, side, failure);
}

static void take_message(struct machine *machine, enum rank_side side)
{
    struct border *border = machine->border;
    const void *message = NULL;
    size_t bytes = 0;
    for (uint32_t i = 0; i < border->parts; i++)
        border->part[i].received[side] = (struct parcel){.room = 0};
    if (machine->rank_failure.kind != FAIL_NONE ||
        ranks_wait(machine->config.ranks, side, &message, &bytes, &machine->rank_failure) !=
            FAIL_NONE)
        return;
    struct parcel heads = {.content = (char *)message, .room = bytes}, parts = heads;
    if (border->parts > 1)
        parcel_next(machine, &parts, border->parts * sizeof(struct part_head));
    for (uint32_t i = 0; i < border->parts; i++) {
        struct part_head head = {.bytes = bytes};
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

/* Takes the slots that the threads will need for what came. */
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
    pool_trim(&machine->pool);
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        if (border_has(machine, side))
            put_message(machine, side);
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        if (border_has(machine, side))
            take_message(machine, side);
    reserve_slots(machine);
}

void border_exchange_together(struct machine *machine, const struct team *team)
{
    parallel_barrier(team);
    if (team->rank == 0)
        border_exchange(machine);
    parallel_barrier(team);
}
