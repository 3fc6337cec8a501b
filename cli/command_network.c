/* command_network.c - `meshcast network`: all messages of a set at once, on the network.
 *
 * The set says on which mesh or torus; a graph's edges come from --topology. Every delivery is checked. A run
 * that ends in a deadlock, overflows a buffer, or fails a check is reported as far as it went, with its trace, and the
 * status is 1. The first Ctrl-C ends a run and reports what there is, marked as partial; the program then dies of the
 * signal.
 *
 * With `--trace -` or `--view -` standard output is that file's, and the report goes to standard error.
 */
#include "base/output_file.h"
#include "base/stopwatch.h"
#include "cli/command.h"
#include "cli/network_options.h"
#include "cli/report_network.h"
#include "console/interruption.h"
#include "console/progress.h"
#include "library/report.h"
#include "network/best.h"
#include "network/burst.h"
#include "network/network_trace.h"
#include "view/page_output.h"
#include "workloads/message_set.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct network_command {
    const char *scheme, *topology, *trace, *view;
    struct flits_range flits;
    uint32_t sources;
    double clock; /* GHz; 0: not given */
    struct network_options network;
};

static const struct meshcast_option rows[] = {
    {.name = "scheme",
     .value = "NAME",
     .is_common = true,
     .help = "how each message is sent: 'meshcast help schemes'",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct network_command, scheme),
     .names = &scheme_names},
    {.name = "topology",
     .value = "T",
     .help = "graph:FILE, an edge list, for a set on a graph; else the set says it",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct network_command, topology),
     .is_topology = true},
    FLITS_ROW(struct network_command, flits),
    {.name = "clock",
     .value = "GHZ",
     .is_common = true,
     .help = "the clock of the network; times are also given in microseconds",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct network_command, clock),
     .accept = accept_clock},
    {.name = "sources",
     .value = "K",
     .help = "only the messages of K sources, drawn by the seed",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct network_command, sources),
     .least = 1,
     .most = TOPOLOGY_MAX_NODES},
    {.name = "view",
     .value = "FILE",
     .is_common = true,
     .help = "the run as one page for a browser: every cycle, worm and buffer",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct network_command, view),
     .is_file = true},
    {.name = "trace",
     .value = "FILE",
     .is_common = true,
     .help = "every event of the network, for 'meshcast audit'; with '-' the report goes "
             "to\nstandard error",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct network_command, trace),
     .is_file = true},
};

/* ---- the run ---- */

static struct multicast message_at(void *context, uint32_t index)
{
    return chosen_messages_at(context, index);
}

