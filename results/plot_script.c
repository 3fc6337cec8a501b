/* plot_script.c - the program for gnuplot that draws a plot.
 *
 * Method: the points stand in the program itself, so that it needs no other file. Panels share
 * their ranges, so that they compare at a glance, and one legend under all of them. A router has
 * its colour, its mark and its dashes: the colours are told apart by the colour-blind, marks and
 * dashes survive a printer without colours. Points are medians, bars reach from least to most. A fit's exponents stand
 * behind its method in the legend, and the coefficients of c1 S + c2 m behind these, of several panels the least and the
 * greatest; a sum has no line of its own, as it lies on the other where both fit.
 *
 * On the terminal a panel comes under the other, and colours are left out.
 */
#include "results/plot_page.h"
#include "results/plot_pareto.h"
#include "results/results_plot.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- texts ---- */

/* What the two axes say. */
static const char *const y_labels[PLOT_PARETO] = {"steps", "buffer peak  (packets at a node)",
                                                  "steps / lower bound"};

static const char *x_label_of(const struct plot *plot)
{
    return plot->kind == PLOT_BUFFERS ? "c  (congestion, messages to a node)"
           : plot->has_several        ? "l c n  (l: most messages from a node)"
                                      : "c n  (congestion times nodes)";
}

static void put_title(const struct plot *plot, FILE *out)
{
    static const char *const names[PLOT_PARETO] = {"Steps", "Buffer peak", "Steps / lower bound"};
    fprintf(out, "\"%s%s\\nmedians over seeds, bars from least to most%s\"", names[plot->kind],
            plot->copy == NULL                ? ""
            : strcmp(plot->copy, "free") == 0 ? "; copies are free"
                                              : "; copies cost a step",
            plot->panels > 0 ? "; larger marks: larger meshes" : "");
}

/* ---- data ---- */

/* Marks grow with the mesh, so that the lines of one router on several meshes are told apart; `nodes` is 0 where there is
 * but one. */
static double mark_size(uint64_t nodes)
{
    return nodes == 0 ? 0.8 : fmin(2.2, fmax(0.4, 0.13 * log2((double)nodes) - 0.3));
}

static void put_points(const char *name, uint32_t panel, uint32_t line,
                       const struct plot_point *point, uint32_t points, FILE *out)
{
    fprintf(out, "$%s%" PRIu32 "_%" PRIu32 " << END\n", name, panel, line);
    for (uint32_t i = 0; i < points; i++)
        fprintf(out, "%s%.10g %.10g %.10g %.10g %.3g %.10g\n",
                i > 0 && point[i].mesh != point[i - 1].mesh ? "\n" : "", point[i].x, point[i].y,
                point[i].least, point[i].most, mark_size(point[i].mesh), point[i].fit);
    fputs("END\n", out);
}

static void put_data(const struct plot *plot, FILE *out)
{
    for (uint32_t p = 0; p < plot->panels; p++)
        for (uint32_t i = 0; i <= plot->methods; i++) {
            const struct plot_line *line = &plot->panel[p].line[i];
            put_points("points", p, i, line->point, line->points, out);
            put_points("line", p, i, line->corner, line->corners, out);
        }
    if (plot->sets > 0)
        plot_bars_write_data(plot, out);
}

/* Marks a logarithmic axis, with a label at 1, 2 and 5 of every decade if its range is at most so many decades, else at
 * powers of ten. Versions of gnuplot differ in where they would put labels of their own. */
static void put_tics(char axis, double least, double most, double decades, FILE *out)
{
    const char *gap = "";
    double range = log10(most / least);
    if (!isfinite(range)) /* no points */
        return;
    bool is_long = range > decades;
    int powers = 1 + (int)(range / 10); /* from a label to the next, on a long axis */
    fprintf(out, "set %ctics (", axis);
    for (int decade = (int)floor(log10(least)); decade <= (int)ceil(log10(most)); decade++)
        for (int digit = 1; digit <= 9; digit++) {
            double at = digit * pow(10, decade);
            if (at < 0.999 * least || at > 1.001 * most)
                continue;
            if (is_long ? digit > 1 || decade % powers != 0
                        : digit != 1 && digit != 2 && digit != 5)
                fprintf(out, "%s'' %g 1", gap, at); /* small, without a label */
            else
                fprintf(out, "%s'%g' %g", gap, at, at);
            gap = ", ";
        }
    fputs(")\n", out);
}

