/* sweep_run.c - a sweep's processes: the parent, and the workers, which find a missing run, claim
 * it, do it, store it.
 *
 * Method: `jobs` children are forked before anything has made a thread. Their reports are in memory
 * that they share with the parent, which reads it every TICK. A child begins no other run if the
 * parent says so there, or has ended.
 *
 * A worker goes through the plan in its order, round after round. A missing run that can be claimed
 * is looked up once more, since its row may have been added in between, and then done. The rounds
 * end when every run is stored. A run that others have claimed is checked again every PAUSE.
 *
 * A claim is an advisory lock of one byte in the database's own file, at an offset given by a hash
 * of the run's identity. So a run is never done twice at once, and never forgotten: two cannot hold
 * the lock at once, and the later one finds the row. A process that is killed in between loses the
 * lock and leaves no row, so the run is free again. Two runs with the same offset (62 bits of a
 * hash) only wait for each other. SQLite locks bytes at 2^30 and the 511 after it; ours are at 2^62
 * and above. Locks of this kind hold within one machine, like WAL. Closing any descriptor of a file
 * gives up all of a process's locks on it, SQLite's included: the claims are opened before the
 * database and closed after it.
 *
 * A run is two commands of the library, `gen` (or a file that is read) and `route`; the message set
 * is kept from run to run, because routers vary fastest in a plan. A run that the router or the
 * pattern refuses, or that fails its check, is stored with its reason. One that fails because of
 * the system is not stored: the next sweep tries it again.
 *
 * Workers block all signals: those that reach the parent decide. After the first one that a command
 * defers the runs under way end; one that is due kills the workers, which loses only those runs.
 * The parent then removes SQLite's files beside the database.
 *
 * The time left: the seconds since the beginning, divided by the weight of the runs done, times the
 * remaining weight. It is as accurate as the runs are alike: routers differ by a factor of ten, but
 * each is in every part of a plan.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "lab/sweep.h"

#include "base/stopwatch.h"
#include "lab/results_database.h"
#include "library/command_set.h"
#include "library/run_options.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
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

enum { TICK = 200000000, PAUSE = 100000000 }; /* nanoseconds */

_Static_assert(sizeof(off_t) == 8, "offsets of 64 bits");

/* The state of a run is MISSING, or 1 + the failure_kind that it ended with and by whom it was
 * stored: before, by this sweep, by another process meanwhile. */
enum { MISSING, BY_US = 16, BY_OTHERS = 32, KINDS = 16 };

/* The report of a worker. The failures are read when it has ended. */
struct job {
    _Atomic uint64_t run;   /* the last one that it began */
    _Atomic double begun;   /* its time; 0 between runs */
    _Atomic bool waits;     /* others do all missing runs */
    _Atomic uint64_t ended; /* runs that it found stored or has stored, and their weight */
    _Atomic double weight;
    struct failure undone, broken; /* of a run; of the database */
};

struct parent {
    const struct sweep_plan *plan;
    const struct sweep_settings *settings;
    struct sweep_outcome *outcome;
    pid_t self;
    void *shared; /* shared with the children; the next three point into it */
    size_t shared_size;
    _Atomic bool *is_over;  /* the workers begin no more runs */
    _Atomic uint8_t *state; /* [plan->runs] */
    struct job *job;        /* [settings->jobs] */
    struct stat file;       /* identifies the database's file */
    pid_t *child;           /* [jobs], 0: none */
    uint32_t jobs;          /* number that the system gave */
    uint64_t there;         /* runs that were stored before */
    double weight, begun;   /* of the missing runs; beginning of their sweep, in seconds */
    struct failure died;    /* of the first child that died */
    char shown[640];        /* the progress line */
};

struct worker {
    struct parent *parent;
    struct job *job;
    int claims; /* a descriptor of the database's file */
    struct results_database database;
    struct meshcast_set *set; /* that of `workload` and `seed`, kept for the next run; NULL: none */
    uint64_t workload, seed;
};

/* True if a run with this outcome is stored: a failure of the system (no memory), or a changed
 * file, says nothing about the router. */
