/* circuit_private.h - a call of machine_circulate, shared by circuit.c (links, memory, the call),
 * circuit_rounds.c (what happens in a round), circuit_lags.c (in which step it passes a link), circuit_border.c (what
 * crosses to other ranks in it), circuit_peak.c (the fullest nodes) and circuit_clock.c (steps and their events). For
 * machine/ only. */
#ifndef MESHCAST_MACHINE_CYCLE_CIRCUIT_PRIVATE_H
#define MESHCAST_MACHINE_CYCLE_CIRCUIT_PRIVATE_H

#include "machine/cycle.h"
#include "machine/cycle/due.h"
#include "machine/event_order.h"
#include "machine/machine_private.h"

enum { CIRCUIT_HELD = 4, CIRCUIT_GROUP = 32 };

/* Places of one way that follow one another: alone the whole way. On ranks the nodes of all but the first one are
 * this rank's. The first is the place of another rank from which packets come; what leaves the last one is there, too,
 * until the next round. So each stretch is a ring of its own. */
struct circuit_stretch {
    uint32_t first, size; /* places first .. first + size - 1 of this call */
    uint32_t number;      /* of the first one in the circuit */
    uint32_t way;
    bool is_open; /* its first place is of another rank */
};

/* A link to another rank: the place that leaves by it here, and the one that leaves by it there. */
struct circuit_crossing {
    uint32_t out, in;
};

/* A packet that is copied in this round, and the step in which it came to its place; after the copy, the step of the
 * copy. */
struct copy_stop {
    uint32_t place, slot, came;
};

/* The first step in which some node held so many packets, and the node with the lowest index that did. */
struct peak {
    uint32_t step;
    node_index node;
};

struct circuit_lags;   /* circuit_lags.c */
struct circuit_events; /* circuit_clock.c */

/* One call of machine_circulate. A slot is named by the place where its packet would be in round 0. Places and slots
 * are those of this machine's stretches; circuit_number() tells which place of the circuit one is. */
struct circuit_call {
    struct machine *machine;
    const struct circuit *circuit;
    struct tally *tally;
    bool copies_are_free, is_split; /* is_split: among ranks */
    uint32_t places, links;
    struct circuit_stretch *stretch;
    uint32_t stretches;
    /* [place / CIRCUIT_GROUP]: the stretch of a group's first place; NULL: each way is a stretch. */
    uint32_t *stretch_of;
    node_place *place; /* [place]: its node */
    uint32_t *leaving; /* [node][direction]: the place that leaves it there, or CIRCUIT_NO_PLACE */
    uint32_t *link;    /* [place]: by which it leaves */
    uint32_t *ends;    /* [link][2]: the places that leave by it, the lower one first */
    uint32_t *packet;  /* [slot] */
    struct due due;    /* rounds */
    uint32_t *gone;    /* [slot]: the round in which it became empty; DUE_NEVER: it is not */
    struct circuit_lags *lags;                     /* when the round passes each link */
    struct circuit_crossing *crossing[RANK_SIDES]; /* links to other ranks, from west to east */
    uint32_t crossings[RANK_SIDES];
    uint32_t *busy; /* [node]: the step of its last copy */
    uint32_t *mate; /* [node]: of its other packet with a copy in this round, the stop + 1 */
    struct copy_stop *stop; /* packets with copies in this round .. */
    uint32_t stops;
    uint32_t *found;      /* .. the slots that are due, .. */
    uint32_t finds;       /* .. and how many */
    uint32_t round, last; /* the step of the last delivery */
    uint64_t living[CIRCUIT_MOST_WAYS];
    uint64_t living_anywhere; /* on ranks, when they last agreed .. */
    uint32_t agreed;          /* .. in this round */
    uint32_t *alive;          /* slots, among them all that are not empty .. */
    uint32_t alive_slots;
    uint32_t crowded[8]; /* the places of nodes that have more than two .. */
    uint32_t crowded_places;
    bool is_held_up;                    /* some packet has waited for a copy */
    struct peak peak[CIRCUIT_HELD + 1]; /* [packets] */
    uint32_t now, most;                 /* steps of this call: the clock, and where it must end */
    uint32_t *made, made_room;          /* [steps ahead of the clock - 1]: deliveries in each */
    bool lacks_memory;                  /* for these */
    struct circuit_events *events;      /* that lie ahead of the clock; NULL: nobody observes */
    /* Of events that are noted now: the round, copies behind what ends; the circuit's slot. */
    struct event_order order;
    uint32_t *name;       /* [slot]: its packet's; only on ranks that are observed */
    uint64_t *stop_order; /* [stop]: of its events; only there */
};

