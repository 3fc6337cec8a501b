/* command_compare.c - `meshcast compare`: several routers on one set, a row each.
 *
 * The rows come in the order in which the routers were named, each as soon as its run is over. A
 * router that refuses its options (a buffer that is too small, a value that it does not take)
 * gets a row that says why, and the others go on. The status is 1 if a router failed a check, 2 if
 * all of them refused; where the system fails (4) the comparison ends.
 */
#include "cli/command.h"
#include "cli/compare_plot.h"
#include "cli/compare_routers.h"
#include "console/plot_file.h"
#include "console/progress.h"
#include "console/report.h"
#include "console/run_options.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct compare_options {
    struct compared_routers routers;
    const char *plot;
    struct run_options run;
};

/* What the rows so far have come to. */
struct comparison {
    const struct compare_options *options;
    const struct instance *instance;
    const struct compared_routers *rows;
    int width;      /* of the longest label */
    uint64_t limit; /* bytes that the set and a run may take */
    json_t *array;  /* NULL: a table is printed */
    uint32_t ran;
    struct failure refusal, check; /* the first of each */
    struct compare_bar bar[COMPARE_MOST];
    uint32_t bars;
};

static const struct option_row rows[] = {
    {.name = "routers",
     .value = "A,B,...",
     .help = "which routers, in this order; the default is all of them, or all that can\n"
             "guess the congestion. trees:tree=vh:slots=1 is one with parameters of its own",
     .type = OPTION_ACCEPT,
     .offset = offsetof(struct compare_options, routers),
     .accept = accept_compared_routers,
     .names = &router_names,
     .is_list = true},
    {.name = "router",
     .value = "A,B,...",
     .help = "the same",
     .type = OPTION_ACCEPT,
     .offset = offsetof(struct compare_options, routers),
     .accept = accept_compared_routers,
     .names = &router_names,
     .is_list = true},
    {.name = "plot",
     .value = "FILE",
     .help = "a bar a router, of steps and of packets: a picture (.png, .svg, .pdf) or\n"
             "its numbers (.csv)",
     .type = OPTION_TEXT,
     .offset = offsetof(struct compare_options, plot),
     .is_file = true},
};

static enum failure_kind check_parameters(const struct compare_options *options,
                                          struct failure *failure)
{
    const struct compared_routers *list = &options->routers;
    const struct router *router[COMPARE_MOST];
    struct router_options given = run_options_for_router(&options->run);
    for (uint32_t i = 0; i < list->count; i++)
        router[i] = list->row[i].router;
    for (uint32_t i = 0; i < given.parameters && failure->kind == FAIL_NONE; i++)
        run_check_parameter(router, list->count, given.parameter[i].name, failure);
    return failure->kind;
}

static void run_router(struct run_report *report, const struct compared_router *row)
{
    struct progress progress;
    struct router_options options = compared_router_options(row, report->options);
    options.progress = progress_update;
    options.progress_context = &progress;
    progress_begin(&progress, row->label, report->options->quiet);
    router_run(report->router, &report->instance->set, &options, &report->result, &report->failure);
    progress_end(&progress);
    report_refused_threads(report->result.threads, report->result.threads_refused,
                           report->options->quiet);
}

static enum failure_kind add_row(struct comparison *comparison, const struct run_report *report,
                                 const char *label, struct failure *failure)
{
    if (comparison->array == NULL) {
        report_print_compare_row(report, label, comparison->width, stdout);
        fflush(stdout);
        return FAIL_NONE;
    }
    if (json_array_append_new(comparison->array, report_route_json(report)) != 0)
        return fail_memory(failure, "the JSON result");
    return FAIL_NONE;
}

/* Keeps of a run what the picture shows. */
static void add_bar(struct comparison *comparison, const struct run_report *report,
                    const char *label)
{
    const struct router_result *result = &report->result;
    enum failure_kind kind = report->failure.kind;
    if (comparison->bars == COMPARE_MOST)
        return;
    struct compare_bar *bar = &comparison->bar[comparison->bars++];
    *bar = (struct compare_bar){.router = label, .outcome = "refuses"};
    if (kind == FAIL_USAGE)
        return;
    bar->outcome = kind == FAIL_CHECK ? "fails" : "delivers";
    bar->steps = result->steps;
    bar->sync_steps = result->sync_steps;
    bar->buffer_peak = result->buffer_peak;
}

