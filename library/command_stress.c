/* command_stress.c - the command `stress`: the least buffer with which a router still delivers.
 *
 * The search: search/stress.c. Every run checks every delivery, as `route` does.
 *
 * Status: 0 when a capacity was found; 1 if none delivers, or a run fails in another way than by
 * its buffer; 2 if the router refuses the options even without a capacity.
 *
 * The first line of the table is the run without a capacity; below it is one line per capacity that
 * was tried, ascending. Runs that overflow show the node and step, where a design must be mended;
 * consecutive refused capacities are a line with the reason. The last lines give the answer and its
 * certainty.
 */
#include "base/stopwatch.h"
#include "library/command_run.h"
#include "library/command_set.h"
#include "library/plot_file.h"
#include "library/report.h"
#include "library/run_options.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

struct stress_command {
    const char *router, *plot;
    uint32_t points;
    bool is_exhaustive;
    struct run_options run;
};

/* A search that is over; `route` is the run without a capacity. */
struct stress_report {
    const struct run_report *route;
    const struct stress *stress;
    double seconds; /* of all runs */
};

enum { MOST_POINTS = 1000 };

static const struct meshcast_option rows[] = {
    RUN_ROUTER_ROW(struct stress_command, router),
    OPTION_WITHOUT(RARE, struct stress_command, run.without),
    OPTION_FLAG("exhaustive", COMMON, struct stress_command, is_exhaustive,
                "run every capacity below the least; nothing is assumed then"),
    OPTION_NUMBER("points", "K", COMMON, struct stress_command, points, 2, MOST_POINTS,
                  "run K more capacities (in equal ratios from 1 to the largest); the default "
                  "is\nhalves and doubles of the least"),
    OPTION_OUTPUT(
        "plot", "FILE", 0, COMMON, struct stress_command, plot,
        "steps against capacity: a picture (.png, .svg, .pdf) or the rows of --csv (.csv)"),
};

/* ---- JSON ---- */

static void set_figures(struct report_object *object, const struct stress_run *run)
{
    report_set_steps(object, run->steps, run->sync_steps);
    report_set_peak(object, run->in_force, run->peak,
                    &(struct report_place){run->peak_node, run->peak_step, run->peak_phase});
    report_set_count(object, KEY_MISSING, run->missing);
    if (run->attempts > 0) {
        report_set_count(object, "attempts", run->attempts);
        report_set_count(object, "void_attempts", run->void_attempts);
    }
}

static json_t *run_json(const struct stress_run *run)
{
    struct report_object object = report_object_open();
    report_set_nonzero(&object, "capacity", run->capacity);
    report_set(&object, "outcome", json_string(stress_outcome_names[run->outcome]));
    if (run->outcome == STRESS_REFUSED)
        report_set(&object, "error", report_json_text(run->reason));
    else
        set_figures(&object, run);
    return report_object_close(&object);
}

static json_t *runs_json(const struct stress *stress)
{
    json_t *array = json_array();
    for (uint32_t i = 1; i < stress->capacities; i++)
        report_append(&array, run_json(&stress->run[i]));
    return array;
}

/* Returns the rows of --csv: the runs, and after them that without a capacity; NULL: no memory. */
static json_t *rows_json(const void *context)
{
    const struct stress_report *report = context;
    json_t *array = runs_json(report->stress);
    report_append(&array, run_json(report->stress->run));
    return array;
}

static json_t *stress_json(const struct stress_report *report)
{
    const struct stress *stress = report->stress;
    const struct stress_run *fastest = stress_fastest(stress);
    struct report_object object = report_object_open();
    report_set_request(&object, report->route);
    report_set_run(&object, report->route);
    report_set_count(&object, "least_capacity", stress->least);
    report_set(&object, "search", json_string(stress->is_exhaustive ? "exhaustive" : "bisection"));
    report_set_count(&object, "setbacks", stress_setbacks(stress));
    report_set_nonzero(&object, "too_large_capacity", stress->too_large);
    report_set_count(&object, "fewest_steps", fastest->steps);
    report_set_count(&object, "fewest_steps_capacity", fastest->capacity);
    report_set(&object, "without_capacity", run_json(stress->run));
    report_set(&object, "runs", runs_json(stress));
    report_set_count(&object, "threads", report->route->result.threads);
    report_set(&object, KEY_WALL_SECONDS, json_real(report->seconds));
    return report_object_close(&object);
}

