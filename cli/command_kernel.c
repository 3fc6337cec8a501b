/* command_kernel.c - `meshcast kernel`: runs one primitive alone and reports.
 *
 * The kernel makes its own input from a pattern and checks its result (primitives/kernel.h). A run
 * that fails a check is reported as far as it went, with its trace, and the status is 1; a run that
 * could not start or finish for another reason leaves neither report nor trace.
 *
 * The parameters of --param are rows of a table here: `method`, which the kernels list, and `load`.
 *
 * With `--trace -` standard output is the trace's, and the report goes to standard error.
 */
#include "cli/command.h"
#include "console/interruption.h"
#include "console/progress.h"
#include "console/report.h"
#include "console/run_options.h"
#include "library/output_file.h"
#include "library/run_files.h"
#include "workloads/permutation.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct kernel_command {
    const char *pattern, *trace;
    uint32_t side, tiles, k;
    struct run_options run;
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

static const struct option_row rows[] = {
    {.name = "side",
     .value = "M",
     .is_common = true,
     .help = "the mesh has M x M nodes; kernels run on squares",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct kernel_command, side),
     .least = 1,
     .most = 8192},
    {.name = "tiles",
     .value = "T",
     .is_common = true,
     .help = "cut the mesh into T tiles (a power of two), each with an input of its\n"
             "own, and run in all at once; the default is 1",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct kernel_command, tiles),
     .least = 1,
     .most = MESH_MAX_NODES},
    {.name = "pattern",
     .value = "P",
     .is_common = true,
     .help = "the permutation of each tile (see below); the default is random",
     .type = OPTION_TEXT,
     .offset = offsetof(struct kernel_command, pattern),
     .names = &pattern_names},
    {.name = "k",
     .value = "K",
     .is_common = true,
     .help = "packets, sums or instances per node; the default is 1",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct kernel_command, k),
     .least = 1,
     .most = UINT32_MAX - 1},
    {.name = "trace",
     .value = "FILE",
     .is_common = true,
     .help = "every event of the machine, for 'meshcast audit'; with '-' the report goes "
             "to\nstandard error",
     .type = OPTION_TEXT,
     .offset = offsetof(struct kernel_command, trace),
     .is_file = true},
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
    {"load", "load=PERCENT: about so many percent of the nodes hold packets; the default is 100",
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

/* ---- the run ---- */

static bool trace_is_output(const struct kernel_command *command)
{
    return command->trace != NULL && strcmp(command->trace, "-") == 0;
}

static enum failure_kind fill_options(const struct kernel_command *command,
                                      struct kernel_options *options, struct failure *failure)
{
    *options = kernel_options_default();
    if (report_form_check(command->run.form, trace_is_output(command) ? "--trace" : NULL,
                          "the trace", failure) != FAIL_NONE)
        return failure->kind;
    if (command->side == 0)
        return fail(failure, FAIL_USAGE, "missing --side M, the side of the mesh");
    options->mesh = (struct mesh){command->side, command->side};
    options->tiles = command->tiles == 0 ? options->tiles : command->tiles;
    options->k = command->k == 0 ? options->k : command->k;
    options->seed = command->run.seed;
    options->threads = command->run.threads;
    options->buffer = command->run.buffer;
    options->copy_is_free = run_copy_is_free(&command->run);
    enum failure_kind kind = find_pattern(command->pattern, &options->pattern, failure);
    for (uint32_t i = 0; kind == FAIL_NONE && i < command->run.parameters.count; i++)
        kind = set_parameter(options, &command->run.parameters.parameter[i], failure);
    return kind;
}

static enum failure_kind run_kernel(struct kernel_report *report, const char *trace_path,
                                    struct ranks *ranks, bool quiet)
{
    struct progress progress;
    struct output_file trace;
    struct failure *failure = &report->failure;
    /* of several ranks the first one writes it */
    if (output_file_open(&trace, ranks_rank(ranks) == 0 ? trace_path : NULL, &interruption_watch,
                         failure) != FAIL_NONE)
        return failure->kind;

    struct kernel_options options = report->options;
    options.trace = trace.file;
    options.ranks = ranks;
    options.progress = progress_update;
    options.progress_context = &progress;
    progress_begin(&progress, report->kernel->name, quiet);
    kernel_run(report->kernel, &options, &report->result, failure);
    progress_end(&progress);
    report_refused_threads(report->result.threads, report->result.threads_refused, quiet);

    /* The trace of a broken run shows where it broke; a failed trace outweighs a failed check. */
    struct failure unwritten = {0};
    bool keep = run_has_figures(failure);
    if (output_file_close(&trace, keep, &unwritten) != FAIL_NONE)
        *failure = unwritten;
    return failure->kind;
}

static enum failure_kind print_report(const struct kernel_command *command,
                                      const struct kernel_report *report, struct failure *failure)
{
    if (report_form_is_data(command->run.form))
        return report_print_data(command->run.form, report_kernel_json(report), NULL, failure);
    if (!trace_is_output(command))
        report_print_kernel(report, stdout);
    else if (!command->run.quiet)
        report_print_kernel(report, stderr);
    return FAIL_NONE;
}

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    const struct kernel_command *command = options;
    struct kernel_report report = {0};
    if (find_kernel(operands->count == 0 ? NULL : operands->operand[0], &report.kernel, failure) !=
            FAIL_NONE ||
        fill_options(command, &report.options, failure) != FAIL_NONE)
        return failure->kind;
    if (ranks_check_count(operands->ranks, command->side, "rows of the mesh", failure) != FAIL_NONE)
        return failure->kind;
    if (path_is_standard_output(command->trace))
        return fail(failure, FAIL_USAGE, "standard output goes to %s; name another file",
                    command->trace);
    run_kernel(&report, command->trace, operands->ranks, command->run.quiet);
    if (run_has_figures(&report.failure))
        print_report(command, &report, failure);
    if (failure->kind == FAIL_NONE)
        *failure = report.failure;
    return failure->kind;
}

/* ---- completion and help ---- */

/* Methods of the kernel that the line names, or of all if it names none. */
static void offer_parameters(const struct completion *completion)
{
    bool names_one = completion_gives(completion, &kernel_names, NULL);
    for (uint32_t i = 0; i < kernel_count(); i++) {
        const struct kernel_method *method = kernel_at(i)->methods;
        if (names_one && !completion_gives(completion, &kernel_names, kernel_at(i)->name))
            continue;
        for (; method->name != NULL; method++)
            completion_offer_value(completion, "method", method->name);
    }
    for (uint32_t i = 0; i < PARAMETERS_COUNT; i++)
        completion_offer_parameter(completion, PARAMETERS[i].name);
}

/* A method that is the default for some k says so; it is one for its least k if for any. */
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

const struct command command_kernel = {
    .name = "kernel",
    .summary = "run one primitive alone (sort, prefix, route, ...), check, report",
    .examples = "  meshcast kernel sort --side 256\n"
                "  meshcast kernel sort --side 256 --param method=shearsort\n"
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
