/* stress_plot.c - steps against B, as a program for gnuplot.
 *
 * Method: one panel. Runs that deliver are dots on a line, at their steps; runs that overflow are
 * crosses at the step at which they had to stop, so that one sees how far too small a buffer gets;
 * capacities that the router refuses are a grey ground, as nothing was run there. A vertical line is
 * the answer, a dotted one the steps without a capacity.
 *   Both axes are logarithmic where their values spread far, and show all of what was tried.
 */
#include "cli/stress_plot.h"

#include <inttypes.h>
#include <math.h>

/* Sizes in points, and what counts as far. */
enum { WIDTH = 620, HEIGHT = 400, FAR = 12, MARKS = 10 };

struct range {
    double least, most;
};

static void widen(struct range *range, double value)
{
    if (value > 0 && (range->least == 0 || value < range->least))
        range->least = value; /* a run of no steps is not for a logarithm */
    range->most = value > range->most ? value : range->most;
}

static bool is_far(const struct range *range)
{
    return range->least > 0 && range->most > FAR * range->least;
}

static void put_data(const struct stress *stress, enum stress_outcome outcome, const char *name,
                     FILE *out)
{
    fprintf(out, "$%s << END\n", name);
    for (uint32_t i = 0; i < stress->runs; i++)
        if (stress->run[i].outcome == outcome)
            fprintf(out, "%" PRIu32 " %" PRIu64 "\n", stress->run[i].capacity,
                    stress->run[i].steps);
    fputs("END\n", out);
}

static uint32_t count_of(const struct stress *stress, enum stress_outcome outcome)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < stress->runs; i++)
        count += stress->run[i].outcome == outcome;
    return count;
}

/* ---- axes ---- */

static void put_axis(char axis, const struct range *range, FILE *out)
{
    double least = range->least / 1.25, most = range->most * 1.25;
    if (is_far(range)) {
        fprintf(out, "set logscale %c\nset %crange [%.10g:%.10g]\n", axis, axis, least, most);
        gnuplot_put_log_marks(axis, least, most, out);
        return;
    }
    most = range->most > 1 ? range->most : 1;
    fprintf(out, "set %crange [0:%.10g]\nset %ctics %" PRIu64 "\n", axis, 1.1 * most, axis,
            gnuplot_mark_every((uint64_t)most, MARKS));
}

static void put_axes(const struct stress *stress, FILE *out)
{
    struct range capacity = {0, 0}, steps = {0, 0};
    for (uint32_t i = 0; i < stress->runs; i++) {
        widen(&capacity, stress->run[i].capacity);
        if (stress->run[i].outcome != STRESS_REFUSED)
            widen(&steps, (double)stress->run[i].steps);
    }
    if (stress->without.outcome == STRESS_DELIVERS)
        widen(&steps, (double)stress->without.steps);
    put_axis('x', &capacity, out);
    put_axis('y', &steps, out);
}

/* ---- what is refused, and the answer ---- */

/* A ground from the left edge half the way to the least that was not refused. */
static void put_refused(const struct stress *stress, FILE *out)
{
    uint32_t i = 0;
    while (i < stress->runs && stress->run[i].outcome == STRESS_REFUSED)
        i++;
    if (i == 0 || i == stress->runs)
        return;
    double end = sqrt((double)stress->run[i - 1].capacity * stress->run[i].capacity);
    fprintf(out,
            "set object rectangle from graph 0,graph 0 to first %.6f,graph 1 behind fc rgb "
            "'#ebebeb' fs solid noborder\n",
            end);
    fputs("set label 'refused' at graph 0.015,graph 0.04 left textcolor rgb 'gray30'\n", out);
}

static void put_answer(const struct stress *stress, FILE *out)
{
    fprintf(out,
            "set arrow from first %" PRIu32 ",graph 0 to first %" PRIu32
            ",graph 1 nohead back lc rgb 'gray40' dt '-' lw 1\n",
            stress->least, stress->least);
    fprintf(out,
            "set label 'least: %" PRIu32 "' at first %" PRIu32
            ",graph 1 center offset 0,0.6 textcolor rgb 'gray20'\n",
            stress->least, stress->least);
}

static void put_curves(const struct stress *stress, FILE *out)
{
    fputs("plot $delivers using 1:2 with linespoints lc rgb '#0072B2' lw 1.5 pt 7 ps 0.7 title "
          "'delivers'",
          out);
    if (count_of(stress, STRESS_OVERFLOWS) > 0)
        fputs(", \\\n  $overflows using 1:2 with points lc rgb '#D55E00' lw 1.5 pt 2 ps 0.9 title "
              "'overflows at this step'",
              out);
    if (stress->without.outcome == STRESS_DELIVERS) {
        char title[40] = "without a capacity";
        if (stress->without.in_force > 0 && stress->without.attempts == 0)
            snprintf(title, sizeof title, "its own capacity, %" PRIu32, stress->without.in_force);
        fprintf(out, ", \\\n  %.0f with lines lc rgb 'gray30' dt '.' lw 2 title '%s'",
                (double)stress->without.steps, title);
    }
    fputc('\n', out);
}

void stress_write_script(const struct stress *stress, enum plot_format format, const char *title,
                         FILE *script)
{
    fputs("set encoding utf8\n", script);
    gnuplot_put_terminal(format, WIDTH, HEIGHT, script);
    put_data(stress, STRESS_DELIVERS, "delivers", script);
    if (count_of(stress, STRESS_OVERFLOWS) > 0)
        put_data(stress, STRESS_OVERFLOWS, "overflows", script);
    fputs("set title ", script);
    gnuplot_put_string(title, script);
    fputs(" offset 0,0.8\nset xlabel 'buffer capacity B  (packets a node)'\n"
          "set ylabel 'steps'\nset tics nomirror scale 0.5\nset samples 2\n"
          "set grid xtics ytics lc rgb 'gray85' dt solid lw 0.5\n"
          "set bmargin at screen 0.205\n"
          "set key at screen 0.5,screen 0.045 center center horizontal maxrows 1 Left reverse "
          "samplen 2.5 width 1\n",
          script);
    put_axes(stress, script);
    put_refused(stress, script);
    put_answer(stress, script);
    put_curves(stress, script);
}
