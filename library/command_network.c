/* command_network.c - the command `network`: all messages of a set at once, on the network.
 *
 * The set says on which mesh or torus; a graph's edges come from --topology. Every delivery is checked. A run that ends in a
 * deadlock, overflows a buffer, or fails a check is reported as far as it went, with its trace, and the status is 1. An
 * interrupt ends a run and reports what there is, marked as partial.
 */
#include "base/text_scan.h"
#include "base/output_file.h"
#include "base/printable.h"
#include "base/stopwatch.h"
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
    const char *topology, *trace, *view;
    struct flits_range flits;
    uint32_t sources;
    double clock; /* GHz; 0: not given */
    bool keeps_delivered, keeps_link_flits;
    struct network_options network;
};

static int accept_clock(void *field, char *value, struct failure *failure)
{
    const char *at = value;
    double *clock = field;
    if (scan_fraction(&at, value + strlen(value), clock) && *at == '\0' && *clock > 0)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "--clock takes a number of GHz above 0, such as 1.5, not '%.40s'", value);
}

static const struct meshcast_option rows[] = {
    OPTION_LIST("schemes", "scheme", "A,B,...", COMMON, struct network_command, schemes,
                accept_schemes, &scheme_names,
                "how each message is sent: 'meshcast help schemes'; of several a row each"),
    SET_TOPOLOGY_ROW(struct network_command, topology),
    FLITS_ROW(struct network_command, flits),
    OPTION_OTHER("clock", "GHZ", COMMON, struct network_command, clock, accept_clock,
                 "the clock of the network; times are also given in microseconds"),
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

/* What a run reports. */
struct burst_report {
    struct network_report network;
    const char *name; /* of the set */
    const struct scheme *scheme;
    const struct scheme_choices *choices;
    bool is_best;             /* scheme best chose it */
    struct flits_range asked; /* --flits; least 0: not given */
    struct flits_range flits; /* the shortest and the longest message that is sent */
    double clock;             /* GHz; 0: not given */
    uint32_t messages;
    const struct message_set *set;
    const struct burst_result *result;
    double seconds;
    const struct failure *failure; /* of kind FAIL_NONE where all went well */
};

/* ---- JSON ---- */

static json_t *latency_json(const struct burst_result *result)
{
    const struct latency_summary *latency = &result->latency;
    if (result->counts.done == 0)
        return json_pack("{s:n, s:n, s:n, s:n, s:n}", "mean", "median", "p95", "p99", "max");
    return json_pack("{s:f, s:I, s:I, s:I, s:I}", "mean", latency->mean, "median",
                     (json_int_t)latency->median, "p95", (json_int_t)latency->p95, "p99",
                     (json_int_t)latency->p99, "max", (json_int_t)latency->max);
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

/* Whether the run came to its end. */
static bool is_whole(const struct burst_report *report)
{
    return !report->result->is_partial && report->failure->kind == FAIL_NONE;
}

/* Whether there is a last delivery, be it the last until the run stopped. */
static bool has_cycles(const struct burst_report *report)
{
    return is_whole(report) || report->result->counts.deliveries > 0;
}

/* With a clock. */
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
    report_set_network(&object, &report->network);
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
    report_set_if(&object, "stopped_in", !is_whole(report), last_cycle(result));
    report_set(&object, "latency", latency_json(result));
    report_set_count(&object, "startups", result->counts.startups);
    report_set_count(&object, "channel_crossings", result->counts.crossings);
    report_set(&object, "busiest_link", busiest_json(result));
    report_set_buffer_peak(&object, result->counts.buffer_peak);
    report_set_count(&object, "unsent_peak", result->counts.unsent_peak);
    report_set_count(&object, "lower_bound", result->bounds.lower_bound);
    report_set(&object, "lower_bound_kind",
               json_string(network_bound_names[result->bounds.largest]));
    report_set(&object, "lower_bounds", report_bounds_json(&result->bounds));
    report_set(&object, "deadlock", report_deadlock_json(result->deadlock, result->waits));
    report_set_count(&object, "delivered", result->counts.deliveries);
    report_set_count(&object, "missing", missing_of(result));
    report_set(&object, "partial", json_boolean(result->is_partial));
    report_set_seed(&object, report->network.options->seed);
    report_set_count(&object, "threads", report->network.settings->threads);
    report_set(&object, "wall_seconds", json_real(report->seconds));
    report_set_error(&object, report->failure);
    return report_object_close(&object);
}

/* ---- tables ---- */

static void print_need(const struct network_wait *wait, FILE *out)
{
    switch (wait->need) {
    case NEED_CONSUMPTION:
        fputs("a consumption channel\n", out);
        break;
    case NEED_LINK:
        fprintf(out, "a virtual channel of the link to node %" PRIu32 "\n", wait->to);
        break;
    case NEED_ROOM:
        fprintf(out, "room in the buffer at node %" PRIu32 "\n", wait->to);
        break;
    default:
        fputs("it stands before it in the buffer\n", out);
    }
}

/* Prints the cycle of worms, a line each; nothing where there is none. */
static void print_deadlock(const struct network_wait *wait, size_t waits, FILE *out)
{
    if (waits == 0)
        return;
    fprintf(out, "  deadlock: a cycle of %zu worm%s\n", waits, report_plural(waits));
    for (size_t i = 0; i < waits && i < DEADLOCK_SHOWN; i++) {
        const struct network_wait *next = &wait[wait[i].waits_for];
        fprintf(out,
                "    worm %" PRIu32 " of message %" PRIu32 " (from node %" PRIu32
                ") at node %" PRIu32 " waits for worm %" PRIu32 " of message %" PRIu32 ": ",
                wait[i].worm, wait[i].message, wait[i].source, wait[i].node, next->worm,
                next->message);
        print_need(&wait[i], out);
    }
    if (waits > DEADLOCK_SHOWN)
        fprintf(out, "    and %zu more (--json shows all)\n", waits - DEADLOCK_SHOWN);
}

/* " (--flits 4:20)" where the messages that are sent do not show what was asked. */
static void print_asked(struct flits_range asked, struct flits_range sent, FILE *out)
{
    char text[FLITS_TEXT];
    if (asked.least > 0 && (asked.least != sent.least || asked.most != sent.most))
        fprintf(out, " (--flits %s)", flits_range_text(asked, text));
}

/* Prints what is sent, and on which network. */
static void print_conditions(const struct burst_report *report, uint64_t deliveries, FILE *out)
{
    char topology[TOPOLOGY_TEXT_SIZE], flits[FLITS_TEXT], name[PRINTABLE_NAME];
    shape_text(&report->network.topology->shape, topology);
    fprintf(out, "%s: %s, %" PRIu32 " message%s of %s flit%s", printable_name(report->name, name),
            topology, report->messages, report_plural(report->messages),
            flits_range_text(report->flits, flits), report_plural(report->flits.most));
    print_asked(report->asked, report->flits, out);
    fprintf(out, ", %" PRIu64 " deliver%s\n", deliveries, report_plural_y(deliveries));
    report_print_home(&report->set->home, message_set_given_messages(report->set),
                      message_set_given_deliveries(report->set), out);
    report_print_network(&report->network, out);
}

static void print_title(const struct burst_report *report, FILE *out)
{
    print_conditions(report, report->result->expected, out);
    fputs(report->is_best ? "\nscheme best: " : "\nscheme ", out);
    report_print_scheme(report->scheme, report->choices, out);
    fputc('\n', out);
}

/* A figure, or a dash where there is none. */
static void print_figure(const struct report_table *table, const char *name, bool has,
                         uint64_t figure, const char *note)
{
    if (has)
        report_print_count(table, name, figure, note);
    else
        report_print_ratio(table, name, 0, 0, note);
}

static void print_latency(const struct report_table *table, const struct burst_report *report)
{
    const struct burst_result *result = report->result;
    const struct latency_summary *latency = &result->latency;
    bool has = result->counts.done > 0;
    char note[96] = "cycles per message";
    if (!is_whole(report) && !has)
        snprintf(note, sizeof note, "no message was delivered to all");
    else if (!is_whole(report))
        snprintf(note, sizeof note, "cycles per message, of the %" PRIu64 " that were delivered",
                 result->counts.done);
    report_print_ratio(table, "latency, mean", latency->mean, has, note);
    print_figure(table, "  median", has, latency->median, "");
    print_figure(table, "  95th percentile", has, latency->p95, "");
    print_figure(table, "  99th percentile", has, latency->p99, "");
    print_figure(table, "  max", has, latency->max, "");
}

static void print_cycles(const struct report_table *table, const struct burst_report *report)
{
    const struct burst_result *result = report->result;
    char note[96];
    print_figure(table, "cycles", has_cycles(report), result->counts.last_delivery,
                 is_whole(report) ? "of the last delivery" : "of the last delivery so far");
    if (!is_whole(report))
        report_print_count(table, "stopped in cycle", last_cycle(result),
                           result->is_partial  ? "by an interruption"
                           : result->waits > 0 ? "by a deadlock"
                                               : "by a failed check");
    if (report->clock > 0) {
        snprintf(note, sizeof note, "at %g GHz; at least %.2f are needed", report->clock,
                 microseconds(report, result->bounds.lower_bound));
        report_print_ratio(table, "microseconds",
                           microseconds(report, result->counts.last_delivery), has_cycles(report),
                           note);
    }
    report_print_count(table, "lower bound", result->bounds.lower_bound,
                       network_bound_names[result->bounds.largest]);
    report_print_ratio(table, "cycles / lower bound", (double)result->counts.last_delivery,
                       is_whole(report) ? (double)result->bounds.lower_bound : 0, "");
}

static void print_loads(const struct report_table *table, const struct burst_result *result)
{
    char note[96];
    report_print_count(table, "startups", result->counts.startups, "worms that were sent");
    report_print_count(table, "channel crossings", result->counts.crossings, "flits over links");
    snprintf(note, sizeof note, "flits, node %" PRIu32 " to %" PRIu32, result->busiest_from,
             result->busiest_to);
    report_print_count(table, "busiest link", result->busiest_flits,
                       result->busiest_flits > 0 ? note : "");
}

static void print_table(const struct burst_report *report, FILE *out)
{
    const struct burst_result *result = report->result;
    const struct report_table table = report_table_for(NULL, 0, out);
    char note[96];
    print_title(report, out);
    print_cycles(&table, report);
    print_latency(&table, report);
    print_loads(&table, result);
    report_print_count(&table, "buffer peak", result->counts.buffer_peak,
                       report->network.settings->switching == SWITCHING_STORE_AND_FORWARD
                           ? "messages at a node"
                           : "flits in a buffer of a link");
    report_print_count(&table, "unsent peak", result->counts.unsent_peak,
                       "worms of a node that waited to be sent");
    snprintf(note, sizeof note, "%" PRIu64 " missing", missing_of(result));
    report_print_count(&table, "delivered", result->counts.deliveries, note);
    report_print_time(&table, report->seconds, report->network.settings->threads);
    print_deadlock(result->deadlock, result->waits, out);
}

/* ---- the trace and the page ---- */

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

/* All that a run needs. */
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
    json_t *figures =
        json_pack("{s:s, s:s, s:I, s:I, s:I}", "scheme", run->burst.scheme->name, "switching",
                  switching_names[run->options->network.switching], "virtual channels",
                  (json_int_t)run->burst.settings.vcs, "flits over links",
                  (json_int_t)result->counts.crossings, "missing", (json_int_t)missing_of(result));
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
    struct run_plan plan = {run->chosen.set, page_file_name(run->report.name), PAGE_EVENTS, NULL};
    char header[NETWORK_HEADER_SIZE];
    *recording = (struct recording){.both = {recording, tell_both}};
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

/* Makes the arrays that a program asked for: the cycle of each message's last delivery (UINT64_MAX: it was not delivered to
 * all) and the messages' numbers in the set; the flits over each link. */
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
    report->network =
        (struct network_report){&run->topology, &run->burst.settings, &run->options->network};
    report->name = name;
    report->scheme = run->burst.scheme;
    report->choices = &run->burst.choices;
    report->asked = run->options->flits;
    report->clock = run->options->clock;
    report->flits = run->chosen.flits;
    report->messages = run->chosen.count;
    report->set = run->chosen.set;
    report->result = &run->result;
    report->failure = &run->failure;
}

