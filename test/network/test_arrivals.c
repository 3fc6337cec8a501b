/* test_arrivals.c - the messages of an open loop: when they come and to whom, and how many a network could carry.
 *
 * Method: messages are drawn and counted; bounds are those of networks on which they are known.
 */
#include "network/arrivals.h"

#include "network/capacity.h"
#include "test/network/open_loop_case.h"
#include "test/schemes/route_walk.h"

#include <check.h>

Suite *arrivals_suite(void);

/* Messages come in the order of cycles and nodes; their destinations are distinct, ascending, not the source, and
 * all nodes are as likely; lengths are within their range. */
START_TEST(messages)
{
    enum { COUNT = 20000, NODES = 12, K = 3 };
    struct topology topology = route_walk_topology("mesh:3x4");
    struct open_loop loop = open_loop_case(&topology, "unicast", 0.05);
    struct arrivals *arrivals;
    struct failure failure = {0};
    uint32_t times[NODES] = {0}, sent[NODES] = {0}, last = 0;
    uint64_t before = 0, flits = 0;
    loop.destinations = K;
    loop.least_flits = 2;
    loop.most_flits = 6;
    ck_assert_int_eq(arrivals_make(&arrivals, &loop, 0, &failure), FAIL_NONE);
    ck_assert_uint_eq(arrivals_senders(arrivals), NODES);
    for (int i = 0; i < COUNT; i++) {
        uint64_t cycle = arrivals_cycle(arrivals);
        struct multicast multicast = arrivals_take(arrivals);
        ck_assert(cycle > before || (cycle == before && (i == 0 || multicast.source > last)));
        ck_assert_uint_eq(multicast.destinations, K);
        for (uint32_t j = 0; j < K; j++) {
            ck_assert_uint_ne(multicast.destination[j], multicast.source);
            ck_assert(j == 0 || multicast.destination[j - 1] < multicast.destination[j]);
            times[multicast.destination[j]]++;
        }
        ck_assert(multicast.flits >= 2 && multicast.flits <= 6);
        flits += multicast.flits;
        sent[multicast.source]++;
        before = cycle;
        last = multicast.source;
    }
    for (uint32_t node = 0; node < NODES; node++) {
        ck_assert_double_eq_tol(times[node], COUNT * K / (double)NODES, 300);
        ck_assert_double_eq_tol(sent[node], COUNT / (double)NODES, 200);
    }
    ck_assert_double_eq_tol((double)flits / COUNT, 4, 0.05);
    ck_assert_double_eq_tol(COUNT / (double)before / NODES, 0.05, 0.001);
    arrivals_free(arrivals);
}
END_TEST

/* Mean and variance of the times between a node's messages. */
static void measure_times(struct open_loop *loop, double *mean, double *variance)
{
    enum { COUNT = 40000 };
    struct arrivals *arrivals;
    struct failure failure = {0};
    double sum = 0, squares = 0;
    uint64_t before = 0;
    const uint64_t first[] = {0, 1, 1}, offset[] = {0, 1};
    const uint32_t destination[] = {1};
    const struct destination_lists lists = {first, offset, destination};
    loop->lists = &lists; /* node 0 alone sends */
    ck_assert_int_eq(arrivals_make(&arrivals, loop, 3, &failure), FAIL_NONE);
    ck_assert_uint_eq(arrivals_senders(arrivals), 1);
    for (int i = 0; i < COUNT; i++) {
        double time = (double)arrivals_cycle(arrivals) - (double)before + (i == 0);
        before = arrivals_cycle(arrivals);
        arrivals_take(arrivals);
        sum += time;
        squares += time * time;
    }
    *mean = sum / COUNT;
    *variance = squares / COUNT - *mean * *mean;
    arrivals_free(arrivals);
}

/* Of order r, times have the mean 1 / rate, and the variance of r geometric ones, r (1 - q) / q^2 with q = r
 * rate. */
