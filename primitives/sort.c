/* sort.c - sorting by merges of many blocks at once, each dealt evenly over all columns.
 *
 * For tiles of any sides. With one packet per node a row of k nodes is sorted in k steps, each of
 * which uses every second link. With two per node in k / 2 nodes, the two are compared without a
 * step, every link works in every step, and k / 2 steps are enough; columns are then two per node,
 * which use its links in turn: as many steps as one. So the packets of each row of a tile walk into
 * its middle half (machine_pair), are sorted there as an array of cells, two per node, and walk
 * back: rows of k cells are permuted or sorted in k / 2 steps, and columns of h cells in h. A tile
 * of R rows and C columns is merged from Kr x Kc blocks, each sorted along its own snake, in slices
 * of up to w columns; blocks and slices are intervals of nested halvings of C (deal_plan.h):
 *     1. deal: a fixed permutation of each row (below)
 *             steps: C / 2, or C / 2 - 1 if 4 divides C and w < C
 *     2. columns of the tile
 *             steps: R
 *     3. for d = D, ceil(d / 2), .. 2: rows of the slices in alternating directions, then the
 *        columns again; then rows again
 *             steps: w / 2 + ceil(d / 2) + 1 each; w / 2
 *     4. of two slices with L and W - L columns, L >= W - L, one: in each row they are interleaved,
 *        then the disorder is mended
 *             steps: L / 2 + mending
 * until the slice is the tile; divisions are rounded down, rows of two cells need no steps. The
 * tile is then in the order of its snake. Blocks of one row are sorted as rows.
 *   Blocks. Kc is 1, or 2, or a power of two if all halvings between tile and blocks are even. D =
 * ceil(Kr / 2) if Kc = 1, else Kr Kc / 2.
 *   Interleaving. Place u of W gets the next cell of the left slice if ceil(u L / W) grows after
 * it, else of the right one: as evenly as possible, alternately if L = W / 2. All rows alike.
 *   The deal. The C columns form a ring: the ring's place u is the column from which all the
 * interleaving of step 4 would bring a cell to u. A block takes places in the order of its snake,
 * one after the other, round and round. Blocks as wide as the tile start at place 0, and in odd
 * bands they go backward. Else the places are shared evenly by the pairs of blocks 2 j and 2 j + 1
 * of a row, b and b' wide: in row 0 the one goes forward from the first of b + b' places, the other
 * backward from the last of them; in row i the one begins i b places on, the other i b' back. Since
 * i b = - i b' (mod b + b'), in each row the blocks that go forward take some b of every b + b'
 * places, and those that go backward the others.
 *
 * Proof, for 0 and 1; only fixed permutations and comparisons are used, so by the 0-1 principle for
 * all. The zeros of a sorted block are a prefix of its snake, which goes round the ring: of two
 * columns the one that is earlier in the block's round has as many zeros of this block as the
 * other, or one more. Half of the blocks go round forward and half backward, from the same starts
 * (Kc = 1: from one start, and bands take turns), so half of them favour either column, and two
 * columns of the tile differ by at most D zeros. Then
 *   2. leaves at most D dirty rows (with zeros and ones) in a slice, whose zeros decrease
 *      downwards.
 *   3. When neighbouring rows are sorted in opposite directions, of each two one is clean in every
 *      column: a column is zeros, at most ceil(d / 2) pairs 01 or 10, and ones. Odd-even
 *      transposition sorts that in ceil(d / 2) + 1 rounds of either parity, and half of the dirty
 *      rows are left. When one is, the last rows bring the slice into the order of its snake.
 *   4. Two slices that become one are a ring of W places by themselves, with L of the left one. Of
 *      r places from o on ceil((o + r) L / W) - ceil(o L / W) are left: r L / W and an error.
 *      Errors are within 1 - 1 / P, P = W / gcd(L, W), of each other; whatever the start adds to
 *      forward blocks it takes from backward ones. So of Z zeros of both slices Z L / W + E are in
 *      the left one, |E| <= D (1 - 1 / P). The first Z places of the snake have less than 1 left
 *      ones more or fewer than Z L / W, so that e <= (D + 1) (1 - 1 / P) zeros are too many on one
 *      side: the snake is zeros, and from the e-th place of one slice before Z to the e-th of the
 *      other after it the one slice's ones between the other's zeros, and ones. These are at most
 *      (e + 1) W / L + e W / (W - L) places, each term rounded up, or as many with the 1 at the
 *      other e: a stretch of k places has a slice's share of k or one more or less, in one row or
 *      in each of two.
 * Mending. Odd-even transposition sorts zeros and ones in at most 1 + max (ones before + zeros
 * behind) rounds, over all zeros that have a one before them: let G(i, k) be the round in which
 * zero i passes the k-th one before it; after zero i - 1 has passed that one, and zero i the one
 * after it, the two are neighbours, and of the next round's parity: G(i, k) = 1 + max(G(i - 1, k),
 * G(i, k + 1)), and neighbours from the start meet in round 1 or 2. With l places in disorder the
 * maximum is less than (l - 1) L / W + 2 in one row, + 3 in two.
 *   a. L = W / 2, all slices even: the places are e pairs twice, each pair at one node. In the
 *      nodes they become 01; zero i has to move by i <= D - 1 cells, two per step along the snake,
 *      and never waits: D / 2 steps.
 *   b. Else, all slices even: along the snake, as many rounds as above, two per step and one free:
 *      s steps are 2 s + 1 rounds, since nodes compare their own two cells before the first.
 *   c. A slice is odd (the last of an odd tile): its snake turns within a node, and would need the
 *      links of a step for that. So rows in alternating directions; columns, 2 steps; rows.
 *      Disorder is in two rows at most (other plans are not made). Rows make the first of them
 *      zeros and p ones and the second q zeros and ones, p ones above q zeros; columns put
 *      min(p, q) of them right; rows bring the other max(p, q) - min(p, q) over min(p, q), p - 1 or
 *      q - 1 rounds. If all disorder is in one row the first rows may be a round short, and the
 *      second ones end it.
 * Interleaving needs L / 2 steps: for a threshold k of places N = ceil(k L / W) zeros are on the
 * left, before L - N ones, then k - N zeros: they meet at a link, in round 2, and the last zero is
 * there after L - N + k - N <= L rounds. A deal needs C / 2 as any permutation. Its last step,
 * which is the last of C rounds, is needed only where for some k the first k cells go to the last
 * k, k even: then the last one of the ones in front waits a round before it starts. But of two
 * neighbours in a block one goes to the left half of the tile and one to the right half, where
 * halves are alike and w < C: k > C / 2 because of the first two cells, C - k > C / 2 because of
 * the last two.
 *   D is least possible: whatever is dealt once, an adversary that chooses each block's zeros can
 * favour one column of two in half of the blocks.
 *
 * Steps of squares, with the walks in and out: for powers of two 13, 31, 67, 131, 247, 467, 874,
 * 1646, 3130, 6023 for side 4 .. 2048, 3.06 m at 1024; 2.5 m + O(m^(2/3) log m) in the limit. For
 * all sides m at most 5 m + 5 ceil(log2 m), and at most 5 m from 100 on (the plan's arithmetic,
 * gone through for all sides to 2100; 352, 639, 1163 for 65, 129, 257); with Kc = 2 once 3.25 m +
 * O(sqrt(m) log m). Two packets per node. Data-oblivious.
 * Cost: 12 bytes per row and per column of the mesh, and 16 C bytes per pattern of a deal: 2 or Kc
 * of them, or up to R / Kr if halves are unequal.
 */
