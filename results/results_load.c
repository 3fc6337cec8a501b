/* results_load.c - points of latency against load, in the database and out of it.
 *
 * The columns are the keys of `load --json`, of the object and of a point; what is no single value is JSON in a text,
 * and so is a length. results_load_typed() makes values of them again.
 */
#include "results/results_load.h"

#include "base/failure.h"
#include "base/printable.h"
#include "results/results_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATEMENT_SIZE = 4096 };

/* `value` says what a text or number stands for, if not for itself. */
static const struct {
    const char *key, *type;
    enum { AS_IT_IS, IN_JSON, BOOLEAN } value;
} COLUMN[] = {
    {"meshcast", "TEXT", AS_IT_IS},
    {"topology", "TEXT", AS_IT_IS},
    {"sizes", "TEXT", IN_JSON},
    {"graph", "TEXT", AS_IT_IS},
    {"nodes", "INTEGER", AS_IT_IS},
    {"switching", "TEXT", AS_IT_IS},
    {"vcs", "INTEGER", AS_IT_IS},
    {"buffer", "INTEGER", AS_IT_IS},
    {"injection", "INTEGER", AS_IT_IS},
    {"consumption", "INTEGER", AS_IT_IS},
    {"startup", "INTEGER", AS_IT_IS},
    {"startup_mode", "TEXT", AS_IT_IS},
    {"router_delay", "INTEGER", AS_IT_IS},
    {"ports", "TEXT", AS_IT_IS},
    {"release", "TEXT", AS_IT_IS},
    {"traffic", "TEXT", AS_IT_IS},
    {"multicast_share", "REAL", AS_IT_IS},
    {"arrivals", "TEXT", AS_IT_IS},
    {"order", "INTEGER", AS_IT_IS},
    {"warmup", "INTEGER", AS_IT_IS},
    {"measure", "INTEGER", AS_IT_IS},
    {"finite", "INTEGER", BOOLEAN},
    {"seed", "", IN_JSON},
    {"scheme", "TEXT", AS_IT_IS},
    {"parameters", "TEXT", IN_JSON},
    {"rate", "REAL", AS_IT_IS},
    {"destinations", "INTEGER", AS_IT_IS},
    {"flits", "TEXT", IN_JSON},
    {"latency", "REAL", AS_IT_IS},
    {"half_width", "REAL", AS_IT_IS},
    {"median", "INTEGER", AS_IT_IS},
    {"p95", "INTEGER", AS_IT_IS},
    {"p99", "INTEGER", AS_IT_IS},
    {"max", "INTEGER", AS_IT_IS},
    {"accepted", "REAL", AS_IT_IS},
    {"capacity", "REAL", AS_IT_IS},
    {"saturated", "INTEGER", BOOLEAN},
    {"rising", "INTEGER", BOOLEAN},
    {"runs", "INTEGER", AS_IT_IS},
    {"cycles", "INTEGER", AS_IT_IS},
    {"messages", "INTEGER", AS_IT_IS},
    {"startups", "INTEGER", AS_IT_IS},
    {"channel_crossings", "INTEGER", AS_IT_IS},
    {"buffer_peak", "INTEGER", AS_IT_IS},
    {"unsent_peak", "INTEGER", AS_IT_IS},
    {"deadlock", "TEXT", IN_JSON},
    {"error", "TEXT", AS_IT_IS},
    {"outcome", "TEXT", AS_IT_IS},
};

enum { COLUMNS = sizeof COLUMN / sizeof COLUMN[0] };

/* Appends `before`, the columns' names with commas (and their types), and `behind`. The names are in brackets: in
 * double quotes SQLite would take one that is not there for a text. `has`: NULL stands for columns that are not there;
 * NULL: all are. */
