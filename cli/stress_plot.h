/* stress_plot.h - the picture of a search: steps against the capacity of a node's buffer. */
#ifndef MESHCAST_CLI_STRESS_PLOT_H
#define MESHCAST_CLI_STRESS_PLOT_H

#include "library/gnuplot.h"
#include "search/stress.h"

#include <stdio.h>

/* Writes the program for gnuplot; the title is a line. */
void stress_write_script(const struct stress *stress, enum plot_format format, const char *title,
                         FILE *script);

#endif
