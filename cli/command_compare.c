/* command_compare.c - `meshcast compare`: several routers on one set, a row each.
 *
 * The rows come in the order in which the routers were named, each as soon as its run is over. A
 * router that refuses its options (a buffer that is too small, a value that it does not take)
 * gets a row that says why, and the others go on. The status is 1 if a router failed a check, 2 if
 * all of them refused; where the system fails (4) the comparison ends.
 */
#include "cli/command.h"
#include "cli/compare_best.h"
#include "cli/compare_plot.h"
#include "cli/compare_routers.h"
#include "cli/compare_title.h"
#include "console/progress.h"
#include "library/plot_file.h"
#include "library/report.h"
#include "library/report_parts.h"
#include "library/report_use.h"
#include "library/run_options.h"
#include "library/runner.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct compare_options {
    struct compared_routers routers;
    const char *plot;
    bool best;
    struct use_options use;
    struct run_options run;
};

/* Of the object of --json. Form 1, before 0.1, was the array of rows alone. */
enum { COMPARE_FORMAT = 2 };

/* What the rows so far have come to. */
struct comparison {
    const struct compare_options *options;
    const struct instance *instance;
    uint64_t limit; /* bytes that the set and a run may take */
    json_t *array;  /* of the rows, for --json, --csv and the numbers of --plot; else NULL */
    uint32_t ran;
    struct failure refusal, check; /* the first of each */
    struct compare_bar bar[COMPARE_MOST];
    uint32_t bars;
    struct use_table use[COMPARE_MOST]; /* with --tables, of the runs that have figures */
    uint32_t uses;
    struct compared_routers rows; /* those that take part */
    int width;                    /* of the longest label */
};

static const struct meshcast_option rows[] = {
    {.name = "routers",
     .value = "A,B,...",
     .is_common = true,
     .help =
         "which routers, in this order; the default is all of them, or all that can\n"
         "do what other options ask for. trees:tree=vh:slots=1 is one with parameters of its own,\n"
         "./FILE.so a plugin",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct compare_options, routers),
     .accept = accept_compared_routers,
     .names = &router_names,
     .is_list = true},
    {.name = "router",
     .value = "A,B,...",
     .help = "the same",
     .type = MESHCAST_OPTION_OTHER,
     .offset = offsetof(struct compare_options, routers),
     .accept = accept_compared_routers,
     .names = &router_names,
     .is_list = true},
    {.name = "best",
     .is_common = true,
     .help = "the fastest router for each buffer capacity: from 1 packet up, instead of a row a\n"
             "router",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct compare_options, best)},
    {.name = "tables",
     .help = "for each router how many entries routing tables need, were the run's trees\n"
             "static, and how many colours messages need",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct compare_options, use.tables)},
    {.name = "table-limit",
     .value = "N",
     .help = "with --tables: how many nodes need more entries than N",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct compare_options, use.table_limit),
     .least = 1,
     .most = UINT32_MAX},
    {.name = "plot",
     .value = "FILE",
     .is_common = true,
     .help = "a picture of steps and packets: a bar per router, or with --best steps against\nthe "
             "buffer (.png, .svg, .pdf), or the rows of --csv (.csv)",
     .type = MESHCAST_OPTION_TEXT,
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

static void run_router(struct run_report *report, const struct compared_router *row,
                       const struct machine_observer *observer)
{
    struct progress progress;
    struct router_options options = compared_router_options(row, report->options);
    options.observer = observer;
    options.progress = progress_update;
    options.progress_context = &progress;
    progress_begin(&progress, row->label, report->options->quiet);
    router_run(report->router, &report->instance->set, &options, &report->result, &report->failure);
    progress_end(&progress);
    report_refused_threads(report->result.threads, report->result.threads_refused,
                           report->options->quiet);
}

/* `use` is NULL without --tables. */
static enum failure_kind add_row(struct comparison *comparison, const struct run_report *report,
                                 const char *label, const struct use_report *use,
                                 struct failure *failure)
{
    if (!report_form_is_data(comparison->options->run.form)) {
        report_print_compare_row(report, label, comparison->width, stdout);
        fflush(stdout);
    }
    if (comparison->array == NULL)
        return FAIL_NONE;
    json_t *json = report_route_json(report);
    if (json == NULL || (use != NULL && !use_report_add(use, json)) ||
        json_array_append(comparison->array, json) != 0)
        fail_memory(failure, "the JSON result");
    json_decref(json);
    return failure->kind;
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
    const struct compare_options *options = comparison->options;
    struct tree_use use = {.keys = 0};
    struct use_report found, *tables = NULL;
    if (options->use.tables && tree_use_make(&use, comparison->instance->set.mesh,
                                             comparison->limit, failure) != FAIL_NONE)
        return failure->kind;
    run_router(&report, row, options->use.tables ? &use.observer : NULL);
    if (options->use.tables && run_has_figures(&report.failure) &&
        use_report_make(&found, &options->use, &use, failure) == FAIL_NONE) {
        tables = &found;
        comparison->use[comparison->uses++] = (struct use_table){label, found.tables};
    }
    tree_use_free(&use);
    if (failure->kind != FAIL_NONE)
        return failure->kind;
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
    return add_row(comparison, &report, label, tables, failure);
}

static unsigned absence_of(const struct comparison *comparison, const struct router *router)
{
    struct router_options common = run_options_for_router(&comparison->options->run);
    return runner_absence(router, comparison->instance->most_sent, &common);
}

static void print_absent(const struct comparison *comparison, const char *reason,
                         enum runner_absence absence)
{
    uint32_t absent = 0;
    for (uint32_t i = 0; i < router_count() && comparison->options->routers.count == 0; i++)
        if (absence_of(comparison, router_at(i)) & absence)
            printf("%s%s", absent++ == 0 ? reason : ", ", router_at(i)->name);
    if (absent > 0)
        putchar('\n');
}

/* Under which options the table was made, and who is not in it. */
static void print_conditions(const struct comparison *comparison)
{
    char text[240];
    if (*compare_changes_text(&comparison->options->run, text, sizeof text) != '\0')
        printf("with %s\n", text);
    print_absent(comparison, "left out, as they need to know c: ", RUNNER_NEEDS_CONGESTION);
    print_absent(comparison, "left out, as they do not reduce: ", RUNNER_CANNOT_REDUCE);
    print_absent(comparison, "left out, as they take one message per node: ", RUNNER_TAKES_ONE);
}

/* The routers that are to be compared: those that were asked for, or all that can take part. */
static void choose_routers(struct comparison *comparison)
{
    struct compared_routers list = comparison->options->routers;
    if (list.count == 0)
        compare_all_routers(&list, comparison->options->best);
    for (uint32_t i = 0; i < list.count; i++) {
        int length = (int)strlen(list.row[i].label);
        if (comparison->options->routers.count == 0 &&
            absence_of(comparison, list.row[i].router) != 0)
            continue;
        comparison->rows.row[comparison->rows.count++] = list.row[i];
        comparison->width = length > comparison->width ? length : comparison->width;
    }
}

/* Before any runs: half a table is of no use. */
static enum failure_kind check_memory(const struct comparison *comparison, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t i = 0; i < comparison->rows.count && kind == FAIL_NONE; i++) {
        const struct compared_router *row = &comparison->rows.row[i];
        struct router_options options = compared_router_options(row, &comparison->options->run);
        kind =
            run_check_memory(row->router, comparison->instance, &options, &(struct run_outputs){0},
                             (struct memory_need){.limit = comparison->limit}, failure);
    }
    return kind;
}

