/* test_network_laws.c - what must hold of the network whatever its engine does: the time of a worm that nobody
 * blocks, the hop times of trees, conservation, deadlocks that must and must not happen.
 */
#include "base/pcg.h"
#include "test/length.h"
#include "test/network/network_case.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

Suite *network_laws_suite(void);

enum { MOST_NODES = 64 };

/* When each node of a small network gets a message's header, and has absorbed all of it. */
struct times {
    uint64_t entered[MOST_NODES], absorbed[MOST_NODES];
    uint64_t flits_absorbed;
};

static void note(void *context, uint64_t cycle, const struct network_event *event, size_t count)
{
    struct times *times = context;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *field = event[i].field;
        if (event[i].kind == 'H')
            times->entered[field[3]] = cycle;
        if (event[i].kind == 'A') {
            times->absorbed[field[2]] = cycle + 1;
            times->flits_absorbed += field[4];
        }
    }
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

/* Runs one message alone, from cycle 0, until it is done. */
static void run_alone(const struct topology *topology, const struct routing *routing,
                      const struct network_settings *settings, const struct multicast *multicast,
                      const struct plan *plan, struct times *times)
{
    struct network_observer observer = {times, note};
    struct failure failure = {0};
    *times = (struct times){.flits_absorbed = 0};
    struct network *network = make(topology, routing, settings, &observer);
    ck_assert_int_eq(network_post(network, 0, multicast, plan, &failure), FAIL_NONE);
    ck_assert_msg(network_run(network, UINT64_MAX, &failure) == FAIL_NONE, "%s", failure.text);
    ck_assert_uint_eq(network_counts(network).done, 1);
    network_free(network);
}

/* ---- the time of a worm that nobody blocks ---- */

/* At the destination p hops away, on the way to the last one. A circuit's header goes to the last one, and the
 * acknowledgement comes back, before the other flits leave. Under store-and-forward each router takes in the whole message first; one slot
 * and several virtual channels let a flit follow in the cycle after the next. */
static uint64_t unblocked(const struct network_settings *s, uint32_t flits, uint32_t p,
                          uint32_t last)
{
    uint64_t hops = p + 1, delay = s->router_delay;
    if (s->switching == SWITCHING_STORE_AND_FORWARD)
        return s->startup + hops * (flits + delay) + flits;
    if (s->switching == SWITCHING_CIRCUIT && flits > 1)
        return s->startup + (last + 1) * (1 + delay) + last + hops +
               (s->buffer == 1 && s->vcs > 1 ? 2 * flits - 2 : flits);
    if (s->buffer == 1 && s->vcs > 1)
        return s->startup + hops * (1 + delay) + 2 * flits - 1;
    return s->startup + hops * (1 + delay) + flits;
}

/* A path worm along a row, absorbed by every node on its way; names of stops make it longer by `more` flits. */
static void check_row(const struct network_settings *settings, uint32_t flits, uint32_t more)
{
    enum { NODES = 6 };
    uint32_t destination[NODES - 1];
    struct shape shape = {.kind = TOPOLOGY_MESH, .dimensions = 1, .size = {NODES}};
    struct topology topology = topology_of_shape(&shape);
    struct stop stop[NODES - 1];
    struct worm worm = {.sender = 0, .first = 0, .stops = NODES - 1};
    struct plan plan = {
        .routing = &routing_x_first, .worms = 1, .stops = NODES - 1, .worm = &worm, .stop = stop};
    struct times times;
    for (uint32_t i = 0; i < NODES - 1; i++) {
        destination[i] = i + 1;
        stop[i] = (struct stop){.node = i + 1, .span = NODES - 1 - i, .is_destination = 1};
    }
    struct multicast multicast = {0, NODES - 1, destination, flits};
    run_alone(&topology, &routing_x_first, settings, &multicast, &plan, &times);
    flits += more;
    /* Behind a header that waits in the next router there is room for a buffer of flits alone. */
    bool is_held_up = settings->switching == SWITCHING_WORMHOLE && settings->router_delay > 0 &&
                      flits > settings->buffer;
    for (uint32_t p = is_held_up ? NODES - 1 : 1; p < NODES; p++)
        ck_assert_msg(times.absorbed[p] == unblocked(settings, flits, p, NODES - 1),
                      "%d hops, %d flits, vcs %d, buffer %d, delay %d, startup %d%s: %d, not %d",
                      (int)p, (int)flits, (int)settings->vcs, (int)settings->buffer,
                      (int)settings->router_delay, (int)settings->startup,
                      settings->releases_when_left ? ", release=left" : "", (int)times.absorbed[p],
                      (int)unblocked(settings, flits, p, NODES - 1));
    ck_assert_uint_eq(times.flits_absorbed, (NODES - 1) * flits);
}

