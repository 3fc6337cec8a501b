/* scheme_unicast.c - a worm for each destination, in the order of node numbers. */
#include "network/schemes/scheme_private.h"

static enum failure_kind plan(const struct topology *topology, const struct multicast *multicast,
                              const struct scheme_choices *choices, struct plan *made,
                              struct failure *failure)
{
    (void)topology;
    (void)choices;
    for (uint32_t i = 0; i < multicast->destinations; i++)
        if (plan_add_unicast(made, multicast->source, i + 1, multicast->destination[i], failure) !=
            FAIL_NONE)
            return failure->kind;
    return FAIL_NONE;
}

const struct scheme scheme_unicast = {
    .name = "unicast",
    .summary = "a worm for each destination",
    .parameter = {{"routing", ROUTING_WORDS, "how worms find their way"}},
    .routing = scheme_chosen_routing,
    .plan = plan,
    .is_stepwise = true,
};
