/* carriers.c - carriers go along rows, columns, and rows, and leave their copies along the last.
 *
 * Let a tile have w columns and a carrier the number k in its batch. (1) It goes along its row to column k mod
 * w; (2) along that column to the row of its segment's first position; (3) if the segment goes on in the
 * rows below, a part for each of them goes straight down; (4) each part goes along its row, outward from
 * where it stands, and leaves a copy at each position.
 *   Why not fewer legs. If each packet of a row has w copies, their segments begin in as many rows and all in
 * one column: along the row first the packets would crowd that column. If the packets of w rows are few and have
 * one copy each, their segments fill one row: along columns first the packets would crowd that row. Numbers keep
 * both apart: the carriers of a row have at most w numbers in succession, and so have those whose segments begin
 * in one row, as each has a position there. So in a batch no two are at one node after (1), and no two after (2).
 * A part that comes from above in (3) meets nobody either: in that row, too, each of at most w parts has a
 * position, and their numbers are successive.
 *
 * What takes how long, and how many packets a node holds: carriers_bound.c.
 * Source: Leighton 1992, section 1.2.1; the numbers are ours.
 * Cost: no memory beyond the packets.
 */
#include "primitives/carriers.h"

#include "primitives/multicast_tree.h"
#include "primitives/synchronise.h"

#include <assert.h>

struct spreading {
    struct machine *machine;
    struct headers *header;
    const struct carriers *carriers;
};

/* Where a node stands in its tile, and the tile's width. */
struct spot {
    uint32_t top, left, width, row, col;
};

static struct spot spot_of(const struct spreading *spreading, struct site site)
{
    const struct tessellation *tiles = spreading->carriers->tiles;
    struct interval rows = axis_interval_at(&tiles->row, site.row);
    struct interval cols = axis_interval_at(&tiles->col, site.col);
    return (struct spot){.top = rows.start,
                         .left = cols.start,
                         .width = interval_length(cols),
                         .row = site.row - rows.start,
                         .col = site.col - cols.start};
}

static uint32_t copies_of(const struct spreading *spreading, uint32_t packet)
{
    return spreading->carriers->copies(spreading->carriers->context, packet);
}

/* Splits off `copies` copies, which begin at position `target`. */
static uint32_t split(const struct spreading *spreading, uint32_t packet, uint32_t copies,
                      uint32_t target)
{
    struct headers *header = spreading->header;
    uint32_t slots = spreading->carriers->slots(spreading->carriers->context, packet, copies);
    uint32_t taken = packet_split(header, packet, header->packet[packet].first + slots);
    header->packet[taken].target = target;
    return taken;
}

/* ---- (1) and (2): to one node, and (4) with unit copies ---- */

static uint32_t number_column(const struct spreading *spreading, struct spot spot, uint32_t packet)
{
    return spot.left + spreading->carriers->column(spreading->carriers->context, packet);
}

static unsigned towards(uint32_t here, uint32_t there, unsigned less, unsigned more)
{
    return there == here ? (unsigned)OUT_HOLD : there < here ? less : more;
}

static unsigned outputs_to_number(void *context, struct site site, uint32_t packet)
{
    const struct spreading *spreading = context;
    uint32_t col = number_column(spreading, spot_of(spreading, site), packet);
    return towards(site.col, col, OUT_WEST, OUT_EAST);
}

static uint32_t stop_at_number(void *context, struct site site, uint32_t packet,
                               enum direction direction)
{
    const struct spreading *spreading = context;
    (void)direction;
    return number_column(spreading, spot_of(spreading, site), packet);
}

static uint32_t first_row(const struct spreading *spreading, struct site site, uint32_t packet)
{
    struct spot spot = spot_of(spreading, site);
    return spot.top + spreading->header->packet[packet].target / spot.width;
}

static unsigned outputs_to_row(void *context, struct site site, uint32_t packet)
{
    return towards(site.row, first_row(context, site, packet), OUT_NORTH, OUT_SOUTH);
}

static uint32_t stop_at_row(void *context, struct site site, uint32_t packet,
                            enum direction direction)
{
    (void)direction;
    return first_row(context, site, packet);
}

