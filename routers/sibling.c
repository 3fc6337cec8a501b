/* sibling.c - Step 1 of Theorem 2: packets spread to the c-tiles by sibling exchange.
 *
 * At each halving of the mesh (primitives/tessellation.h) a packet with slots in the other half
 * sends a copy, responsible for those, to its sibling there: the node of its seat (seat.h) in the
 * tile that differs in this digit alone. Where rows and columns are halved on the same level, the
 * packets of even cells cross between rows first and those of odd cells between columns, so that
 * both kinds of links carry the same load. A packet without slots in the other half sends nothing,
 * one without slots in its own half goes over whole: pruning is nothing but the absence of marks.
 * A packet whose source lies in no cell goes to its seat first.
 * Levels need no common start: a packet that arrives goes on by itself.
 * Invariant: before level l all slots of a packet lie in its own interval of level l.
 *
 * Steps: on level i the 4^i packets of a node cross half of a tile's side w = m / 2^i three times,
 * half of them along each kind of link: 3/4 4^i w steps, together 3/4 (sqrt(c) - 1) m, and at most
 * 2 m for the distances. Buffer: seats_step_1_buffer, 2 c + 3 packets per node on equal tiles. Where nodes send l
 * messages there are c / l tiles and l 4^i packets: 3/4 l (sqrt(c / l) - 1) m steps, and no more packets than before.
 */
#include "routers/sibling.h"

#include "machine/rule.h"

/* header.state of a packet that goes to its seat, a cell of its tile, which is header.target; of others it is 0 */
enum { TO_SEAT = 1 };

/* The halving at which a packet must split or cross next. */
struct crossing {
    bool none;         /* all its slots are in its c-tile */
    bool between_rows; /* it crosses along a column */
    uint32_t bit;      /* the digit of the tile numbers that this halving decides */
};

static uint32_t row_tile(const struct sibling_rule *rule, node_place place)
{
    return rule->seats->tiles->row.tile[place_row(place & ~SIBLING_MARK)];
}

static uint32_t col_tile(const struct sibling_rule *rule, node_place place)
{
    return rule->seats->tiles->col.tile[place_col(place)];
}

static uint32_t top_bit(uint32_t value)
{
    return 31 - (uint32_t)__builtin_clz(value);
}

static bool is_even_cell(const struct sibling_rule *rule, struct site site)
{
    node_place cell = place_in_tile(rule->seats->tiles, site_place(site));
    return (place_row(cell) + place_col(cell)) % 2 == 0;
}

static struct crossing next_crossing(const struct sibling_rule *rule, struct site site,
                                     uint32_t packet)
{
    const struct headers *header = rule->header;
    const struct tessellation *tiles = rule->seats->tiles;
    uint32_t my_row = tiles->row.tile[site.row], my_col = tiles->col.tile[site.col];
    uint32_t rows = 0, cols = 0;
    __builtin_prefetch(&header->destination[packet]); /* with `first`, not behind it */
    for (uint32_t slot = header->packet[packet].first; slot <= packet; slot++) {
        rows |= row_tile(rule, header->destination[slot]) ^ my_row;
        cols |= col_tile(rule, header->destination[slot]) ^ my_col;
    }
    if ((rows | cols) == 0)
        return (struct crossing){.none = true};
    uint32_t row_level = rows == 0 ? UINT32_MAX : tiles->row.levels - 1 - top_bit(rows);
    uint32_t col_level = cols == 0 ? UINT32_MAX : tiles->col.levels - 1 - top_bit(cols);
    bool between_rows = row_level < col_level;
    if (row_level == col_level)
        between_rows = is_even_cell(rule, site);
    return (struct crossing){.between_rows = between_rows,
                             .bit = between_rows ? top_bit(rows) : top_bit(cols)};
}

/* Whether `slot` is on the other side of the halving. */
static bool is_across(const struct sibling_rule *rule, struct site site, struct crossing crossing,
                      uint32_t slot)
{
    node_place place = rule->header->destination[slot];
    uint32_t difference = crossing.between_rows
                              ? row_tile(rule, place) ^ rule->seats->tiles->row.tile[site.row]
                              : col_tile(rule, place) ^ rule->seats->tiles->col.tile[site.col];
    return difference >> crossing.bit & 1;
}

static unsigned link_across(const struct sibling_rule *rule, struct site site,
                            struct crossing crossing)
{
    const struct tessellation *tiles = rule->seats->tiles;
    if (crossing.between_rows)
        return tiles->row.tile[site.row] >> crossing.bit & 1 ? OUT_NORTH : OUT_SOUTH;
    return tiles->col.tile[site.col] >> crossing.bit & 1 ? OUT_WEST : OUT_EAST;
}

