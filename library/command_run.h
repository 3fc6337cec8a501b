/* command_run.h - what commands that run routers share: finding the router, observing a run, progress. */
#ifndef MESHCAST_LIBRARY_COMMAND_RUN_H
#define MESHCAST_LIBRARY_COMMAND_RUN_H

#include "library/commands.h"
#include "routers/router.h"

/* Finds the router called `name`, or returns the user's own one if `name` is NULL. FAIL_USAGE, with all names: there is none. */
enum failure_kind command_find_router(const struct meshcast_command *command, const char *name,
                                      const struct router **router, struct failure *failure);

/* A run under way. */
struct command_run {
    const struct meshcast_command *command;
    const char *label;                /* of the progress line, the caller's */
    double told;                      /* when progress was reported last, in seconds */
    struct machine_observer observer; /* passes events on to the command's observer */
};

/* Sets `options` to pass events, progress and interrupts between the run and the command. `run` must outlive the run and must not
 * be moved. */
void command_run_begin(struct command_run *run, const struct meshcast_command *command,
                       const char *label, struct router_options *options);

/* Returns an observer that passes the machine's events on to `observer`, which must outlive it. */
struct machine_observer command_observe(const struct meshcast_observer *observer);

#endif
