/* test_open_loop_length.c - runs that are long enough: intervals that hold the mean, saturation
 * that is found.
 *
 * Method: long-run means from far longer runs; many seeds.
 */
#include "network/open_loop.h"
#include "test/length.h"
#include "test/network/open_loop_case.h"
#include "test/schemes/route_walk.h"

#include <check.h>
#include <math.h>

/* The mean of an 8 x 8 mesh at rate 0.33, in cycles: 4 million messages give 10.665, with 95 %
 * confidence within 0.041. */
#define LONG_RUN_MEAN 10.665

/* A loop on an 8 x 8 mesh with the lengths that follow from cycles. */
static struct open_loop paced_loop(const struct topology *topology, double rate, uint64_t seed)
{
    struct open_loop loop = open_loop_case(topology, "unicast", rate);
    struct open_loop_pace pace;
    struct failure failure = {0};
    loop.seed = seed;
    ck_assert_int_eq(open_loop_pace_of(&loop, &pace, &failure), FAIL_NONE);
    loop.warmup = open_loop_warmup(&loop, &pace);
    loop.measured = open_loop_measured(&loop, &pace);
    return loop;
}

/* The pace is the latency of single messages, within the noise of a sample; a run has the length
 * that it gives. */
START_TEST(lengths)
{
    static const char *const places[] = {"mesh:8x8", "mesh:16x16", "mesh:4x4x4"};
    struct topology topology = route_walk_topology(places[_i]);
    struct open_loop loop = open_loop_case(&topology, "unicast", 1e-6);
    struct open_loop_pace pace;
    struct failure failure = {0};
    loop.settings.startup = 9;
    loop.settings.router_delay = 2;
    loop.settings.consumption = 1;
    ck_assert_int_eq(open_loop_pace_of(&loop, &pace, &failure), FAIL_NONE);
    ck_assert_uint_eq(pace.senders, topology.nodes);
    double hops = _i == 0 ? 16 / 3.0 : _i == 1 ? 32 / 3.0 : 80 / 21.0; /* the mean distance */
    double alone = 9 + (hops + 1) * 3 + 1;
    ck_assert_double_eq_tol(pace.latency, alone, 0.2 * alone);
    ck_assert_uint_ge(open_loop_warmup(&loop, &pace), 1000);
    ck_assert_uint_ge(open_loop_warmup(&loop, &pace), 4 * topology.nodes);
    ck_assert_uint_ge(open_loop_measured(&loop, &pace), 10000);
    ck_assert_uint_ge(open_loop_measured(&loop, &pace), 16 * topology.nodes);
    loop.rate = 0.03;
    double cycles = (double)open_loop_measured(&loop, &pace) / (loop.rate * topology.nodes);
    ck_assert_double_ge(cycles, 10 * 20 * pace.latency);
    cycles = (double)open_loop_warmup(&loop, &pace) / (loop.rate * topology.nodes);
    ck_assert_double_ge(cycles, 40 * pace.latency);
    pace.latency = 1e12;
    ck_assert_uint_eq(open_loop_measured(&loop, &pace), OPEN_LOOP_MOST_BY_TIME);
    topology_free(&topology);
}
END_TEST

/* The pace is the mean latency of the sample's messages exactly: startup + (hops + 1)(1 + router
 * delay) + flits of each. */
START_TEST(pace_is_exact)
{
    struct topology topology = route_walk_topology(_i % 2 == 0 ? "mesh:8x8" : "mesh:5x3x4");
    struct open_loop loop = open_loop_case(&topology, "unicast", 0.01);
    struct open_loop_pace pace;
    struct arrivals *arrivals;
    struct failure failure = {0};
    double sum = 0;
    loop.seed = (uint64_t)_i;
    loop.settings.startup = 9;
    loop.settings.router_delay = 2;
    loop.least_flits = 1;
    loop.most_flits = 7;
    ck_assert_int_eq(open_loop_pace_of(&loop, &pace, &failure), FAIL_NONE);
    loop.rate = OPEN_LOOP_SAMPLE_RATE;
    ck_assert_int_eq(arrivals_make(&arrivals, &loop, 0, &failure), FAIL_NONE);
    for (int i = 0; i < OPEN_LOOP_SAMPLE; i++) {
        struct multicast multicast = arrivals_take(arrivals);
        uint32_t hops = topology_distance(&topology, multicast.source, multicast.destination[0]);
        sum += 9 + (hops + 1) * (1 + 2) + multicast.flits;
    }
    ck_assert_double_eq(pace.latency, sum / OPEN_LOOP_SAMPLE);
    arrivals_free(arrivals);
    topology_free(&topology);
}
END_TEST

