/* test_sort_deal.c - sorting by deals: every state of small merges, bounds reached, steps needed.
 *
 * A sort's instructions run on zeros and ones here (sort_planes.c), 64 inputs a word; that the
 * machine does the same is what test_permute.c, test_pair.c and test_sort.c try. A merge's state is
 * the number of zeros of each of its blocks.
 */
#include "machine/pcg.h"
#include "primitives/sort.h"
#include "test/length.h"
#include "test/quiet_check.h"
#include "test/sort_planes.h"

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

/* all 65536 inputs of 4 x 4 */
START_TEST(all_inputs)
{
    struct sort_planes planes;
    sort_planes_make(&planes, 4, 4, (1 << 16) / 64);
    for (uint32_t input = 0; input < 1 << 16; input++)
        for (uint32_t cell = 0; cell < 16; cell++)
            if (input >> cell & 1)
                put_one(&planes, cell, input);
    ck_assert_uint_eq(sort_planes_run(&planes, SORT_DEAL), 13);
    ck_assert_uint_eq(sort_planes_unsorted(&planes), 0);
    sort_planes_free(&planes);
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
    sort_planes_run(planes, SORT_DEAL);
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
        CHECK_QUIETLY(try_rows(&planes, &lower, upper) == 0);
    ck_assert(planes.block_rows == 1 && planes.block_cols == SIDE && planes.differ == SIDE / 2);
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

/* Fills the block at a corner with `zeros` zeros, then ones, along its snake. */
static void fill_block(struct sort_planes *planes, uint32_t corner, uint32_t zeros, uint32_t lane)
{
    for (uint32_t i = zeros; i < planes->block_rows * planes->block_cols; i++)
        put_one(planes, sort_planes_snake(planes, corner, planes->block_cols, i), lane);
}

static void clear(struct sort_planes *planes)
{
    memset(planes->bit, 0,
           (size_t)planes->rows * planes->cols * planes->words * sizeof *planes->bit);
}

/* sampled inputs: any share of ones, blocks with any number of zeros */
START_TEST(samples)
{
    struct pcg32 random = pcg32_seed((uint64_t)_i, 36);
    uint32_t rows = 1u << (3 + pcg32_below(&random, 5)), cols = 1u << (3 + pcg32_below(&random, 5));
    struct sort_planes planes;
    rows = _i == 0 ? 256 : rows;
    cols = _i == 0 ? 256 : cols;
    sort_planes_make(&planes, rows, cols, 1);
    for (uint32_t lane = 0; lane < 64; lane++) {
        uint32_t share = pcg32_below(&random, 1000);
        for (uint32_t cell = 0; cell < rows * cols; cell++)
            if (pcg32_below(&random, 1000) >= share)
                put_one(&planes, cell, lane);
    }
    sort_planes_run(&planes, SORT_DEAL);
    ck_assert_uint_eq(sort_planes_unsorted(&planes), 0);
    clear(&planes);
    uint32_t cells = planes.block_rows * planes.block_cols;
    for (uint32_t lane = 0; cells > 0 && lane < 64; lane++)
        for (uint32_t row = 0; row < rows; row += planes.block_rows)
            for (uint32_t col = 0; col < cols; col += planes.block_cols)
                fill_block(&planes, row * cols + col, pcg32_below(&random, cells + 1), lane);
    sort_planes_run(&planes, SORT_DEAL);
    ck_assert_uint_eq(sort_planes_unsorted(&planes), 0);
    sort_planes_free(&planes);
}
END_TEST

/* ---- against the deal ---- */

/* Two sets of columns, equally many: the first `width` from `first` on and as many behind. */
struct pair {
    uint32_t a, b, width;
};

/* 1, -1 or 0: the cell is dealt to a column of the one set, of the other, of none. */
static int favours(const struct sort_planes *planes, const struct pair *pair, uint32_t cell)
{
    uint32_t col = planes->dealt_to[cell] % planes->cols;
    return (col - pair->a < pair->width) - (col - pair->b < pair->width);
}

/* The number of zeros of a block that favours the first set most; *by: by how many. */
static uint32_t worst_zeros(const struct sort_planes *planes, const struct pair *pair,
                            uint32_t corner, int *by)
{
    uint32_t worst = 0;
    int ahead = 0, most = 0;
    for (uint32_t i = 0; i < planes->block_rows * planes->block_cols; i++) {
        ahead += favours(planes, pair, sort_planes_snake(planes, corner, planes->block_cols, i));
        if (ahead > most) {
            most = ahead;
            worst = i + 1;
        }
    }
    *by += most;
    return worst;
}

/* Columns, or slices that are interleaved, chosen at random. */
static struct pair draw_pair(const struct sort_planes *planes, struct pcg32 *random)
{
    uint32_t cols = planes->cols, width = planes->slice;
    while (width < cols / 2 && pcg32_below(random, 2))
        width *= 2;
    uint32_t a = pcg32_below(random, cols);
    if (width == cols || pcg32_below(random, 2))
        return (struct pair){a, (a + 1 + pcg32_below(random, cols - 1)) % cols, 1};
    return (struct pair){a / width * width, a / width * width ^ width, width};
}

/* blocks whose zeros favour one column, or one of two slices, as much as they can: by no more than
 * D, and by D for some; and they are sorted */
START_TEST(worst_states)
{
    struct pcg32 random = pcg32_seed((uint64_t)_i, 37);
    struct sort_planes planes;
    uint32_t side = 8u << _i;
    int most = 0;
    sort_planes_make(&planes, side, side, 1);
    sort_planes_run(&planes, SORT_DEAL);
    for (uint32_t lane = 0; lane < 64; lane++) {
        struct pair pair = draw_pair(&planes, &random);
        int by = 0;
        for (uint32_t row = 0; row < side; row += planes.block_rows)
            for (uint32_t col = 0; col < side; col += planes.block_cols) {
                uint32_t corner = row * side + col;
                fill_block(&planes, corner, worst_zeros(&planes, &pair, corner, &by), lane);
            }
        most = by > most ? by : most;
        CHECK_QUIETLY(by <= (int)planes.differ);
    }
    ck_assert_int_eq(most, (int)planes.differ);
    sort_planes_run(&planes, SORT_DEAL);
    ck_assert_uint_eq(sort_planes_unsorted(&planes), 0);
    sort_planes_free(&planes);
}
END_TEST

Suite *sort_deal_suite(void)
{
    Suite *suite = suite_create("sort_deal");
    TCase *tests = tcase_create("sort_deal");
    tcase_add_test(tests, all_inputs);
    tcase_add_test(tests, all_states);
    tcase_add_test(tests, none_too_many);
    tcase_add_loop_test(tests, samples, 0, 24);
    tcase_add_loop_test(tests, worst_states, 0, 5);
    suite_add_tcase(suite, tests);
    return suite;
}
