/* results_fit.c - two laws by least squares.
 *
 * Method: the normal equations of two regressors, solved by Cramer's rule. For the power law they
 * are log c (l c if nodes send l messages) and log n less their means, which removes the constant;
 * one that does not vary is left out. The covariance of the coefficients is the variance, which is
 * the sum of squared residuals over points less coefficients, times the inverse of the equations'
 * matrix. a belongs to regressors that are not centred, so its error comes from the covariance of
 * all three. If the matrix is almost singular c and n vary together and have no exponents of their
 * own.
 *
 * The sum c1 S + c2 m is fitted beside that power law, because the theorems' bounds are such sums:
 * a power law has an exponent of c below 1/2 for a router whose steps have a term in m. The
 * regressors are S / steps and m / steps, and the target is 1, so that a point of few steps counts
 * as much as one of many. Of two coefficients, neither below 0, the least squares are those of both
 * regressors, or of one if the other's coefficient would be negative (the objective is convex).
 *
 * A point is a workload, at the median over its seeds: seeds of one workload say nothing of how
 * steps grow, and counting each would make the errors look smaller than they are.
 */
#include "lab/results_group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SINGULAR = 1e-12; /* of the determinant, relative to its first term */

/* A point of a fit, all above 0: c (l c if nodes send l messages), n, m, steps. */
struct point {
    double c, n, m, steps;
};

/* Coefficients of two regressors u, v that explain t, and the inverse of the matrix of their
 * products. */
struct solution {
    double u, v, uu, uv, vv;
};

/* Solves for the coefficients. False if the regressors are proportional. One that is zero in all
 * points is left out. */
static bool solve(const double (*row)[3], uint32_t points, struct solution *solution)
{
    double uu = 0, uv = 0, vv = 0, ut = 0, vt = 0;
    for (uint32_t i = 0; i < points; i++) {
        uu += row[i][0] * row[i][0];
        uv += row[i][0] * row[i][1];
        vv += row[i][1] * row[i][1];
        ut += row[i][0] * row[i][2];
        vt += row[i][1] * row[i][2];
    }
    bool has_u = uu > 0, has_v = vv > 0;
    uu = has_u ? uu : 1;
    vv = has_v ? vv : 1;
    double determinant = uu * vv - uv * uv;
    *solution = (struct solution){(ut * vv - vt * uv) / determinant,
                                  (vt * uu - ut * uv) / determinant, has_u ? vv / determinant : 0,
                                  -uv / determinant, has_v ? uu / determinant : 0};
    return determinant > SINGULAR * uu * vv;
}

/* Returns the sum of squared residuals. */
static double residuals(const double (*row)[3], uint32_t points, double u, double v)
{
    double sum = 0;
    for (uint32_t i = 0; i < points; i++)
        sum += pow(row[i][2] - u * row[i][0] - v * row[i][1], 2);
    return sum;
}

/* A coefficient and its standard error, or a scatter; NAN if there is none. */
struct law {
    double a, a_error, x, x_error, y, y_error, scatter;
};

