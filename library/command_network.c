/* command_network.c - the command `network`: all messages of a set at once, on the network.
 *
 * The set names its mesh or torus; a graph's edges come from --topology. Every delivery is checked.
 * A run that ends in a deadlock, overflows a buffer, or fails a check is reported as far as it got,
 * with its trace, and the status is 1. An interrupt ends a run and reports its results so far,
 * marked as partial.
 */
#include "base/output_file.h"
#include "base/printable.h"
#include "base/stopwatch.h"
#include "base/text_scan.h"
#include "library/command_set.h"
#include "library/commands.h"
#include "library/network_options.h"
#include "library/report.h"
#include "library/report_network.h"
#include "network/best.h"
#include "network/burst.h"
#include "network/network_trace.h"
#include "view/page_output.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { DEADLOCK_SHOWN = 12 /* worms of a cycle, in the table */ };

struct network_command {
    struct scheme_list schemes;
    const char *topology, *without, *trace, *view;
    struct flits_range flits;
    uint32_t sources; /* 0: not given */
    bool keeps_delivered, keeps_link_flits;
    struct network_options network;
};

static const struct meshcast_option option_rows[] = {
    OPTION_LIST("schemes", "scheme", "A,B,...", COMMON, struct network_command, schemes,
                accept_schemes, &scheme_names,
                "how each message is sent: 'meshcast help schemes'; a row per scheme of several"),
    SET_TOPOLOGY_ROW(struct network_command, topology),
    OPTION_WITHOUT(RARE, struct network_command, without),
    FLITS_ROW(COMMON, struct network_command, flits),
    OPTION_NUMBER("sources", "K", RARE, struct network_command, sources, 1, TOPOLOGY_MAX_NODES,
                  "only the messages of K sources, drawn by the seed"),
    OPTION_OUTPUT("view", "FILE", 0, COMMON, struct network_command, view,
                  "the run as one page for a browser: every cycle, worm and buffer"),
    OPTION_OUTPUT("trace", "FILE", 0, COMMON, struct network_command, trace,
                  "every event of the network, for 'meshcast audit'; with '-' the report goes "
                  "to\nstandard error"),
    OPTION_FLAG("keep-delivered", RARE, struct network_command, keeps_delivered, NULL),
    OPTION_FLAG("keep-link-flits", RARE, struct network_command, keeps_link_flits, NULL),
};

/* The report of a run. */
struct burst_report {
    const struct topology *topology;
    const struct network_settings *settings;
    uint64_t seed;
    const char *name; /* of the set */
    const struct scheme *scheme;
    const struct scheme_choices *choices;
    bool is_best;             /* scheme best chose it */
    struct flits_range asked; /* --flits; least 0: not given */
    struct flits_range flits; /* of the shortest and the longest message that is sent */
    double clock;             /* GHz; 0: not given */
    uint32_t messages;
    uint32_t flit_bytes; /* 0: not given */
    double flits_to_all; /* of each message once per destination */
    const struct message_set *set;
    const struct burst_result *result;
    double seconds;
    const struct failure *failure; /* of kind FAIL_NONE if all went well */
};

/* ---- JSON ---- */

static json_t *latency_json(const struct burst_result *result)
{
    struct report_object object = report_object_open();
    bool has = result->counts.done > 0;
    report_set_real(&object, "mean", has, result->latency.mean);
    report_set_latencies(&object, has, &result->latency);
    return report_object_close(&object);
}

static json_t *busiest_json(const struct burst_result *result)
{
    if (result->busiest_flits == 0)
        return json_null();
    return json_pack("{s:I, s:I, s:I}", "from", (json_int_t)result->busiest_from, "to",
                     (json_int_t)result->busiest_to, "flits", (json_int_t)result->busiest_flits);
}

static uint64_t missing_of(const struct burst_result *result)
{
    return result->expected - result->counts.deliveries;
}

/* True if the run came to its end. */
static bool is_whole(const struct burst_report *report)
{
    return !report->result->is_partial && report->failure->kind == FAIL_NONE;
}