/* The interval holds the long-run mean of a load near saturation. Of 40 seeds 38 are expected, and
 * fewer than 34 once in two hundred times. */
START_TEST(coverage)
{
    struct topology topology = route_walk_topology("mesh:8x8");
    uint32_t seeds = TEST_IS_SHORT ? 2 : 40, hits = 0;
    for (uint32_t seed = 1; seed <= seeds; seed++) {
        struct open_loop loop = paced_loop(&topology, 0.33, seed);
        loop.most_runs = 20;
        struct open_loop_result result = open_loop_case_run(&loop);
        ck_assert(!result.is_saturated);
        hits += fabs(result.latency.mean - LONG_RUN_MEAN) <= result.latency.half_width;
        open_loop_free(&result);
    }
    ck_assert_uint_ge(hits, seeds * 34 / 40);
}
END_TEST

/* A load that is a little more than the network carries, far below its capacity, is saturated; one
 * that is a little less is not, whatever the seed. */
START_TEST(just_saturated)
{
    struct topology topology = route_walk_topology("mesh:8x8");
    for (uint32_t seed = 1; seed <= (TEST_IS_SHORT ? 2 : 40); seed++) {
        struct open_loop loop = open_loop_case(&topology, "unicast", 0.4);
        loop.seed = seed;
        loop.warmup = 1000;
        loop.measured = 10000;
        loop.most_runs = 4;
        struct open_loop_result result = open_loop_case_run(&loop);
        ck_assert(result.is_saturated);
        ck_assert_uint_eq(result.messages, 0);
        open_loop_free(&result);
        loop.rate = 0.35;
        result = open_loop_case_run(&loop);
        ck_assert(!result.is_saturated);
        open_loop_free(&result);
    }
}
END_TEST

/* A load that is little more than the network carries is saturated, though a run is too short to
 * show its backlog. */
START_TEST(barely_saturated)
{
    struct topology topology = route_walk_topology("mesh:8x8");
    for (uint32_t seed = 1; seed <= (TEST_IS_SHORT ? 1 : 20); seed++) {
        struct open_loop loop = paced_loop(&topology, 0.37, seed);
        loop.precision = 0.05;
        loop.most_runs = 20;
        struct open_loop_result result = open_loop_case_run(&loop);
        ck_assert(result.is_saturated);
        ck_assert_uint_ge(result.runs, 5);
        open_loop_free(&result);
    }
}
END_TEST

/* Runs that are too short to find such a load saturated say that messages pile up; those of a light
 * load hardly ever do. */
START_TEST(rising)
{
    struct topology topology = route_walk_topology("mesh:8x8");
    uint32_t seeds = TEST_IS_SHORT ? 6 : 60, told = 0, false_alarms = 0;
    for (uint32_t seed = 1; seed <= seeds; seed++) {
        struct open_loop loop = open_loop_case(&topology, "unicast", 0.37);
        loop.seed = seed;
        loop.warmup = 500;
        loop.measured = 2000;
        loop.precision = 0.05;
        loop.most_runs = 20;
        struct open_loop_result result = open_loop_case_run(&loop);
        ck_assert(!result.is_rising || !result.is_saturated);
        told += result.is_rising || result.is_saturated;
        open_loop_free(&result);
        loop.rate = 0.2;
        result = open_loop_case_run(&loop);
        false_alarms += result.is_rising;
        open_loop_free(&result);
    }
    ck_assert_uint_gt(told * 5, seeds * 4);
    ck_assert_uint_le(false_alarms * 20, seeds);
}
END_TEST

/* A network that is still filling, since its warm-up is shorter than a latency, is not
 * saturated. */
START_TEST(filling)
{
    struct topology topology = route_walk_topology("mesh:8x8");
    for (uint64_t measured = 10; measured <= 1000; measured *= 10) {
        struct open_loop loop = open_loop_case(&topology, "unicast", 0.0005);
        loop.settings.startup = 400;
        loop.warmup = 1;
        loop.measured = measured;
        struct open_loop_result result = open_loop_case_run(&loop);
        ck_assert(!result.is_saturated);
        ck_assert_uint_eq(result.messages, measured);
        open_loop_free(&result);
    }
}
END_TEST

void open_loop_length_suite(TCase *tests)
{
    tcase_add_loop_test(tests, lengths, 0, 3);
    tcase_add_loop_test(tests, pace_is_exact, 0, 8);
    tcase_add_test(tests, coverage);
    tcase_add_test(tests, just_saturated);
    tcase_add_test(tests, barely_saturated);
    tcase_add_test(tests, rising);
    tcase_add_test(tests, filling);
}
