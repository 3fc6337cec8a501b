/* command_expander.c - `meshcast expander`: makes graphs, and brackets what they expand.
 *
 * The first operand is the subcommand, a row of a table: `make` writes a graph file, `check` prints the
 * bracket of a file, or of a graph that the options describe. Several values of --c check the
 * family that one permutation represents. Options that a subcommand does not use are refused.
 *
 * A graph whose groups differ in degree by more than one is no expander of Definition 1, and one
 * in which a set was found that expands by less than --lambda is not as wanted: status 1, after
 * the report.
 */
#include "base/output_file.h"
#include "base/parallel.h"
#include "base/stopwatch.h"
#include "cli/command.h"
#include "cli/expander_options.h"
#include "cli/report_expander.h"
#include "console/interruption.h"
#include "console/progress.h"
#include "library/available_memory.h"
#include "library/report.h"
#include "library/run_options.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void describe(const struct expander_options *options, const struct expander *graph,
                     char *text, size_t size)
{
    int used = snprintf(text, size,
                        "meshcast expander make --inputs %" PRIu32 " --c %" PRIu32 " --r %" PRIu32,
                        graph->inputs, graph->groups, graph->degree);
    if (graph->kind == EXPANDER_REED_SOLOMON)
        snprintf(text + used, size - (size_t)used, " --graph rs --q %" PRIu32 " --k %" PRIu32,
                 graph->field.q, graph->dimension);
    else
        snprintf(text + used, size - (size_t)used, " --seed %" PRIu64,
                 options->seed.given ? options->seed.value : (uint64_t)EXPANDER_DEFAULT_SEED);
}

/* Of the graph that the options describe. */
static uint64_t graph_bytes(const struct expander_options *options)
{
    return (uint64_t)options->inputs * options->degree * sizeof(uint32_t);
}

/* Before a graph is made, and before it is checked. */
static enum failure_kind check_memory(const struct expander_options *options, const char *what,
                                      uint64_t bytes, struct failure *failure)
{
    struct memory_need need = {
        .what = what, .bytes = bytes, .limit = available_memory_limit(options->force)};
    return memory_need_check(&need, failure);
}

static enum failure_kind make_graph(const struct expander_options *options, struct expander *graph,
                                    struct failure *failure)
{
    if (check_memory(options, "the graph", graph_bytes(options), failure) != FAIL_NONE)
        return failure->kind;
    return expander_options_make(options, graph, failure);
}

/* ---- make ---- */

/* The first option that make has no use for; NULL: there is none. */
static const char *option_of_check(const struct expander_options *options)
{
    return options->form.json           ? "json"
           : options->form.csv          ? "csv"
           : options->lambda.value != 0 ? "lambda"
           : options->threads != 0      ? "threads"
                                        : NULL;
}

static enum failure_kind make(const struct expander_options *options, const char *path,
                              struct failure *failure)
{
    char comment[200];
    struct expander graph;
    struct output_file file;
    if (path != NULL)
        return fail(failure, FAIL_USAGE, "unexpected '%.80s'; make writes to -o FILE", path);
    const char *foreign = option_of_check(options);
    if (foreign != NULL)
        return fail(failure, FAIL_USAGE, "--%s is for check; make writes a graph", foreign);
    if (options->groups.count > 1)
        return fail(failure, FAIL_USAGE, "make takes one --c; the permutation is that of every c");
    if (make_graph(options, &graph, failure) != FAIL_NONE)
        return failure->kind;
    const char *output = options->output == NULL ? "-" : options->output;
    if (output_file_open(&file, output, failure) == FAIL_NONE) {
        describe(options, &graph, comment, sizeof comment);
        expander_write(&graph, comment, file.file); /* the close tells what went wrong */
        output_file_close(&file, true, failure);
    }
    expander_free(&graph);
    return failure->kind;
}

/* ---- check ---- */

static enum failure_kind check_size(const struct expander_options *options,
                                    const struct bracket *bracket, struct failure *failure)
{
    if (!bracket_is_regular(bracket))
        return fail(failure, FAIL_CHECK,
                    "no expander of Definition 1: with c = %" PRIu32 " a group has %" PRIu32
                    " edges and another %" PRIu32,
                    bracket->groups, bracket->least_load, bracket->most_load);
    if (bracket->upper >= options->lambda.value)
        return FAIL_NONE;
    char set[REPORT_SET_SIZE];
    return fail(failure, FAIL_CHECK,
                "--lambda %g is more than c = %" PRIu32 " has: lambda is at most %.4f, by %s",
                options->lambda.value, bracket->groups, report_expander_up(bracket->upper),
                report_expander_set(bracket, set));
}

/* A second failure would be ignored: the first size that is wrong is told, after the report. */
static enum failure_kind report_all(const struct expander_options *options,
                                    const struct expander_report *report, struct failure *failure)
{
    if (report_form_is_data(options->form)) {
        if (report_print_data(options->form, report_expander_json(report), "brackets", failure) !=
            FAIL_NONE)
            return failure->kind;
    } else {
        report_print_expander(report, stdout);
    }
    for (uint32_t i = 0; i < report->sizes && failure->kind == FAIL_NONE; i++)
        check_size(options, &report->bracket[i], failure);
    return failure->kind;
}

struct check_progress {
    struct progress_line line;
    uint32_t groups;
};

static void tell(void *context, const char *what, double share)
{
    struct check_progress *progress = context;
    char text[128];
    if (!progress_line_is_due(&progress->line))
        return;
    snprintf(text, sizeof text,
             "expander check: c = %" PRIu32 ": %s, at least %.0f %% done, %.0f s", progress->groups,
             what, floor(100 * share), progress_line_seconds(&progress->line));
    progress_line_show(&progress->line, text);
}