static bool has_row(enum failure_kind outcome)
{
    return outcome != FAIL_SYSTEM && outcome != FAIL_INPUT;
}

/* ---- a run: its commands ---- */

/* An option of a command, which is not set if the value is NULL. */
struct setting {
    const char *option, *value;
};

static enum failure_kind take_error(enum meshcast_status status, const struct meshcast_error *error,
                                    struct failure *failure)
{
    if (status != MESHCAST_OK) {
        fail(failure, (enum failure_kind)status, "%s", error->text);
        failure->is_memory_limit = strcmp(error->topic, "memory") == 0;
    }
    return failure->kind;
}

/* Runs a command with the settings, on a set unless that is NULL; the report, which may be NULL, is
 * the caller's. Messages name options as a user of the program knows them. */
static struct meshcast_report *run_command(const char *name, const struct setting *setting,
                                           size_t settings, const struct meshcast_set *set,
                                           struct failure *failure)
{
    struct meshcast_error error;
    struct meshcast_report *report = NULL;
    struct meshcast_command *command = meshcast_command_new(name, &error);
    if (command == NULL) {
        take_error(error.status, &error, failure);
        return NULL;
    }
    meshcast_command_set_program(command, NULL, NULL);
    for (size_t i = 0; i < settings && failure->kind == FAIL_NONE; i++)
        if (setting[i].value != NULL)
            take_error(meshcast_command_set(command, setting[i].option, setting[i].value, &error),
                       &error, failure);
    if (set != NULL && failure->kind == FAIL_NONE)
        take_error(meshcast_command_give_set(command, set, &error), &error, failure);
    if (failure->kind == FAIL_NONE)
        take_error(meshcast_command_run(command, &report, &error), &error, failure);
    meshcast_command_free(command);
    return report;
}

/* Returns the text of a number; NULL if it is 0. */
static const char *count_text(char text[32], uint64_t number)
{
    snprintf(text, 32, "%" PRIu64, number);
    return number == 0 ? NULL : text;
}

static struct meshcast_set *make_set(const struct sweep_plan *plan, const struct sweep_case *run,
                                     struct failure *failure)
{
    const struct sweep_subject *subject = run->subject;
    unsigned takes = subject->pattern->takes;
    bool has_experts = takes & PATTERN_EXPERTS, has_groups = takes & PATTERN_GROUPS,
         has_active = takes & PATTERN_POPULATIONS && plan->inputs.active != 0;
    const struct pattern_inputs none = {.per_node = 0}, *inputs = &plan->inputs;
    const struct pattern_inputs *experts = has_experts ? inputs : &none;
    const struct pattern_inputs *groups = has_groups ? inputs : &none;
    char number[7][32], active[32];
    snprintf(active, sizeof active, "%.17g", inputs->active);
    const struct setting gen[] = {
        {"pattern", subject->pattern->name},
        {"rows", count_text(number[0], run->mesh.rows)},
        {"cols", count_text(number[1], run->mesh.cols)},
        {"degree", run->value[SWEEP_DEGREES]},
        {"congestion", run->value[SWEEP_CONGESTIONS]},
        {"per-node", run->value[SWEEP_PER_NODES]},
        {"seed", count_text(number[2], run->seed)},
        {"without", subject->broken},
        {"against", subject->path},
        {"share", subject->share},
        {"algorithm", subject->algorithm},
        {"experts", count_text(number[3], experts->experts)},
        {"place", experts->place},
        {"skew", experts->skew},
        {"layer", count_text(number[4], experts->layer)},
        {"groups", count_text(number[5], groups->groups)},
        {"groups", groups->group_file},
        {"stride", count_text(number[6], groups->stride)},
        {"matrix", takes & PATTERN_POPULATIONS ? inputs->matrix : NULL},
        {"active", has_active ? active : NULL},
    };
    struct meshcast_report *report =
        run_command("gen", gen, sizeof gen / sizeof *gen, NULL, failure);
    struct meshcast_set *made = report == NULL ? NULL : meshcast_report_take_set(report);
    meshcast_report_free(report);
    return made;
}

