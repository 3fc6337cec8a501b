/* exact.h - the expansion of a small graph, exactly. */
#ifndef MESHCAST_EXPANDERS_EXACT_H
#define MESHCAST_EXPANDERS_EXACT_H

#include "expanders/weak_set.h"

enum { EXACT_MOST_GROUPS = 64 };

/* Enough for every graph that was tried with c <= 32; some ten seconds. */
#define EXACT_WORK ((uint64_t)1 << 31)

/* What was proven. */
struct exact_proof {
    bool done;     /* lambda is exactly weak_set_lambda() of the set */
    double lambda; /* lambda is at least this; the set's where done */
};

/* Makes `set` a worst one. `set` may hold a set to begin with, which saves time. Where the work,
 * counted in candidates looked at, exceeds `most_work`, the set is the worst one seen, and the proof
 * covers the sets of inputs with few neighbours alone. At most EXACT_MOST_GROUPS groups. FAIL_SYSTEM: no
 * memory. */
enum failure_kind exact_minimise(struct weak_set *set, const struct adjacency *adjacency,
                                 uint64_t most_work, struct exact_proof *proof,
                                 struct failure *failure);

#endif
