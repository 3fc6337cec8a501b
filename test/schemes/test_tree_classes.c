/* test_tree_classes.c - the classes of virtual channels that trees of links name: waits close no
 * cycle.
 *
 * Oracle: for random messages from all nodes of a mesh, every channel that a message holds has an
 * edge to each that it asks for next; a search looks for a cycle. Without classes it must find one.
 */
#include "network/schemes/scheme.h"
#include "test/schemes/route_walk.h"
#include "test/schemes/scheme_case.h"

#include <check.h>
#include <string.h>

enum { MOST_CLASSES = 16, MOST_CHANNELS = 4096, MOST_NEXT = 8 * MOST_CLASSES };

/* For each channel, a link and a class, the channels for which a message may wait in it. */
struct waits {
    uint32_t next[MOST_CHANNELS][MOST_NEXT], count[MOST_CHANNELS];
    uint8_t state[MOST_CHANNELS]; /* 0: not seen, 1: on the way, 2: without a cycle */
};

static uint32_t channel_to(const struct topology *topology, uint32_t from, const struct stop *stop,
                           bool has_classes)
{
    uint32_t port = topology_port_to(topology, from, stop->node);
    uint32_t link = from * topology->ports + port;
    uint32_t channel = link * MOST_CLASSES + (has_classes ? stop->class : 0);
    ck_assert_uint_lt(channel, MOST_CHANNELS);
    return channel;
}

static void add_wait(struct waits *waits, uint32_t channel, uint32_t next)
{
    uint32_t *count = &waits->count[channel];
    for (uint32_t i = 0; i < *count; i++)
        if (waits->next[channel][i] == next)
            return;
    ck_assert_uint_lt(*count, MOST_NEXT);
    waits->next[channel][(*count)++] = next;
}

static void add_waits(struct waits *waits, const struct topology *topology, const struct plan *plan,
                      bool has_classes)
{
    uint32_t classes = routing_sides.classes(topology), before[SCHEME_CASE_NODES];
    before[0] = UINT32_MAX;
    for (uint32_t i = 0; i < plan->stops; i++) {
        const struct stop *stop = &plan->stop[i];
        for (uint32_t child = i + 1; child < i + stop->span; child += plan->stop[child].span) {
            ck_assert_uint_lt(plan->stop[child].class, classes);
            before[child] = channel_to(topology, stop->node, &plan->stop[child], has_classes);
            if (before[i] != UINT32_MAX)
                add_wait(waits, before[i], before[child]);
        }
    }
}

static bool closes_cycle(struct waits *waits, uint32_t channel)
{
    if (waits->state[channel] != 0)
        return waits->state[channel] == 1;
    waits->state[channel] = 1;
    for (uint32_t i = 0; i < waits->count[channel]; i++)
        if (closes_cycle(waits, waits->next[channel][i]))
            return true;
    waits->state[channel] = 2;
    return false;
}

static bool has_cycle(struct waits *waits)
{
    for (uint32_t channel = 0; channel < MOST_CHANNELS; channel++)
        if (closes_cycle(waits, channel))
            return true;
    return false;
}

/* The waits of messages from everywhere close no cycle with a class for the sides of each, and do
 * with one class. */
START_TEST(classes_close_no_cycle)
{
    static const char *const meshes[] = {"mesh:9", "mesh:5x6", "mesh:3x3x3", "mesh:3x1x4",
                                         "mesh:2x3x2x2"};
    static struct waits waits[2];
    struct topology topology = route_walk_topology(meshes[_i / 2]);
    const char *name = _i % 2 ? "dds" : "diag";
    uint32_t destination[SCHEME_CASE_NODES];
    memset(waits, 0, sizeof waits);
    for (uint32_t source = 0; source < topology.nodes; source++)
        for (uint32_t number = 0; number < 60; number++) {
            struct pcg32 random = pcg32_seed(70 + source, number);
            struct scheme_choices choices = {{0, 0, number % 3, 1}};
            struct multicast multicast = {source, 0, destination, 1};
            uint32_t k = 1 + pcg32_below(&random, topology.nodes - 1);
            multicast.destinations =
                route_walk_destinations(&random, topology.nodes, source, k, destination);
            struct plan plan = scheme_case_plan(name, &choices, &topology, &multicast);
            ck_assert(plan.routing == &routing_sides);
            add_waits(&waits[0], &topology, &plan, true);
            add_waits(&waits[1], &topology, &plan, false);
            plan_free(&plan);
        }
    ck_assert(!has_cycle(&waits[0]));
    ck_assert_int_eq(has_cycle(&waits[1]), topology.shape.dimensions > 1);
    topology_free(&topology);
}
END_TEST

void tree_classes_suite(TCase *tests)
{
    tcase_add_loop_test(tests, classes_close_no_cycle, 0, 10);
}
