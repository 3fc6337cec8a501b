/* test_pattern.c - every pattern against its contract, on many meshes, degrees and congestions.
 *
 * The check of degree, congestion, order and distinctness counts by itself and shares nothing with
 * the code that makes sets.
 */
#include "workloads/pattern.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An assertion for the inner loops: Check's own note every time that they are passed. */
#define REQUIRE(holds)                                                                             \
    do {                                                                                           \
        if (!(holds))                                                                              \
            ck_abort_msg("%s", #holds);                                                            \
    } while (0)

static const struct mesh MESHES[] = {{1, 1}, {1, 7},   {7, 1},   {2, 2}, {3, 3}, {5, 5},
                                     {8, 8}, {17, 17}, {32, 32}, {5, 9}, {9, 5}};
static const uint32_t VALUES[] = {0, 1, 2, 3, 7, 16, 25, 100, 5000};

enum { MESH_COUNT = sizeof MESHES / sizeof *MESHES, VALUE_COUNT = sizeof VALUES / sizeof *VALUES };

/* Stands for a graph: the order begins at another input for each choice. */
static enum failure_kind rotate_order(const void *context, double share, uint32_t number,
                                      uint32_t wanted, uint32_t *order, struct failure *failure)
{
    uint32_t inputs = *(const uint32_t *)context;
    (void)share, (void)wanted, (void)failure;
    for (uint32_t i = 0; i < inputs; i++)
        order[i] = (i + number) % inputs;
    return FAIL_NONE;
}

static struct message_set make(const char *name, struct mesh mesh, uint32_t degree,
                               uint32_t congestion, uint64_t seed)
{
    uint32_t inputs = mesh_nodes(mesh) / 2 + 1;
    struct adversary adversary = {.inputs = inputs, .order = rotate_order, .context = &inputs};
    struct pattern_options options = {.mesh = mesh,
                                      .degree = degree,
                                      .congestion = congestion,
                                      .seed = seed,
                                      .adversary = &adversary};
    struct message_set set;
    struct failure failure = {0};
    enum failure_kind kind = pattern_generate(pattern_find(name), &options, &set, &failure);
    if (kind != FAIL_NONE)
        ck_abort_msg("%s: %s", name, failure.text);
    return set;
}

/* Returns how often each node is a destination. The caller frees. */
static uint32_t *count_received(const struct message_set *set)
{
    uint32_t *received = calloc(mesh_nodes(set->mesh), sizeof *received);
    ck_assert_ptr_nonnull(received);
    for (uint64_t i = 0; i < set->deliveries; i++) {
        REQUIRE(set->destination[i] < mesh_nodes(set->mesh));
        received[set->destination[i]]++;
    }
    return received;
}

/* Order, distinctness, and at most `degree` and `congestion` (0: any). */
static void check_set(const struct message_set *set, uint32_t degree, uint32_t congestion,
                      bool may_repeat)
{
    uint32_t *received = count_received(set);
    ck_assert_uint_eq(set->offset[0], 0);
    ck_assert_uint_eq(set->offset[set->messages], set->deliveries);
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t count = set->offset[i + 1] - set->offset[i];
        REQUIRE(set->offset[i] < set->offset[i + 1]);
        REQUIRE(set->source[i] < mesh_nodes(set->mesh));
        REQUIRE(i == 0 || set->source[i - 1] < set->source[i] + may_repeat);
        REQUIRE(degree == 0 || count <= degree);
        for (uint64_t j = set->offset[i] + 1; j < set->offset[i + 1]; j++)
            REQUIRE(set->destination[j - 1] < set->destination[j]);
    }
    for (uint32_t v = 0; v < mesh_nodes(set->mesh); v++)
        REQUIRE(congestion == 0 || received[v] <= congestion);
    free(received);
}

/* Every pattern keeps every degree and congestion on every mesh, and is never empty (but for
 * `worst` on a single node). */
START_TEST(degree_and_congestion_are_kept)
{
    const char *name = pattern_at((uint32_t)_i)->name;
    bool sends_many = pattern_at((uint32_t)_i)->sends_many;
    bool has_groups = pattern_at((uint32_t)_i)->takes & PATTERN_GROUPS;
    if (pattern_at((uint32_t)_i)->needs & (PATTERN_POPULATIONS | PATTERN_ALGORITHM))
        return;
    for (int m = 0; m < MESH_COUNT; m++)
        for (int d = 0; d < VALUE_COUNT; d++)
            for (int c = 0; c < VALUE_COUNT; c++) {
                struct message_set set =
                    make(name, MESHES[m], VALUES[d], VALUES[c], (uint64_t)(d * 31 + c));
                check_set(&set, VALUES[d], VALUES[c], sends_many);
                ck_assert(
                    set.messages > 0 ||
                    ((strcmp(name, "worst") == 0 || strcmp(name, "scan") == 0 || has_groups) &&
                     mesh_nodes(MESHES[m]) == 1) ||
                    (strcmp(name, "column") == 0 && MESHES[m].rows == 1));
                message_set_free(&set);
            }
}
END_TEST

