/* scheme_column.c - for each column with destinations a worm that goes up it and one that goes down it.
 *
 * Method: a worm goes along the source's row to its column, and then in the column away from that row. A destination in
 * the row itself is taken by the upward worm of its column if there is one, else by the downward one, else by a worm
 * of its own. Columns come from the west, in each the upward worm first.
 * Source: the column path of X. Lin, P. McKinley, L. Ni, 1994, and R. Libeskind-Hadas et al., 1997.
 */
#include "network/schemes/scheme_private.h"

static enum failure_kind check(const struct topology *topology, struct failure *failure)
{
    return mesh_2d_check("column", topology, failure);
}

/* The worms of a column, whose nodes go north; the source may be one of them. */
static enum failure_kind add_column(struct plan *plan, const struct topology *topology,
                                    uint32_t source, uint32_t *node, uint32_t count,
                                    struct failure *failure)
{
    uint32_t row = mesh_2d_y(topology, source), below = 0;
    while (below < count && mesh_2d_y(topology, node[below]) < row)
        below++;
    bool has_row = below < count && mesh_2d_y(topology, node[below]) == row;
    bool has_source = has_row && node[below] == source;
    uint32_t up = below + has_source, down = below;
    /* Nothing is above the row */
    if (has_row && !has_source && below + 1 == count)
        up = down = count;
    if (plan_add_path(plan, source, node + up, count - up, failure) != FAIL_NONE)
        return failure->kind;
    chain_reverse(node, down);
    return plan_add_path(plan, source, node, down, failure);
}

static enum failure_kind plan(const struct topology *topology, const struct multicast *multicast,
                              const struct scheme_choices *choices, struct plan *made,
                              struct failure *failure)
{
    (void)choices;
    struct chain chain;
    if (chain_make(&chain, topology, multicast, chain_x_first, failure) != FAIL_NONE)
        return failure->kind;
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t i = 0, end; i < chain.count && kind == FAIL_NONE; i = end) {
        uint32_t column = mesh_2d_x(topology, chain.node[i]);
        for (end = i + 1; end < chain.count; end++)
            if (mesh_2d_x(topology, chain.node[end]) != column)
                break;
        kind = add_column(made, topology, multicast->source, chain.node + i, end - i, failure);
    }
    chain_free(&chain);
    return kind;
}

const struct scheme scheme_column = {
    .name = "column",
    .summary = "for each column a worm up it and a worm down it",
    .routing = scheme_x_first_routing,
    .check = check,
    .plan = plan,
};