static enum failure_kind compare_router(struct comparison *comparison,
                                        const struct compared_router *row, struct failure *failure)
{
    struct run_report report = {.instance = comparison->instance,
                                .options = &comparison->options->run,
                                .router = row->router};
    const char *label = row->label;
    run_router(&report, row);
    if (report.failure.kind == FAIL_SYSTEM || report.failure.kind == FAIL_INPUT)
        return fail(failure, report.failure.kind, "%s: %.400s", label, report.failure.text);
    if (report.failure.kind == FAIL_CHECK)
        fail(&comparison->check, FAIL_CHECK, "%s: %.400s", label, report.failure.text);
    if (report.failure.kind == FAIL_USAGE)
        fail(&comparison->refusal, FAIL_USAGE, "no router runs with these options; %s: %.400s",
             label, report.failure.text);
    else
        comparison->ran++;
    add_bar(comparison, &report, label);
    return add_row(comparison, &report, label, failure);
}

/* Whether the router has a row: one that was not asked for and needs c has none where c is unknown. */
static bool takes_part(const struct comparison *comparison, const struct router *router)
{
    const struct compare_options *options = comparison->options;
    return options->routers.count > 0 || !options->run.congestion_is_unknown ||
           router_guesses_congestion(router);
}

/* What of the options is not as by default and changes what a run does: "c unknown, buffer 40, seed 5,
 * variant=direct", or "". Cut to fit. */
static const char *changes_text(const struct run_options *options, char *text, size_t size)
{
    size_t used = 0;
    const struct parameter_list *list = &options->parameters;
    char item[2][32] = {"", ""};
    if (options->buffer > 0)
        snprintf(item[0], sizeof item[0], "buffer %" PRIu32, options->buffer);
    if (options->seed != 0)
        snprintf(item[1], sizeof item[1], "seed %" PRIu64, options->seed);
    const char *const items[] = {options->congestion_is_unknown ? "c unknown" : "", item[0],
                                 item[1]};
    *text = '\0';
    for (size_t i = 0; i < 3 && used < size; i++)
        if (*items[i] != '\0')
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", items[i]);
    for (uint32_t i = 0; i < list->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%.40s=%.40s", used > 0 ? ", " : "",
                                 list->parameter[i].name, list->parameter[i].value);
    return text;
}

/* Under which options the table was made, and who is not in it. */
static void print_conditions(const struct comparison *comparison)
{
    char text[240];
    uint32_t absent = 0;
    if (*changes_text(&comparison->options->run, text, sizeof text) != '\0')
        printf("with %s\n", text);
    for (uint32_t i = 0; i < router_count(); i++)
        if (!takes_part(comparison, router_at(i))) {
            printf("%s%s", absent == 0 ? "left out, as they need to know c: " : ", ",
                   router_at(i)->name);
            absent++;
        }
    if (absent > 0)
        putchar('\n');
}

/* Calls `act` for all routers that are to be compared. */
static enum failure_kind for_routers(struct comparison *comparison,
                                     enum failure_kind (*act)(struct comparison *comparison,
                                                              const struct compared_router *row,
                                                              struct failure *failure),
                                     struct failure *failure)
{
    const struct compared_routers *list = comparison->rows;
    for (uint32_t i = 0; i < list->count; i++)
        if (takes_part(comparison, list->row[i].router) &&
            act(comparison, &list->row[i], failure) != FAIL_NONE)
            return failure->kind;
    return FAIL_NONE;
}

/* Before any runs: half a table is of no use. */
static enum failure_kind check_memory(struct comparison *comparison,
                                      const struct compared_router *row, struct failure *failure)
{
    const struct run_options *run = &comparison->options->run;
    struct router_options options = compared_router_options(row, run);
    struct memory_need need = {.limit = comparison->limit};
    return run_check_memory(row->router, comparison->instance, &options, &(struct run_outputs){0},
                            need, failure);
}

