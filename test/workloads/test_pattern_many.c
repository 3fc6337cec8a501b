/* test_pattern_many.c - patterns of several messages per node: layers of them, collectives of groups. */
#include "workloads/pattern.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *pattern_many_suite(void);

static struct message_set make(const char *name, const struct pattern_options *options)
{
    struct message_set set;
    struct failure failure = {0};
    ck_assert_msg(pattern_generate(pattern_find(name), options, &set, &failure) == FAIL_NONE,
                  "%s: %s", name, failure.text);
    return set;
}

static void assert_same(const struct message_set *a, const struct message_set *b)
{
    ck_assert_uint_eq(a->messages, b->messages);
    ck_assert_uint_eq(a->deliveries, b->deliveries);
    ck_assert_mem_eq(a->source, b->source, a->messages * sizeof *a->source);
    ck_assert_mem_eq(a->offset, b->offset, (a->messages + 1) * sizeof *a->offset);
    ck_assert_mem_eq(a->destination, b->destination, a->deliveries * sizeof *a->destination);
}

/* The set's text, in which version and end are seen. */
static char *text_of(const struct message_set *set)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert(message_set_write(set, NULL, out, NULL));
    fclose(out);
    return text;
}

static void assert_text(const char *name, const struct pattern_options *options,
                        const char *expected)
{
    struct message_set set = make(name, options);
    char *text = text_of(&set);
    ck_assert_str_eq(text, expected);
    free(text);
    message_set_free(&set);
}

/* ---- layers ---- */

/* Every pattern with l = 3: at most l messages per node and c a node in all, d a message; sources ascend, and
 * what is written is read as the same set. */
START_TEST(layers_keep_limits)
{
    const struct pattern *pattern = pattern_at((uint32_t)_i);
    struct pattern_options options = {
        .mesh = {8, 8}, .degree = 4, .congestion = 13, .per_node = 3, .seed = 9};
    if (pattern->needs != 0)
        return;
    struct message_set set = make(pattern->name, &options), read;
    struct failure failure = {0};
    uint32_t l = pattern->sends_many ? 12 : 3; /* all-to-all: of congestion 4 in each layer */
    ck_assert_uint_le(message_set_most_sent(&set), l);
    ck_assert_uint_le(message_set_congestion(&set), 13);
    ck_assert_uint_le(message_set_degree(&set), 4);
    for (uint32_t i = 1; i < set.messages; i++)
        ck_assert_uint_le(set.source[i - 1], set.source[i]);
    char *text = text_of(&set);
    ck_assert_msg(message_set_read_memory(&read, text, strlen(text), "set", &failure) == FAIL_NONE,
                  "%s", failure.text);
    assert_same(&set, &read);
    free(text);
    message_set_free(&set);
    message_set_free(&read);
}
END_TEST

/* One message per node is the set without --per-node; the first layer of several is that set, and the layers of a
 * pattern that draws nothing are the same. */
START_TEST(layers_are_sets)
{
    struct pattern_options options = {.mesh = {8, 8}, .degree = 4, .seed = 9};
    struct message_set plain = make("uniform", &options);
    options.per_node = 1;
    struct message_set one = make("uniform", &options);
    options.per_node = 2;
    struct message_set two = make("uniform", &options);
    assert_same(&plain, &one);
    ck_assert_uint_eq(two.messages, 128);
    bool is_same = true;
    for (uint32_t i = 0; i < 64; i++) {
        ck_assert_uint_eq(two.source[2 * i], i);
        ck_assert_uint_eq(two.source[2 * i + 1], i);
        const node_index *first = two.destination + two.offset[2 * i];
        ck_assert_mem_eq(first, one.destination + one.offset[i], 4 * sizeof *first);
        is_same = is_same && memcmp(first, first + 4, 4 * sizeof *first) == 0;
    }
    ck_assert(!is_same);
    message_set_free(&plain);
    message_set_free(&one);
    message_set_free(&two);
    assert_text("transpose", &(struct pattern_options){.mesh = {1, 2}, .per_node = 2},
                "mcast 2 mesh 1 2\n0 0\n0 0\n1 1\n1 1\nend 4\n");
}
END_TEST

/* A congestion below the messages of a node cannot be kept. */
START_TEST(layers_refuse)
{
    struct pattern_options options = {.mesh = {8, 8}, .congestion = 2, .per_node = 3};
    struct message_set set;
    struct failure failure = {0};
    ck_assert_int_eq(pattern_generate(pattern_find("uniform"), &options, &set, &failure),
                     FAIL_USAGE);
    ck_assert_str_eq(failure.text,
                     "a congestion of 2 is less than the 3 messages that each node sends");
}
END_TEST

/* Theorem 1's instance for l messages per node: 64 x 64, l = 4, c = 64: the square has l n / (c + l) nodes at most, each
 * receives c. */
START_TEST(layers_of_worst)
{
    struct pattern_options options = {.mesh = {64, 64}, .congestion = 64, .per_node = 4};
    struct message_set set = make("worst", &options);
    enum { SIDE = 15 }; /* floor(sqrt(4096 / 17)) */
    uint32_t received[SIDE * SIDE] = {0};
    for (uint64_t d = 0; d < set.deliveries; d++) {
        uint32_t row = set.destination[d] / 64, col = set.destination[d] % 64;
        ck_assert(row < SIDE && col < SIDE);
        received[row * SIDE + col]++;
    }
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        ck_assert_uint_eq(received[i], 64);
    ck_assert_uint_eq(message_set_most_sent(&set), 4);
    message_set_free(&set);
}
END_TEST

/* ---- groups ---- */

START_TEST(groups_by_hand)
{
    struct pattern_options options = {.mesh = {2, 4}, .groups = 3};
    assert_text("allgather", &options,
                "mcast 1 2 4\n0 1 2\n1 0 2\n2 0 1\n3 4 5\n4 3 5\n5 3 4\n6 7\n7 6\n");
    assert_text("alltoall", &options,
                "mcast 2 mesh 2 4\n0 1\n0 2\n1 0\n1 2\n2 0\n2 1\n3 4\n3 5\n4 3\n4 5\n5 3\n5 4\n"
                "6 7\n7 6\nend 14\n");
    options.groups = 8;
    assert_text("allgather", &options, "mcast 1 2 4\n");
    options = (struct pattern_options){.mesh = {1, 4}, .congestion = 1};
    assert_text("alltoall", &options, "mcast 1 1 4\n0 1\n1 0\n2 3\n3 2\n");
    options.per_node = 1;
    options.congestion = 3;
    options.degree = 2;
    assert_text("allgather", &options, "mcast 1 1 4\n0 1\n1 0\n2 3\n3 2\n");
    options.groups = 5;
    struct message_set set;
    struct failure failure = {0};
    ck_assert_int_eq(pattern_generate(pattern_find("alltoall"), &options, &set, &failure),
                     FAIL_USAGE);
    ck_assert_str_eq(failure.text, "5 groups are more than the 4 nodes");
}
END_TEST

Suite *pattern_many_suite(void)
{
    Suite *suite = suite_create("pattern_many");
    TCase *tests = tcase_create("many");
    tcase_add_loop_test(tests, layers_keep_limits, 0, (int)pattern_count());
    tcase_add_test(tests, layers_are_sets);
    tcase_add_test(tests, layers_refuse);
    tcase_add_test(tests, layers_of_worst);
    tcase_add_test(tests, groups_by_hand);
    suite_add_tcase(suite, tests);
    return suite;
}
