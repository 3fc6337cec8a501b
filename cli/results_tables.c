/* results_tables.c - which columns the tables of `report` have, and what stands in them.
 *
 * Method: a column is a row of a static table: its names, its kind, whom it is for, and the
 * function that takes its cell from a group or a fit. The keys are a contract with other programs:
 * keys may be added, never renamed.
 */
#include "cli/results_tables.h"

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

/* ---- groups ---- */

typedef struct grid_cell group_cell(const struct results_group *group);

#define NUMBER_OF_GROUP(name, value)                                                               \
    static struct grid_cell name(const struct results_group *group)                                \
    {                                                                                              \
        return number(value);                                                                      \
    }
#define TEXT_OF_GROUP(name, value)                                                                 \
    static struct grid_cell name(const struct results_group *group)                                \
    {                                                                                              \
        return text(value);                                                                        \
    }

TEXT_OF_GROUP(workload_of, group->workload)
TEXT_OF_GROUP(method_of, group->method)
TEXT_OF_GROUP(router_of, group->router)
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
    {"workload", "workload", GRID_TEXT, GRID_ALL},
    {"rows", "rows", GRID_COUNT, GRID_ALL},
    {"cols", "cols", GRID_COUNT, GRID_ALL},
    {"asked_degree", "", GRID_COUNT, GRID_PROGRAMS},
    {"asked_congestion", "", GRID_COUNT, GRID_PROGRAMS},
    {"degree", "d", GRID_COUNT, GRID_ALL},
    {"congestion", "c", GRID_COUNT, GRID_ALL},
    {"method", "router", GRID_TEXT, GRID_PEOPLE},
    {"router", "", GRID_TEXT, GRID_PROGRAMS},
    {"parameters", "", GRID_TEXT, GRID_PROGRAMS},
    {"buffer_capacity", "", GRID_COUNT, GRID_PROGRAMS},
    {"copy", "", GRID_TEXT, GRID_PROGRAMS},
    {"meshcast", "", GRID_TEXT, GRID_PROGRAMS},
    {"runs", "runs", GRID_COUNT, GRID_ALL},
    {"failed", "", GRID_COUNT, GRID_PROGRAMS},
    {"refused", "", GRID_COUNT, GRID_PROGRAMS},
    {"steps", "steps", GRID_COUNT, GRID_ALL},
    {"steps_min", "min", GRID_COUNT, GRID_ALL},
    {"steps_max", "max", GRID_COUNT, GRID_ALL},
    {"sync_steps", "sync", GRID_COUNT, GRID_ALL},
    {"sqrt_cn", "", GRID_RATIO, GRID_PROGRAMS},
    {"steps_per_sqrt_cn", "/sqrt(cn)", GRID_RATIO, GRID_ALL},
    {"lower_bound", "", GRID_COUNT, GRID_PROGRAMS},
    {"steps_per_lower_bound", "/bound", GRID_RATIO, GRID_ALL},
    {"buffer_peak", "buffer", GRID_COUNT, GRID_ALL},
    {"buffer_peak_min", "", GRID_COUNT, GRID_PROGRAMS},
    {"buffer_peak_max", "max", GRID_COUNT, GRID_ALL},
    {"wall_seconds", "", GRID_RATIO, GRID_PROGRAMS},
};

enum { GROUP_COLUMNS = sizeof group_column / sizeof group_column[0] };

static group_cell *const group_cells[GROUP_COLUMNS] = {
    workload_of,     rows_of,        cols_of,        asked_degree_of, asked_congestion_of,
    degree_of,       congestion_of,  method_of,      router_of,       parameters_of,
    asked_buffer_of, copy_of,        version_of,     runs_of,         failed_of,
    refused_of,      steps_of,       least_steps_of, most_steps_of,   sync_of,
    sqrt_cn_of,      per_sqrt_cn_of, bound_of,       per_bound_of,    buffer_of,
    least_buffer_of, most_buffer_of, seconds_of,
};

/* ---- runs that did not go well ---- */

static const struct grid_column error_column[] = {
    {"workload", "workload", GRID_TEXT, GRID_ALL},
    {"rows", "rows", GRID_COUNT, GRID_ALL},
    {"cols", "cols", GRID_COUNT, GRID_ALL},
    {"asked_degree", "d", GRID_COUNT, GRID_ALL},
    {"asked_congestion", "c", GRID_COUNT, GRID_ALL},
    {"method", "router", GRID_TEXT, GRID_ALL},
    {"failed", "failed", GRID_COUNT, GRID_ALL},
    {"refused", "refused", GRID_COUNT, GRID_ALL},
    {"error", "the first reason", GRID_TEXT, GRID_ALL},
};

