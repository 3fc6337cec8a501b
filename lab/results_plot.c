/* results_plot.c - the charts of steps, buffers and ratios, from groups of runs.
 *
 * Method: a panel for each workload, a line for each method. `steps` and `ratio` go over c n,
 * because Theorems 1 to 3 speak of sqrt(c n), or l c n where nodes send l messages; `buffers` goes
 * over c, because Theorem 2 promises O(c) and Theorem 3 a constant. Every group is a point. Each
 * mesh has a line of its own, since c = 4 on a mesh of 4 n nodes and c = 16 on one of n have the
 * same x and little else in common; if a mesh has several points with one x (other degrees), the
 * line goes through the geometric mean of their medians. The fit that the tables print is drawn
 * where the runs are: at their c and n.
 *
 * A set that is a file belongs to no family that grows, so it has no place on an axis of c n. These
 * sets share a panel of bars, a row for each; a rule through a row is the set's lower bound (for
 * buffers, c).
 */
#include "lab/results_plot.h"

#include "base/output_file.h"
#include "lab/results_fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A group's place on the axes. */
struct plot_point {
    double x, y, least, most, fit; /* fit: 0 if there is none */
    double mesh; /* nodes of the mesh to whose line it belongs; 0 for all where there is only one
                    line */
};

struct plot {
    enum plot_kind kind;
    const json_t *groups;
    json_t *fits;
    struct chart *chart;
    uint32_t methods, workloads, sets;
    const char *method[PLOT_MOST_METHODS], *workload[PLOT_MOST_PANELS];
    const json_t *set[PLOT_MOST_SETS]; /* the first group of each set that is a file */
    const char *copy;                  /* of all runs, or "" where they differ */
    bool has_several;                  /* nodes of some set send several messages */
    double least_x, most_x;            /* of all panels */
    struct plot_point *point;          /* [groups]: room for a line's points */
};

const char *const plot_names[PLOT_KINDS + 1] = {"steps", "buffers", "ratio", "pareto", NULL};

static const char *const y_labels[PLOT_PARETO] = {"steps", "buffer peak  (packets at a node)",
                                                  "steps / lower bound"};
static const char *const y_keys[PLOT_PARETO] = {"steps", "buffer_peak", "steps_per_lower_bound"};

/* Visits the groups. */
#define EACH_GROUP(i, plot)                                                                        \
    size_t i = 0;                                                                                  \
    i < json_array_size((plot)->groups);                                                           \
    i++

static bool is_file(const json_t *group)
{
    return *results_text(group, "file_hash") != '\0';
}

static bool has_text(const json_t *group, const char *key, const char *text)
{
    return strcmp(results_text(group, key), text) == 0;
}

static double x_of(enum plot_kind kind, const json_t *group)
{
    return kind == PLOT_BUFFERS ? results_number(group, "congestion")
                                : results_group_load(group) * results_group_nodes(group);
}

/* Returns the least or the greatest of a figure of a group, by the suffix "_min" or "_max". */
static double extreme_of(const json_t *group, const char *figure, const char *suffix)
{
    char key[64];
    snprintf(key, sizeof key, "%s%s", figure, suffix);
    return results_number(group, key);
}

static bool is_drawn(const struct plot *plot, const json_t *group)
{
    return x_of(plot->kind, group) > 0 && extreme_of(group, y_keys[plot->kind], "_min") > 0;
}

bool plot_is_same(const json_t *one, const json_t *other, const char *const *keys)
{
    for (; *keys != NULL; keys++) {
        const json_t *a = json_object_get(one, *keys), *b = json_object_get(other, *keys);
        if (a != b && !json_equal(a, b))
            return false;
    }
    return true;
}

struct chart_panel *plot_panel(struct chart *chart, uint32_t panels)
{
    chart->columns = panels <= 1 ? 1 : panels <= 4 ? 2 : 3;
    return panels == 1 ? chart_panel(chart, 418, 322) : chart_panel(chart, 258, 222);
}

/* ---- fits ---- */

/* Returns the steps that its fit gives a group. */
static double fitted(const json_t *fit, const json_t *group)
{
    double x = results_number(fit, "exponent_c"), y = results_number(fit, "exponent_n");
    double c = isnan(x) ? 0 : x * log(results_group_load(group));
    double n = isnan(y) ? 0 : y * log(results_group_nodes(group));
    return exp(results_number(fit, "constant") + c + n);
}

