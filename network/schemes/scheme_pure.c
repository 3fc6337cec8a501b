/* scheme_pure.c - the fewest worms that go to smaller coordinates first, then to larger ones.
 *
 * Method on meshes of two dimensions: a worm of negative-first routing can visit a list of destinations if it is a chain
 * downwards from the source, which may be empty, and after it a chain upwards through any nodes. Chains are cut greedily until
 * nothing is left north-west, south-east, and north-east of the source: these must be visited upwards.
 * What is left is south-west, in chains that may be visited either way; each is put before one of the others, and
 * what remains of them is paired.
 * Properties: ways may be far longer than the shortest, but no plan of negative-first worms has fewer worms. Proof:
 * (1) Let a destination be high if it is not south-west of the source, and let an antichain be nodes of which each lies
 * north-west of the next. An upward or downward chain has at most one of them. W worms are W upward chains, which
 * visit all high destinations, and W downward ones. So W is at least the size of each antichain of high destinations, and
 * at least half that of any antichain.
 * (2) Let a chains be cut before those south-west, and b there. The worms are a, or (a + b) / 2 rounded up if that is more:
 * it remains to find antichains of a high destinations, and of a + b.
 * (3) A chain by columns that passes a node over has a node north-west of it, which is what forbids that; a chain by rows
 * has one south-east of it. So from a node of the last chain by columns one goes to a node north-west of it of the chain by
 * columns before, and on to the first one; and likewise south-east through all chains by rows, if that last
 * chain was cut after them. These nodes are an antichain with one node of each chain.
 * (4) With the last chain south-west these are a + b. From a node north-east of the source in the last chain cut
 * for the north-east they are a; these are high, since north-west and south-east of a high node all is high. If no such
 * chain was cut, a node north-west of the source in the last chain by columns begins one half, and a node
 * south-east of it in the last chain by rows the other one; all of one half is north-west of the source, all of the other
 * south-east.
 * In more dimensions chains come from a largest matching (fewest_chains.c). (1) and (2) hold there with the width of a set,
 * the most nodes of which none contains another: W is at least that of the high destinations, and half that of all. Both are
 * reached, since the cover has the fewest chains with high nodes and the fewest in all (Dilworth).
 * Over x-first a worm's destinations are on one way of that routing, so the fewest worms are the fewest chains of that order.
 * Cost: O(k (w + log k)) time for k destinations and w worms on meshes of two dimensions, else that of fewest_chains.c.
 * Source: R. Libeskind-Hadas, T. Hehre, A. Hutchings, M. Reyes, K. Watkins, Adaptive multicast routing in wormhole
 * networks, 1997.
 */
#include "network/schemes/fewest_chains.h"
#include "network/schemes/quadrants.h"
#include "network/schemes/scheme_private.h"

#include <stdlib.h>

static enum failure_kind check(const struct topology *topology, struct failure *failure)
{
    return mesh_check("pure", topology, failure);
}

/* Cuts chains of all that is left until the quadrant is empty. */
static void cut(struct chains *chains, struct quadrants *quadrants, enum sweep sweep,
                enum quadrant until)
{
    while (quadrants->left[until] > 0) {
        uint32_t begin = chain_begin(chains, chains->count);
        chains->end[chains->count++] =
            begin + quadrants_take_chain(quadrants, sweep, QUADRANTS, chains->node + begin);
    }
}

static enum failure_kind add_chain(struct plan *plan, const struct chains *chains, uint32_t i,
                                   struct failure *failure)
{
    uint32_t begin = chain_begin(chains, i);
    return plan_add_chain(plan, chains->node + begin, chains->end[i] - begin, true, failure);
}

/* Adds worms of the chains: the first `positive` of them go upwards, the others either way. */
static enum failure_kind pair(struct plan *plan, uint32_t source, const struct chains *chains,
                              uint32_t positive, struct failure *failure)
{
    uint32_t up = 0, either = positive;
    while (up < positive || either < chains->count) {
        if (plan_add_worm(plan, source, failure) != FAIL_NONE)
            return failure->kind;
        if (either < chains->count) {
            uint32_t begin = chain_begin(chains, either);
            chain_reverse(chains->node + begin, chains->end[either] - begin);
            if (add_chain(plan, chains, either++, failure) != FAIL_NONE)
                return failure->kind;
        }
        uint32_t next = chains->count;
        if (up < positive)
            next = up++;
        else if (either < chains->count)
            next = either++;
        if (next < chains->count && add_chain(plan, chains, next, failure) != FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}

/* Plans on meshes of at most two dimensions. */
static enum failure_kind plan_greedily(const struct topology *topology,
                                       const struct multicast *multicast, struct plan *plan,
                                       struct failure *failure)
{
    struct quadrants quadrants;
    if (quadrants_make(&quadrants, topology, multicast, failure) != FAIL_NONE)
        return failure->kind;
    struct chains chains = {.node = quadrants.node};
    chains.end = memory_allocate(multicast->destinations, sizeof *chains.end);
    enum failure_kind kind =
        chains.end == NULL ? fail_memory(failure, "the chains of a multicast") : FAIL_NONE;
    if (kind == FAIL_NONE) {
        cut(&chains, &quadrants, BY_COLUMNS, NORTH_WEST);
        cut(&chains, &quadrants, BY_ROWS, SOUTH_EAST);
        cut(&chains, &quadrants, BY_COLUMNS, NORTH_EAST);
        uint32_t positive = chains.count;
        cut(&chains, &quadrants, BY_COLUMNS, SOUTH_WEST);
        kind = pair(plan, multicast->source, &chains, positive, failure);
    }
    free(chains.end);
    quadrants_free(&quadrants);
    return kind;
}

static enum failure_kind plan(const struct topology *topology, const struct multicast *multicast,
                              const struct scheme_choices *choices, struct plan *made,
                              struct failure *failure)
{
    bool is_x_first = choices->choice[0] == BASE_X_FIRST;
    struct chains chains;
    uint32_t positive;
    if (topology->shape.dimensions <= 2 && !is_x_first)
        return plan_greedily(topology, multicast, made, failure);
    enum failure_kind kind = chains_make(&chains, multicast->destinations, failure);
    if (kind == FAIL_NONE)
        kind = chains_cover(&chains, topology, multicast,
                            is_x_first ? chain_is_x_first : chain_ascends, &positive, failure);
    if (kind == FAIL_NONE)
        kind =
            pair(made, multicast->source, &chains, is_x_first ? chains.count : positive, failure);
    chains_free(&chains);
    return kind;
}

const struct scheme scheme_pure = {
    .name = "pure",
    .summary = "the fewest worms over negative-first or another base routing",
    .parameter = {{"routing", BASE_WORDS, BASE_HELP}},
    .routing = scheme_base_routing,
    .check = check,
    .plan = plan,
};
