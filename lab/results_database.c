/* results_database.c - opens the database of results, adds rows, finds them again, reads the
 * results of queries.
 *
 * Method: the file's header has its owner (application_id) and its version (user_version). An empty
 * file, or one that does not exist, becomes a database in one transaction, within which it is
 * identified again: of two processes that open it at once one makes the table and the other finds
 * it.
 *
 * Adding a row is one statement, and so a transaction: a process that is killed leaves the row or
 * nothing. The key is unique: of two processes that did the same run the second adds nothing.
 *
 * A database at rest is one file that can be read everywhere. Only while a sweep works on it is its
 * journal a write-ahead log (WAL), in which readers and one writer do not wait for each other, and
 * a row does not wait for the disk. Writers wait for PATIENCE. synchronous = NORMAL: committed rows
 * survive the end of any process, kill -9 included, and a loss of power takes the last runs of a
 * sweep at worst; the file is whole in either case.
 *
 * The views have the figures of `route --json` and of points of `load` as columns. The program
 * trusts no view of a file: it makes its own for each connection, so a new figure needs no change
 * of a database. Any other change raises VERSION.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "lab/results_database.h"

#include "base/printable.h"
#include "lab/results_tables.h"
#include "library/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 60000, PAUSE = 10 };             /* milliseconds */
enum { OPERATIONS = 10000 };                       /* SQLite's, between two checks for a signal */
enum { APPLICATION_ID = 0x6d636173, VERSION = 2 }; /* "mcas" */
enum { FOLDER_SIZE = 4096, PATH_MOST = 500, NAME_MOST = 247 }; /* SQLite accepts 512 bytes */

static void do_nothing(void)
{
}

static bool is_never(void)
{
    return false;
}

struct lab_signals lab_signals = {do_nothing, do_nothing, is_never, is_never};

/* ---- faults of a path ---- */

/* Fails with FAIL_SYSTEM: "cannot VERB PATH: WHY REASON". */
static enum failure_kind cannot(const char *verb, const char *path, const char *why,
                                const char *reason, struct failure *failure)
{
    return fail(failure, FAIL_SYSTEM, "cannot %s %.200s: %s%.200s", verb, path, why, reason);
}

/* Writes the folder of a path, with the slash at its end, or ".". */
static void write_folder(const char *path, char folder[FOLDER_SIZE])
{
    const char *slash = strrchr(path, '/');
    snprintf(folder, FOLDER_SIZE, "%.*s%s", (int)(slash == NULL ? 0 : slash - path), path,
             slash == NULL ? "." : "/");
}

enum failure_kind results_check_path(const char *path, struct failure *failure)
{
    struct stat status;
    char folder[FOLDER_SIZE];
    const char *slash = strrchr(path, '/');
    size_t length = strlen(path);
    if (path[0] != '/' && getcwd(folder, sizeof folder) != NULL)
        length += strlen(folder) + 1;
    if (length > PATH_MOST)
        return fail(failure, FAIL_SYSTEM,
                    "cannot open %.200s: the whole path has %zu bytes, and SQLite accepts %d", path,
                    length, PATH_MOST);
    if (strlen(slash == NULL ? path : slash + 1) > NAME_MOST)
        return fail(failure, FAIL_SYSTEM,
                    "cannot open %.200s: a database's name has at most %d bytes", path, NAME_MOST);
    write_folder(path, folder);
    if (stat(path, &status) != 0)
        return errno == ENOENT && stat(folder, &status) != 0 && errno == ENOENT
                   ? cannot("open", path, "there is no folder ", folder, failure)
                   : FAIL_NONE;
    if (S_ISREG(status.st_mode))
        return FAIL_NONE;
    return fail(failure, FAIL_SYSTEM, "cannot open %.200s: it is %s, not a file", path,
                S_ISDIR(status.st_mode)    ? "a folder"
                : S_ISFIFO(status.st_mode) ? "a pipe"
                                           : "a device");
}

/* Fails with FAIL_SYSTEM and the reason why a database at `path` could not be opened, or not be
 * written if `to_write`. SQLite reports the error of its last attempt: in a folder that cannot be
 * written "No such file". So the folder and the file are looked at, and the first obstacle is
 * named; `reason` is reported if there is none. A link is followed, as SQLite does: files beside
 * the database are in the real one's folder. */
