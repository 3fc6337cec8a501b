/* results_fit.c - exponents by least squares, with standard errors.
 *
 * Method: the regressors are a constant, log c (l c if nodes send l messages) and log n less their
 * means; a regressor that does not vary is left out. Least squares of A b = s by A = Q R leave
 * inverse(R): the covariance of the coefficients is variance x inverse(R) x its transpose, the
 * variance being the sum of squared residuals over points less coefficients. a belongs to
 * regressors that are not centred, so it is b0 - x mean(log c) - y mean(log n), and its error comes
 * from the covariance of all three. Where R is almost singular c and n vary together and have no
 * exponents of their own.
 *
 * The sum c1 S + c2 m is fitted beside that power law, because the theorems' bounds are such sums:
 * a power law has an exponent of c below 1/2 for a router whose steps have a term in m. The
 * regressors are S / steps and m / steps, and what is approached is 1. Of two coefficients, neither
 * below 0, the least squares are those of both regressors, or of one alone where the other's
 * coefficient would be negative (the objective is convex).
 *
 * A point is a workload, at the median over its seeds: seeds of one workload say nothing of how
 * steps grow, and counting each would make the errors look smaller than they are.
 */
#include "lab/results_fit.h"

#include <math.h>
#include <stdlib.h>

enum { COLUMNS = 3 }; /* at most */

static const double SINGULAR = 1e-8; /* of a diagonal of R, relative to the largest */

/* A system of `points` equations in `columns` coefficients. */
struct squares {
    uint32_t points, columns;
    double *matrix; /* [columns * points], column by column; overwritten by Q */
    double *right;  /* [points]; overwritten by the residuals */
    double coefficient[COLUMNS], inverse[COLUMNS][COLUMNS];
};