static void put_axes(const struct plot *plot, FILE *out)
{
    double wide = 1.4, wide_x = 1.6; /* half a large mark on every side */
    double least_x = plot->least_x / wide_x, most_x = plot->most_x * wide_x;
    double least_y = plot->least_y / wide, most_y = plot->most_y * wide;
    if (plot->kind == PLOT_RATIO)
        least_y = 0.9; /* below the bound there is nothing */
    if (plot->kind == PLOT_STEPS) {
        least_y = fmin(least_y, sqrt(least_x));
        most_y = fmax(most_y, sqrt(most_x));
    }
    fprintf(out, "set logscale xy 10\nset xrange [%g:%g]\nset yrange [%g:%g]\n", least_x, most_x,
            least_y, most_y);
    if (plot->kind == PLOT_BUFFERS)
        fputs("set logscale x 2\nset format x '%g'\n", out);
    else
        put_tics('x', least_x, most_x, plot->panels == 1 ? 2.6 : 1.5, out);
    put_tics('y', least_y, most_y, 2.8, out);
}

/* ---- lines ---- */

/* A fit's line: thin, dark, dashed, on the line of its method. */
#define FIT "lc rgb 'gray10' dt (9,5) lw 0.9"

/* The curves of a method: its points with their bars, and their line. */
static void put_method(const struct plot *plot, uint32_t panel, uint32_t method, FILE *out)
{
    if (plot->panel[panel].line[method].points == 0)
        return;
    fprintf(out,
            "$points%" PRIu32 "_%" PRIu32 " using 1:2:3:4 with yerrorbars notitle lc rgb '%s' "
            "dt solid lw 1 pt 0 ps 0, \\\n  "
            "$points%" PRIu32 "_%" PRIu32
            " using 1:2:5 with points notitle lc rgb '%s' pt %d ps variable, \\\n  ",
            panel, method, plot_style[method].colour, panel, method, plot_style[method].colour,
            plot_style[method].mark);
    fprintf(out,
            "$line%" PRIu32 "_%" PRIu32 " using 1:2 with lines notitle lc rgb '%s' dt %s lw 1.5, "
            "\\\n  ",
            panel, method, plot_style[method].colour, plot_style[method].dashes);
}

/* The fit that the tables print, over all lines: it lies on them where a power law holds. */
static void put_fits(const struct plot *plot, uint32_t panel, FILE *out)
{
    for (uint32_t i = 0; i < plot->methods; i++)
        if (plot->panel[panel].line[i].corners > 0 && plot->panel[panel].line[i].corner[0].fit > 0)
            fprintf(out,
                    "$line%" PRIu32 "_%" PRIu32 " using 1:6 with lines notitle " FIT ", \\\n  ",
                    panel, i);
}

static void put_range(struct plot_range range, FILE *out)
{
    fprintf(out, "%.2f", range.least);
    if (range.most - range.least >= 0.005)
        fprintf(out, "..%.2f", range.most);
}

/* What exponents a method's fits have, over all panels. */
static void put_exponents(const struct plot *plot, uint32_t method, FILE *out)
{
    const struct plot_exponents *exponents = &plot->exponents[method];
    const struct plot_range range[2] = {exponents->c, exponents->n};
    const char *const name[2] = {plot->has_several ? "(l c)" : "c", "n"};
    fputs("'fit:", out);
    for (int i = 0; i < 2; i++) {
        if (range[i].least > range[i].most)
            continue;
        fprintf(out, " %s^", name[i]);
        put_range(range[i], out);
    }
    fputs("'", out);
}

/* The same of the coefficients of the sum. */
static void put_coefficients(const struct plot_exponents *exponents, FILE *out)
{
    fputs("'or ", out);
    put_range(exponents->of_s, out);
    fputs(" S + ", out);
    put_range(exponents->of_m, out);
    fputs(" m'", out);
}