static enum failure_kind fail_path(const char *path, bool to_write, const char *reason,
                                   struct failure *failure)
{
    struct stat status;
    char folder[FOLDER_SIZE], *real = realpath(path, NULL);
    int error = stat(path, &status) == 0 ? 0 : errno;
    write_folder(real == NULL ? path : real, folder);
    free(real);
    if (results_check_path(path, failure) != FAIL_NONE)
        return failure->kind;
    if (error == 0 && access(path, R_OK) != 0)
        return cannot("read", path, "", strerror(errno), failure);
    if (error == 0 && to_write && access(path, W_OK) != 0)
        return cannot("write to", path, "it is read-only: ", strerror(errno), failure);
    if (error == 0 && access(folder, W_OK | X_OK) != 0)
        return cannot("open", path,
                      "SQLite needs files beside it, and its folder cannot be written: ",
                      strerror(errno), failure);
    if (error != ENOENT)
        return cannot("open", path, "", error == 0 ? reason : strerror(error), failure);
    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
        return cannot("open", path, "it is a link to nothing", "", failure);
    if (!to_write)
        return cannot("open", path, "there is no such file", "", failure);
    if (stat(folder, &status) == 0 && status.st_nlink == 0)
        return cannot("make", path, "its folder was removed", "", failure);
    if (access(folder, W_OK | X_OK) != 0)
        return cannot("make", path, "its folder cannot be written: ", strerror(errno), failure);
    return cannot("make", path, reason, "", failure);
}

/* ---- failures ---- */

static enum failure_kind fail_damaged(const char *path, const char *how, struct failure *failure)
{
    return fail(failure, FAIL_INPUT,
                "%.200s is damaged (%.*s); 'sqlite3 FILE .recover' saves what can be read", path,
                (int)strcspn(how, "\n"), how);
}

static bool is_interrupted(void)
{
    return lab_signals.is_due() || lab_signals.is_noted();
}

#define DAMAGED "%.200s is damaged: its tables are not those of 'meshcast sweep' (%s)"
#define DISK                                                                                       \
    "cannot write to %.200s: the disk is full or failed (%s); the runs that were stored are safe"

/* The meanings of SQLite's codes, the extended ones before their kind; formats of a path and
 * SQLite's reason. */
static const struct {
    int code;
    enum failure_kind kind;
    const char *format;
} FAILURES[] = {
    {SQLITE_NOTADB, FAIL_INPUT, "%.200s is not an SQLite database; nothing was changed"},
    {SQLITE_MISMATCH, FAIL_INPUT, "%.200s is damaged: %s"}, /* of lab/results_group.c's functions */
    {SQLITE_ERROR, FAIL_INPUT, DAMAGED}, /* the statements are right, so the tables are not */
    {SQLITE_CONSTRAINT, FAIL_INPUT, DAMAGED},
    {SQLITE_FULL, FAIL_SYSTEM, DISK},
    {SQLITE_IOERR_WRITE, FAIL_SYSTEM, DISK},
    {SQLITE_IOERR_FSYNC, FAIL_SYSTEM, DISK},
    {SQLITE_IOERR_DIR_FSYNC, FAIL_SYSTEM, DISK},
    {SQLITE_IOERR_TRUNCATE, FAIL_SYSTEM, DISK},
    {SQLITE_IOERR_SHMSIZE, FAIL_SYSTEM, DISK},
    {SQLITE_IOERR_READ, FAIL_SYSTEM, "cannot read %.200s: the disk failed (%s)"},
    {SQLITE_IOERR_CORRUPTFS, FAIL_SYSTEM, "cannot read %.200s: the disk failed (%s)"},
    {SQLITE_IOERR, FAIL_SYSTEM, "cannot read or write %.200s (%s)"},
    {SQLITE_INTERRUPT, FAIL_INTERRUPTED, "interrupted"},
    {SQLITE_NOMEM, FAIL_SYSTEM, "%.200s: out of memory"}, /* in any statement */
};

