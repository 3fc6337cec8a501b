/* test_open_loop.c - messages that arrive by themselves: measurements, saturation.
 *
 * Method: at a load near 0 no messages meet, and the mean latency is that of the messages' lengths
 * and distances, exactly.
 */
#include "network/open_loop.h"

#include "test/network/open_loop_case.h"
#include "test/schemes/route_walk.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- measurements ---- */

/* Returns the mean of startup + (P + 1)(1 + router delay) + L over the measured messages. */
static double unblocked_mean(const struct open_loop *loop)
{
    struct arrivals *arrivals;
    struct failure failure = {0};
    double sum = 0;
    ck_assert_int_eq(arrivals_make(&arrivals, loop, 0, &failure), FAIL_NONE);
    for (uint64_t i = 0; i < loop->warmup + loop->measured; i++) {
        struct multicast multicast = arrivals_take(arrivals);
        uint32_t hops =
            topology_distance(loop->topology, multicast.source, multicast.destination[0]);
        if (i >= loop->warmup)
            sum += loop->settings.startup + (hops + 1.0) * (1 + loop->settings.router_delay) +
                   multicast.flits;
    }
    arrivals_free(arrivals);
    return sum / (double)loop->measured;
}

/* At a load near 0 the mean latency is exactly that of messages that nobody blocks. */
START_TEST(load_near_zero)
{
    static const char *const places[] = {"mesh:8x8", "torus:5x5", "mesh:2x3x4"};
    struct topology topology = route_walk_topology(places[_i]);
    struct open_loop loop = open_loop_case(&topology, "unicast", 1e-7);
    loop.settings.vcs = 2;
    loop.settings.router_delay = 2;
    loop.settings.startup = 9;
    loop.most_flits = 5;
    struct open_loop_result result = open_loop_case_run(&loop);
    ck_assert_double_eq_tol(result.latency.mean, unblocked_mean(&loop), 1e-6);
    ck_assert_double_eq_tol(result.summary.mean, result.latency.mean, 1e-6);
    ck_assert_double_eq_tol(result.accepted, 1e-7, 1e-8);
    ck_assert(!result.is_saturated);
    ck_assert_uint_eq(result.messages, loop.measured);
    open_loop_free(&result);
    topology_free(&topology);
}
END_TEST

/* At a load near 0 the mean latency of a mix is that of its multicasts and of its other messages by
 * their shares. */
START_TEST(mix_near_zero)
{
    struct topology topology = route_walk_topology("mesh:6x6");
    double mean[3];
    for (int i = 0; i < 3; i++) {
        struct open_loop loop = open_loop_case(&topology, "unicast", 1e-7);
        loop.mix = destination_mix_of(i == 0 ? 1 : 8, i == 2 ? 0.3 : 1);
        loop.measured = 20000;
        loop.least_flits = loop.most_flits = 6;
        loop.settings.injection = 1; /* so that a multicast takes much longer */
        struct open_loop_result result = open_loop_case_run(&loop);
        mean[i] = result.latency.mean;
        open_loop_free(&result);
    }
    ck_assert_double_gt(mean[1], 4 * mean[0]);
    ck_assert_double_eq_tol(mean[2], 0.7 * mean[0] + 0.3 * mean[1], 0.02 * mean[2]);
}
END_TEST

/* Latency does not fall with the rate, but for the interval; the accepted rate is the rate, within
 * the noise of arrivals, and never more than the capacity, also in saturation. */
START_TEST(growing_load)
{
    struct topology topology = route_walk_topology("mesh:8x8");
    const double rates[] = {0.02, 0.1, 0.2, 0.3, 0.36, 0.6, 1};
    double before = 0;
    for (int i = 0; i < 7; i++) {
        struct open_loop loop = open_loop_case(&topology, "unicast", rates[i]);
        double capacity;
        struct failure failure = {0};
        ck_assert_int_eq(capacity_of(&loop, &capacity, &failure), FAIL_NONE);
        struct open_loop_result result = open_loop_case_run(&loop);
        ck_assert_int_eq(result.is_saturated, rates[i] > 0.5);
        ck_assert(result.accepted <= capacity * 1.05);
        if (!result.is_saturated) {
            ck_assert(result.latency.mean + result.latency.half_width >= before);
            ck_assert_double_eq_tol(result.accepted, rates[i], 0.08 * rates[i]);
        }
        before = result.latency.mean;
        open_loop_free(&result);
    }
}
END_TEST