static void put_bound(const struct plot *plot, uint32_t panel, FILE *out)
{
    static const char style[] = "lc rgb 'black' dt solid lw 2.5",
                      dots[] = "lc rgb 'gray30' dt '.' lw 2";
    if (plot->kind == PLOT_STEPS && plot->panel[panel].line[plot->methods].points != 0)
        fprintf(out,
                "$line%" PRIu32 "_%" PRIu32 " using 1:2 with linespoints %s pt 1 ps 0.9, \\\n  ",
                panel, plot->methods, style);
    if (plot->kind == PLOT_STEPS)
        fprintf(out, "sqrt(x) with lines %s\n", dots);
    else if (plot->kind == PLOT_BUFFERS)
        fprintf(out, "x with lines %s\n", dots);
    else
        fprintf(out, "1 with lines %s\n", style);
}

/* The legend's curves have nothing but titles. A method with bars alone has the colour of its bars. */
static void put_titles(const struct plot *plot, FILE *out)
{
    const char *gap = "plot ";
    for (uint32_t i = 0; i < plot->methods; i++, gap = ", \\\n  ") {
        if (plot->panels > 0)
            fprintf(out, "%sNaN with linespoints lc rgb '%s' dt %s lw 1.5 pt %d ps 0.8 title ", gap,
                    plot_style[i].colour, plot_style[i].dashes, plot_style[i].mark);
        else
            fprintf(out, "%sNaN with lines lc rgb '%s' lw 8 title ", gap, plot_style[i].colour);
        gnuplot_put_string(plot->method[i], out);
        if (!plot_has_fit(plot, i))
            continue;
        fprintf(out, ", \\\n  NaN with linespoints " FIT " pt %d ps 0.8 title ",
                plot_style[i].mark);
        put_exponents(plot, i, out);
        if (!plot_has_sum(plot, i))
            continue;
        fputs(", \\\n  NaN with points pt 0 lc rgb '#ffffffff' title ", out);
        put_coefficients(&plot->exponents[i], out);
    }
    if (plot->kind != PLOT_BUFFERS || plot->panels == 0)
        fprintf(out, "%sNaN with lines lc rgb 'black' dt solid lw 2.5 title '%s'", gap,
                plot->kind == PLOT_BUFFERS ? "c" : "lower bound");
    if (plot->kind != PLOT_RATIO && plot->panels > 0)
        fprintf(out, "%sNaN with lines lc rgb 'gray30' dt '.' lw 2 title '%s'", gap,
                plot->kind != PLOT_STEPS ? "c"
                : plot->has_several      ? "sqrt(l c n)"
                                         : "sqrt(c n)");
    fputc('\n', out);
}

/* ---- pages ---- */

enum { BARS_LEFT = 190 };

static uint32_t entries_of(const struct plot *plot)
{
    uint32_t entries = plot->methods + (plot->kind == PLOT_STEPS && plot->panels > 0 ? 2 : 1);
    for (uint32_t i = 0; i < plot->methods; i++)
        entries += plot_has_fit(plot, i) + plot_has_sum(plot, i);
    return entries;
}

static struct plot_page page_of(const struct plot *plot)
{
    return plot_page_of(plot->panels, plot->sets > 0 ? plot_bars_height(plot) : 0,
                        entries_of(plot));
}

/* The bars' panel is as wide as the page; the names of sets need room on the left. */
static void put_bars(const struct plot *plot, const struct plot_page *page, FILE *out)
{
    const char *colour[PLOT_MOST_METHODS];
    for (uint32_t i = 0; i < PLOT_MOST_METHODS; i++)
        colour[i] = plot_style[i].colour;
    double top = page->key + page->bars;
    fprintf(out, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n",
            (double)BARS_LEFT / page->width, (double)(page->width - PLOT_RIGHT) / page->width);
    fprintf(out, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
            (top - (plot->panels > 0 ? PLOT_TOP + 10 : 4)) / page->height,
            (double)(page->key + PLOT_BOTTOM) / page->height);
    fprintf(out, "set title %s\nset xlabel '%s'\n",
            plot->panels > 0 ? "'sets of files' offset 0,-0.6" : "''", y_labels[plot->kind]);
    plot_bars_write(plot, colour, out);
}

