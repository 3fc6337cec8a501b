/* unicast_route.c - greedy (k,k)-routing by dimension order (Proposition 2; Leighton 1992, 1.7).
 *
 * A packet goes along its row to the target's column and then along that column, or the other way
 * round; it stops once, where it turns, and rests at its target. The order is the packet's own (the
 * lowest bit of header.state).
 * For k = 1 all go along rows first, as in the textbook. Steps, farthest first: with at most one
 * packet per node and distinct targets nothing waits in the rows, so all have turned after w - 1
 * steps, in tiles of h rows and w columns; and the packets for rows i and beyond, of which a column
 * has h - i, are delayed only by one another, so they have entered row i after h - 1 steps more: at
 * most h + w - 2. First come first served keeps near that but proves less. A queue may hold w / 2
 * packets, where the packets of one row all turn at one node.
 * For k > 1 the packets' orders alternate over the nodes, so that both kinds of links carry half of
 * the first legs.
 * Cost: no memory beyond the machine's queues.
 */
#include "primitives/unicast_route.h"

unsigned unicast_outputs(const struct headers *header, struct site site, uint32_t packet,
                         bool row_first)
{
    node_place target = header->packet[packet].target;
    return target == site_place(site) ? OUT_HOLD : link_towards(site, target, !row_first);
}

uint32_t unicast_stop(const struct headers *header, uint32_t packet, enum direction direction)
{
    return line_of_place(header->packet[packet].target, direction);
}

uint32_t unicast_urgency(struct mesh mesh, struct site site, uint32_t remaining,
                         enum direction direction)
{
    const uint32_t behind[DIRECTIONS] = {mesh.rows - 1 - site.row, site.row,
                                         mesh.cols - 1 - site.col, site.col};
    return remaining + behind[direction];
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct headers *header = machine_headers(context);
    return unicast_outputs(header, site, packet, header->packet[packet].state % 2 == 0);
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    (void)site;
    return unicast_stop(machine_headers(context), packet, direction);
}

static uint32_t urgency(void *context, struct site site, uint32_t packet, enum direction direction)
{
    node_place target = machine_headers(context)->packet[packet].target;
    uint32_t remaining = place_distance(target, site_place(site));
    return unicast_urgency(machine_config(context)->mesh, site, remaining, direction);
}

struct routing_rule unicast_rule(struct machine *machine, bool farthest_first)
{
    return (struct routing_rule){.context = machine,
                                 .outputs = outputs,
                                 .take = NULL,
                                 .stop = stop,
                                 .urgency = farthest_first ? urgency : NULL};
}

enum failure_kind unicast_route(struct machine *machine, const char *name, struct rounds rounds,
                                struct failure *failure)
{
    struct routing_rule rule = unicast_rule(machine, false);
    return forward_in_rounds(machine, &rule, name, rounds, failure);
}

/* Sets the order of each packet from its node and its number there. */
static void choose_orders(struct machine *machine, bool alternate)
{
    struct node_range nodes = machine_nodes(machine);
    for (node_index node = nodes.first; node < nodes.end; node++) {
        struct site site = machine_site(machine, node);
        uint32_t number = site.row + site.col;
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet))
            machine_headers(machine)->packet[packet].state = alternate && number++ % 2;
    }
}

enum failure_kind unicast_greedy(struct machine *machine, const struct unicast_plan *plan,
                                 struct failure *failure)
{
    uint64_t rows = axis_longest(&plan->tiles->row), cols = axis_longest(&plan->tiles->col);
    uint64_t share = plan->k * (rows > cols ? rows : cols) / 2;
    choose_orders(machine, plan->k > 1);
    struct rounds rounds = {rows + cols + (plan->k > 1 ? share : 0), (rows + cols) / 2};
    enum failure_kind kind = unicast_route(machine, plan->name, rounds, failure);
    choose_orders(machine, false);
    return kind;
}