static bool is_output(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

/* Returns the option whose file is standard output, so that the report goes to standard error; NULL: none. */
static const char *option_of_output(const struct network_command *command)
{
    return is_output(command->trace) ? "--trace" : is_output(command->view) ? "--view" : NULL;
}

static enum failure_kind print_report(const struct network_command *command,
                                      const struct burst_report *report, struct failure *failure)
{
    if (report_form_is_data(command->network.form))
        return report_print_data(command->network.form, report_burst_json(report), NULL, failure);
    if (option_of_output(command) == NULL)
        report_print_burst(report, stdout);
    else if (!command->network.quiet)
        report_print_burst(report, stderr);
    return FAIL_NONE;
}

/* Checks, before anything runs, that the burst can run and that there is memory for it beside the set: for one plan at
 * first, since all plans are made to tell what the run takes. */
static enum failure_kind check_run(const struct burst *burst, struct memory_need need,
                                   const struct message_set *set, struct failure *failure)
{
    const struct topology *topology = burst->topology;
    uint64_t held = message_set_footprint(set) +
                    scheme_footprint(burst->scheme, topology, message_set_degree(set));
    uint64_t bytes;
    if (burst_check(burst, failure) != FAIL_NONE ||
        scheme_check_memory(burst->scheme, topology, held, need, failure) != FAIL_NONE ||
        burst_footprint(burst, &bytes, failure) != FAIL_NONE)
        return failure->kind;
    return scheme_check_memory(burst->scheme, topology, held + bytes, need, failure);
}

/* The trace and the page of a run, which both observe it. */
struct recording {
    struct output_file trace;
    struct page_output page;
    struct network_observer of_trace, of_page; /* .events is NULL: not there */
    struct network_observer both;
};

static void tell_both(void *context, uint64_t cycle, const struct network_event *event,
                      size_t count)
{
    const struct recording *recording = context;
    if (recording->of_trace.events != NULL)
        recording->of_trace.events(recording->of_trace.context, cycle, event, count);
    if (recording->of_page.events != NULL)
        recording->of_page.events(recording->of_page.context, cycle, event, count);
}

/* Comments behind the last event: the cycle of a deadlock, header by header, each waits for the next. */
static void write_deadlock(const struct burst_result *result, struct recording *recording)
{
    size_t at = 0;
    for (size_t i = 0; i < result->waits; i++, at = result->deadlock[at].waits_for) {
        char text[64];
        snprintf(text, sizeof text, "deadlock %u %u %u", result->deadlock[at].message,
                 result->deadlock[at].worm, result->deadlock[at].node);
        if (recording->of_trace.events != NULL)
            fprintf(recording->trace.file, "# %s\n", text);
        if (recording->of_page.events != NULL)
            run_encoder_note(recording->page.encoder, text);
    }
}

static enum failure_kind end_page(struct page_output *page, const struct network_command *command,
                                  const struct burst_report *report, const char *title,
                                  const struct burst_result *result, struct failure *failure)
{
    struct run_facts facts = {
        .title = title, .command = report->line, .lower_bound = result->bounds.lower_bound};
    json_t *figures = json_pack("{s:s, s:s, s:I, s:I, s:I}", "scheme", report->scheme->name,
                                "switching", switching_names[command->network.switching],
                                "virtual channels", (json_int_t)report->network.settings->vcs,
                                "flits over links", (json_int_t)result->counts.crossings, "missing",
                                (json_int_t)(result->expected - result->counts.deliveries));
    char *text = figures == NULL ? NULL : json_dumps(figures, JSON_COMPACT);
    json_decref(figures);
    facts.figures = text;
    if (text == NULL)
        fail_memory(failure, "the page of the run");
    else
        page_output_end(page, &facts, failure);
    free(text);
    return failure->kind;
}

/* Opens the trace and the page, and makes their observers. */
static enum failure_kind begin_recording(struct recording *recording,
                                         const struct network_command *command,
                                         const struct burst *burst, const char *title,
                                         const struct run_plan *plan, struct failure *failure)
{
    const struct routing *routing = burst->scheme->routing(&burst->choices);
    char header[NETWORK_HEADER_SIZE];
    *recording = (struct recording){.both = {recording, tell_both}};
    if (output_file_open(&recording->trace, command->trace, failure) != FAIL_NONE ||
        page_output_begin(&recording->page, command->view, title, plan, failure) != FAIL_NONE)
        return failure->kind;
    if (recording->trace.file != NULL) {
        network_trace_begin(recording->trace.file, burst->topology, routing, &burst->settings);
        recording->of_trace = network_trace_observer(recording->trace.file);
    }
    if (recording->page.encoder != NULL) {
        network_trace_header(header, burst->topology, routing, &burst->settings);
        recording->of_page = run_encoder_observe_network(recording->page.encoder, header);
    }
    return FAIL_NONE;
}

/* Runs with the trace and the page, which are kept if the run has something to tell. */
static enum failure_kind run_traced(const struct network_command *command, struct burst *burst,
                                    const struct burst_report *report, struct burst_result *result,
                                    struct failure *failure)
{
    struct recording recording;
    struct failure own = {0};
    char title[160];
    struct run_plan plan = {report->set, page_file_name(report->name), PAGE_EVENTS,
                            available_memory_limit(command->network.force), NULL};
    snprintf(title, sizeof title, "%s on %.80s", burst->scheme->name, page_file_name(report->name));
    begin_recording(&recording, command, burst, title, &plan, failure);
    if (command->trace != NULL || command->view != NULL)
        burst->observer = &recording.both;
    if (failure->kind == FAIL_NONE)
        burst_run(burst, result, failure);
    bool keep = failure->kind == FAIL_NONE || failure->kind == FAIL_CHECK;
    if (keep)
        write_deadlock(result, &recording);
    if (keep && recording.page.encoder != NULL)
        end_page(&recording.page, command, report, title, result, &own);
    struct output_file *const files[] = {&recording.trace, &recording.page.file};
    output_files_close(files, 2, keep && own.kind == FAIL_NONE, &own);
    page_output_free(&recording.page);
    if (own.kind != FAIL_NONE)
        *failure = own;
    return failure->kind;
}

/* Runs the candidates of scheme best, and takes the fastest; leaves other schemes as they are. */
static enum failure_kind choose_scheme(const struct network_command *command, struct burst *burst,
                                       struct failure *failure)
{
    struct progress progress;
    progress_begin(&progress, burst->scheme->name, command->network.quiet);
    burst->watcher = network_options_watch;
    burst->watcher_context = &progress;
    best_choose_for_burst(burst, failure);
    progress_end(&progress);
    return failure->kind;
}

static enum failure_kind run_burst(const struct network_command *command, struct burst *burst,
                                   struct burst_report *report, struct failure *failure)
{
    struct progress progress;
    struct burst_result result = {0};
    double start = stopwatch_seconds();
    interruption_defer();
    progress_begin(&progress, burst->scheme->name, command->network.quiet);
    burst->watcher = network_options_watch;
    burst->watcher_context = &progress;
    run_traced(command, burst, report, &result, failure);
    progress_end(&progress);
    report->seconds = stopwatch_seconds() - start;
    report->result = &result;
    report->failure = failure;
    struct failure own = {0};
    if ((failure->kind == FAIL_NONE || failure->kind == FAIL_CHECK) &&
        print_report(command, report, &own) != FAIL_NONE)
        *failure = own;
    burst_free(&result);
    return failure->kind;
}

/* ---- the command ---- */

static enum failure_kind check_options(const struct network_command *command, const char *set,
                                       const struct scheme **scheme, struct scheme_choices *choices,
                                       struct failure *failure)
{
    char names[320];
    name_family_list(&scheme_names, names, sizeof names);
    if (report_form_check(command->network.form, option_of_output(command),
                          is_output(command->trace) ? "the trace" : "the page",
                          failure) != FAIL_NONE)
        return failure->kind;
    if (is_output(command->trace) && is_output(command->view))
        return fail(failure, FAIL_USAGE, "only one of --trace and --view can be standard output");
    if (path_is_standard_output(command->trace))
        return fail(failure, FAIL_USAGE,
                    "standard output goes to that file; --trace must name another");
    const char *const file[] = {command->trace, command->view};
    for (int i = 0; i < 2; i++) {
        if (path_is_same_file(set, file[i]))
            return fail(failure, FAIL_USAGE, "the %s would overwrite the set %s",
                        i == 0 ? "trace" : "page", set);
        if (path_is_same_file(topology_text_file(command->topology), file[i]))
            return fail(failure, FAIL_USAGE, "the %s would overwrite the graph %s",
                        i == 0 ? "trace" : "page", file[i]);
    }
    if (command->view != NULL && command->network.header != STOPS_UNNAMED)
        return fail(failure, FAIL_USAGE, "--view shows no worms that --header makes longer");
    if (network_options_check(&command->network, failure) != FAIL_NONE)
        return FAIL_USAGE;
    if (command->trace != NULL && command->view != NULL &&
        path_is_same_file(command->trace, command->view))
        return fail(failure, FAIL_USAGE, "--trace and --view name one file");
    if (command->scheme == NULL)
        return fail(failure, FAIL_USAGE, "missing --scheme NAME; the schemes are: %s", names);
    if (strchr(command->scheme, ',') != NULL)
        return fail(failure, FAIL_USAGE,
                    "--scheme takes one scheme, not '%.40s'; 'meshcast plan' and 'meshcast load' "
                    "take several",
                    command->scheme);
    if (scheme_find(command->scheme, scheme, failure) != FAIL_NONE ||
        scheme_parameters_check(&command->network.parameters, scheme, 1, failure) != FAIL_NONE)
        return failure->kind;
    return scheme_parameters_choose(&command->network.parameters, *scheme, choices, failure);
}

static enum failure_kind run_set(const struct network_command *command,
                                 const struct operands *operands, const struct message_set *set,
                                 struct burst *burst, struct memory_need need,
                                 struct failure *failure)
{
    const struct message_choice choice = {command->sources, command->flits, command->network.seed};
    struct chosen_messages chosen;
    if (chosen_messages_make(&chosen, set, &choice, failure) != FAIL_NONE)
        return failure->kind;
    burst->settings = network_options_settings(&command->network, burst->topology);
    burst->messages = chosen.count;
    burst->message = message_at;
    burst->message_context = &chosen;
    bool is_best = burst->scheme->plan == NULL;
    choose_scheme(command, burst, failure);
    struct burst_report report = {
        .network = {burst->topology, &burst->settings, &command->network},
        .name = operands->operand[0],
        .line = operands->line,
        .scheme = burst->scheme,
        .choices = &burst->choices,
        .is_best = is_best,
        .asked = command->flits,
        .clock = command->clock,
        .flits = chosen.flits,
        .messages = chosen.count,
        .set = set,
    };
    if (failure->kind == FAIL_NONE && check_run(burst, need, set, failure) == FAIL_NONE)
        run_burst(command, burst, &report, failure);
    chosen_messages_free(&chosen);
    return failure->kind;
}

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    const struct network_command *command = options;
    const char *name = operands->operand[0];
    struct memory_need need = memory_need_of_run(NULL, command->network.force);
    struct burst burst = {0};
    struct message_set set;
    struct topology topology;
    if (check_options(command, name, &burst.scheme, &burst.choices, failure) != FAIL_NONE)
        return failure->kind;
    if (message_set_read_network(&set, name, need.limit, failure) == FAIL_NONE) {
        report_cut_set(&set, name);
        if (message_set_topology(&set, command->topology, &topology, failure) == FAIL_NONE) {
            burst.topology = &topology;
            run_set(command, operands, &set, &burst, need, failure);
            topology_free(&topology);
        }
    }
    message_set_free(&set);
    return failure->kind;
}

const struct command command_network = {
    .name = "network",
    .summary = "send all messages of a set at once on the network of flits",
    .examples = "  meshcast network west.mcast --scheme dual --flits 20\n"
                "  meshcast network west.mcast --scheme dual --flits 449 --clock 1.5\n"
                "  meshcast network west.mcast --scheme u-mesh --startup 100 --json\n"
                "  meshcast network west.mcast --scheme unicast --switching store-and-forward\n"
                "  meshcast network west.mcast --scheme dual --trace west.trace\n"
                "  meshcast network west.mcast --scheme dual --view west.html\n",
    .synopsis = "SET --scheme NAME [options]",
    .operands = "SET, the message set to send ('-' is standard input)",
    .least = 1,
    .most = 1,
    .options_size = sizeof(struct network_command),
    .options = {{rows, sizeof rows / sizeof rows[0], 0},
                {network_option_row, NETWORK_OPTION_ROWS,
                 offsetof(struct network_command, network)}},
    .offer_parameters = completion_offer_scheme_parameters,
    .topics = "'meshcast help schemes'",
    .run = run,
};
