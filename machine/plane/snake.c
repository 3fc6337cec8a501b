/* snake.c - odd-even transposition along the snakes of tiles whose rows are paired (rule 5).
 *
 * A tile's snake goes through its first row forward, through its second backward, and so on. Of its
 * cells, two per node (fold_lines.c), those of each node are compared by computing, which costs no
 * step, and then those that follow each other over a link: along the row or, where the snake turns,
 * along the column at the row's end. In a step each cell is in one of these pairs at most, so no
 * two packets want one link; and each link between nodes of the snake works in every step. The
 * smaller word goes to the front of the snake. "Row" means a paired line throughout this file: a
 * column, if columns are paired.
 *
 * A row is taken into a thread's buffer in the order of the snake, first and second cells apart, so
 * that a round compares vectors of contiguous words, whichever way the row goes. Rows go through
 * the buffer as a wavefront: when a row comes in, the row before it does its first round, the one
 * before that its second, .. A round over links at row r also compares its last cell with the first
 * of row r + 1. That row has done the rounds before (in this visit, earlier rounds first), and row
 * r - 1 has done this round, with r's first cell, in the visit before.
 * Cost: a minimum, a maximum and a comparison per pair and round.
 */
#include "machine/plane/plane_private.h"

#include <assert.h>

/* Rounds that go through a tile together, and words side by side. */
enum { DEPTH = 17, LIVE_ROWS = DEPTH + 1, VECTOR = 4, BEHIND = 2 * VECTOR };
typedef int64_t vector
    __attribute__((vector_size(VECTOR * sizeof(int64_t)), may_alias, aligned(sizeof(int64_t))));

#define SIGN (UINT64_C(1) << 63) /* words are kept with the sign bit flipped: vectors are signed */
#define GREATEST INT64_MAX       /* an empty cell's word as kept */

struct snake_work {
    struct machine *machine;
    const struct snakes *snakes;
    struct line_shape shape;
    uint32_t rounds;
    bool begins_over_links;
    const struct plane_part *part;
    /* The bands and segments of which the part has lines and positions. */
    uint32_t first_band, end_band, first_segment, end_segment;
};

/* A tile on its way through the rounds, or a part of one; rows are counted from the tile's
 * first. */
struct tile {
    uint64_t *corner;            /* the word of its first cell */
    size_t along, across;        /* from a word to the next of its row, and of the next row */
    uint32_t first_row, end_row; /* the rows that are here */
    uint32_t own_row, end_own;   /* the rows whose hops count */
    uint32_t rows, nodes;        /* rows of the whole tile; nodes of a row */
    size_t stride;               /* words from the first cells of a live row to its second ones */
    int64_t *live;
    uint64_t packets; /* that crossed a link */
};

UNROLLED int64_t *firsts_of(const struct tile *tile, uint32_t row)
{
    return tile->live + row % LIVE_ROWS * 2 * tile->stride;
}

/* The places of a row in the plane and in the buffer. `way`: from a cell to the next along the
 * snake. */
struct row {
    uint64_t *word; /* of the first cell along the snake */
    ptrdiff_t way;
    uint32_t nodes;
    int64_t *first, *second;
};

UNROLLED struct row row_of(const struct tile *tile, uint32_t row, const bool is_part)
{
    uint64_t *word = tile->corner + (is_part ? row - tile->first_row : row) * tile->across;
    ptrdiff_t along = (ptrdiff_t)tile->along;
    int64_t *first = firsts_of(tile, row);
    if (row % 2 == 0)
        return (struct row){word, along, tile->nodes, first, first + tile->stride};
    word += (2 * (size_t)tile->nodes - 1) * tile->along;
    return (struct row){word, -along, tile->nodes, first, first + tile->stride};
}

UNROLLED void copy_row(const struct row *row, const ptrdiff_t way, const bool loads)
{
    uint64_t *restrict word = row->word;
    int64_t *restrict first = row->first, *restrict second = row->second;
    for (uint32_t i = 0; i < row->nodes; i++) {
        if (loads) {
            first[i] = (int64_t)(word[2 * i * way] ^ SIGN);
            second[i] = (int64_t)(word[(2 * i + 1) * way] ^ SIGN);
        } else {
            word[2 * i * way] = (uint64_t)first[i] ^ SIGN;
            word[(2 * i + 1) * way] = (uint64_t)second[i] ^ SIGN;
        }
    }
}

/* Copies a row. Contiguous words have loops of their own, which become vector instructions. */
UNROLLED void copy_any_row(const struct row *row, const bool loads)
{
    if (row->way == 1)
        copy_row(row, 1, loads);
    else if (row->way == -1)
        copy_row(row, -1, loads);
    else
        copy_row(row, row->way, loads);
}

/* Loads a row, and puts greatest words after its last cells, so that whole vectors can be
 * compared. */
UNROLLED void load_row(struct row row)
{
    copy_any_row(&row, true);
    for (uint32_t i = row.nodes; i < row.nodes + BEHIND; i++)
        row.first[i] = row.second[i] = GREATEST;
}