/* Each switching, with each length, buffer, number of virtual channels, delay, startup and kind of release. */
START_TEST(test_unblocked_row)
{
    static const uint32_t lengths[] = {1, 2, 3, 8}, delays[] = {0, 1, 3}, startups[] = {0, 5};
    struct network_settings s = network_settings_default();
    s.switching = (enum switching)_i;
    for (unsigned i = 0; i < 4 * 3 * 2 * 2 * 3 * 2 * 2; i++) {
        uint32_t flits = lengths[i % 4], rest = i / 4;
        s.router_delay = delays[rest % 3];
        s.startup = startups[rest / 3 % 2];
        s.vcs = 1 + rest / 6 % 2;
        s.buffer = 1 + rest / 12 % 3;
        s.startup_is_per_port = rest / 36 % 2;
        s.releases_when_left = s.switching != SWITCHING_STORE_AND_FORWARD && rest / 72 % 2;
        if (s.switching == SWITCHING_CUT_THROUGH)
            s.buffer += flits - 1;
        if (s.switching == SWITCHING_STORE_AND_FORWARD)
            s.buffer = 0;
        check_row(&s, flits, 0);
    }
}
END_TEST

/* Names of stops make a worm longer by the flits that they fill beyond the first one, in each switching. */
START_TEST(test_unblocked_headers)
{
    struct network_settings s = network_settings_default();
    s.switching = (enum switching)_i;
    s.buffer = s.switching == SWITCHING_STORE_AND_FORWARD ? 0 : 64;
    for (s.flit_bits = 1; s.flit_bits <= 20; s.flit_bits++)
        for (int form = STOPS_UNNAMED; form <= STOPS_MARKED; form++) {
            /* Five stops of 3 bits each, or 6 nodes */
            uint32_t bits = form == STOPS_LISTED ? 15 : 6, more = 0;
            while (form != STOPS_UNNAMED && (more + 1) * s.flit_bits < bits)
                more++;
            s.header = (enum header_form)form;
            check_row(&s, 4, more);
        }
}
END_TEST

/* Random pairs of tori and meshes: what counts is the distance. */
START_TEST(test_unblocked_pairs)
{
    static const char *const sizes[] = {"4x3x5", "2x2x2x2x2", "7", "8x8", "1x9"};
    struct pcg32 random = pcg32_seed(7, 28);
    struct network_settings s = network_settings_default();
    s.vcs = 2;
    s.threads = 2;
    for (int i = 0; i < 400; i++) {
        struct shape shape;
        ck_assert(shape_read_sizes(sizes[i % 5], i % 2 ? TOPOLOGY_TORUS : TOPOLOGY_MESH, &shape));
        struct topology topology = topology_of_shape(&shape);
        uint32_t from = pcg32_below(&random, topology.nodes);
        uint32_t to = (from + 1 + pcg32_below(&random, topology.nodes - 1)) % topology.nodes;
        struct multicast multicast = {from, 1, &to, 1 + pcg32_below(&random, 9)};
        struct stop stop = {.node = to, .span = 1, .is_destination = 1};
        struct worm worm = {.sender = from, .first = 0, .stops = 1};
        struct plan plan = {
            .routing = &routing_x_first, .worms = 1, .stops = 1, .worm = &worm, .stop = &stop};
        struct times times;
        s.router_delay = pcg32_below(&random, 4);
        s.startup = pcg32_below(&random, 20);
        s.switching = i % 3 == 2 ? SWITCHING_CIRCUIT : SWITCHING_WORMHOLE;
        run_alone(&topology, &routing_x_first, &s, &multicast, &plan, &times);
        uint32_t hops = topology_distance(&topology, from, to);
        ck_assert_uint_eq(times.absorbed[to], unblocked(&s, multicast.flits, hops, hops));
    }
}
END_TEST

