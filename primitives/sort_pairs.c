/* sort_pairs.c - sorting with two packets a node in half of the nodes.
 *
 * With a packet a node, a row of k nodes is sorted in k steps of which each uses every second link:
 * half of what a row could carry is lost. With two packets a node in k / 2 nodes, the two are
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
 * Proof in outline, for 0 and 1. Invariant: a merged tile has at most one dirty row. Before 1 let,
 * in the upper half, the zeros of one quadrant end above those of the other. Rows between have half
 * of their cells zero, and 1 puts them left and right in turn: two such rows add one zero to every
 * column. What is over, with the two dirty rows, is a few arcs from either end that, in the three
 * cases of parity, cover no two columns unevenly by more than one. So columns of a half differ by one
 * zero at most, those of the tile by two, and 2 leaves two dirty rows. After 3 one of them has its
 * zeros on the left and the other on the right: one comparison between the two (one of the two
 * steps of 4) makes one row of them clean. Any heights will do, but halves of equal width are needed.
 * 2 takes what sorts any column; fewer fail on 4 x 4, while h - 1 were enough for all other states
 * tried.
 *
 * Steps for a square of side m, a power of two from 4 on: m / 4 in, 2 k + 2 a level (4 for k = 2),
 * m / 2, m / 4 back: 5 m + 2 log2 m - 6. With odd widths about 3 k for their level; at worst
 * (m odd) 7 m. Two packets a node where all tiles have the same
 * width, a power of two; else four at most.
 */
#include "primitives/sort_private.h"

static void pair(struct sorting *sorting)
{
    struct lines lines = sorting_lines(sorting, false, &sorting->across.level[0]);
    sorting->steps += machine_pair_steps(&lines);
    if (sorting->machine != NULL && sorting->kind == FAIL_NONE)
        sorting->kind = machine_pair(sorting->machine, &lines, sorting->failure);
    sorting->is_paired = true;
}

void sorting_unpair(struct sorting *sorting)
{
    struct lines lines = sorting_lines(sorting, false, &sorting->across.level[0]);
    sorting->steps += machine_pair_steps(&lines);
    if (sorting->machine != NULL && sorting->kind == FAIL_NONE)
        sorting->kind = machine_unpair(sorting->machine, sorting->failure);
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
    pair(sorting);
    for (uint32_t level = SORT_LEVELS - 1; level-- > 0;) {
        bool has_halves =
            sorting->down.level[level].longest >= 2 && are_all_even(&sorting->across.level[level]);
        if (has_halves && sorting_is_merged(sorting, level))
            merge_pairs(sorting, level);
        else
            sorting_merge_level(sorting, level);
    }
}
