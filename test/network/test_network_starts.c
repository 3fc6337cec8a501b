/* test_network_starts.c - messages that start later, or wait for others: bursts against the golden
 * model, which gets each message in the cycle in which it may start, and against times that are
 * known.
 */
#include "network/burst.h"
#include "test/length.h"
#include "test/reference/network_reference.h"
#include "test/schemes/route_walk.h"

#include <check.h>
#include <stdlib.h>

#undef fail /* a macro of Check's */

enum { MESSAGES = 24, NODES = 36, MOST_WAITS = 3, MOST_EVENTS = 1 << 14 };

/* Messages with times. */
struct timed {
    uint32_t messages;
    struct multicast multicast[MESSAGES];
    struct timing timing[MESSAGES];
    uint32_t destination[MESSAGES][NODES], wait_on[MESSAGES][MOST_WAITS];
};

static struct multicast multicast_at(void *context, uint32_t index)
{
    return ((struct timed *)context)->multicast[index];
}

static struct timing timing_at(void *context, uint32_t index)
{
    return ((struct timed *)context)->timing[index];
}

struct heard {
    size_t events;
    struct golden_event event[MOST_EVENTS];
};

static void hear(void *context, uint64_t cycle, const struct network_event *event, size_t count)
{
    struct heard *heard = context;
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_lt(heard->events, MOST_EVENTS);
        heard->event[heard->events++] = (struct golden_event){cycle, event[i]};
    }
}

/* Draws messages that wait for those drawn before; `is_reversed` numbers them the other way
 * round. */
static void draw(struct timed *timed, const struct topology *topology, bool is_reversed,
                 struct pcg32 *random)
{
    timed->messages = 2 + pcg32_below(random, MESSAGES - 1);
    for (uint32_t drawn = 0; drawn < timed->messages; drawn++) {
        uint32_t i = is_reversed ? timed->messages - 1 - drawn : drawn;
        struct multicast *multicast = &timed->multicast[i];
        struct timing *timing = &timed->timing[i];
        *multicast = (struct multicast){.source = pcg32_below(random, topology->nodes),
                                        .destination = timed->destination[i],
                                        .flits = 1 + pcg32_below(random, 6)};
        *timing = (struct timing){.start = pcg32_below(random, 3) * pcg32_below(random, 40),
                                  .wait_on = timed->wait_on[i]};
        if (drawn > 0 && pcg32_below(random, 4) > 0) { /* it is sent by a receiver */
            uint32_t before = pcg32_below(random, drawn);
            const struct multicast *got =
                &timed->multicast[is_reversed ? timed->messages - 1 - before : before];
            multicast->source = got->destination[pcg32_below(random, got->destinations)];
        }
        for (uint32_t k = 0; k < drawn && timing->waits < MOST_WAITS; k++) {
            uint32_t before = is_reversed ? timed->messages - 1 - k : k;
            if (multicast_place(&timed->multicast[before], multicast->source) != UINT32_MAX &&
                pcg32_below(random, 3) > 0)
                timed->wait_on[i][timing->waits++] = before;
        }
        timing->source = multicast->source;
        multicast->destinations =
            route_walk_destinations(random, topology->nodes, multicast->source,
                                    1 + pcg32_below(random, 5), timed->destination[i]);
    }
}

/* Returns the cycles that had ended when a node had all of a message; 0: the events do not show
 * it. */
static uint64_t receipt_of(const struct heard *heard, uint32_t message, uint32_t node)
{
    uint64_t cycle = 0;
    for (size_t i = 0; i < heard->events; i++) {
        const struct network_event *event = &heard->event[i].event;
        if (event->kind == 'A' && event->field[0] == message && event->field[2] == node)
            cycle = heard->event[i].cycle + 1;
    }
    return cycle;
}

/* Every message is created in the cycle in which it may start, by the receipts. Sets created[] from
 * the events. */
