/* command_search.c - the command `search`: message sets that are as bad as possible for a router.
 *
 * The search is in search/search.c, the promises in search/promise.c. The file of the set is opened
 * before the search, so that one that cannot be written costs nothing, and renamed when the search
 * is over: after so many sets or seconds, or when it is interrupted.
 *
 * Status: 0, also if the worst set exceeds a promise that is only measured; 1 if a run failed, or
 * broke a promise that is proven or enforced; 2 if the router refuses the options.
 *
 * The worst figure is beside the promise; below it are its origin, the set, the starts of the local
 * search, and the counts of each move.
 *
 * A set is rated by the peak of the buffers, or the steps without synchronisation, of the router's
 * run with its own capacity. An overflow of that capacity, or a missing delivery, makes the run
 * fail, and the set the worst. Two sets of one figure are distinguished by an observed run, which
 * is a few times slower and so is made only if it can decide. A buffer's `finer` is the sum of the
 * fourth powers of all nodes' peaks, so that nodes that come near the peak count and others hardly
 * do; that of steps is the same of the steps at which deliveries are made. Both rise before the
 * figure does.
 */
#include "base/output_file.h"
#include "base/printable.h"
#include "base/stopwatch.h"
#include "library/adversary_graph.h"
#include "library/command_run.h"
#include "library/command_set.h"
#include "library/report.h"
#include "library/run_options.h"
#include "library/view.h"
#include "search/candidate.h"
#include "search/promise.h"
#include "search/search.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

struct search_options {
    const char *router, *output;
    struct mesh side;        /* 0 rows: not given */
    uint32_t congestion;     /* 0: not given */
    uint32_t per_node;       /* 0: not given */
    uint32_t objective;      /* an index of objective_names */
    uint32_t seconds, tries; /* 0: not given */
    struct run_options run;
};

enum { DEFAULT_SECONDS = 60, NAME_SIZE = 24 };

/* The run of the worst set. */
struct worst_run {
    struct router_result result;
    uint32_t degree, congestion, most_sent;
    const struct promise *promise; /* NULL: none is known */
    double bound;                  /* 0: none for such a run */
    uint64_t figure;
};

/* A search under way, and its end. */
struct quest {
    const struct meshcast_command *command;
    const struct router *router;
    struct router_options run; /* of each set, without a buffer */
    enum objective objective;
    uint64_t runs, refused; /* runs of the router; those that it refused */
    struct failure refusal; /* the first one */
    struct failure failed;  /* the first run that failed */
    const struct search_options *options;
    struct seed_plan seeds;
    double started, seconds;
    struct search found;
    struct worst_run worst;
    bool is_interrupted;
    uint32_t givens;
    struct command_instance given[COMMAND_SETS];
    struct message_set given_set[COMMAND_SETS]; /* those of `given`; never freed */
    const char *given_name[COMMAND_SETS];
    char name[COMMAND_SETS][NAME_SIZE]; /* of the sets that were given, not read */
};

static const struct meshcast_option rows[] = {
    RUN_ROUTER_ROW(struct search_options, router),
    OPTION_OTHER("side", "M", COMMON, struct search_options, side, option_parse_side,
                 "the mesh, M x M nodes, or 20x31; the default is that of the sets"),
    OPTION_NUMBER(
        "congestion", "C", COMMON, struct search_options, congestion, 1, MESH_MAX_NODES,
        "at most C messages to a node (and not fewer than --per-node); the default is\nthat "
        "of the sets, or 16"),
    OPTION_NUMBER("per-node", "L", RARE, struct search_options, per_node, 1, MESH_MAX_NODES,
                  "at most L messages from a node; the default is that of the sets, or 1"),
    OPTION_CHOICE("objective", "buffer|steps", COMMON, struct search_options, objective,
                  objective_names,
                  "what is to be large: the packets at a node (buffer, the default), or the\n"
                  "steps without synchronisation"),
    OPTION_NUMBER("seconds", "N", COMMON, struct search_options, seconds, 1, UINT32_MAX,
                  "ends after N seconds; the default is 60, unless --tries is given"),
    OPTION_NUMBER("tries", "N", COMMON, struct search_options, tries, 1, UINT32_MAX,
                  "ends after N sets; the same N finds the same set on any machine"),
    OPTION_OUTPUT("output", "SET", 'o', COMMON, struct search_options, output,
                  "where the worst set goes; the default is nowhere"),
};

