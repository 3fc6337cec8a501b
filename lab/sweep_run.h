/* sweep_run.h - a sweep from its plan to the last row: processes, progress, interruption. */
#ifndef MESHCAST_LAB_SWEEP_RUN_H
#define MESHCAST_LAB_SWEEP_RUN_H

#include "lab/sweep_plan.h"
#include "library/commands.h"

struct sweep_settings {
    const struct meshcast_command *command; /* for progress, notes, the interrupt */
    const char *path;                       /* of the database */
    uint32_t jobs, threads;
};

/* The counts of a sweep's runs. */
struct sweep_outcome {
    uint64_t there;            /* stored before */
    uint64_t stored;           /* stored now, by this sweep */
    uint64_t others;           /* stored meanwhile by other processes */
    uint64_t failed, refused;  /* of all that are stored, whenever and by whom */
    uint64_t undone;           /* that the system failed: no row */
    bool is_lost;              /* the file went during the sweep, and all that it held */
    bool is_interrupted;       /* a signal ended the sweep early */
    struct failure why_undone; /* of one of the undone runs */
};

/* Sets is_there[plan->runs], zeros, to 1 for each run that the database holds; if it is not there, for none. The database is only
 * read. */
enum failure_kind sweep_find_stored(const struct sweep_plan *plan,
                                    const struct sweep_settings *settings, uint8_t *is_there,
                                    struct failure *failure);

/* Does all runs of the plan that the database does not hold, in `jobs` processes. The command's interrupt lets the runs under way
 * end; a signal that is due abandons them, so the caller holds signals until it has reported the outcome. Returns a fatal
 * failure (of the database, of a process, a file that was removed); stored runs stay. */
enum failure_kind sweep_run(const struct sweep_plan *plan, const struct sweep_settings *settings,
                            struct sweep_outcome *outcome, struct failure *failure);

#endif
