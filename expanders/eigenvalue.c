/* eigenvalue.c - ARPACK's implicitly restarted Lanczos iteration on N'N.
 *
 * ARPACK asks for products with the matrix, one vector at a time; N'N x is formed from the edges,
 * without the matrix. The iteration starts from a fixed vector, so that it always goes the same
 * way.
 *
 * Lanczos' method may stop at a value below an eigenvalue that it has not seen. Whoever needs a
 * certain bound takes these values as a guess to be proven (spectral.c).
 *
 * Cost: 2 r m operations a product, some hundred products; 20 vectors of c numbers.
 */
#include "expanders/eigenvalue.h"

#include <arpack/arpack.h>
#include <stdlib.h>

enum { WANTED = 2, BASIS = 20, MOST_RESTARTS = 1000, PARAMETERS = 11, WORK = BASIS * (BASIS + 8) };

struct lanczos {
    const struct adjacency *adjacency;
    double *residual, *basis, *work_vectors, *work; /* [c], [20 c], [3 c], [WORK] */
};

/* to = N'N from */
static void multiply(const struct lanczos *l, const double *from, double *to)
{
    const struct adjacency *a = l->adjacency;
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

static bool iterate(const struct lanczos *l, double value[WANTED])
{
    a_int order = (a_int)l->adjacency->groups, ido = 0, info = 1;
    a_int parameter[PARAMETERS] = {1, 0, MOST_RESTARTS, 1, 0, 0, 1}, pointer[PARAMETERS] = {0};
    a_int select[BASIS] = {0};
    const double tolerance = 1e-7;
    for (a_int i = 0; i < order; i++) /* any start that is no eigenvector of a likely graph */
        l->residual[i] = 1 + (double)((uint32_t)i * 2654435761u) * 0x1p-32;
    for (;;) {
        dsaupd_c(&ido, "I", order, "LA", WANTED, tolerance, l->residual, BASIS, l->basis, order,
                 parameter, pointer, l->work_vectors, l->work, WORK, &info);
        if (ido != 1 && ido != -1)
            break;
        multiply(l, l->work_vectors + pointer[0] - 1, l->work_vectors + pointer[1] - 1);
    }
    if (info != 0)
        return false;
    dseupd_c(0, "A", select, value, l->basis, order, 0.0, "I", order, "LA", WANTED, tolerance,
             l->residual, BASIS, l->basis, order, parameter, pointer, l->work_vectors, l->work,
             WORK, &info);
    return info == 0;
}

enum failure_kind eigenvalue_estimate(const struct adjacency *adjacency, double *first,
                                      double *second, bool *found, struct failure *failure)
{
    size_t order = adjacency->groups;
    *found = false;
    if (order < EIGENVALUE_LEAST_GROUPS)
        return FAIL_NONE;
    struct lanczos lanczos = {.adjacency = adjacency,
                              .residual = memory_allocate(order, sizeof(double)),
                              .basis = memory_allocate(order, BASIS * sizeof(double)),
                              .work_vectors = memory_allocate(order, 3 * sizeof(double)),
                              .work = memory_allocate(WORK, sizeof(double))};
    enum failure_kind kind = FAIL_NONE;
    double value[WANTED] = {0};
    if (lanczos.residual == NULL || lanczos.basis == NULL || lanczos.work_vectors == NULL ||
        lanczos.work == NULL)
        kind = fail_memory(failure, "the eigenvalues of a graph");
    else
        *found = iterate(&lanczos, value);
    if (*found) {
        *first = value[0] > value[1] ? value[0] : value[1];
        *second = value[0] > value[1] ? value[1] : value[0];
    }
    free(lanczos.residual);
    free(lanczos.basis);
    free(lanczos.work_vectors);
    free(lanczos.work);
    return kind;
}
