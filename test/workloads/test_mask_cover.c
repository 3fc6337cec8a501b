/* test_mask_cover.c - covers of node sets by masks: what they name, and their number beside the least, by exhaustion. */
#include "base/pcg.h"
#include "workloads/mask_cover.h"

#include <check.h>
#include <string.h>

Suite *mask_cover_suite(void);

enum { MOST_NODES = 16, CUBES = 81 };

/* The nodes, as bits, that each pair names; returns how many distinct pairs there are. */
static int list_cubes(uint32_t nodes, unsigned bits, uint32_t *cube)
{
    int cubes = 0;
    for (uint32_t mask = 0; mask < 1u << bits; mask++)
        for (uint32_t value = 0; value < 1u << bits; value++) {
            uint32_t named = 0;
            for (uint32_t v = 0; v < nodes; v++)
                named |= (uint32_t)((v & ~mask) == value) << v;
            if (named != 0)
                cube[cubes++] = named;
        }
    return cubes;
}

/* Whether `pairs` of the cubes, all within `wanted`, name the nodes of `left`: one must name the lowest of them. */
static bool can_name(uint32_t left, uint32_t wanted, int pairs, const uint32_t *cube, int cubes)
{
    if (left == 0 || pairs == 0)
        return left == 0;
    for (int i = 0; i < cubes; i++)
        if ((cube[i] & ~wanted) == 0 && (cube[i] & left & (0 - left)) != 0 &&
            can_name(left & ~cube[i], wanted, pairs - 1, cube, cubes))
            return true;
    return false;
}

/* The pairs that are found for the nodes of `wanted`; they name these and no others. */
static uint64_t find(struct mask_cover *cover, uint32_t wanted)
{
    node_index node[MOST_NODES];
    struct mask_pair pair[MOST_NODES];
    uint32_t count = 0, named = 0;
    for (uint32_t v = 0; v < cover->nodes; v++)
        if (wanted >> v & 1)
            node[count++] = v;
    uint64_t pairs = mask_cover_find(cover, node, count, pair);
    for (uint64_t i = 0; i < pairs; i++) {
        ck_assert_uint_eq(pair[i].value & pair[i].mask, 0);
        for (uint32_t v = 0; v < cover->nodes; v++)
            named |= (uint32_t)((v & ~pair[i].mask) == pair[i].value) << v;
    }
    ck_assert_uint_eq(named, wanted);
    return pairs;
}

/* All sets of up to 11 nodes, and each 61st of 16: exactly their nodes are named; with up to five nodes by the fewest pairs,
 * else by at most three more, and by at most a twentieth more in all. */
START_TEST(against_the_least)
{
    for (uint32_t nodes = 1; nodes <= MOST_NODES; nodes += nodes == 11 ? 5 : 1) {
        struct mask_cover cover;
        struct failure failure = {0};
        uint32_t cube[CUBES];
        uint64_t found = 0, least = 0;
        ck_assert_int_eq(mask_cover_open(&cover, nodes, &failure), FAIL_NONE);
        int cubes = list_cubes(nodes, cover.bits, cube);
        for (uint32_t wanted = 1; wanted<1u << nodes; wanted += nodes> 11 ? 61 : 1) {
            uint64_t pairs = find(&cover, wanted);
            int fewest = 1;
            while (!can_name(wanted, wanted, fewest, cube, cubes))
                fewest++;
            ck_assert_uint_ge(pairs, (uint64_t)fewest);
            ck_assert_uint_le(pairs, (uint64_t)fewest + (nodes > 5 ? 3 : 0));
            found += pairs;
            least += (uint64_t)fewest;
        }
        ck_assert_msg(20 * found <= 21 * least, "%u nodes", nodes);
        mask_cover_close(&cover);
    }
}
END_TEST

/* Large ones: all nodes, a row and a column of a mesh, a box that no power of two bounds, all but one, none. */
START_TEST(large)
{
    enum { ROWS = 100, COLS = 64, NODES = ROWS * COLS };
    static node_index node[NODES];
    static struct mask_pair pair[NODES];
    static bool wanted[NODES];
    struct mask_cover cover;
    struct failure failure = {0};
    static const struct {
        uint32_t rows[2], cols[2];
        uint64_t pairs;
    } BOX[] = {{{0, ROWS}, {0, COLS}, 1}, {{37, 38}, {0, COLS}, 1}, {{0, ROWS}, {21, 22}, 1},
               {{4, 8}, {8, 16}, 1},      {{0, 96}, {0, 3}, 4},     {{5, 5}, {0, 0}, 0}};
    ck_assert_int_eq(mask_cover_open(&cover, NODES, &failure), FAIL_NONE);
    for (size_t b = 0; b < sizeof BOX / sizeof *BOX; b++)
        for (int leaves_out = 0; leaves_out < 2; leaves_out++) {
            uint64_t count = 0;
            memset(wanted, 0, sizeof wanted);
            for (uint32_t r = BOX[b].rows[0]; r < BOX[b].rows[1]; r++)
                for (uint32_t c = BOX[b].cols[0]; c < BOX[b].cols[1]; c++)
                    wanted[r * COLS + c] = !leaves_out || r > BOX[b].rows[0] || c > BOX[b].cols[0];
            for (uint32_t v = 0; v < NODES; v++)
                if (wanted[v])
                    node[count++] = v;
            uint64_t pairs = mask_cover_find(&cover, node, count, pair);
            if (!leaves_out)
                ck_assert_uint_eq(pairs, BOX[b].pairs);
            for (uint32_t v = 0; v < NODES; v++) {
                bool is_named = false;
                for (uint64_t i = 0; i < pairs; i++)
                    is_named |= (v & ~pair[i].mask) == pair[i].value;
                ck_assert(is_named == wanted[v]);
            }
        }
    mask_cover_close(&cover);
}
END_TEST

Suite *mask_cover_suite(void)
{
    Suite *suite = suite_create("mask_cover");
    TCase *tests = tcase_create("covers");
    tcase_add_test(tests, against_the_least);
    tcase_add_test(tests, large);
    suite_add_tcase(suite, tests);
    return suite;
}
