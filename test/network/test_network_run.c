/* test_network_run.c - runs of the network whose result is known: times, deadlocks, threads, overflow.
 *
 * What random networks do, cycle by cycle, is compared with the golden model elsewhere (suite network_engine).
 */
#include "network/network.h"

#include "base/pcg.h"
#include "test/length.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *network_run_suite(void);

enum { MOST_STOPS = 64 };

/* A message with one worm, by hand. */
struct one_worm {
    struct multicast multicast;
    struct plan plan;
    struct worm worm;
    struct stop stop[MOST_STOPS];
    uint32_t destination[MOST_STOPS];
};

static struct topology mesh(uint32_t rows, uint32_t columns)
{
    struct shape shape = {TOPOLOGY_MESH, 2, {columns, rows}};
    return topology_of_shape(&shape);
}

/* A path worm past `stops` nodes; bit i of `destinations`: stop i is one. */
static void make_path(struct one_worm *m, const struct routing *routing, uint32_t flits,
                      uint32_t source, uint32_t stops, const uint32_t *stop, uint64_t destinations)
{
    *m = (struct one_worm){.worm = {.sender = source, .stops = stops}};
    for (uint32_t i = 0; i < stops; i++) {
        m->stop[i] = (struct stop){
            .node = stop[i], .span = stops - i, .is_destination = destinations >> i & 1};
        if (m->stop[i].is_destination)
            m->destination[m->multicast.destinations++] = stop[i];
    }
    m->multicast.source = source;
    m->multicast.flits = flits;
    m->multicast.destination = m->destination;
    m->plan = (struct plan){
        .routing = routing, .worms = 1, .stops = stops, .worm = &m->worm, .stop = m->stop};
}

static struct network *make(const struct topology *topology, const struct routing *routing,
                            const struct network_settings *settings,
                            const struct network_observer *observer)
{
    struct network *network;
    struct failure failure = {0};
    ck_assert_msg(network_make(&network, topology, routing, settings, observer, &failure) ==
                      FAIL_NONE,
                  "%s", failure.text);
    return network;
}

static void post(struct network *network, uint64_t cycle, const struct one_worm *m)
{
    struct failure failure = {0};
    ck_assert_msg(network_post(network, cycle, &m->multicast, &m->plan, &failure) == FAIL_NONE,
                  "%s", failure.text);
}

static void run(struct network *network, uint64_t until)
{
    struct failure failure = {0};
    ck_assert_msg(network_run(network, until, &failure) == FAIL_NONE, "%s", failure.text);
}

/* When the only message is delivered. */
static uint64_t delivered(struct network *network)
{
    size_t count;
    run(network, UINT64_MAX);
    const struct network_delivery *done = network_take_done(network, &count);
    ck_assert_uint_eq(count, 1);
    return done->delivered;
}

/* A worm that nobody blocks takes startup + (p + 1)(1 + router delay) + L cycles, by either mode of startup, from
 * a buffer of 2 on; with one slot too, where a flit may follow into it. */
START_TEST(unblocked)
{
    struct topology topology = mesh(3, 7);
    for (uint32_t buffer = 1; buffer <= 6; buffer++)
        for (uint32_t flits = 1; flits <= 6; flits += 5)
            for (uint32_t delay = 0; delay <= 3; delay++)
                for (uint32_t hops = 1; hops <= 8; hops++)
                    for (uint32_t startup = 0; startup <= 300; startup += 100) {
                        struct network_settings settings = network_settings_default();
                        struct one_worm m;
                        settings.switching =
                            buffer == 6 ? SWITCHING_CUT_THROUGH : SWITCHING_WORMHOLE;
                        settings.buffer = buffer;
                        settings.router_delay = delay;
                        settings.startup = startup;
                        settings.startup_is_per_port = hops % 2 == 0;
                        uint32_t target = hops <= 6 ? hops : 6 + (hops - 6) * 7;
                        make_path(&m, &routing_x_first, flits, 0, 1, &target, 1);
                        struct network *network =
                            make(&topology, &routing_x_first, &settings, NULL);
                        post(network, 1000, &m);
                        ck_assert_uint_eq(delivered(network),
                                          1000 + startup + (hops + 1) * (1 + delay) + flits);
                        ck_assert_uint_eq(network_counts(network).crossings, hops * flits);
                        network_free(network);
                    }
}
END_TEST

/* Where the tail passed each node's consumption channel. */
struct heard {
    uint64_t passed[MOST_STOPS];
};

