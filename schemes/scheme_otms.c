/* scheme_otms.c - the multicast star whose longest worm is shortest, the optimal time multicast star.
 *
 * Method and cost: star_longest.c, and of two ports otms_pair.c.
 * Source: V. Bouchitte, J. Cohen, E. Fleury, 1997.
 */
#include "schemes/star.h"

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

/* Arrays of points, and of runs, have room for the next power of two, and are copied from one half as large: so they take
 * 18 bytes of that room, 12 a point or run. Two ports: points, and what else grows with the destinations or with lengths;
 * no worm is longer than all nodes, since labels only grow. More ports: for each destination as many runs as states are
 * kept; and two arrays of states, before some are dropped. */
static uint64_t footprint(const struct topology *topology, uint32_t destinations)
{
    bool has_pairs_alone =
        topology->shape.kind == TOPOLOGY_MESH && topology->shape.dimensions <= STAR_PAIR;
    uint64_t size = (uint64_t)destinations + topology->ports;
    uint64_t points = 4 * size * (topology->nodes + UINT64_C(1));
    uint64_t pair = 18 * (points < STAR_MOST_POINTS ? points : STAR_MOST_POINTS) + 4 * size * size +
                    64 * size + 12 * (uint64_t)topology->nodes;
    uint64_t runs = 2 * size * (STAR_MOST_STATES / (STAR_PAIR + 1) + 1);
    uint64_t many = 18 * (runs < STAR_MOST_RUNS ? runs : STAR_MOST_RUNS) +
                    (48 * (uint64_t)topology->ports + 80) * STAR_MOST_STATES;
    uint64_t search = has_pairs_alone || pair > many ? pair : many;
    return star_footprint(topology, destinations) + 32 * size + search;
}

const struct scheme scheme_otms = {
    .name = "otms",
    .summary = "worms along a Hamiltonian path, the longest as short as possible",
    .parameter = {STAR_PORT_PARAMETER},
    .routing = scheme_label_routing,
    .plan = plan,
    .footprint = footprint,
    .bounds_longest = true,
};
