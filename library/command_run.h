/* command_run.h - common parts of commands that run routers: finding the router, observing a run,
 * progress, runs with a capacity. */
#ifndef MESHCAST_LIBRARY_COMMAND_RUN_H
#define MESHCAST_LIBRARY_COMMAND_RUN_H

#include "library/commands.h"
#include "routers/router.h"
#include "search/stress.h"

/* Finds the router called `name`, or returns the user's own one if `name` is NULL. FAIL_USAGE, with
 * all names: there is none. */
enum failure_kind command_find_router(const struct meshcast_command *command, const char *name,
                                      const struct router **router, struct failure *failure);

enum { RUN_OBSERVERS = 4 };

/* A run under way. */
struct command_run {
    const struct meshcast_command *command;
    const char *label;             /* of the progress line, the caller's */
    double reported;               /* time of the last progress, in seconds */
    struct router_options options; /* of the run */
    uint32_t observers;
    const struct machine_observer *observer[RUN_OBSERVERS];
    struct machine_observer own, all; /* the command's, and one that passes events to several */
};

/* Begins a run with these options, which passes events, progress and interrupts between the router
 * and the command. `run` must not be moved. */
void command_run_begin(struct command_run *run, const struct meshcast_command *command,
                       const char *label, const struct router_options *options);

/* Adds an observer, the caller's, before the run; NULL: none. There are RUN_OBSERVERS at most, the
 * command's included. */
void command_run_observe(struct command_run *run, const struct machine_observer *observer);

/* Returns the capacity that a run was held to, with an unknown congestion that of the last attempt;
 * 0: none. */
uint32_t command_run_capacity(const struct router_result *result);

/* True if a run failed a check because a node held more than its capacity. With an unknown
 * congestion only the last attempt counts: an overflow in an earlier one makes that void and is no
 * failure. */
bool command_run_overflowed(const struct router_result *result, const struct failure *ended);

/* Words for an enum stress_outcome. */
extern const char *const stress_outcome_names[STRESS_REFUSED + 1];

/* A router on a set, whose capacity is varied. */
struct router_probe {
    const struct meshcast_command *command;
    const char *label; /* names the router in progress lines */
    const struct router *router;
    const struct message_set *set;
    struct router_options options; /* without progress */
    uint32_t runs;                 /* so far */
    struct router_result result;   /* of the run without a capacity */
};

/* Probes a capacity: the stress_probe; `context` is a struct router_probe [routers]. Fails if no
 * capacity would mend the run. */
enum failure_kind router_probe(void *context, uint32_t router, struct stress_run *run,
                               struct failure *failure);

#endif
