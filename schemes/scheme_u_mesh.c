/* scheme_u_mesh.c - a tree of unicasts in the least number of steps: holders halve a sorted chain.
 *
 * Method: source and destinations stand in a chain in which the dimension that is routed first counts most. A
 * holder sends to the node that is nearest to it in the other half of its part, which it leaves to that node, until its
 * part is itself.
 * Properties: ceil(log2(k + 1)) steps. On meshes, and with labels, worms of one step share no link. On tori the chain
 * begins at the source, coordinates counted from it round the rings; there worms of one step may share links
 * where one goes round the end of a ring of a later dimension.
 * Source: P. McKinley, H. Xu, A. Esfahanian, L. Ni, Unicast-based multicast communication in wormhole-routed
 * networks, 1994.
 */
#include "schemes/scheme_private.h"

enum { X_FIRST, LABEL };

static const struct routing *routing(const struct scheme_choices *choices)
{
    return choices->choice[0] == LABEL ? &routing_label : &routing_x_first;
}

static uint32_t key_x_first(const struct topology *topology, const struct multicast *multicast,
                            uint32_t node)
{
    uint32_t key = 0;
    for (uint32_t i = 0; i < topology->shape.dimensions; i++) {
        uint32_t size = topology->shape.size[i];
        uint32_t at = topology_coordinate(topology, node, i);
        if (topology->shape.kind == TOPOLOGY_TORUS)
            at = (at + size - topology_coordinate(topology, multicast->source, i)) % size;
        key = key * size + at;
    }
    return key;
}

/* The part low .. high of the chain, whose member `holder` has the message. */
struct part {
    uint32_t low, high, holder;
};

/* Adds the worms of a part, each receiver's behind that which serves it. The depth is the number of steps. */
static enum failure_kind serve(struct plan *plan, const struct chain *chain, struct part part,
                               struct failure *failure)
{
    while (part.low < part.high) {
        uint32_t count = part.high - part.low + 1, upper = part.low + (count + 1) / 2;
        struct part other = part;
        if (part.holder < upper) {
            other.low = other.holder = upper;
            part.high = upper - 1;
        } else {
            other.high = other.holder = part.low + count / 2 - 1;
            part.low = other.high + 1;
        }
        if (plan_add_worm(plan, chain->node[part.holder], failure) != FAIL_NONE ||
            plan_add_stop(plan, chain->node[other.holder], true, failure) != FAIL_NONE ||
            serve(plan, chain, other, failure) != FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}

static enum failure_kind plan(const struct topology *topology, const struct multicast *multicast,
                              const struct scheme_choices *choices, struct plan *made,
                              struct failure *failure)
{
    struct chain chain;
    chain_key *key = choices->choice[0] == LABEL ? chain_label : key_x_first;
    if (chain_make(&chain, topology, multicast, key, failure) != FAIL_NONE)
        return failure->kind;
    enum failure_kind kind =
        serve(made, &chain, (struct part){0, chain.count - 1, chain.source}, failure);
    chain_free(&chain);
    return kind;
}

const struct scheme scheme_u_mesh = {
    .name = "u-mesh",
    .summary = "a tree of unicasts that halves the destinations in each step",
    .parameter = {{"routing",
                   {"x-first", "label"},
                   "how worms find their way, and the chain's order"}},
    .routing = routing,
    .plan = plan,
};
