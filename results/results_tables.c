/* results_tables.c - which columns the tables of `report` have, and what stands in them.
 *
 * Method: a column is a row of a static table: its names, its kind, whom it is for, and which field of a group or a fit its
 * cells show. The keys are a contract with other programs: keys may be added, never renamed.
 */
#include "results/results_tables.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Where a cell comes from. FIT_: of the fit; else of the group, or of the first group of the fit. */
enum field {
    FIELD_TEXT,
    FIELD_COUNT,
    FIELD_ASKED, /* a count; 0: not asked */
    FIELD_FIGURE,
    FIT_COUNT,
    FIT_FIGURE
};

struct column {
    struct grid_column look;
    enum field field;
    size_t offset; /* of the field, in bytes */
};

#define GROUP(field, member) field, offsetof(struct results_group, member)
#define TEXT(member) GROUP(FIELD_TEXT, member)
#define COUNT(member) GROUP(FIELD_COUNT, member)
#define ASKED(member) GROUP(FIELD_ASKED, member)
#define MEDIAN(name) GROUP(FIELD_FIGURE, measure[MEASURE_##name].median)
#define LEAST(name) GROUP(FIELD_FIGURE, measure[MEASURE_##name].least)
#define MOST(name) GROUP(FIELD_FIGURE, measure[MEASURE_##name].most)
#define POINTS FIT_COUNT, offsetof(struct results_fit, points)
#define FIT(member) FIT_FIGURE, offsetof(struct results_fit, member)

static const struct column group_column[] = {
    {{"workload", "workload", GRID_TEXT, GRID_ALL}, TEXT(workload)},
    {{"rows", "rows", GRID_COUNT, GRID_ALL}, COUNT(rows)},
    {{"cols", "cols", GRID_COUNT, GRID_ALL}, COUNT(cols)},
    {{"asked_degree", "", GRID_COUNT, GRID_PROGRAMS}, ASKED(asked_degree)},
    {{"asked_congestion", "", GRID_COUNT, GRID_PROGRAMS}, ASKED(asked_congestion)},
    {{"asked_per_node", "", GRID_COUNT, GRID_PROGRAMS}, ASKED(asked_per_node)},
    {{"messages_per_node", "l", GRID_COUNT, GRID_VARIED}, MEDIAN(PER_NODE)},
    {{"degree", "d", GRID_COUNT, GRID_ALL}, MEDIAN(DEGREE)},
    {{"congestion", "c", GRID_COUNT, GRID_ALL}, MEDIAN(CONGESTION)},
    {{"method", "router", GRID_TEXT, GRID_PEOPLE}, TEXT(method)},
    {{"router", "", GRID_TEXT, GRID_PROGRAMS}, TEXT(router)},
    {{"ran_as", "", GRID_TEXT, GRID_PROGRAMS}, TEXT(ran_as)},
    {{"parameters", "", GRID_TEXT, GRID_PROGRAMS}, TEXT(parameters)},
    {{"buffer_capacity", "", GRID_COUNT, GRID_PROGRAMS}, ASKED(asked_buffer)},
    {{"copy", "", GRID_TEXT, GRID_PROGRAMS}, TEXT(copy)},
    {{"meshcast", "", GRID_TEXT, GRID_PROGRAMS}, TEXT(version)},
    {{"runs", "runs", GRID_COUNT, GRID_ALL}, COUNT(runs)},
    {{"failed", "", GRID_COUNT, GRID_PROGRAMS}, COUNT(failed)},
    {{"refused", "", GRID_COUNT, GRID_PROGRAMS}, COUNT(refused)},
    {{"steps", "steps", GRID_COUNT, GRID_ALL}, MEDIAN(STEPS)},
    {{"steps_min", "min", GRID_COUNT, GRID_ALL}, LEAST(STEPS)},
    {{"steps_max", "max", GRID_COUNT, GRID_ALL}, MOST(STEPS)},
    {{"sync_steps", "sync", GRID_COUNT, GRID_ALL}, MEDIAN(SYNC)},
    {{"delivery_steps_median", "half", GRID_COUNT, GRID_VARIED}, MEDIAN(HALF)},
    {{"delivery_steps_p95", "95 %", GRID_COUNT, GRID_VARIED}, MEDIAN(P95)},
    {{"delivery_steps_p99", "99 %", GRID_COUNT, GRID_VARIED}, MEDIAN(P99)},
    {{"sqrt_cn", "", GRID_RATIO, GRID_PROGRAMS}, MEDIAN(SQRT_CN)},
    {{"steps_per_sqrt_cn", "/sqrt(cn)", GRID_RATIO, GRID_ALL}, MEDIAN(PER_SQRT_CN)},
    {{"lower_bound", "", GRID_COUNT, GRID_PROGRAMS}, MEDIAN(BOUND)},
    {{"steps_per_lower_bound", "/bound", GRID_RATIO, GRID_ALL}, MEDIAN(PER_BOUND)},
    {{"buffer_peak", "buffer", GRID_COUNT, GRID_ALL}, MEDIAN(BUFFER)},
    {{"buffer_peak_min", "", GRID_COUNT, GRID_PROGRAMS}, LEAST(BUFFER)},
    {{"buffer_peak_max", "max", GRID_COUNT, GRID_ALL}, MOST(BUFFER)},
    {{"wall_seconds", "", GRID_RATIO, GRID_PROGRAMS}, MEDIAN(SECONDS)},
};

