/* test_unicast.c - what router `unicast` alone promises: a copy a destination, each along a
 * shortest way, within 8 k + 2 packets per node. What all routers promise is tested with all of them
 * (test_router.c, test_capacity.c, ...).
 */
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

Suite *unicast_suite(void);

static uint64_t distance(struct mesh mesh, node_index a, node_index b)
{
    int rows = (int)(a / mesh.cols) - (int)(b / mesh.cols);
    int cols = (int)(a % mesh.cols) - (int)(b % mesh.cols);
    return (uint64_t)(abs(rows) + abs(cols));
}

/* every pattern: packets cross as many links as destinations are far, and all but a message's last
 * packet are copies */
START_TEST(one_packet_a_destination)
{
    struct mesh mesh = {9, 7};
    struct router_case run = router_case_make("unicast", NULL);
    for (uint32_t pattern = 0; pattern < pattern_count(); pattern++) {
        struct message_set set;
        struct router_result result;
        if (!router_case_pattern(&set, pattern, mesh, 0, 6, 1))
            continue;
        ck_assert_int_eq(message_set_leave_home(&set, NULL), FAIL_NONE);
        run.copy_is_free = _i;
        router_case_check(&run, &set, &result);
        uint64_t hops = 0, copies = set.deliveries - set.messages;
        for (uint32_t i = 0; i < set.messages; i++)
            for (uint64_t j = set.offset[i]; j < set.offset[i + 1]; j++)
                hops += distance(mesh, set.source[i], set.destination[j]);
        ck_assert_uint_eq(result.packet_hops, hops);
        ck_assert_uint_eq(result.copies, copies);
        ck_assert_uint_eq(result.sync_steps, 0);
        message_set_free(&set);
    }
}
END_TEST

/* k slots per channel live within 8 k + 2 packets with either cost of copies; less is refused and the
 * least named; with more room there are as many slots as fit, unless the parameter says how many */
START_TEST(least_capacity)
{
    static const char *const parameters[] = {NULL, "slots=1", "slots=3"};
    for (uint32_t i = 0; i < 6; i++) {
        struct router_case run = router_case_make("unicast", parameters[i / 2]);
        uint32_t slots = i / 2 == 2 ? 3 : 1;
        struct message_set set;
        struct router_result result;
        struct failure failure = {0};
        char least[32];
        ck_assert(router_case_pattern(&set, 0, (struct mesh){8, 8}, 0, 8, 3));
        run.copy_is_free = i % 2;
        run.buffer = 8 * slots + 1;
        snprintf(least, sizeof least, "the least is %" PRIu32, 8 * slots + 2);
        ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &failure), FAIL_USAGE);
        ck_assert_msg(strstr(failure.text, least) != NULL, "%s", failure.text);
        run.buffer = 0;
        router_case_check(&run, &set, &result);
        ck_assert_uint_eq(result.buffer_capacity, 8 * slots + 2);
        run.buffer = 8 * slots + 10;
        router_case_check(&run, &set, &result);
        ck_assert_str_eq(result.parameter[0].value, i / 2 == 0 ? "2" : i / 2 == 1 ? "1" : "3");
        message_set_free(&set);
    }
}
END_TEST

/* one slot per channel, everything at once, the channels full: it ends (no deadlock), and no seed
 * makes a difference */
START_TEST(full_channels_end)
{
    static const char *const patterns[] = {"uniform", "hotspot", "worst"};
    struct pattern_options options = {.mesh = {16, 16}, .degree = 16, .congestion = 16, .seed = 2};
    struct message_set set;
    struct router_result result, other;
    struct failure failure = {0};
    struct router_case run = router_case_make("unicast", NULL);
    ck_assert_int_eq(pattern_generate(pattern_find(patterns[_i]), &options, &set, NULL), FAIL_NONE);
    router_case_check(&run, &set, &result);
    run.seed = 99;
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &other, &failure), FAIL_NONE);
    ck_assert(router_case_same(&result, &other));
    message_set_free(&set);
}
END_TEST

Suite *unicast_suite(void)
{
    Suite *suite = suite_create("unicast");
    TCase *tests = tcase_create("unicast");
    tcase_add_loop_test(tests, one_packet_a_destination, 0, 2);
    tcase_add_test(tests, least_capacity);
    tcase_add_loop_test(tests, full_channels_end, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}
