/* plot_pareto.c - steps against the fullest buffer, a panel a set, with the runs that no other run beats.
 *
 * Method: the groups come by sets, so a panel is a row of groups that follow each other. Its runs are sorted by
 * buffer, then steps; one is dominated if a run before it takes no more steps, unless that is equal in both. The runs
 * that are not dominated have large marks, a name, and a staircase through them: below and left of it nothing was
 * found, so there is room for the names (pareto_names.c).
 */
#include "results/plot_pareto.h"

#include "results/plot_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- from groups ---- */

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

static void name_panel(struct pareto_panel *panel, const struct results_group *of)
{
    char degree[20] = "", congestion[20] = "", per_node[20] = "";
    if (of->asked_degree > 0)
        snprintf(degree, sizeof degree, ", d = %" PRIu32, of->asked_degree);
    if (of->asked_congestion > 0)
        snprintf(congestion, sizeof congestion, ", c = %" PRIu32, of->asked_congestion);
    if (of->asked_per_node > 0)
        snprintf(per_node, sizeof per_node, ", l = %" PRIu32, of->asked_per_node);
    snprintf(panel->title, sizeof panel->title, "%.60s %" PRIu32 " x %" PRIu32 "%s%s%s%s",
             of->workload, of->rows, of->cols, degree, congestion, per_node,
             strcmp(of->copy, "free") == 0 ? ", free copies" : "");
}

static enum failure_kind place_router(struct pareto *pareto, const char *name, uint32_t *place,
                                      struct failure *failure)
{
    for (*place = 0; *place < pareto->routers; ++*place)
        if (strcmp(pareto->router[*place], name) == 0)
            return FAIL_NONE;
    if (pareto->routers == PARETO_MOST_ROUTERS)
        return fail(failure, FAIL_USAGE,
                    "more than %d routers cannot be told apart; choose with --router",
                    PARETO_MOST_ROUTERS);
    pareto->router[pareto->routers++] = name;
    return FAIL_NONE;
}

static enum failure_kind add_run(struct pareto *pareto, const struct results_group *group,
                                 struct failure *failure)
{
    struct pareto_run run = {.group = group,
                             .buffer = group->measure[MEASURE_BUFFER].median,
                             .steps = group->measure[MEASURE_STEPS].median};
    if (!(run.buffer > 0 && run.steps > 0))
        return FAIL_NONE;
    if (pareto->runs == 0 || !is_same_set(pareto->run[pareto->runs - 1].group, group)) {
        if (pareto->panels == PARETO_MOST_PANELS)
            return fail(failure, FAIL_USAGE,
                        "more than %d sets in one picture; choose with --pattern, --side, "
                        "--congestion and --copy",
                        PARETO_MOST_PANELS);
        struct pareto_panel *panel = &pareto->panel[pareto->panels++];
        *panel = (struct pareto_panel){.first = pareto->runs};
        name_panel(panel, group);
    }
    if (place_router(pareto, group->router, &run.router, failure) == FAIL_NONE) {
        pareto->run[pareto->runs++] = run;
        pareto->panel[pareto->panels - 1].end = pareto->runs;
    }
    return failure->kind;
}

enum failure_kind pareto_make(struct pareto *pareto, const struct results_groups *groups,
                              struct failure *failure)
{
    *pareto = (struct pareto){0};
    pareto->run = memory_allocate(groups->count, sizeof *pareto->run);
    pareto->name = memory_allocate(groups->count, sizeof *pareto->name);
    if (pareto->run == NULL || pareto->name == NULL)
        fail_memory(failure, "the points of a plot");
    for (uint32_t i = 0; i < groups->count && failure->kind == FAIL_NONE; i++)
        add_run(pareto, &groups->group[i], failure);
    if (failure->kind == FAIL_NONE && pareto->runs == 0)
        fail(failure, FAIL_USAGE, "no run has a figure above 0, and the axes are logarithmic");
    for (uint32_t i = 0; i < pareto->panels; i++)
        mark_dominated(pareto->run + pareto->panel[i].first,
                       pareto->panel[i].end - pareto->panel[i].first);
    if (failure->kind != FAIL_NONE)
        pareto_free(pareto);
    return failure->kind;
}

void pareto_free(struct pareto *pareto)
{
    free(pareto->run);
    free(pareto->name);
    *pareto = (struct pareto){0};
}

/* ---- data ---- */

static bool has_router(const struct pareto *pareto, const struct pareto_panel *panel,
                       uint32_t router)
{
    for (uint32_t i = panel->first; i < panel->end; i++)
        if (pareto->run[i].router == router)
            return true;
    return false;
}

/* In each panel a block a router, with the size of marks, and one of the runs that are not dominated. */
static void put_panel_data(const struct pareto *pareto, uint32_t index, FILE *out)
{
    const struct pareto_panel *panel = &pareto->panel[index];
    for (uint32_t router = 0; router < pareto->routers; router++) {
        if (!has_router(pareto, panel, router))
            continue;
        fprintf(out, "$runs%" PRIu32 "_%" PRIu32 " << END\n", index, router);
        for (uint32_t i = panel->first; i < panel->end; i++)
            if (pareto->run[i].router == router)
                fprintf(out, "%.10g %.10g %s\n", pareto->run[i].buffer, pareto->run[i].steps,
                        pareto->run[i].is_dominated ? "0.5" : "1.1");
        fputs("END\n", out);
    }
    fprintf(out, "$front%" PRIu32 " << END\n", index);
    for (uint32_t i = panel->first; i < panel->end; i++)
        if (pareto->run[i].is_in_front)
            fprintf(out, "%.10g %.10g\n", pareto->run[i].buffer, pareto->run[i].steps);
    fputs("END\n", out);
}

