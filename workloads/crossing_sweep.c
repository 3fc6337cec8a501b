/* crossing_sweep.c - all rectangles of a grid: the numbers of messages that enter and leave each.
 *
 * The mesh is cut into cells of a grid. A strip is the cells of rows top .. bottom; an interval
 * [x0, x1] of columns makes it a rectangle.
 *
 * Method: for each top the strip grows row by row, and f(x0, x1), the messages that enter, is kept
 * as its differences in x0 and x1. A message whose destinations in the strip have the columns M
 * hits the intervals with x0 in (p, c], x1 >= c for each c of M and its predecessor p. So a new
 * column c between neighbours p and s adds one to the intervals with x0 in (p, c] and x1 in [c, s):
 * four differences. Once the source's column is in the strip, intervals that hold it do not count:
 * their counts are subtracted when the source's row is added (before its destinations), and later
 * additions leave them out. M is a word of 64 bits, so p and s are bit scans. A message leaves the
 * rectangles that hold its source, except those that also hold the box around its destinations: a
 * quadrant of intervals less a quadrant of those. The first is added with the source's row, the
 * second subtracted with the last row of source and box. Two sums then give f for all intervals of
 * the strip; the maxima are kept by width.
 *
 * Cost: with a x b cells a / 2 updates of four differences for each (message, cell) pair, and a^2
 * b^2 / 2 additions in each direction; 4 bytes per pair.
 */
#include "workloads/crossing.h"

#include "base/numbers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the grid ----
 *
 * A sample as the cells see it: sources and destinations, row by row. */

enum { COLUMN_BITS = 6 };

/* A message: its source's cell, the box around its destinations, all in cells. */
struct track {
    uint8_t row, col, top, bottom, left, right;
};

/* Numbers by rows of cells: those of row r are item[first[r]] .. item[first[r + 1] - 1]. They are
 * sorted by counting: all are put twice, and the list is opened in between. */
struct row_list {
    uint32_t *item, first[SWEEP_CELLS + 2];
};

static void row_list_put(struct row_list *list, uint32_t row, uint32_t item)
{
    if (list->item == NULL)
        list->first[row + 2]++;
    else
        list->item[list->first[row + 1]++] = item;
}

static bool row_list_open(struct row_list *list)
{
    for (uint32_t i = 1; i < SWEEP_CELLS + 2; i++)
        list->first[i] += list->first[i - 1];
    list->item = memory_allocate(list->first[SWEEP_CELLS + 1], sizeof *list->item);
    return list->item != NULL;
}

struct cell_place {
    uint32_t row, col;
};

struct crossing_grid {
    const struct message_set *sample;
    struct cells row, col;
    struct track *track;     /* [messages] */
    struct row_list events;  /* message << COLUMN_BITS | column, per cell with destinations */
    struct row_list opening; /* messages by the row of the source */
    struct row_list closing; /* messages by the last row of source and box */
};

/* Cuts a side: cells are nodes, or 32 along a side that is longer than 64. */
static void cut_side(struct cells *cells, uint32_t length)
{
    cells_make(cells, length, length <= SWEEP_CELLS ? length : SWEEP_CELLS / 2);
}

/* Returns the row and the column of cells of a node. */
static struct cell_place cell_at(const struct crossing_grid *grid, node_index node)
{
    uint32_t row = node / grid->sample->mesh.cols;
    return (struct cell_place){
        cell_of(&grid->row, row),
        cell_of(&grid->col, node - row * grid->sample->mesh.cols),
    };
}

static void track_make(struct crossing_grid *grid, uint32_t message)
{
    const struct message_set *sample = grid->sample;
    struct cell_place source = cell_at(grid, sample->source[message]);
    struct track track = {.row = (uint8_t)source.row,
                          .col = (uint8_t)source.col,
                          .top = SWEEP_CELLS,
                          .left = SWEEP_CELLS};
    for (uint64_t j = sample->offset[message]; j < sample->offset[message + 1]; j++) {
        struct cell_place cell = cell_at(grid, sample->destination[j]);
        uint8_t row = (uint8_t)cell.row, col = (uint8_t)cell.col;
        track.top = row < track.top ? row : track.top;
        track.bottom = row > track.bottom ? row : track.bottom;
        track.left = col < track.left ? col : track.left;
        track.right = col > track.right ? col : track.right;
    }
    grid->track[message] = track;
}

