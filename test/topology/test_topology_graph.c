/* test_topology_graph.c - graphs from edge lists: accepted ones, and refusals with their lines.
 */
#include "network/topology/topology.h"

#include "test/temporary.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static struct topology read_text(const char *text)
{
    struct topology graph;
    struct failure failure = {0};
    enum failure_kind kind =
        topology_read_graph_memory(&graph, text, strlen(text), "g.txt", &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
    return graph;
}

/* Returns the neighbours of a node, as text. */
static const char *neighbours_of(const struct topology *graph, uint32_t node)
{
    static char text[256];
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t port = 0; port < topology_node_ports(graph, node); port++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", port > 0 ? " " : "",
                                 topology_neighbour(graph, node, port));
    return text;
}

/* edges come in any order, both ways, twice, with further columns, comments and line ends of both
 * kinds */
START_TEST(edges)
{
    struct topology graph =
        read_text("# a graph\n\n3 2 0.5 x\r\n1 0\n%% more\n  0\t1\n2 1\n0 3\n3 0\n2 3\n");
    ck_assert_uint_eq(graph.nodes, 4);
    ck_assert_uint_eq(graph.links, 8);
    ck_assert_uint_eq(graph.ports, 2);
    ck_assert_str_eq(neighbours_of(&graph, 0), "1 3");
    ck_assert_str_eq(neighbours_of(&graph, 1), "0 2");
    ck_assert_str_eq(neighbours_of(&graph, 2), "1 3");
    ck_assert_str_eq(neighbours_of(&graph, 3), "0 2");
    ck_assert_uint_eq(topology_port_to(&graph, 3, 2), 1);
    ck_assert_uint_eq(topology_port_to(&graph, 3, 1), UINT32_MAX);
    ck_assert_uint_eq(topology_port_to(&graph, 3, 3), UINT32_MAX);
    ck_assert_uint_eq(topology_label(&graph, 3), 3);
    char text[TOPOLOGY_TEXT_SIZE];
    shape_text(&graph.shape, text);
    ck_assert_str_eq(text, "graph:4");
    topology_free(&graph);
    topology_free(&graph);
}
END_TEST

/* a path has no edge to spare, a file of one edge is the smallest graph */
START_TEST(paths)
{
    struct topology path = read_text("2 1\n1 0\n3 2"), edge = read_text("1 0\n");
    ck_assert_uint_eq(path.nodes, 4);
    ck_assert_uint_eq(topology_distance(&path, 0, 3), 3);
    ck_assert_uint_eq(edge.nodes, 2);
    ck_assert_uint_eq(edge.links, 2);
    topology_free(&path);
    topology_free(&edge);
}
END_TEST

/* True if the drawn edge i - j is there; the path always is. */
static bool is_drawn(uint64_t seed, uint32_t i, uint32_t j)
{
    uint32_t low = i < j ? i : j, high = i < j ? j : i;
    uint64_t mixed = (seed * 1000003 + low * 1009 + high) * 0x9e3779b97f4a7c15u;
    return high == low + 1 || (high > low && mixed >> 61 == 0);
}

static char *drawn_text(uint64_t seed, uint32_t nodes)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = nodes; i-- > 0;)
        for (uint32_t j = 0; j < nodes; j++)
            if (is_drawn(seed, i, j) && (i + j) % 2 == (i < j))
                fprintf(out, "%u %u\n", i, j);
    fclose(out);
    return text;
}