static void add_columns(char text[STATEMENT_SIZE], const char *before, const bool *has,
                        bool with_types, const char *behind)
{
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, STATEMENT_SIZE - used, "%s", before);
    for (int i = 0; i < COLUMNS; i++)
        used +=
            (size_t)snprintf(text + used, STATEMENT_SIZE - used, "%s%s[%s]%s%s", i > 0 ? ", " : "",
                             has == NULL || has[i] ? "" : "NULL AS ", COLUMN[i].key,
                             with_types ? " " : "", with_types ? COLUMN[i].type : "");
    snprintf(text + used, STATEMENT_SIZE - used, "%s", behind);
}

/* Sets has[i] to whether the table has column i. */
static enum failure_kind find_columns(struct results_database *database, bool has[COLUMNS],
                                      struct failure *failure)
{
    for (int i = 0; i < COLUMNS; i++)
        if (results_has_column(database, "load_point", COLUMN[i].key, &has[i], failure) !=
            FAIL_NONE)
            break;
    return failure->kind;
}

enum failure_kind results_load_prepare(struct results_database *database, struct failure *failure)
{
    char sql[STATEMENT_SIZE] = "";
    add_columns(sql,
                "CREATE TABLE IF NOT EXISTS load_point (id INTEGER PRIMARY KEY, "
                "identity TEXT NOT NULL UNIQUE, ",
                NULL, true, ")");
    if (sqlite3_exec(database->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
        return results_fail(database, failure);
    for (int i = 0; i < COLUMNS; i++)
        if (results_complete_column(database, "load_point", COLUMN[i].key, COLUMN[i].type,
                                    failure) != FAIL_NONE)
            break;
    return failure->kind;
}

/* ---- out of it ---- */

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
static json_t *typed_value(int column, json_t *value)
{
    json_t *read = NULL;
    if (COLUMN[column].value == BOOLEAN && json_is_integer(value))
        return json_boolean(json_integer_value(value) != 0);
    if (COLUMN[column].value == IN_JSON && json_is_string(value))
        read = json_loads(json_string_value(value), JSON_DECODE_ANY, NULL);
    return read != NULL ? read : json_incref(value);
}

static json_t *typed_row(const json_t *row)
{
    json_t *object = json_object();
    for (int i = 0; i < COLUMNS; i++)
        if (json_object_set_new(object, COLUMN[i].key,
                                typed_value(i, json_object_get(row, COLUMN[i].key))) != 0) {
            json_decref(object);
            return NULL;
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

/* The columns of a row that is at hand, before which its number stands; NULL with a failure. */
static json_t *row_json(const struct results_database *database, sqlite3_stmt *statement,
                        struct failure *failure)
{
    json_t *object = json_object();
    for (int i = 0; i < COLUMNS && failure->kind == FAIL_NONE; i++) {
        if (results_check_text(database, "load_point", statement, 0, i + 1, failure) == FAIL_NONE &&
            json_object_set_new(object, COLUMN[i].key,
                                value_of(statement, i + 1, COLUMN[i].value == IN_JSON)) != 0)
            fail_memory(failure, "a row of the database");
    }
    if (failure->kind == FAIL_NONE)
        return object;
    json_decref(object);
    return NULL;
}

enum failure_kind results_load_find(struct results_database *database, const char *identity,
                                    json_t **figures, struct failure *failure)
{
    char sql[STATEMENT_SIZE] = "";
    sqlite3_stmt *statement;
    add_columns(sql, "SELECT id, ", NULL, false, " FROM load_point WHERE identity = ?");
    *figures = NULL;
    if (results_prepare(database, sql, &statement, failure) != FAIL_NONE)
        return failure->kind;
    sqlite3_bind_text(statement, 1, identity, -1, SQLITE_STATIC);
    int code = sqlite3_step(statement);
    json_t *row = code == SQLITE_ROW ? row_json(database, statement, failure) : NULL;
    if (row != NULL && (*figures = typed_row(row)) == NULL)
        fail_memory(failure, "a row of the database");
    else if (code != SQLITE_ROW && code != SQLITE_DONE)
        results_fail(database, failure);
    json_decref(row);
    sqlite3_finalize(statement);
    return failure->kind;
}

static enum failure_kind read_rows(struct results_database *database, json_t *points,
                                   struct failure *failure)
{
    char sql[STATEMENT_SIZE] = "";
    bool has[COLUMNS];
    sqlite3_stmt *statement;
    int code;
    if (find_columns(database, has, failure) != FAIL_NONE)
        return failure->kind;
    add_columns(
        sql, "SELECT id, ", has, false,
        " FROM load_point ORDER BY topology, sizes, graph, traffic, multicast_share, switching, "
        "vcs, buffer, "
        "injection, consumption, startup, startup_mode, router_delay, ports, release, "
        "arrivals, \"order\", finite, seed, scheme, parameters, destinations, flits, rate, warmup, "
        "measure, id");
    if (results_prepare(database, sql, &statement, failure) != FAIL_NONE)
        return failure->kind;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW && failure->kind == FAIL_NONE)
        if (json_array_append_new(points, row_json(database, statement, failure)) != 0)
            fail_memory(failure, "the points of the database");
    if (failure->kind == FAIL_NONE && code != SQLITE_DONE)
        results_fail(database, failure);
    sqlite3_finalize(statement);
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

enum failure_kind results_load_read(struct results_database *database, json_t **points,
                                    struct failure *failure)
{
    sqlite3_stmt *statement;
    *points = NULL;
    if (results_prepare(database,
                        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'load_point'",
                        &statement, failure) != FAIL_NONE)
        return failure->kind;
    bool is_there = sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    *points = json_array();
    if (*points == NULL)
        return fail_memory(failure, "the points of the database");
    if (is_there && read_rows(database, *points, failure) != FAIL_NONE) {
        json_decref(*points);
        *points = NULL;
    }
    return failure->kind;
}

/* ---- into it ---- */

/* Binds a copy. */
static int bind_value(sqlite3_stmt *statement, int place, const json_t *value)
{
    if (json_is_integer(value))
        return sqlite3_bind_int64(statement, place, json_integer_value(value));
    if (json_is_real(value))
        return sqlite3_bind_double(statement, place, json_real_value(value));
    if (json_is_boolean(value))
        return sqlite3_bind_int64(statement, place, json_is_true(value));
    if (json_is_string(value))
        return sqlite3_bind_text(statement, place, json_string_value(value), -1, SQLITE_TRANSIENT);
    if (value == NULL || json_is_null(value))
        return sqlite3_bind_null(statement, place);
    char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
    int code = text == NULL ? SQLITE_NOMEM
                            : sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
    free(text);
    return code;
}

enum failure_kind results_load_add(struct results_database *database, const char *identity,
                                   const json_t *figures, struct failure *failure)
{
    char sql[STATEMENT_SIZE] = "";
    sqlite3_stmt *statement;
    add_columns(sql, "INSERT OR IGNORE INTO load_point (identity, ", NULL, false, ") VALUES (?");
    for (int i = 0; i < COLUMNS; i++)
        strncat(sql, ", ?", sizeof sql - strlen(sql) - 1);
    strncat(sql, ")", sizeof sql - strlen(sql) - 1);
    if (results_check_place(database, failure) != FAIL_NONE ||
        results_prepare(database, sql, &statement, failure) != FAIL_NONE)
        return failure->kind;
    int code = sqlite3_bind_text(statement, 1, identity, -1, SQLITE_STATIC);
    for (int i = 0; i < COLUMNS && code == SQLITE_OK; i++)
        code = bind_value(statement, i + 2, json_object_get(figures, COLUMN[i].key));
    if (code != SQLITE_OK)
        fail_memory(failure, "a row of the database");
    else if (sqlite3_step(statement) != SQLITE_DONE)
        results_fail(database, failure);
    sqlite3_finalize(statement);
    return failure->kind;
}
