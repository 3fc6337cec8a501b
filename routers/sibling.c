/* sibling.c - Step 1 of Theorem 2: packets spread to the c-tiles by sibling exchange.
 *
 * At each halving of the mesh (primitives/tessellation.h) a packet with slots in the other half
 * sends a copy, responsible for those, to its sibling there: the node of its seat (below) in the
 * tile that differs only in this digit. If rows and columns are halved on the same level, the
 * packets of even cells cross between rows first and those of odd cells between columns, so that
 * both kinds of links carry the same load. A packet without slots in the other half sends nothing,
 * one without slots in its own half goes over entirely: pruning is just the absence of marks. A
 * packet whose source is in no cell goes to its seat first.
 *   Levels need no common start: a packet that arrives goes on by itself.
 * Invariant: before level l all slots of a packet are in its own interval of level l.
 *
 * Steps: on level i the 4^i packets of a node cross half of a tile's side w = m / 2^i three times,
 * half of them along each kind of link: 3/4 4^i w steps, together 3/4 (sqrt(c) - 1) m, and at most
 * 2 m for the distances.
 * Buffer: seats_step_1_buffer, 2 c + 3 packets per node on equal tiles. If nodes send l messages
 * there are c / l tiles and l 4^i packets: 3/4 l (sqrt(c / l) - 1) m steps, and no more packets
 * than before.
 *
 * The seat of a message is its one place in every tile. All tiles have h x w cells in common. A
 * message has its seat at one of them, the same in all tiles, so that its copies go from tile to
 * tile along straight lines and each stops at one node of a tile at most. A source within the cells
 * of its tile has its seat where it is. Tiles differ by a row and a column, whose sources have
 * second seats: one in the last row has it in its column, `number` rows up, one in the last column
 * in its row, `number` columns back, and one in both at the cell that is number-th. That number is
 * the number of the source's tile, taken cyclically. A tile's number has the digits of its row and
 * its column alternately, first halvings lowest. So the tiles from which messages have come
 * together after k halvings have consecutive numbers, or two runs of them if columns were halved
 * before rows, and of q numbers none recurs more than ceil(2^k / q) times, or 2 ceil(2^(k-1) / q).
 * That bounds the seats of a cell.
 *
 * Buffer of Step 1, with t tiles and M(k) the bound of the messages that have come together at a
 * node after k halvings. A message that stops at a node is there once, as a packet: M(log t) at
 * most. It hands on a copy at each later halving: the sum of M(k), k < log t, copies. The queue of
 * a link takes in one passing packet per step, and lets one leave in each step in which it is not
 * empty, so it never holds more than 1 beside all copies that were ever put into it. In all M(log
 * t) + the sum of M(k) + 4; on equal tiles, with M(k) = 2^k, 2 t + 3. If sources send up to l
 * messages, M(k) sources have l M(k) of them, and all but the 4 is l times as much.
 * Source: footnote 3 of the paper; the seats of doc/stream.md.
 */
#include "routers/sibling.h"

#include "machine/rule.h"

#include <stdlib.h>

/* ---- seats ---- */

struct seats seats_make(const struct tessellation *tiles)
{
    return (struct seats){tiles, tiles->row.length >> tiles->row.levels,
                          tiles->col.length >> tiles->col.levels};
}

static uint32_t tile_number(const struct tessellation *tiles, node_place node)
{
    const struct axis *axis[] = {&tiles->row, &tiles->col};
    uint32_t tile[] = {axis[0]->tile[place_row(node)], axis[1]->tile[place_col(node)]};
    uint32_t number = 0, digits = 0;
    for (uint32_t level = 0; digits < axis[0]->levels + axis[1]->levels; level++)
        for (int i = 0; i < 2; i++)
            if (level < axis[i]->levels)
                number |= (tile[i] >> (axis[i]->levels - 1 - level) & 1) << digits++;
    return number;
}

node_place seat_of(const struct seats *seats, node_place source)
{
    node_place own = place_in_tile(seats->tiles, source);
    uint32_t y = place_row(own), x = place_col(own), h = seats->height, w = seats->width;
    bool is_in_last_row = y >= h, is_in_last_col = x >= w;
    if (!is_in_last_row && !is_in_last_col)
        return own;
    uint32_t number = tile_number(seats->tiles, source);
    uint32_t cols = is_in_last_row ? number / h % w : number % w;
    return place_of(is_in_last_row ? h - 1 - number % h : y, is_in_last_col ? w - 1 - cols : x);
}

