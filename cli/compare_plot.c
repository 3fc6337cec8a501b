/* compare_plot.c - a comparison as a chart.
 *
 * Method: two panels of bars, a row for each router in the order of the table and in its colour. On the left its steps, of
 * which synchronisation is paler, at the end; on the right the packets of its fullest node. Every bar has its figure beside
 * it; a router without figures has its outcome there.
 */
#include "cli/compare_plot.h"

#include <inttypes.h>
#include <string.h>

/* The most letters of a name that are shown; half the height of a bar. */
enum { LONGEST_NAME = 26 };
static const double HALF = 0.3;

/* Adds a bar from `from` to `to` in row `row`. */
static void add_bar(struct chart_panel *panel, const char *router, uint32_t row, double from,
                    double to, bool is_pale)
{
    struct chart_curve *curve = chart_subject(panel, CHART_BARS, router, NULL);
    curve->is_pale = is_pale;
    struct chart_point *point = chart_point(curve, to, row);
    point->low = from;
    point->size = HALF;
}

static void add_figure(struct chart_curve *figures, const struct compare_bar *bar, uint32_t row,
                       double value)
{
    chart_point(figures, value, row)->text = strcmp(bar->outcome, "delivers") == 0
                                                 ? chart_text(figures->panel->chart, "%.0f", value)
                                                 : bar->outcome;
}

/* Adds a panel with room for the figures on the right. */
static struct chart_panel *add_panel(const struct compare_plot *plot, struct chart *chart,
                                     double width, const char *const *name, double most,
                                     const char *label)
{
    struct chart_panel *panel = chart_panel(chart, width, 28.0 * plot->bars + 6);
    panel->y = (struct chart_axis){.name = name, .names = plot->bars};
    panel->x = (struct chart_axis){.label = label, .to = 1.25 * (most > 0 ? most : 1)};
    return panel;
}

void compare_fill_chart(const struct compare_plot *plot, struct chart *chart)
{
    const char **name = chart_keep(chart, 2 * plot->bars * sizeof *name);
    double steps = 0, sync = 0, buffer = 0;
    if (name == NULL)
        return;
    for (uint32_t i = 0; i < plot->bars; i++) {
        const struct compare_bar *bar = &plot->bar[i];
        steps = bar->steps > steps ? (double)bar->steps : steps;
        sync = bar->sync_steps > sync ? (double)bar->sync_steps : sync;
        buffer = bar->buffer_peak > buffer ? bar->buffer_peak : buffer;
        name[i] = chart_text(chart, "%.*s", LONGEST_NAME, bar->router);
        name[plot->bars + i] = "";
    }
    chart->title = chart_text(chart, "%s", plot->title);
    chart->columns = 2;
    struct chart_panel *left = add_panel(plot, chart, 270, name, steps,
                                         sync > 0 ? "steps  (paler: synchronisation)" : "steps");
    struct chart_panel *right =
        add_panel(plot, chart, 190, name + plot->bars, buffer, "packets in the fullest node");
    for (uint32_t i = 0; i < plot->bars; i++) {
        const struct compare_bar *bar = &plot->bar[i];
        add_bar(left, bar->router, i, 0, (double)(bar->steps - bar->sync_steps), false);
        add_bar(left, bar->router, i, (double)(bar->steps - bar->sync_steps), (double)bar->steps,
                true);
        add_bar(right, bar->router, i, 0, bar->buffer_peak, false);
    }
    struct chart_curve *of_steps = chart_curve(left, CHART_TEXTS, CHART_INK_NOTE, NULL);
    struct chart_curve *of_buffer = chart_curve(right, CHART_TEXTS, CHART_INK_NOTE, NULL);
    for (uint32_t i = 0; i < plot->bars; i++) {
        add_figure(of_steps, &plot->bar[i], i, (double)plot->bar[i].steps);
        add_figure(of_buffer, &plot->bar[i], i, plot->bar[i].buffer_peak);
    }
}
