/* prefix_sparse.c - prefix computations in snake order in which few nodes put something in.
 *
 * The words and steps of prefix.c without totals. A word that meets no entry goes on as it came, so
 * of all words that a row moves in a step those between entries pass on together (word_pass), and
 * only nodes that act are visited: those with an entry of the computation whose word comes now
 * (prefix_entries.h), the ends of the row, and its middle.
 *
 * Steps: those of prefix_snake. Source: Proposition 1.
 * Cost: 8 bytes an entry and 24 a row of a tile; time for entries, and words are copied.
 */
#include "primitives/prefix_sparse.h"

#include "machine/word.h"
#include "primitives/prefix_entries.h"

#include <stdlib.h>

/* ---- what nodes do ---- */

/* Words on one side of the middle, on one of the ways. */
struct move {
    const struct sparse *sparse;
    struct word_port *port;
    const struct tile_row *tile;
    enum way way;
    enum direction side; /* of the middle */
    uint32_t time;       /* on this way */
};

static uint64_t received(const struct sparse *sparse, const struct word_port *port,
                         struct site site, enum direction side)
{
    struct word word = {(int64_t)sparse->operation.identity, 0};
    word_received(port, site, side, &word);
    return (uint64_t)word.value;
}

static void send(struct word_port *port, struct site site, enum direction side, uint64_t value)
{
    word_send(port, site, side, (struct word){(int64_t)value, 0});
}

static enum direction goes_to(const struct move *move)
{
    return move->way == INWARD ? direction_opposite(move->side) : move->side;
}

/* The node at the row's end on this side. */
static uint32_t end_x(const struct move *move)
{
    return move->side == WEST ? 0 : move->tile->width - 1;
}

/* A node with an entry, when its word comes. Inward it keeps what passed it if that stands before
 * it; outward it finds its prefix. */
static void act(const struct move *move, struct prefix_entry *entry, uint32_t x)
{
    const struct sparse *sparse = move->sparse;
    struct site site = sparse_site(sparse, move->tile, x);
    enum direction to = goes_to(move);
    bool is_end = x == end_x(move), is_behind = (move->side == EAST) == move->tile->runs_east;
    uint64_t own = entry->value, came = sparse->operation.identity, goes;
    if (move->way == OUTWARD || !is_end)
        came = received(sparse, move->port, site, direction_opposite(to));
    if (move->way == INWARD) {
        goes =
            is_behind ? sparse->operation.combine(own, came) : sparse->operation.combine(came, own);
        entry->value = is_behind ? own : came;
    } else {
        uint64_t with_own = sparse->operation.combine(came, own);
        goes = is_behind ? with_own : came;
        entry->value = is_behind ? came : with_own;
    }
    if (move->way == INWARD || !is_end)
        send(move->port, site, to, goes);
}

/* The middle: the row's parts meet, the row is added to what comes along the column, and its base
 * goes outward. */
static void turn(const struct sparse *sparse, struct word_port *port, const struct tile_row *tile,
                 struct prefix_entry *entry)
{
    const struct prefix_operator *operation = &sparse->operation;
    struct site site = sparse_site(sparse, tile, tile->west);
    uint64_t part[2] = {operation->identity, operation->identity}; /* west, east */
    uint64_t base = operation->identity;
    if (tile->west > 0)
        part[0] = received(sparse, port, site, WEST);
    if (tile->east > 0)
        part[1] = received(sparse, port, site, EAST);
    if (tile->y > 0)
        base = received(sparse, port, site, NORTH);
    uint64_t here = operation->combine(base, part[!tile->runs_east]), behind = here;
    if (entry != NULL) {
        behind = operation->combine(here, entry->value);
        entry->value = here;
    }
    if (tile->y + 1 < tile->height)
        send(port, site, SOUTH, operation->combine(behind, part[tile->runs_east]));
    if (tile->west > 0)
        send(port, site, WEST, tile->runs_east ? base : behind);
    if (tile->east > 0)
        send(port, site, EAST, tile->runs_east ? behind : base);
}

/* ---- a step of a row of a tile ---- */

/* The nodes first .. end-1, none with an entry: the row's end begins the way inward with nothing,
 * and ends the way outward. */
static void pass(const struct move *move, uint32_t first, uint32_t end)
{
    uint32_t last = end_x(move);
    if (first >= end)
        return;
    if (last == first || last == end - 1) {
        struct site site = sparse_site(move->sparse, move->tile, last);
        if (move->way == INWARD)
            send(move->port, site, goes_to(move), move->sparse->operation.identity);
        if (last == first)
            first++;
        else
            end--;
    }
    word_pass(move->port, sparse_site(move->sparse, move->tile, first), end - first, goes_to(move));
}

