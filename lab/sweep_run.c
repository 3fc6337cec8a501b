/* sweep_run.c - the parent of a sweep's workers.
 *
 * Method: `jobs` children are forked before anything has made a thread; each does runs and stores
 * them by itself (lab/sweep_worker.c). What they report is in memory that they share with the
 * parent, which looks at it every TICK. A child begins no other run if the parent says so there, or
 * is gone.
 *
 * Signals are blocked in the parent and its children; the parent waits for them, so nothing is ever
 * interrupted half way. The first SIGINT, SIGTERM or SIGHUP waits for the runs under way; the
 * second one, or another signal, kills the children, which loses those runs and no more. The parent
 * then removes what SQLite left beside the database.
 *
 * The time left: the seconds of the runs done, divided by their weight, times the weight that is
 * left, divided by the jobs. It is as good as the runs are alike: routers differ by a factor of
 * ten, but each is in every part of a plan.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "lab/sweep_run.h"

#include "base/stopwatch.h"
#include "cli/interruption.h"
#include "cli/progress.h"
#include "lab/results_database.h"
#include "lab/results_path.h"
#include "lab/sweep_runner.h"
#include "lab/sweep_worker.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK = 200000000 }; /* nanoseconds between two looks at the children */

struct parent {
    struct sweep sweep;
    void *shared; /* what is shared with the children */
    size_t shared_size;
    struct sweep_outcome *outcome;
    struct stat file; /* which file the database is */
    pid_t *child;     /* [jobs], 0 where there is none */
    uint32_t jobs;    /* that the system gave */
    uint64_t there;   /* runs that were stored before */
    double weight;    /* of the others */

    struct failure died; /* of the first child that died */
    struct progress_line line;
};

/* Sets the states of the runs that are stored. */
static enum failure_kind find_all(const struct sweep_plan *plan, const char *path,
                                  enum results_mode mode, bool quiet, uint8_t *state,
                                  struct failure *failure)
{
    struct results_database database;
    struct progress progress;
    if (results_open(&database, path, mode, failure) != FAIL_NONE)
        return failure->kind;
    progress_begin(&progress, "sweep: runs looked up", quiet);
    results_execute(&database, "BEGIN", failure);
    for (uint64_t i = 0; i < plan->runs && failure->kind == FAIL_NONE && !database.is_empty; i++) {
        char identity[SWEEP_IDENTITY_SIZE];
        int outcome;
        struct sweep_case run = sweep_plan_case(plan, i);
        sweep_case_identity(&run, identity);
        if (results_find(&database, identity, &outcome, NULL, failure) == FAIL_NONE &&
            outcome != RESULTS_MISSING)
            state[i] = (uint8_t)(1 + outcome);
        progress_count(&progress, i + 1, plan->runs);
    }
    progress_end(&progress);
    results_roll_back(&database, failure);
    results_close(&database);
    return failure->kind;
}

enum failure_kind sweep_find_stored(const struct sweep_plan *plan, const char *path, bool quiet,
                                    uint8_t *is_there, struct failure *failure)
{
    if (results_check_path(path, failure) != FAIL_NONE ||
        (access(path, F_OK) != 0 && errno == ENOENT))
        return failure->kind;
    find_all(plan, path, RESULTS_LOOK, quiet, is_there, failure);
    for (uint64_t i = 0; i < plan->runs; i++)
        is_there[i] = is_there[i] != SWEEP_MISSING;
    return failure->kind;
}

/* ---- progress ---- */

/* Writes ", about 3 min left", or "" while nothing is known. */
static void describe_time(const struct parent *parent, double weight_left, char *text, size_t size)
{
    double seconds = 0, weight = 0, under_way = 0;
    for (uint32_t i = 0; i < parent->jobs; i++) {
        const struct sweep_job *job = &parent->sweep.job[i];
        double begun = job->begun;
        seconds += job->seconds;
        weight += job->weight;
        under_way += begun == 0 ? 0 : stopwatch_seconds() - begun;
    }
    double left = weight == 0 ? 0 : (seconds / weight * weight_left - under_way) / parent->jobs;
    *text = '\0';
    if (weight == 0)
        return;
    if (left < 1)
        snprintf(text, size, ", almost done");
    else if (left < 100)
        snprintf(text, size, ", about %.0f s left", left);
    else if (left < 100 * 60)
        snprintf(text, size, ", about %.0f min left", left / 60);
    else
        snprintf(text, size, ", about %.1f h left", left / 3600);
}

static void describe_run(const struct parent *parent, uint32_t job, char *text, size_t size)
{
    struct sweep_case run = sweep_plan_case(parent->sweep.plan, parent->sweep.job[job].run);
    sweep_case_describe(&run, text, size);
}

