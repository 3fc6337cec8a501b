/* command_kernel.c - the command `kernel`: runs one primitive by itself and reports.
 *
 * The kernel makes its own input from a pattern and checks its result (primitives/kernel.h). A run
 * that fails a check is reported as far as it got, with its trace; a run that could not start or
 * finish for another reason leaves neither report nor trace. Steps are shown per side of the mesh,
 * with synchronisation and without, because the literature counts without it.
 *
 * The parameters of --param are rows of a table here: `method`, which the kernels list, and `load`.
 */
#include "base/output_file.h"
#include "base/suggestion.h"
#include "library/commands.h"
#include "library/option_table.h"
#include "library/report.h"
#include "library/run_options.h"
#include "primitives/kernel.h"
#include "workloads/permutation.h"

#include <stddef.h>
#include <stdlib.h>

struct kernel_command {
    const char *pattern, *trace;
    uint32_t side, tiles, k;
    struct run_options run;
};

/* One run of one kernel. */
struct kernel_report {
    const struct kernel *kernel;
    struct kernel_options options; /* the pattern is never NULL */
    struct kernel_result result;
    struct failure failure;
};

/* ---- names ---- */

static const char *kernel_name_at(const void *context, uint32_t index)
{
    (void)context;
    return index < kernel_count() ? kernel_at(index)->name : NULL;
}

static const struct name_family kernel_names = {"kernel", "kernels", "", kernel_name_at, NULL};

static const char *permutation_name_at(const void *context, uint32_t index)
{
    (void)context;
    return index < permutation_count() ? permutation_at(index)->name : NULL;
}

static const struct name_family pattern_names = {"pattern", "patterns", "", permutation_name_at,
                                                 NULL};

/* ---- options ---- */

static const struct meshcast_option rows[] = {
    OPTION_NUMBER("side", "M", COMMON, struct kernel_command, side, 1, 8192,
                  "the mesh has M x M nodes; kernels run on squares"),
    OPTION_NUMBER("tiles", "T", COMMON, struct kernel_command, tiles, 1, MESH_MAX_NODES,
                  "cut the mesh into T tiles (a power of two), each with an input of its\n"
                  "own, and run in all at once; the default is 1"),
    OPTION_NAME("pattern", NULL, "P", COMMON, struct kernel_command, pattern, &pattern_names,
                "the permutation of each tile (see below); the default is random"),
    OPTION_NUMBER("k", "K", COMMON, struct kernel_command, k, 1, UINT32_MAX - 1,
                  "packets, sums or instances per node; the default is 1"),
    OPTION_OUTPUT("trace", "FILE", 0, COMMON, struct kernel_command, trace,
                  "every event of the machine, for 'meshcast audit'; with '-' the report goes "
                  "to\nstandard error"),
};

static enum failure_kind find_kernel(const char *name, const struct kernel **kernel,
                                     struct failure *failure)
{
    *kernel = name == NULL ? NULL : kernel_find(name);
    if (*kernel != NULL)
        return FAIL_NONE;
    if (name != NULL)
        return fail_unknown_name(failure, &kernel_names, name);
    char names[160];
    name_family_list(&kernel_names, names, sizeof names);
    return fail(failure, FAIL_USAGE, "missing NAME of a kernel; the kernels are: %s", names);
}

static enum failure_kind find_pattern(const char *name, const struct permutation **pattern,
                                      struct failure *failure)
{
    *pattern = permutation_find(name == NULL ? "random" : name);
    return *pattern != NULL ? FAIL_NONE : fail_unknown_name(failure, &pattern_names, name);
}

/* ---- parameters ---- */

static enum failure_kind set_method(struct kernel_options *options, const char *value,
                                    struct failure *failure)
{
    (void)failure;
    options->method = value;
    return FAIL_NONE;
}

static enum failure_kind set_load(struct kernel_options *options, const char *value,
                                  struct failure *failure)
{
    char *end;
    unsigned long load = *value >= '0' && *value <= '9' ? strtoul(value, &end, 10) : 0;
    if (load < 1 || load > 100 || *end != '\0')
        return fail(failure, FAIL_USAGE, "load is a percentage, 1 .. 100, not '%.40s'", value);
    options->load = (uint32_t)load;
    return FAIL_NONE;
}

static const struct parameter_row {
    const char *name, *help;
    enum failure_kind (*set)(struct kernel_options *options, const char *value,
                             struct failure *failure);
} PARAMETERS[] = {
    {"method", "method=NAME: how the kernel does it, see above", set_method},
    {"load", "load=PERCENT: about PERCENT percent of the nodes hold packets; the default is 100",
     set_load},
};

enum { PARAMETERS_COUNT = sizeof PARAMETERS / sizeof PARAMETERS[0] };

