/* router_probe.h - a router's run with one capacity, as searches for buffers probe it (search/stress.h). */
#ifndef MESHCAST_LIBRARY_ROUTER_PROBE_H
#define MESHCAST_LIBRARY_ROUTER_PROBE_H

#include "routers/router.h"
#include "search/stress.h"

/* Runs the router with run->capacity (0: the options' own is not asked for either) and fills *run, which is
 * zero but for it, and *result. Fails where no capacity would mend the run. */
enum failure_kind router_probe_run(const struct router *router, const struct message_set *set,
                                   const struct router_options *options, struct stress_run *run,
                                   struct router_result *result, struct failure *failure);

#endif
