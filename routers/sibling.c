/* sibling.c - Step 1 of Theorem 2: packets spread to the c-tiles by sibling exchange.
 *
 * At each halving of the mesh (primitives/tessellation.h) a packet with slots in the other half
 * sends a copy, responsible for those, to its sibling there: the node in the same place of the
 * other half. Where rows and columns are halved on the same level, half of the packets, by a hash
 * of message and level, cross between rows first and half between columns first, so that both
 * kinds of links carry the same load. A packet without slots in the other half sends nothing, one
 * without slots in its own half goes over whole: pruning is nothing but the absence of marks.
 * Where halves differ by one row or column, the packets of the odd one out spread over the whole
 * smaller half, by a hash of their message, so that no row gathers a double load level after level.
 * Levels need no common start: a packet that arrives goes on by itself.
 * Invariant: before level l all slots of a packet lie in its own interval of level l.
 *
 * Steps: on level i the 4^i packets of a node cross half of a tile's side w = m / 2^i three times,
 * half of them along each kind of link: 3/4 4^i w steps, together 3/4 (sqrt(c) - 1) m, and at most
 * 2 m for the distances. Buffer: c packets a node at the end, and those that pass.
 */
#include "routers/sibling.h"

#include "machine/fetch.h"

/* The halving at which a packet must split or cross next. */
struct crossing {
    bool none;         /* all its slots are in its c-tile */
    bool between_rows; /* it crosses along a column */
    uint32_t bit;      /* the digit of the tile numbers that this halving decides */
};

static uint32_t row_tile(const struct sibling_rule *rule, node_place place)
{
    return rule->tessellation->row.tile[place_row(place & ~SIBLING_MARK)];
}

static uint32_t col_tile(const struct sibling_rule *rule, node_place place)
{
    return rule->tessellation->col.tile[place_col(place)];
}

static uint32_t top_bit(uint32_t value)
{
    return 31 - (uint32_t)__builtin_clz(value);
}

/* Looks random to an adversary who does not know the seed; each node computes it from the header. */
static uint32_t hash(const struct sibling_rule *rule, uint32_t message, uint32_t salt)
{
    uint64_t x = (rule->seed + 1) * 0x9e3779b97f4a7c15u + ((uint64_t)salt << 32 | message);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(x >> 33);
}

static struct crossing next_crossing(const struct sibling_rule *rule, struct site site,
                                     uint32_t packet)
{
    const struct headers *header = rule->header;
    const struct tessellation *tiles = rule->tessellation;
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
        between_rows = hash(rule, header->packet[packet].message, row_level) & 1;
    return (struct crossing){.between_rows = between_rows,
                             .bit = between_rows ? top_bit(rows) : top_bit(cols)};
}

/* Whether `slot` is on the other side of the halving. */
static bool is_across(const struct sibling_rule *rule, struct site site, struct crossing crossing,
                      uint32_t slot)
{
    node_place place = rule->header->destination[slot];
    uint32_t difference = crossing.between_rows
                              ? row_tile(rule, place) ^ rule->tessellation->row.tile[site.row]
                              : col_tile(rule, place) ^ rule->tessellation->col.tile[site.col];
    return difference >> crossing.bit & 1;
}

static struct halves halves_at(const struct axis *axis, uint32_t coordinate, uint32_t bit)
{
    return axis_halves(axis, coordinate, axis->levels - 1 - bit);
}

static unsigned link_across(const struct sibling_rule *rule, struct site site,
                            struct crossing crossing)
{
    const struct tessellation *tiles = rule->tessellation;
    if (crossing.between_rows)
        return site.row < halves_at(&tiles->row, site.row, crossing.bit).middle ? PART_SOUTH
                                                                                : PART_NORTH;
    return site.col < halves_at(&tiles->col, site.col, crossing.bit).middle ? PART_EAST : PART_WEST;
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
        return PART_DISCARD;
    header->packet[packet].first = real;
    return real == packet && slot[real] == site_place(site) ? PART_HERE : PART_PARK;
}

static unsigned parts(void *context, struct site site, uint32_t packet)
{
    const struct sibling_rule *rule = context;
    struct crossing crossing = next_crossing(rule, site, packet);
    if (crossing.none)
        return arrive(rule, site, packet);
    bool some_stay = false;
    for (uint32_t slot = rule->header->packet[packet].first; slot <= packet && !some_stay; slot++)
        some_stay = !is_across(rule, site, crossing, slot);
    return link_across(rule, site, crossing) | (some_stay ? (unsigned)PART_REST : 0);
}

/* The slots across move to the front of the range, and with them goes the copy. Its target and state
 * say nothing in this step, and lie far away. */
static uint32_t take(void *context, struct site site, uint32_t packet, enum part part)
{
    const struct sibling_rule *rule = context;
    struct headers *header = rule->header;
    struct crossing crossing = next_crossing(rule, site, packet);
    uint32_t front = header->packet[packet].first;
    (void)part;
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

static uint32_t sibling_coordinate(const struct sibling_rule *rule, uint32_t coordinate,
                                   struct halves halves, uint32_t message)
{
    if (coordinate >= halves.middle) {
        uint32_t offset = coordinate - halves.middle;
        return halves.start + offset; /* the first half is never the smaller one */
    }
    uint32_t offset = coordinate - halves.start, size = halves.end - halves.middle;
    return halves.middle + (offset < size ? offset : hash(rule, message, halves.middle) % size);
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct sibling_rule *rule = context;
    const struct headers *header = rule->header;
    const struct tessellation *tiles = rule->tessellation;
    node_place place = header->destination[header->packet[packet].first];
    bool between_rows = direction_is_vertical(direction);
    const struct axis *axis = between_rows ? &tiles->row : &tiles->col;
    uint32_t here = between_rows ? site.row : site.col;
    uint32_t there = between_rows ? row_tile(rule, place) : col_tile(rule, place);
    uint32_t bit = top_bit(axis->tile[here] ^ there);
    return sibling_coordinate(rule, here, halves_at(axis, here, bit),
                              header->packet[packet].message);
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
        .context = rule, .parts = parts, .take = take, .stop = stop, .fetch = fetch};
}