static void show_progress(struct parent *parent)
{
    char text[512], left[64], work[256] = "";
    uint64_t ended = parent->there;
    double weight = parent->weight, first = 0;
    uint32_t oldest = 0, waiting = 0;
    if (!progress_line_is_due(&parent->line))
        return;
    for (uint32_t i = 0; i < parent->jobs; i++) {
        const struct sweep_job *job = &parent->sweep.job[i];
        double begun = job->begun;
        ended += job->ended;
        weight -= job->ended_weight;
        waiting += job->waits;
        if (begun != 0 && (first == 0 || begun < first)) {
            first = begun;
            oldest = i;
        }
    }
    describe_time(parent, weight, left, sizeof left);
    if (first != 0)
        describe_run(parent, oldest, work, sizeof work);
    else if (waiting == parent->jobs)
        snprintf(work, sizeof work, "waiting for another process");
    snprintf(text, sizeof text, "sweep: %" PRIu64 " of %" PRIu64 " runs%s%s%s", ended,
             parent->sweep.plan->runs, left, *work == '\0' ? "" : "; ", work);
    progress_line_show(&parent->line, text);
}

/* ---- children ---- */

static void be_worker(struct parent *parent, uint32_t index)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* without its parent nobody would hear of its run */
#endif
    sweep_work(&parent->sweep, &parent->sweep.job[index]);
    _exit(0);
}

static enum failure_kind start_workers(struct parent *parent, struct failure *failure)
{
    struct sweep *sweep = &parent->sweep;
    const struct sweep_settings *settings = sweep->settings;
    memory_limit_share(settings->jobs); /* before the first child uses any */
    sweep->parent = getpid();
    fflush(NULL); /* what is buffered would be written by every child */
    for (parent->jobs = 0; parent->jobs < settings->jobs; parent->jobs++) {
        pid_t child = fork();
        if (child == 0)
            be_worker(parent, parent->jobs);
        if (child < 0)
            break;
        parent->child[parent->jobs] = child;
    }
    if (parent->jobs == 0)
        return fail(failure, FAIL_SYSTEM, "cannot start a process: %s", strerror(errno));
    if (parent->jobs < settings->jobs && !settings->quiet)
        fprintf(stderr,
                "meshcast sweep: the system gave %" PRIu32 " of %" PRIu32
                " processes; the sweep goes on with %s\n",
                parent->jobs, settings->jobs, parent->jobs == 1 ? "one" : "these");
    return FAIL_NONE;
}

static void take_signal(struct parent *parent, int number)
{
    bool is_first = parent->outcome->interrupted == 0;
    if (is_first)
        parent->outcome->interrupted = number;
    *parent->sweep.is_over = true;
    progress_line_clear(&parent->line);
    if (!is_first || !interruption_is_deferrable(number)) {

        for (uint32_t i = 0; i < parent->jobs; i++)
            if (parent->child[i] != 0)
                kill(parent->child[i], SIGKILL);
    } else if (!parent->sweep.settings->quiet) {
        fputs("meshcast sweep: the runs under way are being finished; once more gives them up\n",
              stderr);
    }
}

/* Forgets the children that have ended; returns how many have not. One that died has left its run
 * to the others; parent->died reports the first. */
static uint32_t count_workers(struct parent *parent)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < parent->jobs; i++) {
        int status = 0;
        char run[256];
        if (parent->child[i] == 0)
            continue;
        if (waitpid(parent->child[i], &status, WNOHANG) == 0) {
            count++;
            continue;
        }
        parent->child[i] = 0;
        describe_run(parent, i, run, sizeof run);
        parent->sweep.job[i].begun = 0;
        if (!(WIFEXITED(status) && WEXITSTATUS(status) == 0))
            fail(&parent->died, FAIL_SYSTEM,
                 "process %" PRIu32 " of the sweep died (signal %d) during: %s; the same command "
                 "goes on from here",
                 i + 1, WIFSIGNALED(status) ? WTERMSIG(status) : 0, run);
    }
    return count;
}

/* Sets the database's journal. To "DELETE", after all: one plain file is left, also if workers were
 * killed. */
static void set_journal(const struct sweep *sweep, const char *journal)
{
    struct results_database database;
    struct failure ignored = {0};
    if (results_open(&database, sweep->settings->path, RESULTS_LOOK, &ignored) == FAIL_NONE)
        results_set_journal(&database, journal);
    results_close(&database);
}

static enum failure_kind work(struct parent *parent, struct failure *failure)
{
    sigset_t before, signals, awaited;
    int number;
    interruption_signals(&signals);
    awaited = signals;
    sigaddset(&awaited, SIGCHLD);
    sigprocmask(SIG_BLOCK, &awaited, &before);
    set_journal(&parent->sweep, "WAL");
    start_workers(parent, failure);
    while (count_workers(parent) > 0) {
        number = sigtimedwait(&awaited, NULL, &(struct timespec){.tv_nsec = TICK});
        if (number > 0 && number != SIGCHLD)
            take_signal(parent, number);
        show_progress(parent);
    }
    progress_line_clear(&parent->line);
    set_journal(&parent->sweep, "DELETE");
    for (uint32_t i = 0; i < parent->jobs && failure->kind == FAIL_NONE; i++)
        *failure = parent->sweep.job[i].broken;
    number =
        sigtimedwait(&signals, NULL, &(struct timespec){0}); /* one that came at the very end */
    if (number > 0)
        take_signal(parent, number);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return failure->kind;
}