/* True if there is a last delivery, if only the last before the run stopped. */
static bool has_cycles(const struct burst_report *report)
{
    return is_whole(report) || report->result->counts.deliveries > 0;
}

/* Returns microseconds, with a clock. */
static double microseconds(const struct burst_report *report, uint64_t cycles)
{
    return (double)cycles / (1000 * report->clock);
}

static uint64_t last_cycle(const struct burst_result *result)
{
    return result->counts.cycle > 0 ? result->counts.cycle - 1 : 0;
}

static json_t *report_json(const struct burst_report *report)
{
    const struct burst_result *result = report->result;
    struct report_object object = report_object_open();
    report_set(&object, "meshcast", json_string(MESHCAST_VERSION));
    report_set(&object, "scheme", json_string(report->scheme->name));
    report_set(&object, "parameters", report_scheme_parameters(report->scheme, report->choices));
    report_set_network(&object, report->topology, report->settings);
    report_set(&object, "flits", report_flits_json(report->flits));
    report_set(&object, "flits_asked",
               report->asked.least > 0 ? report_flits_json(report->asked) : json_null());
    report_set_count(&object, "messages", report->messages);
    report_set_count(&object, "deliveries", result->expected);
    report_set_home(&object, &report->set->home);
    report_set_if(&object, "cycles", has_cycles(report), result->counts.last_delivery);
    report_set_real(&object, "clock_ghz", report->clock > 0, report->clock);
    report_set_real(&object, "microseconds", report->clock > 0 && has_cycles(report),
                    microseconds(report, result->counts.last_delivery));
    report_set_real(&object, "lower_bound_microseconds", report->clock > 0,
                    microseconds(report, result->bounds.lower_bound));
    if (report->flit_bytes > 0 && is_whole(report) && result->expected > 0) {
        double bytes = report->flit_bytes * report->flits_to_all;
        bytes /= (double)result->counts.last_delivery;
        report_set_real(&object, "bytes_per_cycle", true, bytes);
        if (report->clock > 0) {
            report_set_real(&object, "gb_per_second", true, bytes * report->clock);
            report_set_real(&object, "link_gb_per_second", true,
                            report->flit_bytes * report->clock);
        }
    }
    report_set_if(&object, "stopped_in", !is_whole(report), last_cycle(result));
    report_set(&object, LATENCY, latency_json(result));
    report_set_sent(&object, result->counts.startups, result->counts.crossings);
    report_set(&object, "busiest_link", busiest_json(result));
    report_set_peaks(&object, result->counts.buffer_peak, result->counts.unsent_peak);
    report_set_count(&object, KEY_LOWER_BOUND, result->bounds.lower_bound);
    report_set(&object, "lower_bound_kind",
               json_string(network_bound_names[result->bounds.largest]));
    report_set(&object, "lower_bounds", report_bounds_json(&result->bounds));
    report_set(&object, "deadlock", report_deadlock_json(result->deadlock, result->waits));
    report_set_count(&object, "delivered", result->counts.deliveries);
    report_set_count(&object, KEY_MISSING, missing_of(result));
    report_set(&object, "partial", json_boolean(result->is_partial));
    report_set_seed(&object, report->seed);
    report_set_count(&object, "threads", report->settings->threads);
    report_set(&object, KEY_WALL_SECONDS, json_real(report->seconds));
    report_set_error(&object, report->failure);
    return report_object_close(&object);
}

/* ---- tables ---- */

static const struct figure scheme_column[] = {{"name", "scheme", FIGURE_TEXT, FIGURE_COLUMN, NULL},
                                              {0}};

