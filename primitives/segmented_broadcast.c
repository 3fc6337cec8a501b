/* segmented_broadcast.c - copies of packets along segments of the snake order (Proposition 3, Step
 * 2(c); Leighton 1992, section 1.2.1).
 *
 * A segment's packet starts at the node (r, c) of its first position. It serves the segment's part
 * of its own row, in the snake's direction, and sends a trunk straight down its column c. In each
 * row below, the trunk's packet serves the row's part of the segment by a branch on either side of
 * c. The last row may be served in part only, and c may lie beyond the segment's end there: then
 * only one branch leaves, against the snake's direction, and passes other segments' nodes. A packet
 * always serves an interval of positions; the rest follows from its node.
 *
 * No two packets ever use one directed link:
 *  - Down between two rows only trunks go, and only of a segment with positions in both rows: the
 *    one that holds the last position of the upper and the first of the lower row, where the snake
 *    turns. Each segment has one trunk.
 *  - In a row, the link from a node to its successor in the snake is used by a segment that has
 *    positions at or before the node and at or behind the successor, so it holds the node's last
 *    position and the successor's first: only one does, with any number of positions per node.
 *  - The link from a node to its predecessor in the same row is used only by a branch that serves
 *    towards the row's start, which began at a trunk: by the segment that holds the turn into this
 *    row. It makes one such branch in the row, and its own branch in the snake's direction uses
 *    the opposite links.
 * So with free copies no packet ever waits: each copy rests after as many steps as its node is far
 * from (r, c), which is h - 1 + w - 1 at most.
 *   With unit copies a node first copies the part that goes down, then the branches, then the one
 * that stays. A packet that arrives in step i is copied in step i + 1 and its copy crosses in step
 * i + 2: two steps per link, 2 (h + w - 2), and two more for the second branch at a trunk's node.
 * If per_node segments share a node they make at most per_node copies there besides their own: at
 * the start of a trunk, at its end in the last row, and at the end of a branch, so 4 (per_node - 1)
 * more are enough. That nothing is under way at the end is asserted.
 * Buffer: at most per_node + 3 packets per node. Each packet at a node is a copy that rests there,
 * or is still to become one, or leaves over one of three links, each used once.
 * Cost: no memory beyond the packets.
 */
#include "primitives/segmented_broadcast.h"

#include "base/numbers.h"
#include "primitives/multicast_tree.h"
#include "primitives/prefix.h"
#include "primitives/synchronise.h"

struct broadcast {
    struct headers *header;
    const struct segments *segments;
};

/* The numbers of copies of a packet that go over each link; the others are its node's own. */
struct division {
    uint64_t down, ahead, back;
    uint64_t own_first, next_row,
        next_node; /* positions: of the node, start of `down`, of `ahead` */
    enum direction ahead_link;
};

static uint64_t copies_of(const struct broadcast *broadcast, uint32_t packet)
{
    const struct segments *segments = broadcast->segments;
    if (segments->block == 0)
        return segments->copies(segments->context, packet);
    return (packet - broadcast->header->packet[packet].first) / segments->block + 1;
}

static uint32_t slots_of(const struct broadcast *broadcast, uint32_t packet, uint64_t copies)
{
    const struct segments *segments = broadcast->segments;
    return segments->block == 0 ? segments->slots(segments->context, packet, (uint32_t)copies)
                                : segments->block * (uint32_t)copies;
}

static struct division divide(const struct broadcast *broadcast, struct site site, uint32_t packet)
{
    const struct axis *rows = &broadcast->segments->tiles->row;
    const struct axis *cols = &broadcast->segments->tiles->col;
    uint32_t top = rows->cut[rows->tile[site.row]], x = cols->tile[site.col];
    uint32_t row = site.row - top, width = cols->cut[x + 1] - cols->cut[x];
    uint64_t per_node = broadcast->segments->per_node;
    uint64_t node = snake_number(row, site.col - cols->cut[x], width);

