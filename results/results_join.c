/* results_join.c - several databases, read as one.
 *
 * Method: all rows are copied into a database that SQLite keeps for this connection, in memory and in a file without a name.
 * The key is unique there, so a result that several databases hold is taken once, from the first.
 */
#include "results/results_database.h"
#include "results/results_schema.h"

#include <stdlib.h>

static enum failure_kind execute(struct results_database *database, const char *sql,
                                 struct failure *failure)
{
    if (sqlite3_exec(database->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
        return results_fail(database, failure);
    return FAIL_NONE;
}

/* Copies the rows of a database that are not there yet. */
static enum failure_kind copy_rows(struct results_database *to, struct results_database *from,
                                   struct failure *failure)
{
    sqlite3_stmt *row;
    int code = SQLITE_DONE;
    if (results_prepare(from,
                        "SELECT key, kind, state, specification, figures FROM result ORDER BY id",
                        &row, failure) != FAIL_NONE)
        return failure->kind;
    while (failure->kind == FAIL_NONE && (code = sqlite3_step(row)) == SQLITE_ROW) {
        const char *text[RESULTS_TEXTS];
        for (int i = 0; i < RESULTS_TEXTS; i++)
            text[i] = (const char *)sqlite3_column_text(row, i);
        results_add_texts(to, text, failure);
    }
    if (failure->kind == FAIL_NONE && code != SQLITE_DONE)
        results_fail(from, failure);
    sqlite3_finalize(row);
    return failure->kind;
}

static enum failure_kind make(struct results_database *database, struct failure *failure)
{
    char *schema = results_schema_text(false);
    if (schema == NULL)
        return fail_memory(failure, "the tables of the database");
    if (sqlite3_open_v2("", &database->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK)
        results_fail(database, failure);
    else
        execute(database, schema, failure);
    free(schema);
    return failure->kind;
}

enum failure_kind results_open_all(struct results_database *database, const char *name,
                                   const char *const path[], int count, struct failure *failure)
{
    if (count == 1)
        return results_open(database, path[0], RESULTS_READ, failure);
    *database = (struct results_database){.path = name};
    if (make(database, failure) == FAIL_NONE)
        results_begin(database, failure);
    for (int i = 0; i < count && failure->kind == FAIL_NONE; i++) {
        struct results_database part;
        if (results_open(&part, path[i], RESULTS_READ, failure) == FAIL_NONE)
            copy_rows(database, &part, failure);
        results_close(&part);
    }
    if (failure->kind == FAIL_NONE)
        execute(database, "COMMIT", failure);
    if (failure->kind != FAIL_NONE)
        results_close(database);
    return failure->kind;
}
