/* sweep_run.c - the parent of a sweep's workers.
 *
 * Method: `jobs` children are forked before anything has made a thread; each does runs and stores
 * them by itself (sweep/sweep_worker.c). Two pipes join them with the parent. On one they tell what
 * they do. The other, the life line, carries nothing: the parent holds its only writing end, so it
 * ends when the parent ends it or dies, however it dies, and then no child begins another run.
 *
 * Signals are blocked in the parent and its children; the parent asks for them between messages, so
 * nothing is ever interrupted half way. The first SIGINT, SIGTERM or SIGHUP ends the life line and
 * waits for the runs under way; the second one, or another signal, kills the children, which loses
 * those runs and no more. The parent then removes what SQLite left beside the database.
 */
#include "lab/sweep_run.h"

#include "console/available_memory.h"
#include "console/interruption.h"
#include "console/progress.h"
#include "lab/results_database.h"
#include "lab/results_path.h"
#include "lab/sweep_progress.h"
#include "lab/sweep_worker.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK = 200 }; /* milliseconds between two looks at signals and the progress line */

_Static_assert(sizeof(struct sweep_message) <= 512, "a message is written whole");

struct sweep {
    const struct sweep_plan *plan;
    const struct sweep_settings *settings;
    struct sweep_outcome *outcome;
    struct stat file; /* which file the database is */
    bool *is_there;   /* [runs]: known to be stored */
    bool *is_undone;  /* [runs]: a worker could not do it */
    uint64_t memory;  /* bytes that each run may take */
    pid_t *child;     /* [jobs], 0 where there is none */
    bool has_killed;
    int life_line[2], messages[2];
    sigset_t signals;
    struct sweep_progress progress;
};

static void count_outcome(struct sweep_outcome *outcome, enum failure_kind kind)
{
    outcome->failed += kind == FAIL_CHECK;
    outcome->refused += kind == FAIL_USAGE;
}

/* Marks the runs that are stored and counts how they ended. */
static enum failure_kind find_all(const struct sweep_plan *plan, struct results_database *database,
                                  bool quiet, bool *is_there, struct sweep_outcome *outcome,
                                  struct failure *failure)
{
    struct progress progress;
    progress_begin(&progress, "sweep: runs looked up", quiet);
    results_execute(database, "BEGIN", failure);
    for (uint64_t i = 0; i < plan->runs && failure->kind == FAIL_NONE; i++) {
        char identity[SWEEP_IDENTITY_SIZE];
        enum failure_kind kind = FAIL_NONE;
        struct sweep_case run = sweep_plan_case(plan, i);
        sweep_case_identity(&run, identity);
        results_find(database, identity, &is_there[i], &kind, NULL, failure);
        outcome->there += is_there[i];
        count_outcome(outcome, kind);
        progress_count(&progress, i + 1, plan->runs);
    }
    progress_end(&progress);
    return results_roll_back(database, failure);
}

enum failure_kind sweep_find_stored(const struct sweep_plan *plan, const char *path, bool quiet,
                                    bool *is_there, struct failure *failure)
{
    struct results_database database;
    struct sweep_outcome outcome = {0};
    memset(is_there, 0, plan->runs * sizeof *is_there);
    if (results_check_path(path, failure) != FAIL_NONE)
        return failure->kind;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return FAIL_NONE;
    if (results_open(&database, path, RESULTS_LOOK, failure) == FAIL_NONE && !database.is_empty)
        find_all(plan, &database, quiet, is_there, &outcome, failure);
    results_close(&database);
    return failure->kind;
}

/* ---- children ---- */

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

static void be_worker(struct sweep *sweep, uint32_t index)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* without its parent nobody would hear of its run */
#endif
    struct sweep_worker_task task = {
        .plan = sweep->plan,
        .path = sweep->settings->path,
        .worker = index,
        .threads = sweep->settings->threads,
        .memory = sweep->memory,
        .shares_memory = sweep->settings->jobs > 1,
        .is_there = sweep->is_there,
        .life_line = sweep->life_line[0],
        .messages = sweep->messages[1],
    };
    close_end(&sweep->life_line[1]);
    close_end(&sweep->messages[0]);
    signal(SIGPIPE, SIG_IGN);
    sweep_work(&task);
    _exit(0);
}

/* After the system has refused a process. */
static void go_on_with(struct sweep *sweep, uint32_t workers)
{
    sweep->progress.jobs = workers;
    if (!sweep->settings->quiet)
        fprintf(stderr,
                "meshcast sweep: the system gave %" PRIu32 " of %" PRIu32
                " processes; the sweep goes on with %s\n",
                workers, sweep->settings->jobs, workers == 1 ? "one" : "these");
}

