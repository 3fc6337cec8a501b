/* compare_plot.c - a comparison as a program for gnuplot.
 *
 * Method: two panels of bars, a row a router in the order of the table. On the left its steps, what is
 * synchronisation of them in a lighter colour at the end; on the right the packets of its fullest
 * node. Every bar has its figure beside it, for which a fifth of each panel stays free; what a router
 * without figures did stands instead of it. Colours differ in lightness, so greys tell the same; the
 * ground is white whatever the page around it is.
 */
#include "cli/compare_plot.h"

#include "base/extremes.h"

#include <inttypes.h>
#include <string.h>

/* Sizes in points. */
enum { WIDTH = 620, HEIGHT = 106, ROW_HEIGHT = 28, MARKS = 4 };
/* Letters of a name that need no more room than usual, and the most that are shown. */
enum { USUAL_NAME = 10, LONGEST_NAME = 26 };

/* The panels: where they begin and end, as shares of the width. */
struct panel {
    double left, right;
    const char *label;
    uint64_t most;
};

static void put_panel(const struct compare_plot *plot, const struct panel *panel, FILE *out)
{
    double height = HEIGHT + (double)ROW_HEIGHT * plot->bars;
    uint64_t most = panel->most > 0 ? panel->most : 1;
    fprintf(out,
            "set lmargin at screen %.3f\nset rmargin at screen %.3f\n"
            "set tmargin at screen %.3f\nset bmargin at screen %.3f\n",
            panel->left, panel->right, 1 - 36 / height, 60 / height);
    fprintf(out, "set xrange [0:%.6g]\nset xtics %" PRIu64 "\nset xlabel '%s'\n",
            1.25 * (double)most, gnuplot_mark_every(most, MARKS), panel->label);
}

static void put_names(const struct compare_plot *plot, FILE *out)
{
    fputs("set ytics (", out);
    for (uint32_t i = 0; i < plot->bars; i++) {
        fputs(i > 0 ? ", " : "", out);
        char name[LONGEST_NAME + 1];
        snprintf(name, sizeof name, "%s", plot->bar[i].router);
        gnuplot_put_tic(name, i, out);
    }
    fputs(") scale 0\n", out);
}

static void put_data(const struct compare_plot *plot, FILE *out)
{
    fputs("$bars << END\n", out);
    for (uint32_t i = 0; i < plot->bars; i++) {
        const struct compare_bar *bar = &plot->bar[i];
        fprintf(out, "%" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu32 " %s\n", i,
                bar->steps - bar->sync_steps, bar->steps, bar->buffer_peak,
                strcmp(bar->outcome, "delivers") == 0 ? "-" : bar->outcome);
    }
    fputs("END\n", out);
}

/* Bars from column `from` (or 0) to column `to` of the data. */
static void put_bars(const char *from, const char *to, const char *colour, FILE *out)
{
    fprintf(out,
            "$bars using ((%s + %s) / 2.):1:(%s):(%s):($1 - .3):($1 + .3) with boxxyerror "
            "fc rgb '%s' fs solid noborder",
            from, to, from, to, colour);
}

static void put_figures(const char *column, FILE *out)
{
    fprintf(out,
            ", \\\n  $bars using (%s):1:(strcol(5) eq '-' ? sprintf('%%d', %s) : strcol(5)) with "
            "labels left offset 0.6,0 textcolor rgb 'gray10'\n",
            column, column);
}

/* Where bars begin, as a share of the picture's width: behind the longest name. */
static double left_of_bars(const struct compare_plot *plot)
{
    size_t length = USUAL_NAME;
    for (uint32_t i = 0; i < plot->bars; i++)
        length = strlen(plot->bar[i].router) > length ? strlen(plot->bar[i].router) : length;
    return 0.155 + 0.0107 * (double)((length < LONGEST_NAME ? length : LONGEST_NAME) - USUAL_NAME);
}

void compare_write_script(const struct compare_plot *plot, enum plot_format format, FILE *script)
{
    struct panel steps = {.left = left_of_bars(plot), .right = 0.61, .label = "steps"};
    struct panel buffer = {.left = 0.66, .right = 0.975, .label = "packets in the fullest node"};
    uint64_t sync = 0;
    for (uint32_t i = 0; i < plot->bars; i++) {
        steps.most = larger_wide(steps.most, plot->bar[i].steps);
        buffer.most = larger_wide(buffer.most, plot->bar[i].buffer_peak);
        sync = larger_wide(sync, plot->bar[i].sync_steps);
    }
    fputs("set encoding utf8\n", script);
    gnuplot_put_terminal(format, WIDTH, HEIGHT + ROW_HEIGHT * plot->bars, script);
    put_data(plot, script);
    fputs("set multiplot\nset label ", script);
    gnuplot_put_string(plot->title, script);
    fprintf(script,
            " at screen 0.5,screen %.4f center\n"
            "set border 1 lc rgb 'gray40'\nset tics nomirror scale 0.5\n"
            "set grid xtics lc rgb 'gray85' dt solid lw 0.5\nset grid back\n"
            "set yrange [%.2f:-0.6]\n",
            1 - 16.0 / (HEIGHT + ROW_HEIGHT * plot->bars), plot->bars - 0.4);
    steps.label = sync > 0 ? "steps  (lighter: synchronisation)" : steps.label;
    put_panel(plot, &steps, script);
    put_names(plot, script);
    fputs("set key off\nplot ", script);
    put_bars("0", "$2", "#0072B2", script);
    fputs(", \\\n  ", script);
    put_bars("$2", "$3", "#99C7E0", script);
    put_figures("$3", script);
    fputs("unset label\nset ytics ('' 0) scale 0\n", script);
    put_panel(plot, &buffer, script);
    fputs("plot ", script);
    put_bars("0", "$4", "#D55E00", script);
    put_figures("$4", script);
    fputs("unset multiplot\n", script);
}

void compare_write_csv(const struct compare_plot *plot, FILE *out)
{
    fputs("router,outcome,steps,sync_steps,buffer_peak\n", out);
    for (uint32_t i = 0; i < plot->bars; i++) {
        const struct compare_bar *bar = &plot->bar[i];
        fprintf(out, "%s,%s", bar->router, bar->outcome);
        if (strcmp(bar->outcome, "refuses") == 0)
            fputs(",,,\n", out);
        else
            fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 "\n", bar->steps, bar->sync_steps,
                    bar->buffer_peak);
    }
}
