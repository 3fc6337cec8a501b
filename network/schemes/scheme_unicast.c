/* scheme_unicast.c - worms to single destinations: one for each, or trees of them whose holders cut
 * a chain.
 *
 * unicast: a worm for each destination, in the order of node numbers.
 *
 * In a tree, source and destinations are in a chain. In each step a holder of the message hands
 * parts of its own part over to members of them, which serve them; it ends when its part is only
 * itself.
 *
 * u-mesh: in the chain the dimension that is routed first counts most. A holder cuts its part into
 * halves, and sends to the nearest member of the half in which it is not.
 * Properties: ceil(log2(k + 1)) steps. On whole meshes with x-first, and with labels, worms of one
 * step share no link. On tori the chain begins at the source, coordinates counted from it round the
 * rings; there worms of one step may share links if one goes round the end of a ring of a later
 * dimension.
 * Source: P. McKinley, H. Xu, A. Esfahanian, L. Ni, Unicast-based multicast communication in
 * wormhole-routed networks, 1994.
 *
 * two-port: the chain is that of labels. A holder sends to the middle of the farther two thirds of
 * the members below it in its part, and likewise above it; it keeps the nearer thirds. By label
 * routing one worm of the two descends and the other one climbs.
 * Properties: at most ceil(log3(2 (k + 1))) steps, from the ends of the chain and from its best
 * place the fewest that are possible. Worms of one step share no link; of two worms that share one,
 * the later one comes from the sender of the earlier one or from a node that got the message from
 * this sender no earlier.
 * Source: the two-port multicast by Hamiltonian-path routing on meshes and tori.
 */
#include "network/schemes/scheme_private.h"

#include "base/numbers.h"

static void add_worm(const struct planning *planning, uint32_t sender, uint32_t over, uint32_t step,
                     uint32_t node)
{
    struct plan *plan = planning->plan;
    if (plan->routing == &routing_up_down)
        plan_add_up_down(planning, sender, node);
    else if (over == TOPOLOGY_NO_NODE)
        plan_add_path(plan, sender, &node, 1);
    else
        plan_add_path_over(planning, sender, over, &node, 1);
    if (!plan->lacks_memory)
        plan->worm[plan->worms - 1].step = step;
}

static void plan_unicast(const struct planning *planning)
{
    const struct multicast *multicast = planning->multicast;
    for (uint32_t i = 0; i < multicast->destinations; i++)
        add_worm(planning, multicast->source, TOPOLOGY_NO_NODE, i + 1, multicast->destination[i]);
}

/* ---- trees ---- */

uint32_t chain_serve(const struct planning *planning, const struct chain *chain,
                     struct subchain mine, chain_cut *cut, void *context)
{
    uint32_t steps = 0;
    for (uint32_t step = 1; mine.low < mine.high; step++) {
        struct subchain part[CHAIN_PARTS];
        uint32_t holder = chain->node[mine.holder], parts = cut(context, &mine, part);
        for (uint32_t i = 0; i < parts; i++) {
            add_worm(planning, holder, part[i].over, step, chain->node[part[i].holder]);
            uint32_t more = chain_serve(planning, chain, part[i], cut, context);
            steps = max_u32(steps, step + more);
        }
    }
    return steps;
}

static void plan_tree(const struct planning *planning, chain_key *key, chain_cut *cut)
{
    struct chain chain = chain_make(planning, key);
    if (chain.node != NULL)
        chain_serve(planning, &chain, chain_whole(&chain), cut, NULL);
}

static uint32_t cut_in_halves(void *context, struct subchain *mine,
                              struct subchain part[CHAIN_PARTS])
{
    uint32_t count = mine->high - mine->low + 1, upper = mine->low + (count + 1) / 2;
    (void)context;
    part[0] = (struct subchain){upper, mine->high, upper, TOPOLOGY_NO_NODE};
    if (mine->holder < upper) {
        mine->high = upper - 1;
    } else {
        part[0].low = mine->low;
        part[0].high = part[0].holder = mine->low + count / 2 - 1;
        mine->low = part[0].high + 1;
    }
    return 1;
}

static void plan_u_mesh(const struct planning *planning)
{
    bool has_labels = planning->choices->choice[0] == ROUTING_LABEL ||
                      planning->topology->shape.kind == TOPOLOGY_GRAPH;
    plan_tree(planning, has_labels ? chain_label : chain_x_first, cut_in_halves);
}

static uint32_t two_thirds(uint32_t count)
{
    return (2 * count + 2) / 3;
}

/* Hands the lower part over first. */
static uint32_t cut_in_thirds(void *context, struct subchain *mine,
                              struct subchain part[CHAIN_PARTS])
{
    uint32_t parts = 0;
    uint32_t below = two_thirds(mine->holder - mine->low);
    uint32_t above = two_thirds(mine->high - mine->holder), first = mine->high - above + 1;
    (void)context;
    if (below > 0)
        part[parts++] = (struct subchain){mine->low, mine->low + below - 1, mine->low + below / 2,
                                          TOPOLOGY_NO_NODE};
    if (above > 0)
        part[parts++] =
            (struct subchain){first, mine->high, first + (above + 1) / 2 - 1, TOPOLOGY_NO_NODE};
    mine->low += below;
    mine->high -= above;
    return parts;
}

uint32_t two_port_steps(struct subchain mine)
{
    uint32_t steps = 0;
    for (uint32_t step = 1; mine.low < mine.high; step++) {
        struct subchain part[CHAIN_PARTS];
        for (uint32_t i = 0, parts = cut_in_thirds(NULL, &mine, part); i < parts; i++)
            steps = max_u32(steps, step + two_port_steps(part[i]));
    }
    return steps;
}

static void plan_two_port(const struct planning *planning)
{
    plan_tree(planning, chain_label, cut_in_thirds);
}

const struct scheme scheme_unicast = {
    .name = "unicast",
    .summary = "a worm for each destination",
    .parameter = {{"routing", ROUTING_WORDS, "how worms find their way"}},
    .routing = scheme_chosen_routing,
    .plan = plan_unicast,
    .is_stepwise = true,
};

const struct scheme scheme_u_mesh = {
    .name = "u-mesh",
    .summary = "a tree of unicasts that halves the destinations in each step",
    .parameter = {{"routing", ROUTING_WORDS, "how worms find their way, and the chain's order"}},
    .routing = scheme_chosen_routing,
    .plan = plan_u_mesh,
    .is_stepwise = true,
};

const struct scheme scheme_two_port = {
    .name = "two-port",
    .summary = "a tree of unicasts along a Hamiltonian path, two at a time, that cuts in three",
    .routing = scheme_label_routing,
    .plan = plan_two_port,
    .is_stepwise = true,
};
