/* parcel.h - bytes and packets on their way to another rank, one behind the other: over a border (border.h), or with the
 * words of a plane. For machine/ and its folders.
 *
 * What is put is read in the same order. A failure is kept, and machine_end_step() returns it. If a parcel ends too early
 * that is one: then bytes are read as zeros, and nothing is passed over. Several threads may put and read, each a parcel
 * of its own.
 */
#ifndef MESHCAST_MACHINE_PARCEL_H
#define MESHCAST_MACHINE_PARCEL_H

#include "machine/machine_private.h"

struct parcel {
    char *content;
    size_t bytes, room;               /* bytes: those that are filled, or have been read */
    uint32_t packets[POOL_LISTS + 1]; /* [slots - 1]: that were put; the last: of more slots */
};

/* Put bytes, and read them. Whoever makes a parcel frees parcel->content in the end. */
void parcel_put(struct machine *machine, struct parcel *parcel, const void *from, size_t bytes);
void parcel_get(struct machine *machine, struct parcel *parcel, void *to, size_t bytes);
/* Passes over the next `bytes` bytes, and returns where they are. NULL: a rank has failed. */
const char *parcel_next(struct machine *machine, struct parcel *parcel, size_t bytes);

/* Makes room for `packets` packets of one slot, with `beside` bytes each; more may still be put. */
void parcel_reserve(struct machine *machine, struct parcel *parcel, size_t packets, size_t beside);

/* Puts packets with their destinations and fields, and gives up their slots; the words in queues are the caller's matter.
 * `thread` is the caller's. */
void parcel_put_packets(struct machine *machine, struct parcel *parcel, uint32_t thread,
                        const uint32_t *packet, size_t count);
/* Takes the next packets in; packet[count] becomes their ids. False: a rank has failed, and only some may be there. */
bool parcel_get_packets(struct machine *machine, struct parcel *parcel, uint32_t thread,
                        uint32_t *packet, size_t count);

#endif