static void hear(void *context, uint64_t cycle, const struct network_event *event, size_t count)
{
    struct heard *heard = context;
    for (size_t i = 0; i < count; i++)
        if (event[i].kind == 'A')
            heard->passed[event[i].field[2]] = cycle;
}

/* A path worm absorbs and goes on: the stop at hop p has it when a worm of p hops would have. */
START_TEST(absorb_and_forward)
{
    struct topology topology = mesh(1, 9);
    const uint32_t stop[] = {1, 3, 4, 8};
    for (uint32_t flits = 1; flits <= 7; flits += 3) {
        struct heard heard = {{0}};
        struct network_observer observer = {&heard, hear};
        struct network_settings settings = network_settings_default();
        struct one_worm m;
        make_path(&m, &routing_x_first, flits, 0, 4, stop, 15);
        struct network *network = make(&topology, &routing_x_first, &settings, &observer);
        post(network, 0, &m);
        ck_assert_uint_eq(delivered(network), 9 + flits);
        ck_assert_uint_eq(network_counts(network).deliveries, 4);
        network_free(network);
        for (uint32_t i = 0; i < 4; i++)
            ck_assert_uint_eq(heard.passed[stop[i]] + 1, stop[i] + 1 + flits);
    }
}
END_TEST

/* Store-and-forward, one flit: a node that has the message at cycle t sends it to its i-th child in cycle t + i - 1
 * by one port, in cycle t by all. */
START_TEST(one_port_and_all)
{
    struct topology topology = mesh(3, 3);
    for (int is_one_port = 0; is_one_port < 2; is_one_port++) {
        struct heard heard = {{0}};
        struct network_observer observer = {&heard, hear};
        struct network_settings settings = network_settings_default();
        struct one_worm m;
        const uint32_t stop[] = {4, 5, 2, 8, 3, 1, 7};
        settings.switching = SWITCHING_STORE_AND_FORWARD;
        settings.buffer = 0;
        settings.is_one_port = is_one_port;
        make_path(&m, &routing_link, 1, 4, 7, stop, 126);
        m.stop[1].span = 3; /* 5 sends to 2 and 8 */
        for (int i = 2; i < 7; i++)
            m.stop[i].span = 1;
        struct network *network = make(&topology, &routing_link, &settings, &observer);
        post(network, 0, &m);
        delivered(network);
        network_free(network);
        /* Injection passes in cycle 0, so node 4 has the message at cycle 1; consumption takes a cycle, too */
        const uint32_t all_port[] = {1, 2, 2, 1, 1, 1}, one_port[] = {1, 2, 3, 2, 3, 4};
        for (int i = 0; i < 6; i++)
            ck_assert_uint_eq(heard.passed[stop[i + 1]],
                              (is_one_port ? one_port : all_port)[i] + 1);
    }
}
END_TEST

/* A network with two worms on a ring of four nodes, each of which asks for a link that the other has. */
static struct network *ring_of_two(uint32_t flits, uint32_t vcs, enum switching switching)
{
    static struct topology topology;
    static const uint32_t stop[2][3] = {{1, 3, 2}, {2, 0, 1}};
    struct network_settings settings = network_settings_default();
    topology = mesh(2, 2);
    settings.buffer = 2;
    settings.vcs = vcs;
    settings.switching = switching;
    struct network *network = make(&topology, &routing_link, &settings, NULL);
    for (uint32_t i = 0; i < 2; i++) {
        struct one_worm m;
        make_path(&m, &routing_link, flits, i == 0 ? 0 : 3, 3, stop[i], 4);
        post(network, 0, &m);
    }
    return network;
}

/* Two worms that wait for one another are found in the first cycle in which nothing moves, and named; circuits, too,
 * whatever their length. */