/* ---- rounds (circuit_rounds.c) ---- */

/* Puts all resting packets at their first places. */
void circuit_begin(struct circuit_call *call);

/* Moves all packets one place on. */
void circuit_do_round(struct circuit_call *call);

/* ---- when links are passed (circuit_lags.c) ---- */

/* Prepares for round 0, in which no link has been passed, when all links are known. False: no memory; circuit_lags_free()
 * in any case. */
bool circuit_lags_make(struct circuit_call *call);
void circuit_lags_free(struct circuit_call *call);
uint64_t circuit_lags_footprint(uint64_t links);

/* Goes on to the next round, in which circuit_delay() will be called at most `delays` times. */
void circuit_lags_begin_round(struct circuit_call *call, uint32_t delays);
/* Returns the step in which this round passes the link. */
uint32_t circuit_step(const struct circuit_call *call, uint32_t link);
/* Makes this round pass the link in `step`, if it would pass it earlier. */
void circuit_delay(struct circuit_call *call, uint32_t link, uint32_t step);
/* Returns [link]: the step in which this round passes it, less the round; valid until the next round begins. */
const uint32_t *circuit_lags_renew(struct circuit_call *call);

/* Returns the step in which this round passes the last link. */
uint32_t circuit_last_step(struct circuit_call *call);

/* ---- other ranks (circuit_border.c) ---- */

/* Finds this rank's stretches. False: no memory. */
bool circuit_find_stretches(struct circuit_call *call);
/* Finds the links to other ranks, when all links are known. False: no memory. */
bool circuit_find_crossings(struct circuit_call *call);
void circuit_border_free(struct circuit_call *call);

/* Hands over what leaves this rank in this round, takes in what comes, and finds when the links between are passed. */
void circuit_cross_border(struct circuit_call *call);

/* Adds up how many packets live anywhere. */
void circuit_agree_living(struct circuit_call *call);
/* Agrees on the peaks, and replaces a step by the latest of all ranks, or the earliest. */
uint32_t circuit_agree_step(struct circuit_call *call, uint32_t step, bool is_latest);

/* ---- the fullest nodes (circuit_peak.c) ---- */

/* circuit_peak_begin() clears the peaks before any packet begins; circuit_peak_measure() measures the nodes after the
 * deliveries of a round. */
void circuit_peak_begin(struct circuit_call *call);
void circuit_peak_measure(struct circuit_call *call);

/* ---- the clock (circuit_clock.c) ---- */

/* Makes what an observed call needs. False: no memory. */
bool circuit_clock_make(struct circuit_call *call);
void circuit_clock_free(struct circuit_call *call);
uint64_t circuit_clock_footprint(uint64_t places);

/* So many deliveries are made in that step, which lies ahead of the clock. */
void circuit_note_deliveries(struct circuit_call *call, uint32_t step, uint64_t count);

/* Observed: notes for each link the step in which this round passed it. */
void circuit_note_links(struct circuit_call *call);

/* Observed: moves the events that the tally has collected to step `step` of the call. */
void circuit_note_events(struct circuit_call *call, uint32_t step);

/* Advances the clock to the last step of which everything is known, or with `is_over` to that of the last
 * delivery; but not beyond an overflow or the step in which the call must end. */
enum failure_kind circuit_clock_advance(struct circuit_call *call, bool is_over,
                                        struct failure *failure);

#endif
