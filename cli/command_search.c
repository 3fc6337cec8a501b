/* command_search.c - `meshcast search`: message sets that are as bad as possible for a router.
 *
 * How it searches: search/search.c. What a set is worth: library/set_probe.c. What is promised:
 * search/promise.c. The file of the set is opened before the search, so that one that cannot be
 * written costs nothing, and takes its place when the search is over: after so many sets or seconds,
 * or at the first signal of a user, by which the program then ends.
 *
 * Status: 0, and also where more was found than was only measured before; 1 if a run failed, or what
 * is proven or enforced was broken; 2 where the router refuses the options.
 */
#include "base/output_file.h"
#include "base/stopwatch.h"
#include "cli/command.h"
#include "cli/report_search.h"
#include "cli/search_router.h"
#include "console/interruption.h"
#include "library/adversary_graph.h"
#include "library/report.h"
#include "library/run_options.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct search_options {
    const char *router, *output;
    struct mesh side;        /* 0 rows: not given */
    uint32_t congestion;     /* 0: not given */
    uint32_t per_node;       /* 0: not given */
    uint32_t objective;      /* an index of objective_names */
    uint32_t seconds, tries; /* 0: not given */
    struct run_options run;
};

enum { DEFAULT_SECONDS = 60, GIVENS_MOST = 64 };

static int accept_side(void *field, char *value, struct failure *failure)
{
    return option_take_mesh("side", value, field, failure);
}

static const struct meshcast_option rows[] = {
    {.name = "router",
     .value = "NAME",
     .is_common = true,
     .help = "which router, or a plugin, ./FILE.so (a router of your own)",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct search_options, router),
     .names = &router_names},
    {.name = "side",
     .value = "M",
     .is_common = true,
     .help = "the mesh, M x M nodes, or 20x31; the default is that of the sets",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct search_options, side),
     .accept = accept_side},
    {.name = "congestion",
     .value = "C",
     .is_common = true,
     .help = "at most C messages to a node (and not fewer than --per-node); the default is\nthat "
             "of the sets, or 16",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct search_options, congestion),
     .least = 1,
     .most = MESH_MAX_NODES},
    {.name = "per-node",
     .value = "L",
     .help = "at most so many messages from a node; the default is that of the sets, or 1",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct search_options, per_node),
     .least = 1,
     .most = MESH_MAX_NODES},
    {.name = "objective",
     .value = "buffer|steps",
     .is_common = true,
     .help = "what is to be large: the packets at a node (buffer, the default), or the\n"
             "steps without synchronisation",
     .type = MESHCAST_OPTION_CHOICE,
     .offset = offsetof(struct search_options, objective),
     .choices = objective_names},
    {.name = "seconds",
     .value = "N",
     .is_common = true,
     .help = "ends after so many seconds; the default is 60, unless --tries is given",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct search_options, seconds),
     .least = 1,
     .most = UINT32_MAX},
    {.name = "tries",
     .value = "N",
     .is_common = true,
     .help = "ends after so many sets; the same N finds the same set on any machine",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct search_options, tries),
     .least = 1,
     .most = UINT32_MAX},
    {.name = "output",
     .letter = 'o',
     .value = "SET",
     .is_common = true,
     .help = "where the worst set goes; the default is nowhere",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct search_options, output),
     .is_file = true},
};

/* ---- the sets of the operands ---- */

struct givens {
    uint32_t count;
    struct message_set set[GIVENS_MOST];
    const char *name[GIVENS_MOST];
};

static void givens_free(struct givens *givens)
{
    for (uint32_t i = 0; i < givens->count; i++)
        message_set_free(&givens->set[i]);
}

static enum failure_kind read_given(struct givens *givens, const char *path,
                                    struct search_options *options, struct failure *failure)
{
    struct message_set *set = &givens->set[givens->count];
    if (path_is_same_file(path, options->output))
        return fail(failure, FAIL_USAGE, "the worst set would overwrite the set %s", path);
    if (message_set_read_machine(set, path, NULL, available_memory_limit(options->run.force),
                                 failure) != FAIL_NONE)
        return failure->kind;
    report_cut_set(set, path);
    givens->name[givens->count++] = path;
    if (options->side.rows == 0)
        options->side = set->mesh;
    if (set->mesh.rows != options->side.rows || set->mesh.cols != options->side.cols)
        return fail(failure, FAIL_USAGE,
                    "%.200s is for %" PRIu32 " x %" PRIu32 " nodes, the search for %" PRIu32
                    " x %" PRIu32,
                    path, set->mesh.rows, set->mesh.cols, options->side.rows, options->side.cols);
    return FAIL_NONE;
}

