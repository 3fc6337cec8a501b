/* eigenvalue.c - Lanczos' method with thick restarts (Wu and Simon 2000) on N'N.
 *
 * The basis is grown to BASIS orthonormal vectors: each new one is N'N times the last, without its
 * components along the others (subtracted twice, which leaves it orthogonal to working precision).
 * The eigenvalues of N'N within the span of the basis are those of a BASIS x BASIS matrix, found by
 * Jacobi's rotations. The span of the best KEPT eigenvectors, with the vector that would have been
 * the next, is kept, and the basis grown again, until the residuals of the two largest are small.
 * N'N x is formed from the edges, without the matrix.
 *
 * Invariant: projected[i][j] = basis_i . N'N basis_j for i, j < BASIS when the basis is full.
 *
 * The start and the order of all sums are fixed, so the values are always the same. Lanczos' method
 * may stop at a value below an eigenvalue that it has not seen. For a certain bound these values
 * are a guess to be proven (spectral.c).
 *
 * Cost: a product is 2 r p operations, a new vector of the basis 8 BASIS c, a restart 2 BASIS KEPT
 * c; some hundred products. 21 vectors of c numbers.
 */
#include "expanders/certificates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WANTED = 2, BASIS = 20, KEPT = 10, MOST_RESTARTS = 1000, MOST_SWEEPS = 40 };

static const double TOLERANCE = 1e-7; /* of a residual, relative to its eigenvalue */
static const double NEGLIGIBLE =
    1e-32;                           /* square of an entry, relative to all: below the rounding */
static const double NOTHING = 1e-14; /* of the rest of a vector, relative to the norm of N'N */

_Static_assert(BASIS < (int)EIGENVALUE_LEAST_GROUPS, "the basis does not fill the space");
_Static_assert(WANTED <= KEPT && KEPT < BASIS, "a restart keeps what is wanted, and leaves room");

struct lanczos {
    const struct adjacency *adjacency;
    size_t order;
    double *basis;                  /* [BASIS + 1][order] */
    double projected[BASIS][BASIS]; /* symmetric */
    double vector[BASIS][BASIS];    /* column j is the eigenvector of value[j] */
    double value[BASIS];            /* descending */
    double residual_norm;           /* of the last product without its components along the basis */
};

static double *basis_at(const struct lanczos *l, size_t index)
{
    return l->basis + index * l->order;
}

/* Sets to = N'N from. */
static void multiply(const struct adjacency *a, const double *from, double *to)
{
    for (uint32_t v = 0; v < a->groups; v++)
        to[v] = 0;
    for (uint32_t u = 0; u < a->inputs; u++) {
        const uint32_t *edge = a->edge + (size_t)u * a->degree;
        double sum = 0;
        for (uint32_t j = 0; j < a->degree; j++)
            sum += from[edge[j]];
        for (uint32_t j = 0; j < a->degree; j++)
            to[edge[j]] += sum;
    }
}

static double inner_product(const double *x, const double *y, size_t order)
{
    double sum = 0;
    for (size_t i = 0; i < order; i++)
        sum += x[i] * y[i];
    return sum;
}

static void scale(double *x, double factor, size_t order)
{
    for (size_t i = 0; i < order; i++)
        x[i] *= factor;
}

/* Sets a fixed start. A multiplicative hash gives it no symmetry that a graph may have. */
static void start(struct lanczos *l)
{
    double *first = basis_at(l, 0);
    for (size_t i = 0; i < l->order; i++)
        first[i] = 1 + (double)((uint32_t)i * 2654435761u) * 0x1p-32;
    scale(first, 1 / sqrt(inner_product(first, first, l->order)), l->order);
}

/* Makes basis[last + 1] and the column `last` of the projection; false if nothing is left: then the
 * span of the basis is invariant. */
static bool extend(struct lanczos *l, size_t last)
{
    const struct adjacency *a = l->adjacency;
    double *next = basis_at(l, last + 1);
    multiply(a, basis_at(l, last), next);
    for (size_t i = 0; i <= last; i++)
        l->projected[i][last] = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i <= last; i++) {
            const double *other = basis_at(l, i);
            double share = inner_product(other, next, l->order);
            for (size_t v = 0; v < l->order; v++)
                next[v] -= share * other[v];
            l->projected[i][last] += share;
        }
    for (size_t i = 0; i < last; i++)
        l->projected[last][i] = l->projected[i][last];
    l->residual_norm = sqrt(inner_product(next, next, l->order));
    if (l->residual_norm <= NOTHING * a->degree * a->most_load)
        return false;
    scale(next, 1 / l->residual_norm, l->order);
    return true;
}

/* ---- the small matrix ---- */

