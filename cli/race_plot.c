/* race_plot.c - steps against B for several routers, as a program for gnuplot.
 *
 * Method: one panel, both axes logarithmic. A router that delivers at some capacity has a curve through those at
 * which it does; where it is the fastest a ring is around its dot. A line is the lower bound. Colours are those of Okabe
 * and Ito, and dots differ in shape, so that greys tell the curves apart.
 */
#include "cli/race_plot.h"

#include <inttypes.h>

/* Sizes in points. */
enum { WIDTH = 640, HEIGHT = 440 };

static const char *const COLOURS[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000"};
static const int SHAPES[] = {7, 5, 9, 13, 11, 15, 4};

static bool has_curve(const struct race *race, uint32_t runner)
{
    bool delivers = false;
    for (uint32_t i = 0; i < race->points; i++)
        delivers |= race->point[i].run[runner].outcome == STRESS_DELIVERS;
    return delivers;
}

/* Of no steps is nothing on a logarithmic axis. */
static void put_data(const struct race *race, FILE *out)
{
    for (uint32_t runner = 0; runner < race->runners; runner++) {
        if (!has_curve(race, runner))
            continue;
        fprintf(out, "$router%" PRIu32 " << END\n", runner);
        for (uint32_t i = 0; i < race->points; i++) {
            const struct stress_run *run = &race->point[i].run[runner];
            if (run->outcome == STRESS_DELIVERS && run->steps > 0)
                fprintf(out, "%" PRIu32 " %" PRIu64 "\n", run->capacity, run->steps);
        }
        fputs("END\n", out);
    }
    fputs("$fastest << END\n", out);
    for (uint32_t i = 0; i < race->points; i++) {
        const struct race_point *point = &race->point[i];
        if (point->winner != RACE_NOBODY && point->run[point->winner].steps > 0)
            fprintf(out, "%" PRIu32 " %" PRIu64 "\n", point->capacity,
                    point->run[point->winner].steps);
    }
    fputs("END\n", out);
}

/* From the least to the largest that is shown. */
static void put_axes(const struct race_plot *plot, FILE *out)
{
    const struct race *race = plot->race;
    uint64_t least = plot->lower_bound > 0 ? plot->lower_bound : 1, most = least;
    for (uint32_t i = 0; i < race->points; i++)
        for (uint32_t k = 0; k < race->runners; k++) {
            const struct stress_run *run = &race->point[i].run[k];
            if (run->outcome != STRESS_DELIVERS || run->steps == 0)
                continue;
            least = run->steps < least ? run->steps : least;
            most = run->steps > most ? run->steps : most;
        }
    double end[2][2] = {{0.9, 1.1 * race->point[race->points - 1].capacity},
                        {0.8 * (double)least, 1.25 * (double)most}};
    fputs("set logscale xy\n", out);
    for (int i = 0; i < 2; i++) {
        fprintf(out, "set %crange [%.6g:%.6g]\n", "xy"[i], end[i][0], end[i][1]);
        gnuplot_put_log_marks("xy"[i], end[i][0], end[i][1], out);
    }
}

static void put_curves(const struct race_plot *plot, FILE *out)
{
    enum { COUNT = sizeof COLOURS / sizeof *COLOURS };
    fputs("plot ", out);
    for (uint32_t runner = 0; runner < plot->race->runners; runner++) {
        if (!has_curve(plot->race, runner))
            continue;
        fprintf(out,
                "$router%" PRIu32 " using 1:2 with linespoints lc rgb '%s' lw 1.5 pt %d ps 0.6 ",
                runner, COLOURS[runner % COUNT], SHAPES[runner % COUNT]);
        fputs("title ", out);
        gnuplot_put_string(plot->rows->row[runner].label, out);
        fputs(", \\\n  ", out);
    }
    if (plot->lower_bound > 0)
        fprintf(out,
                "%" PRIu64 " with lines lc rgb 'gray30' dt '-' lw 1.5 title 'lower bound', \\\n  ",
                plot->lower_bound);
    fputs("$fastest using 1:2 with points lc rgb 'gray10' lw 1.2 pt 6 ps 1.3 title 'fastest'\n",
          out);
}

void race_write_script(const struct race_plot *plot, enum plot_format format, FILE *script)
{
    fputs("set encoding utf8\n", script);
    gnuplot_put_terminal(format, WIDTH, HEIGHT, script);
    put_data(plot->race, script);
    fputs("set title ", script);
    gnuplot_put_string(plot->title, script);
    fputs("\nset xlabel 'buffer capacity B  (packets a node)'\n"
          "set ylabel 'steps'\nset tics nomirror scale 0.5\nset samples 2\n"
          "set grid xtics ytics lc rgb 'gray85' dt solid lw 0.5\n"
          "set bmargin at screen 0.24\n"
          "set key at screen 0.5,screen 0.06 center center horizontal maxrows 2 Left reverse "
          "samplen 2.5 width 1\n",
          script);
    put_axes(plot, script);
    put_curves(plot, script);
}

static void put_point(const struct race_plot *plot, const struct race_point *point, FILE *out)
{
    static const char *const outcome[] = {[STRESS_DELIVERS] = "delivers",
                                          [STRESS_OVERFLOWS] = "overflow",
                                          [STRESS_REFUSED] = "refused"};
    for (uint32_t i = 0; i < plot->race->runners; i++) {
        const struct stress_run *run = &point->run[i];
        if (point->capacity > 0)
            fprintf(out, "%" PRIu32, point->capacity);
        fprintf(out, ",%s,%s", plot->rows->row[i].label, outcome[run->outcome]);
        if (run->outcome == STRESS_REFUSED)
            fputs(",,,0\n", out);
        else
            fprintf(out, ",%" PRIu64 ",%" PRIu32 ",%d\n", run->steps, run->peak,
                    point->winner == i);
    }
}

void race_write_csv(const struct race_plot *plot, FILE *out)
{
    fputs("capacity,router,outcome,steps,peak,is_fastest\n", out);
    put_point(plot, &plot->race->without, out);
    for (uint32_t i = 0; i < plot->race->points; i++)
        put_point(plot, &plot->race->point[i], out);
}