static enum failure_kind start_workers(struct sweep *sweep, struct failure *failure)
{
    /* before the first child takes any */
    sweep->memory = available_memory_share(available_memory_limit(sweep->settings->force),
                                           sweep->settings->jobs);
    fflush(NULL); /* what is buffered would be written by every child */
    for (uint32_t i = 0; i < sweep->settings->jobs; i++) {
        pid_t child = fork();
        if (child == 0)
            be_worker(sweep, i);
        if (child < 0 && i == 0)
            return fail(failure, FAIL_SYSTEM, "cannot start a process: %s", strerror(errno));
        if (child < 0) {
            go_on_with(sweep, i);
            break;
        }
        sweep->child[i] = child;
    }
    return FAIL_NONE;
}

static void kill_workers(struct sweep *sweep)
{
    sweep->has_killed = true;
    for (uint32_t i = 0; i < sweep->settings->jobs; i++)
        if (sweep->child[i] != 0)
            kill(sweep->child[i], SIGKILL);
}

/* A child that died has left its run to the others; `died` tells of the first. */
static void wait_for_workers(struct sweep *sweep, struct failure *died)
{
    for (uint32_t i = 0; i < sweep->settings->jobs; i++) {
        int status = 0;
        if (sweep->child[i] == 0)
            continue;
        while (waitpid(sweep->child[i], &status, 0) < 0 && errno == EINTR)
            continue;
        if (!(WIFEXITED(status) && WEXITSTATUS(status) == 0))
            fail(died, FAIL_SYSTEM,
                 "process %" PRIu32 " of the sweep died (signal %d) during: %s; the same command "
                 "goes on from here",
                 i + 1, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                 sweep_progress_run_of(&sweep->progress, i));
    }
}

/* ---- what they tell ---- */

static void take_message(struct sweep *sweep, const struct sweep_message *message,
                         struct failure *failure)
{
    struct sweep_outcome *outcome = sweep->outcome;
    switch (message->event) {
    case SWEEP_BEGUN:
        sweep_progress_begin_run(&sweep->progress, message->worker, message->run);
        return;
    case SWEEP_BROKEN:
        fail(failure, message->kind, "%s", message->text);
        close_end(&sweep->life_line[1]);
        return;
    case SWEEP_STORED:
        outcome->stored++;
        break;
    case SWEEP_FOUND:
        break;
    case SWEEP_WAITS:
        sweep_progress_wait(&sweep->progress, message->worker);
        return;
    case SWEEP_UNDONE:
        sweep->is_undone[message->run] = true;
        fail(&outcome->why_undone, message->kind, "%s", message->text);
        sweep_progress_end_run(&sweep->progress, message->worker, message->run, 0, false);
        return;
    }
    sweep_progress_end_run(&sweep->progress, message->worker, message->run,
                           message->event == SWEEP_STORED ? message->seconds : 0,
                           !sweep->is_there[message->run]);
    if (!sweep->is_there[message->run])
        count_outcome(outcome, message->kind);
    sweep->is_there[message->run] = true;
}

static void take_signal(struct sweep *sweep)
{
    int number = sigtimedwait(&sweep->signals, NULL, &(struct timespec){0});
    if (number <= 0)
        return;
    bool is_first = sweep->outcome->interrupted == 0;
    if (is_first)
        sweep->outcome->interrupted = number;
    close_end(&sweep->life_line[1]);
    sweep_progress_clear(&sweep->progress);
    if (!is_first || !interruption_is_deferrable(number)) {
        kill_workers(sweep);
        return;
    }
    if (!sweep->settings->quiet)
        fputs("meshcast sweep: the runs under way are being finished; once more gives them up\n",
              stderr);
}

/* Whoever opens a database and closes it as the last removes what one who was killed has left
 * beside it. */
static void tidy(const struct sweep *sweep)
{
    struct results_database database;
    struct failure ignored = {0};
    results_open(&database, sweep->settings->path, RESULTS_LOOK, &ignored);
    results_close(&database);
}

/* Until all children have closed their end. */
static void listen(struct sweep *sweep, struct failure *failure)
{
    for (;;) {
        struct sweep_message message;
        struct pollfd messages = {.fd = sweep->messages[0], .events = POLLIN};
        int ready = poll(&messages, 1, TICK);
        take_signal(sweep);
        if (ready > 0) {
            ssize_t length = read(sweep->messages[0], &message, sizeof message);
            if (length == (ssize_t)sizeof message)
                take_message(sweep, &message, failure);
            else if (length == 0 || errno != EINTR)
                return;
        }
        sweep_progress_show(&sweep->progress);
    }
}

/* ---- the whole ---- */

