/* packets.c - the packets that a replayed trace has in the network, and every id it used.
 *
 * Method: two hash tables with open addressing and linear probing, at most two thirds full. The
 * packets' table has one slot a living packet; what is removed leaves no mark, since later entries
 * of its run move back. The ids' table has one slot per block of 64 ids, with a bit an id: 16 bytes
 * a block, so ids that are given out one after the other cost half a byte each at most, and ids
 * scattered over 64 bits cost 24 to 48 bytes each, living or not.
 *
 * A table of our own rather than uthash or the like: that allocates a node a packet and keeps over
 * 50 bytes beside it; here a look-up is one cache line, which bounds the audit's speed and can be
 * asked for ahead.
 *
 * Invariant: from a key's home slot to its slot no slot is empty.
 *
 * Cost: O(1) expected an operation; 32 bytes per slot of living packets, 1.5 to 3 slots per packet.
 */
#include "audit/packets.h"

#include "base/failure.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 1024 };

/* Fibonacci hashing of groups of four keys, which stay neighbours: packets made together are often
 * looked up together, and share cache lines. Both halves of the key take part, and the product's
 * high half, since its low bits depend on low bits alone. `slots` is a power of two. */
static size_t home_slot(uint64_t key, size_t slots)
{
    uint64_t group = key >> 2;
    uint64_t mixed = (group ^ group >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)((mixed ^ mixed >> 32) << 2 | (key & 3)) & (slots - 1);
}

static bool is_full(size_t count, size_t slots)
{
    return count + 1 > slots / 3 * 2;
}

/* ---- ids ---- */

/* The slot of `block`, or the empty slot where it belongs. */
static struct audit_id_block *find_block(struct audit_id_block *table, size_t slots, uint64_t block)
{
    size_t slot = home_slot(block, slots);
    while (table[slot].bits != 0 && table[slot].block != block) {
        slot = (slot + 1) & (slots - 1);
    }
    return &table[slot];
}

static bool grow_blocks(struct audit_packets *packets)
{
    size_t slots = packets->block_slots ? 2 * packets->block_slots : FIRST_SLOTS;
    struct audit_id_block *table = memory_allocate(slots, sizeof *table);
    if (!table) {
        return false;
    }
    for (size_t i = 0; i < packets->block_slots; i++) {
        if (packets->block[i].bits != 0) {
            *find_block(table, slots, packets->block[i].block) = packets->block[i];
        }
    }
    free(packets->block);
    packets->block = table;
    packets->block_slots = slots;
    return true;
}

bool packets_id_used(const struct audit_packets *packets, uint64_t id)
{
    if (packets->block_slots == 0) {
        return false;
    }
    const struct audit_id_block *block = find_block(packets->block, packets->block_slots, id / 64);
    return block->bits >> id % 64 & 1;
}

static enum packets_status use_id(struct audit_packets *packets, uint64_t id)
{
    if (is_full(packets->block_count, packets->block_slots) && !grow_blocks(packets)) {
        return PACKETS_NO_MEMORY;
    }
    struct audit_id_block *block = find_block(packets->block, packets->block_slots, id / 64);
    uint64_t bit = UINT64_C(1) << id % 64;
    if (block->bits & bit) {
        return PACKETS_ID_USED;
    }
    packets->block_count += block->bits == 0;
    block->block = id / 64;
    block->bits |= bit;
    return PACKETS_ADDED;
}

/* ---- living packets ---- */

/* The slot of packet `id`, or the empty slot where it belongs. */
static struct audit_packet *find_slot(struct audit_packet *table, size_t slots, uint64_t id)
{
    size_t slot = home_slot(id, slots);
    while (table[slot].taken && table[slot].id != id) {
        slot = (slot + 1) & (slots - 1);
    }
    return &table[slot];
}

static bool grow_packets(struct audit_packets *packets)
{
    size_t slots = packets->packet_slots ? 2 * packets->packet_slots : FIRST_SLOTS;
    struct audit_packet *table = memory_allocate(slots, sizeof *table);
    if (!table) {
        return false;
    }
    for (size_t i = 0; i < packets->packet_slots; i++) {
        if (packets->packet[i].taken) {
            *find_slot(table, slots, packets->packet[i].id) = packets->packet[i];
        }
    }
    free(packets->packet);
    packets->packet = table;
    packets->packet_slots = slots;
    return true;
}

enum packets_status packets_add(struct audit_packets *packets, uint64_t id,
                                struct audit_packet **packet)
{
    if (is_full(packets->packet_count, packets->packet_slots) && !grow_packets(packets)) {
        return PACKETS_NO_MEMORY;
    }
    enum packets_status status = use_id(packets, id);
    if (status != PACKETS_ADDED) {
        return status;
    }
    *packet = find_slot(packets->packet, packets->packet_slots, id);
    **packet = (struct audit_packet){.id = id, .taken = true};
    packets->packet_count++;
    return PACKETS_ADDED;
}

struct audit_packet *packets_find(const struct audit_packets *packets, uint64_t id)
{
    if (packets->packet_slots == 0) {
        return NULL;
    }
    struct audit_packet *packet = find_slot(packets->packet, packets->packet_slots, id);
    return packet->taken ? packet : NULL;
}

void packets_prefetch(const struct audit_packets *packets, uint64_t id)
{
    if (packets->packet_slots > 0) {
        __builtin_prefetch(&packets->packet[home_slot(id, packets->packet_slots)], 1);
    }
}

const struct audit_packet *packets_least(const struct audit_packets *packets)
{
    const struct audit_packet *least = NULL;
    for (size_t i = 0; i < packets->packet_slots; i++) {
        const struct audit_packet *packet = &packets->packet[i];
        if (packet->taken && (!least || packet->id < least->id)) {
            least = packet;
        }
    }
    return least;
}

void packets_remove(struct audit_packets *packets, struct audit_packet *packet)
{
    struct audit_packet *table = packets->packet;
    size_t mask = packets->packet_slots - 1;
    size_t hole = (size_t)(packet - table);

    /* An entry may fill the hole if the hole lies on the way from its home to its slot. */
    for (size_t slot = (hole + 1) & mask; table[slot].taken; slot = (slot + 1) & mask) {
        size_t home = home_slot(table[slot].id, mask + 1);
        if (((slot - home) & mask) >= ((slot - hole) & mask)) {
            table[hole] = table[slot];
            hole = slot;
        }
    }
    table[hole].taken = false;
    packets->packet_count--;
}

void packets_free(struct audit_packets *packets)
{
    free(packets->packet);
    free(packets->block);
    *packets = (struct audit_packets){0};
}