static enum failure_kind prepare_set(struct worker *worker, const struct sweep_case *run,
                                     struct failure *failure)
{
    struct meshcast_error error = {.status = MESHCAST_OK};
    bool is_file = run->subject->pattern == NULL;
    if (sweep_check_subject(worker->parent->plan, run->subject, failure) != FAIL_NONE)
        return failure->kind;
    if (worker->set != NULL && run->workload == worker->workload &&
        (is_file || run->seed == worker->seed))
        return FAIL_NONE;
    meshcast_set_free(worker->set);
    worker->set = NULL;
    worker->workload = run->workload;
    worker->seed = run->seed;
    worker->set = is_file ? meshcast_set_read(run->subject->path, &error)
                          : make_set(worker->parent->plan, run, failure);
    return take_error(error.status, &error, failure);
}

static struct meshcast_report *route(const struct worker *worker, const struct sweep_case *run,
                                     struct failure *failure)
{
    const struct sweep_method *method = run->method;
    const char *plugin = plugin_path(method->router);
    char number[2][32], parameter[ROUTER_MAX_PARAMETERS][SWEEP_TEXT_SIZE];
    struct setting setting[6 + ROUTER_MAX_PARAMETERS] = {
        {"router", plugin == NULL ? method->router->name : plugin},
        {"copy", run->value[SWEEP_COPIES]},
        {"buffer", run->value[SWEEP_BUFFERS]},
        {"seed", count_text(number[0], run->seed)},
        {"threads", count_text(number[1], worker->parent->settings->threads)},
        {"without", run->subject->broken}};
    for (uint32_t i = 0; i < method->parameters; i++) {
        snprintf(parameter[i], SWEEP_TEXT_SIZE, "%s=%s", method->parameter[i].name,
                 method->parameter[i].value);
        setting[6 + i] = (struct setting){"param", parameter[i]};
    }
    return run_command("route", setting, 6 + method->parameters, worker->set, failure);
}

/* ---- a run: its row ---- */

/* Returns the figures of a run that has no report. */
static json_t *figures_without_report(const struct sweep_case *run, const struct failure *outcome)
{
    json_t *seed = run->seed <= INT64_MAX ? json_integer((json_int_t)run->seed)
                                          : json_sprintf("%" PRIu64, run->seed);
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:o, s:o}", "meshcast", MESHCAST_VERSION, "router",
                     run->method->router->name, "copy", run->value[SWEEP_COPIES], "rows",
                     (int)run->mesh.rows, "cols", (int)run->mesh.cols, "seed", seed, "error",
                     report_json_text(outcome->text));
}

/* Returns the report's figures without those that make rows long, or follow from others. */
static json_t *figures_of(struct meshcast_report *report)
{
    json_t *figures = json_deep_copy(report->json);
    json_object_del(figures, "set");
    json_object_del(figures, "foretold");
    json_object_del(json_object_get(figures, "delivery_steps"), "curve");
    return figures;
}

/* Returns a requested number, or null. */
static json_t *asked(const struct sweep_case *run, enum sweep_list axis)
{
    return run->value[axis] == NULL ? json_null() : json_integer(atoll(run->value[axis]));
}

/* Returns the run's specification, as the database has it. */
static json_t *specification_of(const struct worker *worker, const struct sweep_case *run)
{
    json_t *hash = worker->set != NULL
                       ? json_sprintf("%016" PRIx64, sweep_hash_set(set_routed(worker->set)))
                       : json_null();
    return json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "workload",
                     report_json_text(run->subject->name), "is_file", run->subject->pattern == NULL,
                     "input_hash", hash, "asked_parameters", report_json_text(run->method->text),
                     "asked_buffer", asked(run, SWEEP_BUFFERS), "asked_degree",
                     asked(run, SWEEP_DEGREES), "asked_congestion", asked(run, SWEEP_CONGESTIONS),
                     "asked_per_node", asked(run, SWEEP_PER_NODES));
}

/* Returns the text of a value, which is released; NULL: no memory. */
static char *text_of(json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(value);
    return text;
}

/* Does a run and stores it under the key, with its outcome, if it has a row. Returns failures of
 * results_add(). */
