/* results_database.h - the SQLite file of results: whose it is, what is in it, how a result enters.
 *
 * One table with a row for each result (lab/results_schema.c): the key by which it is found again,
 * its state, its specification and its figures, both as JSON. The caller that adds a result makes
 * its key.
 */
#ifndef MESHCAST_LAB_RESULTS_DATABASE_H
#define MESHCAST_LAB_RESULTS_DATABASE_H

#include "base/failure.h"

#include <jansson.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum results_mode {
    RESULTS_READ,  /* the file must be there, with results, and is not changed */
    RESULTS_LOOK,  /* the same, but it may be empty: what RESULTS_WRITE would begin with */
    RESULTS_WRITE, /* the file is made if it is not there */
};

struct results_database {
    const char *path; /* the caller's, for messages */
    bool to_write;    /* of RESULTS_WRITE */
    bool is_empty;    /* there was no table when it was opened */
    bool is_new;      /* of RESULTS_WRITE: there was no such file */
    bool is_held;     /* signals wait until it is closed */
    sqlite3 *handle;
    sqlite3_stmt *find; /* made when first used */
};

/* The states of a result. */
#define RESULTS_DONE "done"       /* every delivery made */
#define RESULTS_FAILED "failed"   /* it ended, but a check failed: an overflow, a delivery */
#define RESULTS_REFUSED "refused" /* router or pattern does not accept these parameters */

/* The kinds of results: a run of a router, a point of latency against load. */
#define RESULTS_RUN "run"
#define RESULTS_LOAD_POINT "load_point"

/* A result to add. */
struct results_row {
    const char *key, *kind, *state;
    const char *specification, *figures; /* objects in JSON */
};

/* Opens a database, making it if `mode` allows; `path` must outlive it. FAIL_INPUT: the file is not
 * a database of ours, or one of another version; FAIL_SYSTEM: it cannot be opened, read or written
 * (results_close() is safe after a failure). Signals that end the program do so when the database
 * is closed, since SQLite's other files would stay: close it before what takes long. A connection
 * belongs to one process: it is not carried through fork(). */
enum failure_kind results_open(struct results_database *database, const char *path,
                               enum results_mode mode, struct failure *failure);
void results_close(struct results_database *database);

/* Opens several databases to be read as one, which has one row for a result that several of them
 * hold; a single one is opened by results_open(). `name`, for messages, must outlive the database.
 */
enum failure_kind results_open_all(struct results_database *database, const char *name,
                                   const char *const path[], int count, struct failure *failure);

/* Sets the journal, "WAL" while a sweep works and "DELETE" at rest, if no other process has the
 * database open; else it stays as it is. */
void results_set_journal(struct results_database *database, const char *journal);

/* FAIL_SYSTEM: the open file no longer has its name; what is written is lost. */
enum failure_kind results_check_place(struct results_database *database, struct failure *failure);

/* If the result of this key has its row sets, unless they are NULL, *outcome to FAIL_NONE, FAIL_CHECK if it failed, FAIL_USAGE
 * if it was refused, and *figures to its figures, for the caller to free; else it sets *outcome to RESULTS_MISSING. */
enum { RESULTS_MISSING = -1 };
enum failure_kind results_find(struct results_database *database, const char *key, int *outcome,
                               char **figures, struct failure *failure);

/* Adds a result; does nothing if one of that key is there. FAIL_SYSTEM: it could not be written, or
 * the file has been removed. */
enum failure_kind results_add(struct results_database *database, const struct results_row *row,
                              struct failure *failure);

/* Sets *rows to an array with an object for each row that the query yields, under the names of its
 * columns, with texts that are fit to be shown; the caller owns it. With `view`, whose number is
 * the first column, a text that is not UTF-8 is FAIL_INPUT. NULL after a failure. */
enum failure_kind results_query(struct results_database *database, const char *view,
                                const char *sql, json_t **rows, struct failure *failure);

/* What is told of a text that is not UTF-8: the row's number, the view, the column. */
#define RESULTS_NOT_UTF8 "row %lld of its table %s has a '%s' that is not UTF-8 text"

/* Returns a text that is fit to be shown; the caller owns it. NULL: no memory. */
json_t *results_text_json(const char *text);

/* Prepares a statement; sqlite3_finalize() is the caller's. */
enum failure_kind results_prepare(struct results_database *database, const char *sql,
                                  sqlite3_stmt **statement, struct failure *failure);

/* Runs statements that yield nothing. In one transaction, "BEGIN", many questions cost much less
 * than each in its own. */
enum failure_kind results_execute(struct results_database *database, const char *sql,
                                  struct failure *failure);

/* Ends a transaction that is under way, undoing it; the first failure is kept. */
enum failure_kind results_roll_back(struct results_database *database, struct failure *failure);

/* Fills `failure` from the database's last error. */
enum failure_kind results_fail(struct results_database *database, struct failure *failure);

#endif
