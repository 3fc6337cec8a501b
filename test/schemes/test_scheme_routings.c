/* test_scheme_routings.c - ways lead where they should, and no deadlock can come of them.
 *
 * Method: all pairs of nodes of small topologies. The graph of channels, a link and a class each,
 * has an edge from each channel of a way to the next; a deadlock of worms needs a cycle in it.
 */
#include "network/schemes/scheme.h"

#include "test/schemes/route_walk.h"
#include "test/schemes/scheme_case.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const grids[] = {"mesh:1",     "mesh:7",         "mesh:1x5",    "mesh:4x6",
                                    "mesh:3x4x2", "mesh:2x2x2x2x2", "torus:2",     "torus:5",
                                    "torus:2x2",  "torus:3x3",      "torus:4x4",   "torus:5x7",
                                    "torus:6x2",  "torus:1x8",      "torus:3x4x5", "torus:2x3x4",
                                    "torus:8x8",  "torus:2x2x2x2",  "torus:1x1",   "torus:3x4"};
enum { GRIDS = sizeof grids / sizeof grids[0] };

/* x-first takes a shortest way, dimension after dimension. */
START_TEST(x_first_ways)
{
    struct topology topology = route_walk_topology(grids[_i]);
    static struct route_walk walk;
    for (uint32_t from = 0; from < topology.nodes; from++)
        for (uint32_t to = 0; to < topology.nodes; to++) {
            uint32_t dimension = 0;
            route_walk(&walk, &topology, &routing_x_first, from, to);
            ck_assert_uint_eq(walk.hops, topology_distance(&topology, from, to));
            for (uint32_t i = 0; i < walk.hops; i++) {
                uint32_t next = topology_port_to(&topology, walk.node[i], walk.node[i + 1]) / 2;
                ck_assert_uint_ge(next, dimension);
                dimension = next;
            }
        }
    topology_free(&topology);
}
END_TEST

/* Half a ring away x-first takes either way, by parity, and crosses the dateline with the right
 * classes. */
START_TEST(x_first_halfway)
{
    struct topology topology = route_walk_topology("torus:8");
    static struct route_walk walk;
    const uint32_t class[] = {0, 1, 1, 1};
    for (uint32_t from = 0; from < 8; from++) {
        route_walk(&walk, &topology, &routing_x_first, from, (from + 4) % 8);
        ck_assert_uint_eq(walk.hops, 4);
        ck_assert_uint_eq(walk.node[1], (from + (from % 2 == 0 ? 1 : 7)) % 8);
        for (uint32_t i = 0; i < 4 && (from == 6 || from == 1); i++)
            ck_assert_uint_eq(walk.class[i], class[i]);
    }
    topology_free(&topology);
}
END_TEST

/* All to all on even tori: each dimension has as many flits up as down, and where sizes are
 * multiples of 4, every link of it has the same. */
START_TEST(x_first_balance)
{
    static const char *const tori[] = {"torus:8",   "torus:6",   "torus:8x8",   "torus:6x6",
                                       "torus:4x6", "torus:4x8", "torus:4x4x4", "torus:2x4",
                                       "torus:8x5", "torus:6x3", "torus:4x2x6"};
    struct topology topology = route_walk_topology(tori[_i]);
    static struct route_walk walk;
    static uint32_t on[SCHEME_CASE_NODES * 2 * TOPOLOGY_DIMENSIONS];
    memset(on, 0, sizeof on);
    for (uint32_t from = 0; from < topology.nodes; from++)
        for (uint32_t to = 0; to < topology.nodes; to++) {
            route_walk(&walk, &topology, &routing_x_first, from, to);
            for (uint32_t i = 0; i < walk.hops; i++)
                on[walk.link[i]]++;
        }
    for (uint32_t i = 0; i < topology.shape.dimensions; i++) {
        uint32_t sum[2] = {0, 0}, size = topology.shape.size[i];
        for (uint32_t node = 0; node < topology.nodes; node++)
            for (uint32_t p = 0; p < 2; p++) {
                uint32_t link = node * topology.ports + 2 * i + p;
                sum[p] += on[link];
                if (size % 4 == 0)
                    ck_assert_uint_eq(on[link], on[2 * i]);
            }
        ck_assert_uint_eq(sum[0], sum[1]);
    }
}
END_TEST

static const char *const labelled[] = {"mesh:5x4",   "mesh:4x5",    "mesh:3x3",       "mesh:1x6",
                                       "mesh:7x1",   "mesh:8x8",    "mesh:3x4x2",     "torus:4x4",
                                       "torus:5x3",  "torus:3x2x4", "mesh:2x2x2x2x2", "graph:2:0",
                                       "graph:20:0", "graph:24:30", "graph:40:200"};
