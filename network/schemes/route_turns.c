/* route_turns.c - adaptive routings on meshes of one or two dimensions that leave out some turns:
 * shortest ways, no deadlock.
 *
 * A header may take each of the links of these rules, and takes the first that is free, along its
 * row before along its column.
 * - `west-first`: a header goes west as far as it must before anything else. No way turns to the
 *   west, so no cycle of waiting headers has the two turns that it would need.
 * - `odd-even`: eastbound headers turn into a column only where its x is odd, westbound ones leave
 *   a column only where it is even. The rightmost column of a cycle would need both turns, which
 *   have different parities. A header that would reach an even column in its next hop, eastbound,
 *   and is not yet in its target's row, turns before.
 *   Of the published rule one case is left out:
 *   in the column of its source an eastbound header may leave for another row at any x. Here the
 *   routing sees only where a header is and where it is bound.
 *
 * Sources: C. Glass, L. Ni, The turn model for adaptive routing, 1992; G.-M. Chiu, The odd-even
 * turn model for adaptive routing, 2000.
 */
#include "network/schemes/scheme_private.h"

#include <assert.h>

static uint32_t classes(const struct topology *topology)
{
    return topology->offset == NULL && topology->shape.kind == TOPOLOGY_MESH &&
           topology->shape.dimensions <= 2;
}

/* Lists the links that lead towards the target along the row, and along the column, if a header may
 * take them. */
static uint32_t list(const struct topology *topology, uint32_t node, uint32_t target,
                     bool along_row, bool along_column,
                     struct routing_choice choice[ROUTING_CHOICES])
{
    uint32_t x = mesh_2d_x(topology, node), end_x = mesh_2d_x(topology, target);
    uint32_t y = mesh_2d_y(topology, node), end_y = mesh_2d_y(topology, target), count = 0;
    if (x != end_x && along_row)
        choice[count++] = (struct routing_choice){.port = end_x < x};
    if (y != end_y && along_column)
        choice[count++] = (struct routing_choice){.port = 2 + (end_y < y)};
    assert(count > 0); /* no header asks at its target */
    return count;
}

static uint32_t next_west_first(const struct topology *topology, uint32_t node, uint32_t target,
                                struct routing_choice choice[ROUTING_CHOICES])
{
    bool goes_west = mesh_2d_x(topology, target) < mesh_2d_x(topology, node);
    return list(topology, node, target, true, !goes_west, choice);
}

static uint32_t next_odd_even(const struct topology *topology, uint32_t node, uint32_t target,
                              struct routing_choice choice[ROUTING_CHOICES])
{
    uint32_t x = mesh_2d_x(topology, node), end_x = mesh_2d_x(topology, target);
    bool is_in_row = mesh_2d_y(topology, node) == mesh_2d_y(topology, target), is_odd = x % 2 == 1;
    if (end_x <= x)
        return list(topology, node, target, true, end_x == x || !is_odd, choice);
    bool could_turn_later = end_x % 2 == 1 || end_x - x > 1;
    return list(topology, node, target, is_in_row || could_turn_later, is_odd, choice);
}

const struct routing routing_west_first = {"west-first", "meshes of one or two dimensions", classes,
                                           next_west_first, topology_distance};
const struct routing routing_odd_even = {"odd-even", "meshes of one or two dimensions", classes,
                                         next_odd_even, topology_distance};
