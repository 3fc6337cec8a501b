/* test_import_graphs.c - random graphs, written as edge lists of several styles: the messages are the edges.
 */
#include "base/pcg.h"
#include "test/workloads/import_case.h"

#include <check.h>
#include <stdio.h>

Suite *import_graphs_suite(void);

enum { TEXT_SIZE = 1 << 14 };

enum { MOST_VERTICES = 20, STYLES = 7 };

/* A random graph, and its text. */
struct graph {
    unsigned vertices, edges;
    bool has_edge[MOST_VERTICES][MOST_VERTICES];
    char text[TEXT_SIZE];
    size_t length;
};

static void write_text(struct graph *graph, const char *format, unsigned a, unsigned b, unsigned c)
{
    graph->length +=
        (size_t)snprintf(graph->text + graph->length, TEXT_SIZE - graph->length, format, a, b, c);
}

/* Draws the edges; vertex 0 has one. */
static void draw_graph(struct graph *graph, struct pcg32 *random)
{
    *graph = (struct graph){.vertices = 2 + pcg32_below(random, MOST_VERTICES - 1)};
    graph->has_edge[0][graph->vertices - 1] = true;
    for (unsigned i = 0; i < 2 * graph->vertices; i++)
        graph
            ->has_edge[pcg32_below(random, graph->vertices)][pcg32_below(random, graph->vertices)] =
            true;
    for (unsigned u = 0; u < graph->vertices; u++)
        for (unsigned v = 0; v < graph->vertices; v++)
            graph->edges += graph->has_edge[u][v];
}

/* Writes the graph in one of the styles, each with what the first line must be. */
static void write_graph(struct graph *graph, unsigned style, struct import_options *options)
{
    static const char *const EDGE[STYLES] = {
        "%u %u\n",     "%u\t%u\t0.5\n",       "%u, %u, x\n",      " %u %u\r\n",
        "v%u v%u 3\n", "\"%u a\",\"%u a\"\n", "%u %u {'w': %u}\n"};
    unsigned base = style == 1 || style == 3, n = graph->vertices;
    *options = (struct import_options){.seed = 0};
    if (style == 0)
        write_text(graph, "%u %u\n", n, graph->edges, 0);
    if (style == 1)
        write_text(graph, "%u %u %u\n", n, n, graph->edges);
    if (style == 2)
        write_text(graph, "Source,Target,w\n", 0, 0, 0);
    if (style == 3)
        write_text(graph, "%% asym positive\n%% %u %u %u\n", graph->edges, n, n);
    if (style > 3)
        options->reading.header = IMPORT_HEADER_NO;
    for (unsigned u = 0; u < n; u++)
        for (unsigned v = 0; v < n; v++)
            if (graph->has_edge[u][v])
                write_text(graph, EDGE[style], u + base, v + base, 7);
}

/* The index of each vertex: itself, or its rank, or its place in the order in which vertices occur. */
static void number_vertices(const struct graph *graph, unsigned style,
                            unsigned index[MOST_VERTICES])
{
    bool is_used[MOST_VERTICES] = {false}, has_words = style == 4 || style == 5;
    unsigned next = 0;
    for (unsigned u = 0; u < graph->vertices; u++)
        for (unsigned v = 0; v < graph->vertices; v++)
            for (unsigned end = 0; graph->has_edge[u][v] && end < 2; end++) {
                unsigned vertex = end == 0 ? u : v;
                if (!is_used[vertex])
                    index[vertex] = next++;
                is_used[vertex] = true;
            }
    next = 0;
    for (unsigned v = 0; v < graph->vertices && !has_words; v++) {
        index[v] = style == 0 || style == 1 || style == 3 ? v : next;
        next += is_used[v];
    }
}

/* A random graph, written in each style, gives messages that are its edges. */
START_TEST(test_graphs)
{
    struct pcg32 random = pcg32_seed(11, (uint64_t)_i);
    unsigned style = (unsigned)_i, index[MOST_VERTICES] = {0};
    static struct graph graph;
    for (int round = 0; round < 50; round++) {
        struct import_options options;
        struct message_set set;
        struct failure failure = {0};
        draw_graph(&graph, &random);
        write_graph(&graph, style, &options);
        number_vertices(&graph, style, index);
        ck_assert_msg(import_memory(graph.text, graph.length, "a.txt", &options, &set, NULL,
                                    &failure) == FAIL_NONE,
                      "%s: %s", graph.text, failure.text);
        ck_assert_uint_eq(set.deliveries, graph.edges);
        for (unsigned u = 0; u < graph.vertices; u++)
            for (unsigned v = 0; v < graph.vertices; v++) {
                bool is_found = false;
                for (uint32_t i = 0; i < set.messages; i++)
                    for (uint64_t d = set.offset[i]; d < set.offset[i + 1]; d++)
                        is_found |= set.source[i] == index[u] && set.destination[d] == index[v];
                ck_assert_msg(!graph.has_edge[u][v] || is_found, "%s: %u %u", graph.text, u, v);
            }
        message_set_free(&set);
    }
}
END_TEST

Suite *import_graphs_suite(void)
{
    Suite *suite = suite_create("import_graphs");
    TCase *test = tcase_create("graphs");
    tcase_add_loop_test(test, test_graphs, 0, STYLES);
    suite_add_tcase(suite, test);
    return suite;
}
