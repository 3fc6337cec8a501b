/* scheme_two_port.c - a tree of unicasts for nodes that send over two ports at once: holders cut a chain in three.
 *
 * Method: source and destinations stand in a chain in the order of labels. In a step a holder sends to the middle of
 * the farther two thirds of what lies below it in its part, and likewise above it; it keeps the nearer thirds. By label
 * routing one worm of the two descends and the other one climbs.
 * Properties: at most ceil(log3(2 (k + 1))) steps, from the ends of the chain and from its best place the fewest that
 * are possible. Worms of one step share no link; of two worms that share one, the later one comes from the sender of
 * the earlier one or from a node that got the message from this sender no earlier.
 * Source: the two-port multicast by Hamiltonian-path routing on meshes and tori.
 */
#include "network/schemes/scheme_private.h"

#include "base/numbers.h"

/* Members low .. high of the chain, of which `holder` has the message. */
struct subchain {
    uint32_t low, high, holder;
};

static uint32_t two_thirds(uint32_t count)
{
    return (2 * count + 2) / 3;
}

/* The parts and receivers are those of serve(). */
uint32_t two_port_steps(uint32_t below, uint32_t above)
{
    uint32_t steps = 0;
    for (uint32_t step = 1; below + above > 0; step++) {
        uint32_t lower = two_thirds(below), upper = two_thirds(above), last = 0;
        if (lower > 0)
            last = two_port_steps(lower / 2, lower - lower / 2 - 1);
        if (upper > 0)
            last = max_u32(last, two_port_steps((upper + 1) / 2 - 1, upper - (upper + 1) / 2));
        steps = max_u32(steps, step + last);
        below -= lower;
        above -= upper;
    }
    return steps;
}

static enum failure_kind serve(struct plan *plan, const struct chain *chain, struct subchain mine,
                               struct failure *failure);

/* Sends to the holder of `other`, which serves its part. */
static enum failure_kind hand_over(struct plan *plan, const struct chain *chain, uint32_t sender,
                                   uint32_t step, struct subchain other, struct failure *failure)
{
    if (plan_add_unicast(plan, chain->node[sender], step, chain->node[other.holder], failure) !=
        FAIL_NONE)
        return failure->kind;
    return serve(plan, chain, other, failure);
}

/* Adds the worms of a subchain: a member's are in the order of its steps, in each step the lower one first. Recursion
 * is as deep as there are steps. */
static enum failure_kind serve(struct plan *plan, const struct chain *chain, struct subchain mine,
                               struct failure *failure)
{
    for (uint32_t step = 1; mine.low < mine.high; step++) {
        uint32_t below = two_thirds(mine.holder - mine.low);
        uint32_t above = two_thirds(mine.high - mine.holder), first = mine.high - above + 1;
        struct subchain lower = {mine.low, mine.low + below - 1, mine.low + below / 2};
        struct subchain upper = {first, mine.high, first + (above + 1) / 2 - 1};
        if (below > 0 && hand_over(plan, chain, mine.holder, step, lower, failure) != FAIL_NONE)
            return failure->kind;
        if (above > 0 && hand_over(plan, chain, mine.holder, step, upper, failure) != FAIL_NONE)
            return failure->kind;
        mine.low += below;
        mine.high -= above;
    }
    return FAIL_NONE;
}

static enum failure_kind plan(const struct topology *topology, const struct multicast *multicast,
                              const struct scheme_choices *choices, struct plan *made,
                              struct failure *failure)
{
    (void)choices;
    struct chain chain;
    if (chain_make(&chain, topology, multicast, chain_label, failure) != FAIL_NONE)
        return failure->kind;
    enum failure_kind kind =
        serve(made, &chain, (struct subchain){0, chain.count - 1, chain.source}, failure);
    chain_free(&chain);
    return kind;
}

const struct scheme scheme_two_port = {
    .name = "two-port",
    .summary = "a tree of unicasts along a Hamiltonian path, two at a time, that cuts in three",
    .routing = scheme_label_routing,
    .plan = plan,
    .is_stepwise = true,
};
