/* union_bound.c - the probability that some set of a random graph has too few neighbours.
 *
 * If the graph is no (p, c, r, lambda)-expander, then for some k <= c / r there are k inputs and t
 * = ceil(lambda r k) - 1 groups such that all r k edges of the inputs end in those groups. The r k
 * entries of a random permutation are a random subset of the r p places, of which t groups hold at
 * most t D, D = ceil(r p / c). So the probability is at most
 *
 *     sum over k of C(p, k) C(c, t) C(t D, r k) / C(r p, r k),
 *
 * Section 5's argument with its sum computed. Binomials are taken in logarithms by lgamma, and
 * every term is raised by the effect of a relative error of 2^-49 in each of its lgammas.
 *
 * Cost: O(c / r) per value of lambda, 50 of them to find the largest that is safe.
 */
#define _DEFAULT_SOURCE /* lgamma_r */
#include "expanders/certificates.h"

#include <math.h>

enum { HALVINGS = 50 };

/* Returns the logarithm of C(n, k), 0 <= k <= n; *error grows by its possible error. */
static double log_binomial(double n, double k, double *error)
{
    int sign; /* lgamma() writes it where all threads can */
    double all = lgamma_r(n + 1, &sign), chosen = lgamma_r(k + 1, &sign);
    double left = lgamma_r(n - k + 1, &sign);
    *error += (fabs(all) + fabs(chosen) + fabs(left)) * 0x1p-49;
    return all - chosen - left;
}

double union_bound(uint32_t inputs, uint32_t groups, uint32_t degree, double lambda)
{
    double r = degree, p = inputs, c = groups, load = ceil(r * p / c), sum = 0;
    for (uint32_t k = 1; k <= groups / degree; k++) {
        double t = ceil(lambda * r * k) - 1, error = 0;
        if (t > c)
            t = c;
        double places = t * load < r * p ? t * load : r * p;
        if (places < r * k)
            continue; /* so few groups cannot take so many edges */
        double log_term = log_binomial(p, k, &error) + log_binomial(c, t, &error) +
                          log_binomial(places, r * k, &error) - log_binomial(r * p, r * k, &error);
        sum += exp(log_term + error) * (1 + 0x1p-40);
    }
    return sum * (1 + 0x1p-30);
}

double union_bound_lambda(uint32_t inputs, uint32_t groups, uint32_t degree, double probability)
{
    double low = 0, high = 1;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (union_bound(inputs, groups, degree, middle) < probability)
            low = middle;
        else
            high = middle;
    }
    return low;
}