/* The same options give the same set, and another seed another one where values are drawn. */
START_TEST(seeds_decide)
{
    const char *name = pattern_at((uint32_t)_i)->name;
    if (pattern_at((uint32_t)_i)->needs & (PATTERN_POPULATIONS | PATTERN_ALGORITHM))
        return; /* test_pattern_workloads.c has them */
    struct message_set a = make(name, (struct mesh){17, 16}, 3, 4, 1);
    struct message_set b = make(name, (struct mesh){17, 16}, 3, 4, 1);
    struct message_set c = make(name, (struct mesh){17, 16}, 3, 4, 2);
    size_t sources = a.messages * sizeof(node_index), bytes = a.deliveries * sizeof(node_index);
    bool drawn = strcmp(name, "transpose") != 0 && strcmp(name, "bitreverse") != 0 &&
                 strcmp(name, "turning") != 0 && strcmp(name, "allgather") != 0 &&
                 strcmp(name, "alltoall") != 0;
    ck_assert(a.messages == b.messages && a.deliveries == b.deliveries);
    ck_assert_mem_eq(a.source, b.source, sources);
    ck_assert_mem_eq(a.destination, b.destination, bytes);
    bool same = a.messages == c.messages && a.deliveries == c.deliveries &&
                memcmp(a.destination, c.destination, bytes) == 0;
    ck_assert_int_eq(same, !drawn);
    message_set_free(&a);
    message_set_free(&b);
    message_set_free(&c);
}
END_TEST

/* permutation, transpose and bitreverse: each node sends once and receives once. */
START_TEST(permutations_are_permutations)
{
    static const char *const NAMES[] = {"permutation", "transpose", "bitreverse"};
    for (int m = 0; m < MESH_COUNT; m++)
        for (int i = 0; i < 3; i++) {
            struct message_set set = make(NAMES[i], MESHES[m], 0, 0, 9);
            uint32_t *received = count_received(&set);
            ck_assert_uint_eq(set.messages, mesh_nodes(MESHES[m]));
            ck_assert_uint_eq(set.deliveries, mesh_nodes(MESHES[m]));
            for (uint32_t v = 0; v < mesh_nodes(MESHES[m]); v++)
                REQUIRE(received[v] == 1);
            free(received);
            message_set_free(&set);
        }
}
END_TEST

/* transpose swaps row and column on a square mesh, and follows the matrix on others. */
START_TEST(transpose_is_right)
{
    struct message_set set = make("transpose", (struct mesh){5, 5}, 0, 0, 0);
    for (uint32_t v = 0; v < 25; v++)
        ck_assert_uint_eq(set.destination[v], v % 5 * 5 + v / 5);
    message_set_free(&set);
    set = make("transpose", (struct mesh){2, 3}, 0, 0, 0);
    static const node_index EXPECTED[] = {0, 2, 4, 1, 3, 5};
    ck_assert_mem_eq(set.destination, EXPECTED, sizeof EXPECTED);
    message_set_free(&set);
}
END_TEST

/* bitreverse by hand: 8 columns, then 5 columns, of which 3 = 011b would become 6, and 1 = 001b
 * 4. */
START_TEST(bitreverse_is_right)
{
    static const node_index EIGHT[] = {0, 4, 2, 6, 1, 5, 3, 7}, FIVE[] = {0, 4, 2, 3, 1};
    struct message_set set = make("bitreverse", (struct mesh){1, 8}, 0, 0, 0);
    ck_assert_mem_eq(set.destination, EIGHT, sizeof EIGHT);
    message_set_free(&set);
    set = make("bitreverse", (struct mesh){1, 5}, 0, 0, 0);
    ck_assert_mem_eq(set.destination, FIVE, sizeof FIVE);
    message_set_free(&set);
}
END_TEST

/* uniform: exact degrees, and each node receives exactly c where d = c. */
START_TEST(uniform_fills)
{
    for (int m = 0; m < MESH_COUNT; m++)
        for (uint32_t d = 1; d <= mesh_nodes(MESHES[m]) && d < 40; d += 3)
            for (uint32_t c = 1; c <= mesh_nodes(MESHES[m]) && c < 40; c += 3) {
                struct message_set set = make("uniform", MESHES[m], d, c, d + c);
                uint32_t n = mesh_nodes(MESHES[m]), *received = count_received(&set);
                ck_assert_uint_eq(set.messages, d <= c ? n : c * n / d);
                for (uint32_t i = 0; i < set.messages; i++)
                    REQUIRE(set.offset[i + 1] - set.offset[i] == d);
                for (uint32_t v = 0; v < n && d == c; v++)
                    REQUIRE(received[v] == c);
                free(received);
                message_set_free(&set);
            }
}
END_TEST

