/* steiner.h - the fewest links of a tree from the source of a multicast to all destinations: its
 * Steiner tree. */
#ifndef MESHCAST_NETWORK_SCHEMES_STEINER_H
#define MESHCAST_NETWORK_SCHEMES_STEINER_H

#include "network/schemes/scheme.h"

#include <stdbool.h>
#include <stdint.h>

/* The exact number is found if 3^k n for k destinations and n nodes is at most STEINER_MOST_WORK,
 * and 2^k n at most STEINER_MOST_ROOM. */
enum { STEINER_MOST_WORK = 1 << 26, STEINER_MOST_ROOM = 1 << 22 };

/* Sets *links to a lower bound on the links of a tree, and so on every plan's traffic; 0 without
 * destinations. *is_exact: some tree has as many. FAIL_SYSTEM: no memory. */
enum failure_kind steiner_bound(const struct topology *topology, const struct multicast *multicast,
                                uint64_t *links, bool *is_exact, struct failure *failure);

#endif
