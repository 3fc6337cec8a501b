/* capacity.h - the most messages per node and cycle that a network could carry in the long run, by any scheme. */
#ifndef MESHCAST_NETWORK_CAPACITY_H
#define MESHCAST_NETWORK_CAPACITY_H

#include "network/open_loop.h"

/* Sets *capacity to an upper bound of the rate, at most 1: by what nodes inject and consume, and, on a mesh or torus, by
 * what crosses from one half of a dimension to the other. FAIL_SYSTEM: no memory. */
enum failure_kind capacity_of(const struct open_loop *loop, double *capacity,
                              struct failure *failure);

/* Returns an upper bound of the rate, at most 1, by the routing in use: with uniform destinations and `unicast` by x-first, what the
 * busiest link and the channels of the busiest node carry. 0: it is not known. */
double capacity_of_routing(const struct open_loop *loop);

#endif
