/* test_network_bound.c - lower bounds of bursts: by hand, and never above the cycles of the golden
 * model.
 *
 * The random networks are those of network_case.h, with messages created at cycle 0 or later.
 */
#include "network/network_bound.h"

#include "test/length.h"
#include "test/network/network_case.h"
#include "test/reference/network_reference.h"

#include <check.h>

struct message {
    uint32_t source, flits, destinations, destination[4];
};

/* Returns the bounds of a few messages on the topology that a text names; each message with
 * flits. */
static struct network_bounds bounds_of(const char *text, const struct network_settings *settings,
                                       const struct message *message)
{
    struct topology topology;
    struct network_bound *bound;
    struct failure failure = {0};
    ck_assert_int_eq(topology_parse(&topology, text, &failure), FAIL_NONE);
    ck_assert_int_eq(network_bound_make(&bound, &topology, settings, &failure), FAIL_NONE);
    for (uint32_t number = 0; message->flits > 0; message++) {
        struct multicast multicast = {.source = message->source,
                                      .destinations = message->destinations,
                                      .destination = message->destination,
                                      .flits = message->flits};
        network_bound_add(bound, number++, &multicast, 0);
    }
    struct network_bounds bounds = network_bound_read(bound);
    network_bound_free(bound);
    return bounds;
}

static void check_bounds(const struct network_bounds *bounds, uint64_t distance,
                         uint64_t absorption, uint64_t injection, uint64_t bisection)
{
    ck_assert_uint_eq(bounds->cycles[NETWORK_BOUND_DISTANCE], distance);
    ck_assert_uint_eq(bounds->cycles[NETWORK_BOUND_ABSORPTION], absorption);
    ck_assert_uint_eq(bounds->cycles[NETWORK_BOUND_INJECTION], injection);
    ck_assert_uint_eq(bounds->cycles[NETWORK_BOUND_BISECTION], bisection);
}

/* a single message: the unblocked time, of which the other bounds have a part */
START_TEST(one_message)
{
    struct network_settings settings = {.switching = SWITCHING_WORMHOLE, .startup = 7};
    const struct message far[] = {{0, 5, 2, {3, 15}}, {0, 0, 0, {0}}};
    struct network_bounds bounds = bounds_of("mesh:4x4", &settings, far);
    /* 7 + 7 hops + 5; node 15: 2 links, 7 + 7 + 3 or from cycle 8 on; node 0: 7 + 3 + 7, and the
     * unblocked time once more; both cuts: 7 + 2 + ceil(5 / 4) + 1 + 1 */
    check_bounds(&bounds, 19, 17, 19, 13);
    ck_assert_int_eq(bounds.largest, NETWORK_BOUND_DISTANCE);
    ck_assert_uint_eq(bounds.lower_bound, 19);

    settings.router_delay = 3;
    bounds = bounds_of("mesh:4x4", &settings, far);
    ck_assert_uint_eq(bounds.lower_bound, 7 + 7 * 4 + 5);
    settings.switching = SWITCHING_STORE_AND_FORWARD;
    bounds = bounds_of("mesh:4x4", &settings, far);
    ck_assert_uint_eq(bounds.lower_bound, 7 + 7 * 8 + 5);
    bounds = bounds_of("torus:4x4", &settings, far); /* 15 is 2 hops away, 3 is one */
    ck_assert_uint_eq(bounds.lower_bound, 7 + 3 * 8 + 5);
}
END_TEST

