/* test_pattern_groups.c - collectives in groups that are strided or come from a file: by a number of a group for each node;
 * and what their algorithms bring to each node. */
#include "base/pcg.h"
#include "workloads/pattern.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *pattern_groups_suite(void);

enum { MOST_NODES = 96, NO_GROUP = 1000 };

/* Groups as a file has them, to be freed by node_lines_free(). */
static enum failure_kind read_groups(const char *text, struct node_lines *lines,
                                     struct failure *failure)
{
    static const struct node_lines_format FORMAT = {
        .what = "group", .most = 1000, .is_disjoint = true};
    struct byte_source *source;
    ck_assert_int_eq(byte_source_open_memory(&source, text, strlen(text), "g", failure), FAIL_NONE);
    return node_lines_read_source(lines, &FORMAT, source, "g", failure);
}

/* Both patterns send from each node to all others of its group, to[] being the group of each node. */
static void assert_groups(struct pattern_options options, const uint32_t *group)
{
    static const char *const NAMES[] = {"allgather", "alltoall"};
    uint32_t nodes = shape_nodes(&options.shape);
    for (int to_each = 0; to_each < 2; to_each++) {
        struct message_set set;
        struct failure failure = {0};
        ck_assert_msg(pattern_generate(pattern_find(NAMES[to_each]), &options, &set, &failure) ==
                          FAIL_NONE,
                      "%s", failure.text);
        uint32_t message = 0;
        uint64_t delivery = 0;
        for (uint32_t v = 0; v < nodes; v++) {
            bool is_begun = false;
            for (uint32_t to = 0; to < nodes; to++) {
                if (to == v || group[to] != group[v] || group[v] == NO_GROUP)
                    continue;
                if (to_each || !is_begun) {
                    ck_assert_uint_lt(message, set.messages);
                    ck_assert_uint_eq(set.source[message], v);
                    ck_assert_uint_eq(set.offset[message++], delivery);
                }
                is_begun = true;
                ck_assert_uint_lt(delivery, set.deliveries);
                ck_assert_uint_eq(set.destination[delivery++], to);
            }
        }
        ck_assert_uint_eq(message, set.messages);
        ck_assert_uint_eq(delivery, set.deliveries);
        message_set_free(&set);
    }
}

/* Every stride of every number of groups that fits 96 nodes; node v = (b S + m) .. is member m of its group. */
START_TEST(strided)
{
    static const struct shape SHAPES[] = {
        {TOPOLOGY_MESH, 2, {12, 8}}, {TOPOLOGY_TORUS, 3, {4, 4, 6}}, {TOPOLOGY_GRAPH, 1, {96}}};
    for (uint32_t groups = 1; groups <= 96; groups++)
        for (uint32_t stride = 1; stride <= groups; stride++) {
            uint32_t group[MOST_NODES], size = 96 / groups;
            if (96 % groups != 0 || groups % stride != 0)
                continue;
            for (uint32_t block = 0, v = 0; v < 96; block++)
                for (uint32_t member = 0; member < size; member++)
                    for (uint32_t turn = 0; turn < stride; turn++)
                        group[v++] = block * stride + turn;
            assert_groups((struct pattern_options){.shape = SHAPES[(groups + stride) % 3],
                                                   .mesh = {8, 12},
                                                   .groups = groups,
                                                   .stride = stride},
                          group);
        }
}
END_TEST

/* Random groups of some of the nodes, in any order, with comments and blank lines between. */
START_TEST(from_a_file)
{
    struct pcg32 random = pcg32_seed(1, 0x67726f757073);
    for (int round = 0; round < 100; round++) {
        uint32_t group[MOST_NODES], groups = 1 + pcg32_below(&random, 12), from;
        char text[1024];
        size_t used = 0;
        for (uint32_t v = 0; v < MOST_NODES; v++)
            group[v] = NO_GROUP;
        for (uint32_t g = 0; g < groups; g++) {
            if (round % 2 == 0)
                used += (size_t)sprintf(text + used, "# %u\n\n ", g);
            for (uint32_t i = 1 + pcg32_below(&random, 7); i > 0; i--) {
                do
                    from = pcg32_below(&random, MOST_NODES);
                while (group[from] != NO_GROUP);
                group[from] = g;
                used += (size_t)sprintf(text + used, "%u%s", from, i > 1 ? "\t " : " \r\n");
            }
        }
        struct node_lines lines;
        struct failure failure = {0};
        ck_assert_int_eq(read_groups(text, &lines, &failure), FAIL_NONE);
        assert_groups((struct pattern_options){.shape = {TOPOLOGY_MESH, 2, {12, 8}},
                                               .mesh = {8, 12},
                                               .group_lines = &lines},
                      group);
        node_lines_free(&lines);
    }
}
END_TEST