/* ---- the table ---- */

static const struct figure capacity_column[] = {
    {"capacity", "capacity", FIGURE_COUNT, FIGURE_ALL, NULL}, {0}};
static const struct figure outcome_columns[] = {
    {"per_none", "/none", FIGURE_RATIO, FIGURE_PEOPLE, NULL},
    {"ended", "outcome", FIGURE_TEXT, FIGURE_PEOPLE, NULL},
    {0}};
static const struct figures columns = {
    {capacity_column, figures_of_steps, figures_of_buffer, outcome_columns}};

/* Returns the row of a run for people: its outcome in words, and its steps only if it delivered. */
static json_t *row_for_people(const struct stress_report *report, const struct stress_run *run)
{
    const struct stress_run *without = report->stress->run;
    bool has_ratio = without->outcome == STRESS_DELIVERS && run->outcome == STRESS_DELIVERS;
    struct report_object row = {run_json(run), false};
    report_set_count(&row, "cols", report->route->instance->set.mesh.cols);
    report_set_ratio(&row, "per_none", (double)run->steps, has_ratio ? (double)without->steps : 0);
    if (run->capacity == 0)
        report_set_word(&row, "capacity", "none");
    report_set(&row, "ended",
               figures_text(row.value,
                            "[{outcome=overflow}overflows at step {buffer_peak_step}, row "
                            "{buffer_peak_node/cols}, column {buffer_peak_node%cols}, "
                            "{buffer_peak_phase}][{outcome=delivers}delivers]"
                            "[{capacity=none}{!attempts}, bound to {buffer_capacity} by itself]"
                            "[, {attempts:attempt}][, {void_attempts} void]"));
    for (uint32_t i = 0; run->outcome != STRESS_DELIVERS && figures_of_steps[i].key != NULL; i++)
        json_object_del(row.value, figures_of_steps[i].key);
    return report_object_close(&row);
}

/* Returns the row of consecutive refused capacities, from run `first` to `last`. */
static json_t *refused_row(const struct stress *stress, uint32_t first, uint32_t last)
{
    uint32_t from = stress->run[first].capacity, to = stress->run[last].capacity;
    uint32_t tried = last - first + 1;
    if (tried == 1)
        return json_pack("{s:i, s:o}", "capacity", from, "ended",
                         json_sprintf("refused: %s", stress->run[last].reason));
    return json_pack(
        "{s:o, s:o}", "capacity", json_sprintf("%u..%u", from, to), "ended",
        json_sprintf("refused (%u of them were tried): %s", tried, stress->run[last].reason));
}

/* Returns the rows of the table: the run without a capacity, then one per capacity, ascending. */
static json_t *rows_for_people(const struct stress_report *report)
{
    const struct stress *stress = report->stress;
    json_t *array = json_array();
    for (uint32_t i = 0; i < stress->capacities; i++) {
        uint32_t first = i;
        while (stress->run[i].outcome == STRESS_REFUSED && i + 1 < stress->capacities &&
               stress->run[i + 1].outcome == STRESS_REFUSED)
            i++;
        report_append(&array, stress->run[i].outcome == STRESS_REFUSED
                                  ? refused_row(stress, first, i)
                                  : row_for_people(report, &stress->run[i]));
    }
    return array;
}

/* Sets the parts of the last lines besides the figures: the certainty of the answer, and facts that
 * are no figure of the JSON. */
static void set_answer(struct report_object *people, const struct stress *stress)
{
    const struct stress_run *without = stress->run, *least = without + 1;
    enum stress_outcome below = STRESS_REFUSED;
    for (; least->capacity < stress->least; least++)
        below = least->outcome;
    report_set_count(people, "runs", stress->capacities);
    report_set_count(people, "below", stress->least - 1);
    report_set_word(people, "below_ended", below == STRESS_REFUSED ? "is refused" : "overflows");
    report_set_if(people, "peak_of_least", least->peak < stress->least, least->peak);
    if (without->outcome != STRESS_DELIVERS)
        return;
    report_set_if(people, "steps_without", without->steps < stress_fastest(stress)->steps,
                  without->steps);
    report_set_if(people, "peak_without", without->peak < stress->least, without->peak);
    report_set(people, "bounds_itself", json_boolean(without->in_force > 0));
}

