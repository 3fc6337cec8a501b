/* sort_merge.c - sorting by 4-way merges in tiles of any sides, and shearsort.
 *
 * After Schimmler (1987) and Lang, Schimmler, Schmeck and Schroeder (1985), with a rotation of rows
 * where they sort rows in alternating directions, so that quadrants may be unequal. The halves of
 * a width k are w1 >= w2. From single nodes up, the quadrants of every tile of up to h x k nodes
 * are merged:
 *     1. rows of each quadrant, the upper ones ascending, the lower descending       w1 steps
 *     2. columns of the tile, beginning where its halves meet                      h - 1
 *     3. rows of the two halves, left ascending, right descending                     w1
 *     4. row i of the tile is rotated by i w1 mod k                     k / 2; k - 1 for odd k
 *     5. columns of the tile          ceil(h / 2); max(ceil(h / 2), h w1 / k) + 1 for odd k,
 *                                                                   and one more where h > 2 k
 * and at the end the rows of the whole, in alternating directions                      w
 *
 * Proof in outline, for 0 and 1 (the 0-1 principle). Invariant: a merged tile has at most one dirty
 * row, one with zeros and ones. After 1 the columns of a quadrant are sorted; the dirty row of the
 * upper one adds a zero to a prefix of the columns, that of the lower one to a suffix. So 2 merges
 * two sorted halves (h - 1 steps, if the first compares the last of one with the first of the
 * other), columns of a half differ by at most one zero, and each half has one dirty row. Each row
 * between these two has zeros in just one half: an arc of the ring of k columns. The rotation sets
 * these arcs end to start, and the zeros of the two dirty rows, which 3 put to the ends of their
 * halves, join the chain's ends. A chain winds evenly around the ring: columns differ by at most
 * one zero, and 5 leaves one dirty row. Zeros that the chain spreads over x rows end in about half
 * of them, so half the height is about enough for 5. Its exact steps are not proven but tried, for
 * every state of a merge: h within 1 of k up to k = 30, h up to 12 k for k = 3, 5, 7, up to 6 k for
 * k = 9 and 11 (test_sort_states.c repeats what takes seconds).
 *
 * Shearsort (Scherson, Sen and Shamir 1986): snake rows and columns in turn halve the dirty rows.
 *
 * Data-oblivious: steps are a function of the sides. Merge, on a square of side m: exactly 7 m - 10
 * - log2 m for powers of two from 4 on; else 3 k for a level with an even width and 3.5 k + .5 with
 * an odd one, in all at most 8 m + 4 log2 m (worst just above a power of two, 8.21 m at 33), and 8
 * m or less for three sides in four. Two packets per node, in 4. Shearsort: (w + h) ceil(log2 h) + w,
 * one packet per node. Up to 16 bytes per row and per column for each halving.
 */
#include "primitives/sort_private.h"

/* ---- instructions ---- */

struct lines sorting_lines(const struct sorting *sorting, bool columns, const struct cuts *cuts)
{
    return (struct lines){columns != sorting->plan->column_major, cuts->intervals, cuts->cut};
}

void sorting_act(struct sorting *sorting, struct sort_act act)
{
    sorting->steps += act.steps;
    if (sorting->actor != NULL && sorting->kind == FAIL_NONE)
        sorting->kind = sorting->actor(sorting->context, &act, sorting->failure);
}

void sorting_compare(struct sorting *sorting, struct compare compare)
{
    sorting_act(
        sorting,
        (struct sort_act){.instruction = SORT_COMPARE, .steps = compare.steps, .compare = compare});
}

static void rotate(struct sorting *sorting, struct rotate rotate)
{
    sorting_act(sorting,
                (struct sort_act){.instruction = SORT_ROTATE,
                                  .steps = machine_rotate_steps(&rotate, sorting->down.length),
                                  .rotate = rotate});
}

/* Steps of odd-even transposition that sort any line of this length. */
static uint32_t steps_to_sort(uint32_t length)
{
    return length <= 2 ? length / 2 : length;
}

void sorting_columns(struct sorting *sorting, const struct cuts *cuts, uint32_t steps, bool merges)
{
    for (uint32_t i = 0; merges && i < cuts->intervals; i++)
        sorting->odd[i] = (first_half(cuts->cut[i + 1] - cuts->cut[i]) + 1) % 2;
    sorting_compare(sorting, (struct compare){.lines = sorting_lines(sorting, true, cuts),
                                              .steps = steps + sorting->is_paired,
                                              .odd = merges ? sorting->odd : NULL});
}

/* Steps along rows that sort segments of up to `length` cells; `are_whole`: paired, the first cell
 * of each is the first of a node. Paired, a step is two rounds, and there is one round more. */
