/* compare_routers.h - the routers of a comparison, each with parameters of its own.
 */
#ifndef MESHCAST_CLI_COMPARE_ROUTERS_H
#define MESHCAST_CLI_COMPARE_ROUTERS_H

#include "library/run_options.h"
#include "library/runner.h"

enum { COMPARE_MOST = RUNNERS_MOST };

/* A row of the comparison. The parameters' texts are those of the command line. */
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
int accept_compared_routers(void *field, char *value, struct failure *failure);

/* Lists all routers of the table; with `has_buffers` also those that hold packets back only with a parameter, with it. */
void compare_all_routers(struct compared_routers *list, bool has_buffers);

/* The options of a row: those of the command that its router has, and its own, which come first. */
struct router_options compared_router_options(const struct compared_router *row,
                                              const struct run_options *run);

#endif
