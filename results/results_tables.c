/* results_tables.c - which columns the tables of `report` have, and what stands in them.
 *
 * Method: a column is a row of a static table: its names, its kind, whom it is for, and the
 * function that takes its cell from a group or a fit. The keys are a contract with other programs:
 * keys may be added, never renamed.
 */
#include "results/results_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static struct grid_cell number(double value)
{
    return (struct grid_cell){"", value};
}

static struct grid_cell text(const char *value)
{
    return (struct grid_cell){value, NAN};
}

static double asked(uint32_t value)
{
    return value == 0 ? (double)NAN : value;
}

/* Functions that take a cell from a group or a fit. */
#define CELL(type, of, name, make, value)                                                          \
    static struct grid_cell name(const void *row)                                                  \
    {                                                                                              \
        const struct type *of = row;                                                               \
        return make(value);                                                                        \
    }
#define NUMBER_OF_GROUP(name, value) CELL(results_group, group, name, number, value)
#define TEXT_OF_GROUP(name, value) CELL(results_group, group, name, text, value)
#define NUMBER_OF_FIT(name, value) CELL(results_fit, fit, name, number, value)
#define TEXT_OF_FIT(name, value) CELL(results_fit, fit, name, text, value)

/* ---- groups ---- */

TEXT_OF_GROUP(workload_of, group->workload)
TEXT_OF_GROUP(method_of, group->method)
TEXT_OF_GROUP(router_of, group->router)
TEXT_OF_GROUP(ran_as_of, group->ran_as)
TEXT_OF_GROUP(parameters_of, group->parameters)
TEXT_OF_GROUP(copy_of, group->copy)
TEXT_OF_GROUP(version_of, group->version)
TEXT_OF_GROUP(reason_of, group->error)
NUMBER_OF_GROUP(rows_of, group->rows)
NUMBER_OF_GROUP(cols_of, group->cols)
NUMBER_OF_GROUP(asked_degree_of, asked(group->asked_degree))
NUMBER_OF_GROUP(asked_congestion_of, asked(group->asked_congestion))
NUMBER_OF_GROUP(asked_buffer_of, asked(group->asked_buffer))
NUMBER_OF_GROUP(degree_of, group->measure[MEASURE_DEGREE].median)
NUMBER_OF_GROUP(congestion_of, group->measure[MEASURE_CONGESTION].median)
NUMBER_OF_GROUP(per_node_of, results_group_per_node(group))
NUMBER_OF_GROUP(asked_per_node_of, asked(group->asked_per_node))
NUMBER_OF_GROUP(half_of, group->measure[MEASURE_HALF].median)
NUMBER_OF_GROUP(p95_of, group->measure[MEASURE_P95].median)
NUMBER_OF_GROUP(p99_of, group->measure[MEASURE_P99].median)
NUMBER_OF_GROUP(runs_of, group->runs)
NUMBER_OF_GROUP(failed_of, group->failed)
NUMBER_OF_GROUP(refused_of, group->refused)
NUMBER_OF_GROUP(steps_of, group->measure[MEASURE_STEPS].median)
NUMBER_OF_GROUP(least_steps_of, group->measure[MEASURE_STEPS].least)
NUMBER_OF_GROUP(most_steps_of, group->measure[MEASURE_STEPS].most)
NUMBER_OF_GROUP(sync_of, group->measure[MEASURE_SYNC].median)
NUMBER_OF_GROUP(sqrt_cn_of, group->measure[MEASURE_SQRT_CN].median)
NUMBER_OF_GROUP(per_sqrt_cn_of, group->measure[MEASURE_PER_SQRT_CN].median)
NUMBER_OF_GROUP(bound_of, group->measure[MEASURE_BOUND].median)
NUMBER_OF_GROUP(per_bound_of, group->measure[MEASURE_PER_BOUND].median)
NUMBER_OF_GROUP(buffer_of, group->measure[MEASURE_BUFFER].median)
NUMBER_OF_GROUP(least_buffer_of, group->measure[MEASURE_BUFFER].least)
NUMBER_OF_GROUP(most_buffer_of, group->measure[MEASURE_BUFFER].most)
NUMBER_OF_GROUP(seconds_of, group->measure[MEASURE_SECONDS].median)

