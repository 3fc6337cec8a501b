/* union_bound.h - how well a random permutation expands, most likely. */
#ifndef MESHCAST_EXPANDERS_UNION_BOUND_H
#define MESHCAST_EXPANDERS_UNION_BOUND_H

#include <stdint.h>

/* Returns an upper bound of the probability that the graph of a random permutation (p, c, r) is not a (p,
 * c, r, lambda)-expander; above 1 it says nothing. It also says nothing about a graph in hand. */
double union_bound(uint32_t inputs, uint32_t groups, uint32_t degree, double lambda);

/* Returns the largest lambda, rounded down, at which union_bound() is below `probability`; 0 if none. */
double union_bound_lambda(uint32_t inputs, uint32_t groups, uint32_t degree, double probability);

#endif
