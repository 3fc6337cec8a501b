/* command_stress.c - `meshcast stress`: the least buffer with which a router still delivers.
 *
 * The search: search/stress.c. Every run checks every delivery, as `route` does. The picture:
 * library/plot_file.c.
 *
 * Status: 0 when a capacity was found; 1 if none delivers, or a run fails in another way than by its
 * buffer; 2 where the router refuses the options without a capacity too.
 */
#include "base/stopwatch.h"
#include "cli/command.h"
#include "cli/report_stress.h"
#include "cli/stress_plot.h"
#include "cli/stress_router.h"
#include "console/progress.h"
#include "library/plot_file.h"
#include "library/report.h"
#include "library/run_options.h"

#include <stddef.h>

struct stress_options {
    const char *router, *plot;
    uint32_t points;
    bool is_exhaustive;
    struct run_options run;
};

enum { MOST_POINTS = 1000 };

static const struct meshcast_option rows[] = {
    {.name = "router",
     .value = "NAME",
     .is_common = true,
     .help = "which router, or a plugin, ./FILE.so (a router of your own)",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct stress_options, router),
     .names = &router_names},
    {.name = "exhaustive",
     .is_common = true,
     .help = "run every capacity below the least; nothing is assumed then",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct stress_options, is_exhaustive)},
    {.name = "points",
     .value = "K",
     .is_common = true,
     .help = "run K more capacities (in equal ratios from 1 to the largest); the default "
             "is\nhalves and doubles of the least",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct stress_options, points),
     .least = 2,
     .most = MOST_POINTS},
    {.name = "plot",
     .value = "FILE",
     .is_common = true,
     .help = "steps against capacity: a picture (.png, .svg, .pdf) or the rows of --csv (.csv)",
     .type = MESHCAST_OPTION_TEXT,
     .offset = offsetof(struct stress_options, plot),
     .is_file = true},
};

/* ---- the picture ---- */

static void fill_chart(const void *context, struct chart *chart)
{
    char title[128];
    const struct stress_report *report = context;
    const struct run_report *route = report->route;
    struct mesh mesh = route->instance->set.mesh;
    snprintf(title, sizeof title, "%s on %u x %u, c = %u%s, copies %s", route->router->name,
             mesh.rows, mesh.cols, route->result.congestion,
             route->options->congestion_is_unknown ? ", which nobody knows" : "",
             run_copy_is_free(route->options) ? "are free" : "cost a step");
    stress_fill_chart(report->stress, route->router->name, title, chart);
}

static json_t *rows_of(const void *context)
{
    return report_stress_rows(context);
}

/* ---- the command ---- */

static enum failure_kind print_report(const struct stress_report *report, struct failure *failure)
{
    struct report_form form = report->route->options->form;
    if (report_form_is_data(form))
        return report_print_data(form,
                                 form.csv ? report_stress_rows(report) : report_stress_json(report),
                                 NULL, failure);
    report_print_stress(report, stdout);
    return FAIL_NONE;
}

static enum failure_kind search(const struct stress_options *options, struct run_report *route,
                                uint64_t limit, struct failure *failure)
{
    struct stress stress;
    struct stress_router own = {.router = route->router,
                                .set = &route->instance->set,
                                .instance = route->instance,
                                .limit = limit,
                                .options = run_options_for_router(&options->run)};
    struct stress_plan plan = {.probe = stress_run_router,
                               .context = &own,
                               .points = options->points,
                               .is_exhaustive = options->is_exhaustive};
    double start = stopwatch_seconds();
    progress_begin(&own.progress, route->router->name, options->run.quiet);
    stress_search(&stress, &plan, failure);
    progress_end(&own.progress);
    report_refused_threads(own.result.threads, own.result.threads_refused, options->run.quiet);
    if (failure->kind != FAIL_NONE)
        return failure->kind;
    route->result = own.result;
    struct stress_report report = {route, &stress, stopwatch_seconds() - start};
    struct plot_file plot = {options->plot, fill_chart, rows_of, &report};
    if (plot_file_write(&plot, failure) == FAIL_NONE)
        print_report(&report, failure);
    stress_free(&stress);
    return failure->kind;
}

static enum failure_kind run(void *options, const struct operands *operands,
                             struct failure *failure)
{
    const struct stress_options *stress = options;
    struct instance instance;
    uint64_t limit = available_memory_limit(stress->run.force);
    struct run_report route = {.instance = &instance, .options = &stress->run};
    if (run_find_router(stress->router, &route.router, failure) != FAIL_NONE ||
        report_form_check(stress->run.form, NULL, NULL, failure) != FAIL_NONE ||
        plot_file_check(stress->plot, failure) != FAIL_NONE ||
        instance_read(&instance, operands->operand[0], NULL, limit, failure) != FAIL_NONE)
        return failure->kind;
    report_cut_set(&instance.set, operands->operand[0]);
    if (plot_file_try(stress->plot, operands->operand[0], failure) == FAIL_NONE &&
        (report_form_is_data(stress->run.form) ||
         instance_bound(&instance, BOUNDS_LARGEST, NULL, limit, failure) == FAIL_NONE))
        search(stress, &route, limit, failure);
    instance_free(&instance);
    return failure->kind;
}

const struct command command_stress = {
    .name = "stress",
    .summary = "the least buffer with which a router delivers, and what others do",
    .examples = "  meshcast stress west.mcast --router replicate\n"
                "  meshcast stress west.mcast --router trees --copy free --json\n"
                "  meshcast stress west.mcast --router unicast --points 30 --plot unicast.svg\n",
    .synopsis = "SET --router NAME [options]",
    .operands = "SET, the message set to route ('-' is standard input)",
    .least = 1,
    .most = 1,
    .options_size = sizeof(struct stress_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0},
                {run_congestion_row, 1, offsetof(struct stress_options, run)},
                /* all but --buffer, which is what is looked for */
                {run_option_row, RUN_BUFFER_ROW, offsetof(struct stress_options, run)},
                {run_option_row + RUN_BUFFER_ROW + 1, RUN_OPTION_ROWS - RUN_BUFFER_ROW - 1,
                 offsetof(struct stress_options, run)}},
    .offer_parameters = completion_offer_router_parameters,
    .topics = "'meshcast help routers'",
    .run = run,
};
