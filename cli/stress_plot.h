/* stress_plot.h - the picture of a search: steps against the capacity of a node's buffer. */
#ifndef MESHCAST_CLI_STRESS_PLOT_H
#define MESHCAST_CLI_STRESS_PLOT_H

#include "chart/chart.h"
#include "search/stress.h"

#include <stdio.h>

/* Fills the chart of a router's search; the title is a line. */
void stress_fill_chart(const struct stress *stress, const char *router, const char *title,
                       struct chart *chart);

#endif
