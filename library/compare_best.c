/* compare_best.c - `compare --best`: which router is the fastest with each capacity of a node's buffer.
 *
 * The runs: search/race.c. The table has a line for each range of capacities with one fastest router, and below it the
 * router that is the fastest without a capacity.
 */
#include "library/compare_best.h"

#include "library/plot_file.h"
#include "library/report.h"
#include "library/router_probe.h"
#include "search/race.h"

#include <inttypes.h>
#include <stdlib.h>

/* What has been found. */
struct finding {
    const struct comparison *comparison;
    const struct race *race;
};

static const char *label_of(const struct finding *found, uint32_t runner)
{
    return found->comparison->list.row[runner].label;
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

/* Returns the fastest router but one at that point; RACE_NOBODY: no other delivers. */
static uint32_t second_of(const struct race *race, const struct race_point *point)
{
    uint32_t second = RACE_NOBODY;
    for (uint32_t i = 0; i < race->runners; i++)
        if (i != point->winner && point->run[i].outcome == STRESS_DELIVERS &&
            (second == RACE_NOBODY || point->run[i].steps < point->run[second].steps))
            second = i;
    return second;
}

static const struct figure columns[] = {{"buffer", "buffer", FIGURE_TEXT, FIGURE_ALL, NULL},
                                        {"fastest", "fastest", FIGURE_TEXT, FIGURE_ALL, NULL},
                                        {"range", "steps", FIGURE_COUNT, FIGURE_ALL, NULL},
                                        {"per_bound", "/bound", FIGURE_RATIO, FIGURE_ALL, NULL},
                                        {"next", "next", FIGURE_TEXT, FIGURE_ALL, NULL},
                                        {0}};

/* Returns the row of the points from `first` to `last`, which have one winner. */
static json_t *range_row(const struct finding *found, const char *buffer,
                         const struct race_point *first, const struct race_point *last)
{
    char steps[48];
    struct report_object row = report_object_open();
    report_set(&row, "buffer", json_string(buffer));
    if (first->winner == RACE_NOBODY) {
        report_set(&row, "fastest", json_string("none delivers"));
        return report_object_close(&row);
    }
    uint64_t at_first = first->run[first->winner].steps, at_last = last->run[last->winner].steps;
    uint32_t other = second_of(found->race, first);
    put_range(at_first, at_last, steps);
    report_set(&row, "fastest", json_string(label_of(found, first->winner)));
    report_set(&row, "range", json_string(steps));
    report_set_ratio(&row, "per_bound", (double)at_last, (double)lower_bound(found));
    if (other != RACE_NOBODY)
        report_set(&row, "next",
                   json_sprintf("%s, %" PRIu64, label_of(found, other), first->run[other].steps));
    return report_object_close(&row);
}

static void print_table(const struct finding *found, FILE *out)
{
    static const struct figures figures = {{columns}};
    char range[48];
    const struct race *race = found->race;
    json_t *rows = json_array();
    bool is_free = run_copy_is_free(found->comparison->run);
    report_print_instance(found->comparison->instance, is_free, out);
    for (uint32_t i = 0; i < race->runners; i++)
        if (race->without.run[i].outcome == STRESS_REFUSED)
            fprintf(out, "%s takes no part: %s\n", label_of(found, i), race->without.run[i].reason);
    fputc('\n', out);
    for (uint32_t first = 0; first < race->points;) {
        uint32_t last = race_last_of_winner(race, first);
        put_range(race->point[first].capacity, race->point[last].capacity, range);
        report_append(&rows, range_row(found, range, &race->point[first], &race->point[last]));
        first = last + 1;
    }
    report_append(&rows, range_row(found, "not limited", &race->without, &race->without));
    table_print_text(&(struct table){&figures, rows, false}, out);
    json_decref(rows);
    fprintf(out,
            "\nbuffer: packets that a node can hold; steps: with the least and the largest such "
            "buffer; /bound:\n"
            "steps with the largest / lower bound; next: the next fastest with the least one; "
            "copies %s.\n"
            "%" PRIu32 " capacities were run; more than the last one was not.\n",
            is_free ? "are free" : "cost a step", race->points);
}

/* ---- JSON ---- */

static void set_run(struct report_object *object, const struct stress_run *run)
{
    report_set(object, "outcome", json_string(stress_outcome_names[run->outcome]));
    if (run->outcome == STRESS_REFUSED) {
        report_set(object, "error", report_json_text(run->reason));
    } else {
        report_set_steps(object, run->steps, run->sync_steps);
        report_set_buffer_peak(object, run->peak);
    }
}

static json_t *point_json(const struct finding *found, const struct race_point *point)
{
    struct report_object object = report_object_open(), runs = report_object_open();
    report_set_nonzero(&object, "capacity", point->capacity);
    report_set_word(&object, "fastest",
                    point->winner == RACE_NOBODY ? NULL : label_of(found, point->winner));
    for (uint32_t i = 0; i < found->race->runners; i++) {
        struct report_object run = report_object_open();
        set_run(&run, &point->run[i]);
        report_set(&runs, label_of(found, i), report_object_close(&run));
    }
    report_set(&object, "routers", report_object_close(&runs));
    return report_object_close(&object);
}

static json_t *race_json(const struct finding *found)
{
    const struct comparison *comparison = found->comparison;
    const struct race *race = found->race;
    struct report_object object = report_object_open();
    json_t *points = json_array();
    for (uint32_t i = 0; i < race->points; i++)
        report_append(&points, point_json(found, &race->point[i]));
    report_set(&object, "meshcast", json_string(MESHCAST_VERSION));
    report_set(&object, "set", report_json_text(comparison->instance->name));
    report_set(&object, "copy", json_string(run_copy_name(comparison->run)));
    report_set_lower_bound(&object, comparison->instance, run_copy_is_free(comparison->run));
    report_set(&object, "capacities", points);
    report_set(&object, "not_limited", point_json(found, &race->without));
    return report_object_close(&object);
}

/* Returns the rows of --csv and --plot FILE.csv, one for each capacity and router; those without a capacity are last. NULL: no
 * memory. */
static json_t *rows_json(const void *context)
{
    const struct finding *found = context;
    const struct race *race = found->race;
    json_t *rows = json_array();
    for (uint32_t i = 0; i < (race->points + 1) * race->runners; i++) {
        uint32_t place = i / race->runners, runner = i % race->runners;
        const struct race_point *point =
            place < race->points ? &race->point[place] : &race->without;
        struct report_object row = report_object_open();
        report_set_nonzero(&row, "capacity", point->capacity);
        report_set(&row, "router", json_string(label_of(found, runner)));
        report_set(&row, "is_fastest", json_boolean(point->winner == runner));
        set_run(&row, &point->run[runner]);
        report_append(&rows, report_object_close(&row));
    }
    return rows;
}

/* ---- the picture ---- */

/* Adds a curve through the capacities with which a router delivers. */
static void add_runner(const struct finding *found, uint32_t runner, struct chart_panel *panel)
{
    const char *label = label_of(found, runner);
    struct chart_curve *curve = chart_subject(panel, CHART_LINE | CHART_MARKS, label, NULL);
    for (uint32_t i = 0; i < found->race->points; i++) {
        const struct stress_run *run = &found->race->point[i].run[runner];
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
    const struct race *race = found->race;
    double bound = (double)lower_bound(found);
    struct chart_panel *panel = chart_panel(chart, 540, 330);
    comparison_title(found->comparison, title);
    chart->title = chart_text(chart, "%s", title);
    panel->x =
        (struct chart_axis){.label = "buffer capacity B  (packets per node)", .scale = CHART_LOG};
    panel->y = (struct chart_axis){.label = "steps", .scale = CHART_LOG};
    for (uint32_t runner = 0; runner < race->runners; runner++)
        add_runner(found, runner, panel);
    if (bound > 0 && race->points > 0) {
        struct chart_curve *curve = chart_curve(panel, CHART_LINE, CHART_INK_BOUND, "lower bound");
        chart_point(curve, race->point[0].capacity, bound);
        chart_point(curve, race->point[race->points - 1].capacity, bound);
    }
    struct chart_curve *fastest = chart_curve(panel, CHART_MARKS, CHART_INK_NOTE, "fastest");
    for (uint32_t i = 0; i < race->points; i++) {
        const struct race_point *point = &race->point[i];
        if (point->winner != RACE_NOBODY)
            chart_point(fastest, point->capacity, (double)point->run[point->winner].steps)->size =
                1.4;
    }
}

/* ---- the runs ---- */

static enum failure_kind run_race(const struct comparison *comparison, struct router_probe *probe,
                                  struct race *race, struct failure *failure)
{
    void *context[COMPARE_MOST];
    struct race_plan plan = {comparison->list.count, router_probe, context};
    for (uint32_t i = 0; i < plan.runners; i++) {
        const struct compared_router *row = &comparison->list.row[i];
        probe[i] = (struct router_probe){.command = comparison->command,
                                         .label = row->label,
                                         .router = row->router,
                                         .set = &comparison->instance->set,
                                         .options = compared_router_options(row, comparison->run)};
        context[i] = &probe[i];
    }
    return race_run(race, &plan, failure);
}

enum failure_kind compare_best_run(const struct comparison *comparison, const char *plot,
                                   struct meshcast_report *report, struct failure *failure)
{
    struct race race;
    struct finding found = {comparison, &race};
    struct plot_file file = {plot, fill_chart, rows_json, &found};
    struct router_probe *probe = memory_allocate(comparison->list.count, sizeof *probe);
    if (probe == NULL)
        return fail_memory(failure, "the routers");
    if (run_race(comparison, probe, &race, failure) == FAIL_NONE) {
        if (report_take_json(report, race_json(&found), NULL, failure) == FAIL_NONE &&
            report_take_csv(report, rows_json(&found), failure) == FAIL_NONE) {
            print_table(&found, command_table(report));
            plot_file_write(&file, failure);
        }
        race_free(&race);
    }
    free(probe);
    return failure->kind;
}