enum failure_kind results_fail(struct results_database *database, struct failure *failure)
{
    const char *path = database->path;
    const char *reason = database->handle == NULL ? "no memory" : sqlite3_errmsg(database->handle);
    int extended = sqlite3_extended_errcode(database->handle), code = extended & 0xff;
    for (size_t i = 0; i < sizeof FAILURES / sizeof *FAILURES; i++)
        if (FAILURES[i].code == extended || FAILURES[i].code == code)
            return fail(failure, FAILURES[i].kind, FAILURES[i].format, path, reason);
    if (code == SQLITE_CORRUPT)
        return fail_damaged(path, reason, failure);
    if (code == SQLITE_READONLY)
        return fail_path(path, true, reason, failure);
    if (code == SQLITE_CANTOPEN) {
        int error = sqlite3_system_errno(database->handle);
        return fail_path(path, database->to_write, error == 0 ? reason : strerror(error), failure);
    }
    if ((code == SQLITE_BUSY || code == SQLITE_LOCKED) && is_interrupted())
        return fail(failure, FAIL_INTERRUPTED, "interrupted");
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return fail(failure, FAIL_SYSTEM, "another program has kept %.200s locked for %d s", path,
                    PATIENCE / 1000);
    return fail(failure, FAIL_SYSTEM, "%.200s: %s", path, reason);
}

/* ---- statements ---- */

static enum failure_kind prepare(struct results_database *database, const char *sql,
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

/* Ends a transaction that is under way, undoing it; the first failure is kept. */
static enum failure_kind roll_back(struct results_database *database, struct failure *failure)
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
    if (prepare(database, sql, &statement, failure) != FAIL_NONE)
        return failure->kind;
    if (sqlite3_step(statement) == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    else
        results_fail(database, failure);
    sqlite3_finalize(statement);
    return failure->kind;
}

/* Returns a text that is fit to be shown; the caller owns it. NULL: no memory. */
static json_t *text_json(const char *text)
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
        return text_json((const char *)sqlite3_column_text(row, column));
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
    prepare(database, sql, &row, failure);
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

/* ---- the file's form ---- */

/* Members of a run's specification, which are columns of its view. */
static const char RUN_ASKED[] =
    "workload is_file input_hash asked_parameters asked_buffer asked_degree "
    "asked_congestion asked_per_node";
void results_write_each(FILE *out, const char *words, const char *pattern)
{
    for (size_t length; *words != '\0'; words += length + (words[length] == ' ')) {
        length = strcspn(words, " ");
        for (const char *at = pattern; *at != '\0'; at++)
            if (*at == '#')
                fprintf(out, "%.*s", (int)length, words);
            else
                fputc(*at, out);
    }
}

/* Writes the figures as columns, each once; "a.b" is column a_b. */
static void write_columns(const struct figures *figures, FILE *out)
{
    const struct figure *figure, *last = NULL;
    for (uint32_t i = 0; (figure = figures_at(figures, i)) != NULL; last = figure, i++) {
        char name[64];
        snprintf(name, sizeof name, "%s", figure->key);
        char *point = strchr(name, '.');
        if (point != NULL)
            *point = '_';
        bool is_again = last != NULL && strcmp(last->key, figure->key) == 0;
        if (figure->kind != FIGURE_PHASES && figure->kind != FIGURE_EACH && !is_again)
            fprintf(out, ",\n  json_extract(figures, '$.%s') AS [%s]", figure->key, name);
    }
}

/* Writes the views; `word` is TEMP for views of a connection, or "". */
static void write_views(const char *word, FILE *out)
{
    fprintf(out, "CREATE %s VIEW run AS SELECT id, key AS identity", word);
    results_write_each(out, RUN_ASKED, ",\n  json_extract(specification, '$.#') AS [#]");
    write_columns(&route_figures, out);
    fputs(",\n  state AS outcome\n  FROM result WHERE kind = '" RESULTS_RUN "';\n", out);
    fprintf(out,
            "CREATE %s VIEW phase AS SELECT result.id AS run, part.key AS position,\n"
            "  json_extract(part.value, '$.name') AS name,\n"
            "  json_extract(part.value, '$.steps') AS steps\n"
            "  FROM result, json_each(figures, '$.phases') AS part\n"
            "  WHERE kind = '" RESULTS_RUN "';\n"
            "CREATE %s VIEW parameter AS SELECT result.id AS run, part.key AS name, part.value\n"
            "  FROM result, json_each(figures, '$.parameters') AS part\n"
            "  WHERE kind = '" RESULTS_RUN "';\n"
            "CREATE %s VIEW load_point AS SELECT id, key AS identity",
            word, word, word);
    write_columns(results_tables[RESULTS_POINTS].figures, out);
    fputs("\n  FROM result WHERE kind = '" RESULTS_LOAD_POINT "';\n", out);
}

enum failure_kind results_make_schema(struct results_database *database, bool is_of_connection,
                                      struct failure *failure)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return fail_memory(failure, "the tables of the database");
    errno = 0; /* a stream in memory that cannot grow loses text, and sets nothing else */
    if (is_of_connection)
        fputs("PRAGMA temp_store = MEMORY;\n", out);
    else
        fprintf(out,
                "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\n"
                "CREATE TABLE result (\n"
                "  id INTEGER PRIMARY KEY,\n"
                "  key TEXT NOT NULL UNIQUE,\n"
                "  kind TEXT NOT NULL,\n"
                "  state TEXT NOT NULL,\n"
                "  specification TEXT NOT NULL,\n"
                "  figures TEXT NOT NULL\n"
                ");\n",
                APPLICATION_ID, VERSION);
    write_views(is_of_connection ? "TEMP" : "", out);
    if (fclose(out) != 0 || errno == ENOMEM)
        fail_memory(failure, "the tables of the database");
    else
        results_execute(database, text, failure);
    free(text);
    return failure->kind;
}