/* The packet is in its c-tile: Step 2(a), it keeps the destinations and strips the marks off. */
static unsigned arrive(const struct sibling_rule *rule, struct site site, uint32_t packet)
{
    struct headers *header = rule->header;
    node_place *slot = header->destination;
    uint32_t real = packet + 1; /* destinations gather at the end of the range */
    for (uint32_t i = packet + 1; i-- > header->packet[packet].first;) {
        if (slot[i] & SIBLING_MARK)
            continue;
        real--;
        node_place mark = slot[real];
        slot[real] = slot[i];
        slot[i] = mark;
    }
    if (real == packet + 1)
        return OUT_DISCARD;
    header->packet[packet].first = real;
    header->packet[packet].state = 0;
    return real == packet && slot[real] == site_place(site) ? OUT_EJECT : OUT_HOLD;
}

/* No cell is at this node: packets here are on their way from their source to its second seat. */
static bool is_beyond_cells(const struct sibling_rule *rule, struct site site)
{
    node_place own = place_in_tile(rule->seats->tiles, site_place(site));
    return place_row(own) >= rule->seats->height || place_col(own) >= rule->seats->width;
}

/* Along its column first. Its source, where it is asked about first, tells the packet where its seat is. */
static unsigned link_to_seat(const struct sibling_rule *rule, struct site site, uint32_t packet)
{
    struct header *header = &rule->header->packet[packet];
    if (header->state != TO_SEAT) {
        header->target = seat_of(rule->seats, site_place(site));
        header->state = TO_SEAT;
    }
    node_place own = place_in_tile(rule->seats->tiles, site_place(site));
    return place_row(own) != place_row(header->target) ? OUT_NORTH : OUT_WEST;
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct sibling_rule *rule = context;
    struct crossing crossing = next_crossing(rule, site, packet);
    if (crossing.none)
        return arrive(rule, site, packet);
    if (is_beyond_cells(rule, site))
        return link_to_seat(rule, site, packet);
    bool some_stay = false;
    for (uint32_t slot = rule->header->packet[packet].first; slot <= packet && !some_stay; slot++)
        some_stay = !is_across(rule, site, crossing, slot);
    return link_across(rule, site, crossing) | (some_stay ? (unsigned)OUT_AGAIN : 0);
}

/* The slots across move to the front of the range, and with them goes the copy. Its target and state are still 0. */
static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    const struct sibling_rule *rule = context;
    struct headers *header = rule->header;
    struct crossing crossing = next_crossing(rule, site, packet);
    uint32_t front = header->packet[packet].first;
    (void)output;
    for (uint32_t slot = front; slot <= packet; slot++) {
        if (!is_across(rule, site, crossing, slot))
            continue;
        node_place place = header->destination[front];
        header->destination[front++] = header->destination[slot];
        header->destination[slot] = place;
    }
    uint32_t taken = front - 1;
    header->packet[taken].first = header->packet[packet].first;
    header->packet[packet].first = front;
    return taken;
}

/* The same cell in the other half, or on the way to the seat that of the seat in this tile. */
static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct sibling_rule *rule = context;
    const struct tessellation *tiles = rule->seats->tiles;
    bool between_rows = direction_is_vertical(direction);
    const struct axis *axis = between_rows ? &tiles->row : &tiles->col;
    uint32_t here = between_rows ? site.row : site.col, tile = axis->tile[here];
    if (is_beyond_cells(rule, site)) {
        node_place seat = rule->header->packet[packet].target;
        return axis->cut[tile] + (between_rows ? place_row(seat) : place_col(seat));
    }
    node_place place = rule->header->destination[rule->header->packet[packet].first];
    uint32_t there = between_rows ? row_tile(rule, place) : col_tile(rule, place);
    return axis->cut[tile ^ 1u << top_bit(tile ^ there)] + here - axis->cut[tile];
}

/* All slots of the packet are looked at, and the header of a copy is that of one of them. */
static void fetch(void *context, uint32_t packet)
{
    enum { LINE = 64 };
    const struct sibling_rule *rule = context;
    const struct headers *header = rule->header;
    uint32_t first = header->packet[packet].first;
    fetch_has_effect();
    for (uint32_t slot = first; slot < packet; slot += LINE / sizeof *header->destination)
        __builtin_prefetch(&header->destination[slot], 1);
    for (uint32_t slot = first; slot < packet; slot += LINE / sizeof *header->packet)
        __builtin_prefetch(&header->packet[slot], 1);
}

struct routing_rule sibling_routing(struct sibling_rule *rule)
{
    return (struct routing_rule){
        .context = rule, .outputs = outputs, .take = take, .stop = stop, .fetch = fetch};
}