/* everybody to one node: it absorbs C flits per cycle, and no more than arrive over its links */
START_TEST(absorption)
{
    struct network_settings settings = {.switching = SWITCHING_WORMHOLE, .consumption = 1};
    const struct message all[] = {
        {1, 10, 1, {0}}, {2, 20, 1, {0}}, {3, 30, 1, {0}}, {0, 0, 0, {0}}};
    struct network_bounds bounds = bounds_of("mesh:4", &settings, all);
    ck_assert_uint_eq(bounds.cycles[NETWORK_BOUND_ABSORPTION], 2 + 60);
    settings.consumption = 4;
    bounds = bounds_of("mesh:4", &settings, all); /* one link */
    ck_assert_uint_eq(bounds.cycles[NETWORK_BOUND_ABSORPTION], 2 + 60);
    bounds = bounds_of("torus:4", &settings, all); /* two */
    ck_assert_uint_eq(bounds.cycles[NETWORK_BOUND_ABSORPTION], 2 + 30);
}
END_TEST

/* many messages of one node: its channels, its links, its processor */
START_TEST(injection)
{
    struct network_settings settings = {.switching = SWITCHING_WORMHOLE, .injection = 1};
    const struct message all[] = {
        {0, 10, 1, {5}}, {0, 20, 1, {6}}, {0, 30, 2, {1, 7}}, {0, 0, 0, {0}}};
    struct network_bounds bounds = bounds_of("torus:3x3", &settings, all);
    ck_assert_uint_eq(bounds.cycles[NETWORK_BOUND_INJECTION], 60 + 2);
    settings.injection = 60;
    bounds = bounds_of("torus:3x3", &settings, all); /* four links */
    ck_assert_uint_eq(bounds.cycles[NETWORK_BOUND_INJECTION], 15 + 2);
    settings.is_one_port = true;
    bounds = bounds_of("torus:3x3", &settings, all);
    ck_assert_uint_eq(bounds.cycles[NETWORK_BOUND_INJECTION], 60 + 2);
    settings.startup = 100;
    bounds = bounds_of("torus:3x3", &settings, all); /* the third startup ends at 300 */
    ck_assert_uint_eq(bounds.cycles[NETWORK_BOUND_INJECTION], 300 + 3 + 10);
    settings.startup_is_per_port = true;
    bounds = bounds_of("torus:3x3", &settings, all);
    ck_assert_uint_eq(bounds.cycles[NETWORK_BOUND_INJECTION], 300 + 60 + 2);
}
END_TEST

/* crossings of the middle, in each direction and dimension by itself; a message counts once */
START_TEST(bisection)
{
    struct network_settings settings = {.switching = SWITCHING_WORMHOLE};
    const struct message down[] = {
        {0, 40, 2, {6, 7}}, {1, 40, 1, {6}}, {7, 9, 1, {0}}, {0, 0, 0, {0}}};
    struct network_bounds bounds = bounds_of("mesh:8", &settings, down);
    ck_assert_uint_eq(bounds.cycles[NETWORK_BOUND_BISECTION], 3 + 80 + 2 + 1);
    bounds = bounds_of("torus:8", &settings, down); /* round the other end: 6 is one from it */
    ck_assert_uint_eq(bounds.cycles[NETWORK_BOUND_BISECTION], 1 + 40 + 1 + 1);
    bounds = bounds_of("mesh:4x2", &settings, down); /* two links; 0 and 1 both cross 2 rows */
    ck_assert_uint_eq(bounds.cycles[NETWORK_BOUND_BISECTION], 2 + 40 + 1 + 1);
    const struct message over[] = {
        {0, 40, 1, {1}}, {1, 20, 1, {0}}, {0, 20, 1, {1}}, {0, 0, 0, {0}}};
    bounds = bounds_of("mesh:2", &settings, over); /* a torus of size 2 is the mesh: one link */
    uint64_t cycles = bounds.cycles[NETWORK_BOUND_BISECTION];
    ck_assert_uint_ge(cycles, 60);
    bounds = bounds_of("torus:2", &settings, over);
    ck_assert_uint_eq(bounds.cycles[NETWORK_BOUND_BISECTION], cycles);
    bounds = bounds_of("torus:2x4", &settings, down); /* four links, no more of size 2 */
    ck_assert_uint_eq(bounds.cycles[NETWORK_BOUND_BISECTION], 1 + 20 + 0 + 1);
}
END_TEST

