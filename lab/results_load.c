/* results_load.c - points of latency against load, out of the database, and their table: a row per
 * point.
 *
 * The columns of the view are the keys of `load --json`, of the object and of a point; what is no
 * single value is JSON in a text, and so is a length. results_load_json() makes values of them
 * again. Programs get everything; people what was measured, and of what was asked the columns in
 * which rows differ.
 */
#include "lab/results_load.h"

#include <string.h>

static const struct grid_column COLUMN[] = {
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

json_t *results_load_json(const json_t *points)
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

enum failure_kind results_load_read(struct results_database *database, json_t **points,
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

struct grid results_load_grid(const json_t *points)
{
    return (struct grid){COLUMN, sizeof COLUMN / sizeof *COLUMN, points, false};
}
