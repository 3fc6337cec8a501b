/* sweep_worker.h - one process of a sweep: does the runs of a plan that nobody has done. */
#ifndef MESHCAST_LAB_SWEEP_WORKER_H
#define MESHCAST_LAB_SWEEP_WORKER_H

#include "lab/sweep_run.h"

#include <stdatomic.h>
#include <sys/types.h>

/* The states of a run, and by whom it was stored. */
enum sweep_state {
    SWEEP_MISSING,
    SWEEP_DONE,
    SWEEP_FAILED,
    SWEEP_REFUSED,
    SWEEP_UNDONE, /* the system failed it (no memory, a file that is gone): no row */
    SWEEP_STATES = 8,
    SWEEP_NOW = SWEEP_STATES,        /* added: by this sweep */
    SWEEP_OTHERS = 2 * SWEEP_STATES, /* added: by another process meanwhile; else before */
};

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
    uint64_t memory;        /* bytes that each run with its set may use */
    pid_t parent;           /* at its end the workers begin no more runs, */
    _Atomic bool *is_over;  /* nor when this is set */
    _Atomic uint8_t *state; /* [plan->runs], enum sweep_state */
    struct sweep_job *job;  /* [settings->jobs] */
};

/* Returns the state of a run with this outcome. */
enum sweep_state sweep_state_of(enum failure_kind outcome);

/* Does runs until all of the plan are stored, by itself or by others, or the sweep is over. Runs
 * that others are doing it waits for, and does them if those others die. Standard output and
 * standard error are not used. */
void sweep_work(const struct sweep *sweep, struct sweep_job *job);

#endif
