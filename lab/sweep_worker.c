/* sweep_worker.c - finds a run that is not there, claims it, does it, stores it.
 *
 * Method: the plan is gone through in its order, round after round. Runs whose rows are there are
 * done; of the others those that can be claimed (sweep/claim.h) are looked up once more, since
 * their row may have come in between, and then run. The rounds end when every run is stored. A run
 * that stays claimed by others is looked at again every PAUSE.
 *
 * How a run is done: sweep/sweep_runner.c.
 */
#include "lab/sweep_worker.h"

#include "base/stopwatch.h"
#include "console/available_memory.h"
#include "lab/claim.h"
#include "lab/results_database.h"
#include "lab/sweep_hash.h"
#include "lab/sweep_runner.h"

#include <inttypes.h>
#include <poll.h>
#include <unistd.h>

enum { PAUSE = 100 }; /* milliseconds */

struct worker {
    const struct sweep_worker_task *task;
    struct claim_file claims;
    struct results_database database;
    struct sweep_runner runner;
};

/* ---- to the parent ---- */

/* A parent that is gone is found by the life line. */
static void tell(const struct worker *worker, const struct sweep_message *message)
{
    struct sweep_message whole = *message;
    whole.worker = worker->task->worker;
    (void)!write(worker->task->messages, &whole, sizeof whole);
}

static void tell_failure(const struct worker *worker, uint64_t run, enum sweep_event event,
                         const struct failure *failure)
{
    struct sweep_message message = {.run = run, .event = event, .kind = failure->kind};
    struct failure whole = *failure;
    available_memory_name_force(&whole);
    snprintf(message.text, sizeof message.text, "%.*s", (int)sizeof message.text - 1, whole.text);
    tell(worker, &message);
}

/* Waits so long for the life line's end; true if it has come. */
static bool is_over(const struct worker *worker, int milliseconds)
{
    struct pollfd life_line = {.fd = worker->task->life_line, .events = POLLIN};
    return poll(&life_line, 1, milliseconds) > 0;
}

/* The run is claimed and not there. */
static enum failure_kind do_run(struct worker *worker, uint64_t index, const struct sweep_case *run,
                                const char *identity, struct failure *failure)
{
    const struct failure *outcome = &worker->runner.report.failure;
    struct sweep_message message = {.run = index, .event = SWEEP_BEGUN};
    tell(worker, &message);
    double begun = stopwatch_seconds();

    sweep_runner_do(&worker->runner, run);
    if (!sweep_runner_has_row(&worker->runner)) {
        tell_failure(worker, index, SWEEP_UNDONE, outcome);
        return FAIL_NONE;
    }
    if (sweep_runner_store(&worker->runner, run, identity, &worker->database, failure) != FAIL_NONE)
        return failure->kind;
    message = (struct sweep_message){.run = index,
                                     .event = SWEEP_STORED,
                                     .kind = outcome->kind,
                                     .seconds = stopwatch_seconds() - begun};
    snprintf(message.text, sizeof message.text, "%.*s", (int)sizeof message.text - 1,
             outcome->text);
    tell(worker, &message);
    return FAIL_NONE;
}

/* ---- the rounds ---- */

/* Sets *settled if the run needs no more of this worker. */
static enum failure_kind take_run(struct worker *worker, uint64_t index, bool *settled,
                                  struct failure *failure)
{
    char identity[SWEEP_IDENTITY_SIZE];
    struct sweep_case run = sweep_plan_case(worker->task->plan, index);
    sweep_case_identity(&run, identity);
    uint64_t hash = sweep_hash_text(identity);
    enum failure_kind outcome = FAIL_NONE;
    bool found;
    if (results_check_place(&worker->database, failure) != FAIL_NONE ||
        results_find(&worker->database, identity, &found, &outcome, NULL, failure) != FAIL_NONE)
        return failure->kind;
    if (!found) {
        if (claim_try(&worker->claims, hash, settled, failure) != FAIL_NONE || !*settled)
            return failure->kind;
        /* its row may have come before the claim was free */
        if (results_find(&worker->database, identity, &found, &outcome, NULL, failure) ==
                FAIL_NONE &&
            !found)
            do_run(worker, index, &run, identity, failure);
        claim_release(&worker->claims, hash);
    }
    *settled = true;
    if (found)
        tell(worker, &(struct sweep_message){.run = index, .event = SWEEP_FOUND, .kind = outcome});
    return failure->kind;
}

/* Goes through the plan; *left counts the runs that others are doing. */
static enum failure_kind work_round(struct worker *worker, uint64_t *left, struct failure *failure)
{
    bool *is_there = worker->task->is_there;
    *left = 0;
    for (uint64_t i = 0; i < worker->task->plan->runs; i++) {
        if (is_there[i])
            continue;
        if (is_over(worker, 0))
            return FAIL_NONE;
        if (take_run(worker, i, &is_there[i], failure) != FAIL_NONE) {
            tell_failure(worker, i, SWEEP_BROKEN, failure);
            return failure->kind;
        }
        *left += !is_there[i];
    }
    return FAIL_NONE;
}

void sweep_work(const struct sweep_worker_task *task)
{
    struct worker own = {.task = task,
                         .runner = {.plan = task->plan,
                                    .threads = task->threads,
                                    .memory = task->memory,
                                    .shares_memory = task->shares_memory}},
                  *worker = &own;
    struct failure failure = {0};
    uint64_t left = 1;
    if (claim_open(&worker->claims, task->path, &failure) == FAIL_NONE &&
        results_open(&worker->database, task->path, RESULTS_WRITE, &failure) == FAIL_NONE) {
        while (!is_over(worker, 0) && work_round(worker, &left, &failure) == FAIL_NONE &&
               left != 0) {
            tell(worker, &(struct sweep_message){.event = SWEEP_WAITS});
            is_over(worker, PAUSE);
        }
    } else {
        tell_failure(worker, 0, SWEEP_BROKEN, &failure);
    }
    results_close(&worker->database);
    claim_close(&worker->claims); /* after the database, see sweep/claim.h */
    sweep_runner_free(&worker->runner);
}
