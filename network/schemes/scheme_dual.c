/* scheme_dual.c - two worms along a Hamiltonian path: to larger labels, and to smaller ones.
 *
 * Method: one worm visits the destinations behind the source on the path, by growing labels, another one those before
 * it, by shrinking labels. Label routing takes short cuts between them.
 * Source: X. Lin, P. McKinley, L. Ni, 1994 (dual-path).
 */
#include "network/schemes/scheme_private.h"

static enum failure_kind plan(const struct topology *topology, const struct multicast *multicast,
                              const struct scheme_choices *choices, struct plan *made,
                              struct failure *failure)
{
    (void)choices;
    struct chain chain;
    if (chain_make(&chain, topology, multicast, chain_label, failure) != FAIL_NONE)
        return failure->kind;
    enum failure_kind kind = plan_add_path(made, multicast->source, chain.node + chain.source + 1,
                                           chain.count - chain.source - 1, failure);
    chain_reverse(chain.node, chain.source);
    if (kind == FAIL_NONE)
        kind = plan_add_path(made, multicast->source, chain.node, chain.source, failure);
    chain_free(&chain);
    return kind;
}

const struct scheme scheme_dual = {
    .name = "dual",
    .summary = "two worms along a Hamiltonian path, past all destinations",
    .routing = scheme_label_routing,
    .plan = plan,
};

/* Wang (2005) measures it from a corner of a mesh, where it is a single worm, and calls it LIN. */
const struct scheme scheme_lin = {
    .name = "lin",
    .summary = "dual under the name used beside trees: one worm from a corner",
    .routing = scheme_label_routing,
    .plan = plan,
};
