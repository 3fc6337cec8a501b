/* results_plot.h - pictures of a database. */
#ifndef MESHCAST_LAB_RESULTS_PLOT_H
#define MESHCAST_LAB_RESULTS_PLOT_H

#include "chart/chart.h"
#include "lab/results_group.h"

enum plot_kind { PLOT_STEPS, PLOT_BUFFERS, PLOT_RATIO, PLOT_PARETO, PLOT_KINDS };

/* The names of the kinds, ended by NULL: "steps", "buffers", "ratio", "pareto". */
extern const char *const plot_names[PLOT_KINDS + 1];

/* Fills an empty chart from the groups. FAIL_USAGE: more panels, lines or sets than can be
 * distinguished, or nothing to draw. */
enum failure_kind plot_fill_chart(struct chart *chart, const struct results_groups *groups,
                                  enum plot_kind kind, struct failure *failure);

/* Sets *format by the end of a file's name, "-" being the terminal. FAIL_USAGE: no such format. */
enum failure_kind plot_format_of(const char *path, enum plot_format *format,
                                 struct failure *failure);

/* Draws a picture of the groups into a file, or "-", standard output; NULL: as text to `terminal`.
 * FAIL_SYSTEM: gnuplot is not there or fails, or the file cannot be written; then no file is
 * left. */
enum failure_kind plot_draw(const struct results_groups *groups, enum plot_kind kind,
                            const char *path, FILE *terminal, struct failure *failure);

#endif
