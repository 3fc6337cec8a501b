/* test_broken.c - broken meshes and tori: the file, parts, distances, Hamiltonian paths.
 *
 * Oracles: distances and parts by relaxation over all links that the faults leave; Hamiltonian
 * paths by dynamic programming over sets of nodes.
 */
#include "network/topology/topology.h"
#include "test/topology/broken_case.h"

#include <check.h>
#include <string.h>

enum { NODES = 64, FAR = 1000, CASES = 200, FEW = 12 };

static struct topology whole(const char *text)
{
    struct topology topology;
    struct failure failure = {0};
    ck_assert_int_eq(topology_parse(&topology, text, &failure), FAIL_NONE);
    return topology;
}

static enum failure_kind break_by(struct topology *topology, const char *text,
                                  struct failure *failure)
{
    *failure = (struct failure){0};
    return topology_break_memory(topology, text, strlen(text), "b", failure);
}

/* Comments, blanks, links of dead nodes, one direction; left-out nodes and links are counted in
 * links. */
START_TEST(file)
{
    struct topology topology = whole("mesh:3x3");
    struct failure failure;
    const char *text =
        "# a board\n\n  node 8 # the corner\nlink 0 1\r\nlink 3>4\nlink\t5 8\nnode 8\n";
    ck_assert_msg(break_by(&topology, text, &failure) == FAIL_NONE, "%s", failure.text);
    char shown[TOPOLOGY_LONG_TEXT_SIZE];
    topology_text(&topology, shown);
    ck_assert_str_eq(shown, "mesh:3x3 without 1 node, 7 links");
    ck_assert(topology.has_one_way);
    ck_assert_uint_eq(topology_port_to(&topology, 3, 4), UINT32_MAX);
    ck_assert_uint_ne(topology_port_to(&topology, 4, 3), UINT32_MAX);
    ck_assert_uint_eq(topology_degree(&topology, 8), 0);
    ck_assert_uint_eq(topology_in_degree(&topology, 4), 3);
    ck_assert_uint_eq(topology_distance(&topology, 0, 1), 5);
    ck_assert_uint_eq(topology_distance(&topology, 0, 8), UINT32_MAX);
    topology_free(&topology);

    topology = whole("mesh:3x3");
    ck_assert_int_eq(break_by(&topology, "# nothing\n", &failure), FAIL_NONE);
    ck_assert(!topology_is_broken(&topology));
}
END_TEST

/* Each bad line is named, with the expected text; the topology stays whole. */
START_TEST(bad_files)
{
    static const char *const BAD[][2] = {
        {"node 9\n", "b:1: expected a node of mesh:3x3, from 0 to 8, found '9'"},
        {"node -1\n", "b:1: expected a node of mesh:3x3, from 0 to 8, found '-1'"},
        {"\nlink 0 4\n", "b:2: expected a neighbour of node 0, found '4'"},
        {"link 0>0\n", "b:1: expected a neighbour of node 0, found '0'"},
        {"link 0\n", "b:1: expected a node of mesh:3x3, from 0 to 8, found the end of the line"},
        {"link 0>1>2\n", "b:1: expected a node of mesh:3x3, from 0 to 8, found '1>2'"},
        {"link 0 1 2\n", "b:1: expected the end of the line, found '2'"},
        {"nodes 1\n", "b:1: expected 'node I', 'link A B' or 'link A>B', found 'nodes'"},
        {"node 1 2\n", "b:1: expected the end of the line, found '2'"},
        {"node 99999999999999999999\n",
         "b:1: expected a node of mesh:3x3, from 0 to 8, found '99999999999999999999'"},
    };
    struct topology topology = whole("mesh:3x3"), graph = {0};
    struct failure failure;
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        ck_assert_int_eq(break_by(&topology, BAD[i][0], &failure), FAIL_INPUT);
        ck_assert_str_eq(failure.text, BAD[i][1]);
        ck_assert(!topology_is_broken(&topology));
    }
    ck_assert_int_eq(break_by(&topology, "node 1\nnode 3\nnode 5\nnode 7\nlink 0>1\n", &failure),
                     FAIL_INPUT);
    ck_assert_msg(strstr(failure.text, "b:5: no two nodes are joined") == failure.text, "%s",
                  failure.text);
    failure = (struct failure){0};
    ck_assert_int_eq(topology_read_graph_memory(&graph, "0 1\n", 4, "g", &failure), FAIL_NONE);
    ck_assert_int_eq(break_by(&graph, "node 1\n", &failure), FAIL_USAGE);
    topology_free(&graph);
}
END_TEST

static void find_distances(const struct topology *topology, bool both,
                           uint32_t distance[NODES][NODES])
{
    for (uint32_t u = 0; u < topology->nodes; u++)
        for (uint32_t v = 0; v < topology->nodes; v++) {
            bool joins = topology_port_to(topology, u, v) != UINT32_MAX &&
                         (!both || topology_port_to(topology, v, u) != UINT32_MAX);
            distance[u][v] = u == v ? 0 : joins ? 1 : FAR;
        }
    for (uint32_t w = 0; w < topology->nodes; w++)
        for (uint32_t u = 0; u < topology->nodes; u++)
            for (uint32_t v = 0; v < topology->nodes; v++)
                if (distance[u][w] + distance[w][v] < distance[u][v])
                    distance[u][v] = distance[u][w] + distance[w][v];
}