/* The most that any of the sets has, and which. */
struct most {
    uint32_t figure;
    const char *name;
};

static void note_most(struct most *most, uint32_t figure, const char *name)
{
    if (figure > most->figure)
        *most = (struct most){figure, name};
}

/* Reads the sets; what `making` leaves open, the mesh too, is theirs. */
static enum failure_kind read_givens(struct givens *givens, const struct operands *operands,
                                     struct search_options *options, struct making *making,
                                     struct failure *failure)
{
    struct most congestion = {0, NULL}, sent = {0, NULL};
    for (int i = 0; i < operands->count; i++) {
        const char *name = operands->operand[i];
        const struct message_set *set = &givens->set[i];
        if (read_given(givens, name, options, failure) != FAIL_NONE)
            return failure->kind;
        uint32_t most_received = message_set_congestion(set);
        uint32_t most_sent = message_set_most_sent(set);
        if (most_received == UINT32_MAX || most_sent == UINT32_MAX)
            return fail_memory(failure, "the messages of the nodes");
        note_most(&congestion, most_received, name);
        note_most(&sent, most_sent, name);
    }
    if (options->congestion != 0 && congestion.figure > options->congestion)
        return fail(failure, FAIL_USAGE,
                    "%.200s has congestion %" PRIu32 "; the search has %" PRIu32, congestion.name,
                    congestion.figure, options->congestion);
    if (options->side.rows == 0)
        return fail(failure, FAIL_USAGE, "missing --side M: the mesh, or a set to begin with");
    if (options->per_node != 0 && sent.figure > options->per_node)
        return fail(failure, FAIL_USAGE,
                    "%.200s has nodes that send %" PRIu32 " messages; the search has %" PRIu32,
                    sent.name, sent.figure, options->per_node);
    *making = (struct making){.mesh = options->side,
                              .congestion = options->congestion,
                              .per_node = options->per_node,
                              .seed = options->run.seed};
    return making_complete(making, congestion.figure, sent.figure, failure);
}

/* ---- the search ---- */

