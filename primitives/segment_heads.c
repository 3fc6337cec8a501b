/* segment_heads.c - heads go along rows, columns, and rows, and leave their copies along the last.
 *
 * Let a tile have w columns and a head the number k in its batch. (1) It goes along its row to
 * column k mod w; (2) along that column to the row of its segment's first position; (3) if the
 * segment goes on in the rows below, a part for each of them goes straight down; (4) each part goes
 * along its row, outward from its node, and leaves a copy at each position.
 *   Why not fewer legs. If each packet of a row has w copies, their segments begin in as many rows
 * and all in one column: along the row first the packets would crowd that column. If the packets of
 * w rows are few and have one copy each, their segments fill one row: along columns first the
 * packets would crowd that row. Numbers keep both apart: the heads of a row have at most w numbers
 * in succession, and so have those whose segments begin in one row, as each has a position there.
 * So in a batch no two are at one node after (1), and no two after (2). A part that comes from
 * above in (3) meets nobody either: in that row, again, each of at most w parts has a position, and
 * their numbers are successive.
 *
 * Steps, with L <= 2 batches. Take a line of l nodes. At most L packets start at each node, and for
 * at most L of them per node is the farthest to which they go. If the farthest goes first, the
 * packets that cross link k, the one after node k, towards the line's end are delayed only by one
 * another.
 * At most L (z + 1) of them started at nodes 0 .. z, and at most L N, N = l - 1 - k, cross in all.
 * So the last one crosses in step F + k (unicast_legs.c), where F is the most that min(L (z + 1), L
 * N) - z can be for z = 0 .. k: 1 for L = 1, and at most N + 1 for L = 2. As k = l - 1 - N, all is
 * done after l - 1 + (L - 1) steps. With free copies this also holds in (4): leaving copies costs
 * no step, and no two parts of a batch have the same farthest place.
 *   In (3) at most one part of a batch crosses each border between two rows, D borders at most. It
 * waits for the other batch's part at most once, for one that starts in the same row, and follows
 * it from then on.
 *
 * Buffer: 3 packets of each batch at a node. In (4) at most one head of a batch starts at a node,
 * with one part to go east, one to go west, and one to rest; a queue never holds more than started
 * in it, or one, and one copy rests. In (1) and (2) at most L start in both queues together, one
 * may pass in a queue where none started, and L come to rest. In (3) a part that goes on below
 * fills its row, so no head is there: two of a batch.
 *
 * An excess: up to p heads of a batch start at a node, e more than nodes in a row, E in a tile.
 * Legs (3) and (4) are as before: heads whose segments begin in one row are still at most w, in
 * succession.
 *   Steps. In (1) L (z + 1 + e) start at nodes 0 .. z, and L (N + e) cross, so F is L e more. In z
 * + 1 rows there are at most (z + 1) w + E heads, in succession, so z + 1 + ceil(E / w) of a batch
 * in one column: F is ceil(E / w) more in (2), where as many as before come to each node.
 *   Buffer. Let a packets start at a node one way and b the other way, and let u come to rest from
 * behind those and v from the other side. The packets in the first queue, or at rest from behind
 * it, grow in number only while the queue is empty: each step at most one comes from behind, and
 * one goes. So there are at most max(a, 1 + u) + max(b, 1 + v) packets. In (1) a + b <= L p, and u
 * + v <= L (1 + q), q = ceil(e / w): the numbers of a row are in succession. If two heads of a
 * batch come to one column from one side, then w + 1 heads start in the nodes of that side: at most
 * w - 1 and e of the excess. So e is 2 at least, and if it is 2 the column is the last of its row:
 * nobody comes from the other side. That makes L p + 1 + L packets for e = 1, and no more than that
 * or L p + L (1 + q) for e = 2. For e > 2 two batches go one after the other in (1): p + 1 + 1 + q
 * packets of one, and max(p, 1 + q) that rest of the other. In (2) a + b <= L (1 + q), and u + v <=
 * L.
 * Source: Leighton 1992, section 1.2.1; the numbers are ours.
 * Cost: no memory beyond the packets.
 */
#include "primitives/segment_heads.h"

#include "base/numbers.h"
#include "primitives/multicast_tree.h"
#include "primitives/synchronise.h"

#include <assert.h>

/* ---- lengths and packets ---- */

static uint32_t narrowest(const struct segment_heads *heads)
{
    return axis_shortest(&heads->tiles->col);
}

/* Returns the steps along lines of so many nodes at most; `more`: because of an excess. */
static uint64_t line_steps(const struct segment_heads *heads, uint32_t length, uint64_t more)
{
    return length == 1 ? 0 : length - 1 + (heads->batches - 1) + more;
}

/* True if batches go one after the other in leg (1). */
static bool goes_apart(const struct segment_heads *heads)
{
    enum { MOST_TOGETHER = 2 };
    return heads->batches > 1 && heads->excess.in_row > MOST_TOGETHER;
}

