/* test_topology.c - meshes and tori: ports, neighbours, distances, labels, against plain
 * arithmetic.
 *
 * Each shape is walked whole. The oracle works with coordinates in an array and knows no ports'
 * arithmetic.
 */
#include "network/topology/topology.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char *const SHAPES[] = {
    "mesh:1",
    "mesh:7",
    "mesh:4x8",
    "mesh:5x3",
    "mesh:1x6",
    "mesh:6x1",
    "mesh:3x4x5",
    "mesh:2x1x3x1",
    "torus:1",
    "torus:2",
    "torus:3",
    "torus:8",
    "torus:1x1",
    "torus:2x2",
    "torus:4x2",
    "torus:5x1x2",
    "torus:3x4x5",
    "torus:6x7",
    "mesh:2x2x2x2",
    "mesh:2x2x2x2x2x2x2x2",
    "torus:2x3x1x2x3x2x1x3",
    "mesh:3x2x1x2x3x2x1x3",
};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof *SHAPES };

struct place {
    uint32_t x[TOPOLOGY_DIMENSIONS];
};

static struct topology make(const char *text)
{
    struct topology topology;
    struct failure failure = {0};
    ck_assert_msg(topology_parse(&topology, text, &failure) == FAIL_NONE, "%s", failure.text);
    return topology;
}

static struct place place_of(const struct topology *topology, uint32_t node)
{
    struct place place = {{0}};
    for (uint32_t i = 0; i < topology->shape.dimensions; i++) {
        place.x[i] = node % topology->shape.size[i];
        node /= topology->shape.size[i];
    }
    return place;
}

/* True if two nodes are neighbours: one coordinate differs by one, or by all but one on a torus. */
static bool are_joined(const struct topology *topology, uint32_t one, uint32_t other)
{
    struct place p = place_of(topology, one), q = place_of(topology, other);
    uint32_t differences = 0, steps = 0;
    for (uint32_t i = 0; i < topology->shape.dimensions; i++) {
        int difference = abs((int)p.x[i] - (int)q.x[i]);
        differences += difference != 0;
        steps += difference == 1 || (topology->shape.kind == TOPOLOGY_TORUS && difference > 0 &&
                                     (uint32_t)difference == topology->shape.size[i] - 1);
    }
    return differences == 1 && steps == 1;
}

/* the coordinate of every node, and of nodes of meshes that are as large as they may be */
START_TEST(coordinates)
{
    struct topology topology = make(SHAPES[_i]);
    for (uint32_t v = 0; v < topology.nodes; v++) {
        struct place place = place_of(&topology, v);
        for (uint32_t i = 0; i < topology.shape.dimensions; i++)
            ck_assert(topology_coordinate(&topology, v, i) == place.x[i]);
    }
}
END_TEST

START_TEST(coordinates_of_large_ones)
{
    static const char *const LARGE[] = {"mesh:67108864",    "mesh:1x67108864", "mesh:67108864x1",
                                        "mesh:8192x8192",   "mesh:8191x8192",  "torus:3x22369621",
                                        "torus:22369621x3", "mesh:7x9586980",  "torus:406x406x407"};
    for (size_t k = 0; k < sizeof LARGE / sizeof *LARGE; k++) {
        struct topology topology = make(LARGE[k]);
        for (uint64_t draw = 0; draw < 20000; draw++) {
            uint32_t v = (uint32_t)(draw * 0x9e3779b97f4a7c15u >> 32) % topology.nodes;
            v = draw < 100 ? (uint32_t)draw : draw < 200 ? topology.nodes + 99 - (uint32_t)draw : v;
            struct place place = place_of(&topology, v);
            for (uint32_t i = 0; i < topology.shape.dimensions; i++)
                ck_assert(topology_coordinate(&topology, v, i) == place.x[i]);
        }
    }
}
END_TEST

/* a node's neighbours are those that the oracle joins to it, each at one port; ports are told
 * back */
