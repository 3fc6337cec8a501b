/* scheme_column.c - for each column with destinations a worm that goes up it and one that goes down
 * it.
 *
 * Method: a worm goes along the source's row to its column, and then in the column away from that
 * row. A destination in the row itself is taken by the upward worm of its column if there is one,
 * else by the downward one, else by a worm of its own. Columns come from the west, in each the
 * upward worm first.
 * Source: the column path of X. Lin, P. McKinley, L. Ni, 1994, and R. Libeskind-Hadas et al., 1997.
 */
#include "network/schemes/scheme_private.h"

/* Adds the worms of a column, whose nodes go north; the source may be one of them. */
static void add_column(const struct planning *planning, uint32_t *node, uint32_t count)
{
    const struct topology *topology = planning->topology;
    uint32_t source = planning->multicast->source, row = mesh_2d_y(topology, source), below = 0;
    while (below < count && mesh_2d_y(topology, node[below]) < row)
        below++;
    bool has_row = below < count && mesh_2d_y(topology, node[below]) == row;
    bool has_source = has_row && node[below] == source;
    uint32_t up = below + has_source, down = below;
    /* Nothing is above the row */
    if (has_row && !has_source && below + 1 == count)
        up = down = count;
    plan_add_path(planning->plan, source, node + up, count - up);
    chain_reverse(node, down);
    plan_add_path(planning->plan, source, node, down);
}

static void plan(const struct planning *planning)
{
    struct chain chain = chain_make(planning, chain_x_first);
    for (uint32_t i = 0, end; i < chain.count; i = end) {
        uint32_t column = mesh_2d_x(planning->topology, chain.node[i]);
        for (end = i + 1; end < chain.count; end++)
            if (mesh_2d_x(planning->topology, chain.node[end]) != column)
                break;
        add_column(planning, chain.node + i, end - i);
    }
}

const struct scheme scheme_column = {
    .name = "column",
    .summary = "for each column a worm up it and a worm down it",
    .routing = scheme_x_first_routing,
    .needs = NEEDS_FLAT_MESH,
    .plan = plan,
};