/* ---- the rating of a set ---- */

static double fourth_power(double value)
{
    return value * value * value * value;
}

/* The deliveries of an observed run. */
struct fine {
    struct view view;
    uint64_t delivered; /* up to the row before */
    double sum;         /* of the fourth powers of their steps */
};

static void take_row(void *context, const struct view_row *row)
{
    struct fine *fine = context;
    fine->sum += (double)(row->delivered - fine->delivered) * fourth_power((double)row->step);
    fine->delivered = row->delivered;
}

static double sum_of_peaks(const struct view *view)
{
    double sum = 0;
    for (uint32_t i = 0; i < mesh_nodes(view->mesh); i++)
        sum += fourth_power(view->peak[i]);
    return sum;
}

/* Runs the router once. The run's failure goes into `failed`; failures of the system are the
 * search's. */
static enum failure_kind run_once(struct quest *quest, const struct message_set *set,
                                  struct router_result *result, struct failure *failed,
                                  struct failure *failure)
{
    quest->runs++;
    router_run(quest->router, set, &quest->run, result, failed);
    if (command_run_overflowed(result, failed)) {
        *failed = (struct failure){0};
        fail(failed, FAIL_CHECK, "a node held %" PRIu32 " packets, which can hold %" PRIu32,
             result->buffer_peak, command_run_capacity(result));
    }
    bool is_ours = failed->kind == FAIL_SYSTEM || failed->kind == FAIL_INTERRUPTED;
    return is_ours ? fail_as(failure, failed) : FAIL_NONE;
}

static enum failure_kind run_finely(struct quest *quest, const struct message_set *set,
                                    struct router_result *result, double *finer,
                                    struct failure *failed, struct failure *failure)
{
    bool of_steps = quest->objective == OBJECTIVE_STEPS;
    struct fine fine = {.sum = 0};
    struct view_plan plan = {.every = of_steps, .take = take_row, .take_context = &fine};
    if (view_make(&fine.view, set->mesh, &plan, failure) != FAIL_NONE)
        return failure->kind;
    quest->run.observer = &fine.view.observer;
    enum failure_kind kind = run_once(quest, set, result, failed, failure);
    quest->run.observer = NULL;
    if (kind == FAIL_NONE && failed->kind == FAIL_NONE)
        view_finish(&fine.view, result->steps);
    *finer = of_steps ? fine.sum : sum_of_peaks(&fine.view);
    view_free(&fine.view);
    return kind;
}

static uint64_t figure_of(const struct quest *quest, const struct router_result *result)
{
    return quest->objective == OBJECTIVE_BUFFER ? result->buffer_peak
                                                : result->steps - result->sync_steps;
}

