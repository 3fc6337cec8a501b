/* command_audit.c - the command `audit`: a second opinion on a trace.
 *
 * The replays are audit/audit.h and, for the network's traces, audit/flits_audit.h, which share no
 * code with the engines; the first word of a trace chooses one. A broken rule is status 1; the
 * message names the line and the rule, and the JSON has it and the counts before it.
 */
#include "audit/audit.h"
#include "audit/flits_audit.h"
#include "base/numbers.h"
#include "library/command_set.h"
#include "library/commands.h"
#include "library/option_table.h"
#include "library/report.h"
#include "view/run_decoder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct audit_options {
    const char *without;
};

static const struct meshcast_option option_rows[] = {
    OPTION_WITHOUT(COMMON, struct audit_options, without),
};

/* ---- the report ---- */

/* Opens the object of a replay with the common first keys of both models. */
static struct report_object open_report(const char *trace, const struct failure *broken)
{
    struct report_object object = report_result_open();
    bool is_clean = broken->kind == FAIL_NONE;
    report_set(&object, "trace", report_json_text(trace));
    report_set(&object, "clean", json_boolean(is_clean));
    report_set(&object, "error", is_clean ? json_null() : report_json_text(broken->text));
    return object;
}

static json_t *machine_json(const char *trace, const struct audit_report *report,
                            const struct failure *broken)
{
    struct report_object object = open_report(trace, broken);
    report_set_count(&object, "rows", report->rows);
    report_set_count(&object, "cols", report->cols);
    report_set(&object, "copy", json_string(report->copy_is_free ? "free" : "unit"));
    report_set_nonzero(&object, KEY_BUFFER_CAPACITY, report->buffer_capacity);
    report_set_count(&object, "events", report->events);
    report_set_count(&object, "steps", report->steps);
    report_set_count(&object, "packets", report->packets);
    report_set_count(&object, "messages", report->messages);
    report_set_hops(&object, report->packet_hops, report->word_hops, report->copies);
    report_set_count(&object, "delivered", report->delivered);
    report_set_count(&object, KEY_BUFFER_PEAK, report->buffer_peak);
    report_set_count(&object, "buffer_peak_node", report->buffer_peak_node);
    report_set_count(&object, "buffer_peak_step", report->buffer_peak_step);
    if (report->reduces)
        report_set(&object, "reduce", json_string("sum"));
    return report_object_close(&object);
}

static const char machine_text[] =
    "clean: {events:event}, {steps:step} on {rows} x {cols} nodes, "
    "[{?reduce}sums of contributions, without copies][{!reduce}{copy=free}copies are free]"
    "[{!reduce}{copy=unit}copies cost a step]\n"
    "{messages:message}, {packets:packet}, {delivered:delivery}[{?reduce} of contributions], "
    "{copies:copy}, {packet_hops:packet hop}, {word_hops:word hop}\n"
    "buffer peak {buffer_peak}[ of {buffer_capacity}], node {buffer_peak_node}, step "
    "{buffer_peak_step}\n";

static json_t *network_json(const char *trace, const struct flits_audit_report *report,
                            const struct failure *broken)
{
    struct report_object object = open_report(trace, broken);
    report_set(&object, "topology", json_string(report->topology));
    report_set(&object, "routing", report_json_text(report->routing));
    report_set(&object, "routing_checked", json_boolean(report->knows_routing));
    report_set_count(&object, "events", report->lines);
    report_set_count(&object, "cycles", report->cycles);
    report_set_count(&object, "messages", report->messages);
    report_set_count(&object, "worms", report->worms);
    report_set_count(&object, "unfinished_worms", report->unfinished);
    report_set_count(&object, "delivered", report->deliveries);
    report_set_count(&object, KEY_CHANNEL_CROSSINGS, report->crossings);
    report_set_count(&object, KEY_BUFFER_PEAK, report->buffer_peak);
    return report_object_close(&object);
}

static const char network_text[] =
    "clean: {events:event}, {cycles:cycle} on {topology}, routing {routing}"
    "[{!routing_checked} (not known: hops were checked to lead to neighbours)]\n"
    "{messages:message}, {worms:worm}, {delivered:delivery} over the network, "
    "{channel_crossings:flit} over links, buffer peak {buffer_peak}\n"
    "[{unfinished_worms:worm} still under way at the end\n]";

/* ---- the replay ---- */

/* A replay. */
struct audit_run {
    const char *trace;
    const struct audit_missing *missing; /* NULL: nothing is missing */
    const struct message_set *set;       /* NULL: none */
    struct meshcast_report *report;
    struct byte_source *source;
};

/* Reports the counts of a replay, which `text` prints for people; a file that could not be replayed
 * has no report. */
static enum failure_kind end_replay(struct audit_run *run, json_t *json, const char *text,
                                    const struct failure *broken, struct failure *failure)
{
    FILE *out = command_table(run->report);
    if (broken->kind == FAIL_NONE || broken->kind == FAIL_CHECK)
        report_take_json(run->report, json, NULL, failure);
    else
        json_decref(json);
    if (broken->kind == FAIL_NONE && failure->kind == FAIL_NONE) {
        figures_print_text(json, text, out);
        if (run->set == NULL)
            fputs("no set was given: which deliveries are due was not checked\n", out);
    }
    if (failure->kind == FAIL_NONE)
        *failure = *broken;
    return failure->kind;
}

static enum failure_kind audit_machine(struct audit_run *run, struct failure *failure)
{
    struct audit_report report = {0};
    struct failure broken = {0};
    audit_trace_from(run->source, run->trace, run->set, run->missing, &report, &broken);
    return end_replay(run, machine_json(run->trace, &report, &broken), machine_text, &broken,
                      failure);
}