enum { LABELLED = sizeof labelled / sizeof labelled[0], SNAKES = 6 };

/* Along a way of label routing labels only grow, or only shrink; on two-dimensional meshes it is a
 * shortest way. */
START_TEST(label_ways)
{
    struct topology topology = route_walk_topology(labelled[_i]);
    static struct route_walk walk;
    for (uint32_t from = 0; from < topology.nodes; from++)
        for (uint32_t to = 0; to < topology.nodes; to++) {
            bool grows = topology_label(&topology, from) < topology_label(&topology, to);
            route_walk(&walk, &topology, &routing_label, from, to);
            for (uint32_t i = 0; i < walk.hops; i++)
                ck_assert_int_eq(topology_label(&topology, walk.node[i]) <
                                     topology_label(&topology, walk.node[i + 1]),
                                 grows);
            if (_i < SNAKES)
                ck_assert_uint_eq(walk.hops, topology_distance(&topology, from, to));
        }
    topology_free(&topology);
}
END_TEST

/* The channels, and the channels that may follow each; a node per channel. */
struct dependences {
    uint32_t channels;
    uint8_t *follows; /* of channel a and b: at a * channels + b */
};

static struct dependences no_dependences(const struct topology *topology)
{
    struct dependences graph = {.channels = (uint32_t)topology->links * 2};
    graph.follows = calloc((size_t)graph.channels * graph.channels + 1, 1);
    ck_assert_ptr_nonnull(graph.follows);
    return graph;
}

/* A header that has come by one of the choices at `from` may ask for each of those at the next
 * node. A header that waits for one of several is taken to wait for all of them: then a deadlock
 * still needs a cycle. */
static void add_dependences(struct dependences *graph, const struct topology *topology,
                            const struct routing *routing, bool has_classes, uint32_t from,
                            uint32_t to)
{
    struct routing_choice first[ROUTING_CHOICES], second[ROUTING_CHOICES];
    uint32_t firsts = routing->next(topology, from, to, first);
    for (uint32_t i = 0; i < firsts; i++) {
        uint32_t node = topology_neighbour(topology, from, first[i].port);
        uint32_t seconds = node == to ? 0 : routing->next(topology, node, to, second);
        for (uint32_t j = 0; j < seconds; j++) {
            uint64_t one = 2 * topology_link(topology, from, first[i].port);
            uint64_t next = 2 * topology_link(topology, node, second[j].port);
            one += has_classes ? first[i].class : 0;
            next += has_classes ? second[j].class : 0;
            graph->follows[one * graph->channels + next] = 1;
        }
    }
}

static struct dependences dependences_of(const struct topology *topology,
                                         const struct routing *routing, bool has_classes)
{
    struct dependences graph = no_dependences(topology);
    for (uint32_t from = 0; from < topology->nodes; from++)
        for (uint32_t to = 0; to < topology->nodes; to++)
            if (from != to)
                add_dependences(&graph, topology, routing, has_classes, from, to);
    return graph;
}

/* Takes away channels that nothing left follows, until there are no more. */
static bool has_cycle(const struct dependences *graph)
{
    uint32_t n = graph->channels, ready = 0, gone = 0;
    uint32_t *followers = calloc(n + 1, sizeof *followers);
    uint32_t *order = calloc(n + 1, sizeof *order);
    ck_assert(followers != NULL && order != NULL);
    for (size_t i = 0; i < (size_t)n * n; i++)
        followers[i / n] += graph->follows[i];
    for (uint32_t a = 0; a < n; a++)
        if (followers[a] == 0)
            order[ready++] = a;
    for (; gone < ready; gone++)
        for (uint32_t a = 0; a < n; a++)
            if (graph->follows[(size_t)a * n + order[gone]] && --followers[a] == 0)
                order[ready++] = a;
    free(followers);
    free(order);
    return gone < n;
}

static bool ways_cross_in_a_cycle(const struct topology *topology, const struct routing *routing,
                                  bool has_classes)
{
    struct dependences graph = dependences_of(topology, routing, has_classes);
    bool cycle = has_cycle(&graph);
    free(graph.follows);
    return cycle;
}

/* With datelines x-first has no cycle of channels on any mesh or torus; without them, on tori that
 * need them. */
START_TEST(x_first_no_cycle)
{
    struct topology topology = route_walk_topology(grids[_i]);
    ck_assert(!ways_cross_in_a_cycle(&topology, &routing_x_first, true));
    ck_assert_int_eq(ways_cross_in_a_cycle(&topology, &routing_x_first, false),
                     routing_x_first.classes(&topology) == 2);
    topology_free(&topology);
}
END_TEST