static uint32_t row_steps(const struct sorting *sorting, uint32_t length, bool are_whole)
{
    if (!sorting->is_paired)
        return steps_to_sort(length);
    return length == 2 && are_whole ? 0 : length / 2;
}

void sorting_snake_rows(struct sorting *sorting, uint32_t level)
{
    const struct cuts *tiles = &sorting->down.level[level];
    for (uint32_t i = 0; i < tiles->intervals; i++)
        for (uint32_t row = tiles->cut[i]; row < tiles->cut[i + 1]; row++)
            sorting->line_flag[row] = (row - tiles->cut[i]) % 2;
    const struct cuts *across = &sorting->across.level[level];
    sorting_compare(sorting, (struct compare){.lines = sorting_lines(sorting, false, across),
                                              .steps = row_steps(sorting, across->longest, true),
                                              .line_flag = sorting->line_flag});
}

/* ---- 4-way merges ---- */

/* One level of the merge. */
struct merge {
    struct sorting *sorting;
    const struct cuts *down, *across, *half_down, *half_across; /* of the tiles and their halves */
};

/* Steps 1 and 3: rows of the quadrants, the lower ones or the right ones descending. */
static void sort_quadrant_rows(const struct merge *merge, bool by_side)
{
    struct sorting *sorting = merge->sorting;
    for (uint32_t i = 0; i < merge->half_down->intervals; i++)
        for (uint32_t row = merge->half_down->cut[i]; row < merge->half_down->cut[i + 1]; row++)
            sorting->line_flag[row] = i % 2;
    sorting_compare(
        sorting, (struct compare){.lines = sorting_lines(sorting, false, merge->half_across),
                                  .steps = row_steps(sorting, merge->half_across->longest, false),
                                  .line_flag = by_side ? NULL : sorting->line_flag,
                                  .segment_flag = by_side ? sorting->segment_flag : NULL});
}

static uint32_t shift_of_row(void *context, uint32_t row, uint32_t segment)
{
    const struct merge *merge = context;
    uint32_t length = merge->across->cut[segment + 1] - merge->across->cut[segment];
    return length < 2 ? 0 : merge->sorting->offset[row] * first_half(length) % length;
}

/* Step 4: row i of a tile is rotated by i first halves. */
static void rotate_rows(struct merge *merge)
{
    struct sorting *sorting = merge->sorting;
    for (uint32_t i = 0; i < merge->down->intervals; i++)
        for (uint32_t row = merge->down->cut[i]; row < merge->down->cut[i + 1]; row++)
            sorting->offset[row] = row - merge->down->cut[i];
    rotate(sorting, (struct rotate){.lines = sorting_lines(sorting, false, merge->across),
                                    .context = merge,
                                    .shift = shift_of_row});
}

/* Step 5: the steps that the columns need after the rotation, in tiles of this height. */
static uint32_t steps_after_rotation(const struct cuts *across, uint32_t height)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < across->intervals; i++) {
        uint32_t width = across->cut[i + 1] - across->cut[i], steps = first_half(height);
        if (width % 2 == 1) {
            uint32_t drift = height * first_half(width) / width;
            steps = (drift > steps ? drift : steps) + 1 + (height > 2 * width);
        }
        if (width >= 2 && steps > most)
            most = steps;
    }
    return height <= 2 ? height / 2 : most;
}

bool sorting_is_merged(const struct sorting *sorting, uint32_t level)
{
    return sorting->across.level[level + 1].longest >= 2 ||
           sorting->down.level[level + 1].longest < 2;
}

void sorting_merge_level(struct sorting *sorting, uint32_t level)
{
    struct merge merge = {sorting, &sorting->down.level[level], &sorting->across.level[level],
                          &sorting->down.level[level + 1], &sorting->across.level[level + 1]};
    uint32_t height = merge.down->longest, width = merge.across->longest;
    if (height < 2 || (width < 2 && level > 0))
        return;
    sort_quadrant_rows(&merge, false);
    bool are_merged = sorting_is_merged(sorting, level);
    sorting_columns(sorting, merge.down, are_merged ? height - 1 : steps_to_sort(height),
                    are_merged);
    if (width < 2)
        return;
    sort_quadrant_rows(&merge, true);
    rotate_rows(&merge);
    sorting_columns(sorting, merge.down, steps_after_rotation(merge.across, height), false);
}

void sorting_by_merges(struct sorting *sorting)
{
    for (uint32_t level = SORT_LEVELS - 1; level-- > 0;)
        sorting_merge_level(sorting, level);
}

/* ---- shearsort ---- */

void sorting_by_shears(struct sorting *sorting)
{
    uint32_t height = sorting->down.level[0].longest;
    for (uint32_t dirty = height; dirty > 1; dirty = first_half(dirty)) {
        sorting_snake_rows(sorting, 0);
        sorting_columns(sorting, &sorting->down.level[0], steps_to_sort(height), false);
    }
}
