/* results_plot.c - the lines of a plot, taken from groups of runs.
 *
 * Method: a panel a workload, a line a method. `steps` and `ratio` go over c n, because Theorems 1 to 3 speak of
 * sqrt(c n), or l c n where nodes send l messages; `buffers` goes over c, because Theorem 2 promises O(c) and Theorem
 * 3 a constant. Every group is a point. Each mesh has a line of its own, since c = 4 on a mesh of 4 n nodes and
 * c = 16 on one of n share an x and little else; where a mesh has several points with one x (other degrees), the line
 * goes through the geometric mean of their medians. The fit that the tables print is drawn where the runs are: at
 * their c and n. Sets that are files have bars instead (results/plot_bars.c).
 */
#include "results/results_plot.h"

#include "results/plot_pareto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const plot_names[PLOT_KINDS + 1] = {"steps", "buffers", "ratio", "pareto", NULL};

#define NOTHING ((struct plot_range){INFINITY, -INFINITY})

static double x_of(enum plot_kind kind, const struct results_group *group)
{
    return kind == PLOT_BUFFERS ? group->measure[MEASURE_CONGESTION].median
                                : results_group_load(group) * group->rows * group->cols;
}

enum results_measure plot_measure_of(enum plot_kind kind)
{
    static const enum results_measure measures[PLOT_PARETO] = {MEASURE_STEPS, MEASURE_BUFFER,
                                                               MEASURE_PER_BOUND};
    return measures[kind];
}

static int compare_points(const void *left, const void *right)
{
    const struct plot_point *a = left, *b = right;
    int by_mesh = (a->mesh > b->mesh) - (a->mesh < b->mesh);
    return by_mesh != 0 ? by_mesh : (a->x > b->x) - (a->x < b->x);
}

/* Where every mesh has one x alone, there is one line. */
static void join_meshes(struct plot_line *line)
{
    for (uint32_t i = 1; i < line->points; i++)
        if (line->point[i].mesh == line->point[i - 1].mesh &&
            line->point[i].x != line->point[i - 1].x)
            return;
    for (uint32_t i = 0; i < line->points; i++)
        line->point[i].mesh = 0;
    qsort(line->point, line->points, sizeof *line->point, compare_points);
}

/* Sorts the points and finds the corners of their line. That of the lower bound goes through the
 * least of its points, so that no run lies below it. */
static void find_corners(struct plot_line *line, bool is_bound)
{
    qsort(line->point, line->points, sizeof *line->point, compare_points);
    join_meshes(line);
    for (uint32_t i = 0, next; i < line->points; i = next) {
        double x = line->point[i].x, logs = 0, fits = 0, least = INFINITY;
        uint64_t mesh = line->point[i].mesh;
        for (next = i;
             next < line->points && line->point[next].x == x && line->point[next].mesh == mesh;
             next++) {
            logs += log(line->point[next].y);
            fits += log(line->point[next].fit); /* of 0, too: its exponential is 0 again */
            least = fmin(least, line->point[next].least);
        }
        line->corner[line->corners++] =
            (struct plot_point){.x = x,
                                .y = is_bound ? least : exp(logs / (next - i)),
                                .fit = exp(fits / (next - i)),
                                .mesh = mesh};
    }
}

/* Steps of a group as its fit has them. */
static double fitted(const struct results_fit *fit, const struct results_group *group)
{
    double c = isnan(fit->x.value) ? 0 : fit->x.value * log(results_group_load(group));
    double n =
        isnan(fit->y.value) ? 0 : fit->y.value * log((double)group->rows * (double)group->cols);
    return exp(fit->a.value + c + n);
}

/* The fit of a method on a workload; NULL: none that says anything. */
static const struct results_fit *find_fit(const struct results_fits *fits, const char *workload,
                                          const char *method)
{
    for (uint32_t i = 0; i < fits->count; i++)
        if (strcmp(fits->fit[i].of->workload, workload) == 0 &&
            strcmp(fits->fit[i].of->method, method) == 0 && !isnan(fits->fit[i].a.value))
            return &fits->fit[i];
    return NULL;
}

