/* results_plot.c - the charts of steps, buffers and ratios, and of steps against buffers, from
 * groups of runs.
 *
 * Method: a panel for each workload, a line for each method. `steps` and `ratio` go over c n,
 * because Theorems 1 to 3 speak of sqrt(c n), or l c n if nodes send l messages; `buffers` goes
 * over c, because Theorem 2 promises O(c) and Theorem 3 a constant. Every group is a point. Each
 * mesh has a line of its own, since c = 4 on a mesh of 4 n nodes and c = 16 on one of n have the
 * same x and little else in common; if a mesh has several points with one x (other degrees), the
 * line goes through the geometric mean of their medians. The fit that the tables print is drawn at
 * the runs' c and n.
 *
 * A set that is a file belongs to no family that grows, so it has no place on an axis of c n. These
 * sets share a panel of bars, a row for each; a rule through a row is the set's lower bound (for
 * buffers, c).
 *
 * `pareto` has a panel for each set: groups are ordered by sets, so it is a row of successive
 * groups. Its runs are sorted by buffer, then steps; one is dominated if a run before it needs no
 * more steps, unless that is equal in both. The runs that are not dominated have large marks, a
 * name, and a staircase through them: below and left of it nothing was found, so there is room for
 * the names.
 */
#include "lab/results_plot.h"

#include "base/output_file.h"
#include "chart/chart.h"
#include "library/report_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 9, MOST_METHODS = 12, MOST_SETS = 24, NONE = UINT32_MAX };

/* A group's place in the chart. */
struct place {
    const json_t *group;
    uint32_t workload, set, method;       /* workload, or that of a file set; else NONE */
    double x, y, least, most, fit, nodes; /* fit: 0 if there is none */
    double bound;                         /* the least of the lower bound, or of c for buffers */
};

/* Names in the order of their first appearance. */
struct names {
    uint32_t count;
    const char *name[MOST_SETS];
};

struct plot {
    enum plot_kind kind;
    struct chart *chart;
    const json_t *fits;
    uint32_t places;
    struct place *place; /* of the groups that are drawn */
    struct place *line;  /* room for those of a line */
    struct names methods, workloads, sets;
    bool has_several;       /* nodes of some set send several messages */
    double least_x, most_x; /* of all panels */
};

const char *const plot_names[PLOT_KINDS + 1] = {"steps", "buffers", "ratio", "pareto", NULL};

/* The contents of the kinds. */
static const struct {
    const char *title, *label, *key, *bound, *guide[2];
} kinds[PLOT_PARETO] = {
    {"Steps", "steps", "steps", "lower_bound_min", {"sqrt(c n)", "sqrt(l c n)"}},
    {"Buffer peak",
     "buffer peak  (packets at a node)",
     KEY_BUFFER_PEAK,
     "congestion_min",
     {"c", "c"}},
    {"Steps / lower bound",
     "steps / lower bound",
     KEY_STEPS_PER_LOWER_BOUND,
     "congestion_min",
     {"lower bound", "lower bound"}},
};

/* Adds one of so many panels in the columns that suit them. */
static struct chart_panel *add_one_of(struct chart *chart, uint32_t panels)
{
    chart->columns = panels <= 1 ? 1 : panels <= 4 ? 2 : 3;
    return panels == 1 ? chart_panel(chart, 418, 322) : chart_panel(chart, 258, 222);
}

/* Returns the index of a name, which is added if it is new; NONE: no room. */
static uint32_t index_of(struct names *names, const char *name, uint32_t room)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0)
            return i;
    if (names->count == room)
        return NONE;
    names->name[names->count] = name;
    return names->count++;
}

/* ---- fits ---- */

/* Returns the fit of the line that a group is on; NULL: none. */
static const json_t *fit_of(const struct plot *plot, const json_t *group)
{
    size_t i;
    json_t *fit;
    json_array_foreach(plot->fits, i, fit)
    {
        if (strcmp(results_text(fit, "line"), results_text(group, "line")) == 0)
            return isnan(results_number(fit, "constant")) ? NULL : fit;
    }
    return NULL;
}

