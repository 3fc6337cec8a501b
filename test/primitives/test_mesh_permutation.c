/* test_mesh_permutation.c - permutations of a mesh by rows and columns: one to one, t = 1, and spread.
 *
 * Oracles: counting. How many of a set of nodes come into a rectangle is compared with the binomial
 * distribution, whose moments the banner of mesh_permutation.c promises as bounds.
 */
#include "primitives/mesh_permutation.h"

#include "test/length.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

Suite *mesh_permutation_suite(void);

static struct mesh_permutation made(uint64_t seed, uint64_t stream, struct mesh mesh)
{
    struct mesh_permutation permutation;
    ck_assert_int_eq(mesh_permutation_make(&permutation, seed, stream, mesh, NULL), FAIL_NONE);
    return permutation;
}

static node_place place_at(struct mesh mesh, uint32_t node)
{
    return place_of(node / mesh.cols, node % mesh.cols);
}

/* A permutation that takes a row's nodes to different columns. */
static void check_permutation(uint64_t seed, struct mesh mesh)
{
    struct mesh_permutation permutation = made(seed, 7, mesh);
    bool *is_image = calloc(mesh_nodes(mesh), sizeof *is_image);
    bool *turns = calloc(mesh_nodes(mesh), sizeof *turns);
    for (uint32_t node = 0; node < mesh_nodes(mesh); node++) {
        node_place from = place_at(mesh, node), to = mesh_permutation_at(&permutation, from);
        ck_assert(place_row(to) < mesh.rows && place_col(to) < mesh.cols);
        uint32_t image = place_row(to) * mesh.cols + place_col(to);
        uint32_t turn = place_row(from) * mesh.cols + place_col(to);
        ck_assert(!is_image[image] && !turns[turn]);
        is_image[image] = turns[turn] = true;
    }
    free(is_image);
    free(turns);
    mesh_permutation_free(&permutation);
}

START_TEST(is_one_to_one)
{
    for (uint32_t rows = 1; rows <= 13; rows++)
        for (uint32_t cols = 1; cols <= 13; cols++)
            check_permutation(rows * cols, (struct mesh){rows, cols});
    check_permutation(1, (struct mesh){1, 4096});
    check_permutation(2, (struct mesh){32768, 2});
    check_permutation(3, (struct mesh){101, 257});
}
END_TEST

/* Other seeds and streams give others; the same ones the same, and rows and columns have keys of
 * their own. */
START_TEST(keys_differ)
{
    struct mesh mesh = {70, 70};
    struct mesh_permutation one = made(1, 2, mesh), again = made(1, 2, mesh);
    struct mesh_permutation seed = made(2, 2, mesh), stream = made(1, 3, mesh);
    uint32_t by_seed = 0, by_stream = 0, by_row = 0;
    for (uint32_t node = 0; node < mesh_nodes(mesh); node++) {
        node_place from = place_at(mesh, node), to = mesh_permutation_at(&one, from);
        ck_assert_uint_eq(to, mesh_permutation_at(&again, from));
        by_seed += to == mesh_permutation_at(&seed, from);
        by_stream += to == mesh_permutation_at(&stream, from);
        node_place under = place_of((place_row(from) + 1) % mesh.rows, place_col(from));
        by_row += place_col(to) == place_col(mesh_permutation_at(&one, under));
    }
    ck_assert_uint_lt(by_seed, 12);
    ck_assert_uint_lt(by_stream, 12);
    ck_assert_uint_lt(by_row, 2 * mesh.rows);
    mesh_permutation_free(&one);
    mesh_permutation_free(&again);
    mesh_permutation_free(&seed);
    mesh_permutation_free(&stream);
}
END_TEST

/* Sets of sources: a row, a column, a square, every third node, a diagonal, all. */
static bool is_in_set(struct mesh mesh, uint32_t set, node_place node)
{
    uint32_t row = place_row(node), col = place_col(node);
    const bool is_in[] = {row == 3,
                          col == 5,
                          row < mesh.rows / 4 && col < mesh.cols / 4,
                          (row * mesh.cols + col) % 3 == 0,
                          row == col,
                          row % 8 == 1};
    return is_in[set];
}

/* The mean of those that come into a rectangle is the share of it, and the mean of their squares is
 * no more than that of as many independent ones. */
START_TEST(rectangles_get_their_share)
{
    enum { SEEDS = 3000, SETS = 6 };
    struct mesh mesh = {32, 24}, tile = {8, 6};
    double share = (double)mesh_nodes(tile) / mesh_nodes(mesh);
    double sum[SETS] = {0}, squares[SETS] = {0}, size[SETS] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct mesh_permutation permutation = made(seed, 1, mesh);
        double count[SETS] = {0};
        for (uint32_t node = 0; node < mesh_nodes(mesh); node++) {
            node_place from = place_at(mesh, node), to = mesh_permutation_at(&permutation, from);
            bool is_inside = place_row(to) / tile.rows == 2 && place_col(to) / tile.cols == 1;
            for (uint32_t set = 0; set < SETS; set++)
                if (is_in_set(mesh, set, from)) {
                    count[set] += is_inside;
                    size[set] += seed == 0;
                }
        }
        for (uint32_t set = 0; set < SETS; set++) {
            sum[set] += count[set];
            squares[set] += count[set] * count[set];
        }
        mesh_permutation_free(&permutation);
    }
    for (uint32_t set = 0; set < SETS; set++) {
        double mean = sum[set] / SEEDS, of_one = share * (1 - share) * size[set];
        double variance = squares[set] / SEEDS - mean * mean;
        ck_assert_msg(fabs(mean - share * size[set]) < 6 * sqrt(of_one / SEEDS),
                      "set %u: %.3f of %.3f", set, mean, share * size[set]);
        ck_assert_msg(variance < 1.2 * of_one, "set %u: variance %.3f, independent %.3f", set,
                      variance, of_one);
    }
}
END_TEST

Suite *mesh_permutation_suite(void)
{
    Suite *suite = suite_create("mesh_permutation");
    TCase *tests = tcase_create("mesh_permutation");
    tcase_add_test(tests, is_one_to_one);
    tcase_add_test(tests, keys_differ);
    if (!TEST_IS_SHORT)
        tcase_add_test(tests, rectangles_get_their_share);
    suite_add_tcase(suite, tests);
    return suite;
}
