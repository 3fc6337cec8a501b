/* test_permutation.c - the permutations of a tile's nodes.
 *
 * Oracles: each node is a target exactly once, on sides of every kind; the contracts written down
 * here again by coordinates, and what the crowding ones are for, counted from the finished map.
 */
#include "workloads/permutation.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct mesh SIZES[] = {
    {1, 1}, {1, 2}, {2, 1}, {1, 7},  {7, 1},  {2, 2},  {2, 3},   {3, 2},  {3, 3},   {4, 4},
    {5, 5}, {4, 7}, {7, 4}, {8, 16}, {13, 9}, {16, 3}, {16, 16}, {9, 30}, {33, 31}, {64, 64},
};

enum { SIZE_COUNT = sizeof SIZES / sizeof SIZES[0], MOST_NODES = 64 * 64 };

static node_index *filled(const char *name, struct mesh tile, uint64_t seed)
{
    static node_index target[MOST_NODES];
    struct failure failure = {0};
    const struct permutation *permutation = permutation_find(name);
    ck_assert_msg(permutation != NULL, "no permutation %s", name);
    ck_assert_int_eq(permutation_fill(permutation, tile, seed, target, &failure), FAIL_NONE);
    return target;
}

/* Every row of the table fills every tile with each node exactly once, and can be found. */
START_TEST(each_node_once)
{
    const struct permutation *permutation = permutation_at((uint32_t)_i);
    ck_assert_ptr_eq(permutation_find(permutation->name), permutation);
    for (int s = 0; s < SIZE_COUNT; s++) {
        uint32_t nodes = mesh_nodes(SIZES[s]);
        const node_index *target = filled(permutation->name, SIZES[s], 5);
        bool seen[MOST_NODES] = {false};
        for (node_index v = 0; v < nodes; v++) {
            ck_assert_uint_lt(target[v], nodes);
            ck_assert_msg(!seen[target[v]], "%s on %u x %u: node %u twice", permutation->name,
                          SIZES[s].rows, SIZES[s].cols, target[v]);
            seen[target[v]] = true;
        }
    }
}
END_TEST

/* The contracts by coordinates, on all sizes. */
static uint32_t bits_of(uint32_t side)
{
    uint32_t bits = 0;
    while (1u << bits < side)
        bits++;
    return bits;
}

static uint32_t reversed_bits(uint32_t number, uint32_t side)
{
    uint32_t bits = bits_of(side), result = 0;
    for (uint32_t i = 0; i < bits; i++)
        if (number >> i & 1)
            result |= 1u << (bits - 1 - i);
    return result < side ? result : number;
}

static node_index expected_identity(struct mesh tile, uint32_t row, uint32_t col)
{
    return row * tile.cols + col;
}

static node_index expected_transpose(struct mesh tile, uint32_t row, uint32_t col)
{
    return tile.rows == tile.cols ? expected_identity(tile, col, row) : col * tile.rows + row;
}

static node_index expected_bitreverse(struct mesh tile, uint32_t row, uint32_t col)
{
    return expected_identity(tile, reversed_bits(row, tile.rows), reversed_bits(col, tile.cols));
}

static node_index expected_reversal(struct mesh tile, uint32_t row, uint32_t col)
{
    return expected_identity(tile, tile.rows - 1 - row, tile.cols - 1 - col);
}

static node_index expected_shift(struct mesh tile, uint32_t row, uint32_t col)
{
    uint32_t down = row + tile.rows / 2, right = col + tile.cols / 2;
    return expected_identity(tile, down < tile.rows ? down : down - tile.rows,
                             right < tile.cols ? right : right - tile.cols);
}

static node_index expected_diagonal(struct mesh tile, uint32_t row, uint32_t col)
{
    uint32_t down = (tile.rows + 1) / 2, right = (tile.cols + 1) / 2;
    if (row + down < tile.rows && col + right < tile.cols)
        return expected_identity(tile, row + down, col + right);
    if (row >= down && col >= right)
        return expected_identity(tile, row - down, col - right);
    return expected_identity(tile, row, col);
}

static const struct {
    const char *name;
    node_index (*expected)(struct mesh tile, uint32_t row, uint32_t col);
} REGULAR[] = {
    {"identity", expected_identity},     {"transpose", expected_transpose},
    {"bitreverse", expected_bitreverse}, {"reversal", expected_reversal},
    {"shift", expected_shift},           {"diagonal", expected_diagonal},
};

/* The regular ones send each node where their contract says. */
START_TEST(regular_ones)
{
    for (int s = 0; s < SIZE_COUNT; s++) {
        const node_index *target = filled(REGULAR[_i].name, SIZES[s], 0);
        for (uint32_t row = 0; row < SIZES[s].rows; row++)
            for (uint32_t col = 0; col < SIZES[s].cols; col++)
                ck_assert_msg(target[row * SIZES[s].cols + col] ==
                                  REGULAR[_i].expected(SIZES[s], row, col),
                              "%s on %u x %u: (%u, %u)", REGULAR[_i].name, SIZES[s].rows,
                              SIZES[s].cols, row, col);
    }
}
END_TEST