static enum failure_kind check_graph(const struct expander_options *options, const char *name,
                                     struct expander *graph, struct failure *failure)
{
    struct expander_report report = {.name = name, .graph = graph};
    struct size_list sizes = options->groups;
    struct check_progress progress = {.line = progress_line_begin(options->quiet)};
    const struct effort effort = {tell, &progress, NULL};
    uint32_t wanted = parallel_threads_for(UINT32_MAX, UINT32_MAX, options->threads);
    uint32_t threads = parallel_begin(wanted);
    if (sizes.count == 0)
        sizes = (struct size_list){1, {graph->groups}};
    for (uint32_t i = 0; i < sizes.count && failure->kind == FAIL_NONE; i++) {
        uint64_t bytes = bracket_footprint(graph->inputs, sizes.value[i], graph->degree);
        if (check_memory(options, "the check of the graph", bytes, failure) != FAIL_NONE)
            break;
        double start = stopwatch_seconds();
        progress.groups = sizes.value[i];
        if (expander_set_groups(graph, sizes.value[i], failure) == FAIL_NONE &&
            bracket_make(&report.bracket[i], graph, threads, &effort, failure) == FAIL_NONE)
            report.seconds[report.sizes++] = stopwatch_seconds() - start;
    }
    progress_line_clear(&progress.line);
    if (failure->kind == FAIL_NONE)
        report_all(options, &report, failure);
    for (uint32_t i = 0; i < report.sizes; i++)
        bracket_free(&report.bracket[i]);
    report_refused_threads(threads, wanted - threads, options->quiet);
    return failure->kind;
}

static enum failure_kind check(const struct expander_options *options, const char *path,
                               struct failure *failure)
{
    char name[200];
    struct expander graph;
    if (report_form_check(options->form, NULL, NULL, failure) != FAIL_NONE)
        return failure->kind;
    if (options->output != NULL)
        return fail(failure, FAIL_USAGE, "-o is for make; check prints");
    if (path == NULL && options->inputs == 0 && options->degree == 0)
        return fail(failure, FAIL_USAGE, "missing a graph file, or --inputs P --c C --r R");
    if (path != NULL && (options->inputs != 0 || options->degree != 0))
        return fail(failure, FAIL_USAGE,
                    "%.200s has its own inputs and r: leave --inputs and --r out", path);
    if (path != NULL &&
        (options->graph.given || options->q != 0 || options->k != 0 || options->seed.given))
        return fail(failure, FAIL_USAGE,
                    "%.200s is a graph already: leave --graph, --q, --k and --seed out", path);
    enum failure_kind kind =
        path != NULL
            ? expander_read_within(&graph, path, available_memory_limit(options->force), failure)
            : make_graph(options, &graph, failure);
    if (kind != FAIL_NONE)
        return kind;
    describe(options, &graph, name, sizeof name);
    if (path != NULL)
        snprintf(name, sizeof name, "%.190s", strcmp(path, "-") == 0 ? "standard input" : path);
    check_graph(options, path != NULL ? name : name + strlen("meshcast expander make "), &graph,
                failure);
    expander_free(&graph);
    return failure->kind;
}

/* ---- subcommands ---- */

static const struct subcommand {
    const char *name;
    enum failure_kind (*run)(const struct expander_options *options, const char *path,
                             struct failure *failure);
} SUBCOMMANDS[] = {{"make", make}, {"check", check}};

enum { SUBCOMMANDS_COUNT = sizeof SUBCOMMANDS / sizeof *SUBCOMMANDS };

static const char *subcommand_name_at(const void *context, uint32_t index)
{
    (void)context;
    return index < SUBCOMMANDS_COUNT ? SUBCOMMANDS[index].name : NULL;
}

static const struct name_family subcommand_names = {"subcommand", "subcommands", "",
                                                    subcommand_name_at, NULL};

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    const char *path = operands->count > 1 ? operands->operand[1] : NULL;
    uint32_t subcommand;
    if (name_family_find(&subcommand_names, operands->operand[0], &subcommand, failure) !=
        FAIL_NONE)
        return failure->kind;
    return SUBCOMMANDS[subcommand].run(options, path, failure);
}

const struct command command_expander = {
    .name = "expander",
    .summary = "make an expander graph, or bracket the expansion of one",
    .examples = "  meshcast expander make --inputs 256 --c 16 --r 4 --graph rs -o rs.expander\n"
                "  meshcast expander check rs.expander\n"
                "  meshcast gen --side 32 --pattern adversary --congestion 16 \\\n"
                "      --against rs.expander -o against.mcast\n"
                "  meshcast route against.mcast --router expander --param graph=rs.expander\n"
                "  meshcast compare against.mcast --param graph=rs.expander\n\n"
                "  meshcast expander make --inputs 256 --c 16 --r 4 -o random.expander\n"
                "  meshcast expander check random.expander --c 16,32\n"
                "  meshcast expander check --inputs 1024 --c 32 --r 4 --seed 7 --json\n\n"
                "Which graph router expander can use: 'meshcast help router expander'.\n",
    .synopsis = "make --inputs P --c C --r R [--graph random|rs] [--q Q --k K]\n"
                "                [--seed S] [-o FILE]\n"
                "       meshcast expander check FILE [--c C1,C2,...] [--lambda L] [--json|--csv]\n"
                "       meshcast expander check --inputs P --c C1,C2,... --r R [options of make]",
    .operands = "make, or check and a graph file",
    .least = 1,
    .most = 2,
    .operand_names = &subcommand_names,
    .options_size = sizeof(struct expander_options),
    .options = {{expander_option_row, EXPANDER_OPTION_ROWS, 0}},
    .run = run,
};
