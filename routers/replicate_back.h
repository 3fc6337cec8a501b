/* replicate_back.h - Theorem 2's ways backwards, for sums. */
#ifndef MESHCAST_ROUTERS_REPLICATE_BACK_H
#define MESHCAST_ROUTERS_REPLICATE_BACK_H

#include "routers/reduction.h"
#include "routers/seat.h"

struct replicate_back {
    struct reduction reduction; /* first: reduction_combine() */
    const struct seats *seats;
};

/* The rule for machine_gather, by which contributions go to the seat of their tile, from there from tile to tile, and
 * from the seat in the tile of their message's source to the source. */
struct gather_rule replicate_back_rule(struct replicate_back *back);

#endif