#include "primitives/sort.h"

#include "primitives/deal_plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A sort under way, or the count of its steps. "Rows" are lines of the mesh's rows, or of its
 * columns in column-major order. */
struct sorting {
    sort_actor *actor; /* NULL: steps are counted only */
    void *context;     /* the actor's */
    const struct sort_plan *plan;
    struct cuts down, across; /* the tiles, along columns and along rows */
    uint32_t height;          /* number of rows of the mesh */
    uint8_t *line_flag;       /* [height] */
    uint32_t *pattern;        /* [height]: of each row, in permutations */
    uint32_t *target;         /* of permutations */
    uint64_t steps;
    enum failure_kind kind;
    struct failure *failure;
};

/* ---- instructions ---- */

static enum failure_kind act_on_machine(void *context, const struct sort_act *act,
                                        struct failure *failure)
{
    struct machine *machine = context;
    switch (act->instruction) {
    case SORT_PAIR:
        return machine_pair(machine, &act->lines, failure);
    case SORT_UNPAIR:
        return machine_unpair(machine, failure);
    case SORT_COMPARE:
        return machine_compare(machine, &act->compare, failure);
    case SORT_PERMUTE:
        return machine_permute(machine, &act->permute, failure);
    case SORT_COMPARE_SNAKES:
        return machine_compare_snakes(machine, &act->snakes, failure);
    }
    return FAIL_NONE;
}

