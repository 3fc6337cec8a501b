/* results_rows.c - adds rows to the database, finds them again, reads what a query yields.
 *
 * Method: adding a row is one statement, and so a transaction: a process that is killed leaves the
 * row or nothing. The key is unique: of two processes that did the same run the second adds
 * nothing.
 *
 * The WAL grows to 4 MB before SQLite empties it into the file. A disk without room for that may
 * have room for the row: if writing fails, the WAL is emptied and the row tried once more.
 *
 * Several databases are read as one: all rows are copied into a database that SQLite keeps for this
 * connection, in memory and in a file without a name.
 */
#include "base/printable.h"
#include "lab/results_database.h"
#include "lab/results_schema.h"
#include "lab/signal_hold.h"

#include <stdlib.h>
#include <string.h>

/* The columns of a row that are added. */
#define COLUMNS "key, kind, state, specification, figures"
enum { TEXTS = 5 };

static enum failure_kind outcome_of(const char *state)
{
    if (state == NULL || strcmp(state, RESULTS_REFUSED) == 0)
        return FAIL_USAGE;
    return strcmp(state, RESULTS_DONE) == 0 ? FAIL_NONE : FAIL_CHECK;
}

enum failure_kind results_find(struct results_database *database, const char *key, int *outcome,
                               char **figures, struct failure *failure)
{
    if (signal_hold_is_due())
        return fail(failure, FAIL_INTERRUPTED, "interrupted");
    if (database->find == NULL &&
        results_prepare(database, "SELECT state, figures FROM result WHERE key = ?",
                        &database->find, failure) != FAIL_NONE)
        return failure->kind;
    sqlite3_bind_text(database->find, 1, key, -1, SQLITE_STATIC);
    int status = sqlite3_step(database->find);
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        results_fail(database, failure);
    if (outcome != NULL)
        *outcome = status == SQLITE_ROW
                       ? (int)outcome_of((const char *)sqlite3_column_text(database->find, 0))
                       : RESULTS_MISSING;
    if (status == SQLITE_ROW && figures != NULL) {
        const char *text = (const char *)sqlite3_column_text(database->find, 1);
        *figures = text == NULL ? NULL : strdup(text);
        if (*figures == NULL)
            fail_memory(failure, "a row of the database");
    }
    sqlite3_reset(database->find);
    sqlite3_clear_bindings(database->find);
    return failure->kind;
}

/* ---- adding ---- */

/* Adds the row; *no_room: the disk had no room for it. */
static enum failure_kind try_add(struct results_database *database, const char *const text[TEXTS],
                                 bool *no_room, struct failure *failure)
{
    sqlite3_stmt *statement;
    if (results_prepare(database,
                        "INSERT OR IGNORE INTO result (" COLUMNS ") VALUES (?, ?, ?, ?, ?)",
                        &statement, failure) != FAIL_NONE)
        return failure->kind;
    for (int i = 0; i < TEXTS; i++)
        sqlite3_bind_text(statement, i + 1, text[i], -1, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_DONE)
        results_fail(database, failure);
    int code = sqlite3_errcode(database->handle) & 0xff;
    *no_room = code == SQLITE_FULL || code == SQLITE_IOERR;
    sqlite3_finalize(statement);
    return failure->kind;
}