/* Returns the most of `count` numbers in so many runs that are alike modulo `cells`. */
static uint64_t most_alike(uint64_t count, uint32_t runs, uint64_t cells)
{
    return runs * ((count / runs + cells - 1) / cells);
}

/* Returns M(k) for the 2^k tiles from which messages have come together: first seats, and second
 * seats of the last row, of the last column, and of both. */
static uint64_t most_together(const struct seats *seats, uint64_t tiles, uint32_t runs)
{
    const struct axis *row = &seats->tiles->row, *col = &seats->tiles->col;
    uint64_t h = seats->height, w = seats->width, most = tiles;
    bool are_higher = h << row->levels < row->length, are_wider = w << col->levels < col->length;
    if (are_higher)
        most += most_alike(tiles, runs, h);
    if (are_wider)
        most += most_alike(tiles, runs, w);
    if (are_higher && are_wider)
        most += most_alike(tiles, runs, h * w);
    return most;
}

static uint64_t tiles_of(const struct seats *seats)
{
    return UINT64_C(1) << (seats->tiles->row.levels + seats->tiles->col.levels);
}

uint32_t seats_at_cell(const struct seats *seats)
{
    return (uint32_t)most_together(seats, tiles_of(seats), 1);
}

uint64_t seats_step_1_buffer(const struct seats *seats, uint32_t most_sent)
{
    uint64_t most = seats_at_cell(seats);
    for (uint64_t together = 1; together < tiles_of(seats); together *= 2)
        most += most_together(seats, together, together == 1 ? 1 : 2);
    return most_sent * most + DIRECTIONS;
}

/* ---- Step 1 ---- */

/* header.state of a packet that goes to its seat, a cell of its tile, which is header.target; of
 * others it is 0. */
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
    __builtin_prefetch(&header->destination[packet]); /* with `first`, not after it */
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

/* True if `slot` is on the other side of the halving. */
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

/* Does Step 2(a), for a packet in its c-tile: keeps the destinations and strips the marks off. */
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

/* True if no cell is at this node: packets here are on their way from their source to its second
 * seat. */
static bool is_beyond_cells(const struct sibling_rule *rule, struct site site)
{
    node_place own = place_in_tile(rule->seats->tiles, site_place(site));
    return place_row(own) >= rule->seats->height || place_col(own) >= rule->seats->width;
}

/* Returns the link to the seat, along its column first. At its source, where it is asked first, it
 * writes the seat into the header. */
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

/* Moves the slots across to the front of the range, with which the copy goes. Its target and state
 * are still 0. */
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

/* Returns the same cell in the other half, or on the way to the seat that of the seat in this
 * tile. */
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

/* Prefetches all slots of the packet, which are looked at; the header of a copy is that of one of
 * them. */
static void fetch(void *context, uint32_t packet)
{
    enum { LINE = 64 };
    const struct sibling_rule *rule = context;
    const struct headers *header = rule->header;
    uint32_t first = header->packet[packet].first;
    FETCH_HAS_EFFECT();
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

/* ---- choices ---- */

struct seat_choices {
    struct tessellation tiles;
    struct seats seats;
};

/* Returns the choice for all tiles at once; the messages of a tile move together. */
static struct handover handover(const void *own, node_place source, node_place destination)
{
    const struct seat_choices *choices = own;
    const struct axis *rows = &choices->tiles.row, *cols = &choices->tiles.col;
    node_place seat = seat_of(&choices->seats, source);
    uint32_t row = rows->cut[rows->tile[place_row(destination)]] + place_row(seat);
    uint32_t col = cols->cut[cols->tile[place_col(destination)]] + place_col(seat);
    return (struct handover){.home = place_of(row, col),
                             .group = rows->tile[place_row(source)] * axis_intervals(cols) +
                                      cols->tile[place_col(source)],
                             .row_first = (row + col) % 2 == 0};
}

static void release(void *own)
{
    tessellation_free(&((struct seat_choices *)own)->tiles);
    free(own);
}

enum failure_kind seats_choose(struct mesh mesh, uint64_t tiles, struct router_choices *choices,
                               struct failure *failure)
{
    struct seat_choices *own = memory_allocate(1, sizeof *own);
    if (own == NULL)
        return fail_memory(failure, "the choices of a router");
    *choices =
        (struct router_choices){.visits = 1, .handover = handover, .own = own, .release = release};
    enum failure_kind kind = tessellation_make(&own->tiles, mesh, tiles, failure);
    if (kind != FAIL_NONE)
        return kind;
    own->seats = seats_make(&own->tiles);
    choices->tiles = &own->tiles;
    choices->groups = (uint32_t)tessellation_tiles(&own->tiles);
    return FAIL_NONE;
}
