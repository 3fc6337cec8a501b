/* sweep_runner.h - does the runs of a plan, one after the other, and stores them. */
#ifndef MESHCAST_LAB_SWEEP_RUNNER_H
#define MESHCAST_LAB_SWEEP_RUNNER_H

#include "lab/results_database.h"
#include "lab/sweep_plan.h"
#include "library/meshcast.h"

/* The first fields are the caller's; the others are zero in the beginning. */
struct sweep_runner {
    const struct sweep_plan *plan;
    uint32_t threads;
    struct meshcast_set *set; /* that of `workload` and `seed`, kept for the next run; NULL: none */
    uint64_t workload, seed;
};

/* True if a run with this outcome is stored: that the system failed (no memory), or a file has
 * changed, says nothing about the router. */
static inline bool sweep_has_row(enum failure_kind outcome)
{
    return outcome != FAIL_SYSTEM && outcome != FAIL_INPUT;
}

/* Does a run of the plan and stores it under the key, with its outcome, if it has a row.
 * Returns failures of results_add(). */
enum failure_kind sweep_runner_do(struct sweep_runner *runner, const struct sweep_case *run,
                                  const char *key, struct results_database *database,
                                  struct failure *outcome, struct failure *failure);

void sweep_runner_free(struct sweep_runner *runner);

#endif
