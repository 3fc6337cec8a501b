/* scheme_pure.c - the fewest worms that go to smaller coordinates first, then to larger ones.
 *
 * Method on meshes of two dimensions: a worm of negative-first routing can visit a list of
 * destinations if it is a chain downwards from the source, which may be empty, and after it a chain
 * upwards through any nodes. Chains are cut greedily until nothing is left north-west, south-east,
 * and north-east of the source: these must be visited upwards.
 *   What is left is south-west, in chains that may be visited either way; each is put before one of
 * the others, and what remains of them is paired.
 * Properties: ways may be far longer than the shortest, but no plan of negative-first worms has
 * fewer worms. Proof:
 * (1) Let a destination be high if it is not south-west of the source, and let an antichain be
 * nodes of which each lies north-west of the next. An upward or downward chain has at most one of
 * them. W worms are W upward chains, which visit all high destinations, and W downward ones. So W
 * is at least the size of each antichain of high destinations, and at least half that of any
 * antichain.
 * (2) Let a chains be cut before those south-west, and b there. The worms are a, or (a + b) / 2
 * rounded up if that is more: it remains to find antichains of a high destinations, and of a + b.
 * (3) A chain by columns that passes a node over has a node north-west of it, which is what forbids
 * that; a chain by rows has one south-east of it. So from a node of the last chain by columns one
 * goes to a node north-west of it of the chain by columns before, and on to the first one; and
 * likewise south-east through all chains by rows, if that last chain was cut after them. These
 * nodes are an antichain with one node of each chain.
 * (4) With the last chain south-west these are a + b. From a node north-east of the source in the
 * last chain cut for the north-east they are a; these are high, since north-west and south-east of
 * a high node all is high. If no such chain was cut, a node north-west of the source in the last
 * chain by columns begins one half, and a node south-east of it in the last chain by rows the other
 * one; all of one half is north-west of the source, all of the other south-east.
 *   In more dimensions chains come from a largest matching (fewest_chains.c). (1) and (2) hold
 * there with the width of a set, the most nodes of which none contains another: W is at least that
 * of the high destinations, and half that of all. Both are reached, since the cover has the fewest
 * chains with high nodes and the fewest in all (Dilworth).
 *   Over x-first a worm's destinations are on one way of that routing, so the fewest worms are the
 * fewest chains of that order.
 * Cost: O(k (w + log k)) time for k destinations and w worms on meshes of two dimensions, else that
 * of fewest_chains.c.
 * Source: R. Libeskind-Hadas, T. Hehre, A. Hutchings, M. Reyes, K. Watkins, Adaptive multicast
 * routing in wormhole networks, 1997.
 */
#include "network/schemes/chains.h"

/* Cuts chains of the remaining destinations until the quadrant is empty. */
static void cut(struct chains *chains, struct quadrants *quadrants, enum sweep sweep,
                enum quadrant until)
{
    while (quadrants->left[until] > 0)
        chains_add(chains, quadrants_take_chain(quadrants, sweep, QUADRANTS,
                                                chains->node + chain_begin(chains, chains->count)));
}

static void add_chain(struct plan *plan, const struct chains *chains, uint32_t i)
{
    uint32_t begin = chain_begin(chains, i);
    plan_add_chain(plan, chains->node + begin, chains->end[i] - begin, true);
}

/* Adds worms of the chains: the first `positive` of them go upwards, the others either way. */
static void pair(const struct planning *planning, const struct chains *chains, uint32_t positive)
{
    uint32_t up = 0, either = positive;
    while (up < positive || either < chains->count) {
        plan_add_worm(planning->plan, planning->multicast->source);
        if (either < chains->count) {
            uint32_t begin = chain_begin(chains, either);
            chain_reverse(chains->node + begin, chains->end[either] - begin);
            add_chain(planning->plan, chains, either++);
        }
        if (up < positive)
            add_chain(planning->plan, chains, up++);
        else if (either < chains->count)
            add_chain(planning->plan, chains, either++);
    }
}

static void plan(const struct planning *planning)
{
    struct chains chains = chains_make(planning);
    if (planning->choices->choice[0] == BASE_X_FIRST) {
        chains_cover(&chains, planning, chain_is_x_first);
        chains_plan(&chains, planning);
        return;
    }
    if (planning->topology->shape.dimensions > 2) {
        uint32_t high = chains_cover(&chains, planning, chain_ascends);
        pair(planning, &chains, high);
        return;
    }
    struct quadrants quadrants = quadrants_make(planning);
    if (planning->plan->lacks_memory)
        return;
    cut(&chains, &quadrants, BY_COLUMNS, NORTH_WEST);
    cut(&chains, &quadrants, BY_ROWS, SOUTH_EAST);
    cut(&chains, &quadrants, BY_COLUMNS, NORTH_EAST);
    uint32_t positive = chains.count;
    cut(&chains, &quadrants, BY_COLUMNS, SOUTH_WEST);
    pair(planning, &chains, positive);
}

const struct scheme scheme_pure = {
    .name = "pure",
    .summary = "the fewest worms over negative-first or another base routing",
    .parameter = {{"routing", BASE_WORDS, BASE_HELP}},
    .routing = scheme_base_routing,
    .needs = NEEDS_MESH,
    .plan = plan,
};
