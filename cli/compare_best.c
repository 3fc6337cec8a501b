/* compare_best.c - `meshcast compare --best`: which router is the fastest with each capacity.
 *
 * The runs: search/race.c. The table has a line for each range of capacities with one fastest router, and below it the
 * router that is the fastest without a capacity. The picture: race_plot.c.
 */
#include "cli/compare_best.h"

#include "cli/race_plot.h"
#include "cli/stress_router.h"
#include "library/meshcast.h"
#include "library/plot_file.h"
#include "library/report.h"
#include "library/report_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

static void put_range(uint64_t first, uint64_t last, char text[48])
{
    if (first == last)
        snprintf(text, 48, "%" PRIu64, first);
    else
        snprintf(text, 48, "%" PRIu64 " .. %" PRIu64, first, last);
}

/* The fastest of the others at that point; RACE_NOBODY: no other delivers. */
static uint32_t second_of(const struct race *race, const struct race_point *point)
{
    uint32_t second = RACE_NOBODY;
    for (uint32_t i = 0; i < race->runners; i++)
        if (i != point->winner && point->run[i].outcome == STRESS_DELIVERS &&
            (second == RACE_NOBODY || point->run[i].steps < point->run[second].steps))
            second = i;
    return second;
}

/* Of the longest label. */
static int label_width(const struct compare_best *best)
{
    int width = 10;
    for (uint32_t i = 0; i < best->rows->count; i++) {
        int length = (int)strlen(best->rows->row[i].label);
        width = length > width ? length : width;
    }
    return width;
}

static void print_line(const struct compare_best *best, const struct race *race, const char *buffer,
                       const struct race_point *first, const struct race_point *last)
{
    char steps[48], ratio[32];
    bool copy_is_free = run_copy_is_free(best->options);
    double bound = (double)instance_lower_bound(best->instance, copy_is_free);
    if (first->winner == RACE_NOBODY) {
        printf("%-16s none delivers\n", buffer);
        return;
    }
    uint64_t at_first = first->run[first->winner].steps, at_last = last->run[last->winner].steps;
    put_range(at_first, at_last, steps);
    uint32_t other = second_of(race, first);
    printf("%-16s %-*s %16s %9s", buffer, label_width(best), best->rows->row[first->winner].label,
           steps, report_ratio_text((double)at_last, bound, ratio));
    if (other != RACE_NOBODY)
        printf("  %s, %" PRIu64, best->rows->row[other].label, first->run[other].steps);
    putchar('\n');
}

static void print_absent(const struct compare_best *best, const struct race *race)
{
    for (uint32_t i = 0; i < race->runners; i++)
        if (race->without.run[i].outcome == STRESS_REFUSED)
            printf("%s takes no part: %s\n", best->rows->row[i].label, race->without.run[i].reason);
}

static void print_table(const struct compare_best *best, const struct race *race)
{
    char head[256], range[48];
    report_print_instance(best->instance, run_copy_is_free(best->options), stdout);
    print_absent(best, race);
    putchar('\n');
    snprintf(head, sizeof head, "%-16s %-*s %16s %9s  %s", "buffer", label_width(best), "fastest",
             "steps", "/bound", "next");
    report_print_heading(head, stdout);
    for (uint32_t first = 0; first < race->points;) {
        uint32_t last = race_last_of_winner(race, first);
        put_range(race->point[first].capacity, race->point[last].capacity, range);
        print_line(best, race, range, &race->point[first], &race->point[last]);
        first = last + 1;
    }
    print_line(best, race, "not limited", &race->without, &race->without);
    printf("\nbuffer: packets that a node can hold; steps: with the least and the largest such "
           "buffer; /bound:\n"
           "steps with the largest / lower bound; next: the next fastest with the least one; "
           "copies %s.\n"
           "%" PRIu32 " capacities were run; more than the last one was not.\n",
           run_copy_is_free(best->options) ? "are free" : "cost a step", race->points);
}

/* ---- JSON ---- */

static json_t *run_json(const struct stress_run *run)
{
    static const char *const outcome[] = {[STRESS_DELIVERS] = "delivers",
                                          [STRESS_OVERFLOWS] = "overflow",
                                          [STRESS_REFUSED] = "refused"};
    struct report_object object = report_object_open();
    report_set(&object, "outcome", json_string(outcome[run->outcome]));
    if (run->outcome == STRESS_REFUSED) {
        report_set(&object, "error", report_json_text(run->reason));
    } else {
        report_set_count(&object, "steps", run->steps);
        report_set_count(&object, "sync_steps", run->sync_steps);
        report_set_count(&object, "buffer_peak", run->peak);
    }
    return report_object_close(&object);
}

static json_t *point_json(const struct compare_best *best, const struct race_point *point)
{
    struct report_object object = report_object_open(), runs = report_object_open();
    report_set(&object, "capacity",
               point->capacity > 0 ? json_integer((json_int_t)point->capacity) : json_null());
    report_set(&object, "fastest",
               point->winner == RACE_NOBODY ? json_null()
                                            : json_string(best->rows->row[point->winner].label));
    for (uint32_t i = 0; i < best->rows->count; i++)
        report_set(&runs, best->rows->row[i].label, run_json(&point->run[i]));
    report_set(&object, "routers", report_object_close(&runs));
    return report_object_close(&object);
}

