/* command_audit.c - the command `audit`: a second opinion on a trace.
 *
 * The replays are audit/audit.h and, of the network's traces, audit/flits_audit.h, which share no code with the engines; the
 * first word of a trace says which one it is for. A broken rule is status 1; the message names the line and the rule, and the
 * JSON has it and what was counted before it.
 */
#include "audit/audit.h"
#include "audit/flits_audit.h"
#include "library/command_set.h"
#include "library/commands.h"
#include "library/report_parts.h"
#include "view/run_decoder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- the report ---- */

static json_t *audit_json(const char *trace, const struct audit_report *report,
                          const struct failure *broken)
{
    json_t *capacity =
        report->buffer_capacity == 0 ? json_null() : json_integer(report->buffer_capacity);
    json_t *error = broken->kind == FAIL_NONE ? json_null() : report_json_text(broken->text);
    json_t *object = json_pack(
        "{s:s, s:o, s:b, s:o, s:I, s:I, s:s, s:o, s:I, s:I}", "meshcast", MESHCAST_VERSION, "trace",
        report_json_text(trace), "clean", broken->kind == FAIL_NONE, "error", error, "rows",
        (json_int_t)report->rows, "cols", (json_int_t)report->cols, "copy",
        report->copy_is_free ? "free" : "unit", "buffer_capacity", capacity, "events",
        (json_int_t)report->events, "steps", (json_int_t)report->steps);
    json_t *counters = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "packets", (json_int_t)report->packets,
        "messages", (json_int_t)report->messages, "packet_hops", (json_int_t)report->packet_hops,
        "word_hops", (json_int_t)report->word_hops, "copies", (json_int_t)report->copies,
        "delivered", (json_int_t)report->delivered, "buffer_peak", (json_int_t)report->buffer_peak,
        "buffer_peak_node", (json_int_t)report->buffer_peak_node, "buffer_peak_step",
        (json_int_t)report->buffer_peak_step);
    if (json_object_update(object, counters) != 0 ||
        (report->reduces && json_object_set_new(object, "reduce", json_string("sum")) != 0)) {
        json_decref(object);
        object = NULL;
    }
    json_decref(counters);
    return object;
}

static void print_summary(const struct audit_report *report, bool has_set, FILE *out)
{
    fprintf(out,
            "clean: %" PRIu64 " event%s, %" PRIu64 " step%s on %" PRIu32 " x %" PRIu32
            " nodes, %s\n",
            report->events, report_plural(report->events), report->steps,
            report_plural(report->steps), report->rows, report->cols,
            report->reduces        ? "sums of contributions, without copies"
            : report->copy_is_free ? "copies are free"
                                   : "copies cost a step");
    fprintf(out,
            "%" PRIu64 " message%s, %" PRIu64 " packet%s, %" PRIu64 " %s%s, %" PRIu64
            " cop%s, %" PRIu64 " packet hop%s, %" PRIu64 " word hop%s\n",
            report->messages, report_plural(report->messages), report->packets,
            report_plural(report->packets), report->delivered,
            report->reduces ? "contribution" : "deliver",
            report->reduces ? report_plural(report->delivered) : report_plural_y(report->delivered),
            report->copies, report_plural_y(report->copies), report->packet_hops,
            report_plural(report->packet_hops), report->word_hops,
            report_plural(report->word_hops));
    fprintf(out, "buffer peak %" PRIu32, report->buffer_peak);
    if (report->buffer_capacity != 0)
        fprintf(out, " of %" PRIu32, report->buffer_capacity);
    fprintf(out, ", node %" PRIu32 ", step %" PRIu64 "\n", report->buffer_peak_node,
            report->buffer_peak_step);
    if (!has_set)
        fputs("no set was given: which deliveries are due was not checked\n", out);
}

static json_t *network_json(const char *trace, const struct flits_audit_report *report,
                            const struct failure *broken)
{
    json_t *error = broken->kind == FAIL_NONE ? json_null() : report_json_text(broken->text);
    return json_pack("{s:s, s:o, s:b, s:o, s:s, s:o, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
                     "meshcast", MESHCAST_VERSION, "trace", report_json_text(trace), "clean",
                     broken->kind == FAIL_NONE, "error", error, "topology", report->topology,
                     "routing", report_json_text(report->routing), "routing_checked",
                     report->knows_routing, "events", (json_int_t)report->lines, "cycles",
                     (json_int_t)report->cycles, "messages", (json_int_t)report->messages, "worms",
                     (json_int_t)report->worms, "unfinished_worms", (json_int_t)report->unfinished,
                     "delivered", (json_int_t)report->deliveries, "channel_crossings",
                     (json_int_t)report->crossings, "buffer_peak", (json_int_t)report->buffer_peak);
}