/* Fails with FAIL_INPUT if the file is another program's, or of another version; sets is_empty if
 * it has no owner yet. Called within a transaction, because another process may be making the table
 * just now. */
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
    if (application != APPLICATION_ID)
        return fail(failure, FAIL_INPUT,
                    "%.200s is a database of another program; nothing was changed", database->path);
    if (version != VERSION)
        return fail(failure, FAIL_INPUT,
                    "%.200s is a database of version %lld, and this program expects version %d: %s",
                    database->path, (long long)version, VERSION,
                    version > VERSION ? "use the newer meshcast that made it"
                                      : "repeat the runs, with --db and the name of a new file");
    return FAIL_NONE;
}

/* Identifies the file; makes the table if it is empty and `to_make`. */
static enum failure_kind begin_file(struct results_database *database, bool to_make,
                                    struct failure *failure)
{
    if (results_execute(database, to_make ? "BEGIN IMMEDIATE" : "BEGIN", failure) == FAIL_NONE &&
        identify(database, failure) == FAIL_NONE && to_make && database->is_empty &&
        results_make_schema(database, false, failure) == FAIL_NONE)
        results_execute(database, "COMMIT", failure);
    return roll_back(database, failure);
}

/* ---- opening ---- */

/* Waits if another process has locked the file, for the `waits`-th time; returns 0 to give up.
 * SQLite calls it. */
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

static int is_due(void *context)
{
    (void)context;
    return lab_signals.is_due();
}

/* Opens the file. Only its table is used: a view or a trigger in it may run without an end. A
 * signal ends a statement. */
static enum failure_kind open_file(struct results_database *database, int flags,
                                   struct failure *failure)
{
    char name[1024]; /* a name that SQLite takes as a file, whatever it begins with */
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
        return fail_path(database->path, true, "it is read-only", failure);
    if (begin_file(database, false, failure) != FAIL_NONE ||
        (database->is_empty && begin_file(database, true, failure) != FAIL_NONE))
        return failure->kind;
    /* a WAL of the usual size, 4 MB, may be much of the remaining room */
    bool is_small =
        statvfs(database->path, &disk) == 0 && (double)disk.f_bavail * (double)disk.f_frsize < 16e6;
    return results_execute(database,
                           is_small ? "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8"
                                    : "PRAGMA synchronous = NORMAL",
                           failure);
}

/* Makes the database ready for queries. Pages that a damaged file names many times over would be
 * read as often, and a file of some kilobytes could hold endless runs, so SQLite's check comes
 * first: a fifth of the time of a report. */
