/* sweep_worker.c - finds a run that is not there, claims it, does it, stores it.
 *
 * Method: the plan is gone through in its order, round after round. Runs whose rows are there are
 * done; of the others those that can be claimed (sweep/claim.h) are looked up once more, since their
 * row may have come in between, and then run. The rounds end when every run is stored. A run that
 * stays claimed by others is looked at again every PAUSE.
 *
 * The message set is kept from run to run, because routers vary fastest in a plan.
 *
 * A run that the router or the pattern refuses, or that fails its check, is stored with its reason.
 * One that the system fails (no memory) says nothing about the router and is not stored: the next
 * sweep tries it again.
 */
#include "sweep/sweep_worker.h"

#include "base/stopwatch.h"
#include "console/available_memory.h"
#include "console/report.h"
#include "library/adversary_graph.h"
#include "library/meshcast.h" /* MESHCAST_VERSION */
#include "results/results_database.h"
#include "sweep/claim.h"
#include "sweep/sweep_hash.h"
#include "sweep/sweep_methods.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAUSE = 100 }; /* milliseconds */

struct worker {
    const struct sweep_worker_task *task;
    struct claim_file claims;
    struct results_database database;
    struct instance instance; /* of `workload` and `seed`, if `workload` is not NULL */
    const struct sweep_workload *workload;
    uint64_t seed;
    struct run_report report; /* of the run under way */
    struct run_options options;
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

/* ---- a run ---- */

static struct memory_need memory_of(const struct worker *worker)
{
    return (struct memory_need){.limit = worker->task->memory,
                                .is_share = worker->task->shares_memory};
}

static enum failure_kind read_file(struct worker *worker, const struct sweep_workload *workload,
                                   struct failure *failure)
{
    if (message_set_read_machine(&worker->instance.set, workload->file, NULL, worker->task->memory,
                                 failure) != FAIL_NONE)
        return failure->kind;
    if (sweep_hash_set(&worker->instance.set) == workload->file_hash)
        return FAIL_NONE;
    return fail(failure, FAIL_INPUT, "%.200s has changed since the sweep began", workload->file);
}

/* Makes the set of a pattern, against its graph if it has one. */
static enum failure_kind make_pattern(struct worker *worker, const struct sweep_case *run,
                                      struct failure *failure)
{
    const struct sweep_workload *workload = run->workload;
    const struct sweep_graph *graph = workload->graph;
    struct adversary_graph against = {0};
    struct pattern_options options = {
        .mesh = workload->mesh,
        .degree = workload->degree,
        .congestion = workload->congestion,
        .seed = run->seed,
    };
    pattern_inputs_enter(&worker->task->plan->inputs, &worker->task->plan->files, workload->pattern,
                         &options);
    options.per_node = workload->per_node;
    if (memory_need_check_pattern(workload->pattern, &options, memory_of(worker), failure) !=
        FAIL_NONE)
        return failure->kind;
    if (graph == NULL ||
        (sweep_check_file(graph->path, graph->hash, failure) == FAIL_NONE &&
         adversary_graph_read(&against, graph->path, graph->share, worker->task->memory, &options,
                              failure) == FAIL_NONE))
        pattern_generate(workload->pattern, &options, &worker->instance.set, failure);
    adversary_graph_free(&against);
    return failure->kind;
}

static enum failure_kind prepare_instance(struct worker *worker, const struct sweep_case *run,
                                          struct failure *failure)
{
    const struct sweep_workload *workload = run->workload;
    if (workload == worker->workload && (workload->file != NULL || run->seed == worker->seed))
        return FAIL_NONE;
    instance_free(&worker->instance);
    worker->instance = (struct instance){.name = workload->name};
    worker->workload = NULL;
    if (workload->file != NULL)
        read_file(worker, workload, failure);
    else
        make_pattern(worker, run, failure);
    if (failure->kind == FAIL_NONE)
        instance_measure(&worker->instance, NULL, worker->task->memory, failure);
    if (failure->kind != FAIL_NONE)
        return failure->kind;
    worker->workload = workload;
    worker->seed = run->seed;
    return FAIL_NONE;
}

static void run_router(struct worker *worker, const struct sweep_case *run)
{
    struct run_report *report = &worker->report;
    worker->options = (struct run_options){
        .seed = run->seed,
        .threads = worker->task->threads,
        .buffer = run->buffer,
        .copy = run->copy,
        .parameters = {.count = run->method->parameters},
    };
    memcpy(worker->options.parameters.parameter, run->method->parameter,
           sizeof run->method->parameter);
    memset(report, 0, sizeof *report);
    report->instance = &worker->instance;
    report->options = &worker->options;
    report->router = run->method->router;
    if (prepare_instance(worker, run, &report->failure) != FAIL_NONE ||
        sweep_check_method(run->method, &report->failure) != FAIL_NONE)
        return;
    struct router_options options = run_options_for_router(&worker->options);
    if (run_check_memory(report->router, &worker->instance, &options, &(struct run_outputs){0},
                         memory_of(worker), &report->failure) == FAIL_NONE)
        router_run(report->router, &worker->instance.set, &options, &report->result,
                   &report->failure);
}

static const char *outcome_of(const struct failure *failure)
{
    if (failure->kind == FAIL_NONE)
        return RESULTS_DONE;
    return failure->kind == FAIL_CHECK ? RESULTS_FAILED : RESULTS_REFUSED;
}

/* What is known of a run whose message set could not be made. */
static json_t *figures_without_set(const struct run_report *report, const struct sweep_case *run)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:o, s:s}", "meshcast", MESHCAST_VERSION, "router",
                     report->router->name, "copy", run_copy_name(report->options), "rows",
                     (int)run->workload->mesh.rows, "cols", (int)run->workload->mesh.cols, "seed",
                     run->seed <= INT64_MAX ? json_integer((json_int_t)run->seed)
                                            : json_sprintf("%" PRIu64, run->seed),
                     "error", report->failure.text);
}

