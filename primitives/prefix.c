/* prefix.c - prefix computations in snake order, pipelined (Proposition 1; Leighton 1992, section
 * 1.2).
 *
 * In each tile the rows combine inward, from both ends to the tile's middle column; the middle
 * column scans the rows downward; each row's base, the combination of everything before the row,
 * goes back outward. A node before the middle in its row's direction keeps the word that passed it
 * on the way inward: the items before it in its row, which with the base make the prefix. A node
 * after the middle keeps nothing: on the way outward it takes the word that arrives and forwards it
 * with its own item added. So no inverse is needed, and an item is replaced by its prefix in place.
 * With totals the lower half of the middle column combines upward at the same time, the centre
 * knows the total first, and base and total go out together: along the middle column from the
 * centre both ways, and from it along the rows.
 *   No link carries two words in a step: a directed link of a row carries words inward or outward,
 * never both; one of the middle column belongs to one of scan, combination and way out; and item i
 * + 1 follows item i one step later everywhere. Row y starts y steps late (in the lower half, with
 * totals, as many as there are rows below), so its parts meet in the middle when its base arrives,
 * and nothing waits there.
 *
 * Steps, a = floor(w / 2), e = floor(h / 2), t items: rows inward a, column h - 1 (with totals e
 * and e back), rows outward a, t - 1 for the pipeline. The acts of all nodes follow from the sizes.
 * Cost: a word per item at a node that takes part; with totals four, three of them in the middle
 * column only, where up to 2 e items are under way.
 */
#include "primitives/prefix.h"
#include "base/numbers.h"
#include "machine/word.h"

#include <stdlib.h>

/* The words that a node of a tile's middle column keeps of its row for one item. */
struct middle {
    uint64_t before, after; /* the row's parts on either side of it, in the row's direction */
    uint64_t base;          /* combination of everything before the row */
};

struct prefix {
    struct machine *machine;
    const struct tessellation *tessellation;
    const struct prefix_items *items;
    struct prefix_operator operation;
    struct middle *kept; /* with totals: [row][tile column][item] */
    size_t nodes;
};

/* A row of one tile. Times count from the row's own start for the item. */
struct tile_row {
    uint32_t row, first_col, width;
    uint32_t y, height;    /* row `y` of the tile's `height` rows */
    uint32_t middle;       /* column of the tile */
    uint32_t arm;          /* the longer half of the row; the parts meet at this time */
    uint32_t delay, out;   /* the row starts `delay` steps late, and sends outward at time `out` */
    bool runs_east, scans; /* scans: its combination goes down, not up */
    enum direction end_side; /* end of the row: EAST if it runs east */
    struct middle *kept;     /* [item], NULL without totals */
};

static uint64_t add(uint64_t before, uint64_t after)
{
    return before + after;
}

const struct prefix_operator prefix_sum = {0, add};
const struct prefix_operator prefix_max = {0, max_u64};

/* ---- a node ---- */

static struct site site_at(const struct prefix *prefix, const struct tile_row *tile, uint32_t x)
{
    uint32_t col = tile->first_col + x;
    return (struct site){tile->row * prefix->tessellation->col.length + col, tile->row, col};
}

/* Returns the place of the node's item. */
static uint64_t *item_of(const struct prefix *prefix, uint32_t item, struct site site)
{
    return &prefix->items->value[item * prefix->nodes + site.index];
}

static void keep_total(const struct prefix *prefix, uint32_t item, struct site site, uint64_t total)
{
    if (prefix->items->total != NULL)
        prefix->items->total[item * prefix->nodes + site.index] = total;
}

static struct word received(const struct prefix *prefix, const struct word_port *port,
                            struct site site, enum direction side)
{
    struct word word = {(int64_t)prefix->operation.identity, 0};
    word_received(port, site, side, &word);
    return word;
}

static uint64_t combine(const struct prefix *prefix, uint64_t before, uint64_t after)
{
    return prefix->operation.combine(before, after);
}

/* ---- a row ---- */

/* Rows inward: the node at distance `position` from the row's end on `side` adds its item. */
static void send_inward(struct prefix *prefix, struct word_port *port, const struct tile_row *tile,
                        uint32_t item, enum direction side, uint32_t position)
{
    struct site site = site_at(prefix, tile, side == WEST ? position : tile->width - 1 - position);
    uint64_t passed = prefix->operation.identity;
    if (position > 0)
        passed = (uint64_t)received(prefix, port, site, side).value;
    uint64_t *own = item_of(prefix, item, site), sum;
    if (side == tile->end_side) {
        sum = combine(prefix, *own, passed);
    } else {
        sum = combine(prefix, passed, *own);
        *own = passed;
    }
    word_send(port, site, direction_opposite(side), (struct word){(int64_t)sum, 0});
}

