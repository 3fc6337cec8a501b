/* results_plot.h - pictures of a database, drawn by gnuplot. */
#ifndef MESHCAST_RESULTS_RESULTS_PLOT_H
#define MESHCAST_RESULTS_RESULTS_PLOT_H

#include "library/gnuplot.h"
#include "results/results_group.h"

#include <stdint.h>
#include <stdio.h>

enum plot_kind { PLOT_STEPS, PLOT_BUFFERS, PLOT_RATIO, PLOT_KINDS };

/* The kinds' names, ended by NULL: "steps", "buffers", "ratio". */
extern const char *const plot_names[PLOT_KINDS + 1];

/* A group of runs: the median, least and most of its figure. */
struct plot_point {
    double x, y, least, most;
    uint64_t
        mesh; /* nodes of the mesh to whose line it belongs; 0 for all where there is but one */
};

/* What is drawn of one router, or of the lower bound, on one workload: its points, by
 * mesh and x, and for each mesh a line through the geometric means of those that have the same x (the
 * bound: their least). Where no mesh has two x, one line joins the meshes. */
struct plot_line {
    uint32_t points, corners;
    struct plot_point *point, *corner;
};

/* A workload's panel: a line a method, and that of the lower bound behind them. */
struct plot_panel {
    const char *workload;
    struct plot_line *line; /* [methods + 1] */
};

enum { PLOT_MOST_METHODS = 12, PLOT_MOST_PANELS = 9 };

struct plot {
    enum plot_kind kind;
    uint32_t methods, panels;
    const char *method[PLOT_MOST_METHODS], *copy; /* copy: of all runs, or NULL where they differ */
    struct plot_panel panel[PLOT_MOST_PANELS];
    double least_x, most_x, least_y, most_y; /* of all that is drawn */
};

/* Takes the lines of a plot from the groups, which must outlive it. FAIL_USAGE: more panels or
 * lines than can be told apart, or nothing to draw; plot_free() when done. */
enum failure_kind plot_make(struct plot *plot, const struct results_groups *groups,
                            enum plot_kind kind, struct failure *failure);
void plot_free(struct plot *plot);

/* The format that a file's name asks for, "-" being the terminal. FAIL_USAGE: none. */
enum failure_kind plot_format_of(const char *path, enum plot_format *format,
                                 struct failure *failure);

/* Writes the program for gnuplot that draws the plot to its standard output. */
void plot_write_script(const struct plot *plot, enum plot_format format, FILE *out);

/* Draws the plot into a file, or "-", standard output. FAIL_SYSTEM: gnuplot is not there or fails,
 * the file cannot be written; nothing is left of it then. */
enum failure_kind plot_draw(const struct plot *plot, const char *path, struct failure *failure);

#endif