UNROLLED void store_row(struct row row)
{
    copy_any_row(&row, false);
}

/* Compares low[i] with high[i] for all i < count, and some beyond. Returns the number of packets
 * that changed places. */
UNROLLED uint64_t exchange(int64_t *low, int64_t *high, uint32_t count)
{
    vector packets = {0}, empty = (vector){0} + GREATEST;
    for (uint32_t i = 0; i < count; i += VECTOR) {
        vector x = *(vector *)(low + i), y = *(vector *)(high + i), swaps = x > y;
        *(vector *)(low + i) = (y & swaps) | (x & ~swaps);
        *(vector *)(high + i) = (x & swaps) | (y & ~swaps);
        packets -= swaps + (swaps & (x != empty));
    }
    uint64_t sum = 0;
    for (int l = 0; l < VECTOR; l++)
        sum += (uint64_t)packets[l];
    return sum;
}

UNROLLED void do_round(struct tile *tile, uint32_t row, bool over_links, const bool is_part)
{
    int64_t *first = firsts_of(tile, row), *second = first + tile->stride;
    if (!over_links) {
        exchange(first, second, tile->nodes);
        return;
    }
    /* where the snake turns, the next row's first cell follows the last one */
    uint32_t end = is_part ? tile->end_row : tile->rows;
    int64_t *next = row + 1 < end ? firsts_of(tile, row + 1) : NULL;
    first[tile->nodes] = next != NULL ? next[0] : GREATEST;
    uint64_t packets = exchange(second, first + 1, tile->nodes);
    bool is_own = !is_part || row - tile->own_row < tile->end_own - tile->own_row;
    tile->packets += is_own ? packets : 0;
    if (next != NULL)
        next[0] = first[tile->nodes];
    first[tile->nodes] = GREATEST;
}

UNROLLED void compare_rows(struct tile *tile, uint32_t rounds, bool begins_over_links,
                           const bool is_part)
{
    uint32_t first = is_part ? tile->first_row : 0;
    uint32_t rows = is_part ? tile->end_row - first : tile->rows;
    load_row(row_of(tile, first, is_part));
    for (uint32_t visit = 0; visit < rows + rounds - 1; visit++) {
        if (visit + 1 < rows)
            load_row(row_of(tile, first + visit + 1, is_part));
        for (uint32_t round = 0; round < rounds && round <= visit; round++)
            if (visit - round < rows)
                do_round(tile, first + visit - round, (round + begins_over_links) % 2 == 1,
                         is_part);
        if (visit + 1 >= rounds)
            store_row(row_of(tile, first + visit + 1 - rounds, is_part));
    }
}

VECTORISED static void compare_tile(struct tile *tile, uint32_t rounds, bool begins_over_links)
{
    if (tile->own_row == 0 && tile->end_own == tile->rows)
        compare_rows(tile, rounds, begins_over_links, false);
    else
        compare_rows(tile, rounds, begins_over_links, true);
}

/* Returns the number of the row `line`, or of the tile's end if that is before it. */
static uint32_t row_in(const struct tile *tile, uint32_t first, uint32_t line)
{
    uint32_t row = line < first ? 0 : line - first;
    return row < tile->rows ? row : tile->rows;
}

static struct tile tile_at(const struct snake_work *work, uint32_t number, void *scratch)
{
    const struct snakes *snakes = work->snakes;
    const struct plane_part *part = work->part;
    uint32_t segments = work->end_segment - work->first_segment;
    uint32_t band = work->first_band + number / segments;
    uint32_t segment = work->first_segment + number % segments;
    uint32_t first = snakes->band_cut[band], start = snakes->lines.cut[segment];
    uint32_t nodes = (snakes->lines.cut[segment + 1] - start) / 2;
    struct tile tile = {.along = part->along,
                        .across = part->across,
                        .rows = snakes->band_cut[band + 1] - first,
                        .nodes = nodes,
                        .stride = nodes + BEHIND,
                        .live = scratch};
    tile.first_row = row_in(&tile, first, part->first_line);
    tile.end_row = row_in(&tile, first, part->end_line);
    tile.own_row = row_in(&tile, first, part->own_line);
    tile.end_own = row_in(&tile, first, part->end_own);
    tile.corner = part->word + part_offset(part, first + tile.first_row, start);
    return tile;
}

/* Returns the pairs of cells of the tile's own rows that a link joins. */
static uint64_t pairs_of(const struct tile *tile)
{
    uint64_t pairs = (uint64_t)(tile->end_own - tile->own_row) * tile->nodes;
    return tile->end_own == tile->rows && tile->own_row < tile->rows ? pairs - 1 : pairs;
}

