/* exact.h - the expansion of a small graph, exactly. */
#ifndef MESHCAST_EXPANDERS_EXACT_H
#define MESHCAST_EXPANDERS_EXACT_H

#include "expanders/weak_set.h"

enum { EXACT_MOST_GROUPS = 64 };

/* Makes `set` a worst one: lambda is exactly weak_set_lambda(). `set` may hold a set to begin with,
 * which saves time. *done is false where the work exceeded its limit (the set is then the worst one
 * seen, and proves nothing). At most EXACT_MOST_GROUPS groups. FAIL_SYSTEM: no memory. */
enum failure_kind exact_minimise(struct weak_set *set, const struct adjacency *adjacency,
                                 bool *done, struct failure *failure);

#endif