static enum failure_kind add_texts(struct results_database *database, const char *const text[TEXTS],
                                   struct failure *failure)
{
    struct failure first = {0};
    bool no_room = false;
    if (try_add(database, text, &no_room, &first) != FAIL_NONE && no_room) {
        first = (struct failure){0};
        sqlite3_exec(database->handle, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
        try_add(database, text, &no_room, &first);
    }
    if (first.kind != FAIL_NONE)
        *failure = first;
    return failure->kind;
}

enum failure_kind results_add(struct results_database *database, const struct results_row *row,
                              struct failure *failure)
{
    const char *text[TEXTS] = {row->key, row->kind, row->state, row->specification, row->figures};
    if (results_check_place(database, failure) == FAIL_NONE &&
        add_texts(database, text, failure) == FAIL_NONE)
        results_check_place(database, failure);
    return failure->kind;
}

/* ---- several databases ---- */

/* Copies the rows of a database that are not there yet. */
static enum failure_kind copy_rows(struct results_database *to, const char *path,
                                   struct failure *failure)
{
    struct results_database from;
    sqlite3_stmt *row = NULL;
    int code = SQLITE_DONE;
    if (results_open(&from, path, RESULTS_READ, failure) != FAIL_NONE)
        return failure->kind;
    results_prepare(&from, "SELECT " COLUMNS " FROM result ORDER BY id", &row, failure);
    while (failure->kind == FAIL_NONE && (code = sqlite3_step(row)) == SQLITE_ROW) {
        const char *text[TEXTS];
        for (int i = 0; i < TEXTS; i++)
            text[i] = (const char *)sqlite3_column_text(row, i);
        add_texts(to, text, failure);
    }
    if (failure->kind == FAIL_NONE && code != SQLITE_DONE)
        results_fail(&from, failure);
    sqlite3_finalize(row);
    results_close(&from);
    return failure->kind;
}

enum failure_kind results_open_all(struct results_database *database, const char *name,
                                   const char *const path[], int count, struct failure *failure)
{
    if (count == 1)
        return results_open(database, path[0], RESULTS_READ, failure);
    *database = (struct results_database){.path = name};
    if (sqlite3_open_v2("", &database->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK)
        results_fail(database, failure);
    else if (results_make_schema(database, false, failure) == FAIL_NONE)
        results_execute(database, "BEGIN", failure);
    for (int i = 0; i < count && failure->kind == FAIL_NONE; i++)
        copy_rows(database, path[i], failure);
    if (failure->kind == FAIL_NONE)
        results_execute(database, "COMMIT", failure);
    if (failure->kind != FAIL_NONE)
        results_close(database);
    return failure->kind;
}

/* ---- queries ---- */

json_t *results_text_json(const char *text)
{
    char *copy = text == NULL ? NULL : strdup(text);
    if (copy == NULL)
        return NULL;
    printable_make(copy);
    json_t *value = json_string(copy);
    free(copy);
    return value;
}

static json_t *value_of(sqlite3_stmt *row, int column)
{
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(row, column));
    case SQLITE_FLOAT:
        return json_real(sqlite3_column_double(row, column));
    case SQLITE_NULL:
        return json_null();
    default:
        return results_text_json((const char *)sqlite3_column_text(row, column));
    }
}

/* Returns a row as an object, or NULL with a failure; see results_query(). */
static json_t *row_json(const struct results_database *database, sqlite3_stmt *row,
                        const char *view, struct failure *failure)
{
    json_t *object = json_object();
    for (int i = 0; i < sqlite3_column_count(row) && failure->kind == FAIL_NONE; i++) {
        const char *name = sqlite3_column_name(row, i);
        const char *text = (const char *)sqlite3_column_text(row, i);
        if (view != NULL && text != NULL && !text_is_utf8(text))
            fail(failure, FAIL_INPUT, "%.200s is damaged: " RESULTS_NOT_UTF8, database->path,
                 (long long)sqlite3_column_int64(row, 0), view, name);
        else if (json_object_set_new(object, name, value_of(row, i)) != 0)
            fail_memory(failure, "a row of the database");
    }
    if (failure->kind == FAIL_NONE)
        return object;
    json_decref(object);
    return NULL;
}

enum failure_kind results_query(struct results_database *database, const char *view,
                                const char *sql, json_t **rows, struct failure *failure)
{
    sqlite3_stmt *row = NULL;
    int code = SQLITE_DONE;
    *rows = json_array();
    results_prepare(database, sql, &row, failure);
    while (failure->kind == FAIL_NONE && (code = sqlite3_step(row)) == SQLITE_ROW)
        if (json_array_append_new(*rows, row_json(database, row, view, failure)) != 0)
            fail_memory(failure, "the rows of the database");
    if (failure->kind == FAIL_NONE && code != SQLITE_DONE)
        results_fail(database, failure);
    sqlite3_finalize(row);
    if (failure->kind != FAIL_NONE) {
        json_decref(*rows);
        *rows = NULL;
    }
    return failure->kind;
}
