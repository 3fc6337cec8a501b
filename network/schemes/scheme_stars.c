/* scheme_stars.c - the rules of multicast stars.
 *
 * dual: one worm visits the destinations after the source on the Hamiltonian path, by growing
 * labels, another one those before it, by shrinking labels. Label routing takes short cuts between
 * them. Wang (2005) measures it from a corner of a mesh, where it is a single worm, and calls it
 * lin.
 *
 * multi: a node of a two-dimensional mesh has at most two neighbours with larger labels, one in its
 * row, one in its column. If it has both, a worm that begins with the one in the row visits the
 * destinations in that neighbour's column or beyond it, another one, that begins with the one in
 * the column, visits the rest; likewise with smaller labels. On other topologies each destination
 * has the port that label routing would take to it.
 *
 * ocms, the optimal channel multicast star: the worms have the least sum of lengths (star.h). The
 * ends of worms are interchangeable.
 * Cost: the matching, O((k + p)^3) time and O((k + p)^2) memory for k destinations and p ports of a
 * side.
 *
 * otms, the optimal time multicast star: the longest worm is shortest (star_longest.c, and for two
 * ports otms_pair.c).
 *
 * Sources: X. Lin, P. McKinley, L. Ni, 1994 (dual-path, multi-path); V. Bouchitte, J. Cohen, E.
 * Fleury, Optimal deadlock-free path-based multicast algorithms in meshes, 1997 (ocms, otms).
 */
#include "network/schemes/star.h"

enum { PORT_FORCED, PORT_STRICT };
#define PORT_PARAMETER                                                                             \
    {                                                                                              \
        "port", {"forced", "strict"},                                                              \
            "whether a worm's first hop is forced, or routing chooses it"                          \
    }

static void one_worm(struct star_side *side, uint32_t *port)
{
    uint32_t natural = star_natural_port(side, side->node[0]);
    for (uint32_t i = 0; i < side->count; i++)
        port[i] = natural;
}

static void plan_dual(const struct planning *planning)
{
    star_plan(planning, false, one_worm);
}

/* Returns the port that leads along the row; UINT32_MAX: none. */
static uint32_t port_of_row(const struct star_side *side)
{
    uint32_t row = topology_coordinate(side->topology, side->source, 1);
    for (uint32_t port = 0; port < side->ports; port++)
        if (topology_coordinate(side->topology, side->neighbour[port], 1) == row)
            return port;
    return UINT32_MAX;
}

static void row_and_column(struct star_side *side, uint32_t *port)
{
    const struct topology *topology = side->topology;
    bool is_flat = topology->offset == NULL && topology->shape.kind == TOPOLOGY_MESH &&
                   topology->shape.dimensions == 2;
    uint32_t along = is_flat && side->ports == 2 ? port_of_row(side) : UINT32_MAX;
    if (along == UINT32_MAX) {
        for (uint32_t i = 0; i < side->count; i++)
            port[i] = star_natural_port(side, side->node[i]);
        return;
    }
    uint32_t here = topology_coordinate(topology, side->source, 0);
    bool is_east = topology_coordinate(topology, side->neighbour[along], 0) > here;
    for (uint32_t i = 0; i < side->count; i++) {
        uint32_t x = topology_coordinate(topology, side->node[i], 0);
        port[i] = (is_east ? x > here : x < here) ? along : 1 - along;
    }
}

static void plan_multi(const struct planning *planning)
{
    star_plan(planning, false, row_and_column);
}

static void least_sum(struct star_side *side, uint32_t *port)
{
    if (star_make_costs(side))
        star_least_sum(side, port, NULL);
}

static void least_sum_apart(struct star_side *side, uint32_t *port)
{
    least_sum(side, port);
    if (!side->plan->lacks_memory)
        star_least_apart(side, port);
}

enum { SHARE_ANY, SHARE_NONE };

static void plan_ocms(const struct planning *planning)
{
    const uint32_t *choice = planning->choices->choice;
    star_plan(planning, choice[0] == PORT_STRICT,
              choice[1] == SHARE_NONE ? least_sum_apart : least_sum);
}

static void least_longest(struct star_side *side, uint32_t *port)
{
    if (!star_make_costs(side))
        return;
    uint32_t bound = star_least_longest(side, port);
    side->plan->longest_bound = max_u32(side->plan->longest_bound, bound);
}

static void plan_otms(const struct planning *planning)
{
    star_plan(planning, planning->choices->choice[0] == PORT_STRICT, least_longest);
}

const struct scheme scheme_dual = {
    .name = "dual",
    .summary = "two worms along a Hamiltonian path, past all destinations",
    .routing = scheme_label_routing,
    .plan = plan_dual,
};

const struct scheme scheme_lin = {
    .name = "lin",
    .summary = "dual under the name used beside trees: one worm from a corner",
    .routing = scheme_label_routing,
    .plan = plan_dual,
};

const struct scheme scheme_multi = {
    .name = "multi",
    .summary = "a worm along a Hamiltonian path for each port of the source",
    .routing = scheme_label_routing,
    .plan = plan_multi,
};

const struct scheme scheme_ocms = {
    .name = "ocms",
    .summary = "the worms along a Hamiltonian path that cross the fewest links",
    .parameter = {PORT_PARAMETER,
                  {"share", {"any", "none"}, "whether worms of a message may share links"}},
    .routing = scheme_label_routing,
    .plan = plan_ocms,
};

const struct scheme scheme_otms = {
    .name = "otms",
    .summary = "worms along a Hamiltonian path, the longest as short as possible",
    .parameter = {PORT_PARAMETER},
    .routing = scheme_label_routing,
    .plan = plan_otms,
    .bounds_longest = true,
};
