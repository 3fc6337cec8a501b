/* scheme_dual.c - two worms along a Hamiltonian path: to larger labels, and to smaller ones.
 *
 * Method: one worm visits the destinations behind the source on the path, by growing labels, another one those before
 * it, by shrinking labels. Label routing takes short cuts between them.
 * Source: X. Lin, P. McKinley, L. Ni, 1994 (dual-path).
 */
#include "schemes/scheme_private.h"

static const struct routing *routing(const struct scheme_choices *choices)
{
    (void)choices;
    return &routing_label;
}

/* Adds a worm that visits the nodes in their order; none for no nodes. */
static enum failure_kind add_worm(struct plan *plan, uint32_t source, const uint32_t *node,
                                  uint32_t count, struct failure *failure)
{
    if (count == 0)
        return FAIL_NONE;
    if (plan_add_worm(plan, source, failure) != FAIL_NONE)
        return failure->kind;
    return plan_add_chain(plan, node, count, true, failure);
}

static enum failure_kind plan(const struct topology *topology, const struct multicast *multicast,
                              const struct scheme_choices *choices, struct plan *made,
                              struct failure *failure)
{
    (void)choices;
    struct chain chain;
    if (chain_make(&chain, topology, multicast, chain_label, failure) != FAIL_NONE)
        return failure->kind;
    enum failure_kind kind = add_worm(made, multicast->source, chain.node + chain.source + 1,
                                      chain.count - chain.source - 1, failure);
    chain_reverse(chain.node, chain.source);
    if (kind == FAIL_NONE)
        kind = add_worm(made, multicast->source, chain.node, chain.source, failure);
    chain_free(&chain);
    return kind;
}

const struct scheme scheme_dual = {
    .name = "dual",
    .summary = "two worms along a Hamiltonian path, past all destinations",
    .routing = routing,
    .plan = plan,
};
