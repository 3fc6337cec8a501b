/* sort_deal.c - sorting by merges of many blocks at once, each dealt evenly over all columns.
 *
 * For tiles of one size whose sides are powers of two. Rows are paired as in sort_pairs.c, so "cells"
 * are two a node, rows of k cells are permuted or sorted in k / 2 steps, and columns of h cells are
 * sorted in h. A tile of R rows and C columns is merged from Kr x Kc blocks of br x bc, each sorted
 * along its own snake, in slices of w columns; Kc <= w, Kc divides br:
 *     1. deal: a fixed permutation of each row, below                 C / 2 - 1; C / 2 for w = C
 *     2. columns of the tile                                                 R
 *     3. for d = D, D / 2, .. 2: rows of the slices in alternating directions,
 *        then the columns again; then rows again              w / 2 + d / 2 + 1 each; w / 2
 *     4. for W = 2 w, 4 w, .. C: in each row two slices of W / 2 are interleaved,
 *        then the snake of the W columns                           W / 4 + D / 2 each
 * where D = Kr Kc / 2, or Kc for one row of blocks, and rows of two cells take no steps. No last
 * rows are needed: the tile is in the order of its snake. Blocks of one row are sorted as rows.
 *   The deal. Row i of the block in column j of blocks goes to the columns of class (j + i) mod Kc,
 * bc of them; of these the cell of rank p along the block's snake to slice bitreverse(p mod C / w),
 * there to cell class (w / Kc) + p div (C / w). In odd rows of blocks the class is (j - i) mod Kc,
 * and ranks are reversed.
 *
 * Proof, for 0 and 1; only fixed permutations and comparisons are used, so by the 0-1 principle
 * for all. The zeros of a sorted block are a prefix of its snake. The snake as dealt goes through
 * all C columns of the tile in Kc rows, and again in the same order (its chain): of two columns the
 * one that is earlier in the chain has as many zeros of this block as the other, or one more. In
 * odd rows of blocks chains are those of even ones reversed (block j - 1 has the chain of block j
 * backwards), so half of the blocks favour either column, and two columns of the tile differ by at
 * most Kr Kc / 2 = D zeros; with one row of blocks by Kc. The same goes for two slices that are
 * interleaved in 4: chains visit them alternately, and a row has as many cells of the one as of the
 * other; so their zeros differ by at most D, too. Then
 *   2. leaves at most D dirty rows (with zeros and ones) in a slice, whose zeros decrease downwards.
 *   3. When neighbouring rows are sorted in opposite directions, of each two one is clean in every
 *      column: a column is zeros, at most ceil(d / 2) pairs 01 or 10, and ones. Odd-even
 *      transposition sorts that in ceil(d / 2) + 1 rounds of either parity, and half of the dirty
 *      rows are left. When one is, the last rows bring the slice into the order of its snake.
 *   4. Two slices in order whose zeros differ by d <= D, interleaved by rank along the snake: zeros,
 *      d pairs 01 or 10, each at one node, ones. In the nodes they become 01; zero i has to move by
 *      i <= d - 1 cells, two a step, and never waits: D / 2 steps.
 * Interleaving takes W / 4 steps: rank r of the left slice goes r cells to the right, of the right
 * one W / 2 - 1 - r to the left; for any threshold that is u ones before v zeros, u + v <= W / 2,
 * that meet at a link, and the last zero is there after u + v - 1 rounds. A deal takes C / 2 as any
 * permutation. Its last step, which is the last of C rounds, is needed only where for some k the
 * first k cells go to the last k, k even: then the last one of the ones in front waits a round before
 * it starts. But of two neighbours in a block one goes to the left half of the tile and one to the
 * right half, where w < C: k > C / 2 because of the first two cells, C - k > C / 2 because of the last two.
 *   D is least possible: whatever is dealt once, an adversary that chooses each block's zeros can
 * favour one column of two in half of the blocks.
 *
 * Which blocks and slices are best is a matter of arithmetic: a table of the sides up to those of
 * the tile. With the walks in and out, w / 2: 13, 31, 67, 132, 250, 470, 875, 1649, 3133, 6026
 * steps for squares of side 4 .. 2048, 3.06 m at 1024; 2.5 m + O(m^(2/3) log m) in the limit. Two packets
 * a node. Data-oblivious.
 * Cost: 8 bytes a row and a column of the mesh, and 8 Kc C bytes.
 */
