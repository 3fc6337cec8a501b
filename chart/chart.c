/* chart.c - adds panels, curves, points and bands to charts.
 *
 * Method: all memory of a chart is in one list of blocks, except the points of curves. Without
 * memory an addition goes to a spare part that is in no list of the chart.
 */
#include "chart/chart.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct chart_block {
    struct chart_block *next;
    max_align_t bytes[];
};

void chart_begin(struct chart *chart, uint32_t columns)
{
    *chart = (struct chart){.columns = columns, .last_panel = &chart->panels};
}

void chart_free(struct chart *chart)
{
    for (struct chart_panel *panel = chart->panels; panel != NULL; panel = panel->next)
        for (struct chart_curve *curve = panel->curves; curve != NULL; curve = curve->next)
            free(curve->point);
    while (chart->blocks != NULL) {
        struct chart_block *block = chart->blocks;
        chart->blocks = block->next;
        free(block);
    }
    *chart = (struct chart){0};
}

void *chart_keep(struct chart *chart, size_t size)
{
    struct chart_block *block = memory_allocate(1, sizeof *block + size);
    if (block == NULL) {
        chart->is_short = true;
        return NULL;
    }
    block->next = chart->blocks;
    chart->blocks = block;
    return block->bytes;
}

const char *chart_text(struct chart *chart, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = chart_keep(chart, (size_t)length + 1);
    if (text != NULL)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text == NULL ? "" : text;
}

struct chart_panel *chart_panel(struct chart *chart, double width, double height)
{
    struct chart_panel *panel = chart_keep(chart, sizeof *panel);
    bool is_spare = panel == NULL;
    panel = is_spare ? &chart->spare_panel : panel;
    *panel = (struct chart_panel){.chart = chart,
                                  .width = width,
                                  .height = height,
                                  .last_curve = &panel->curves,
                                  .last_band = &panel->bands};
    if (!is_spare) {
        *chart->last_panel = panel;
        chart->last_panel = &panel->next;
    }
    return panel;
}

struct chart_curve *chart_curve(struct chart_panel *panel, unsigned draw, enum chart_ink ink,
                                const char *title)
{
    struct chart_curve *curve = chart_keep(panel->chart, sizeof *curve);
    bool is_spare = curve == NULL || panel == &panel->chart->spare_panel;
    curve = is_spare ? &panel->chart->spare_curve : curve;
    *curve =
        (struct chart_curve){.panel = panel,
                             .draw = draw,
                             .ink = ink,
                             .title = title == NULL ? NULL : chart_text(panel->chart, "%s", title)};
    if (!is_spare) {
        *panel->last_curve = curve;
        panel->last_curve = &curve->next;
    }
    return curve;
}

/* Returns the number of a subject among the chart's subjects of the same name. */
static uint32_t variant_of(const struct chart *chart, const char *subject)
{
    uint32_t variants = 0;
    for (const struct chart_panel *panel = chart->panels; panel != NULL; panel = panel->next)
        for (const struct chart_curve *one = panel->curves; one != NULL; one = one->next) {
            if (one->subject == NULL || !palette_is_same_name(one->subject, subject))
                continue;
            if (strcmp(one->subject, subject) == 0)
                return one->variant;
            variants = one->variant >= variants ? one->variant + 1 : variants;
        }
    return variants;
}

struct chart_curve *chart_subject(struct chart_panel *panel, unsigned draw, const char *subject,
                                  const char *title)
{
    struct chart_curve *curve = chart_curve(panel, draw, CHART_INK_SUBJECT, title);
    curve->variant = variant_of(panel->chart, subject);
    curve->subject = chart_text(panel->chart, "%s", subject);
    return curve;
}

struct chart_point *chart_point(struct chart_curve *curve, double x, double y)
{
    if (curve == &curve->panel->chart->spare_curve)
        return &curve->panel->chart->spare_point;
    if (curve->points == curve->room) {
        uint32_t room = curve->room == 0 ? 16 : 2 * curve->room;
        struct chart_point *more = memory_resize(curve->point, room, sizeof *more);
        if (more == NULL) {
            curve->panel->chart->is_short = true;
            return &curve->panel->chart->spare_point;
        }
        curve->point = more;
        curve->room = room;
    }
    struct chart_point *point = &curve->point[curve->points++];
    *point = (struct chart_point){.x = x, .y = y};
    return point;
}

struct chart_band *chart_band(struct chart_panel *panel, double from, double to, const char *text)
{
    struct chart_band *band = chart_keep(panel->chart, sizeof *band);
    if (band == NULL || panel == &panel->chart->spare_panel)
        return &panel->chart->spare_band;
    *band = (struct chart_band){
        .from = from, .to = to, .text = text == NULL ? NULL : chart_text(panel->chart, "%s", text)};
    *panel->last_band = band;
    panel->last_band = &band->next;
    return band;
}