/* The capacity of x-first is that of the busiest link, by all ways of all pairs, hop by hop. */
START_TEST(routing_capacity)
{
    const char *const shapes[] = {"mesh:5x4",    "mesh:7",        "torus:8x8",  "torus:6x6",
                                  "torus:6x5",   "torus:5x6",     "torus:10x3", "torus:2x6",
                                  "torus:6x2x3", "torus:3x6x5x2", "mesh:2x3x4", "torus:12"};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct topology topology = route_walk_topology(shapes[i]);
        struct open_loop loop = open_loop_case(&topology, "unicast", 0.1);
        struct routing_choice choice[ROUTING_CHOICES];
        uint32_t nodes = topology.nodes, most = 0, ports = 2 * topology.shape.dimensions;
        uint32_t *ways = calloc((size_t)nodes * ports, sizeof *ways);
        for (uint32_t pair = 0; pair < nodes * nodes; pair++)
            for (uint32_t at = pair / nodes, to = pair % nodes; at != to;) {
                routing_x_first.next(&topology, at, to, choice);
                uint32_t link = at * ports + choice[0].port;
                most = ++ways[link] > most ? ways[link] : most;
                at = topology_neighbour(&topology, at, choice[0].port);
            }
        free(ways);
        double capacity, exact = (nodes - 1.0) / most / 5;
        struct failure failure = {0};
        loop.least_flits = loop.most_flits = 5;
        loop.settings.consumption = loop.settings.injection = 16;
        ck_assert_double_eq_tol(capacity_of_routing(&loop), fmin(exact, 1), 1e-12);
        ck_assert_int_eq(capacity_of(&loop, &capacity, &failure), FAIL_NONE);
        ck_assert_double_ge(capacity * (1 + 1e-12), capacity_of_routing(&loop));
        loop.mix = destination_mix_of(3, 1); /* a worm each */
        loop.settings.startup = 40;
        ck_assert_double_eq_tol(capacity_of_routing(&loop), fmin(exact / 3, 1 / 120.0), 1e-12);
        loop.scheme = NULL;
        ck_assert_int_eq(scheme_find("dual", &loop.scheme, &failure), FAIL_NONE);
        ck_assert_double_eq(capacity_of_routing(&loop), 0);
    }
}
END_TEST

/* A saturated run ends before its messages are done; a finite one delivers all of them. */
START_TEST(beyond_saturation)
{
    struct topology topology = route_walk_topology("mesh:4x4");
    struct open_loop loop = open_loop_case(&topology, "dual", 0.1);
    loop.warmup = 20;
    loop.measured = 100;
    loop.mix = destination_mix_of(4, 1);
    loop.least_flits = loop.most_flits = 4;
    loop.settings.consumption = 4;
    struct open_loop_result result = open_loop_case_run(&loop);
    ck_assert(result.is_saturated);
    ck_assert_uint_lt(result.messages, loop.measured);
    open_loop_free(&result);
    loop.is_finite = true;
    result = open_loop_case_run(&loop);
    ck_assert_uint_eq(result.messages, loop.measured);
    ck_assert(isfinite(result.latency.half_width));
    open_loop_free(&result);
}
END_TEST

/* Saturation is found early: where many worms wait, and where many messages were made. */
START_TEST(ends_early)
{
    struct topology topology = route_walk_topology("mesh:8x8");
    struct open_loop loop = open_loop_case(&topology, "unicast", 0.7);
    loop.measured = 1000000;
    struct open_loop_result many_wait = open_loop_case_run(&loop);
    ck_assert(many_wait.is_saturated);
    ck_assert_uint_lt(many_wait.cycles, 1000);
    loop.warmup = 10;
    loop.measured = 200;
    loop.rate = 1;
    struct open_loop_result many_made = open_loop_case_run(&loop);
    ck_assert(many_made.is_saturated);
    ck_assert_uint_le(many_made.startups, 3 * 210 + 2 * 64);
    open_loop_free(&many_wait);
    open_loop_free(&many_made);
}
END_TEST