/* The defaults: where only one of d and c is given to uniform or block, the other equals it. */
START_TEST(defaults_pair_up)
{
    static const char *const NAMES[] = {"uniform", "block"};
    static const uint32_t GIVEN[][2] = {{0, 4}, {4, 0}, {0, 0}, {4, 9}};
    static const uint32_t EXPECTED[][2] = {{4, 4}, {4, 4}, {16, 16}, {4, 9}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++) {
            struct message_set set =
                make(NAMES[i], (struct mesh){36, 36}, GIVEN[k][0], GIVEN[k][1], 1);
            ck_assert_uint_eq(message_set_degree(&set), EXPECTED[k][0]);
            ck_assert_uint_eq(message_set_congestion(&set), EXPECTED[k][1]);
            message_set_free(&set);
        }
}
END_TEST

/* uniform is uniform: over many seeds every (message, node) pair comes equally often, by a
 * chi-square test with a margin of six standard deviations. */
START_TEST(uniform_is_uniform)
{
    enum { NODES = 16, SEEDS = 20000 };
    static const uint32_t SETTINGS[][2] = {{3, 3}, {2, 5}, {8, 8}, {1, 1}, {1, 16}};
    for (int k = 0; k < 5; k++) {
        static uint32_t count[NODES][NODES];
        uint32_t d = SETTINGS[k][0], c = SETTINGS[k][1];
        double expected = (double)SEEDS * d / NODES, sum = 0;
        memset(count, 0, sizeof count);
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct message_set set = make("uniform", (struct mesh){4, 4}, d, c, seed);
            for (uint32_t i = 0; i < NODES; i++)
                for (uint64_t j = set.offset[i]; j < set.offset[i + 1]; j++)
                    count[i][set.destination[j]]++;
            message_set_free(&set);
        }
        for (int i = 0; i < NODES; i++)
            for (int v = 0; v < NODES; v++)
                sum += pow(count[i][v] - expected, 2) / (expected * (1 - (double)d / NODES));
        ck_assert_msg(sum < NODES * NODES + 6 * sqrt(2.0 * NODES * NODES), "d=%u c=%u: %f", d, c,
                      sum);
    }
}
END_TEST

/* worst: c |A| messages from outside A, one destination each in A, c at each node of A, and d - 1
 * destinations outside A where they fit. */
START_TEST(worst_is_theorem_1)
{
    static const struct mesh LARGE[] = {{32, 32}, {17, 17}, {10, 40}};
    for (int m = 0; m < 3; m++)
        for (uint32_t c = 1; c < 40; c += 4)
            for (uint32_t d = 1; d < 4; d++) {
                struct message_set set = make("worst", LARGE[m], d, c, c);
                uint32_t n = mesh_nodes(LARGE[m]), cols = LARGE[m].cols;
                uint32_t side = (uint32_t)sqrt((double)n / (c + 1));
                side = side < LARGE[m].rows ? side : LARGE[m].rows;
                uint32_t *received = count_received(&set);
                ck_assert_uint_eq(set.messages, c * side * side);
                for (uint32_t v = 0; v < n; v++)
                    REQUIRE(v / cols >= side || v % cols >= side || received[v] == c);
                for (uint32_t i = 0; i < set.messages; i++) {
                    uint32_t inside = 0;
                    REQUIRE(set.source[i] / cols >= side || set.source[i] % cols >= side);
                    for (uint64_t j = set.offset[i]; j < set.offset[i + 1]; j++)
                        inside +=
                            set.destination[j] / cols < side && set.destination[j] % cols < side;
                    REQUIRE(inside == 1);
                    REQUIRE(d - 1 > c || set.offset[i + 1] - set.offset[i] == d);
                }
                free(received);
                message_set_free(&set);
            }
}
END_TEST

/* hotspot: exactly min(sqrt n, n d / c) nodes receive c, all others one at most. */
START_TEST(hotspot_is_hot)
{
    struct message_set set = make("hotspot", (struct mesh){32, 32}, 4, 50, 5);
    uint32_t *received = count_received(&set), hot = 0;
    for (uint32_t v = 0; v < 1024; v++) {
        ck_assert(received[v] <= 1 || received[v] == 50);
        hot += received[v] == 50;
    }
    ck_assert_uint_eq(hot, 32);
    ck_assert_uint_gt(set.messages, 1000);
    free(received);
    message_set_free(&set);
}
END_TEST