/* Returns the steps that a fit gives a group; 0: no fit. */
static double fitted(const json_t *fit, const json_t *group)
{
    double x = results_number(fit, "exponent_c"), y = results_number(fit, "exponent_n");
    double c = isnan(x) ? 0 : x * log(results_group_load(group));
    double n = isnan(y) ? 0 : y * log(results_group_nodes(group));
    return fit == NULL ? 0 : exp(results_number(fit, "constant") + c + n);
}

/* Returns the least and the greatest value of a coefficient over a method's fits, "0.5..0.6" or one
 * value with the text before and after it, or "" if no fit has one. */
static const char *range_text(const struct plot *plot, uint32_t method, const char *key,
                              const char *before, const char *after)
{
    double least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; i < plot->places; i++) {
        const struct place *place = &plot->place[i];
        if (place->method != method || !(place->fit > 0))
            continue;
        double value = results_number(fit_of(plot, place->group), key);
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
static void add_key(const struct plot *plot, uint32_t method, struct chart_panel *panel)
{
    const char *name = plot->methods.name[method];
    chart_subject(panel, CHART_LINE | CHART_MARKS, name, name);
    const char *of_c =
        range_text(plot, method, "exponent_c", plot->has_several ? " (l c)^" : " c^", "");
    const char *of_n = range_text(plot, method, "exponent_n", " n^", "");
    const char *of_s = range_text(plot, method, "coefficient_s", "or ", " S + ");
    if (*of_c == '\0' && *of_n == '\0')
        return;
    chart_subject(panel, CHART_LINE | CHART_MARKS, name,
                  chart_text(plot->chart, "fit:%s%s", of_c, of_n))
        ->ink = CHART_INK_FIT;
    if (*of_s != '\0')
        chart_curve(panel, 0, CHART_INK_FIT,
                    chart_text(plot->chart, "%s%s", of_s,
                               range_text(plot, method, "coefficient_m", "", " m")));
}

/* ---- lines ---- */

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    int by_mesh = (a->nodes > b->nodes) - (a->nodes < b->nodes);
    return by_mesh != 0 ? by_mesh : (a->x > b->x) - (a->x < b->x);
}

/* Sorts places by mesh and x; if no mesh has two x, one line joins the meshes. */
static void sort_places(struct place *place, uint32_t places)
{
    qsort(place, places, sizeof *place, compare_places);
    for (uint32_t i = 1; i < places; i++)
        if (place[i].nodes == place[i - 1].nodes && place[i].x != place[i - 1].x)
            return;
    for (uint32_t i = 0; i < places; i++)
        place[i].nodes = 0;
    qsort(place, places, sizeof *place, compare_places);
}

/* Adds the corners of a line, and of its fit: through the geometric means of the places that have
 * the same x; those of the lower bound (no fit) at the least, so that no run is below it. */
static void add_corners(const struct place *place, uint32_t places, struct chart_curve *line,
                        struct chart_curve *fit)
{
    for (uint32_t i = 0, next; i < places; i = next) {
        double logs = 0, fits = 0, least = INFINITY;
        for (next = i; next < places && compare_places(&place[next], &place[i]) == 0; next++) {
            logs += log(place[next].y);
            fits += log(place[next].fit);
            least = fmin(least, place[next].bound);
        }
        bool breaks = i > 0 && place[i].nodes != place[i - 1].nodes;
        chart_point(line, place[i].x, fit == NULL ? least : exp(logs / (next - i)))->breaks =
            breaks;
        if (fit != NULL && place[i].fit > 0)
            chart_point(fit, place[i].x, exp(fits / (next - i)))->breaks = breaks;
    }
}

/* Returns the size of marks, which grows with the mesh, to distinguish the lines of one router on
 * several meshes. */
static double mark_size(double nodes)
{
    return nodes == 0 ? 0.8 : fmin(2.2, fmax(0.4, 0.13 * log2(nodes) - 0.3));
}

/* Lists the places of a method, or those of all that have a lower bound (NONE), on a workload;
 * returns their number. */
