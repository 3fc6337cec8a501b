/* compare_plot.h - the picture of a comparison: a bar a router, of its steps and of its buffer. */
#ifndef MESHCAST_CLI_COMPARE_PLOT_H
#define MESHCAST_CLI_COMPARE_PLOT_H

#include "chart/chart.h"

#include <stdint.h>

/* What a router came to. */
struct compare_bar {
    const char *router, *outcome; /* "delivers"; "fails": a check; "refuses", without figures */
    uint64_t steps, sync_steps;
    uint32_t buffer_peak;
};

struct compare_plot {
    const char *title; /* a line */
    const struct compare_bar *bar;
    uint32_t bars;
};

/* Fills the chart, which uses the plot's texts. */
void compare_fill_chart(const struct compare_plot *plot, struct chart *chart);

#endif