/* ---- trees ---- */

/* A random tree of links on a mesh, in preorder, with the place of each stop's parent. */
static uint32_t random_tree(const struct topology *topology, struct pcg32 *random,
                            struct stop *stop, uint32_t *parent)
{
    uint32_t node[MOST_NODES], from[MOST_NODES] = {0}, count = 1, order[MOST_NODES], stops = 0;
    bool is_in[MOST_NODES] = {false};
    node[0] = pcg32_below(random, topology->nodes);
    is_in[node[0]] = true;
    for (int tries = 0; tries < 200; tries++) {
        uint32_t at = pcg32_below(random, count);
        uint32_t next = topology_neighbour(
            topology, node[at], pcg32_below(random, topology_node_ports(topology, node[at])));
        if (next == TOPOLOGY_NO_NODE || is_in[next])
            continue;
        is_in[next] = true;
        from[count] = at;
        node[count++] = next;
    }
    /* Preorder: behind a stop its children, the first one first. */
    uint32_t waiting[MOST_NODES], depth = 1;
    for (waiting[0] = 0; depth > 0;) {
        uint32_t at = waiting[--depth];
        order[at] = stops;
        stop[stops] = (struct stop){.node = node[at], .span = 1, .is_destination = stops > 0};
        parent[stops++] = order[from[at]];
        for (uint32_t child = count; child-- > 1;)
            if (from[child] == at)
                waiting[depth++] = child;
    }
    for (uint32_t i = stops; i-- > 1;)
        stop[parent[i]].span += stop[i].span;
    return stops;
}

/* Store-and-forward, one flit, no delays: a node that has the message at cycle t sends it to its i-th child in cycle
 * t + i with one port, t + 1 with all. */
START_TEST(test_hop_times_of_trees)
{
    struct pcg32 random = pcg32_seed(8, 28);
    struct shape shape;
    ck_assert(shape_read_sizes("4x4x3", TOPOLOGY_MESH, &shape));
    struct topology topology = topology_of_shape(&shape);
    struct network_settings s = network_settings_default();
    s.switching = SWITCHING_STORE_AND_FORWARD;
    s.buffer = 0;
    s.is_one_port = _i == 1;
    for (int i = 0; i < 50; i++) {
        struct stop stop[MOST_NODES];
        uint32_t parent[MOST_NODES], destination[MOST_NODES], count = 0;
        uint32_t stops = random_tree(&topology, &random, stop, parent);
        struct worm worm = {.sender = stop[0].node, .first = 0, .stops = stops};
        struct plan plan = {
            .routing = &routing_link, .worms = 1, .stops = stops, .worm = &worm, .stop = stop};
        for (uint32_t n = 0; n < topology.nodes; n++)
            for (uint32_t k = 1; k < stops; k++)
                if (stop[k].node == n)
                    destination[count++] = n;
        struct multicast multicast = {stop[0].node, count, destination, 1};
        struct times times;
        run_alone(&topology, &routing_link, &s, &multicast, &plan, &times);
        for (uint32_t k = 1; k < stops; k++) {
            uint32_t place = 1; /* among the children of its parent */
            for (uint32_t other = parent[k] + 1; other < k; other += stop[other].span)
                place++;
            uint64_t has = parent[k] == 0 ? 0 : times.entered[stop[parent[k]].node];
            ck_assert_uint_eq(times.entered[stop[k].node], has + (s.is_one_port ? place : 1));
        }
    }
}
END_TEST

