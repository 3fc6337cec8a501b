/* report_stress.h - what `stress` prints. */
#ifndef MESHCAST_CLI_REPORT_STRESS_H
#define MESHCAST_CLI_REPORT_STRESS_H

#include "library/report.h"
#include "search/stress.h"

/* A search that is over; `route` is the run without a capacity. */
struct stress_report {
    const struct run_report *route;
    const struct stress *stress;
    double seconds; /* of all runs */
};

/* The rows of `stress --csv`: the runs, and behind them that without a capacity. NULL: no memory. The caller owns it. */
json_t *report_stress_rows(const struct stress_report *report);

/* The object of `stress --json`. NULL: no memory. The caller owns it. */
json_t *report_stress_json(const struct stress_report *report);

/* The table of the capacities that were tried, and what they come to. */
void report_print_stress(const struct stress_report *report, FILE *out);

#endif
