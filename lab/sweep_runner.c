/* sweep_runner.c - turns a case of a plan into commands, `gen` and `route`, and the report into a row.
 *
 * The message set is kept from run to run, because routers vary fastest in a plan.
 *
 * A run that the router or the pattern refuses, or that fails its check, is stored with its reason.
 * One that the system fails is not stored: the next sweep tries it again.
 */
#include "lab/sweep_runner.h"

#include "lab/sweep_hash.h"
#include "library/command_set.h"
#include "library/meshcast_command.h"
#include "library/report_parts.h"
#include "library/run_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- commands ---- */

/* A command whose options are being set. */
struct making {
    struct meshcast_command *command;
    struct failure *failure; /* the first */
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

/* Messages name options as a user of the program knows them. */
static struct making begin(const char *name, struct failure *failure)
{
    struct meshcast_error error;
    struct meshcast_command *command = meshcast_command_new(name, &error);
    if (command == NULL)
        take_error(error.status, &error, failure);
    else
        meshcast_command_set_program(command, NULL, NULL);
    return (struct making){command, failure};
}

/* Sets an option unless the value is NULL. */
static void set(const struct making *making, const char *option, const char *value)
{
    struct meshcast_error error;
    if (value != NULL && making->failure->kind == FAIL_NONE)
        take_error(meshcast_command_set(making->command, option, value, &error), &error,
                   making->failure);
}

/* Sets an option unless the number is 0. */
static void set_count(const struct making *making, const char *option, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, number);
    set(making, option, number == 0 ? NULL : text);
}

/* Runs the command and frees it; the report, which may be NULL, is the caller's. */
static struct meshcast_report *end(const struct making *making)
{
    struct meshcast_error error;
    struct meshcast_report *report = NULL;
    if (making->failure->kind == FAIL_NONE)
        take_error(meshcast_command_run(making->command, &report, &error), &error, making->failure);
    meshcast_command_free(making->command);
    return report;
}

/* ---- the set ---- */

/* Sets what the pattern takes of the plan's inputs. */
static void set_inputs(const struct making *gen, unsigned takes,
                       const struct pattern_inputs *inputs)
{
    char active[32];
    snprintf(active, sizeof active, "%.17g", inputs->active);
    if (takes & PATTERN_EXPERTS) {
        set_count(gen, "experts", inputs->experts);
        set(gen, "place", inputs->place);
        set(gen, "skew", inputs->skew);
        set_count(gen, "layer", inputs->layer);
    }
    if (takes & PATTERN_GROUPS) {
        set_count(gen, "groups", inputs->groups);
        set(gen, "groups", inputs->group_file);
        set_count(gen, "stride", inputs->stride);
    }
    if (takes & PATTERN_POPULATIONS) {
        set(gen, "matrix", inputs->matrix);
        set(gen, "active", inputs->active == 0 ? NULL : active);
    }
}

static struct meshcast_set *make_set(const struct sweep_runner *runner,
                                     const struct sweep_case *run, struct failure *failure)
{
    const struct sweep_subject *subject = run->subject;
    const struct making gen = begin("gen", failure);
    set(&gen, "pattern", subject->pattern->name);
    set_count(&gen, "rows", run->mesh.rows);
    set_count(&gen, "cols", run->mesh.cols);
    set(&gen, "degree", run->degree);
    set(&gen, "congestion", run->congestion);
    set(&gen, "per-node", run->per_node);
    set_count(&gen, "seed", run->seed);
    set(&gen, "against", subject->path);
    set(&gen, "share", subject->share);
    set_inputs(&gen, subject->pattern->takes, &runner->plan->inputs);
    struct meshcast_report *report = end(&gen);
    struct meshcast_set *made = report == NULL ? NULL : meshcast_report_take_set(report);
    meshcast_report_free(report);
    return made;
}

static enum failure_kind prepare_set(struct sweep_runner *runner, const struct sweep_case *run,
                                     struct failure *failure)
{
    const struct sweep_subject *subject = run->subject;
    struct meshcast_error error = {.status = MESHCAST_OK};
    bool is_file = subject->pattern == NULL;
    if (runner->set != NULL && run->workload == runner->workload &&
        (is_file || run->seed == runner->seed))
        return FAIL_NONE;
    meshcast_set_free(runner->set);
    runner->set = NULL;
    runner->workload = run->workload;
    runner->seed = run->seed;
    if (sweep_check_subject(runner->plan, subject, failure) != FAIL_NONE)
        return failure->kind;
    runner->set =
        is_file ? meshcast_set_read(subject->path, &error) : make_set(runner, run, failure);
    return take_error(error.status, &error, failure);
}

