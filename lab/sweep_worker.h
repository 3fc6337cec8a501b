/* sweep_worker.h - one process of a sweep: does the runs of a plan that nobody has done. */
#ifndef MESHCAST_LAB_SWEEP_WORKER_H
#define MESHCAST_LAB_SWEEP_WORKER_H

#include "lab/sweep_run.h"

#include <stdatomic.h>
#include <sys/types.h>

/* The state of a run is SWEEP_MISSING, or 1 + the failure_kind that it ended with and by whom it
 * was stored: before, by this sweep, by another process meanwhile. */
enum { SWEEP_MISSING, SWEEP_NOW = 16, SWEEP_OTHERS = 32, SWEEP_KINDS = 16 };

/* What a worker reports. The failures are read when it has ended. */
struct sweep_job {
    _Atomic uint64_t run;           /* the last one that it began */
    _Atomic double begun;           /* when; 0 between runs */
    _Atomic bool waits;             /* others do all that is missing */
    _Atomic double seconds, weight; /* of the runs that it has done */
    _Atomic uint64_t ended;         /* runs that it found stored or has stored, and their weight */
    _Atomic double ended_weight;
    struct failure undone, broken; /* of a run; of the database */
};

/* The parent and its workers share what the pointers `is_over`, `state` and `job` lead to. */
struct sweep {
    const struct sweep_plan *plan;
    const struct sweep_settings *settings;
    pid_t parent;           /* at its end the workers begin no more runs, */
    _Atomic bool *is_over;  /* nor when this is set */
    _Atomic uint8_t *state; /* [plan->runs] */
    struct sweep_job *job;  /* [settings->jobs] */
};

/* Does runs until all of the plan are stored, by itself or by others, or the sweep is over. Runs
 * that others are doing it waits for, and does them if those others die. Standard output and
 * standard error are not used. */
void sweep_work(const struct sweep *sweep, struct sweep_job *job);

#endif
