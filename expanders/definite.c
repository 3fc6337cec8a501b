/* definite.c - Cholesky's factorisation in blocks, with a bound for its rounding.
 *
 * If the floating-point factorisation M ~ L L' runs to its end, then L L' = M + E exactly, where
 * |E_ij| <= g sqrt(M_ii M_jj), g = gamma / (1 - gamma), gamma = (n + 1) u / (1 - (n + 1) u) and u =
 * 2^-53, in whatever order the sums were formed (Demmel 1989; Higham, Accuracy and Stability of
 * Numerical Algorithms, Theorems 10.3 and 10.5; Rump 2006 uses it as we do). The norm of E is at
 * most g times the trace of M, and L L' has no negative eigenvalue, so none of M is below -g
 * trace(M). We allow twice that, which covers the rounding of the trace itself and underflow: all
 * entries here are multiples of 2^-20 of moderate size.
 *
 * Right-looking, in block columns: the diagonal block is factored by one thread, then the rows
 * below it are solved, then every row of the rest is updated, each row by one thread and with the
 * same operations in the same order for any number of threads. The panel is kept transposed so that
 * the inner loop runs along rows.
 *
 * Cost: order^3 / 3 multiplications and additions.
 */
#include "expanders/certificates.h"

#include "base/parallel.h"

#include <math.h>
#include <stddef.h>

struct factor {
    double *matrix, *panel;
    uint32_t order;
    const struct effort *effort;
    bool failed; /* written only by rank 0, between barriers */
};

/* Factors the diagonal block that begins at `from`; false if a pivot is not positive. */
static bool factor_block(const struct factor *f, uint32_t from, uint32_t to)
{
    for (uint32_t j = from; j < to; j++) {
        double *row_j = f->matrix + (size_t)j * f->order, pivot = row_j[j];
        for (uint32_t k = from; k < j; k++)
            pivot -= row_j[k] * row_j[k];
        if (!(pivot > 0))
            return false;
        row_j[j] = sqrt(pivot);
        for (uint32_t i = j + 1; i < to; i++) {
            double *row_i = f->matrix + (size_t)i * f->order, sum = row_i[j];
            for (uint32_t k = from; k < j; k++)
                sum -= row_i[k] * row_j[k];
            row_i[j] = sum / row_j[j];
        }
    }
    return true;
}

/* Solves row i against the diagonal block and copies it into the transposed panel. */
static void solve_row(const struct factor *f, uint32_t i, uint32_t from, uint32_t to)
{
    double *row = f->matrix + (size_t)i * f->order;
    for (uint32_t j = from; j < to; j++) {
        const double *row_j = f->matrix + (size_t)j * f->order;
        double sum = row[j];
        for (uint32_t k = from; k < j; k++)
            sum -= row[k] * row_j[k];
        row[j] = sum / row_j[j];
        f->panel[(size_t)(j - from) * f->order + i] = row[j];
    }
}

/* Subtracts the panel's products from row i, columns to .. i, four columns of the panel at a
 * time. */
static void update_row(const struct factor *f, uint32_t i, uint32_t from, uint32_t to)
{
    double *restrict row = f->matrix + (size_t)i * f->order;
    uint32_t k = from;
    for (; k + 4 <= to; k += 4) {
        const double *restrict p = f->panel + (size_t)(k - from) * f->order;
        const double *restrict q = p + f->order, *restrict r = q + f->order;
        const double *restrict s = r + f->order;
        double a = row[k], b = row[k + 1], c = row[k + 2], d = row[k + 3];
        for (uint32_t j = to; j <= i; j++)
            row[j] -= (a * p[j] + b * q[j]) + (c * r[j] + d * s[j]);
    }
    for (; k < to; k++)
        for (uint32_t j = to; j <= i; j++)
            row[j] -= row[k] * f->panel[(size_t)(k - from) * f->order + j];
}

/* Factors one thread's share. Rows are dealt in turn, since they grow longer. */
static void factor_share(void *context, const struct team *team)
{
    struct factor *f = context;
    for (uint32_t from = 0; from < f->order; from += DEFINITE_BLOCK) {
        uint32_t to = f->order - from < DEFINITE_BLOCK ? f->order : from + DEFINITE_BLOCK;
        if (team->rank == 0) {
            double left = 1 - (double)from / f->order;
            f->failed =
                !effort_tell(f->effort, "a proof of the spectrum", 1 - left * left * left) ||
                !factor_block(f, from, to);
        }
        parallel_barrier(team);
        if (f->failed)
            return;
        for (uint32_t i = to + team->rank; i < f->order; i += team->size)
            solve_row(f, i, from, to);
        parallel_barrier(team);
        for (uint32_t i = to + team->rank; i < f->order; i += team->size)
            update_row(f, i, from, to);
        parallel_barrier(team);
    }
}

bool definite_factor(double *matrix, uint32_t order, double *panel, uint32_t threads,
                     const struct effort *effort, double *allowance)
{
    struct factor factor = {.matrix = matrix, .panel = panel, .order = order, .effort = effort};
    double trace = 0, gamma = (order + 2.0) * 0x1p-53;
    for (uint32_t i = 0; i < order; i++)
        trace += fabs(matrix[(size_t)i * order + i]);
    *allowance = 2 * gamma / (1 - 2 * gamma) * trace;
    parallel_run(order < 256 ? 1 : threads, factor_share, &factor);
    return !factor.failed;
}
