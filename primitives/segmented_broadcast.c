/* segmented_broadcast.c - copies of packets along segments of the snake order (Proposition 3, Step
 * 2(c); Leighton 1992, section 1.2.1).
 *
 * A packet runs along the snake and leaves a copy at each node. As a segment of many rows would
 * take as long as it has nodes, a packet that stands at the start of a row with three rows or more
 * to serve splits: every second row after this one is served from the column where this row starts,
 * the rows between from the column where it ends; both columns are walked downward, a copy entering
 * each row at its start. So all rows of a segment are served side by side, always in the direction
 * of the snake, and since segments follow one another in snake order no two of them share a link
 * between two rows, nor a link of a row.
 * Encoding: which slots a copy takes does not matter, only how many; what moves on takes whole
 * blocks from the front of the range, so what stays has the short block if there is one. The set of
 * positions that a packet still serves follows from its first position, the number of its blocks
 * and its shape.
 * Steps with free copies and one position a node: cols to the end of the first row, cols along the
 * second, rows downward, cols along the last: each at most once.
 */
#include "primitives/segmented_broadcast.h"

#include "primitives/multicast_tree.h"
#include "primitives/prefix.h"

/* The positions that a packet serves. */
enum shape {
    INTERVAL,     /* target .. target + k - 1 */
    ROW_AND_COMB, /* target to the end of its row, then the comb that starts with the next row */
    COMB,         /* all of the row that starts at target, of the second one after it, ... */
};

struct broadcast {
    struct headers *header;
    struct segments segments;
};

/* A node within its tile. */
struct view {
    uint32_t row, col, width;
    uint64_t row_positions; /* of one row of the tile */
};

static struct view view_of(const struct broadcast *broadcast, struct site site)
{
    const struct axis *rows = &broadcast->segments.tiles->row;
    const struct axis *cols = &broadcast->segments.tiles->col;
    uint32_t y = rows->tile[site.row], x = cols->tile[site.col];
    uint32_t width = cols->cut[x + 1] - cols->cut[x];
    return (struct view){site.row - rows->cut[y], site.col - cols->cut[x], width,
                         (uint64_t)width * broadcast->segments.per_node};
}

/* How a packet falls apart at a node: `ahead` blocks leave over a link, to serve `shape` from
 * position `target` on; the others stay, as `rest_shape`. */
struct division {
    uint64_t ahead, target;
    enum shape shape, rest_shape;
    enum direction link;
};

static uint64_t blocks_of(const struct broadcast *broadcast, uint32_t packet)
{
    uint64_t slots = (uint64_t)packet - broadcast->header->first[packet] + 1;
    return (slots + broadcast->segments.block - 1) / broadcast->segments.block;
}

/* Of `blocks` positions that fill rows of `length` positions from the start of one: those of the
 * rows number 2, 4, ... from 0. */
static uint64_t second_rows(uint64_t length, uint64_t blocks)
{
    uint64_t rows = (blocks + length - 1) / length;
    uint64_t chosen = (rows - 1) / 2, last = blocks - (rows - 1) * length;
    return chosen * length - (rows % 2 == 1 ? length - last : 0);
}

static struct division divide_comb(uint64_t length, uint64_t target, uint64_t blocks)
{
    return (struct division){.ahead = blocks > length ? blocks - length : 0,
                             .target = target + 2 * length,
                             .shape = COMB,
                             .rest_shape = INTERVAL,
                             .link = SOUTH};
}

/* A packet that serves this node and positions behind it. */
static struct division divide_row(const struct broadcast *broadcast, struct view view,
                                  uint32_t packet, uint64_t blocks)
{
    uint64_t length = view.row_positions, row_start = view.row * length;
    uint64_t target = broadcast->header->target[packet];
    enum shape shape = broadcast->header->state[packet];
    if (shape == INTERVAL && target == row_start && blocks > 2 * length)
        return (struct division){.ahead = second_rows(length, blocks),
                                 .target = row_start + 2 * length,
                                 .shape = COMB,
                                 .rest_shape = ROW_AND_COMB,
                                 .link = SOUTH};
    uint64_t number = snake_number(view.row, view.col, view.width);
    uint64_t node_end = (number + 1) * broadcast->segments.per_node;
    uint64_t own = node_end - target < blocks ? node_end - target : blocks;
    bool at_row_end = node_end == row_start + length;
    return (struct division){.ahead = blocks - own,
                             .target = node_end,
                             .shape = at_row_end && shape == ROW_AND_COMB ? COMB : shape,
                             .rest_shape = INTERVAL,
                             .link = at_row_end          ? SOUTH
                                     : view.row % 2 == 0 ? EAST
                                                         : WEST};
}

static struct division divide(const struct broadcast *broadcast, struct site site, uint32_t packet)
{
    uint64_t blocks = blocks_of(broadcast, packet);
    struct view view = view_of(broadcast, site);
    if (broadcast->header->state[packet] == COMB)
        return divide_comb(view.row_positions, broadcast->header->target[packet], blocks);
    return divide_row(broadcast, view, packet, blocks);
}

static unsigned parts(void *context, struct site site, uint32_t packet)
{
    struct broadcast *broadcast = context;
    struct headers *header = broadcast->header;
    struct division division = divide(broadcast, site, packet);
    if (division.ahead == 0 && header->state[packet] == COMB) {
        header->state[packet] = INTERVAL; /* the comb's last row */
        division = divide(broadcast, site, packet);
    }
    if (division.ahead > 0)
        return 1u << division.link | PART_REST;
    header->state[packet] = INTERVAL;
    return blocks_of(broadcast, packet) > 1 ? PART_PARK | PART_REST : PART_PARK;
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum part part)
{
    struct broadcast *broadcast = context;
    struct headers *header = broadcast->header;
    uint32_t block = broadcast->segments.block, first = header->first[packet];
    if (part == PART_PARK) {
        header->target[packet]++;
        return packet_split(header, packet, first + block);
    }
    struct division division = divide(broadcast, site, packet);
    uint32_t taken = packet_split(header, packet, first + (uint32_t)division.ahead * block);
    header->target[taken] = (uint32_t)division.target;
    header->state[taken] = (uint8_t)division.shape;
    header->state[packet] = (uint8_t)division.rest_shape;
    return taken;
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct broadcast *broadcast = context;
    struct view view = view_of(broadcast, site);
    if (direction == SOUTH)
        return site.row - view.row +
               (uint32_t)(broadcast->header->target[packet] / view.row_positions);
    return direction == EAST ? site.col + 1 : site.col - 1;
}

enum failure_kind segmented_broadcast(struct machine *machine, struct segments segments,
                                      const char *name, struct rounds rounds,
                                      struct failure *failure)
{
    struct broadcast broadcast = {machine_headers(machine), segments};
    struct routing_rule rule = {&broadcast, parts, take, stop, NULL};
    return forward_in_rounds(machine, &rule, name, rounds, failure);
}
