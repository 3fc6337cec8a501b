/* steiner.h - how few links any tree from the source of a multicast to all destinations has: its Steiner tree's. */
#ifndef MESHCAST_SCHEMES_STEINER_H
#define MESHCAST_SCHEMES_STEINER_H

#include "schemes/scheme.h"

#include <stdbool.h>
#include <stdint.h>

/* A least tree is found where 3^k n for k destinations and n nodes is at most STEINER_MOST_WORK, and 2^k n at most
 * STEINER_MOST_ROOM. */
enum { STEINER_MOST_WORK = 1 << 26, STEINER_MOST_ROOM = 1 << 22 };

/* Sets a number of links, 0 without destinations, than which no tree has fewer, so no plan less traffic; *is_exact: a tree has as many.
 * FAIL_SYSTEM: no memory. */
enum failure_kind steiner_bound(const struct topology *topology, const struct multicast *multicast,
                                uint64_t *links, bool *is_exact, struct failure *failure);

/* The same by bounds alone, for sets of any size, of at least one destination. */
enum failure_kind steiner_lower_bound(const struct topology *topology,
                                      const struct multicast *multicast, uint64_t *links,
                                      struct failure *failure);

#endif
