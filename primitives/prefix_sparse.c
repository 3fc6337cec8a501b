/* prefix_sparse.c - prefix computations in snake order in which few nodes put something in.
 *
 * The words and steps of prefix.c without totals. A word that meets no entry goes on unchanged, so
 * the words that a row moves between entries in a step are forwarded together (word_pass). Only
 * nodes that act are visited: those with an entry of the computation whose word arrives now, the
 * ends of the row, and its middle.
 *   The word of computation i is at distance p from the row's end at time p + i of the row's clock,
 * on the way inward, and as far from the middle at time p + i after that. So the entries of a row
 * of a tile are sorted by these times, once for each way, and acted on in this order; at equal
 * times from west to east. The middle's, where both ways meet, are on the way outward only. The
 * sort is a counting sort for each row of a tile and each way: O(1) per entry, and O(1) per time of
 * a row of a tile, half its width and the number of computations.
 *
 * Steps: those of prefix_snake.
 * Source: Proposition 1.
 * Cost: 8 bytes per entry and 24 per row of a tile; time for entries, and words are copied.
 */
#include "primitives/prefix_sparse.h"

#include "base/parallel.h"
#include "machine/word.h"

#include <stdlib.h>
#include <string.h>

/* ---- entries in the order in which their words arrive ---- */

enum way { INWARD, OUTWARD, WAYS };

/* The place of a row of a tile in its entries: positions among the row's, whose order[way] at these
 * positions name the entries in the order of their times. */
struct progress {
    uint32_t next, end;
    uint32_t time; /* of the next one; UINT32_MAX: none */
};

struct sparse {
    const struct tessellation *tessellation;
    const struct prefix_list *list;
    struct prefix_operator operation;
    struct progress (*progress)[WAYS]; /* [row][tile column] */
    struct row_range rows;             /* of the machine */
    uint32_t tiles, cols;              /* tile columns; columns of the mesh */
    uint32_t times;                    /* of a way at most */
    uint32_t *at;                      /* [thread][times]: for sorting */
};

/* A row of one tile. */
struct tile_row {
    uint32_t row, first_col, width;
    uint32_t west, east; /* nodes on either side of the middle: as many, or one more in the east */
    uint32_t y, height;  /* row `y` of the tile's `height` rows */
    bool runs_east;
    struct prefix_entry *entry; /* of the mesh's row */
    struct progress *progress;  /* [way] */
};

static struct tile_row sparse_tile_row(const struct sparse *sparse, uint32_t row, uint32_t across)
{
    const struct axis *rows = &sparse->tessellation->row, *cols = &sparse->tessellation->col;
    uint32_t first = cols->cut[across], width = cols->cut[across + 1] - first;
    uint32_t down = rows->tile[row], y = row - rows->cut[down];
    return (struct tile_row){.row = row,
                             .first_col = first,
                             .width = width,
                             .west = (width - 1) / 2,
                             .east = width / 2,
                             .y = y,
                             .height = rows->cut[down + 1] - rows->cut[down],
                             .runs_east = y % 2 == 0,
                             .entry = sparse->list->row[row].entry,
                             .progress = sparse->progress[(size_t)row * sparse->tiles + across]};
}

static struct site sparse_site(const struct sparse *sparse, const struct tile_row *tile, uint32_t x)
{
    uint32_t col = tile->first_col + x;
    return (struct site){tile->row * sparse->cols + col, tile->row, col};
}

static uint32_t sparse_x(const struct sparse *sparse, const struct tile_row *tile,
                         const struct prefix_entry *entry)
{
    return entry->node - tile->row * sparse->cols - tile->first_col;
}

/* Returns the next entry on the way, if its word arrives at `time`; else NULL. */
static struct prefix_entry *sparse_due(const struct tile_row *tile, enum way way, uint32_t time)
{
    const struct progress *progress = &tile->progress[way];
    return progress->time == time ? &tile->entry[tile->entry[progress->next].order[way]] : NULL;
}

/* Returns the time when the entry's word passes its node: steps after the row begins, or after its
 * middle has the first word. UINT32_MAX: inward, in the middle. */
