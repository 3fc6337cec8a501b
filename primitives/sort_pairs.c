/* sort_pairs.c - sorting with two packets per node in half of the nodes.
 *
 * With a packet per node, a row of k nodes is sorted in k steps of which each uses every second link:
 * half of what a row could carry is lost. With two packets per node in k / 2 nodes, the two are
 * compared without a step, and every link works in every step: k / 2 steps. Columns are then two
 * columns a node, which use its links in turn: as many steps as one. So the packets of each row
 * of a tile walk into its middle half (machine_pair), are sorted there as an array of cells, and
 * walk back. On each level with even widths, tiles of up to h x k cells:
 *     1. rows of the tile, in alternating directions                        k / 2; none for k = 2
 *     2. columns of the tile                                                      h
 *     3. rows again                                                           as in 1
 *     4. columns again                                                            2
 * and levels with an odd width are merged as in sort.c, with half of its steps along rows and one
 * more along columns. At the end the rows of the whole (w / 2) in alternating directions.
 *
 * Proof in outline, for 0 and 1. Invariant: a merged tile has at most one dirty row. In the upper
 * half of a tile, whose halves are w / 2 wide, there are from top to bottom: rows of zeros; the
 * dirty row of one quadrant, w / 2 + x zeros with those beside it; n rows that are half zero; the
 * dirty row of the other quadrant, y zeros; rows of ones. (Or both dirty rows are one; that is
 * less.) Step 1 puts zeros left and right in turn. If n is even, a column has n / 2 zeros from the
 * rows between, and one more in a prefix of w / 2 + x and a suffix of y columns: columns differ by
 * one. If it is odd, (n - 1) / 2, and one more in a prefix of w / 2 + x, a suffix of w / 2 and a
 * prefix of y: each column is in one or two of the three, and columns differ by one. So do those
 * of the lower half, and those of the tile by two: 2 leaves two dirty rows, which follow each
 * other. After 3 one has its zeros on the left and the other on the right, and one comparison
 * between the two (in one of the two steps of 4) makes one of them clean. Heights are free; halves
 * must have equal widths. 2 takes what sorts any column: h - 1 steps fail for tiles of 4 x 4.
 *
 * Data-oblivious, as all methods. Square of side m, a power of two from 4 on: m / 4 steps in, 4
 * for k = 2, 2 k + 2 for each level above, m / 2, and m / 4 back: exactly 5 m + 2 log2 m - 6. A
 * level with an odd width takes about 3 k; so any side takes at most 7 m + 4 log2 m (worst at 9:
 * 7.56 m; tried up to 2100), and fewer than by merges from 8 on. Two packets per node where all
 * tiles have the same width, a power of two; else four at most.
 */
#include "primitives/sort_private.h"

void sorting_pair(struct sorting *sorting)
{
    struct lines lines = sorting_lines(sorting, false, &sorting->across.level[0]);
    sorting_act(sorting, (struct sort_act){.instruction = SORT_PAIR,
                                           .steps = machine_pair_steps(&lines),
                                           .lines = lines});
    sorting->is_paired = true;
}

void sorting_unpair(struct sorting *sorting)
{
    struct lines lines = sorting_lines(sorting, false, &sorting->across.level[0]);
    sorting_act(sorting, (struct sort_act){.instruction = SORT_UNPAIR,
                                           .steps = machine_pair_steps(&lines),
                                           .lines = lines});
    sorting->is_paired = false;
}

static bool are_all_even(const struct cuts *cuts)
{
    for (uint32_t i = 0; i < cuts->intervals; i++)
        if ((cuts->cut[i + 1] - cuts->cut[i]) % 2 == 1)
            return false;
    return true;
}

static void merge_pairs(struct sorting *sorting, uint32_t level)
{
    const struct cuts *down = &sorting->down.level[level];
    sorting_snake_rows(sorting, level);
    sorting_columns(sorting, down, down->longest - 1, false);
    sorting_snake_rows(sorting, level);
    sorting_columns(sorting, down, 1, false);
}

void sorting_by_pairs(struct sorting *sorting)
{
    sorting_pair(sorting);
    for (uint32_t level = SORT_LEVELS - 1; level-- > 0;) {
        bool has_halves =
            sorting->down.level[level].longest >= 2 && are_all_even(&sorting->across.level[level]);
        if (has_halves && sorting_is_merged(sorting, level))
            merge_pairs(sorting, level);
        else
            sorting_merge_level(sorting, level);
    }
}
