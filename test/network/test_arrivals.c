/* test_arrivals.c - the messages of an open loop: when they come and to whom, and how many a network could carry.
 *
 * Method: messages are drawn and counted; bounds are those of networks on which they are known.
 */
#include "network/open_loop.h"
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
    loop.mix = destination_mix_of(K, 1);
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

/* Of a mix, the share of messages with all destinations is as asked; all nodes are as likely for these and for the others. */
START_TEST(mixes)
{
    enum { COUNT = 40000, NODES = 12, K = 4 };
    struct topology topology = route_walk_topology("mesh:3x4");
    struct open_loop loop = open_loop_case(&topology, "unicast", 0.05);
    struct arrivals *arrivals;
    struct failure failure = {0};
    uint32_t multicasts = 0, times[2][NODES] = {{0}};
    loop.mix = destination_mix_of(K, 0.1);
    ck_assert_int_eq(arrivals_make(&arrivals, &loop, 0, &failure), FAIL_NONE);
    for (int i = 0; i < COUNT; i++) {
        struct multicast multicast = arrivals_take(arrivals);
        bool is_multicast = multicast.destinations == K;
        ck_assert(is_multicast || multicast.destinations == 1);
        multicasts += is_multicast;
        for (uint32_t j = 0; j < multicast.destinations; j++)
            times[is_multicast][multicast.destination[j]]++;
    }
    ck_assert_double_eq_tol(multicasts, 0.1 * COUNT, 240); /* 4 standard deviations */
    for (uint32_t node = 0; node < NODES; node++) {
        ck_assert_double_eq_tol(times[0][node], 0.9 * COUNT / NODES, 230);
        ck_assert_double_eq_tol(times[1][node], 0.1 * COUNT * K / NODES, 150);
    }
    arrivals_free(arrivals);
}
END_TEST