static json_t *points_json(const struct compare_best *best, const struct race *race)
{
    json_t *points = json_array();
    for (uint32_t i = 0; points != NULL && i < race->points; i++)
        if (json_array_append_new(points, point_json(best, &race->point[i])) != 0) {
            json_decref(points);
            points = NULL;
        }
    return points;
}

/* Adds the runs with one capacity to the rows: capacity, router, is_fastest, and what is in the objects of --json. */
static bool add_rows(const struct compare_best *best, const struct race_point *point, json_t *rows)
{
    bool is_whole = true;
    for (uint32_t i = 0; i < best->rows->count; i++) {
        struct report_object object = report_object_open();
        report_set(&object, "capacity",
                   point->capacity > 0 ? json_integer((json_int_t)point->capacity) : json_null());
        report_set(&object, "router", json_string(best->rows->row[i].label));
        report_set(&object, "is_fastest", json_boolean(point->winner == i));
        json_t *row = report_object_close(&object), *figures = run_json(&point->run[i]);
        is_whole &= row != NULL && figures != NULL && json_object_update(row, figures) == 0 &&
                    json_array_append(rows, row) == 0;
        json_decref(figures);
        json_decref(row);
    }
    return is_whole;
}

/* Returns the rows of --csv and --plot FILE.csv, one for each capacity and router; those without a capacity are last. */
static json_t *rows_json(const struct compare_best *best, const struct race *race)
{
    json_t *rows = json_array();
    bool is_whole = rows != NULL;
    for (uint32_t i = 0; i < race->points && is_whole; i++)
        is_whole = add_rows(best, &race->point[i], rows);
    if (is_whole && add_rows(best, &race->without, rows))
        return rows;
    json_decref(rows);
    return NULL;
}

static json_t *race_json(const struct compare_best *best, const struct race *race)
{
    const struct instance *instance = best->instance;
    bool copy_is_free = run_copy_is_free(best->options);
    struct report_object object = report_object_open();
    report_set(&object, "meshcast", json_string(MESHCAST_VERSION));
    report_set(&object, "set", report_json_text(instance->name));
    report_set(&object, "copy", json_string(run_copy_name(best->options)));
    report_set_count(&object, "lower_bound", instance_lower_bound(instance, copy_is_free));
    report_set(&object, "capacities", points_json(best, race));
    report_set(&object, "not_limited", point_json(best, &race->without));
    return report_object_close(&object);
}

/* ---- the picture ---- */

/* What has been found. */
struct finding {
    const struct compare_best *best;
    const struct race *race;
};

static void fill_chart(const void *context, struct chart *chart)
{
    const struct finding *finding = context;
    const struct compare_best *best = finding->best;
    struct race_plot picture = {
        best->title, finding->race, best->rows,
        instance_lower_bound(best->instance, run_copy_is_free(best->options))};
    race_fill_chart(&picture, chart);
}

static json_t *rows_of(const void *context)
{
    const struct finding *finding = context;
    return rows_json(finding->best, finding->race);
}

/* ---- the command ---- */

static enum failure_kind tell(const struct compare_best *best, const struct race *race,
                              struct failure *failure)
{
    struct finding finding = {best, race};
    struct plot_file plot = {best->plot, fill_chart, rows_of, &finding};
    struct report_form form = best->options->form;
    if (report_form_is_data(form))
        report_print_data(form, form.csv ? rows_json(best, race) : race_json(best, race), NULL,
                          failure);
    else
        print_table(best, race);
    return failure->kind == FAIL_NONE ? plot_file_write(&plot, failure) : failure->kind;
}

struct runner {
    struct stress_router own;
    bool is_quiet;
};

/* Each run has a line of progress of its own. */
static enum failure_kind probe(void *context, struct stress_run *run, struct failure *failure)
{
    struct runner *runner = context;
    progress_begin(&runner->own.progress, runner->own.router->name, runner->is_quiet);
    enum failure_kind kind = stress_run_router(&runner->own, run, failure);
    progress_end(&runner->own.progress);
    return kind;
}

enum failure_kind compare_best_run(const struct compare_best *best, struct failure *failure)
{
    struct race race;
    struct runner *runner = memory_allocate(best->rows->count, sizeof *runner);
    void **context = memory_allocate(best->rows->count, sizeof *context);
    if (runner == NULL || context == NULL) {
        free(runner);
        free(context);
        return fail_memory(failure, "the routers");
    }
    for (uint32_t i = 0; i < best->rows->count; i++) {
        runner[i].own = (struct stress_router){
            .router = best->rows->row[i].router,
            .set = &best->instance->set,
            .instance = best->instance,
            .limit = best->limit,
            .options = compared_router_options(&best->rows->row[i], best->options)};
        runner[i].is_quiet = best->options->quiet;
        context[i] = &runner[i];
    }
    struct race_plan plan = {best->rows->count, probe, context};
    if (race_run(&race, &plan, failure) == FAIL_NONE) {
        tell(best, &race, failure);
        race_free(&race);
    }
    free(runner);
    free(context);
    return failure->kind;
}
