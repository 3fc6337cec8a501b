/* test_node_order.c - the maps of import: permutations, neighbours, seeds, sides. */
#include "test/workloads/import_case.h"
#include "workloads/placement.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *node_order_suite(void);

static struct node_order make(enum import_map map, uint32_t side, uint32_t indices, uint64_t seed)
{
    struct node_order order;
    struct failure failure = {0};
    struct shape shape = shape_of_mesh((struct mesh){side, side});
    ck_assert_int_eq(node_order_make(&order, map, &shape, indices, seed, &failure), FAIL_NONE);
    return order;
}

/* Every map of every side up to 64 meets every node once; row is the identity. */
START_TEST(test_permutations)
{
    enum import_map map = (enum import_map)_i;
    bool seen[64 * 64];
    for (uint32_t side = 1; side <= 64; side++) {
        struct node_order order = make(map, side, side * side, side);
        memset(seen, 0, sizeof seen);
        for (uint32_t i = 0; i < side * side; i++) {
            node_index node = node_order_at(&order, i);
            ck_assert_uint_lt(node, side * side);
            ck_assert(!seen[node]);
            ck_assert(map != IMPORT_ROW || node == i);
            seen[node] = true;
        }
        node_order_free(&order);
    }
}
END_TEST

/* On snake and Hilbert's curve consecutive indices are neighbours, on every side up to 64. */
START_TEST(test_neighbours)
{
    static const enum import_map CURVE[] = {IMPORT_SNAKE, IMPORT_HILBERT};
    for (uint32_t side = 1; side <= 64; side++) {
        struct node_order order = make(CURVE[_i], side, side * side, 0);
        ck_assert_uint_eq(node_order_at(&order, 0), 0);
        for (uint32_t i = 1; i < side * side; i++) {
            int64_t a = node_order_at(&order, i - 1), b = node_order_at(&order, i);
            int64_t rows = llabs(a / side - b / side), cols = llabs(a % side - b % side);
            ck_assert_msg(rows + cols == 1, "side %u, index %u", side, i);
        }
        node_order_free(&order);
    }
}
END_TEST

/* On a power of two every aligned block of 4^k indices fills an aligned square of side 2^k: that
 * is what sets Hilbert's curve apart from a snake. */
START_TEST(test_hilbert_squares)
{
    const uint32_t side = 32;
    struct node_order order = make(IMPORT_HILBERT, side, side * side, 0);
    for (uint32_t square = 2; square <= side; square *= 2)
        for (uint32_t i = 0; i < side * side; i++) {
            node_index first = node_order_at(&order, i / (square * square) * square * square);
            node_index node = node_order_at(&order, i);
            ck_assert_uint_eq(node / side / square, first / side / square);
            ck_assert_uint_eq(node % side / square, first % side / square);
        }
    node_order_free(&order);
}
END_TEST

/* A map made for fewer indices agrees with the map made for all. */
START_TEST(test_fewer_indices)
{
    enum import_map map = (enum import_map)_i;
    struct node_order all = make(map, 17, 17 * 17, 3);
    for (uint32_t indices = 1; indices <= 17 * 17; indices += 36) {
        struct node_order some = make(map, 17, indices, 3);
        for (uint32_t i = 0; i < indices; i++)
            ck_assert_uint_eq(node_order_at(&some, i), node_order_at(&all, i));
        node_order_free(&some);
    }
    node_order_free(&all);
}
END_TEST

/* The random map is the same for the same seed and another for another. */
START_TEST(test_seeds)
{
    struct node_order a = make(IMPORT_RANDOM, 16, 256, 1);
    struct node_order b = make(IMPORT_RANDOM, 16, 256, 1);
    struct node_order c = make(IMPORT_RANDOM, 16, 256, 2);
    uint32_t equal = 0, fixed = 0;
    for (uint32_t i = 0; i < 256; i++) {
        ck_assert_uint_eq(node_order_at(&a, i), node_order_at(&b, i));
        equal += node_order_at(&a, i) == node_order_at(&c, i);
        fixed += node_order_at(&a, i) == i;
    }
    ck_assert_uint_lt(equal, 16); /* one is expected */
    ck_assert_uint_lt(fixed, 16);
    node_order_free(&a);
    node_order_free(&b);
    node_order_free(&c);
}
END_TEST

/* Import puts row i and column i on the node that the map gives index i, on a side of its own. */
START_TEST(test_import_uses_map)
{
    const char *text =
        "%%MatrixMarket matrix coordinate pattern general\n9 20 3\n9 20\n1 20\n5 5\n";
    struct import_options options = {
        .shape = shape_of_mesh((struct mesh){7, 7}), .map = (enum import_map)_i, .seed = 11};
    struct message_set set;
    ck_assert_int_eq(import_memory(text, strlen(text), "a.mtx", &options, &set, NULL, NULL),
                     FAIL_NONE);
    struct node_order order = make(options.map, 7, 20, 11);
    ck_assert_uint_eq(set.mesh.cols, 7);
    ck_assert_uint_eq(set.messages, 2);
    for (uint32_t i = 0; i < 2; i++) {
        bool last = set.offset[i + 1] - set.offset[i] == 2; /* column 20, else column 5 */
        node_index low = node_order_at(&order, 0), high = node_order_at(&order, 8);
        const node_index *to = set.destination + set.offset[i];
        ck_assert_uint_eq(set.source[i], node_order_at(&order, last ? 19 : 4));
        if (last)
            ck_assert(low < high ? to[0] == low && to[1] == high : to[0] == high && to[1] == low);
        else
            ck_assert_uint_eq(to[0], node_order_at(&order, 4));
    }
    node_order_free(&order);
    message_set_free(&set);
}
END_TEST

Suite *node_order_suite(void)
{
    Suite *suite = suite_create("node_order");
    TCase *test = tcase_create("maps");
    tcase_add_loop_test(test, test_permutations, IMPORT_ROW, IMPORT_RANDOM + 1);
    tcase_add_loop_test(test, test_neighbours, 0, 2);
    tcase_add_test(test, test_hilbert_squares);
    tcase_add_loop_test(test, test_fewer_indices, IMPORT_ROW, IMPORT_RANDOM + 1);
    tcase_add_test(test, test_seeds);
    tcase_add_loop_test(test, test_import_uses_map, IMPORT_ROW, IMPORT_RANDOM + 1);
    suite_add_tcase(suite, test);
    return suite;
}
