/* stress_router.h - runs of a router, as what a search for its least buffer probes. */
#ifndef MESHCAST_CLI_STRESS_ROUTER_H
#define MESHCAST_CLI_STRESS_ROUTER_H

#include "console/progress.h"
#include "search/stress.h"

struct stress_router {
    const struct router *router;
    const struct message_set *set;
    struct router_options options; /* without progress */
    struct progress progress;      /* of all runs together; begun by the caller */
    char name[96];                 /* of the run under way */
    uint32_t runs;
    struct router_result result; /* of the run without a capacity */
};

/* The stress_probe; `context` is a struct stress_router. A run that fails in another way than by its
 * buffer is a failure. */
enum failure_kind stress_run_router(void *context, struct stress_run *run, struct failure *failure);

#endif
