/* sweep_run.h - a sweep from its plan to the last row: processes, progress, interruption. */
#ifndef MESHCAST_LAB_SWEEP_RUN_H
#define MESHCAST_LAB_SWEEP_RUN_H

#include "base/failure.h"
#include "lab/sweep_plan.h"

#include <stdbool.h>
#include <stdint.h>

struct sweep_settings {
    const char *path; /* of the database */
    uint32_t jobs, threads;
    bool quiet;
};

/* What came of a sweep. */
struct sweep_outcome {
    uint64_t there;            /* runs of the plan that were stored before */
    uint64_t stored;           /* stored now, by this sweep */
    uint64_t others;           /* stored meanwhile by other processes */
    uint64_t failed, refused;  /* of all that are stored, whenever and by whom */
    uint64_t undone;           /* runs that the system failed: no row */
    bool lost;                 /* the file went during the sweep, and all that it held */
    int interrupted;           /* the signal that ended the sweep early, or 0 */
    struct failure why_undone; /* of one of the undone runs */
};

/* Sets is_there[plan->runs], zeros, to 1 for each run that the database holds; if it is not there,
 * none. The database is only read. Shows progress unless `quiet`. */
enum failure_kind sweep_find_stored(const struct sweep_plan *plan, const char *path, bool quiet,
                                    uint8_t *is_there, struct failure *failure);

/* Does all runs of the plan that the database does not hold, in `jobs` processes. SIGINT, SIGTERM
 * or SIGHUP lets the runs under way end; a second one abandons them. Returns a fatal failure (of
 * the database, of a process, a file that was removed); stored runs stay. */
enum failure_kind sweep_run(const struct sweep_plan *plan, const struct sweep_settings *settings,
                            struct sweep_outcome *outcome, struct failure *failure);

#endif
