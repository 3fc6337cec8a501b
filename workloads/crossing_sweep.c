/* crossing_sweep.c - all rectangles of a grid: how many messages enter each, and leave.
 *
 * The mesh is cut into cells (crossing_grid.h). A strip is the cells of rows top .. bottom; an interval [x0, x1] of
 * columns makes it a rectangle.
 *
 * Method: for each top the strip grows row by row, and f(x0, x1), the messages that enter, is kept as
 * its differences in x0 and x1. A message whose destinations in the strip have the columns M hits the
 * intervals with x0 in (p, c], x1 >= c for each c of M and its predecessor p. So a new column c
 * between neighbours p and s adds one to the intervals with x0 in (p, c] and x1 in [c, s): four
 * differences. Once the source's column is in the strip, intervals that hold it do not count: what
 * they had is subtracted when the source's row comes (before its destinations), and later additions
 * leave them out. M is a word of 64 bits, so p and s are bit scans.
 * A message leaves the rectangles that hold its source, but for those that hold the box around its
 * destinations too: a quadrant of intervals less a quadrant of those. The first is added with the
 * source's row, the second subtracted with the last row of source and box.
 * Two sums then give f for all intervals of the strip; the maxima are kept by width.
 *
 * Most strips need none of this. A rectangle at the mesh's edge has about half the links of one inside with as many
 * messages, and intervals that begin at the first column or end at the last one need only the outermost columns of M: their
 * counts are kept as differences in one column, for every strip. Of the intervals between, f is at most that of a strip
 * with a row more or less, and what the row can add (limit_reach()). Only where that could be the best of its scale the
 * differences catch up with the strip, and are summed.
 *
 * Cost: with a x b cells a / 2 looks at each (message, cell) pair, and a^2 b for the edges. What lies between takes at most
 * a^2 b^2 / 2 additions and a / 2 updates of differences for each pair, a small part of that on most sets. 4 bytes for
 * each pair.
 */
#include "workloads/crossing.h"

#include "base/numbers.h"
#include "workloads/crossing_grid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    CELLS = SWEEP_CELLS,
    WIDE = CELLS + 1, /* a line of differences */
    COLUMN_BITS = GRID_COLUMN_BITS,
    MESSAGES = 1 << 24, /* of a sample, at most: a count and a column are one signed word */
};

/* From the first to before the end: the columns of M, and that of the source once it is in the strip. */
struct span {
    uint8_t first, end;
};

struct found {
    struct crossing crossing;
    uint32_t messages, links;
};

/* Counts of the intervals of a strip that begin at its first column, by x1, and of those that end at its last one, by
 * x0; as differences. */
struct edges {
    int32_t from_first[WIDE], to_last[WIDE];
};

struct sweep {
    struct crossing_grid grid;
    uint64_t *columns;               /* [messages]: M in the rows that are in the differences */
    struct span *span;               /* [messages] */
    struct edges edges[2];           /* [enters] */
    uint32_t reach[2][CELLS][CELLS]; /* [enters][bottom][width - 1]: f inside is at most that */
    uint32_t end_summed;             /* rows before it are in the differences */
    int32_t enter[WIDE][WIDE], leave[WIDE][WIDE];      /* differences: [x0][x1] */
    struct found found[2][SWEEP_SCALES][SWEEP_SCALES]; /* [enters]; messages = 0: none yet */
};

static bool sweep_open(struct sweep *sweep, const struct message_sample *sample)
{
    sweep->columns = memory_allocate(sample->messages, sizeof *sweep->columns);
    sweep->span = memory_allocate(sample->messages, sizeof *sweep->span);
    return sweep->columns != NULL && sweep->span != NULL &&
           crossing_grid_make(&sweep->grid, sample);
}

static void sweep_close(struct sweep *sweep)
{
    crossing_grid_free(&sweep->grid);
    free(sweep->columns);
    free(sweep->span);
    free(sweep);
}

/* ---- the edges of a strip grow by a row ---- */

/* Adds to the counts from `first` to before `end`. */
static inline void add_between(int32_t line[WIDE], int32_t value, uint32_t first, uint32_t end)
{
    line[first] += value;
    line[end] -= value;
}

/* Adds to the intervals that hold the columns from `first` to before `end`. */
static inline void add_holding(struct edges *edges, int32_t value, uint32_t first, uint32_t end,
                               uint32_t width)
{
    add_between(edges->from_first, value, end - 1, width);
    add_between(edges->to_last, value, 0, first + 1);
}

/* Intervals that hold the source's column and hit M no longer count. */
static void add_source_to_edges(struct sweep *sweep, uint32_t message)
{
    struct edges *enter = &sweep->edges[true];
    struct span *span = &sweep->span[message];
    uint32_t col = sweep->grid.track[message].col, width = sweep->grid.col.count;
    add_holding(&sweep->edges[false], 1, col, col + 1, width);
    add_between(enter->from_first, -1, max_u32(span->first, col), width);
    add_between(enter->to_last, -1, 0, min_u32(span->end, col + 1));
    span->first = (uint8_t)min_u32(span->first, col);
    span->end = (uint8_t)max_u32(span->end, col + 1);
}