/* Measures a set: the search_probe. A set that the router refuses is rated 0. */
static enum failure_kind measure_set(void *context, const struct message_set *set, bool finely,
                                     struct search_figure *figure, struct failure *failure)
{
    struct quest *quest = context;
    struct router_result result;
    struct failure failed = {0};
    enum failure_kind kind = finely
                                 ? run_finely(quest, set, &result, &figure->finer, &failed, failure)
                                 : run_once(quest, set, &result, &failed, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (failed.kind == FAIL_USAGE) {
        quest->refused++;
        fail(&quest->refusal, FAIL_USAGE, "%s", failed.text);
        return FAIL_NONE;
    }
    if (failed.kind != FAIL_NONE)
        fail(&quest->failed, failed.kind, "%s", failed.text);
    figure->fails = failed.kind != FAIL_NONE;
    figure->figure = figure_of(quest, &result);
    figure->peak = result.buffer_peak_node;
    return FAIL_NONE;
}

/* Runs the worst set once more, and compares it with the promise. */
static enum failure_kind run_worst(struct quest *quest, const struct message_set *set,
                                   struct failure *failure)
{
    struct failure failed = {0};
    struct worst_run *worst = &quest->worst;
    const struct router_result *result = &worst->result;
    worst->degree = message_set_degree(set);
    worst->congestion = message_set_congestion(set);
    worst->most_sent = message_set_most_sent(set);
    if (worst->congestion == UINT32_MAX || worst->most_sent == UINT32_MAX)
        return fail_memory(failure, "the messages of the nodes");
    if (run_once(quest, set, &worst->result, &failed, failure) != FAIL_NONE)
        return failure->kind;
    worst->figure = figure_of(quest, result);
    /* a fallback after void attempts is part of the router's promise, and the first one's capacity
     * is its own */
    bool is_other = result->ran_as[0] != '\0' && result->attempts < 2;
    worst->promise =
        promise_find(is_other ? result->ran_as : quest->router->name, quest->objective);
    struct promise_case run = {.mesh = set->mesh,
                               .congestion = worst->congestion,
                               .capacity = result->buffer_capacity > 0
                                               ? result->buffer_capacity
                                               : command_run_capacity(result),
                               .most_sent = worst->most_sent,
                               .copy_is_free = quest->run.copy_is_free};
    worst->bound = quest->run.parameters == 0 ? promise_bound(worst->promise, &run) : 0;
    return FAIL_NONE;
}

/* True if the worst set exceeds the promise, or made the run fail. */
static bool is_broken(const struct quest *quest)
{
    const struct worst_run *worst = &quest->worst;
    return quest->found.worst.figure.fails ||
           (worst->bound > 0 && (double)worst->figure > worst->bound);
}

/* FAIL_CHECK: the run of the worst set fails, or breaks a promise that is proven or enforced. */
static enum failure_kind judge(const struct quest *quest, struct failure *failure)
{
    const struct worst_run *worst = &quest->worst;
    if (quest->found.worst.figure.fails)
        return fail(failure, FAIL_CHECK, "%.400s", quest->failed.text);
    if (is_broken(quest) && worst->promise->kind >= PROMISE_ENFORCED)
        return fail(failure, FAIL_CHECK, "%" PRIu64 " found, %.0f promised (%s)", worst->figure,
                    worst->bound, promise_kind_name(worst->promise->kind));
    return FAIL_NONE;
}

/* ---- JSON ---- */

static json_t *promise_json(const struct worst_run *worst)
{
    struct report_object object = report_object_open();
    const struct promise *promise = worst->promise;
    enum promise_kind kind = promise == NULL || worst->bound == 0 ? PROMISE_NONE : promise->kind;
    report_set_real(&object, "bound", worst->bound > 0, worst->bound);
    report_set_word(&object, "formula", promise == NULL ? NULL : promise->formula);
    report_set(&object, "kind", json_string(promise_kind_name(kind)));
    return report_object_close(&object);
}

static void set_origin(struct report_object *object, const struct search_find *find)
{
    report_set(object, "from", report_json_text(find->name));
    report_set_count(object, "moves", find->moves);
    report_set_word(object, "last_move", find->last);
}

static json_t *worst_json(const struct quest *quest)
{
    struct report_object object = report_object_open();
    const struct search_find *find = &quest->found.worst;
    const struct worst_run *worst = &quest->worst;
    const struct router_result *result = &worst->result;
    report_set_count(&object, "figure", worst->figure);
    report_set_steps(&object, result->steps, result->sync_steps);
    report_set_peak(&object, command_run_capacity(result), result->buffer_peak,
                    &(struct report_place){result->buffer_peak_node, result->buffer_peak_step,
                                           result->buffer_peak_phase});
    report_set_count(&object, "messages", find->set.messages);
    report_set_count(&object, "deliveries", find->set.deliveries);
    report_set_count(&object, "degree", worst->degree);
    report_set_count(&object, "congestion", worst->congestion);
    report_set_count(&object, "messages_per_node", worst->most_sent);
    set_origin(&object, find);
    report_set_count(&object, "tried_as", find->at);
    report_set(&object, "error",
               find->figure.fails ? report_json_text(quest->failed.text) : json_null());
    return report_object_close(&object);
}

static json_t *starts_json(const struct search *search)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < search->starts; i++) {
        struct report_object object = report_object_open();
        report_set_count(&object, "first", search->start[i].first.figure);
        report_set_count(&object, "figure", search->start[i].figure.figure);
        set_origin(&object, &search->start[i]);
        json_t *value = report_object_close(&object);
        report_append(&array, value);
    }
    return array;
}

static json_t *moves_json(const struct search *search)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < mutation_count(); i++) {
        const struct search_move_count *count = &search->move[i];
        json_t *value = json_pack("{s:s, s:I, s:I, s:I}", "name", mutation_at(i)->name, "tried",
                                  (json_int_t)count->tried, "kept", (json_int_t)count->kept,
                                  "worst", (json_int_t)count->best);
        report_append(&array, value);
    }
    return array;
}

