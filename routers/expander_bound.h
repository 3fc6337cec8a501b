/* expander_bound.h - Lemma 4 as a figure: what a phase of router `expander` leaves at most. */
#ifndef MESHCAST_ROUTERS_EXPANDER_BOUND_H
#define MESHCAST_ROUTERS_EXPANDER_BOUND_H

#include <stdint.h>

/* Certified figures of the run's graph. */
struct expander_certificate {
    uint64_t degree, largest_set, most_load; /* r, floor(c / r), edges of a group */
    /* Any k <= largest_set inputs have lambda r k groups at least; 0: nothing is certified. */
    double lambda;
};

/* Returns the most messages that can have something left for a block after a phase, of `before` that had when
 * it began, if each group's visit selects `room` replicas for the block, or all that want it. */
uint64_t expander_left(const struct expander_certificate *graph, uint64_t before, uint64_t room);

/* Returns the phases until none of `wanted` messages can have anything left for the block. */
uint64_t expander_phases(const struct expander_certificate *graph, uint64_t wanted,
                         uint64_t first_room, uint64_t room);

#endif