/* block: the destinations of a message lie in one tile, and with d = c every node receives c. */
START_TEST(block_stays_in_a_tile)
{
    struct message_set set = make("block", (struct mesh){34, 32}, 16, 16, 5);
    uint32_t *received = count_received(&set);
    ck_assert_uint_eq(set.messages, 34 * 32);
    for (uint32_t i = 0; i < set.messages; i++) {
        node_index first = set.destination[set.offset[i]];
        for (uint64_t j = set.offset[i]; j < set.offset[i + 1]; j++) {
            ck_assert_uint_eq(set.destination[j] / 32 / 8, first / 32 / 8);
            ck_assert_uint_eq(set.destination[j] % 32 / 8, first % 32 / 8);
        }
    }
    for (uint32_t v = 0; v < 34 * 32; v++)
        ck_assert_uint_eq(received[v], 16);
    free(received);
    message_set_free(&set);
}
END_TEST

/* broadcast: c messages, to all nodes by default and to exactly d when asked. */
START_TEST(broadcast_reaches_all)
{
    struct message_set set = make("broadcast", (struct mesh){9, 5}, 0, 3, 1);
    ck_assert_uint_eq(set.messages, 3);
    ck_assert_uint_eq(set.deliveries, 3 * 45);
    message_set_free(&set);
    set = make("broadcast", (struct mesh){9, 5}, 7, 11, 1);
    ck_assert_uint_eq(set.messages, 11);
    ck_assert_uint_eq(set.deliveries, 77);
    message_set_free(&set);
}
END_TEST

/* rmat: skewed far beyond a uniform graph, hubs cut at d and c. */
START_TEST(rmat_is_skewed)
{
    struct message_set set = make("rmat", (struct mesh){64, 64}, 100, 200, 1);
    uint32_t *received = count_received(&set), silent = 0;
    double mean = (double)set.deliveries / 4096;
    for (uint32_t v = 0; v < 4096; v++)
        silent += received[v] == 0;
    ck_assert_uint_eq(message_set_degree(&set), 100);
    ck_assert_uint_gt(message_set_congestion(&set), (uint32_t)(5 * mean));
    ck_assert_uint_gt(silent, 200);
    ck_assert(mean > 4 && mean < 16);
    free(received);
    message_set_free(&set);
}
END_TEST

/* A mesh that does not exist and more deliveries than fit are refused with the limit. */
START_TEST(impossible_wishes_are_refused)
{
    struct pattern_options none = {.mesh = {0, 4}};
    struct pattern_options huge = {
        .mesh = {1024, 1024}, .degree = 1 << 20, .congestion = 8192, .seed = 1};
    struct message_set set;
    struct failure failure = {0};
    ck_assert_int_eq(pattern_generate(pattern_find("uniform"), &none, &set, &failure), FAIL_USAGE);
    memset(&failure, 0, sizeof failure);
    ck_assert_int_eq(pattern_generate(pattern_find("broadcast"), &huge, &set, &failure),
                     FAIL_USAGE);
    ck_assert_ptr_nonnull(strstr(failure.text, "at most 4294967294"));
    ck_assert_ptr_null(set.destination);
}
END_TEST

/* The table: every name finds its row, and each row has a description. */
START_TEST(table_is_whole)
{
    ck_assert_uint_eq(pattern_count(), 19);
    ck_assert_ptr_null(pattern_find("none"));
    for (uint32_t i = 0; i < pattern_count(); i++) {
        ck_assert_ptr_eq(pattern_find(pattern_at(i)->name), pattern_at(i));
        ck_assert_uint_gt(strlen(pattern_at(i)->contract), 80);
        ck_assert_ptr_null(strchr(pattern_at(i)->summary, '\n'));
    }
}
END_TEST

void pattern_suite(TCase *tests)
{
    tcase_add_loop_test(tests, degree_and_congestion_are_kept, 0, (int)pattern_count());
    tcase_add_loop_test(tests, seeds_decide, 0, (int)pattern_count());
    tcase_add_test(tests, permutations_are_permutations);
    tcase_add_test(tests, transpose_is_right);
    tcase_add_test(tests, bitreverse_is_right);
    tcase_add_test(tests, uniform_fills);
    tcase_add_test(tests, defaults_pair_up);
    tcase_add_test(tests, uniform_is_uniform);
    tcase_add_test(tests, worst_is_theorem_1);
    tcase_add_test(tests, hotspot_is_hot);
    tcase_add_test(tests, block_stays_in_a_tile);
    tcase_add_test(tests, broadcast_reaches_all);
    tcase_add_test(tests, rmat_is_skewed);
    tcase_add_test(tests, impossible_wishes_are_refused);
    tcase_add_test(tests, table_is_whole);
}