static void check_created(const struct timed *timed, const struct heard *heard, uint64_t *created)
{
    for (uint32_t i = 0; i < timed->messages; i++)
        created[i] = UINT64_MAX;
    for (size_t i = 0; i < heard->events; i++)
        if (heard->event[i].event.kind == 'P')
            created[heard->event[i].event.field[0]] = heard->event[i].cycle;
    for (uint32_t i = 0; i < timed->messages; i++) {
        const struct timing *timing = &timed->timing[i];
        uint64_t allowed = 0;
        for (uint32_t k = 0; k < timing->waits; k++) {
            uint64_t receipt = receipt_of(heard, timing->wait_on[k], timing->source);
            ck_assert_uint_gt(receipt, 0);
            allowed = receipt > allowed ? receipt : allowed;
        }
        ck_assert_uint_eq(created[i], allowed + timing->start);
    }
}

/* The golden model agrees, with messages that are created in those cycles. */
static void check_golden(const struct burst *burst, const struct timed *timed,
                         const uint64_t *created, const struct heard *heard)
{
    struct golden *golden =
        golden_make(burst->topology, burst->scheme->routing(&burst->choices), &burst->settings);
    struct plan plan = {0};
    struct failure failure = {0};
    for (uint32_t i = 0; i < timed->messages; i++) {
        ck_assert_int_eq(scheme_plan(burst->scheme, burst->topology, &timed->multicast[i],
                                     &burst->choices, &plan, &failure),
                         FAIL_NONE);
        golden_post(golden, created[i], &timed->multicast[i], &plan);
    }
    while (golden_cycle(golden))
        continue;
    golden_sort_events(golden);
    ck_assert_uint_eq(heard->events, golden->events);
    for (size_t i = 0; i < heard->events; i++) {
        ck_assert_uint_eq(heard->event[i].cycle, golden->event[i].cycle);
        ck_assert_mem_eq(&heard->event[i].event, &golden->event[i].event,
                         sizeof heard->event[i].event);
    }
    plan_free(&plan);
    golden_free(golden);
}

static struct burst burst_of(const struct topology *topology, const char *scheme,
                             struct timed *timed)
{
    struct failure failure = {0};
    struct burst burst = {.topology = topology,
                          .settings = network_settings_default(),
                          .messages = timed->messages,
                          .message = multicast_at,
                          .timing = timing_at,
                          .message_context = timed};
    ck_assert_int_eq(scheme_find(scheme, &burst.scheme, &failure), FAIL_NONE);
    return burst;
}

static bool runs_on(void *context, uint64_t done, uint64_t all, uint64_t cycle)
{
    (void)context;
    (void)done;
    (void)all;
    (void)cycle;
    return false;
}

static void draw_settings(struct network_settings *settings, uint32_t number)
{
    static const enum switching switchings[] = {SWITCHING_WORMHOLE, SWITCHING_CUT_THROUGH,
                                                SWITCHING_STORE_AND_FORWARD};
    settings->switching = switchings[number % 3];
    settings->vcs = 2;
    settings->buffer = settings->switching == SWITCHING_STORE_AND_FORWARD ? 0 : 6;
    settings->consumption = 8;
    settings->startup = number % 5 * (number % 4 == 3 ? 10 : 2);
    settings->startup_is_per_port = number % 11 == 0;
    settings->router_delay = number / 3 % 3;
    settings->threads = 1 + number % 2;
}

