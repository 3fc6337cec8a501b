/* binomial.c - binomial tails summed term by term.
 *
 * The term next to the threshold comes from logarithms of factorials, the others from it by the ratio of
 * neighbours. Summed is the side of the threshold on which the mean is not, where terms only get smaller:
 * the tail itself, or what is left when it is taken from 1.
 *   Factorials: a sum of logarithms up to 64, beyond it Stirling's series, whose first term left out is
 * below 1e-19. So a logarithm is wrong by some 2^-62 of n ln n, and a tail by less than a millionth up to
 * n = 2^30.
 * Cost: some 20 standard deviations of terms.
 */
#include "routers/binomial.h"

#include <math.h>
#include <stdbool.h>

enum { SMALL = 64 };

static long double log_factorial(uint64_t n)
{
    const long double half_log_two_pi = 0.918938533204672741780329736405617640L;
    long double x = n, sum = 0;
    if (n < SMALL) {
        for (uint64_t i = 2; i <= n; i++)
            sum += logl(i);
        return sum;
    }
    long double square = x * x;
    long double series =
        (1 / 12.0L - (1 / 360.0L - (1 / 1260.0L - 1 / 1680.0L / square) / square) / square) / x;
    return (x + 0.5L) * logl(x) - x + half_log_two_pi + series;
}

long double binomial_log_choose(uint64_t n, uint64_t k)
{
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

/* The sum of the terms from `k` on, upwards or downwards, over the term at k. */
static long double terms_from(uint64_t n, uint64_t k, long double odds, bool upwards)
{
    const long double least = 1e-22L;
    long double sum = 1, term = 1;
    while (k != (upwards ? n : 0) && term > least * sum) {
        long double up = upwards ? odds * (n - k) / (k + 1) : k / (odds * (n - k + 1));
        k += upwards ? 1 : UINT64_MAX;
        term *= up;
        sum += term;
    }
    return sum;
}

long double binomial_log_tail(uint64_t n, uint64_t hits, uint64_t of, uint64_t above)
{
    if (above >= n || hits == 0)
        return -INFINITY;
    if (hits >= of)
        return 0;
    long double chance = (long double)hits / of, odds = (long double)hits / (of - hits);
    bool upwards = (long double)above + 1 > chance * n;
    uint64_t k = upwards ? above + 1 : above;
    long double at_k = binomial_log_choose(n, k) + k * logl(chance) + (n - k) * log1pl(-chance);
    long double side = at_k + logl(terms_from(n, k, odds, upwards));
    return upwards ? side : log1pl(-expl(side));
}
