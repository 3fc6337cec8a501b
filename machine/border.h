/* border.h - what crosses between the rows of two ranks (machine/ranks/ranks.h). For machine/ and its folders.
 *
 * The neighbour in the north is RANK_BEFORE, the one in the south RANK_BEHIND. What is put for a neighbour is a message,
 * which border_exchange() sends while it takes in the neighbour's; border_get() then reads that in the order in which it
 * was put. A failure is kept, and machine_end_step() returns it: until then what is read is zeros, and packets are
 * MACHINE_NONE. One thread of a rank calls these functions, that of team rank 0, while the others wait.
 *
 * Where many packets cross, each thread puts and takes a part of its own, one that follows from the columns, so that both
 * ranks have the same parts.
 */
#ifndef MESHCAST_MACHINE_BORDER_H
#define MESHCAST_MACHINE_BORDER_H

#include "machine/machine_private.h"
#include "machine/parcel.h"
#include "machine/ranks/ranks.h"

/* What one thread has put for the neighbours, and what they have put. */
struct border_part {
    struct parcel sent[RANK_SIDES];
    struct parcel received[RANK_SIDES]; /* machine/ranks/ranks.h owns the content */
    /* Some packet has so many slots that only the thread of team rank 0 can take the part. */
    bool is_for_first;
};

struct border {
    uint32_t parts; /* as many as the rank with the fewest threads has; the first: of team rank 0 */
    struct border_part part[];
};

/* On ranks, makes machine->border; `parts` must be the same on all. False: no memory. */
bool border_begin(struct machine *machine, uint32_t parts);
/* Frees it. */
void border_free(struct machine *machine);

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

/* The same for all threads, each of which may have put a part. They meet in it twice. */
void border_exchange_together(struct machine *machine, const struct team *team);

/* ---- parts ---- */

/* Returns how many parts packets are to be put in: one if they carry something. */
static inline uint32_t border_parts(const struct machine *machine)
{
    return machine->pool.cargo.show != NULL ? 1 : machine->border->parts;
}

/* Returns whether a thread is to take `part` after the exchange. */
static inline bool border_takes(const struct machine *machine, uint32_t part, uint32_t thread)
{
    return thread == (machine->border->part[part].is_for_first ? 0 : part);
}

#endif
