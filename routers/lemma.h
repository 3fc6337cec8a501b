/* lemma.h - Lemma 1: a message set with d > c becomes at most two with d <= c. */
#ifndef MESHCAST_ROUTERS_LEMMA_H
#define MESHCAST_ROUTERS_LEMMA_H

#include "routers/routing.h"

/* The most packets per node after Lemma 1 that a packet on its way can number. */
enum { LEMMA_MOST_PER_NODE = 128 };

struct lemma_load {
    uint32_t most_sent; /* the most packets that rest at a node before */
    uint32_t block; /* slots of a packet after Lemma 1; the last one of a message may have fewer */
};

/* Splits every resting packet into packets of load.block slots, for at most c destinations, and
 * spreads these over the nodes in snake order: at most load.most_sent + 1 per node, which must not
 * be more than LEMMA_MOST_PER_NODE. Uses header.target and header.state, which ends at 0. Steps:
 * lemma_steps() in an attempt, where most_sent is 1; the rounds of routing are most_sent times as
 * long. FAIL_CHECK: a buffer overflowed. FAIL_VOID: that was not enough, which all nodes know. */
enum failure_kind lemma_split(struct routing *routing, struct lemma_load load,
                              struct failure *failure);

/* The steps that every node computes from the sizes, without those of the ORs. */
struct lemma_length {
    uint64_t planned, most; /* with one round of routing, and with all */
    uint32_t most_syncs;    /* ORs */
};
enum failure_kind lemma_steps(const struct routing *routing, struct lemma_length *length,
                              struct failure *failure);

#endif
