/* chart_private.h - declarations that the layout of a chart and its writer share. */
#ifndef MESHCAST_CHART_CHART_PRIVATE_H
#define MESHCAST_CHART_CHART_PRIVATE_H

#include "chart/chart.h"

/* Sizes in points: a line of text, the scale of colours, the edge of the page. */
enum { CHART_LINE_HEIGHT = 18, CHART_SCALE = 96, CHART_EDGE = 12 };

/* Chooses the ends of all axes, moves names beside their points, and places the panels and the key. */
void chart_lay_out(struct chart *chart);

/* Returns the place of a value on an axis of so many points. */
double chart_place_of(const struct chart_axis *axis, double length, double value);

/* True if the curve has a line of the key: it has no points, or is the first of its title. */
bool chart_is_in_key(const struct chart *chart, const struct chart_curve *curve);

#endif
