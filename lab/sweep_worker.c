/* sweep_worker.c - finds a run that is not there, claims it, does it, stores it.
 *
 * Method: the plan is gone through in its order, round after round. Of the runs whose rows are not
 * there those that can be claimed are looked up once more, since their row may have come in
 * between, and then done. The rounds end when every run is stored. A run that stays claimed by
 * others is looked at again every PAUSE.
 *
 * A claim is an advisory lock of one byte in the database's own file, at an offset given by a hash
 * of the run's identity. Why a run is never done twice at once, and never forgotten: two cannot
 * hold the lock at once, and who comes later finds the row. A process that is killed in between
 * loses the lock with its life and leaves no row, so the run is free again. Two runs with the same
 * offset (62 bits of a hash) only wait for each other.
 *
 * SQLite locks bytes at 2^30 and the 511 after it; ours are at 2^62 and above. Locks of this kind
 * hold within one machine, as WAL does. Closing any descriptor of a file gives up all of a
 * process's locks on it, SQLite's included: the claims are opened before the database and closed
 * after it.
 *
 * How a run is done: lab/sweep_runner.c.
 */
#include "lab/sweep_worker.h"

#include "base/stopwatch.h"
#include "lab/sweep_hash.h"
#include "lab/sweep_runner.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE = 100000000 }; /* nanoseconds */

_Static_assert(sizeof(off_t) == 8, "offsets of 64 bits");

struct worker {
    const struct sweep *sweep;
    struct sweep_job *job;
    int claims; /* a descriptor of the database's file */
    struct results_database database;
    struct sweep_runner runner;
};

/* Tries to lock (F_WRLCK) the byte of a run, or unlocks it (F_UNLCK); *done: it is. */
static enum failure_kind claim(const struct worker *worker, uint64_t hash, short type, bool *done,
                               struct failure *failure)
{
    const uint64_t first = UINT64_C(1) << 62;
    struct flock lock = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)(first | (hash >> 2)), .l_len = 1};
    int status;
    do
        status = fcntl(worker->claims, F_SETLK, &lock);
    while (status != 0 && errno == EINTR);
    *done = status == 0;
    if (status == 0 || errno == EACCES || errno == EAGAIN)
        return FAIL_NONE;
    return fail(failure, FAIL_SYSTEM, "cannot lock the database's file: %s", strerror(errno));
}

static bool is_over(const struct worker *worker)
{
    return *worker->sweep->is_over || getppid() != worker->sweep->parent;
}

/* Sets the state of a run and counts it if it has a row. A fellow worker may have found the row
 * before the one that stored it says so. */
static void set_state(const struct worker *worker, uint64_t index, const struct sweep_case *run,
                      enum failure_kind kind, unsigned by)
{
    _Atomic uint8_t *state = &worker->sweep->state[index];
    struct sweep_job *job = worker->job;
    uint8_t now = SWEEP_MISSING, next = (uint8_t)(by + 1 + kind);
    bool is_first = atomic_compare_exchange_strong(state, &now, next);
    if (!is_first && by == SWEEP_NOW)
        *state = next;
    if (is_first && sweep_has_row(kind)) {
        job->ended_weight = job->ended_weight + sweep_case_weight(run);
        job->ended++;
    }
}

/* Does a run that is claimed and not there. */
static enum failure_kind do_run(struct worker *worker, uint64_t index, const struct sweep_case *run,
                                const char *identity, struct failure *failure)
{
    struct sweep_job *job = worker->job;
    struct failure outcome = {0};
    double begun = stopwatch_seconds();
    job->run = index;
    job->waits = false;
    job->begun = begun;
    sweep_runner_do(&worker->runner, run, identity, &worker->database, &outcome, failure);
    if (failure->kind == FAIL_NONE && sweep_has_row(outcome.kind)) {
        job->seconds = job->seconds + stopwatch_seconds() - begun;
        job->weight = job->weight + sweep_case_weight(run);
    } else if (job->undone.kind == FAIL_NONE) {
        job->undone = outcome;
    }
    if (failure->kind == FAIL_NONE)
        set_state(worker, index, run, outcome.kind, SWEEP_NOW);
    job->begun = 0;
    return failure->kind;
}

static enum failure_kind take_run(struct worker *worker, uint64_t index, struct failure *failure)
{
    char identity[SWEEP_IDENTITY_SIZE];
    struct sweep_case run = sweep_plan_case(worker->sweep->plan, index);
    sweep_case_identity(&run, identity);
    uint64_t hash = sweep_hash_text(identity);
    int outcome = RESULTS_MISSING;
    bool claimed = false;
    results_check_place(&worker->database, failure);
    /* twice: its row may have come before the claim was free */
    for (int i = 0; i < 2 && failure->kind == FAIL_NONE && outcome == RESULTS_MISSING; i++) {
        if (i == 1 && (claim(worker, hash, F_WRLCK, &claimed, failure) != FAIL_NONE || !claimed))
            return failure->kind;
        results_find(&worker->database, identity, &outcome, NULL, failure);
    }
    if (failure->kind == FAIL_NONE && outcome != RESULTS_MISSING)
        set_state(worker, index, &run, (enum failure_kind)outcome, SWEEP_OTHERS);
    else if (failure->kind == FAIL_NONE)
        do_run(worker, index, &run, identity, failure);
    if (claimed)
        claim(worker, hash, F_UNLCK, &claimed, failure);
    return failure->kind;
}

/* Goes through the plan; returns the number of runs that others are doing. */
static uint64_t work_round(struct worker *worker, struct failure *failure)
{
    const struct sweep *sweep = worker->sweep;
    uint64_t left = 0;
    for (uint64_t i = 0; i < sweep->plan->runs; i++) {
        if (sweep->state[i] != SWEEP_MISSING)
            continue;
        if (is_over(worker) || take_run(worker, i, failure) != FAIL_NONE)
            return 0;
        left += sweep->state[i] == SWEEP_MISSING;
    }
    return left;
}

void sweep_work(const struct sweep *sweep, struct sweep_job *job)
{
    const struct sweep_settings *settings = sweep->settings;
    struct worker worker = {.sweep = sweep,
                            .job = job,
                            .claims = open(settings->path, O_RDWR | O_CLOEXEC),
                            .runner = {.plan = sweep->plan, .threads = settings->threads}};
    struct failure failure = {0};
    if (worker.claims < 0)
        fail(&failure, FAIL_SYSTEM, "cannot open %.200s: %s", settings->path, strerror(errno));
    else
        results_open(&worker.database, settings->path, RESULTS_WRITE, &failure);
    while (failure.kind == FAIL_NONE && work_round(&worker, &failure) != 0) {
        job->waits = true;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
    }
    if (failure.kind != FAIL_NONE) {
        job->broken = failure;
        *sweep->is_over = true;
    }
    results_close(&worker.database);
    if (worker.claims >= 0)
        close(worker.claims);
    sweep_runner_free(&worker.runner);
}