/* A random one depends on the seed alone, and all six permutations of three nodes are as frequent. */
START_TEST(random_is_uniform)
{
    enum { DRAWS = 6000 };
    uint32_t times[27] = {0};
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        const node_index *target = filled("random", (struct mesh){1, 3}, seed);
        times[target[0] * 9 + target[1] * 3 + target[2]]++;
    }
    for (int i = 0; i < 27; i++)
        ck_assert_msg(times[i] == 0 || (times[i] > 850 && times[i] < 1150), "%u times", times[i]);
    node_index first[MOST_NODES];
    struct mesh tile = {9, 30};
    size_t size = mesh_nodes(tile) * sizeof *first;
    memcpy(first, filled("random", tile, 77), size);
    ck_assert_mem_eq(first, filled("random", tile, 77), size);
    ck_assert_mem_ne(first, filled("random", tile, 78), size);
}
END_TEST

/* Only the random one looks at the seed. */
START_TEST(fixed_ones_ignore_the_seed)
{
    const struct permutation *permutation = permutation_at((uint32_t)_i);
    node_index first[MOST_NODES];
    struct mesh tile = {13, 9};
    size_t size = mesh_nodes(tile) * sizeof *first;
    memcpy(first, filled(permutation->name, tile, 1), size);
    bool same = memcmp(first, filled(permutation->name, tile, 2), size) == 0;
    ck_assert_int_eq(same, strcmp(permutation->name, "random") != 0);
}
END_TEST

/* `rowtocolumn`: the top row's packets (as many as the column has nodes) all go to the middle
 * column, in order. */
START_TEST(row_to_column)
{
    for (int s = 0; s < SIZE_COUNT; s++) {
        struct mesh tile = SIZES[s];
        const node_index *target = filled("rowtocolumn", tile, 0);
        uint32_t placed = 0, q = tile.rows < tile.cols ? tile.rows : tile.cols;
        for (uint32_t col = 0; col < tile.cols; col++) {
            if (target[col] % tile.cols != tile.cols / 2 || target[col] / tile.cols != placed)
                continue;
            uint32_t away = col > tile.cols / 2 ? col - tile.cols / 2 : tile.cols / 2 - col;
            ck_assert_uint_le(away, q / 2);
            placed++;
        }
        ck_assert_uint_eq(placed, q);
    }
}
END_TEST

/* `hotcolumn`: what goes to the middle column comes from the least square that holds so many
 * packets, where the tile is wide enough for the square. */
START_TEST(hot_column)
{
    for (int s = 0; s < SIZE_COUNT; s++) {
        struct mesh tile = SIZES[s];
        uint32_t side = 1;
        while (side * side < tile.rows)
            side++;
        const node_index *target = filled("hotcolumn", tile, 0);
        for (node_index v = 0; v < mesh_nodes(tile) && side <= tile.cols; v++)
            if (target[v] % tile.cols == tile.cols / 2)
                ck_assert_msg(v / tile.cols < side && v % tile.cols < side, "%u x %u: %u",
                              tile.rows, tile.cols, v);
    }
}
END_TEST

/* `adversary` on squares: a row's packets all have one column and a column's packets one row; the
 * lines at the border get the middle ones, from which theirs go out both ways. */
START_TEST(adversary)
{
    for (int s = 0; s < SIZE_COUNT; s++) {
        struct mesh tile = SIZES[s];
        uint32_t side = tile.rows;
        if (tile.cols != side)
            continue;
        const node_index *target = filled("adversary", tile, 0);
        for (node_index v = 0; v < side * side; v++) {
            ck_assert_uint_eq(target[v] % side, target[v / side * side] % side);
            ck_assert_uint_eq(target[v] / side, target[v % side] / side);
        }
        uint32_t middle = target[0] % side;
        ck_assert_msg(middle + 1 >= side / 2 && middle <= side / 2 + 1, "row 0 to column %u of %u",
                      middle, side);
        middle = target[side / 2 * side] % side;
        ck_assert_msg(middle == 0 || middle == side - 1, "the middle row to column %u", middle);
    }
}
END_TEST

/* Crowding ones place some nodes; of the rest, who could stay did, and the others keep order. */
START_TEST(the_rest_stays_or_keeps_order)
{
    static const char *const names[] = {"hotcolumn", "rowtocolumn", "adversary"};
    for (int s = 0; s < SIZE_COUNT; s++) {
        struct mesh tile = SIZES[s];
        const node_index *target = filled(names[_i], tile, 0);
        uint32_t q = tile.rows < tile.cols ? tile.rows : tile.cols, moved = 0;
        node_index last = 0;
        /* a node moves if it is placed, or stands where one is placed */
        for (node_index v = 0; v < mesh_nodes(tile); v++)
            moved += target[v] != v;
        ck_assert_uint_le(moved, _i == 2 ? 2 * q * q : 2 * tile.rows);
        for (node_index v = 0; v < mesh_nodes(tile) && _i == 1; v++) {
            if (v < tile.cols || target[v] == v)
                continue;
            ck_assert_uint_ge(target[v], last);
            last = target[v];
        }
    }
}
END_TEST

Suite *permutation_suite(void)
{
    Suite *suite = suite_create("permutation");
    TCase *tests = tcase_create("permutation");
    tcase_add_loop_test(tests, each_node_once, 0, (int)permutation_count());
    tcase_add_loop_test(tests, regular_ones, 0, sizeof REGULAR / sizeof REGULAR[0]);
    tcase_add_test(tests, random_is_uniform);
    tcase_add_loop_test(tests, fixed_ones_ignore_the_seed, 0, (int)permutation_count());
    tcase_add_test(tests, row_to_column);
    tcase_add_test(tests, hot_column);
    tcase_add_test(tests, adversary);
    tcase_add_loop_test(tests, the_rest_stays_or_keeps_order, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}
