/* scheme_u_mesh.c - a tree of unicasts in the least number of steps: holders halve a sorted chain.
 *
 * Method: source and destinations stand in a chain in which the dimension that is routed first counts most. A
 * holder cuts its part of the chain into halves, sends to the nearest member of the half in which it is not, and
 * leaves that half to this member; it ends when its part is itself alone.
 * Properties: ceil(log2(k + 1)) steps. On meshes, and with labels, worms of one step share no link. On tori the chain
 * begins at the source, coordinates counted from it round the rings; there worms of one step may share links
 * where one goes round the end of a ring of a later dimension.
 * Source: P. McKinley, H. Xu, A. Esfahanian, L. Ni, Unicast-based multicast communication in wormhole-routed
 * networks, 1994.
 */
#include "network/schemes/scheme_private.h"

/* Members low .. high of the chain, of which `holder` has the message. */
struct subchain {
    uint32_t low, high, holder;
};

/* Adds the worms of a subchain; those that a member sends come after the one that it receives. Recursion is as deep
 * as there are steps. */
static enum failure_kind serve(struct plan *plan, const struct chain *chain, struct subchain mine,
                               struct failure *failure)
{
    for (uint32_t step = 1; mine.low < mine.high; step++) {
        uint32_t count = mine.high - mine.low + 1, upper = mine.low + (count + 1) / 2;
        struct subchain other = mine;
        if (mine.holder < upper) {
            other.low = other.holder = upper;
            mine.high = upper - 1;
        } else {
            other.high = other.holder = mine.low + count / 2 - 1;
            mine.low = other.high + 1;
        }
        if (plan_add_unicast(plan, chain->node[mine.holder], step, chain->node[other.holder],
                             failure) != FAIL_NONE ||
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
    chain_key *key = choices->choice[0] == ROUTING_LABEL ? chain_label : chain_x_first;
    if (chain_make(&chain, topology, multicast, key, failure) != FAIL_NONE)
        return failure->kind;
    enum failure_kind kind =
        serve(made, &chain, (struct subchain){0, chain.count - 1, chain.source}, failure);
    chain_free(&chain);
    return kind;
}

const struct scheme scheme_u_mesh = {
    .name = "u-mesh",
    .summary = "a tree of unicasts that halves the destinations in each step",
    .parameter = {{"routing", ROUTING_WORDS, "how worms find their way, and the chain's order"}},
    .routing = scheme_chosen_routing,
    .plan = plan,
    .is_stepwise = true,
};
