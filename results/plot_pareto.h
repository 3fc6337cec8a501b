/* plot_pareto.h - steps against the fullest buffer of all runs on one set, and which of them no other run beats. */
#ifndef MESHCAST_RESULTS_PLOT_PARETO_H
#define MESHCAST_RESULTS_PLOT_PARETO_H

#include "library/gnuplot.h"
#include "results/results_group.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PARETO_MOST_PANELS = 9, PARETO_MOST_ROUTERS = 12, PARETO_TITLE = 160 };

/* A router with its parameters and capacity on a set, by its medians over seeds. */
struct pareto_run {
    const struct results_group *group;
    double buffer, steps; /* both above 0 */
    uint32_t router;      /* its place among the names */
    bool is_dominated;    /* another run of the panel is no worse in one and better in the other */
    bool is_in_front;     /* it is not dominated; of equal runs the first alone */
};

enum { PARETO_NAME_SIZE = 31, PARETO_NAME_FONT = 9 };

/* The name of a run in front, where it is drawn: its right end and the middle of its line, in points from the corner of
 * the axes. */
struct pareto_name {
    const struct pareto_run *run;
    char text[PARETO_NAME_SIZE];
    double left, right, middle;
};

/* The runs on one set of messages (of one pattern, mesh, degree, congestion, file and cost of copies), by buffer, then
 * steps. */
struct pareto_panel {
    char title[PARETO_TITLE];
    uint32_t first, end;
};

struct pareto {
    uint32_t panels, routers, runs;
    const char *router[PARETO_MOST_ROUTERS];
    struct pareto_panel panel[PARETO_MOST_PANELS];
    struct pareto_run *run;
    uint32_t names; /* of the panel that was placed last */
    struct pareto_name *name;
};

/* Takes the runs from the groups, which must outlive it. FAIL_USAGE: more panels or routers than can be told apart, or
 * nothing to draw; pareto_free() when done. */
enum failure_kind pareto_make(struct pareto *pareto, const struct results_groups *groups,
                              struct failure *failure);
void pareto_free(struct pareto *pareto);

/* Logarithmic axes, x and y. */
struct pareto_axes {
    double from[2], to[2]; /* natural logarithms of the values at the ends */
    double points[2];      /* lengths */
};

/* Returns the axes of a panel, of `width` and `height` points: they reach a little beyond its runs. */
struct pareto_axes pareto_axes_of(const struct pareto *pareto, uint32_t panel, double width,
                                  double height);

/* Return where a value is on axis k (0: x, 1: y), in points, and the value that is at a place. */
double pareto_axes_place(const struct pareto_axes *axes, int k, double value);
double pareto_axes_value(const struct pareto_axes *axes, int k, double place);

/* Names the runs in front of a panel and places the names so that they cover no mark, no line and no other name; lets the
 * axes begin lower where the names need it. */
void pareto_place_names(struct pareto *pareto, uint32_t panel, struct pareto_axes *axes);

/* Writes the program for gnuplot that draws it to its standard output. */
void pareto_write_script(struct pareto *pareto, enum plot_format format, FILE *out);

#endif