static double product_of(const double *x, const double *y, uint32_t points)
{
    double sum = 0;
    for (uint32_t i = 0; i < points; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Subtracts from x its component along the unit vector; returns the component. */
static double take_out(const double *unit, double *x, uint32_t points)
{
    double part = product_of(unit, x, points);
    for (uint32_t i = 0; i < points; i++)
        x[i] -= part * unit[i];
    return part;
}

/* Sets the coefficients and inverse(R); false if a column is zero or depends on the others. By
 * modified Gram-Schmidt: each column's direction is taken out of the later ones and of the right
 * side at once. What that loses is Q^T s, computed from the rest of s, which makes the coefficients
 * as accurate as Householder's; normal equations would square the condition. */
static bool solve(struct squares *system)
{
    double upper[COLUMNS][COLUMNS], image[COLUMNS], largest = 0, least = INFINITY;
    uint32_t points = system->points;
    for (uint32_t k = 0; k < system->columns; k++) {
        double *unit = system->matrix + (size_t)k * points;
        upper[k][k] = sqrt(product_of(unit, unit, points));
        largest = fmax(largest, upper[k][k]);
        least = fmin(least, upper[k][k]);
        if (!(least > SINGULAR * largest))
            return false;
        for (uint32_t i = 0; i < points; i++)
            unit[i] /= upper[k][k];
        for (uint32_t j = k + 1; j < system->columns; j++)
            upper[k][j] = take_out(unit, system->matrix + (size_t)j * points, points);
        image[k] = take_out(unit, system->right, points);
    }
    for (uint32_t i = system->columns; i-- > 0;) { /* row i of the inverse needs those below it */
        system->coefficient[i] = 0;
        for (uint32_t j = 0; j < system->columns; j++) {
            double sum = i == j;
            for (uint32_t k = i + 1; k <= j; k++)
                sum -= upper[i][k] * system->inverse[k][j];
            system->inverse[i][j] = j < i ? 0 : sum / upper[i][i];
            system->coefficient[i] += system->inverse[i][j] * image[j];
        }
    }
    return true;
}

/* ---- the power law ---- */

/* Returns a regressor: 1, log c, log n. */
static double regressor(const struct fit_point *point, int which)
{
    return which == 0 ? 1 : log(which == 1 ? point->c : point->n);
}

/* Returns |weight x inverse(R)|, the error of the combination `weight` of the coefficients. */
static double error_of(const struct squares *system, const double weight[COLUMNS], double scatter)
{
    double sum = 0;
    for (uint32_t j = 0; j < system->columns; j++) {
        double product = 0;
        for (uint32_t i = 0; i <= j; i++)
            product += weight[i] * system->inverse[i][j];
        sum += product * product;
    }
    return scatter * sqrt(sum);
}

/* Reads the coefficients of solved regressors, which are in columns `at`, 0 those left out, less
 * their means. */
static void read_law(const struct squares *system, const struct fit_point *point,
                     const uint32_t at[COLUMNS], const double mean[COLUMNS], struct fit *fit)
{
    struct fit_value *value[COLUMNS] = {&fit->a, &fit->x, &fit->y};
    double b[COLUMNS] = {system->coefficient[0]}, total = 0;
    for (int k = 1; k < COLUMNS; k++) {
        b[k] = at[k] == 0 ? 0 : system->coefficient[at[k]];
        b[0] -= b[k] * mean[k];
    }
    for (uint32_t i = 0; i < system->points; i++) {
        double residual =
            log(point[i].steps) - b[0] - b[1] * log(point[i].c) - b[2] * log(point[i].n);
        total += residual * residual;
    }
    uint32_t freedom = system->points - system->columns;
    fit->scatter = freedom > 0 ? sqrt(total / freedom) : NAN;
    for (int k = 0; k < COLUMNS; k++) {
        double weight[COLUMNS] = {0};
        for (int j = 1; j < COLUMNS && k == 0; j++)
            weight[at[j]] = -mean[j];
        weight[at[k]] = 1;
        if (k == 0 || at[k] != 0)
            *value[k] = (struct fit_value){b[k], error_of(system, weight, fit->scatter)};
    }
}

/* Fits both exponents, or the one whose regressor varies. */
static void fit_law(struct squares *system, const struct fit_point *point, struct fit *fit)
{
    uint32_t points = system->points, at[COLUMNS] = {0};
    double mean[COLUMNS] = {0};
    system->columns = 1;
    for (int k = 1; k < COLUMNS; k++) {
        double sum = 0;
        bool varies = false;
        for (uint32_t i = 0; i < points; i++) {
            varies |= regressor(&point[i], k) != regressor(&point[0], k);
            sum += regressor(&point[i], k);
        }
        at[k] = varies ? system->columns++ : 0;
        mean[k] = varies ? sum / points : 0;
    }
    if (system->columns == 1 || points < system->columns)
        return;
    for (uint32_t i = 0; i < points; i++) {
        for (int k = COLUMNS - 1; k >= 0; k--) /* the constant over what is left out */
            system->matrix[(size_t)at[k] * points + i] = regressor(&point[i], k) - mean[k];
        system->right[i] = log(point[i].steps);
    }
    if (solve(system))
        read_law(system, point, at, mean, fit);
}

/* ---- the sum ---- */

/* Fits coefficients of `columns` regressors from `first` on, S / steps before m / steps; the others
 * are 0. Returns the sum of squared residuals, NAN if the regressors are proportional. */
static double solve_sum(struct squares *system, const struct fit_point *point, uint32_t first,
                        uint32_t columns, struct fit_sum *sum)
{
    double coefficient[2] = {0}, total = 0;
    system->columns = columns;
    for (uint32_t i = 0; i < system->points; i++) {
        const double regressors[] = {sqrt(point[i].c * point[i].n) / point[i].steps,
                                     point[i].m / point[i].steps};
        for (uint32_t k = 0; k < columns; k++)
            system->matrix[(size_t)k * system->points + i] = regressors[first + k];
        system->right[i] = 1;
    }
    if (!solve(system))
        return NAN;
    for (uint32_t k = 0; k < columns; k++)
        coefficient[first + k] = system->coefficient[k];
    for (uint32_t i = 0; i < system->points; i++)
        total += system->right[i] * system->right[i];
    *sum = (struct fit_sum){coefficient[0], coefficient[1],
                            system->points > 2 ? sqrt(total / (system->points - 2)) : NAN};
    return total;
}

static void fit_sum(struct squares *system, const struct fit_point *point, struct fit_sum *sum)
{
    struct fit_sum of_m = {0};
    if (system->points < 2 || isnan(solve_sum(system, point, 0, 2, sum)) ||
        (sum->of_s >= 0 && sum->of_m >= 0))
        return;
    double total_of_s = solve_sum(system, point, 0, 1, sum);
    if (solve_sum(system, point, 1, 1, &of_m) < total_of_s)
        *sum = of_m;
}

enum failure_kind fit_points(const struct fit_point *point, uint32_t points, struct fit *fit,
                             struct failure *failure)
{
    struct squares system = {.points = points};
    *fit = (struct fit){{NAN, NAN}, {NAN, NAN}, {NAN, NAN}, NAN, {NAN, NAN, NAN}};
    system.matrix = memory_allocate((size_t)points * COLUMNS, sizeof(double));
    system.right = memory_allocate(points, sizeof(double));
    if (system.matrix == NULL || system.right == NULL) {
        fail_memory(failure, "a fit");
    } else {
        fit_sum(&system, point, &fit->sum);
        fit_law(&system, point, fit);
    }
    free(system.matrix);
    free(system.right);
    return failure->kind;
}

/* ---- the groups ---- */

/* Adds the fit of the points of one line, from row `first` on. */
static enum failure_kind add_fit(json_t *fits, const json_t *rows, size_t first,
                                 const struct fit_point *point, uint32_t points,
                                 struct failure *failure)
{
    struct fit fit;
    double least = INFINITY, most = 0;
    if (points < 2 || fit_points(point, points, &fit, failure) != FAIL_NONE)
        return failure->kind;
    for (size_t i = first; i < first + points; i++) {
        double ratio = results_number(json_array_get(rows, i), "steps_per_sqrt_cn");
        least = fmin(least, ratio);
        most = fmax(most, ratio);
    }
    const struct {
        const char *key;
        double value;
    } figures[] = {{"points", points},
                   {"exponent_c", fit.x.value},
                   {"exponent_c_error", fit.x.error},
                   {"exponent_n", fit.y.value},
                   {"exponent_n_error", fit.y.error},
                   {"constant", fit.a.value},
                   {"constant_error", fit.a.error},
                   {"scatter", fit.scatter},
                   {"steps_per_sqrt_cn_min", least},
                   {"steps_per_sqrt_cn_max", most},
                   {"coefficient_s", fit.sum.of_s},
                   {"coefficient_m", fit.sum.of_m},
                   {"coefficients_scatter", fit.sum.scatter}};
    json_t *row = json_copy(json_array_get(rows, first));
    bool failed = json_array_append_new(fits, row) != 0;
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
    struct fit_point *point = memory_allocate(count, sizeof *point);
    *fits = json_array();
    if (point == NULL || *fits == NULL)
        fail_memory(failure, "the fits");
    for (size_t i = 0, first = 0; i < count && failure->kind == FAIL_NONE; i++) {
        const json_t *row = json_array_get(rows, i), *next = json_array_get(rows, i + 1);
        point[i] =
            (struct fit_point){results_group_load(row), results_group_nodes(row),
                               (results_number(row, "rows") + results_number(row, "cols")) / 2,
                               results_number(row, "steps")};
        if (results_number(row, "line") == results_number(next, "line"))
            continue;
        add_fit(*fits, rows, first, point + first, (uint32_t)(i + 1 - first), failure);
        first = i + 1;
    }
    free(point);
    return failure->kind;
}
