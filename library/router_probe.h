/* router_probe.h - a router's run with one capacity, as searches for buffers probe it (search/stress.h). */
#ifndef MESHCAST_LIBRARY_ROUTER_PROBE_H
#define MESHCAST_LIBRARY_ROUTER_PROBE_H

#include "library/command_run.h"
#include "search/stress.h"

/* Runs the router with run->capacity (0: the options' own is not asked for either) and fills *run, which is
 * zero but for it, and *result. Fails where no capacity would mend the run. */
enum failure_kind router_probe_run(const struct router *router, const struct message_set *set,
                                   const struct router_options *options, struct stress_run *run,
                                   struct router_result *result, struct failure *failure);

/* Words for an enum stress_outcome. */
extern const char *const stress_outcome_names[STRESS_REFUSED + 1];

/* A router on a set, as a search runs it. */
struct router_probe {
    const struct meshcast_command *command; /* is told of progress; NULL: nobody is */
    const char *label;                      /* names the router there */
    const struct router *router;
    const struct message_set *set;
    struct router_options options; /* without progress */
    uint32_t runs;                 /* so far */
    struct router_result result;   /* of the run without a capacity */
};

/* The stress_probe; `context` is a struct router_probe. */
enum failure_kind router_probe(void *context, struct stress_run *run, struct failure *failure);

#endif
