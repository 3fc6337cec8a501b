/* results_database.h - the SQLite file of results: whose it is, what is in it, how a run enters.
 *
 * Three tables. `run`: a row a run, its identity, what was asked, every figure of `route --json`
 * under the key's name, its outcome. `phase` and `parameter`: the phases of a run in order, and its
 * parameters as used. A run enters all three in one transaction or not at all.
 */
#ifndef MESHCAST_RESULTS_RESULTS_DATABASE_H
#define MESHCAST_RESULTS_RESULTS_DATABASE_H

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
    bool is_empty;    /* of RESULTS_LOOK: there are no tables */
    bool is_alone;    /* nobody else can open it */
    bool is_new;      /* of RESULTS_WRITE: there was no such file */
    bool lacked_room; /* the disk was full */
    bool is_held;     /* signals wait until it is closed */
    sqlite3 *handle;
    sqlite3_stmt *find; /* made when first used */
};

/* The outcomes of a run. */
#define RESULTS_DONE "done"       /* every delivery made */
#define RESULTS_FAILED "failed"   /* it ended, but a check failed: an overflow, a delivery */
#define RESULTS_REFUSED "refused" /* router or pattern does not take these parameters */

/* A run as it enters. */
struct results_run {
    const char *identity, *outcome, *workload, *input_hash, *asked_parameters;
    bool is_file; /* the workload is a file, not a pattern */
    uint32_t asked_buffer, asked_degree, asked_congestion,
        asked_per_node;    /* 0: not asked, stored as NULL */
    const json_t *figures; /* the object of `route --json`; keys that are missing become NULL */
};

/* Opens a database, making it if `mode` allows; `path` must outlive it. FAIL_INPUT: the file is not
 * a database of ours, or one of a newer program; FAIL_SYSTEM: it cannot be opened, read or written
 * (results_close() is safe after a failure). Signals that end the program do so when the database is closed, since
 * SQLite's other files would stay: close it before what takes long. A connection belongs to one process: it is not
 * carried through fork(). */
enum failure_kind results_open(struct results_database *database, const char *path,
                               enum results_mode mode, struct failure *failure);
void results_close(struct results_database *database);

/* FAIL_SYSTEM: the file that is open is no more the one of that name; what is written is lost. */
enum failure_kind results_check_place(struct results_database *database, struct failure *failure);

/* Sets *found to whether the run of this identity has its row, and then *outcome: FAIL_NONE,
 * FAIL_CHECK where it failed, FAIL_USAGE where it was refused. */
enum failure_kind results_find(struct results_database *database, const char *identity, bool *found,
                               enum failure_kind *outcome, struct failure *failure);

/* Adds a run with its phases and parameters; does nothing if a run of that identity is there.
 * FAIL_SYSTEM: it could not be written, or the file has gone meanwhile. */
enum failure_kind results_add(struct results_database *database, const struct results_run *run,
                              struct failure *failure);

/* Prepares a statement; sqlite3_finalize() is the caller's. */
enum failure_kind results_prepare(struct results_database *database, const char *sql,
                                  sqlite3_stmt **statement, struct failure *failure);

/* FAIL_INPUT: the text in column `column` of a row of `table`, whose number is in column `id`, is no UTF-8. */
enum failure_kind results_check_text(const struct results_database *database, const char *table,
                                     sqlite3_stmt *row, int id, int column,
                                     struct failure *failure);

/* Begins a transaction, in which many questions cost much less than each in its own. */
enum failure_kind results_begin(struct results_database *database, struct failure *failure);

/* Ends a transaction that is under way, undoing it; the first failure is kept. */
enum failure_kind results_roll_back(struct results_database *database, struct failure *failure);

/* Fills `failure` from the database's last error. */
enum failure_kind results_fail(struct results_database *database, struct failure *failure);

#endif