/* ---- conservation ---- */

/* The network finds its busiest link: the first one of those that are. */
static void check_busiest(const struct network_case *c, const struct network *network,
                          uint64_t link, uint64_t flits)
{
    uint32_t from = TOPOLOGY_NO_NODE, to = TOPOLOGY_NO_NODE;
    ck_assert_uint_eq(network_busiest_link(network, &from, &to), flits);
    if (flits == 0)
        return;
    ck_assert_uint_eq(from, topology_link_from(&c->topology, link));
    uint32_t port = (uint32_t)(link - topology_link(&c->topology, from, 0));
    ck_assert_uint_eq(to, topology_neighbour(&c->topology, from, port));
}

/* What a worm's destinations absorb, whose header may make it longer. */
static uint64_t flits_to_absorb(const struct network_case *c, const struct case_message *m,
                                const struct worm *worm)
{
    uint64_t flits = 0;
    for (uint32_t s = worm->first; s < worm->first + worm->stops; s++)
        if (m->stop[s].is_destination)
            flits += m->multicast.flits +
                     network_header_flits(&c->settings, c->topology.nodes, worm->stops);
    return flits;
}

static void check_conservation(const struct network_case *c)
{
    struct times times = {.flits_absorbed = 0};
    struct network_observer observer = {&times, note};
    struct failure failure = {0};
    struct network *network = make(&c->topology, c->routing, &c->settings, &observer);
    uint64_t deliveries = 0, flits = 0, over_links = 0, most = 0, busiest = 0;
    for (uint32_t i = 0; i < c->messages; i++) {
        const struct case_message *m = &c->message[i];
        ck_assert_int_eq(network_post(network, m->created, &m->multicast, &m->plan, &failure),
                         FAIL_NONE);
        deliveries += m->multicast.destinations;
        for (uint32_t w = 0; w < m->plan.worms; w++)
            flits += flits_to_absorb(c, m, &m->plan.worm[w]);
    }
    if (network_run(network, UINT64_MAX, &failure) == FAIL_NONE) {
        struct network_counts counts = network_counts(network);
        ck_assert_uint_eq(counts.done, c->messages);
        ck_assert_uint_eq(counts.deliveries, deliveries);
        for (uint64_t l = 0; l < c->topology.links; l++) {
            uint32_t from = topology_link_from(&c->topology, l);
            uint32_t port = (uint32_t)(l - topology_link(&c->topology, from, 0));
            if (topology_neighbour(&c->topology, from, port) == TOPOLOGY_NO_NODE)
                continue;
            over_links += network_link_flits(network, l);
            if (network_link_flits(network, l) > most)
                most = network_link_flits(network, busiest = l);
            for (uint32_t v = 0; v < c->settings.vcs; v++) {
                struct network_channel channel = network_channel_at(network, l, v);
                ck_assert_uint_eq(channel.message, UINT32_MAX);
                ck_assert_uint_eq(channel.flits, 0);
            }
        }
        for (uint32_t i = 0; i < c->topology.nodes; i++)
            ck_assert_uint_eq(network_unsent(network, i), 0);
        ck_assert_uint_eq(over_links, counts.crossings);
        check_busiest(c, network, busiest, most);
        network_free(network);
        ck_assert_uint_eq(times.flits_absorbed, flits);
        return;
    }
    network_free(network);
}

/* At the end each flit was absorbed once a destination, every channel is free, every buffer empty. */
START_TEST(test_conservation)
{
    static struct network_case c;
    uint64_t cases = TEST_IS_SHORT ? 500 : 10000;
    for (uint64_t number = 0; number < cases; number++) {
        network_case_random(&c, number);
        check_conservation(&c);
    }
}
END_TEST

