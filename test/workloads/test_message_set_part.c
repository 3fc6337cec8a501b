/* test_message_set_part.c - parts of message sets: together they are the whole, whose figures each of them knows. */
#include "workloads/message_set.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *message_set_part_suite(void);

/* Sets of both versions: with lengths, with several messages a source, with numbers that have gaps. */
static const char *const TEXTS[] = {
    "mcast 1 4 4\n0 1 2\n3 0 1 3\n5 4\n14 0 1 2 3 4 15\n15 15\n",
    "mcast 1 4 4\n9 0\n",
    "mcast 1 4 4\n",
    "mcast 2 mesh 4 4\n15 1 2\n0 3\n15 2\n4 2 9\n0 1 2 3\nend 5\n",
    "mcast 2 mesh 4 4\n0 1 2\n0 3\n4 2\n4 2 9\n15 1 2 3\nend 5\n",
    "mcast 2 mesh 4 4\n1:7 0 2\n2 3\n14:2 0\nend 3\n",
};
enum { TEXT_COUNT = sizeof TEXTS / sizeof *TEXTS };

static void read_text(struct message_set *set, const char *text)
{
    struct failure failure = {0};
    ck_assert_msg(message_set_read_memory(set, text, strlen(text), "text", &failure) == FAIL_NONE,
                  "%s", failure.text);
}

static void check_figures(const struct message_set *part, const struct message_set *whole)
{
    ck_assert(part->is_part);
    ck_assert_uint_eq(message_set_all_messages(part), whole->messages);
    ck_assert_uint_eq(message_set_all_deliveries(part), whole->deliveries);
    ck_assert_uint_eq(message_set_degree(part), message_set_degree(whole));
    ck_assert_uint_eq(message_set_congestion(part), message_set_congestion(whole));
    ck_assert_uint_eq(message_set_most_sent(part), message_set_most_sent(whole));
    ck_assert_int_eq(message_set_version(part), message_set_version(whole));
}

/* Message i of the part is the one of its number in the whole set. */
static void check_message(const struct message_set *part, uint32_t i,
                          const struct message_set *whole)
{
    int version = message_set_version(whole);
    uint32_t number = message_set_number(part, i);
    uint64_t count = part->offset[i + 1] - part->offset[i];
    ck_assert_uint_lt(number, whole->messages);
    ck_assert_uint_eq(part->source[i], whole->source[number]);
    ck_assert_uint_eq(count, whole->offset[number + 1] - whole->offset[number]);
    ck_assert_mem_eq(part->destination + part->offset[i],
                     whole->destination + whole->offset[number], count * sizeof(node_index));
    if (whole->length != NULL)
        ck_assert_uint_eq(part->length[i], whole->length[number]);
    uint32_t name = message_set_name(part, version, i);
    ck_assert_uint_eq(name, message_set_name(whole, version, number));
    ck_assert_uint_eq(message_set_named(part, version, name), i);
}

/* For any number of parts, some of them empty, each message is in the part of its source's nodes. */
START_TEST(parts_are_the_whole)
{
    struct message_set whole, part;
    struct failure failure;
    read_text(&whole, TEXTS[_i]);
    ck_assert_int_eq(message_set_leave_home(&whole, NULL), FAIL_NONE);
    int version = message_set_version(&whole);
    for (uint32_t parts = 1; parts <= 16; parts++) {
        uint32_t found = 0;
        for (uint32_t p = 0; p < parts; p++) {
            node_index first = 16 * p / parts, end = 16 * (p + 1) / parts;
            read_text(&part, TEXTS[_i]);
            ck_assert_int_eq(message_set_keep(&part, first, end, &failure), FAIL_NONE);
            check_figures(&part, &whole);
            for (uint32_t i = 0; i < part.messages; i++) {
                ck_assert(part.source[i] >= first && part.source[i] < end);
                check_message(&part, i, &whole);
            }
            for (uint32_t i = 0; i < whole.messages; i++)
                if (whole.source[i] < first || whole.source[i] >= end)
                    ck_assert_uint_eq(
                        message_set_named(&part, version, message_set_name(&whole, version, i)),
                        part.messages);
            ck_assert_uint_eq(part.offset[part.messages], part.deliveries);
            found += part.messages;
            message_set_free(&part);
        }
        ck_assert_uint_eq(found, whole.messages);
    }
    message_set_free(&whole);
}
END_TEST

Suite *message_set_part_suite(void)
{
    Suite *suite = suite_create("message_set_part");
    TCase *parts = tcase_create("parts");
    tcase_add_loop_test(parts, parts_are_the_whole, 0, TEXT_COUNT);
    suite_add_tcase(suite, parts);
    return suite;
}