/* Makes entry (p, q) of the matrix zero by a rotation of both, after Jacobi. */
static void rotate(double matrix[BASIS][BASIS], double vector[BASIS][BASIS], size_t size, size_t p,
                   size_t q)
{
    double half = (matrix[q][q] - matrix[p][p]) / (2 * matrix[p][q]);
    double tangent = (half < 0 ? -1 : 1) / (fabs(half) + sqrt(half * half + 1));
    double cosine = 1 / sqrt(tangent * tangent + 1), sine = tangent * cosine;
    for (size_t i = 0; i < size; i++) {
        double x = matrix[i][p], y = matrix[i][q];
        matrix[i][p] = cosine * x - sine * y;
        matrix[i][q] = sine * x + cosine * y;
    }
    for (size_t i = 0; i < size; i++) {
        double x = matrix[p][i], y = matrix[q][i];
        matrix[p][i] = cosine * x - sine * y;
        matrix[q][i] = sine * x + cosine * y;
    }
    for (size_t i = 0; i < size; i++) {
        double x = vector[i][p], y = vector[i][q];
        vector[i][p] = cosine * x - sine * y;
        vector[i][q] = sine * x + cosine * y;
    }
}

/* Puts the largest eigenvalue first, with its vector. */
static void sort_values(struct lanczos *l, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        size_t largest = i;
        for (size_t j = i + 1; j < size; j++)
            if (l->value[j] > l->value[largest])
                largest = j;
        double value = l->value[i];
        l->value[i] = l->value[largest];
        l->value[largest] = value;
        for (size_t row = 0; row < size; row++) {
            double entry = l->vector[row][i];
            l->vector[row][i] = l->vector[row][largest];
            l->vector[row][largest] = entry;
        }
    }
}

/* Finds the eigenvalues and vectors of the leading part of the projection, by sweeps over all pairs
 * until a sweep finds nothing to do. */
static void solve_projection(struct lanczos *l, size_t size)
{
    double matrix[BASIS][BASIS], squares = 0;
    memcpy(matrix, l->projected, sizeof matrix);
    memset(l->vector, 0, sizeof l->vector);
    for (size_t i = 0; i < size; i++) {
        l->vector[i][i] = 1;
        for (size_t j = 0; j < size; j++)
            squares += matrix[i][j] * matrix[i][j];
    }
    bool rotated = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && rotated; sweep++) {
        rotated = false;
        for (size_t p = 0; p < size; p++)
            for (size_t q = p + 1; q < size; q++)
                if (matrix[p][q] * matrix[p][q] > NEGLIGIBLE * squares) {
                    rotate(matrix, l->vector, size, p, q);
                    rotated = true;
                }
    }
    for (size_t i = 0; i < size; i++)
        l->value[i] = matrix[i][i];
    sort_values(l, size);
}

/* ---- the iteration ---- */

/* True if the two largest have small residuals. */
static bool has_converged(const struct lanczos *l)
{
    for (size_t i = 0; i < WANTED; i++)
        if (fabs(l->residual_norm * l->vector[BASIS - 1][i]) > TOLERANCE * l->value[i])
            return false;
    return true;
}

/* Makes the KEPT best eigenvectors the first vectors of the basis, the next one the last of
 * them. */
static void restart(struct lanczos *l)
{
    for (size_t v = 0; v < l->order; v++) {
        double row[BASIS];
        for (size_t i = 0; i < BASIS; i++)
            row[i] = basis_at(l, i)[v];
        for (size_t j = 0; j < KEPT; j++) {
            double sum = 0;
            for (size_t i = 0; i < BASIS; i++)
                sum += row[i] * l->vector[i][j];
            basis_at(l, j)[v] = sum;
        }
    }
    memcpy(basis_at(l, KEPT), basis_at(l, BASIS), l->order * sizeof(double));
    memset(l->projected, 0, sizeof l->projected);
    for (size_t j = 0; j < KEPT; j++)
        l->projected[j][j] = l->value[j];
}

static bool iterate(struct lanczos *l)
{
    size_t size = 0;
    start(l);
    for (int i = 0; i < MOST_RESTARTS; i++) {
        for (; size < BASIS; size++)
            if (!extend(l, size)) {
                solve_projection(l, size + 1);
                return size + 1 >= WANTED;
            }
        solve_projection(l, BASIS);
        if (has_converged(l))
            return true;
        restart(l);
        size = KEPT;
    }
    return false;
}

enum failure_kind eigenvalue_estimate(const struct adjacency *adjacency, double *first,
                                      double *second, bool *found, struct failure *failure)
{
    struct lanczos lanczos = {.adjacency = adjacency, .order = adjacency->groups};
    *found = false;
    if (lanczos.order < EIGENVALUE_LEAST_GROUPS)
        return FAIL_NONE;
    lanczos.basis = memory_allocate(lanczos.order, (BASIS + 1) * sizeof(double));
    if (lanczos.basis == NULL)
        return fail_memory(failure, "the eigenvalues of a graph");
    *found = iterate(&lanczos);
    if (*found) {
        *first = lanczos.value[0];
        *second = lanczos.value[1];
    }
    free(lanczos.basis);
    return FAIL_NONE;
}
