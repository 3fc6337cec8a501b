/* compare_best.c - `compare --best`: which router is the fastest with each capacity of a node's buffer.
 *
 * The runs: search/stress.c. The table has a line for each range of capacities with one fastest router, and below it the
 * router that is the fastest without a capacity.
 */
#include "library/compare_best.h"

#include "library/command_run.h"
#include "library/plot_file.h"
#include "library/report.h"

#include <inttypes.h>
#include <stdlib.h>

/* The result. */
struct finding {
    const struct comparison *comparison;
    const struct stress *race;
};

static const struct stress_run *run_of(const struct stress *race, uint32_t index, uint32_t router)
{
    return &race->run[(size_t)index * race->routers + router];
}

static const char *label_of(const struct finding *found, uint32_t router)
{
    return found->comparison->list.row[router].label;
}

static uint64_t lower_bound(const struct finding *found)
{
    const struct comparison *comparison = found->comparison;
    return instance_lower_bound(comparison->instance, run_copy_is_free(comparison->run));
}

/* ---- the table ---- */

static void put_range(uint64_t first, uint64_t last, char text[48])
{
    if (first == last)
        snprintf(text, 48, "%" PRIu64, first);
    else
        snprintf(text, 48, "%" PRIu64 " .. %" PRIu64, first, last);
}

static const struct figure columns[] = {{"buffer", "buffer", FIGURE_TEXT, FIGURE_ALL, NULL},
                                        {"fastest", "fastest", FIGURE_TEXT, FIGURE_ALL, NULL},
                                        {"range", "steps", FIGURE_COUNT, FIGURE_ALL, NULL},
                                        {"per_bound", "/bound", FIGURE_RATIO, FIGURE_ALL, NULL},
                                        {"next", "next", FIGURE_TEXT, FIGURE_ALL, NULL},
                                        {0}};

/* Returns the row of the capacities from `first` to `last`, which have one winner. */
static json_t *range_row(const struct finding *found, const char *buffer, uint32_t first,
                         uint32_t last)
{
    char steps[48];
    const struct stress *race = found->race;
    struct report_object row = report_object_open();
    uint32_t winner = stress_winner(race, first, STRESS_NOBODY);
    report_set(&row, "buffer", json_string(buffer));
    if (winner == STRESS_NOBODY) {
        report_set(&row, "fastest", json_string("none delivers"));
        return report_object_close(&row);
    }
    uint64_t at_last = run_of(race, last, winner)->steps;
    uint32_t other = stress_winner(race, first, winner);
    put_range(run_of(race, first, winner)->steps, at_last, steps);
    report_set(&row, "fastest", json_string(label_of(found, winner)));
    report_set(&row, "range", json_string(steps));
    report_set_ratio(&row, "per_bound", (double)at_last, (double)lower_bound(found));
    if (other != STRESS_NOBODY)
        report_set(&row, "next",
                   json_sprintf("%s, %" PRIu64, label_of(found, other),
                                run_of(race, first, other)->steps));
    return report_object_close(&row);
}

/* Returns the last capacity of the same winner from `first` on. */
static uint32_t last_of_winner(const struct stress *race, uint32_t first)
{
    uint32_t winner = stress_winner(race, first, STRESS_NOBODY);
    while (first + 1 < race->capacities && stress_winner(race, first + 1, STRESS_NOBODY) == winner)
        first++;
    return first;
}

static void print_table(const struct finding *found, FILE *out)
{
    static const struct figures figures = {{columns}};
    char range[48];
    const struct stress *race = found->race;
    json_t *rows = json_array();
    bool is_free = run_copy_is_free(found->comparison->run);
    report_print_instance(found->comparison->instance, is_free, out);
    for (uint32_t i = 0; i < race->routers; i++)
        if (race->run[i].outcome == STRESS_REFUSED)
            fprintf(out, "%s takes no part: %s\n", label_of(found, i), race->run[i].reason);
    fputc('\n', out);
    for (uint32_t first = 1, last; first < race->capacities; first = last + 1) {
        last = last_of_winner(race, first);
        put_range(run_of(race, first, 0)->capacity, run_of(race, last, 0)->capacity, range);
        report_append(&rows, range_row(found, range, first, last));
    }
    report_append(&rows, range_row(found, "not limited", 0, 0));
    table_print_text(&(struct table){&figures, rows, false}, out);
    json_decref(rows);
    fprintf(out,
            "\nbuffer: packets that a node can hold; steps: with the least and the largest such "
            "buffer; /bound:\n"
            "steps with the largest / lower bound; next: the next fastest with the least one; "
            "copies %s.\n"
            "%" PRIu32 " capacities were run; more than the last one was not.\n",
            is_free ? "are free" : "cost a step", race->capacities - 1);
}

/* ---- JSON ---- */

static void set_run(struct report_object *object, const struct stress_run *run)
{
    report_set(object, "outcome", json_string(stress_outcome_names[run->outcome]));
    if (run->outcome == STRESS_REFUSED) {
        report_set(object, "error", report_json_text(run->reason));
    } else {
        report_set_steps(object, run->steps, run->sync_steps);
        report_set_count(object, KEY_BUFFER_PEAK, run->peak);
    }
}