static enum failure_kind do_and_store(struct worker *worker, const struct sweep_case *run,
                                      const char *key, struct failure *outcome,
                                      struct failure *failure)
{
    struct meshcast_report *report = NULL;
    if (prepare_set(worker, run, outcome) == FAIL_NONE &&
        sweep_check_method(run->method, outcome) == FAIL_NONE)
        report = route(worker, run, outcome);
    if (has_row(outcome->kind)) {
        char *figures =
            text_of(report != NULL ? figures_of(report) : figures_without_report(run, outcome));
        char *specification = text_of(specification_of(worker, run));
        struct results_row row = {.key = key,
                                  .kind = RESULTS_RUN,
                                  .state = outcome->kind == FAIL_NONE    ? RESULTS_DONE
                                           : outcome->kind == FAIL_CHECK ? RESULTS_FAILED
                                                                         : RESULTS_REFUSED,
                                  .specification = specification,
                                  .figures = figures};
        if (figures == NULL || specification == NULL)
            fail_memory(failure, "the figures of a run");
        else
            results_add(&worker->database, &row, failure);
        free(figures);
        free(specification);
    }
    meshcast_report_free(report);
    return failure->kind;
}

/* ---- a worker ---- */

/* Tries to lock (F_WRLCK) the byte of a run, or unlocks it (F_UNLCK); *done: it is. */
static enum failure_kind claim(const struct worker *worker, uint64_t hash, short type, bool *done,
                               struct failure *failure)
{
    const uint64_t first = UINT64_C(1) << 62;
    struct flock lock = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)(first | (hash >> 2)), .l_len = 1};
    *done = fcntl(worker->claims, F_SETLK, &lock) == 0;
    if (*done || errno == EACCES || errno == EAGAIN)
        return FAIL_NONE;
    return fail(failure, FAIL_SYSTEM, "cannot lock the database's file: %s", strerror(errno));
}

/* Sets the state of a run and counts it if it has a row. A fellow worker may have found the row
 * before the one that stored it reports it. */
static void set_state(const struct worker *worker, uint64_t index, const struct sweep_case *run,
                      enum failure_kind kind, unsigned by)
{
    _Atomic uint8_t *state = &worker->parent->state[index];
    struct job *job = worker->job;
    uint8_t now = MISSING, next = (uint8_t)(by + 1 + kind);
    bool is_first = atomic_compare_exchange_strong(state, &now, next);
    if (!is_first && by == BY_US)
        *state = next;
    if (is_first && has_row(kind)) {
        job->weight = job->weight + sweep_case_weight(run);
        job->ended++;
    }
}

/* Does a run that is claimed and missing. */
static enum failure_kind do_run(struct worker *worker, uint64_t index, const struct sweep_case *run,
                                const char *identity, struct failure *failure)
{
    struct job *job = worker->job;
    struct failure outcome = {0};
    job->run = index;
    job->waits = false;
    job->begun = stopwatch_seconds();
    do_and_store(worker, run, identity, &outcome, failure);
    if ((failure->kind != FAIL_NONE || !has_row(outcome.kind)) && job->undone.kind == FAIL_NONE)
        job->undone = outcome;
    if (failure->kind == FAIL_NONE)
        set_state(worker, index, run, outcome.kind, BY_US);
    job->begun = 0;
    return failure->kind;
}

static enum failure_kind take_run(struct worker *worker, uint64_t index, struct failure *failure)
{
    char identity[SWEEP_IDENTITY_SIZE];
    struct sweep_case run = sweep_plan_case(worker->parent->plan, index);
    sweep_case_identity(&run, identity);
    uint64_t hash = sweep_hash_text(identity);
    int outcome = RESULTS_MISSING;
    bool claimed = false;
    results_check_place(&worker->database, failure);
    /* twice: its row may have been added before the claim was free */
    for (int i = 0; i < 2 && failure->kind == FAIL_NONE && outcome == RESULTS_MISSING; i++) {
        if (i == 1 && (claim(worker, hash, F_WRLCK, &claimed, failure) != FAIL_NONE || !claimed))
            return failure->kind;
        results_find(&worker->database, identity, &outcome, NULL, failure);
    }
    if (failure->kind == FAIL_NONE && outcome != RESULTS_MISSING)
        set_state(worker, index, &run, (enum failure_kind)outcome, BY_OTHERS);
    else if (failure->kind == FAIL_NONE)
        do_run(worker, index, &run, identity, failure);
    if (claimed)
        claim(worker, hash, F_UNLCK, &claimed, failure);
    return failure->kind;
}

