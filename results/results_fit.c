/* results_fit.c - exponents by least squares, with standard errors.
 *
 * Method: the regressors are log c, l c where nodes send l messages, and log n less their means, and a constant; a
 * regressor that does not vary is left out. Least squares of A b = s by A = Q R (least_squares.h) leave inverse(R): the
 * covariance of the coefficients is variance x inverse(R) x its transpose, the variance being the sum of squared
 * residuals over points less coefficients. a belongs to regressors that are not centred, so it is b0 - x mean(log
 * c) - y mean(log n), and its error comes from the covariance of all three. Where R is almost singular c and n vary
 * together and have no exponents of their own.
 *
 * The sum c1 S + c2 m is fitted beside that power law, because the theorems' bounds are such sums: a power law has an
 * exponent of c below 1/2 for a router whose steps have a term in m. The regressors are S / steps and m / steps, and
 * what is approached is 1. Of two coefficients, neither below 0, the least squares are those of both regressors, or
 * of one alone where the other's coefficient would be negative (the objective is convex).
 *
 * A point is a workload, at the median over its seeds: seeds of one workload say nothing of how
 * steps grow, and counting each would make the errors look smaller than they are.
 */
#include "results/results_fit.h"
#include "results/least_squares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The system under way: a column a regressor, the constant first. */
struct system {
    struct least_squares squares;
    double mean[LEAST_SQUARES_COLUMNS];
    uint32_t c_column, n_column; /* 0: left out */
};

static double mean_log(const struct fit_point *point, uint32_t points, size_t offset)
{
    double sum = 0;
    for (uint32_t i = 0; i < points; i++)
        sum += log(*(const double *)((const char *)&point[i] + offset));
    return sum / points;
}

static bool varies(const struct fit_point *point, uint32_t points, size_t offset)
{
    double first = *(const double *)((const char *)&point[0] + offset);
    for (uint32_t i = 1; i < points; i++)
        if (*(const double *)((const char *)&point[i] + offset) != first)
            return true;
    return false;
}

static void fill_system(struct system *system, const struct fit_point *point)
{
    struct least_squares *squares = &system->squares;
    double *constant = squares->matrix, *c = constant + (size_t)system->c_column * squares->points,
           *n = constant + (size_t)system->n_column * squares->points;
    for (uint32_t i = 0; i < squares->points; i++) {
        c[i] = log(point[i].c) - system->mean[system->c_column];
        n[i] = log(point[i].n) - system->mean[system->n_column];
        constant[i] = 1; /* after the others: a regressor that is left out has this column too */
        squares->right[i] = log(point[i].steps);
    }
}

/* Of the combination `weight` of the coefficients: |weight x inverse(R)|. */
static double error_of(const struct least_squares *squares,
                       const double weight[LEAST_SQUARES_COLUMNS], double scatter)
{
    double sum = 0;
    for (uint32_t j = 0; j < squares->columns; j++) {
        double product = 0;
        for (uint32_t i = 0; i <= j; i++)
            product += weight[i] * squares->inverse[i][j];
        sum += product * product;
    }
    return scatter * sqrt(sum);
}

static void read_fit(const struct system *system, const struct fit_point *point,
                     struct results_fit *fit)
{
    const struct least_squares *solved = &system->squares;
    const double *b = solved->coefficient;
    uint32_t c = system->c_column, n = system->n_column;
    double x = c == 0 ? 0 : b[c], y = n == 0 ? 0 : b[n], squares = 0;
    double a = b[0] - (c == 0 ? 0 : x * system->mean[c]) - (n == 0 ? 0 : y * system->mean[n]);
    for (uint32_t i = 0; i < solved->points; i++) {
        double residual = log(point[i].steps) - a - x * log(point[i].c) - y * log(point[i].n);
        squares += residual * residual;
    }
    uint32_t freedom = solved->points - solved->columns;
    double scatter = freedom > 0 ? sqrt(squares / freedom) : NAN;