static json_t *capacity_json(const struct finding *found, uint32_t index)
{
    struct report_object object = report_object_open(), runs = report_object_open();
    uint32_t winner = stress_winner(found->race, index, STRESS_NOBODY);
    report_set_nonzero(&object, "capacity", run_of(found->race, index, 0)->capacity);
    report_set_word(&object, "fastest", winner == STRESS_NOBODY ? NULL : label_of(found, winner));
    for (uint32_t i = 0; i < found->race->routers; i++) {
        struct report_object run = report_object_open();
        set_run(&run, run_of(found->race, index, i));
        report_set(&runs, label_of(found, i), report_object_close(&run));
    }
    report_set(&object, "routers", report_object_close(&runs));
    return report_object_close(&object);
}

static json_t *race_json(const struct finding *found)
{
    const struct comparison *comparison = found->comparison;
    struct report_object object = report_object_open();
    json_t *capacities = json_array();
    for (uint32_t i = 1; i < found->race->capacities; i++)
        report_append(&capacities, capacity_json(found, i));
    report_set(&object, "meshcast", json_string(MESHCAST_VERSION));
    report_set(&object, "set", report_json_text(comparison->instance->name));
    report_set(&object, "copy", json_string(run_copy_name(comparison->run)));
    report_set_count(&object, KEY_LOWER_BOUND, lower_bound(found));
    report_set(&object, "capacities", capacities);
    report_set(&object, "not_limited", capacity_json(found, 0));
    return report_object_close(&object);
}

/* Returns the rows of --csv and --plot FILE.csv, one for each capacity and router; those without a capacity are last. NULL: no
 * memory. */
static json_t *rows_json(const void *context)
{
    const struct finding *found = context;
    const struct stress *race = found->race;
    json_t *rows = json_array();
    for (uint32_t i = 0; i < race->capacities * race->routers; i++) {
        uint32_t index = (i / race->routers + 1) % race->capacities, router = i % race->routers;
        const struct stress_run *run = run_of(race, index, router);
        struct report_object row = report_object_open();
        report_set_nonzero(&row, "capacity", run->capacity);
        report_set(&row, "router", json_string(label_of(found, router)));
        report_set(&row, "is_fastest",
                   json_boolean(stress_winner(race, index, STRESS_NOBODY) == router));
        set_run(&row, run);
        report_append(&rows, report_object_close(&row));
    }
    return rows;
}

/* ---- the picture ---- */

/* Adds a curve through the capacities with which a router delivers. */
static void add_router(const struct finding *found, uint32_t router, struct chart_panel *panel)
{
    const char *label = label_of(found, router);
    struct chart_curve *curve = chart_subject(panel, CHART_LINE | CHART_MARKS, label, NULL);
    for (uint32_t i = 1; i < found->race->capacities; i++) {
        const struct stress_run *run = run_of(found->race, i, router);
        if (run->outcome == STRESS_DELIVERS) {
            chart_point(curve, run->capacity, (double)run->steps);
            curve->title = label;
        }
    }
}

/* Fills the chart: steps against capacity, both logarithmic, with a ring around the mark of the fastest router. */
static void fill_chart(const void *context, struct chart *chart)
{
    char title[COMPARE_TITLE_SIZE];
    const struct finding *found = context;
    const struct stress *race = found->race;
    double bound = (double)lower_bound(found);
    struct chart_panel *panel = chart_panel(chart, 540, 330);
    comparison_title(found->comparison, title);
    chart->title = chart_text(chart, "%s", title);
    panel->x =
        (struct chart_axis){.label = "buffer capacity B  (packets per node)", .scale = CHART_LOG};
    panel->y = (struct chart_axis){.label = "steps", .scale = CHART_LOG};
    for (uint32_t i = 0; i < race->routers; i++)
        add_router(found, i, panel);
    if (bound > 0) {
        struct chart_curve *curve = chart_curve(panel, CHART_LINE, CHART_INK_BOUND, "lower bound");
        chart_point(curve, run_of(race, 1, 0)->capacity, bound);
        chart_point(curve, run_of(race, race->capacities - 1, 0)->capacity, bound);
    }
    struct chart_curve *fastest = chart_curve(panel, CHART_MARKS, CHART_INK_NOTE, "fastest");
    for (uint32_t i = 1; i < race->capacities; i++) {
        uint32_t winner = stress_winner(race, i, STRESS_NOBODY);
        if (winner == STRESS_NOBODY)
            continue;
        const struct stress_run *run = run_of(race, i, winner);
        chart_point(fastest, run->capacity, (double)run->steps)->size = 1.4;
    }
}

/* ---- the runs ---- */

enum failure_kind compare_best_run(const struct comparison *comparison, const char *plot,
                                   struct meshcast_report *report, struct failure *failure)
{
    struct stress race;
    struct finding found = {comparison, &race};
    struct plot_file file = {plot, fill_chart, rows_json, &found};
    uint32_t routers = comparison->list.count;
    struct router_probe *probe = memory_allocate(routers, sizeof *probe);
    if (probe == NULL)
        return fail_memory(failure, "the routers");
    for (uint32_t i = 0; i < routers; i++) {
        const struct compared_router *row = &comparison->list.row[i];
        probe[i] = (struct router_probe){.command = comparison->command,
                                         .label = row->label,
                                         .router = row->router,
                                         .set = &comparison->instance->set,
                                         .options = compared_router_options(row, comparison->run)};
    }
    struct stress_plan plan = {.probe = router_probe, .context = probe, .routers = routers};
    if (fastest_by_buffer(&race, &plan, failure) == FAIL_NONE) {
        if (report_take_json(report, race_json(&found), NULL, failure) == FAIL_NONE &&
            report_take_csv(report, rows_json(&found), failure) == FAIL_NONE) {
            print_table(&found, command_table(report));
            plot_file_write(&file, failure);
        }
        stress_free(&race);
    }
    free(probe);
    return failure->kind;
}