static void widen(struct plot_range *range, double value)
{
    if (isnan(value))
        return;
    range->least = fmin(range->least, value);
    range->most = fmax(range->most, value);
}

static void add_exponents(struct plot_exponents *exponents, const struct results_fit *fit)
{
    widen(&exponents->c, fit->x.value);
    widen(&exponents->n, fit->y.value);
    widen(&exponents->of_s, fit->sum.of_s);
    widen(&exponents->of_m, fit->sum.of_m);
}

static bool is_there(struct plot_range range)
{
    return range.least <= range.most;
}

bool plot_has_fit(const struct plot *plot, uint32_t method)
{
    return is_there(plot->exponents[method].c) || is_there(plot->exponents[method].n);
}

bool plot_has_sum(const struct plot *plot, uint32_t method)
{
    return is_there(plot->exponents[method].of_s);
}

/* Adds a point if there is one to draw on logarithmic axes. */
static void add_point(struct plot_line *line, double x, const struct results_group *group,
                      enum results_measure measure, const struct results_fit *fit)
{
    const struct results_spread *spread = &group->measure[measure];
    if (x > 0 && spread->least > 0)
        line->point[line->points++] = (struct plot_point){x,
                                                          spread->median,
                                                          spread->least,
                                                          spread->most,
                                                          fit == NULL ? 0 : fitted(fit, group),
                                                          (uint64_t)group->rows * group->cols};
}

/* The line of a method, or of the lower bound (the last). */
static enum failure_kind fill_line(struct plot *plot, struct plot_panel *panel, uint32_t index,
                                   const struct results_groups *groups,
                                   const struct results_fits *fits, struct failure *failure)
{
    const char *method = index == plot->methods ? NULL : plot->method[index];
    const struct results_fit *fit = method == NULL ? NULL : find_fit(fits, panel->workload, method);
    struct plot_line *line = &panel->line[index];
    line->point = memory_allocate(groups->count, sizeof *line->point);
    line->corner = memory_allocate(groups->count, sizeof *line->corner);
    if (line->point == NULL || line->corner == NULL)
        return fail_memory(failure, "the points of a plot");
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct results_group *group = &groups->group[i];
        if (*group->file_hash != '\0' || strcmp(group->workload, panel->workload) != 0)
            continue;
        if (method == NULL && plot->kind == PLOT_STEPS)
            add_point(line, x_of(plot->kind, group), group, MEASURE_BOUND, NULL);
        else if (method != NULL && strcmp(group->method, method) == 0)
            add_point(line, x_of(plot->kind, group), group, plot_measure_of(plot->kind), fit);
    }
    if (fit != NULL && line->points > 0)
        add_exponents(&plot->exponents[index], fit);
    find_corners(line, method == NULL);
    for (uint32_t i = 0; i < line->points; i++) {
        const struct plot_point *point = &line->point[i];
        plot->least_x = fmin(plot->least_x, point->x);
        plot->most_x = fmax(plot->most_x, point->x);
        plot->least_y = fmin(plot->least_y, point->least);
        plot->most_y = fmax(plot->most_y, point->most);
    }
    return FAIL_NONE;
}

static enum failure_kind fill_panel(struct plot *plot, struct plot_panel *panel,
                                    const struct results_groups *groups,
                                    const struct results_fits *fits, struct failure *failure)
{
    panel->line = memory_allocate(plot->methods + (size_t)1, sizeof *panel->line);
    if (panel->line == NULL)
        return fail_memory(failure, "the lines of a plot");
    for (uint32_t i = 0; i <= plot->methods; i++)
        if (fill_line(plot, panel, i, groups, fits, failure) != FAIL_NONE)
            return failure->kind;
    return FAIL_NONE;
}

