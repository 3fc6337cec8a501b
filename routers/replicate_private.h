/* replicate_private.h - router `replicate`: Theorem 2 as it is printed, and its ways backwards, for sums. */
#ifndef MESHCAST_ROUTERS_REPLICATE_PRIVATE_H
#define MESHCAST_ROUTERS_REPLICATE_PRIVATE_H

#include "routers/reduction.h"
#include "routers/routing.h"
#include "routers/seat.h"

/* ---- variant=paper (replicate_paper.c) ---- */

/* The members of a router_method for the variant. FAIL_USAGE: Lemma 1 is needed, and nodes send too many messages for
 * it. */
enum failure_kind replicate_paper_route(struct routing *routing, struct failure *failure);
struct attempt_limits replicate_paper_limits(const struct routing *routing);
/* Returns how many tiles the run's mesh has: the largest power of two up to c / l that it can be halved into. */
uint64_t replicate_paper_tiles(const struct routing *routing);

/* ---- sums (replicate_back.c) ---- */

struct replicate_back {
    struct reduction reduction; /* first: reduction_combine() */
    const struct seats *seats;
};

/* The rule for machine_gather, by which contributions go to the seat of their tile, from there from tile to tile, and
 * from the seat in the tile of their message's source to the source. */
struct gather_rule replicate_back_rule(struct replicate_back *back);

#endif
