/* results_add.c - how a run enters the database.
 *
 * Method: a transaction of its own holds the run's row, its phases and its parameters, so a process
 * that is killed leaves all of them or none. The identity is unique: of two processes that did the
 * same run the second adds nothing.
 *
 * WAL grows to 4 MB before SQLite empties it into the file. A disk that has no room for that may have
 * room for the rows: where writing fails, WAL is emptied and the run tried once more.
 */
#include "console/interruption.h"
#include "results/results_database.h"
#include "results/results_schema.h"

#include <stdlib.h>
#include <string.h>

static enum failure_kind outcome_of(sqlite3_stmt *row)
{
    const char *outcome = (const char *)sqlite3_column_text(row, 0);
    if (outcome == NULL || strcmp(outcome, RESULTS_REFUSED) == 0)
        return FAIL_USAGE;
    return strcmp(outcome, RESULTS_DONE) == 0 ? FAIL_NONE : FAIL_CHECK;
}

enum failure_kind results_find(struct results_database *database, const char *identity, bool *found,
                               enum failure_kind *outcome, struct failure *failure)
{
    if (interruption_is_due())
        return fail(failure, FAIL_INTERRUPTED, "interrupted");
    if (database->find == NULL &&
        results_prepare(database, "SELECT outcome FROM run WHERE identity = ?", &database->find,
                        failure) != FAIL_NONE)
        return failure->kind;
    sqlite3_bind_text(database->find, 1, identity, -1, SQLITE_STATIC);
    int status = sqlite3_step(database->find);
    *found = status == SQLITE_ROW;
    if (*found)
        *outcome = outcome_of(database->find);
    else if (status != SQLITE_DONE)
        results_fail(database, failure);
    sqlite3_reset(database->find);
    sqlite3_clear_bindings(database->find);
    return failure->kind;
}

/* ---- statements ---- */

/* The next ? of a statement takes the value; NULL for what has no single value. */
static void bind_json(sqlite3_stmt *statement, int place, const json_t *value)
{
    if (json_is_integer(value))
        sqlite3_bind_int64(statement, place, json_integer_value(value));
    else if (json_is_real(value))
        sqlite3_bind_double(statement, place, json_real_value(value));
    else if (json_is_string(value))
        sqlite3_bind_text(statement, place, json_string_value(value), -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(statement, place);
}

static void bind_text(sqlite3_stmt *statement, int place, const char *text)
{
    if (text == NULL)
        sqlite3_bind_null(statement, place);
    else
        sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC);
}

static void bind_asked(sqlite3_stmt *statement, int place, uint32_t value)
{
    if (value == 0)
        sqlite3_bind_null(statement, place);
    else
        sqlite3_bind_int64(statement, place, value);
}

/* Runs a statement that yields nothing, and ends it. */
static enum failure_kind finish(struct results_database *database, sqlite3_stmt *statement,
                                struct failure *failure)
{
    if (sqlite3_step(statement) != SQLITE_DONE)
        results_fail(database, failure);
    sqlite3_finalize(statement);
    return failure->kind;
}

static const json_t *value_of(const struct results_run *run, const struct results_figure *figure)
{
    if (figure->object == NULL)
        return json_object_get(run->figures, figure->key);
    return json_object_get(json_object_get(run->figures, figure->object), figure->member);
}

static enum failure_kind add_row(struct results_database *database, const struct results_run *run,
                                 struct failure *failure)
{
    enum { ASKED = 9 };
    sqlite3_stmt *statement;
    char sql[2048] = "INSERT OR IGNORE INTO run (identity, workload, input_hash, asked_parameters, "
                     "asked_buffer, asked_degree, asked_congestion, is_file, " RESULTS_NEWER_ASKED;
    for (int i = 0; i < RESULTS_FIGURES; i++)
        strcat(strcat(sql, ", "), results_figure[i].key);
    strcat(sql, ") VALUES (?");
    for (int i = 1; i < ASKED + RESULTS_FIGURES; i++)
        strcat(sql, ", ?");
    strcat(sql, ")");
    if (results_prepare(database, sql, &statement, failure) != FAIL_NONE)
        return failure->kind;
    bind_text(statement, 1, run->identity);
    bind_text(statement, 2, run->workload);
    bind_text(statement, 3, run->input_hash);
    bind_text(statement, 4, run->asked_parameters);
    bind_asked(statement, 5, run->asked_buffer);
    bind_asked(statement, 6, run->asked_degree);
    bind_asked(statement, 7, run->asked_congestion);
    sqlite3_bind_int(statement, 8, run->is_file);
    bind_asked(statement, 9, run->asked_per_node);
    for (int i = 0; i < RESULTS_FIGURES; i++) {
        const char *key = results_figure[i].key;
        if (strcmp(key, "outcome") == 0)
            bind_text(statement, ASKED + 1 + i, run->outcome);
        else
            bind_json(statement, ASKED + 1 + i, value_of(run, &results_figure[i]));
    }
    return finish(database, statement, failure);
}