/* Runs repeat until the mean has the requested precision; further runs have other messages. */
START_TEST(precision)
{
    struct topology topology = route_walk_topology("mesh:4x4");
    struct open_loop loop = open_loop_case(&topology, "u-mesh", 0.1);
    loop.mix = destination_mix_of(3, 1);
    loop.measured = 100;
    struct open_loop_result one = open_loop_case_run(&loop);
    loop.most_runs = 50;
    loop.precision = 0.01;
    struct open_loop_result several = open_loop_case_run(&loop);
    ck_assert_uint_gt(several.runs, 1);
    ck_assert_uint_lt(several.runs, 50);
    ck_assert_uint_eq(several.messages, several.runs * loop.measured);
    ck_assert(several.latency.half_width <= 0.01 * several.latency.mean);
    ck_assert(several.latency.mean != one.latency.mean);
    ck_assert_double_eq_tol(several.latency.mean, one.latency.mean,
                            2 * (one.latency.half_width + several.latency.half_width));
    open_loop_free(&one);
    open_loop_free(&several);
}
END_TEST

/* The same seed gives the same results for any number of threads, another seed others. */
START_TEST(seeds_and_threads)
{
    struct topology topology = route_walk_topology("torus:8x8");
    struct open_loop loop = open_loop_case(&topology, "unicast", 0.2);
    loop.settings.vcs = 2;
    struct open_loop_result first = open_loop_case_run(&loop);
    loop.settings.threads = 3;
    struct open_loop_result threads = open_loop_case_run(&loop);
    loop.seed++;
    struct open_loop_result other = open_loop_case_run(&loop);
    ck_assert(first.latency.mean == threads.latency.mean);
    ck_assert_uint_eq(first.crossings, threads.crossings);
    ck_assert_uint_eq(first.cycles, threads.cycles);
    ck_assert(first.latency.mean != other.latency.mean);
    open_loop_free(&first);
    open_loop_free(&threads);
    open_loop_free(&other);
}
END_TEST

static bool end_at_half(void *context, uint64_t done, uint64_t all, uint64_t cycle)
{
    ++*(uint32_t *)context;
    return done * 2 > all && cycle > 0;
}

/* A watcher ends a run, whose result is that of the measurements so far. */
START_TEST(watcher_ends)
{
    struct topology topology = route_walk_topology("mesh:8x8");
    struct open_loop loop = open_loop_case(&topology, "unicast", 0.1);
    uint32_t calls = 0;
    loop.watcher = end_at_half;
    loop.watcher_context = &calls;
    struct open_loop_result result = open_loop_case_run(&loop);
    ck_assert(result.is_partial);
    ck_assert_uint_gt(calls, 1);
    ck_assert(result.messages * 2 > loop.measured && result.messages < loop.measured);
    ck_assert(isfinite(result.latency.half_width));
    open_loop_free(&result);
}
END_TEST

struct second_run {
    uint64_t first_cycles;
    uint32_t calls, ends_at; /* of the second run */
};

static bool end_second(void *context, uint64_t done, uint64_t all, uint64_t cycle)
{
    struct second_run *second = context;
    (void)done, (void)all;
    return cycle > second->first_cycles && ++second->calls == second->ends_at;
}