/* A share of multicasts changes nothing where it makes no mix: if all are multicasts, or all have one destination. */
START_TEST(no_mix)
{
    struct topology topology = route_walk_topology("mesh:3x4");
    for (uint32_t k = 1; k <= 3; k += 2) {
        struct open_loop loop[2] = {open_loop_case(&topology, "unicast", 0.05),
                                    open_loop_case(&topology, "unicast", 0.05)};
        struct arrivals *arrivals[2];
        struct failure failure = {0};
        loop[0].mix = destination_mix_of(k, 1);
        loop[1].mix = destination_mix_of(k, k == 1 ? 0.3 : 1);
        for (int i = 0; i < 2; i++)
            ck_assert_int_eq(arrivals_make(&arrivals[i], &loop[i], 0, &failure), FAIL_NONE);
        for (int i = 0; i < 200; i++) {
            ck_assert_uint_eq(arrivals_cycle(arrivals[0]), arrivals_cycle(arrivals[1]));
            struct multicast one = arrivals_take(arrivals[0]), other = arrivals_take(arrivals[1]);
            ck_assert(one.source == other.source && one.destinations == other.destinations);
            ck_assert_mem_eq(one.destination, other.destination, k * sizeof *one.destination);
        }
        arrivals_free(arrivals[0]);
        arrivals_free(arrivals[1]);
    }
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

static double capacity(const struct open_loop *loop)
{
    double rate = 0;
    struct failure failure = {0};
    ck_assert_int_eq(capacity_of(loop, &rate, &failure), FAIL_NONE);
    return rate;
}

/* Bounds of the rate that are known: the bisection of an 8 x 8 mesh and torus, of a torus without more links than the mesh, and
 * consumption. */
START_TEST(capacities)
{
    struct topology mesh = route_walk_topology("mesh:8x8"),
                    torus = route_walk_topology("torus:8x8"),
                    small = route_walk_topology("torus:2x2");
    struct open_loop loop = open_loop_case(&mesh, "unicast", 0.1);
    ck_assert_double_eq_tol(capacity(&loop), 8 / (32 * 32.0 / 63), 1e-12);
    loop.least_flits = loop.most_flits = 5;
    ck_assert_double_eq_tol(capacity(&loop), 8 / (32 * 32.0 / 63) / 5, 1e-12);
    loop.topology = &small;
    ck_assert_double_eq_tol(capacity(&loop), 2 / (2 * 2.0 / 3) / 5, 1e-12);
    loop = open_loop_case(&torus, "unicast", 0.1);
    ck_assert_double_eq_tol(capacity(&loop), 16 / (32 * 32.0 / 63), 1e-12);
    loop.mix = destination_mix_of(63, 1);
    loop.settings.consumption = 1;
    ck_assert_double_eq_tol(capacity(&loop), 1.0 / 63, 1e-12);
    loop.settings.is_one_port = true;
    loop.mix = destination_mix_of(1, 1);
    loop.least_flits = loop.most_flits = 100;
    ck_assert(capacity(&loop) <= 0.01);
    loop.settings.startup = 500;
    ck_assert_double_eq_tol(capacity(&loop), 0.002, 1e-12);
}
END_TEST

enum { ALL_NODES = 12, ALL_LISTS = ALL_NODES * 110, ALL_DESTINATIONS = ALL_NODES * 165 };

struct all_lists {
    struct destination_lists lists;
    uint64_t first[ALL_NODES + 1], offset[ALL_LISTS + 1];
    uint32_t destination[ALL_DESTINATIONS];
};

/* Gives each of 12 nodes the 55 pairs of other nodes, and `singles` times the 11 single ones. */
static const struct destination_lists *all_lists(struct all_lists *all, uint32_t singles)
{
    uint64_t lists = 0, count = 0;
    for (uint32_t source = 0; source < ALL_NODES; source++) {
        all->first[source] = lists;
        for (uint32_t one = 0; one < ALL_NODES; one++)
            for (uint32_t other = one; other < ALL_NODES; other++)
                for (uint32_t i = 0; i < (one == other ? singles : 1); i++) {
                    if (one == source || other == source)
                        continue;
                    all->offset[lists++] = count;
                    all->destination[count++] = one;
                    if (other > one)
                        all->destination[count++] = other;
                }
    }
    all->first[ALL_NODES] = lists;
    all->offset[lists] = count;
    ck_assert(lists <= ALL_LISTS && count <= ALL_DESTINATIONS);
    all->lists = (struct destination_lists){all->first, all->offset, all->destination};
    return &all->lists;
}

/* Uniform traffic, and its mixes, have the capacity of the lists of all the messages that they can draw: whichever of
 * bisection, consumption, injection and startups is the bound. */
START_TEST(capacities_of_mixes)
{
    static const char *const places[] = {"mesh:3x4", "torus:4x3", "mesh:12", "mesh:3x2x2"};
    static const struct network_settings settings[] = {
        {.injection = 0}, {.consumption = 1}, {.injection = 1}, {.startup = 900}};
    for (uint32_t i = 0; i < 4 * 4 * 2; i++) {
        struct topology topology = route_walk_topology(places[i / 8]);
        struct all_lists all;
        struct open_loop loop = open_loop_case(&topology, "unicast", 0.05);
        loop.settings.injection = settings[i / 2 % 4].injection;
        loop.settings.consumption = settings[i / 2 % 4].consumption;
        loop.settings.startup = settings[i / 2 % 4].startup;
        loop.least_flits = 10;
        loop.most_flits = 20;
        loop.mix = destination_mix_of(2, i % 2 == 0 ? 1 : 0.5);
        double uniform = capacity(&loop);
        loop.lists = all_lists(&all, i % 2 == 0 ? 0 : 5);
        ck_assert_double_eq_tol(capacity(&loop), uniform, 1e-12);
    }
}
END_TEST

/* Capacities of lists that are known: all nodes send to a corner with two channels; half of a node's messages go nowhere;
 * messages of five nodes, one of them to all nodes, cross the middle over four links. */
START_TEST(capacities_of_lists)
{
    struct topology mesh = route_walk_topology("mesh:4x4"), line = route_walk_topology("mesh:2");
    uint64_t first[17], offset[16];
    uint32_t destination[15] = {0};
    for (uint32_t i = 0; i < 16; i++)
        first[i + 1] = offset[i] = i;
    first[0] = 0; /* node 0 sends nothing, each other node one list */
    const struct destination_lists corner = {first, offset, destination};
    struct open_loop loop = open_loop_case(&mesh, "unicast", 0.1);
    loop.lists = &corner;
    loop.least_flits = loop.most_flits = 3;
    ck_assert_double_eq_tol(capacity(&loop), 2.0 / (15 * 3), 1e-12);
    loop.settings.consumption = 1;
    ck_assert_double_eq_tol(capacity(&loop), 1.0 / (15 * 3), 1e-12);
    loop.settings.consumption = 16; /* then four links lead from eight nodes to the corner's half */
    ck_assert_double_eq_tol(capacity(&loop), 4.0 / (8 * 3), 1e-12);

    const uint64_t half_first[] = {0, 2, 2}, half_offset[] = {0, 1, 2};
    const uint32_t half_destination[] = {0, 1};
    const struct destination_lists half = {half_first, half_offset, half_destination};
    loop = open_loop_case(&line, "unicast", 0.1);
    loop.lists = &half;
    loop.least_flits = loop.most_flits = 3;
    ck_assert_double_eq_tol(capacity(&loop), 1.0 / (0.5 * 3), 1e-12);
    loop.settings.startup = 8;
    ck_assert_double_eq_tol(capacity(&loop), 1 / (0.5 * 8), 1e-12);

    struct uneven_lists uneven;
    loop = open_loop_case(&mesh, "unicast", 0.1);
    loop.lists = open_loop_case_uneven(&uneven, 16);
    loop.least_flits = loop.most_flits = 8; /* node 0 sends to all, node v to v + 1 */
    ck_assert_double_eq_tol(capacity(&loop), 4.0 / (5 * 8), 1e-12);
}
END_TEST

Suite *arrivals_suite(void)
{
    Suite *suite = suite_create("arrivals");
    TCase *tests = tcase_create("arrivals");
    tcase_add_test(tests, messages);
    tcase_add_test(tests, mixes);
    tcase_add_test(tests, no_mix);
    tcase_add_test(tests, times_between);
    tcase_add_test(tests, drawn_lists);
    tcase_add_test(tests, capacities);
    tcase_add_test(tests, capacities_of_mixes);
    tcase_add_test(tests, capacities_of_lists);
    suite_add_tcase(suite, tests);
    return suite;
}
