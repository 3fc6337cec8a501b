/* capacity.h - the most messages a node and cycle that a network could carry in the long run, by any scheme. */
#ifndef MESHCAST_NETWORK_CAPACITY_H
#define MESHCAST_NETWORK_CAPACITY_H

#include "network/open_loop.h"

/* An upper bound of the rate: nodes take in and send out so many flits a cycle, and, where destinations are uniform
 * on a mesh or torus, so many cross from one half of a dimension to the other. */
double capacity_of(const struct open_loop *loop);

#endif
