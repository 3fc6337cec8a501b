/* stress_plot.c - steps against B, as a chart.
 *
 * Method: runs that deliver are marks on a line, at their steps; runs that overflow are crosses at the step at which they
 * had to stop, so that one sees how far too small a buffer gets; capacities that the router refuses have a grey ground, as
 * nothing was run there. An upright line is the answer, a dotted one the steps without a capacity. Both axes are logarithmic
 * where their values spread far, and show all of what was tried.
 */
#include "cli/stress_plot.h"

#include <inttypes.h>
#include <math.h>

/* Adds a grey ground up to half the way to the least capacity that was not refused. */
static void add_refused(const struct stress *stress, struct chart_panel *panel)
{
    uint32_t i = 0;
    while (i < stress->runs && stress->run[i].outcome == STRESS_REFUSED)
        i++;
    if (i == 0 || i == stress->runs)
        return;
    chart_band(panel, 0, sqrt((double)stress->run[i - 1].capacity * stress->run[i].capacity), NULL);
    chart_curve(panel, CHART_BARS, CHART_INK_GROUND, "refused");
}

static void add_without(const struct stress *stress, struct chart_panel *panel)
{
    if (stress->without.outcome != STRESS_DELIVERS || stress->runs == 0)
        return;
    const char *title = "without a capacity";
    if (stress->without.in_force > 0 && stress->without.attempts == 0)
        title = chart_text(panel->chart, "its own capacity, %" PRIu32, stress->without.in_force);
    struct chart_curve *curve = chart_curve(panel, CHART_LINE, CHART_INK_GUIDE, title);
    chart_point(curve, stress->run[0].capacity, (double)stress->without.steps);
    chart_point(curve, stress->run[stress->runs - 1].capacity, (double)stress->without.steps);
}

void stress_fill_chart(const struct stress *stress, const char *router, const char *title,
                       struct chart *chart)
{
    struct chart_panel *panel = chart_panel(chart, 530, 310);
    chart->title = chart_text(chart, "%s", title);
    panel->x = (struct chart_axis){.label = "buffer capacity B  (packets per node)",
                                   .scale = CHART_LOG_IF_FAR};
    panel->y = (struct chart_axis){.label = "steps", .scale = CHART_LOG_IF_FAR};
    struct chart_curve *delivers =
        chart_subject(panel, CHART_LINE | CHART_MARKS, router, "delivers");
    struct chart_curve *overflows = chart_subject(panel, CHART_MARKS, router, NULL);
    overflows->mark = CHART_MARK_CROSS;
    for (uint32_t i = 0; i < stress->runs; i++) {
        const struct stress_run *run = &stress->run[i];
        if (run->outcome == STRESS_REFUSED)
            continue;
        if (run->outcome == STRESS_OVERFLOWS)
            overflows->title = "overflows at this step";
        chart_point(run->outcome == STRESS_DELIVERS ? delivers : overflows, run->capacity,
                    (double)run->steps);
    }
    add_without(stress, panel);
    add_refused(stress, panel);
    chart_band(panel, stress->least, stress->least,
               chart_text(chart, "least: %" PRIu32, stress->least));
}