/* Rows outward: the node at `distance` from the middle towards `side` finds its prefix. */
static void send_outward(struct prefix *prefix, struct word_port *port, const struct tile_row *tile,
                         uint32_t item, enum direction side, uint32_t distance)
{
    struct site site =
        site_at(prefix, tile, side == EAST ? tile->middle + distance : tile->middle - distance);
    uint32_t reach = side == EAST ? tile->width - 1 - tile->middle : tile->middle;
    struct word word = received(prefix, port, site, direction_opposite(side));
    uint64_t *own = item_of(prefix, item, site), base = (uint64_t)word.value;
    if (side == tile->end_side) {
        word.value = (int64_t)combine(prefix, base, *own);
        *own = base;
    } else {
        *own = combine(prefix, base, *own);
    }
    keep_total(prefix, item, site, (uint64_t)word.extra);
    if (distance < reach)
        word_send(port, site, side, word);
}

/* ---- the middle column ---- */

/* Combines the row's parts, and adds the row to the word that comes along the column, from above
 * where the column scans, from below in the lower half with totals. */
static void gather(struct prefix *prefix, struct word_port *port, const struct tile_row *tile,
                   uint32_t item, struct middle *middle)
{
    struct site site = site_at(prefix, tile, tile->middle);
    uint64_t part[2] = {prefix->operation.identity, prefix->operation.identity}; /* west, east */
    if (tile->middle > 0)
        part[0] = (uint64_t)received(prefix, port, site, WEST).value;
    if (tile->middle + 1 < tile->width)
        part[1] = (uint64_t)received(prefix, port, site, EAST).value;
    *middle =
        (struct middle){part[!tile->runs_east], part[tile->runs_east], prefix->operation.identity};
    uint64_t own = *item_of(prefix, item, site);
    uint64_t row = combine(prefix, combine(prefix, middle->before, own), middle->after);
    bool is_last = tile->y + 1 == tile->height;
    if (!tile->scans) {
        uint64_t below = prefix->operation.identity;
        if (!is_last)
            below = (uint64_t)received(prefix, port, site, SOUTH).value;
        word_send(port, site, NORTH, (struct word){(int64_t)combine(prefix, row, below), 0});
        return;
    }
    if (tile->y > 0)
        middle->base = (uint64_t)received(prefix, port, site, NORTH).value;
    bool is_centre = tile->kept != NULL && tile->y == (tile->height - 1) / 2;
    if (!is_last && !is_centre)
        word_send(port, site, SOUTH, (struct word){(int64_t)combine(prefix, middle->base, row), 0});
}

/* With totals: the centre combines both halves of the column, and sends the result to the rest.
 * Returns the total. */
static uint64_t pass_total(struct prefix *prefix, struct word_port *port,
                           const struct tile_row *tile, uint32_t item, struct middle *middle)
{
    struct site site = site_at(prefix, tile, tile->middle);
    uint32_t centre = (tile->height - 1) / 2;
    struct word from_north = received(prefix, port, site, NORTH);
    struct word from_south = received(prefix, port, site, SOUTH);
    if (!tile->scans)
        middle->base = (uint64_t)from_north.value;
    uint64_t end = combine(prefix, combine(prefix, middle->base, middle->before),
                           *item_of(prefix, item, site));
    end = combine(prefix, end, middle->after);
    uint64_t total = end;
    if (tile->y < centre)
        total = (uint64_t)from_south.extra;
    else if (tile->y > centre)
        total = (uint64_t)from_north.extra;
    else if (tile->height > 1)
        total = combine(prefix, end, (uint64_t)from_south.value);
    if (tile->y <= centre && tile->y > 0)
        word_send(port, site, NORTH, (struct word){0, (int64_t)total});
    if (tile->y >= centre && tile->y + 1 < tile->height)
        word_send(port, site, SOUTH, (struct word){(int64_t)end, (int64_t)total});
    return total;
}

/* Sends the row's base outward from the middle, where the node finds its prefix. */
static void release(struct prefix *prefix, struct word_port *port, const struct tile_row *tile,
                    uint32_t item, struct middle *middle)
{
    struct site site = site_at(prefix, tile, tile->middle);
    uint64_t total = 0;
    if (tile->kept != NULL)
        total = pass_total(prefix, port, tile, item, middle);
    uint64_t *own = item_of(prefix, item, site);
    uint64_t here = combine(prefix, middle->base, middle->before);
    uint64_t behind = combine(prefix, here, *own);
    *own = here;
    keep_total(prefix, item, site, total);
    uint64_t to_west = tile->runs_east ? middle->base : behind;
    uint64_t to_east = tile->runs_east ? behind : middle->base;
    if (tile->middle > 0)
        word_send(port, site, WEST, (struct word){(int64_t)to_west, (int64_t)total});
    if (tile->middle + 1 < tile->width)
        word_send(port, site, EAST, (struct word){(int64_t)to_east, (int64_t)total});
}

/* ---- a step ---- */

