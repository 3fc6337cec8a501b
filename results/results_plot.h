/* results_plot.h - pictures of a database, drawn by gnuplot. */
#ifndef MESHCAST_RESULTS_RESULTS_PLOT_H
#define MESHCAST_RESULTS_RESULTS_PLOT_H

#include "library/gnuplot.h"
#include "results/plot_page.h"
#include "results/results_fit.h"

#include <stdint.h>
#include <stdio.h>

enum plot_kind { PLOT_STEPS, PLOT_BUFFERS, PLOT_RATIO, PLOT_PARETO, PLOT_KINDS };

/* The kinds' names, ended by NULL: "steps", "buffers", "ratio", "pareto". */
extern const char *const plot_names[PLOT_KINDS + 1];

/* A group of runs: the median, least and most of its figure, and what the fit says of it (0: there is none). */
struct plot_point {
    double x, y, least, most, fit;
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

enum {
    PLOT_MOST_METHODS = PLOT_STYLES,
    PLOT_MOST_PANELS = 9,
    PLOT_MOST_SETS = 24,
    PLOT_SET_NAME = 48
};

/* A set that is a file: it belongs to no axis, so each method has a bar. `least` is 0 where there is none. */
struct plot_set {
    const struct results_group *of; /* the first group of the set */
    char name[PLOT_SET_NAME];
    struct plot_point bar[PLOT_MOST_METHODS]; /* the figure in y, least and most */
    double mark;                              /* the lower bound (of buffers: c); 0: none */
};

/* The least and the greatest of a figure of a method's fits over the panels; `least` is above `most` where there is
 * none. */
struct plot_range {
    double least, most;
};

/* Exponents of the power law, coefficients of the sum c1 S + c2 m. */
struct plot_exponents {
    struct plot_range c, n, of_s, of_m;
};

struct pareto;

struct plot {
    enum plot_kind kind;
    struct pareto *pareto; /* of PLOT_PARETO, which has nothing of what follows; else NULL */
    uint32_t methods, panels, sets;               /* panels: of patterns */
    const char *method[PLOT_MOST_METHODS], *copy; /* copy: of all runs, or NULL where they differ */
    bool has_several; /* nodes of some set send several messages: l c stands for c */
    struct plot_panel panel[PLOT_MOST_PANELS];
    struct plot_set set[PLOT_MOST_SETS];
    struct plot_exponents exponents[PLOT_MOST_METHODS];
    double least_x, most_x, least_y, most_y; /* of all that panels draw */
};

/* Takes the lines of a plot from the groups, which must outlive it. FAIL_USAGE: more panels or
 * lines than can be told apart, or nothing to draw; plot_free() when done. */
enum failure_kind plot_make(struct plot *plot, const struct results_groups *groups,
                            enum plot_kind kind, struct failure *failure);
void plot_free(struct plot *plot);

/* Whether a method has a fit by a power law in any panel, or one by a sum. */
bool plot_has_fit(const struct plot *plot, uint32_t method);
bool plot_has_sum(const struct plot *plot, uint32_t method);

/* The figure that a kind draws. */
enum results_measure plot_measure_of(enum plot_kind kind);

/* Adds the bars of the groups of sets that are files; all methods are named by then. FAIL_USAGE: more sets than can be
 * told apart. */
enum failure_kind plot_bars_make(struct plot *plot, const struct results_groups *groups,
                                 struct failure *failure);

/* The height in points of the bars' panel; its data and itself, as a program for gnuplot, in the margins that are set.
 * `colour`: one a method; NULL: on the terminal, where a bar is a letter. */
uint32_t plot_bars_height(const struct plot *plot);
void plot_bars_write_data(const struct plot *plot, FILE *out);
void plot_bars_write(const struct plot *plot, const char *const *colour, FILE *out);

/* The format that a file's name asks for, "-" being the terminal. FAIL_USAGE: none. */
enum failure_kind plot_format_of(const char *path, enum plot_format *format,
                                 struct failure *failure);

/* Writes the program for gnuplot that draws the plot to its standard output. */
void plot_write_script(const struct plot *plot, enum plot_format format, FILE *out);

/* Draws the plot into a file, or "-", standard output. FAIL_SYSTEM: gnuplot is not there or fails,
 * the file cannot be written; nothing is left of it then. */
enum failure_kind plot_draw(const struct plot *plot, const char *path, struct failure *failure);

#endif