static const json_t *find_fit(const struct plot *plot, const char *workload, const char *method)
{
    for (size_t i = 0; i < json_array_size(plot->fits); i++) {
        const json_t *fit = json_array_get(plot->fits, i);
        if (has_text(fit, "method", method) && !isnan(results_number(fit, "constant")) &&
            has_text(fit, "workload", workload))
            return fit;
    }
    return NULL;
}

/* Returns the least and the greatest value of a coefficient over a method's fits, "0.5..0.6" or one
 * value with what is before and after it, or "" if no fit has one. */
static const char *range_text(const struct plot *plot, const char *method, const char *key,
                              const char *before, const char *after)
{
    double least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; i < plot->workloads; i++) {
        double value = results_number(find_fit(plot, plot->workload[i], method), key);
        least = fmin(least, value);
        most = fmax(most, value);
    }
    if (least > most)
        return "";
    return most - least < 0.005
               ? chart_text(plot->chart, "%s%.2f%s", before, least, after)
               : chart_text(plot->chart, "%s%.2f..%.2f%s", before, least, most, after);
}

/* Adds to the key a method, the exponents of its fits, and the coefficients of c1 S + c2 m. */
static void add_key(const struct plot *plot, const char *method, struct chart_panel *panel)
{
    chart_subject(panel, CHART_LINE | CHART_MARKS, method, method);
    const char *of_c =
        range_text(plot, method, "exponent_c", plot->has_several ? " (l c)^" : " c^", "");
    const char *of_n = range_text(plot, method, "exponent_n", " n^", "");
    const char *of_s = range_text(plot, method, "coefficient_s", "or ", " S + ");
    if (*of_c == '\0' && *of_n == '\0')
        return;
    chart_subject(panel, CHART_LINE | CHART_MARKS, method,
                  chart_text(plot->chart, "fit:%s%s", of_c, of_n))
        ->ink = CHART_INK_FIT;
    if (*of_s != '\0')
        chart_curve(panel, 0, CHART_INK_FIT,
                    chart_text(plot->chart, "%s%s", of_s,
                               range_text(plot, method, "coefficient_m", "", " m")));
}

/* ---- lines ---- */

static int compare_points(const void *left, const void *right)
{
    const struct plot_point *a = left, *b = right;
    int by_mesh = (a->mesh > b->mesh) - (a->mesh < b->mesh);
    return by_mesh != 0 ? by_mesh : (a->x > b->x) - (a->x < b->x);
}

/* Sorts points by mesh and x; if no mesh has two x, one line joins the meshes. */
static void sort_points(struct plot_point *point, uint32_t points)
{
    qsort(point, points, sizeof *point, compare_points);
    for (uint32_t i = 1; i < points; i++)
        if (point[i].mesh == point[i - 1].mesh && point[i].x != point[i - 1].x)
            return;
    for (uint32_t i = 0; i < points; i++)
        point[i].mesh = 0;
    qsort(point, points, sizeof *point, compare_points);
}

/* Adds the corners of a line, and of its fit: through the geometric means of the points that have
 * the same x; that of the lower bound (no fit) through the least, so that no run is below it. */
static void add_corners(const struct plot_point *point, uint32_t points, struct chart_curve *line,
                        struct chart_curve *fit)
{
    for (uint32_t i = 0, next; i < points; i = next) {
        double logs = 0, fits = 0, least = INFINITY;
        for (next = i;
             next < points && point[next].x == point[i].x && point[next].mesh == point[i].mesh;
             next++) {
            logs += log(point[next].y);
            fits += log(point[next].fit);
            least = fmin(least, point[next].least);
        }
        bool breaks = i > 0 && point[i].mesh != point[i - 1].mesh;
        chart_point(line, point[i].x, fit == NULL ? least : exp(logs / (next - i)))->breaks =
            breaks;
        if (point[i].fit > 0)
            chart_point(fit, point[i].x, exp(fits / (next - i)))->breaks = breaks;
    }
}

/* Returns the size of marks, which grows with the mesh, to distinguish the lines of one router on
 * several meshes. */
static double mark_size(double nodes)
{
    return nodes == 0 ? 0.8 : fmin(2.2, fmax(0.4, 0.13 * log2(nodes) - 0.3));
}

