/* test_sort_deal.c - sorting by deals: every state of small merges, bounds reached, steps needed.
 *
 * A sort's instructions run on zeros and ones here (sort_planes.c), 64 inputs a word; that the
 * machine does the same is what test_permute.c, test_pair.c and test_sort.c try. A merge's state is
 * the number of zeros of each of its blocks.
 */
#include "base/pcg.h"
#include "primitives/deal_plan.h"
#include "test/length.h"
#include "test/primitives/sort_planes.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *sort_deal_suite(void);

/* Input number `lane` has a one at the cell. */
static void put_one(struct sort_planes *planes, uint32_t cell, uint32_t lane)
{
    sort_planes_at(planes, cell)[lane / 64] |= UINT64_C(1) << lane % 64;
}

/* ---- all of them ---- */

static void check_inputs(uint32_t rows, uint32_t cols)
{
    struct sort_planes planes;
    uint32_t cells = rows * cols;
    sort_planes_make(&planes, rows, cols, ((1u << cells) + 63) / 64);
    for (uint32_t input = 0; input < 1u << cells; input++)
        for (uint32_t cell = 0; cell < cells; cell++)
            if (input >> cell & 1)
                put_one(&planes, cell, input);
    sort_planes_run(&planes);
    ck_assert(sort_planes_unsorted(&planes) == 0);
    sort_planes_free(&planes);
}

/* all inputs of all tiles of up to 16 cells, or up to 20 */
START_TEST(all_inputs)
{
    uint32_t most = TEST_IS_SHORT ? 16 : 20;
    for (uint32_t rows = 1; rows <= most; rows++)
        for (uint32_t cols = 1; rows * cols <= most; cols++)
            if (rows * cols >= 12)
                check_inputs(rows, cols);
}
END_TEST

/* ---- all states of a merge ---- */

/* The last merge of a tile: blocks, and which of them come where. */
struct blocks {
    struct deal_plan plan;
    uint32_t rows, down, across; /* numbers of blocks */
    const uint32_t *cut;         /* across */
    uint32_t differ, slices;
};

static void blocks_make(struct blocks *blocks, uint32_t rows, uint32_t cols)
{
    uint32_t cut[2] = {0, cols};
    struct cuts whole = {1, cut, cols};
    ck_assert_int_eq(deal_plan_make(&blocks->plan, rows, &whole, NULL), FAIL_NONE);
    struct deal_choice choice = *deal_choice_of(&blocks->plan, rows, 0);
    blocks->rows = rows;
    blocks->down = choice.down;
    blocks->across = 1u << choice.across;
    blocks->cut = blocks->plan.depth[choice.across].cuts.cut;
    blocks->differ = deal_differ(choice.down, choice.across);
    blocks->slices = choice.slices;
}

/* A block, by its number. */
struct block {
    uint32_t corner, rows, cols;
};

static uint32_t blocks_count(const struct blocks *blocks)
{
    return blocks->down * blocks->across;
}

static struct block block_at(const struct blocks *blocks, const struct sort_planes *planes,
                             uint32_t number)
{
    uint32_t i = number / blocks->across, j = number % blocks->across;
    uint32_t first = blocks->rows * i / blocks->down, end = blocks->rows * (i + 1) / blocks->down;
    return (struct block){first * planes->cols + blocks->cut[j], end - first,
                          blocks->cut[j + 1] - blocks->cut[j]};
}

/* Fills the block with `zeros` zeros, then ones, along its snake. */
static void fill_block(struct sort_planes *planes, struct block block, uint32_t zeros,
                       uint32_t lane)
{
    for (uint32_t i = zeros; i < block.rows * block.cols; i++)
        put_one(planes, sort_planes_snake(planes, block.corner, block.cols, i), lane);
}

static uint64_t count_states(const struct blocks *blocks, const struct sort_planes *planes)
{
    uint64_t states = 1;
    for (uint32_t b = 0; b < blocks_count(blocks) && states < UINT32_MAX; b++) {
        struct block block = block_at(blocks, planes, b);
        states *= block.rows * block.cols + 1;
    }
    return states;
}

/* Tries all states of the last merge, unless there are more than `most`; returns whether. */
static bool try_states(uint32_t rows, uint32_t cols, uint64_t most)
{
    struct sort_planes planes;
    struct blocks blocks;
    blocks_make(&blocks, rows, cols);
    planes.cols = cols;
    uint64_t states = count_states(&blocks, &planes);
    if (states <= most) {
        sort_planes_make(&planes, rows, cols, ((uint32_t)states + 63) / 64);
        for (uint32_t lane = 0; lane < states; lane++) {
            uint32_t left = lane;
            for (uint32_t b = 0; b < blocks_count(&blocks); b++) {
                struct block block = block_at(&blocks, &planes, b);
                fill_block(&planes, block, left % (block.rows * block.cols + 1), lane);
                left /= block.rows * block.cols + 1;
            }
        }
        sort_planes_run(&planes);
        ck_assert(sort_planes_unsorted(&planes) == 0);
        sort_planes_free(&planes);
    }
    deal_plan_free(&blocks.plan);
    return states <= most;
}

