/* test_message_set_collect.c - rank 0 gets the whole set from the parts of all ranks: that which is read alone. */
#include "test/base/ranks_case.h"
#include "test/base/ranks_threads.h"
#include "workloads/message_set.h"

#include <check.h>
#include <string.h>

#undef fail /* a macro of Check's */

Suite *message_set_collect_suite(void);

typedef enum failure_kind reader(struct message_set *set, const void *bytes, size_t length,
                                 const char *name, struct ranks *ranks, struct failure *failure);

static const struct {
    reader *read;
    const char *text;
} SETS[] = {
    {message_set_read_machine_memory, "mcast 1 5 4\n0 1 2\n3 0 1 3\n5 4\n14 0 1 2 3 4 15\n15 15\n"},
    {message_set_read_machine_memory, "mcast 1 7 3\n"},
    {message_set_read_machine_memory, "mcast 2 mesh 6 4\n15 1 2\n0:5 3\n8:2 2 3\n0 2 9\nend 4\n"},
    {message_set_read_network_memory, "mcast 2 graph 9\n8 1\n0 1\n3 8 0\n8 2\n3:9 4\nend 5\n"},
    {message_set_read_network_memory, "mcast 2 torus 5 2 2\n19 1\n0:3 1\n7:3 8 0\n8:2 2\n7:9 4\n"},
};
enum { SET_COUNT = sizeof SETS / sizeof *SETS };

static enum failure_kind check_collected(const struct message_set *got,
                                         const struct message_set *whole, struct ranks *ranks,
                                         struct failure *failure)
{
    HOLDS(shape_equals(&got->shape, &whole->shape) && got->lacks_end == whole->lacks_end);
    HOLDS(got->messages == whole->messages && got->deliveries == whole->deliveries);
    HOLDS(!got->is_part && message_set_version(got) == message_set_version(whole));
    HOLDS((got->length == NULL) == (whole->length == NULL));
    for (uint32_t i = 0; i < whole->messages; i++)
        HOLDS(got->source[i] == whole->source[i] && got->offset[i] == whole->offset[i] &&
              (got->length == NULL || got->length[i] == whole->length[i]));
    HOLDS(got->offset[got->messages] == whole->deliveries);
    for (uint64_t i = 0; i < whole->deliveries; i++)
        HOLDS(got->destination[i] == whole->destination[i]);
    return FAIL_NONE;
}

static enum failure_kind collect(void *context, struct ranks *ranks, struct failure *failure)
{
    const int index = *(const int *)context;
    const char *text = SETS[index].text;
    reader *read = SETS[index].read;
    struct message_set part, whole, got;
    MUST(read(&whole, text, strlen(text), "text", NULL, failure));
    MUST(read(&part, text, strlen(text), "text", ranks, failure));
    MUST(message_set_collect(&got, &part, ranks, failure));
    if (ranks_rank(ranks) == 0)
        MUST(check_collected(&got, &whole, ranks, failure));
    else
        HOLDS(got.offset == NULL && got.messages == 0);
    message_set_free(&got);
    message_set_free(&part);
    message_set_free(&whole);
    return FAIL_NONE;
}

START_TEST(collects)
{
    for (uint32_t ranks = 1; ranks <= MOST_RANKS; ranks += ranks < 3 ? 1 : 2) {
        struct failure failure = {0};
        enum failure_kind kind = ranks_run_threads(ranks, collect, &_i, &failure);
        ck_assert_msg(kind == FAIL_NONE, "%u ranks: %s", ranks, failure.text);
    }
}
END_TEST

Suite *message_set_collect_suite(void)
{
    Suite *suite = suite_create("message_set_collect");
    TCase *tests = tcase_create("collect");
    tcase_add_loop_test(tests, collects, 0, SET_COUNT);
    suite_add_tcase(suite, tests);
    return suite;
}
