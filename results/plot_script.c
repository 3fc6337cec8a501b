/* plot_script.c - the program for gnuplot that draws a plot.
 *
 * Method: the points stand in the program itself, so that it needs no other file. Panels share
 * their ranges, so that they compare at a glance, and one legend under all of them. A router has
 * its colour, its mark and its dashes: the colours are told apart by the colour-blind, marks and
 * dashes survive a printer without colours. Points are medians, bars reach from least to most. A fit's exponents stand
 * behind its method in the legend, of several panels the least and the greatest.
 *
 * On the terminal a panel comes under the other, and colours are left out.
 */
#include "results/results_plot.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- texts ---- */

/* What the two axes say. */
static const char *const x_labels[PLOT_KINDS] = {"c n  (congestion times nodes)",
                                                 "c  (congestion, messages a node)",
                                                 "c n  (congestion times nodes)"};
static const char *const y_labels[PLOT_KINDS] = {"steps", "buffer peak  (packets at a node)",
                                                 "steps / lower bound"};

static void put_title(const struct plot *plot, FILE *out)
{
    static const char *const names[PLOT_KINDS] = {"Steps", "Buffer peak", "Steps / lower bound"};
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

/* Labels at 1, 2, 5 of every decade in a range of so many decades, at powers of ten in a longer
 * one. */
static void put_tics(char axis, double least, double most, double decades, FILE *out)
{
    static const double digits[] = {1, 2, 5};
    const char *gap = "";
    if (!(log10(most / least) <= decades)) { /* also where both are infinite */
        fprintf(out, "set format %c '10^{%%L}'\nset %ctics autofreq\n", axis, axis);
        return;
    }
    fprintf(out, "set %ctics (", axis);
    for (int decade = (int)floor(log10(least)); decade <= (int)ceil(log10(most)); decade++)
        for (int i = 0; i < 3; i++) {
            double at = digits[i] * pow(10, decade);
            if (at < least || at > most)
                continue;
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

/* gnuplot's numbers of marks (filled first) and the colours of Okabe and Ito, dark ones first. */
static const struct {
    const char *colour, *dashes;
    int mark;
} styles[PLOT_MOST_METHODS] = {
    {"#0072B2", "solid", 7},  {"#D55E00", "'-'", 5},   {"#009E73", "'_.'", 9},
    {"#E69F00", "solid", 13}, {"#CC79A7", "'-'", 11},  {"#56B4E9", "'_.'", 6},
    {"#0072B2", "'-'", 4},    {"#D55E00", "solid", 8}, {"#009E73", "'-'", 12},
    {"#E69F00", "'_.'", 10},  {"#CC79A7", "solid", 1}, {"#56B4E9", "'-'", 2},
};

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
            panel, method, styles[method].colour, panel, method, styles[method].colour,
            styles[method].mark);
    fprintf(out,
            "$line%" PRIu32 "_%" PRIu32 " using 1:2 with lines notitle lc rgb '%s' dt %s lw 1.5, "
            "\\\n  ",
            panel, method, styles[method].colour, styles[method].dashes);
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

/* What exponents a method's fits have, over all panels. */
static void put_exponents(const struct plot_exponents *exponents, FILE *out)
{
    const double value[2][2] = {{exponents->c.least, exponents->c.most},
                                {exponents->n.least, exponents->n.most}};
    fputs("'fit:", out);
    for (int i = 0; i < 2; i++) {
        if (value[i][0] > value[i][1])
            continue;
        fprintf(out, " %c^%.2f", "cn"[i], value[i][0]);
        if (value[i][1] - value[i][0] >= 0.005)
            fprintf(out, "..%.2f", value[i][1]);
    }
    fputs("'", out);
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
                    styles[i].colour, styles[i].dashes, styles[i].mark);
        else
            fprintf(out, "%sNaN with lines lc rgb '%s' lw 8 title ", gap, styles[i].colour);
        gnuplot_put_string(plot->method[i], out);
        if (!plot_has_fit(plot, i))
            continue;
        fprintf(out, ", \\\n  NaN with linespoints " FIT " pt %d ps 0.8 title ", styles[i].mark);
        put_exponents(&plot->exponents[i], out);
    }
    if (plot->kind != PLOT_BUFFERS || plot->panels == 0)
        fprintf(out, "%sNaN with lines lc rgb 'black' dt solid lw 2.5 title '%s'", gap,
                plot->kind == PLOT_BUFFERS ? "c" : "lower bound");
    if (plot->kind != PLOT_RATIO && plot->panels > 0)
        fprintf(out, "%sNaN with lines lc rgb 'gray30' dt '.' lw 2 title '%s'", gap,
                plot->kind == PLOT_STEPS ? "sqrt(c n)" : "c");
    fputc('\n', out);
}

/* ---- pages ---- */

/* Sizes in points of the page, the same for all formats. */
enum { PANEL_WIDTH = 360, PANEL_HEIGHT = 300, SINGLE_WIDTH = 520, SINGLE_HEIGHT = 400 };
enum {
    LEFT = 82, /* room for numbers of five digits and the axis beside them */
    RIGHT = 20,
    TOP = 26,
    BOTTOM = 52,
    TITLE = 44,
    KEY_LINE = 18,
    KEY_COLUMN = 250,
    BARS_LEFT = 190
};

