/* adversary_graph.h - the graph that a pattern is made against, for `gen`, `sweep` and `search`. */
#ifndef MESHCAST_LIBRARY_ADVERSARY_GRAPH_H
#define MESHCAST_LIBRARY_ADVERSARY_GRAPH_H

#include "expanders/expander.h"
#include "routers/choices.h"
#include "search/seed_sets.h"
#include "workloads/pattern.h"

enum { ADVERSARY_SHARES = 4 };

/* The values of --share, ended by NULL; the first is the default. */
extern const char *const adversary_share_names[ADVERSARY_SHARES + 1];

/* A zeroed one may be freed. */
struct adversary_graph {
    struct expander graph;
    struct adversary adversary; /* points into this struct, which must not be moved */
    struct router_choices choices[ROUTER_KNOWN_ATTEMPTS];
};

/* Reads the graph file and completes the options with it; `share` is an index of the names. A
 * congestion that was not given becomes the graph's number of groups. Fails as expander_read() and,
 * if c does not fit, expander_set_groups(); adversary_graph_free() in any case. */
enum failure_kind adversary_graph_read(struct adversary_graph *against, const char *path,
                                       uint32_t share, struct pattern_options *options,
                                       struct failure *failure);

/* Finds the public knowledge of a router for searches for bad sets: its choices, and if it has a
 * graph, that graph: the file of its parameter `graph`, or a random one as the router makes it by
 * default, for as many tiles as the congestion. Completes `making`, whose mesh, congestion,
 * messages per node and seed are set. Fails as adversary_graph_read() and router_choices_make(). */
enum failure_kind adversary_of_router(struct adversary_graph *against, const struct router *router,
                                      const struct router_options *options, struct seed_plan *seeds,
                                      struct failure *failure);

void adversary_graph_free(struct adversary_graph *against);

#endif