static enum failure_kind check_options(const struct search_options *options,
                                       const struct router **router, struct failure *failure)
{
    if (report_form_check(options->run.form, NULL, NULL, failure) != FAIL_NONE ||
        run_find_router(options->router, router, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t i = 0; i < options->run.parameters.count; i++)
        if (run_check_parameter(router, 1, options->run.parameters.parameter[i].name, failure) !=
            FAIL_NONE)
            return failure->kind;
    if (path_is_standard_output(options->output) ||
        (options->output != NULL && strcmp(options->output, "-") == 0))
        return fail(failure, FAIL_USAGE, "standard output has the report; -o must name a file");
    return FAIL_NONE;
}

static enum failure_kind print_report(const struct search_report *report, struct failure *failure)
{
    if (report_form_is_data(report->options->form))
        return report_print_data(report->options->form, report_search_json(report), NULL, failure);
    report_print_search(report, stdout);
    return FAIL_NONE;
}

/* Writes the set with its comment; the file takes its place. */
static enum failure_kind write_worst(const struct search_report *report, struct output_file *file,
                                     struct failure *failure)
{
    char *comment = NULL;
    size_t length = 0;
    FILE *text = open_memstream(&comment, &length);
    if (text != NULL)
        report_search_comment(report, text);
    if (text == NULL || fclose(text) != 0)
        fail_memory(failure, "the comment of a set");
    else
        message_set_write(&report->search->worst.set, comment, file->file); /* the close tells */
    free(comment);
    return failure->kind == FAIL_NONE ? output_file_close(file, true, failure) : failure->kind;
}

/* Runs the worst set once more for the report, writes it, and prints the report. */
static enum failure_kind finish(struct search_report *report, struct output_file *file,
                                struct search_router *runs, struct failure *failure)
{
    struct set_probe_run worst;
    if (set_probe_run(&runs->probe, &report->search->worst.set, &worst, failure) != FAIL_NONE)
        return failure->kind;
    progress_end(&runs->progress);
    report->worst = &worst;
    if (file->file != NULL && write_worst(report, file, failure) != FAIL_NONE)
        return failure->kind;
    report_refused_threads(worst.result.threads, worst.result.threads_refused,
                           report->options->quiet);
    if (print_report(report, failure) == FAIL_NONE)
        set_probe_judge(&runs->probe, &worst, &report->search->worst.figure, failure);
    return failure->kind;
}

static enum failure_kind search(const struct search_options *options, const struct router *router,
                                const struct search_plan *asked, struct failure *failure)
{
    struct search_plan plan = *asked;
    struct search found;
    struct output_file file;
    struct search_router runs = {.seconds = options->seconds,
                                 .clock = stopwatch_seconds,
                                 .limit = available_memory_limit(options->run.force),
                                 .probe = {.router = router,
                                           .objective = (enum objective)options->objective,
                                           .options = run_options_for_router(&options->run)}};
    struct search_report report = {
        .router = router, .options = &options->run, .plan = &plan, .search = &found, .runs = &runs};
    runs.probe.options.progress = progress_update;
    runs.probe.options.progress_context = &runs.progress;
    if (runs.seconds == 0 && options->tries == 0)
        runs.seconds = DEFAULT_SECONDS;
    plan.probe = set_probe_measure;
    plan.is_over = search_router_is_over;
    plan.context = &runs;
    interruption_defer();
    if (search_router_check_memory(&runs, &plan.making, failure) != FAIL_NONE ||
        output_file_open(&file, options->output, failure) != FAIL_NONE)
        return failure->kind;
    snprintf(runs.name, sizeof runs.name, "%s, set 1", router->name);
    progress_begin(&runs.progress, runs.name, options->run.quiet);
    runs.started = stopwatch_seconds();
    search_run(&found, &plan, failure);
    report.seconds = stopwatch_seconds() - runs.started;
    report.is_interrupted = interruption_noted() != 0;
    if (failure->kind == FAIL_NONE && found.worst.figure.figure == 0 && runs.probe.refused > 0)
        fail(failure, FAIL_USAGE, "%s", runs.probe.refusal.text);
    if (failure->kind == FAIL_NONE)
        finish(&report, &file, &runs, failure);
    progress_end(&runs.progress);
    output_file_close(&file, false, failure); /* of a search without a result */
    search_free(&found);
    return failure->kind;
}

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    struct search_options *search_options = options;
    const struct router *router;
    struct givens givens = {.count = 0};
    struct adversary_graph against = {0};
    struct search_plan plan = {.tries = search_options->tries, .seed = search_options->run.seed};
    if (check_options(search_options, &router, failure) == FAIL_NONE &&
        read_givens(&givens, operands, search_options, &plan.making, failure) == FAIL_NONE) {
        plan.given = givens.set;
        plan.given_name = givens.name;
        plan.givens = givens.count;
        struct router_options given = run_options_for_router(&search_options->run);
        if (adversary_of_router(&against, router, &given,
                                available_memory_limit(search_options->run.force), &plan.making,
                                failure) == FAIL_NONE)
            search(search_options, router, &plan, failure);
    }
    adversary_graph_free(&against);
    givens_free(&givens);
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
    fputs("\nFirst come the SETs, then sets that are made to be bad (patterns of 'gen', crowded\n"
          "lines, the exchange of Chinn, Leighton and Tompa, cells of tiles, families against\n"
          "what the router chooses by the seed), then a local search from the worst of them. "
          "Ctrl-C ends it\n"
          "with the worst set so far; twice, without it.\n",
          out);
    print_promises(out);
}

const struct command command_search = {
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
    .most = GIVENS_MOST,
    .options_size = sizeof(struct search_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0},
                {run_congestion_row, 1, offsetof(struct search_options, run)},
                /* all but --buffer: the router's own capacity is what is attacked */
                {run_option_row, RUN_BUFFER_ROW, offsetof(struct search_options, run)},
                {run_option_row + RUN_BUFFER_ROW + 1, RUN_OPTION_ROWS - RUN_BUFFER_ROW - 1,
                 offsetof(struct search_options, run)}},
    .offer_parameters = completion_offer_router_parameters,
    .print_more = print_more,
    .topics = "'meshcast help routers'",
    .run = run,
};