/* Returns the rows, or the columns, cut into intervals. */
static struct lines lines_of(const struct sorting *sorting, bool columns, const struct cuts *cuts)
{
    return (struct lines){columns != sorting->plan->column_major, cuts->intervals, cuts->cut};
}

/* Counts the next instruction's steps, and passes it to the actor. */
static void act(struct sorting *sorting, struct sort_act next)
{
    sorting->steps += next.steps;
    if (sorting->actor != NULL && sorting->kind == FAIL_NONE)
        sorting->kind = sorting->actor(sorting->context, &next, sorting->failure);
}

static void compare(struct sorting *sorting, struct compare compare)
{
    act(sorting,
        (struct sort_act){.instruction = SORT_COMPARE, .steps = compare.steps, .compare = compare});
}

/* SORT_PAIR or SORT_UNPAIR: packets walk into the middle halves of the rows, two per node, or
 * back. */
static void walk(struct sorting *sorting, enum sort_instruction instruction)
{
    struct lines lines = lines_of(sorting, false, &sorting->across);
    act(sorting, (struct sort_act){.instruction = instruction,
                                   .steps = machine_pair_steps(&lines),
                                   .lines = lines});
}

/* ---- a merge ---- */

/* A merge under way: the tiles and their blocks. */
struct merge {
    struct sorting *sorting;
    const struct deal_plan *plan;
    struct deal_choice choice;
    uint32_t depth, differ;
    struct cuts tiles, blocks; /* down */
};

/* ---- lines ---- */

/* Rows in the intervals of a depth, all forward or every second one of a tile backward. */
static void sort_rows(const struct merge *merge, uint32_t depth, uint32_t steps, bool alternate)
{
    struct sorting *sorting = merge->sorting;
    for (uint32_t i = 0; i < merge->tiles.intervals; i++)
        for (uint32_t row = merge->tiles.cut[i]; row < merge->tiles.cut[i + 1]; row++)
            sorting->line_flag[row] = alternate && (row - merge->tiles.cut[i]) % 2 == 1;
    struct lines lines = lines_of(sorting, false, &merge->plan->depth[depth].cuts);
    compare(sorting,
            (struct compare){.lines = lines, .steps = steps, .line_flag = sorting->line_flag});
}

static void sort_columns(const struct merge *merge, uint32_t steps)
{
    compare(merge->sorting, (struct compare){.lines = lines_of(merge->sorting, true, &merge->tiles),
                                             .steps = steps});
}

static void compare_snakes(const struct merge *merge, uint32_t depth, uint32_t steps)
{
    struct snakes snakes = {lines_of(merge->sorting, false, &merge->plan->depth[depth].cuts),
                            merge->tiles.intervals, merge->tiles.cut, steps};
    act(merge->sorting,
        (struct sort_act){.instruction = SORT_COMPARE_SNAKES, .steps = steps, .snakes = snakes});
}

/* ---- permutations ---- */

/* Returns the number of tiles of a depth in a permutation: one if all are alike. */
static uint32_t segments_of(const struct deal_depth *at)
{
    return at->widths == 1 && !at->has_odd ? 1 : at->cuts.intervals;
}

static void permute(const struct merge *merge, uint32_t depth, uint32_t patterns, uint32_t steps)
{
    const struct deal_depth *at = &merge->plan->depth[depth];
    struct permute permute = {.segments = segments_of(at),
                              .cut = at->cuts.cut,
                              .patterns = patterns,
                              .target = merge->sorting->target,
                              .pattern = merge->sorting->pattern,
                              .steps = steps};
    act(merge->sorting,
        (struct sort_act){.instruction = SORT_PERMUTE, .steps = steps, .permute = permute});
}