/* Intervals count that hold a destination's column, and hit neither M nor the source's column before. Without branches, as
 * no one can tell which destinations lie outside the span. */
static inline void add_destination_to_edges(struct edges *enter, struct span *span, uint32_t col)
{
    uint32_t first = span->first, end = span->end;
    add_between(enter->from_first, col < first, col, first);
    add_between(enter->to_last, col >= end, end, col + 1);
    span->first = (uint8_t)min_u32(first, col);
    span->end = (uint8_t)max_u32(end, col + 1);
}

static void grow_edges(struct sweep *sweep, uint32_t top, uint32_t row)
{
    for (uint32_t i = sweep->grid.first_source[row]; i < sweep->grid.first_source[row + 1]; i++)
        add_source_to_edges(sweep, sweep->grid.opening[i]);
    for (uint32_t i = sweep->grid.first_event[row]; i < sweep->grid.first_event[row + 1]; i++)
        add_destination_to_edges(&sweep->edges[true],
                                 &sweep->span[sweep->grid.event[i] >> COLUMN_BITS],
                                 sweep->grid.event[i] & (CELLS - 1));
    for (uint32_t i = sweep->grid.first_closing[row]; i < sweep->grid.first_closing[row + 1]; i++) {
        const struct track *track = &sweep->grid.track[sweep->grid.closing[i]];
        if (track->row >= top && track->top >= top)
            add_holding(&sweep->edges[false], -1, min_u32(track->col, track->left),
                        max_u32(track->col, track->right) + 1, sweep->grid.col.count);
    }
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

/* The source joins the strip: intervals that hold its column and hit M no longer count. */
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

/* A destination joins the strip. `top`: the strip's first row; `row`: the one that it grows by. */
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
    uint32_t last = sweep->grid.col.count - 1;
    for (uint32_t i = sweep->grid.first_source[row]; i < sweep->grid.first_source[row + 1]; i++) {
        uint32_t message = sweep->grid.opening[i], col = sweep->grid.track[message].col;
        add_range(sweep->leave, 1, 0, col, col, last);
        add_source(sweep, message);
    }
    for (uint32_t i = sweep->grid.first_event[row]; i < sweep->grid.first_event[row + 1]; i++)
        add_destination(sweep, sweep->grid.event[i], top, row);
    for (uint32_t i = sweep->grid.first_closing[row]; i < sweep->grid.first_closing[row + 1]; i++) {
        const struct track *track = &sweep->grid.track[sweep->grid.closing[i]];
        if (track->row >= top && track->top >= top)
            add_range(sweep->leave, -1, 0, track->col < track->left ? track->col : track->left,
                      track->col > track->right ? track->col : track->right, last);
    }
}

/* ---- the maxima of a strip ---- */

static inline uint32_t scale_of(uint32_t length)
{
    return 31 - (uint32_t)__builtin_clz(length);
}

/* A strip of cells top .. bottom, and what its rectangles share. */
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

/* True if a rectangle of so many messages, over so many links at least, may be the best of its scale; `width` in cells. */
static inline bool may_be_best(const struct sweep *sweep, const struct strip *strip, uint32_t width,
                               uint32_t messages, uint32_t links)
{
    const struct found *best = &sweep->found[strip->enters][strip->scale][scale_of(width)];
    return (uint64_t)messages * best->links > (uint64_t)best->messages * links;
}

/* Considers the intervals at one edge of the strip; count[width - 1] is their f. */
static void consider_edge(struct sweep *sweep, const struct strip *strip, const uint32_t *count,
                          bool is_first)
{
    uint32_t width = sweep->grid.col.count;
    for (uint32_t least = 1, end; least <= width; least = end) { /* a scale of widths each */
        uint32_t most = 0;
        end = min_u32(2 * least, width + 1);
        for (uint32_t w = least; w < end; w++)
            most = max_u32(most, count[w - 1]);
        uint32_t sides = strip->height * (end <= width);
        uint32_t links = strip->open_rows * sweep->grid.least_width[least - 1] + sides;
        if (!may_be_best(sweep, strip, least, most, links))
            continue;
        for (uint32_t w = least; w < end && is_first; w++)
            consider(sweep, strip, 0, w - 1, count[w - 1]);
        for (uint32_t w = end - 1; w >= least && !is_first; w--)
            consider(sweep, strip, width - w, width - 1, count[w - 1]);
    }
}

static void examine_edges(struct sweep *sweep, const struct strip *strip)
{
    const struct edges *edges = &sweep->edges[strip->enters];
    uint32_t width = sweep->grid.col.count, from_first[CELLS], to_last[CELLS];
    int32_t sum = 0;
    for (uint32_t x1 = 0; x1 < width; x1++)
        from_first[x1] = (uint32_t)(sum += edges->from_first[x1]);
    sum = 0;
    for (uint32_t x0 = 0; x0 < width; x0++)
        to_last[width - 1 - x0] = (uint32_t)(sum += edges->to_last[x0]);
    consider(sweep, strip, 0, width - 1, from_first[width - 1]); /* of equal ones the widest */
    consider_edge(sweep, strip, from_first, true);
    consider_edge(sweep, strip, to_last, false);
}

