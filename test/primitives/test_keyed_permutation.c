/* test_keyed_permutation.c - permutations that every node computes for itself.
 *
 * Oracles: a table of what was hit, for the bijection; and for chance, counts over many seeds or
 * many indices against what uniform draws give (chi-square). Seeds are fixed, so nothing flickers;
 * limits stand six standard deviations off.
 */
#include "primitives/mesh_permutation.h"
#include "test/length.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

Suite *keyed_permutation_suite(void);

static void check_bijection(uint64_t seed, uint64_t stream, uint32_t size)
{
    struct keyed_permutation permutation = keyed_permutation_make(seed, stream, size);
    uint8_t *hit = calloc(size, 1);
    for (uint32_t index = 0; index < size; index++) {
        uint32_t image = keyed_permutation_at(&permutation, index);
        ck_assert(image < size);
        ck_assert(!hit[image]);
        hit[image] = 1;
    }
    free(hit);
}

/* Every size up to 300 and large ones, whole squares and not: each image once. */
START_TEST(is_a_bijection)
{
    static const uint32_t large[] = {1023, 1024, 1025, 4096, 65535, 65536, 65537, 262144, 1000003};
    for (uint32_t size = 1; size <= 300; size++)
        for (uint64_t seed = 0; seed < 5; seed++)
            check_bijection(seed, 7 * seed + size % 3, size);
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
        check_bijection(UINT64_MAX - i, i, large[i]);
}
END_TEST

/* At the largest mesh, where pairs come near 32 bits: images in range, and each once. */
START_TEST(largest_sizes)
{
    enum { TRIED = 2000 };
    static const uint32_t sizes[] = {1u << 26, (1u << 26) - 1, UINT32_MAX / 2};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct keyed_permutation permutation = keyed_permutation_make(3, i, sizes[i]);
        uint32_t image[TRIED];
        for (uint32_t j = 0; j < TRIED; j++) {
            image[j] = keyed_permutation_at(&permutation, sizes[i] - TRIED + j);
            ck_assert_uint_lt(image[j], sizes[i]);
            bool is_new = true;
            for (uint32_t k = 0; k < j; k++)
                is_new = is_new && image[k] != image[j];
            ck_assert(is_new);
        }
    }
}
END_TEST

static uint32_t agreements(const struct keyed_permutation *a, const struct keyed_permutation *b)
{
    uint32_t equal = 0;
    for (uint32_t index = 0; index < a->size; index++)
        equal += keyed_permutation_at(a, index) == keyed_permutation_at(b, index);
    return equal;
}

/* The same seed and stream give the same permutation; another seed or stream one that agrees with
 * it about as often as two random ones do, at one place in the mean. */
START_TEST(seeds_and_streams_differ)
{
    enum { SIZE = 5000, PAIRS = 60 };
    uint32_t by_seed = 0, by_stream = 0;
    for (uint64_t i = 0; i < PAIRS; i++) {
        struct keyed_permutation one = keyed_permutation_make(i, 9, SIZE), again = one;
        struct keyed_permutation seed = keyed_permutation_make(i + 1, 9, SIZE);
        struct keyed_permutation stream = keyed_permutation_make(i, 10, SIZE);
        again = keyed_permutation_make(i, 9, SIZE);
        ck_assert_uint_eq(agreements(&one, &again), SIZE);
        by_seed += agreements(&one, &seed);
        by_stream += agreements(&one, &stream);
    }
    ck_assert_msg(by_seed < PAIRS + 6 * 8, "%u places in common", by_seed);
    ck_assert_msg(by_stream < PAIRS + 6 * 8, "%u places in common", by_stream);
}
END_TEST

/* Chi-square of `cells` counts that add up to `total`, as standard deviations above its mean. */
static double excess(const uint32_t *count, uint32_t cells, uint64_t total)
{
    double expected = (double)total / cells, sum = 0;
    for (uint32_t i = 0; i < cells; i++)
        sum += (count[i] - expected) * (count[i] - expected) / expected;
    return (sum - (cells - 1)) / sqrt(2.0 * (cells - 1));
}

/* Small sizes, over many seeds: the images of the first and the last index, taken together, are as
 * good as any other two; so none of the pairs is preferred. */
START_TEST(pairs_at_small_sizes)
{
    enum { SEEDS = 20000, MOST = 17 };
    for (uint32_t size = 2; size <= MOST; size++) {
        uint32_t count[MOST * MOST] = {0};
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct keyed_permutation permutation = keyed_permutation_make(seed, 5, size);
            uint32_t first = keyed_permutation_at(&permutation, 0);
            uint32_t last = keyed_permutation_at(&permutation, size - 1);
            count[first * (size - 1) + last - (last > first)]++;
        }
        double above = excess(count, size * (size - 1), SEEDS);
        ck_assert_msg(fabs(above) < 6, "size %u: %.1f deviations", size, above);
    }
}
END_TEST

