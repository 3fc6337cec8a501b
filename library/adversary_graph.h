/* adversary_graph.h - the graph that a pattern is made against, for `gen`, `sweep` and `search`. */
#ifndef MESHCAST_LIBRARY_ADVERSARY_GRAPH_H
#define MESHCAST_LIBRARY_ADVERSARY_GRAPH_H

#include "expanders/expander.h"
#include "routers/router.h"
#include "search/made.h"
#include "workloads/pattern.h"

enum { ADVERSARY_SHARES = 4 };

/* The values of --share, ended by NULL; the first is the default. */
extern const char *const adversary_share_names[ADVERSARY_SHARES + 1];

/* A zeroed one is fine to free. */
struct adversary_graph {
    struct expander graph;
    struct adversary adversary; /* points into this struct, which is not to be moved */
};

/* Reads the graph file and completes the options with it; `share` is an index of the names. A
 * congestion that was not asked becomes the graph's number of groups. Failures are those of
 * expander_read_within() and, where c does not fit, expander_set_groups(); adversary_graph_free() in any
 * case. */
enum failure_kind adversary_graph_read(struct adversary_graph *against, const char *path,
                                       uint32_t share, uint64_t limit,
                                       struct pattern_options *options, struct failure *failure);

/* What of a router with a graph is public, for those who search for sets that are bad for it: the graph,
 * which is the file of its parameter `graph`, or a random one as the router makes it by default, for as
 * many tiles as the congestion; and the permutation of its walk, whose seed is that of the graph instead of
 * the run's. Completes `making`, whose mesh and congestion are set. A router without a graph leaves it as
 * it is. Failures as adversary_graph_read(). */
enum failure_kind adversary_graph_of_router(struct adversary_graph *against,
                                            const struct router *router,
                                            const struct router_options *options, uint64_t limit,
                                            struct making *making, struct failure *failure);

void adversary_graph_free(struct adversary_graph *against);

#endif
