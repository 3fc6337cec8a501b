/* spectral.c - the spectral bound (Tanner 1984), as a theorem about the very graph.
 *
 * N is the p x c matrix whose entry (u, v) counts the edges from input u to group v; J is all ones.
 * Suppose that M = t I + eta J - N'N has no negative eigenvalue, with eta >= 0. Then N'N <= t K^-1
 * for K = I - delta J, delta = eta / (t + c eta), hence N K N' <= t I; and N J N' = r^2 J since
 * every input has r edges. For k inputs S with indicator x, let y = N'x: the edges of S at each
 * group, r k together and only on Gamma(S). By Cauchy and Schwarz
 *
 *     (r k)^2 <= |Gamma(S)| y'y = |Gamma(S)| x'NN'x <= |Gamma(S)| (t k + r^2 delta k^2),
 *
 * so lambda >= r / (t + r^2 delta k), worst at k = floor(c / r). For a regular graph the least t is
 * the square of the second singular value s2, eta = (r D - t) / c with D = r p / c, and this is
 * Tanner's bound r^2 k / (s2^2 + (r D - s2^2) k / p). Nothing here needs regularity.
 *
 * Lanczos' method guesses t (eigenvalue.c); a factorisation proves M, with an allowance for its
 * rounding that is added to t (definite.c). A guess that missed an eigenvalue does no harm: the
 * factorisation then fails, and t and eta are raised until it does not. The entries of M are
 * multiples of 2^-20 that are represented exactly. Without a guess t is bisected by proofs only.
 *
 * Cost: r^2 p to form N'N, c^3 / 3 per proof, usually one; 8 c^2 bytes.
 */
#include "expanders/certificates.h"

#include <math.h>
#include <stdlib.h>

enum { RAISES = 7, BISECTIONS = 24 };

static const double GRAIN = 0x1p-20, SAFE = 1 - 0x1p-40; /* for some ten roundings */

struct proof {
    const struct adjacency *adjacency;
    double *matrix, *panel;
    uint32_t threads;
};

/* Returns the least multiple of GRAIN that is at least x and more than 0. */
static double on_grain(double x)
{
    double rounded = ceil(x / GRAIN) * GRAIN;
    return rounded > GRAIN ? rounded : GRAIN;
}

static void fill_matrix(const struct proof *proof, double t, double eta)
{
    const struct adjacency *a = proof->adjacency;
    size_t order = a->groups;
    for (size_t i = 0; i < order; i++) {
        for (size_t j = 0; j < i; j++)
            proof->matrix[i * order + j] = eta;
        proof->matrix[i * order + i] = t + eta;
    }
    for (uint32_t u = 0; u < a->inputs; u++) {
        const uint32_t *edge = a->edge + (size_t)u * a->degree; /* ascending */
        for (uint32_t i = 0; i < a->degree; i++) {
            double *row = proof->matrix + edge[i] * order;
            for (uint32_t j = 0; j < a->degree && edge[j] <= edge[i]; j++)
                row[edge[j]] -= 1;
        }
    }
}

/* Tries (t, eta), multiples of GRAIN; keeps the proven bound if it is better. */
static bool prove(const struct proof *proof, double t, double eta, struct spectral *best)
{
    const struct adjacency *a = proof->adjacency;
    double allowance, r = a->degree;
    fill_matrix(proof, t, eta);
    if (!definite_factor(proof->matrix, a->groups, proof->panel, proof->threads, a->effort,
                         &allowance))
        return false;
    t = (t + allowance) / SAFE;
    double delta = eta / (t + a->groups * eta) / SAFE;
    double lambda = r / (t + r * r * delta * a->largest_set) * SAFE;
    if (lambda > best->lambda) {
        best->t = t;
        best->eta = eta;
        best->lambda = lambda;
    }
    return true;
}

/* Returns the eta that belongs to t if the largest eigenvalue is `first`. */
static double eta_for(const struct adjacency *a, double t, double first, double slack)
{
    double eta = (first * (1 + slack) - t) / a->groups;
    return eta > 0 ? on_grain(eta) : 0;
}

static void raise_until_proven(const struct proof *proof, double first, struct spectral *best)
{
    double slack = 1e-6;
    for (int i = 0; i < RAISES; i++, slack *= 16) {
        double t = on_grain(best->estimate * (1 + slack) + slack);
        if (prove(proof, t, eta_for(proof->adjacency, t, first, slack), best))
            return;
    }
}

/* Halves the interval of t between proven and unproven values. The largest eigenvalue is at most r
 * times the largest load (the largest sum of a row), which always proves something. */
static void bisect(const struct proof *proof, struct spectral *best)
{
    const struct adjacency *a = proof->adjacency;
    double first = (double)a->degree * a->most_load, low = 0, high = first;
    prove(proof, on_grain(high * (1 + 0x1p-20)), 0, best);
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = on_grain((low + high) / 2);
        if (prove(proof, middle, eta_for(a, middle, first, 0x1p-20), best))
            high = middle;
        else
            low = middle;
    }
}

enum failure_kind spectral_certify(struct spectral *spectral, const struct adjacency *adjacency,
                                   uint32_t threads, struct failure *failure)
{
    size_t order = adjacency->groups;
    double first = 0;
    bool found = false;
    *spectral = (struct spectral){0};
    enum failure_kind kind =
        eigenvalue_estimate(adjacency, &first, &spectral->estimate, &found, failure);
    if (kind != FAIL_NONE)
        return kind;

    struct proof proof = {.adjacency = adjacency,
                          .matrix = memory_allocate(order * order, sizeof(double)),
                          .panel = memory_allocate(order, DEFINITE_BLOCK * sizeof(double)),
                          .threads = threads};
    if (proof.matrix == NULL || proof.panel == NULL)
        kind = fail_memory(failure, "the spectrum of a graph");
    else if (found)
        raise_until_proven(&proof, first, spectral);
    else
        bisect(&proof, spectral);
    free(proof.matrix);
    free(proof.panel);
    return kind;
}