static void compare_band(void *context, const struct team *team)
{
    const struct snake_work *work = context;
    uint32_t bands = work->end_band - work->first_band;
    uint32_t tiles = bands * (work->end_segment - work->first_segment);
    struct tally *tally = &work->machine->tally[team->rank];
    uint32_t end = parallel_band_start(tiles, team->rank + 1, team->size);
    for (uint32_t t = parallel_band_start(tiles, team->rank, team->size); t < end; t++) {
        struct tile tile = tile_at(work, t, work->machine->plane->scratch[team->rank]);
        uint32_t link_rounds = (work->rounds + work->begins_over_links) / 2;
        if (tile.own_row == tile.end_own || tile.nodes == 0)
            continue;
        for (uint32_t done = 0, now; done < work->rounds; done += now) {
            now = work->rounds - done < DEPTH ? work->rounds - done : DEPTH;
            compare_tile(&tile, now, (done + work->begins_over_links) % 2 == 1);
        }
        tally->packet_hops += tile.packets;
        tally->word_hops += (uint64_t)2 * link_rounds * pairs_of(&tile) - tile.packets;
    }
}

/* Finds the intervals of an axis that have something between `start` and `end`; empty ones may be
 * among them. */
static void find_intervals(const uint32_t *cut, uint32_t count, uint32_t start, uint32_t end,
                           uint32_t *first, uint32_t *behind)
{
    *first = 0;
    while (*first < count && cut[*first + 1] <= start)
        ++*first;
    *behind = *first;
    while (*behind < count && cut[*behind] < end)
        ++*behind;
}

static void compare_part(void *of_call, const struct plane_part *part)
{
    struct snake_work *work = of_call;
    const struct snakes *snakes = work->snakes;
    work->part = part;
    find_intervals(snakes->band_cut, snakes->bands, part->first_line, part->end_line,
                   &work->first_band, &work->end_band);
    find_intervals(snakes->lines.cut, snakes->lines.segments, part->start, part->end,
                   &work->first_segment, &work->end_segment);
    parallel_run(plane_threads(work->machine, work->rounds), compare_band, work);
}

/* Returns the number of other ranks' rows that a rank needs for so many rounds: rows beyond these
 * affect no own cell, as effects move a cell per round. */
static uint32_t rows_beside(const struct snakes *snakes, uint32_t rounds)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t s = 0; s < snakes->lines.segments; s++) {
        uint32_t cells = snakes->lines.cut[s + 1] - snakes->lines.cut[s];
        least = cells > 0 && cells < least ? cells : least;
    }
    return rounds / least + (rounds % least > 0);
}

static void snake_rounds(void *of_call, uint32_t first, uint32_t rounds)
{
    struct snake_work *work = of_call;
    work->rounds = rounds;
    work->begins_over_links = first % 2 == 1;
    plane_each_part(work->machine, &work->snakes->lines, rows_beside(work->snakes, rounds),
                    compare_part, work);
}

/* ---- events ---- */

/* Reports the pairs of cells that the round over links compared. */
static void emit_round(void *of_call)
{
    const struct snake_work *work = of_call;
    const struct snakes *snakes = work->snakes;
    struct line_shape shape = work->shape;
    for (uint32_t band = 0; band < snakes->bands; band++)
        for (uint32_t row = snakes->band_cut[band]; row < snakes->band_cut[band + 1]; row++)
            for (uint32_t s = 0; s < snakes->lines.segments; s++) {
                uint32_t start = snakes->lines.cut[s], end = snakes->lines.cut[s + 1];
                bool is_last = row + 1 == snakes->band_cut[band + 1];
                bool turns_back = (row - snakes->band_cut[band]) % 2 == 1;
                uint32_t base = row * shape.across, turn = turns_back ? start : end - 1;
                for (uint32_t at = start + 1; at + 1 < end; at += 2)
                    plane_tell_pair(work->machine, base + at * shape.along,
                                    base + (at + 1) * shape.along);
                uint32_t corner = base + turn * shape.along;
                if (!is_last && start < end)
                    plane_tell_pair(work->machine, corner, corner + shape.across);
            }
}

/* ---- a call ---- */

enum failure_kind machine_compare_snakes(struct machine *machine, const struct snakes *snakes,
                                         struct failure *failure)
{
    assert(machine->has_open_plane && !machine->in_sync_phase);
    const struct lines *lines = &snakes->lines;
    struct snake_work work = {
        .machine = machine, .snakes = snakes, .shape = line_shape(machine, lines->are_columns)};
    assert(plane_is_along(machine, lines) && lines->cut[lines->segments] == work.shape.length);
    assert(snakes->band_cut[snakes->bands] == work.shape.count);
    for (uint32_t s = 0; s < lines->segments; s++)
        assert((lines->cut[s + 1] - lines->cut[s]) % 2 == 0 &&
               (lines->cut[s] == work.shape.length ||
                machine->plane->pairing.side[lines->cut[s]] == 0));
    struct plane_program program = {.work = &work,
                                    .steps = snakes->steps,
                                    .most = PLANE_PAIR,
                                    .has_silent_rounds = true,
                                    .run = snake_rounds,
                                    .tell = emit_round};
    return plane_run(machine, &program, failure);
}