static void put_page(const struct plot *plot, enum plot_format format, FILE *out)
{
    struct plot_page page = page_of(plot);
    gnuplot_put_terminal(format, page.width, page.height, out);
    put_data(plot, out);
    fputs("set multiplot title ", out);
    put_title(plot, out);
    fputs("\nset grid xtics ytics lc rgb 'gray75' dt solid lw 0.5\nset samples 2\n"
          "set bars 0.5\nunset key\n",
          out);
    fprintf(out, "set xlabel '%s'\nset ylabel '%s'\n", x_label_of(plot), y_labels[plot->kind]);
    if (plot->panels > 0)
        put_axes(plot, out);
    for (uint32_t p = 0; p < plot->panels; p++) {
        plot_page_put_margins(&page, p, out);
        fputs("set title ", out);
        gnuplot_put_string(plot->panel[p].workload, out);
        fputs(" offset 0,-0.6\n", out);
        fputs("plot ", out);
        for (uint32_t i = 0; i < plot->methods; i++)
            put_method(plot, p, i, out);
        put_fits(plot, p, out);
        put_bound(plot, p, out);
    }
    if (plot->sets > 0)
        put_bars(plot, &page, out);
    plot_page_begin_key(&page, out);
    put_titles(plot, out);
    fputs("unset multiplot\n", out);
}

/* A letter a method; no lines, which a terminal draws as letters too, but for the bound's. */
static void put_letters(const struct plot *plot, uint32_t panel, FILE *out)
{
    fputs("plot ", out);
    if (plot->kind == PLOT_STEPS)
        fputs("sqrt(x) with dots title 'sqrt(c n)'", out);
    else if (plot->kind == PLOT_BUFFERS)
        fputs("x with dots title 'c'", out);
    else
        fputs("1 with lines lt 2 title 'lower bound'", out);
    if (plot->kind == PLOT_STEPS && plot->panel[panel].line[plot->methods].points != 0)
        fprintf(out,
                ", \\\n  $line%" PRIu32 "_%" PRIu32
                " using 1:2 with lines lt 2 title 'lower bound'",
                panel, plot->methods);
    for (uint32_t i = 0; i < plot->methods; i++) {
        if (plot->panel[panel].line[i].points == 0)
            continue;
        fprintf(out,
                ", \\\n  $points%" PRIu32 "_%" PRIu32 " using 1:2 with points pt %" PRIu32
                " title ",
                panel, i, i + 1);
        gnuplot_put_string(plot->method[i], out);
    }
    fputc('\n', out);
}

static void put_terminal_pages(const struct plot *plot, FILE *out)
{
    fprintf(out, "set terminal dumb noenhanced mono size 79,%d\n", 26 + (int)plot->methods);
    put_data(plot, out);
    fprintf(out,
            "set xlabel '%s'\nset ylabel '%s'\nset key outside below left vertical Left "
            "reverse maxrows 20\nset samples 60\n",
            x_label_of(plot), y_labels[plot->kind]);
    if (plot->panels > 0)
        put_axes(plot, out);
    for (uint32_t p = 0; p < plot->panels; p++) {
        fputs("set title ", out);
        gnuplot_put_string(plot->panel[p].workload, out);
        fputc('\n', out);
        put_letters(plot, p, out);
    }
    if (plot->sets > 0) {
        fprintf(out, "set title 'sets of files'\nset xlabel '%s'\n", y_labels[plot->kind]);
        plot_bars_write(plot, NULL, out);
    }
}

void plot_write_script(const struct plot *plot, enum plot_format format, FILE *out)
{
    fputs("set encoding utf8\n", out);
    if (plot->kind == PLOT_PARETO)
        pareto_write_script(plot->pareto, format, out);
    else if (format == PLOT_TERMINAL)
        put_terminal_pages(plot, out);
    else
        put_page(plot, format, out);
}
