/* test_network_schemes.c - worms of schemes on meshes in the network, hop by hop.
 *
 * Method: each node sends a message to a random set at once. An observer follows the headers; the
 * audit, which knows the routings by itself, replays the trace. Every node has a consumption
 * channel for each of its links, so no worm waits for one and only links could cause a deadlock:
 * none may.
 */
#include "audit/flits_audit.h"
#include "network/network_trace.h"
#include "test/length.h"
#include "test/schemes/route_walk.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_NODES = 64, MOST_WORMS = 64 };

/* The rules for hops of a scheme's worms, beside those of its routing. */
enum way { NEGATIVE_FIRST, SHORTEST, X_FIRST, ANY_SHORTEST };

static const struct {
    const char *scheme, *parameter[2];
    enum way way;
} CASES[] = {
    {"pure", {NULL}, NEGATIVE_FIRST},
    {"pure", {"routing=negative-first-fixed"}, NEGATIVE_FIRST},
    {"minimal", {NULL}, SHORTEST},
    {"minimal", {"routing=negative-first-fixed"}, SHORTEST},
    {"minimal", {"variant=printed"}, SHORTEST},
    {"minimal", {"variant=printed", "routing=negative-first-fixed"}, SHORTEST},
    {"pure", {"routing=x-first"}, X_FIRST},
    {"minimal", {"routing=x-first"}, X_FIRST},
    {"column", {NULL}, X_FIRST},
    {"schl", {NULL}, X_FIRST},
    {"unicast", {"routing=west-first"}, ANY_SHORTEST},
    {"unicast", {"routing=odd-even"}, ANY_SHORTEST},
    {"u-mesh", {"routing=west-first"}, ANY_SHORTEST},
    {"u-mesh", {"routing=odd-even"}, ANY_SHORTEST},
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

/* The hops of a worm's header so far. */
struct trail {
    uint32_t hops, sender, at;
    bool has_grown, has_left_row; /* to a larger coordinate; north or south */
};

struct watch {
    const struct topology *topology;
    enum way way;
    uint32_t flits;
    struct network_observer writer;
    struct trail trail[MOST_NODES][MOST_WORMS]; /* of each message, which has its source's number */
    uint32_t absorbed[MOST_NODES][MOST_NODES];  /* flits of each message at each node */
    uint32_t worms, turns; /* that began; from smaller coordinates to larger ones */
};

static void begin_worm(struct watch *watch, const uint32_t *field)
{
    uint32_t message = field[0], worm = field[1], node = field[2];
    ck_assert_uint_lt(worm, MOST_WORMS);
    ck_assert(node == message || watch->absorbed[message][node] == watch->flits);
    watch->trail[message][worm] = (struct trail){.sender = node, .at = node};
    watch->worms++;
}

static void hop(struct watch *watch, const uint32_t *field)
{
    uint32_t message = field[0], from = field[2], to = field[3];
    uint32_t columns = watch->topology->shape.size[0];
    struct trail *trail = &watch->trail[message][field[1]];
    bool grows = to > from, leaves_row = to / columns != from / columns;
    ck_assert_uint_eq(trail->at, from);
    trail->at = to;
    trail->hops++;
    watch->turns += trail->hops > 1 && grows && !trail->has_grown;
    if (watch->way == X_FIRST)
        ck_assert(leaves_row || !trail->has_left_row);
    else if (watch->way != ANY_SHORTEST)
        ck_assert(grows || !trail->has_grown);
    if (watch->way == SHORTEST || watch->way == ANY_SHORTEST)
        ck_assert_uint_eq(trail->hops, topology_distance(watch->topology, trail->sender, to));
    trail->has_grown |= grows;
    trail->has_left_row |= leaves_row;
}

static void observe(void *context, uint64_t cycle, const struct network_event *event, size_t count)
{
    struct watch *watch = context;
    watch->writer.events(watch->writer.context, cycle, event, count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *field = event[i].field;
        if (event[i].kind == 'W')
            begin_worm(watch, field);
        if (event[i].kind == 'H')
            hop(watch, field);
        if (event[i].kind == 'A')
            watch->absorbed[field[0]][field[2]] += field[4];
    }
}

static void choose(int row, const struct scheme **scheme, struct scheme_choices *choices)
{
    struct failure failure = {0};
    *choices = (struct scheme_choices){{0}};
    ck_assert_int_eq(scheme_find(CASES[row].scheme, scheme, &failure), FAIL_NONE);
    for (int i = 0; i < 2 && CASES[row].parameter[i] != NULL; i++)
        ck_assert_int_eq(scheme_choose(*scheme, CASES[row].parameter[i], choices, &failure),
                         FAIL_NONE);
}

/* The message of `source`: the network's settings and the size of the sets come from `random`. */
static uint32_t post(struct network *network, struct watch *watch, int row, uint32_t source,
                     uint32_t *destination, struct pcg32 *random)
{
    const struct scheme *scheme;
    struct scheme_choices choices;
    struct plan plan = {0};
    struct failure failure = {0};
    uint32_t nodes = watch->topology->nodes;
    choose(row, &scheme, &choices);
    struct multicast multicast = {source, 0, destination, watch->flits};
    multicast.destinations =
        route_walk_destinations(random, nodes, source, pcg32_below(random, nodes), destination);
    scheme_plan(scheme, watch->topology, &multicast, &choices, &plan, &failure);
    ck_assert_int_eq(failure.kind, FAIL_NONE);
    ck_assert_int_eq(network_post(network, 0, &multicast, &plan, &failure), FAIL_NONE);
    plan_free(&plan);
    return multicast.destinations;
}

static void check_trace(const char *text, size_t length, const struct watch *watch)
{
    struct flits_audit_report report;
    struct failure failure = {0};
    struct byte_source *source;
    ck_assert_int_eq(byte_source_open_memory(&source, text, length, "trace", &failure), FAIL_NONE);
    enum failure_kind kind = audit_network(source, NULL, NULL, &report, &failure);
    byte_source_close(source);
    ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
    ck_assert(report.knows_routing);
    ck_assert_uint_eq(report.unfinished, 0);
    ck_assert_uint_eq(report.worms, watch->worms);
}

/* Runs a burst from all nodes; returns the number of worms that turned to larger coordinates on
 * their way. */
static uint32_t burst(const char *shape, int row, uint64_t number)
{
    static struct watch watch;
    static uint32_t destination[MOST_NODES][MOST_NODES];
    uint32_t destinations[MOST_NODES];
    struct topology topology = route_walk_topology(shape);
    struct pcg32 random = pcg32_seed(number, 29);
    struct network_settings settings = network_settings_default();
    struct network_observer observer = {&watch, observe};
    struct network *network;
    struct failure failure = {0};
    const struct scheme *scheme;
    struct scheme_choices choices;
    char *text;
    size_t length;
    settings.buffer = 1 + pcg32_below(&random, 2);
    settings.router_delay = pcg32_below(&random, 2);
    settings.injection = settings.consumption = 0;
    choose(row, &scheme, &choices);
    watch = (struct watch){.topology = &topology, .way = CASES[row].way};
    watch.flits = 1 + pcg32_below(&random, 12);
    FILE *out = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(out);
    network_trace_begin(out, &topology, scheme->routing(&choices), &settings);
    watch.writer = network_trace_observer(out);
    ck_assert_int_eq(network_make(&network, &topology, scheme->routing(&choices), &settings,
                                  &observer, &failure),
                     FAIL_NONE);
    for (uint32_t node = 0; node < topology.nodes; node++)
        destinations[node] = post(network, &watch, row, node, destination[node], &random);
    ck_assert_msg(network_run(network, UINT64_MAX, &failure) == FAIL_NONE, "%s", failure.text);
    network_free(network);
    fclose(out);
    check_trace(text, length, &watch);
    free(text);
    for (uint32_t node = 0; node < topology.nodes; node++)
        for (uint32_t to = 0, i = 0; to < topology.nodes; to++) {
            bool is_destination = i < destinations[node] && destination[node][i] == to;
            ck_assert_uint_eq(watch.absorbed[node][to], is_destination ? watch.flits : 0);
            i += is_destination;
        }
    return watch.turns;
}

/* Each case on meshes of several shapes: senders have the message, every destination gets it once
 * and nobody else, hops are those of the scheme, no deadlock. On the square some worms do turn. */
START_TEST(hops)
{
    static const char *const shapes[] = {"mesh:6x6", "mesh:3x5", "mesh:1x7", "mesh:5x1",
                                         "mesh:1x1", "mesh:2x2", "mesh:8x8"};
    uint64_t runs = TEST_IS_SHORT ? 3 : 30;
    for (uint64_t number = 0; number < runs; number++)
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            uint32_t turns = burst(shapes[i], _i, number);
            ck_assert(i > 0 || turns > 0);
        }
}
END_TEST

void network_schemes_suite(TCase *tests)
{
    tcase_add_loop_test(tests, hops, 0, CASE_COUNT);
}