/* Runs the scheme. False: it is refused, or the system fails; `failure` says why. */
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
        print_table(&run->report, command_table(report));
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
};

static void print_row(const struct burst_report *report, FILE *out)
{
    const struct burst_result *result = report->result;
    const struct latency_summary *latency = &result->latency;
    char cycles[24] = "-", bound[32], mean[32];
    double last = (double)result->counts.last_delivery;
    double least = is_whole(report) ? (double)result->bounds.lower_bound : 0;
    if (has_cycles(report))
        snprintf(cycles, sizeof cycles, "%" PRIu64, result->counts.last_delivery);
    fprintf(out, "%-10s %10s %8s %9s %8" PRIu64 " %10" PRIu64 " %12" PRIu64 " %8" PRIu64 " %8.3f",
            report->is_best ? "best" : report->scheme->name, cycles,
            report_ratio_text(last, least, bound),
            report_ratio_text(latency->mean, result->counts.done > 0, mean), latency->p95,
            result->counts.startups, result->counts.crossings, (uint64_t)result->counts.buffer_peak,
            report->seconds);
    if (report->is_best)
        fprintf(out, "  as %s", report->scheme->name);
    if (report->failure->kind != FAIL_NONE)
        fprintf(out, "  check failed: %s", report->failure->text);
    fprintf(out, "%s\n", result->is_partial ? "  interrupted" : "");
    fflush(out);
}