    uint64_t first = broadcast->header->packet[packet].target;
    uint64_t end = first + copies_of(broadcast, packet);
    struct division division = {.own_first = node * per_node,
                                .next_node = (node + 1) * per_node,
                                .next_row = (row + 1) * width * per_node,
                                .ahead_link = row % 2 == 0 ? EAST : WEST};
    uint64_t row_end = min_u64(end, division.next_row);
    division.down = end - row_end;
    if (row_end > division.next_node)
        division.ahead = row_end - division.next_node;
    if (first < division.own_first)
        division.back = min_u64(row_end, division.own_first) - first;
    return division;
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct broadcast *broadcast = context;
    if (copies_of(broadcast, packet) == 0)
        return OUT_HOLD;
    struct division division = divide(broadcast, site, packet);
    enum direction back_link = direction_opposite(division.ahead_link);
    uint64_t own = copies_of(broadcast, packet) - division.down - division.ahead - division.back;
    unsigned all = 0;
    if (division.down > 0)
        all |= OUT_SOUTH;
    if (division.ahead > 0)
        all |= 1u << division.ahead_link;
    if (division.back > 0)
        all |= 1u << back_link;
    if (own > 0)
        all |= OUT_HOLD;
    return own > 1 ? all | OUT_AGAIN : all;
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    struct broadcast *broadcast = context;
    struct headers *header = broadcast->header;
    struct division division = divide(broadcast, site, packet);
    uint64_t target = header->packet[packet].target, copies = 1;
    uint64_t taken_target = target;
    if (output == OUT_SOUTH) {
        copies = division.down;
        taken_target = division.next_row;
    } else if (output == 1u << division.ahead_link) {
        copies = division.ahead;
        taken_target = division.next_node;
    } else { /* from the front of the interval: the part that goes back, or one that stays */
        if (output != OUT_HOLD)
            copies = division.back;
        header->packet[packet].target = (uint32_t)(target + copies);
    }
    uint32_t taken = packet_split(
        header, packet, header->packet[packet].first + slots_of(broadcast, packet, copies));
    header->packet[taken].target = (uint32_t)taken_target;
    return taken;
}

/* Returns the stop: for a trunk the next row, for a branch the nearest node that it serves. */
static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct broadcast *broadcast = context;
    if (direction == SOUTH)
        return site.row + 1;
    struct division division = divide(broadcast, site, packet);
    bool is_ahead = direction == division.ahead_link;
    uint64_t first = broadcast->header->packet[packet].target;
    uint64_t last = first + copies_of(broadcast, packet) - 1;
    uint64_t nearest = is_ahead ? first : last, per_node = broadcast->segments->per_node;
    uint64_t own = division.own_first / per_node, there = nearest / per_node;
    uint32_t distance = (uint32_t)(is_ahead ? there - own : own - there);
    return direction == EAST ? site.col + distance : site.col - distance;
}

uint64_t segmented_broadcast_steps(const struct segments *segments, bool copy_is_free)
{
    const struct tessellation *tiles = segments->tiles;
    uint64_t distance = (uint64_t)axis_longest(&tiles->row) + axis_longest(&tiles->col) - 2;
    uint64_t per_node = segments->per_node;
    if (segments->longest > 0)
        distance = min_u64(distance, (segments->longest + per_node - 2) / per_node);
    if (!copy_is_free)
        return 2 * distance + 2 + 4 * (per_node - 1);
    return distance == 0 && per_node > 1 ? 1 : distance;
}

enum failure_kind segmented_broadcast(struct machine *machine, const struct segments *segments,
                                      const char *name, struct failure *failure)
{
    struct broadcast broadcast = {machine_headers(machine), segments};
    struct routing_rule rule = {
        .context = &broadcast, .outputs = outputs, .take = take, .stop = stop};
    uint64_t steps = segmented_broadcast_steps(segments, machine_config(machine)->copy_is_free);
    return forward_for(machine, &rule, name, steps, failure);
}