/* Returns how many of the first `count` places of an interval interleaved from `left` and other
 * cells, `width` in all, hold left ones. */
static uint32_t lefts(uint32_t count, uint32_t left, uint32_t width)
{
    return (uint32_t)(((uint64_t)count * left + width - 1) / width);
}

/* Returns the place from which interleaving fetches the cell for a place of an interval: halves'
 * cells alternately, as evenly as can be. */
static uint32_t fetched_from(uint32_t place, uint32_t width)
{
    uint32_t left = deal_left(width), before = lefts(place, left, width);
    return lefts(place + 1, left, width) > before ? before : left + place - before;
}

/* Sets column[x] to the place in the tile's slices of the ring's place x; both count from the
 * line's start. column[] has 2 `length` elements, the second half for use here. */
static void find_columns(const struct merge *merge, uint32_t length, uint32_t *column)
{
    uint32_t *before = column + length;
    for (uint32_t x = 0; x < length; x++)
        column[x] = x;
    for (uint32_t i = merge->choice.slices; i-- > 0;) {
        const struct cuts *cuts = &merge->plan->depth[merge->depth + i].cuts;
        memcpy(before, column, length * sizeof *column);
        for (uint32_t s = 0; s < cuts->intervals && cuts->cut[s] < length; s++) {
            uint32_t start = cuts->cut[s], width = cuts->cut[s + 1] - start;
            for (uint32_t x = 0; x < width; x++)
                column[start + x] = before[start + fetched_from(x, width)];
        }
    }
}

/* Returns the place of the tile's ring, counted from the tile's start, to which the cell at x of
 * the line goes in row i of its block; one row of blocks: in rows of an even i + band, or of an odd
 * one. */
static uint32_t ring_place(const struct merge *merge, uint32_t tile, uint32_t x, uint32_t i)
{
    const uint32_t *tiles = merge->plan->depth[merge->depth].cuts.cut;
    uint32_t across = merge->choice.across, blocks = 1u << across;
    uint32_t start = tiles[tile], width = tiles[tile + 1] - start;
    if (across == 0)
        return i == 0 ? x - start : width - 1 - (x - start);
    const uint32_t *cut = merge->plan->depth[merge->depth + across].cuts.cut + tile * blocks;
    uint32_t j = 0;
    while (cut[j + 1] <= x)
        j++;
    uint32_t block = cut[j + 1] - cut[j], rank = i % 2 == 0 ? x - cut[j] : cut[j + 1] - 1 - x;
    uint32_t part = width / (blocks / 2), wound = (uint32_t)((uint64_t)i * block % width);
    uint32_t place = j / 2 * part + wound + rank;
    if (j % 2 == 1) /* backward, from the end of its part */
        place = (j / 2 + 1) * part - 1 + 2 * width - wound - rank;
    return place % width;
}

/* Sets the targets of each pattern in the tiles of a line. */
static void find_targets(const struct merge *merge, uint32_t period, uint32_t length,
                         const uint32_t *column)
{
    const uint32_t *cut = merge->plan->depth[merge->depth].cuts.cut;
    uint32_t *target = merge->sorting->target;
    for (uint32_t i = 0; i < period; i++)
        for (uint32_t tile = 0, x = 0; x < length; x++) {
            while (cut[tile + 1] <= x)
                tile++;
            *target++ = column[cut[tile] + ring_place(merge, tile, x, i)];
        }
}

/* Returns the number of rows after which a row of blocks repeats its deal. */
static uint32_t deal_period(const struct merge *merge)
{
    const struct deal_plan *plan = merge->plan;
    uint32_t across = merge->choice.across, most = 2;
    for (uint32_t i = 0; i < merge->blocks.intervals; i++) {
        uint32_t height = merge->blocks.cut[i + 1] - merge->blocks.cut[i];
        most = height > most ? height : most;
    }
    if (across == 0)
        return 2;
    return plan->depth[merge->depth].halves_alike ? 1u << across : most;
}