/* Draws the cycles in which messages are created, all 0 in half of the cases, and sometimes a long
 * startup. */
static void draw_times(struct network_case *c, uint64_t number)
{
    struct pcg32 random = pcg32_seed(number, 3);
    bool is_timed = pcg32_below(&random, 2), is_long = pcg32_below(&random, 3) == 0;
    for (uint32_t i = 0; i < c->messages; i++)
        c->message[i].created = is_timed ? pcg32_below(&random, 2) * pcg32_below(&random, 200) : 0;
    if (is_long)
        c->settings.startup = pcg32_below(&random, 60);
}

/* Runs all messages of a case in the golden model; 0: it deadlocks or overflows. */
static uint64_t time_of(const struct network_case *c)
{
    struct golden *golden = golden_make(&c->topology, c->routing, &c->settings);
    for (uint32_t i = 0; i < c->messages; i++)
        golden_post(golden, c->message[i].created, &c->message[i].multicast, &c->message[i].plan);
    while (golden_cycle(golden))
        continue;
    uint64_t time = golden->failed == FAIL_NONE ? golden->counts.last_delivery : 0;
    golden_free(golden);
    return time;
}

static struct network_bounds bounds_of_case(const struct network_case *c)
{
    struct network_bound *bound;
    struct failure failure = {0};
    ck_assert_int_eq(network_bound_make(&bound, &c->topology, &c->settings, &failure), FAIL_NONE);
    for (uint32_t i = 0; i < c->messages; i++)
        network_bound_add(bound, i, &c->message[i].multicast, c->message[i].created);
    struct network_bounds bounds = network_bound_read(bound);
    network_bound_free(bound);
    return bounds;
}

/* no network, scheme or setting is faster, and some are as fast as each bound */
START_TEST(never_above)
{
    static struct network_case c;
    uint32_t cases = TEST_IS_SHORT ? 500 : 3000, ended = 0, reached[NETWORK_BOUND_KINDS] = {0};
    for (uint32_t number = 0; number < cases; number++) {
        network_case_random(&c, 4 * number + (uint32_t)_i);
        if (number % 8 == 0)
            c.messages = 1;
        draw_times(&c, 4 * number + (uint32_t)_i);
        uint64_t time = time_of(&c);
        struct network_bounds bounds = bounds_of_case(&c);
        if (time == 0)
            continue;
        ended++;
        if (bounds.lower_bound > time)
            network_case_print(&c);
        ck_assert_msg(bounds.lower_bound <= time, "case %u: %s %llu, but %llu cycles", number,
                      network_bound_names[bounds.largest], (unsigned long long)bounds.lower_bound,
                      (unsigned long long)time);
        for (int kind = 0; kind < NETWORK_BOUND_KINDS; kind++)
            reached[kind] += bounds.cycles[kind] == time;
    }
    ck_assert_uint_ge(ended, cases / 2);
    for (int kind = 0; kind < NETWORK_BOUND_KINDS; kind++)
        ck_assert_msg(reached[kind] > 0, "%s is never reached", network_bound_names[kind]);
}
END_TEST

/* nothing to carry: no bound */
START_TEST(nothing)
{
    struct network_settings settings = {.startup = 9};
    const struct message none[] = {{3, 5, 0, {0}}, {0, 0, 0, {0}}};
    struct network_bounds bounds = bounds_of("mesh:4", &settings, none);
    check_bounds(&bounds, 0, 0, 0, 0);
    ck_assert_uint_eq(bounds.lower_bound, 0);
}
END_TEST

void network_bound_suite(TCase *tests)
{
    tcase_add_test(tests, one_message);
    tcase_add_test(tests, absorption);
    tcase_add_test(tests, injection);
    tcase_add_test(tests, bisection);
    tcase_add_loop_test(tests, never_above, 0, 4);
    tcase_add_test(tests, nothing);
}
