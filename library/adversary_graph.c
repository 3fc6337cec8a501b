/* adversary_graph.c - reads the graph that the pattern `adversary` is made against.
 *
 * The pattern's folder does not use graphs; the order of a graph's inputs that it needs (struct
 * adversary) is made here by expanders/crowd.c.
 */
#include "library/adversary_graph.h"

#include "expanders/expander.h"

#include <stdlib.h>
#include <string.h>

const char *const adversary_share_names[ADVERSARY_SHARES + 1] = {"all", "1/8", "1/4", "1/2", NULL};

static const double shares[ADVERSARY_SHARES] = {0, 0.125, 0.25, 0.5};

static enum failure_kind order_inputs(const void *context, double share, uint32_t number,
                                      uint32_t wanted, uint32_t *order, struct failure *failure)
{
    return crowd_order(context, share, number, wanted, order, failure);
}

enum failure_kind adversary_graph_read(struct adversary_graph *against, const char *path,
                                       uint32_t share, struct pattern_options *options,
                                       struct failure *failure)
{
    struct expander *graph = &against->graph;
    memset(against, 0, sizeof *against);
    if (expander_read(graph, path, failure) != FAIL_NONE)
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

/* Makes a random graph of these sizes instead; fails as expander_random(). */
static enum failure_kind make_random(struct adversary_graph *against, uint32_t inputs,
                                     uint32_t groups, uint32_t degree, uint64_t seed,
                                     struct failure *failure)
{
    memset(against, 0, sizeof *against);
    against->adversary = (struct adversary){inputs, 0, order_inputs, &against->graph};
    return expander_random(&against->graph, inputs, groups, degree, seed, failure);
}

static enum failure_kind take_graph(struct adversary_graph *against, const struct router *router,
                                    const struct router_options *options, struct seed_plan *seeds,
                                    struct failure *failure)
{
    enum { REPLICAS = 4, CLASSES = 4, GRAPH_SEED = 1 };
    struct pattern_options pattern = {.congestion = seeds->congestion};
    const char *path = NULL, *seed = NULL;
    if (!router_takes_parameter(router, "graph"))
        return FAIL_NONE;
    for (uint32_t i = 0; i < options->parameters; i++)
        if (strcmp(options->parameter[i].name, "graph") == 0)
            path = options->parameter[i].value;
        else if (strcmp(options->parameter[i].name, "graph_seed") == 0)
            seed = options->parameter[i].value;
    uint64_t graph_seed = seed == NULL ? GRAPH_SEED : strtoull(seed, NULL, 10);
    if (path != NULL && strcmp(path, "random") != 0 && strcmp(path, "rs") != 0) {
        if (adversary_graph_read(against, path, 0, &pattern, failure) != FAIL_NONE)
            return failure->kind;
    } else {
        uint32_t inputs = (mesh_nodes(seeds->mesh) + CLASSES - 1) / CLASSES;
        struct failure unfit = {0};
        if (make_random(against, inputs, seeds->congestion, REPLICAS, graph_seed, &unfit) !=
            FAIL_NONE)
            return unfit.kind == FAIL_SYSTEM ? fail_as(failure, &unfit) : FAIL_NONE;
    }
    seeds->adversary = &against->adversary;
    return FAIL_NONE;
}

enum failure_kind adversary_of_router(struct adversary_graph *against, const struct router *router,
                                      const struct router_options *options, struct seed_plan *seeds,
                                      struct failure *failure)
{
    uint32_t per_node = seed_plan_per_node(seeds), congestion = seeds->congestion / per_node;
    if (take_graph(against, router, options, seeds, failure) != FAIL_NONE)
        return failure->kind;
    seeds->choices = against->choices;
    return router_choices_make(router, options, seeds->mesh, congestion > 0 ? congestion : 1,
                               against->choices, &seeds->attempts, failure);
}

void adversary_graph_free(struct adversary_graph *against)
{
    expander_free(&against->graph);
    router_choices_free(against->choices);
}