/* Goes through the plan; returns the number of runs that others are doing. */
static uint64_t work_round(struct worker *worker, struct failure *failure)
{
    const struct parent *parent = worker->parent;
    uint64_t left = 0;
    for (uint64_t i = 0; i < parent->plan->runs; i++) {
        if (parent->state[i] != MISSING)
            continue;
        if (*parent->is_over || getppid() != parent->self ||
            take_run(worker, i, failure) != FAIL_NONE)
            return 0;
        left += parent->state[i] == MISSING;
    }
    return left;
}

/* Does runs until all of the plan are stored, by itself or by others, or the sweep is over. */
static void be_worker(struct parent *parent, uint32_t index)
{
    const char *path = parent->settings->path;
    struct worker worker = {
        .parent = parent, .job = &parent->job[index], .claims = open(path, O_RDWR | O_CLOEXEC)};
    struct failure failure = {0};
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* without its parent nobody would hear of its run */
#endif
    if (worker.claims < 0)
        fail(&failure, FAIL_SYSTEM, "cannot open %.200s: %s", path, strerror(errno));
    else
        results_open(&worker.database, path, RESULTS_WRITE, &failure);
    while (failure.kind == FAIL_NONE && work_round(&worker, &failure) != 0) {
        worker.job->waits = true;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
    }
    if (failure.kind != FAIL_NONE) {
        worker.job->broken = failure;
        *parent->is_over = true;
    }
    results_close(&worker.database);
    _exit(0);
}

/* ---- the parent: progress ---- */

/* Writes ", about 3 min left", or "" while unknown. */
static void describe_time(const struct parent *parent, double weight, char *text, size_t size)
{
    double seconds = stopwatch_seconds() - parent->begun;
    double left = weight == 0 ? 0 : seconds * (parent->weight - weight) / weight;
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
    struct sweep_case run = sweep_plan_case(parent->plan, parent->job[job].run);
    sweep_case_describe(&run, text, size);
}

static void show_progress(struct parent *parent)
{
    char left[64], work[512] = "";
    uint64_t ended = parent->there;
    double weight = 0, first = 0;
    uint32_t oldest = 0, waiting = 0;
    for (uint32_t i = 0; i < parent->jobs; i++) {
        const struct job *job = &parent->job[i];
        double begun = job->begun;
        ended += job->ended;
        weight += job->weight;
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
    snprintf(parent->shown, sizeof parent->shown, "sweep\n runs%s%s%s", left,
             *work == '\0' ? "" : "; ", work);
    command_progress(parent->settings->command, ended, parent->plan->runs, parent->shown);
}

/* ---- the parent: its workers ---- */

static enum failure_kind start_workers(struct parent *parent, struct failure *failure)
{
    uint32_t jobs = parent->settings->jobs;
    sigset_t all, before;
    memory_limit_share(jobs); /* before the first child uses any */
    parent->self = getpid();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    fflush(NULL); /* buffered text would be written by every child */
    for (parent->jobs = 0; parent->jobs < jobs; parent->jobs++) {
        pid_t child = fork();
        if (child == 0)
            be_worker(parent, parent->jobs);
        if (child < 0)
            break;
        parent->child[parent->jobs] = child;
    }
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (parent->jobs == 0)
        return fail(failure, FAIL_SYSTEM, "cannot start a process: %s", strerror(error));
    if (parent->jobs < jobs)
        command_note(parent->settings->command,
                     "meshcast sweep: the system gave %" PRIu32 " of %" PRIu32
                     " processes; the sweep goes on with %s",
                     parent->jobs, jobs, parent->jobs == 1 ? "one" : "these");
    return FAIL_NONE;
}

/* Forgets the children that have ended; returns the number of the rest. One that died has left its
 * run to the others; parent->died reports the first. */
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
        parent->job[i].begun = 0;
        if (!(WIFEXITED(status) && WEXITSTATUS(status) == 0))
            fail(&parent->died, FAIL_SYSTEM,
                 "process %" PRIu32 " of the sweep died (signal %d) during: %s; the same command "
                 "goes on from here",
                 i + 1, WIFSIGNALED(status) ? WTERMSIG(status) : 0, run);
    }
    return count;
}

