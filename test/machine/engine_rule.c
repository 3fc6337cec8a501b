/* engine_rule.c - rules that examine every slot of a packet. They share nothing with
 * primitives/. */
#include "test/machine/engine_rule.h"
#include "machine/forward.h"

enum { ALL_PARTS = 8 };
static const enum output PARTS[ALL_PARTS] = {OUT_EJECT, OUT_NORTH, OUT_SOUTH, OUT_WEST,
                                             OUT_EAST,  OUT_HOLD,  OUT_AGAIN, OUT_DISCARD};

static node_place goal_of(const struct headers *header, uint32_t packet, uint32_t slot)
{
    node_place place = header->destination[slot];
    return place == MACHINE_NO_PLACE ? header->packet[packet].target : place;
}

static enum output way_of(const struct headers *header, struct site site, uint32_t packet,
                          uint32_t slot)
{
    node_place goal = goal_of(header, packet, slot);
    uint8_t state = header->packet[packet].state;
    uint32_t row = place_row(goal), col = place_col(goal);
    bool is_along_row = row == site.row || ((state & ROWS_FIRST) && col != site.col);
    if (goal == site_place(site))
        return header->destination[slot] != MACHINE_NO_PLACE ? OUT_EJECT
               : state & VANISHES                            ? OUT_DISCARD
                                                             : OUT_HOLD;
    if (is_along_row)
        return col < site.col ? OUT_WEST : OUT_EAST;
    return row < site.row ? OUT_NORTH : OUT_SOUTH;
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct headers *header = ((const struct side *)context)->header;
    unsigned all = 0;
    if ((header->packet[packet].state & IS_EXPRESS) && !(header->packet[packet].state & SPREADS))
        return way_of(header, site, packet, packet);
    for (uint32_t slot = header->packet[packet].first; slot <= packet; slot++)
        all |= way_of(header, site, packet, slot);
    if ((header->packet[packet].state & SPREADS) && !(all & (OUT_EJECT | OUT_DISCARD))) {
        unsigned lowest = all & -all;
        return lowest | (all != lowest ? (unsigned)OUT_AGAIN : 0);
    }
    header->packet[packet].state &=
        (uint8_t) ~(IS_EXPRESS | SPREADS); /* with a slot at home: a tree */
    if (all == OUT_EJECT && header->packet[packet].first < packet)
        return OUT_EJECT | (unsigned)OUT_AGAIN; /* the same node twice */
    if (!(header->packet[packet].state & IS_PEELED) || (all & (all - 1)) == 0)
        return all;
    for (int i = 0; i < ALL_PARTS; i++) /* one after another */
        if (all & PARTS[i])
            return PARTS[i] | (unsigned)OUT_AGAIN;
    return 0;
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    struct headers *header = ((struct side *)context)->header;
    uint32_t first = header->packet[packet].first, next = first;
    for (uint32_t slot = first; slot <= packet; slot++) {
        node_place place = header->destination[slot];
        if (way_of(header, site, packet, slot) != output || (output == OUT_EJECT && next > first))
            continue;
        header->destination[slot] = header->destination[next];
        header->destination[next++] = place;
    }
    header->packet[next - 1].first = first;
    header->packet[next - 1].target = header->packet[packet].target;
    header->packet[next - 1].state = header->packet[packet].state;
    header->packet[packet].first = next;
    return next - 1;
}

/* Returns the nearest place where some slot turns off or ends; STOPS_HALF_WAY: on a long way
 * another one before. */
static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct headers *header = ((const struct side *)context)->header;
    bool is_vertical = direction_is_vertical(direction);
    uint32_t here = is_vertical ? site.row : site.col, nearest = UINT32_MAX, at = here;
    uint32_t first = header->packet[packet].first;
    if ((header->packet[packet].state & IS_EXPRESS) && !(header->packet[packet].state & SPREADS))
        first = packet;
    for (uint32_t slot = first; slot <= packet; slot++) {
        node_place goal = goal_of(header, packet, slot);
        uint32_t there = is_vertical ? place_row(goal) : place_col(goal);
        uint32_t distance = there > here ? there - here : here - there;
        if (distance < nearest) {
            nearest = distance;
            at = there;
        }
    }
    bool is_halved = (header->packet[packet].state & STOPS_HALF_WAY) && nearest > 3;
    return is_halved ? (at + here) / 2 : at;
}

