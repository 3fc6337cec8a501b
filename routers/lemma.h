/* lemma.h - Lemma 1: a message set with d > c becomes at most two with d <= c. */
#ifndef MESHCAST_ROUTERS_LEMMA_H
#define MESHCAST_ROUTERS_LEMMA_H

#include "routers/routing.h"

/* Splits every resting packet, one a node at most, into packets of `block` slots (the last may have
 * fewer), and spreads these over the nodes in snake order: at most two more on any node than an
 * even spread of 1, if there are at most 2 n of them. Uses header.target and header.state, which
 * ends at 0. Steps: O(rows + cols). FAIL_CHECK: a buffer overflowed. */
enum failure_kind lemma_split(struct routing *routing, uint32_t block, struct failure *failure);

/* The bytes that it takes for a while on `nodes` nodes, beside the machine's. */
uint64_t lemma_footprint(uint64_t nodes);

#endif