/* Checks for signals: the first lets the runs under way end, one that is due gives them up. */
static void take_signals(struct parent *parent)
{
    const struct meshcast_command *command = parent->settings->command;
    bool is_due = lab_signals.is_due();
    if (!is_due && !interrupt_is_sent(command->interrupt))
        return;
    if (!parent->outcome->is_interrupted && !is_due)
        command_note(command, "meshcast sweep: the runs under way are being finished; once more "
                              "gives them up");
    parent->outcome->is_interrupted = true;
    *parent->is_over = true;
    for (uint32_t i = 0; i < parent->jobs && is_due; i++)
        if (parent->child[i] != 0)
            kill(parent->child[i], SIGKILL);
}

/* Sets the database's journal. "DELETE", at the end, leaves one plain file, also if workers were
 * killed. */
static void set_journal(const struct parent *parent, const char *journal)
{
    struct results_database database;
    struct failure ignored = {0};
    if (results_open(&database, parent->settings->path, RESULTS_LOOK, &ignored) == FAIL_NONE)
        results_set_journal(&database, journal);
    results_close(&database);
}

static enum failure_kind work(struct parent *parent, struct failure *failure)
{
    sigset_t ended, before;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, &before);
    set_journal(parent, "WAL");
    parent->begun = stopwatch_seconds();
    start_workers(parent, failure);
    while (count_workers(parent) > 0) {
        sigtimedwait(&ended, NULL, &(struct timespec){.tv_nsec = TICK});
        take_signals(parent);
        show_progress(parent);
    }
    set_journal(parent, "DELETE");
    take_signals(parent); /* one that came at the very end */
    for (uint32_t i = 0; i < parent->jobs && failure->kind == FAIL_NONE; i++)
        *failure = parent->job[i].broken;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return failure->kind;
}

/* ---- a sweep ---- */

/* Sets the states of the runs that are stored. */
static enum failure_kind find_all(const struct sweep_plan *plan,
                                  const struct sweep_settings *settings, enum results_mode mode,
                                  uint8_t *state, struct failure *failure)
{
    struct results_database database;
    if (results_open(&database, settings->path, mode, failure) != FAIL_NONE)
        return failure->kind;
    results_execute(&database, "BEGIN", failure);
    for (uint64_t i = 0; i < plan->runs && failure->kind == FAIL_NONE && !database.is_empty; i++) {
        char identity[SWEEP_IDENTITY_SIZE];
        int outcome;
        struct sweep_case run = sweep_plan_case(plan, i);
        sweep_case_identity(&run, identity);
        if (results_find(&database, identity, &outcome, NULL, failure) == FAIL_NONE &&
            outcome != RESULTS_MISSING)
            state[i] = (uint8_t)(1 + outcome);
        command_progress(settings->command, i + 1, plan->runs, "sweep: runs looked up");
    }
    results_close(&database);
    return failure->kind;
}

enum failure_kind sweep_find_stored(const struct sweep_plan *plan,
                                    const struct sweep_settings *settings, uint8_t *is_there,
                                    struct failure *failure)
{
    if (results_check_path(settings->path, failure) != FAIL_NONE ||
        (access(settings->path, F_OK) != 0 && errno == ENOENT))
        return failure->kind;
    find_all(plan, settings, RESULTS_LOOK, is_there, failure);
    for (uint64_t i = 0; i < plan->runs; i++)
        is_there[i] = is_there[i] != MISSING;
    return failure->kind;
}

