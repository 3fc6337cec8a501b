/* lemma.h - Lemma 1: a message set with d > c becomes at most two with d <= c. */
#ifndef MESHCAST_ROUTERS_LEMMA_H
#define MESHCAST_ROUTERS_LEMMA_H

#include "routers/routing.h"

/* Splits every resting packet, at most one per node, into packets of at most c destinations, and spreads these over the
 * nodes in snake order: at most two per node. Uses header.target and header.state, which ends at 0. Steps: lemma_steps()
 * in an attempt. FAIL_CHECK: a buffer overflowed. FAIL_VOID: that was not enough, and all nodes know. */
enum failure_kind lemma_split(struct routing *routing, struct failure *failure);

/* The steps that every node computes from the sizes; those of the ORs are not counted. */
struct lemma_length {
    uint64_t planned, most; /* with one round of routing, and with all */
    uint32_t most_syncs;    /* ORs */
};
enum failure_kind lemma_steps(const struct routing *routing, struct lemma_length *length,
                              struct failure *failure);

/* The bytes that it takes for a while on `nodes` nodes, beside the machine's. */
uint64_t lemma_footprint(uint64_t nodes);

#endif