static enum failure_kind audit_of_network(struct audit_run *run, struct failure *failure)
{
    struct flits_audit_report report = {.lines = 0};
    struct failure broken = {0};
    audit_network(run->source, run->set, run->missing, &report, &broken);
    return end_replay(run, network_json(run->trace, &report, &broken), network_text, &broken,
                      failure);
}

/* Replaces a page by the trace of its first run, in a temporary file. */
static enum failure_kind open_page(struct byte_source **source, const char *name,
                                   struct failure *failure)
{
    FILE *text = tmpfile();
    struct byte_source *page = *source;
    int descriptor = -1;
    *source = NULL;
    if (text == NULL)
        fail(failure, FAIL_SYSTEM, "cannot make a temporary file for the page's trace: %s",
             strerror(errno));
    else
        run_decode(page, name, 1, text, failure);
    byte_source_close(page);
    if (failure->kind == FAIL_NONE && (fflush(text) != 0 || fseek(text, 0, SEEK_SET) != 0 ||
                                       (descriptor = dup(fileno(text))) < 0))
        fail(failure, FAIL_SYSTEM, "cannot write a temporary file (is the disk full?)");
    if (text != NULL)
        fclose(text);
    return failure->kind != FAIL_NONE
               ? failure->kind
               : byte_source_open_descriptor(source, descriptor, name, failure);
}

/* Replays a trace of either kind on `set`, which may be NULL. */
static enum failure_kind audit(struct audit_run *run, struct message_set *set, const char *set_name,
                               struct failure *failure)
{
    int is_network = 0, is_page = 0;
    if (byte_source_begins(run->source, RUN_PAGE_BEGINS, &is_page, failure) != FAIL_NONE ||
        (is_page && open_page(&run->source, run->trace, failure) != FAIL_NONE) ||
        byte_source_begins(run->source, "meshcast-network", &is_network, failure) != FAIL_NONE)
        return failure->kind;
    run->set = set;
    if (is_network)
        return audit_of_network(run, failure);
    if (set != NULL && message_set_fit_machine(set, set_name, failure) != FAIL_NONE)
        return failure->kind;
    return audit_machine(run, failure);
}

/* Reads what is missing of the set's mesh, on which all of the set can be sent. */
static enum failure_kind read_missing(const struct meshcast_command *command,
                                      const struct message_set *set, struct audit_missing *missing,
                                      uint64_t **link, struct failure *failure)
{
    const struct audit_options *options = command->options;
    struct topology topology;
    if (command->operands < 2)
        return fail(failure, FAIL_USAGE,
                    "--without needs the set, which says of which mesh: audit SET TRACE");
    if (command_set_topology(command, set, NULL, &topology, failure) != FAIL_NONE ||
        command_break_set_topology(command, set, "the set", options->without, false, &topology,
                                   failure) != FAIL_NONE)
        return failure->kind;
    if (topology_is_broken(&topology)) {
        *link = topology_list_missing(&topology);
        *missing = (struct audit_missing){.count = topology.missing_links, .link = *link};
        if (*link == NULL)
            fail_memory(failure, "the links of a broken mesh");
        else
            sort_u64(*link, missing->count);
    }
    command_topology_free(command, &topology);
    return failure->kind;
}

static int run(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure)
{
    const struct audit_options *options = command->options;
    bool has_set = command->operands > 1;
    struct audit_missing missing = {.count = 0};
    uint64_t *link = NULL;
    struct audit_run run = {
        .trace = command->operand[command->operands - 1], .missing = &missing, .report = report};
    const char *path = has_set ? command->operand[0] : NULL;
    struct message_set set = {0};
    if (run.trace == NULL)
        return fail(failure, FAIL_USAGE, "missing TRACE, the trace to replay");
    if (has_set && command_read_set(command, 0, &set, failure) != FAIL_NONE)
        return failure->kind;
    if (options->without != NULL)
        read_missing(command, &set, &missing, &link, failure);
    if (failure->kind == FAIL_NONE &&
        byte_source_open(&run.source, run.trace, failure) == FAIL_NONE) {
        const char *name = path == NULL ? "set" : strcmp(path, "-") == 0 ? "standard input" : path;
        audit(&run, has_set ? &set : NULL, name, failure);
        byte_source_close(run.source);
    }
    message_set_free(&set);
    free(link);
    return failure->kind;
}

static void print_more(FILE *out)
{
    fputs("\nWith --quiet only errors are printed, and the status gives the result.\n", out);
}

const struct meshcast_command_row command_audit = {
    .name = "audit",
    .summary = "replay a trace without the engine and check every rule of its model",
    .examples = "  meshcast route west.mcast --router trees --trace west.trace\n"
                "  meshcast audit west.mcast west.trace\n"
                "  meshcast audit west.trace               without the set: no deliveries checked\n"
                "  meshcast network west.mcast --scheme dual --trace burst.trace\n"
                "  meshcast audit west.mcast burst.trace   of the network\n",
    .synopsis = "[SET] TRACE [--without FILE] [--json|--csv]",
    .operands = "TRACE, the trace to replay (or a page of 'view'), perhaps after its SET ('-' is "
                "standard input)",
    .least = 1,
    .most = 2,
    .options_size = sizeof(struct audit_options),
    .options = {{option_rows, sizeof option_rows / sizeof *option_rows, 0}},
    .print_more = print_more,
    .is_check = true,
    .run = run,
};
