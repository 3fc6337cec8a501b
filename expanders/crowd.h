/* crowd.h - inputs whose neighbours crowd into few groups: what an adversary knows of a graph. */
#ifndef MESHCAST_EXPANDERS_CROWD_H
#define MESHCAST_EXPANDERS_CROWD_H

#include "expanders/expander.h"

/* Chooses about share * c groups, 0 < share < 1, another choice for each `number`, and writes all p
 * inputs into order[], those with the most edges into the chosen groups first. The choice suits the
 * first `wanted` of them. The same for the same arguments. FAIL_SYSTEM: no memory. */
enum failure_kind crowd_order(const struct expander *graph, double share, uint32_t number,
                              uint32_t wanted, uint32_t *order, struct failure *failure);

#endif