START_TEST(deadlock)
{
    struct failure failure = {0};
    size_t count;
    bool is_circuit = _i == SWITCHING_CIRCUIT;
    struct network *network = ring_of_two(is_circuit ? 2 : 9, 1, (enum switching)_i);
    ck_assert_int_eq(network_run(network, UINT64_MAX, &failure), FAIL_CHECK);
    const struct network_wait *wait = network_deadlock(network, &count);
    ck_assert_uint_eq(count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert_uint_eq(wait[i].message, i);
        ck_assert_uint_eq(wait[i].worm, 0);
        ck_assert_uint_eq(wait[i].node, i == 0 ? 3 : 0);
        ck_assert_uint_eq(wait[i].waits_for, 1 - i);
        ck_assert_uint_eq(wait[i].source, i == 0 ? 0 : 3);
        ck_assert_int_eq(wait[i].need, NEED_LINK);
    }
    ck_assert_ptr_nonnull(strstr(failure.text, "deadlock in cycle"));
    ck_assert_uint_lt(network_counts(network).cycle, 30);
    network_free(network);
    /* Nobody waits for ever where the tail of a worm leaves the link in time, or there are two channels */
    for (uint32_t vcs = 1; vcs <= 2; vcs++) {
        uint32_t flits = vcs == 2 ? 9 : is_circuit ? 1 : 3;
        network = ring_of_two(flits, vcs, (enum switching)_i);
        run(network, UINT64_MAX);
        ck_assert_uint_eq(network_counts(network).done, 2);
        network_free(network);
    }
}
END_TEST

/* Idle cycles take no time: a run of more than 10^15 cycles ends. */
START_TEST(idle)
{
    struct topology topology = mesh(1, 2);
    struct network_settings settings = network_settings_default();
    struct one_worm m;
    const uint32_t target = 1;
    const uint64_t far = UINT64_C(1) << 50;
    make_path(&m, &routing_x_first, 1, 0, 1, &target, 1);
    struct network *network = make(&topology, &routing_x_first, &settings, NULL);
    post(network, far, &m);
    run(network, far / 2);
    ck_assert_uint_eq(network_counts(network).cycle, far / 2);
    ck_assert_uint_eq(network_counts(network).messages, 0);
    ck_assert_uint_eq(delivered(network), far + 3);
    ck_assert_uint_eq(network_counts(network).cycle, far + 3);
    network_free(network);
}
END_TEST

/* Posts uniform traffic: `messages` a node. */
static void post_uniform(struct network *network, const struct topology *topology,
                         uint32_t messages, uint32_t flits)
{
    struct pcg32 random = pcg32_seed(3, flits);
    for (uint32_t i = 0; i < messages * topology->nodes; i++) {
        struct one_worm m;
        uint32_t target = pcg32_below(&random, topology->nodes);
        if (target == i % topology->nodes)
            continue;
        make_path(&m, &routing_x_first, flits, i % topology->nodes, 1, &target, 1);
        post(network, i / topology->nodes, &m);
    }
}

static bool is_equal(const struct network_counts *one, const struct network_counts *other)
{
    return one->cycle == other->cycle && one->messages == other->messages &&
           one->done == other->done && one->deliveries == other->deliveries &&
           one->startups == other->startups && one->crossings == other->crossings &&
           one->last_delivery == other->last_delivery && one->buffer_peak == other->buffer_peak &&
           one->unsent_peak == other->unsent_peak;
}

static void hear_nothing(void *context, uint64_t cycle, const struct network_event *event,
                         size_t count)
{
    (void)context, (void)cycle, (void)event, (void)count;
}

enum { TRIALS = 4 };

/* Runs uniform traffic with 1, 2, 3 threads, and observed, which is a run in one piece. */
static void try_threads(const struct topology *topology, const struct network_settings *settings,
                        uint32_t messages, uint32_t flits)
{
    static const struct network_observer observer = {NULL, hear_nothing};
    struct network *network[TRIALS];
    const struct network_delivery *done[TRIALS];
    size_t count[TRIALS];
    struct network_counts counts[TRIALS];
    for (uint32_t i = 0; i < TRIALS; i++) {
        struct network_settings own = *settings;
        own.threads = 1 + i;
        network[i] = make(topology, &routing_x_first, &own, i == TRIALS - 1 ? &observer : NULL);
        post_uniform(network[i], topology, messages, flits);
        run(network[i], UINT64_MAX);
        counts[i] = network_counts(network[i]);
        done[i] = network_take_done(network[i], &count[i]);
        ck_assert_uint_eq(counts[i].done, counts[i].messages);
        ck_assert(is_equal(&counts[i], &counts[0]));
        ck_assert_uint_eq(count[i], count[0]);
        for (size_t m = 0; m < count[0]; m++)
            ck_assert(done[i][m].message == done[0][m].message &&
                      done[i][m].delivered == done[0][m].delivered);
        for (uint64_t link = 0; link < topology->links; link++)
            ck_assert_uint_eq(network_link_flits(network[i], link),
                              network_link_flits(network[0], link));
    }
    for (uint32_t i = 0; i < TRIALS; i++)
        network_free(network[i]);
}

