/* border.h - packets and bytes that cross between the rows of two ranks (machine/ranks/ranks.h).
 * For machine/ and its folders.
 *
 * The neighbour in the north is RANK_BEFORE, the one in the south RANK_BEHIND. Everything put for a
 * neighbour is a message, which border_exchange() sends while it receives the neighbour's;
 * border_get() then reads that in the order of the puts. A failure is kept, and machine_end_step()
 * returns it: until then bytes are read as zeros, and packets as MACHINE_NONE. One thread of a rank
 * calls these functions, that of team rank 0, while the others wait.
 *
 * If many packets cross, each thread puts and receives a part of its own, one that follows from the
 * columns, so that both ranks have the same parts.
 */
#ifndef MESHCAST_MACHINE_RANKS_BORDER_H
#define MESHCAST_MACHINE_RANKS_BORDER_H

#include "machine/machine_private.h"
#include "machine/ranks/ranks.h"

/* ---- parcels: bytes and packets on their way to another rank, one after another ---- Reads are in
 * the order of the puts. A failure is kept, and machine_end_step() returns it. A parcel that ends
 * too early is a failure: then bytes are read as zeros, and nothing is passed over. Several threads
 * may put and read, each a parcel of its own. */

struct parcel {
    char *content;
    size_t bytes, room;               /* bytes: those that are filled, or have been read */
    uint32_t packets[POOL_LISTS + 1]; /* [slots - 1]: that were put; the last: of more slots */
};

/* Put bytes, and read them. The maker of a parcel frees parcel->content in the end. */
void parcel_put(struct machine *machine, struct parcel *parcel, const void *from, size_t bytes);
void parcel_get(struct machine *machine, struct parcel *parcel, void *to, size_t bytes);

/* Makes room for `packets` packets of one slot, with `beside` bytes each; more may still be put. */
void parcel_reserve(struct machine *machine, struct parcel *parcel, size_t packets, size_t beside);

/* Puts packets with their destinations and fields, and gives up their slots; the words in queues
 * are the caller's matter. `thread` is the caller's. */
void parcel_put_packets(struct machine *machine, struct parcel *parcel, uint32_t thread,
                        const uint32_t *packet, size_t count);
/* Takes the next packets in; packet[count] becomes their ids. False: a rank has failed, and only
 * some may be there. */
bool parcel_get_packets(struct machine *machine, struct parcel *parcel, uint32_t thread,
                        uint32_t *packet, size_t count);

/* ---- borders ---- */

/* The parcels of one thread, to the neighbours and from them. */
struct border_part {
    struct parcel sent[RANK_SIDES];
    struct parcel received[RANK_SIDES]; /* the content is that of ranks_exchange() */
    /* Some packet has so many slots that only the thread of team rank 0 can receive the part. */
    bool is_for_first;
};

struct border {
    struct parcel message[RANK_SIDES]; /* all parts one after another, if there are several */
    uint32_t parts; /* as many as the rank with the fewest threads has; the first: of team rank 0 */
    struct border_part part[];
};

/* On ranks, makes machine->border; `parts` must be the same on all. False: no memory. */
bool border_begin(struct machine *machine, uint32_t parts);
/* Frees it. */
void border_free(struct machine *machine);

/* Returns the side of a rank on which link `d`, north or south, leads. */
static inline enum rank_side border_side(enum direction d)
{
    return d == NORTH ? RANK_BEFORE : RANK_BEHIND;
}

/* True if another rank has the rows on that side. */
bool border_has(const struct machine *machine, enum rank_side side);

/* Put so many bytes for a neighbour, and read them from the neighbour's message. */
void border_put(struct machine *machine, enum rank_side side, const void *from, size_t bytes);
void border_get(struct machine *machine, enum rank_side side, void *to, size_t bytes);

/* Puts a packet with its destinations and fields, and gives up its slots; the words in queues are
 * the caller's matter. */
void border_put_packet(struct machine *machine, enum rank_side side, uint32_t packet);
/* Receives the next packet, and returns its id; MACHINE_NONE: a rank has failed. */
uint32_t border_get_packet(struct machine *machine, enum rank_side side);

/* Sends the messages to both neighbours, and waits for theirs. */
void border_exchange(struct machine *machine);

/* Does the same for all threads, each of which may have put a part. They meet in it twice. */
void border_exchange_together(struct machine *machine, const struct team *team);

/* ---- parts ---- */

/* Returns the number of parts for packets: one if they carry something. */
static inline uint32_t border_parts(const struct machine *machine)
{
    return machine->pool.cargo.show != NULL ? 1 : machine->border->parts;
}

/* True if a thread is to receive `part` after the exchange. */
static inline bool border_takes(const struct machine *machine, uint32_t part, uint32_t thread)
{
    return thread == (machine->border->part[part].is_for_first ? 0 : part);
}

#endif
