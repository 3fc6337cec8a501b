/* results_columns.c - columns that a table of an older database may lack.
 *
 * A database may have been made before some of the columns. Who reads takes NULL for them, who writes adds them first.
 */
#include "results/results_columns.h"

#include <stdio.h>
#include <string.h>

enum failure_kind results_has_column(struct results_database *database, const char *table,
                                     const char *column, bool *has, struct failure *failure)
{
    sqlite3_stmt *statement;
    if (results_prepare(database, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?", &statement,
                        failure) != FAIL_NONE)
        return failure->kind;
    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, column, -1, SQLITE_STATIC);
    int code = sqlite3_step(statement);
    *has = code == SQLITE_ROW;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        results_fail(database, failure);
    sqlite3_finalize(statement);
    return failure->kind;
}

enum failure_kind results_complete_column(struct results_database *database, const char *table,
                                          const char *column, const char *type,
                                          struct failure *failure)
{
    bool has = false;
    char sql[128], *message = NULL;
    if (results_has_column(database, table, column, &has, failure) != FAIL_NONE || has)
        return failure->kind;
    snprintf(sql, sizeof sql, "ALTER TABLE %.30s ADD COLUMN [%.30s] %s", table, column, type);
    if (sqlite3_exec(database->handle, sql, NULL, NULL, &message) == SQLITE_OK)
        return FAIL_NONE;
    has = message != NULL && strncmp(message, "duplicate column", 16) == 0;
    sqlite3_free(message);
    return has ? FAIL_NONE : results_fail(database, failure);
}