/* The place of `name` among the names, adding it if there is room; `room` if there is none. */
static uint32_t place_in(const char *name, const char **names, uint32_t *count, uint32_t room)
{
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    if (*count == room)
        return room;
    names[(*count)++] = name;
    return *count - 1;
}

/* Which workloads and methods have anything to draw. */
static enum failure_kind name_all(struct plot *plot, const struct results_groups *groups,
                                  struct failure *failure)
{
    const char *workload[PLOT_MOST_PANELS];
    bool is_first = true;
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct results_group *group = &groups->group[i];
        if (!(x_of(plot->kind, group) > 0 && group->measure[plot_measure_of(plot->kind)].least > 0))
            continue;
        if (*group->file_hash == '\0' && place_in(group->workload, workload, &plot->panels,
                                                  PLOT_MOST_PANELS) == PLOT_MOST_PANELS)
            return fail(failure, FAIL_USAGE,
                        "more than %d workloads in one picture; choose with --pattern",
                        PLOT_MOST_PANELS);
        if (place_in(group->method, plot->method, &plot->methods, PLOT_MOST_METHODS) ==
            PLOT_MOST_METHODS)
            return fail(failure, FAIL_USAGE,
                        "more than %d lines cannot be told apart; choose with --router and --copy",
                        PLOT_MOST_METHODS);
        if (is_first)
            plot->copy = group->copy;
        else if (plot->copy != NULL && strcmp(plot->copy, group->copy) != 0)
            plot->copy = NULL;
        is_first = false;
        if (plot->panels > 0)
            plot->panel[plot->panels - 1].workload = workload[plot->panels - 1];
    }
    if (is_first)
        return fail(failure, FAIL_USAGE,
                    "no run has a figure above 0, and the axes are logarithmic");
    return FAIL_NONE;
}

static enum failure_kind make_pareto(struct plot *plot, const struct results_groups *groups,
                                     struct failure *failure)
{
    plot->pareto = memory_allocate(1, sizeof *plot->pareto);
    if (plot->pareto == NULL)
        return fail_memory(failure, "the points of a plot");
    if (pareto_make(plot->pareto, groups, failure) != FAIL_NONE)
        plot_free(plot);
    return failure->kind;
}

enum failure_kind plot_make(struct plot *plot, const struct results_groups *groups,
                            enum plot_kind kind, struct failure *failure)
{
    struct results_fits fits = {0};
    *plot = (struct plot){
        .kind = kind, .least_x = INFINITY, .most_x = 0, .least_y = INFINITY, .most_y = 0};
    if (kind == PLOT_PARETO)
        return make_pareto(plot, groups, failure);
    for (uint32_t i = 0; i < groups->count; i++)
        plot->has_several |= results_group_per_node(&groups->group[i]) > 1;
    for (uint32_t i = 0; i < PLOT_MOST_METHODS; i++)
        plot->exponents[i] = (struct plot_exponents){NOTHING, NOTHING, NOTHING, NOTHING};
    if (kind == PLOT_STEPS)
        results_fits_make(&fits, groups, failure);
    if (failure->kind == FAIL_NONE && name_all(plot, groups, failure) == FAIL_NONE)
        plot_bars_make(plot, groups, failure);
    for (uint32_t i = 0; i < plot->panels && failure->kind == FAIL_NONE; i++)
        fill_panel(plot, &plot->panel[i], groups, &fits, failure);
    results_fits_free(&fits);
    if (failure->kind != FAIL_NONE)
        plot_free(plot);
    return failure->kind;
}

void plot_free(struct plot *plot)
{
    if (plot->pareto != NULL)
        pareto_free(plot->pareto);
    free(plot->pareto);
    for (uint32_t i = 0; i < plot->panels; i++) {
        for (uint32_t j = 0; plot->panel[i].line != NULL && j <= plot->methods; j++) {
            free(plot->panel[i].line[j].point);
            free(plot->panel[i].line[j].corner);
        }
        free(plot->panel[i].line);
    }
    *plot = (struct plot){0};
}