/* Random messages that wait for one another, in all schemes. */
START_TEST(as_the_golden_model)
{
    static const char *const places[] = {"mesh:5x4", "torus:4x4", "mesh:3x3x3", "torus:7"};
    static struct timed timed;
    static struct heard heard;
    struct topology topology = route_walk_topology(places[_i]);
    uint32_t cases = TEST_IS_SHORT ? 200 : 2000, runs = 0;
    for (uint32_t number = 0; number < cases; number++) {
        struct pcg32 random = pcg32_seed(number, (uint64_t)_i);
        const struct scheme *scheme = scheme_at(number / 2 % scheme_count());
        draw(&timed, &topology, number % 2 == 1, &random);
        struct burst burst = burst_of(&topology, scheme->name, &timed);
        struct network_observer observer = {&heard, hear};
        struct failure failure = {0};
        struct burst_result result;
        uint64_t created[MESSAGES];
        draw_settings(&burst.settings, number);
        burst.observer = &observer;
        burst.watcher = number % 7 == 0 ? runs_on : NULL;
        heard.events = 0;
        enum failure_kind kind = burst_run(&burst, &result, &failure);
        ck_assert_msg(kind == FAIL_NONE || kind == FAIL_CHECK || kind == FAIL_USAGE, "%s",
                      failure.text);
        if (kind == FAIL_NONE) {
            runs++;
            check_created(&timed, &heard, created);
            check_golden(&burst, &timed, created, &heard);
            ck_assert_uint_eq(result.counts.deliveries, result.expected);
            ck_assert_uint_ge(result.counts.last_delivery, result.bounds.lower_bound);
        }
        burst_free(&result);
    }
    ck_assert_uint_gt(runs, cases / 2);
    topology_free(&topology);
}
END_TEST

/* Posts all messages, from the last one on if `is_reversed`, and hears what happens. */
static void hear_posted(const struct burst *burst, struct timed *timed, bool is_reversed,
                        struct heard *heard)
{
    const struct network_observer observer = {heard, hear};
    struct network *network;
    struct plan plan = {0};
    struct failure failure = {0};
    heard->events = 0;
    ck_assert_int_eq(network_make(&network, burst->topology,
                                  burst->scheme->routing(&burst->choices), &burst->settings,
                                  &observer, &failure),
                     FAIL_NONE);
    for (uint32_t k = 0; k < timed->messages; k++) {
        uint32_t i = is_reversed ? timed->messages - 1 - k : k;
        const struct network_posting posting = {i, timed->timing[i].start, false};
        scheme_plan(burst->scheme, burst->topology, &timed->multicast[i], &burst->choices, &plan,
                    &failure);
        network_post_as(network, &posting, &timed->multicast[i], &plan, &failure);
    }
    ck_assert_int_eq(network_run(network, UINT64_MAX, &failure), FAIL_NONE);
    plan_free(&plan);
    network_free(network);
}

/* Messages that start in the same cycles behave the same in any order of posting. */
START_TEST(posted_in_any_order)
{
    static struct timed timed;
    static struct heard heard[2];
    struct topology topology = route_walk_topology("mesh:5x4");
    for (uint32_t number = 0; number < 100; number++) {
        struct pcg32 random = pcg32_seed(number, 9);
        draw(&timed, &topology, false, &random);
        struct burst burst = burst_of(&topology, "unicast", &timed);
        draw_settings(&burst.settings, number);
        for (uint32_t i = 0; i < timed.messages; i++)
            timed.timing[i].start = 5 * pcg32_below(&random, 3);
        for (int order = 0; order < 2; order++)
            hear_posted(&burst, &timed, order == 1, &heard[order]);
        ck_assert_uint_eq(heard[0].events, heard[1].events);
        ck_assert_mem_eq(heard[0].event, heard[1].event, heard[0].events * sizeof *heard[0].event);
    }
    topology_free(&topology);
}
END_TEST

/* A chain of unicasts lasts the sum of the times of its messages without blocking, which is the
 * bound. */
