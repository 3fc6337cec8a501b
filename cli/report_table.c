/* report_table.c - the tables of `route` and `compare` for people.
 *
 * Method: plain text, 80 columns where the names allow it, figures right-aligned under each other,
 * what they mean beside them. Phases of one name are shown as one line with the number of times
 * that they ran, in the order in which the names first occur.
 *
 * Only a heading is ever bold, and that on a terminal alone.
 */
#include "cli/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIGURE_WIDTH = 12 };

void report_print_heading(const char *text, FILE *out)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool plain = isatty(fileno(out)) != 1 || (no_color != NULL && *no_color != '\0') ||
                 terminal == NULL || strcmp(terminal, "dumb") == 0;
    fprintf(out, plain ? "%s\n" : "\033[1m%s\033[0m\n", text);
}

void report_print_instance(const struct instance *instance, FILE *out)
{
    const struct message_set *set = &instance->set;
    fprintf(out,
            "%s: %" PRIu32 " x %" PRIu32 " nodes, %" PRIu32 " messages, %" PRIu64 " deliveries\n",
            strcmp(instance->name, "-") == 0 ? "standard input" : instance->name, set->mesh.rows,
            set->mesh.cols, set->messages, set->deliveries);
    fprintf(out,
            "degree d = %" PRIu32 ", congestion c = %" PRIu32
            ", sqrt(c n) = %.1f, lower bound %" PRIu64 " steps (%s)\n",
            instance->degree, instance->congestion, instance->sqrt_cn,
            instance_lower_bound(instance), lower_bound_name(instance->bounds.best));
}

/* The table of a run: where it goes and how wide its first column is. */
struct table {
    FILE *out;
    int width;
};

static void print_count(const struct table *table, const char *name, uint64_t count,
                        const char *note)
{
    fprintf(table->out, "  %-*s %*" PRIu64 "%s%s\n", table->width, name, FIGURE_WIDTH, count,
            *note == '\0' ? "" : "   ", note);
}

/* A text of a ratio: two decimals, or a dash where the divisor is 0. */
static const char *ratio_text(double dividend, double divisor, char text[32])
{
    if (divisor == 0)
        return "-";
    snprintf(text, 32, "%.2f", dividend / divisor);
    return text;
}

static void print_ratio(const struct table *table, const char *name, double dividend,
                        double divisor)
{
    char text[32];
    fprintf(table->out, "  %-*s %*s\n", table->width, name, FIGURE_WIDTH,
            ratio_text(dividend, divisor, text));
}

/* All phases of the name of phase `first`: their steps, and their part of all. */
static void print_phase(const struct table *table, const struct router_result *result,
                        uint32_t first)
{
    const char *name = result->phase[first].name;
    uint64_t steps = 0;
    uint32_t times = 0;
    for (uint32_t i = first; i < result->phases; i++) {
        if (strcmp(result->phase[i].name, name) == 0) {
            steps += result->phase[i].steps;
            times++;
        }
    }
    double share = result->steps == 0 ? 0 : 100.0 * (double)steps / (double)result->steps;
    fprintf(table->out, "    %-*s %*" PRIu64 "   %5.1f %%", table->width - 2, name, FIGURE_WIDTH,
            steps, share);
    if (times > 1)
        fprintf(table->out, "   %" PRIu32 " times", times);
    fputc('\n', table->out);
}

static bool is_first_of_name(const struct router_result *result, uint32_t phase)
{
    for (uint32_t i = 0; i < phase; i++)
        if (strcmp(result->phase[i].name, result->phase[phase].name) == 0)
            return false;
    return true;
}

static void print_phases(const struct table *table, const struct router_result *result)
{
    if (result->phases == 0)
        return;
    fputs("  phases\n", table->out);
    for (uint32_t i = 0; i < result->phases; i++)
        if (is_first_of_name(result, i))
            print_phase(table, result, i);
}

static void print_peak(const struct table *table, const struct run_report *report)
{
    const struct router_result *result = &report->result;
    uint32_t node = result->buffer_peak_node, cols = report->instance->set.mesh.cols;
    char note[80] = "packets at a node";
    if (result->buffer_capacity != 0)
        snprintf(note, sizeof note, "packets at a node, which can hold %" PRIu32,
                 result->buffer_capacity);
    print_count(table, "buffer peak", result->buffer_peak, note);
    if (node == MESH_NO_NODE || result->buffer_peak == 0)
        return;
    fprintf(table->out,
            "    at node %" PRIu32 " (row %" PRIu32 ", column %" PRIu32 "), step %" PRIu64 ", %s\n",
            node, node / cols, node % cols, result->buffer_peak_step, result->buffer_peak_phase);
}

