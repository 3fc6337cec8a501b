/* plot_pareto.c - steps against the fullest buffer, a panel for each set, with the runs that no other run beats.
 *
 * Method: the groups come by sets, so a panel is a row of groups that follow each other. Its runs are sorted by buffer,
 * then steps; one is dominated if a run before it takes no more steps, unless that is equal in both. The runs that are not
 * dominated have large marks, a name, and a staircase through them: below and left of it nothing was found, so there is
 * room for the names.
 */
#include "results/results_plot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A router with its parameters and capacity on a set, by its medians over seeds. */
struct pareto_run {
    const struct results_group *group;
    double buffer, steps; /* both above 0 */
    bool is_dominated;    /* another run of the panel is no worse in one and better in the other */
    bool is_in_front;     /* it is not dominated; of equal runs only the first */
};

static bool is_same_set(const struct results_group *a, const struct results_group *b)
{
    return strcmp(a->workload, b->workload) == 0 && strcmp(a->file_hash, b->file_hash) == 0 &&
           strcmp(a->copy, b->copy) == 0 && a->rows == b->rows && a->cols == b->cols &&
           a->asked_degree == b->asked_degree && a->asked_congestion == b->asked_congestion &&
           a->asked_per_node == b->asked_per_node;
}

static int compare_runs(const void *left, const void *right)
{
    const struct pareto_run *a = left, *b = right;
    int by_buffer = (a->buffer > b->buffer) - (a->buffer < b->buffer);
    return by_buffer != 0 ? by_buffer : (a->steps > b->steps) - (a->steps < b->steps);
}

/* Runs with the same figures are each as good as the others. */
static void mark_dominated(struct pareto_run *run, uint32_t runs)
{
    qsort(run, runs, sizeof *run, compare_runs);
    const struct pareto_run *best = run; /* of fewest steps so far, the first of these */
    for (uint32_t i = 0; i < runs; i++) {
        run[i].is_dominated = run[i].steps > best->steps ||
                              (run[i].steps == best->steps && run[i].buffer > best->buffer);
        run[i].is_in_front =
            !run[i].is_dominated && (i == 0 || compare_runs(&run[i - 1], &run[i]) != 0);
        if (run[i].steps < best->steps)
            best = &run[i];
    }
}

static const char *title_of(const struct results_group *of, struct chart *chart)
{
    const struct {
        const char *name;
        uint32_t value;
    } asked[] = {{"d", of->asked_degree}, {"c", of->asked_congestion}, {"l", of->asked_per_node}};
    const char *title =
        chart_text(chart, "%.60s %" PRIu32 " x %" PRIu32, of->workload, of->rows, of->cols);
    for (int i = 0; i < 3; i++)
        if (asked[i].value > 0)
            title = chart_text(chart, "%s, %s = %" PRIu32, title, asked[i].name, asked[i].value);
    return strcmp(of->copy, "free") == 0 ? chart_text(chart, "%s, free copies", title) : title;
}

/* Returns the text that distinguishes a run from others of its router, cut to the room of a panel. */
static const char *name_of(const struct results_group *group, struct chart *chart)
{
    enum { MOST = 28 };
    const char *name = group->parameters;
    if (group->asked_buffer > 0)
        name = chart_text(chart, "%s%sbuffer %" PRIu32, name, *name == '\0' ? "" : ", ",
                          group->asked_buffer);
    if (*name == '\0')
        name = group->router;
    return strlen(name) > MOST ? chart_text(chart, "%.*s..", MOST - 2, name) : name;
}

