/* command_network.c - `meshcast network`: all messages of a set at once, on the network.
 *
 * The set says on which mesh or torus; a graph's edges come from --topology. Every delivery is checked. A run
 * that ends in a deadlock, overflows a buffer, or fails a check is reported as far as it went, with its trace, and the
 * status is 1. The first Ctrl-C ends a run and reports what there is, marked as partial; the program then dies of the
 * signal.
 *
 * With `--trace -` standard output is the trace's, and the report goes to standard error.
 */
#include "base/pcg.h"
#include "base/stopwatch.h"
#include "cli/command.h"
#include "cli/network_options.h"
#include "cli/report_network.h"
#include "console/interruption.h"
#include "console/progress.h"
#include "console/report.h"
#include "library/output_file.h"
#include "network/burst.h"
#include "network/network_trace.h"
#include "workloads/message_set.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct network_command {
    const char *scheme, *topology, *trace;
    struct flits_range flits;
    uint32_t sources;
    struct network_options network;
};

enum { STREAM_FLITS = 1, STREAM_SOURCES = 2 }; /* of random values */

static const struct option_row rows[] = {
    {.name = "scheme",
     .value = "NAME",
     .help = "how each message is sent, see below",
     .type = OPTION_TEXT,
     .offset = offsetof(struct network_command, scheme),
     .names = &scheme_names},
    {.name = "topology",
     .value = "T",
     .help = "graph:FILE, an edge list, for a set on a graph; else the set says it",
     .type = OPTION_TEXT,
     .offset = offsetof(struct network_command, topology),
     .is_topology = true},
    {.name = "flits",
     .value = "L|A:B",
     .help = "length of the messages to which the set gives none, header included, or a\n"
             "range from which each is drawn; the default is 1",
     .type = OPTION_ACCEPT,
     .offset = offsetof(struct network_command, flits),
     .accept = accept_flits},
    {.name = "sources",
     .value = "K",
     .help = "only the messages of K sources, drawn by the seed",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct network_command, sources),
     .least = 1,
     .most = TOPOLOGY_MAX_NODES},
    {.name = "trace",
     .value = "FILE",
     .help = "write every event of the network to FILE, for 'meshcast audit';\n"
             "with '-' the report goes to standard error",
     .type = OPTION_TEXT,
     .offset = offsetof(struct network_command, trace),
     .is_file = true},
};

/* ---- messages ---- */

/* The messages of a set that are sent, as a burst asks for them. */
struct sent {
    const struct message_set *set;
    struct flits_range flits;
    uint64_t seed;
    uint32_t messages;
    uint32_t *message;     /* of each that is sent: its number in the set */
    uint32_t *destination; /* of the message that was asked for last, without its source */
};

static uint32_t flits_of(const struct sent *sent, uint32_t message)
{
    uint32_t given = sent->set->length == NULL ? 0 : sent->set->length[message];
    if (given > 0)
        return given;
    struct pcg32 random = pcg32_seed(sent->seed, (uint64_t)message << 2 | STREAM_FLITS);
    return sent->flits.least + pcg32_below(&random, sent->flits.most - sent->flits.least + 1);
}

static struct multicast message_at(void *context, uint32_t index, bool *is_own_destination)
{
    struct sent *sent = context;
    const struct message_set *set = sent->set;
    uint32_t message = sent->message[index];
    uint64_t all = set->offset[message + 1] - set->offset[message];
    struct multicast multicast = {.source = set->source[message],
                                  .destination = sent->destination,
                                  .flits = flits_of(sent, message)};
    multicast.destinations = message_set_others(set, message, sent->destination);
    *is_own_destination = multicast.destinations < all;
    return multicast;
}

/* Marks `wanted` of the sources, each with the same probability. */
static void draw_sources(const struct message_set *set, uint32_t nodes, uint32_t wanted,
                         uint64_t seed, uint8_t *is_source)
{
    struct pcg32 random = pcg32_seed(seed, STREAM_SOURCES);
    uint32_t left = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        left += !is_source[set->source[i]];
        is_source[set->source[i]] = 1;
    }
    for (uint32_t node = 0; node < nodes; node++) {
        if (!is_source[node])
            continue;
        is_source[node] = pcg32_below(&random, left--) < wanted;
        wanted -= is_source[node];
    }
}