/* Whether nothing is missing. Who found a run stored may say so before who stored it, so what
 * others did is a difference. */
static bool count_runs(struct sweep *sweep)
{
    struct sweep_outcome *outcome = sweep->outcome;
    uint64_t stored = 0;
    for (uint64_t i = 0; i < sweep->plan->runs; i++) {
        stored += sweep->is_there[i];
        outcome->undone += sweep->is_undone[i] && !sweep->is_there[i];
    }
    outcome->others = stored - outcome->there - outcome->stored;
    return stored + outcome->undone == sweep->plan->runs;
}

static enum failure_kind work(struct sweep *sweep, struct failure *failure)
{
    sigset_t before;
    struct failure died = {0};
    interruption_signals(&sweep->signals);
    sigprocmask(SIG_BLOCK, &sweep->signals, &before);

    if (start_workers(sweep, failure) != FAIL_NONE)
        close_end(&sweep->life_line[1]);
    close_end(&sweep->life_line[0]);
    close_end(&sweep->messages[1]);
    listen(sweep, failure);
    sweep_progress_clear(&sweep->progress);
    wait_for_workers(sweep, &died);
    if (sweep->has_killed)
        tidy(sweep);
    if (!count_runs(sweep) && failure->kind == FAIL_NONE && sweep->outcome->interrupted == 0)
        *failure = died;

    take_signal(sweep); /* one that came at the very end */
    sigprocmask(SIG_SETMASK, &before, NULL);
    return failure->kind;
}

static enum failure_kind fail_lost(const struct sweep *sweep, struct failure *failure)
{
    return fail(failure, FAIL_SYSTEM,
                "%.200s was removed, renamed or replaced during the sweep, and the %" PRIu64
                " runs that it held went with it; the same command begins anew",
                sweep->settings->path, sweep->outcome->there + sweep->outcome->stored);
}

/* The file must still be the one that was begun with: workers see the same, but for what happens
 * behind their last run. */
static enum failure_kind check_file(const struct sweep *sweep, struct failure *failure)
{
    struct stat now;
    bool is_same = stat(sweep->settings->path, &now) == 0 && now.st_dev == sweep->file.st_dev &&
                   now.st_ino == sweep->file.st_ino;
    if (!is_same) {
        sweep->outcome->lost = true;
        *failure = (struct failure){0};
        return fail_lost(sweep, failure);
    }
    return failure->kind;
}

static enum failure_kind open_all(struct sweep *sweep, struct failure *failure)
{
    uint32_t jobs = sweep->settings->jobs;
    sweep->child = memory_allocate(jobs, sizeof *sweep->child);
    sweep->is_there = memory_allocate(sweep->plan->runs, sizeof *sweep->is_there);
    sweep->is_undone = memory_allocate(sweep->plan->runs, sizeof *sweep->is_undone);
    if (sweep->child == NULL || sweep->is_there == NULL || sweep->is_undone == NULL)
        return fail_memory(failure, "the runs of the sweep");
    if (pipe(sweep->life_line) != 0 || pipe(sweep->messages) != 0)
        return fail(failure, FAIL_SYSTEM, "cannot make a pipe: %s", strerror(errno));

    /* The file is made, or refused, here, where it can be told; children open it by themselves. */
    struct results_database database;
    if (results_open(&database, sweep->settings->path, RESULTS_WRITE, failure) == FAIL_NONE)
        find_all(sweep->plan, &database, sweep->settings->quiet, sweep->is_there, sweep->outcome,
                 failure);
    results_close(&database);
    if (failure->kind != FAIL_NONE)
        return failure->kind;
    if (stat(sweep->settings->path, &sweep->file) != 0)
        return fail_lost(sweep, failure);
    return sweep_progress_open(&sweep->progress, sweep->plan, sweep->is_there, jobs,
                               sweep->settings->quiet, failure);
}

enum failure_kind sweep_run(const struct sweep_plan *plan, const struct sweep_settings *settings,
                            struct sweep_outcome *outcome, struct failure *failure)
{
    struct sweep sweep = {.plan = plan,
                          .settings = settings,
                          .outcome = outcome,
                          .life_line = {-1, -1},
                          .messages = {-1, -1}};
    *outcome = (struct sweep_outcome){0};
    if (open_all(&sweep, failure) == FAIL_NONE && outcome->there < plan->runs) {
        work(&sweep, failure);
        check_file(&sweep, failure);
    }
    for (int i = 0; i < 2; i++) {
        close_end(&sweep.life_line[i]);
        close_end(&sweep.messages[i]);
    }
    sweep_progress_close(&sweep.progress);
    free(sweep.child);
    free(sweep.is_there);
    free(sweep.is_undone);
    return failure->kind;
}