START_TEST(chain_of_unicasts)
{
    static struct timed timed;
    struct topology topology = route_walk_topology("mesh:6x6");
    for (uint32_t number = 0; number < 40; number++) {
        struct pcg32 random = pcg32_seed(number, 5);
        uint64_t sum = 0;
        uint32_t startup = number % 7, delay = number % 3, node = pcg32_below(&random, 36);
        timed.messages = MESSAGES;
        for (uint32_t i = 0; i < MESSAGES; i++) {
            uint32_t pause = pcg32_below(&random, 50), to = pcg32_below(&random, 35);
            to += to >= node;
            timed.destination[i][0] = to;
            timed.multicast[i] = (struct multicast){.source = node,
                                                    .destinations = 1,
                                                    .destination = timed.destination[i],
                                                    .flits = 1 + pcg32_below(&random, 9)};
            timed.timing[i] = (struct timing){
                .source = node, .start = pause, .waits = i > 0, .wait_on = timed.wait_on[i]};
            timed.wait_on[i][0] = i - 1;
            sum += pause + startup + (topology_distance(&topology, node, to) + 1) * (1 + delay) +
                   timed.multicast[i].flits;
            node = to;
        }
        struct burst burst = burst_of(&topology, "unicast", &timed);
        struct burst_result result;
        struct failure failure = {0};
        burst.settings.startup = startup;
        burst.settings.router_delay = delay;
        ck_assert_msg(burst_run(&burst, &result, &failure) == FAIL_NONE, "%s", failure.text);
        ck_assert_uint_eq(result.counts.last_delivery, sum);
        ck_assert_uint_eq(result.bounds.lower_bound, sum);
        burst_free(&result);
    }
    topology_free(&topology);
}
END_TEST

/* A node's message with a long way starts early, one with a short way late: the bound of startups
 * one after the other does not let the long way follow the late one's startup. */
START_TEST(startups_of_a_node)
{
    static struct timed timed = {.messages = 2};
    struct topology topology = route_walk_topology("mesh:102");
    for (uint32_t i = 0; i < 2; i++) {
        timed.destination[i][0] = i == 0 ? 101 : 1;
        timed.multicast[i] =
            (struct multicast){.destinations = 1, .destination = timed.destination[i], .flits = 1};
        timed.timing[i] = (struct timing){.start = i * 90};
    }
    struct burst burst = burst_of(&topology, "unicast", &timed);
    struct burst_result result;
    struct failure failure = {0};
    burst.settings.startup = 20;
    ck_assert_msg(burst_run(&burst, &result, &failure) == FAIL_NONE, "%s", failure.text);
    ck_assert_uint_eq(result.counts.last_delivery, 123);
    ck_assert_uint_eq(result.bounds.lower_bound, 123);
    ck_assert_uint_eq(result.bounds.cycles[NETWORK_BOUND_INJECTION], 2 * 20 + 2 + 1);
    burst_free(&result);
    topology_free(&topology);
}
END_TEST

/* A start 2^48 cycles away costs no more than another one, also with an observer; latency counts
 * from it. */
START_TEST(far_starts)
{
    static struct timed timed = {.messages = 2};
    struct topology topology = route_walk_topology("mesh:3x3");
    for (uint32_t i = 0; i < 2; i++) {
        timed.destination[i][0] = i == 0 ? 8 : 0;
        timed.multicast[i] = (struct multicast){
            .source = i * 8, .destinations = 1, .destination = timed.destination[i], .flits = 3};
        timed.timing[i] = (struct timing){
            .source = i * 8, .start = (uint64_t)1 << 48, .waits = i, .wait_on = timed.wait_on[i]};
    }
    struct burst burst = burst_of(&topology, "dual", &timed);
    struct burst_result result;
    struct failure failure = {0};
    burst.watcher = runs_on;
    ck_assert_msg(burst_run(&burst, &result, &failure) == FAIL_NONE, "%s", failure.text);
    ck_assert_uint_eq(result.counts.last_delivery, ((uint64_t)2 << 48) + 16);
    ck_assert_uint_eq(result.latency.max, 8);
    burst_free(&result);
    topology_free(&topology);
}
END_TEST

void network_starts_suite(TCase *tests)
{
    tcase_add_loop_test(tests, as_the_golden_model, 0, 4);
    tcase_add_test(tests, posted_in_any_order);
    tcase_add_test(tests, chain_of_unicasts);
    tcase_add_test(tests, startups_of_a_node);
    tcase_add_test(tests, far_starts);
}
