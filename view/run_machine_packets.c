/* run_machine_packets.c - packets by their numbers in the trace.
 *
 * Packets are numbered anew as they come, from 0, because a trace's numbers may be large and leave gaps. Those under way
 * are found by a hash of their numbers with open addressing.
 * Invariant: at most half of the slots are taken, and no empty one lies between a packet's first slot and its own.
 */
#include "view/run_machine_private.h"

#include <stdlib.h>
#include <string.h>

static uint32_t first_slot(const struct machine_run *run, uint64_t number)
{
    return (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (run->slots - 1);
}

uint32_t run_packet_find(const struct machine_run *run, uint64_t number)
{
    if (run->slots == 0)
        return NO_PACKET;
    for (uint32_t at = first_slot(run, number);; at = (at + 1) & (run->slots - 1)) {
        uint32_t packet = run->slot[at];
        if (packet == NO_PACKET || run->packet[packet].number == number)
            return packet;
    }
}

static void enter(struct machine_run *run, uint32_t packet)
{
    uint32_t at = first_slot(run, run->packet[packet].number);
    while (run->slot[at] != NO_PACKET)
        at = (at + 1) & (run->slots - 1);
    run->slot[at] = packet;
}

static bool grow_hash(struct machine_run *run, struct failure *failure)
{
    enum { FIRST_SLOTS = 2048 };
    if (run->living < run->slots / 2)
        return true;
    uint32_t slots = run->slots == 0 ? FIRST_SLOTS : run->slots * 2;
    if (slots == 0 || !machine_run_within_limit(run, (uint64_t)slots * sizeof *run->slot, failure))
        return false;
    uint32_t *grown = memory_allocate(slots, sizeof *grown), *old = run->slot;
    if (grown == NULL) {
        fail_memory(failure, "the page of the run");
        return false;
    }
    memset(grown, 0xff, slots * sizeof *grown);
    uint32_t old_slots = run->slots;
    run->slot = grown;
    run->slots = slots;
    for (uint32_t i = 0; i < old_slots; i++)
        if (old[i] != NO_PACKET)
            enter(run, old[i]);
    free(old);
    return true;
}

/* Takes the packet out of the hash: what follows it moves up, so that no search ends before its goal. */
void run_packet_end(struct machine_run *run, uint32_t packet)
{
    uint32_t mask = run->slots - 1, hole = first_slot(run, run->packet[packet].number);
    while (run->slot[hole] != packet)
        hole = (hole + 1) & mask;
    for (uint32_t at = (hole + 1) & mask; run->slot[at] != NO_PACKET; at = (at + 1) & mask) {
        uint32_t home = first_slot(run, run->packet[run->slot[at]].number);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        run->slot[hole] = run->slot[at];
        hole = at;
    }
    run->slot[hole] = NO_PACKET;
    run->packet[packet].node = MESH_NO_NODE;
    run->living--;
}

uint32_t run_packet_make(struct machine_run *run, uint64_t number, uint32_t node, uint32_t message,
                         struct failure *failure)
{
    if (!machine_run_grow(run, &run->packet, run->packets, &run->packets_room, sizeof *run->packet,
                          failure) ||
        !grow_hash(run, failure))
        return NO_PACKET;
    if (run->reduces) {
        if (!machine_run_grow(run, &run->contributions, run->packets, &run->contributions_room,
                              sizeof *run->contributions, failure))
            return NO_PACKET;
        run->contributions[run->packets] = 1;
    }
    run->packet[run->packets] = (struct run_packet){number, node, message, UINT32_MAX, 0};
    column_put_change(&run->born[BORN_MESSAGE], run->last_message, message);
    column_put_change(&run->born[BORN_NUMBER], run->last_number + 1, number);
    run->last_message = message;
    run->last_number = number;
    enter(run, run->packets);
    run->living++;
    return run->packets++;
}
