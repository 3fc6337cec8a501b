/* adversary_graph.c - reads the graph that the pattern `adversary` is made against.
 *
 * The pattern lies in a folder that knows no graphs; what it asks of one, an order of its inputs
 * (struct adversary), is answered here by expanders/crowd.h.
 */
#include "console/adversary_graph.h"

#include "expanders/crowd.h"

#include <string.h>

const char *const adversary_share_names[ADVERSARY_SHARES + 1] = {"all", "1/8", "1/4", "1/2", NULL};

static const double shares[ADVERSARY_SHARES] = {0, 0.125, 0.25, 0.5};

static enum failure_kind order_inputs(const void *context, double share, uint32_t number,
                                      uint32_t wanted, uint32_t *order, struct failure *failure)
{
    return crowd_order(context, share, number, wanted, order, failure);
}

enum failure_kind adversary_graph_read(struct adversary_graph *against, const char *path,
                                       uint32_t share, uint64_t limit,
                                       struct pattern_options *options, struct failure *failure)
{
    struct expander *graph = &against->graph;
    memset(against, 0, sizeof *against);
    if (expander_read_within(graph, path, limit, failure) != FAIL_NONE)
        return failure->kind;
    if (graph->kind == EXPANDER_PERMUTATION && options->congestion != 0 &&
        expander_set_groups(graph, options->congestion, failure) != FAIL_NONE)
        return failure->kind;
    against->adversary = (struct adversary){graph->inputs, shares[share], order_inputs, graph};
    options->adversary = &against->adversary;
    if (options->congestion == 0)
        options->congestion = graph->groups;
    return FAIL_NONE;
}

enum failure_kind adversary_graph_random(struct adversary_graph *against, uint32_t inputs,
                                         uint32_t groups, uint32_t degree, uint64_t seed,
                                         struct failure *failure)
{
    memset(against, 0, sizeof *against);
    against->adversary = (struct adversary){inputs, 0, order_inputs, &against->graph};
    return expander_random(&against->graph, inputs, groups, degree, seed, failure);
}

void adversary_graph_free(struct adversary_graph *against)
{
    expander_free(&against->graph);
}
