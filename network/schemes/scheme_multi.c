/* scheme_multi.c - worms along a Hamiltonian path, one for each port that leads towards larger or smaller labels.
 *
 * Method: a node of a two-dimensional mesh has at most two neighbours with larger labels, one in its row, one in its
 * column. Where it has both, a worm that begins with the one in the row visits the destinations in that neighbour's
 * column or beyond it, another one, that begins with the one in the column, visits the rest; likewise with smaller
 * labels. On other topologies each destination is left to the port that label routing would take to it.
 * Cost: O(k log k).
 * Source: X. Lin, P. McKinley, L. Ni, 1994 (multi-path).
 */
#include "network/schemes/star.h"

/* Which port leads along the row; UINT32_MAX: none. */
static uint32_t port_of_row(const struct star_side *side)
{
    uint32_t row = topology_coordinate(side->topology, side->source, 1);
    for (uint32_t port = 0; port < side->ports; port++)
        if (topology_coordinate(side->topology, side->neighbour[port], 1) == row)
            return port;
    return UINT32_MAX;
}

static enum failure_kind rule(const struct star_side *side, uint32_t *port, struct failure *failure)
{
    const struct topology *topology = side->topology;
    bool is_flat = topology->shape.kind == TOPOLOGY_MESH && topology->shape.dimensions == 2;
    (void)failure;
    uint32_t along = is_flat && side->ports == 2 ? port_of_row(side) : UINT32_MAX;
    if (along == UINT32_MAX) {
        for (uint32_t i = 0; i < side->count; i++)
            port[i] = star_natural_port(side, side->node[i]);
        return FAIL_NONE;
    }
    uint32_t here = topology_coordinate(topology, side->source, 0);
    bool is_east = topology_coordinate(topology, side->neighbour[along], 0) > here;
    for (uint32_t i = 0; i < side->count; i++) {
        uint32_t x = topology_coordinate(topology, side->node[i], 0);
        port[i] = (is_east ? x > here : x < here) ? along : 1 - along;
    }
    return FAIL_NONE;
}

static enum failure_kind plan(const struct topology *topology, const struct multicast *multicast,
                              const struct scheme_choices *choices, struct plan *made,
                              struct failure *failure)
{
    (void)choices;
    return star_plan(topology, multicast, STAR_FORCED, rule, made, failure);
}

const struct scheme scheme_multi = {
    .name = "multi",
    .summary = "a worm along a Hamiltonian path for each port of the source",
    .routing = scheme_label_routing,
    .plan = plan,
};
