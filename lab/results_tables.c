/* results_tables.c - which columns the tables of `report` have.
 *
 * The keys are a contract with other programs: keys may be added, never renamed.
 */
#include "lab/results_tables.h"

static const struct grid_column group_column[] = {
    {"workload", "workload", GRID_TEXT, GRID_ALL},
    {"rows", "rows", GRID_COUNT, GRID_ALL},
    {"cols", "cols", GRID_COUNT, GRID_ALL},
    {"asked_degree", "", GRID_COUNT, GRID_PROGRAMS},
    {"asked_congestion", "", GRID_COUNT, GRID_PROGRAMS},
    {"asked_per_node", "", GRID_COUNT, GRID_PROGRAMS},
    {"messages_per_node", "l", GRID_COUNT, GRID_SEVERAL},
    {"degree", "d", GRID_COUNT, GRID_ALL},
    {"congestion", "c", GRID_COUNT, GRID_ALL},
    {"method", "router", GRID_TEXT, GRID_PEOPLE},
    {"router", "", GRID_TEXT, GRID_PROGRAMS},
    {"ran_as", "", GRID_TEXT, GRID_PROGRAMS},
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
    {"delivery_steps_median", "half", GRID_COUNT, GRID_SEVERAL},
    {"delivery_steps_p95", "95 %", GRID_COUNT, GRID_SEVERAL},
    {"delivery_steps_p99", "99 %", GRID_COUNT, GRID_SEVERAL},
    {"sqrt_cn", "", GRID_RATIO, GRID_PROGRAMS},
    {"steps_per_sqrt_cn", "/sqrt(cn)", GRID_RATIO, GRID_SINGLE},
    {"steps_per_sqrt_cn", "/S", GRID_RATIO, GRID_SEVERAL},
    {"lower_bound", "", GRID_COUNT, GRID_PROGRAMS},
    {"steps_per_lower_bound", "/bound", GRID_RATIO, GRID_ALL},
    {"buffer_peak", "buffer", GRID_COUNT, GRID_ALL},
    {"buffer_peak_min", "", GRID_COUNT, GRID_PROGRAMS},
    {"buffer_peak_max", "max", GRID_COUNT, GRID_ALL},
    {"wall_seconds", "", GRID_RATIO, GRID_PROGRAMS},
};

/* Of groups with runs that did not go well. */
static const struct grid_column error_column[] = {
    {"workload", "workload", GRID_TEXT, GRID_ALL},
    {"rows", "rows", GRID_COUNT, GRID_ALL},
    {"cols", "cols", GRID_COUNT, GRID_ALL},
    {"asked_degree", "d", GRID_COUNT, GRID_ALL},
    {"asked_congestion", "c", GRID_COUNT, GRID_ALL},
    {"asked_per_node", "l", GRID_COUNT, GRID_SEVERAL},
    {"method", "router", GRID_TEXT, GRID_ALL},
    {"failed", "failed", GRID_COUNT, GRID_ALL},
    {"refused", "refused", GRID_COUNT, GRID_ALL},
    {"error", "the first reason", GRID_TEXT, GRID_ALL},
};

static const struct grid_column fit_column[] = {
    {"workload", "workload", GRID_TEXT, GRID_ALL},
    {"method", "router", GRID_TEXT, GRID_PEOPLE},
    {"router", "", GRID_TEXT, GRID_PROGRAMS},
    {"ran_as", "", GRID_TEXT, GRID_PROGRAMS},
    {"parameters", "", GRID_TEXT, GRID_PROGRAMS},
    {"buffer_capacity", "", GRID_COUNT, GRID_PROGRAMS},
    {"copy", "", GRID_TEXT, GRID_PROGRAMS},
    {"meshcast", "", GRID_TEXT, GRID_PROGRAMS},
    {"points", "points", GRID_COUNT, GRID_ALL},
    {"exponent_c", "x, of c", GRID_EXPONENT, GRID_SINGLE},
    {"exponent_c", "x, of l c", GRID_EXPONENT, GRID_SEVERAL},
    {"exponent_c_error", "+-", GRID_EXPONENT, GRID_ALL},
    {"exponent_n", "y, of n", GRID_EXPONENT, GRID_ALL},
    {"exponent_n_error", "+-", GRID_EXPONENT, GRID_ALL},
    {"constant", "a", GRID_EXPONENT, GRID_ALL},
    {"constant_error", "+-", GRID_EXPONENT, GRID_ALL},
    {"scatter", "scatter", GRID_EXPONENT, GRID_ALL},
    {"steps_per_sqrt_cn_min", "/sqrt(cn) from", GRID_RATIO, GRID_SINGLE},
    {"steps_per_sqrt_cn_min", "/S from", GRID_RATIO, GRID_SEVERAL},
    {"steps_per_sqrt_cn_max", "to", GRID_RATIO, GRID_ALL},
    {"coefficient_s", "", GRID_RATIO, GRID_PROGRAMS},
    {"coefficient_m", "", GRID_RATIO, GRID_PROGRAMS},
    {"coefficients_scatter", "", GRID_RATIO, GRID_PROGRAMS},
};

/* The other law of the same rows, for people: programs have all of it in the table above. */
static const struct grid_column sum_column[] = {
    {"workload", "workload", GRID_TEXT, GRID_PEOPLE},
    {"method", "router", GRID_TEXT, GRID_PEOPLE},
    {"points", "points", GRID_COUNT, GRID_PEOPLE},
    {"coefficient_s", "c1, of S", GRID_RATIO, GRID_PEOPLE},
    {"coefficient_m", "c2, of m", GRID_RATIO, GRID_PEOPLE},
    {"coefficients_scatter", "scatter", GRID_EXPONENT, GRID_PEOPLE},
};

#define TABLE(column)                                                                              \
    {                                                                                              \
        column, sizeof column / sizeof *column, NULL, false                                        \
    }

const struct grid results_tables[RESULTS_TABLES] = {TABLE(group_column), TABLE(fit_column),
                                                    TABLE(sum_column), TABLE(error_column)};