START_TEST(times_between)
{
    struct topology topology = route_walk_topology("mesh:2");
    const uint32_t orders[] = {1, 2, 5, 20};
    for (int i = 0; i < 4; i++) {
        struct open_loop loop = open_loop_case(&topology, "unicast", 0.05);
        double mean, variance, q = orders[i] * 0.05;
        loop.order = orders[i];
        measure_times(&loop, &mean, &variance);
        double expected = orders[i] * (1 - q) / (q * q);
        ck_assert_double_eq_tol(mean, 20, 0.4);
        ck_assert_double_eq_tol(variance, expected, 0.06 * expected + 1e-9);
    }
}
END_TEST

/* Of lists a node draws its own, and a node without a list sends nothing. */
START_TEST(drawn_lists)
{
    struct topology topology = route_walk_topology("mesh:4");
    const uint64_t first[] = {0, 2, 2, 3, 3}, offset[] = {0, 1, 3, 4};
    const uint32_t destination[] = {3, 1, 2, 1};
    const struct destination_lists lists = {first, offset, destination};
    struct open_loop loop = open_loop_case(&topology, "unicast", 0.01);
    struct arrivals *arrivals;
    struct failure failure = {0};
    uint32_t seen[3] = {0};
    loop.lists = &lists;
    ck_assert_int_eq(arrivals_make(&arrivals, &loop, 0, &failure), FAIL_NONE);
    for (int i = 0; i < 1000; i++) {
        struct multicast multicast = arrivals_take(arrivals);
        ck_assert(multicast.source == 0 || multicast.source == 2);
        uint32_t list = multicast.source == 2 ? 2 : multicast.destinations - 1;
        ck_assert_uint_eq(multicast.destinations, offset[list + 1] - offset[list]);
        for (uint32_t j = 0; j < multicast.destinations; j++)
            ck_assert_uint_eq(multicast.destination[j], destination[offset[list] + j]);
        seen[list]++;
    }
    arrivals_free(arrivals);
    ck_assert(seen[2] > 400 && seen[0] > 150 && seen[1] > 150);
}
END_TEST

/* Bounds of the rate that are known: the bisection of an 8 x 8 mesh and torus, of a torus without more links than the mesh, and
 * consumption. */
START_TEST(capacities)
{
    struct topology mesh = route_walk_topology("mesh:8x8"),
                    torus = route_walk_topology("torus:8x8"),
                    small = route_walk_topology("torus:2x2");
    struct open_loop loop = open_loop_case(&mesh, "unicast", 0.1);
    ck_assert_double_eq_tol(capacity_of(&loop), 8 / (32 * 32.0 / 63), 1e-12);
    loop.least_flits = loop.most_flits = 5;
    ck_assert_double_eq_tol(capacity_of(&loop), 8 / (32 * 32.0 / 63) / 5, 1e-12);
    loop.topology = &small;
    ck_assert_double_eq_tol(capacity_of(&loop), 2 / (2 * 2.0 / 3) / 5, 1e-12);
    loop = open_loop_case(&torus, "unicast", 0.1);
    ck_assert_double_eq_tol(capacity_of(&loop), 16 / (32 * 32.0 / 63), 1e-12);
    loop.destinations = 63;
    loop.settings.consumption = 1;
    ck_assert_double_eq_tol(capacity_of(&loop), 1.0 / 63, 1e-12);
    loop.settings.is_one_port = true;
    loop.destinations = 1;
    loop.least_flits = loop.most_flits = 100;
    ck_assert(capacity_of(&loop) <= 0.01);
    loop.settings.startup = 500;
    ck_assert_double_eq_tol(capacity_of(&loop), 0.002, 1e-12);
}
END_TEST

Suite *arrivals_suite(void)
{
    Suite *suite = suite_create("arrivals");
    TCase *tests = tcase_create("arrivals");
    tcase_add_test(tests, messages);
    tcase_add_test(tests, times_between);
    tcase_add_test(tests, drawn_lists);
    tcase_add_test(tests, capacities);
    suite_add_tcase(suite, tests);
    return suite;
}
