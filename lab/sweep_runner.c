/* sweep_runner.c - does the runs of a plan, and makes their rows.
 *
 * The message set is kept from run to run, because routers vary fastest in a plan.
 *
 * A run that the router or the pattern refuses, or that fails its check, is stored with its reason.
 * One that the system fails (no memory) says nothing about the router and is not stored: the next
 * sweep tries it again.
 */
#include "lab/sweep_runner.h"

#include "lab/sweep_hash.h"
#include "lab/sweep_methods.h"
#include "library/adversary_graph.h"
#include "library/meshcast.h" /* MESHCAST_VERSION */

#include <inttypes.h>
#include <string.h>

static struct memory_need memory_of(const struct sweep_runner *runner)
{
    return (struct memory_need){.limit = runner->memory,
                                .each = runner->shares_memory ? "runs at once" : NULL};
}

static enum failure_kind read_file(struct sweep_runner *runner,
                                   const struct sweep_workload *workload, struct failure *failure)
{
    if (message_set_read_machine(&runner->instance.set, workload->file, NULL, runner->memory,
                                 failure) != FAIL_NONE)
        return failure->kind;
    if (sweep_hash_set(&runner->instance.set) == workload->file_hash)
        return FAIL_NONE;
    return fail(failure, FAIL_INPUT, "%.200s has changed since the sweep began", workload->file);
}

/* Makes the set of a pattern, against its graph if it has one. */
static enum failure_kind make_pattern(struct sweep_runner *runner, const struct sweep_case *run,
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
    pattern_inputs_enter(&runner->plan->inputs, &runner->plan->files, workload->pattern, &options);
    options.per_node = workload->per_node;
    if (memory_need_check_pattern(workload->pattern, &options, memory_of(runner), failure) !=
        FAIL_NONE)
        return failure->kind;
    if (graph == NULL || (sweep_check_file(graph->path, graph->hash, failure) == FAIL_NONE &&
                          adversary_graph_read(&against, graph->path, graph->share, runner->memory,
                                               &options, failure) == FAIL_NONE))
        pattern_generate(workload->pattern, &options, &runner->instance.set, failure);
    adversary_graph_free(&against);
    return failure->kind;
}

static enum failure_kind prepare_instance(struct sweep_runner *runner, const struct sweep_case *run,
                                          struct failure *failure)
{
    const struct sweep_workload *workload = run->workload;
    if (workload == runner->workload && (workload->file != NULL || run->seed == runner->seed))
        return FAIL_NONE;
    instance_free(&runner->instance);
    runner->instance = (struct instance){.name = workload->name};
    runner->workload = NULL;
    if (workload->file != NULL)
        read_file(runner, workload, failure);
    else
        make_pattern(runner, run, failure);
    if (failure->kind == FAIL_NONE)
        instance_measure(&runner->instance, runner->memory, failure);
    if (failure->kind == FAIL_NONE)
        instance_bound(&runner->instance, BOUNDS_LARGEST, NULL, runner->memory, failure);
    if (failure->kind != FAIL_NONE)
        return failure->kind;
    runner->workload = workload;
    runner->seed = run->seed;
    return FAIL_NONE;
}

void sweep_runner_do(struct sweep_runner *runner, const struct sweep_case *run)
{
    struct run_report *report = &runner->report;
    runner->options = (struct run_options){
        .seed = run->seed,
        .threads = runner->threads,
        .buffer = run->buffer,
        .copy = run->copy,
        .parameters = {.count = run->method->parameters},
    };
    memcpy(runner->options.parameters.parameter, run->method->parameter,
           sizeof run->method->parameter);
    memset(report, 0, sizeof *report);
    report->instance = &runner->instance;
    report->options = &runner->options;
    report->router = run->method->router;
    if (prepare_instance(runner, run, &report->failure) != FAIL_NONE ||
        sweep_check_method(run->method, &report->failure) != FAIL_NONE)
        return;
    struct router_options options = run_options_for_router(&runner->options);
    if (run_check_memory(report->router, &runner->instance, &options, &(struct run_outputs){0},
                         memory_of(runner), &report->failure) == FAIL_NONE)
        router_run(report->router, &runner->instance.set, &options, &report->result,
                   &report->failure);
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

bool sweep_runner_has_row(const struct sweep_runner *runner)
{
    enum failure_kind kind = runner->report.failure.kind;
    return kind != FAIL_SYSTEM && kind != FAIL_INPUT;
}

void sweep_runner_free(struct sweep_runner *runner)
{
    instance_free(&runner->instance);
}

static const char *state_of(enum failure_kind kind)
{
    if (kind == FAIL_NONE)
        return RESULTS_DONE;
    return kind == FAIL_CHECK ? RESULTS_FAILED : RESULTS_REFUSED;
}

/* Returns a number that was asked for, or null. */
static json_t *asked(uint32_t value)
{
    return value == 0 ? json_null() : json_integer(value);
}

/* Returns the run's specification, as the database has it. */
static json_t *specification_of(const struct sweep_case *run, const char *hash)
{
    const struct sweep_workload *workload = run->workload;
    return json_pack("{s:o, s:b, s:s?, s:o, s:o, s:o, s:o, s:o}", "workload",
                     report_json_text(workload->name), "is_file", workload->file != NULL,
                     "input_hash", *hash == '\0' ? NULL : hash, "asked_parameters",
                     report_json_text(run->method->text), "asked_buffer", asked(run->buffer),
                     "asked_degree", asked(workload->degree), "asked_congestion",
                     asked(workload->congestion), "asked_per_node", asked(workload->per_node));
}

/* Drops figures that make rows long or follow from others. */
static void shorten(json_t *figures)
{
    static const char *const keys[] = {"set", "foretold"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_del(figures, keys[i]);
    json_object_del(json_object_get(figures, "delivery_steps"), "curve");
}

enum failure_kind sweep_runner_store(const struct sweep_runner *runner,
                                     const struct sweep_case *run, const char *key,
                                     struct results_database *database, struct failure *failure)
{
    const struct run_report *report = &runner->report;
    bool has_set = runner->workload != NULL;
    char hash[32] = "";
    if (has_set)
        snprintf(hash, sizeof hash, "%016" PRIx64, sweep_hash_set(&runner->instance.set));
    json_t *figures = has_set ? report_route_json(report) : figures_without_set(report, run);
    json_t *specification = specification_of(run, hash);
    shorten(figures);
    struct results_row row = {.key = key,
                              .kind = RESULTS_RUN,
                              .state = state_of(report->failure.kind),
                              .specification = specification,
                              .figures = figures};
    if (figures == NULL || specification == NULL)
        fail_memory(failure, "the figures of a run");
    else
        results_add(database, &row, failure);
    json_decref(figures);
    json_decref(specification);
    return failure->kind;
}
