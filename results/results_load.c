/* results_load.c - points of latency against load, out of the database.
 *
 * The columns are the keys of `load --json`, of the object and of a point; what is no single value is JSON in a text,
 * and so is a length. results_load_typed() makes values of them again.
 */
#include "results/results_load.h"

#include "base/failure.h"
#include "base/printable.h"

#include <stdlib.h>
#include <string.h>

/* Columns that hold JSON as text, and columns that hold true as 1. */
static const char *const in_json[] = {"sizes", "seed", "parameters", "flits", "deadlock", NULL};
static const char *const booleans[] = {"finite", "saturated", "rising", NULL};

static bool is_among(const char *const *names, const char *name)
{
    while (*names != NULL && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* A text, which is shown to people as well. */
static json_t *text_of(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    char *copy = text == NULL ? NULL : strdup((const char *)text);
    if (copy == NULL)
        return NULL;
    printable_make(copy);
    json_t *value = json_string(copy);
    free(copy);
    return value;
}

static json_t *value_of(sqlite3_stmt *statement, int column, bool is_text)
{
    int type = sqlite3_column_type(statement, column);
    if (is_text && type != SQLITE_NULL)
        return text_of(statement, column);
    switch (type) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
        return json_real(sqlite3_column_double(statement, column));
    case SQLITE_TEXT:
        return text_of(statement, column);
    default:
        return json_null();
    }
}

/* The value for which a column's stands, the caller's; NULL: no memory. A length "2:9" is no JSON and stays a text. */
static json_t *typed_value(const char *column, json_t *value)
{
    json_t *read = NULL;
    if (json_is_integer(value) && is_among(booleans, column))
        return json_boolean(json_integer_value(value) != 0);
    if (json_is_string(value) && is_among(in_json, column))
        read = json_loads(json_string_value(value), JSON_DECODE_ANY, NULL);
    return read != NULL ? read : json_incref(value);
}

static json_t *typed_row(json_t *row)
{
    json_t *object = json_object(), *value;
    const char *column;
    json_object_foreach(row, column, value)
    {
        if (json_object_set_new(object, column, typed_value(column, value)) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

json_t *results_load_typed(const json_t *points)
{
    json_t *array = json_array();
    for (size_t i = 0; i < json_array_size(points); i++)
        if (json_array_append_new(array, typed_row(json_array_get(points, i))) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

/* Returns a row of `load_point`, whose number is its first column; NULL with a failure. */
static json_t *row_json(const struct results_database *database, sqlite3_stmt *row,
                        struct failure *failure)
{
    json_t *object = json_object();
    for (int i = 2; i < sqlite3_column_count(row) && failure->kind == FAIL_NONE; i++) {
        const char *name = sqlite3_column_name(row, i);
        if (results_check_text(database, "load_point", row, 0, i, failure) == FAIL_NONE &&
            json_object_set_new(object, name, value_of(row, i, is_among(in_json, name))) != 0)
            fail_memory(failure, "a row of the database");
    }
    if (failure->kind == FAIL_NONE)
        return object;
    json_decref(object);
    return NULL;
}

enum failure_kind results_load_read(struct results_database *database, json_t **points,
                                    struct failure *failure)
{
    sqlite3_stmt *row;
    int code = SQLITE_DONE;
    *points = json_array();
    if (*points == NULL)
        return fail_memory(failure, "the points of the database");
    if (results_prepare(
            database,
            "SELECT * FROM load_point ORDER BY topology, sizes, graph, traffic, multicast_share, "
            "switching, vcs, buffer, injection, consumption, startup, startup_mode, router_delay, "
            "ports, release, header, flit_bits, arrivals, [order], finite, seed, scheme, "
            "parameters, destinations, "
            "flits, rate, warmup, measure, id",
            &row, failure) == FAIL_NONE) {
        while (failure->kind == FAIL_NONE && (code = sqlite3_step(row)) == SQLITE_ROW)
            if (json_array_append_new(*points, row_json(database, row, failure)) != 0)
                fail_memory(failure, "the points of the database");
        if (failure->kind == FAIL_NONE && code != SQLITE_DONE)
            results_fail(database, failure);
        sqlite3_finalize(row);
    }
    if (failure->kind != FAIL_NONE) {
        json_decref(*points);
        *points = NULL;
    }
    return failure->kind;
}

enum failure_kind results_has_runs(struct results_database *database, bool *has,
                                   struct failure *failure)
{
    sqlite3_stmt *statement;
    if (results_prepare(database, "SELECT 1 FROM run LIMIT 1", &statement, failure) != FAIL_NONE)
        return failure->kind;
    int code = sqlite3_step(statement);
    *has = code == SQLITE_ROW;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        results_fail(database, failure);
    sqlite3_finalize(statement);
    return failure->kind;
}
