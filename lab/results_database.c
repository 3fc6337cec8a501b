/* results_database.c - opens the database of results and reports what can be wrong with it.
 *
 * Method: the file's header says whose it is (application_id) and of which version (user_version).
 * An empty file, or one that does not exist, becomes a database in one transaction, within which it
 * is identified again: of two processes that come at once one makes the table and the other finds
 * it.
 *
 * A database at rest is one file that can be read everywhere. Only while a sweep works on it is its
 * journal a write-ahead log (WAL), in which readers and one writer do not wait for each other, and
 * a row does not wait for the disk. Writers wait for PATIENCE.
 *
 * synchronous = NORMAL: committed rows survive the end of any process, kill -9 included, and a loss
 * of power takes the last runs of a sweep at worst; the file is whole in either case.
 */
#include "lab/results_database.h"

#include "base/printable.h"
#include "lab/results_path.h"
#include "lab/results_schema.h"
#include "lab/signal_hold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <time.h>
#include <unistd.h>

enum { PATIENCE = 60000, PAUSE = 10 }; /* milliseconds */
enum { OPERATIONS = 10000 };           /* SQLite's, between two looks at a signal */

/* ---- failures ---- */

static enum failure_kind fail_damaged(const char *path, const char *how, struct failure *failure)
{
    return fail(failure, FAIL_INPUT,
                "%.200s is damaged (%.*s); 'sqlite3 FILE .recover' saves what can be read", path,
                (int)strcspn(how, "\n"), how);
}

/* `code` is SQLite's extended one, of SQLITE_IOERR or SQLITE_FULL. */
static enum failure_kind fail_disk(const char *path, int code, const char *reason,
                                   struct failure *failure)
{
    switch (code) {
    case SQLITE_FULL:
    case SQLITE_IOERR_WRITE:
    case SQLITE_IOERR_FSYNC:
    case SQLITE_IOERR_DIR_FSYNC:
    case SQLITE_IOERR_TRUNCATE:
    case SQLITE_IOERR_SHMSIZE:
        return fail(failure, FAIL_SYSTEM,
                    "cannot write to %.200s: the disk is full or failed (%s); the runs that were "
                    "stored are safe",
                    path, reason);
    case SQLITE_IOERR_READ:
    case SQLITE_IOERR_CORRUPTFS:
        return fail(failure, FAIL_SYSTEM, "cannot read %.200s: the disk failed (%s)", path, reason);
    default:
        return fail(failure, FAIL_SYSTEM, "cannot read or write %.200s (%s)", path, reason);
    }
}

static bool is_interrupted(void)
{
    return signal_hold_is_due() || signal_hold_is_noted();
}

enum failure_kind results_fail(struct results_database *database, struct failure *failure)
{
    const char *path = database->path;
    const char *reason = database->handle == NULL ? "no memory" : sqlite3_errmsg(database->handle);
    switch (sqlite3_errcode(database->handle) & 0xff) {
    case SQLITE_NOTADB:
        return fail(failure, FAIL_INPUT, "%.200s is not an SQLite database; nothing was changed",
                    path);
    case SQLITE_CORRUPT:
        return fail_damaged(path, reason, failure);
    case SQLITE_MISMATCH: /* of the functions of results_functions.h */
        return fail(failure, FAIL_INPUT, "%.200s is damaged: %s", path, reason);
    case SQLITE_ERROR: /* the statements are right, so the tables are not */
    case SQLITE_CONSTRAINT:
        return fail(failure, FAIL_INPUT,
                    "%.200s is damaged: its tables are not those of 'meshcast sweep' (%s)", path,
                    reason);
    case SQLITE_READONLY:
        return results_fail_path(path, true, reason, failure);
    case SQLITE_IOERR:
    case SQLITE_FULL:

        return fail_disk(path, sqlite3_extended_errcode(database->handle), reason, failure);
    case SQLITE_CANTOPEN:
        if (sqlite3_system_errno(database->handle) != 0)
            reason = strerror(sqlite3_system_errno(database->handle));
        return results_fail_path(path, database->to_write, reason, failure);
    case SQLITE_INTERRUPT:
        return fail(failure, FAIL_INTERRUPTED, "interrupted");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        if (is_interrupted())
            return fail(failure, FAIL_INTERRUPTED, "interrupted");
        return fail(failure, FAIL_SYSTEM, "another program has kept %.200s locked for %d s", path,
                    PATIENCE / 1000);
    case SQLITE_NOMEM: /* whatever it was for */
        return fail(failure, FAIL_SYSTEM, "%.200s: out of memory", path);
    default:
        return fail(failure, FAIL_SYSTEM, "%.200s: %s", path, reason);
    }
}