START_TEST(neighbours)
{
    struct topology topology = make(SHAPES[_i]);
    for (uint32_t v = 0; v < topology.nodes; v++) {
        uint32_t degree = 0;
        ck_assert_uint_eq(topology_node_ports(&topology, v), 2 * topology.shape.dimensions);
        for (uint32_t port = 0; port < topology.ports; port++) {
            uint32_t w = topology_neighbour(&topology, v, port);
            uint64_t link = topology_link(&topology, v, port);
            ck_assert(link < topology.links && topology_link_from(&topology, link) == v);
            if (w == TOPOLOGY_NO_NODE)
                continue;
            degree++;
            ck_assert(w < topology.nodes && are_joined(&topology, v, w));
            ck_assert(topology_port_to(&topology, v, w) == port);
            ck_assert(topology_port_to(&topology, w, v) != UINT32_MAX);
        }
        ck_assert_uint_eq(topology_degree(&topology, v), degree);
        uint32_t joined = 0;
        for (uint32_t w = 0; w < topology.nodes; w++) {
            joined += are_joined(&topology, v, w);
            ck_assert(are_joined(&topology, v, w) ||
                      topology_port_to(&topology, v, w) == UINT32_MAX);
        }
        ck_assert_uint_eq(joined, degree);
    }
}
END_TEST

/* port 2 i leads up in dimension i, port 2 i + 1 down, and around the torus from its ends */
START_TEST(directions)
{
    struct topology mesh = make("mesh:3x4"), torus = make("torus:3x4"), two = make("torus:2x4");
    ck_assert_uint_eq(topology_neighbour(&mesh, 5, 0), 6);
    ck_assert_uint_eq(topology_neighbour(&mesh, 5, 1), 4);
    ck_assert_uint_eq(topology_neighbour(&mesh, 5, 2), 9);
    ck_assert_uint_eq(topology_neighbour(&mesh, 5, 3), 1);
    ck_assert_uint_eq(topology_neighbour(&mesh, 3, 0), TOPOLOGY_NO_NODE);
    ck_assert_uint_eq(topology_neighbour(&mesh, 3, 3), TOPOLOGY_NO_NODE);
    ck_assert_uint_eq(topology_neighbour(&torus, 3, 0), 0);
    ck_assert_uint_eq(topology_neighbour(&torus, 3, 3), 11);
    ck_assert_uint_eq(topology_neighbour(&torus, 8, 1), 11);
    ck_assert_uint_eq(topology_neighbour(&torus, 8, 2), 0);
    /* the torus of size 2: one link, at the port of the mesh */
    ck_assert_uint_eq(topology_neighbour(&two, 1, 2), 5);
    ck_assert_uint_eq(topology_neighbour(&two, 1, 3), TOPOLOGY_NO_NODE);
    ck_assert_uint_eq(topology_neighbour(&two, 5, 2), TOPOLOGY_NO_NODE);
    ck_assert_uint_eq(topology_neighbour(&two, 5, 3), 1);
    ck_assert_uint_eq(topology_degree(&two, 5), 3);
}
END_TEST

/* distances are those of a breadth-first search over the ports */
START_TEST(distances)
{
    struct topology topology = make(SHAPES[_i]);
    uint32_t *hops = calloc(topology.nodes, sizeof *hops),
             *queue = calloc(topology.nodes, sizeof *queue);
    uint32_t step = topology.nodes / 7 + 1;
    for (uint32_t source = 0; source < topology.nodes; source += step) {
        uint32_t queued = 1;
        memset(hops, 0xff, topology.nodes * sizeof *hops);
        hops[source] = 0;
        queue[0] = source;
        for (uint32_t next = 0; next < queued; next++)
            for (uint32_t port = 0; port < topology.ports; port++) {
                uint32_t w = topology_neighbour(&topology, queue[next], port);
                if (w == TOPOLOGY_NO_NODE || hops[w] != UINT32_MAX)
                    continue;
                hops[w] = hops[queue[next]] + 1;
                queue[queued++] = w;
            }
        ck_assert_uint_eq(queued, topology.nodes);
        for (uint32_t v = 0; v < topology.nodes; v++)
            ck_assert(topology_distance(&topology, source, v) == hops[v] &&
                      topology_distance(&topology, v, source) == hops[v]);
    }
    free(hops);
    free(queue);
}
END_TEST

/* labels number the nodes along a Hamiltonian path */
START_TEST(labels)
{
    struct topology topology = make(SHAPES[_i]);
    uint32_t *labelled = calloc(topology.nodes, sizeof *labelled);
    memset(labelled, 0xff, topology.nodes * sizeof *labelled);
    for (uint32_t v = 0; v < topology.nodes; v++) {
        uint32_t label = topology_label(&topology, v);
        ck_assert(label < topology.nodes && labelled[label] == UINT32_MAX);
        labelled[label] = v;
    }
    for (uint32_t label = 1; label < topology.nodes; label++)
        ck_assert(are_joined(&topology, labelled[label], labelled[label - 1]));
    free(labelled);
}
END_TEST