static const struct grid_column group_column[] = {
    {"workload", "workload", GRID_TEXT, GRID_ALL, workload_of},
    {"rows", "rows", GRID_COUNT, GRID_ALL, rows_of},
    {"cols", "cols", GRID_COUNT, GRID_ALL, cols_of},
    {"asked_degree", "", GRID_COUNT, GRID_PROGRAMS, asked_degree_of},
    {"asked_congestion", "", GRID_COUNT, GRID_PROGRAMS, asked_congestion_of},
    {"asked_per_node", "", GRID_COUNT, GRID_PROGRAMS, asked_per_node_of},
    {"messages_per_node", "l", GRID_COUNT, GRID_VARIED, per_node_of},
    {"degree", "d", GRID_COUNT, GRID_ALL, degree_of},
    {"congestion", "c", GRID_COUNT, GRID_ALL, congestion_of},
    {"method", "router", GRID_TEXT, GRID_PEOPLE, method_of},
    {"router", "", GRID_TEXT, GRID_PROGRAMS, router_of},
    {"ran_as", "", GRID_TEXT, GRID_PROGRAMS, ran_as_of},
    {"parameters", "", GRID_TEXT, GRID_PROGRAMS, parameters_of},
    {"buffer_capacity", "", GRID_COUNT, GRID_PROGRAMS, asked_buffer_of},
    {"copy", "", GRID_TEXT, GRID_PROGRAMS, copy_of},
    {"meshcast", "", GRID_TEXT, GRID_PROGRAMS, version_of},
    {"runs", "runs", GRID_COUNT, GRID_ALL, runs_of},
    {"failed", "", GRID_COUNT, GRID_PROGRAMS, failed_of},
    {"refused", "", GRID_COUNT, GRID_PROGRAMS, refused_of},
    {"steps", "steps", GRID_COUNT, GRID_ALL, steps_of},
    {"steps_min", "min", GRID_COUNT, GRID_ALL, least_steps_of},
    {"steps_max", "max", GRID_COUNT, GRID_ALL, most_steps_of},
    {"sync_steps", "sync", GRID_COUNT, GRID_ALL, sync_of},
    {"delivery_steps_median", "half", GRID_COUNT, GRID_VARIED, half_of},
    {"delivery_steps_p95", "95 %", GRID_COUNT, GRID_VARIED, p95_of},
    {"delivery_steps_p99", "99 %", GRID_COUNT, GRID_VARIED, p99_of},
    {"sqrt_cn", "", GRID_RATIO, GRID_PROGRAMS, sqrt_cn_of},
    {"steps_per_sqrt_cn", "/sqrt(cn)", GRID_RATIO, GRID_ALL, per_sqrt_cn_of},
    {"lower_bound", "", GRID_COUNT, GRID_PROGRAMS, bound_of},
    {"steps_per_lower_bound", "/bound", GRID_RATIO, GRID_ALL, per_bound_of},
    {"buffer_peak", "buffer", GRID_COUNT, GRID_ALL, buffer_of},
    {"buffer_peak_min", "", GRID_COUNT, GRID_PROGRAMS, least_buffer_of},
    {"buffer_peak_max", "max", GRID_COUNT, GRID_ALL, most_buffer_of},
    {"wall_seconds", "", GRID_RATIO, GRID_PROGRAMS, seconds_of},
};

enum { GROUP_COLUMNS = sizeof group_column / sizeof group_column[0] };

/* ---- runs that did not go well ---- */

static const struct grid_column error_column[] = {
    {"workload", "workload", GRID_TEXT, GRID_ALL, workload_of},
    {"rows", "rows", GRID_COUNT, GRID_ALL, rows_of},
    {"cols", "cols", GRID_COUNT, GRID_ALL, cols_of},
    {"asked_degree", "d", GRID_COUNT, GRID_ALL, asked_degree_of},
    {"asked_congestion", "c", GRID_COUNT, GRID_ALL, asked_congestion_of},
    {"asked_per_node", "l", GRID_COUNT, GRID_VARIED, asked_per_node_of},
    {"method", "router", GRID_TEXT, GRID_ALL, method_of},
    {"failed", "failed", GRID_COUNT, GRID_ALL, failed_of},
    {"refused", "refused", GRID_COUNT, GRID_ALL, refused_of},
    {"error", "the first reason", GRID_TEXT, GRID_ALL, reason_of},
};