/* all states of the last merges of all tiles that have few of them, whatever their sides */
START_TEST(states_of_tiles)
{
    uint32_t tried = 0, most = TEST_IS_SHORT ? 20000 : 600000;
    for (uint32_t rows = 2; rows <= 24; rows++)
        for (uint32_t cols = 2; cols <= 24; cols++)
            tried += rows * cols > 16 && try_states(rows, cols, most);
    ck_assert_uint_gt(tried, 40);
}
END_TEST

enum { SIDE = 8, STATES = SIDE + 1, CHUNK = STATES * STATES * STATES * STATES };

/* The 9^8 states of the only merge of 8 x 8, from its rows, 9^4 of them at a time: those with these
 * zeros in the first four rows. Returns how many of them are not sorted in the end. */
static uint64_t try_rows(struct sort_planes *planes, const struct sort_planes *lower,
                         uint32_t upper)
{
    size_t half = (size_t)SIDE * SIDE / 2 * planes->words;
    memcpy(planes->bit + half, lower->bit + half, half * sizeof *planes->bit);
    for (uint32_t row = 0; row < SIDE / 2; row++, upper /= STATES)
        for (uint32_t col = 0; col < SIDE; col++)
            memset(sort_planes_at(planes, row * SIDE + col), col < upper % STATES ? 0 : 0xff,
                   planes->words * sizeof *planes->bit);
    sort_planes_run(planes);
    return sort_planes_unsorted(planes);
}

/* Their four lower rows. */
static void fill_lower(struct sort_planes *lower)
{
    for (uint32_t state = 0; state < CHUNK; state++) {
        uint32_t zeros = state;
        for (uint32_t row = SIDE / 2; row < SIDE; row++, zeros /= STATES)
            for (uint32_t col = zeros % STATES; col < SIDE; col++)
                put_one(lower, row * SIDE + col, state);
    }
}

/* all 43 046 721 states of the merge of 8 x 8 */
START_TEST(all_states)
{
    struct sort_planes planes, lower;
    uint32_t words = (CHUNK + 63) / 64;
    sort_planes_make(&planes, SIDE, SIDE, words);
    sort_planes_make(&lower, SIDE, SIDE, words);
    fill_lower(&lower);
    for (uint32_t upper = 0; upper < CHUNK; upper += TEST_IS_SHORT ? 11 : 1)
        ck_assert(try_rows(&planes, &lower, upper) == 0);
    sort_planes_free(&planes);
    sort_planes_free(&lower);
}
END_TEST

/* fewer comparisons fail: a round less of columns after rows, a step less along the snakes */
START_TEST(none_too_many)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct sort_planes planes, lower;
        uint32_t words = (CHUNK + 63) / 64, upper = 0;
        sort_planes_make(&planes, SIDE, SIDE, words);
        sort_planes_make(&lower, SIDE, SIDE, words);
        fill_lower(&lower);
        planes.fewer_columns = i == 0;
        planes.fewer_snakes = i == 1;
        while (upper < CHUNK && try_rows(&planes, &lower, upper) == 0)
            upper++;
        ck_assert_uint_lt(upper, CHUNK);
        sort_planes_free(&planes);
        sort_planes_free(&lower);
    }
}
END_TEST

/* ---- larger ones ---- */

static void clear(struct sort_planes *planes)
{
    memset(planes->bit, 0,
           (size_t)planes->rows * planes->cols * planes->words * sizeof *planes->bit);
}

/* Inputs with any share of ones, then blocks with any number of zeros. */
static void check_samples(uint32_t rows, uint32_t cols, struct pcg32 *random)
{
    struct sort_planes planes;
    struct blocks blocks;
    sort_planes_make(&planes, rows, cols, 1);
    blocks_make(&blocks, rows, cols);
    for (uint32_t lane = 0; lane < 64; lane++) {
        uint32_t share = pcg32_below(random, 1000);
        for (uint32_t cell = 0; cell < rows * cols; cell++)
            if (pcg32_below(random, 1000) >= share)
                put_one(&planes, cell, lane);
    }
    sort_planes_run(&planes);
    ck_assert(sort_planes_unsorted(&planes) == 0);
    clear(&planes);
    for (uint32_t lane = 0; lane < 64; lane++)
        for (uint32_t b = 0; b < blocks_count(&blocks); b++) {
            struct block block = block_at(&blocks, &planes, b);
            fill_block(&planes, block, pcg32_below(random, block.rows * block.cols + 1), lane);
        }
    sort_planes_run(&planes);
    ck_assert(sort_planes_unsorted(&planes) == 0);
    deal_plan_free(&blocks.plan);
    sort_planes_free(&planes);
}

/* samples: rectangles of all sides to 40, or a part of them, and larger ones */
START_TEST(samples)
{
    static const uint32_t larger[][2] = {{256, 256}, {65, 65},  {129, 100}, {100, 129},
                                         {66, 132},  {97, 193}, {200, 64},  {150, 255}};
    struct pcg32 random = pcg32_seed(1, 36);
    for (uint32_t rows = 1; rows <= 40; rows++)
        for (uint32_t cols = 1; cols <= 40; cols++)
            if (!TEST_IS_SHORT || rows == cols || pcg32_below(&random, 8) == 0)
                check_samples(rows, cols, &random);
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? 2 : 8); i++)
        check_samples(larger[i][0], larger[i][1], &random);
}
END_TEST