static enum failure_kind store(struct worker *worker, const struct sweep_case *run,
                               const char *identity, struct failure *failure)
{
    const struct run_report *report = &worker->report;
    bool has_set = worker->workload != NULL;
    char hash[32] = "";
    if (has_set)
        snprintf(hash, sizeof hash, "%016" PRIx64, sweep_hash_set(&worker->instance.set));
    json_t *figures = has_set ? report_route_json(report) : figures_without_set(report, run);
    struct results_run stored = {
        .identity = identity,
        .outcome = outcome_of(&report->failure),
        .workload = run->workload->name,
        .is_file = run->workload->file != NULL,
        .input_hash = has_set ? hash : NULL,
        .asked_parameters = run->method->text,
        .asked_buffer = run->buffer,
        .asked_degree = run->workload->degree,
        .asked_congestion = run->workload->congestion,
        .asked_per_node = run->workload->per_node,
        .figures = figures,
    };
    if (figures == NULL)
        return fail_memory(failure, "the figures of a run");
    results_add(&worker->database, &stored, failure);
    json_decref(figures);
    return failure->kind;
}

/* The run is claimed and not there. */
static enum failure_kind do_run(struct worker *worker, uint64_t index, const char *identity,
                                struct failure *failure)
{
    const struct failure *outcome = &worker->report.failure;
    struct sweep_case run = sweep_plan_case(worker->task->plan, index);
    struct sweep_message message = {.run = index, .event = SWEEP_BEGUN};
    tell(worker, &message);
    double begun = stopwatch_seconds();

    run_router(worker, &run);
    if (outcome->kind == FAIL_SYSTEM || outcome->kind == FAIL_INPUT) {
        tell_failure(worker, index, SWEEP_UNDONE, outcome);
        return FAIL_NONE;
    }
    if (store(worker, &run, identity, failure) != FAIL_NONE)
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
        results_find(&worker->database, identity, &found, &outcome, failure) != FAIL_NONE)
        return failure->kind;
    if (!found) {
        if (claim_try(&worker->claims, hash, settled, failure) != FAIL_NONE || !*settled)
            return failure->kind;
        /* its row may have come before the claim was free */
        if (results_find(&worker->database, identity, &found, &outcome, failure) == FAIL_NONE &&
            !found)
            do_run(worker, index, identity, failure);
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
    struct worker own = {.task = task}, *worker = &own;
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
    instance_free(&worker->instance);
}