#include "primitives/sort_private.h"

#include <assert.h>
#include <stdlib.h>

/* ---- the plan ---- */

enum { SIDES = 17 }; /* 2^0 .. 2^16 */

/* Of how a tile of 2^a x 2^b cells is sorted: all numbers are logarithms. */
struct choice {
    uint32_t down, across, slice; /* blocks of the tile, each way; columns of a slice */
    uint64_t steps;               /* with those of the blocks */
};

/* choice[a][b]; b from 1 on. */
struct deal_plan {
    struct choice choice[SIDES][SIDES];
};

/* A merge: sides of the tile and of its blocks, in cells. */
struct deal {
    uint32_t rows, cols, block_rows, block_cols, slice;
    uint32_t differ; /* D */
};

static struct deal deal_of(uint32_t a, uint32_t b, struct choice choice)
{
    struct deal deal = {1u << a,
                        1u << b,
                        1u << (a - choice.down),
                        1u << (b - choice.across),
                        1u << choice.slice,
                        1u << choice.across};
    if (choice.down > 0)
        deal.differ = 1u << (choice.down + choice.across - 1);
    return deal;
}

/* Steps along rows that permute or sort `length` cells. */
static uint32_t row_steps(uint32_t length)
{
    return length == 2 ? 0 : length / 2;
}

static uint32_t deal_steps(const struct deal *deal)
{
    return row_steps(deal->cols) - (deal->slice < deal->cols);
}

static uint64_t merge_steps(const struct deal *deal)
{
    uint64_t steps = deal_steps(deal) + deal->rows + row_steps(deal->slice);
    for (uint32_t d = deal->differ; d > 1; d /= 2)
        steps += row_steps(deal->slice) + d / 2 + 1;
    for (uint32_t width = 2 * deal->slice; width <= deal->cols; width *= 2)
        steps += width / 4 + deal->differ / 2;
    return steps;
}

/* The best way to merge a tile of 2^a x 2^b, a > 0, from blocks whose best ways are known. */
static struct choice choose(const struct deal_plan *plan, uint32_t a, uint32_t b)
{
    struct choice best = {.steps = UINT64_MAX};
    for (uint32_t down = 0; down <= a; down++)
        for (uint32_t across = 0; across < b && across <= a - down; across++)
            for (uint32_t slice = across > 0 ? across : 1; slice <= b; slice++) {
                struct choice choice = {down, across, slice, 0};
                struct deal deal = deal_of(a, b, choice);
                choice.steps = plan->choice[a - down][b - across].steps + merge_steps(&deal);
                if (down + across > 0 && choice.steps < best.steps)
                    best = choice;
            }
    return best;
}

static void plan_make(struct deal_plan *plan, uint32_t most_a, uint32_t most_b)
{
    for (uint32_t b = 1; b <= most_b; b++) {
        plan->choice[0][b] = (struct choice){.steps = row_steps(1u << b)};
        for (uint32_t a = 1; a <= most_a; a++)
            plan->choice[a][b] = choose(plan, a, b);
    }
}

/* ---- lines ---- */

/* The axis cut into intervals of `length`, which divides it. */
static struct cuts cut_evenly(uint32_t *cut, uint32_t whole, uint32_t length)
{
    for (uint32_t i = 0; i <= whole / length; i++)
        cut[i] = i * length;
    return (struct cuts){whole / length, cut, length};
}

