/* report_kernel.c - what a run of one kernel prints, as JSON and as a table.
 *
 * Method: the objects and lines of report_object.c and report_figures.c. Steps are shown per side
 * of the mesh, with synchronisation and without, because the literature counts without it.
 */
#include "console/report.h"

#include "console/report_parts.h"
#include "library/meshcast.h" /* MESHCAST_VERSION */
#include "workloads/permutation.h"

#include <inttypes.h>

static struct report_peak peak_of(const struct kernel_report *report)
{
    const struct machine_counts *counts = &report->result.counts;
    return (struct report_peak){.capacity = report->options.buffer,
                                .packets = counts->peak,
                                .node = counts->peak_node,
                                .step = counts->peak_step,
                                .phase = counts->peak_phase};
}

static double node_steps(const struct kernel_report *report)
{
    return (double)report->result.counts.steps * mesh_nodes(report->options.mesh);
}

static void set_request(struct report_object *object, const struct kernel_report *report)
{
    const struct kernel_options *options = &report->options;
    const struct kernel_result *result = &report->result;
    report_set(object, "meshcast", json_string(MESHCAST_VERSION));
    report_set(object, "kernel", json_string(report->kernel->name));
    report_set_count(object, "side", options->mesh.rows);
    report_set(object, "copy", json_string(options->copy_is_free ? "free" : "unit"));
    report_set(object, "pattern", json_string(options->pattern->name));
    report_set(object, "method", json_string(result->method));
    report_set_count(object, "k", options->k);
    report_set_count(object, "load", options->load);
    report_set_count(object, "tiles", result->tiles);
    report_set_count(object, "tile_rows", result->tile_rows);
    report_set_count(object, "tile_cols", result->tile_cols);
    report_set_count(object, "items", result->items);
    report_set_seed(object, options->seed);
    report_set_count(object, "threads", result->threads);
}

static void set_counts(struct report_object *object, const struct kernel_report *report)
{
    const struct kernel_result *result = &report->result;
    const struct machine_counts *counts = &result->counts;
    struct report_peak peak = peak_of(report);
    report_set_count(object, "steps", counts->steps);
    report_set_count(object, "sync_steps", counts->sync_steps);
    report_set_ratio(object, "steps_per_side", (double)counts->steps, report->options.mesh.rows);
    report_set_phases(object, result->phase, result->phases);
    report_set_peak(object, &peak);
    report_set_count(object, "packet_hops", counts->packet_hops);
    report_set_count(object, "word_hops", counts->word_hops);
    report_set_count(object, "copies", counts->copies);
    report_set(object, "wall_seconds", json_real(result->wall_seconds));
    report_set_ratio(object, "node_steps_per_second", node_steps(report), result->wall_seconds);
    report_set_ratio(object, "packet_hops_per_second", (double)counts->packet_hops,
                     result->wall_seconds);
}

json_t *report_kernel_json(const struct kernel_report *report)
{
    struct report_object object = report_object_open();
    set_request(&object, report);
    set_counts(&object, report);
    if (report->failure.kind != FAIL_NONE)
        report_set(&object, "error", report_json_text(report->failure.text));
    return report_object_close(&object);
}

static void print_title(const struct kernel_report *report, FILE *out)
{
    const struct kernel_options *options = &report->options;
    const struct kernel_result *result = &report->result;
    char title[256];
    fprintf(out, "%" PRIu32 " x %" PRIu32 " nodes", options->mesh.rows, options->mesh.cols);
    if (result->tiles > 1)
        fprintf(out, " in %" PRIu64 " tiles of at most %" PRIu32 " x %" PRIu32, result->tiles,
                result->tile_rows, result->tile_cols);
    fprintf(out, ", pattern %s, k = %" PRIu32 ", load %" PRIu32 " %%: %" PRIu64 " items\n\n",
            options->pattern->name, options->k, options->load, result->items);
    snprintf(title, sizeof title, "kernel %s, method=%s, copies %s", report->kernel->name,
             result->method, options->copy_is_free ? "are free" : "cost a step");
    report_print_heading(title, out);
}

static void print_steps(const struct report_table *table, const struct kernel_report *report)
{
    const struct machine_counts *counts = &report->result.counts;
    double side = report->options.mesh.rows;
    char note[80] = "";
    if (counts->sync_steps != 0)
        snprintf(note, sizeof note, "of which %" PRIu64 " for synchronisation", counts->sync_steps);
    report_print_count(table, "steps", counts->steps, note);
    report_print_ratio(table, "steps / side", (double)counts->steps, side, "");
    if (counts->sync_steps != 0)
        report_print_ratio(table, "without sync", (double)(counts->steps - counts->sync_steps),
                           side, "");
}

static void print_speed(const struct report_table *table, const char *name, double work,
                        double seconds)
{
    if (work > 0 && seconds > 0)
        fprintf(table->out, "  %-*s %12.3g\n", table->width, name, work / seconds);
}

void report_print_kernel(const struct kernel_report *report, FILE *out)
{
    const struct kernel_result *result = &report->result;
    const struct machine_counts *counts = &result->counts;
    struct report_table table = report_table_for(result->phase, result->phases, out);
    struct report_peak peak = peak_of(report);
    print_title(report, out);
    print_steps(&table, report);
    report_print_peak(&table, &peak, report->options.mesh.cols);
    report_print_count(&table, "packet hops", counts->packet_hops, "links crossed by packets");
    report_print_count(&table, "word hops", counts->word_hops, "links crossed by control words");
    report_print_count(&table, "copies", counts->copies, "");
    report_print_phases(&table, result->phase, result->phases, counts->steps);
    report_print_time(&table, result->wall_seconds, result->threads);
    print_speed(&table, "node-steps / s", node_steps(report), result->wall_seconds);
    print_speed(&table, "packet hops / s", (double)counts->packet_hops, result->wall_seconds);
    if (report->failure.kind != FAIL_NONE)
        fputs("  CHECK FAILED\n", out);
}