static struct law fit_law(const struct point *point, uint32_t points, double (*row)[3])
{
    struct law law = {NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    struct solution found;
    double mean[3] = {0};
    bool varies[2] = {false};
    for (uint32_t i = 0; i < points; i++) {
        const double logs[3] = {log(point[i].c), log(point[i].n), log(point[i].steps)};
        for (int k = 0; k < 3; k++) {
            row[i][k] = logs[k];
            mean[k] += logs[k] / points;
        }
        varies[0] |= point[i].c != point[0].c;
        varies[1] |= point[i].n != point[0].n;
    }
    for (uint32_t i = 0; i < points; i++)
        for (int k = 0; k < 3; k++)
            row[i][k] = k == 2 || varies[k] ? row[i][k] - mean[k] : 0;
    uint32_t columns = 1u + varies[0] + varies[1];
    if (columns == 1 || points < columns || !solve((const double(*)[3])row, points, &found))
        return law;
    double c = varies[0] ? mean[0] : 0, n = varies[1] ? mean[1] : 0;
    double squares = residuals((const double(*)[3])row, points, found.u, found.v);
    double variance = points > columns ? squares / (points - columns) : NAN;
    double inverse = found.uu * c * c + 2 * found.uv * c * n + found.vv * n * n;
    law.a = mean[2] - found.u * c - found.v * n;
    law.a_error = sqrt(variance * (1.0 / points + inverse));
    law.scatter = sqrt(variance);
    if (varies[0]) {
        law.x = found.u;
        law.x_error = sqrt(variance * found.uu);
    }
    if (varies[1]) {
        law.y = found.v;
        law.y_error = sqrt(variance * found.vv);
    }
    return law;
}

/* Coefficients c1, c2 of steps = c1 S + c2 m, and the standard deviation of steps / (c1 S + c2 m)
 * about 1. */
struct sum {
    double of_s, of_m, scatter;
};

static struct sum fit_sum(const struct point *point, uint32_t points, double (*row)[3])
{
    struct solution best = {0}, one;
    double left = INFINITY;
    for (int k = 2; k >= 0; k--) { /* of both regressors, then of one */
        for (uint32_t i = 0; i < points; i++) {
            row[i][0] = k == 1 ? 0 : sqrt(point[i].c * point[i].n) / point[i].steps;
            row[i][1] = k == 0 ? 0 : point[i].m / point[i].steps;
            row[i][2] = 1;
        }
        if (!solve((const double(*)[3])row, points, &one))
            return (struct sum){NAN, NAN, NAN};
        double squares = residuals((const double(*)[3])row, points, one.u, one.v);
        if (one.u >= 0 && one.v >= 0 && squares < left) {
            best = one;
            left = squares;
        }
        if (k == 2 && isfinite(left))
            break;
    }
    return (struct sum){best.u, best.v, points > 2 ? sqrt(left / (points - 2)) : NAN};
}

/* Adds the fit of the points of one line, from row `first` on. */
static enum failure_kind add_fit(json_t *fits, const json_t *rows, size_t first,
                                 const struct point *point, uint32_t points, double (*room)[3],
                                 struct failure *failure)
{
    double least = INFINITY, most = 0;
    if (points < 2)
        return FAIL_NONE;
    struct law law = fit_law(point, points, room);
    struct sum sum = fit_sum(point, points, room);
    for (size_t i = first; i < first + points; i++) {
        double ratio = results_number(json_array_get(rows, i), "steps_per_sqrt_cn");
        least = fmin(least, ratio);
        most = fmax(most, ratio);
    }
    const struct {
        const char *key;
        double value;
    } figures[] = {{"points", points},
                   {"exponent_c", law.x},
                   {"exponent_c_error", law.x_error},
                   {"exponent_n", law.y},
                   {"exponent_n_error", law.y_error},
                   {"constant", law.a},
                   {"constant_error", law.a_error},
                   {"scatter", law.scatter},
                   {"steps_per_sqrt_cn_min", least},
                   {"steps_per_sqrt_cn_max", most},
                   {"coefficient_s", sum.of_s},
                   {"coefficient_m", sum.of_m},
                   {"coefficients_scatter", sum.scatter}};
    const json_t *group = json_array_get(rows, first);
    json_t *row = json_copy((json_t *)group);
    bool failed = json_array_append_new(fits, row) != 0 ||
                  json_object_size(row) != json_object_size(group); /* jansson drops keys */
    for (size_t i = 0; i < sizeof figures / sizeof *figures && !failed; i++)
        if (isfinite(figures[i].value))
            failed = json_object_set_new(row, figures[i].key, json_real(figures[i].value)) != 0;
    return failed ? fail_memory(failure, "the fits") : FAIL_NONE;
}

enum failure_kind results_fits_make(json_t **fits, const struct results_groups *groups,
                                    struct failure *failure)
{
    const json_t *rows = groups->point;
    size_t count = json_array_size(rows);
    struct point *point = memory_allocate(count, sizeof *point);
    double(*room)[3] = memory_allocate(count, sizeof *room);
    *fits = json_array();
    if (point == NULL || room == NULL || *fits == NULL)
        fail_memory(failure, "the fits");
    for (size_t i = 0, first = 0; i < count && failure->kind == FAIL_NONE; i++) {
        const json_t *row = json_array_get(rows, i), *next = json_array_get(rows, i + 1);
        point[i] = (struct point){results_group_load(row), results_group_nodes(row),
                                  (results_number(row, "rows") + results_number(row, "cols")) / 2,
                                  results_number(row, "steps")};
        if (strcmp(results_text(row, "line"), results_text(next, "line")) == 0)
            continue;
        add_fit(*fits, rows, first, point + first, (uint32_t)(i + 1 - first), room, failure);
        first = i + 1;
    }
    free(point);
    free(room);
    return failure->kind;
}
