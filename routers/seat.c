/* seat.c - Step 1 of Theorem 2: the one place in every tile at which a message stands.
 *
 * All tiles have h x w cells in common. A message has its seat at one of them, the same in all
 * tiles, so that its copies go from tile to tile along straight lines and each stops at one node of
 * a tile at most. A source within the cells of its tile has its seat where it is. Tiles differ by a
 * row and a column, whose sources have second seats: one in the last row has it in its column,
 * `number` rows up, one in the last column in its row, `number` columns back, and one in both at
 * the cell that is number-th. That is the number of the source's tile, as often as it goes round.
 * A tile's number has the digits of its row and its column alternately, first halvings lowest. So
 * the tiles from which messages have come together after k halvings have consecutive numbers, or
 * two runs of them where columns were halved before rows, and of q numbers none comes round more
 * than ceil(2^k / q) times, or 2 ceil(2^(k-1) / q). That bounds the seats of a cell.
 *
 * Buffer of Step 1, with t tiles and M(k) the bound of the messages that have come together at a
 * node after k halvings. A message that stops at a node is there once, as a packet: M(log t) at
 * most. It hands on a copy at each halving that comes after: the sum of M(k), k < log t, copies.
 * The queue of a link takes in one passing packet a step, and lets one leave in each step in which
 * it is not empty, so it never holds more than 1 beside all copies that were ever put into it. In
 * all M(log t) + the sum of M(k) + 4; on equal tiles, where M(k) = 2^k, 2 t + 3. Where sources send up to l messages,
 * M(k) sources have l M(k) of them, and all but the 4 is l times as much.
 * Source: footnote 3 of the paper; the seats of doc/stream.md.
 */
#include "routers/seat.h"

#include <stdlib.h>

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

/* Of `count` numbers in so many runs, those that are alike modulo `cells`, at most. */
static uint64_t most_alike(uint64_t count, uint32_t runs, uint64_t cells)
{
    return runs * ((count / runs + cells - 1) / cells);
}

/* M(k) for the 2^k tiles from which messages have come together: first seats, and second seats of
 * the last row, of the last column, and of both. */
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

/* ---- choices ---- */

struct seat_choices {
    struct tessellation tiles;
    struct seats seats;
};

/* All tiles at once; the messages of a tile move together. */
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
