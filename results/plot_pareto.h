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
};

/* Takes the runs from the groups, which must outlive it. FAIL_USAGE: more panels or routers than can be told apart, or
 * nothing to draw; pareto_free() when done. */
enum failure_kind pareto_make(struct pareto *pareto, const struct results_groups *groups,
                              struct failure *failure);
void pareto_free(struct pareto *pareto);

/* Writes the program for gnuplot that draws it to its standard output. */
void pareto_write_script(const struct pareto *pareto, enum plot_format format, FILE *out);

#endif