static json_t *search_json(const struct quest *quest)
{
    const struct mesh mesh = quest->seeds.mesh;
    struct instance nobody = {.name = ""};
    struct run_report run = {.instance = &nobody,
                             .options = &quest->options->run,
                             .router = quest->router,
                             .result = quest->worst.result};
    struct report_object object = report_result_open();
    report_set(&object, "router", json_string(quest->router->name));
    report_set(&object, "copy", json_string(run_copy_name(&quest->options->run)));
    report_set(&object, "objective", json_string(objective_names[quest->objective]));
    report_set_count(&object, "rows", mesh.rows);
    report_set_count(&object, "cols", mesh.cols);
    report_set_count(&object, "nodes", mesh_nodes(mesh));
    report_set_count(&object, "congestion", quest->seeds.congestion);
    report_set_count(&object, "messages_per_node", seed_plan_per_node(&quest->seeds));
    report_set_seed(&object, quest->options->run.seed);
    report_set_run(&object, &run);
    report_set_count(&object, "tried", quest->found.tried);
    report_set_count(&object, "made", quest->found.made);
    report_set(&object, "promise", promise_json(&quest->worst));
    report_set(&object, "is_broken", json_boolean(is_broken(quest)));
    report_set(&object, "worst", worst_json(quest));
    report_set(&object, "starts", starts_json(&quest->found));
    report_set(&object, "moves", moves_json(&quest->found));
    report_set(&object, "is_interrupted", json_boolean(quest->is_interrupted));
    report_set_count(&object, "threads", quest->worst.result.threads);
    report_set(&object, KEY_WALL_SECONDS, json_real(quest->seconds));
    return report_object_close(&object);
}

/* ---- the table ---- */

static const struct figure found_figures[] = {
    {"promise.bound", "promised", FIGURE_RATIO, FIGURE_LINE,
     "{promise.kind}, {promise.formula}[{?is_broken}: BROKEN]"},
    {"worst.figure", "worst found", FIGURE_COUNT, FIGURE_LINE,
     "[{objective=buffer}packets per node][{objective=steps}steps without synchronisation]"},
    {0}};

static const struct figure set_figures[] = {
    {"messages", "messages", FIGURE_COUNT, FIGURE_LINE,
     "{deliveries:delivery}, degree d = {degree}, congestion c = {congestion}"
     "[{messages_per_node>1}, l = {messages_per_node} messages per node]"},
    {"from", "found by", FIGURE_TEXT, FIGURE_LINE, "[{moves:move}, the last: {last_move}]"},
    {"error", "THE RUN FAILS", FIGURE_TEXT, FIGURE_LINE, NULL},
    {0}};

static const struct figure start_columns[] = {
    {"first", "first", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"figure", "worst", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"from", "the local search began with", FIGURE_TEXT, FIGURE_ALL, NULL},
    {"moves", "moves", FIGURE_COUNT, FIGURE_ALL, NULL},
    {"last_move", "the last", FIGURE_TEXT, FIGURE_ALL, NULL},
    {0}};

static const struct figure move_columns[] = {{"tried", "tried", FIGURE_COUNT, FIGURE_ALL, NULL},
                                             {"kept", "kept", FIGURE_COUNT, FIGURE_ALL, NULL},
                                             {"worst", "worst", FIGURE_COUNT, FIGURE_ALL, NULL},
                                             {"name", "move", FIGURE_TEXT, FIGURE_ALL, NULL},
                                             {0}};

static void print_rows(const json_t *json, const char *key, const struct figure *column, FILE *out)
{
    const struct figures figures = {{column}};
    fputc('\n', out);
    table_print_text(&(struct table){&figures, json_object_get(json, key), false}, out);
}

