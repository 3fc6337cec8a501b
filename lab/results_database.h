/* results_database.h - the SQLite file of results.
 *
 * One table, `result`, with a row per result: the key by which it is found again, its kind, its
 * state, its specification and its figures, both as JSON. Its views have members of these objects
 * as columns. The caller that adds a result makes its key.
 */
#ifndef MESHCAST_LAB_RESULTS_DATABASE_H
#define MESHCAST_LAB_RESULTS_DATABASE_H

#include "base/failure.h"
#include "lab/lab.h"

#include <jansson.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum results_mode {
    RESULTS_READ,  /* the file must exist, with results, and is not changed */
    RESULTS_LOOK,  /* the same, but it may be empty: as RESULTS_WRITE would make it */
    RESULTS_WRITE, /* the file is made if it does not exist */
};

struct results_database {
    const char *path; /* the caller's, for messages */
    bool to_write;    /* opened with RESULTS_WRITE */
    bool is_empty;    /* there was no table when it was opened */
    bool is_new;      /* opened with RESULTS_WRITE, and there was no such file */
    bool is_held;     /* signals wait until it is closed */
    sqlite3 *handle;
    sqlite3_stmt *find; /* made when first used */
};

/* The states of a result: every delivery made; ended, but a check failed (an overflow, a delivery);
 * not accepted by the router or the pattern. */
#define RESULTS_DONE "done"
#define RESULTS_FAILED "failed"
#define RESULTS_REFUSED "refused"

/* The kinds of results: a run of a router, a point of latency against load. */
#define RESULTS_RUN "run"
#define RESULTS_LOAD_POINT "load_point"

/* A result to add. */
struct results_row {
    const char *key, *kind, *state;
    const char *specification, *figures; /* objects in JSON */
};

/* The program's signals, as lab_begin() set them. */
extern struct lab_signals lab_signals;

/* Fails with FAIL_SYSTEM if no database can be at that path: the folder is missing, or something
 * other than a file is there. */
enum failure_kind results_check_path(const char *path, struct failure *failure);

/* Opens a database, making it if `mode` allows; `path` must outlive it. FAIL_INPUT: the file is not
 * a database of ours, or one of another version; FAIL_SYSTEM: it cannot be opened, read or written
 * (results_close() is safe after a failure). Signals that end the program do so when the database
 * is closed, since SQLite's other files would stay: close it before long work. A connection belongs
 * to one process: it must not be used after fork(). */
enum failure_kind results_open(struct results_database *database, const char *path,
                               enum results_mode mode, struct failure *failure);
void results_close(struct results_database *database);

/* Opens several databases to be read as one, which has one row for a result that is in several of
 * them. `name`, for messages, must outlive the database. */
enum failure_kind results_open_all(struct results_database *database, const char *name,
                                   char *const path[], int count, struct failure *failure);

/* Sets the journal, "WAL" while a sweep works and "DELETE" at rest, if no other process has the
 * database open; else it stays as it is. */
void results_set_journal(struct results_database *database, const char *journal);

/* FAIL_SYSTEM: the open file no longer has its name; anything written to it would be lost. */
enum failure_kind results_check_place(struct results_database *database, struct failure *failure);

/* Finds the result of this key. If it has its row, sets *outcome (unless it is NULL) to FAIL_NONE,
 * FAIL_CHECK if it failed, or FAIL_USAGE if it was refused, and *figures (unless it is NULL) to its
 * figures, for the caller to free; else sets *outcome to RESULTS_MISSING. */
enum { RESULTS_MISSING = -1 };
enum failure_kind results_find(struct results_database *database, const char *key, int *outcome,
                               char **figures, struct failure *failure);

/* Adds a result; does nothing if the key is already there. FAIL_SYSTEM: it could not be written, or
 * the file was removed. */
enum failure_kind results_add(struct results_database *database, const struct results_row *row,
                              struct failure *failure);

/* Runs a statement. Sets *rows to an array with an object for each row that it yields, under the
 * names of its columns, with texts that are fit to be shown; the caller owns it. With `view`, whose
 * number is the first column, a text that is not UTF-8 is FAIL_INPUT. NULL after a failure. */
enum failure_kind results_query(struct results_database *database, const char *view,
                                const char *sql, json_t **rows, struct failure *failure);

/* Runs statements that yield nothing. In one transaction, "BEGIN", many queries cost much less than
 * each in its own. */
enum failure_kind results_execute(struct results_database *database, const char *sql,
                                  struct failure *failure);

/* Makes the table and its views, or only the views, for this connection; keeps temporary tables in
 * memory. */
enum failure_kind results_make_schema(struct results_database *database, bool is_of_connection,
                                      struct failure *failure);

/* Fills `failure` from the database's last error. */
enum failure_kind results_fail(struct results_database *database, struct failure *failure);

/* The message on a text that is not UTF-8: the row's number, the view, the column. */
#define RESULTS_NOT_UTF8 "row %lld of its table %s has a '%s' that is not UTF-8 text"

/* Writes `pattern` for each of the words, which blanks separate, with the word instead of each
 * '#'. */
void results_write_each(FILE *out, const char *words, const char *pattern);

#endif