static uint32_t few_urgencies(void *context, struct site site, uint32_t packet,
                              enum direction direction)
{
    (void)site;
    return pcg32_at(7, direction, packet_name(((const struct side *)context)->header, packet)) % 3;
}

static uint32_t all_urgencies(void *context, struct site site, uint32_t packet,
                              enum direction direction)
{
    uint32_t name = packet_name(((const struct side *)context)->header, packet);
    (void)site;
    return pcg32_at(7, direction, name) % (MACHINE_MAX_URGENCY + 1);
}

static struct routing_rule routing_of(struct side *side, const struct routing_call *call)
{
    return (struct routing_rule){.context = side,
                                 .outputs = outputs,
                                 .take = take,
                                 .stop = stop,
                                 .urgency = call->urgencies == 0   ? NULL
                                            : call->urgencies == 3 ? few_urgencies
                                                                   : all_urgencies,
                                 .by_steps = call->by_steps,
                                 .capacity = call->capacity};
}

enum failure_kind call_forward(struct side *side, const void *how)
{
    const struct routing_call *call = how;
    struct routing_rule rule = routing_of(side, call);
    if (side->machine != NULL)
        return machine_forward(side->machine, &rule, call->wakes, call->limit, &side->failure);
    model_forward(side->model, &rule, call->wakes, call->limit);
    return side->model->failure.kind;
}

/* ---- channels ---- */

static unsigned class_of(void *context, uint32_t packet)
{
    const struct headers *header = ((const struct side *)context)->header;
    uint8_t state = header->packet[packet].state;
    return state & IS_EXPRESS ? (unsigned)CHANNEL_EXPRESS : state & ROWS_FIRST;
}

/* Returns the slots that an express packet hands on, some before its last one, or declines. */
static uint32_t inject(void *context, struct site site, uint32_t packet)
{
    struct headers *header = ((struct side *)context)->header;
    uint32_t first = header->packet[packet].first, count = packet - first;
    uint32_t name = packet_name(header, packet), name_of_first = packet_name(header, first);
    (void)site;
    if (!(header->packet[packet].state & IS_EXPRESS))
        return packet;
    if (count == 0 || pcg32_at(3, name, name_of_first) % 8 == 0)
        return MACHINE_NONE;
    uint32_t tree = first + pcg32_at(5, name, name_of_first) % count;
    header->packet[tree].first = first;
    header->packet[tree].target = header->packet[packet].target;
    header->packet[tree].state = header->packet[packet].state & ROWS_FIRST;
    header->packet[packet].first = tree + 1;
    return tree;
}

static void switch_class(void *context, struct site site, uint32_t packet)
{
    struct headers *header = ((struct side *)context)->header;
    (void)site;
    header->packet[packet].state ^= ROWS_FIRST;
}

enum failure_kind call_channel(struct side *side, const void *how)
{
    const struct routing_call *call = how;
    struct channel_rule rule = {.routing = routing_of(side, call),
                                .class_of = class_of,
                                .channels = call->channels,
                                .slots = call->slots,
                                .inject = call->injects ? inject : NULL,
                                .has_express = call->spreads,
                                .switch_class = call->switches ? switch_class : NULL,
                                .switch_every = call->switch_every,
                                .straight_first = call->straight_first};
    if (side->machine != NULL)
        return machine_channel(side->machine, &rule, call->wakes, call->limit, &side->failure);
    model_channel(side->model, &rule, call->wakes, call->limit);
    return side->model->failure.kind;
}
