/* round_private.h - packets that go round a ring, shared by round.c (steps and stops) and
 * round_way.c (the packets of one way between stops). For machine/ only. */
#ifndef MESHCAST_MACHINE_ROUND_PRIVATE_H
#define MESHCAST_MACHINE_ROUND_PRIVATE_H

#include "machine/forward_private.h"
#include "machine/routing_ring.h"

enum { ROUND_GROUP = 64 };
#define ROUND_NEVER UINT32_MAX

/* Packets that stand in a place for one way, first in, first out. A word: links until the stop <<
 * 32 | packet; those behind the first one are a list through machine->next. */
struct round_queue {
    uint64_t first;
    uint32_t last; /* a packet */
    uint32_t count;
};

/* What goes one way. Slots move with their packets: in step t slot s is at place s + t of the ring,
 * or, going back, at place s - t. Groups are of 64 slots, or 64 places. */
struct round_way {
    uint32_t length, groups;
    bool goes_back;
    uint32_t turn;       /* the step modulo length */
    uint64_t *slot;      /* [slot]: the step of the stop << 32 | the packet that is there;
                            where it is empty that step is ROUND_NEVER */
    uint32_t *first_due; /* [slot group]: none of its slots is due before */
    uint64_t *held;      /* [slot group + 1]: slots that are taken: bits */

    struct round_queue *queue; /* [place] */
    uint64_t *queued;          /* [place group]: the queue is not empty: bits */
    uint64_t *some_queued;     /* [place group / 64]: `queued` of a group is not 0: bits */
    uint16_t *deepest;         /* [place group]: no queue is longer, or UINT16_MAX */
    uint64_t *stopping;        /* [place group]: a packet has left its slot, and stops: bits .. */
    uint32_t *stopped;         /* [place]: .. this one */
    uint64_t *entering;   /* [place group]: one that stopped there goes on, in the queue: bits */
    uint32_t *stops;      /* the groups where packets stop in this step .. */
    uint32_t stop_groups; /* .. so many of them */
};

/* The places that a thread looks after between two crossings: 64 groups or a multiple. */
struct round_share {
    uint32_t first, end; /* groups */
    uint32_t *waiting;   /* the places whose nodes have packets that must be copied .. */
    uint32_t waiting_places;
    char padding[64];
};

/* One call of machine_forward under a rule with a ring. */
struct round {
    struct forwarding *run;
    const struct routing_ring *ring;
    uint32_t groups; /* of places */
    uint32_t now;    /* steps of this call */
    struct round_way way[RING_WAYS];
    struct round_share *share; /* [threads] */
    uint32_t *waiting;         /* of all shares */
};

/* ---- one way (round_way.c) ---- */

/* Empty slots and queues. False: no memory, what was made is left to round_way_free. */
bool round_way_make(struct round_way *way, uint32_t length, bool goes_back);
void round_way_free(struct round_way *way);

/* The slot that is at a place. */
static inline uint32_t round_slot(const struct round_way *way, uint32_t place)
{
    if (way->goes_back)
        return place + way->turn < way->length ? place + way->turn
                                               : place + way->turn - way->length;
    return place >= way->turn ? place - way->turn : place + way->length - way->turn;
}

/* Whether that slot is taken. */
static inline bool round_is_held(const struct round_way *way, uint32_t place)
{
    uint32_t slot = round_slot(way, place);
    return way->held[slot / ROUND_GROUP] >> slot % ROUND_GROUP & 1;
}

/* The slots that are at the places of a group, and taken: place i of the group at bit i. */
uint64_t round_held(const struct round_way *way, uint32_t group);

/* A packet that has so many links before it stands behind all others at a place. */
void round_append(struct machine *machine, struct round_way *way, uint32_t place, uint64_t word);

/* The first packets of the queues of a group enter the slots that are empty. */
void round_fill(const struct machine *machine, struct round_way *way, uint32_t group, uint32_t now);

/* Step `now`: all packets in slots cross a link, and first of all those in `entering` enter theirs.
 * Who is at a stop leaves its slot, and is in `stopping`; who finds others goes behind them, and the first of these into the slot. Returns how
 * many have crossed. */
uint64_t round_cross(struct machine *machine, struct round_way *way, uint32_t now);

#endif