/* Puts a message into the lists. Its destinations ascend, so those of a row of cells are
 * contiguous. */
static void put_message(struct crossing_grid *grid, uint32_t message)
{
    const struct message_set *sample = grid->sample;
    const struct track *track = &grid->track[message];
    uint64_t columns = 0;
    uint32_t before = SWEEP_CELLS;
    row_list_put(&grid->opening, track->row, message);
    row_list_put(&grid->closing, max_u32(track->bottom, track->row), message);
    for (uint64_t j = sample->offset[message]; j < sample->offset[message + 1]; j++) {
        struct cell_place cell = cell_at(grid, sample->destination[j]);
        columns = cell.row == before ? columns : 0;
        before = cell.row;
        if (!(columns >> cell.col & 1))
            row_list_put(&grid->events, cell.row, message << COLUMN_BITS | cell.col);
        columns |= UINT64_C(1) << cell.col;
    }
}

/* Fills a zeroed grid. False: no memory. crossing_grid_free() when done, in either case; the sample
 * must outlive it. */
static bool crossing_grid_make(struct crossing_grid *grid, const struct message_set *sample)
{
    grid->sample = sample;
    cut_side(&grid->row, sample->mesh.rows);
    cut_side(&grid->col, sample->mesh.cols);
    grid->track = memory_allocate(sample->messages, sizeof *grid->track);
    if (grid->track == NULL)
        return false;
    for (uint32_t i = 0; i < sample->messages; i++) {
        track_make(grid, i);
        put_message(grid, i);
    }
    if (!row_list_open(&grid->events) || !row_list_open(&grid->opening) ||
        !row_list_open(&grid->closing))
        return false;
    for (uint32_t i = 0; i < sample->messages; i++)
        put_message(grid, i);
    return true;
}

static void crossing_grid_free(struct crossing_grid *grid)
{
    free(grid->track);
    free(grid->events.item);
    free(grid->opening.item);
    free(grid->closing.item);
}

enum {
    CELLS = SWEEP_CELLS,
    WIDE = CELLS + 1,   /* a line of differences */
    MESSAGES = 1 << 24, /* per sample, at most: a count and a column are one signed word */
};

struct found {
    struct crossing crossing;
    uint32_t messages, links;
};

struct sweep {
    struct crossing_grid grid;
    uint64_t *columns; /* [messages]: M in the rows that are in the differences */
    int32_t enter[WIDE][WIDE], leave[WIDE][WIDE];      /* differences: [x0][x1] */
    struct found found[2][SWEEP_SCALES][SWEEP_SCALES]; /* [enters]; messages = 0: none yet */
};

static bool sweep_open(struct sweep *sweep, const struct message_set *sample)
{
    sweep->columns = memory_allocate(sample->messages, sizeof *sweep->columns);
    return sweep->columns != NULL && crossing_grid_make(&sweep->grid, sample);
}

static void sweep_close(struct sweep *sweep)
{
    crossing_grid_free(&sweep->grid);
    free(sweep->columns);
    free(sweep);
}

/* ---- the differences grow by a row ---- */

/* Adds to f(x0, x1) for a0 <= x0 <= a1, b0 <= x1 <= b1. */
static inline void add_range(int32_t line[WIDE][WIDE], int32_t value, uint32_t a0, uint32_t a1,
                             uint32_t b0, uint32_t b1)
{
    line[a0][b0] += value;
    line[a0][b1 + 1] -= value;
    line[a1 + 1][b0] -= value;
    line[a1 + 1][b1 + 1] += value;
}

