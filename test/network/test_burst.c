/* test_burst.c - all messages at once: what a burst tells, of whatever end.
 *
 * Method: random multicasts on small topologies by every scheme; and single messages, whose time is known.
 */
#include "network/burst.h"

#include "test/length.h"
#include "test/machine/allocation_count.h"
#include "test/network/burst_case.h"
#include "test/schemes/route_walk.h"

#include <check.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#undef fail /* a macro of Check's */

Suite *burst_suite(void);

enum { SMALL_LISTS = 100000 };

static struct burst burst_of(const struct topology *topology, const char *scheme,
                             struct random_messages *messages, uint32_t count)
{
    struct failure failure = {0};
    struct burst burst = {.topology = topology,
                          .settings = network_settings_default(),
                          .messages = count,
                          .message = random_messages_at,
                          .message_context = messages};
    ck_assert_int_eq(scheme_find(scheme, &burst.scheme, &failure), FAIL_NONE);
    return burst;
}

static struct burst_result run_of(const struct burst *burst)
{
    struct burst_result result;
    struct failure failure = {0};
    ck_assert_msg(burst_run(burst, &result, &failure) == FAIL_NONE, "%s", failure.text);
    return result;
}

/* Every scheme and switching delivers all; the figures fit together, and cycles are no fewer than the bound. */
START_TEST(delivers_all)
{
    static const char *const places[] = {"mesh:5x4", "torus:4x4", "mesh:3x3x3", "torus:7"};
    struct topology topology = route_walk_topology(places[_i]);
    for (uint32_t s = 0; s < scheme_count(); s++)
        for (int switching = 0; switching <= SWITCHING_STORE_AND_FORWARD; switching++) {
            struct random_messages messages = {&topology, 7 + s, 5, 6, {0}};
            struct burst burst = burst_of(&topology, scheme_at(s)->name, &messages, 40);
            burst.settings.switching = (enum switching)switching;
            burst.settings.vcs = 2;
            struct failure failure = {0};
            if (scheme_check(burst.scheme, &topology, &burst.choices, 2, &failure) != FAIL_NONE)
                continue;
            burst.settings.buffer = switching == SWITCHING_STORE_AND_FORWARD ? 0 : 6;
            burst.settings.consumption = 8;
            burst.settings.startup = 3;
            struct burst_result result = run_of(&burst);
            ck_assert_uint_eq(result.counts.deliveries, result.expected);
            ck_assert_uint_eq(result.counts.done, 40);
            ck_assert_uint_ge(result.counts.last_delivery, result.bounds.lower_bound);
            ck_assert_uint_eq(result.latency.max, result.counts.last_delivery);
            ck_assert(result.latency.mean <= (double)result.latency.max);
            ck_assert_uint_le(result.busiest_flits, result.counts.crossings);
            ck_assert_uint_gt(result.busiest_flits, 0);
            ck_assert_uint_ne(topology_port_to(&topology, result.busiest_from, result.busiest_to),
                              UINT32_MAX);
            ck_assert_ptr_null(result.deadlock);
            ck_assert(!result.is_partial);
            burst_free(&result);
        }
    topology_free(&topology);
}
END_TEST

static struct multicast one_message(void *context, uint32_t index)
{
    (void)index;
    return *(struct multicast *)context;
}

/* A message that nobody blocks takes startup + (P + 1)(1 + router delay) + L cycles. */
START_TEST(single_message)
{
    struct topology topology = route_walk_topology("mesh:6x7");
    for (uint32_t to = 1; to < topology.nodes; to += 3) {
        struct multicast multicast = {
            .source = 0, .destinations = 1, .destination = &to, .flits = to % 5 + 1};
        struct burst burst = burst_of(&topology, "unicast", NULL, 1);
        burst.message = one_message;
        burst.message_context = &multicast;
        burst.settings.startup = 11;
        burst.settings.router_delay = to % 3;
        struct burst_result result = run_of(&burst);
        uint32_t hops = topology_distance(&topology, 0, to);
        ck_assert_uint_eq(result.latency.max,
                          11 + (hops + 1) * (1 + burst.settings.router_delay) + multicast.flits);
        ck_assert_uint_eq(result.latency.median, result.latency.max);
        ck_assert_uint_eq(result.counts.crossings, (uint64_t)hops * multicast.flits);
        ck_assert_uint_eq(result.counts.startups, 1);
        ck_assert_uint_eq(result.busiest_flits, multicast.flits);
        burst_free(&result);
    }
}
END_TEST

