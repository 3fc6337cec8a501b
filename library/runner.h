/* runner.h - a router of a comparison: its own parameters, and those of all. */
#ifndef MESHCAST_LIBRARY_RUNNER_H
#define MESHCAST_LIBRARY_RUNNER_H

#include "library/run_options.h"

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

/* ---- those of a command ---- */

enum { COMPARE_MOST = RUNNERS_MOST };

/* A row of the comparison. The parameters' texts are the option's. */
struct compared_router {
    const struct router *router;
    char label[ROUTER_NAME_SIZE]; /* as it was given, cut to fit */
    struct parameter_list own;
};

/* `count` 0: all of the table, without parameters of their own. */
struct compared_routers {
    uint32_t count;
    struct compared_router row[COMPARE_MOST];
};

/* The accept function of an option row: ROUTER[:NAME=VALUE]..,ROUTER.. `field` is a list; what was in it goes. FAIL_USAGE: there
 * is no such router or parameter, or too many. */
int compared_routers_accept(void *field, char *value, struct failure *failure);

/* Lists all routers of the table; with `has_buffers` also those that hold packets back only with a parameter, with it. */
void compare_all_routers(struct compared_routers *list, bool has_buffers);

/* The options of a row: those of the command that its router has, and its own, which come first. */
struct router_options compared_router_options(const struct compared_router *row,
                                              const struct run_options *run);

#endif