/* Adds a source to the strip: intervals that hold its column and hit M no longer count. */
static void add_source(struct sweep *sweep, uint32_t message)
{
    uint32_t last = sweep->grid.col.count - 1, col = sweep->grid.track[message].col;
    uint64_t columns = sweep->columns[message];
    uint64_t upto = columns & (UINT64_MAX >> (63 - col)),
             beyond = columns & ~(UINT64_MAX >> (63 - col));
    uint32_t hit = 0; /* the intervals from before here hit a column up to the source's */
    if (upto != 0) {
        hit = 64 - (uint32_t)__builtin_clzll(upto);
        add_range(sweep->enter, -1, 0, hit - 1, col, last);
    }
    if (beyond != 0 && hit <= col)
        add_range(sweep->enter, -1, hit, col, (uint32_t)__builtin_ctzll(beyond), last);
}

/* Adds a destination to the strip. `top`: the strip's first row; `row`: the new one. */
static void add_destination(struct sweep *sweep, uint32_t event, uint32_t top, uint32_t row)
{
    uint32_t message = event >> COLUMN_BITS, col = event & (CELLS - 1);
    const struct track *track = &sweep->grid.track[message];
    uint64_t columns = sweep->columns[message], bit = UINT64_C(1) << col;
    if (columns & bit)
        return;
    uint64_t below = columns & (bit - 1), above = columns & ~(bit - 1);
    uint32_t from = below == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(below);
    uint32_t to = (above == 0 ? sweep->grid.col.count : (uint32_t)__builtin_ctzll(above)) - 1;
    sweep->columns[message] = columns | bit;
    if (track->row >= top && track->row <= row) {
        if (track->col == col)
            return;
        if (track->col < col)
            from = track->col + 1u > from ? track->col + 1u : from;
        else
            to = track->col - 1u < to ? track->col - 1u : to;
    }
    add_range(sweep->enter, 1, from, col, col, to);
}

static void grow(struct sweep *sweep, uint32_t top, uint32_t row)
{
    const struct crossing_grid *grid = &sweep->grid;
    uint32_t last = grid->col.count - 1;
    for (uint32_t i = grid->opening.first[row]; i < grid->opening.first[row + 1]; i++) {
        uint32_t message = grid->opening.item[i], col = grid->track[message].col;
        add_range(sweep->leave, 1, 0, col, col, last);
        add_source(sweep, message);
    }
    for (uint32_t i = grid->events.first[row]; i < grid->events.first[row + 1]; i++)
        add_destination(sweep, grid->events.item[i], top, row);
    for (uint32_t i = grid->closing.first[row]; i < grid->closing.first[row + 1]; i++) {
        const struct track *track = &grid->track[grid->closing.item[i]];
        if (track->row >= top && track->top >= top)
            add_range(sweep->leave, -1, 0, min_u32(track->col, track->left),
                      max_u32(track->col, track->right), last);
    }
}

/* ---- the maxima of a strip ---- */

static inline uint32_t scale_of(uint32_t length)
{
    return 31 - (uint32_t)__builtin_clz(length);
}

/* A strip of cells top .. bottom, and the common part of its rectangles. */
struct strip {
    uint32_t top, bottom, height, scale;
    uint32_t open_rows; /* its sides above and below that are not the mesh's edge */
    bool enters;
};

static struct strip strip_of(const struct sweep *sweep, uint32_t top, uint32_t bottom)
{
    const uint32_t *cut = sweep->grid.row.cut;
    return (struct strip){.top = top,
                          .bottom = bottom,
                          .height = cut[bottom + 1] - cut[top],
                          .scale = scale_of(bottom - top + 1),
                          .open_rows = (top > 0) + (bottom + 1 < sweep->grid.row.count)};
}

/* Keeps the strip's rectangle of columns x0 .. x1 if it is the best of its scale. */
static inline void consider(struct sweep *sweep, const struct strip *strip, uint32_t x0,
                            uint32_t x1, uint32_t messages)
{
    const uint32_t *cut = sweep->grid.col.cut;
    uint32_t width = cut[x1 + 1] - cut[x0];
    uint32_t links =
        strip->open_rows * width + strip->height * ((x0 > 0) + (x1 + 1 < sweep->grid.col.count));
    struct found *best = &sweep->found[strip->enters][strip->scale][scale_of(x1 - x0 + 1)];
    if (links == 0 || (uint64_t)messages * best->links <= (uint64_t)best->messages * links)
        return;
    struct rectangle rectangle = {sweep->grid.row.cut[strip->top], cut[x0], strip->height, width};
    *best = (struct found){{rectangle, strip->enters}, messages, links};
}