/* All six permutations of three and all 24 of four are as frequent. */
START_TEST(all_permutations_of_few)
{
    enum { SEEDS = 24000 };
    static const uint32_t all[] = {6, 24};
    for (uint32_t size = 3; size <= 4; size++) {
        uint32_t count[256] = {0}, found[24] = {0}, kinds = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct keyed_permutation permutation = keyed_permutation_make(seed, 77, size);
            uint32_t code = 0;
            for (uint32_t index = 0; index < size; index++)
                code = code * 4 + keyed_permutation_at(&permutation, index);
            count[code]++;
        }
        for (uint32_t code = 0; code < 256; code++)
            if (count[code] > 0) {
                ck_assert_uint_lt(kinds, all[size - 3]);
                found[kinds++] = count[code];
            }
        ck_assert_uint_eq(kinds, all[size - 3]);
        ck_assert(fabs(excess(found, kinds, SEEDS)) < 6);
    }
}
END_TEST

enum { CELLS = 64 };

static uint32_t cell_of(uint32_t value, uint32_t size)
{
    return (uint32_t)((uint64_t)value * CELLS / size);
}

static const uint32_t SIZES[] = {4096, 5000, 65536, 70000, 262144};

/* Large sizes: where the indices of one stretch, a row of the mesh, go, and where those go that
 * are a row apart; over a few seeds. */
START_TEST(images_of_stretches)
{
    uint32_t size = SIZES[_i], row = (uint32_t)sqrt(size);
    uint32_t along[CELLS] = {0}, across[CELLS] = {0};
    uint64_t total = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct keyed_permutation permutation = keyed_permutation_make(seed, 1, size);
        for (uint32_t i = 0; i < row; i++, total++) {
            along[cell_of(keyed_permutation_at(&permutation, 3 * row + i), size)]++;
            across[cell_of(keyed_permutation_at(&permutation, 3 + i * row), size)]++;
        }
    }
    ck_assert_msg(fabs(excess(along, CELLS, total)) < 6, "%.1f", excess(along, CELLS, total));
    ck_assert_msg(fabs(excess(across, CELLS, total)) < 6, "%.1f", excess(across, CELLS, total));
}
END_TEST

/* Large sizes: the differences between the images of neighbours, one apart and a row apart, are
 * spread evenly modulo the size. */
START_TEST(differences_of_neighbours)
{
    uint32_t size = SIZES[_i], row = (uint32_t)sqrt(size);
    for (uint64_t seed = 0; seed < 5; seed++) {
        struct keyed_permutation permutation = keyed_permutation_make(seed, 2, size);
        uint32_t near[CELLS] = {0}, below[CELLS] = {0};
        for (uint32_t index = 0; index < size; index++) {
            uint32_t here = keyed_permutation_at(&permutation, index);
            uint32_t next = keyed_permutation_at(&permutation, (index + 1) % size);
            uint32_t under = keyed_permutation_at(&permutation, (index + row) % size);
            near[cell_of((next + size - here) % size, size)]++;
            below[cell_of((under + size - here) % size, size)]++;
        }
        ck_assert_msg(fabs(excess(near, CELLS, size)) < 6, "%.1f", excess(near, CELLS, size));
        ck_assert_msg(fabs(excess(below, CELLS, size)) < 6, "%.1f", excess(below, CELLS, size));
    }
}
END_TEST

/* A permutation has one fixed point in the mean, with a variance of one, at every size. */
START_TEST(fixed_points)
{
    enum { SEEDS = 2000 };
    static const uint32_t sizes[] = {2, 3, 10, 100, 101, 1000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint64_t sum = 0, squares = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct keyed_permutation permutation = keyed_permutation_make(seed, 4, sizes[i]);
            uint32_t fixed = 0;
            for (uint32_t index = 0; index < sizes[i]; index++)
                fixed += keyed_permutation_at(&permutation, index) == index;
            sum += fixed;
            squares += (uint64_t)fixed * fixed;
        }
        double mean = (double)sum / SEEDS, variance = (double)squares / SEEDS - mean * mean;
        ck_assert_msg(fabs(mean - 1) < 6 / sqrt(SEEDS), "size %u: %.3f", sizes[i], mean);
        ck_assert_msg(fabs(variance - 1) < .3, "size %u: %.3f", sizes[i], variance);
    }
}
END_TEST

Suite *keyed_permutation_suite(void)
{
    Suite *suite = suite_create("keyed_permutation");
    TCase *tests = tcase_create("keyed_permutation");
    const int sizes = sizeof SIZES / sizeof SIZES[0];
    tcase_add_test(tests, is_a_bijection);
    tcase_add_test(tests, largest_sizes);
    tcase_add_test(tests, seeds_and_streams_differ);
    suite_add_tcase(suite, tests);
    if (TEST_IS_SHORT)
        return suite;
    TCase *statistics = tcase_create("statistics");
    tcase_add_test(statistics, pairs_at_small_sizes);
    tcase_add_test(statistics, all_permutations_of_few);
    tcase_add_loop_test(statistics, images_of_stretches, 0, sizes);
    tcase_add_loop_test(statistics, differences_of_neighbours, 0, sizes);
    tcase_add_test(statistics, fixed_points);
    suite_add_tcase(suite, statistics);
    return suite;
}
