/* packets.h - the packets that a replayed trace has in the network, and every id it used.
 *
 * Ids are any 64-bit numbers. Pointers to packets hold until the next packets_add() or
 * packets_remove().
 */
#ifndef MESHCAST_AUDIT_PACKETS_H
#define MESHCAST_AUDIT_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct audit_packet {
    uint64_t id;
    uint64_t message; /* what injected it named; copies inherit it */
    uint64_t parts;   /* of a reduction: contributions that it stands for */
    uint64_t used;    /* the last step that used it up, and how: the rules' business */
    uint32_t node;    /* where it is */
    bool taken;       /* false: the slot is empty */
};

/* Ids 64 * block .. 64 * block + 63: bit i is set if 64 * block + i was used. 0: empty slot. */
struct audit_id_block {
    uint64_t block, bits;
};

/* A zeroed struct is an empty table. Both tables have 2^k slots, or none. */
struct audit_packets {
    struct audit_packet *packet;
    size_t packet_slots, packet_count;
    struct audit_id_block *block;
    size_t block_slots, block_count;
};

enum packets_status { PACKETS_ADDED, PACKETS_ID_USED, PACKETS_NO_MEMORY };

/* Adds a packet with this id and returns it in *packet, its other fields zero. */
enum packets_status packets_add(struct audit_packets *packets, uint64_t id,
                                struct audit_packet **packet);

/* The living packet with this id, or NULL. */
struct audit_packet *packets_find(const struct audit_packets *packets, uint64_t id);

/* Asks the processor to fetch what packets_find(packets, id) will look at. */
void packets_prefetch(const struct audit_packets *packets, uint64_t id);

/* The living packet with the least id, or NULL. Looks at every slot. */
const struct audit_packet *packets_least(const struct audit_packets *packets);

/* Whether a packet had this id, living or gone. */
bool packets_id_used(const struct audit_packets *packets, uint64_t id);

/* Takes out a packet that packets_find() gave. Its id stays used. */
void packets_remove(struct audit_packets *packets, struct audit_packet *packet);

void packets_free(struct audit_packets *packets);

#endif