static uint32_t list_line(const struct plot *plot, uint32_t workload, uint32_t method)
{
    uint32_t places = 0;
    for (uint32_t i = 0; i < plot->places; i++) {
        const struct place *place = &plot->place[i];
        if (place->workload == workload &&
            (method == NONE ? place->bound > 0 : place->method == method))
            plot->line[places++] = *place;
    }
    sort_places(plot->line, places);
    return places;
}

static void add_line(const struct plot *plot, uint32_t workload, uint32_t method,
                     struct chart_panel *panel)
{
    uint32_t places = list_line(plot, workload, method);
    const char *name = plot->methods.name[method];
    struct chart_curve *marks =
        chart_subject(panel, CHART_MARKS | CHART_ERRORS, name, places > 0 ? name : NULL);
    for (uint32_t i = 0; i < places; i++) {
        const struct place *place = &plot->line[i];
        struct chart_point *point = chart_point(marks, place->x, place->y);
        point->low = place->least;
        point->high = place->most;
        point->size = mark_size(place->nodes);
    }
    add_corners(plot->line, places, chart_subject(panel, CHART_LINE, name, NULL),
                chart_curve(panel, CHART_LINE, CHART_INK_FIT, NULL));
}

/* Adds the reference line: sqrt(c n), c, or the lower bound. */
static void add_guide(const struct plot *plot, struct chart_panel *panel)
{
    enum chart_ink ink = plot->kind == PLOT_RATIO ? CHART_INK_BOUND : CHART_INK_GUIDE;
    struct chart_curve *curve =
        chart_curve(panel, CHART_LINE, ink, kinds[plot->kind].guide[plot->has_several]);
    panel->x.from = plot->least_x / 1.35;
    panel->x.to = plot->most_x * 1.35;
    for (int i = 0; i < 2; i++) {
        double x = i == 0 ? panel->x.from : panel->x.to;
        const double y[PLOT_PARETO] = {sqrt(x), x, 1};
        chart_point(curve, x, y[plot->kind]);
    }
}

static void add_panel(const struct plot *plot, uint32_t workload)
{
    struct chart_panel *panel = add_one_of(plot->chart, plot->workloads.count);
    panel->title = plot->workloads.name[workload];
    panel->x = (struct chart_axis){
        .label = plot->kind == PLOT_BUFFERS ? "c  (congestion, messages to a node)"
                 : plot->has_several        ? "l c n  (l: most messages from a node)"
                                            : "c n  (congestion times nodes)",
        .scale = CHART_LOG};
    panel->y = (struct chart_axis){.label = kinds[plot->kind].label, .scale = CHART_LOG};
    for (uint32_t i = 0; i < plot->methods.count && workload == 0; i++)
        add_key(plot, i, panel);
    for (uint32_t i = 0; i < plot->methods.count; i++)
        add_line(plot, workload, i, panel);
    if (plot->kind == PLOT_STEPS) {
        uint32_t places = list_line(plot, workload, NONE);
        add_corners(plot->line, places,
                    chart_curve(panel, CHART_LINE | CHART_MARKS, CHART_INK_BOUND,
                                places > 0 ? "lower bound" : NULL),
                    NULL);
    }
    add_guide(plot, panel);
}

/* ---- bars ---- */

/* Returns the name of a set's file. */
static const char *file_of_set(const struct plot *plot, uint32_t set)
{
    uint32_t i = 0;
    while (plot->place[i].set != set)
        i++;
    return results_text(plot->place[i].group, "workload");
}

/* Returns the name of a set, without its middle if it is long, and with a number if an earlier set
 * has the same. */
static const char *name_of_set(const struct plot *plot, uint32_t set)
{
    enum { LETTERS = 24, LAST_LETTERS = 13 };
    const char *whole = file_of_set(plot, set), *name = whole;
    size_t length = strlen(whole);
    uint32_t earlier = 0;
    for (uint32_t i = 0; i < set; i++)
        earlier += strcmp(file_of_set(plot, i), whole) == 0;
    if (length > LETTERS)
        name = chart_text(plot->chart, "%.*s..%s", LETTERS - LAST_LETTERS, whole,
                          whole + length - LAST_LETTERS);
    return earlier == 0 ? name : chart_text(plot->chart, "%s (%" PRIu32 ")", name, earlier + 1);
}