/* Lists the points of a method, or of the lower bound (NULL), on a workload in plot->point; returns
 * their number. */
static uint32_t list_points(const struct plot *plot, const char *workload, const char *method)
{
    const json_t *fit = method == NULL ? NULL : find_fit(plot, workload, method);
    const char *figure = method == NULL ? "lower_bound" : y_keys[plot->kind];
    uint32_t points = 0;
    for (EACH_GROUP(i, plot)) {
        const json_t *group = json_array_get(plot->groups, i);
        double x = x_of(plot->kind, group), least = extreme_of(group, figure, "_min");
        if (!is_file(group) && has_text(group, "workload", workload) && x > 0 && least > 0 &&
            (method == NULL || has_text(group, "method", method)))
            plot->point[points++] = (struct plot_point){x,
                                                        results_number(group, figure),
                                                        least,
                                                        extreme_of(group, figure, "_max"),
                                                        fit == NULL ? 0 : fitted(fit, group),
                                                        results_group_nodes(group)};
    }
    sort_points(plot->point, points);
    return points;
}

static void add_line(const struct plot *plot, const char *workload, const char *method,
                     struct chart_panel *panel)
{
    uint32_t points = list_points(plot, workload, method);
    struct chart_curve *marks =
        chart_subject(panel, CHART_MARKS | CHART_ERRORS, method, points > 0 ? method : NULL);
    for (uint32_t i = 0; i < points; i++) {
        const struct plot_point *from = &plot->point[i];
        struct chart_point *to = chart_point(marks, from->x, from->y);
        to->low = from->least;
        to->high = from->most;
        to->size = mark_size(from->mesh);
    }
    add_corners(plot->point, points, chart_subject(panel, CHART_LINE, method, NULL),
                chart_curve(panel, CHART_LINE, CHART_INK_FIT, NULL));
}

static void add_bound(const struct plot *plot, const char *workload, struct chart_panel *panel)
{
    uint32_t points = list_points(plot, workload, NULL);
    add_corners(plot->point, points,
                chart_curve(panel, CHART_LINE | CHART_MARKS, CHART_INK_BOUND,
                            points > 0 ? "lower bound" : NULL),
                NULL);
}

/* Adds the reference line: sqrt(c n), c, or the lower bound. */
static void add_guide(const struct plot *plot, struct chart_panel *panel)
{
    static const char *const titles[2][PLOT_PARETO] = {{"sqrt(c n)", "c", "lower bound"},
                                                       {"sqrt(l c n)", "c", "lower bound"}};
    enum chart_ink ink = plot->kind == PLOT_RATIO ? CHART_INK_BOUND : CHART_INK_GUIDE;
    struct chart_curve *curve =
        chart_curve(panel, CHART_LINE, ink, titles[plot->has_several][plot->kind]);
    panel->x.from = plot->least_x / 1.35;
    panel->x.to = plot->most_x * 1.35;
    for (int i = 0; i < 2; i++) {
        double x = i == 0 ? panel->x.from : panel->x.to;
        const double y[PLOT_PARETO] = {sqrt(x), x, 1};
        chart_point(curve, x, y[plot->kind]);
    }
}

static void add_panel(const struct plot *plot, const char *workload)
{
    bool is_first = plot->chart->panels == NULL;
    struct chart_panel *panel = plot_panel(plot->chart, plot->workloads);
    panel->title = workload;
    panel->x = (struct chart_axis){
        .label = plot->kind == PLOT_BUFFERS ? "c  (congestion, messages to a node)"
                 : plot->has_several        ? "l c n  (l: most messages from a node)"
                                            : "c n  (congestion times nodes)",
        .scale = CHART_LOG};
    panel->y = (struct chart_axis){.label = y_labels[plot->kind], .scale = CHART_LOG};
    for (uint32_t i = 0; i < plot->methods && is_first; i++)
        add_key(plot, plot->method[i], panel);
    for (uint32_t i = 0; i < plot->methods; i++)
        add_line(plot, workload, plot->method[i], panel);
    if (plot->kind == PLOT_STEPS)
        add_bound(plot, workload, panel);
    add_guide(plot, panel);
}

/* ---- bars ---- */

static bool is_of_set(const json_t *group, const json_t *set)
{
    static const char *const keys[] = {"workload", "file_hash", "rows", "cols", NULL};
    return is_file(group) && plot_is_same(group, set, keys);
}