/* ---- against the deal ---- */

/* Two columns, or two neighbouring slices, and how much a zero in either counts: as many as the other
 * set has columns. */
struct pair {
    uint32_t a, b, a_width, b_width;
};

static int favours(const struct sort_planes *planes, const struct pair *pair, uint32_t cell)
{
    uint32_t col = planes->dealt_to[cell] % planes->cols;
    if (col - pair->a < pair->a_width)
        return (int)pair->b_width;
    return col - pair->b < pair->b_width ? -(int)pair->a_width : 0;
}

/* One of the numbers of zeros of a block that favour the first set most; *by: by how much. */
static uint32_t worst_zeros(const struct sort_planes *planes, const struct pair *pair,
                            struct block block, struct pcg32 *random, int *by)
{
    uint32_t worst = 0, found = 1;
    int ahead = 0, most = 0;
    for (uint32_t i = 0; i < block.rows * block.cols; i++) {
        ahead += favours(planes, pair, sort_planes_snake(planes, block.corner, block.cols, i));
        if (ahead > most)
            found = 0;
        if (ahead >= most && pcg32_below(random, ++found) == 0)
            worst = i + 1;
        most = ahead > most ? ahead : most;
    }
    *by += most;
    return worst;
}

/* Columns, or slices that are interleaved, chosen at random. */
static struct pair draw_pair(const struct blocks *blocks, uint32_t cols, struct pcg32 *random)
{
    if (blocks->slices == 0 || pcg32_below(random, 3) == 0) {
        uint32_t a = pcg32_below(random, cols);
        return (struct pair){a, (a + 1 + pcg32_below(random, cols - 1)) % cols, 1, 1};
    }
    const struct cuts *cuts = &blocks->plan.depth[1 + pcg32_below(random, blocks->slices)].cuts;
    uint32_t i = pcg32_below(random, cuts->intervals), j = i ^ 1;
    return (struct pair){cuts->cut[i], cuts->cut[j], cuts->cut[i + 1] - cuts->cut[i],
                         cuts->cut[j + 1] - cuts->cut[j]};
}

static void check_worst(uint32_t rows, uint32_t cols, bool is_reached, struct pcg32 *random)
{
    struct sort_planes planes;
    struct blocks blocks;
    int most = 0;
    sort_planes_make(&planes, rows, cols, 1);
    blocks_make(&blocks, rows, cols);
    sort_planes_run(&planes);
    for (uint32_t lane = 0; lane < 64; lane++) {
        struct pair pair = draw_pair(&blocks, cols, random);
        uint32_t last = pcg32_below(random, blocks_count(&blocks));
        int by = 0;
        for (uint32_t b = 0; b < blocks_count(&blocks); b++) {
            struct block block = block_at(&blocks, &planes, b);
            uint32_t zeros = worst_zeros(&planes, &pair, block, random, &by);
            if (b == last && pcg32_below(random, 2)) /* any threshold */
                zeros = pcg32_below(random, block.rows * block.cols + 1);
            fill_block(&planes, block, zeros, lane);
        }
        bool are_columns = pair.a_width == 1 && pair.b_width == 1;
        most = are_columns && by > most ? by : most;
        ck_assert(by <= (int)((pair.a_width + pair.b_width) * blocks.differ));
        ck_assert(!are_columns || by <= (int)blocks.differ);
    }
    ck_assert(!is_reached || most == (int)blocks.differ);
    sort_planes_run(&planes);
    ck_assert(sort_planes_unsorted(&planes) == 0);
    deal_plan_free(&blocks.plan);
    sort_planes_free(&planes);
}

/* blocks whose zeros favour one column, or one of two slices, as much as they can: by no more than
 * D, and by D for some; and they are sorted */
START_TEST(worst_states)
{
    static const uint32_t larger[] = {64, 65, 100, 129, 128, 131, 200, 255};
    struct pcg32 random = pcg32_seed(2, 37);
    for (uint32_t rows = 2; rows <= 40; rows++)
        for (uint32_t cols = 2; cols <= 40; cols++)
            if (!TEST_IS_SHORT || rows == cols || pcg32_below(&random, 8) == 0)
                check_worst(rows, cols, false, &random);
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? 3 : 8); i++)
        check_worst(larger[i], larger[i], true, &random);
}
END_TEST

Suite *sort_deal_suite(void)
{
    Suite *suite = suite_create("sort_deal");
    TCase *tests = tcase_create("sort_deal");
    tcase_add_test(tests, all_inputs);
    tcase_add_test(tests, states_of_tiles);
    tcase_add_test(tests, all_states);
    tcase_add_test(tests, none_too_many);
    tcase_add_test(tests, samples);
    tcase_add_test(tests, worst_states);
    suite_add_tcase(suite, tests);
    return suite;
}