static void print_table(const struct stress_report *report, const json_t *json, FILE *out)
{
    const struct run_report *route = report->route;
    struct report_object people = {report_for_people(route, json), false};
    json_t *lines = rows_for_people(report);
    set_answer(&people, report->stress);
    json_t *answer = report_object_close(&people);
    report_print_instance(route->instance, run_copy_is_free(route->options), out);
    fputc('\n', out);
    report_print_title(answer, out);
    table_print_text(&(struct table){&columns, lines, false}, out);
    fputc('\n', out);
    figures_print_heading(answer, "least capacity that delivers: {least_capacity:packet} per node",
                          out);
    figures_print_text(
        answer,
        "[{!below}  there is no smaller one\n]"
        "[{below>0}{search=exhaustive}  every smaller one was run: none delivers\n]"
        "[{search=bisection}  {below} was run and {below_ended}; below it those that are shown "
        "were "
        "run (--exhaustive: all)\n]"
        "[  more buffer does not always help: of the larger ones that were run {setbacks} failed\n]"
        "[  in its run no node held more than {peak_of_least}: the rest is reserved\n]"
        "[  fewest steps: {steps_without}, without --buffer\n]"
        "[{!steps_without}  fewest steps: {fewest_steps}, with {fewest_steps_capacity}\n]"
        "[  there is not enough memory for {too_large_capacity}, so nothing larger was run "
        "(--memory SIZE sets another limit)\n]"
        "[  without --buffer no node held more than {peak_without}: ]"
        "[{?peak_without}{?bounds_itself}the router provides for more than it meets here\n]"
        "[{?peak_without}{!bounds_itself}buffers that may not overflow reserve room for what may "
        "come\n]"
        "  {runs} runs in {wall_seconds:.3} s\n",
        out);
    json_decref(lines);
    json_decref(answer);
}

/* ---- the picture ---- */

/* Adds a grey ground up to half the way to the least capacity that was not refused. */
static void add_refused(const struct stress *stress, struct chart_panel *panel)
{
    uint32_t i = 1;
    while (i < stress->capacities && stress->run[i].outcome == STRESS_REFUSED)
        i++;
    if (i == 1 || i == stress->capacities)
        return;
    chart_band(panel, 0, sqrt((double)stress->run[i - 1].capacity * stress->run[i].capacity), NULL);
    chart_curve(panel, CHART_BARS, CHART_INK_GROUND, "refused");
}

static void add_without(const struct stress *stress, struct chart_panel *panel)
{
    const struct stress_run *without = stress->run, *last = without + stress->capacities - 1;
    if (without->outcome != STRESS_DELIVERS)
        return;
    const char *title = "without a capacity";
    if (without->in_force > 0 && without->attempts == 0)
        title = chart_text(panel->chart, "its own capacity, %" PRIu32, without->in_force);
    struct chart_curve *curve = chart_curve(panel, CHART_LINE, CHART_INK_GUIDE, title);
    chart_point(curve, without[1].capacity, (double)without->steps);
    chart_point(curve, last->capacity, (double)without->steps);
}

/* Fills the chart. Runs that deliver are marks on a line, at their steps; runs that overflow are
 * crosses at the step at which they had to stop, which shows the progress under too small a buffer;
 * capacities that the router refuses have a grey ground. An upright line is the answer, a dotted
 * one the steps without a capacity. */
static void fill_chart(const void *context, struct chart *chart)
{
    const struct stress_report *report = context;
    const struct stress *stress = report->stress;
    const struct run_report *route = report->route;
    const char *router = route->router->name;
    struct mesh mesh = route->instance->set.mesh;
    struct chart_panel *panel = chart_panel(chart, 530, 310);
    chart->title = chart_text(chart, "%s on %u x %u, c = %u%s, copies %s", router, mesh.rows,
                              mesh.cols, route->result.congestion,
                              route->options->congestion_is_unknown ? ", which nobody knows" : "",
                              run_copy_is_free(route->options) ? "are free" : "cost a step");
    panel->x = (struct chart_axis){.label = "buffer capacity B  (packets per node)",
                                   .scale = CHART_LOG_IF_FAR};
    panel->y = (struct chart_axis){.label = "steps", .scale = CHART_LOG_IF_FAR};
    struct chart_curve *delivers =
        chart_subject(panel, CHART_LINE | CHART_MARKS, router, "delivers");
    struct chart_curve *overflows = chart_subject(panel, CHART_MARKS, router, NULL);
    overflows->mark = CHART_MARK_CROSS;
    for (uint32_t i = 1; i < stress->capacities; i++) {
        const struct stress_run *run = &stress->run[i];
        if (run->outcome == STRESS_REFUSED)
            continue;
        if (run->outcome == STRESS_OVERFLOWS)
            overflows->title = "overflows at this step";
        chart_point(run->outcome == STRESS_DELIVERS ? delivers : overflows, run->capacity,
                    (double)run->steps);
    }
    add_without(stress, panel);
    add_refused(stress, panel);
    chart_band(panel, stress->least, stress->least,
               chart_text(chart, "least: %" PRIu32, stress->least));
}