/* Returns the name of a set, without its middle if it is long, and with a number if an earlier set
 * has the same. */
static const char *name_of_set(const struct plot *plot, uint32_t set)
{
    enum { LETTERS = 24, LAST_LETTERS = 13 };
    const char *whole = results_text(plot->set[set], "workload"), *name = whole;
    uint32_t earlier = 0;
    size_t length = strlen(whole);
    for (uint32_t i = 0; i < set; i++)
        earlier += has_text(plot->set[i], "workload", whole);
    if (length > LETTERS)
        name = chart_text(plot->chart, "%.*s..%s", LETTERS - LAST_LETTERS, whole,
                          whole + length - LAST_LETTERS);
    return earlier == 0 ? name : chart_text(plot->chart, "%s (%" PRIu32 ")", name, earlier + 1);
}

/* Returns the lower bound of a set, of buffers c: the least that a group has; 0: none. */
static double mark_of(const struct plot *plot, uint32_t set)
{
    double least = INFINITY;
    for (EACH_GROUP(i, plot)) {
        const json_t *group = json_array_get(plot->groups, i);
        double mark =
            extreme_of(group, plot->kind == PLOT_STEPS ? "lower_bound" : "congestion", "_min");
        if (mark > 0 && is_of_set(group, plot->set[set]) && is_drawn(plot, group))
            least = fmin(least, mark);
    }
    return plot->kind == PLOT_RATIO ? 1 : isfinite(least) ? least : 0;
}

static void add_bars(const struct plot *plot, uint32_t method, struct chart_panel *panel)
{
    const double full = 0.8, part = full / plot->methods;
    const char *name = plot->method[method], *figure = y_keys[plot->kind];
    struct chart_curve *bars = chart_subject(panel, CHART_BARS, name, name);
    struct chart_curve *spread = chart_curve(panel, CHART_ACROSS, CHART_INK_SPREAD, NULL);
    for (uint32_t i = 0; i < plot->sets; i++)
        for (EACH_GROUP(k, plot)) {
            const json_t *group = json_array_get(plot->groups, k);
            double x = results_number(group, figure), least = extreme_of(group, figure, "_min");
            if (!has_text(group, "method", name) || !is_of_set(group, plot->set[i]) || !(least > 0))
                continue;
            double y = i - full / 2 + (method + 0.5) * part;
            chart_point(bars, x, y)->size = part / 2;
            struct chart_point *point = chart_point(spread, x, y);
            point->low = least;
            point->high = extreme_of(group, figure, "_max");
        }
}

static void add_sets(const struct plot *plot)
{
    const char **name = chart_keep(plot->chart, plot->sets * sizeof *name);
    struct chart_panel *panel =
        chart_panel(plot->chart, 330, plot->sets * (plot->methods * 11 + 10.0));
    if (name == NULL)
        return;
    for (uint32_t i = 0; i < plot->sets; i++)
        name[i] = name_of_set(plot, i);
    panel->is_wide = true;
    panel->title = plot->workloads > 0 ? "sets of files" : NULL;
    panel->x = (struct chart_axis){
        .label = y_labels[plot->kind], .scale = CHART_LOG_IF_FAR, .is_real = true};
    panel->y = (struct chart_axis){.name = name, .names = plot->sets};
    for (uint32_t i = 0; i < plot->methods; i++)
        add_bars(plot, i, panel);
    struct chart_curve *rules = chart_curve(panel, CHART_RULES, CHART_INK_BOUND,
                                            plot->kind == PLOT_BUFFERS ? "c" : "lower bound");
    for (uint32_t i = 0; i < plot->sets; i++)
        if (mark_of(plot, i) > 0)
            chart_point(rules, mark_of(plot, i), i)->size = 0.45;
}

/* ---- the whole ---- */

/* Adds a name to a list of them if it is new; false: there is no room. */
static bool add_name(const char *name, const char **names, uint32_t *count, uint32_t room)
{
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    if (*count == room)
        return false;
    names[(*count)++] = name;
    return true;
}

static bool add_set(struct plot *plot, const json_t *group)
{
    for (uint32_t i = 0; i < plot->sets; i++)
        if (is_of_set(group, plot->set[i]))
            return true;
    if (plot->sets == PLOT_MOST_SETS)
        return false;
    plot->set[plot->sets++] = group;
    return true;
}

