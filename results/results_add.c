/* results_add.c - adds results to the database, and finds them again.
 *
 * Method: a row is a statement, and so a transaction: a process that is killed leaves the row or nothing. The key is
 * unique: of two processes that did the same run the second adds nothing.
 *
 * The WAL grows to 4 MB before SQLite empties it into the file. A disk without room for that may have room for the row:
 * if writing fails, the WAL is emptied and the row tried once more.
 */
#include "base/signal_hold.h"
#include "results/results_database.h"

#include <stdlib.h>
#include <string.h>

static enum failure_kind outcome_of(sqlite3_stmt *row)
{
    const char *state = (const char *)sqlite3_column_text(row, 0);
    if (state == NULL || strcmp(state, RESULTS_REFUSED) == 0)
        return FAIL_USAGE;
    return strcmp(state, RESULTS_DONE) == 0 ? FAIL_NONE : FAIL_CHECK;
}

/* Steps `database->find` to the row of the key; *found: there is one. Call reset_find() when done. */
static enum failure_kind find_row(struct results_database *database, const char *key, bool *found,
                                  struct failure *failure)
{
    *found = false;
    if (database->find == NULL &&
        results_prepare(database, "SELECT state, figures FROM result WHERE key = ?",
                        &database->find, failure) != FAIL_NONE)
        return failure->kind;
    sqlite3_bind_text(database->find, 1, key, -1, SQLITE_STATIC);
    int status = sqlite3_step(database->find);
    *found = status == SQLITE_ROW;
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        results_fail(database, failure);
    return failure->kind;
}

static enum failure_kind reset_find(struct results_database *database, struct failure *failure)
{
    sqlite3_reset(database->find);
    if (database->find != NULL)
        sqlite3_clear_bindings(database->find);
    return failure->kind;
}

enum failure_kind results_find(struct results_database *database, const char *key, bool *found,
                               enum failure_kind *outcome, struct failure *failure)
{
    if (signal_hold_is_due())
        return fail(failure, FAIL_INTERRUPTED, "interrupted");
    if (find_row(database, key, found, failure) == FAIL_NONE && *found)
        *outcome = outcome_of(database->find);
    return reset_find(database, failure);
}

enum failure_kind results_find_figures(struct results_database *database, const char *key,
                                       json_t **figures, struct failure *failure)
{
    bool found;
    json_error_t error;
    *figures = NULL;
    if (find_row(database, key, &found, failure) == FAIL_NONE && found) {
        const char *text = (const char *)sqlite3_column_text(database->find, 1);
        *figures = text == NULL ? NULL : json_loads(text, 0, &error);
        if (text == NULL ||
            (*figures == NULL && json_error_code(&error) == json_error_out_of_memory))
            fail_memory(failure, "a row of the database");
        else if (!json_is_object(*figures))
            fail(failure, FAIL_INPUT,
                 "%.200s is damaged: the figures of '%.60s' are no JSON object", database->path,
                 key);
    }
    return reset_find(database, failure);
}

/* Adds the row; *no_room: the disk had no room for it. */
static enum failure_kind try_add(struct results_database *database, const char *const text[],
                                 bool *no_room, struct failure *failure)
{
    sqlite3_stmt *statement;
    if (results_prepare(database,
                        "INSERT OR IGNORE INTO result (key, kind, state, specification, figures) "
                        "VALUES (?, ?, ?, ?, ?)",
                        &statement, failure) != FAIL_NONE)
        return failure->kind;
    for (int i = 0; i < RESULTS_TEXTS; i++)
        sqlite3_bind_text(statement, i + 1, text[i], -1, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_DONE)
        results_fail(database, failure);
    int code = sqlite3_errcode(database->handle) & 0xff;
    *no_room = code == SQLITE_FULL || code == SQLITE_IOERR;
    sqlite3_finalize(statement);
    return failure->kind;
}

enum failure_kind results_add_texts(struct results_database *database, const char *const text[],
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
    enum { FLAGS = JSON_COMPACT | JSON_SORT_KEYS };
    char *specification = json_dumps(row->specification, FLAGS);
    char *figures = json_dumps(row->figures, FLAGS);
    const char *text[] = {row->key, row->kind, row->state, specification, figures};
    if (specification == NULL || figures == NULL)
        fail_memory(failure, "a row of the database");
    else if (results_check_place(database, failure) == FAIL_NONE &&
             results_add_texts(database, text, failure) == FAIL_NONE)
        results_check_place(database, failure);
    free(specification);
    free(figures);
    return failure->kind;
}
