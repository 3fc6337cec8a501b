/* test_delays.c - router delays: when packets leave, and that nothing but that is different from router trees.
 *
 * Deliveries, traces, locality and threads are tested with every router (test/router_case.c).
 */
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

Suite *delays_suite(void);

static struct message_set make(const char *name, uint32_t side, uint32_t degree,
                               uint32_t congestion)
{
    struct message_set set;
    struct pattern_options options = {
        .mesh = {side, side}, .degree = degree, .congestion = congestion, .seed = 5};
    ck_assert_int_eq(pattern_generate(pattern_find(name), &options, &set, NULL), FAIL_NONE);
    return set;
}

/* Without delays the router is router trees with the same trees: the traces are one but for the phase's name. */
START_TEST(no_delay_is_trees)
{
    static const char *const trees[] = {"tree=near", "tree=spread", "tree=crowd"};
    struct message_set set = make("uniform", 12, 4, 4);
    for (int i = 0; i < 3; i++) {
        char parameters[64];
        struct router_result result;
        snprintf(parameters, sizeof parameters, "%s range=1", trees[i]);
        struct router_case delays = router_case_make("delays", parameters);
        struct router_case plain = router_case_make("trees", trees[i]);
        char *a = router_case_trace(&delays, &set, &result, NULL);
        char *b = router_case_trace(&plain, &set, &result, NULL);
        char *of_a = strstr(a, "# phase delays\n"), *of_b = strstr(b, "# phase trees\n");
        ck_assert_ptr_nonnull(of_a);
        ck_assert_ptr_nonnull(of_b);
        ck_assert_str_eq(strchr(of_a, '\n'), strchr(of_b, '\n'));
        free(a);
        free(b);
    }
    message_set_free(&set);
}
END_TEST

/* Where no two trees share a link, a packet arrives its delay after it would have. So the delays that were drawn are seen: all are below the
 * range, they differ by node and by seed, and each number is drawn about as often as the others. */
START_TEST(delays_are_kept)
{
    enum { SIDE = 64, RANGE = 8 };
    uint32_t drawn[RANGE] = {0}, differ = 0;
    uint64_t first[SIDE];
    struct message_set set;
    char text[SIDE * 32] = "mcast 1 64 2\n";
    for (int row = 0; row < SIDE; row++)
        snprintf(text + strlen(text), 32, "%d %d\n", 2 * row, 2 * row + 1);
    router_case_set(&set, text);
    for (uint64_t seed = 0; seed < 2; seed++) {
        struct router_case run = router_case_make("delays", "range=8");
        struct router_result result;
        run.seed = seed;
        char *trace = router_case_trace(&run, &set, &result, NULL), *line = trace;
        for (; line != NULL; line = strchr(line, '\n')) {
            unsigned step, packet;
            int from, to;
            line += *line == '\n';
            if (sscanf(line, "%u M %u %d %d", &step, &packet, &from, &to) != 4)
                continue;
            ck_assert_uint_ge(step, 1);
            ck_assert_uint_le(step, RANGE);
            drawn[step - 1]++;
            differ += seed == 1 && first[from / 2] != step;
            first[from / 2] = step;
        }
        free(trace);
        ck_assert_uint_eq(result.delivered, SIDE);
    }
    for (int delay = 0; delay < RANGE; delay++)
        ck_assert_uint_gt(drawn[delay], 2 * SIDE / RANGE / 3);
    ck_assert_uint_gt(differ, SIDE / 2);
    message_set_free(&set);
}
END_TEST

/* The standard range is a quarter of c, rounded up; a run ends at the last packet, whatever the range is. */
START_TEST(range_is_told)
{
    struct message_set set = make("uniform", 8, 5, 5);
    struct router_case run = router_case_make("delays", NULL);
    struct router_result result;
    router_case_check(&run, &set, &result);
    ck_assert_str_eq(result.parameter[1].name, "range");
    ck_assert_str_eq(result.parameter[1].value, "2");
    message_set_free(&set);
    router_case_set(&set, "mcast 1 2 2\n0 1\n");
    run = router_case_make("delays", "range=1048576");
    router_case_check(&run, &set, &result);
    ck_assert_uint_le(result.steps, 1048576);
    ck_assert_uint_gt(result.steps, 1);
    message_set_free(&set);
}
END_TEST

/* With a range of c for experts a node holds a third of the packets. */
START_TEST(delays_keep_buffers_small)
{
    struct message_set set = make("moe", 32, 0, 0);
    struct router_result at_once, later;
    struct router_case run = router_case_make("delays", "range=1");
    router_case_check(&run, &set, &at_once);
    run.parameters = "range=200";
    router_case_check(&run, &set, &later);
    ck_assert_uint_lt(2 * later.buffer_peak, at_once.buffer_peak);
    message_set_free(&set);
}
END_TEST

Suite *delays_suite(void)
{
    Suite *suite = suite_create("delays");
    TCase *tests = tcase_create("delays");
    tcase_add_test(tests, no_delay_is_trees);
    tcase_add_test(tests, delays_are_kept);
    tcase_add_test(tests, range_is_told);
    tcase_add_test(tests, delays_keep_buffers_small);
    suite_add_tcase(suite, tests);
    return suite;
}
