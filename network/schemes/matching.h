/* matching.h - perfect matchings of least weight in complete bipartite graphs. */
#ifndef MESHCAST_NETWORK_SCHEMES_MATCHING_H
#define MESHCAST_NETWORK_SCHEMES_MATCHING_H

#include "network/schemes/scheme.h"

#define MATCHING_FORBIDDEN UINT32_MAX /* no edge: not part of any matching */

/* Matches `size` rows with as many columns: sets column[0 .. size - 1], the column of each row, so
 * that the sum of cost[row * size + column] is least and no entry is forbidden. Such a matching
 * must exist (an assertion). The choice among several depends only on the costs. Sums have 64 bits.
 * False: the plan, whose scratch memory is used, lacks it. Unless NULL, potential[0 .. 2 size - 1],
 * of the rows and then of the columns, are set as well: no entry costs less than its two potentials
 * together, and the matched entries cost as much. */
bool matching_find(struct plan *plan, const uint32_t *cost, uint32_t size, uint32_t *column,
                   int64_t *potential);

#endif
