/* test_pattern_topology.c - patterns on topologies that are no meshes of two dimensions.
 *
 * Oracle: patterns that know nothing but the number of nodes make the same messages on every topology of so many.
 */
#include "workloads/pattern.h"

#include <check.h>
#include <string.h>

Suite *pattern_topology_suite(void);

static const char *const SHAPES[] = {"torus:4x4x4", "mesh:64", "mesh:2x2x2x2x2x2", "torus:8x8",
                                     "torus:64x1"};
static const char *const OF_NODES[] = {"permutation", "uniform", "hotspot", "broadcast", "rmat"};

static struct shape shape_of(const char *text)
{
    struct topology topology;
    struct failure failure = {0};
    ck_assert_int_eq(topology_parse(&topology, text, &failure), FAIL_NONE);
    return topology.shape;
}

static enum failure_kind make(const char *pattern, struct shape shape, struct message_set *set,
                              struct failure *failure)
{
    struct pattern_options options = {.shape = shape, .seed = 5, .degree = 3, .congestion = 7};
    memset(failure, 0, sizeof *failure);
    return pattern_generate(pattern_find(pattern), &options, set, failure);
}

/* the messages do not depend on the topology; they are those of the mesh of 8 x 8 */
START_TEST(patterns_of_nodes)
{
    struct message_set mesh, set;
    struct failure failure;
    const char *pattern = OF_NODES[_i];
    struct shape plane = shape_of("mesh:8x8"), graph = {TOPOLOGY_GRAPH, 1, {64}};
    ck_assert_int_eq(make(pattern, plane, &mesh, &failure), FAIL_NONE);
    ck_assert(mesh.mesh.rows == 8 && message_set_version(&mesh) == 1);
    for (size_t i = 0; i <= sizeof SHAPES / sizeof *SHAPES; i++) {
        struct shape shape = i < sizeof SHAPES / sizeof *SHAPES ? shape_of(SHAPES[i]) : graph;
        ck_assert_int_eq(make(pattern, shape, &set, &failure), FAIL_NONE);
        ck_assert(shape_equals(&set.shape, &shape) && message_set_version(&set) == 2);
        ck_assert(set.messages == mesh.messages && set.deliveries == mesh.deliveries);
        ck_assert_mem_eq(set.source, mesh.source, set.messages * sizeof *set.source);
        ck_assert_mem_eq(set.offset, mesh.offset, set.messages * sizeof *set.offset);
        ck_assert_mem_eq(set.destination, mesh.destination,
                         set.deliveries * sizeof *set.destination);
        message_set_free(&set);
    }
    message_set_free(&mesh);
}
END_TEST

static uint32_t reversed(uint32_t number, uint32_t bits)
{
    uint32_t result = 0;
    for (uint32_t bit = 0; bit < bits; bit++)
        result |= (number >> bit & 1) << (bits - 1 - bit);
    return result;
}

/* bitreverse: of row and column where there are two dimensions, else of the node's number */
START_TEST(bit_reversal)
{
    static const struct {
        const char *text;
        uint32_t bits, low; /* low: of the column; 0: of the number as a whole */
    } CASES[] = {
        {"torus:4x8", 5, 3}, {"mesh:2x2x2x2x2", 5, 0}, {"torus:4x4x2", 5, 0}, {"mesh:24", 5, 0}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct message_set set;
        struct failure failure;
        uint32_t low = CASES[i].low, bits = CASES[i].bits;
        ck_assert_int_eq(make("bitreverse", shape_of(CASES[i].text), &set, &failure), FAIL_NONE);
        for (uint32_t v = 0; v < set.messages; v++) {
            uint32_t expected = low == 0 ? reversed(v, bits)
                                         : reversed(v >> low, bits - low) << low |
                                               reversed(v & ((1u << low) - 1), low);
            ck_assert(set.source[v] == v);
            ck_assert(set.destination[v] == (expected < set.messages ? expected : v));
        }
        message_set_free(&set);
    }
}
END_TEST

/* transpose wants rows and columns, but no mesh */
START_TEST(transpose_of_a_torus)
{
    struct message_set set;
    struct failure failure;
    ck_assert_int_eq(make("transpose", shape_of("torus:3x5"), &set, &failure), FAIL_NONE);
    for (uint32_t v = 0; v < 15; v++)
        ck_assert_uint_eq(set.destination[v], v % 5 * 3 + v / 5);
    message_set_free(&set);
}
END_TEST

/* a pattern that cannot be had is refused, and the text names those that can */
START_TEST(refused_patterns)
{
    struct message_set set;
    struct failure failure;
    ck_assert_int_eq(make("block", shape_of("torus:4x4"), &set, &failure), FAIL_USAGE);
    ck_assert_str_eq(
        failure.text,
        "pattern block is for meshes of two dimensions; on torus:4x4 there are: "
        "permutation, transpose, bitreverse, uniform, hotspot, broadcast, scan, rmat, populations, "
        "allgather, alltoall, reducescatter, allreduce");
    ck_assert_int_eq(make("transpose", shape_of("mesh:4x4x4"), &set, &failure), FAIL_USAGE);
    ck_assert_ptr_nonnull(strstr(failure.text, "is for meshes and tori of two dimensions; on "
                                               "mesh:4x4x4 there are: permutation, bitreverse,"));
    ck_assert_int_eq(make("worst", shape_of("mesh:40000x2"), &set, &failure), FAIL_USAGE);
    for (uint32_t i = 0; i < pattern_count(); i++) {
        struct shape graph = {TOPOLOGY_GRAPH, 1, {9}}, plane = shape_of("mesh:3x3");
        bool is_of_nodes = pattern_at(i)->domain >= PATTERN_ON_ALL;
        ck_assert_int_eq(pattern_check_shape(pattern_at(i), &plane, NULL), FAIL_NONE);
        ck_assert_int_eq(pattern_check_shape(pattern_at(i), &graph, NULL),
                         is_of_nodes ? FAIL_NONE : FAIL_USAGE);
    }
}
END_TEST

/* scan: d other nodes for each of the first c, and those with small numbers more often. */
START_TEST(scan_walks)
{
    struct pattern_options options = {
        .shape = {.kind = TOPOLOGY_TORUS, .dimensions = 2, .size = {20, 20}},
        .degree = 190,
        .congestion = 40};
    struct message_set set;
    uint32_t low = 0;
    ck_assert_int_eq(pattern_generate(pattern_find("scan"), &options, &set, NULL), FAIL_NONE);
    ck_assert_uint_eq(set.messages, 40);
    for (uint32_t i = 0; i < set.messages; i++) {
        ck_assert_uint_eq(set.source[i], i);
        ck_assert_uint_eq(set.offset[i + 1] - set.offset[i], 190);
        for (uint64_t j = set.offset[i]; j < set.offset[i + 1]; j++) {
            ck_assert_uint_ne(set.destination[j], i);
            low += set.destination[j] < 200;
        }
    }
    ck_assert(low > 3880 && low < 4100); /* of 7600; half of them where all are as likely */
    message_set_free(&set);
}
END_TEST

Suite *pattern_topology_suite(void)
{
    Suite *suite = suite_create("pattern_topology");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, patterns_of_nodes, 0, sizeof OF_NODES / sizeof *OF_NODES);
    tcase_add_test(tests, bit_reversal);
    tcase_add_test(tests, transpose_of_a_torus);
    tcase_add_test(tests, refused_patterns);
    tcase_add_test(tests, scan_walks);
    suite_add_tcase(suite, tests);
    return suite;
}
