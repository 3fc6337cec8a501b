/* border.h - what crosses between the rows of two ranks (base/ranks.h). For machine/ and its folders.
 *
 * The neighbour in the north is RANK_BEFORE, the one in the south RANK_BEHIND. What is put for a neighbour is a message,
 * which border_exchange() sends while it takes in the neighbour's; border_get() then reads that in the order in which it
 * was put. A failure is kept, and machine_end_step() returns it: until then what is read is zeros, and packets are
 * MACHINE_NONE. One thread of a rank calls these functions, that of team rank 0, while the others wait.
 */
#ifndef MESHCAST_MACHINE_BORDER_H
#define MESHCAST_MACHINE_BORDER_H

#include "base/ranks.h"
#include "machine/machine_private.h"

/* The side of a rank on which link `d`, north or south, leads. */
static inline enum rank_side border_side(enum direction d)
{
    return d == NORTH ? RANK_BEFORE : RANK_BEHIND;
}

/* Returns whether another rank has the rows on that side. */
bool border_has(const struct machine *machine, enum rank_side side);

/* Put so many bytes for a neighbour, and read them from what it has put. */
void border_put(struct machine *machine, enum rank_side side, const void *from, size_t bytes);
void border_get(struct machine *machine, enum rank_side side, void *to, size_t bytes);

/* Puts a packet with its destinations and fields, and gives up its slots; the words in queues are the caller's matter. */
void border_put_packet(struct machine *machine, enum rank_side side, uint32_t packet);
/* Takes the next packet in, and returns its id; MACHINE_NONE: a rank has failed. */
uint32_t border_get_packet(struct machine *machine, enum rank_side side);

/* Sends what was put to both neighbours, and waits for what they have put. */
void border_exchange(struct machine *machine);

/* Frees what was put. */
void border_free(struct machine *machine);

/* ---- parcels: bytes and packets on their way to any rank, one behind the other ---- */

/* Makes room for `packets` packets of one slot, with `beside` bytes each; more may still be added. The failure is kept. */
void parcel_reserve(struct machine *machine, struct parcel *parcel, size_t packets, size_t beside);
/* Add bytes, and read bytes in the order in which they were added. A failure is kept; then what is read is zeros. Whoever
 * makes a parcel frees parcel->content in the end. */
void parcel_put(struct machine *machine, struct parcel *parcel, const void *from, size_t bytes);
void parcel_get(struct machine *machine, struct parcel *parcel, void *to, size_t bytes);
/* The same for border_put_packet() and border_get_packet(), with `count` packets. False: a rank has failed. */
void parcel_put_packets(struct machine *machine, struct parcel *parcel, const uint32_t *packet,
                        size_t count);
bool parcel_get_packets(struct machine *machine, struct parcel *parcel, uint32_t *packet,
                        size_t count);

#endif
