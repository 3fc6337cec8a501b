/* unicast_route.c - (k,k)-routing by dimension order (Proposition 2; greedy, first in first out).
 *
 * Half of the packets go along their row to the target's column and then along that column; the
 * other half the other way round, so that both kinds of links carry half of the first legs. A
 * packet stops once, where it turns, and rests at its target. The order is the packet's own (the
 * lowest bit of header.state), set by the caller from what the packet's node knows.
 * Cost: no memory beyond the machine's queues.
 */
#include "primitives/unicast_route.h"

unsigned unicast_parts(const struct headers *header, struct site site, uint32_t packet,
                       bool row_first)
{
    uint32_t row = place_row(header->target[packet]), col = place_col(header->target[packet]);
    if (col != site.col && (row_first || row == site.row))
        return col > site.col ? PART_EAST : PART_WEST;
    if (row != site.row)
        return row > site.row ? PART_SOUTH : PART_NORTH;
    return PART_PARK;
}

uint32_t unicast_stop(const struct headers *header, uint32_t packet, enum direction direction)
{
    node_place target = header->target[packet];
    return direction_is_vertical(direction) ? place_row(target) : place_col(target);
}

static unsigned parts(void *context, struct site site, uint32_t packet)
{
    const struct headers *header = context;
    return unicast_parts(header, site, packet, header->state[packet] % 2 == 0);
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    (void)site;
    return unicast_stop(context, packet, direction);
}

enum failure_kind unicast_route(struct machine *machine, const char *name, struct rounds rounds,
                                struct failure *failure)
{
    struct routing_rule rule = {
        .context = machine_headers(machine), .parts = parts, .take = NULL, .stop = stop};
    return forward_in_rounds(machine, &rule, name, rounds, failure);
}
