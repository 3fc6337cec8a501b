/* circuit_rounds_private.h - packets that circulate round by round, shared by circuit_rounds.c (their
 * rounds) and circuit_peak.c (the fullest nodes). For machine/ only. */
#ifndef MESHCAST_MACHINE_CYCLE_CIRCUIT_ROUNDS_PRIVATE_H
#define MESHCAST_MACHINE_CYCLE_CIRCUIT_ROUNDS_PRIVATE_H

#include "machine/cycle/circuit_private.h"

enum { CIRCUIT_GROUP = 64, CIRCUIT_BESIDE = 5, CIRCUIT_HELD = 4 };
#define CIRCUIT_NEVER UINT32_MAX

/* A link beside which are others than the one before it and the one behind it. */
struct corner {
    uint32_t link, beside[CIRCUIT_BESIDE], count;
};

/* A packet that is copied in this round, or the step in which the one that leaves `place` can. */
struct stop {
    uint32_t place, slot, came;
};

/* The first step at which some node held so many packets, and the first such node. */
struct peak {
    uint32_t step;
    node_index node;
};

struct rounds {
    struct circling *run;
    struct machine *machine;
    struct tally *tally;
    bool copies_are_free;
    uint32_t groups;     /* of a way */
    uint32_t *packet;    /* [slot] */
    uint32_t *due;       /* [slot]: a round; CIRCUIT_NEVER where it is empty */
    uint32_t *gone;      /* [slot]: the round in which it became empty; CIRCUIT_NEVER: it is not */
    uint32_t *first_due; /* [way][group]: none of its slots is due before */
    uint32_t *step;      /* [link], padded: in which this round passed it .. */
    uint32_t *before;    /* .. and the round before */
    struct corner corner[8];
    uint32_t corners;
    uint32_t *busy;    /* [node]: the step of its last copy */
    uint32_t *mate;    /* [node]: of whom is copied in this round, the stop before, + 1 */
    struct stop *stop; /* those with copies in this round .. */
    uint32_t stops;
    uint32_t *found;      /* .. the slots that are due */
    uint32_t round, last; /* the step of the last delivery */
    uint64_t living[CIRCUIT_MOST_WAYS];
    uint32_t *alive; /* slots, among them all that are not empty .. */
    uint32_t alive_slots;
    uint32_t crowded[8]; /* the places of nodes that have more than two .. */
    uint32_t crowded_places;
    struct peak peak[CIRCUIT_HELD + 1]; /* [packets] */
};

static inline const struct circuit *circuit_of(const struct rounds *rounds)
{
    return rounds->run->circuit;
}

static inline uint32_t circuit_place_of_slot(const struct rounds *rounds, uint32_t slot)
{
    uint32_t length = circuit_of(rounds)->length, way = slot >= length ? length : 0;
    uint32_t at = slot - way + rounds->round % length;
    return way + (at < length ? at : at - length);
}

/* The slot that is at a place in an earlier round, or in this one. */
static inline uint32_t circuit_slot_at(const struct rounds *rounds, uint32_t place, uint32_t round)
{
    uint32_t length = circuit_of(rounds)->length, way = place >= length ? length : 0;
    uint32_t at = place - way, shift = round % length;
    return way + (at >= shift ? at - shift : at + length - shift);
}

/* When what comes to a place in this round does. */
static inline uint32_t circuit_came_to(const struct rounds *rounds, uint32_t place)
{
    if (rounds->copies_are_free)
        return rounds->round;
    return rounds->step[rounds->run->link[circuit_before(rounds->run, place)]];
}

/* ---- the fullest nodes (circuit_peak.c) ---- */

/* Before any packet begins. */
void circuit_peak_begin(struct rounds *rounds);

/* Behind the deliveries of a round. */
void circuit_peak_measure(struct rounds *rounds);

/* The clock goes on to the end of the run, and stands still where a node holds more than ever. */
enum failure_kind circuit_peak_advance(struct rounds *rounds);

#endif