static const char *parameter_name_at(const void *context, uint32_t index)
{
    (void)context;
    return index < PARAMETERS_COUNT ? PARAMETERS[index].name : NULL;
}

static const struct name_family parameter_names = {"parameter", "parameters", "", parameter_name_at,
                                                   NULL};

static enum failure_kind set_parameter(struct kernel_options *options,
                                       const struct router_parameter *given,
                                       struct failure *failure)
{
    uint32_t place;
    if (name_family_find(&parameter_names, given->name, &place, failure) != FAIL_NONE)
        return failure->kind;
    return PARAMETERS[place].set(options, given->value, failure);
}

/* ---- the report ---- */

static const struct figure per_side[] = {
    {"steps_per_side", "steps / side", FIGURE_RATIO, FIGURE_LINE, NULL},
    {"without_sync", "without sync", FIGURE_RATIO, FIGURE_PEOPLE, NULL},
    {0}};

static const struct figure speeds[] = {
    {"node_steps_per_second", "node-steps / s", FIGURE_DIGITS, FIGURE_LINE, NULL},
    {"packet_hops_per_second", "packet hops / s", FIGURE_DIGITS, FIGURE_LINE, NULL},
    {"error", NULL, FIGURE_TEXT, FIGURE_LINE, "CHECK FAILED"},
    {0}};

static const struct figures kernel_figures = {{figures_of_steps, per_side, figures_of_phases,
                                               figures_of_buffer, figures_of_hops, figures_of_time,
                                               speeds}};

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
    double node_steps = (double)counts->steps * mesh_nodes(report->options.mesh);
    report_set_steps(object, counts->steps, counts->sync_steps);
    report_set_ratio(object, "steps_per_side", (double)counts->steps, report->options.mesh.rows);
    report_set_phases(object, result->phase, result->phases);
    report_set_peak(
        object, report->options.buffer, counts->peak,
        &(struct report_place){counts->peak_node, counts->peak_step, counts->peak_phase});
    report_set_hops(object, counts->packet_hops, counts->word_hops, counts->copies);
    report_set(object, KEY_WALL_SECONDS, json_real(result->wall_seconds));
    report_set_ratio(object, "node_steps_per_second", node_steps, result->wall_seconds);
    report_set_ratio(object, "packet_hops_per_second", (double)counts->packet_hops,
                     result->wall_seconds);
}

static json_t *report_json(const struct kernel_report *report)
{
    struct report_object object = report_object_open();
    set_request(&object, report);
    set_counts(&object, report);
    report_set_error(&object, &report->failure);
    return report_object_close(&object);
}

static void print_table(const struct kernel_report *report, const json_t *json, FILE *out)
{
    const struct machine_counts *counts = &report->result.counts;
    struct report_object people = report_object_copy(json);
    double side = report->options.mesh.rows;
    report_set_count(&people, "cols", report->options.mesh.cols);
    report_set_ratio(&people, "without_sync", (double)(counts->steps - counts->sync_steps),
                     counts->sync_steps != 0 ? side : 0);
    json_t *lines = report_object_close(&people);
    figures_print_text(lines,
                       "{side} x {cols} nodes[{tiles>1} in {tiles} tiles of at most {tile_rows} x "
                       "{tile_cols}], pattern {pattern}, k = {k}, load {load} %: {items:item}\n\n",
                       out);
    figures_print_heading(lines,
                          "kernel {kernel}, method={method}, copies [{copy=free}are free]"
                          "[{copy=unit}cost a step]",
                          out);
    figures_print(&kernel_figures, lines, out);
    json_decref(lines);
}

/* ---- the run ---- */

static enum failure_kind fill_options(const struct kernel_command *kernel,
                                      struct kernel_options *options, struct failure *failure)
{
    *options = kernel_options_default();
    if (kernel->side == 0)
        return fail(failure, FAIL_USAGE, "missing --side M, the side of the mesh");
    options->mesh = (struct mesh){kernel->side, kernel->side};
    options->tiles = kernel->tiles == 0 ? options->tiles : kernel->tiles;
    options->k = kernel->k == 0 ? options->k : kernel->k;
    options->seed = kernel->run.seed;
    options->threads = kernel->run.threads;
    options->buffer = kernel->run.buffer;
    options->copy_is_free = run_copy_is_free(&kernel->run);
    enum failure_kind kind = find_pattern(kernel->pattern, &options->pattern, failure);
    for (uint32_t i = 0; kind == FAIL_NONE && i < kernel->run.parameters.count; i++)
        kind = set_parameter(options, &kernel->run.parameters.parameter[i], failure);
    return kind;
}