/* ---- deadlocks ---- */

static uint32_t node_of_label(const struct topology *topology, uint32_t label)
{
    uint32_t node = 0;
    while (topology_label(topology, node) != label)
        node++;
    return node;
}

/* Path worms of four destinations each, half of them along growing labels, half along shrinking ones, on an 8 x 8
 * mesh, 20 flits, many at once. */
static enum failure_kind run_path_worms(uint32_t consumption, uint64_t seed, size_t *deadlocked)
{
    enum { DESTINATIONS = 4, MESSAGES = 2000 };
    struct pcg32 random = pcg32_seed(seed, 28);
    struct shape shape;
    struct failure failure = {0};
    ck_assert(shape_read_sizes("8x8", TOPOLOGY_MESH, &shape));
    struct topology topology = topology_of_shape(&shape);
    struct network_settings s = network_settings_default();
    s.consumption = consumption;
    s.threads = 1 + (uint32_t)seed % 2;
    struct network *network = make(&topology, &routing_label, &s, NULL);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        uint32_t label[DESTINATIONS + 1], destination[DESTINATIONS];
        struct stop stop[DESTINATIONS];
        for (uint32_t k = 0; k <= DESTINATIONS; k++) {
            label[k] = pcg32_below(&random, topology.nodes - DESTINATIONS) + k;
            for (uint32_t j = k; j > 0 && label[j - 1] + 1 > label[j]; j--) {
                uint32_t lower =
                    label[j] - 1; /* without their places labels are sorted, perhaps equal */
                label[j] = label[j - 1] + 1;
                label[j - 1] = lower;
            }
        }
        for (uint32_t k = 0; k <= DESTINATIONS && i % 2 == 1; k++)
            label[k] = topology.nodes - 1 - label[k];
        for (uint32_t k = 0; k < DESTINATIONS; k++) {
            destination[k] = node_of_label(&topology, label[k + 1]);
            stop[k] = (struct stop){
                .node = destination[k], .span = DESTINATIONS - k, .is_destination = 1};
        }
        struct worm worm = {.sender = node_of_label(&topology, label[0]), .stops = DESTINATIONS};
        struct plan plan = {.routing = &routing_label,
                            .worms = 1,
                            .stops = DESTINATIONS,
                            .worm = &worm,
                            .stop = stop};
        struct multicast multicast = {worm.sender, DESTINATIONS, destination, 20};
        ck_assert_int_eq(
            network_post(network, pcg32_below(&random, 4000), &multicast, &plan, &failure),
            FAIL_NONE);
    }
    enum failure_kind kind = network_run(network, UINT64_MAX, &failure);
    network_deadlock(network, deadlocked);
    network_free(network);
    return kind;
}

/* One consumption channel must end in a deadlock under load, four must not. */
START_TEST(test_consumption_deadlock)
{
    size_t deadlocked;
    for (uint64_t seed = 0; seed < 4; seed++) {
        ck_assert_int_eq(run_path_worms(1, seed, &deadlocked), FAIL_CHECK);
        ck_assert_uint_gt(deadlocked, 1);
        ck_assert_int_eq(run_path_worms(4, seed, &deadlocked), FAIL_NONE);
        ck_assert_uint_eq(deadlocked, 0);
    }
}
END_TEST

Suite *network_laws_suite(void)
{
    Suite *suite = suite_create("network_laws");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, test_unblocked_row, SWITCHING_WORMHOLE, SWITCHING_CIRCUIT + 1);
    tcase_add_loop_test(all, test_unblocked_headers, SWITCHING_WORMHOLE, SWITCHING_CIRCUIT + 1);
    tcase_add_test(all, test_unblocked_pairs);
    tcase_add_loop_test(all, test_hop_times_of_trees, 0, 2);
    tcase_add_test(all, test_conservation);
    tcase_add_test(all, test_consumption_deadlock);
    suite_add_tcase(suite, all);
    return suite;
}
