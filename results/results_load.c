/* results_load.c - points of latency against load, in the database and out of it.
 *
 * The columns are the keys of `load --json`, of the object and of a point; what is no single value is JSON in a text.
 */
#include "results/results_load.h"

#include "base/failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATEMENT_SIZE = 4096 };

static const struct {
    const char *key, *type;
} COLUMN[] = {
    {"meshcast", "TEXT"},
    {"topology", "TEXT"},
    {"sizes", "TEXT"},
    {"graph", "TEXT"},
    {"nodes", "INTEGER"},
    {"switching", "TEXT"},
    {"vcs", "INTEGER"},
    {"buffer", "INTEGER"},
    {"injection", "INTEGER"},
    {"consumption", "INTEGER"},
    {"startup", "INTEGER"},
    {"startup_mode", "TEXT"},
    {"router_delay", "INTEGER"},
    {"ports", "TEXT"},
    {"release", "TEXT"},
    {"traffic", "TEXT"},
    {"arrivals", "TEXT"},
    {"order", "INTEGER"},
    {"warmup", "INTEGER"},
    {"measure", "INTEGER"},
    {"finite", "INTEGER"},
    {"seed", ""},
    {"scheme", "TEXT"},
    {"parameters", "TEXT"},
    {"rate", "REAL"},
    {"destinations", "INTEGER"},
    {"flits", "TEXT"},
    {"latency", "REAL"},
    {"half_width", "REAL"},
    {"median", "INTEGER"},
    {"p95", "INTEGER"},
    {"p99", "INTEGER"},
    {"max", "INTEGER"},
    {"accepted", "REAL"},
    {"capacity", "REAL"},
    {"saturated", "INTEGER"},
    {"runs", "INTEGER"},
    {"cycles", "INTEGER"},
    {"messages", "INTEGER"},
    {"startups", "INTEGER"},
    {"channel_crossings", "INTEGER"},
    {"buffer_peak", "INTEGER"},
    {"unsent_peak", "INTEGER"},
};

enum { COLUMNS = sizeof COLUMN / sizeof COLUMN[0] };

/* Appends `before`, the columns' names in double quotes with commas (and their types), and `behind`. */
static void add_columns(char text[STATEMENT_SIZE], const char *before, bool with_types,
                        const char *behind)
{
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, STATEMENT_SIZE - used, "%s", before);
    for (int i = 0; i < COLUMNS; i++)
        used += (size_t)snprintf(text + used, STATEMENT_SIZE - used, "%s\"%s\"%s%s",
                                 i > 0 ? ", " : "", COLUMN[i].key, with_types ? " " : "",
                                 with_types ? COLUMN[i].type : "");
    snprintf(text + used, STATEMENT_SIZE - used, "%s", behind);
}

enum failure_kind results_load_prepare(struct results_database *database, struct failure *failure)
{
    char sql[STATEMENT_SIZE] = "";
    add_columns(sql,
                "CREATE TABLE IF NOT EXISTS load_point (id INTEGER PRIMARY KEY, "
                "identity TEXT NOT NULL UNIQUE, ",
                true, ")");
    if (sqlite3_exec(database->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
        return results_fail(database, failure);
    return FAIL_NONE;
}

/* ---- out of it ---- */

static json_t *value_of(sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
        return json_real(sqlite3_column_double(statement, column));
    case SQLITE_TEXT:
        return json_string((const char *)sqlite3_column_text(statement, column));
    default:
        return json_null();
    }
}

/* The columns of a row that is at hand; NULL: no memory. */
static json_t *row_json(sqlite3_stmt *statement)
{
    json_t *object = json_object();
    for (int i = 0; i < COLUMNS; i++)
        if (json_object_set_new(object, COLUMN[i].key, value_of(statement, i)) != 0) {
            json_decref(object);
            return NULL;
        }
    return object;
}

enum failure_kind results_load_find(struct results_database *database, const char *identity,
                                    json_t **figures, struct failure *failure)
{
    char sql[STATEMENT_SIZE] = "";
    sqlite3_stmt *statement;
    add_columns(sql, "SELECT ", false, " FROM load_point WHERE identity = ?");
    *figures = NULL;
    if (results_prepare(database, sql, &statement, failure) != FAIL_NONE)
        return failure->kind;
    sqlite3_bind_text(statement, 1, identity, -1, SQLITE_STATIC);
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW && (*figures = row_json(statement)) == NULL)
        fail_memory(failure, "a row of the database");
    else if (code != SQLITE_ROW && code != SQLITE_DONE)
        results_fail(database, failure);
    sqlite3_finalize(statement);
    return failure->kind;
}

static enum failure_kind read_rows(struct results_database *database, json_t *points,
                                   struct failure *failure)
{
    char sql[STATEMENT_SIZE] = "";
    sqlite3_stmt *statement;
    int code;
    add_columns(sql, "SELECT ", false,
                " FROM load_point ORDER BY topology, sizes, traffic, scheme, parameters, "
                "destinations, flits, rate, id");
    if (results_prepare(database, sql, &statement, failure) != FAIL_NONE)
        return failure->kind;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW && failure->kind == FAIL_NONE)
        if (json_array_append_new(points, row_json(statement)) != 0)
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
    add_columns(sql, "INSERT OR IGNORE INTO load_point (identity, ", false, ") VALUES (?");
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