static void add_bars(const struct plot *plot, uint32_t method, struct chart_panel *panel)
{
    const double full = 0.8, part = full / plot->methods.count;
    const char *name = plot->methods.name[method];
    struct chart_curve *bars = chart_subject(panel, CHART_BARS, name, name);
    struct chart_curve *spread = chart_curve(panel, CHART_ACROSS, CHART_INK_SPREAD, NULL);
    for (uint32_t set = 0; set < plot->sets.count; set++)
        for (uint32_t i = 0; i < plot->places; i++) {
            const struct place *place = &plot->place[i];
            if (place->set != set || place->method != method)
                continue;
            double y = set - full / 2 + (method + 0.5) * part;
            chart_point(bars, place->y, y)->size = part / 2;
            struct chart_point *point = chart_point(spread, place->y, y);
            point->low = place->least;
            point->high = place->most;
        }
}

/* Adds a rule at the lower bound of each set, of buffers at c: the least that a group has. */
static void add_rules(const struct plot *plot, struct chart_panel *panel)
{
    struct chart_curve *rules = chart_curve(panel, CHART_RULES, CHART_INK_BOUND,
                                            plot->kind == PLOT_BUFFERS ? "c" : "lower bound");
    for (uint32_t set = 0; set < plot->sets.count; set++) {
        double least = plot->kind == PLOT_RATIO ? 1 : INFINITY;
        for (uint32_t i = 0; i < plot->places && plot->kind != PLOT_RATIO; i++)
            if (plot->place[i].set == set && plot->place[i].bound > 0)
                least = fmin(least, plot->place[i].bound);
        if (isfinite(least))
            chart_point(rules, least, set)->size = 0.45;
    }
}

static void add_sets(const struct plot *plot)
{
    const char **name = chart_keep(plot->chart, plot->sets.count * sizeof *name);
    struct chart_panel *panel =
        chart_panel(plot->chart, 330, plot->sets.count * (plot->methods.count * 11 + 10.0));
    if (name == NULL)
        return;
    for (uint32_t i = 0; i < plot->sets.count; i++)
        name[i] = name_of_set(plot, i);
    panel->is_wide = true;
    panel->title = plot->workloads.count > 0 ? "sets of files" : NULL;
    panel->x = (struct chart_axis){
        .label = kinds[plot->kind].label, .scale = CHART_LOG_IF_FAR, .is_real = true};
    panel->y = (struct chart_axis){.name = name, .names = plot->sets.count};
    for (uint32_t i = 0; i < plot->methods.count; i++)
        add_bars(plot, i, panel);
    add_rules(plot, panel);
}

/* ---- steps, buffers, ratio ---- */

static enum failure_kind fail_too_many(struct failure *failure, int most, const char *what,
                                       const char *options)
{
    return fail(failure, FAIL_USAGE, "more than %d %s; choose with %s", most, what, options);
}

