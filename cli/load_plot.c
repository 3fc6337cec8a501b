/* load_plot.c - latency against load, as a program for gnuplot.
 *
 * Method: the picture has one panel, and a curve for each scheme and each value of what varies beside the axis. Each
 * point is a dot with a bar of its 95 % confidence. A load at which the network is saturated has no latency: a triangle
 * near the upper edge marks it, in the curve's colour and below those of the curves before, and a cross one that ended in
 * a deadlock or failed another check. The key stands under the axis, where no curve comes. The axis is the rate; where all points have the same rate it is the destinations or
 * the lengths. Curves differ in colour and lightness, in the shape of their dots, and from the seventh on in their dashes.
 */
#include "cli/report_load.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Sizes in points. */
enum { WIDTH = 620, HEIGHT = 408, MARKS = 8, STYLES = 6, DASHES = 5 };

/* The key: a line of it, the room under the axis that has its marks and its name, a letter, a curve's
 * sample, and what gnuplot takes for the key's width. */
enum {
    KEY_LINE = 18,
    AXIS_ROOM = 66,
    LETTER = 9,
    SAMPLE = 63,
    KEY_WIDTH = 520,
    LONGEST_NAME = 160
};

/* From one curve's marks down to the next one's, in parts of the height. */
#define MARK_STEP 0.03

enum axis { AXIS_RATE, AXIS_DESTINATIONS, AXIS_FLITS };

static const char *const axis_names[] = {"messages per node and cycle", "destinations of a message",
                                         "flits of a message"};
static const char *const colours[STYLES] = {"#0072B2", "#D55E00", "#009E73",
                                            "#CC79A7", "#E69F00", "#56B4E9"};
static const int dots[STYLES] = {7, 5, 9, 13, 11, 4};

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

/* What marks a point that has no latency. */
enum mark { MARK_NONE, MARK_SATURATED, MARK_FAILED };

static enum mark mark_of(const struct load_point *point)
{
    if (report_load_has_latency(point))
        return MARK_NONE;
    if (point->failure.kind != FAIL_NONE)
        return MARK_FAILED;
    return point->result.is_saturated ? MARK_SATURATED : MARK_NONE;
}

static bool has_mark(const struct load_report *report, enum mark mark)
{
    for (uint32_t i = 0; i < report->points; i++)
        if (mark_of(&report->point[i]) == mark)
            return true;
    return false;
}

static void put_curve_data(const struct load_report *report, uint32_t first, enum axis axis,
                           FILE *out)
{
    fprintf(out, "$curve%u << END\n", first);
    for (uint32_t i = first; i < report->points; i++) {
        const struct load_point *point = &report->point[i];
        if (!same_curve(point, &report->point[first], axis))
            continue;
        fprintf(out, "%.10g ", axis_value(point, axis));
        if (report_load_has_latency(point))
            fprintf(out, "%.10g %.10g NaN\n", point->result.latency.mean,
                    point->result.latency.half_width);
        else
            fprintf(out, "NaN NaN %d\n", (int)mark_of(point));
    }
    fputs("END\n", out);
}

static void name_curve(const struct load_point *point, const struct variety *variety,
                       char text[LONGEST_NAME])
{
    char part[64], flits[FLITS_TEXT];
    snprintf(text, LONGEST_NAME, "%s", point->scheme->name);
    if (variety->destinations && variety->axis != AXIS_DESTINATIONS) {
        snprintf(part, sizeof part, ", k = %" PRIu32, point->destinations);
        strncat(text, part, LONGEST_NAME - strlen(text) - 1);
    }
    if (variety->flits && variety->axis != AXIS_FLITS) {
        snprintf(part, sizeof part, ", %s flits", flits_range_text(point->flits, flits));
        strncat(text, part, LONGEST_NAME - strlen(text) - 1);
    }
}

/* The key's columns, as many as its longest name leaves room for, and its lines. */
static void size_key(const struct load_report *report, const struct variety *variety,
                     uint32_t *columns, uint32_t *lines)
{
    uint32_t curves = 0, longest = 0;
    for (uint32_t i = 0; i < report->points; i++) {
        char name[LONGEST_NAME];
        if (!begins_curve(report, i, variety->axis))
            continue;
        name_curve(&report->point[i], variety, name);
        longest = strlen(name) > longest ? (uint32_t)strlen(name) : longest;
        curves++;
    }
    *columns = KEY_WIDTH / (SAMPLE + LETTER * longest);
    *columns = *columns == 0 ? 1 : *columns;
    *lines = (curves + *columns - 1) / *columns;
}