/* Return the steps of legs (1), (2), (4). */
static uint64_t to_number_steps(const struct segment_heads *heads)
{
    struct segment_heads one = *heads;
    one.batches = 1;
    if (goes_apart(heads))
        return heads->batches * to_number_steps(&one);
    return line_steps(heads, axis_longest(&heads->tiles->col),
                      (uint64_t)heads->batches * heads->excess.in_row);
}

static uint64_t to_row_steps(const struct segment_heads *heads)
{
    return line_steps(heads, axis_longest(&heads->tiles->row),
                      divide_up(heads->excess.in_tile, narrowest(heads)));
}

static uint64_t along_steps(const struct segment_heads *heads)
{
    return line_steps(heads, axis_longest(&heads->tiles->col), 0);
}

static uint64_t down_steps(const struct segment_heads *heads)
{
    uint64_t width = narrowest(heads);
    uint64_t rows = axis_longest(&heads->tiles->row);
    uint64_t borders = (heads->longest + width - 2) / width;
    borders = borders < rows - 1 ? borders : rows - 1;
    return borders == 0 ? 0 : borders + heads->batches - 1;
}

/* The lengths of the legs: along rows to the columns of the numbers, for one batch after the other
 * if they are apart; along columns to the rows of the segments; with free copies down to further
 * rows; along rows. */
struct legs {
    bool are_apart;
    uint64_t to_number, to_row, down, along;
};

static struct legs legs_of(const struct segment_heads *heads)
{
    return (struct legs){.are_apart = goes_apart(heads),
                         .to_number = to_number_steps(heads),
                         .to_row = to_row_steps(heads),
                         .down = down_steps(heads),
                         .along = along_steps(heads)};
}

uint64_t segment_heads_steps(const struct segment_heads *heads, bool copy_is_free)
{
    struct legs legs = legs_of(heads);
    return legs.to_number + legs.to_row + legs.along + (copy_is_free ? legs.down : 0);
}

/* Packets of a batch at a node in leg (4). */
enum { ALONG_PACKETS = 3 };

uint32_t segment_heads_packets(const struct segment_heads *heads)
{
    const struct excess *excess = &heads->excess;
    uint32_t batches = heads->batches, along = ALONG_PACKETS * batches;
    if (excess->in_row == 0)
        return along;
    uint32_t at_node = 1 + excess->at_node, passing = 1;
    uint32_t in_column = 1 + divide_up(excess->in_row, narrowest(heads));
    uint32_t to_row = batches * in_column + passing + batches;
    uint32_t to_number = batches * at_node + passing + batches;
    if (goes_apart(heads))
        to_number = at_node + passing + in_column + max_u32(at_node, in_column);
    else if (excess->in_row > 1)
        to_number = batches * at_node + max_u32(passing + batches, batches * in_column);
    if (excess->in_row > 2 && batches == 1)
        to_number = at_node + passing + in_column;
    return max_u32(along, max_u32(to_number, to_row));
}

/* ---- the way of a head ---- */

struct spreading {
    struct machine *machine;
    struct headers *header;
    const struct segment_heads *heads;
    /* Returns the row or column to which a packet at `site` goes in the current leg. */
    uint32_t (*goal)(const struct spreading *spreading, struct site site, uint32_t packet);
};

/* The place of a node in its tile, and the tile's width. */
struct spot {
    uint32_t top, left, width, row, col;
};

static struct spot spot_of(const struct spreading *spreading, struct site site)
{
    const struct tessellation *tiles = spreading->heads->tiles;
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
    return spreading->heads->copies(spreading->heads->context, packet);
}

/* Splits off `copies` copies, which begin at position `target`. */
static uint32_t split(const struct spreading *spreading, uint32_t packet, uint32_t copies,
                      uint32_t target)
{
    struct headers *header = spreading->header;
    uint32_t slots = spreading->heads->slots(spreading->heads->context, packet, copies);
    uint32_t taken = packet_split(header, packet, header->packet[packet].first + slots);
    header->packet[taken].target = target;
    return taken;
}

/* ---- (1) and (2): to one node, and (4) with unit copies ---- */

/* Returns the column, of leg (1), to which a packet goes along its row. */
static uint32_t column_of_number(const struct spreading *spreading, struct site site,
                                 uint32_t packet)
{
    return spot_of(spreading, site).left +
           spreading->heads->column(spreading->heads->context, packet);
}

/* Returns the row, of leg (2), to which a packet goes along its column. */
static uint32_t first_row(const struct spreading *spreading, struct site site, uint32_t packet)
{
    struct spot spot = spot_of(spreading, site);
    return spot.top + spreading->header->packet[packet].target / spot.width;
}