/* The column of the mesh in which a position of the row of `spot` lies. */
static uint32_t column_of(struct spot spot, uint32_t position)
{
    uint32_t along = position % spot.width;
    return spot.left + (spot.row % 2 == 0 ? along : spot.width - 1 - along);
}

static uint32_t first_column(const struct spreading *spreading, struct site site, uint32_t packet)
{
    return column_of(spot_of(spreading, site), spreading->header->packet[packet].target);
}

static unsigned outputs_to_first(void *context, struct site site, uint32_t packet)
{
    return towards(site.col, first_column(context, site, packet), OUT_WEST, OUT_EAST);
}

static uint32_t stop_at_first(void *context, struct site site, uint32_t packet,
                              enum direction direction)
{
    (void)direction;
    return first_column(context, site, packet);
}

/* Farthest first, by where the packet goes: the same at all nodes of a line. */
static uint32_t urgency_to(const struct spreading *spreading, uint32_t there,
                           enum direction direction)
{
    struct mesh mesh = machine_config(spreading->machine)->mesh;
    switch (direction) {
    case NORTH:
        return mesh.rows - 1 - there;
    case WEST:
        return mesh.cols - 1 - there;
    default:
        return there;
    }
}

static uint32_t urgency_to_number(void *context, struct site site, uint32_t packet,
                                  enum direction direction)
{
    return urgency_to(context, stop_at_number(context, site, packet, direction), direction);
}

static uint32_t urgency_to_row(void *context, struct site site, uint32_t packet,
                               enum direction direction)
{
    return urgency_to(context, stop_at_row(context, site, packet, direction), direction);
}

static uint32_t urgency_to_first(void *context, struct site site, uint32_t packet,
                                 enum direction direction)
{
    return urgency_to(context, stop_at_first(context, site, packet, direction), direction);
}

/* ---- (3) ---- */

/* How many of the packet's copies are for this row; the others are for those below. */
static uint32_t copies_here(const struct spreading *spreading, struct spot spot, uint32_t packet)
{
    uint32_t left = (spot.row + 1) * spot.width - spreading->header->packet[packet].target;
    uint32_t copies = copies_of(spreading, packet);
    return copies < left ? copies : left;
}

static unsigned outputs_down(void *context, struct site site, uint32_t packet)
{
    const struct spreading *spreading = context;
    struct spot spot = spot_of(spreading, site);
    bool goes_on = copies_here(spreading, spot, packet) < copies_of(spreading, packet);
    return goes_on ? OUT_SOUTH | OUT_HOLD : OUT_HOLD;
}

static uint32_t take_down(void *context, struct site site, uint32_t packet, enum output output)
{
    const struct spreading *spreading = context;
    struct spot spot = spot_of(spreading, site);
    uint32_t below = copies_of(spreading, packet) - copies_here(spreading, spot, packet);
    assert(output == OUT_SOUTH);
    (void)output;
    return split(spreading, packet, below, (spot.row + 1) * spot.width);
}

static uint32_t stop_below(void *context, struct site site, uint32_t packet,
                           enum direction direction)
{
    (void)context;
    (void)packet;
    (void)direction;
    return site.row + 1;
}

/* ---- (4) with free copies ---- */

/* The columns of the mesh that a part has copies for. */
struct range {
    uint32_t first, last;
};

static struct range range_of(const struct spreading *spreading, struct spot spot, uint32_t packet)
{
    uint32_t target = spreading->header->packet[packet].target;
    uint32_t one = column_of(spot, target);
    uint32_t other = column_of(spot, target + copies_of(spreading, packet) - 1);
    return one < other ? (struct range){one, other} : (struct range){other, one};
}

static unsigned outputs_along(void *context, struct site site, uint32_t packet)
{
    const struct spreading *spreading = context;
    struct range range = range_of(spreading, spot_of(spreading, site), packet);
    unsigned outputs = 0;
    if (range.first < site.col)
        outputs |= OUT_WEST;
    if (range.last > site.col)
        outputs |= OUT_EAST;
    if (range.first <= site.col && site.col <= range.last)
        outputs |= OUT_HOLD;
    return outputs;
}