/* Adds the place of a group unless it has nothing to draw. */
static enum failure_kind add_place(struct plot *plot, const json_t *group, struct failure *failure)
{
    char least[48], most[48];
    const char *key = kinds[plot->kind].key;
    bool is_file = *results_text(group, "file_hash") != '\0';
    snprintf(least, sizeof least, "%s_min", key);
    snprintf(most, sizeof most, "%s_max", key);
    struct place place = {.group = group,
                          .workload = NONE,
                          .set = NONE,
                          .x = results_number(group, "congestion"),
                          .y = results_number(group, key),
                          .least = results_number(group, least),
                          .most = results_number(group, most),
                          .nodes = results_group_nodes(group),
                          .bound = results_number(group, kinds[plot->kind].bound)};
    if (plot->kind != PLOT_BUFFERS)
        place.x = results_group_load(group) * place.nodes;
    if (!(place.x > 0 && place.least > 0))
        return FAIL_NONE;
    place.method = index_of(&plot->methods, results_text(group, "method"), MOST_METHODS);
    if (is_file)
        place.set = index_of(&plot->sets, results_text(group, "file"), MOST_SETS);
    else
        place.workload = index_of(&plot->workloads, results_text(group, "workload"), MOST_PANELS);
    if (!is_file && place.workload == NONE)
        return fail_too_many(failure, MOST_PANELS, "workloads in one picture", "--pattern");
    if (place.method == NONE)
        return fail_too_many(failure, MOST_METHODS, "lines cannot be told apart",
                             "--router and --copy");
    if (is_file && place.set == NONE)
        return fail_too_many(failure, MOST_SETS, "sets in one picture", "--pattern");
    if (!is_file) {
        place.fit = fitted(fit_of(plot, group), group);
        plot->least_x = fmin(plot->least_x, place.x);
        plot->most_x = fmax(plot->most_x, place.x);
    }
    plot->place[plot->places++] = place;
    return FAIL_NONE;
}

static enum failure_kind fail_nothing(struct failure *failure)
{
    return fail(failure, FAIL_USAGE, "no run has a figure above 0, and the axes are logarithmic");
}

static enum failure_kind fill_lines(struct plot *plot, const struct results_groups *groups,
                                    struct failure *failure)
{
    struct chart *chart = plot->chart;
    size_t i, count = json_array_size(groups->group);
    const json_t *group;
    plot->place = chart_keep(chart, count * sizeof *plot->place);
    plot->line = chart_keep(chart, count * sizeof *plot->line);
    if (plot->place == NULL || plot->line == NULL)
        return fail_memory(failure, "the points of a plot");
    json_array_foreach(groups->group, i, group)
    {
        if (add_place(plot, group, failure) != FAIL_NONE)
            return failure->kind;
    }
    if (plot->places == 0)
        return fail_nothing(failure);
    chart->title = chart_text(chart, "%s%s\nmedians over seeds, bars from least to most%s",
                              kinds[plot->kind].title, results_copy_text(groups),
                              plot->workloads.count > 0 ? "; larger marks: larger meshes" : "");
    chart->is_shared = true;
    for (uint32_t workload = 0; workload < plot->workloads.count; workload++)
        add_panel(plot, workload);
    if (plot->sets.count > 0)
        add_sets(plot);
    return FAIL_NONE;
}

/* ---- pareto ---- */

/* A router with its parameters and capacity on a set, by its medians over seeds. */
struct pareto_run {
    const json_t *group;
    double buffer, steps; /* both above 0 */
    bool is_dominated;    /* another run of the panel is no worse in one and better in the other */
    bool is_in_front;     /* it is not dominated; of equal runs only the first */
};

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
    double buffer = results_number(group, KEY_BUFFER_CAPACITY);
    if (buffer > 0)
        name = chart_text(chart, "%s%sbuffer %.0f", name, *name == '\0' ? "" : ", ", buffer);
    if (*name == '\0')
        name = results_text(group, "router");
    return strlen(name) > MOST ? chart_text(chart, "%.*s..", MOST - 2, name) : name;
}

/* Adds the panel of some runs. All panels have a curve for each router, in the same order. */
static void add_runs(struct chart *chart, const struct pareto_run *run, uint32_t runs,
                     const struct names *routers, uint32_t panels)
{
    struct chart_panel *panel = add_one_of(chart, panels);
    panel->title = title_of(run->group, chart);
    panel->x = (struct chart_axis){.label = "buffer peak  (packets at a node)", .scale = CHART_LOG};
    panel->y = (struct chart_axis){.label = "steps", .scale = CHART_LOG};
    struct chart_curve *front =
        chart_curve(panel, CHART_STAIRS, CHART_INK_FRONT, "no run is better in both");
    for (uint32_t k = 0; k < routers->count; k++) {
        const char *router = routers->name[k];
        struct chart_curve *curve = chart_subject(panel, CHART_MARKS, router, NULL);
        for (uint32_t i = 0; i < runs; i++)
            if (strcmp(results_text(run[i].group, "router"), router) == 0) {
                chart_point(curve, run[i].buffer, run[i].steps)->size =
                    run[i].is_dominated ? 0.5 : 1.1;
                curve->title = router;
            }
    }
    struct chart_curve *names = chart_curve(panel, CHART_NAMES, CHART_INK_NOTE, NULL);
    for (uint32_t i = 0; i < runs; i++)
        if (run[i].is_in_front) {
            chart_point(front, run[i].buffer, run[i].steps);
            chart_point(names, run[i].buffer, run[i].steps)->text = name_of(run[i].group, chart);
        }
}

