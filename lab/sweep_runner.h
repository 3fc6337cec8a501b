/* sweep_runner.h - does the runs of a plan, one after the other, and makes their rows. */
#ifndef MESHCAST_LAB_SWEEP_RUNNER_H
#define MESHCAST_LAB_SWEEP_RUNNER_H

#include "console/report.h"
#include "lab/results_database.h"
#include "lab/sweep_plan.h"

/* The first fields are the caller's; the others are zero in the beginning. */
struct sweep_runner {
    const struct sweep_plan *plan;
    uint32_t threads;
    uint64_t memory;          /* bytes that a run with its set may take */
    bool shares_memory;       /* with other runners */
    struct instance instance; /* of `workload` and `seed`, if `workload` is not NULL */
    const struct sweep_workload *workload;
    uint64_t seed;
    struct run_report report; /* of the last run; its `failure` is what came of it */
    struct run_options options;
};

/* Does a run of the plan. The message set is kept for the next one. */
void sweep_runner_do(struct sweep_runner *runner, const struct sweep_case *run);

/* Whether the last run is to be stored: one that the system failed (no memory) says nothing about
 * the router. */
bool sweep_runner_has_row(const struct sweep_runner *runner);

/* Stores the last run, which was `run`, with its figures and its state. Failures as results_add().
 */
enum failure_kind sweep_runner_store(const struct sweep_runner *runner,
                                     const struct sweep_case *run, const char *key,
                                     struct results_database *database, struct failure *failure);

void sweep_runner_free(struct sweep_runner *runner);

#endif