static const struct figure cycles[] = {
    {"cycles", "cycles", FIGURE_COUNT, FIGURE_ALL, "of the last delivery[ so far{?is_cut}]"},
    {"stopped_in", "stopped in cycle", FIGURE_COUNT, FIGURE_LINE,
     "[by an interruption{?partial}][by a deadlock{!partial}{?deadlock}]"
     "[by a failed check{!partial}{!deadlock}]"},
    {"microseconds", "microseconds", FIGURE_RATIO, FIGURE_LINE,
     "at {clock_ghz} GHz; at least {lower_bound_microseconds:.2} are needed"},
    {"bytes_per_cycle", "bytes per cycle", FIGURE_RATIO, FIGURE_LINE,
     "that all nodes together receive, headers included"},
    {"gb_per_second", "GB/s", FIGURE_RATIO, FIGURE_LINE,
     "the same; a link carries {link_gb_per_second} at most"},
    {KEY_LOWER_BOUND, "lower bound", FIGURE_COUNT, FIGURE_LINE, "{lower_bound_kind}"},
    {"per_bound", "cycles / lower bound", FIGURE_RATIO, FIGURE_LINE, NULL},
    {"per_bound", "/bound", FIGURE_RATIO, FIGURE_COLUMN, NULL},
    {LATENCY ".mean", "latency, mean", FIGURE_RATIO, FIGURE_LINE,
     "cycles per message[, of the {done} that were delivered{?is_cut}]"},
    {LATENCY ".median", "  median", FIGURE_COUNT, FIGURE_LINE, NULL},
    {LATENCY ".p95", "  95th percentile", FIGURE_COUNT, FIGURE_LINE, NULL},
    {LATENCY ".p99", "  99th percentile", FIGURE_COUNT, FIGURE_LINE, NULL},
    {LATENCY ".max", "  max", FIGURE_COUNT, FIGURE_LINE, NULL},
    {LATENCY ".mean", LATENCY, FIGURE_RATIO, FIGURE_COLUMN, NULL},
    {LATENCY ".p95", "95 %", FIGURE_COUNT, FIGURE_COLUMN, NULL},
    {0}};

static const struct figure loads[] = {
    {"startups", "startups", FIGURE_COUNT, FIGURE_ALL, "worms that were sent"},
    {KEY_CHANNEL_CROSSINGS, "channel crossings", FIGURE_COUNT, FIGURE_LINE, "flits over links"},
    {KEY_CHANNEL_CROSSINGS, "crossings", FIGURE_COUNT, FIGURE_COLUMN, NULL},
    {"busiest_link.flits", "busiest link", FIGURE_COUNT, FIGURE_LINE,
     "flits, node {busiest_link.from} to {busiest_link.to}"},
    {KEY_BUFFER_PEAK, "buffer peak", FIGURE_COUNT, FIGURE_LINE,
     "[messages at a node{?stores}][flits in a buffer of a link{!stores}]"},
    {KEY_BUFFER_PEAK, "buffer", FIGURE_COUNT, FIGURE_COLUMN, NULL},
    {"unsent_peak", "unsent peak", FIGURE_COUNT, FIGURE_LINE,
     "worms of a node that waited to be sent"},
    {"delivered", "delivered", FIGURE_COUNT, FIGURE_LINE, "{missing} missing"},
    {0}};

static const struct figure ended[] = {
    {"deadlock", "deadlock: a cycle of worms", FIGURE_EACH, FIGURE_LINE,
     "worm {worm} of message {message} (from node {source}) at node {node} waits for worm "
     "{waits_for_worm} of message {waits_for_message}: "
     "[{needs=consumption channel}an ejection channel]"
     "[{needs=virtual channel}a virtual channel of the link to node ][{needs=room}room in the "
     "buffer at node ][{needs=front of the buffer}it is before it in the buffer]"
     "[{needs=virtual channel}{to_node}][{needs=room}{to_node}]"},
    {"error", NULL, FIGURE_TEXT, FIGURE_LINE, "CHECK FAILED"},
    {"ended", "", FIGURE_TEXT, FIGURE_COLUMN, NULL},
    {0}};

static const struct figures burst_figures = {
    {scheme_column, cycles, loads, figures_of_time, ended}};

/* Returns a copy of the run's object with the keys for people. Of a long cycle of worms only the
 * first are in it. */