static void put_key(uint32_t columns, uint32_t lines, uint32_t height, FILE *out)
{
    fprintf(out,
            "set bmargin at screen %.5f\n"
            "set key at screen 0.5,screen %.5f center center horizontal maxcols %" PRIu32
            " Left reverse samplen 2.5 width 1\n",
            (double)(AXIS_ROOM + lines * KEY_LINE) / height, (lines + 0.5) * KEY_LINE / 2 / height,
            columns);
}

static void put_axes(const struct load_report *report, enum axis axis, FILE *out)
{
    double right = 0, top = 1;
    for (uint32_t i = 0; i < report->points; i++) {
        const struct load_point *point = &report->point[i];
        right = fmax(right, axis_value(point, axis));
        if (report_load_has_latency(point))
            top = fmax(top, point->result.latency.mean + point->result.latency.half_width);
    }
    fprintf(out,
            "top = %.10g\nset xrange [0:%.10g]\nset yrange [0:top]\nset ytics %" PRIu64
            "\nset xlabel '%s'\nset ylabel 'latency  (cycles)'\n",
            1.12 * top, 1.05 * right, gnuplot_mark_every((uint64_t)ceil(top), MARKS),
            axis_names[axis]);
}

void load_write_script(const struct load_report *report, enum plot_format format, FILE *script)
{
    struct variety variety = variety_of(report);
    char title[TOPOLOGY_TEXT_SIZE + 96 + LOAD_MIX_TEXT], mix[LOAD_MIX_TEXT];
    uint32_t curves = 0, columns, lines;
    size_key(report, &variety, &columns, &lines);
    uint32_t height = HEIGHT + lines * KEY_LINE;
    shape_text(&report->network.topology->shape, title);
    bool has_saturated = has_mark(report, MARK_SATURATED),
         has_failed = has_mark(report, MARK_FAILED);
    snprintf(title + strlen(title), sizeof title - strlen(title), ", %.40s traffic%s%s%s%s%s",
             report->traffic, report_load_mix(report, mix),
             has_saturated || has_failed ? "  (" : "", has_saturated ? "triangles: saturated" : "",
             has_saturated && has_failed ? "; " : "",
             has_failed      ? "crosses: deadlock, or another failure)"
             : has_saturated ? ")"
                             : "");
    fputs("set encoding utf8\n", script);
    gnuplot_put_terminal(format, WIDTH, height, script);
    for (uint32_t i = 0; i < report->points; i++)
        if (begins_curve(report, i, variety.axis))
            put_curve_data(report, i, variety.axis, script);
    fputs("set title ", script);
    gnuplot_put_string(title, script);
    fputs("\nset tics nomirror scale 0.5\n"
          "set grid xtics ytics lc rgb 'gray85' dt solid lw 0.5\n",
          script);
    put_key(columns, lines, height, script);
    put_axes(report, variety.axis, script);
    for (uint32_t i = 0; i < report->points; i++) {
        if (!begins_curve(report, i, variety.axis))
            continue;
        uint32_t style = curves % STYLES;
        fprintf(script,
                "%s $curve%u using 1:2:3 with yerrorlines lc rgb '%s' lw 1.5 dt %u pt %d ps 0.6 "
                "title ",
                curves == 0 ? "plot" : ", \\\n ", i, colours[style], curves / STYLES % DASHES + 1,
                dots[style]);
        char name[LONGEST_NAME];
        name_curve(&report->point[i], &variety, name);
        gnuplot_put_string(name, script);
        for (int mark = MARK_SATURATED; mark <= MARK_FAILED; mark++)
            fprintf(script,
                    ", \\\n  $curve%u using ($4 == %d ? $1 : NaN):(%.3f * top) with points lc rgb "
                    "'%s' pt %d ps 1 notitle",
                    i, mark, 0.97 - MARK_STEP * style, colours[style],
                    mark == MARK_SATURATED ? 8 : 2);
        curves++;
    }
    fputc('\n', script);
}