/* ---- the run ---- */

static enum failure_kind fill_report(const struct stress_report *found,
                                     struct meshcast_report *report, struct failure *failure)
{
    if (report_take_json(report, stress_json(found), NULL, failure) == FAIL_NONE &&
        report_take_csv(report, rows_json(found), failure) == FAIL_NONE)
        print_table(found, report->json, command_table(report));
    return failure->kind;
}

static enum failure_kind search(const struct meshcast_command *command, struct run_report *route,
                                struct meshcast_report *report, struct failure *failure)
{
    const struct stress_command *options = command->options;
    struct stress stress;
    struct router_probe own = {.command = command,
                               .router = route->router,
                               .set = &route->instance->set,
                               .label = route->router->name,
                               .options =
                                   run_options_for_router(&options->run, route->instance->broken)};
    struct stress_plan plan = {.probe = router_probe,
                               .context = &own,
                               .routers = 1,
                               .points = options->points,
                               .is_exhaustive = options->is_exhaustive};
    struct stress_report found = {route, &stress, stopwatch_seconds()};
    stress_search(&stress, &plan, failure);
    command_note_threads(command, own.result.threads, own.result.threads_refused);
    if (failure->kind != FAIL_NONE)
        return failure->kind;
    route->result = own.result;
    found.seconds = stopwatch_seconds() - found.seconds;
    struct plot_file plot = {options->plot, fill_chart, rows_json, &found};
    if (plot_file_write(&plot, failure) == FAIL_NONE)
        fill_report(&found, report, failure);
    stress_free(&stress);
    return failure->kind;
}

static int run(struct meshcast_command *command, struct meshcast_report *report,
               struct failure *failure)
{
    const struct stress_command *stress = command->options;
    struct command_instance set;
    struct run_report route = {.instance = &set.instance, .options = &stress->run};
    if (command_find_router(command, stress->router, &route.router, failure) != FAIL_NONE ||
        run_options_check_output(&stress->run, stress->plot, failure) != FAIL_NONE ||
        plot_file_check(stress->plot, failure) != FAIL_NONE ||
        command_read_instance(command, 0, &set, failure) != FAIL_NONE)
        return failure->kind;
    if (command_break_instance(command, &set, stress->run.without, failure) == FAIL_NONE &&
        command_bound_instance(command, 0, &set, failure) == FAIL_NONE)
        search(command, &route, report, failure);
    command_instance_free(&set);
    return failure->kind;
}

const struct meshcast_command_row command_stress = {
    .name = "stress",
    .summary = "the least buffer with which a router delivers, and what others do",
    .examples = "  meshcast stress west.mcast --router replicate\n"
                "  meshcast stress west.mcast --router trees --copy free --json\n"
                "  meshcast stress west.mcast --router unicast --points 30 --plot unicast.svg\n",
    .synopsis = "SET --router NAME [options]",
    .operands = "SET, the message set to route ('-' is standard input)",
    .least = 1,
    .most = 1,
    .options_size = sizeof(struct stress_command),
    .options = {{rows, sizeof rows / sizeof rows[0], 0},
                {run_congestion_row, 1, offsetof(struct stress_command, run)},
                /* all but --buffer, which the search varies */
                {run_option_row, RUN_BUFFER_ROW, offsetof(struct stress_command, run)},
                {run_option_row + RUN_BUFFER_ROW + 1, RUN_OPTION_ROWS - RUN_BUFFER_ROW - 1,
                 offsetof(struct stress_command, run)}},
    .offer_parameters = run_offer_parameters,
    .topics = "'meshcast help routers'",
    .run = run,
};