struct watcher {
    uint32_t calls, ends_at;
    uint64_t done, all;
};

static bool watch(void *context, uint64_t done, uint64_t all, uint64_t cycle)
{
    struct watcher *watcher = context;
    ck_assert_uint_ge(done, watcher->done);
    ck_assert_uint_gt(cycle, 0);
    watcher->done = done;
    watcher->all = all;
    return ++watcher->calls == watcher->ends_at;
}

/* A watcher changes nothing, unless it ends the run; then the result is that of a beginning, and says so. */
START_TEST(watcher_ends)
{
    struct topology topology = route_walk_topology("mesh:16x16");
    struct random_messages messages = {&topology, 5, 3, 4, {0}};
    struct burst burst = burst_of(&topology, "unicast", &messages, 300);
    burst.settings.startup = 30000; /* so that there are several slices */
    struct burst_result plain = run_of(&burst);
    struct watcher watcher = {0};
    burst.watcher = watch;
    burst.watcher_context = &watcher;
    struct burst_result watched = run_of(&burst);
    ck_assert_uint_gt(watcher.calls, 2);
    ck_assert_uint_eq(watcher.all, 300);
    ck_assert_mem_eq(&plain.latency, &watched.latency, sizeof plain.latency);
    ck_assert_uint_eq(plain.counts.crossings, watched.counts.crossings);
    ck_assert(!watched.is_partial);
    watcher = (struct watcher){.ends_at = 3};
    struct burst_result part = run_of(&burst);
    ck_assert(part.is_partial);
    ck_assert_uint_lt(part.counts.done, 300);
    ck_assert_uint_lt(part.counts.deliveries, part.expected);
    ck_assert_uint_eq(watcher.calls, 3);
    burst_free(&plain);
    burst_free(&watched);
    burst_free(&part);
}
END_TEST

/* Path worms of four destinations on a node's only consumption channel hold one another up for ever, and the
 * cycle is named; with four channels all arrive. */
START_TEST(deadlock_named)
{
    struct topology topology = route_walk_topology("mesh:8x8");
    struct random_messages messages = {&topology, 3, 4, 12, {0}};
    struct burst burst = burst_of(&topology, "dual", &messages, 200);
    struct burst_result result;
    struct failure failure = {0};
    burst.settings.consumption = 1;
    ck_assert_int_eq(burst_run(&burst, &result, &failure), FAIL_CHECK);
    ck_assert_uint_ge(result.waits, 2);
    size_t at = 0;
    for (size_t i = 0; i < result.waits; i++)
        at = result.deadlock[at].waits_for;
    ck_assert_uint_eq(at, 0); /* the cycle closes */
    ck_assert_uint_lt(result.counts.deliveries, result.expected);
    burst_free(&result);
    burst.settings.consumption = 4;
    result = run_of(&burst);
    ck_assert_uint_eq(result.counts.deliveries, result.expected);
    burst_free(&result);
}
END_TEST

/* A message of xy-path that is alone is never in a deadlock, whatever the channels; several are under wormhole switching and
 * not under store-and-forward. */
START_TEST(snakes)
{
    struct topology topology = route_walk_topology("mesh:8x8");
    for (uint32_t i = 0; i < 200; i++) {
        struct random_messages messages = {&topology, 11 + i, 63, 30, {0}};
        struct burst burst = burst_of(&topology, "xy-path", &messages, 1);
        burst.settings.vcs = 1 + i % 3;
        burst.settings.consumption = 1 + i % 2;
        burst.settings.buffer = 1;
        struct burst_result result = run_of(&burst);
        ck_assert_uint_eq(result.counts.deliveries, result.expected);
        burst_free(&result);
    }
    struct random_messages messages = {&topology, 3, 8, 12, {0}};
    struct burst burst = burst_of(&topology, "xy-path", &messages, 200);
    struct burst_result result;
    struct failure failure = {0};
    ck_assert_int_eq(burst_run(&burst, &result, &failure), FAIL_CHECK);
    ck_assert_uint_ge(result.waits, 2);
    burst_free(&result);
    burst.settings.switching = SWITCHING_STORE_AND_FORWARD;
    burst.settings.buffer = 0;
    result = run_of(&burst);
    ck_assert_uint_eq(result.counts.deliveries, result.expected);
    burst_free(&result);
}
END_TEST

/* Several virtual channels on the default consumption channels: a deadlock names how many of these prevent it, and with so many
 * the same messages arrive; no random burst of any path scheme is in a deadlock then. Trees are told of store-and-forward. */