static json_t *for_people(const struct burst_report *report, const json_t *json)
{
    struct report_object people = report_object_copy(json);
    const struct burst_result *result = report->result;
    json_t *waits = json_object_get(json, "deadlock"), *shown = json_array();
    for (size_t i = 0; i < json_array_size(waits) && i < DEADLOCK_SHOWN; i++) {
        struct report_object wait = report_object_copy(json_array_get(waits, i));
        report_set(&wait, "to_node", json_sprintf("%u", result->deadlock[i].to));
        report_append(&shown, report_object_close(&wait));
    }
    report_set(&people, "deadlock", json_array_size(waits) > 0 ? json_incref(shown) : json_null());
    json_decref(shown);
    report_set(&people, "name", json_string(report->is_best ? "best" : report->scheme->name));
    report_set(&people, "is_cut", json_boolean(!is_whole(report)));
    report_set(&people, "stores",
               json_boolean(report->settings->switching == SWITCHING_STORE_AND_FORWARD));
    report_set_count(&people, "done", result->counts.done);
    report_set_ratio(&people, "per_bound", (double)result->counts.last_delivery,
                     is_whole(report) ? (double)result->bounds.lower_bound : 0);
    report_set(&people, "is_best", json_boolean(report->is_best));
    report_set(&people, "ended",
               figures_text(people.value, "[as {scheme}{?is_best}][ check failed: {error}]"
                                          "[ interrupted{?partial}]"));
    return report_object_close(&people);
}

/* Prints the messages that are sent, and the network. */
static void print_conditions(const struct burst_report *report, uint64_t deliveries, FILE *out)
{
    char topology[TOPOLOGY_LONG_TEXT_SIZE], flits[FLITS_TEXT], name[PRINTABLE_NAME];
    struct flits_range asked = report->asked, sent = report->flits;
    struct report_object settings = report_object_open();
    topology_text(report->topology, topology);
    fprintf(out, "%s: %s, %" PRIu32 " message%s of %s flit%s", printable_name(report->name, name),
            topology, report->messages, report->messages == 1 ? "" : "s",
            flits_range_text(sent, flits), sent.most == 1 ? "" : "s");
    if (asked.least > 0 && (asked.least != sent.least || asked.most != sent.most))
        fprintf(out, " (--flits %s)", flits_range_text(asked, flits));
    fprintf(out, ", %" PRIu64 " deliver%s\n", deliveries, deliveries == 1 ? "y" : "ies");
    report_print_home(&report->set->home, message_set_given_messages(report->set),
                      message_set_given_deliveries(report->set), out);
    report_set_network(&settings, report->topology, report->settings);
    report_print_network(settings.value, out);
    json_decref(settings.value);
}

static void print_table(const struct burst_report *report, const json_t *json, FILE *out)
{
    json_t *people = for_people(report, json);
    print_conditions(report, report->result->expected, out);
    figures_print_text(people, "\nscheme[ best: {?is_best}][ {!is_best}]{scheme}[, {parameters}]\n",
                       out);
    figures_print(&burst_figures, people, out);
    if (report->result->waits > DEADLOCK_SHOWN)
        fprintf(out, "    and %zu more (--json shows all)\n",
                report->result->waits - DEADLOCK_SHOWN);
    json_decref(people);
}

/* ---- the trace and the page ---- */

/* The trace and the page of a run, which both observe it. */
struct recording {
    struct output_file trace;
    struct page_output page;
    struct network_observer of_trace, of_page; /* .events is NULL: not requested */
    struct network_observer both;
};

static void pass_events_to_both(void *context, uint64_t cycle, const struct network_event *event,
                                size_t count)
{
    const struct recording *recording = context;
    if (recording->of_trace.events != NULL)
        recording->of_trace.events(recording->of_trace.context, cycle, event, count);
    if (recording->of_page.events != NULL)
        recording->of_page.events(recording->of_page.context, cycle, event, count);
}

/* Writes comments after the last event: the cycle of a deadlock, header by header, each of which
 * waits for the next. */
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

