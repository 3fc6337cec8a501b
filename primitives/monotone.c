/* monotone.c - spread and pack: packets change their distances along the snake, not their order.
 *
 * Spread goes along columns first, pack along rows first, then along the other dimension, farthest
 * first. The other way round two columns of packets that pack into two rows meet in queues of m /
 * 2.
 *
 * Steps: at most h + w - 2, for tiles of h rows and w columns: one packet per node and distinct
 * targets are all that unicast_route.c's proof asks for, with rows and columns exchanged or not.
 * Buffer, spread: all packets go south, start at once and do not wait in the columns. Those for a
 * row come from w consecutive places, so from two rows i and i + 1 at most; they reach their row in
 * two successive steps, first those of i + 1, at most one per node each time, and nothing passes
 * through that row southwards at the second of them or later. Along the row at most two packets
 * meet in a queue, and three at a node: 4 with one at rest there.
 * Buffer, pack: a row's packets go to w consecutive places, so at most two turn at a node, and a
 * queue along the column, which grows by turning packets alone, holds at most three: all go north,
 * so there is one such queue. With one passing along the row each way and one at rest: 6. Measured:
 * 5, and 4 on small meshes with all their subsets.
 * Source: Leighton 1992, sections 1.7 and 3.4 (monotone routing).
 * Cost: nothing beyond the machine's queues.
 */
#include "primitives/monotone.h"

#include "primitives/unicast_route.h"

static uint64_t steps_in(const struct tessellation *tiles)
{
    return (uint64_t)axis_longest(&tiles->row) + axis_longest(&tiles->col) - 2;
}

enum failure_kind monotone_route(struct machine *machine, const struct tessellation *tiles,
                                 enum monotone_direction direction, const char *name,
                                 struct failure *failure)
{
    struct headers *header = machine_headers(machine);
    struct node_range nodes = machine_nodes(machine);
    for (node_index node = nodes.first; node < nodes.end; node++) {
        uint32_t packet = machine_first_resting(machine, node);
        if (packet != MACHINE_NONE)
            header->packet[packet].state = direction == MONOTONE_SPREAD;
    }
    struct routing_rule rule = unicast_rule(machine, true);
    return forward_for(machine, &rule, name, steps_in(tiles), failure);
}