struct page {
    uint32_t across, down, width, height, bars, key, key_columns;
};

static uint32_t entries_of(const struct plot *plot)
{
    uint32_t entries = plot->methods + (plot->kind == PLOT_STEPS && plot->panels > 0 ? 2 : 1);
    for (uint32_t i = 0; i < plot->methods; i++)
        entries += plot_has_fit(plot, i);
    return entries;
}

static struct page page_of(const struct plot *plot)
{
    struct page page = {.across = plot->panels <= 1 ? 1 : plot->panels <= 4 ? 2 : 3};
    page.down = (plot->panels + page.across - 1) / page.across; /* 0: bars alone */
    page.width = page.across == 1 ? SINGLE_WIDTH : page.across * PANEL_WIDTH;
    page.key_columns = page.width / KEY_COLUMN;
    page.key =
        (entries_of(plot) + page.key_columns - 1) / page.key_columns * KEY_LINE + KEY_LINE / 2;
    page.height = page.down * (page.across == 1 ? SINGLE_HEIGHT : PANEL_HEIGHT) + TITLE + page.key;
    page.bars = plot->sets > 0 ? plot_bars_height(plot) : 0;
    page.height += page.bars;
    return page;
}

static void put_margins(const struct page *page, uint32_t panel, FILE *out)
{
    double width = (double)page->width / page->across;
    double height = (double)(page->height - TITLE - page->key - page->bars) / page->down;
    double left = panel % page->across * width;
    double top = page->height - TITLE - panel / page->across * height;
    fprintf(out, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n",
            (left + LEFT) / page->width, (left + width - RIGHT) / page->width);
    fprintf(out, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
            (top - TOP) / page->height, (top - height + BOTTOM) / page->height);
}

/* The bars' panel is as wide as the page; the names of sets need room on the left. */
static void put_bars(const struct plot *plot, const struct page *page, FILE *out)
{
    const char *colour[PLOT_MOST_METHODS];
    for (uint32_t i = 0; i < PLOT_MOST_METHODS; i++)
        colour[i] = styles[i].colour;
    double top = page->key + page->bars;
    fprintf(out, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n",
            (double)BARS_LEFT / page->width, (double)(page->width - RIGHT) / page->width);
    fprintf(out, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
            (top - (plot->panels > 0 ? TOP + 10 : 4)) / page->height,
            (double)(page->key + BOTTOM) / page->height);
    fprintf(out, "set title %s\nset xlabel '%s' noenhanced\n",
            plot->panels > 0 ? "'sets of files' noenhanced offset 0,-0.6" : "''",
            y_labels[plot->kind]);
    plot_bars_write(plot, colour, out);
}

/* The legend is a plot without anything but titles. */
static void put_key(const struct plot *plot, const struct page *page, FILE *out)
{
    fputs("unset border\nunset tics\nunset xlabel\nunset ylabel\nunset title\nunset grid\n"
          "unset logscale\nset xrange [0:1]\nset yrange [0:1]\n",
          out);
    fprintf(out,
            "set lmargin at screen 0.02\nset rmargin at screen 0.98\n"
            "set tmargin at screen %.5f\nset bmargin at screen 0\n",
            (double)page->key / page->height);
    fprintf(
        out,
        "set key noenhanced center center horizontal Left reverse maxcols %u samplen 4 width 1\n",
        page->key_columns);
    put_titles(plot, out);
}

static void put_page(const struct plot *plot, enum plot_format format, FILE *out)
{
    struct page page = page_of(plot);
    gnuplot_put_terminal(format, page.width, page.height, out);
    put_data(plot, out);
    fputs("set multiplot title ", out);
    put_title(plot, out);
    fputs(" noenhanced\nset grid xtics ytics lc rgb 'gray75' dt solid lw 0.5\nset samples 2\n"
          "set bars 0.5\nunset key\n",
          out);
    fprintf(out, "set xlabel '%s' noenhanced\nset ylabel '%s' noenhanced\n", x_labels[plot->kind],
            y_labels[plot->kind]);
    if (plot->panels > 0)
        put_axes(plot, out);
    for (uint32_t p = 0; p < plot->panels; p++) {
        put_margins(&page, p, out);
        fputs("set title ", out);
        gnuplot_put_string(plot->panel[p].workload, out);
        fputs(" noenhanced offset 0,-0.6\n", out);
        fputs("plot ", out);
        for (uint32_t i = 0; i < plot->methods; i++)
            put_method(plot, p, i, out);
        put_fits(plot, p, out);
        put_bound(plot, p, out);
    }
    if (plot->sets > 0)
        put_bars(plot, &page, out);
    put_key(plot, &page, out);
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
            "reverse maxrows 20 noenhanced\nset samples 60\n",
            x_labels[plot->kind], y_labels[plot->kind]);
    if (plot->panels > 0)
        put_axes(plot, out);
    fputs("set format x '%g'\nset xtics autofreq\n", out);
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
    if (format == PLOT_TERMINAL)
        put_terminal_pages(plot, out);
    else
        put_page(plot, format, out);
}
