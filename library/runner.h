/* runner.h - a router of a comparison: its own parameters, and those of all. */
#ifndef MESHCAST_LIBRARY_RUNNER_H
#define MESHCAST_LIBRARY_RUNNER_H

#include "routers/router.h"

/* The options of a router: `own` parameters come first; of those of `common` it has the ones that it takes
 * and that are not among its own. */
struct router_options runner_options(const struct router *router,
                                     const struct router_parameter *own, uint32_t owns,
                                     const struct router_options *common);

#endif