/* What stays behind is still without gaps: the node's own copy is never split off. */
static uint32_t take_along(void *context, struct site site, uint32_t packet, enum output output)
{
    const struct spreading *spreading = context;
    struct spot spot = spot_of(spreading, site);
    struct range range = range_of(spreading, spot, packet);
    uint32_t target = spreading->header->packet[packet].target;
    uint32_t copies = copies_of(spreading, packet);
    bool is_west = output == OUT_WEST;
    uint32_t count = is_west ? site.col - range.first : range.last - site.col;
    bool is_front = is_west == (spot.row % 2 == 0); /* of the positions */
    assert(output == OUT_WEST || output == OUT_EAST);
    assert(count < copies);
    if (is_front)
        spreading->header->packet[packet].target = target + count;
    return split(spreading, packet, count, is_front ? target : target + copies - count);
}

/* The nearest column that it has a copy for. */
static uint32_t stop_along(void *context, struct site site, uint32_t packet,
                           enum direction direction)
{
    const struct spreading *spreading = context;
    struct range range = range_of(spreading, spot_of(spreading, site), packet);
    return direction == EAST ? range.first : range.last;
}

static uint32_t urgency_along(void *context, struct site site, uint32_t packet,
                              enum direction direction)
{
    const struct spreading *spreading = context;
    struct range range = range_of(spreading, spot_of(spreading, site), packet);
    return urgency_to(spreading, direction == EAST ? range.last : range.first, direction);
}

/* ---- the legs ---- */

struct other_batch {
    const struct carriers *carriers;
    uint32_t batch;
};

static bool is_other_batch(void *context, uint32_t packet)
{
    const struct other_batch *other = context;
    return other->carriers->batch(other->carriers->context, packet) != other->batch;
}

/* Leg (1). */
static enum failure_kind spread_to_numbers(struct machine *machine, const struct carriers *carriers,
                                           const struct routing_rule *rule, struct failure *failure)
{
    struct carriers_legs legs = carriers_legs(carriers);
    enum failure_kind kind = FAIL_NONE;
    if (!legs.are_apart)
        return forward_for(machine, rule, NULL, legs.to_number, failure);
    for (uint32_t batch = 0; batch < carriers->batches && kind == FAIL_NONE; batch++) {
        struct other_batch other = {carriers, batch};
        kind = machine_set_aside(machine, is_other_batch, &other, failure);
        if (kind != FAIL_NONE)
            break;
        kind = forward_for(machine, rule, NULL, legs.to_number / carriers->batches, failure);
        machine_take_back(machine);
    }
    return kind;
}

enum failure_kind carriers_spread(struct machine *machine, const struct carriers *carriers,
                                  struct failure *failure)
{
    struct spreading spreading = {machine, machine_headers(machine), carriers};
    struct carriers_legs legs = carriers_legs(carriers);
    struct routing_rule to_number = {.context = &spreading,
                                     .outputs = outputs_to_number,
                                     .stop = stop_at_number,
                                     .urgency = urgency_to_number,
                                     .capacity = carriers_packets(carriers)},
                        to_row = to_number, down = to_number, along = to_number;
    to_row.outputs = outputs_to_row;
    to_row.stop = stop_at_row;
    to_row.urgency = urgency_to_row;
    down.outputs = outputs_down;
    down.take = take_down;
    down.stop = stop_below;
    down.urgency = NULL;
    bool is_free = machine_config(machine)->copy_is_free;
    along.outputs = is_free ? outputs_along : outputs_to_first;
    along.take = is_free ? take_along : NULL;
    along.stop = is_free ? stop_along : stop_at_first;
    along.urgency = is_free ? urgency_along : urgency_to_first;
    enum failure_kind kind = spread_to_numbers(machine, carriers, &to_number, failure);
    if (kind == FAIL_NONE)
        kind = forward_for(machine, &to_row, NULL, legs.to_row, failure);
    if (kind == FAIL_NONE && is_free)
        kind = forward_for(machine, &down, NULL, legs.down, failure);
    if (kind == FAIL_NONE)
        kind = forward_for(machine, &along, NULL, legs.along, failure);
    return kind;
}