/* random graphs: neighbours, ports, links and distances against a matrix */
START_TEST(random_graphs)
{
    enum { NODES = 40 };
    uint32_t hops[NODES][NODES];
    char *text = drawn_text((uint64_t)_i, NODES);
    struct topology graph = read_text(text);
    free(text);
    for (uint32_t i = 0; i < NODES; i++)
        for (uint32_t j = 0; j < NODES; j++)
            hops[i][j] = i == j ? 0 : is_drawn((uint64_t)_i, i, j) ? 1 : NODES;
    for (uint32_t k = 0; k < NODES; k++)
        for (uint32_t i = 0; i < NODES; i++)
            for (uint32_t j = 0; j < NODES; j++)
                if (hops[i][k] + hops[k][j] < hops[i][j])
                    hops[i][j] = hops[i][k] + hops[k][j];
    uint64_t links = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t port = 0;
        for (uint32_t j = 0; j < NODES; j++) {
            ck_assert(topology_distance(&graph, i, j) == hops[i][j]);
            ck_assert(topology_port_to(&graph, i, j) == (hops[i][j] == 1 ? port : UINT32_MAX));
            if (hops[i][j] != 1)
                continue;
            ck_assert(topology_neighbour(&graph, i, port) == j);
            ck_assert(topology_link(&graph, i, port) == links);
            ck_assert(topology_link_from(&graph, links) == i);
            port++;
            links++;
        }
        ck_assert_uint_eq(topology_degree(&graph, i), port);
        ck_assert_uint_le(port, graph.ports);
    }
    ck_assert_uint_eq(graph.links, links);
    topology_free(&graph);
}
END_TEST

/* a file is read, plain or gzip, by the name that a text gives; a missing one is reported */
START_TEST(files)
{
    char path[TEMPORARY_PATH], name[TEMPORARY_PATH + 8];
    struct topology graph;
    struct failure failure = {0};
    fclose(temporary_file(path));
    snprintf(name, sizeof name, "graph:%s", path);
    for (int plain = 0; plain < 2; plain++) {
        gzFile file = gzopen(path, plain ? "wT" : "w");
        gzputs(file, "0 1\n1 2\n2 0\n");
        gzclose(file);
        ck_assert_int_eq(topology_parse(&graph, name, &failure), FAIL_NONE);
        ck_assert_uint_eq(graph.links, 6);
        topology_free(&graph);
    }
    unlink(path);
    ck_assert_int_eq(topology_parse(&graph, name, &failure), FAIL_SYSTEM);
    ck_assert_ptr_nonnull(strstr(failure.text, path));
}
END_TEST

static const struct {
    const char *text, *told;
} WRONG[] = {
    {"", "g.txt:1: expected an edge (two nodes), found an empty file"},
    {"\n# none\n", "g.txt:2: expected an edge (two nodes), found no edges"},
    {"0 1\n1\n", "g.txt:2: expected a node from 0 to 67108863"},
    {"0 1\n1 x\n", "found 'x'"},
    {"0 1\n-1 2\n", "found '-1'"},
    {"0 1.5\n", "found '1.5'"},
    {"0,1\n", "found '0,1'"},
    {"0 67108864\n", "found '67108864'"},
    {"0 18446744073709551617\n", "found '18446744073709551617'"},
    {"0 1\n1 1\n", "g.txt:2: expected an edge to another node, found '1'"},
    {"0 1\n0 2\n", "g.txt:2: expected an edge 1 2"},
    {"1 2\n\n# end\n", "expected an edge 0 1"},
    {"0 67108863\n", "expected an edge 0 1"},
    {"0 1\n1 2\n2 3\n9 8\n", "expected an edge 3 4"},
    {"0 1\n0 1\n1 0\n1 3\n", "expected an edge 1 2"},
    {"0 1\n1 2\n5 6\n6 7\n4 5\n", "expected an edge 2 3"},
    {"\x1f\x8b\x08", "g.txt"},
};

START_TEST(wrong_files)
{
    struct topology graph;
    struct failure failure = {0};
    const char *text = WRONG[_i].text;
    ck_assert_int_eq(topology_read_graph_memory(&graph, text, strlen(text), "g.txt", &failure),
                     FAIL_INPUT);
    ck_assert_msg(strstr(failure.text, WRONG[_i].told) != NULL, "%s", failure.text);
    ck_assert_uint_eq(graph.nodes, 0);
}
END_TEST

void topology_graph_suite(TCase *tests)
{
    tcase_add_test(tests, edges);
    tcase_add_test(tests, paths);
    tcase_add_loop_test(tests, random_graphs, 0, 8);
    tcase_add_test(tests, files);
    tcase_add_loop_test(tests, wrong_files, 0, sizeof WRONG / sizeof *WRONG);
}