enum { ERROR_COLUMNS = sizeof error_column / sizeof error_column[0] };

static group_cell *const error_cells[ERROR_COLUMNS] = {
    workload_of, rows_of,   cols_of,    asked_degree_of, asked_congestion_of,
    method_of,   failed_of, refused_of, reason_of,
};

static bool fill_from_groups(struct grid *grid, const struct results_groups *groups,
                             group_cell *const *cells, bool errors_only)
{
    struct grid_cell *cell = memory_allocate((size_t)groups->count * grid->columns, sizeof *cell);
    grid->cell = cell;
    if (cell == NULL)
        return false;
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct results_group *group = &groups->group[i];
        if (errors_only && group->failed + group->refused == 0)
            continue;
        for (uint32_t column = 0; column < grid->columns; column++)
            *cell++ = cells[column](group);
        grid->rows++;
    }
    return true;
}

bool tables_of_groups(struct grid *grid, const struct results_groups *groups)
{
    *grid = (struct grid){.column = group_column, .columns = GROUP_COLUMNS};
    return fill_from_groups(grid, groups, group_cells, false);
}

bool tables_of_errors(struct grid *grid, const struct results_groups *groups)
{
    *grid = (struct grid){.column = error_column, .columns = ERROR_COLUMNS};
    return fill_from_groups(grid, groups, error_cells, true);
}

/* ---- fits ---- */

static const struct grid_column fit_column[] = {
    {"workload", "workload", GRID_TEXT, GRID_ALL},
    {"method", "router", GRID_TEXT, GRID_PEOPLE},
    {"router", "", GRID_TEXT, GRID_PROGRAMS},
    {"parameters", "", GRID_TEXT, GRID_PROGRAMS},
    {"buffer_capacity", "", GRID_COUNT, GRID_PROGRAMS},
    {"copy", "", GRID_TEXT, GRID_PROGRAMS},
    {"meshcast", "", GRID_TEXT, GRID_PROGRAMS},
    {"points", "points", GRID_COUNT, GRID_ALL},
    {"exponent_c", "x, of c", GRID_EXPONENT, GRID_ALL},
    {"exponent_c_error", "+-", GRID_EXPONENT, GRID_ALL},
    {"exponent_n", "y, of n", GRID_EXPONENT, GRID_ALL},
    {"exponent_n_error", "+-", GRID_EXPONENT, GRID_ALL},
    {"constant", "a", GRID_EXPONENT, GRID_ALL},
    {"constant_error", "+-", GRID_EXPONENT, GRID_ALL},
    {"scatter", "scatter", GRID_EXPONENT, GRID_ALL},
    {"steps_per_sqrt_cn_min", "/sqrt(cn) from", GRID_RATIO, GRID_ALL},
    {"steps_per_sqrt_cn_max", "to", GRID_RATIO, GRID_ALL},
};

enum { FIT_COLUMNS = sizeof fit_column / sizeof fit_column[0] };

bool tables_of_fits(struct grid *grid, const struct results_fits *fits)
{
    *grid = (struct grid){.column = fit_column, .columns = FIT_COLUMNS};
    struct grid_cell *cell = memory_allocate((size_t)fits->count * FIT_COLUMNS, sizeof *cell);
    grid->cell = cell;
    if (cell == NULL)
        return false;
    for (uint32_t i = 0; i < fits->count; i++, cell += FIT_COLUMNS) {
        const struct results_fit *fit = &fits->fit[i];
        const struct grid_cell row[FIT_COLUMNS] = {
            text(fit->of->workload),
            text(fit->of->method),
            text(fit->of->router),
            text(fit->of->parameters),
            number(asked(fit->of->asked_buffer)),
            text(fit->of->copy),
            text(fit->of->version),
            number(fit->points),
            number(fit->x.value),
            number(fit->x.error),
            number(fit->y.value),
            number(fit->y.error),
            number(fit->a.value),
            number(fit->a.error),
            number(fit->scatter),
            number(fit->least),
            number(fit->most),
        };
        for (int column = 0; column < FIT_COLUMNS; column++)
            cell[column] = row[column];
        grid->rows++;
    }
    return true;
}

void tables_free(struct grid *grid)
{
    free((void *)(uintptr_t)grid->cell);
    *grid = (struct grid){0};
}
