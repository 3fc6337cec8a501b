/* sweep_runner.c - turns a case of a plan into a run, and the run into a row.
 *
 * The message set is kept from run to run, because routers vary fastest in a plan.
 *
 * A run that the router or the pattern refuses, or that fails its check, is stored with its reason.
 * One that the system fails is not stored: the next sweep tries it again.
 */
#include "lab/sweep_runner.h"

#include "lab/sweep_hash.h"
#include "library/adversary_graph.h"
#include "library/meshcast.h" /* MESHCAST_VERSION */
#include "library/report.h"
#include "workloads/set_file.h"

#include <inttypes.h>
#include <string.h>

static enum failure_kind read_set(struct sweep_runner *runner, const struct sweep_subject *subject,
                                  struct failure *failure)
{
    struct import_summary summary;
    struct message_set *set = &runner->instance.set;
    if (set_file_read(set, &summary, subject->path, NULL, failure) == FAIL_NONE &&
        message_set_fit_machine(set, subject->path, failure) == FAIL_NONE &&
        sweep_hash_set(&runner->instance.set) != subject->hash)
        fail(failure, FAIL_INPUT, "%.200s has changed since the sweep began", subject->path);
    return failure->kind;
}

/* Makes the set of a pattern, against its graph if it has one. */
static enum failure_kind make_set(struct sweep_runner *runner, const struct sweep_case *run,
                                  struct failure *failure)
{
    const struct sweep_subject *subject = run->subject;
    struct adversary_graph against = {0};
    struct pattern_options options = {
        .mesh = run->mesh, .degree = run->degree, .congestion = run->congestion, .seed = run->seed};
    pattern_inputs_enter(&runner->plan->inputs, &runner->plan->files, subject->pattern, &options);
    options.per_node = run->per_node;
    if (subject->path == NULL ||
        (sweep_check_file(subject->path, subject->hash, failure) == FAIL_NONE &&
         adversary_graph_read(&against, subject->path, subject->share, &options, failure) ==
             FAIL_NONE))
        pattern_generate(subject->pattern, &options, &runner->instance.set, failure);
    adversary_graph_free(&against);
    return failure->kind;
}

static enum failure_kind prepare_instance(struct sweep_runner *runner, const struct sweep_case *run,
                                          struct failure *failure)
{
    bool is_set = run->subject->pattern == NULL;
    if (runner->has_set && run->workload == runner->workload &&
        (is_set || run->seed == runner->seed))
        return FAIL_NONE;
    instance_free(&runner->instance);
    runner->instance = (struct instance){.name = run->subject->name};
    runner->workload = run->workload;
    runner->seed = run->seed;
    if (is_set)
        read_set(runner, run->subject, failure);
    else
        make_set(runner, run, failure);
    if (failure->kind == FAIL_NONE)
        instance_measure(&runner->instance, failure);
    if (failure->kind == FAIL_NONE)
        instance_bound(&runner->instance, BOUNDS_LARGEST, failure);
    runner->has_set = failure->kind == FAIL_NONE;
    return failure->kind;
}

/* Returns the figures of a run whose message set could not be made. */
static json_t *figures_without_set(const struct run_report *report, const struct sweep_case *run)
{
    json_t *seed = run->seed <= INT64_MAX ? json_integer((json_int_t)run->seed)
                                          : json_sprintf("%" PRIu64, run->seed);
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:o, s:s}", "meshcast", MESHCAST_VERSION, "router",
                     report->router->name, "copy", run_copy_name(report->options), "rows",
                     (int)run->mesh.rows, "cols", (int)run->mesh.cols, "seed", seed, "error",
                     report->failure.text);
}

/* Returns a number that was asked for, or null. */
static json_t *asked(uint32_t value)
{
    return value == 0 ? json_null() : json_integer(value);
}

/* Returns the run's specification, as the database has it. */
static json_t *specification_of(const struct sweep_runner *runner, const struct sweep_case *run)
{
    json_t *hash = runner->has_set
                       ? json_sprintf("%016" PRIx64, sweep_hash_set(&runner->instance.set))
                       : json_null();
    return json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "workload",
                     report_json_text(run->subject->name), "is_file", run->subject->pattern == NULL,
                     "input_hash", hash, "asked_parameters", report_json_text(run->method->text),
                     "asked_buffer", asked(run->buffer), "asked_degree", asked(run->degree),
                     "asked_congestion", asked(run->congestion), "asked_per_node",
                     asked(run->per_node));
}

static enum failure_kind store(const struct sweep_runner *runner, const struct sweep_case *run,
                               const struct run_report *report, const char *key,
                               struct results_database *database, struct failure *failure)
{
    enum failure_kind kind = report->failure.kind;
    json_t *figures =
        runner->has_set ? report_route_json(report) : figures_without_set(report, run);
    json_t *specification = specification_of(runner, run);
    struct results_row row = {.key = key,
                              .kind = RESULTS_RUN,
                              .state = kind == FAIL_NONE    ? RESULTS_DONE
                                       : kind == FAIL_CHECK ? RESULTS_FAILED
                                                            : RESULTS_REFUSED,
                              .specification = specification,
                              .figures = figures};
    /* these make rows long, or follow from others */
    json_object_del(figures, "set");
    json_object_del(figures, "foretold");
    json_object_del(json_object_get(figures, "delivery_steps"), "curve");
    if (figures == NULL || specification == NULL)
        fail_memory(failure, "the figures of a run");
    else
        results_add(database, &row, failure);
    json_decref(figures);
    json_decref(specification);
    return failure->kind;
}

enum failure_kind sweep_runner_do(struct sweep_runner *runner, const struct sweep_case *run,
                                  const char *key, struct results_database *database,
                                  struct failure *outcome, struct failure *failure)
{
    struct run_options asked_for = {.seed = run->seed,
                                    .threads = runner->threads,
                                    .buffer = run->buffer,
                                    .copy = run->copy,
                                    .parameters = {.count = run->method->parameters}};
    memcpy(asked_for.parameters.parameter, run->method->parameter, sizeof run->method->parameter);
    struct run_report report = {
        .instance = &runner->instance, .options = &asked_for, .router = run->method->router};
    struct router_options options = run_options_for_router(&asked_for);
    if (prepare_instance(runner, run, &report.failure) == FAIL_NONE &&
        sweep_check_method(run->method, &report.failure) == FAIL_NONE)
        router_run(report.router, &runner->instance.set, &options, &report.result, &report.failure);
    *outcome = report.failure;
    if (!sweep_has_row(outcome->kind))
        return FAIL_NONE;
    return store(runner, run, &report, key, database, failure);
}

void sweep_runner_free(struct sweep_runner *runner)
{
    instance_free(&runner->instance);
}