static enum failure_kind print_comparison(struct comparison *comparison, struct failure *failure)
{
    if (comparison->options->run.json) {
        comparison->array = json_array();
        if (comparison->array == NULL)
            return fail_memory(failure, "the JSON result");
    } else {
        report_print_instance(comparison->instance, run_copy_is_free(&comparison->options->run),
                              stdout);
        print_conditions(comparison);
        fputc('\n', stdout);
        report_print_compare_head(comparison->width, stdout);
    }
    if (for_routers(comparison, compare_router, failure) != FAIL_NONE) {
        json_decref(comparison->array);
        return failure->kind;
    }
    if (comparison->array != NULL)
        return report_print_json(comparison->array, stdout, failure);
    report_print_compare_legend(&comparison->options->run, stdout);
    return FAIL_NONE;
}

static void write_script(const void *context, enum plot_format format, FILE *script)
{
    char title[320], changes[160];
    const struct comparison *comparison = context;
    const struct instance *instance = comparison->instance;
    const char *slash = strrchr(instance->name, '/');
    changes_text(&comparison->options->run, changes, sizeof changes);
    snprintf(title, sizeof title, "%.40s: %u x %u nodes, c = %u, copies %s%s%s",
             slash != NULL ? slash + 1 : instance->name, instance->set.mesh.rows,
             instance->set.mesh.cols, instance->congestion,
             run_copy_is_free(&comparison->options->run) ? "are free" : "cost a step",
             *changes == '\0' ? "" : ", ", changes);
    compare_write_script(&(struct compare_plot){title, comparison->bar, comparison->bars}, format,
                         script);
}

static void write_csv(const void *context, FILE *out)
{
    const struct comparison *comparison = context;
    compare_write_csv(&(struct compare_plot){"", comparison->bar, comparison->bars}, out);
}

/* Says before the runs what of the picture's file can be said. */
static enum failure_kind check_plot(const struct compare_options *options, const char *set,
                                    struct failure *failure)
{
    if (options->plot == NULL || plot_file_check(options->plot, failure) != FAIL_NONE)
        return failure->kind;
    return plot_file_try(options->plot, set, failure);
}

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    struct instance instance;
    const struct compare_options *compare = options;
    struct compared_routers all = compare->routers;
    struct comparison comparison = {
        .options = options,
        .instance = &instance,
        .rows = &all,
        .limit = available_memory_limit(compare->run.force),
    };
    struct plot_file plot = {compare->plot, write_script, write_csv, &comparison};
    if (all.count == 0)
        compare_all_routers(&all);
    for (uint32_t i = 0; i < all.count; i++) {
        int length = (int)strlen(all.row[i].label);
        comparison.width = length > comparison.width ? length : comparison.width;
    }
    if (check_parameters(options, failure) != FAIL_NONE ||
        check_plot(compare, operands->operand[0], failure) != FAIL_NONE ||
        instance_read(&instance, operands->operand[0], comparison.limit, failure) != FAIL_NONE)
        return failure->kind;

    report_cut_set(&instance.set, operands->operand[0]);
    if (for_routers(&comparison, check_memory, failure) == FAIL_NONE &&
        print_comparison(&comparison, failure) == FAIL_NONE)
        plot_file_write(&plot, failure);
    if (failure->kind == FAIL_NONE)
        *failure = comparison.check;
    if (failure->kind == FAIL_NONE && comparison.ran == 0)
        *failure = comparison.refusal;
    instance_free(&instance);
    return failure->kind;
}

const struct command command_compare = {
    .name = "compare",
    .summary = "run several routers on one message set, a row each",
    .examples = "  meshcast compare west.mcast\n"
                "  meshcast compare west.mcast --routers replicate,trees --copy free\n"
                "  meshcast compare west.mcast --routers trees,trees:tree=vh,trees:tree=dds\n"
                "  meshcast compare west.mcast --plot west.svg\n"
                "  meshcast compare west.mcast --json\n",
    .synopsis = "SET [--routers A,B,...] [options]",
    .operands = "SET, the message set to route ('-' is standard input)",
    .least = 1,
    .most = 1,
    .options_size = sizeof(struct compare_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0},
                {run_congestion_row, 1, offsetof(struct compare_options, run)},
                {run_option_row, RUN_OPTION_ROWS, offsetof(struct compare_options, run)}},
    .offer_parameters = completion_offer_router_parameters,
    .print_more = run_print_routers,
    .run = run,
};