/* Rows of odd bands of blocks that are as wide as the tile are dealt backward. */
static void find_patterns(const struct merge *merge, uint32_t period)
{
    bool is_whole = merge->choice.across == 0;
    for (uint32_t i = 0; i < merge->blocks.intervals; i++)
        for (uint32_t row = merge->blocks.cut[i]; row < merge->blocks.cut[i + 1]; row++) {
            uint32_t band = is_whole ? i % merge->choice.down : 0;
            merge->sorting->pattern[row] = (row - merge->blocks.cut[i] + band) % period;
        }
}

static bool make_targets(struct sorting *sorting, size_t patterns, uint32_t length)
{
    free(sorting->target);
    sorting->target = memory_allocate(patterns * length, sizeof *sorting->target);
    if (sorting->target == NULL)
        sorting->kind = fail_memory(sorting->failure, "sorting");
    return sorting->target != NULL;
}

/* ---- a merge ---- */

/* Step 1. */
static void deal_blocks(const struct merge *merge)
{
    struct sorting *sorting = merge->sorting;
    const struct deal_depth *at = &merge->plan->depth[merge->depth];
    uint32_t period = deal_period(merge), length = at->cuts.cut[segments_of(at)];
    if (sorting->actor != NULL && make_targets(sorting, period, length)) {
        uint32_t *column = memory_allocate(length, 2 * sizeof *column);
        if (column == NULL) {
            sorting->kind = fail_memory(sorting->failure, "sorting");
        } else {
            find_columns(merge, length, column);
            find_targets(merge, period, length, column);
            find_patterns(merge, period);
        }
        free(column);
    }
    permute(merge, merge->depth, period,
            deal_deal_steps(merge->plan, merge->depth, merge->choice.slices));
}

/* Step 3. */
static void sort_slices(const struct merge *merge)
{
    uint32_t depth = merge->depth + merge->choice.slices;
    uint32_t width = merge->plan->depth[depth].cuts.longest, steps = deal_row_steps(width);
    if (width == 1)
        return;
    for (uint32_t d = merge->differ; d > 1; d = (d + 1) / 2) {
        sort_rows(merge, depth, steps, true);
        sort_columns(merge, (d + 1) / 2 + 1);
    }
    sort_rows(merge, depth, steps, true);
}

/* Step 4: slices become the intervals of a depth. */
static void interleave(const struct merge *merge, uint32_t depth)
{
    struct sorting *sorting = merge->sorting;
    const struct deal_depth *at = &merge->plan->depth[depth];
    uint32_t segments = segments_of(at);
    if (sorting->actor != NULL && make_targets(sorting, 1, at->cuts.cut[segments])) {
        for (uint32_t s = 0; s < segments; s++) {
            uint32_t start = at->cuts.cut[s], width = at->cuts.cut[s + 1] - start;
            for (uint32_t x = 0; x < width; x++)
                sorting->target[start + fetched_from(x, width)] = start + x;
        }
        memset(sorting->pattern, 0, sorting->height * sizeof *sorting->pattern);
    }
    permute(merge, depth, 1, deal_interleave_steps(merge->plan, depth));
    if (!at->has_odd) {
        compare_snakes(merge, depth, at->mend[merge->differ]);
        return;
    }
    sort_rows(merge, depth, at->mend[merge->differ], true);
    sort_columns(merge, 2);
    sort_rows(merge, depth, at->mend[merge->differ], true);
}

static void merge_blocks(const struct merge *merge)
{
    deal_blocks(merge);
    sort_columns(merge, merge->tiles.longest);
    sort_slices(merge);
    for (uint32_t depth = merge->depth + merge->choice.slices; depth-- > merge->depth;)
        interleave(merge, depth);
}

/* ---- all merges ---- */

/* Cuts each interval into so many parts. */
static bool cut_down(struct cuts *parts, const struct cuts *tiles, uint32_t count)
{
    parts->intervals = tiles->intervals * count;
    parts->longest = (tiles->longest + count - 1) / count;
    parts->cut = memory_allocate((size_t)parts->intervals + 1, sizeof *parts->cut);
    if (parts->cut == NULL)
        return false;
    for (uint32_t i = 0; i < tiles->intervals; i++) {
        uint64_t height = tiles->cut[i + 1] - tiles->cut[i];
        for (uint32_t part = 0; part <= count; part++)
            parts->cut[i * count + part] = tiles->cut[i] + (uint32_t)(height * part / count);
    }
    return true;
}

