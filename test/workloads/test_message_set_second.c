/* test_message_set_second.c - versions 2 and 3 of message sets, and the sets that the mesh machine
 * accepts. */
#include "workloads/message_set.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum failure_kind read_text(struct message_set *set, const char *text,
                                   struct failure *failure)
{
    memset(failure, 0, sizeof *failure);
    return message_set_read_memory(set, text, strlen(text), "text", failure);
}

/* Texts of version 2, as the writer gives them. */
static const char *const SECOND[] = {
    "mcast 2 torus 4 4\n0 1 2\nend 1\n",
    "mcast 2 mesh 2 3 4\n23 0\n5 6 7\n23 1\nend 3\n",
    "mcast 2 graph 7\nend 0\n",
    "mcast 2 mesh 3 3\n4 0\n4 8\nend 2\n",
    "mcast 2 mesh 3 3\n5 0\n4 8\nend 2\n",
    "mcast 2 mesh 3 3\n1 0\n2:7 8\n3:1 3\nend 3\n",
    "mcast 2 mesh 67108864\n67108863:16777216 0 67108863\nend 1\n",
    "mcast 2 mesh 2 2 2 2 2 2 2 2\n255 0\nend 1\n",
    "mcast 2 mesh 32769 1\n32768 0\nend 1\n",
};
enum { SECOND_COUNT = sizeof SECOND / sizeof *SECOND };

static void check_text(const struct message_set *set, const char *expected)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert(message_set_write(set, NULL, out, NULL));
    fclose(out);
    ck_assert_str_eq(text, expected);
    free(text);
}

/* Version 2 keeps the order of messages, repeated sources and lengths, and is written if version 1
 * cannot hold the set. */
START_TEST(second_version)
{
    struct message_set set;
    struct failure failure;
    ck_assert_msg(read_text(&set, SECOND[_i], &failure) == FAIL_NONE, "%s", failure.text);
    ck_assert(!set.lacks_end);
    ck_assert_int_eq(message_set_version(&set), 2);
    check_text(&set, SECOND[_i]);
    message_set_free(&set);
}
END_TEST

/* Layout is free as in version 1; a set that version 1 can hold is written so. */
START_TEST(second_version_as_first)
{
    struct message_set set;
    struct failure failure;
    ck_assert_msg(read_text(&set,
                            "#\n mcast 2\tmesh 2 8 # here\r\n1 15 2\n\n3\t1 0 # there\nend 2 # "
                            "so many\n\n",
                            &failure) == FAIL_NONE,
                  "%s", failure.text);
    ck_assert_int_eq(message_set_version(&set), 1);
    ck_assert(set.mesh.rows == 2 && set.mesh.cols == 8);
    ck_assert_uint_eq(message_set_most_sent(&set), 1);
    check_text(&set, "mcast 1 2 8\n1 2 15\n3 0 1\n");
    message_set_free(&set);
}
END_TEST

/* A text of version 2 without its last line is accepted, and marked. */
START_TEST(second_version_cut)
{
    static const char *const CUT[] = {"mcast 2 torus 9\n3 4\n", "mcast 2 torus 9\n3 4",
                                      "mcast 2 torus 9", "mcast 2 torus 9\n# end 0\n"};
    for (int i = 0; i < 4; i++) {
        struct message_set set;
        struct failure failure;
        ck_assert_msg(read_text(&set, CUT[i], &failure) == FAIL_NONE, "%s", failure.text);
        ck_assert(set.lacks_end);
        ck_assert_uint_eq(set.messages, i < 2);
        message_set_free(&set);
    }
}
END_TEST

/* Lengths of thousands of messages, the first ones not given, and the figures d, c and l. */
START_TEST(second_version_long)
{
    struct message_set set;
    struct failure failure = {0};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "mcast 2 torus 10 10 10\n");
    for (uint32_t i = 0; i < 5000; i++)
        fprintf(out, i < 2000 ? "%u %u\n" : "%u:%u %u\n", i % 7, i < 2000 ? i % 1000 : i, i % 1000);
    fprintf(out, "end 5000\n");
    fclose(out);
    ck_assert_int_eq(message_set_read_memory(&set, text, size, "text", &failure), FAIL_NONE);
    ck_assert_uint_eq(set.messages, 5000);
    for (uint32_t i = 0; i < 5000; i++)
        ck_assert(set.source[i] == i % 7 && set.length[i] == (i < 2000 ? 0 : i) &&
                  set.destination[i] == i % 1000);
    ck_assert_uint_eq(message_set_degree(&set), 1);
    ck_assert_uint_eq(message_set_congestion(&set), 5);
    ck_assert_uint_eq(message_set_most_sent(&set), 714);
    check_text(&set, text);
    message_set_free(&set);
    free(text);
}
END_TEST

/* A set of version 2 that the machine accepts becomes a set of version 1, sorted; another one
 * stays, and its fault is named. */