static json_t *parameters_json(const struct parameter_list *list)
{
    struct report_object object = report_object_open();
    for (uint32_t i = 0; i < list->count; i++)
        report_set(&object, list->parameter[i].name, report_json_text(list->parameter[i].value));
    return report_object_close(&object);
}

/* The object of `compare --json`: what was asked of all routers, and a row per router. */
static json_t *comparison_json(struct comparison *comparison)
{
    const struct run_options *run = &comparison->options->run;
    struct report_object object = report_object_open(), options = report_object_open();
    report_set(&options, "copy", json_string(run_copy_name(run)));
    report_set(&options, "buffer", run->buffer > 0 ? json_integer(run->buffer) : json_null());
    report_set_seed(&options, run->seed);
    report_set(&options, "unknown_congestion", json_boolean(run->congestion_is_unknown));
    report_set(&options, "parameters", parameters_json(&run->parameters));
    report_set(&object, "meshcast", json_string(MESHCAST_VERSION));
    report_set_count(&object, "format", COMPARE_FORMAT);
    report_set(&object, "set", report_json_text(comparison->instance->name));
    report_set_instance(&object, comparison->instance);
    report_set_count(&object, "lower_bound",
                     instance_lower_bound(comparison->instance, run_copy_is_free(run)));
    report_set(&object, "options", report_object_close(&options));
    report_set(&object, "runs", json_incref(comparison->array));
    return report_object_close(&object);
}

static enum failure_kind print_comparison(struct comparison *comparison, struct failure *failure)
{
    bool is_data = report_form_is_data(comparison->options->run.form);
    if (is_data || plot_file_is_csv(comparison->options->plot)) {
        comparison->array = json_array();
        if (comparison->array == NULL)
            return fail_memory(failure, "the JSON result");
    }
    if (!is_data) {
        report_print_instance(comparison->instance, run_copy_is_free(&comparison->options->run),
                              stdout);
        print_conditions(comparison);
        fputc('\n', stdout);
        report_print_compare_head(comparison->instance, comparison->width, stdout);
    }
    for (uint32_t i = 0; i < comparison->rows.count; i++)
        if (compare_router(comparison, &comparison->rows.row[i], failure) != FAIL_NONE)
            return failure->kind;
    if (is_data)
        return report_print_data(comparison->options->run.form, comparison_json(comparison), "runs",
                                 failure);
    if (comparison->uses > 0)
        use_tables_print(comparison->use, comparison->uses, &comparison->options->use,
                         comparison->instance->set.mesh, stdout);
    report_print_compare_legend(comparison->instance, &comparison->options->run, stdout);
    return FAIL_NONE;
}

