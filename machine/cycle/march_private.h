/* march_private.h - a march along cycles, shared by march.c (its steps) and march_line.c (what one
 * cycle does in them). */
#ifndef MESHCAST_MACHINE_CYCLE_MARCH_PRIVATE_H
#define MESHCAST_MACHINE_CYCLE_MARCH_PRIVATE_H

#include "machine/cycle.h"
#include "machine/cycle/due.h"
#include "machine/machine_private.h"

/* The slots of a cycle: slot .. slot + length - 1 of the arrays, in groups of 64. */
struct march_line {
    size_t slot, group;
    uint32_t length;
    uint32_t most; /* packets at one of its nodes that do not march */
};

struct march_group {
    uint64_t taken, waiting; /* slots with a packet; with one that must be copied in this hop */
    uint32_t first_due;      /* no slot is due before */
};

/* What all lines do between two barriers. MARCH_BEGIN: what is due where the march begins, a step.
 * MARCH_HOP and MARCH_COPY: the first step of a hop, and the second one; buffers are measured.
 * MARCH_ON: many hops, since no buffer can get fuller than all before. */
enum march_stage { MARCH_BEGIN, MARCH_HOP, MARCH_COPY, MARCH_ON };

struct march_call {
    struct machine *machine;
    const struct march *march;
    struct march_line *line; /* [cycles] */
    struct march_group *group;
    node_place *place; /* [slot]: the cycle's nodes, one after another */
    uint32_t *packet;  /* [slot] */
    uint32_t *due;     /* [slot]: the hop at which its packet has something to do */
    uint8_t *is_on;    /* [node]: a cycle's */
    enum march_stage stage;
    uint32_t hop, hops; /* that are done; in all */
    uint32_t until;     /* how many are done when MARCH_ON ends */
    uint64_t left;      /* steps until the march ends, or must */
    uint32_t most;      /* of all lines */
    bool done;
    enum failure_kind kind;
    struct failure *failure;
};

/* A line while it is at a hop. */
struct march_walk {
    struct march_call *call;
    struct tally *tally;
    const struct march_line *line;
    const node_place *place;
    uint32_t *packet, *due;
    struct march_group *group;
    uint32_t groups, hop;
    uint32_t shift; /* hop modulo length: where slot 0 is */
};

static inline uint32_t march_groups(uint32_t length)
{
    return (length + DUE_GROUP - 1) / DUE_GROUP;
}

/* The line at a hop; `tally` counts what happens. */
struct march_walk march_walk_at(struct march_call *call, const struct march_line *line,
                                struct tally *tally, uint32_t hop);

/* The line's nodes, each the successor of the one before; `start` is the first. */
void march_find_places(struct march_call *call, const struct march_line *line, node_place start);

/* The packets that rest on the line's nodes stand in its slots. */
void march_load(struct march_call *call, struct march_line *line);

/* Those that are left rest where they are after `hop` hops. */
void march_unload(struct march_call *call, const struct march_line *line, uint32_t hop);

/* All packets of the line cross a link; returns how many. */
uint32_t march_cross(struct march_walk *walk);

/* In the same step: packets that are due do what they can without a copy in a step of its own. */
void march_arrive(struct march_walk *walk);

/* The second step of a hop, with unit copies: a node holds one packet of the march and makes one
 * copy. */
void march_copy(struct march_walk *walk);

/* Tells an observer that the line's packets cross their links in the next step. */
void march_tell(const struct march_walk *walk);

/* Takes nodes that are fuller than all before into the tally's peak; those without room discard. */
void march_measure(struct march_walk *walk);

#endif