/* Runs that did not go well. */
static const struct column error_column[] = {
    {{"workload", "workload", GRID_TEXT, GRID_ALL}, TEXT(workload)},
    {{"rows", "rows", GRID_COUNT, GRID_ALL}, COUNT(rows)},
    {{"cols", "cols", GRID_COUNT, GRID_ALL}, COUNT(cols)},
    {{"asked_degree", "d", GRID_COUNT, GRID_ALL}, ASKED(asked_degree)},
    {{"asked_congestion", "c", GRID_COUNT, GRID_ALL}, ASKED(asked_congestion)},
    {{"asked_per_node", "l", GRID_COUNT, GRID_VARIED}, ASKED(asked_per_node)},
    {{"method", "router", GRID_TEXT, GRID_ALL}, TEXT(method)},
    {{"failed", "failed", GRID_COUNT, GRID_ALL}, COUNT(failed)},
    {{"refused", "refused", GRID_COUNT, GRID_ALL}, COUNT(refused)},
    {{"error", "the first reason", GRID_TEXT, GRID_ALL}, TEXT(error)},
};

static const struct column fit_column[] = {
    {{"workload", "workload", GRID_TEXT, GRID_ALL}, TEXT(workload)},
    {{"method", "router", GRID_TEXT, GRID_PEOPLE}, TEXT(method)},
    {{"router", "", GRID_TEXT, GRID_PROGRAMS}, TEXT(router)},
    {{"ran_as", "", GRID_TEXT, GRID_PROGRAMS}, TEXT(ran_as)},
    {{"parameters", "", GRID_TEXT, GRID_PROGRAMS}, TEXT(parameters)},
    {{"buffer_capacity", "", GRID_COUNT, GRID_PROGRAMS}, ASKED(asked_buffer)},
    {{"copy", "", GRID_TEXT, GRID_PROGRAMS}, TEXT(copy)},
    {{"meshcast", "", GRID_TEXT, GRID_PROGRAMS}, TEXT(version)},
    {{"points", "points", GRID_COUNT, GRID_ALL}, POINTS},
    {{"exponent_c", "x, of c", GRID_EXPONENT, GRID_ALL}, FIT(x.value)},
    {{"exponent_c_error", "+-", GRID_EXPONENT, GRID_ALL}, FIT(x.error)},
    {{"exponent_n", "y, of n", GRID_EXPONENT, GRID_ALL}, FIT(y.value)},
    {{"exponent_n_error", "+-", GRID_EXPONENT, GRID_ALL}, FIT(y.error)},
    {{"constant", "a", GRID_EXPONENT, GRID_ALL}, FIT(a.value)},
    {{"constant_error", "+-", GRID_EXPONENT, GRID_ALL}, FIT(a.error)},
    {{"scatter", "scatter", GRID_EXPONENT, GRID_ALL}, FIT(scatter)},
    {{"steps_per_sqrt_cn_min", "/sqrt(cn) from", GRID_RATIO, GRID_ALL}, FIT(least)},
    {{"steps_per_sqrt_cn_max", "to", GRID_RATIO, GRID_ALL}, FIT(most)},
    {{"coefficient_s", "", GRID_RATIO, GRID_PROGRAMS}, FIT(sum.of_s)},
    {{"coefficient_m", "", GRID_RATIO, GRID_PROGRAMS}, FIT(sum.of_m)},
    {{"coefficients_scatter", "", GRID_RATIO, GRID_PROGRAMS}, FIT(sum.scatter)},
};

