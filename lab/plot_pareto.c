/* plot_pareto.c - steps against the fullest buffer, a panel for each set, with the runs that no
 * other run beats.
 *
 * Method: the groups come by sets, so a panel is a row of groups that follow each other. Its runs
 * are sorted by buffer, then steps; one is dominated if a run before it takes no more steps, unless
 * that is equal in both. The runs that are not dominated have large marks, a name, and a staircase
 * through them: below and left of it nothing was found, so there is room for the names.
 */
#include "lab/results_plot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A router with its parameters and capacity on a set, by its medians over seeds. */
struct pareto_run {
    const json_t *group;
    double buffer, steps; /* both above 0 */
    bool is_dominated;    /* another run of the panel is no worse in one and better in the other */
    bool is_in_front;     /* it is not dominated; of equal runs only the first */
};

static bool is_same_set(const json_t *one, const json_t *other)
{
    static const char *const keys[] = {"workload",       "file_hash",    "copy",
                                       "rows",           "cols",         "asked_congestion",
                                       "asked_per_node", "asked_degree", NULL};
    return plot_is_same(one, other, keys);
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

static const char *title_of(const json_t *set, struct chart *chart)
{
    static const char *const asked[][2] = {
        {"d", "asked_degree"}, {"c", "asked_congestion"}, {"l", "asked_per_node"}};
    const char *title = chart_text(chart, "%.60s %.0f x %.0f", results_text(set, "workload"),
                                   results_number(set, "rows"), results_number(set, "cols"));
    for (int i = 0; i < 3; i++)
        if (results_number(set, asked[i][1]) > 0)
            title = chart_text(chart, "%s, %s = %.0f", title, asked[i][0],
                               results_number(set, asked[i][1]));
    return strcmp(results_text(set, "copy"), "free") == 0
               ? chart_text(chart, "%s, free copies", title)
               : title;
}

/* Returns the text that distinguishes a run from others of its router, cut to the room of a panel.
 */
static const char *name_of(const json_t *group, struct chart *chart)
{
    enum { MOST = 28 };
    const char *name = results_text(group, "parameters");
    double buffer = results_number(group, "buffer_capacity");
    if (buffer > 0)
        name = chart_text(chart, "%s%sbuffer %.0f", name, *name == '\0' ? "" : ", ", buffer);
    if (*name == '\0')
        name = results_text(group, "router");
    return strlen(name) > MOST ? chart_text(chart, "%.*s..", MOST - 2, name) : name;
}

/* Adds the panel of some runs. All panels have a curve for each router, in the same order. */
static void add_panel(struct chart *chart, const struct pareto_run *run, uint32_t runs,
                      const char *const *router, uint32_t routers, uint32_t panels)
{
    struct chart_panel *panel = plot_panel(chart, panels);
    panel->title = title_of(run->group, chart);
    panel->x = (struct chart_axis){.label = "buffer peak  (packets at a node)", .scale = CHART_LOG};
    panel->y = (struct chart_axis){.label = "steps", .scale = CHART_LOG};
    struct chart_curve *front =
        chart_curve(panel, CHART_STAIRS, CHART_INK_FRONT, "no run is better in both");
    for (uint32_t k = 0; k < routers; k++) {
        struct chart_curve *curve = chart_subject(panel, CHART_MARKS, router[k], NULL);
        for (uint32_t i = 0; i < runs; i++)
            if (strcmp(results_text(run[i].group, "router"), router[k]) == 0) {
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
    for (size_t i = 0; i < json_array_size(groups->group); i++) {
        const json_t *group = json_array_get(groups->group, i);
        const char *name = results_text(group, "router");
        double buffer = results_number(group, "buffer_peak"),
               steps = results_number(group, "steps");
        uint32_t k = 0;
        if (!(buffer > 0 && steps > 0))
            continue;
        sets += *runs == 0 || !is_same_set(run[*runs - 1].group, group);
        run[(*runs)++] = (struct pareto_run){.group = group, .buffer = buffer, .steps = steps};
        while (k < *routers && strcmp(router[k], name) != 0)
            k++;
        if (k == PLOT_MOST_METHODS) {
            fail(failure, FAIL_USAGE,
                 "more than %d routers cannot be told apart; choose with --router",
                 PLOT_MOST_METHODS);
            break;
        }
        router[k] = name;
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
    struct pareto_run *run = chart_keep(chart, json_array_size(groups->group) * sizeof *run);
    if (run == NULL)
        return fail_memory(failure, "the points of a plot");
    uint32_t sets = list_runs(groups, run, &runs, router, &routers, failure);
    if (failure->kind != FAIL_NONE)
        return failure->kind;
    chart->title = "Steps against buffer peak, medians over seeds\nlarge marks: no other run takes "
                   "fewer steps and less buffer";
    for (uint32_t first = 0, end; first < runs; first = end) {
        for (end = first + 1; end < runs && is_same_set(run[first].group, run[end].group);)
            end++;
        mark_dominated(run + first, end - first);
        add_panel(chart, run + first, end - first, router, routers, sets);
    }
    return FAIL_NONE;
}