static void print_search(const struct quest *quest, const json_t *json, FILE *out)
{
    const struct figures found = {{found_figures}},
                         worst = {{figures_of_steps, figures_of_buffer, set_figures}};
    struct run_report run = {.options = &quest->options->run};
    struct report_object people = {report_for_people(&run, json), false};
    struct report_object found_set = report_object_copy(json_object_get(json, "worst"));
    report_set_count(&people, "runs", quest->runs);
    report_set(&found_set, "cols", json_incref(json_object_get(json, "cols")));
    json_t *lines = report_object_close(&people), *row = report_object_close(&found_set);
    report_print_title(lines, out);
    figures_print_text(lines,
                       "{rows} x {cols} nodes, congestion {congestion}"
                       "[{messages_per_node>1} and {messages_per_node} messages from a node] at "
                       "most, seed {seed}: {tried:set}, {made} of them made\n\n",
                       out);
    figures_print(&found, lines, out);
    figures_print_text(lines, "[{!promise.bound}  nothing is promised for such a run\n]", out);
    figures_print(&worst, row, out);
    if (quest->found.tried != quest->found.made) {
        print_rows(json, "starts", start_columns, out);
        print_rows(json, "moves", move_columns, out);
    }
    figures_print_text(
        lines, "\n{runs:run} in {wall_seconds:.3} s[{?is_interrupted}, interrupted]\n", out);
    json_decref(row);
    json_decref(lines);
}

/* ---- the comment ---- */

/* Returns the command that finds the set again, and its effect, for the caller to free; NULL: no
 * memory. */
static char *comment_of(const struct quest *quest, const json_t *json)
{
    static const char *const left_out[] = {"seconds", "tries", "threads", NULL};
    json_t *text =
        figures_text(json, " --tries {tried}\n{worst.figure} [{objective=buffer}packets at a "
                           "node][{objective=steps}steps], found by {worst.from}"
                           "[; {worst.moves:move}, the last: {worst.last_move}]\nd = "
                           "{worst.degree}, c = {worst.congestion}"
                           "[{worst.messages_per_node>1}, l = {worst.messages_per_node}]");
    char *comment = text == NULL ? NULL
                                 : command_comment(quest->command, true, left_out, "%s",
                                                   json_string_value(text));
    json_decref(text);
    return comment;
}

/* ---- the sets of the operands ---- */

/* The most of any of the sets, and its index. */
struct most {
    uint32_t figure;
    const char *name;
};

static void note_most(struct most *most, uint32_t figure, const char *name)
{
    if (figure > most->figure)
        *most = (struct most){figure, name};
}

static enum failure_kind read_given(struct quest *quest, struct failure *failure)
{
    uint32_t index = quest->givens;
    struct command_instance *given = &quest->given[index];
    struct mesh *mesh = &quest->seeds.mesh;
    if (command_read_instance(quest->command, (int)index, given, failure) != FAIL_NONE)
        return failure->kind;
    quest->givens++;
    quest->given_set[index] = given->instance.set;
    if (given->is_given) {
        snprintf(quest->name[index], NAME_SIZE, "given %" PRIu32, index);
        given->instance.name = quest->name[index];
    }
    quest->given_name[index] = given->instance.name;
    if (mesh->rows == 0)
        *mesh = given->instance.set.mesh;
    if (given->instance.set.mesh.rows != mesh->rows || given->instance.set.mesh.cols != mesh->cols)
        return fail(failure, FAIL_USAGE,
                    "%.200s is for %" PRIu32 " x %" PRIu32 " nodes, the search for %" PRIu32
                    " x %" PRIu32,
                    given->instance.name, given->instance.set.mesh.rows,
                    given->instance.set.mesh.cols, mesh->rows, mesh->cols);
    if (message_set_is_timed(&given->instance.set))
        return fail(failure, FAIL_USAGE,
                    "%.200s has starts or waits; a search changes sets whose messages all start at "
                    "once",
                    given->instance.name);
    return FAIL_NONE;
}

/* Reads the sets; they determine everything that `making` leaves open, also the mesh. */
static enum failure_kind read_givens(struct quest *quest, struct failure *failure)
{
    const struct search_options *options = quest->options;
    struct most congestion = {0, NULL}, sent = {0, NULL};
    quest->seeds = (struct seed_plan){.mesh = options->side,
                                      .congestion = options->congestion,
                                      .per_node = options->per_node,
                                      .seed = options->run.seed};
    for (int i = 0; i < quest->command->operands; i++) {
        if (read_given(quest, failure) != FAIL_NONE)
            return failure->kind;
        const struct instance *instance = &quest->given[i].instance;
        note_most(&congestion, instance->congestion, instance->name);
        note_most(&sent, instance->most_sent, instance->name);
    }
    if (options->congestion != 0 && congestion.figure > options->congestion)
        return fail(failure, FAIL_USAGE,
                    "%.200s has congestion %" PRIu32 "; the search has %" PRIu32, congestion.name,
                    congestion.figure, options->congestion);
    if (quest->seeds.mesh.rows == 0)
        return fail(failure, FAIL_USAGE, "missing --side M: the mesh, or a set to begin with");
    if (options->per_node != 0 && sent.figure > options->per_node)
        return fail(failure, FAIL_USAGE,
                    "%.200s has nodes that send %" PRIu32 " messages; the search has %" PRIu32,
                    sent.name, sent.figure, options->per_node);
    return seed_plan_complete(&quest->seeds, congestion.figure, sent.figure, failure);
}

