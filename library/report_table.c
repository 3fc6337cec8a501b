/* report_table.c - the tables of `route` and `compare` for people.
 *
 * What a single run prints: the set and its bounds, the run's figures (report_figures.c), the
 * phases. A comparison is a row a run.
 */
#include "base/printable.h"
#include "library/report.h"
#include "library/report_parts.h"

#include <inttypes.h>
#include <string.h>

const char *report_root_name(const struct instance *instance)
{
    return instance->most_sent > 1 ? "sqrt(l c n)" : "sqrt(c n)";
}

void report_print_home(const struct home_count *home, uint64_t messages, uint64_t deliveries,
                       FILE *out)
{
    if (home->messages > 0)
        fprintf(out, "%" PRIu32 " of %" PRIu64 " messages and ", home->messages, messages);
    if (home->deliveries > 0)
        fprintf(out, "%" PRIu64 " of %" PRIu64 " deliveries stay on their node\n", home->deliveries,
                deliveries);
}

void report_print_instance(const struct instance *instance, bool copy_is_free, FILE *out)
{
    const struct message_set *set = &instance->set;
    uint32_t messages = message_set_all_messages(set);
    uint64_t deliveries = message_set_all_deliveries(set);
    char name[PRINTABLE_NAME];
    fprintf(out,
            "%s: %" PRIu32 " x %" PRIu32 " nodes, %" PRIu32 " message%s, %" PRIu64 " deliver%s\n",
            printable_name(instance->name, name), set->mesh.rows, set->mesh.cols, messages,
            messages == 1 ? "" : "s", deliveries, deliveries == 1 ? "y" : "ies");
    report_print_home(&set->home, message_set_given_messages(set),
                      message_set_given_deliveries(set), out);
    fprintf(out, "degree d = %" PRIu32 ", congestion c = %" PRIu32 ", ", instance->degree,
            instance->congestion);
    if (instance->most_sent > 1)
        fprintf(out, "l = %" PRIu32 " messages per node, ", instance->most_sent);
    uint64_t bound = instance_lower_bound(instance, copy_is_free);
    fprintf(out, "%s = %.1f, lower bound %" PRIu64 " step%s (%s)\n", report_root_name(instance),
            instance->sqrt_cn, bound, bound == 1 ? "" : "s",
            instance_lower_bound_name(instance, copy_is_free));
}

struct report_peak report_route_peak(const struct router_result *result)
{
    return (struct report_peak){.capacity = result->buffer_capacity,
                                .packets = result->buffer_peak,
                                .node = result->buffer_peak_node,
                                .step = result->buffer_peak_step,
                                .phase = result->buffer_peak_phase};
}

void report_print_title(const struct run_report *report, FILE *out)
{
    char title[256];
    const struct router_result *result = &report->result;
    bool is_unknown = report->options->congestion_is_unknown;
    const char *runs_as = result->ran_as[0] == '\0' ? ""
                          : result->attempts > 0    ? ", in the last attempt run as "
                                                    : ", for this c run as ";
    int used = snprintf(title, sizeof title, "router %s%s%s%s, %s", report->router->name,
                        is_unknown ? ", c unknown" : "", runs_as, result->ran_as,
                        run_copies_text(report->options));
    for (uint32_t i = 0; i < result->parameters && used < (int)sizeof title; i++)
        used += snprintf(title + used, sizeof title - (size_t)used, ", %s=%s",
                         result->parameter[i].name, result->parameter[i].value);
    report_print_heading(title, out);
}

static void print_steps(const struct report_table *table, const struct run_report *report)
{
    const struct router_result *result = &report->result;
    double bound =
        (double)instance_lower_bound(report->instance, run_copy_is_free(report->options));
    char note[80] = "", name[32];
    bool is_whole = result->missing == 0; /* ratios are of runs that have delivered everything */
    if (!is_whole)
        snprintf(note, sizeof note, "until it failed");
    else if (result->sync_steps != 0)
        snprintf(note, sizeof note, "of which %" PRIu64 " for synchronisation", result->sync_steps);
    report_print_count(table, "steps", result->steps, note);
    if (result->proven_steps > 0)
        report_print_count(table, "steps, at most", result->proven_steps,
                           "known before the run, for every set");
    for (uint32_t i = 0; i < result->figures; i++)
        report_print_count(table, result->figure[i].name, result->figure[i].value,
                           result->figure[i].note);
    snprintf(name, sizeof name, "steps / %s", report_root_name(report->instance));
    report_print_ratio(table, name, (double)result->steps, is_whole ? report->instance->sqrt_cn : 0,
                       "");
    report_print_ratio(table, "steps / lower bound", (double)result->steps, is_whole ? bound : 0,
                       "");
}

static void print_attempt(const struct router_attempt *attempt, uint32_t number, FILE *out)
{
    char limits[80] = "any number of steps allowed";
    if (attempt->budget > 0)
        snprintf(limits, sizeof limits, "%" PRIu64 " steps allowed", attempt->budget);
    fprintf(out, "    %" PRIu32 ": c = %" PRIu32 ", %s: %s", number, attempt->congestion, limits,
            attempt->stands ? "stands" : "void");
    fprintf(out, " after %" PRIu64 " steps, %" PRIu64 " of them for synchronisation",
            attempt->steps, attempt->sync_steps);
    if (attempt->discarded > 0)
        fprintf(out, "; no room for %" PRIu64 " packets", attempt->discarded);
    fputc('\n', out);
}

static void print_attempts(const struct report_table *table, const struct run_report *report)
{
    const struct router_result *result = &report->result;
    if (result->attempts == 0)
        return;
    report_print_count(table, "attempts", result->attempts,
                       report->options->congestion_is_unknown ? "with guesses of the congestion"
                                                              : "as nodes had no room");
    for (uint32_t i = 0; i < result->attempts; i++)
        print_attempt(&result->attempt[i], i + 1, table->out);
}

/* When the deliveries of a run that made all of them were made. */
static void print_delivery_steps(const struct report_table *table, const struct run_report *report)
{
    const struct router_result *result = &report->result;
    const char *name = report->options->reduces ? "half had come in" : "half delivered in";
    char note[80];
    if (result->missing > 0 || result->delivered == 0)
        return;
    snprintf(note, sizeof note, "steps; 95 %% in %" PRIu64 ", 99 %% in %" PRIu64,
             result->delivery_step[95], result->delivery_step[99]);
    report_print_count(table, name, result->delivery_step[50], note);
}

void report_print_route(const struct run_report *report, FILE *out)
{
    const struct router_result *result = &report->result;
    struct report_table table = report_table_for(result->phase, result->phases, out);
    struct report_peak peak = report_route_peak(result);
    char note[80];
    report_print_instance(report->instance, run_copy_is_free(report->options), out);
    fputc('\n', out);
    report_print_title(report, out);

    print_steps(&table, report);
    print_attempts(&table, report);
    report_print_peak(&table, &peak, report->instance->set.mesh.cols);
    report_print_count(&table, "packet hops", result->packet_hops, "links crossed by packets");
    report_print_count(&table, "word hops", result->word_hops, "links crossed by control words");
    report_print_count(&table, "copies", result->copies, "");
    snprintf(note, sizeof note, "%" PRIu64 " missing", result->missing);
    report_print_count(&table, report->options->reduces ? "contributions" : "delivered",
                       result->delivered, note);
    print_delivery_steps(&table, report);
    report_print_phases(&table, result->phase, result->phases, result->steps);
    report_print_time(&table, result->wall_seconds, result->threads);
    if (report->failure.kind != FAIL_NONE)
        fputs("  CHECK FAILED\n", out);
}
