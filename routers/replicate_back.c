/* replicate_back.c - Theorem 2's ways backwards, for sums: into the seat of the own tile, then from tile to tile.
 *
 * In each tile a message has a seat (seat.h), to which the contributions of the tile go first, backwards along the tree
 * by which step 2 would deliver there. From the seat they go from sibling to sibling, the deepest halving first, to the
 * tile of the message's source, and from the seat there to the source. Nothing waits for others: what meets is combined.
 * Source: the time reversal of sibling.c and of step 2 of replicate.c.
 */
#include "routers/replicate_private.h"

/* header.state; on its way a packet goes to header.target: a seat, at last the source of its message. */
enum { AT_START, TO_SEAT, TO_SOURCE };

/* The node of the cell in the tile with these numbers. */
static node_place node_in_tile(const struct tessellation *tiles, uint32_t row_tile,
                               uint32_t col_tile, node_place cell)
{
    return place_of(tiles->row.cut[row_tile] + place_row(cell),
                    tiles->col.cut[col_tile] + place_col(cell));
}

/* The next seat of a packet at a seat: in the tile that differs in the deepest halving that is still to be crossed. The
 * seat itself: it is in the tile of its source. */
static node_place next_seat(const struct tessellation *tiles, node_place seat, node_place home)
{
    const struct axis *row = &tiles->row, *col = &tiles->col;
    node_place cell = place_in_tile(tiles, seat);
    uint32_t row_tile = row->tile[place_row(seat)], col_tile = col->tile[place_col(seat)];
    uint32_t rows = row_tile ^ row->tile[place_row(home)];
    uint32_t cols = col_tile ^ col->tile[place_col(home)];
    if ((rows | cols) == 0)
        return seat;
    int row_level = rows == 0 ? -1 : (int)row->levels - 1 - __builtin_ctz(rows);
    int col_level = cols == 0 ? -1 : (int)col->levels - 1 - __builtin_ctz(cols);
    bool is_even = (place_row(cell) + place_col(cell)) % 2 == 0;
    bool between_rows = row_level == col_level ? !is_even : row_level > col_level;
    if (between_rows)
        row_tile ^= rows & -rows;
    else
        col_tile ^= cols & -cols;
    return node_in_tile(tiles, row_tile, col_tile, cell);
}

static enum output output(void *context, struct site site, uint32_t packet)
{
    const struct replicate_back *back = context;
    const struct tessellation *tiles = back->seats->tiles;
    struct header *header = &back->reduction.header->packet[packet];
    node_place home = back->reduction.header->destination[packet], here = site_place(site);
    if (here == home)
        return OUT_EJECT;
    if (header->state == AT_START) {
        header->target = node_in_tile(tiles, tiles->row.tile[site.row], tiles->col.tile[site.col],
                                      seat_of(back->seats, home));
        header->state = TO_SEAT;
    }
    if (header->state == TO_SEAT && header->target == here) {
        header->target = next_seat(tiles, here, home);
        if (header->target == here) {
            header->target = home;
            header->state = TO_SOURCE;
        }
    }
    bool has_trunk_in_row = (place_row(header->target) + place_col(header->target)) % 2 == 0;
    return reduction_output(site, header->target, header->state == TO_SEAT && has_trunk_in_row);
}

/* What has the longest way before it is the most urgent: others can wait, and are combined meanwhile. */
static uint32_t links_left(void *context, struct site site, uint32_t packet)
{
    const struct replicate_back *back = context;
    const struct headers *header = back->reduction.header;
    node_place home = header->destination[packet], at = header->packet[packet].target;
    uint32_t links = place_distance(site_place(site), at);
    bool is_between_seats = header->packet[packet].state == TO_SEAT;
    while (is_between_seats) {
        node_place next = next_seat(back->seats->tiles, at, home);
        is_between_seats = next != at;
        links += place_distance(at, next);
        at = next;
    }
    return links + place_distance(at, home);
}

struct gather_rule replicate_back_rule(struct replicate_back *back)
{
    return (struct gather_rule){.context = back,
                                .output = output,
                                .urgency = links_left,
                                .combine = reduction_combine,
                                .deliver = reduction_deliver};
}