static void sent_free(struct sent *sent)
{
    free(sent->message);
    free(sent->destination);
}

/* Chooses the messages that are sent; sent_free(). FAIL_SYSTEM: no memory. */
static enum failure_kind sent_make(struct sent *sent, const struct message_set *set,
                                   const struct network_command *command, uint32_t nodes,
                                   struct failure *failure)
{
    uint8_t *is_source = memory_allocate(nodes, 1);
    uint32_t degree = message_set_degree(set);
    *sent = (struct sent){.set = set,
                          .flits = command->flits,
                          .seed = command->network.seed,
                          .message = memory_allocate(set->messages, sizeof *sent->message),
                          .destination = memory_allocate(degree, sizeof *sent->destination)};
    if (sent->flits.least == 0)
        sent->flits = (struct flits_range){1, 1};
    if (is_source == NULL || sent->message == NULL || sent->destination == NULL) {
        free(is_source);
        sent_free(sent);
        return fail_memory(failure, "the messages of a burst");
    }
    draw_sources(set, nodes, command->sources > 0 ? command->sources : nodes, sent->seed,
                 is_source);
    for (uint32_t i = 0; i < set->messages; i++)
        if (is_source[set->source[i]])
            sent->message[sent->messages++] = i;
    free(is_source);
    return FAIL_NONE;
}

/* The lengths of the shortest and the longest message that is sent; without messages, those of the options. */
static struct flits_range flits_of_all(const struct sent *sent)
{
    struct flits_range range =
        sent->messages > 0 ? (struct flits_range){UINT32_MAX, 0} : sent->flits;
    for (uint32_t i = 0; i < sent->messages; i++) {
        uint32_t flits = flits_of(sent, sent->message[i]);
        range.least = flits < range.least ? flits : range.least;
        range.most = flits > range.most ? flits : range.most;
    }
    return range;
}

/* ---- the run ---- */

static bool watch(void *context, uint64_t done, uint64_t all, uint64_t cycle)
{
    (void)cycle;
    progress_count(context, done, all);
    return interruption_noted() != 0;
}

static bool trace_is_output(const struct network_command *command)
{
    return command->trace != NULL && strcmp(command->trace, "-") == 0;
}

static enum failure_kind print_report(const struct network_command *command,
                                      const struct burst_report *report, struct failure *failure)
{
    if (command->network.json)
        return report_print_json(report_burst_json(report), stdout, failure);
    if (!trace_is_output(command))
        report_print_burst(report, stdout);
    else if (!command->network.quiet)
        report_print_burst(report, stderr);
    return FAIL_NONE;
}

/* Checks, before anything runs, that the burst can run and that there is memory for it beside `held` bytes. */
static enum failure_kind check_run(const struct burst *burst, uint64_t limit, uint64_t held,
                                   struct failure *failure)
{
    char what[160], topology[TOPOLOGY_TEXT_SIZE];
    struct memory_need need = {.what = what, .limit = limit};
    if (burst_check(burst, failure) != FAIL_NONE ||
        burst_footprint(burst, &need.bytes, failure) != FAIL_NONE)
        return failure->kind;
    shape_text(&burst->topology->shape, topology);
    snprintf(what, sizeof what, "scheme %s on %s", burst->scheme->name, topology);
    need.bytes += held;
    return memory_need_check(&need, failure);
}