/* Label routing has none with a single class. */
START_TEST(label_no_cycle)
{
    struct topology topology = route_walk_topology(labelled[_i]);
    ck_assert_uint_eq(routing_label.classes(&topology), 1);
    ck_assert(!ways_cross_in_a_cycle(&topology, &routing_label, true));
    topology_free(&topology);
}
END_TEST

static const char *const meshes[] = {"mesh:1",   "mesh:7",     "mesh:1x5",
                                     "mesh:5x1", "mesh:2x2",   "mesh:4x6",
                                     "mesh:5x5", "mesh:3x4x2", "mesh:2x2x2x2x2"};
enum { MESHES = sizeof meshes / sizeof meshes[0] };

/* Each choice of negative-first leads nearer, to smaller coordinates as long as there is one to go;
 * all that do are choices, dimension after dimension. The fixed one has the first of them. */
START_TEST(negative_first_choices)
{
    struct topology topology = route_walk_topology(meshes[_i]);
    for (uint32_t from = 0; from < topology.nodes; from++)
        for (uint32_t to = 0; to < topology.nodes; to++) {
            struct routing_choice choice[ROUTING_CHOICES], fixed[ROUTING_CHOICES];
            uint32_t nearer[2] = {0}, distance = topology_distance(&topology, from, to);
            if (from == to)
                continue;
            uint32_t count = routing_negative_first.next(&topology, from, to, choice);
            for (uint32_t i = 0; i < count; i++) {
                uint32_t next = topology_neighbour(&topology, from, choice[i].port);
                ck_assert_uint_eq(topology_distance(&topology, next, to), distance - 1);
                ck_assert_int_eq(next > from, choice[0].port % 2 == 0);
                ck_assert(i == 0 || choice[i].port > choice[i - 1].port);
                ck_assert_uint_eq(choice[i].class, 0);
            }
            for (uint32_t port = 0; port < topology.ports; port++) {
                uint32_t next = topology_neighbour(&topology, from, port);
                if (next != TOPOLOGY_NO_NODE && topology_distance(&topology, next, to) < distance)
                    nearer[port % 2]++;
            }
            ck_assert_uint_eq(count, nearer[1] > 0 ? nearer[1] : nearer[0]);
            ck_assert_int_eq(choice[0].port % 2, nearer[1] > 0);
            ck_assert_uint_eq(routing_negative_first_fixed.next(&topology, from, to, fixed), 1);
            ck_assert_uint_eq(fixed[0].port, choice[0].port);
        }
    topology_free(&topology);
}
END_TEST

/* The links of a mesh of which one may follow the other where no hop to a smaller coordinate
 * follows one to a larger one, also not at a stop; and, as a control, where one may. */
static struct dependences turns_of(const struct topology *topology, bool turns_back)
{
    struct dependences graph = no_dependences(topology);
    for (uint32_t from = 0; from < topology->nodes; from++)
        for (uint32_t one = 0; one < topology->ports; one++) {
            uint32_t at = topology_neighbour(topology, from, one);
            for (uint32_t next = 0; next < topology->ports && at != TOPOLOGY_NO_NODE; next++)
                if (topology_neighbour(topology, at, next) != TOPOLOGY_NO_NODE &&
                    (one % 2 == 1 || next % 2 == 0 || turns_back))
                    graph.follows[2 * topology_link(topology, from, one) * graph.channels +
                                  2 * topology_link(topology, at, next)] = 1;
        }
    return graph;
}

/* Negative-first has no cycle of channels, for single legs and for lists that do not turn back to
 * smaller coordinates, among whose dependences are those of the legs. With such turns there is one
 * wherever there is a link. */
START_TEST(negative_first_no_cycle)
{
    struct topology topology = route_walk_topology(meshes[_i]);
    struct dependences lists = turns_of(&topology, false), back = turns_of(&topology, true);
    struct dependences legs = dependences_of(&topology, &routing_negative_first, true);
    ck_assert_uint_eq(routing_negative_first.classes(&topology), 1);
    ck_assert_uint_eq(routing_negative_first_fixed.classes(&topology), 1);
    for (size_t i = 0; i < (size_t)legs.channels * legs.channels; i++)
        ck_assert_uint_le(legs.follows[i], lists.follows[i]);
    ck_assert(!has_cycle(&legs));
    ck_assert(!has_cycle(&lists));
    ck_assert_int_eq(has_cycle(&back), topology.nodes > 1);
    free(legs.follows);
    free(lists.follows);
    free(back.follows);
    topology_free(&topology);
}
END_TEST

/* True if the turn from port `one` to port `two` at column x is none that the routing's source
 * forbids. Ports: east, west, north, south. */