static uint32_t entry_time(const struct sparse *sparse, const struct tile_row *tile,
                           const struct prefix_entry *entry, enum way way)
{
    uint32_t x = sparse_x(sparse, tile, entry);
    if (way == OUTWARD)
        return entry->item + (x < tile->west ? tile->west - x : x - tile->west);
    if (x == tile->west)
        return UINT32_MAX;
    return entry->item + (x < tile->west ? tile->east - tile->west + x : tile->width - 1 - x);
}

static void look_at_next(const struct sparse *sparse, const struct tile_row *tile, enum way way)
{
    struct progress *progress = &tile->progress[way];
    progress->time = UINT32_MAX;
    if (progress->next < progress->end)
        progress->time =
            entry_time(sparse, tile, &tile->entry[tile->entry[progress->next].order[way]], way);
}

/* Goes on to the next entry, after one has acted. */
static void sparse_advance(const struct sparse *sparse, const struct tile_row *tile, enum way way)
{
    tile->progress[way].next++;
    look_at_next(sparse, tile, way);
}

/* The tile's entries first .. end-1. */
struct span {
    uint32_t first, end;
};

static void sort_entries(const struct sparse *sparse, const struct tile_row *tile, uint32_t *at,
                         struct span span, enum way way)
{
    struct prefix_entry *entry = tile->entry;
    uint32_t before = span.first;
    memset(at, 0, sparse->times * sizeof *at);
    for (uint32_t i = span.first; i < span.end; i++) {
        uint32_t time = entry_time(sparse, tile, &entry[i], way);
        if (time != UINT32_MAX)
            at[time]++;
    }
    for (uint32_t time = 0; time < sparse->times; time++) {
        uint32_t count = at[time];
        at[time] = before;
        before += count;
    }
    for (uint32_t i = span.first; i < span.end; i++) {
        uint32_t time = entry_time(sparse, tile, &entry[i], way);
        if (time != UINT32_MAX)
            entry[at[time]++].order[way] = i;
    }
    tile->progress[way].next = span.first;
    tile->progress[way].end = before;
    look_at_next(sparse, tile, way);
}

static void sort_row(const struct sparse *sparse, uint32_t row, uint32_t *at)
{
    const struct prefix_row *list = &sparse->list->row[row];
    struct span span = {0, 0};
    for (uint32_t across = 0; across < sparse->tiles; across++, span.first = span.end) {
        struct tile_row tile = sparse_tile_row(sparse, row, across);
        node_index behind = row * sparse->cols + tile.first_col + tile.width;
        while (span.end < list->count && list->entry[span.end].node < behind)
            span.end++;
        for (enum way way = INWARD; way < WAYS; way++)
            if (span.first < span.end)
                sort_entries(sparse, &tile, at, span, way);
            else
                tile.progress[way] = (struct progress){.time = UINT32_MAX};
    }
}

static void sort_rows(void *context, const struct team *team)
{
    const struct sparse *sparse = context;
    uint32_t rows = sparse->rows.end - sparse->rows.first;
    uint32_t end = parallel_band_start(rows, team->rank + 1, team->size);
    for (uint32_t i = parallel_band_start(rows, team->rank, team->size); i < end; i++)
        sort_row(sparse, sparse->rows.first + i, sparse->at + (size_t)team->rank * sparse->times);
}

/* Puts all entries of the machine's rows in order. */
static void sparse_sort(struct sparse *sparse, uint32_t threads)
{
    parallel_run(threads, sort_rows, sparse);
}

/* ---- acts of nodes ---- */

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

/* Returns the node at the row's end on this side. */
static uint32_t end_x(const struct move *move)
{
    return move->side == WEST ? 0 : move->tile->width - 1;
}

/* Acts at a node with an entry, when its word arrives. Inward it keeps the word that passed if that
 * precedes it; outward it finds its prefix. */
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

/* Acts in the middle: the row's parts meet, the row is added to the word that comes along the
 * column, and its base goes outward. */
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

/* Passes words through the nodes first .. end-1, none with an entry: the row's end begins the way
 * inward with nothing, and ends the way outward. */
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

/* Passes words through the nodes first .. end-1. */
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

/* Does a step on one side of the middle: words are at the k-th node of their way, least <= k <=
 * most. */
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