/* ---- the run ---- */

static struct meshcast_report *route(const struct sweep_runner *runner,
                                     const struct sweep_case *run, struct failure *failure)
{
    const struct sweep_method *method = run->method;
    const char *plugin = plugin_path(method->router);
    const struct making making = begin("route", failure);
    set(&making, "router", plugin == NULL ? method->router->name : plugin);
    set(&making, "copy", run->copy);
    set(&making, "buffer", run->buffer);
    set_count(&making, "seed", run->seed);
    set_count(&making, "threads", runner->threads);
    for (uint32_t i = 0; i < method->parameters; i++) {
        char text[SWEEP_TEXT_SIZE];
        snprintf(text, sizeof text, "%s=%s", method->parameter[i].name, method->parameter[i].value);
        set(&making, "param", text);
    }
    if (failure->kind == FAIL_NONE)
        meshcast_command_give_set(making.command, runner->set, NULL);
    return end(&making);
}

/* ---- the row ---- */

/* Returns the figures of a run that has no report. */
static json_t *figures_without_report(const struct sweep_case *run, const struct failure *outcome)
{
    json_t *seed = run->seed <= INT64_MAX ? json_integer((json_int_t)run->seed)
                                          : json_sprintf("%" PRIu64, run->seed);
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:o, s:o}", "meshcast", MESHCAST_VERSION, "router",
                     run->method->router->name, "copy", run->copy, "rows", (int)run->mesh.rows,
                     "cols", (int)run->mesh.cols, "seed", seed, "error",
                     report_json_text(outcome->text));
}

static json_t *figures_of(struct meshcast_report *report)
{
    const char *text = meshcast_report_json(report);
    json_t *figures = text == NULL ? NULL : json_loads(text, 0, NULL), *value;
    const char *key;
    json_object_foreach(figures, key, value)
    {
        if (json_is_real(value)) /* the text is rounded, and medians are of what is not */
            json_real_set(value, meshcast_report_figure(report, key));
    }
    /* these make rows long, or follow from others */
    json_object_del(figures, "set");
    json_object_del(figures, "foretold");
    json_object_del(json_object_get(figures, "delivery_steps"), "curve");
    return figures;
}

/* Returns a number that was asked for, or null. */
static json_t *asked(const char *value)
{
    return value == NULL ? json_null() : json_integer(atoll(value));
}

/* Returns the run's specification, as the database has it. */
static json_t *specification_of(const struct sweep_runner *runner, const struct sweep_case *run)
{
    json_t *hash = runner->set != NULL
                       ? json_sprintf("%016" PRIx64, sweep_hash_set(set_routed(runner->set)))
                       : json_null();
    return json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "workload",
                     report_json_text(run->subject->name), "is_file", run->subject->pattern == NULL,
                     "input_hash", hash, "asked_parameters", report_json_text(run->method->text),
                     "asked_buffer", asked(run->buffer), "asked_degree", asked(run->degree),
                     "asked_congestion", asked(run->congestion), "asked_per_node",
                     asked(run->per_node));
}

/* Returns the text of a value, which is released; NULL: no memory. */
static char *text_of(json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(value);
    return text;
}

enum failure_kind sweep_runner_do(struct sweep_runner *runner, const struct sweep_case *run,
                                  const char *key, struct results_database *database,
                                  struct failure *outcome, struct failure *failure)
{
    struct meshcast_report *report = NULL;
    if (prepare_set(runner, run, outcome) == FAIL_NONE &&
        sweep_check_method(run->method, outcome) == FAIL_NONE)
        report = route(runner, run, outcome);
    if (sweep_has_row(outcome->kind)) {
        char *figures =
            text_of(report != NULL ? figures_of(report) : figures_without_report(run, outcome));
        char *specification = text_of(specification_of(runner, run));
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
            results_add(database, &row, failure);
        free(figures);
        free(specification);
    }
    meshcast_report_free(report);
    return failure->kind;
}

void sweep_runner_free(struct sweep_runner *runner)
{
    meshcast_set_free(runner->set);
}