/* ---- statements ---- */

enum failure_kind results_prepare(struct results_database *database, const char *sql,
                                  sqlite3_stmt **statement, struct failure *failure)
{
    if (sqlite3_prepare_v2(database->handle, sql, -1, statement, NULL) != SQLITE_OK)
        return results_fail(database, failure);
    return FAIL_NONE;
}

enum failure_kind results_execute(struct results_database *database, const char *sql,
                                  struct failure *failure)
{
    if (sqlite3_exec(database->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
        return results_fail(database, failure);
    return FAIL_NONE;
}

enum failure_kind results_roll_back(struct results_database *database, struct failure *failure)
{
    if (sqlite3_get_autocommit(database->handle) == 0)
        results_execute(database, "ROLLBACK", failure);
    return failure->kind;
}

/* Reads the one number that a statement yields. */
static enum failure_kind read_number(struct results_database *database, const char *sql,
                                     sqlite3_int64 *number, struct failure *failure)
{
    sqlite3_stmt *statement;
    *number = 0;
    if (results_prepare(database, sql, &statement, failure) != FAIL_NONE)
        return failure->kind;
    if (sqlite3_step(statement) == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    else
        results_fail(database, failure);
    sqlite3_finalize(statement);
    return failure->kind;
}

/* ---- the file's form ---- */

/* FAIL_INPUT: the file is another program's, or of another version; is_empty: it is nobody's yet.
 * Called within a transaction, because another process may be making the table just now. */
static enum failure_kind identify(struct results_database *database, struct failure *failure)
{
    sqlite3_int64 application, version, tables;
    if (read_number(database, "PRAGMA application_id", &application, failure) != FAIL_NONE ||
        read_number(database, "PRAGMA user_version", &version, failure) != FAIL_NONE ||
        read_number(database, "SELECT count(*) FROM sqlite_schema", &tables, failure) != FAIL_NONE)
        return failure->kind;
    database->is_empty = application == 0 && version == 0 && tables == 0;
    if (database->is_empty)
        return FAIL_NONE;
    if (application != RESULTS_APPLICATION_ID)
        return fail(failure, FAIL_INPUT,
                    "%.200s is a database of another program; nothing was changed", database->path);
    if (version != RESULTS_VERSION)
        return fail(failure, FAIL_INPUT,
                    "%.200s is a database of version %lld, and this program expects version %d: %s",
                    database->path, (long long)version, RESULTS_VERSION,
                    version > RESULTS_VERSION
                        ? "use the newer meshcast that made it"
                        : "repeat the runs, with --db and the name of a new file");
    return FAIL_NONE;
}

/* Runs identify() in a transaction of its own. */
static enum failure_kind look_at(struct results_database *database, struct failure *failure)
{
    if (results_execute(database, "BEGIN", failure) == FAIL_NONE)
        identify(database, failure);
    return results_roll_back(database, failure);
}

static enum failure_kind make_table(struct results_database *database, struct failure *failure)
{
    if (results_execute(database, "BEGIN IMMEDIATE", failure) == FAIL_NONE &&
        identify(database, failure) == FAIL_NONE &&
        (!database->is_empty || results_make_schema(database, false, failure) == FAIL_NONE))
        results_execute(database, "COMMIT", failure);
    return results_roll_back(database, failure);
}

/* Waits if another process has locked the file, for the `waits`-th time; 0 gives up. SQLite calls
 * it. */
static int wait_for_lock(void *context, int waits)
{
    (void)context;
    if (is_interrupted() || waits >= PATIENCE / PAUSE)
        return 0;
    nanosleep(&(struct timespec){.tv_nsec = waits == 0 ? 0 : PAUSE * 1000000}, NULL);
    return 1;
}

void results_set_journal(struct results_database *database, const char *journal)
{
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA journal_mode = %s", journal);
    sqlite3_busy_timeout(database->handle, 0);
    sqlite3_exec(database->handle, sql, NULL, NULL, NULL);
    sqlite3_busy_handler(database->handle, wait_for_lock, NULL);
}

enum failure_kind results_check_place(struct results_database *database, struct failure *failure)
{
    int has_moved = 0;
    sqlite3_file_control(database->handle, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
    if (!has_moved)
        return FAIL_NONE;
    /* the WAL has the old name: the file that has another one now gets its contents */
    sqlite3_exec(database->handle, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
    return fail(failure, FAIL_SYSTEM, "%.200s was removed, renamed or replaced", database->path);
}

/* ---- opening ---- */

static int is_due(void *context)
{
    (void)context;
    return signal_hold_is_due();
}

/* Opens the file. Only its table counts: a view or a trigger in it may run without an end. A signal
 * ends a statement. */
static enum failure_kind open_file(struct results_database *database, int flags,
                                   struct failure *failure)
{
    char name[1024]; /* one that SQLite takes for a file, whatever it begins with */
    if (results_check_path(database->path, failure) != FAIL_NONE)
        return failure->kind;
    snprintf(name, sizeof name, "%s%s", database->path[0] == '/' ? "" : "./", database->path);
    if (sqlite3_open_v2(name, &database->handle, flags, NULL) != SQLITE_OK)
        return results_fail(database, failure);
    sqlite3_busy_handler(database->handle, wait_for_lock, NULL);
    sqlite3_progress_handler(database->handle, OPERATIONS, is_due, NULL);
    sqlite3_db_config(database->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(database->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(database->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    return FAIL_NONE;
}

static enum failure_kind open_to_write(struct results_database *database, struct failure *failure)
{
    struct statvfs disk;
    database->is_new = access(database->path, F_OK) != 0;
    if (open_file(database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, failure) != FAIL_NONE)
        return failure->kind;
    if (sqlite3_db_readonly(database->handle, "main") == 1)
        return results_fail_path(database->path, true, "it is read-only", failure);
    if (look_at(database, failure) != FAIL_NONE ||
        (database->is_empty && make_table(database, failure) != FAIL_NONE))
        return failure->kind;
    /* a WAL of the usual size, 4 MB, may be much of the room that is left */
    bool is_small =
        statvfs(database->path, &disk) == 0 && (double)disk.f_bavail * (double)disk.f_frsize < 16e6;
    return results_execute(database,
                           is_small ? "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8"
                                    : "PRAGMA synchronous = NORMAL",
                           failure);
}

static enum failure_kind open_to_read(struct results_database *database, struct failure *failure)
{
    /* who may write removes what a sweep that was killed has left beside the file */
    if (open_file(database, SQLITE_OPEN_READWRITE, failure) == FAIL_NONE)
        look_at(database, failure);
    return failure->kind;
}

/* Makes the database ready for results_read(). Pages that a damaged file names many times over
 * would be read as often, and a file of some kilobytes could hold runs without an end, so SQLite's
 * check comes first: a fifth of the time of a report. */
static enum failure_kind check_rows(struct results_database *database, struct failure *failure)
{
    sqlite3_stmt *check;
    if (results_prepare(database, "PRAGMA quick_check(result)", &check, failure) != FAIL_NONE)
        return failure->kind;
    const char *found = NULL, *title;
    if (sqlite3_step(check) == SQLITE_ROW)
        found = (const char *)sqlite3_column_text(check, 0);
    if (found == NULL)
        results_fail(database, failure);
    else if (strcmp(found, "ok") != 0) {
        title = strncmp(found, "***", 3) == 0 ? strchr(found, '\n') : NULL;
        fail_damaged(database->path, title == NULL ? found : title + 1, failure);
    }
    sqlite3_finalize(check);
    return failure->kind == FAIL_NONE ? results_make_schema(database, true, failure)
                                      : failure->kind;
}

enum failure_kind results_open(struct results_database *database, const char *path,
                               enum results_mode mode, struct failure *failure)
{
    *database =
        (struct results_database){.path = path, .to_write = mode == RESULTS_WRITE, .is_held = true};
    signal_hold_begin();
    enum failure_kind kind =
        mode == RESULTS_WRITE ? open_to_write(database, failure) : open_to_read(database, failure);
    if (kind == FAIL_NONE && mode == RESULTS_READ)
        kind = database->is_empty
                   ? fail(failure, FAIL_INPUT,
                          "%.200s holds no results; 'meshcast sweep' makes them", path)
                   : check_rows(database, failure);
    if (kind != FAIL_NONE)
        results_close(database);
    return kind;
}

void results_close(struct results_database *database)
{
    struct stat status;
    sqlite3_finalize(database->find);
    sqlite3_close(database->handle);
    database->find = NULL;
    database->handle = NULL;
    /* the disk was full before there was a table */
    if (database->is_new && stat(database->path, &status) == 0 && status.st_size == 0)
        unlink(database->path);
    database->is_new = false;
    if (database->is_held)
        signal_hold_end();
    database->is_held = false;
}
