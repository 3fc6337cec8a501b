/* command_run.h - what commands that run routers share: finding the router, observing a run, progress. */
#ifndef MESHCAST_LIBRARY_COMMAND_RUN_H
#define MESHCAST_LIBRARY_COMMAND_RUN_H

#include "library/commands.h"
#include "routers/router.h"

/* Finds the router called `name`, or returns the user's own one if `name` is NULL. FAIL_USAGE, with all names: there is none. */
enum failure_kind command_find_router(const struct meshcast_command *command, const char *name,
                                      const struct router **router, struct failure *failure);

enum { RUN_OBSERVERS = 4 };

/* A run under way. */
struct command_run {
    const struct meshcast_command *command;
    const char *label;             /* of the progress line, the caller's */
    double told;                   /* when progress was reported last, in seconds */
    struct router_options options; /* of the run */
    uint32_t observers;
    const struct machine_observer *observer[RUN_OBSERVERS];
    struct machine_observer own, all; /* the command's, and one that tells each of several */
};

/* Begins a run with these options, which passes events, progress and interrupts between the router and the command. `run` must not
 * be moved. */
void command_run_begin(struct command_run *run, const struct meshcast_command *command,
                       const char *label, const struct router_options *options);

/* Adds an observer, the caller's, before the run; NULL: nobody. There are RUN_OBSERVERS at most, the command's included. */
void command_run_observe(struct command_run *run, const struct machine_observer *observer);

#endif