/* The other law of the same rows, for people: programs have all of it in the table above. */
static const struct column sum_column[] = {
    {{"workload", "workload", GRID_TEXT, GRID_PEOPLE}, TEXT(workload)},
    {{"method", "router", GRID_TEXT, GRID_PEOPLE}, TEXT(method)},
    {{"points", "points", GRID_COUNT, GRID_PEOPLE}, POINTS},
    {{"coefficient_s", "c1, of S", GRID_RATIO, GRID_PEOPLE}, FIT(sum.of_s)},
    {{"coefficient_m", "c2, of m", GRID_RATIO, GRID_PEOPLE}, FIT(sum.of_m)},
    {{"coefficients_scatter", "scatter", GRID_EXPONENT, GRID_PEOPLE}, FIT(sum.scatter)},
};

/* ---- grids ---- */

bool tables_have_several(const struct results_groups *groups)
{
    for (uint32_t i = 0; i < groups->count; i++)
        if (groups->group[i].measure[MEASURE_PER_NODE].median > 1)
            return true;
    return false;
}

/* Makes a grid without rows; with `is_several` people see what sets of several messages per node have. */
static bool make(struct grid *grid, const struct column *column, uint32_t columns, uint32_t rows,
                 bool is_several)
{
    static const char *const headings[][2] = {{"steps_per_sqrt_cn", "/S"},
                                              {"exponent_c", "x, of l c"},
                                              {"steps_per_sqrt_cn_min", "/S from"}};
    struct grid_column *look;
    if (!results_grid_make(grid, columns, rows, &look))
        return false;
    for (uint32_t i = 0; i < columns; i++) {
        look[i] = column[i].look;
        if (look[i].audience == GRID_VARIED)
            look[i].audience = is_several ? GRID_ALL : GRID_PROGRAMS;
        for (size_t k = 0; k < sizeof headings / sizeof headings[0] && is_several; k++)
            if (strcmp(look[i].name, headings[k][0]) == 0)
                look[i].heading = headings[k][1];
    }
    return true;
}

/* Takes a cell from a group, or from a fit whose first group it is. */
static struct grid_cell cell_of(const struct column *column, const struct results_group *group,
                                const struct results_fit *fit)
{
    bool is_of_fit = column->field >= FIT_COUNT;
    const void *field = (is_of_fit ? (const char *)fit : (const char *)group) + column->offset;
    if (column->field == FIELD_TEXT)
        return (struct grid_cell){field, NAN};
    if (column->field == FIELD_FIGURE || column->field == FIT_FIGURE)
        return (struct grid_cell){"", *(const double *)field};
    uint32_t count = *(const uint32_t *)field;
    bool is_none = column->field == FIELD_ASKED && count == 0;
    return (struct grid_cell){"", is_none ? (double)NAN : count};
}

static void add_row(struct grid *grid, const struct column *column,
                    const struct results_group *group, const struct results_fit *fit)
{
    struct grid_cell *cell = grid->cell + (size_t)grid->rows++ * grid->columns;
    for (uint32_t i = 0; i < grid->columns; i++)
        cell[i] = cell_of(&column[i], group, fit);
}

#define COLUMNS(table) (sizeof(table) / sizeof *(table))

bool tables_of_groups(struct grid *grid, const struct results_groups *groups)
{
    if (!make(grid, group_column, COLUMNS(group_column), groups->count,
              tables_have_several(groups)))
        return false;
    for (uint32_t i = 0; i < groups->count; i++)
        add_row(grid, group_column, &groups->group[i], NULL);
    return true;
}

bool tables_of_errors(struct grid *grid, const struct results_groups *groups)
{
    if (!make(grid, error_column, COLUMNS(error_column), groups->count,
              tables_have_several(groups)))
        return false;
    for (uint32_t i = 0; i < groups->count; i++)
        if (groups->group[i].failed + groups->group[i].refused != 0)
            add_row(grid, error_column, &groups->group[i], NULL);
    return true;
}

bool tables_of_fits(struct grid *grid, const struct results_fits *fits, bool is_several)
{
    if (!make(grid, fit_column, COLUMNS(fit_column), fits->count, is_several))
        return false;
    for (uint32_t i = 0; i < fits->count; i++)
        add_row(grid, fit_column, fits->fit[i].of, &fits->fit[i]);
    return true;
}

bool tables_of_sums(struct grid *grid, const struct results_fits *fits)
{
    if (!make(grid, sum_column, COLUMNS(sum_column), fits->count, false))
        return false;
    for (uint32_t i = 0; i < fits->count; i++)
        add_row(grid, sum_column, fits->fit[i].of, &fits->fit[i]);
    return true;
}

void tables_free(struct grid *grid)
{
    free(grid->cell);
    *grid = (struct grid){0};
}