/* ---- the search ---- */

static enum failure_kind check_options(const struct meshcast_command *command,
                                       const struct router **router, struct failure *failure)
{
    const struct search_options *options = command->options;
    if (command_find_router(command, options->router, router, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t i = 0; i < options->run.parameters.count; i++)
        if (run_check_parameter(router, 1, options->run.parameters.parameter[i].name, failure) !=
            FAIL_NONE)
            return failure->kind;
    return run_options_check_output(&options->run, options->output, failure);
}

static bool is_over(void *context, uint64_t tried, const struct search_find *worst)
{
    const struct quest *quest = context;
    double seconds = stopwatch_seconds() - quest->started;
    char text[256];
    snprintf(text, sizeof text, "search %s: %" PRIu64 " sets, worst %" PRIu64 " %s, %s",
             quest->router->name, tried, worst->figure.figure,
             quest->objective == OBJECTIVE_BUFFER ? "packets" : "steps", worst->name);
    if (quest->options->tries > 0)
        command_progress(quest->command, tried, quest->options->tries, text);
    else
        command_progress(quest->command, (uint64_t)seconds, (uint64_t)quest->seconds, text);
    return interrupt_is_sent(quest->command->interrupt) ||
           (quest->seconds > 0 && seconds >= quest->seconds);
}

/* Writes the set with its comment; the file is renamed. */
static enum failure_kind write_worst(const struct quest *quest, const json_t *json,
                                     struct output_file *file, struct failure *failure)
{
    char *comment = comment_of(quest, json);
    if (comment == NULL)
        fail_memory(failure, "the comment of a set");
    else
        message_set_write(&quest->found.worst.set, comment, file->file,
                          NULL); /* the close reports */
    free(comment);
    return failure->kind == FAIL_NONE ? output_file_close(file, true, failure) : failure->kind;
}

/* Runs the worst set once more for the report, writes it, and reports both. */
static enum failure_kind finish(struct quest *quest, struct output_file *file,
                                struct meshcast_report *report, struct failure *failure)
{
    const struct meshcast_command *command = quest->command;
    struct search_find *worst = &quest->found.worst;
    quest->run.interrupt = NULL; /* the run that is shown must not be interrupted */
    if (run_worst(quest, &worst->set, failure) != FAIL_NONE)
        return failure->kind;
    json_t *json = search_json(quest);
    if (file->file != NULL && write_worst(quest, json, file, failure) != FAIL_NONE) {
        json_decref(json);
        return failure->kind;
    }
    command_note_threads(command, quest->worst.result.threads, quest->worst.result.threads_refused);
    if (report_take_json(report, json, NULL, failure) != FAIL_NONE)
        return failure->kind;
    print_search(quest, report->json, command_table(report));
    if (report_take_set(command, report, &worst->set, failure) == FAIL_NONE)
        judge(quest, failure);
    if (failure->kind == FAIL_NONE && quest->is_interrupted)
        fail(failure, FAIL_INTERRUPTED, "interrupted");
    return failure->kind;
}

static enum failure_kind search(struct quest *quest, struct meshcast_report *report,
                                struct failure *failure)
{
    const struct search_options *options = quest->options;
    struct output_file file;
    struct failure *refusal = &quest->refusal;
    const struct search_plan plan = {.seeds = quest->seeds,
                                     .given = quest->given_set,
                                     .given_name = quest->given_name,
                                     .givens = quest->givens,
                                     .tries = options->tries,
                                     .seed = options->run.seed,
                                     .probe = measure_set,
                                     .is_over = is_over,
                                     .context = quest};
    command_progress(quest->command, 0, 0, "beginning"); /* from here on it ends early */
    if (output_file_open(&file, options->output, failure) != FAIL_NONE)
        return failure->kind;
    quest->seconds =
        options->seconds == 0 && options->tries == 0 ? DEFAULT_SECONDS : options->seconds;
    quest->started = stopwatch_seconds();
    search_run(&quest->found, &plan, failure);
    quest->seconds = stopwatch_seconds() - quest->started;
    quest->is_interrupted = interrupt_is_sent(quest->command->interrupt);
    if (failure->kind == FAIL_INTERRUPTED && quest->found.worst.at > 0)
        *failure = (struct failure){0};
    if (failure->kind == FAIL_NONE && quest->found.worst.figure.figure == 0 && quest->refused > 0)
        fail(failure, FAIL_USAGE, "%s", refusal->text);
    if (failure->kind == FAIL_NONE)
        finish(quest, &file, report, failure);
    output_file_close(&file, false, failure); /* of a search without a result */
    search_free(&quest->found);
    return failure->kind;
}

static enum failure_kind search_with(struct quest *quest, struct meshcast_report *report,
                                     struct failure *failure)
{
    const struct meshcast_command *command = quest->command;
    const struct search_options *options = quest->options;
    struct adversary_graph against = {0};
    struct router_options run = run_options_for_router(&options->run, NULL);
    quest->objective = (enum objective)options->objective;
    if (check_options(command, &quest->router, failure) == FAIL_NONE &&
        read_givens(quest, failure) == FAIL_NONE &&
        adversary_of_router(&against, quest->router, &run, &quest->seeds, failure) == FAIL_NONE) {
        quest->run = run;
        quest->run.progress = command_progress_steps;
        quest->run.progress_context = (void *)command;
        /* the program's first signal waits for the run under way, so that there is a set to
         * report */
        quest->run.interrupt = command->names_dashes ? NULL : command->interrupt;
        search(quest, report, failure);
    }
    adversary_graph_free(&against);
    for (uint32_t i = 0; i < quest->givens; i++)
        command_instance_free(&quest->given[i]);
    return failure->kind;
}

static int run(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure)
{
    struct quest *quest = memory_allocate(1, sizeof *quest);
    if (quest == NULL)
        return fail_memory(failure, "a search");
    quest->command = command;
    quest->options = command->options;
    search_with(quest, report, failure);
    free(quest);
    return failure->kind;
}

static void print_promises(FILE *out)
{
    fputs("\nWhat the routers promise (S = sqrt(l c n), m the side, s = m / sqrt(c / l), l = 1 or "
          "that\n"
          "of --per-node; steps without synchronisation):\n",
          out);
    for (uint32_t i = 0; i < promise_count(); i++) {
        const struct promise *promise = promise_at(i);
        fprintf(out, "  %-10s %-7s %-9s %s\n", promise->router, objective_names[promise->objective],
                promise_kind_name(promise->kind), promise->formula);
    }
}

static void print_more(FILE *out)
{
    fputs("\nFirst come the SETs, then sets that are made to be bad (patterns of 'gen', cells of\n"
          "tiles, families against what the router chooses by the seed), then a local search "
          "from\nthe worst of them. Ctrl-C ends it with the worst set so far; twice, without it.\n",
          out);
    print_promises(out);
}

const struct meshcast_command_row command_search = {
    .name = "search",
    .summary = "message sets that are as bad as possible for a router",
    .examples = "  meshcast search --router replicate --side 8 --congestion 4 --tries 500 \\\n"
                "      -o bad.mcast\n"
                "  meshcast search --router stream --side 8 --objective steps --tries 200\n"
                "  meshcast search bad.mcast --router trees --seconds 1 -o worse.mcast --json\n"
                "  meshcast search --router replicate --side 8 --per-node 4 --tries 200\n",
    .synopsis = "[SET ...] --router NAME --side M [options] [-o SET]",
    .operands = "SETs to begin with ('-' is standard input)",
    .least = 0,
    .most = COMMAND_SETS,
    .options_size = sizeof(struct search_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0},
                {run_congestion_row, 1, offsetof(struct search_options, run)},
                /* all but --buffer: the router's own capacity is attacked */
                {run_option_row, RUN_BUFFER_ROW, offsetof(struct search_options, run)},
                {run_option_row + RUN_BUFFER_ROW + 1, RUN_OPTION_ROWS - RUN_BUFFER_ROW - 1,
                 offsetof(struct search_options, run)}},
    .offer_parameters = run_offer_parameters,
    .print_more = print_more,
    .topics = "'meshcast help routers'",
    .ends_early = true,
    .run = run,
};
