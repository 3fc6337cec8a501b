/* race_plot.c - steps against B for several routers, as a chart.
 *
 * Method: both axes are logarithmic. A router that delivers at some capacity has a curve through those at which it does;
 * where it is the fastest a ring is around its mark. A line is the lower bound.
 */
#include "cli/race_plot.h"

static void add_runner(const struct race_plot *plot, uint32_t runner, struct chart_panel *panel)
{
    const char *label = plot->rows->row[runner].label;
    struct chart_curve *curve = chart_subject(panel, CHART_LINE | CHART_MARKS, label, NULL);
    for (uint32_t i = 0; i < plot->race->points; i++) {
        const struct stress_run *run = &plot->race->point[i].run[runner];
        if (run->outcome == STRESS_DELIVERS) {
            chart_point(curve, run->capacity, (double)run->steps);
            curve->title = label;
        }
    }
}

void race_fill_chart(const struct race_plot *plot, struct chart *chart)
{
    const struct race *race = plot->race;
    struct chart_panel *panel = chart_panel(chart, 540, 330);
    chart->title = plot->title;
    panel->x =
        (struct chart_axis){.label = "buffer capacity B  (packets per node)", .scale = CHART_LOG};
    panel->y = (struct chart_axis){.label = "steps", .scale = CHART_LOG};
    for (uint32_t runner = 0; runner < race->runners; runner++)
        add_runner(plot, runner, panel);
    if (plot->lower_bound > 0 && race->points > 0) {
        struct chart_curve *bound = chart_curve(panel, CHART_LINE, CHART_INK_BOUND, "lower bound");
        chart_point(bound, race->point[0].capacity, (double)plot->lower_bound);
        chart_point(bound, race->point[race->points - 1].capacity, (double)plot->lower_bound);
    }
    struct chart_curve *fastest = chart_curve(panel, CHART_MARKS, CHART_INK_NOTE, "fastest");
    for (uint32_t i = 0; i < race->points; i++) {
        const struct race_point *point = &race->point[i];
        if (point->winner != RACE_NOBODY)
            chart_point(fastest, point->capacity, (double)point->run[point->winner].steps)->size =
                1.4;
    }
}