static struct cuts down_cuts(const struct sorting *sorting, uint32_t length)
{
    return cut_evenly(sorting->even_down, sorting->down.length, length);
}

static struct cuts across_cuts(const struct sorting *sorting, uint32_t length)
{
    return cut_evenly(sorting->even_across, sorting->across.length, length);
}

/* Rows of segments of `length` cells, all forward or every second one backward. */
static void sort_rows(struct sorting *sorting, uint32_t length, bool alternate)
{
    struct cuts across = across_cuts(sorting, length);
    for (uint32_t row = 0; row < sorting->down.length; row++)
        sorting->line_flag[row] = alternate ? row % 2 : 0;
    sorting_compare(sorting, (struct compare){.lines = sorting_lines(sorting, false, &across),
                                              .steps = row_steps(length),
                                              .line_flag = sorting->line_flag});
}

/* `rounds` of columns of tiles of so many rows. */
static void sort_columns(struct sorting *sorting, uint32_t rows, uint32_t rounds)
{
    struct cuts down = down_cuts(sorting, rows);
    sorting_compare(
        sorting, (struct compare){.lines = sorting_lines(sorting, true, &down), .steps = rounds});
}

static void permute(struct sorting *sorting, struct permute permute)
{
    sorting_act(
        sorting,
        (struct sort_act){.instruction = SORT_PERMUTE, .steps = permute.steps, .permute = permute});
}

static void compare_snakes(struct sorting *sorting, const struct deal *deal, uint32_t width)
{
    struct cuts down = down_cuts(sorting, deal->rows), across = across_cuts(sorting, width);
    struct snakes snakes = {sorting_lines(sorting, false, &across), down.intervals, down.cut,
                            deal->differ / 2};
    sorting_act(sorting, (struct sort_act){.instruction = SORT_COMPARE_SNAKES,
                                           .steps = snakes.steps,
                                           .snakes = snakes});
}

/* ---- a merge ---- */

static uint32_t reverse_bits(uint32_t number, uint32_t below)
{
    uint32_t reversed = 0;
    for (; below > 1; below /= 2, number /= 2)
        reversed = 2 * reversed + number % 2;
    return reversed;
}

/* Where the cell at column x of the tile goes in row i of a block. */
static uint32_t dealt_to(const struct deal *deal, uint32_t x, uint32_t i, bool is_odd_band)
{
    uint32_t blocks = deal->cols / deal->block_cols, slices = deal->cols / deal->slice;
    uint32_t j = x / deal->block_cols, rank = x % deal->block_cols;
    uint32_t class = (is_odd_band ? j + blocks - i % blocks : j + i) % blocks;
    if ((i % 2 == 1) != is_odd_band)
        rank = deal->block_cols - 1 - rank;
    return reverse_bits(rank % slices, slices) * deal->slice + class * (deal->slice / blocks) +
           rank / slices;
}

/* Rows of a block repeat their deal after so many. */
static uint32_t deal_period(const struct deal *deal)
{
    uint32_t blocks = deal->cols / deal->block_cols;
    return blocks > 2 ? blocks : 2;
}

/* Step 1. */
static void deal_blocks(struct sorting *sorting, const struct deal *deal)
{
    uint32_t period = deal_period(deal);
    uint32_t *target = sorting->target;
    for (uint32_t p = 0; p < 2 * period; p++)
        for (uint32_t x = 0; x < deal->cols; x++)
            *target++ = dealt_to(deal, x, p % period, p >= period);
    for (uint32_t row = 0; row < sorting->down.length; row++) {
        bool is_odd_band = row % deal->rows / deal->block_rows % 2 == 1;
        sorting->offset[row] = row % deal->block_rows % period + is_odd_band * period;
    }
    permute(sorting, (struct permute){deal->cols, 2 * period, sorting->target, sorting->offset,
                                      deal_steps(deal)});
}