/* Any number of threads gives the same: times of all messages, flits over all links. */
START_TEST(any_threads)
{
    struct topology topology = mesh(TEST_IS_SHORT ? 24 : 64, 40);
    for (int switching = 0; switching <= SWITCHING_CIRCUIT; switching++) {
        struct network_settings settings = network_settings_default();
        settings.switching = (enum switching)switching;
        settings.vcs = 1 + (uint32_t)switching;
        if (switching == SWITCHING_STORE_AND_FORWARD)
            settings.buffer = 0;
        try_threads(&topology, &settings, 3, 4);
    }
}
END_TEST

/* A large network is shared out among more bands than threads. */
START_TEST(many_bands)
{
    struct topology topology = mesh(92, TEST_IS_SHORT ? 90 : 300);
    struct network_settings settings = network_settings_default();
    try_threads(&topology, &settings, 1, 2);
}
END_TEST

/* A node that holds too many messages stops the run, in the same cycle with any number of threads. */
START_TEST(overflow)
{
    struct topology topology = mesh(40, 40);
    uint64_t cycle = 0;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct network_settings settings = network_settings_default();
        struct failure failure = {0};
        settings.switching = SWITCHING_STORE_AND_FORWARD;
        settings.buffer = 7;
        settings.threads = threads;
        struct network *network = make(&topology, &routing_x_first, &settings, NULL);
        post_uniform(network, &topology, 9, 2);
        ck_assert_int_eq(network_run(network, UINT64_MAX, &failure), FAIL_CHECK);
        ck_assert_ptr_nonnull(strstr(failure.text, "holds more than 7 messages"));
        ck_assert_uint_ge(network_counts(network).buffer_peak, 8);
        if (threads == 1)
            cycle = network_counts(network).cycle;
        ck_assert_uint_eq(network_counts(network).cycle, cycle);
        network_free(network);
    }
}
END_TEST

/* Where most worms are blocked, a search for deadlocks looks at most three times per channel and lets fewer worms wait in
 * lists than there are channels, whatever the number of virtual channels on a link. */
START_TEST(search_costs)
{
    enum { SEARCHES = 8 };
    struct topology topology = mesh(1, MOST_STOPS);
    struct network_settings settings = network_settings_default();
    settings.releases_when_left = _i % 2 == 1;
    settings.switching = _i < 2 ? SWITCHING_WORMHOLE : SWITCHING_CUT_THROUGH;
    settings.buffer = _i < 2 ? 4 : 9;
    settings.consumption = 1;
    settings.injection = NETWORK_MAX_CHANNELS;
    for (settings.vcs = 1; settings.vcs <= NETWORK_MAX_VCS; settings.vcs *= 2) {
        struct network *network = make(&topology, &routing_x_first, &settings, NULL);
        for (uint32_t i = 0; i < NETWORK_MAX_CHANNELS * topology.nodes; i++) {
            struct one_worm m;
            uint32_t end = 0;
            make_path(&m, &routing_x_first, 9, 1 + i % (topology.nodes - 1), 1, &end, 1);
            post(network, 0, &m);
        }
        run(network, SEARCHES * 256);
        struct network_searches work = network_searches(network);
        uint64_t channels = topology.links * settings.vcs + topology.nodes * settings.injection;
        ck_assert_uint_eq(work.searches, SEARCHES);
        ck_assert_uint_ge(work.looks, channels);
        ck_assert_uint_le(work.looks, 3 * channels * SEARCHES);
        ck_assert_uint_le(work.waiters, channels * SEARCHES);
        network_free(network);
    }
}
END_TEST

Suite *network_run_suite(void)
{
    Suite *suite = suite_create("network_run");
    TCase *tests = tcase_create("runs");
    tcase_add_test(tests, unblocked);
    tcase_add_test(tests, absorb_and_forward);
    tcase_add_test(tests, one_port_and_all);
    tcase_add_test(tests, deadlock);
    tcase_add_loop_test(tests, deadlock, SWITCHING_CIRCUIT, SWITCHING_CIRCUIT + 1);
    tcase_add_loop_test(tests, search_costs, 0, 4);
    tcase_add_test(tests, idle);
    tcase_add_test(tests, any_threads);
    tcase_add_test(tests, many_bands);
    tcase_add_test(tests, overflow);
    suite_add_tcase(suite, tests);
    return suite;
}