/* Runs a scheme, prints its row, and adds its figures. A scheme that is refused gets a row that says why. */
static enum failure_kind run_row(struct network_run *run, const struct scheme *scheme,
                                 const char *name, struct scheme_rows *made, FILE *out,
                                 struct failure *failure)
{
    struct failure own = {0};
    if (run_scheme(run, scheme, name, &own)) {
        print_row(&run->report, out);
        if (json_array_append_new(made->json, report_json(&run->report)) != 0)
            fail_memory(failure, "the rows of schemes");
        if (run->failure.kind == FAIL_CHECK)
            fail(&made->broken, FAIL_CHECK, "%s: %.400s", scheme->name, run->failure.text);
    } else if (own.kind == FAIL_USAGE) {
        fprintf(out, "%-10s did not run: %s\n", scheme->name, own.text);
        fail(&made->refusal, FAIL_USAGE, "no scheme runs with these options; %s: %.400s",
             scheme->name, own.text);
    } else {
        *failure = own;
    }
    burst_free(&run->result);
    return failure->kind;
}

/* Prints the conditions and the head of the made. */
static void print_head(struct network_run *run, const char *name, FILE *out)
{
    uint64_t deliveries = 0;
    char head[160];
    for (uint32_t i = 0; i < run->chosen.count; i++)
        deliveries += chosen_messages_at(&run->chosen, i).destinations;
    run->burst.settings = network_options_settings(&run->options->network, &run->topology);
    fill_report(run, name);
    print_conditions(&run->report, deliveries, out);
    fputc('\n', out);
    snprintf(head, sizeof head, "%-10s %10s %8s %9s %8s %10s %12s %8s %8s", "scheme", "cycles",
             "/bound", "latency", "95 %", "startups", "crossings", "buffer", "seconds");
    report_print_heading(head, out);
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
        print_head(run, name, out);
    for (uint32_t i = 0; failure->kind == FAIL_NONE && i < schemes->count; i++)
        if (run_row(run, schemes->value[i], name, &made, out, failure) == FAIL_NONE)
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
                             failure) == FAIL_NONE) {
        run_set(&network, &traffic, is_comparison, report, failure);
        command_topology_free(command, &network.topology);
    }
    command_traffic_free(&traffic);
    return failure->kind;
}

enum failure_kind network_compare(struct meshcast_command *command,
                                  const struct scheme_list *schemes,
                                  const struct network_options *network,
                                  struct meshcast_report *report, struct failure *failure)
{
    const struct network_command options = {.schemes = *schemes, .network = *network};
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
    .options = {{rows, sizeof rows / sizeof rows[0], 0},
                {network_option_row, NETWORK_OPTION_ROWS,
                 offsetof(struct network_command, network)}},
    .offer_parameters = scheme_offer_parameters,
    .topics = "'meshcast help schemes'",
    .ends_early = true,
    .run = run,
};
