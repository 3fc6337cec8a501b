/* race_plot.h - the picture of a race: steps against the capacity of a node's buffer, a curve a router. */
#ifndef MESHCAST_CLI_RACE_PLOT_H
#define MESHCAST_CLI_RACE_PLOT_H

#include "chart/chart.h"
#include "cli/compare_routers.h"
#include "search/race.h"

#include <stdio.h>

struct race_plot {
    const char *title; /* a line */
    const struct race *race;
    const struct compared_routers *rows; /* the runners */
    uint64_t lower_bound;
};

/* Fills the chart, which uses the plot's texts, and writes the numbers: capacity,router,outcome,steps,peak,is_fastest; without a capacity the
 * first is empty. */
void race_fill_chart(const struct race_plot *plot, struct chart *chart);
void race_write_csv(const struct race_plot *plot, FILE *out);

#endif