/* ---- the whole ---- */

/* Counts how the runs have ended, and by whom they were stored. True if none is missing. */
static bool count_runs(const struct parent *parent)
{
    struct sweep_outcome *outcome = parent->outcome;
    for (uint64_t i = 0; i < parent->sweep.plan->runs; i++) {
        unsigned state = parent->sweep.state[i], kind = state % SWEEP_KINDS - 1;
        bool has_row = state != SWEEP_MISSING && sweep_has_row((enum failure_kind)kind);
        outcome->undone += state != SWEEP_MISSING && !has_row;
        outcome->there += has_row && state < SWEEP_NOW;
        outcome->stored += has_row && state >= SWEEP_NOW && state < SWEEP_OTHERS;
        outcome->others += has_row && state >= SWEEP_OTHERS;
        outcome->failed += has_row && kind == FAIL_CHECK;
        outcome->refused += has_row && kind == FAIL_USAGE;
    }
    for (uint32_t i = 0; i < parent->jobs; i++)
        if (outcome->why_undone.kind == FAIL_NONE)
            outcome->why_undone = parent->sweep.job[i].undone;
    return outcome->there + outcome->stored + outcome->others + outcome->undone ==
           parent->sweep.plan->runs;
}

/* The file must still be the one that was begun with: workers see the same, but for what happens
 * after their last run. */
static enum failure_kind check_file(const struct parent *parent, struct failure *failure)
{
    struct stat now;
    const char *path = parent->sweep.settings->path;
    struct sweep_outcome *outcome = parent->outcome;
    if (stat(path, &now) == 0 && now.st_dev == parent->file.st_dev &&
        now.st_ino == parent->file.st_ino)
        return failure->kind;
    outcome->lost = true;
    *failure = (struct failure){0};
    return fail(failure, FAIL_SYSTEM,
                "%.200s was removed, renamed or replaced during the sweep, and the %" PRIu64
                " runs that it held went with it; the same command begins anew",
                path, outcome->there + outcome->stored);
}

static enum failure_kind share_memory(struct parent *parent, struct failure *failure)
{
    struct sweep *sweep = &parent->sweep;
    size_t jobs = sweep->settings->jobs * sizeof *sweep->job;
    parent->shared_size = jobs + sweep->plan->runs + 1;
    parent->shared =
        mmap(NULL, parent->shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    parent->child = memory_allocate(sweep->settings->jobs, sizeof *parent->child);
    if (parent->shared == MAP_FAILED || parent->child == NULL)
        return fail_memory(failure, "the runs of the sweep");
    sweep->job = parent->shared;
    sweep->state = (_Atomic uint8_t *)parent->shared + jobs;
    sweep->is_over = (_Atomic bool *)(sweep->state + sweep->plan->runs);
    return FAIL_NONE;
}

/* Makes the database, or refuses it, where that can be reported; children open it by themselves. */
static enum failure_kind find_stored(struct parent *parent, struct failure *failure)
{
    struct sweep *sweep = &parent->sweep;
    const struct sweep_plan *plan = sweep->plan;
    if (find_all(plan, sweep->settings->path, RESULTS_WRITE, sweep->settings->quiet,
                 (uint8_t *)sweep->state, failure) != FAIL_NONE)
        return failure->kind;
    for (uint64_t i = 0; i < plan->runs; i++) {
        struct sweep_case run = sweep_plan_case(plan, i);
        parent->there += sweep->state[i] != SWEEP_MISSING;
        parent->weight += sweep->state[i] != SWEEP_MISSING ? 0 : sweep_case_weight(&run);
    }
    if (stat(sweep->settings->path, &parent->file) != 0)
        return check_file(parent, failure);
    return FAIL_NONE;
}

enum failure_kind sweep_run(const struct sweep_plan *plan, const struct sweep_settings *settings,
                            struct sweep_outcome *outcome, struct failure *failure)
{
    struct parent parent = {.sweep = {.plan = plan, .settings = settings},
                            .shared = MAP_FAILED,
                            .outcome = outcome,
                            .line = progress_line_begin(settings->quiet)};
    *outcome = (struct sweep_outcome){0};
    if (share_memory(&parent, failure) == FAIL_NONE && find_stored(&parent, failure) == FAIL_NONE) {
        bool is_missing = parent.there < plan->runs;
        if (is_missing)
            work(&parent, failure);
        if (!count_runs(&parent) && failure->kind == FAIL_NONE && outcome->interrupted == 0)
            *failure = parent.died;
        if (is_missing)
            check_file(&parent, failure);
    }
    if (parent.shared != MAP_FAILED)
        munmap(parent.shared, parent.shared_size);
    free(parent.child);
    return failure->kind;
}
