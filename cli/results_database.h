/* results_database.h - the SQLite file of results: whose it is, what is in it, how a run enters.
 *
 * Three tables. `run`: a row a run, its identity, what was asked, every figure of `route --json`
 * under the key's name, its outcome. `phase` and `parameter`: the phases of a run in order, and its
 * parameters as used. A run enters all three in one transaction or not at all.
 */
#ifndef MESHCAST_CLI_RESULTS_DATABASE_H
#define MESHCAST_CLI_RESULTS_DATABASE_H

#include "machine/failure.h"

#include <jansson.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum results_mode {
    RESULTS_READ, /* the file must be there and is not changed */
    RESULTS_WRITE /* the file is made if it is not there */
};

struct results_database {
    const char *path; /* the caller's, for messages */
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
    uint32_t asked_buffer, asked_degree, asked_congestion; /* 0: not asked, stored as NULL */
    const json_t *figures; /* the object of `route --json`; keys that are missing become NULL */
};

/* Opens a database, making it if `mode` allows; `path` must outlive it. FAIL_INPUT: the file is not
 * a database of ours, or one of a newer program; FAIL_SYSTEM: it cannot be opened, read or written
 * (results_close() is safe after a failure). A connection belongs to one process: it is not
 * carried through fork(). */
enum failure_kind results_open(struct results_database *database, const char *path,
                               enum results_mode mode, struct failure *failure);
void results_close(struct results_database *database);

/* Sets *found to whether the run of this identity has its row. */
enum failure_kind results_find(struct results_database *database, const char *identity, bool *found,
                               struct failure *failure);

/* Adds a run with its phases and parameters; does nothing if a run of that identity is there. */
enum failure_kind results_add(struct results_database *database, const struct results_run *run,
                              struct failure *failure);

/* Prepares a statement; sqlite3_finalize() is the caller's. */
enum failure_kind results_prepare(struct results_database *database, const char *sql,
                                  sqlite3_stmt **statement, struct failure *failure);

/* Fills `failure` from the database's last error. */
enum failure_kind results_fail(struct results_database *database, struct failure *failure);

#endif