static bool is_same_set(const struct pareto_run *one, const struct pareto_run *other)
{
    return strcmp(results_text(one->group, "setting"), results_text(other->group, "setting")) == 0;
}

static enum failure_kind fill_pareto(struct chart *chart, const struct results_groups *groups,
                                     struct failure *failure)
{
    struct names routers = {0};
    uint32_t runs = 0, sets = 0;
    size_t i;
    const json_t *group;
    struct pareto_run *run = chart_keep(chart, json_array_size(groups->group) * sizeof *run);
    if (run == NULL)
        return fail_memory(failure, "the points of a plot");
    json_array_foreach(groups->group, i, group)
    {
        run[runs] = (struct pareto_run){.group = group,
                                        .buffer = results_number(group, KEY_BUFFER_PEAK),
                                        .steps = results_number(group, "steps")};
        if (!(run[runs].buffer > 0 && run[runs].steps > 0))
            continue;
        sets += runs == 0 || !is_same_set(&run[runs - 1], &run[runs]);
        runs++;
        if (index_of(&routers, results_text(group, "router"), MOST_METHODS) == NONE)
            return fail_too_many(failure, MOST_METHODS, "routers cannot be told apart", "--router");
    }
    if (sets > MOST_PANELS)
        return fail_too_many(failure, MOST_PANELS, "sets in one picture",
                             "--pattern, --side, --congestion and --copy");
    if (sets == 0)
        return fail_nothing(failure);
    chart->title = "Steps against buffer peak, medians over seeds\nlarge marks: no other run takes "
                   "fewer steps and less buffer";
    for (uint32_t first = 0, end; first < runs; first = end) {
        for (end = first + 1; end < runs && is_same_set(&run[first], &run[end]);)
            end++;
        mark_dominated(run + first, end - first);
        add_runs(chart, run + first, end - first, &routers, sets);
    }
    return FAIL_NONE;
}

/* ---- the picture ---- */

enum failure_kind plot_fill_chart(struct chart *chart, const struct results_groups *groups,
                                  enum plot_kind kind, struct failure *failure)
{
    struct plot plot = {.kind = kind,
                        .chart = chart,
                        .has_several = results_number(groups->head, "several") > 0,
                        .least_x = INFINITY};
    json_t *fits = NULL;
    if (kind == PLOT_PARETO)
        return fill_pareto(chart, groups, failure);
    if (kind != PLOT_STEPS || results_fits_make(&fits, groups, failure) == FAIL_NONE) {
        plot.fits = fits;
        fill_lines(&plot, groups, failure);
    }
    json_decref(fits);
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
                            const char *path, FILE *terminal, struct failure *failure)
{
    struct chart chart;
    struct output_file file = {.file = terminal};
    struct drawing drawing = {0};
    enum plot_format format = PLOT_TERMINAL;
    chart_begin(&chart, 1);
    if ((path == NULL || plot_format_of(path, &format, failure) == FAIL_NONE) &&
        plot_fill_chart(&chart, groups, kind, failure) == FAIL_NONE &&
        chart_draw(&chart, format, "--csv", &drawing, failure) == FAIL_NONE &&
        (path == NULL || output_file_open(&file, path, failure) == FAIL_NONE)) {
        fwrite(drawing.text, 1, drawing.size, file.file); /* the close reports errors */
        if (path != NULL)
            output_file_close(&file, true, failure);
    }
    free(drawing.text);
    chart_free(&chart);
    return failure->kind;
}