/* True if an interval that touches neither edge may be the best of its scale. */
static bool reaches_best(const struct sweep *sweep, const struct strip *strip)
{
    for (uint32_t w = 1; w + 2 <= sweep->grid.col.count; w++)
        if (may_be_best(sweep, strip, w, sweep->reach[strip->enters][strip->bottom][w - 1],
                        strip->open_rows * sweep->grid.least_width[w - 1] + 2 * strip->height))
            return true;
    return false;
}

/* Brings the differences up to the strip. */
static void catch_up(struct sweep *sweep, const struct strip *strip)
{
    if (sweep->end_summed == strip->top) {
        memset(sweep->columns, 0, sweep->grid.sample->messages * sizeof *sweep->columns);
        memset(sweep->enter, 0, sizeof sweep->enter);
        memset(sweep->leave, 0, sizeof sweep->leave);
    }
    while (sweep->end_summed <= strip->bottom)
        grow(sweep, strip->top, sweep->end_summed++);
}

/* Sums a strip's differences, and considers the most of each width among the intervals that touch neither edge, whose
 * links are as many. */
static void examine(struct sweep *sweep, int32_t line[WIDE][WIDE], const struct strip *strip)
{
    uint32_t last = sweep->grid.col.count - 1;
    int32_t sum[CELLS] = {0}, value[CELLS], most[CELLS] = {0}; /* most: f << COLUMN_BITS | x0 */
    for (uint32_t x0 = 0; x0 < last; x0++) {
        int32_t total = 0;
        for (uint32_t x1 = 0; x1 < last; x1++)
            sum[x1] += line[x0][x1];
        for (uint32_t x1 = x0; x1 < last; x1++)
            value[x1 - x0] = (total += sum[x1]) << COLUMN_BITS | (int32_t)x0;
        for (uint32_t w = 0; w + x0 < last && x0 > 0; w++)
            most[w] = value[w] > most[w] ? value[w] : most[w];
    }
    for (uint32_t w = 0; w + 1 < last; w++) {
        uint32_t x0 = (uint32_t)most[w] & (CELLS - 1), messages = (uint32_t)most[w] >> COLUMN_BITS;
        consider(sweep, strip, x0, x0 + w, messages);
        sweep->reach[strip->enters][strip->bottom][w] = messages;
    }
}

/* Limits f of the strip inside: by the strip without its last row, to which that adds its destinations (leaving: sources),
 * and by the strip with one row more at its top, whose sources (leaving: destinations) no longer hold messages back. */
static void limit_reach(struct sweep *sweep, const struct strip *strip)
{
    uint32_t top = strip->top, bottom = strip->bottom;
    uint32_t(*reach)[CELLS] = sweep->reach[strip->enters], *here = reach[bottom];
    const uint32_t *joins = sweep->grid.in_row[strip->enters][bottom];
    for (uint32_t w = 0; w < CELLS; w++) {
        uint32_t grown = joins[w] + (bottom > top ? reach[bottom - 1][w] : 0);
        uint32_t cut = top > 0 ? here[w] + sweep->grid.in_row[!strip->enters][top - 1][w] : grown;
        here[w] = min_u32(grown, cut);
    }
}

static void examine_strip(struct sweep *sweep, const struct strip *strip)
{
    limit_reach(sweep, strip);
    examine_edges(sweep, strip);
    if (!reaches_best(sweep, strip))
        return;
    catch_up(sweep, strip);
    examine(sweep, strip->enters ? sweep->enter : sweep->leave, strip);
}

static void sweep_strips(struct sweep *sweep)
{
    for (uint32_t top = 0; top < sweep->grid.row.count; top++) {
        for (uint32_t i = 0; i < sweep->grid.sample->messages; i++)
            sweep->span[i] = (struct span){(uint8_t)sweep->grid.col.count, 0};
        memset(sweep->edges, 0, sizeof sweep->edges);
        sweep->end_summed = top;
        for (uint32_t bottom = top; bottom < sweep->grid.row.count; bottom++) {
            struct strip strip = strip_of(sweep, top, bottom);
            grow_edges(sweep, top, bottom);
            examine_strip(sweep, &strip);
            strip.enters = true;
            examine_strip(sweep, &strip);
        }
    }
}

/* ---- the best of all ---- */

/* Those with more messages per link first; then as they stand, so that the order is everywhere the
 * same. */
static int more_a_link(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    uint64_t of_x = (uint64_t)x->messages * y->links, of_y = (uint64_t)y->messages * x->links;
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    return memcmp(&x->crossing, &y->crossing, sizeof x->crossing);
}

enum failure_kind crossing_sweep(const struct message_sample *sample,
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