/* Counts the outcomes of the runs, and their origins. True if none is missing. */
static bool count_runs(const struct parent *parent)
{
    struct sweep_outcome *outcome = parent->outcome;
    for (uint64_t i = 0; i < parent->plan->runs; i++) {
        unsigned state = parent->state[i], kind = state % KINDS - 1;
        bool is_stored = state != MISSING && has_row((enum failure_kind)kind);
        outcome->undone += state != MISSING && !is_stored;
        outcome->there += is_stored && state < BY_US;
        outcome->stored += is_stored && state >= BY_US && state < BY_OTHERS;
        outcome->others += is_stored && state >= BY_OTHERS;
        outcome->failed += is_stored && kind == FAIL_CHECK;
        outcome->refused += is_stored && kind == FAIL_USAGE;
    }
    for (uint32_t i = 0; i < parent->jobs; i++)
        if (outcome->why_undone.kind == FAIL_NONE)
            outcome->why_undone = parent->job[i].undone;
    return outcome->there + outcome->stored + outcome->others + outcome->undone ==
           parent->plan->runs;
}

/* Fails unless the file is still the one of the beginning: workers check the same, but not after
 * their last run. */
static enum failure_kind check_file(const struct parent *parent, struct failure *failure)
{
    struct stat now;
    const char *path = parent->settings->path;
    struct sweep_outcome *outcome = parent->outcome;
    if (stat(path, &now) == 0 && now.st_dev == parent->file.st_dev &&
        now.st_ino == parent->file.st_ino)
        return failure->kind;
    outcome->is_lost = true;
    *failure = (struct failure){0};
    return fail(failure, FAIL_SYSTEM,
                "%.200s was removed, renamed or replaced during the sweep, and the %" PRIu64
                " runs that it held went with it; the same command begins anew",
                path, outcome->there + outcome->stored);
}

static enum failure_kind share_memory(struct parent *parent, struct failure *failure)
{
    size_t jobs = parent->settings->jobs * sizeof *parent->job;
    parent->shared_size = jobs + parent->plan->runs + 1;
    parent->shared =
        mmap(NULL, parent->shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    parent->child = memory_allocate(parent->settings->jobs, sizeof *parent->child);
    if (parent->shared == MAP_FAILED || parent->child == NULL)
        return fail_memory(failure, "the runs of the sweep");
    parent->job = parent->shared;
    parent->state = (_Atomic uint8_t *)parent->shared + jobs;
    parent->is_over = (_Atomic bool *)(parent->state + parent->plan->runs);
    return FAIL_NONE;
}

/* Makes the database, or refuses it, here, where that can be reported; children open it by
 * themselves. */
static enum failure_kind find_stored(struct parent *parent, struct failure *failure)
{
    if (find_all(parent->plan, parent->settings, RESULTS_WRITE, (uint8_t *)parent->state,
                 failure) != FAIL_NONE)
        return failure->kind;
    for (uint64_t i = 0; i < parent->plan->runs; i++) {
        struct sweep_case run = sweep_plan_case(parent->plan, i);
        parent->there += parent->state[i] != MISSING;
        parent->weight += parent->state[i] != MISSING ? 0 : sweep_case_weight(&run);
    }
    show_progress(parent); /* signals belong to the parent from here on */
    if (stat(parent->settings->path, &parent->file) != 0)
        return check_file(parent, failure);
    return FAIL_NONE;
}

enum failure_kind sweep_run(const struct sweep_plan *plan, const struct sweep_settings *settings,
                            struct sweep_outcome *outcome, struct failure *failure)
{
    struct parent parent = {
        .plan = plan, .settings = settings, .shared = MAP_FAILED, .outcome = outcome};
    *outcome = (struct sweep_outcome){0};
    if (share_memory(&parent, failure) == FAIL_NONE && find_stored(&parent, failure) == FAIL_NONE) {
        bool is_missing = parent.there < plan->runs;
        if (is_missing)
            work(&parent, failure);
        if (!count_runs(&parent) && failure->kind == FAIL_NONE && !outcome->is_interrupted)
            *failure = parent.died;
        if (is_missing)
            check_file(&parent, failure);
    }
    if (parent.shared != MAP_FAILED)
        munmap(parent.shared, parent.shared_size);
    free(parent.child);
    return failure->kind;
}