static void print_network_summary(const struct flits_audit_report *report, bool has_set, FILE *out)
{
    fprintf(out, "clean: %" PRIu64 " event%s, %" PRIu64 " cycle%s on %s, routing %s%s\n",
            report->lines, report_plural(report->lines), report->cycles,
            report_plural(report->cycles), report->topology, report->routing,
            report->knows_routing ? "" : " (not known: hops were checked to lead to neighbours)");
    fprintf(out, "%" PRIu64 " message%s, %" PRIu64 " worm%s, %" PRIu64 " deliver%s%s, ",
            report->messages, report_plural(report->messages), report->worms,
            report_plural(report->worms), report->deliveries, report_plural_y(report->deliveries),
            has_set ? "" : " over the network");
    fprintf(out, "%" PRIu64 " flit%s over links, buffer peak %" PRIu32 "\n", report->crossings,
            report_plural(report->crossings), report->buffer_peak);
    if (report->unfinished > 0)
        fprintf(out, "%" PRIu64 " worms are still under way at the end\n", report->unfinished);
    if (!has_set)
        fputs("no set was given: which deliveries are due was not checked\n", out);
}

/* ---- the replay ---- */

/* All that a replay needs. */
struct audit_run {
    const char *trace;
    const struct message_set *set; /* NULL: none */
    struct meshcast_report *report;
    struct byte_source *source;
};

/* Takes over what a replay counted; what could not be replayed has no report. */
static enum failure_kind end_replay(struct audit_run *run, json_t *json,
                                    const struct failure *broken, struct failure *failure)
{
    if (broken->kind == FAIL_NONE || broken->kind == FAIL_CHECK)
        report_take_json(run->report, json, NULL, failure);
    else
        json_decref(json);
    if (failure->kind == FAIL_NONE)
        *failure = *broken;
    return failure->kind;
}

static enum failure_kind audit_machine(struct audit_run *run, struct failure *failure)
{
    struct audit_report report = {0};
    struct failure broken = {0};
    audit_trace_from(run->source, run->trace, run->set, &report, &broken);
    if (broken.kind == FAIL_NONE)
        print_summary(&report, run->set != NULL, command_table(run->report));
    return end_replay(run, audit_json(run->trace, &report, &broken), &broken, failure);
}

static enum failure_kind audit_of_network(struct audit_run *run, struct failure *failure)
{
    struct flits_audit_report report = {.lines = 0};
    struct failure broken = {0};
    audit_network(run->source, run->set, &report, &broken);
    if (broken.kind == FAIL_NONE)
        print_network_summary(&report, run->set != NULL, command_table(run->report));
    return end_replay(run, network_json(run->trace, &report, &broken), &broken, failure);
}

/* Puts the trace of a page's first run, from a temporary file, in the place of the page. */
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

static int run(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure)
{
    bool has_set = command->operands > 1;
    struct audit_run run = {.trace = command->operand[command->operands - 1], .report = report};
    const char *path = has_set ? command->operand[0] : NULL;
    struct message_set set = {0};
    if (run.trace == NULL)
        return fail(failure, FAIL_USAGE, "missing TRACE, the trace to replay");
    if (has_set && command_read_set(command, 0, &set, failure) != FAIL_NONE)
        return failure->kind;
    if (byte_source_open(&run.source, run.trace, failure) == FAIL_NONE) {
        const char *name = path == NULL ? "set" : strcmp(path, "-") == 0 ? "standard input" : path;
        audit(&run, has_set ? &set : NULL, name, failure);
        byte_source_close(run.source);
    }
    message_set_free(&set);
    return failure->kind;
}

static void print_more(FILE *out)
{
    fputs("\nWith --quiet nothing is printed but errors; the status tells.\n", out);
}

const struct meshcast_command_row command_audit = {
    .name = "audit",
    .summary = "replay a trace without the engine and check every rule of its model",
    .examples = "  meshcast route west.mcast --router trees --trace west.trace\n"
                "  meshcast audit west.mcast west.trace\n"
                "  meshcast audit west.trace               without the set: no deliveries checked\n"
                "  meshcast network west.mcast --scheme dual --trace burst.trace\n"
                "  meshcast audit west.mcast burst.trace   of the network\n",
    .synopsis = "[SET] TRACE [--json|--csv]",
    .operands = "TRACE, the trace to replay (or a page of 'view'), perhaps after its SET ('-' is "
                "standard input)",
    .least = 1,
    .most = 2,
    .options_size = 1, /* none */
    .print_more = print_more,
    .is_check = true,
    .run = run,
};