enum { ERROR_COLUMNS = sizeof error_column / sizeof error_column[0] };

/* ---- fits ---- */

TEXT_OF_FIT(fit_workload, fit->of->workload)
TEXT_OF_FIT(fit_method, fit->of->method)
TEXT_OF_FIT(fit_router, fit->of->router)
TEXT_OF_FIT(fit_ran_as, fit->of->ran_as)
TEXT_OF_FIT(fit_parameters, fit->of->parameters)
NUMBER_OF_FIT(fit_buffer, asked(fit->of->asked_buffer))
TEXT_OF_FIT(fit_copy, fit->of->copy)
TEXT_OF_FIT(fit_version, fit->of->version)
NUMBER_OF_FIT(fit_number_of_points, fit->points)
NUMBER_OF_FIT(fit_c, fit->x.value)
NUMBER_OF_FIT(fit_c_error, fit->x.error)
NUMBER_OF_FIT(fit_n, fit->y.value)
NUMBER_OF_FIT(fit_n_error, fit->y.error)
NUMBER_OF_FIT(fit_constant, fit->a.value)
NUMBER_OF_FIT(fit_constant_error, fit->a.error)
NUMBER_OF_FIT(fit_scatter, fit->scatter)
NUMBER_OF_FIT(fit_of_s, fit->sum.of_s)
NUMBER_OF_FIT(fit_of_m, fit->sum.of_m)
NUMBER_OF_FIT(fit_sum_scatter, fit->sum.scatter)
NUMBER_OF_FIT(fit_least, fit->least)
NUMBER_OF_FIT(fit_most, fit->most)

static const struct grid_column fit_column[] = {
    {"workload", "workload", GRID_TEXT, GRID_ALL, fit_workload},
    {"method", "router", GRID_TEXT, GRID_PEOPLE, fit_method},
    {"router", "", GRID_TEXT, GRID_PROGRAMS, fit_router},
    {"ran_as", "", GRID_TEXT, GRID_PROGRAMS, fit_ran_as},
    {"parameters", "", GRID_TEXT, GRID_PROGRAMS, fit_parameters},
    {"buffer_capacity", "", GRID_COUNT, GRID_PROGRAMS, fit_buffer},
    {"copy", "", GRID_TEXT, GRID_PROGRAMS, fit_copy},
    {"meshcast", "", GRID_TEXT, GRID_PROGRAMS, fit_version},
    {"points", "points", GRID_COUNT, GRID_ALL, fit_number_of_points},
    {"exponent_c", "x, of c", GRID_EXPONENT, GRID_ALL, fit_c},
    {"exponent_c_error", "+-", GRID_EXPONENT, GRID_ALL, fit_c_error},
    {"exponent_n", "y, of n", GRID_EXPONENT, GRID_ALL, fit_n},
    {"exponent_n_error", "+-", GRID_EXPONENT, GRID_ALL, fit_n_error},
    {"constant", "a", GRID_EXPONENT, GRID_ALL, fit_constant},
    {"constant_error", "+-", GRID_EXPONENT, GRID_ALL, fit_constant_error},
    {"scatter", "scatter", GRID_EXPONENT, GRID_ALL, fit_scatter},
    {"steps_per_sqrt_cn_min", "/sqrt(cn) from", GRID_RATIO, GRID_ALL, fit_least},
    {"steps_per_sqrt_cn_max", "to", GRID_RATIO, GRID_ALL, fit_most},
    {"coefficient_s", "", GRID_RATIO, GRID_PROGRAMS, fit_of_s},
    {"coefficient_m", "", GRID_RATIO, GRID_PROGRAMS, fit_of_m},
    {"coefficients_scatter", "", GRID_RATIO, GRID_PROGRAMS, fit_sum_scatter},
};