/* Step 3. */
static void sort_slices(struct sorting *sorting, const struct deal *deal)
{
    for (uint32_t d = deal->differ; d > 1; d /= 2) {
        sort_rows(sorting, deal->slice, true);
        sort_columns(sorting, deal->rows, d / 2 + 1);
    }
    sort_rows(sorting, deal->slice, true);
}

/* Step 4: of two neighbouring slices one with `width` columns. */
static void interleave(struct sorting *sorting, const struct deal *deal, uint32_t width)
{
    uint32_t *forward = sorting->target, *back = sorting->target + width;
    for (uint32_t x = 0; x < width / 2; x++) {
        forward[x] = 2 * x;
        forward[width / 2 + x] = 2 * x + 1;
    }
    for (uint32_t x = 0; x < width; x++)
        back[width - 1 - x] = width - 1 - forward[x];
    for (uint32_t row = 0; row < sorting->down.length; row++)
        sorting->offset[row] = row % 2;
    permute(sorting, (struct permute){width, 2, sorting->target, sorting->offset, width / 4});
    compare_snakes(sorting, deal, width);
}

static void merge(struct sorting *sorting, const struct deal *deal)
{
    deal_blocks(sorting, deal);
    sort_columns(sorting, deal->rows, deal->rows);
    sort_slices(sorting, deal);
    for (uint32_t width = 2 * deal->slice; width <= deal->cols; width *= 2)
        interleave(sorting, deal, width);
}

/* ---- all merges ---- */

static uint32_t logarithm(uint32_t power)
{
    uint32_t log = 0;
    while (power >> log > 1)
        log++;
    return log;
}

static void sort_blocks(struct sorting *sorting, const struct deal_plan *plan, uint32_t a,
                        uint32_t b)
{
    struct choice choice = plan->choice[a][b];
    if (a == 0) {
        sort_rows(sorting, 1u << b, false);
        return;
    }
    sort_blocks(sorting, plan, a - choice.down, b - choice.across);
    struct deal deal = deal_of(a, b, choice);
    merge(sorting, &deal);
}

static bool is_even_power(const struct cuts *cuts)
{
    for (uint32_t i = 0; i < cuts->intervals; i++)
        if (cuts->cut[i + 1] - cuts->cut[i] != cuts->longest)
            return false;
    return (cuts->longest & (cuts->longest - 1)) == 0;
}

bool sorting_can_deal(const struct sorting *sorting)
{
    const struct cuts *down = &sorting->down.level[0], *across = &sorting->across.level[0];
    return is_even_power(down) && is_even_power(across) && across->longest >= 2;
}

/* The most patterns of a deal are those of the merge with the most blocks across. */
static size_t most_targets(const struct deal_plan *plan, uint32_t a, uint32_t b)
{
    size_t most = 2 * ((size_t)1 << b); /* of the interleaving */
    while (a > 0) {
        struct choice choice = plan->choice[a][b];
        struct deal deal = deal_of(a, b, choice);
        size_t targets = 2 * (size_t)deal_period(&deal) * deal.cols;
        most = targets > most ? targets : most;
        a -= choice.down;
        b -= choice.across;
    }
    return most;
}

void sorting_by_deals(struct sorting *sorting)
{
    struct deal_plan plan;
    uint32_t a = logarithm(sorting->down.level[0].longest);
    uint32_t b = logarithm(sorting->across.level[0].longest);
    assert(sorting_can_deal(sorting));
    plan_make(&plan, a, b);
    sorting->target = memory_allocate(most_targets(&plan, a, b), sizeof *sorting->target);
    if (sorting->target == NULL) {
        sorting->kind = fail_memory(sorting->failure, "sorting");
        return;
    }
    sorting_pair(sorting);
    uint64_t before = sorting->steps;
    sort_blocks(sorting, &plan, a, b);
    assert(sorting->steps - before == plan.choice[a][b].steps);
    sorting->is_in_order = true;
}