/* Does what the row does for one item at `time`. */
static void act(struct prefix *prefix, struct word_port *port, const struct tile_row *tile,
                uint32_t item, uint64_t time)
{
    uint32_t west = tile->middle, east = tile->width - 1 - tile->middle;
    if (time < tile->arm) {
        uint32_t late = tile->arm - west; /* the shorter half starts a step later */
        if (time >= late)
            send_inward(prefix, port, tile, item, WEST, (uint32_t)time - late);
        send_inward(prefix, port, tile, item, EAST, (uint32_t)time);
        return;
    }
    struct middle passing, *middle = tile->kept != NULL ? &tile->kept[item] : &passing;
    if (time == tile->arm)
        gather(prefix, port, tile, item, middle);
    if (time == tile->out)
        release(prefix, port, tile, item, middle);
    if (time <= tile->out)
        return;
    uint32_t distance = (uint32_t)time - tile->out;
    if (distance <= west)
        send_outward(prefix, port, tile, item, WEST, distance);
    if (distance <= east)
        send_outward(prefix, port, tile, item, EAST, distance);
}

static struct tile_row tile_row_at(const struct prefix *prefix, uint32_t row, uint32_t across)
{
    const struct axis *rows = &prefix->tessellation->row, *cols = &prefix->tessellation->col;
    uint32_t down = rows->tile[row], height = rows->cut[down + 1] - rows->cut[down];
    uint32_t width = cols->cut[across + 1] - cols->cut[across];
    uint32_t y = row - rows->cut[down], centre = (height - 1) / 2;
    struct tile_row tile = {.row = row,
                            .first_col = cols->cut[across],
                            .width = width,
                            .y = y,
                            .height = height,
                            .middle = (width - 1) / 2,
                            .arm = width / 2,
                            .delay = y,
                            .out = width / 2,
                            .runs_east = y % 2 == 0,
                            .scans = true,
                            .end_side = y % 2 == 0 ? EAST : WEST};
    if (prefix->kept == NULL)
        return tile;
    size_t index = (size_t)row * axis_intervals(cols) + across;
    tile.kept = prefix->kept + index * prefix->items->count;
    tile.scans = y <= centre;
    tile.delay = tile.scans ? y : height - 1 - y;
    /* the centre turns at time arm + floor(height / 2) of the first row's clock */
    tile.out += height / 2 + (tile.scans ? centre - y : y - centre) - tile.delay;
    return tile;
}

static void act_on_row(void *context, struct word_port *port, uint32_t row, uint64_t step)
{
    struct prefix *prefix = context;
    uint32_t tiles = axis_intervals(&prefix->tessellation->col);
    for (uint32_t across = 0; across < tiles; across++) {
        struct tile_row tile = tile_row_at(prefix, row, across);
        uint64_t since = (uint64_t)tile.delay + 1, last = (uint64_t)tile.out + tile.arm;
        if (step < since)
            continue;
        uint64_t time = step - since; /* of item 0 */
        for (uint64_t item = time > last ? time - last : 0;
             item < prefix->items->count && item <= time; item++)
            act(prefix, port, &tile, (uint32_t)item, time - item);
    }
}

/* ---- the kernel ---- */

uint64_t prefix_snake_steps(const struct tessellation *tessellation, uint32_t count,
                            bool has_totals)
{
    uint64_t arm = axis_longest(&tessellation->col) / 2;
    uint64_t height = axis_longest(&tessellation->row);
    uint64_t column = has_totals ? height / 2 * 2 : height - 1;
    return 2 * arm + column + count - 1;
}

enum failure_kind prefix_snake(struct machine *machine, const struct tessellation *tessellation,
                               const struct prefix_items *items, struct failure *failure)
{
    struct prefix prefix = {.machine = machine,
                            .tessellation = tessellation,
                            .items = items,
                            .operation = *items->operation,
                            .nodes = mesh_nodes(machine_config(machine)->mesh)};
    if (items->total != NULL) {
        size_t rows = (size_t)tessellation->row.length * axis_intervals(&tessellation->col);
        prefix.kept = memory_allocate(rows * items->count, sizeof *prefix.kept);
        if (prefix.kept == NULL)
            return fail_memory(failure, "a prefix computation");
    }
    enum failure_kind kind = machine_prepare_words(machine, failure);
    if (kind == FAIL_NONE) {
        uint64_t steps = prefix_snake_steps(tessellation, items->count, prefix.kept != NULL);
        kind = machine_word_steps(machine, steps, act_on_row, &prefix, failure);
        machine_word_read(machine, steps + 1, act_on_row, &prefix);
    }
    free(prefix.kept);
    return kind;
}

node_place snake_place(struct interval rows, struct interval cols, uint64_t rank)
{
    uint32_t width = interval_length(cols);
    uint32_t y = (uint32_t)(rank / width), x = (uint32_t)(rank % width);
    return place_of(rows.start + y, y % 2 == 0 ? cols.start + x : cols.end - 1 - x);
}
