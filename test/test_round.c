/* test_round.c - packets that go round a ring where nobody watches, beside the plain way through the
 * same run, which is taken where somebody does: router `circulate` on meshes with a closed ring.
 */
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <string.h>

Suite *round_suite(void);

static void look_away(void *context, uint64_t step, const struct machine_event *event, size_t count)
{
    (void)context, (void)step, (void)event, (void)count;
}

static void no_phase(void *context, uint64_t step, const char *name)
{
    (void)context, (void)step, (void)name;
}

static const struct machine_observer observer = {.events = look_away, .phase = no_phase};

static uint32_t pattern_number(const char *name)
{
    uint32_t number = 0;
    while (strcmp(pattern_at(number)->name, name) != 0)
        number++;
    return number;
}

/* Both ways, which must end alike; returns how. */
static enum failure_kind check_alike(const struct message_set *set, bool copy_is_free,
                                     uint32_t buffer, uint32_t threads)
{
    struct router_result result[2];
    struct failure failure[2] = {{0}, {0}};
    enum failure_kind kind[2];
    char text[ROUTER_CASE_TEXT];
    struct router_case run = router_case_make("circulate", NULL);
    run.copy_is_free = copy_is_free;
    run.buffer = buffer;
    run.threads = threads;
    for (int i = 0; i < 2; i++) {
        run.observer = i == 0 ? &observer : NULL;
        kind[i] = router_case_run(&run, set, NULL, &result[i], &failure[i]);
    }
    router_case_text(&run, set, text);
    ck_assert_msg(kind[0] == kind[1] && strcmp(failure[0].text, failure[1].text) == 0,
                  "%s, %u threads: %s, and %s", text, threads, failure[0].text, failure[1].text);
    ck_assert_msg(router_case_same(&result[0], &result[1]),
                  "%s, %u threads: %llu and %llu steps, %llu and %llu hops, peaks %u and %u", text,
                  threads, (unsigned long long)result[0].steps, (unsigned long long)result[1].steps,
                  (unsigned long long)result[0].packet_hops,
                  (unsigned long long)result[1].packet_hops, result[0].buffer_peak,
                  result[1].buffer_peak);
    return kind[0];
}

static void check_copies(const struct message_set *set, uint32_t buffer, uint32_t threads)
{
    check_alike(set, false, buffer, threads);
    check_alike(set, true, buffer, threads);
}

/* Rings shorter than a group of 64 places, of whole groups, and of groups and a part. */
static const struct mesh MESHES[] = {{2, 2}, {2, 3},  {3, 2},  {4, 4},  {6, 5},   {5, 6},
                                     {8, 8}, {2, 64}, {65, 2}, {16, 8}, {10, 19}, {33, 12}};

START_TEST(test_patterns)
{
    static const uint32_t congestion[] = {1, 3, 16};
    for (uint32_t pattern = 0; pattern < pattern_count(); pattern++)
        for (uint32_t c = 0; c < sizeof congestion / sizeof *congestion; c++) {
            struct message_set set;
            if (!router_case_pattern(&set, pattern, MESHES[_i], 0, congestion[c], pattern + c))
                continue;
            check_copies(&set, 0, 1 + (pattern + c) % 3);
            message_set_free(&set);
        }
}
END_TEST

/* Where a buffer overflows both stop in the same step, and say so in the same words. */
START_TEST(test_overflow)
{
    uint32_t uniform = pattern_number("uniform"), failed = 0;
    for (uint32_t buffer = 1; buffer < 12; buffer++) {
        struct message_set set;
        ck_assert(router_case_pattern(&set, uniform, (struct mesh){12, 20}, 0, 24, buffer));
        for (uint32_t threads = 1; threads <= 2; threads++)
            failed += check_alike(&set, buffer % 2, buffer, threads) == FAIL_CHECK;
        message_set_free(&set);
    }
    ck_assert_uint_gt(failed, 3);
    ck_assert_uint_lt(failed, 20);
}
END_TEST

/* Many stop at once, where each node makes one copy a step, both ways: who comes first counts. */
START_TEST(test_crowds)
{
    struct message_set set;
    uint32_t broadcast = pattern_number("broadcast");
    for (uint32_t c = 2; c <= 130; c *= 3) {
        ck_assert(router_case_pattern(&set, broadcast, (struct mesh){12, 11}, 0, c, c));
        check_copies(&set, 0, 2);
        message_set_free(&set);
    }
}
END_TEST

/* One message alone: to itself, to a neighbour, across, to all these; and none at all. A node never
 * holds two packets then, or only for a step. */
START_TEST(test_alone)
{
    static const char *const sets[] = {"mcast 1 10 20\n", "mcast 1 10 20\n43 43\n",
                                       "mcast 1 10 20\n43 44\n", "mcast 1 10 20\n43 131\n",
                                       "mcast 1 10 20\n43 0 19 42 43 44 131 199\n"};
    for (uint32_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct message_set set;
        router_case_set(&set, sets[i]);
        check_copies(&set, 0, 1 + i % 2);
        check_copies(&set, 1, 1);
        message_set_free(&set);
    }
}
END_TEST

Suite *round_suite(void)
{
    Suite *suite = suite_create("round");
    TCase *tests = tcase_create("round");
    tcase_add_loop_test(tests, test_patterns, 0, sizeof MESHES / sizeof *MESHES);
    tcase_add_test(tests, test_overflow);
    tcase_add_test(tests, test_crowds);
    tcase_add_test(tests, test_alone);
    suite_add_tcase(suite, tests);
    return suite;
}
