/* results_tables.c - which columns the tables of `report` have, and the points of latency.
 *
 * The keys are a contract with other programs: keys may be added, never renamed. Those of points
 * are the keys of `load --json`, of the object and of a point; in the view what is no single value
 * is JSON in a text, and so is a length. results_points_json() makes values of them again.
 */
#include "lab/results_tables.h"

#include <string.h>

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

/* The points of `load`: programs get everything; people what was measured, and of what was asked
 * the columns in which rows differ. */
static const struct grid_column point_column[] = {
    {"topology", "topology", GRID_TEXT, GRID_ALL},
    {"sizes", "sizes", GRID_TEXT, GRID_ALL},
    {"graph", "graph", GRID_TEXT, GRID_VARIED},
    {"nodes", "", GRID_COUNT, GRID_PROGRAMS},
    {"traffic", "traffic", GRID_TEXT, GRID_ALL},
    {"multicast_share", "share", GRID_DIGITS, GRID_VARIED},
    {"switching", "switching", GRID_TEXT, GRID_VARIED},
    {"vcs", "V", GRID_COUNT, GRID_ALL},
    {"buffer", "B", GRID_COUNT, GRID_ALL},
    {"injection", "I", GRID_COUNT, GRID_VARIED},
    {"consumption", "C", GRID_COUNT, GRID_VARIED},
    {"startup", "startup", GRID_COUNT, GRID_VARIED},
    {"startup_mode", "startup mode", GRID_TEXT, GRID_VARIED},
    {"router_delay", "delay", GRID_COUNT, GRID_VARIED},
    {"ports", "ports", GRID_TEXT, GRID_VARIED},
    {"release", "release", GRID_TEXT, GRID_VARIED},
    {"header", "header", GRID_TEXT, GRID_VARIED},
    {"flit_bits", "flit bits", GRID_COUNT, GRID_VARIED},
    {"arrivals", "arrivals", GRID_TEXT, GRID_VARIED},
    {"order", "order", GRID_COUNT, GRID_VARIED},
    {"warmup", "warmup", GRID_COUNT, GRID_VARIED},
    {"measure", "measure", GRID_COUNT, GRID_VARIED},
    {"finite", "finite", GRID_COUNT, GRID_VARIED},
    {"seed", "seed", GRID_TEXT, GRID_VARIED},
    {"scheme", "scheme", GRID_TEXT, GRID_ALL},
    {"parameters", "parameters", GRID_TEXT, GRID_VARIED},
    {"best", "best", GRID_TEXT, GRID_VARIED},
    {"destinations", "k", GRID_COUNT, GRID_ALL},
    {"flits", "flits", GRID_TEXT, GRID_ALL},
    {"rate", "rate", GRID_DIGITS, GRID_ALL},
    {"latency", "latency", GRID_RATIO, GRID_ALL},
    {"half_width", "+-", GRID_RATIO, GRID_ALL},
    {"median", "", GRID_COUNT, GRID_PROGRAMS},
    {"p95", "", GRID_COUNT, GRID_PROGRAMS},
    {"p99", "", GRID_COUNT, GRID_PROGRAMS},
    {"max", "", GRID_COUNT, GRID_PROGRAMS},
    {"accepted", "accepted", GRID_DIGITS, GRID_ALL},
    {"capacity", "", GRID_DIGITS, GRID_PROGRAMS},
    {"routing_capacity", "", GRID_DIGITS, GRID_PROGRAMS},
    {"saturated", "", GRID_COUNT, GRID_PROGRAMS},
    {"rising", "", GRID_COUNT, GRID_PROGRAMS},
    {"runs", "runs", GRID_COUNT, GRID_ALL},
    {"cycles", "", GRID_COUNT, GRID_PROGRAMS},
    {"messages", "", GRID_COUNT, GRID_PROGRAMS},
    {"startups", "", GRID_COUNT, GRID_PROGRAMS},
    {"channel_crossings", "", GRID_COUNT, GRID_PROGRAMS},
    {"buffer_peak", "", GRID_COUNT, GRID_PROGRAMS},
    {"unsent_peak", "", GRID_COUNT, GRID_PROGRAMS},
    {"deadlock", "", GRID_TEXT, GRID_PROGRAMS},
    {"error", "", GRID_TEXT, GRID_PROGRAMS},
    {"meshcast", "meshcast", GRID_TEXT, GRID_VARIED},
    {"outcome", "outcome", GRID_TEXT, GRID_ALL},
};

#define TABLE(column)                                                                              \
    {                                                                                              \
        column, sizeof column / sizeof *column, NULL, false                                        \
    }

const struct grid results_tables[RESULTS_TABLES] = {TABLE(group_column), TABLE(fit_column),
                                                    TABLE(sum_column), TABLE(error_column),
                                                    TABLE(point_column)};

/* Columns that hold JSON as text, and columns that hold true as 1. */
static const char IN_JSON[] = " sizes seed parameters flits deadlock ";
static const char BOOLEANS[] = " finite saturated rising ";

static bool is_among(const char *names, const char *name)
{
    const char *at = strstr(names, name);
    return at != NULL && at[-1] == ' ' && at[strlen(name)] == ' ';
}

/* Returns the value that a column's represents, the caller's; NULL: no memory. A length "2:9" is no
 * JSON and stays a text. */
static json_t *typed_value(const char *column, json_t *value)
{
    json_t *read = NULL;
    if (json_is_integer(value) && is_among(BOOLEANS, column))
        return json_boolean(json_integer_value(value) != 0);
    if (json_is_string(value) && is_among(IN_JSON, column))
        read = json_loads(json_string_value(value), JSON_DECODE_ANY, NULL);
    return read != NULL ? read : json_incref(value);
}

json_t *results_points_json(const json_t *points)
{
    json_t *array = json_array(), *row, *value;
    bool failed = array == NULL;
    const char *column;
    size_t i;
    json_array_foreach(points, i, row)
    {
        json_t *object = json_object();
        json_object_foreach(row, column, value)
        {
            if (strcmp(column, "id") != 0 && strcmp(column, "identity") != 0)
                failed |= json_object_set_new(object, column, typed_value(column, value)) != 0;
        }
        failed |= json_array_append_new(array, object) != 0;
    }
    if (!failed)
        return array;
    json_decref(array);
    return NULL;
}

enum failure_kind results_points_read(struct results_database *database, json_t **points,
                                      struct failure *failure)
{
    return results_query(
        database, RESULTS_LOAD_POINT,
        "SELECT * FROM load_point ORDER BY topology, sizes, graph, traffic, multicast_share, "
        "switching, vcs, buffer, injection, consumption, startup, startup_mode, router_delay, "
        "ports, release, header, flit_bits, arrivals, [order], finite, seed, scheme, parameters, "
        "destinations, flits, rate, warmup, measure, id",
        NULL, points, failure);
}

enum failure_kind results_has_runs(struct results_database *database, bool *has,
                                   struct failure *failure)
{
    json_t *rows;
    results_query(database, NULL, "SELECT id FROM run LIMIT 1", NULL, &rows, failure);
    *has = json_array_size(rows) > 0;
    json_decref(rows);
    return failure->kind;
}