static void fill_chart(const void *context, struct chart *chart)
{
    char title[COMPARE_TITLE_SIZE];
    const struct comparison *comparison = context;
    compare_title_text(comparison->instance, &comparison->options->run, title);
    compare_fill_chart(&(struct compare_plot){title, comparison->bar, comparison->bars}, chart);
}

static json_t *rows_of(const void *context)
{
    const struct comparison *comparison = context;
    return json_incref(comparison->array);
}

/* Which router is the fastest with each buffer. */
static enum failure_kind find_best(struct comparison *comparison, struct failure *failure)
{
    char title[COMPARE_TITLE_SIZE];
    const struct compare_options *options = comparison->options;
    struct compare_best best = {.instance = comparison->instance,
                                .options = &options->run,
                                .title =
                                    compare_title_text(comparison->instance, &options->run, title),
                                .plot = options->plot,
                                .limit = comparison->limit,
                                .rows = &comparison->rows};
    return compare_best_run(&best, failure);
}

/* A row per router. */
static enum failure_kind compare_all(struct comparison *comparison, struct failure *failure)
{
    struct plot_file plot = {comparison->options->plot, fill_chart, rows_of, comparison};
    if (check_memory(comparison, failure) == FAIL_NONE &&
        print_comparison(comparison, failure) == FAIL_NONE)
        plot_file_write(&plot, failure);
    json_decref(comparison->array);
    if (failure->kind == FAIL_NONE)
        *failure = comparison->check;
    if (failure->kind == FAIL_NONE && comparison->ran == 0)
        *failure = comparison->refusal;
    return failure->kind;
}

/* Says before the runs what of the picture's file can be said. */
static enum failure_kind check_plot(const struct compare_options *options, const char *set,
                                    struct failure *failure)
{
    if (options->plot == NULL || plot_file_check(options->plot, failure) != FAIL_NONE)
        return failure->kind;
    if (run_options_read(&options->run, options->plot))
        return fail(failure, FAIL_USAGE, "the plot would overwrite a file that a parameter names");
    return plot_file_try(options->plot, set, failure);
}

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    struct instance instance;
    const struct compare_options *compare = options;
    struct comparison comparison = {
        .options = options,
        .instance = &instance,
        .limit = available_memory_limit(compare->run.force),
    };
    if (report_form_check(compare->run.form, NULL, NULL, failure) != FAIL_NONE)
        return failure->kind;
    if (compare->use.table_limit > 0 && !compare->use.tables)
        return fail(failure, FAIL_USAGE, "--table-limit goes with --tables");
    if (compare->best && compare->use.tables)
        return fail(failure, FAIL_USAGE, "--tables is for rows of routers, without --best");
    if (compare->best && compare->run.buffer > 0)
        return fail(failure, FAIL_USAGE, "--best runs every buffer; leave --buffer out");
    if (compare->run.reduces && (compare->best || compare->use.tables))
        return fail(failure, FAIL_USAGE,
                    "--best and --tables are for multicasts, without --reduce");
    if (check_parameters(options, failure) != FAIL_NONE ||
        check_plot(compare, operands->operand[0], failure) != FAIL_NONE ||
        instance_read(&instance, operands->operand[0], NULL, comparison.limit, failure) !=
            FAIL_NONE)
        return failure->kind;

    report_cut_set(&instance.set, operands->operand[0]);
    choose_routers(&comparison);
    if (instance_bound(&instance, BOUNDS_LARGEST, comparison.limit, failure) == FAIL_NONE) {
        if (compare->best)
            find_best(&comparison, failure);
        else
            compare_all(&comparison, failure);
    }
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
                "  meshcast compare west.mcast --best --plot buffers.svg\n"
                "  meshcast compare west.mcast --json\n",
    .synopsis = "SET [--routers A,B,...] [options]",
    .operands = "SET, the message set to route ('-' is standard input)",
    .least = 1,
    .most = 1,
    .options_size = sizeof(struct compare_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0},
                {run_congestion_row, 1, offsetof(struct compare_options, run)},
                {run_reduce_row, 1, offsetof(struct compare_options, run)},
                {run_option_row, RUN_OPTION_ROWS, offsetof(struct compare_options, run)}},
    .offer_parameters = completion_offer_router_parameters,
    .topics = "'meshcast help routers'",
    .run = run,
};
