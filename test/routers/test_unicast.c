/* test_unicast.c - the promises of router `unicast` only: one copy per destination, each along a
 * shortest way, within 8 k + 2 packets per node.
 */
#include "test/routers/router_case.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t distance(struct grid mesh, uint32_t a, uint32_t b)
{
    int rows = (int)(a / mesh.cols) - (int)(b / mesh.cols);
    int cols = (int)(a % mesh.cols) - (int)(b % mesh.cols);
    return (uint64_t)(abs(rows) + abs(cols));
}

/* Every pattern: packets cross as many links as destinations are far, and all but a message's last
 * packet are copies. */
START_TEST(one_packet_per_destination)
{
    struct grid mesh = {9, 7};
    struct router_case run = router_case_make("unicast", NULL);
    struct plain_set set;
    struct case_result result;
    run.copy_is_free = _i;
    for (uint32_t pattern = 0; pattern < case_pattern_count(); pattern++) {
        if (!router_case_pattern(&set, pattern, mesh, 0, 6, 1))
            continue;
        plain_set_leave_home(&set);
        router_case_check(&run, &set, &result);
        uint64_t hops = 0, copies = 0;
        for (uint32_t i = 0; i < set.messages; i++) {
            uint64_t sent = set.offset[i + 1] - set.offset[i];
            copies += sent > 0 ? sent - 1 : 0;
            for (uint64_t j = set.offset[i]; j < set.offset[i + 1]; j++)
                hops += distance(mesh, set.source[i], set.destination[j]);
        }
        ck_assert_uint_eq(result.packet_hops, hops);
        ck_assert_uint_eq(result.copies, copies);
        ck_assert_uint_eq(result.sync_steps, 0);
        plain_set_free(&set);
    }
}
END_TEST

/* k slots per channel live within 8 k + 2 packets with either cost of copies; less is refused and
 * the least named; with more room there are as many slots as fit, unless the parameter says how
 * many. */
START_TEST(least_capacity)
{
    static const struct {
        const char *parameters, *used;
        uint32_t slots;
    } CASES[] = {{NULL, "slots=2 ", 1}, {"slots=1", "slots=1 ", 1}, {"slots=3", "slots=3 ", 3}};
    struct router_case run = router_case_make("unicast", CASES[_i / 2].parameters);
    uint32_t slots = CASES[_i / 2].slots;
    struct plain_set set;
    struct case_result result;
    struct meshcast_error error = {0};
    char least[32];
    ck_assert(plain_set_gen(&set, "uniform", (struct grid){8, 8}, 0, 8, 3, NULL));
    run.copy_is_free = _i % 2;
    run.buffer = 8 * slots + 1;
    snprintf(least, sizeof least, "the least is %" PRIu32, 8 * slots + 2);
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &error), MESHCAST_USAGE);
    ck_assert_msg(strstr(error.text, least) != NULL, "%s", error.text);
    run.buffer = 0;
    router_case_check(&run, &set, &result);
    ck_assert_uint_eq(result.buffer_capacity, 8 * slots + 2);
    run.buffer = 8 * slots + 10;
    router_case_check(&run, &set, &result);
    ck_assert_msg(strstr(result.parameters, CASES[_i / 2].used) != NULL, "%s", result.parameters);
    plain_set_free(&set);
}
END_TEST

/* One slot per channel, everything at once, the channels full: it ends, and no seed makes a
 * difference. */
START_TEST(full_channels_end)
{
    static const char *const patterns[] = {"uniform", "hotspot", "worst"};
    struct plain_set set;
    struct case_result result, other;
    struct router_case run = router_case_make("unicast", NULL);
    ck_assert(plain_set_gen(&set, patterns[_i], (struct grid){16, 16}, 16, 16, 2, NULL));
    router_case_check(&run, &set, &result);
    run.seed = 99;
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &other, NULL), MESHCAST_OK);
    ck_assert(router_case_same(&result, &other));
    plain_set_free(&set);
}
END_TEST

void unicast_suite(TCase *tests)
{
    tcase_add_loop_test(tests, one_packet_per_destination, 0, 2);
    tcase_add_loop_test(tests, least_capacity, 0, 6);
    tcase_add_loop_test(tests, full_channels_end, 0, 3);
}