/* Runs with the trace, which is kept if the run has something to tell. */
static enum failure_kind run_traced(struct burst *burst, const char *path,
                                    struct burst_result *result, struct failure *failure)
{
    struct output_file trace;
    struct network_observer observer;
    struct failure own = {0};
    if (output_file_open(&trace, path, &interruption_watch, failure) != FAIL_NONE)
        return failure->kind;
    if (trace.file != NULL) {
        network_trace_begin(trace.file, burst->topology, burst->scheme->routing(&burst->choices),
                            &burst->settings);
        observer = network_trace_observer(trace.file);
        burst->observer = &observer;
    }
    burst_run(burst, result, failure);
    bool keep = failure->kind == FAIL_NONE || failure->kind == FAIL_CHECK;
    if (output_file_close(&trace, keep, &own) != FAIL_NONE)
        *failure = own;
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
    burst->watcher = watch;
    burst->watcher_context = &progress;
    run_traced(burst, command->trace, &result, failure);
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
    if (trace_is_output(command) && command->network.json)
        return fail(failure, FAIL_USAGE,
                    "--trace - and --json both want standard output; name a file for the trace");
    if (path_is_standard_output(command->trace))
        return fail(failure, FAIL_USAGE,
                    "standard output goes to that file; --trace must name another");
    if (path_is_same_file(set, command->trace))
        return fail(failure, FAIL_USAGE, "the trace would overwrite the set %s", set);
    if (path_is_same_file(topology_text_file(command->topology), command->trace))
        return fail(failure, FAIL_USAGE, "the trace would overwrite the graph %s", command->trace);
    if (command->scheme == NULL)
        return fail(failure, FAIL_USAGE, "missing --scheme NAME; the schemes are: %s", names);
    if (scheme_find(command->scheme, scheme, failure) != FAIL_NONE ||
        network_options_check(&command->network, scheme, 1, failure) != FAIL_NONE)
        return failure->kind;
    return network_options_choose(&command->network, *scheme, choices, failure);
}

static enum failure_kind run_set(const struct network_command *command, const char *name,
                                 const struct message_set *set, struct burst *burst, uint64_t limit,
                                 struct failure *failure)
{
    struct sent sent;
    struct network_settings settings = network_options_settings(&command->network, burst->topology);
    if (sent_make(&sent, set, command, burst->topology->nodes, failure) != FAIL_NONE)
        return failure->kind;
    burst->settings = settings;
    burst->messages = sent.messages;
    burst->message = message_at;
    burst->message_context = &sent;
    struct burst_report report = {
        .network = {burst->topology, &burst->settings, &command->network},
        .name = name,
        .scheme = burst->scheme,
        .choices = &burst->choices,
        .flits = flits_of_all(&sent),
        .messages = sent.messages,
    };
    if (check_run(burst, limit, message_set_footprint(set), failure) == FAIL_NONE)
        run_burst(command, burst, &report, failure);
    sent_free(&sent);
    return failure->kind;
}

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    const struct network_command *command = options;
    const char *name = operands->operand[0];
    uint64_t limit = available_memory_limit(command->network.force);
    struct burst burst = {0};
    struct message_set set;
    struct topology topology;
    if (check_options(command, name, &burst.scheme, &burst.choices, failure) != FAIL_NONE ||
        message_set_read_within(&set, name, limit, failure) != FAIL_NONE)
        return failure->kind;
    report_cut_set(&set, name);
    if (message_set_topology(&set, command->topology, &topology, failure) == FAIL_NONE) {
        burst.topology = &topology;
        run_set(command, name, &set, &burst, limit, failure);
        topology_free(&topology);
    }
    message_set_free(&set);
    if (failure->kind == FAIL_NONE)
        interruption_end_noted();
    return failure->kind;
}

const struct command command_network = {
    .name = "network",
    .summary = "send all messages of a set at once on the network of flits and channels",
    .examples = "  meshcast network west.mcast --scheme dual --flits 20\n"
                "  meshcast network west.mcast --scheme u-mesh --startup 100 --json\n"
                "  meshcast network west.mcast --scheme unicast --switching store-and-forward\n"
                "  meshcast network west.mcast --scheme dual --trace west.trace\n",
    .synopsis = "SET --scheme NAME [options]",
    .operands = "SET, the message set to send ('-' is standard input)",
    .least = 1,
    .most = 1,
    .options_size = sizeof(struct network_command),
    .options = {{rows, sizeof rows / sizeof rows[0], 0},
                {network_option_row, NETWORK_OPTION_ROWS,
                 offsetof(struct network_command, network)}},
    .offer_parameters = completion_offer_scheme_parameters,
    .print_more = network_options_print_schemes,
    .run = run,
};