static enum failure_kind check_rows(struct results_database *database, struct failure *failure)
{
    sqlite3_stmt *check;
    if (prepare(database, "PRAGMA quick_check(result)", &check, failure) != FAIL_NONE)
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

/* Opens the file for reading. A user who may write removes the files that a killed sweep has left
 * beside it. */
static enum failure_kind open_to_read(struct results_database *database, enum results_mode mode,
                                      struct failure *failure)
{
    if (open_file(database, SQLITE_OPEN_READWRITE, failure) != FAIL_NONE ||
        begin_file(database, false, failure) != FAIL_NONE || mode == RESULTS_LOOK)
        return failure->kind;
    return database->is_empty
               ? fail(failure, FAIL_INPUT, "%.200s holds no results; 'meshcast sweep' makes them",
                      database->path)
               : check_rows(database, failure);
}

enum failure_kind results_open(struct results_database *database, const char *path,
                               enum results_mode mode, struct failure *failure)
{
    *database =
        (struct results_database){.path = path, .to_write = mode == RESULTS_WRITE, .is_held = true};
    lab_signals.hold();
    enum failure_kind kind = mode == RESULTS_WRITE ? open_to_write(database, failure)
                                                   : open_to_read(database, mode, failure);
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
        lab_signals.release();
    database->is_held = false;
}

/* ---- rows ---- */

/* The columns of a row that are added. */
#define COLUMNS "key, kind, state, specification, figures"
enum { TEXTS = 5 };

enum failure_kind results_find(struct results_database *database, const char *key, int *outcome,
                               char **figures, struct failure *failure)
{
    if (lab_signals.is_due())
        return fail(failure, FAIL_INTERRUPTED, "interrupted");
    if (database->find == NULL &&
        prepare(database, "SELECT state, figures FROM result WHERE key = ?", &database->find,
                failure) != FAIL_NONE)
        return failure->kind;
    sqlite3_bind_text(database->find, 1, key, -1, SQLITE_STATIC);
    int status = sqlite3_step(database->find);
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        results_fail(database, failure);
    const char *state =
        status == SQLITE_ROW ? (const char *)sqlite3_column_text(database->find, 0) : NULL;
    if (outcome != NULL)
        *outcome = status != SQLITE_ROW                                   ? RESULTS_MISSING
                   : state == NULL || strcmp(state, RESULTS_REFUSED) == 0 ? FAIL_USAGE
                   : strcmp(state, RESULTS_DONE) == 0                     ? FAIL_NONE
                                                                          : FAIL_CHECK;
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

/* Adds the row. The WAL grows to 4 MB before SQLite empties it into the file, and a disk without
 * room for that may have room for the row: if writing fails, the WAL is emptied and the row tried
 * once more. */
static enum failure_kind add_texts(struct results_database *database, const char *const text[TEXTS],
                                   bool is_last, struct failure *failure)
{
    sqlite3_stmt *statement;
    struct failure own = {0};
    if (prepare(database, "INSERT OR IGNORE INTO result (" COLUMNS ") VALUES (?, ?, ?, ?, ?)",
                &statement, failure) != FAIL_NONE)
        return failure->kind;
    for (int i = 0; i < TEXTS; i++)
        sqlite3_bind_text(statement, i + 1, text[i], -1, SQLITE_STATIC);
    int code = sqlite3_step(statement) & 0xff;
    if (code != SQLITE_DONE)
        results_fail(database, &own);
    sqlite3_finalize(statement);
    if ((code == SQLITE_FULL || code == SQLITE_IOERR) && !is_last) {
        sqlite3_exec(database->handle, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
        return add_texts(database, text, true, failure);
    }
    return own.kind == FAIL_NONE ? FAIL_NONE : fail_as(failure, &own);
}

enum failure_kind results_add(struct results_database *database, const struct results_row *row,
                              struct failure *failure)
{
    const char *text[TEXTS] = {row->key, row->kind, row->state, row->specification, row->figures};
    if (results_check_place(database, failure) == FAIL_NONE &&
        add_texts(database, text, false, failure) == FAIL_NONE)
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
    prepare(&from, "SELECT " COLUMNS " FROM result ORDER BY id", &row, failure);
    while (failure->kind == FAIL_NONE && (code = sqlite3_step(row)) == SQLITE_ROW) {
        const char *text[TEXTS];
        for (int i = 0; i < TEXTS; i++)
            text[i] = (const char *)sqlite3_column_text(row, i);
        add_texts(to, text, true, failure);
    }
    if (failure->kind == FAIL_NONE && code != SQLITE_DONE)
        results_fail(&from, failure);
    sqlite3_finalize(row);
    results_close(&from);
    return failure->kind;
}

enum failure_kind results_open_all(struct results_database *database, const char *name,
                                   char *const path[], int count, struct failure *failure)
{
    if (count == 1)
        return results_open(database, path[0], RESULTS_READ, failure);
    /* in memory and in a file without a name, which SQLite keeps for this connection */
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