/* A second run that is ended, wherever it is, changes nothing in the first one's measurements. */
START_TEST(second_run_ended)
{
    struct topology topology = route_walk_topology("mesh:8x8");
    struct open_loop loop = open_loop_case(&topology, "unicast", 0.2);
    struct open_loop_result one = open_loop_case_run(&loop);
    struct second_run second = {.first_cycles = one.cycles};
    loop.most_runs = 2;
    loop.precision = 0;
    loop.watcher = end_second;
    loop.watcher_context = &second;
    for (second.ends_at = 1; second.ends_at < 12; second.ends_at += 3) {
        second.calls = 0;
        struct open_loop_result both = open_loop_case_run(&loop);
        ck_assert(both.is_partial);
        ck_assert_uint_eq(both.runs, 2);
        ck_assert(both.accepted == one.accepted);
        ck_assert(both.latency.mean == one.latency.mean);
        open_loop_free(&both);
    }
    open_loop_free(&one);
}
END_TEST

/* ---- deadlocks, refusals ---- */

/* A run ends when waiting messages need more memory than the limit allows. */
START_TEST(grows)
{
    struct topology topology = route_walk_topology("mesh:8x8");
    struct open_loop loop = open_loop_case(&topology, "unicast", 1);
    struct open_loop_result result;
    struct failure failure = {0};
    loop.is_finite = true;
    loop.measured = 60000;
    memory_limit(6 << 20);
    ck_assert_int_eq(open_loop_run(&loop, &result, &failure), FAIL_SYSTEM);
    ck_assert_msg(failure.is_memory_limit, "%s", failure.text);
    open_loop_free(&result);
    memory_limit_default();
    failure = (struct failure){0};
    ck_assert_int_eq(open_loop_run(&loop, &result, &failure), FAIL_NONE);
    open_loop_free(&result);
    topology_free(&topology);
}
END_TEST

/* A deadlock ends the run, and is reported. */
START_TEST(deadlock)
{
    struct topology topology = route_walk_topology("mesh:8x8");
    struct open_loop loop = open_loop_case(&topology, "dual", 0.02);
    struct open_loop_result result;
    struct failure failure = {0};
    loop.mix = destination_mix_of(4, 1);
    loop.least_flits = loop.most_flits = 16;
    loop.settings.consumption = 1;
    ck_assert_int_eq(open_loop_run(&loop, &result, &failure), FAIL_CHECK);
    ck_assert_uint_ge(result.waits, 2);
    open_loop_free(&result);
    loop.settings.consumption = 4;
    result = open_loop_case_run(&loop);
    open_loop_free(&result);
}
END_TEST

/* Impossible loops are refused before they run. */
START_TEST(refusals)
{
    struct topology topology = route_walk_topology("torus:4x4");
    struct failure failure = {0};
    struct open_loop loop = open_loop_case(&topology, "unicast", 0.1);
    ck_assert_int_eq(open_loop_check(&loop, &failure), FAIL_USAGE);
    ck_assert_msg(strstr(failure.text, "--vcs 2 would do") != NULL, "%s", failure.text);
    loop.settings.vcs = 2;
    failure = (struct failure){0};
    ck_assert_int_eq(open_loop_check(&loop, &failure), FAIL_NONE);
    struct open_loop wrong[5];
    for (int i = 0; i < 5; i++)
        wrong[i] = loop;
    wrong[0].rate = 0;
    wrong[1].order = 11;
    wrong[2].mix = destination_mix_of(16, 0.1);
    wrong[3].measured = 9;
    wrong[4].rate = NAN;
    for (int i = 0; i < 5; i++) {
        failure = (struct failure){0};
        ck_assert_int_eq(open_loop_check(&wrong[i], &failure), FAIL_USAGE);
    }
}
END_TEST

void open_loop_suite(TCase *tests)
{
    tcase_add_loop_test(tests, load_near_zero, 0, 3);
    tcase_add_test(tests, mix_near_zero);
    tcase_add_test(tests, growing_load);
    tcase_add_test(tests, routing_capacity);
    tcase_add_test(tests, beyond_saturation);
    tcase_add_test(tests, ends_early);
    tcase_add_test(tests, precision);
    tcase_add_test(tests, seeds_and_threads);
    tcase_add_test(tests, watcher_ends);
    tcase_add_test(tests, second_run_ended);
    tcase_add_test(tests, grows);
    tcase_add_test(tests, deadlock);
    tcase_add_test(tests, refusals);
}