/* on two dimensions they are the snake: even rows run forth, odd ones back; on sides of 2, Gray's
 * code */
START_TEST(snake)
{
    struct topology mesh = make("mesh:3x5"), cube = make("mesh:2x2x2x2x2");
    for (uint32_t y = 0; y < 3; y++)
        for (uint32_t x = 0; x < 5; x++)
            ck_assert_uint_eq(topology_label(&mesh, y * 5 + x), y * 5 + (y % 2 == 0 ? x : 4 - x));
    for (uint32_t label = 0; label < 32; label++)
        ck_assert_uint_eq(topology_label(&cube, label ^ label >> 1), label);
}
END_TEST

/* texts of shapes come back unchanged; other texts are refused, with the remedy */
START_TEST(texts)
{
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        char text[TOPOLOGY_TEXT_SIZE];
        struct topology topology = make(SHAPES[i]), again;
        shape_text(&topology.shape, text);
        ck_assert_str_eq(text, SHAPES[i]);
        again = make(text);
        ck_assert(shape_equals(&topology.shape, &again.shape));
    }
    struct topology mesh = make("mesh:2x3");
    static const char *const OTHERS[] = {"mesh:3x2", "torus:2x3", "mesh:2x3x1", "mesh:6"};
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        struct topology other = make(OTHERS[i]);
        ck_assert(!shape_equals(&mesh.shape, &other.shape));
    }
}
END_TEST

static const struct {
    const char *text, *told;
} WRONG[] = {
    {"", "unknown topology ''"},
    {"mesh", "expected mesh:SIZExSIZE.."},
    {"mesh:", "found 'mesh:'"},
    {"mesh:0", "expected mesh:"},
    {"mesh:4x0", "expected mesh:"},
    {"mesh:4x", "expected mesh:"},
    {"mesh:x4", "expected mesh:"},
    {"mesh:4xx4", "expected mesh:"},
    {"mesh:4 x4", "expected mesh:"},
    {"mesh:4x4 ", "expected mesh:"},
    {"mesh:-4", "expected mesh:"},
    {"mesh:4X4", "expected mesh:"},
    {"mesh:2x2x2x2x2x2x2x2x2", "1 to 8 sizes"},
    {"torus:67108865", "at most 67108864 nodes"},
    {"torus:8192x8193", "at most 67108864 nodes"},
    {"torus:18446744073709551617", "expected torus:"},
    {"tourus:4", "did you mean 'torus'?"},
    {"ring:4", "the topologies are: mesh, torus, graph"},
    {"meshmeshmeshmeshmesh:4", "unknown topology"},
    {"graph:", "expected graph:FILE"},
    {"graph", "expected graph:FILE"},
};

START_TEST(wrong_texts)
{
    struct topology topology;
    struct failure failure = {0};
    ck_assert_int_eq(topology_parse(&topology, WRONG[_i].text, &failure), FAIL_USAGE);
    ck_assert_msg(strstr(failure.text, WRONG[_i].told) != NULL, "%s", failure.text);
    topology_free(&topology);
}
END_TEST

/* shapes that no text can write are not valid either */
START_TEST(wrong_shapes)
{
    struct shape graph = {.kind = TOPOLOGY_GRAPH, .dimensions = 2, .size = {2, 2}};
    struct shape none = {.kind = TOPOLOGY_MESH}, many = {.dimensions = 9};
    ck_assert(!shape_is_valid(&graph) && !shape_is_valid(&none) && !shape_is_valid(&many));
    graph.dimensions = 1;
    ck_assert(shape_is_valid(&graph));
    ck_assert_uint_eq(shape_nodes(&graph), 2);
}
END_TEST

void topology_suite(TCase *tests)
{
    tcase_add_loop_test(tests, coordinates, 0, SHAPE_COUNT);
    tcase_add_test(tests, coordinates_of_large_ones);
    tcase_add_loop_test(tests, neighbours, 0, SHAPE_COUNT);
    tcase_add_test(tests, directions);
    tcase_add_loop_test(tests, distances, 0, SHAPE_COUNT);
    tcase_add_loop_test(tests, labels, 0, SHAPE_COUNT);
    tcase_add_test(tests, snake);
    tcase_add_test(tests, texts);
    tcase_add_loop_test(tests, wrong_texts, 0, sizeof WRONG / sizeof *WRONG);
    tcase_add_test(tests, wrong_shapes);
}