/* The state of a run. */
struct network_run {
    struct meshcast_command *command;
    const struct network_command *options;
    struct topology topology;
    struct chosen_messages chosen;
    struct burst burst;
    struct burst_result result;
    struct failure failure; /* of the run, which has figures if a check failed */
    struct burst_report report;
    struct network_watch watch;
};

static enum failure_kind end_page(struct network_run *run, struct page_output *page,
                                  const char *title, struct failure *failure)
{
    const struct burst_result *result = &run->result;
    struct run_facts facts = {
        .title = title, .command = run->command->line, .lower_bound = result->bounds.lower_bound};
    json_t *figures = json_pack("{s:s, s:s, s:I, s:I, s:I}", "scheme", run->burst.scheme->name,
                                "switching", switching_names[run->options->network.switching],
                                "virtual channels", (json_int_t)run->burst.settings.vcs,
                                "flits over links", (json_int_t)result->counts.crossings,
                                KEY_MISSING, (json_int_t)missing_of(result));
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
static enum failure_kind begin_recording(struct recording *recording, struct network_run *run,
                                         const char *title, struct failure *failure)
{
    const struct network_command *options = run->options;
    struct burst *burst = &run->burst;
    const struct routing *routing = burst->scheme->routing(&burst->choices);
    struct run_plan plan = {run->chosen.set, page_file_name(run->report.name), PAGE_EVENTS, NULL,
                            topology_is_broken(&run->topology) ? &run->topology : NULL};
    char header[NETWORK_HEADER_SIZE];
    *recording = (struct recording){.both = {recording, pass_events_to_both}};
    if (output_file_open(&recording->trace, options->trace, failure) != FAIL_NONE ||
        page_output_begin(&recording->page, options->view, title, &plan, failure) != FAIL_NONE)
        return failure->kind;
    if (recording->trace.file != NULL) {
        network_trace_begin(recording->trace.file, burst->topology, routing, &burst->settings);
        recording->of_trace = network_trace_observer(recording->trace.file);
    }
    if (recording->page.encoder != NULL) {
        network_trace_header(header, burst->topology, routing, &burst->settings);
        recording->of_page = run_encoder_observe_network(recording->page.encoder, header);
    }
    if (options->trace != NULL || options->view != NULL)
        burst->observer = &recording->both;
    return FAIL_NONE;
}

/* Runs with the trace and the page, which are kept if the run has figures. */
static enum failure_kind run_recorded(struct network_run *run)
{
    struct recording recording;
    struct failure own = {0}, *failure = &run->failure;
    char title[160];
    snprintf(title, sizeof title, "%s on %.80s", run->burst.scheme->name,
             page_file_name(run->report.name));
    if (begin_recording(&recording, run, title, failure) == FAIL_NONE)
        burst_run(&run->burst, &run->result, failure);
    bool keep = run_has_figures(failure);
    if (keep)
        write_deadlock(&run->result, &recording);
    if (keep && recording.page.encoder != NULL)
        end_page(run, &recording.page, title, &own);
    struct output_file *const files[] = {&recording.trace, &recording.page.file};
    output_files_close(files, 2, keep && own.kind == FAIL_NONE, &own);
    page_output_free(&recording.page);
    if (own.kind != FAIL_NONE)
        *failure = own;
    return failure->kind;
}

/* ---- the run ---- */

static struct multicast message_at(void *context, uint32_t index)
{
    return chosen_messages_at(context, index);
}

/* Returns the timing of a message; sets with times are sent completely. */
static struct timing timing_at(void *context, uint32_t index)
{
    return message_set_timing(((const struct chosen_messages *)context)->set, index);
}

static enum failure_kind check_options(const struct network_command *options, bool is_comparison,
                                       struct failure *failure)
{
    const struct scheme_list *schemes = &options->schemes;
    const struct scheme_parameters *parameters = &options->network.parameters;
    struct scheme_choices choices;
    bool is_of_one = options->view != NULL || options->trace != NULL || options->keeps_delivered ||
                     options->keeps_link_flits;
    if (options->view != NULL && options->network.header != STOPS_UNNAMED)
        return fail(failure, FAIL_USAGE, "--view shows no worms that --header makes longer");
    if (network_options_check(&options->network, failure) != FAIL_NONE)
        return FAIL_USAGE;
    if (schemes->count == 0)
        return scheme_missing(failure);
    if (is_comparison && is_of_one)
        return fail(failure, FAIL_USAGE, "--trace and --view are of one scheme; name one");
    scheme_parameters_check(parameters, schemes->value, schemes->count, failure);
    for (uint32_t i = 0; failure->kind == FAIL_NONE && i < schemes->count; i++)
        scheme_parameters_choose(parameters, schemes->value[i], &choices, failure);
    return failure->kind;
}

/* Makes the arrays that a program requested: the cycle of each message's last delivery (UINT64_MAX:
 * it was not delivered to all) and the messages' numbers in the set; the flits over each link. */
static enum failure_kind make_arrays(struct network_run *run, struct meshcast_report *report,
                                     struct failure *failure)
{
    size_t messages = run->chosen.count, links = run->topology.links;
    if (run->options->keeps_delivered) {
        uint64_t *delivered = memory_allocate(messages, sizeof *delivered);
        uint32_t *number = memory_allocate(messages, sizeof *number);
        report_take_array(report, "delivered", delivered, messages, true);
        report_take_array(report, "messages", number, messages, false);
        if (delivered == NULL || number == NULL)
            return fail_memory(failure, "the messages of a network");
        memset(delivered, 0xff, messages * sizeof *delivered);
        for (uint32_t i = 0; i < messages; i++)
            number[i] = chosen_messages_number(&run->chosen, i);
        run->burst.delivered = delivered;
    }
    if (run->options->keeps_link_flits) {
        run->burst.link_flits = memory_allocate(links, sizeof *run->burst.link_flits);
        report_take_array(report, "link-flits", run->burst.link_flits, links, true);
        if (run->burst.link_flits == NULL)
            return fail_memory(failure, "the flits over links");
    }
    return FAIL_NONE;
}

/* Makes the burst of the messages that are sent; with scheme `best` finds the fastest scheme. */
static enum failure_kind make_burst(struct network_run *run, struct failure *failure)
{
    struct burst *burst = &run->burst;
    burst->topology = &run->topology;
    burst->settings = network_options_settings(&run->options->network, &run->topology);
    burst->messages = run->chosen.count;
    burst->message = message_at;
    burst->timing = message_set_is_timed(run->chosen.set) ? timing_at : NULL;
    burst->message_context = &run->chosen;
    run->watch = (struct network_watch){run->command, burst->scheme->name};
    burst->watcher = network_options_watch;
    burst->watcher_context = &run->watch;
    run->report.is_best = burst->scheme->plan == NULL;
    if (best_choose_for_burst(burst, failure) != FAIL_NONE ||
        interrupt_check(run->command->interrupt, failure) != FAIL_NONE)
        return failure->kind;
    run->watch.name = burst->scheme->name;
    return burst_check(burst, failure);
}

static void fill_report(struct network_run *run, const char *name)
{
    struct burst_report *report = &run->report;
    report->topology = &run->topology;
    report->settings = &run->burst.settings;
    report->seed = run->options->network.seed;
    report->name = name;
    report->scheme = run->burst.scheme;
    report->choices = &run->burst.choices;
    report->asked = run->options->flits;
    report->clock = run->options->network.clock;
    report->flit_bytes = run->options->network.flit_bytes;
    report->flits = run->chosen.flits;
    report->messages = run->chosen.count;
    report->set = run->chosen.set;
    report->result = &run->result;
    report->failure = &run->failure;
}

/* Runs the scheme. False: it is refused, or the system fails; `failure` has the reason. */
static bool run_scheme(struct network_run *run, const struct scheme *scheme, const char *name,
                       struct failure *failure)
{
    run->burst.scheme = scheme;
    run->failure = (struct failure){0};
    if (scheme_parameters_choose(&run->options->network.parameters, scheme, &run->burst.choices,
                                 failure) != FAIL_NONE ||
        make_burst(run, failure) != FAIL_NONE)
        return false;
    fill_report(run, name);
    double start = stopwatch_seconds();
    command_progress(run->command, 0, run->chosen.count, run->watch.name);
    run_recorded(run);
    run->report.seconds = stopwatch_seconds() - start;
    if (!run_has_figures(&run->failure))
        *failure = run->failure;
    return run_has_figures(&run->failure);
}

/* Runs the only scheme, and reports it at length. */
static void run_one(struct network_run *run, const char *name, struct meshcast_report *report,
                    struct failure *failure)
{
    if (make_arrays(run, report, failure) != FAIL_NONE)
        return;
    if (run_scheme(run, run->options->schemes.value[0], name, failure) &&
        report_take_json(report, report_json(&run->report), NULL, failure) == FAIL_NONE)
        print_table(&run->report, report->json, command_table(report));
    if (failure->kind == FAIL_NONE)
        *failure = run->failure;
    if (failure->kind == FAIL_NONE)
        interrupt_check(run->command->interrupt, failure);
    burst_free(&run->result);
}

/* ---- several schemes ---- */

/* The rows of a comparison, and the first refusal and the first check that failed. */
struct scheme_rows {
    json_t *json; /* an array */
    struct failure refusal, broken;
    struct table_stream stream;
};

/* Runs a scheme, prints its row, and adds its figures. A refused scheme gets a row with the
 * reason. */
static enum failure_kind run_row(struct network_run *run, const struct scheme *scheme,
                                 const char *name, struct scheme_rows *made,
                                 struct failure *failure)
{
    struct failure own = {0};
    bool has_run = run_scheme(run, scheme, name, &own);
    command_progress(run->command, 0, 0, NULL);
    if (has_run) {
        json_t *json = report_json(&run->report), *people = for_people(&run->report, json);
        table_add(&made->stream, people);
        json_decref(people);
        if (json_array_append_new(made->json, json) != 0)
            fail_memory(failure, "the rows of schemes");
        if (run->failure.kind == FAIL_CHECK)
            fail(&made->broken, FAIL_CHECK, "%s failed a check; its row says why", scheme->name);
    } else if (own.kind == FAIL_USAGE) {
        fprintf(made->stream.out, "%-10s did not run: %s\n", scheme->name, own.text);
        fail(&made->refusal, FAIL_USAGE, "no scheme runs with these options; %s: %.400s",
             scheme->name, own.text);
    } else {
        *failure = own;
    }
    burst_free(&run->result);
    return failure->kind;
}

/* Prints the conditions and the head of the rows. */
static void print_head(struct network_run *run, const char *name, struct table_stream *stream,
                       FILE *out)
{
    uint64_t deliveries = 0;
    for (uint32_t i = 0; i < run->chosen.count; i++)
        deliveries += chosen_messages_at(&run->chosen, i).destinations;
    run->burst.settings = network_options_settings(&run->options->network, &run->topology);
    fill_report(run, name);
    print_conditions(&run->report, deliveries, out);
    fputc('\n', out);
    table_begin(stream, &(struct table){.figures = &burst_figures}, 10, out);
}

static void run_several(struct network_run *run, const char *name, struct meshcast_report *report,
                        struct failure *failure)
{
    const struct scheme_list *schemes = &run->options->schemes;
    struct scheme_rows made = {.json = json_array()};
    FILE *out = command_table(report);
    if (made.json == NULL)
        fail_memory(failure, "the rows of schemes");
    else
        print_head(run, name, &made.stream, out);
    for (uint32_t i = 0; failure->kind == FAIL_NONE && i < schemes->count; i++)
        if (run_row(run, schemes->value[i], name, &made, failure) == FAIL_NONE)
            interrupt_check(run->command->interrupt, failure);
    if (json_array_size(made.json) == 0) {
        if (failure->kind == FAIL_NONE)
            *failure = made.refusal;
        json_decref(made.json);
        return;
    }
    fputs("\n/bound: cycles / lower bound; latency: cycles per message, the mean and the 95th\n"
          "percentile; crossings: flits over links; buffer: the most that one buffer held.\n",
          out);
    report_take_json(report, made.json, NULL, failure);
    if (failure->kind == FAIL_NONE)
        *failure = made.broken;
}

static enum failure_kind run_set(struct network_run *run, const struct command_traffic *traffic,
                                 bool is_comparison, struct meshcast_report *report,
                                 struct failure *failure)
{
    const struct network_command *options = run->options;
    const struct message_choice choice = {
        .sources = options->sources, .flits = options->flits, .seed = options->network.seed};
    if (chosen_messages_make(&run->chosen, &traffic->set, &choice, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t i = 0; options->network.flit_bytes > 0 && i < run->chosen.count; i++) {
        struct multicast multicast = chosen_messages_at(&run->chosen, i);
        run->report.flits_to_all += (double)multicast.flits * multicast.destinations;
    }
    if (is_comparison)
        run_several(run, traffic->name, report, failure);
    else
        run_one(run, traffic->name, report, failure);
    chosen_messages_free(&run->chosen);
    return failure->kind;
}

static enum failure_kind run_schemes(struct meshcast_command *command,
                                     const struct network_command *options, bool is_comparison,
                                     struct meshcast_report *report, struct failure *failure)
{
    struct network_run network = {.command = command, .options = options};
    struct command_traffic traffic;
    if (check_options(options, is_comparison, failure) != FAIL_NONE ||
        command_read_traffic(command, 0, &traffic, failure) != FAIL_NONE)
        return failure->kind;
    if (command_set_topology(command, &traffic.set, options->topology, &network.topology,
                             failure) == FAIL_NONE &&
        command_break_set_topology(command, &traffic.set, traffic.name, options->without, true,
                                   &network.topology, failure) == FAIL_NONE) {
        run_set(&network, &traffic, is_comparison, report, failure);
        command_topology_free(command, &network.topology);
    }
    command_traffic_free(&traffic);
    return failure->kind;
}

enum failure_kind network_compare(struct meshcast_command *command,
                                  const struct scheme_list *schemes, const char *without,
                                  struct flits_range flits, const struct network_options *network,
                                  struct meshcast_report *report, struct failure *failure)
{
    const struct network_command options = {
        .schemes = *schemes, .without = without, .flits = flits, .network = *network};
    return run_schemes(command, &options, true, report, failure);
}

static int run(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure)
{
    const struct network_command *options = command->options;
    return run_schemes(command, options, options->schemes.count > 1, report, failure);
}

const struct meshcast_command_row command_network = {
    .name = "network",
    .summary = "send all messages of a set at once on the network of flits",
    .examples = "  meshcast network west.mcast --scheme dual --flits 20\n"
                "  meshcast network west.mcast --scheme dual --flits 449 --clock 1.5\n"
                "  meshcast network west.mcast --scheme u-mesh --startup 100 --json\n"
                "  meshcast network west.mcast --scheme unicast --switching store-and-forward\n"
                "  meshcast network west.mcast --schemes unicast,dual,best --flits 20\n"
                "  meshcast network west.mcast --scheme dual --trace west.trace\n"
                "  meshcast network west.mcast --scheme dual --view west.html\n",
    .synopsis = "SET --schemes A,B,... [options]",
    .operands = "SET, the message set to send ('-' is standard input)",
    .least = 1,
    .most = 1,
    .options_size = sizeof(struct network_command),
    .options = {{option_rows, sizeof option_rows / sizeof *option_rows, 0},
                {network_option_row, NETWORK_OPTION_ROWS,
                 offsetof(struct network_command, network)}},
    .offer_parameters = scheme_offer_parameters,
    .topics = "'meshcast help schemes'",
    .ends_early = true,
    .run = run,
};
