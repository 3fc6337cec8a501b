/* sweep_progress.h - how far a sweep is and how long it will take, as one line on a terminal. */
#ifndef MESHCAST_LAB_SWEEP_PROGRESS_H
#define MESHCAST_LAB_SWEEP_PROGRESS_H

#include "console/progress.h"
#include "lab/sweep_plan.h"

#include <stdbool.h>
#include <stdint.h>

/* The run of a job; `busy` is false between runs. `waits`: others do all that is missing. */
struct sweep_job {
    uint64_t run;
    double begun;
    bool busy, waits;
};

struct sweep_progress {
    const struct sweep_plan *plan;
    struct sweep_job *job;
    uint32_t jobs;
    uint64_t ended; /* runs of the plan that are stored */
    double weight_left, weight_done, seconds_done;
    struct progress_line line;
    char text[256];
};

/* Runs marked in `is_there` count as ended. sweep_progress_close() when done. */
enum failure_kind sweep_progress_open(struct sweep_progress *progress,
                                      const struct sweep_plan *plan, const bool *is_there,
                                      uint32_t jobs, bool quiet, struct failure *failure);
void sweep_progress_close(struct sweep_progress *progress);

/* A job begins a run, or ends one that took so many seconds (0: it did not do it itself). `fresh`:
 * the run was not known to be stored. */
void sweep_progress_begin_run(struct sweep_progress *progress, uint32_t job, uint64_t run);
void sweep_progress_end_run(struct sweep_progress *progress, uint32_t job, uint64_t run,
                            double seconds, bool fresh);

/* A job finds that all missing runs are being done by others, its fellow jobs or other processes.
 */
void sweep_progress_wait(struct sweep_progress *progress, uint32_t job);

/* Renews the line if it is time to; erases it. */
void sweep_progress_show(struct sweep_progress *progress);
void sweep_progress_clear(struct sweep_progress *progress);

/* What a job was doing last, in a few words; valid until the next call. */
const char *sweep_progress_run_of(struct sweep_progress *progress, uint32_t job);

#endif