START_TEST(deadlock_cured)
{
    static const struct {
        const char *topology, *scheme, *cure;
        uint32_t links;
    } cases[] = {
        {"mesh:8x8", "dual", "; --consumption 16 would prevent it", 4},
        {"mesh:8x8", "ocms", "; --consumption 16 would prevent it", 4},
        {"mesh:8x8", "otms", "; --consumption 16 would prevent it", 4},
        {"mesh:8x8", "multi", "; --consumption 16 would prevent it", 4},
        {"mesh:8x8", "pure", "; --consumption 16 would prevent it", 4},
        {"mesh:4x4x4", "dual", "; --consumption 24 would prevent it", 6},
        {"torus:6x6", "dual", "; --consumption 16 would prevent it", 4},
        {"mesh:8x8", "dds",
         "; --switching store-and-forward without --buffer and --release would prevent it, or "
         "--param classes=sides with --switching cut-through, --vcs 2 or more, ",
         0},
        {"mesh:8x8", "min",
         "; --switching store-and-forward without --buffer and --release would prevent it", 0}};
    struct topology topology = route_walk_topology(cases[_i].topology);
    uint32_t found = 0;
    for (uint32_t seed = 0; seed < (TEST_IS_SHORT ? 6 : 60); seed++) {
        struct random_messages messages = {&topology, 40 + seed, 14, 16, {0}};
        struct burst burst = burst_of(&topology, cases[_i].scheme, &messages, 500);
        struct burst_result result;
        struct failure failure = {0};
        burst.settings.vcs = 4;
        if (burst_run(&burst, &result, &failure) == FAIL_CHECK) {
            ck_assert_msg(strstr(failure.text, cases[_i].cure) != NULL, "%s", failure.text);
            found++;
        }
        burst_free(&result);
        burst.settings.consumption = 4 * cases[_i].links;
        if (cases[_i].links == 0) {
            burst.settings.switching = SWITCHING_STORE_AND_FORWARD;
            burst.settings.buffer = 0;
        }
        result = run_of(&burst);
        ck_assert_uint_eq(result.counts.deliveries, result.expected);
        burst_free(&result);
    }
    ck_assert_uint_gt(found, 0);
    topology_free(&topology);
}
END_TEST

/* What cannot run is refused before it does, and the text says what would do. */
START_TEST(refusals)
{
    struct topology torus = route_walk_topology("torus:4x4");
    struct random_messages messages = {&torus, 1, 3, 8, {0}};
    struct burst burst = burst_of(&torus, "unicast", &messages, 20);
    struct burst_result result;
    struct failure failure = {0};
    ck_assert_int_eq(burst_run(&burst, &result, &failure), FAIL_USAGE);
    ck_assert_msg(strstr(failure.text, "--vcs 2 would do") != NULL, "%s", failure.text);
    burst_free(&result);
    burst.settings.vcs = 2;
    burst.settings.switching = SWITCHING_CUT_THROUGH;
    failure = (struct failure){0};
    ck_assert_int_eq(burst_check(&burst, &failure), FAIL_USAGE);
    ck_assert_msg(strstr(failure.text, "8") != NULL, "%s", failure.text);
}
END_TEST

/* A burst without messages, and one whose messages have no destinations but their sources, take no time. */
START_TEST(nothing_to_send)
{
    struct topology topology = route_walk_topology("mesh:3x3");
    struct random_messages messages = {&topology, 1, 0, 1, {0}};
    for (uint32_t count = 0; count <= 9; count += 9) {
        struct burst burst = burst_of(&topology, "dual", &messages, count);
        struct burst_result result = run_of(&burst);
        ck_assert_uint_eq(result.counts.done, count);
        ck_assert_uint_eq(result.latency.max, 0);
        ck_assert_uint_eq(result.counts.deliveries, result.expected);
        ck_assert_uint_eq(result.busiest_flits, 0);
        burst_free(&result);
    }
}
END_TEST

Suite *burst_suite(void)
{
    Suite *suite = suite_create("burst");
    TCase *tests = tcase_create("burst");
    tcase_add_loop_test(tests, delivers_all, 0, 4);
    tcase_add_test(tests, single_message);
    tcase_add_test(tests, watcher_ends);
    tcase_add_test(tests, deadlock_named);
    tcase_add_test(tests, snakes);
    tcase_add_loop_test(tests, deadlock_cured, 0, 9);
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, nothing_to_send);
    suite_add_tcase(suite, tests);
    return suite;
}