static void run_kernel(struct meshcast_command *command, struct kernel_report *report,
                       const char *trace_path)
{
    struct output_file trace;
    struct failure *failure = &report->failure;
    if (output_file_open(&trace, command_writes(command) ? trace_path : NULL, failure) != FAIL_NONE)
        return;
    struct kernel_options options = report->options;
    options.trace = trace.file;
    options.ranks = command->ranks;
    options.interrupt = command->interrupt;
    options.progress = command_progress_steps;
    options.progress_context = command;
    kernel_run(report->kernel, &options, &report->result, failure);
    command_note_threads(command, report->result.threads, report->result.threads_refused);

    /* the trace of a broken run shows the fault; a failed trace outweighs a failed check */
    struct failure unwritten = {0};
    bool keep = run_has_figures(failure);
    if (output_file_close(&trace, keep, &unwritten) != FAIL_NONE)
        *failure = unwritten;
}

static int run(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure)
{
    const struct kernel_command *options = command->options;
    struct kernel_report found = {0};
    if (find_kernel(command_operand(command, 0), &found.kernel, failure) != FAIL_NONE ||
        fill_options(options, &found.options, failure) != FAIL_NONE ||
        command_check_rows(command, options->side, failure) != FAIL_NONE)
        return failure->kind;
    run_kernel(command, &found, options->trace);
    if (run_has_figures(&found.failure) &&
        report_take_json(report, report_json(&found), NULL, failure) == FAIL_NONE)
        print_table(&found, report->json, command_table(report));
    if (failure->kind == FAIL_NONE)
        *failure = found.failure;
    return failure->kind;
}

/* ---- completion and help ---- */

/* Offers the methods of the kernel that the line names, or of all if it names none. */
static void offer_parameters(const struct meshcast_offers *offers)
{
    bool names_one = offers->gives(offers->line, &kernel_names, NULL);
    for (uint32_t i = 0; i < kernel_count(); i++) {
        const struct kernel_method *method = kernel_at(i)->methods;
        if (names_one && !offers->gives(offers->line, &kernel_names, kernel_at(i)->name))
            continue;
        for (; method->name != NULL; method++)
            offers->offer(offers->line, "method", method->name);
    }
    for (uint32_t i = 0; i < PARAMETERS_COUNT; i++)
        offers->offer(offers->line, PARAMETERS[i].name, NULL);
}

/* Prints the methods, each that is the default for some k as such: it is one for its least k
 * then. */
static void print_methods(const struct kernel *kernel, FILE *out)
{
    for (const struct kernel_method *method = kernel->methods; method->name != NULL; method++) {
        char range[40];
        bool is_default = kernel_default_method(kernel, method->least_k) == method;
        kernel_method_range(method, range, sizeof range);
        fprintf(out, "    %-10s %s (%s%s)\n", method->name, method->summary,
                is_default ? "default, " : "", range);
    }
}

static void print_more(FILE *out)
{
    fputs("\nKernels, and the methods of each:\n", out);
    for (uint32_t i = 0; i < kernel_count(); i++) {
        const struct kernel *kernel = kernel_at(i);
        fprintf(out, "  %-10s %s\n", kernel->name, kernel->summary);
        print_methods(kernel, out);
    }
    fputs("\nPatterns, each in every tile; sides of any length:\n", out);
    for (uint32_t i = 0; i < permutation_count(); i++)
        fprintf(out, "  %-11s %s\n", permutation_at(i)->name, permutation_at(i)->summary);
    fputs("\nParameters:\n", out);
    for (uint32_t i = 0; i < PARAMETERS_COUNT; i++)
        fprintf(out, "  %s\n", PARAMETERS[i].help);
}

const struct meshcast_command_row command_kernel = {
    .name = "kernel",
    .summary = "run one primitive alone (sort, prefix, route, ...), check, report",
    .examples = "  meshcast kernel sort --side 256\n"
                "  meshcast kernel prefix --side 256 --param method=total\n"
                "  meshcast kernel route --side 128 --pattern transpose --k 4 --json\n"
                "  meshcast kernel prefix --side 128 --tiles 16 --k 8\n"
                "  meshcast kernel route --side 32 --trace - | meshcast audit -\n",
    .synopsis = "NAME --side M [options]",
    .operands = "NAME, one kernel",
    .least = 0, /* run() lists the kernels */
    .most = 1,
    .operand_names = &kernel_names,
    .options_size = sizeof(struct kernel_command),
    .options = {{rows, sizeof rows / sizeof rows[0], 0},
                {run_option_row, RUN_OPTION_ROWS, offsetof(struct kernel_command, run)}},
    .offer_parameters = offer_parameters,
    .print_more = print_more,
    .runs_on_ranks = true,
    .run = run,
};