    double of_a[LEAST_SQUARES_COLUMNS] = {1}, of_x[LEAST_SQUARES_COLUMNS] = {0},
           of_y[LEAST_SQUARES_COLUMNS] = {0};
    if (c != 0) {
        of_a[c] = -system->mean[c];
        of_x[c] = 1;
        fit->x = (struct fit_value){x, error_of(solved, of_x, scatter)};
    }
    if (n != 0) {
        of_a[n] = -system->mean[n];
        of_y[n] = 1;
        fit->y = (struct fit_value){y, error_of(solved, of_y, scatter)};
    }
    fit->a = (struct fit_value){a, error_of(solved, of_a, scatter)};
    fit->scatter = scatter;
}

/* Fits both exponents, or the one whose regressor varies. */
static void fit_law(struct system *system, const struct fit_point *point, struct results_fit *fit)
{
    const size_t at_c = offsetof(struct fit_point, c), at_n = offsetof(struct fit_point, n);
    struct least_squares *squares = &system->squares;
    uint32_t points = squares->points;
    squares->columns = 1;
    if (varies(point, points, at_c)) {
        system->c_column = squares->columns++;
        system->mean[system->c_column] = mean_log(point, points, at_c);
    }
    if (varies(point, points, at_n)) {
        system->n_column = squares->columns++;
        system->mean[system->n_column] = mean_log(point, points, at_n);
    }
    if (squares->columns == 1 || points < squares->columns)
        return;
    fill_system(system, point);
    if (least_squares_solve(squares))
        read_fit(system, point, fit);
}

/* Fits coefficients of `columns` regressors from `first` on, S / steps before m / steps; those of others are 0. Returns the
 * sum of squared residuals, NAN if the regressors are proportional. */
static double solve_sum(struct least_squares *squares, const struct fit_point *point,
                        uint32_t first, uint32_t columns, struct fit_sum *sum)
{
    double coefficient[2] = {0}, total = 0;
    squares->columns = columns;
    for (uint32_t i = 0; i < squares->points; i++) {
        const double regressor[] = {sqrt(point[i].c * point[i].n) / point[i].steps,
                                    point[i].m / point[i].steps};
        for (uint32_t k = 0; k < columns; k++)
            squares->matrix[(size_t)k * squares->points + i] = regressor[first + k];
        squares->right[i] = 1;
    }
    if (!least_squares_solve(squares))
        return NAN;
    for (uint32_t k = 0; k < columns; k++)
        coefficient[first + k] = squares->coefficient[k];
    for (uint32_t i = 0; i < squares->points; i++)
        total += squares->right[i] * squares->right[i];
    *sum = (struct fit_sum){coefficient[0], coefficient[1],
                            squares->points > 2 ? sqrt(total / (squares->points - 2)) : NAN};
    return total;
}

static void fit_sum(struct least_squares *squares, const struct fit_point *point,
                    struct fit_sum *sum)
{
    struct fit_sum of_m = {0};
    *sum = (struct fit_sum){NAN, NAN, NAN};
    if (squares->points < 2 || isnan(solve_sum(squares, point, 0, 2, sum)) ||
        (sum->of_s >= 0 && sum->of_m >= 0))
        return;
    double squares_of_s = solve_sum(squares, point, 0, 1, sum);
    if (solve_sum(squares, point, 1, 1, &of_m) < squares_of_s)
        *sum = of_m;
}

enum failure_kind fit_points(const struct fit_point *point, uint32_t points,
                             struct results_fit *fit, struct failure *failure)
{
    struct system system = {.squares = {.points = points}};
    struct least_squares *squares = &system.squares;
    fit->a = fit->x = fit->y = (struct fit_value){NAN, NAN};
    fit->scatter = NAN;
    fit->points = points;
    squares->matrix = memory_allocate((size_t)points * LEAST_SQUARES_COLUMNS, sizeof(double));
    squares->right = memory_allocate(points, sizeof(double));
    if (squares->matrix == NULL || squares->right == NULL) {
        fail_memory(failure, "a fit");
    } else {
        fit_sum(squares, point, &fit->sum);
        fit_law(&system, point, fit);
    }
    free(squares->matrix);
    free(squares->right);
    return failure->kind;
}

