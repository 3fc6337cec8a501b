/* plot_bars.c - the bars of sets that are files.
 *
 * Method: a matrix is no member of a family that grows, so its runs have no place on an axis of c n. They share a panel
 * instead, in which every set is a row and every method a bar of the row, in its colour. A black mark through all bars of
 * a row is its lower bound; of buffers it is c. Of names of many letters the middle is left out; what has the name of another set
 * has its number as well.
 */
#include "results/results_plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes in points: a bar, what stays free between sets, and the panel's title and axis. Letters of a name. */
enum { BAR = 11, BETWEEN = 10, AROUND = 84, LETTERS = 24, LAST_LETTERS = 13 };

/* From here on bars are on a logarithmic axis, and of a set's row so much is bars. */
static const double FAR = 20, FULL = 0.8;

/* ---- from groups ---- */

static bool is_same_set(const struct results_group *a, const struct results_group *b)
{
    return strcmp(a->workload, b->workload) == 0 && strcmp(a->file_hash, b->file_hash) == 0 &&
           a->rows == b->rows && a->cols == b->cols;
}

static void name_set(struct plot *plot, struct plot_set *set)
{
    const char *name = set->of->workload;
    uint32_t earlier = 0;
    for (uint32_t i = 0; i < plot->sets; i++)
        earlier += strcmp(plot->set[i].of->workload, name) == 0;
    int length = (int)strlen(name), first = length > LETTERS ? LETTERS - LAST_LETTERS : length;
    int used =
        snprintf(set->name, sizeof set->name, "%.*s%s%s", first, name, length > LETTERS ? ".." : "",
                 length > LETTERS ? name + length - LAST_LETTERS : "");
    if (earlier > 0)
        snprintf(set->name + used, sizeof set->name - (size_t)used, " (%" PRIu32 ")", earlier + 1);
}

/* The set of a group; NULL: there is no room for one more. */
static struct plot_set *set_of(struct plot *plot, const struct results_group *group)
{
    for (uint32_t i = 0; i < plot->sets; i++)
        if (is_same_set(plot->set[i].of, group))
            return &plot->set[i];
    if (plot->sets == PLOT_MOST_SETS)
        return NULL;
    struct plot_set *set = &plot->set[plot->sets];
    *set = (struct plot_set){.of = group};
    name_set(plot, set);
    plot->sets++;
    return set;
}

static double mark_of(enum plot_kind kind, const struct results_group *group)
{
    if (kind == PLOT_RATIO)
        return 1;
    return group->measure[kind == PLOT_STEPS ? MEASURE_BOUND : MEASURE_CONGESTION].least;
}

enum failure_kind plot_bars_make(struct plot *plot, const struct results_groups *groups,
                                 struct failure *failure)
{
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct results_group *group = &groups->group[i];
        const struct results_spread *spread = &group->measure[plot_measure_of(plot->kind)];
        double mark = mark_of(plot->kind, group);
        if (*group->file_hash == '\0' || !(spread->least > 0))
            continue;
        struct plot_set *set = set_of(plot, group);
        if (set == NULL)
            return fail(failure, FAIL_USAGE,
                        "more than %d sets in one picture; choose with --pattern", PLOT_MOST_SETS);
        if (mark > 0)
            set->mark = set->mark > 0 ? fmin(set->mark, mark) : mark;
        for (uint32_t k = 0; k < plot->methods; k++)
            if (strcmp(plot->method[k], group->method) == 0)
                set->bar[k] = (struct plot_point){
                    .y = spread->median, .least = spread->least, .most = spread->most};
    }
    return FAIL_NONE;
}

/* ---- for gnuplot ---- */

uint32_t plot_bars_height(const struct plot *plot)
{
    return AROUND + plot->sets * (plot->methods * BAR + BETWEEN);
}

void plot_bars_write_data(const struct plot *plot, FILE *out)
{
    double part = FULL / plot->methods;
    for (uint32_t k = 0; k < plot->methods; k++) {
        fprintf(out, "$bars%" PRIu32 " << END\n", k);
        for (uint32_t i = 0; i < plot->sets; i++) {
            const struct plot_point *bar = &plot->set[i].bar[k];
            if (bar->least > 0)
                fprintf(out, "%.10g %.10g %.10g %.6f %.6f\n", bar->y, bar->least, bar->most,
                        i - FULL / 2 + k * part, i - FULL / 2 + (k + 1) * part);
        }
        fputs("END\n", out);
    }
    fputs("$marks << END\n", out);
    for (uint32_t i = 0; i < plot->sets; i++)
        if (plot->set[i].mark > 0)
            fprintf(out, "%.10g %.6f\n", plot->set[i].mark, i - FULL / 2 - 0.05);
    fputs("END\n", out);
}

/* From 0, or, where the values are far from each other, from a little less than the least. */
static void put_axes(const struct plot *plot, FILE *out)
{
    double least = INFINITY, most = 0;
    for (uint32_t i = 0; i < plot->sets; i++) {
        const struct plot_set *set = &plot->set[i];
        for (uint32_t k = 0; k < plot->methods; k++) {
            if (set->bar[k].least > 0)
                least = fmin(least, set->bar[k].least);
            most = fmax(most, set->bar[k].most);
        }
        if (set->mark > 0)
            least = fmin(least, set->mark);
        most = fmax(most, set->mark);
    }
    if (most > FAR * least) {
        least = fmax(least / 2, fmin(least, 0.5));
        fprintf(out, "from = %.10g\nset logscale x 10\nset xrange [%.10g:%.10g]\n", least, least,
                1.25 * most);
        gnuplot_put_log_marks('x', least, 1.25 * most, out);
    } else
        fprintf(out, "from = 0\nset xrange [0:%.10g]\nset xtics autofreq\nset format x '%%g'\n",
                1.08 * most);
    fprintf(out, "set yrange [%.2f:-0.6]\nset ytics (", plot->sets - 0.4);
    for (uint32_t i = 0; i < plot->sets; i++) {
        fputs(i > 0 ? ", " : "", out);
        gnuplot_put_tic(plot->set[i].name, i, out);
    }
    fputs(") nomirror scale 0\n", out);
}

void plot_bars_write(const struct plot *plot, const char *const *colour, FILE *out)
{
    fputs("unset logscale\nunset ylabel\n", out);
    put_axes(plot, out);
    fputs("plot ", out);
    for (uint32_t k = 0; k < plot->methods; k++)
        if (colour == NULL) {
            fprintf(out, "$bars%" PRIu32 " using 1:(($4+$5)/2) with points pt %" PRIu32 " title ",
                    k, k + 1);
            gnuplot_put_string(plot->method[k], out);
            fputs(", \\\n  ", out);
        } else
            fprintf(out,
                    "$bars%" PRIu32 " using 1:4:(from):1:4:5 with boxxyerror fs solid "
                    "noborder lc rgb '%s' notitle, \\\n  $bars%" PRIu32
                    " using 1:(($4+$5)/2):2:3 with xerrorbars pt 0 ps 0 lc rgb 'gray30' lw 0.8 "
                    "notitle, \\\n  ",
                    k, colour[k], k);
    if (colour == NULL)
        fprintf(out, "$marks using 1:2 with points pt %" PRIu32 " title '%s'\n", plot->methods + 1,
                plot->kind == PLOT_BUFFERS ? "c" : "lower bound");
    else
        fprintf(out,
                "$marks using 1:2:(0):(%.2f) with vectors nohead lc rgb 'black' lw 2.5 "
                "notitle\n",
                FULL + 0.1);
}
