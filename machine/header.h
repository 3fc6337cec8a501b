/* header.h - packets, their headers and their names.
 *
 * Packets. A packet is a range of destination slots: packet p has the slots header.packet[p].first
 * .. p. Ranges of different packets are disjoint, so ids are unique, and a packet that gives away a
 * part of its range keeps its id: the part is moved to the front of the range and becomes the
 * packet whose id is the part's last slot. A slot without a destination (MACHINE_NO_PLACE) lets a
 * packet exist that has nothing to deliver in a region (literal replication). The target and state
 * of a slot that has not been a packet yet are 0, so a part that is split off need not set them;
 * only the fields of packets go to other ranks.
 *
 * Names. A slot's index, and so a packet's id, says only where it is stored. Its name (packet_name)
 * is the number of the slot when the slots of all messages are numbered consecutively in the order
 * of the messages. Traces and observers use names, and ties are broken by names. The name of a
 * packet that was discarded may be given to another one later; in the trace the later packet has a
 * number of its own.
 */
#ifndef MESHCAST_MACHINE_HEADER_H
#define MESHCAST_MACHINE_HEADER_H

#include "machine/mesh.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_NONE UINT32_MAX     /* no packet */
#define MACHINE_NO_PLACE UINT32_MAX /* a slot without a destination */

/* The packets' headers. Arrays of `slots` elements, owned by the machine; a kernel
 * reads and writes only the ranges of packets that are at the node for which it was called. */
struct header {
    uint32_t first;    /* the first slot of packet p's range; p is the last */
    node_place target; /* O(1) field: its present target, set by the algorithm */
    uint32_t message;  /* of slot p: the number of its message */
    uint8_t state;     /* O(1) field: the algorithm's stage and class */
    uint8_t is_gone;   /* of slot p, on ranks: it may be given to another packet (pool.h) */
};

struct headers {
    uint32_t slots;          /* that the arrays have room for */
    struct header *packet;   /* together, as they are used together, far from all others */
    node_place *destination; /* of a slot; MACHINE_NO_PLACE: none */
    /* If config.has_names: the name of a slot, and, without ranks, the slot of a name, a
     * permutation and its inverse. NULL: a slot's name is its index. On ranks nobody finds a slot
     * by its name. */
    uint32_t *name, *slot_of_name;
};

/* Gives a slot its name, if config.has_names. */
static inline void header_name_slot(struct headers *header, uint32_t slot, uint32_t name)
{
    header->name[slot] = name;
    if (header->slot_of_name != NULL)
        header->slot_of_name[name] = slot;
}

/* Returns the name of a packet: that of its last slot. */
static inline uint32_t packet_name(const struct headers *header, uint32_t packet)
{
    return header->name == NULL ? packet : header->name[packet];
}

/* True if packets are found by their names; not on several ranks, where a packet may be at another
 * one. */
static inline bool headers_find_names(const struct headers *header)
{
    return header->slot_of_name != NULL || header->name == NULL;
}

/* Returns the packet of this name. */
static inline uint32_t packet_of_name(const struct headers *header, uint32_t name)
{
    assert(headers_find_names(header));
    return header->slot_of_name == NULL ? name : header->slot_of_name[name];
}

#endif