static enum failure_kind add_phases(struct results_database *database, sqlite3_int64 id,
                                    const json_t *phases, struct failure *failure)
{
    for (size_t i = 0; i < json_array_size(phases) && failure->kind == FAIL_NONE; i++) {
        const json_t *phase = json_array_get(phases, i);
        sqlite3_stmt *statement;
        if (results_prepare(database, "INSERT INTO phase VALUES (?, ?, ?, ?)", &statement,
                            failure) != FAIL_NONE)
            break;
        sqlite3_bind_int64(statement, 1, id);
        sqlite3_bind_int64(statement, 2, (sqlite3_int64)i);
        bind_json(statement, 3, json_object_get(phase, "name"));
        bind_json(statement, 4, json_object_get(phase, "steps"));
        finish(database, statement, failure);
    }
    return failure->kind;
}

static enum failure_kind add_parameters(struct results_database *database, sqlite3_int64 id,
                                        json_t *parameters, struct failure *failure)
{
    const char *name;
    json_t *value;
    json_object_foreach(parameters, name, value)
    {
        sqlite3_stmt *statement;
        if (results_prepare(database, "INSERT INTO parameter VALUES (?, ?, ?)", &statement,
                            failure) != FAIL_NONE)
            break;
        sqlite3_bind_int64(statement, 1, id);
        bind_text(statement, 2, name);
        bind_json(statement, 3, value);
        if (finish(database, statement, failure) != FAIL_NONE)
            break;
    }
    return failure->kind;
}

static enum failure_kind add_all(struct results_database *database, const struct results_run *run,
                                 struct failure *failure)
{
    if (add_row(database, run, failure) != FAIL_NONE || sqlite3_changes(database->handle) == 0)
        return failure->kind;
    sqlite3_int64 id = sqlite3_last_insert_rowid(database->handle);
    if (add_phases(database, id, json_object_get(run->figures, "phases"), failure) != FAIL_NONE)
        return failure->kind;
    return add_parameters(database, id, json_object_get(run->figures, "parameters"), failure);
}

/* add_all() as a transaction; *no_room tells of a disk that would not take it. */
static enum failure_kind try_add(struct results_database *database, const struct results_run *run,
                                 bool *no_room, struct failure *failure)
{
    if (sqlite3_exec(database->handle, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        results_fail(database, failure);
    if (failure->kind == FAIL_NONE && add_all(database, run, failure) == FAIL_NONE &&
        sqlite3_exec(database->handle, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        results_fail(database, failure);
    int code = sqlite3_errcode(database->handle) & 0xff;
    *no_room = code == SQLITE_FULL || code == SQLITE_IOERR;
    return results_roll_back(database, failure);
}

enum failure_kind results_add(struct results_database *database, const struct results_run *run,
                              struct failure *failure)
{
    struct failure first = {0};
    bool no_room = false;
    if (results_check_place(database, failure) != FAIL_NONE)
        return failure->kind;
    if (try_add(database, run, &no_room, &first) != FAIL_NONE && no_room &&
        sqlite3_get_autocommit(database->handle) != 0) {
        first = (struct failure){0};
        sqlite3_exec(database->handle, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
        try_add(database, run, &no_room, &first);
    }
    if (first.kind != FAIL_NONE) {
        *failure = first;
        return failure->kind;
    }
    return results_check_place(database, failure);
}
