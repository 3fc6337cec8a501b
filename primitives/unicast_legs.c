/* unicast_legs.c - greedy routing in two legs of known lengths: all along rows, then all along
 * columns.
 *
 * First every packet goes along its row to its target's column, and waits there. After so many
 * steps that all have arrived, which every node can count, all go along their columns. On each link
 * the packet with the farthest stop goes first.
 *
 * Let at most s packets start at a node, t packets of a row go to one column, and e packets have
 * one target, in tiles of h rows and w columns. Proof of the steps, s (w - 1) + e (h - 1), as in
 * public_traffic.c: the packets that cross link k of a line, the one after node k of 0, 1, ..,
 * towards its end are delayed only by one another. Call step x + k' at link k' its slot x. A packet
 * that starts at node i before the first step can have slot 1 - i or a later one, and the last
 * packet of the class crosses link k in slot
 *     F = max over x = 1 - k .. 1 of x - 1 + (packets that start at nodes 0 .. 1 - x).
 *   Along a row these are s (2 - x) packets at most, so F <= s (k + 1) - k, in step F + k <= s (w -
 * 1).
 *   Along a column the class has at most e (h - 1 - k) packets, which bounds F; F + k <= e (h - 1).
 *
 * Packets at a node. A queue of a link sends a packet in every step in which it is not empty, and
 * at most one comes straight, so it never holds more than started in it, or one. While packets go
 * along rows: s + 1 in the two queues, t that wait. While they go along columns: t that started
 * there in both queues or are at rest, or one in a queue where none did (in both, if none did in
 * either: then those that are at rest are among the e), and e that come. So t + 1 + max(s, e) at
 * most. If columns do not wait for rows as many steps are proven, and for s = e = 1 t + 5 packets
 * (public_traffic.c): both legs' packets pass at once, and queues along columns grow with every
 * packet that turns.
 * Source: Leighton 1992, section 1.7 (farthest first).
 * Cost: no memory beyond the machine's queues.
 */
#include "primitives/unicast_route.h"

#include "base/numbers.h"

struct legs_run {
    struct machine *machine;
    bool along_columns; /* the current leg, or .. */
    bool at_once;       /* .. the first one, and a packet turns when it arrives */
};

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct legs_run *run = context;
    node_place target = machine_headers(run->machine)->packet[packet].target;
    bool is_there =
        run->along_columns ? place_row(target) == site.row : place_col(target) == site.col;
    if (is_there && !run->at_once)
        return OUT_HOLD;
    return unicast_outputs(machine_headers(run->machine), site, packet, !run->along_columns);
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct legs_run *run = context;
    (void)site;
    return unicast_stop(machine_headers(run->machine), packet, direction);
}

static uint32_t urgency(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct legs_run *run = context;
    uint32_t there = stop(context, site, packet, direction);
    uint32_t here = direction_is_vertical(direction) ? site.row : site.col;
    return unicast_urgency(machine_config(run->machine)->mesh, site,
                           there > here ? there - here : here - there, direction);
}

uint64_t unicast_legs_steps(const struct tessellation *tiles, const struct unicast_legs *legs)
{
    return (uint64_t)legs->starts * (axis_longest(&tiles->col) - 1) +
           (uint64_t)legs->ends * (axis_longest(&tiles->row) - 1);
}

uint32_t unicast_legs_packets(const struct unicast_legs *legs)
{
    return legs->turns + 1 + max_u32(legs->starts, legs->ends);
}

enum failure_kind unicast_in_legs(struct machine *machine, const char *name, bool columns_first,
                                  const uint64_t steps[2], uint32_t packets,
                                  struct failure *failure)
{
    struct legs_run run = {machine, columns_first, steps[0] == 0};
    struct routing_rule rule = {
        .context = &run, .outputs = outputs, .stop = stop, .urgency = urgency, .capacity = packets};
    if (run.at_once)
        return forward_for(machine, &rule, name, steps[1], failure);
    enum failure_kind kind = forward_for(machine, &rule, name, steps[0], failure);
    run.along_columns = !columns_first;
    return kind == FAIL_NONE ? forward_for(machine, &rule, NULL, steps[1], failure) : kind;
}

enum failure_kind unicast_along_legs(struct machine *machine, const struct tessellation *tiles,
                                     const char *name, const struct unicast_legs *legs,
                                     struct failure *failure)
{
    uint64_t along_rows = (uint64_t)legs->starts * (axis_longest(&tiles->col) - 1);
    uint64_t steps[2] = {along_rows, unicast_legs_steps(tiles, legs) - along_rows};
    return unicast_in_legs(machine, name, false, steps, unicast_legs_packets(legs), failure);
}