static void sort_to_tiles(struct sorting *sorting, const struct deal_plan *plan, uint32_t depth,
                          const struct cuts *tiles)
{
    struct deal_choice choice = *deal_choice_of(plan, tiles->longest, depth);
    struct merge merge = {sorting, plan, choice, depth, deal_differ(choice.down, choice.across),
                          *tiles,  {0}};
    if (tiles->longest == 1) {
        sort_rows(&merge, depth, deal_row_steps(plan->depth[depth].cuts.longest), false);
        return;
    }
    if (!cut_down(&merge.blocks, tiles, choice.down)) {
        sorting->kind = fail_memory(sorting->failure, "sorting");
        return;
    }
    sort_to_tiles(sorting, plan, depth + choice.across, &merge.blocks);
    merge_blocks(&merge);
    free(merge.blocks.cut);
}

/* ---- the sort ---- */

/* Pairs the rows, merges, and pairs no more. */
static void sort(struct sorting *sorting)
{
    struct deal_plan plan;
    const struct cuts *tiles = &sorting->down;
    sorting->kind = deal_plan_make(&plan, tiles->longest, &sorting->across, sorting->failure);
    if (sorting->kind == FAIL_NONE) {
        walk(sorting, SORT_PAIR);
        uint64_t before = sorting->steps;
        sort_to_tiles(sorting, &plan, 0, tiles);
        assert(sorting->kind != FAIL_NONE ||
               sorting->steps - before == deal_choice_of(&plan, tiles->longest, 0)->steps);
        walk(sorting, SORT_UNPAIR);
    }
    deal_plan_free(&plan);
}

static struct cuts cuts_of(const struct axis *axis)
{
    return (struct cuts){axis_intervals(axis), axis->cut, axis_longest(axis)};
}

/* Sorts, or counts the steps if there is no actor. */
static enum failure_kind run(struct sorting *sorting)
{
    const struct tessellation *tiles = sorting->plan->tiles;
    const struct axis *row = &tiles->row, *col = &tiles->col;
    bool column_major = sorting->plan->column_major;
    sorting->down = cuts_of(column_major ? col : row);
    sorting->across = cuts_of(column_major ? row : col);
    sorting->height = (column_major ? col : row)->length;
    sorting->line_flag = memory_allocate(sorting->height, sizeof *sorting->line_flag);
    sorting->pattern = memory_allocate(sorting->height, sizeof *sorting->pattern);
    if (sorting->line_flag == NULL || sorting->pattern == NULL)
        sorting->kind = fail_memory(sorting->failure, "sorting");
    else
        sort(sorting);
    free(sorting->line_flag);
    free(sorting->pattern);
    free(sorting->target);
    return sorting->kind;
}

enum failure_kind sort_instruct(const struct sort_plan *plan, sort_actor *actor, void *context,
                                struct failure *failure)
{
    struct sorting sorting = {.actor = actor, .context = context, .plan = plan, .failure = failure};
    return run(&sorting);
}

enum failure_kind sort_steps(const struct sort_plan *plan, uint64_t *steps, struct failure *failure)
{
    struct sorting sorting = {.plan = plan, .failure = failure};
    enum failure_kind kind = run(&sorting);
    *steps = sorting.steps;
    return kind;
}

enum failure_kind sort_tiles(struct machine *machine, const struct sort_plan *plan,
                             struct failure *failure)
{
    enum failure_kind kind = machine_open_plane(machine, plan->key, plan->context, failure);
    if (kind != FAIL_NONE)
        return kind;
    kind = sort_instruct(plan, act_on_machine, machine, failure);
    if (kind == FAIL_SYSTEM) { /* perhaps only at this rank: others do not close theirs */
        machine_drop_plane(machine);
        return kind;
    }
    enum failure_kind closed = machine_close_plane(machine, failure);
    return kind == FAIL_NONE ? closed : kind;
}
