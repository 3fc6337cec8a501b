/* runner.h - a router of a comparison: its own parameters, and those of all. */
#ifndef MESHCAST_LIBRARY_RUNNER_H
#define MESHCAST_LIBRARY_RUNNER_H

#include "routers/router.h"

/* The options of a router: `own` parameters come first; of those of `common` it has the ones that it takes
 * and that are not among its own. */
struct router_options runner_options(const struct router *router,
                                     const struct router_parameter *own, uint32_t owns,
                                     const struct router_options *common);

/* A runner of a comparison of all routers. */
struct known_runner {
    const struct router *router;
    struct router_parameter own;  /* name NULL: none */
    char label[ROUTER_NAME_SIZE]; /* "trees", "trees:slots=auto" */
};

/* Fills runner `index` of all; false after the last. A race, which limits buffers, has more: routers that hold packets back
 * only with a parameter also run with it. */
bool runner_of_all(uint32_t index, bool is_race, struct known_runner *runner);

enum { RUNNERS_MOST = 32 };

/* Why a router that was not asked for by name takes no part in a comparison: flags. */
enum runner_absence {
    RUNNER_NEEDS_CONGESTION = 1, /* c is not known, and it cannot guess it */
    RUNNER_TAKES_ONE = 2,        /* some node sends several messages, and it takes one a node */
    RUNNER_CANNOT_REDUCE = 4,    /* the run is a reduction */
};

/* Returns all of them that hold for a set of which a node sends at most `most_sent` messages; 0: the router takes part. */
unsigned runner_absence(const struct router *router, uint32_t most_sent,
                        const struct router_options *common);

#endif