static void print_title(const struct run_report *report, FILE *out)
{
    char title[256];
    int used = snprintf(title, sizeof title, "router %s, copies %s", report->router->name,
                        report->options->copy == 0 ? "cost a step" : "are free");
    const struct router_result *result = &report->result;
    for (uint32_t i = 0; i < result->parameters && used < (int)sizeof title; i++)
        used += snprintf(title + used, sizeof title - (size_t)used, ", %s=%s",
                         result->parameter[i].name, result->parameter[i].value);
    report_print_heading(title, out);
}

static void print_steps(const struct table *table, const struct run_report *report)
{
    const struct router_result *result = &report->result;
    double bound = (double)instance_lower_bound(report->instance);
    char note[80] = "";
    if (result->sync_steps != 0)
        snprintf(note, sizeof note, "of which %" PRIu64 " for synchronisation", result->sync_steps);
    print_count(table, "steps", result->steps, note);
    print_ratio(table, "steps / sqrt(c n)", (double)result->steps, report->instance->sqrt_cn);
    /* the bound holds for a run that has delivered everything */
    print_ratio(table, "steps / lower bound", (double)result->steps,
                result->missing == 0 ? bound : 0);
}

static struct table table_for(const struct router_result *result, FILE *out)
{
    struct table table = {out, 20};
    for (uint32_t i = 0; i < result->phases; i++) {
        int needed = (int)strlen(result->phase[i].name) + 2;
        table.width = needed > table.width ? needed : table.width;
    }
    return table;
}

void report_print_route(const struct run_report *report, FILE *out)
{
    const struct router_result *result = &report->result;
    struct table table = table_for(result, out);
    char note[80];
    report_print_instance(report->instance, out);
    fputc('\n', out);
    print_title(report, out);

    print_steps(&table, report);
    print_peak(&table, report);
    print_count(&table, "packet hops", result->packet_hops, "links crossed by packets");
    print_count(&table, "word hops", result->word_hops, "links crossed by control words");
    print_count(&table, "copies", result->copies, "");
    snprintf(note, sizeof note, "%" PRIu64 " missing", result->missing);
    print_count(&table, "delivered", result->delivered, note);
    print_phases(&table, result);
    fprintf(out, "  %-*s %*.3f   s, %" PRIu32 " thread%s\n", table.width, "wall time", FIGURE_WIDTH,
            result->wall_seconds, result->threads, result->threads == 1 ? "" : "s");
    if (report->failure.kind != FAIL_NONE)
        fputs("  CHECK FAILED\n", out);
}

void report_print_compare_head(FILE *out)
{
    char head[160];
    snprintf(head, sizeof head, "%-10s %10s %8s %9s %9s %8s %12s %8s", "router", "steps", "sync",
             "/sqrt(cn)", "/bound", "buffer", "packet hops", "seconds");
    report_print_heading(head, out);
}

void report_print_compare_row(const struct run_report *report, FILE *out)
{
    if (report->failure.kind != FAIL_NONE) {
        fprintf(out, "%-10s %s: %s\n", report->router->name,
                report->failure.kind == FAIL_CHECK ? "check failed" : "did not run",
                report->failure.text);
        return;
    }
    const struct router_result *result = &report->result;
    char per_sqrt[32], per_bound[32];
    fprintf(out, "%-10s %10" PRIu64 " %8" PRIu64 " %9s %9s %8" PRIu32 " %12" PRIu64 " %8.3f\n",
            report->router->name, result->steps, result->sync_steps,
            ratio_text((double)result->steps, report->instance->sqrt_cn, per_sqrt),
            ratio_text((double)result->steps, (double)instance_lower_bound(report->instance),
                       per_bound),
            result->buffer_peak, result->packet_hops, result->wall_seconds);
}

void report_print_compare_legend(const struct run_options *options, FILE *out)
{
    fprintf(
        out,
        "\nsteps include sync, the synchronisation; /sqrt(cn) and /bound: steps / sqrt(c n) and\n"
        "steps / lower bound; buffer: the most packets a node ever held; copies %s.\n",
        options->copy == 0 ? "cost a step" : "are free");
}
