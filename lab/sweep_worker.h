/* sweep_worker.h - one process of a sweep: does the runs of a plan that nobody has done. */
#ifndef MESHCAST_LAB_SWEEP_WORKER_H
#define MESHCAST_LAB_SWEEP_WORKER_H

#include "lab/sweep_plan.h"

#include <stdbool.h>
#include <stdint.h>

enum sweep_event {
    SWEEP_BEGUN,  /* the worker begins the run */
    SWEEP_STORED, /* the run's row is stored, whatever its outcome */
    SWEEP_FOUND,  /* somebody else has stored it meanwhile */
    SWEEP_WAITS,  /* others are doing all runs that are missing */
    SWEEP_UNDONE, /* the system failed the run (no memory, a file that is gone): no row */
    SWEEP_BROKEN, /* the worker can go on no more: the database fails */
};

/* What a worker tells; a message is written whole (it is smaller than _POSIX_PIPE_BUF). */
struct sweep_message {
    uint64_t run;
    double seconds; /* of SWEEP_STORED: since SWEEP_BEGUN */
    enum sweep_event event;
    /* Of STORED and FOUND: the outcome; of UNDONE and BROKEN: the failure. */
    enum failure_kind kind;
    uint32_t worker;
    char text[400]; /* of a run that did not go well: why */
};

struct sweep_worker_task {
    const struct sweep_plan *plan;
    const char *path; /* of the database, which is there */
    uint32_t worker, threads;
    uint64_t memory;    /* bytes that a run with its set may take */
    bool shares_memory; /* with other workers */
    bool *is_there;     /* [plan->runs]: known to be stored; the worker's own copy */
    int life_line; /* a pipe on which nothing comes; at its end the worker begins no more runs */
    int messages;  /* a pipe for struct sweep_message */
};

/* Does runs until all of the plan are stored, by itself or by others, or its life line ends. Runs
 * that others are doing it waits for, and does them if those others die. Standard output and
 * standard error are not used. */
void sweep_work(const struct sweep_worker_task *task);

#endif