/* The other law of the same rows, for people: programs have all of it in the table above. */
static const struct grid_column sum_column[] = {
    {"workload", "workload", GRID_TEXT, GRID_PEOPLE, fit_workload},
    {"method", "router", GRID_TEXT, GRID_PEOPLE, fit_method},
    {"points", "points", GRID_COUNT, GRID_PEOPLE, fit_number_of_points},
    {"coefficient_s", "c1, of S", GRID_RATIO, GRID_PEOPLE, fit_of_s},
    {"coefficient_m", "c2, of m", GRID_RATIO, GRID_PEOPLE, fit_of_m},
    {"coefficients_scatter", "scatter", GRID_EXPONENT, GRID_PEOPLE, fit_sum_scatter},
};

enum {
    FIT_COLUMNS = sizeof fit_column / sizeof fit_column[0],
    SUM_COLUMNS = sizeof sum_column / sizeof sum_column[0]
};

/* ---- grids ---- */

bool tables_have_several(const struct results_groups *groups)
{
    for (uint32_t i = 0; i < groups->count; i++)
        if (results_group_per_node(&groups->group[i]) > 1)
            return true;
    return false;
}

/* Shows people the columns of sets of several messages per node, or keeps them for programs. */
static void show_varied(struct grid_column *column, uint32_t columns, bool is_shown)
{
    for (uint32_t i = 0; i < columns; i++)
        if (column[i].audience == GRID_VARIED)
            column[i].audience = is_shown ? GRID_ALL : GRID_PROGRAMS;
}

/* Adds the row of a group or a fit. */
static void add_row(struct grid *grid, const void *of)
{
    struct grid_cell *cell = grid->cell + (size_t)grid->rows++ * grid->columns;
    for (uint32_t i = 0; i < grid->columns; i++)
        cell[i] = grid->column[i].cell(of);
}

bool tables_of_groups(struct grid *grid, const struct results_groups *groups)
{
    struct grid_column *column;
    if (!results_grid_make(grid, group_column, GROUP_COLUMNS, groups->count, &column))
        return false;
    bool is_several = tables_have_several(groups);
    show_varied(column, GROUP_COLUMNS, is_several);
    for (uint32_t i = 0; i < GROUP_COLUMNS && is_several; i++)
        if (column[i].cell == per_sqrt_cn_of)
            column[i].heading = "/S";
    for (uint32_t i = 0; i < groups->count; i++)
        add_row(grid, &groups->group[i]);
    return true;
}

bool tables_of_errors(struct grid *grid, const struct results_groups *groups)
{
    struct grid_column *column;
    if (!results_grid_make(grid, error_column, ERROR_COLUMNS, groups->count, &column))
        return false;
    show_varied(column, ERROR_COLUMNS, tables_have_several(groups));
    for (uint32_t i = 0; i < groups->count; i++)
        if (groups->group[i].failed + groups->group[i].refused != 0)
            add_row(grid, &groups->group[i]);
    return true;
}

static bool grid_of_fits(struct grid *grid, const struct results_fits *fits,
                         const struct grid_column *column, uint32_t columns, bool is_several)
{
    struct grid_column *copy;
    if (!results_grid_make(grid, column, columns, fits->count, &copy))
        return false;
    for (uint32_t i = 0; i < columns && is_several; i++) {
        if (copy[i].cell == fit_c)
            copy[i].heading = "x, of l c";
        if (copy[i].cell == fit_least)
            copy[i].heading = "/S from";
    }
    for (uint32_t i = 0; i < fits->count; i++)
        add_row(grid, &fits->fit[i]);
    return true;
}

bool tables_of_fits(struct grid *grid, const struct results_fits *fits, bool is_several)
{
    return grid_of_fits(grid, fits, fit_column, FIT_COLUMNS, is_several);
}

bool tables_of_sums(struct grid *grid, const struct results_fits *fits)
{
    return grid_of_fits(grid, fits, sum_column, SUM_COLUMNS, false);
}

void tables_free(struct grid *grid)
{
    free(grid->cell);
    *grid = (struct grid){0};
}