/* Sums a strip's differences, and considers the most of each width: at the first column, at the
 * last, and among the intervals between, which have as many links. */
static void examine(struct sweep *sweep, const struct strip *strip)
{
    int32_t(*line)[WIDE] = strip->enters ? sweep->enter : sweep->leave;
    uint32_t width = sweep->grid.col.count;
    int32_t sum[CELLS] = {0}, value[CELLS], first[CELLS], last[CELLS];
    int32_t most[CELLS] = {0}; /* f << COLUMN_BITS | x0 */
    for (uint32_t x0 = 0; x0 < width; x0++) {
        int32_t total = 0;
        for (uint32_t x1 = 0; x1 < width; x1++)
            sum[x1] += line[x0][x1];
        for (uint32_t x1 = x0; x1 < width; x1++)
            value[x1 - x0] = (total += sum[x1]) << COLUMN_BITS | (int32_t)x0;
        for (uint32_t w = 0; w + x0 + 1 < width && x0 > 0; w++)
            most[w] = value[w] > most[w] ? value[w] : most[w];
        if (x0 == 0)
            memcpy(first, value, sizeof first);
        last[x0] = value[width - 1 - x0];
    }
    consider(sweep, strip, 0, width - 1,
             (uint32_t)first[width - 1] >> COLUMN_BITS); /* of equal ones the widest */
    for (uint32_t w = 0; w + 1 < width; w++)
        consider(sweep, strip, 0, w, (uint32_t)first[w] >> COLUMN_BITS);
    for (uint32_t x0 = 1; x0 < width; x0++)
        consider(sweep, strip, x0, width - 1, (uint32_t)last[x0] >> COLUMN_BITS);
    for (uint32_t w = 0; w + 2 < width; w++) {
        uint32_t x0 = (uint32_t)most[w] & (CELLS - 1);
        consider(sweep, strip, x0, x0 + w, (uint32_t)most[w] >> COLUMN_BITS);
    }
}

static void sweep_strips(struct sweep *sweep)
{
    for (uint32_t top = 0; top < sweep->grid.row.count; top++) {
        memset(sweep->columns, 0, sweep->grid.sample->messages * sizeof *sweep->columns);
        memset(sweep->enter, 0, sizeof sweep->enter);
        memset(sweep->leave, 0, sizeof sweep->leave);
        for (uint32_t bottom = top; bottom < sweep->grid.row.count; bottom++) {
            struct strip strip = strip_of(sweep, top, bottom);
            grow(sweep, top, bottom);
            examine(sweep, &strip);
            strip.enters = true;
            examine(sweep, &strip);
        }
    }
}

/* ---- the best of all ---- */

/* Compares: more messages per link first; then in their order, so that the result is the same
 * everywhere. */
static int more_a_link(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    uint64_t of_x = (uint64_t)x->messages * y->links, of_y = (uint64_t)y->messages * x->links;
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    return memcmp(&x->crossing, &y->crossing, sizeof x->crossing);
}

enum failure_kind crossing_sweep(const struct message_set *sample,
                                 struct crossing found[SWEEP_FOUND], uint32_t *count,
                                 struct failure *failure)
{
    struct sweep *sweep = memory_allocate(1, sizeof *sweep);
    *count = 0;
    assert(sample->messages < MESSAGES);
    if (sweep == NULL)
        return fail_memory(failure, "the lower bounds");
    if (!sweep_open(sweep, sample)) {
        sweep_close(sweep);
        return fail_memory(failure, "the lower bounds");
    }
    struct found *all = &sweep->found[0][0][0];
    for (uint32_t i = 0; i < SWEEP_FOUND; i++)
        all[i].links = 1;
    sweep_strips(sweep);
    qsort(all, SWEEP_FOUND, sizeof *all, more_a_link);
    while (*count < SWEEP_FOUND && all[*count].messages != 0) {
        found[*count] = all[*count].crossing;
        ++*count;
    }
    sweep_close(sweep);
    return FAIL_NONE;
}