/* Adds the panel of some runs. All panels have a curve for each router, in the same order. */
static void add_panel(struct chart *chart, const struct pareto_run *run, uint32_t runs,
                      const char *const *router, uint32_t routers, bool is_single)
{
    struct chart_panel *panel = chart_panel(chart, is_single ? 418 : 258, is_single ? 322 : 222);
    panel->title = title_of(run->group, chart);
    panel->x = (struct chart_axis){.label = "buffer peak  (packets at a node)", .scale = CHART_LOG};
    panel->y = (struct chart_axis){.label = "steps", .scale = CHART_LOG};
    struct chart_curve *front =
        chart_curve(panel, CHART_STAIRS, CHART_INK_FRONT, "no run is better in both");
    for (uint32_t k = 0; k < routers; k++) {
        struct chart_curve *curve = chart_subject(panel, CHART_MARKS, router[k], NULL);
        for (uint32_t i = 0; i < runs; i++)
            if (strcmp(run[i].group->router, router[k]) == 0) {
                chart_point(curve, run[i].buffer, run[i].steps)->size =
                    run[i].is_dominated ? 0.5 : 1.1;
                curve->title = router[k];
            }
    }
    struct chart_curve *names = chart_curve(panel, CHART_NAMES, CHART_INK_NOTE, NULL);
    for (uint32_t i = 0; i < runs; i++)
        if (run[i].is_in_front) {
            chart_point(front, run[i].buffer, run[i].steps);
            chart_point(names, run[i].buffer, run[i].steps)->text = name_of(run[i].group, chart);
        }
}

/* Lists the runs that have a place on the axes, and their routers; returns the number of sets. */
static uint32_t list_runs(const struct results_groups *groups, struct pareto_run *run,
                          uint32_t *runs, const char **router, uint32_t *routers,
                          struct failure *failure)
{
    uint32_t sets = 0;
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct results_group *group = &groups->group[i];
        double buffer = group->measure[MEASURE_BUFFER].median,
               steps = group->measure[MEASURE_STEPS].median;
        uint32_t k = 0;
        if (!(buffer > 0 && steps > 0))
            continue;
        sets += *runs == 0 || !is_same_set(run[*runs - 1].group, group);
        run[(*runs)++] = (struct pareto_run){.group = group, .buffer = buffer, .steps = steps};
        while (k < *routers && strcmp(router[k], group->router) != 0)
            k++;
        if (k == PLOT_MOST_METHODS) {
            fail(failure, FAIL_USAGE,
                 "more than %d routers cannot be told apart; choose with --router",
                 PLOT_MOST_METHODS);
            break;
        }
        router[k] = group->router;
        *routers = k == *routers ? k + 1 : *routers;
    }
    if (failure->kind == FAIL_NONE && sets > PLOT_MOST_PANELS)
        fail(failure, FAIL_USAGE,
             "more than %d sets in one picture; choose with --pattern, --side, --congestion and "
             "--copy",
             PLOT_MOST_PANELS);
    if (failure->kind == FAIL_NONE && sets == 0)
        fail(failure, FAIL_USAGE, "no run has a figure above 0, and the axes are logarithmic");
    return sets;
}

enum failure_kind plot_fill_pareto(struct chart *chart, const struct results_groups *groups,
                                   struct failure *failure)
{
    const char *router[PLOT_MOST_METHODS];
    uint32_t runs = 0, routers = 0;
    struct pareto_run *run = chart_keep(chart, groups->count * sizeof *run);
    if (run == NULL)
        return fail_memory(failure, "the points of a plot");
    uint32_t sets = list_runs(groups, run, &runs, router, &routers, failure);
    if (failure->kind != FAIL_NONE)
        return failure->kind;
    chart->title = "Steps against buffer peak, medians over seeds\nlarge marks: no other run takes "
                   "fewer steps and less "
                   "buffer";
    chart->columns = sets == 1 ? 1 : sets <= 4 ? 2 : 3;
    for (uint32_t first = 0, end; first < runs; first = end) {
        for (end = first + 1; end < runs && is_same_set(run[first].group, run[end].group);)
            end++;
        mark_dominated(run + first, end - first);
        add_panel(chart, run + first, end - first, router, routers, sets == 1);
    }
    return FAIL_NONE;
}
