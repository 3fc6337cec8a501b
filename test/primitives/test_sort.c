/* test_sort.c - what sorting gives: any sides, by rows or by columns.
 *
 * By the 0-1 principle a network of comparisons that sorts all zeros and ones sorts everything: all
 * of them are tried for tiles up to 4 x 4, side by side on one mesh, and samples above. (A fixed
 * permutation moves items whatever they are, so the principle holds with those too.) Then keys with ties.
 */
#include "base/pcg.h"
#include "test/length.h"
#include "test/primitives/sort_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *sort_suite(void);

/* ---- zeros and ones ---- */

/* 2^levels intervals of `length` each. */
static struct axis equal_axis(uint32_t length, uint32_t levels)
{
    struct axis axis = {.length = length << levels, .levels = levels, .intervals = 1u << levels};
    axis.cut = calloc((size_t)axis_intervals(&axis) + 1, sizeof *axis.cut);
    axis.tile = calloc(axis.length, sizeof *axis.tile);
    ck_assert(axis.cut != NULL && axis.tile != NULL);
    for (uint32_t i = 0; i <= axis_intervals(&axis); i++)
        axis.cut[i] = i * length;
    for (uint32_t c = 0; c < axis.length; c++)
        axis.tile[c] = c / length;
    return axis;
}

/* All zeros and ones of one tile, an input a tile. */
static void check_all_inputs(uint32_t height, uint32_t width)
{
    struct sort_case example;
    uint32_t bits = height * width, levels = bits / 2;
    struct tessellation tiles = {equal_axis(height, levels), equal_axis(width, bits - levels)};
    sort_case_make(&example, tiles);
    for (node_index node = 0; node < example.nodes; node++) {
        uint32_t row = node / tiles.col.length, col = node % tiles.col.length;
        uint32_t input = row / height << (bits - levels) | col / width;
        example.key[node] = input >> (row % height * width + col % width) & 1;
    }
    sort_case_untraced(&example);
    sort_case_free(&example);
}

/* all zeros and ones in tiles up to 4 x 4 */
START_TEST(zeros_and_ones)
{
    for (uint32_t height = 1; height <= 4; height++)
        for (uint32_t width = 1; width <= 4; width++)
            check_all_inputs(height, width);
}
END_TEST

/* samples of zeros and ones: any share of ones; columns, checks and slopes of ones */
START_TEST(sampled_zeros_and_ones)
{
    struct pcg32 random = pcg32_seed(1, 32);
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? 150 : 450); i++) {
        struct sort_case example;
        struct mesh mesh = {1 + pcg32_below(&random, 40), 1 + pcg32_below(&random, 40)};
        sort_case_cut(&example, mesh, (uint64_t)1 << pcg32_below(&random, 4));
        uint32_t share = pcg32_below(&random, 1000), rows = 1 + pcg32_below(&random, 7);
        for (node_index node = 0; node < example.nodes; node++) {
            uint32_t row = node / mesh.cols, col = node % mesh.cols;
            uint32_t noise = pcg32_below(&random, 1000), at = col * 1000 / mesh.cols;
            example.key[node] = i % 3 == 0   ? noise >= share
                                : i % 3 == 1 ? (at >= share) ^ (noise < 50)
                                             : (row * rows + col * 3) % 7 * 143 >= share;
        }
        sort_case_untraced(&example);
        sort_case_free(&example);
    }
}
END_TEST

/* ---- keys ---- */

static void draw_keys(struct sort_case *example, struct pcg32 *random)
{
    static const uint32_t loads[] = {100, 100, 70, 20, 1};
    uint32_t load = loads[pcg32_below(random, 5)], keys = 1 + pcg32_below(random, 300);
    for (node_index node = 0; node < example->nodes; node++) {
        example->is_there[node] = pcg32_below(random, 100) < load;
        example->key[node] = pcg32_below(random, 60) == 0 ? UINT32_MAX : pcg32_below(random, keys);
    }
}

/* random keys with ties, tiles of two sizes, partial loads, both ways round; audited */
START_TEST(keys_with_ties)
{
    struct pcg32 random = pcg32_seed(2, 32);
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? 100 : 250); i++) {
        struct sort_case example;
        struct mesh mesh = {1 + pcg32_below(&random, 22), 1 + pcg32_below(&random, 22)};
        sort_case_cut(&example, mesh, (uint64_t)1 << pcg32_below(&random, 6));
        draw_keys(&example, &random);
        example.plan.column_major = i % 2;
        example.threads = 1 + i % 3;
        sort_case_untraced(&example);
        sort_case_traced(&example);
        sort_case_free(&example);
    }
}
END_TEST

/* narrow, odd and larger meshes; each in the least capacity */
START_TEST(larger_meshes)
{
    static const struct mesh meshes[] = {{1, 200}, {200, 1}, {2, 131},  {131, 2},   {3, 100},
                                         {64, 64}, {65, 33}, {127, 90}, {129, 129}, {7, 150},
                                         {150, 7}, {96, 40}, {40, 96},  {72, 128}};
    struct pcg32 random = pcg32_seed(3, 32);
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        for (uint64_t tiles = 1; tiles <= 16; tiles *= 4) {
            struct sort_case example;
            sort_case_cut(&example, meshes[i], tiles);
            draw_keys(&example, &random);
            example.threads = 2;
            sort_case_untraced(&example);
            sort_case_free(&example);
        }
}
END_TEST

Suite *sort_suite(void)
{
    Suite *suite = suite_create("sort");
    TCase *tests = tcase_create("sort");
    tcase_add_test(tests, zeros_and_ones);
    tcase_add_test(tests, sampled_zeros_and_ones);
    tcase_add_test(tests, keys_with_ties);
    tcase_add_test(tests, larger_meshes);
    suite_add_tcase(suite, tests);
    return suite;
}