static void put_axes(const struct pareto_axes *axes, FILE *out)
{
    fputs("set logscale xy 10\n", out);
    for (int k = 0; k < 2; k++) {
        fprintf(out, "set %crange [%.10g:%.10g]\n", "xy"[k], exp(axes->from[k]), exp(axes->to[k]));
        gnuplot_put_log_marks("xy"[k], exp(axes->from[k]), exp(axes->to[k]), out);
    }
}

/* The names of a panel: right end, middle, text. */
static void put_names(const struct pareto *pareto, const struct pareto_axes *axes, uint32_t index,
                      FILE *out)
{
    fprintf(out, "$names%" PRIu32 " << END\n", index);
    for (uint32_t i = 0; i < pareto->names; i++) {
        fprintf(out, "%.10g %.10g ", pareto_axes_value(axes, 0, pareto->name[i].right),
                pareto_axes_value(axes, 1, pareto->name[i].middle));
        gnuplot_put_datum(pareto->name[i].text, out);
        fputc('\n', out);
    }
    fputs("END\n", out);
}

/* ---- pictures ---- */

static void put_panel(const struct pareto *pareto, const struct pareto_axes *axes, uint32_t index,
                      FILE *out)
{
    const struct pareto_panel *panel = &pareto->panel[index];
    fputs("set title ", out);
    gnuplot_put_string(panel->title, out);
    fputs(" offset 0,-0.6\n", out);
    put_axes(axes, out);
    fprintf(out, "plot $front%" PRIu32 " using 1:2 with steps lc rgb 'gray50' lw 1 notitle", index);
    for (uint32_t router = 0; router < pareto->routers; router++)
        if (has_router(pareto, panel, router))
            fprintf(out,
                    ", \\\n  $runs%" PRIu32 "_%" PRIu32
                    " using 1:2:3 with points lc rgb '%s' pt %d "
                    "ps variable notitle",
                    index, router, plot_style[router].colour, plot_style[router].mark);
    fprintf(out, ", \\\n  $names%" PRIu32 " using 1:2:3 with labels right font ',%d' notitle\n",
            index, PARETO_NAME_FONT);
}

static void put_titles(const struct pareto *pareto, FILE *out)
{
    fputs("plot ", out);
    for (uint32_t router = 0; router < pareto->routers; router++) {
        fprintf(out, "NaN with points lc rgb '%s' pt %d ps 1.1 title ", plot_style[router].colour,
                plot_style[router].mark);
        gnuplot_put_string(pareto->router[router], out);
        fputs(", \\\n  ", out);
    }
    fputs("NaN with lines lc rgb 'gray50' lw 1 title 'no run is better in both'\n", out);
}

static void put_page(struct pareto *pareto, enum plot_format format, FILE *out)
{
    struct plot_page page = plot_page_of(pareto->panels, 0, pareto->routers + 1);
    double width = plot_page_axes_width(&page), height = plot_page_axes_height(&page);
    struct pareto_axes axes[PARETO_MOST_PANELS];
    gnuplot_put_terminal(format, page.width, page.height, out);
    for (uint32_t i = 0; i < pareto->panels; i++) {
        axes[i] = pareto_axes_of(pareto, i, width, height);
        pareto_place_names(pareto, i, &axes[i]);
        put_panel_data(pareto, i, out);
        put_names(pareto, &axes[i], i, out);
    }
    fputs("set multiplot title \"Steps against buffer peak, medians over seeds\\n"
          "large marks: no other run takes fewer steps and less buffer\"\n"
          "set grid xtics ytics lc rgb 'gray75' dt solid lw 0.5\nunset key\n"
          "set xlabel 'buffer peak  (packets at a node)'\n"
          "set ylabel 'steps'\n",
          out);
    for (uint32_t i = 0; i < pareto->panels; i++) {
        plot_page_put_margins(&page, i, out);
        put_panel(pareto, &axes[i], i, out);
    }
    plot_page_begin_key(&page, out);
    put_titles(pareto, out);
    fputs("unset multiplot\n", out);
}

/* A letter a router, and stars over the runs that no other beats. */
static void put_terminal_pages(const struct pareto *pareto, FILE *out)
{
    fprintf(out, "set terminal dumb noenhanced mono size 79,%d\n", 27 + (int)pareto->routers);
    fputs("set xlabel 'buffer peak  (packets at a node)'\nset ylabel 'steps'\n"
          "set key outside below left vertical Left reverse maxrows 20\n",
          out);
    for (uint32_t i = 0; i < pareto->panels; i++) {
        const struct pareto_panel *panel = &pareto->panel[i];
        put_panel_data(pareto, i, out);
        struct pareto_axes axes = pareto_axes_of(pareto, i, 1, 1);
        put_axes(&axes, out);
        fputs("set title ", out);
        gnuplot_put_string(panel->title, out);
        fprintf(out,
                "\nplot $front%" PRIu32
                " using 1:2 with steps lt 3 title 'no run is better in both'",
                i);
        for (uint32_t router = 0; router < pareto->routers; router++) {
            if (!has_router(pareto, panel, router))
                continue;
            fprintf(out,
                    ", \\\n  $runs%" PRIu32 "_%" PRIu32 " using 1:2 with points pt %" PRIu32
                    " title ",
                    i, router, router + 1);
            gnuplot_put_string(pareto->router[router], out);
        }
        fputc('\n', out);
    }
}

void pareto_write_script(struct pareto *pareto, enum plot_format format, FILE *out)
{
    if (format == PLOT_TERMINAL)
        put_terminal_pages(pareto, out);
    else
        put_page(pareto, format, out);
}
