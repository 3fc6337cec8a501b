/* test_network_settings.c - what a network needs: settings that go together, memory.
 *
 * Method: an allocator that fails once, at each place in turn (test/machine/allocation_count.h).
 */
#include "network/network.h"

#include "test/machine/allocation_count.h"

#include <check.h>
#include <string.h>

Suite *network_settings_suite(void);

static struct topology mesh(uint32_t side)
{
    struct shape shape = {TOPOLOGY_MESH, 2, {side, side}};
    return topology_of_shape(&shape);
}

static void ignore(void *context, uint64_t cycle, const struct network_event *event, size_t count)
{
    (void)context, (void)cycle, (void)event, (void)count;
}

/* What a network of some messages does; the kind of its failure, if memory is short. */
static enum failure_kind run_with_memory(enum switching switching, struct failure *failure)
{
    struct topology topology = mesh(4);
    struct network_settings settings = network_settings_default();
    struct network *network;
    struct network_observer observer = {NULL, ignore};
    settings.switching = switching;
    settings.vcs = 2;
    settings.startup = 300;
    enum failure_kind kind =
        network_make(&network, &topology, &routing_x_first, &settings, &observer, failure);
    for (uint32_t i = 0; i < 40 && kind == FAIL_NONE; i++) {
        struct stop stop[] = {{3, 0, 3, 1}, {12, 0, 2, 1}, {15, 0, 1, 1}};
        struct worm worm = {.sender = 5, .stops = 3};
        const uint32_t destination[] = {3, 12, 15};
        struct multicast multicast = {5, 3, destination, 4};
        struct plan plan = {
            .routing = &routing_x_first, .worms = 1, .stops = 3, .worm = &worm, .stop = stop};
        kind = network_post(network, i * 100, &multicast, &plan, failure);
    }
    if (kind == FAIL_NONE)
        kind = network_run(network, UINT64_MAX, failure);
    if (kind == FAIL_NONE)
        ck_assert_uint_eq(network_counts(network).done, 40);
    network_free(network);
    return kind;
}

/* Each allocation fails once: that is told, and nothing is lost. */
START_TEST(no_memory)
{
    bool has_failed = true;
    for (int64_t before = 0; has_failed; before++) {
        struct failure failure = {0};
        allocation_count_fail(before);
        enum failure_kind kind = run_with_memory((enum switching)_i, &failure);
        has_failed = allocation_count_has_failed();
        allocation_count_fail(INT64_MAX);
        ck_assert_int_eq(kind, has_failed ? FAIL_SYSTEM : FAIL_NONE);
    }
}
END_TEST

/* Settings that do not go together are refused, and the text says what would do. */
START_TEST(refusals)
{
    struct shape shape = {TOPOLOGY_TORUS, 2, {8, 8}};
    struct topology topology = topology_of_shape(&shape);
    struct network_settings fine = network_settings_default();
    fine.vcs = 2;
    struct network_settings few = fine, small = fine, ports = fine, left = fine, none = fine,
                            late = fine, slow = fine;
    few.vcs = 1;
    small.switching = SWITCHING_CUT_THROUGH;
    ports.is_one_port = true;
    ports.injection = 2;
    left.switching = SWITCHING_STORE_AND_FORWARD;
    left.releases_when_left = true;
    none.buffer = 0;
    late.startup = NETWORK_MAX_DELAY + 1;
    slow.router_delay = NETWORK_MAX_DELAY + 1;
    const struct {
        struct network_settings settings;
        const char *text;
    } refused[] = {{few, "needs 2 virtual channels"},
                   {small, "whole messages: 5 flits, not 4"},
                   {ports, "one injection channel"},
                   {left, "release=left"},
                   {none, "the buffer must be 1"},
                   {late, "the startup must be 0 to 1048576"},
                   {slow, "the router delay must be 0 to 1048576"}};
    struct failure failure = {0};
    ck_assert_int_eq(network_check_settings(&fine, &topology, &routing_x_first, 5, &failure),
                     FAIL_NONE);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        failure = (struct failure){0};
        ck_assert_int_eq(
            network_check_settings(&refused[i].settings, &topology, &routing_x_first, 5, &failure),
            FAIL_USAGE);
        ck_assert_msg(strstr(failure.text, refused[i].text) != NULL, "%s", failure.text);
    }
}
END_TEST

/* One port has one injection channel: on the largest network with 30 virtual channels only that leaves fewer than 2^31
 * channels. */
START_TEST(most_channels)
{
    struct shape shape = {TOPOLOGY_TORUS, 2, {4096, 4096}};
    struct topology topology = topology_of_shape(&shape);
    struct network_settings settings = network_settings_default();
    struct failure failure = {0};
    settings.vcs = 30;
    ck_assert_int_eq(network_check_settings(&settings, &topology, &routing_x_first, 1, &failure),
                     FAIL_USAGE);
    ck_assert_msg(strstr(failure.text, "2^31") != NULL, "%s", failure.text);
    settings.is_one_port = true;
    failure = (struct failure){0};
    ck_assert_int_eq(network_check_settings(&settings, &topology, &routing_x_first, 1, &failure),
                     FAIL_NONE);
}
END_TEST

Suite *network_settings_suite(void)
{
    Suite *suite = suite_create("network_settings");
    TCase *tests = tcase_create("settings");
    tcase_add_loop_test(tests, no_memory, SWITCHING_WORMHOLE, SWITCHING_STORE_AND_FORWARD + 1);
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, most_channels);
    suite_add_tcase(suite, tests);
    return suite;
}