START_TEST(fitting_the_machine)
{
    static const struct {
        const char *text, *told;
    } WRONG[] = {
        {"mcast 2 torus 4 4\n0 1\nend 1\n", "t: expected a mesh of two dimensions with sides of at "
                                            "most 32768, which the mesh machine has, found "
                                            "torus:4x4; 'meshcast network' takes such sets"},
        {"mcast 2 mesh 16\n0 1\nend 1\n", "found mesh:16;"},
        {"mcast 2 mesh 1 32769\n0 1\nend 1\n", "found mesh:1x32769;"},
    };
    static const struct {
        const char *text, *fitted;
    } RIGHT[] = {
        {"mcast 2 mesh 2 8\n3:1 1 0\n1 15 2\nend 2", "mcast 1 2 8\n1 2 15\n3 0 1\n"},
        {"mcast 2 mesh 4 4\n2 1\n0 2\n2 3\n0 3\nend 4\n",
         "mcast 2 mesh 4 4\n2 1\n0 2\n2 3\n0 3\nend 4\n"},
        {"mcast 2 mesh 4 4\n2:3 1 5\n0:2 2\n1 7\nend 3\n",
         "mcast 2 mesh 4 4\n2 1 5\n2 1 5\n2 1 5\n0 2\n0 2\n1 7\nend 6\n"},
        {"mcast 3 mesh 4 4\n0 1\n1>0 2\nend 2\n", "mcast 3 mesh 4 4\n0 1\n1>0 2\nend 2\n"},
    };
    struct message_set set;
    struct failure failure;
    for (size_t i = 0; i < sizeof RIGHT / sizeof *RIGHT; i++) {
        ck_assert_int_eq(read_text(&set, RIGHT[i].text, &failure), FAIL_NONE);
        ck_assert_int_eq(message_set_fit_machine(&set, "t", &failure), FAIL_NONE);
        check_text(&set, RIGHT[i].fitted);
        message_set_free(&set);
    }
    ck_assert_int_eq(read_text(&set, "mcast 2 mesh 2 8\n3:9999999 1 0\nend 1", &failure),
                     FAIL_NONE);
    memory_limit(1 << 20);
    ck_assert_int_eq(message_set_fit_machine(&set, "t", &failure), FAIL_SYSTEM);
    ck_assert(failure.is_memory_limit);
    memory_limit_default();
    message_set_free(&set);
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        ck_assert_int_eq(read_text(&set, WRONG[i].text, &failure), FAIL_NONE);
        ck_assert_int_eq(message_set_fit_machine(&set, "t", &failure), FAIL_INPUT);
        ck_assert_msg(strstr(failure.text, WRONG[i].told) != NULL, "%s", failure.text);
        check_text(&set, WRONG[i].text);
        message_set_free(&set);
    }
}
END_TEST

/* Version 3 keeps starts and waits, and so does a copy. */
START_TEST(third_version)
{
    static const char *const THIRD[] = {
        "mcast 3 mesh 4 4\n3@281474976710656 0\n1 2\nend 2\n",
        "mcast 3 torus 2 2 2\n7>2,3@9 1\n0:4@7 1\n0:2>4 7\n1>1@3 7\n5 0\nend 5\n",
    };
    struct message_set set, copy;
    struct failure failure;
    ck_assert_msg(read_text(&set, THIRD[_i], &failure) == FAIL_NONE, "%s", failure.text);
    ck_assert_int_eq(message_set_version(&set), 3);
    ck_assert_int_eq(message_set_copy(&copy, &set, &failure), FAIL_NONE);
    message_set_free(&set);
    check_text(&copy, THIRD[_i]);
    message_set_free(&copy);
}
END_TEST

/* Without times a set of version 3 is written in the lowest version that can hold it. */
START_TEST(third_version_as_others)
{
    struct message_set set;
    struct failure failure;
    ck_assert_int_eq(read_text(&set, "mcast 3 mesh 2 8\n1@0 2\n0 3\nend 2\n", &failure), FAIL_NONE);
    check_text(&set, "mcast 2 mesh 2 8\n1 2\n0 3\nend 2\n");
    message_set_free(&set);
    ck_assert_int_eq(read_text(&set, "mcast 3 mesh 2 8\n0 3\n1 2\n", &failure), FAIL_NONE);
    ck_assert(set.lacks_end);
    check_text(&set, "mcast 1 2 8\n0 3\n1 2\n");
    message_set_free(&set);
}
END_TEST

/* Waits follow their messages where others stay at home. Those of 5000 messages in a chain are
 * followed without a stack of calls. */
