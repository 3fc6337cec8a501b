/* test_tessellation.c - nested halvings of the mesh: shapes, sizes, and paths through them; grids. */
#include "primitives/tessellation.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

Suite *tessellation_suite(void);

static uint32_t floor_log2(uint64_t value)
{
    uint32_t log = 0;
    while (value >>= 1)
        log++;
    return log;
}

static void check_intervals(const struct axis *axis, uint32_t length)
{
    uint32_t intervals = axis_intervals(axis), least = UINT32_MAX, most = 0, wrong = 0;
    ck_assert_uint_eq(axis->length, length);
    ck_assert_uint_eq(axis->cut[0], 0);
    ck_assert_uint_eq(axis->cut[intervals], length);
    for (uint32_t i = 0; i < intervals; i++) {
        uint32_t size = axis->cut[i + 1] - axis->cut[i]; /* huge if the cuts do not ascend */
        least = size < least ? size : least;
        most = size > most ? size : most;
        for (uint32_t c = axis->cut[i]; c < axis->cut[i + 1]; c++)
            wrong += axis->tile[c] != i;
    }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_ge(least, 1);
    ck_assert_uint_le(most - least, 1);
    ck_assert_uint_eq(axis_longest(axis), most);
    ck_assert_uint_eq(axis_shortest(axis), least);
    ck_assert(axis_is_even(axis) == (most == least));
}

/* Follows the halvings of each coordinate: the halves nest, the first one gets the odd coordinate,
 * and the digits of the tile's number say which half it was. */
static void check_halves(const struct axis *axis)
{
    uint32_t wrong = 0;
    for (uint32_t c = 0; c < axis->length; c++) {
        uint32_t start = 0, end = axis->length, path = 0;
        for (uint32_t level = 0; level < axis->levels; level++) {
            uint32_t middle = start + (end - start + 1) / 2;
            bool in_second = c >= middle;
            start = in_second ? middle : start;
            end = in_second ? end : middle;
            path = 2 * path + in_second;
        }
        struct interval found = axis_interval_at(axis, c);
        wrong += axis->tile[c] != path;
        wrong += start != found.start || end != found.end;
    }
    ck_assert_uint_eq(wrong, 0);
}

/* The number of levels by definition: halve the longer side, rows first when equal, an axis of
 * whose intervals one has length 1 no more. Compared as exact fractions. */
static void expected_levels(uint32_t rows, uint32_t cols, uint64_t tiles, uint32_t level[2])
{
    level[0] = level[1] = 0;
    for (uint32_t left = floor_log2(tiles); left > 0; left--) {
        double height = (double)rows / (double)(1u << level[0]);
        double width = (double)cols / (double)(1u << level[1]);
        if (height < 2 && width < 2)
            return;
        bool halve_rows = width < 2 || (height >= 2 && height >= width);
        level[halve_rows ? 0 : 1]++;
    }
}

static void check_tessellation(uint32_t rows, uint32_t cols, uint64_t tiles)
{
    struct tessellation tessellation;
    struct mesh mesh = {rows, cols};
    ck_assert_int_eq(tessellation_make(&tessellation, mesh, tiles, NULL), FAIL_NONE);
    uint32_t level[2];
    expected_levels(rows, cols, tiles, level);
    ck_assert_uint_eq(tessellation.row.levels, level[0]);
    ck_assert_uint_eq(tessellation.col.levels, level[1]);
    ck_assert_uint_eq(tessellation_tiles(&tessellation), UINT64_C(1) << (level[0] + level[1]));
    check_intervals(&tessellation.row, rows);
    check_intervals(&tessellation.col, cols);
    check_halves(&tessellation.row);
    check_halves(&tessellation.col);
    tessellation_free(&tessellation);
    ck_assert_ptr_null(tessellation.row.cut);
}

/* every mesh up to 12 x 12 with every number of tiles: cover, sizes, halves, the count of tiles */
START_TEST(small_meshes)
{
    for (uint32_t rows = 1; rows <= 12; rows++)
        for (uint32_t cols = 1; cols <= 12; cols++)
            for (uint64_t tiles = 1; tiles <= 2 * rows * cols; tiles++)
                check_tessellation(rows, cols, tiles);
}
END_TEST

/* large, narrow and odd meshes, and more tiles than nodes */
START_TEST(large_meshes)
{
    static const uint32_t shapes[][2] = {{1, 1000},  {1000, 1}, {2, 999},     {999, 2},
                                         {257, 255}, {256, 64}, {1023, 1025}, {3, 32768}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (uint64_t tiles = 1; tiles <= UINT64_C(1) << 40; tiles = 3 * tiles + 1)
            check_tessellation(shapes[i][0], shapes[i][1], tiles);
    check_tessellation(5, 7, UINT64_MAX);
}
END_TEST

/* a square whose side is a power of two, cut into a power of four: equal squares */
START_TEST(squares)
{
    for (uint32_t tiles = 1; tiles <= 256; tiles *= 4) {
        struct tessellation tessellation;
        ck_assert_int_eq(tessellation_make(&tessellation, (struct mesh){64, 64}, tiles, NULL), 0);
        ck_assert_uint_eq(tessellation_tiles(&tessellation), tiles);
        for (uint32_t i = 0; i < axis_intervals(&tessellation.row); i++) {
            uint32_t side = 64 / axis_intervals(&tessellation.row);
            ck_assert_uint_eq(tessellation.row.cut[i], i * side);
            ck_assert_uint_eq(tessellation.col.cut[i], i * side);
        }
        tessellation_free(&tessellation);
    }
}
END_TEST

/* grids of small meshes, and their tiles cut into parts: cover, and sizes */
START_TEST(grids)
{
    for (uint32_t length = 1; length <= 24; length++)
        for (uint32_t count = 1; count <= length; count++) {
            struct tessellation grid, parts;
            struct mesh mesh = {length, 7}, tiles = {count, 2};
            ck_assert_int_eq(tessellation_grid(&grid, mesh, tiles, NULL), FAIL_NONE);
            check_intervals(&grid.row, length);
            check_intervals(&grid.col, 7);
            struct mesh most = {axis_shortest(&grid.row), axis_shortest(&grid.col)};
            for (uint32_t cut = 1; cut <= most.rows; cut++) {
                struct mesh each = {cut, most.cols};
                ck_assert_int_eq(tessellation_divide(&grid, each, &parts, NULL), FAIL_NONE);
                check_intervals(&parts.row, length);
                check_intervals(&parts.col, 7);
                tessellation_free(&parts);
            }
            tessellation_free(&grid);
        }
}
END_TEST

/* a zeroed tessellation may be freed */
START_TEST(freeing)
{
    struct tessellation tessellation = {.row = {.length = 0}};
    tessellation_free(&tessellation);
}
END_TEST

Suite *tessellation_suite(void)
{
    Suite *suite = suite_create("tessellation");
    TCase *tests = tcase_create("tessellation");
    tcase_add_test(tests, small_meshes);
    tcase_add_test(tests, large_meshes);
    tcase_add_test(tests, squares);
    tcase_add_test(tests, grids);
    tcase_add_test(tests, freeing);
    suite_add_tcase(suite, tests);
    return suite;
}
