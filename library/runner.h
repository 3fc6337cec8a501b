/* runner.h - the routers of a comparison, each with parameters of its own and those of all. */
#ifndef MESHCAST_LIBRARY_RUNNER_H
#define MESHCAST_LIBRARY_RUNNER_H

#include "library/run_options.h"

enum { COMPARE_MOST = 32 };

/* A row of a comparison. The parameters' texts are the option's. */
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

/* Lists all routers of the table. A race, which limits buffers, has more: routers that hold packets back only with a parameter
 * also run with it. */
void compared_routers_all(struct compared_routers *list, bool is_race);

/* Why a router that was not asked for by name takes no part in a comparison: flags. */
enum compared_router_absence {
    ABSENCE_NEEDS_CONGESTION = 1, /* c is not known, and it cannot guess it */
    ABSENCE_TAKES_ONE = 2,        /* some node sends several messages, and it takes one per node */
    ABSENCE_CANNOT_REDUCE = 4,    /* the run is a reduction */
};

/* Returns all reasons that hold for a set of which a node sends at most `most_sent` messages; 0: the router takes part. */
unsigned compared_router_absence(const struct router *router, uint32_t most_sent,
                                 const struct run_options *run);

/* Returns the options of a row: its own parameters come first; of those of the command it has the ones that its router takes and
 * that are not among its own. */
struct router_options compared_router_options(const struct compared_router *row,
                                              const struct run_options *run);

#endif