/* A node in two groups, one that the topology has not, and what is no number are refused at their line. */
START_TEST(refusals)
{
    static const struct {
        const char *text, *message;
    } CASES[] = {{"0 1\n\n# c\n2 1\n", "g:4: expected each node in one group, found '1'"},
                 {"3 3\n", "g:1: expected each node in one group, found '3'"},
                 {"0 1\n2,3\n", "g:2: expected a node number from 0 to 67108863, found '2,3'"},
                 {"\n", "g:1: expected a line of node numbers for each group, found none"},
                 {"", "g:1: expected a line of node numbers for each group, found none"}};
    struct node_lines lines;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct failure failure = {0};
        ck_assert_int_eq(read_groups(CASES[i].text, &lines, &failure), FAIL_INPUT);
        ck_assert_str_eq(failure.text, CASES[i].message);
        ck_assert_ptr_null(lines.node);
    }
    struct failure failure = {0};
    struct message_set set;
    ck_assert_int_eq(read_groups("0 7\n11 96 2\n", &lines, &failure), FAIL_NONE);
    struct pattern_options options = {
        .shape = {TOPOLOGY_MESH, 2, {12, 8}}, .mesh = {8, 12}, .group_lines = &lines};
    ck_assert_int_eq(pattern_generate(pattern_find("allgather"), &options, &set, &failure),
                     FAIL_INPUT);
    ck_assert_str_eq(failure.text, "g:2: expected a node of mesh:8x12, 0 to 95, found 96");
    node_lines_free(&lines);
}
END_TEST

/* Adds to known[message] the members whose blocks are in a message: its source's own, and those of all that it waits for.
 * bit[node] is that of a node in its group. */
static uint64_t find_known(const struct message_set *set, uint32_t message, const uint64_t *bit,
                           uint64_t *known)
{
    if (known[message] != 0)
        return known[message];
    uint64_t all = bit[set->source[message]];
    uint64_t first = set->wait_offset == NULL ? 0 : set->wait_offset[message];
    uint64_t end = set->wait_offset == NULL ? 0 : set->wait_offset[message + 1];
    for (uint64_t i = first; i < end; i++) {
        ck_assert(message_set_goes_to(set, set->wait_on[i], set->source[message]));
        all |= find_known(set, set->wait_on[i], bit, known);
    }
    return known[message] = all;
}

/* By every algorithm each node gets messages that stand for all members of its group, over those that they wait for, and
 * none for others; no message waits for itself. */
START_TEST(algorithms)
{
    static const char *const NAMES[] = {"allgather", "alltoall", "reducescatter", "allreduce"};
    static const uint32_t SIZES[] = {2, 3, 4, 7, 8, 12, 16, 32};
    uint32_t size = SIZES[_i], groups = MOST_NODES / size, nodes = groups * size;
    uint64_t bit[MOST_NODES], got[MOST_NODES];
    for (int name = 0; name < 4; name++)
        for (int algorithm = ALGORITHM_DIRECT; algorithm <= ALGORITHM_TREE; algorithm++) {
            struct message_set set;
            struct failure failure = {0};
            struct pattern_options options = {.shape = {TOPOLOGY_TORUS, 1, {nodes}},
                                              .groups = groups,
                                              .algorithm = (enum collective_algorithm)algorithm,
                                              .bytes = 1000};
            enum failure_kind kind =
                pattern_generate(pattern_find(NAMES[name]), &options, &set, &failure);
            bool is_refused = (algorithm == ALGORITHM_HALVING && (size & (size - 1)) != 0) ||
                              (algorithm == ALGORITHM_TREE && name == 1);
            ck_assert_int_eq(kind, is_refused ? FAIL_USAGE : FAIL_NONE);
            if (is_refused)
                continue;
            uint64_t *known = calloc(set.messages, sizeof *known);
            uint32_t *chain = calloc(set.messages, sizeof *chain), cyclic;
            ck_assert_int_eq(message_set_chains(&set, chain, &cyclic, &failure), FAIL_NONE);
            ck_assert_uint_eq(cyclic, UINT32_MAX);
            for (uint32_t v = 0; v < nodes; v++) {
                bit[v] = (uint64_t)1 << v % size;
                got[v] = bit[v];
            }
            for (uint32_t i = 0; i < set.messages; i++)
                for (uint64_t j = set.offset[i]; j < set.offset[i + 1]; j++) {
                    ck_assert_uint_eq(set.destination[j] / size, set.source[i] / size);
                    ck_assert_uint_ne(set.destination[j], set.source[i]);
                    got[set.destination[j]] |= find_known(&set, i, bit, known);
                }
            for (uint32_t v = 0; v < nodes; v++)
                ck_assert_uint_eq(got[v], ((uint64_t)1 << size) - 1);
            if (algorithm == ALGORITHM_RING) {
                ck_assert_uint_eq(set.messages, nodes * (size - 1) * (name == 3 ? 2 : 1));
                ck_assert_uint_eq(set.length[0], name < 2 ? 1000 : (1000 + size - 1) / size);
            }
            free(known);
            free(chain);
            message_set_free(&set);
        }
}
END_TEST

Suite *pattern_groups_suite(void)
{
    Suite *suite = suite_create("pattern_groups");
    TCase *tests = tcase_create("groups");
    tcase_add_test(tests, strided);
    tcase_add_test(tests, from_a_file);
    tcase_add_test(tests, refusals);
    tcase_add_loop_test(tests, algorithms, 0, 8);
    suite_add_tcase(suite, tests);
    return suite;
}
