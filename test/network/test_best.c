/* test_best.c - the scheme that runs others and takes the fastest.
 *
 * Method: every scheme of the table runs by itself, and none that arrives may be faster.
 */
#include "network/best.h"

#include "test/length.h"
#include "test/network/burst_case.h"
#include "test/schemes/route_walk.h"

#include <check.h>
#include <string.h>

Suite *best_suite(void);

static const struct scheme *scheme_of(const char *name)
{
    const struct scheme *scheme = NULL;
    struct failure failure = {0};
    ck_assert_int_eq(scheme_find(name, &scheme, &failure), FAIL_NONE);
    return scheme;
}

/* ---- bursts ---- */

/* Messages whose lengths are all the same. */
struct equal_messages {
    struct random_messages random;
    uint32_t flits;
};

static struct multicast equal_at(void *context, uint32_t index)
{
    struct equal_messages *messages = context;
    struct multicast multicast = random_messages_at(&messages->random, index);
    multicast.flits = messages->flits;
    return multicast;
}

static const struct {
    const char *topology;
    enum switching switching;
    uint32_t vcs;
} places[] = {{"mesh:8x8", SWITCHING_WORMHOLE, 1},          {"mesh:8x8", SWITCHING_WORMHOLE, 4},
              {"mesh:8x8", SWITCHING_STORE_AND_FORWARD, 1}, {"mesh:4x4x4", SWITCHING_WORMHOLE, 1},
              {"torus:6x6", SWITCHING_WORMHOLE, 2},         {"graph:30:40", SWITCHING_WORMHOLE, 1}};
enum { PLACES = sizeof places / sizeof places[0] };

/* Over loads, lengths and startups: what best chose takes as long as the fastest scheme of all, to the cycle. Where words of
 * parameters make candidates of one scheme, it may be faster. */
START_TEST(bursts)
{
    static const uint32_t loads[] = {10, 150}, lengths[] = {1, 20, 448}, startups[] = {0, 100};
    struct topology topology = route_walk_topology(places[_i].topology);
    for (uint32_t number = 0; number < 12; number++) {
        struct equal_messages messages = {{&topology, 70 + number, 12, 1, {0}},
                                          lengths[number % 3]};
        struct burst burst = {.topology = &topology,
                              .scheme = scheme_of("best"),
                              .settings = network_settings_default(),
                              .messages = loads[number / 3 % 2],
                              .message = equal_at,
                              .message_context = &messages};
        struct burst_result result;
        struct failure failure = {0};
        if (TEST_IS_SHORT && burst.messages > 10 && messages.flits > 20)
            continue;
        burst.settings.vcs = places[_i].vcs;
        burst.settings.switching = places[_i].switching;
        burst.settings.startup = startups[number / 6];
        if (places[_i].switching == SWITCHING_STORE_AND_FORWARD)
            burst.settings.buffer = 0;
        struct burst other = burst;
        ck_assert_int_eq(best_choose_for_burst(&burst, &failure), FAIL_NONE);
        ck_assert_int_eq(burst_run(&burst, &result, &failure), FAIL_NONE);
        uint64_t chosen = result.counts.last_delivery;
        burst_free(&result);
        for (uint32_t s = 0; s < scheme_count(); s++) {
            failure = (struct failure){0};
            other.scheme = scheme_at(s);
            if (burst_run(&other, &result, &failure) == FAIL_NONE)
                ck_assert_msg(chosen <= result.counts.last_delivery, "%s instead of %s",
                              burst.scheme->name, other.scheme->name);
            burst_free(&result);
        }
    }
    topology_free(&topology);
}
END_TEST

/* ---- open loops ---- */

/* Over loads, lengths and startups, up to saturation and beyond: within 10 % of the lowest latency of all schemes. */
START_TEST(open_loops)
{
    static const double rates[] = {0.0005, 0.005, 0.02};
    static const uint32_t lengths[] = {1, 20}, startups[] = {0, 50};
    struct topology topology = route_walk_topology("mesh:4x4");
    struct open_loop loop = {
        .topology = &topology,
        .settings = network_settings_default(),
        .rate = rates[_i % 3],
        .order = 1,
        .mix = destination_mix_of(5, 1),
        .least_flits = lengths[_i / 3 % 2],
        .most_flits = lengths[_i / 3 % 2],
        .warmup = 200,
        .measured = TEST_IS_SHORT ? 500 : 4000,
        .precision = 0.05,
        .most_runs = 2,
    };
    struct open_loop other = loop, best = loop;
    struct open_loop_result chosen, result;
    struct failure failure = {0};
    best.scheme = scheme_of("best");
    best.settings.startup = other.settings.startup = startups[_i / 6];
    ck_assert_int_eq(best_run_open_loop(&best, &chosen, &failure), FAIL_NONE);
    for (uint32_t s = 0; s < scheme_count(); s++) {
        failure = (struct failure){0};
        other.scheme = scheme_at(s);
        if (open_loop_run(&other, &result, &failure) == FAIL_NONE && !result.is_saturated) {
            ck_assert(!chosen.is_saturated);
            ck_assert_msg(chosen.latency.mean <= 1.1 * result.latency.mean, "%s instead of %s",
                          best.scheme->name, other.scheme->name);
        }
        open_loop_free(&result);
    }
    open_loop_free(&chosen);
}
END_TEST

/* ---- where there is no run ---- */

/* best plans nothing, a stand-in serves checks, and other schemes stay as they are. */
START_TEST(without_a_run)
{
    struct topology topology = route_walk_topology("graph:9:9");
    uint32_t destination[] = {3};
    struct multicast multicast = {1, 1, destination, 1};
    struct scheme_choices choices = {{0}};
    struct plan plan = {0};
    struct failure failure = {0};
    ck_assert_int_eq(
        scheme_plan(scheme_of("best"), &topology, &multicast, &choices, &plan, &failure),
        FAIL_USAGE);
    ck_assert_ptr_nonnull(strstr(failure.text, "no plans of its own"));
    struct open_loop loop = {.topology = &topology,
                             .scheme = scheme_of("best"),
                             .settings = network_settings_default(),
                             .rate = 0.1,
                             .order = 1,
                             .mix = destination_mix_of(2, 1),
                             .least_flits = 1,
                             .most_flits = 1,
                             .measured = 100,
                             .most_runs = 1};
    best_stand_in(&loop);
    ck_assert_ptr_eq(loop.scheme, scheme_of("otms"));
    best_stand_in(&loop);
    ck_assert_ptr_eq(loop.scheme, scheme_of("otms"));
    plan_free(&plan);
    topology_free(&topology);
}
END_TEST

Suite *best_suite(void)
{
    Suite *suite = suite_create("best");
    TCase *tests = tcase_create("best");
    tcase_add_loop_test(tests, bursts, 0, PLACES);
    tcase_add_loop_test(tests, open_loops, 0, 12);
    tcase_add_test(tests, without_a_run);
    suite_add_tcase(suite, tests);
    return suite;
}
