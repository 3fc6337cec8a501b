/* results_tables.c - the columns of the tables of `report`, and the points of latency.
 *
 * The keys are a contract with other programs: keys may be added, never renamed. Those of points
 * are the keys of `load --json`, of the object and of a point. In the view any value that is not
 * single is JSON in a text, and so is a length. results_points_json() makes values of them again.
 */
#include "lab/results_tables.h"

#include "library/report_network.h"

#include <string.h>

/* The keys of a group, and between them its measured figures: medians, minima and maxima. */
static const struct figure workload_column[] = {
    {"workload", "workload", FIGURE_TEXT, FIGURE_ALL, NULL},
    {"rows", "rows", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"cols", "cols", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"asked_degree", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"asked_congestion", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"asked_per_node", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {0}};
static const struct figure load_column[] = {
    {"messages_per_node", "l", FIGURE_COUNT, FIGURE_SEVERAL, NULL},
    {"degree", "d", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"congestion", "c", FIGURE_COUNT, FIGURE_ALL, NULL},
    {0}};
static const struct figure method_column[] = {
    {"method", "router", FIGURE_TEXT, FIGURE_PEOPLE, NULL},
    {"router", "", FIGURE_TEXT, FIGURE_PROGRAMS, NULL},
    {"ran_as", "", FIGURE_TEXT, FIGURE_PROGRAMS, NULL},
    {"parameters", "", FIGURE_TEXT, FIGURE_PROGRAMS, NULL},
    {KEY_BUFFER_CAPACITY, "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"copy", "", FIGURE_TEXT, FIGURE_PROGRAMS, NULL},
    {"meshcast", "", FIGURE_TEXT, FIGURE_PROGRAMS, NULL},
    {0}};
static const struct figure run_column[] = {{"runs", "runs", FIGURE_COUNT, FIGURE_ALL, NULL},
                                           {"failed", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
                                           {"refused", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
                                           {0}};
static const struct figure figure_column[] = {
    {"steps", "steps", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"steps_min", "min", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"steps_max", "max", FIGURE_COUNT, FIGURE_ALL, NULL},
    {KEY_SYNC_STEPS, "sync", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"delivery_steps_median", "half", FIGURE_COUNT, FIGURE_SEVERAL, NULL},
    {"delivery_steps_p95", "95 %", FIGURE_COUNT, FIGURE_SEVERAL, NULL},
    {"delivery_steps_p99", "99 %", FIGURE_COUNT, FIGURE_SEVERAL, NULL},
    {"sqrt_cn", "", FIGURE_RATIO, FIGURE_PROGRAMS, NULL},
    {"steps_per_sqrt_cn", "/sqrt(cn)", FIGURE_RATIO, FIGURE_SINGLE, NULL},
    {"steps_per_sqrt_cn", "/S", FIGURE_RATIO, FIGURE_SEVERAL, NULL},
    {KEY_LOWER_BOUND, "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {KEY_STEPS_PER_LOWER_BOUND, "/bound", FIGURE_RATIO, FIGURE_ALL, NULL},
    {KEY_BUFFER_PEAK, "buffer", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"buffer_peak_min", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"buffer_peak_max", "max", FIGURE_COUNT, FIGURE_ALL, NULL},
    {KEY_WALL_SECONDS, "", FIGURE_RATIO, FIGURE_PROGRAMS, NULL},
    {"missing_nodes", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {"missing_links", "", FIGURE_COUNT, FIGURE_PROGRAMS, NULL},
    {0}};

/* Columns of groups with runs that failed or were refused. */
static const struct figure error_column[] = {
    {"workload", "workload", FIGURE_TEXT, FIGURE_ALL, NULL},
    {"rows", "rows", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"cols", "cols", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"asked_degree", "d", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"asked_congestion", "c", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"asked_per_node", "l", FIGURE_COUNT, FIGURE_SEVERAL, NULL},
    {"method", "router", FIGURE_TEXT, FIGURE_ALL, NULL},
    {"failed", "failed", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"refused", "refused", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"error", "the first reason", FIGURE_TEXT, FIGURE_ALL, NULL},
    {0}};

static const struct figure name_column[] = {{"workload", "workload", FIGURE_TEXT, FIGURE_ALL, NULL},
                                            {0}};
static const struct figure fit_column[] = {
    {"points", "points", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"exponent_c", "x, of c", FIGURE_EXPONENT, FIGURE_SINGLE, NULL},
    {"exponent_c", "x, of l c", FIGURE_EXPONENT, FIGURE_SEVERAL, NULL},
    {"exponent_c_error", "+-", FIGURE_EXPONENT, FIGURE_ALL, NULL},
    {"exponent_n", "y, of n", FIGURE_EXPONENT, FIGURE_ALL, NULL},
    {"exponent_n_error", "+-", FIGURE_EXPONENT, FIGURE_ALL, NULL},
    {"constant", "a", FIGURE_EXPONENT, FIGURE_ALL, NULL},
    {"constant_error", "+-", FIGURE_EXPONENT, FIGURE_ALL, NULL},
    {"scatter", "scatter", FIGURE_EXPONENT, FIGURE_ALL, NULL},
    {"steps_per_sqrt_cn_min", "/sqrt(cn) from", FIGURE_RATIO, FIGURE_SINGLE, NULL},
    {"steps_per_sqrt_cn_min", "/S from", FIGURE_RATIO, FIGURE_SEVERAL, NULL},
    {"steps_per_sqrt_cn_max", "to", FIGURE_RATIO, FIGURE_ALL, NULL},
    {"coefficient_s", "", FIGURE_RATIO, FIGURE_PROGRAMS, NULL},
    {"coefficient_m", "", FIGURE_RATIO, FIGURE_PROGRAMS, NULL},
    {"coefficients_scatter", "", FIGURE_RATIO, FIGURE_PROGRAMS, NULL},
    {0}};

/* The other law of the same rows, for people: for programs the table above has all of it. */
static const struct figure sum_column[] = {
    {"workload", "workload", FIGURE_TEXT, FIGURE_PEOPLE, NULL},
    {"method", "router", FIGURE_TEXT, FIGURE_PEOPLE, NULL},
    {"points", "points", FIGURE_COUNT, FIGURE_PEOPLE, NULL},
    {"coefficient_s", "c1, of S", FIGURE_RATIO, FIGURE_PEOPLE, NULL},
    {"coefficient_m", "c2, of m", FIGURE_RATIO, FIGURE_PEOPLE, NULL},
    {"coefficients_scatter", "scatter", FIGURE_EXPONENT, FIGURE_PEOPLE, NULL},
    {0}};

static const struct figures group_figures = {{workload_column, load_column, method_column,
                                              run_column, figure_column}},
                            fit_figures = {{name_column, method_column, fit_column}},
                            sum_figures = {{sum_column}}, error_figures = {{error_column}};

const struct figure *const results_measured[2] = {load_column, figure_column};

const struct table results_tables[RESULTS_TABLES] = {{&group_figures, NULL, false},
                                                     {&fit_figures, NULL, false},
                                                     {&sum_figures, NULL, false},
                                                     {&error_figures, NULL, false},
                                                     {&load_figures, NULL, false}};

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
        points, failure);
}

enum failure_kind results_has_runs(struct results_database *database, bool *has,
                                   struct failure *failure)
{
    json_t *rows;
    results_query(database, NULL, "SELECT id FROM run LIMIT 1", &rows, failure);
    *has = json_array_size(rows) > 0;
    json_decref(rows);
    return failure->kind;
}