/* Returns the column of the mesh in which a position of the row of `spot` is. */
static uint32_t column_of(struct spot spot, uint32_t position)
{
    uint32_t along = position % spot.width;
    return spot.left + (spot.row % 2 == 0 ? along : spot.width - 1 - along);
}

/* Returns the column, of leg (4) with unit copies, to which a packet goes along its row. */
static uint32_t first_column(const struct spreading *spreading, struct site site, uint32_t packet)
{
    return column_of(spot_of(spreading, site), spreading->header->packet[packet].target);
}

static unsigned outputs_to_goal(void *context, struct site site, uint32_t packet)
{
    const struct spreading *spreading = context;
    bool is_vertical = spreading->goal == first_row;
    uint32_t there = spreading->goal(spreading, site, packet);
    uint32_t here = is_vertical ? site.row : site.col;
    return there == here ? OUT_HOLD : link_along(is_vertical, here, there);
}

static uint32_t stop_at_goal(void *context, struct site site, uint32_t packet,
                             enum direction direction)
{
    const struct spreading *spreading = context;
    (void)direction;
    return spreading->goal(spreading, site, packet);
}

/* Returns the urgency, farthest first, by the packet's target: the same at all nodes of a line. */
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

static uint32_t urgency_to_goal(void *context, struct site site, uint32_t packet,
                                enum direction direction)
{
    return urgency_to(context, stop_at_goal(context, site, packet, direction), direction);
}

/* ---- (3) ---- */

/* Returns the number of the packet's copies for this row; the rest are for the rows below. */
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

/* Splits off the part for a direction. The rest has no gaps: the node's own copy is never split
 * off. */
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

/* Returns the nearest column that it has a copy for. */
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
    const struct segment_heads *heads;
    uint32_t batch;
};

static bool is_other_batch(void *context, uint32_t packet)
{
    const struct other_batch *other = context;
    return other->heads->batch(other->heads->context, packet) != other->batch;
}

/* Runs a leg to the rows or columns given by `goal`. */
static enum failure_kind go_to(struct spreading *spreading,
                               uint32_t (*goal)(const struct spreading *spreading, struct site site,
                                                uint32_t packet),
                               uint64_t steps, struct failure *failure)
{
    struct routing_rule rule = {.context = spreading,
                                .outputs = outputs_to_goal,
                                .stop = stop_at_goal,
                                .urgency = urgency_to_goal,
                                .capacity = segment_heads_packets(spreading->heads)};
    spreading->goal = goal;
    return forward_for(spreading->machine, &rule, NULL, steps, failure);
}

/* Leg (1), for one batch after the other if they are apart. */
static enum failure_kind spread_to_numbers(struct spreading *spreading, struct failure *failure)
{
    const struct segment_heads *heads = spreading->heads;
    struct machine *machine = spreading->machine;
    struct legs legs = legs_of(heads);
    enum failure_kind kind = FAIL_NONE;
    if (!legs.are_apart)
        return go_to(spreading, column_of_number, legs.to_number, failure);
    for (uint32_t batch = 0; batch < heads->batches && kind == FAIL_NONE; batch++) {
        struct other_batch other = {heads, batch};
        kind = machine_park(machine, is_other_batch, &other, failure);
        if (kind != FAIL_NONE)
            break;
        kind = go_to(spreading, column_of_number, legs.to_number / heads->batches, failure);
        machine_unpark(machine);
    }
    return kind;
}

/* Legs (3) and (4) with free copies. */
static enum failure_kind copy_along(struct spreading *spreading, struct failure *failure)
{
    struct legs legs = legs_of(spreading->heads);
    struct routing_rule down = {.context = spreading,
                                .outputs = outputs_down,
                                .take = take_down,
                                .stop = stop_below,
                                .capacity = segment_heads_packets(spreading->heads)},
                        along = down;
    along.outputs = outputs_along;
    along.take = take_along;
    along.stop = stop_along;
    along.urgency = urgency_along;
    enum failure_kind kind = forward_for(spreading->machine, &down, NULL, legs.down, failure);
    if (kind == FAIL_NONE)
        kind = forward_for(spreading->machine, &along, NULL, legs.along, failure);
    return kind;
}

enum failure_kind segment_heads_spread(struct machine *machine, const struct segment_heads *heads,
                                       struct failure *failure)
{
    struct spreading spreading = {machine, machine_headers(machine), heads, NULL};
    struct legs legs = legs_of(heads);
    enum failure_kind kind = spread_to_numbers(&spreading, failure);
    if (kind == FAIL_NONE)
        kind = go_to(&spreading, first_row, legs.to_row, failure);
    if (kind == FAIL_NONE && machine_config(machine)->copy_is_free)
        return copy_along(&spreading, failure);
    return kind == FAIL_NONE ? go_to(&spreading, first_column, legs.along, failure) : kind;
}