/* ---- the groups ---- */

/* A line is a router on a pattern: its groups differ in nothing but c and the mesh. */
static int compare_lines(const struct results_group *a, const struct results_group *b)
{
    int order = strcmp(a->workload, b->workload);
    order = order != 0 ? order : strcmp(a->method, b->method);
    return order != 0 ? order : strcmp(a->copy, b->copy);
}

/* Of pointers to groups: by line, and within a line as they stand. */
static int compare_groups(const void *left, const void *right)
{
    const struct results_group *const *a = left, *const *b = right;
    int order = compare_lines(*a, *b);
    return order != 0 ? order : (*a > *b) - (*a < *b);
}

static int compare_fits(const void *left, const void *right)
{
    const struct results_fit *a = left, *b = right;
    return (a->of > b->of) - (a->of < b->of);
}

static bool is_point(const struct results_group *group)
{
    return group->runs != 0 && group->measure[MEASURE_STEPS].median > 0 &&
           group->measure[MEASURE_CONGESTION].median > 0;
}

/* Fits the `count` groups of one line. */
static enum failure_kind fit_line(struct results_fits *fits,
                                  const struct results_group *const *line, uint32_t count,
                                  struct fit_point *point, struct failure *failure)
{
    struct results_fit fit = {.of = line[0], .least = INFINITY};
    uint32_t points = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_point(line[i]))
            continue;
        double n = (double)line[i]->rows * line[i]->cols;
        point[points++] = (struct fit_point){results_group_load(line[i]), n,
                                             ((double)line[i]->rows + line[i]->cols) / 2,
                                             line[i]->measure[MEASURE_STEPS].median};
        fit.least = fmin(fit.least, line[i]->measure[MEASURE_PER_SQRT_CN].median);
        fit.most = fmax(fit.most, line[i]->measure[MEASURE_PER_SQRT_CN].median);
    }
    if (points >= 2 && fit_points(point, points, &fit, failure) == FAIL_NONE)
        fits->fit[fits->count++] = fit;
    return failure->kind;
}

enum failure_kind results_fits_make(struct results_fits *fits, const struct results_groups *groups,
                                    struct failure *failure)
{
    *fits = (struct results_fits){0};
    const struct results_group **by_line = memory_allocate(groups->count, sizeof *by_line);
    struct fit_point *point = memory_allocate(groups->count, sizeof *point);
    fits->fit = memory_allocate(groups->count, sizeof *fits->fit);
    if (by_line == NULL || point == NULL || fits->fit == NULL)
        fail_memory(failure, "the fits");
    for (uint32_t i = 0; i < groups->count && failure->kind == FAIL_NONE; i++)
        by_line[i] = &groups->group[i];
    if (failure->kind == FAIL_NONE)
        qsort(by_line, groups->count, sizeof *by_line, compare_groups);
    for (uint32_t first = 0, end; first < groups->count && failure->kind == FAIL_NONE;
         first = end) {
        for (end = first + 1; end < groups->count; end++)
            if (compare_lines(by_line[first], by_line[end]) != 0)
                break;
        fit_line(fits, by_line + first, end - first, point, failure);
    }
    free(point);
    free(by_line);
    if (failure->kind != FAIL_NONE)
        results_fits_free(fits);
    else
        qsort(fits->fit, fits->count, sizeof *fits->fit, compare_fits);
    return failure->kind;
}

void results_fits_free(struct results_fits *fits)
{
    free(fits->fit);
    *fits = (struct results_fits){0};
}