static bool turn_is_allowed(bool is_odd_even, uint32_t x, uint32_t one, uint32_t two)
{
    if (one / 2 == two / 2)
        return one == two;
    if (!is_odd_even)
        return two != 1;
    return one == 0 ? x % 2 == 1 : two != 1 || x % 2 == 0;
}

static const struct routing *const turning[] = {&routing_west_first, &routing_odd_even};

/* On all meshes up to 6 x 6, and on 3 x 7 and 7 x 3: every choice of west-first and odd-even leads
 * nearer, and from everywhere there is one; no way makes a turn that the papers forbid; no channels
 * form a cycle. Both leave some headers a choice. */
START_TEST(turn_models)
{
    int rows = _i < 36 ? _i / 6 + 1 : _i == 36 ? 3 : 7;
    int columns = _i < 36 ? _i % 6 + 1 : 10 - rows;
    char text[32];
    snprintf(text, sizeof text, "mesh:%dx%d", rows, columns);
    struct topology topology = route_walk_topology(text);
    for (int r = 0; r < 2; r++) {
        const struct routing *routing = turning[r];
        uint32_t several = 0;
        ck_assert_uint_eq(routing->classes(&topology), 1);
        for (uint32_t from = 0; from < topology.nodes; from++)
            for (uint32_t to = 0; to < topology.nodes; to++) {
                struct routing_choice first[ROUTING_CHOICES], second[ROUTING_CHOICES];
                uint32_t firsts = from == to ? 0 : routing->next(&topology, from, to, first);
                ck_assert(from == to || firsts > 0);
                several += firsts > 1;
                for (uint32_t i = 0; i < firsts; i++) {
                    uint32_t at = topology_neighbour(&topology, from, first[i].port);
                    ck_assert_uint_eq(topology_distance(&topology, at, to) + 1,
                                      topology_distance(&topology, from, to));
                    ck_assert(first[i].class == 0 && first[i].run == 0);
                    uint32_t seconds = at == to ? 0 : routing->next(&topology, at, to, second);
                    for (uint32_t j = 0; j < seconds; j++)
                        ck_assert(turn_is_allowed(r == 1, topology_coordinate(&topology, at, 0),
                                                  first[i].port, second[j].port));
                }
            }
        ck_assert(several > 0 || rows == 1 || columns <= 2);
        ck_assert(!ways_cross_in_a_cycle(&topology, routing, true));
    }
    topology_free(&topology);
}
END_TEST

/* Link routing goes to the neighbour; x-first knows no graphs, negative-first neither
 * graphs nor tori, west-first and odd-even only meshes of one or two dimensions. */
START_TEST(links_and_graphs)
{
    struct topology graph = route_walk_topology("graph:12:9"),
                    mesh = route_walk_topology("mesh:3x3"),
                    torus = route_walk_topology("torus:3x3"),
                    cube = route_walk_topology("mesh:2x2x2");
    static struct route_walk walk;
    for (uint32_t node = 0; node < graph.nodes; node++)
        for (uint32_t port = 0; port < topology_node_ports(&graph, node); port++) {
            route_walk(&walk, &graph, &routing_link, node, topology_neighbour(&graph, node, port));
            ck_assert_uint_eq(walk.hops, 1);
            ck_assert_uint_eq(walk.link[0], topology_link(&graph, node, port));
        }
    ck_assert_uint_eq(routing_x_first.classes(&graph), 0);
    ck_assert_uint_eq(routing_x_first.classes(&mesh), 1);
    ck_assert_uint_eq(routing_negative_first.classes(&torus), 0);
    ck_assert_uint_eq(routing_negative_first_fixed.classes(&graph), 0);
    for (int i = 0; i < 2; i++)
        ck_assert(turning[i]->classes(&graph) == 0 && turning[i]->classes(&torus) == 0 &&
                  turning[i]->classes(&cube) == 0);
    topology_free(&graph);
}
END_TEST

void scheme_routings_suite(TCase *tests)
{
    tcase_add_loop_test(tests, x_first_ways, 0, GRIDS);
    tcase_add_test(tests, x_first_halfway);
    tcase_add_loop_test(tests, x_first_balance, 0, 11);
    tcase_add_loop_test(tests, label_ways, 0, LABELLED);
    tcase_add_loop_test(tests, x_first_no_cycle, 0, GRIDS);
    tcase_add_loop_test(tests, label_no_cycle, 0, LABELLED);
    tcase_add_loop_test(tests, negative_first_choices, 0, MESHES);
    tcase_add_loop_test(tests, negative_first_no_cycle, 0, MESHES);
    tcase_add_loop_test(tests, turn_models, 0, 38);
    tcase_add_test(tests, links_and_graphs);
}