/* Lists the workloads, sets and methods that have anything to draw. */
static enum failure_kind list_all(struct plot *plot, struct failure *failure)
{
    for (EACH_GROUP(i, plot)) {
        const json_t *group = json_array_get(plot->groups, i);
        const char *copy = results_text(group, "copy");
        if (!is_drawn(plot, group))
            continue;
        if (!is_file(group) && !add_name(results_text(group, "workload"), plot->workload,
                                         &plot->workloads, PLOT_MOST_PANELS))
            return fail(failure, FAIL_USAGE,
                        "more than %d workloads in one picture; choose with --pattern",
                        PLOT_MOST_PANELS);
        if (!add_name(results_text(group, "method"), plot->method, &plot->methods,
                      PLOT_MOST_METHODS))
            return fail(failure, FAIL_USAGE,
                        "more than %d lines cannot be told apart; choose with --router and --copy",
                        PLOT_MOST_METHODS);
        if (is_file(group) && !add_set(plot, group))
            return fail(failure, FAIL_USAGE,
                        "more than %d sets in one picture; choose with --pattern", PLOT_MOST_SETS);
        if (!is_file(group)) {
            plot->least_x = fmin(plot->least_x, x_of(plot->kind, group));
            plot->most_x = fmax(plot->most_x, x_of(plot->kind, group));
        }
        plot->copy = plot->copy == NULL || strcmp(plot->copy, copy) == 0 ? copy : "";
    }
    if (plot->methods == 0)
        return fail(failure, FAIL_USAGE,
                    "no run has a figure above 0, and the axes are logarithmic");
    return FAIL_NONE;
}

enum failure_kind plot_fill_chart(struct chart *chart, const struct results_groups *groups,
                                  enum plot_kind kind, struct failure *failure)
{
    static const char *const names[PLOT_PARETO] = {"Steps", "Buffer peak", "Steps / lower bound"};
    struct plot plot = {.kind = kind,
                        .groups = groups->group,
                        .chart = chart,
                        .has_several = results_number(groups->head, "several") > 0,
                        .least_x = INFINITY};
    if (kind == PLOT_PARETO)
        return plot_fill_pareto(chart, groups, failure);
    plot.point = chart_keep(chart, json_array_size(groups->group) * sizeof *plot.point);
    if (plot.point == NULL)
        return fail_memory(failure, "the points of a plot");
    if (list_all(&plot, failure) == FAIL_NONE &&
        (kind != PLOT_STEPS || results_fits_make(&plot.fits, groups, failure) == FAIL_NONE)) {
        chart->title =
            chart_text(chart, "%s%s\nmedians over seeds, bars from least to most%s", names[kind],
                       *plot.copy == '\0'               ? ""
                       : strcmp(plot.copy, "free") == 0 ? "; copies are free"
                                                        : "; copies cost a step",
                       plot.workloads > 0 ? "; larger marks: larger meshes" : "");
        chart->is_shared = true;
        for (uint32_t i = 0; i < plot.workloads; i++)
            add_panel(&plot, plot.workload[i]);
        if (plot.sets > 0)
            add_sets(&plot);
    }
    json_decref(plot.fits);
    return failure->kind;
}

enum failure_kind plot_format_of(const char *path, enum plot_format *format,
                                 struct failure *failure)
{
    *format = PLOT_TERMINAL;
    if (strcmp(path, "-") == 0 || plot_format_find(path, format))
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "a picture is FILE.svg, FILE.png or FILE.pdf, or - for the terminal, not '%.200s'",
                path);
}

enum failure_kind plot_draw(const struct results_groups *groups, enum plot_kind kind,
                            const char *path, struct failure *failure)
{
    struct chart chart;
    struct output_file file;
    struct drawing drawing = {0};
    enum plot_format format;
    chart_begin(&chart, 1);
    if (plot_format_of(path, &format, failure) == FAIL_NONE &&
        plot_fill_chart(&chart, groups, kind, failure) == FAIL_NONE &&
        chart_draw(&chart, format, "--csv", &drawing, failure) == FAIL_NONE &&
        output_file_open(&file, path, failure) == FAIL_NONE) {
        fwrite(drawing.text, 1, drawing.size, file.file); /* the close reports what went wrong */
        output_file_close(&file, true, failure);
    }
    free(drawing.text);
    chart_free(&chart);
    return failure->kind;
}