static const char *const SHAPES[] = {"mesh:3x4",   "mesh:2x6", "torus:3x4", "torus:12",
                                     "mesh:2x2x3", "mesh:8x8", "torus:6x5"};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof SHAPES[0] };

/* Distances over the remaining links; parts are the nodes that are joined both ways, the main one
 * the largest. */
START_TEST(distances_and_parts)
{
    static uint32_t one_way[NODES][NODES], both[NODES][NODES];
    struct pcg32 random = pcg32_seed(1, (uint64_t)_i);
    for (int i = 0; i < 20; i++) {
        struct topology topology = whole(SHAPES[_i]);
        uint32_t size[NODES] = {0}, most = 0;
        if (!broken_case(&topology, 8, 4, &random))
            continue;
        find_distances(&topology, false, one_way);
        find_distances(&topology, true, both);
        for (uint32_t u = 0; u < topology.nodes; u++)
            for (uint32_t v = 0; v < topology.nodes; v++) {
                uint32_t hops = topology_distance(&topology, u, v);
                bool is_alive = topology.part[u] != TOPOLOGY_NO_NODE;
                ck_assert_uint_eq(hops == UINT32_MAX ? FAR : hops, one_way[u][v]);
                ck_assert(!is_alive ||
                          (topology.part[u] == topology.part[v]) == (both[u][v] < FAR));
                size[u] += is_alive && both[u][v] < FAR;
            }
        for (uint32_t u = 0; u < topology.nodes; u++)
            most = size[u] > most ? size[u] : most;
        ck_assert_uint_eq(topology.main_nodes, most);
        topology_free(&topology);
    }
}
END_TEST

/* True if the live nodes have a Hamiltonian path, over links in both directions. */
static bool has_path(const struct topology *topology)
{
    static bool ends[1 << FEW][FEW];
    uint32_t nodes = topology->nodes, live = 0;
    memset(ends, 0, sizeof ends);
    for (uint32_t v = 0; v < nodes; v++)
        if (topology->part[v] != TOPOLOGY_NO_NODE) {
            ends[1u << v][v] = true;
            live |= 1u << v;
        }
    for (uint32_t set = 1; set < 1u << nodes; set++)
        for (uint32_t u = 0; u < nodes; u++)
            for (uint32_t v = 0; ends[set][u] && v < nodes; v++)
                if ((live & ~set) >> v & 1 && topology_port_to(topology, u, v) != UINT32_MAX &&
                    topology_port_to(topology, v, u) != UINT32_MAX)
                    ends[set | 1u << v][v] = true;
    for (uint32_t v = 0; v < nodes; v++)
        if (ends[live][v])
            return true;
    return false;
}

/* Labels are a path; on few nodes one is found if and only if there is one. */
START_TEST(hamiltonian_paths)
{
    struct pcg32 random = pcg32_seed(2, (uint64_t)_i);
    uint32_t found = 0, proven = 0;
    const struct topology first = whole(SHAPES[_i]);
    bool is_few = first.nodes <= FEW;
    for (int i = 0; i < (is_few ? CASES : CASES / 20); i++) {
        struct topology topology = whole(SHAPES[_i]);
        struct failure failure = {0};
        if (!broken_case(&topology, i % 2 == 0 ? 0 : is_few ? 12 : 60, is_few ? 8 : 60, &random))
            continue;
        ck_assert_int_eq(topology_find_path(&topology, &failure), FAIL_NONE);
        if (is_few)
            ck_assert_int_eq(topology.label != NULL, has_path(&topology));
        ck_assert((topology.label == NULL) == (topology.no_path != NULL));
        uint32_t at_label[NODES], live = 0;
        for (uint32_t v = 0; v < topology.nodes && topology.label != NULL; v++)
            if (topology.part[v] != TOPOLOGY_NO_NODE) {
                at_label[topology.label[v]] = v;
                live++;
            }
        for (uint32_t l = 0; l + 1 < live; l++) {
            ck_assert_uint_ne(topology_port_to(&topology, at_label[l], at_label[l + 1]),
                              UINT32_MAX);
            ck_assert_uint_ne(topology_port_to(&topology, at_label[l + 1], at_label[l]),
                              UINT32_MAX);
        }
        found += topology.label != NULL;
        proven += topology.label == NULL && strstr(topology.no_path, "there is none") != NULL;
        topology_free(&topology);
    }
    ck_assert_uint_gt(found, 0);
    ck_assert(proven > 0 || !is_few);
}
END_TEST

void broken_suite(TCase *tests)
{
    tcase_add_test(tests, file);
    tcase_add_test(tests, bad_files);
    tcase_add_loop_test(tests, distances_and_parts, 0, SHAPE_COUNT);
    tcase_add_loop_test(tests, hamiltonian_paths, 0, SHAPE_COUNT);
}
