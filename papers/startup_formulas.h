/* startup_formulas.h - how many worms an all-to-all broadcast takes on n x n nodes, in closed form.
 *
 * Each node (x, y), 0 <= x, y < n, n >= 2, sends one message to all others. Derived from the definitions of the schemes;
 * test_papers.c holds each against the count of the plans. [P] is 1 if P holds, else 0.
 *
 * dual: 2 worms, 1 from both ends of the path.
 *
 * column: n up if there is a row above, n down if there is one below; the destinations of the source's own row join
 * them. n ([y < n-1] + [y > 0]).
 *
 * pure: max(min(n, 2(n-1) - x - y), ceil(n/2)). A worm takes one chain downwards from the source, and one upwards. The
 * chain upwards alone serves what is not south-west of the source; there the largest set of nodes of which none is above
 * another has min(n, 2(n-1) - x - y). Both together take at most two of the n nodes of an antidiagonal. So no plan has
 * fewer, and counting shows that there are no more.
 *
 * minimal, printed: x [y < n-1] columns to the north-west, y [x < n-1] rows to the south-east, min(x, y) + 1 chains
 * south-west (none from the corner (0, 0)), min(n-1-x, n-1-y) + 1 north-east (none from (n-1, n-1)).
 * minimal, absorb: one worm fewer, but from these two corners.
 *
 * schl: n columns up if y < n-1, n down if y > 1; a row's worm east if x < n-1 and west if x > 1, in the upper half
 * and, if y > 0, in the lower one; a unicast to each leader of a row but the source, 1 west if x > 0, in both halves, and one
 * below if y > 0. n ([y < n-1] + [y > 1]) + (1 + [y > 0]) ([x < n-1] + [x > 1] + [x > 0]) + [y > 0].
 */
#ifndef MESHCAST_PAPERS_STARTUP_FORMULAS_H
#define MESHCAST_PAPERS_STARTUP_FORMULAS_H

#include "papers/paper.h"

/* The worms of the broadcasts of all n^2 sources together, and of the source that has most. */
struct startups {
    uint64_t most, sum;
};

struct startup_formula {
    struct contender contender;
    const char *most, *mean; /* as texts of n and h = ceil(n/2) */
    struct startups (*at)(uint64_t n);
};

enum { STARTUP_FORMULAS = 6 };

extern const struct startup_formula startup_formulas[STARTUP_FORMULAS];

/* The same by making the plans. */
struct startups count_startups(const struct contender *contender, uint32_t side);

#endif
