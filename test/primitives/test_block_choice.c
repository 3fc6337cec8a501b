/* test_block_choice.c - into how many blocks permutation routing cuts a tile: the best choice, and its
 * bounds.
 *
 * The packets that turn at a node are held against the worst division of a column's packets among the
 * blocks, found by trying all; the choice against all others, with the steps of sorting the whole mesh;
 * the multiples of the side that README.md and doc/kernels.md name against all sides.
 */
#include "base/numbers.h"
#include "primitives/sort.h"
#include "primitives/unicast_route.h"
#include "test/length.h"
#include "test/primitives/legs_model.h"

#include <check.h>

Suite *block_choice_suite(void);

static struct unicast_plan plan_of(const struct tessellation *tiles, uint32_t k)
{
    return (struct unicast_plan){.tiles = tiles, .name = "route", .k = k};
}

static uint64_t steps_of_blocks(const struct tessellation *tiles, struct mesh blocks, uint32_t k)
{
    struct tessellation finer;
    uint64_t steps;
    ck_assert_int_eq(tessellation_divide(tiles, blocks, &finer, NULL), FAIL_NONE);
    struct sort_plan sort = {.tiles = &finer, .column_major = true};
    ck_assert_int_eq(sort_steps(&sort, &steps, NULL), FAIL_NONE);
    if (finer.col.cut[1] > 1)
        steps += finer.row.cut[1] / 2;
    if (finer.col.cut[1] > 1 && finer.row.cut[1] > 1)
        steps += finer.row.cut[1] % 2;
    tessellation_free(&finer);
    return steps + tiles->col.cut[1] - 1 + (uint64_t)k * (tiles->row.cut[1] - 1);
}

/* The fewest steps of all numbers of blocks that hold at most `packets`. */
static uint64_t least_steps(struct mesh mesh, const struct tessellation *tiles, uint32_t k,
                            uint32_t packets)
{
    uint64_t least = UINT64_MAX;
    uint32_t most = packets - 1 - k, anyhow = min_u32(mesh.cols, k * mesh.rows);
    if (anyhow <= most)
        return mesh.cols - 1 + (uint64_t)k * (mesh.rows - 1);
    for (uint32_t down = 1; down <= mesh.rows; down++)
        for (uint32_t across = 1; across <= mesh.cols; across++) {
            if (legs_worst_turning(across, mesh.rows / down, k * mesh.rows) > most)
                break;
            uint64_t steps = steps_of_blocks(tiles, (struct mesh){down, across}, k);
            least = steps < least ? steps : least;
        }
    return least;
}

/* the choice is the best of all, and its steps are those of the whole mesh */
START_TEST(best_choice)
{
    static const struct mesh meshes[] = {{2, 2},   {8, 8},   {13, 13}, {16, 16}, {7, 31}, {31, 7},
                                         {24, 24}, {17, 33}, {1, 40},  {40, 1},  {33, 33}};
    static const uint32_t capacities[] = {5, 8, 12, 17};
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        for (uint32_t k = 1; k <= (meshes[i].rows < 20 ? 2 : 1); k++)
            for (int j = 0; j < (TEST_IS_SHORT ? 3 : 4); j++) {
                struct tessellation whole;
                struct block_choice choice;
                ck_assert_int_eq(tessellation_make(&whole, meshes[i], 1, NULL), FAIL_NONE);
                struct unicast_plan plan = plan_of(&whole, k);
                ck_assert_int_eq(unicast_blocks_choose(&plan, capacities[j], &choice, NULL), 0);
                ck_assert_uint_le(choice.packets, capacities[j]);
                ck_assert_uint_eq(choice.steps, least_steps(meshes[i], &whole, k, capacities[j]));
                if (choice.blocks.rows > 0)
                    ck_assert_uint_eq(choice.steps, steps_of_blocks(&whole, choice.blocks, k));
                tessellation_free(&whole);
            }
}
END_TEST

/* the packets that are said to turn are the worst that the blocks allow, tiles of unequal sides included */
START_TEST(most_turning)
{
    for (uint32_t rows = 2; rows <= 40; rows += 1 + rows % 3)
        for (uint32_t packets = 5; packets <= 17; packets += 4)
            for (uint32_t k = 1; k <= 2; k++) {
                struct tessellation tiles;
                struct block_choice choice;
                struct mesh mesh = {rows, 37};
                ck_assert_int_eq(tessellation_make(&tiles, mesh, rows % 2 + 1, NULL), FAIL_NONE);
                struct unicast_plan plan = plan_of(&tiles, k);
                ck_assert_int_eq(unicast_blocks_choose(&plan, packets, &choice, NULL), FAIL_NONE);
                uint32_t turning = 0;
                for (uint32_t i = 0; i < axis_intervals(&tiles.row); i++) {
                    uint32_t height = tiles.row.cut[i + 1] - tiles.row.cut[i];
                    uint32_t here = k * height;
                    if (choice.blocks.rows > 0)
                        here = legs_worst_turning(choice.blocks.cols, height / choice.blocks.rows,
                                                  here);
                    here = min_u32(here, tiles.col.cut[1]);
                    turning = here > turning ? here : turning;
                }
                ck_assert_uint_eq(choice.packets, turning + 1 + k);
                tessellation_free(&tiles);
            }
}
END_TEST

/* what README and doc/kernels.md say of every side */
START_TEST(every_side)
{
    static const struct {
        uint32_t packets;
        double of_powers, of_others;
    } cases[] = {{12, 2.93, 3.16}, {8, 3.32, 3.92}, {5, 4.29, 5.18}, {17, 2.58, 2.77}};
    uint32_t most = TEST_IS_SHORT ? 96 : 320;
    for (uint32_t side = 1; side <= most; side++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            bool is_power = (side & (side - 1)) == 0;
            double bound = (is_power ? cases[i].of_powers : cases[i].of_others) * side;
            struct tessellation whole;
            struct block_choice choice;
            ck_assert_int_eq(tessellation_make(&whole, (struct mesh){side, side}, 1, NULL), 0);
            struct unicast_plan plan = plan_of(&whole, 1);
            ck_assert_int_eq(unicast_blocks_choose(&plan, cases[i].packets, &choice, NULL), 0);
            ck_assert_msg((double)choice.steps <= bound, "side %u, %u packets: %llu steps", side,
                          cases[i].packets, (unsigned long long)choice.steps);
            tessellation_free(&whole);
        }
}
END_TEST

Suite *block_choice_suite(void)
{
    Suite *suite = suite_create("block_choice");
    TCase *tests = tcase_create("block_choice");
    tcase_add_test(tests, best_choice);
    tcase_add_test(tests, most_turning);
    tcase_add_test(tests, every_side);
    suite_add_tcase(suite, tests);
    return suite;
}
