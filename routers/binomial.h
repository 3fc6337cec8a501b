/* binomial.h - binomial coefficients and tails, exact but for rounding, in logarithms. */
#ifndef MESHCAST_ROUTERS_BINOMIAL_H
#define MESHCAST_ROUTERS_BINOMIAL_H

#include <stdint.h>

/* ln of n over k, k <= n. */
long double binomial_log_choose(uint64_t n, uint64_t k);

/* ln P[X > above], where X is how many of `n` independent trials succeed, each with probability hits / of,
 * of > 0; hits > of counts as certain. -INFINITY: impossible. */
long double binomial_log_tail(uint64_t n, uint64_t hits, uint64_t of, uint64_t above);

#endif
