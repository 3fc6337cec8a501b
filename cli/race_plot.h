/* race_plot.h - the picture of a race: steps against the capacity of a node's buffer, a curve a router. */
#ifndef MESHCAST_CLI_RACE_PLOT_H
#define MESHCAST_CLI_RACE_PLOT_H

#include "chart/chart.h"
#include "cli/compare_routers.h"
#include "search/race.h"

struct race_plot {
    const char *title; /* a line */
    const struct race *race;
    const struct compared_routers *rows; /* the runners */
    uint64_t lower_bound;
};

/* Fills the chart, which uses the plot's texts. */
void race_fill_chart(const struct race_plot *plot, struct chart *chart);

#endif
