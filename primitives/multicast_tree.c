/* multicast_tree.c - dimension-ordered multicast trees (XY and YX).
 *
 * The tree of a packet is never built: the packet's range of destinations is sorted once, at the
 * root, in the order of a walk of the tree, nearest first along every branch. At any node of the
 * tree the range is then a sequence of at most five groups, in this order: the branch that turns
 * off to the low side (north of a row-first trunk), this node, the branch to the high side, the
 * trunk ahead to the east (south), and, only at the root, the trunk to the west (north). A part is
 * a group; splitting it off moves it to the front and leaves the rest in order.
 * Source: the usual dimension-ordered multicast of networks on chip.
 * Cost: O(k log k) at the root for k destinations, O(log k) per stop (O(k) when a group after
 * others leaves first), no memory.
 */
#include "primitives/multicast_tree.h"

#include "base/numbers.h"

#include <assert.h>

enum { AXIS_RANGE = 32768 }; /* coordinates are below this: mesh.h */

/* Groups in the order of the range. */
enum group { BRANCH_LOW, HERE, BRANCH_HIGH, TRUNK_HIGH, TRUNK_LOW };

/* A destination relative to a node: along the trunk first, across it second. */
struct offset {
    int32_t along, across;
};

static struct offset offset_of(node_place place, struct site site, bool row_first)
{
    int32_t dx = (int32_t)place_col(place) - (int32_t)site.col;
    int32_t dy = (int32_t)place_row(place) - (int32_t)site.row;
    return row_first ? (struct offset){dx, dy} : (struct offset){dy, dx};
}

static enum group group_of(node_place place, struct site site, bool row_first)
{
    struct offset offset = offset_of(place, site, row_first);
    if (offset.along != 0)
        return offset.along > 0 ? TRUNK_HIGH : TRUNK_LOW;
    if (offset.across != 0)
        return offset.across > 0 ? BRANCH_HIGH : BRANCH_LOW;
    return HERE;
}

static unsigned part_of(enum group group, bool row_first)
{
    static const unsigned outputs[2][5] = {
        {OUT_WEST, OUT_EJECT, OUT_EAST, OUT_SOUTH, OUT_NORTH},
        {OUT_NORTH, OUT_EJECT, OUT_SOUTH, OUT_EAST, OUT_WEST},
    };
    return outputs[row_first][group];
}

/* Returns the sort key of a place: 16 bits along the trunk (0, then the high side outward, then the
 * low side outward), 16 bits across (the low side outward, here, the high side outward). One to
 * one. */
static uint32_t key_of(node_place place, struct site root, bool row_first)
{
    struct offset offset = offset_of(place, root, row_first);
    int32_t along = offset.along >= 0 ? offset.along : AXIS_RANGE - 1 - offset.along;
    int32_t across = offset.across < 0 ? -offset.across - 1 : AXIS_RANGE - 1 + offset.across;
    return (uint32_t)along << 16 | (uint32_t)across;
}

static node_place place_of_key(uint32_t key, struct site root, bool row_first)
{
    int32_t along = (int32_t)(key >> 16), across = (int32_t)(key & 0xffff);
    along = along < AXIS_RANGE ? along : AXIS_RANGE - 1 - along;
    across = across < AXIS_RANGE - 1 ? -across - 1 : across - (AXIS_RANGE - 1);
    int32_t dx = row_first ? along : across, dy = row_first ? across : along;
    return place_of((uint32_t)((int32_t)root.row + dy), (uint32_t)((int32_t)root.col + dx));
}

void tree_start(struct headers *header, struct site root, uint32_t packet, bool row_first)
{
    uint32_t first = header->packet[packet].first;
    uint32_t *slot = header->destination + first;
    uint32_t count = packet - first + 1;
    if (count == 1)
        return;
    for (uint32_t i = 0; i < count; i++)
        slot[i] = key_of(slot[i], root, row_first);
    sort_u32(slot, count);
    for (uint32_t i = 0; i < count; i++)
        slot[i] = place_of_key(slot[i], root, row_first);
}

/* Returns the end of the group that starts at slot `start`, by doubling steps and halving them
 * again. */
static uint32_t group_end(const struct headers *header, struct site site, uint32_t start,
                          uint32_t packet, bool row_first)
{
    const node_place *slot = header->destination;
    enum group group = group_of(slot[start], site, row_first);
    if (group_of(slot[packet], site, row_first) == group)
        return packet + 1;
    uint32_t inside = start, step = 1;
    while (inside + step < packet && group_of(slot[inside + step], site, row_first) == group) {
        inside += step;
        step *= 2;
    }
    uint32_t outside = inside + step < packet ? inside + step : packet;
    while (outside - inside > 1) {
        uint32_t middle = inside + (outside - inside) / 2;
        if (group_of(slot[middle], site, row_first) == group)
            inside = middle;
        else
            outside = middle;
    }
    return outside;
}

unsigned tree_outputs(const struct headers *header, struct site site, uint32_t packet,
                      bool row_first)
{
    unsigned outputs = 0;
    for (uint32_t slot = header->packet[packet].first; slot <= packet;) {
        outputs |= part_of(group_of(header->destination[slot], site, row_first), row_first);
        slot = group_end(header, site, slot, packet, row_first);
    }
    return outputs;
}

uint32_t packet_split(struct headers *header, uint32_t packet, uint32_t middle)
{
    /* a part without a slot would be the name of another packet, and its router would go on
     * forever */
    assert(header->packet[packet].first < middle && middle <= packet);
    uint32_t taken = middle - 1;
    header->packet[taken].first = header->packet[packet].first;
    header->packet[taken].target = header->packet[packet].target;
    header->packet[taken].state = header->packet[packet].state;
    header->packet[packet].first = middle;
    return taken;
}

void rotate_to_front(node_place *slot, uint32_t first, uint32_t start, uint32_t end)
{
    uint32_t bounds[3][2] = {{first, start}, {start, end}, {first, end}};
    for (int piece = 0; piece < 3; piece++) {
        for (uint32_t i = bounds[piece][0], j = bounds[piece][1]; i + 1 < j; i++, j--) {
            node_place other = slot[i];
            slot[i] = slot[j - 1];
            slot[j - 1] = other;
        }
    }
}

uint32_t packet_take_slots(struct headers *header, uint32_t packet, uint32_t start, uint32_t end)
{
    uint32_t first = header->packet[packet].first;
    if (start > first)
        rotate_to_front(header->destination, first, start, end);
    return packet_split(header, packet, first + (end - start));
}

uint32_t tree_take(struct headers *header, struct site site, uint32_t packet, enum output output,
                   bool row_first)
{
    uint32_t start = header->packet[packet].first;
    uint32_t end = group_end(header, site, start, packet, row_first);
    while (part_of(group_of(header->destination[start], site, row_first), row_first) != output) {
        start = end;
        end = group_end(header, site, start, packet, row_first);
    }
    return packet_take_slots(header, packet, start, end);
}

uint32_t tree_stop(const struct headers *header, uint32_t packet, enum direction direction)
{
    return line_of_place(header->destination[header->packet[packet].first], direction);
}