START_TEST(third_version_at_home)
{
    struct message_set set;
    struct failure failure;
    char *text;
    size_t size;
    ck_assert_int_eq(read_text(&set,
                               "mcast 3 mesh 9\n3@4 3\n1@2 1 3\n3>1 3\n3>1@5 2\n2>3 2 8\nend 5\n",
                               &failure),
                     FAIL_NONE);
    ck_assert_int_eq(message_set_leave_home(&set, &failure), FAIL_NONE);
    check_text(&set, "mcast 3 mesh 9\n1@2 3\n3>0@5 2\n2>1 8\nend 3\n");
    message_set_free(&set);
    ck_assert_int_eq(read_text(&set, "mcast 3 mesh 9\n1 3\n3@4 3\n3>0 3\nend 3\n", &failure),
                     FAIL_NONE);
    ck_assert_int_eq(message_set_leave_home(&set, &failure), FAIL_NONE);
    check_text(&set, "mcast 2 mesh 9\n1 3\nend 1\n");
    message_set_free(&set);

    FILE *out = open_memstream(&text, &size);
    fprintf(out, "mcast 3 mesh 2 2\n");
    for (uint32_t i = 0; i < 5000; i++)
        fprintf(out, i < 4999 ? "%u>%u %u\n" : "%u %u\n", i % 2, i < 4999 ? i + 1 : (i + 1) % 2,
                (i + 1) % 2);
    fprintf(out, "end 5000\n");
    fclose(out);
    uint32_t *chain = calloc(5000, sizeof *chain), cyclic;
    ck_assert_msg(read_text(&set, text, &failure) == FAIL_NONE, "%s", failure.text);
    ck_assert_int_eq(message_set_chains(&set, chain, &cyclic, &failure), FAIL_NONE);
    for (uint32_t i = 0; i < 5000; i++)
        ck_assert_uint_eq(chain[i], 5000 - i);
    message_set_free(&set);
    free(chain);
    free(text);
}
END_TEST

/* 256 destinations of 2^24 packets are more deliveries than a set can have. */
START_TEST(fitting_too_many_packets)
{
    struct message_set set;
    struct failure failure;
    char text[2048] = "mcast 2 mesh 16 16\n0:16777216";
    for (unsigned node = 0; node < 256; node++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %u", node);
    strcat(text, "\nend 1\n");
    ck_assert_int_eq(read_text(&set, text, &failure), FAIL_NONE);
    ck_assert_int_eq(message_set_fit_machine(&set, "t", &failure), FAIL_INPUT);
    ck_assert_str_eq(failure.text, "t: expected fewer than 4294967295 deliveries of packets on the "
                                   "mesh machine, found 4294967296, with the lengths of messages");
    check_text(&set, text);
    message_set_free(&set);
}
END_TEST

/* Lengths move with their messages. */
START_TEST(sorting_lengths)
{
    struct message_set set;
    struct failure failure;
    uint32_t repeated[2];
    ck_assert_int_eq(read_text(&set, "mcast 2 mesh 9\n8:3 0\n1 1 2\n4:5 7\nend 3\n", &failure),
                     FAIL_NONE);
    ck_assert_int_eq(message_set_sort_sources(&set, repeated, &failure), FAIL_NONE);
    ck_assert_uint_eq(repeated[1], UINT32_MAX);
    check_text(&set, "mcast 2 mesh 9\n1 1 2\n4:5 7\n8:3 0\nend 3\n");
    message_set_free(&set);
}
END_TEST

/* The topology of a set is its own, or a given one of its shape. */
START_TEST(topology_of_a_set)
{
    struct message_set set;
    struct topology topology;
    struct failure failure;
    ck_assert_int_eq(read_text(&set, "mcast 2 torus 4 8\n0 1\nend 1\n", &failure), FAIL_NONE);
    ck_assert_int_eq(message_set_topology(&set, NULL, &topology, &failure), FAIL_NONE);
    ck_assert(topology.nodes == 32 && topology.shape.kind == TOPOLOGY_TORUS);
    ck_assert_int_eq(message_set_topology(&set, "torus:4x8", &topology, &failure), FAIL_NONE);
    ck_assert_int_eq(message_set_topology(&set, "mesh:4x8", &topology, &failure), FAIL_USAGE);
    ck_assert_str_eq(failure.text, "the topology is mesh:4x8, but the set is of torus:4x8");
    message_set_free(&set);
    ck_assert_int_eq(read_text(&set, "mcast 2 graph 4\n0 1\nend 1\n", &failure), FAIL_NONE);
    ck_assert_int_eq(message_set_topology(&set, NULL, &topology, &failure), FAIL_USAGE);
    ck_assert_ptr_nonnull(strstr(failure.text, "topology graph:FILE"));
    message_set_free(&set);
}
END_TEST

void message_set_second_suite(TCase *tests)
{
    tcase_add_loop_test(tests, second_version, 0, SECOND_COUNT);
    tcase_add_test(tests, second_version_as_first);
    tcase_add_test(tests, second_version_cut);
    tcase_add_test(tests, second_version_long);
    tcase_add_test(tests, fitting_the_machine);
    tcase_add_test(tests, fitting_too_many_packets);
    tcase_add_test(tests, sorting_lengths);
    tcase_add_loop_test(tests, third_version, 0, 2);
    tcase_add_test(tests, third_version_as_others);
    tcase_add_test(tests, third_version_at_home);
    tcase_add_test(tests, topology_of_a_set);
}
