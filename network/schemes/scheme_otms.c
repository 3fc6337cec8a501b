/* scheme_otms.c - the multicast star whose longest worm is shortest, the optimal time multicast star.
 *
 * Method and cost: star_longest.c, and of two ports otms_pair.c.
 * Source: V. Bouchitte, J. Cohen, E. Fleury, 1997.
 */
#include "network/schemes/star.h"

static enum failure_kind rule(const struct star_side *side, uint32_t *port, struct failure *failure)
{
    struct star_costs costs;
    uint32_t bound;
    if (star_costs_make(&costs, side, failure) != FAIL_NONE)
        return failure->kind;
    enum failure_kind kind = star_least_longest(side, &costs, port, &bound, failure);
    star_costs_free(&costs);
    if (kind == FAIL_NONE && bound > *side->longest_bound)
        *side->longest_bound = bound;
    return kind;
}

static enum failure_kind plan(const struct topology *topology, const struct multicast *multicast,
                              const struct scheme_choices *choices, struct plan *made,
                              struct failure *failure)
{
    return star_plan(topology, multicast, choices->choice[0] == STAR_STRICT, rule, made, failure);
}

const struct scheme scheme_otms = {
    .name = "otms",
    .summary = "worms along a Hamiltonian path, the longest as short as possible",
    .parameter = {STAR_PORT_PARAMETER},
    .routing = scheme_label_routing,
    .plan = plan,
    .bounds_longest = true,
};
