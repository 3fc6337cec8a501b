/* load_plot.c - latency against load, as a chart.
 *
 * Method: a curve for each scheme and each value of what varies beside the axis, with bars of 95 % confidence. A load at
 * which the network is saturated has no latency: a triangle near the upper edge marks it, below those of the curves before,
 * and a cross one that ended in a deadlock or failed another check. The axis is the rate; where all points have the same
 * rate it is the destinations or the lengths.
 */
#include "cli/report_load.h"

#include "base/printable.h"

#include <inttypes.h>

enum axis { AXIS_RATE, AXIS_DESTINATIONS, AXIS_FLITS };

static const char *const axis_names[] = {"messages per node and cycle", "destinations of a message",
                                         "flits of a message"};

/* What of the points varies. */
struct variety {
    bool rate, destinations, flits;
    enum axis axis;
};

static bool same_flits(const struct load_point *one, const struct load_point *other)
{
    return one->flits.least == other->flits.least && one->flits.most == other->flits.most;
}

static struct variety variety_of(const struct load_report *report)
{
    struct variety variety = {.axis = AXIS_RATE};
    for (uint32_t i = 1; i < report->points; i++) {
        const struct load_point *one = &report->point[0], *other = &report->point[i];
        variety.rate |= one->rate != other->rate;
        variety.destinations |= one->destinations != other->destinations;
        variety.flits |= !same_flits(one, other);
    }
    if (!variety.rate && (variety.destinations || variety.flits))
        variety.axis = variety.destinations ? AXIS_DESTINATIONS : AXIS_FLITS;
    return variety;
}

static double axis_value(const struct load_point *point, enum axis axis)
{
    if (axis == AXIS_RATE)
        return point->rate;
    return axis == AXIS_DESTINATIONS ? point->destinations
                                     : ((double)point->flits.least + point->flits.most) / 2;
}

static bool same_curve(const struct load_point *one, const struct load_point *other, enum axis axis)
{
    return one->scheme == other->scheme && (axis == AXIS_RATE || one->rate == other->rate) &&
           (axis == AXIS_DESTINATIONS || one->destinations == other->destinations) &&
           (axis == AXIS_FLITS || same_flits(one, other));
}

static bool begins_curve(const struct load_report *report, uint32_t index, enum axis axis)
{
    for (uint32_t i = 0; i < index; i++)
        if (same_curve(&report->point[i], &report->point[index], axis))
            return false;
    return true;
}

/* Returns the mark of a point that has no latency; 0: it has one, or did not run. */
static int mark_of(const struct load_point *point)
{
    if (report_load_has_latency(point))
        return 0;
    if (point->failure.kind != FAIL_NONE)
        return CHART_MARK_CROSS;
    return point->result.is_saturated ? CHART_MARK_OPEN_TRIANGLE : 0;
}

static bool has_mark(const struct load_report *report, int mark)
{
    for (uint32_t i = 0; i < report->points; i++)
        if (mark_of(&report->point[i]) == mark)
            return true;
    return false;
}

static const char *name_curve(const struct load_point *point, const struct variety *variety,
                              struct chart *chart)
{
    char flits[FLITS_TEXT];
    const char *name = point->scheme->name;
    if (variety->destinations && variety->axis != AXIS_DESTINATIONS)
        name = chart_text(chart, "%s, k = %" PRIu32, name, point->destinations);
    if (variety->flits && variety->axis != AXIS_FLITS)
        name = chart_text(chart, "%s, %s flits", name, flits_range_text(point->flits, flits));
    return name;
}

/* Adds the curve that the point `first` begins, as number `index` of all. */
static void add_curve(const struct load_report *report, uint32_t first, uint32_t index,
                      const struct variety *variety, struct chart_panel *panel)
{
    enum { ROWS = 6 }; /* of marks at the upper edge */
    const char *name = name_curve(&report->point[first], variety, panel->chart);
    struct chart_curve *curve =
        chart_subject(panel, CHART_LINE | CHART_MARKS | CHART_ERRORS, name, name);
    struct chart_curve *saturated = chart_subject(panel, CHART_MARKS | CHART_AT_TOP, name, NULL);
    struct chart_curve *failed = chart_subject(panel, CHART_MARKS | CHART_AT_TOP, name, NULL);
    saturated->mark = CHART_MARK_OPEN_TRIANGLE;
    failed->mark = CHART_MARK_CROSS;
    for (uint32_t i = first; i < report->points; i++) {
        const struct load_point *point = &report->point[i];
        const struct latency_interval *latency = &point->result.latency;
        if (!same_curve(point, &report->point[first], variety->axis))
            continue;
        double x = axis_value(point, variety->axis);
        int mark = mark_of(point);
        if (report_load_has_latency(point)) {
            struct chart_point *added = chart_point(curve, x, latency->mean);
            added->low = latency->mean - latency->half_width;
            added->high = latency->mean + latency->half_width;
        } else if (mark != 0)
            chart_point(mark == CHART_MARK_CROSS ? failed : saturated, x,
                        0.97 - 0.03 * (index % ROWS));
    }
}

void load_fill_chart(const struct load_report *report, struct chart *chart)
{
    struct variety variety = variety_of(report);
    char shape[TOPOLOGY_TEXT_SIZE], mix[LOAD_MIX_TEXT], traffic[41];
    bool has_saturated = has_mark(report, CHART_MARK_OPEN_TRIANGLE),
         has_failed = has_mark(report, CHART_MARK_CROSS);
    shape_text(&report->network.topology->shape, shape);
    chart->title = chart_text(chart, "%s, %s traffic%s%s", shape,
                              printable_copy(traffic, sizeof traffic, report->traffic),
                              report_load_mix(report, mix),
                              has_saturated && has_failed
                                  ? "\ntriangles: saturated; crosses: deadlock, or another failure"
                              : has_saturated ? "\ntriangles: saturated"
                              : has_failed    ? "\ncrosses: deadlock, or another failure"
                                              : "");
    struct chart_panel *panel = chart_panel(chart, 540, 320);
    panel->x = (struct chart_axis){.label = axis_names[variety.axis],
                                   .is_real = variety.axis == AXIS_RATE};
    panel->y = (struct chart_axis){.label = "latency  (cycles)"};
    for (uint32_t i = 0, curves = 0; i < report->points; i++)
        if (begins_curve(report, i, variety.axis))
            add_curve(report, i, curves++, &variety, panel);
}