/* The nodes first .. end-1. */
static void go_on(const struct move *move, uint32_t first, uint32_t end)
{
    struct prefix_entry *entry;
    while ((entry = sparse_due(move->tile, move->way, move->time)) != NULL) {
        uint32_t x = sparse_x(move->sparse, move->tile, entry);
        if (x >= end)
            break;
        pass(move, first, x);
        act(move, entry, x);
        first = x + 1;
        sparse_advance(move->sparse, move->tile, move->way);
    }
    pass(move, first, end);
}

/* One side of the middle: words are at the k-th node of their way, least <= k <= most. */
static void side_step(const struct sparse *sparse, struct word_port *port,
                      const struct tile_row *tile, enum way way, enum direction side, uint32_t time)
{
    struct move move = {sparse, port, tile, way, side, time};
    uint32_t nodes = side == WEST ? tile->west : tile->east, count = sparse->list->count;
    uint32_t newest = way == INWARD && side == WEST ? tile->east - tile->west : way == OUTWARD;
    if (time < newest || nodes == 0)
        return;
    newest = time - newest;
    uint32_t least = newest < count ? 0 : newest - count + 1;
    uint32_t most = newest < nodes ? newest : nodes - 1;
    if (least > most)
        return;
    if ((side == WEST) == (way == INWARD)) {
        uint32_t from = side == WEST ? 0 : tile->west + 1;
        go_on(&move, from + least, from + most + 1);
    } else {
        uint32_t end = side == WEST ? tile->west : tile->width;
        go_on(&move, end - 1 - most, end - least);
    }
}

static void act_in_middle(const struct sparse *sparse, struct word_port *port,
                          const struct tile_row *tile, uint32_t time)
{
    struct prefix_entry *entry = sparse_due(tile, OUTWARD, time);
    if (entry != NULL && sparse_x(sparse, tile, entry) != tile->west)
        entry = NULL;
    turn(sparse, port, tile, entry);
    if (entry != NULL)
        sparse_advance(sparse, tile, OUTWARD);
}

static void act_on_row(void *context, struct word_port *port, uint32_t row, uint64_t step)
{
    const struct sparse *sparse = context;
    const struct axis *rows = &sparse->tessellation->row;
    uint32_t y = row - rows->cut[rows->tile[row]], count = sparse->list->count;
    if (step <= y)
        return;
    uint64_t time = step - 1 - y;
    for (uint32_t across = 0; across < sparse->tiles; across++) {
        struct tile_row tile = sparse_tile_row(sparse, row, across);
        uint32_t arm = tile.east;
        if (time >= 2ull * arm + count)
            continue;
        if (time < (uint64_t)arm + count) {
            side_step(sparse, port, &tile, INWARD, WEST, (uint32_t)time);
            side_step(sparse, port, &tile, INWARD, EAST, (uint32_t)time);
        }
        if (time < arm)
            continue;
        uint32_t since = (uint32_t)time - arm;
        side_step(sparse, port, &tile, OUTWARD, WEST, since);
        if (since < count)
            act_in_middle(sparse, port, &tile, since);
        side_step(sparse, port, &tile, OUTWARD, EAST, since);
    }
}

/* ---- the kernel ---- */

enum failure_kind prefix_sparse(struct machine *machine, const struct tessellation *tessellation,
                                const struct prefix_list *list, struct failure *failure)
{
    uint32_t threads = machine_config(machine)->threads, rows = tessellation->row.length;
    uint32_t width = axis_longest(&tessellation->col);
    struct sparse sparse = {.tessellation = tessellation,
                            .list = list,
                            .operation = *list->operation,
                            .rows = machine_rows(machine),
                            .tiles = axis_intervals(&tessellation->col),
                            .cols = tessellation->col.length,
                            .times = width / 2 + list->count};
    sparse.progress = memory_allocate((size_t)rows * sparse.tiles, sizeof *sparse.progress);
    sparse.at = memory_allocate((size_t)threads * sparse.times, sizeof *sparse.at);
    enum failure_kind kind = FAIL_NONE;
    if (sparse.progress == NULL || sparse.at == NULL)
        kind = fail_memory(failure, "a prefix computation");
    if (kind == FAIL_NONE)
        kind = machine_prepare_words(machine, failure);
    if (kind == FAIL_NONE) {
        uint64_t steps = prefix_snake_steps(tessellation, list->count, false);
        sparse_sort(&sparse, threads);
        kind = machine_word_steps(machine, steps, act_on_row, &sparse, failure);
        machine_word_read(machine, steps + 1, act_on_row, &sparse);
    }
    free(sparse.progress);
    free(sparse.at);
    return kind;
}
