/* test_import_forms.c - files that leave their format, or could be understood in several ways: what they become, and
 * what is said about it.
 *
 * Expected messages are written by hand, or known because the test made the file from them.
 */
#include "base/pcg.h"
#include "workloads/import.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *import_forms_suite(void);

enum { TEXT_SIZE = 1 << 14 };

/* The messages "SOURCE DEST .. ; SOURCE DEST .. ;" of a set. */
static const char *messages_of(const struct message_set *set)
{
    static char text[TEXT_SIZE];
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < set->messages; i++) {
        length += (size_t)snprintf(text + length, TEXT_SIZE - length, "%u", set->source[i]);
        for (uint64_t d = set->offset[i]; d < set->offset[i + 1]; d++)
            length +=
                (size_t)snprintf(text + length, TEXT_SIZE - length, " %u", set->destination[d]);
        length += (size_t)snprintf(text + length, TEXT_SIZE - length, ";");
    }
    ck_assert_uint_lt(length, TEXT_SIZE);
    return text;
}

/* The notes, each followed by a line end. */
static const char *notes_of(const struct import_notes *notes)
{
    static char text[IMPORT_NOTES_MOST * (IMPORT_NOTE_SIZE + 1) + 1];
    text[0] = '\0';
    for (unsigned i = 0; i < notes->count; i++)
        strcat(strcat(text, notes->text[i]), "\n");
    return text;
}

struct form {
    const char *text, *messages; /* messages NULL: refused */
    uint64_t rows, cols;
    const char *note; /* a part of the notes, or of the message; NULL: no notes */
    struct import_options options;
};

static void assert_form(const struct form *form, const char *name)
{
    struct message_set set;
    struct import_summary summary;
    struct failure failure = {0};
    struct import_options options = form->options;
    options.limit = MEMORY_NO_LIMIT;
    enum failure_kind kind =
        import_memory(form->text, strlen(form->text), name, &options, &set, &summary, &failure);
    if (form->messages == NULL) {
        ck_assert_msg(kind == FAIL_INPUT || kind == FAIL_USAGE, "%s: taken", form->text);
        ck_assert_msg(strstr(failure.text, form->note) != NULL, "%s: %s", form->text, failure.text);
        return;
    }
    ck_assert_msg(kind == FAIL_NONE, "%s: %s", form->text, failure.text);
    ck_assert_msg(strcmp(messages_of(&set), form->messages) == 0, "%s: %s", form->text,
                  messages_of(&set));
    ck_assert_msg(summary.rows == form->rows && summary.cols == form->cols, "%s: %llu x %llu",
                  form->text, (unsigned long long)summary.rows, (unsigned long long)summary.cols);
    const char *notes = notes_of(&summary.notes);
    ck_assert_msg(form->note != NULL ? strstr(notes, form->note) != NULL : notes[0] == '\0',
                  "%s: notes '%s'", form->text, notes);
    message_set_free(&set);
}

#define BANNER "%%MatrixMarket matrix coordinate "

static const struct form MATRICES[] = {
    {"%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n",
     "0 1;",
     2,
     2,
     "banner has one %, not two",
     {0}},
    {" \t" BANNER "pattern general\n2 2 1\n2 1\n",
     "0 1;",
     2,
     2,
     "banner has blanks before it",
     {0}},
    {"\n \n" BANNER "pattern general\n2 2 1\n2 1\n", "0 1;", 2, 2, "blanks before it", {0}},
    {"\xef\xbb\xbf" BANNER "pattern general\n2 2 1\n2 1\n", "0 1;", 2, 2, "UTF-8 mark", {0}},
    {BANNER "real general\n2 2 4\n1 1 nan\n2 1 -Infinity\n1 2 1e+\n2 2\n",
     "0 0 1;1 0 1;",
     2,
     2,
     NULL,
     {0}},
    {BANNER "integer general\n2 2 2\n1 1 0.5\n2 1 one\n", "0 0 1;", 2, 2, NULL, {0}},
    {BANNER "pattern general\n2 2 2\n1 1 7\n2 1\n", "0 0 1;", 2, 2, NULL, {0}},
    {BANNER "complex hermitian\n2 2 2\n1 1 7\n2 1 . .\n", "0 0 1;1 0;", 2, 2, NULL, {0}},
    {BANNER "double general\n2 2 1\n2 1 .5\n", "0 1;", 2, 2, NULL, {0}},
    {BANNER "unsigned-integer general\n2 2 1\n2 1 3\n", "0 1;", 2, 2, NULL, {0}},
    {BANNER "real skew-symmetric\n2 2 2\n1 1 0\n2 1 3\n",
     "0 0 1;1 0;",
     2,
     2,
     "diagonal has entries, which are zeros",
     {0}},
    /* files of Network Repository: sizes in a comment, or none */
    {BANNER "pattern symmetric\n% 4 4 2\n2 1\n3 1\n",
     "0 1 2;1 0;2 0;",
     4,
     4,
     "line of sizes is the comment in line 2",
     {0}},
    {BANNER "pattern symmetric\n%4 4 9\n2 1\n3 1\n",
     "0 1 2;1 0;2 0;",
     3,
     3,
     "line of sizes is missing; the largest row is 3, and column 3",
     {0}},
    {BANNER "pattern general\n%4 2 2\n2 1\n3 1\n", "0 1 2;", 4, 2, "the comment in line 2", {0}},
    {BANNER "pattern general\n2 1\n3 1\n", "0 1 2;", 3, 1, "row is 3, and column 1", {0}},
    {BANNER "real general\n2 1 0.5\n3 1 1\n", "0 1 2;", 3, 1, "line of sizes is missing", {0}},
    {BANNER "real symmetric\n2 1 5\n3 1 1\n", "0 1 2;1 0;2 0;", 3, 3, "sizes is missing", {0}},
    {BANNER "integer symmetric\n3 2 1\n1 1 1\n",
     NULL,
     0,
     0,
     "a.mtx:2: expected a line of rows, columns and entries, with as many rows as columns",
     {0}},
    {BANNER "real general\n3 3 1.0\n1 1 1\n",
     NULL,
     0,
     0,
     "a.mtx:2: expected a line of rows, columns and entries, found others",
     {0}},
    {BANNER "pattern general\n3 3\n1 1 1\n",
     NULL,
     0,
     0,
     "a.mtx:2: expected a line of rows, columns and entries, found another number of columns",
     {0}},
    {BANNER "pattern general\n2 1\n67108865 1\n",
     NULL,
     0,
     0,
     "a.mtx:3: expected a row from 1",
     {0}},
};

/* Matrix Market: a banner nearly right, values of any kind, sizes missing or a comment. */
START_TEST(test_matrices)
{
    assert_form(&MATRICES[_i], "a.mtx");
}
END_TEST

#define READ(...)                                                                                  \
    {                                                                                              \
        .reading = { __VA_ARGS__ }                                                                 \
    }
#define EDGES .format = IMPORT_EDGE_LIST
#define PATH4 "0 1\n1 2\n2 3\n3 4\n"

static const struct form EDGE_LISTS[] = {
    /* numbers of vertices and edges in the first line */
    {"5 4\n" PATH4, "0 1;1 2;2 3;3 4;", 5, 5, "first line, '5 4', was read as a header", {0}},
    {"5 5 4\n" PATH4, "0 1;1 2;2 3;3 4;", 5, 5, "first line, '5 5 4', was read", {0}},
    {"# c\n7 4\n" PATH4, "0 1;1 2;2 3;3 4;", 7, 7, "first line, '7 4', was read", {0}},
    {"4 2\n1 3\n3 4\n", "0 2;2 3;", 4, 4, "first line, '4 2', was read", {0}},
    {"5 4\n" PATH4, "0 1;1 2;2 3;3 4;5 4;", 6, 6, NULL, READ(.header = IMPORT_HEADER_NO)},
    {"4 4\n" PATH4, "0 1;1 2;2 3;3 4;4 4;", 5, 5, NULL, {0}}, /* ids 0 to 4 are five */
    {"5 4\n0 1 9\n1 2 0.5\n2 3 x\n3 4\n", "0 1;1 2;2 3;3 4;", 5, 5, "was read as a header", {0}},
    {"5 4\n0 1\n1 2\n", "0 1;1 2;", 5, 5, "a header of vertices and edges, though 2 lines follow",
     READ(.header = IMPORT_HEADER_YES)},
    {"5 4\n0 1\n1 2\n2 3\n", NULL, 0, 0, "may be a header n m, before 3 lines; say --header", {0}},
    {"5 8\n" PATH4,
     NULL,
     0,
     0,
     "a.txt:1: expected an edge, found '5 8', which may be a header",
     {0}},
    {"5 2\n" PATH4, NULL, 0, 0, "may be a header n m, before 4 lines", {0}},
    {"9 9\n0 1 5\n1 2 5\n2 0 7\n", NULL, 0, 0, "may be a header n m, before 3 lines", {0}},
    {"4 9 3\n0 1 9\n1 8 2\n3 0 7\n", NULL, 0, 0, "the sizes of a matrix without its banner", {0}},
    {"9 3 1\n0 1 9\n1 8 2\n3 0 7\n", NULL, 0, 0, "may be a header n m, before 3 lines", {0}},
    {"9 9 1\n0 1\n1 8\n3 0\n", NULL, 0, 0, "a header of more columns, before 3 lines", {0}},
    {"3 4\n" PATH4, NULL, 0, 0, "ids that fit the header, and a mesh, found a header of 3 vertices",
     READ(.header = IMPORT_HEADER_YES)},
    {"67108865 1\n1 2\n", NULL, 0, 0, "a header of 67108865 vertices", {0}},
    {"70 80\n2 1\n1 0\n", "1 0;2 1;3 4;", 5, 5, NULL, {0}}, /* no header: 80 is not near 2 */
    /* columns of ids */
    {"0 1 2 3\n", NULL, 0, 0, "found 4; say --format adjacency", {0}},
    {"0 1 2 3\n", "0 1;", 2, 2, "could be ids (an adjacency list needs", {EDGES}},
    {"0 1 2\n1 0 2\n2 0 1\n", NULL, 0, 0, "found 3; say --format adjacency", {0}},
    {"0 1 2 3\n1 0\n", NULL, 0, 0, "expected as many columns as in other lines", {EDGES}},
    {"0 1\n1 0 5\n2 1\n", NULL, 0, 0, "a.txt:3: expected as many columns as in other lines", {0}},
    {"0 1\n1\n", NULL, 0, 0, "(an adjacency list needs --format adjacency)", {0}},
    {"0 1 5\n1 2 7\n2 0 9\n", "0 1;1 2;2 0;", 3, 3, NULL, {0}},
    {"2 1 1\n1 2 1\n0 1 2\n", "0 1;1 2;2 1;", 3, 3, NULL, {0}},
    {"0 1 5 1700000000\n0 2 1 1600000000\n", "0 1 2;", 3, 3, NULL, {0}},
    {"0 1 2 3\n1 0\n5\n", "0 1 2 3;1 0;", 5, 5, NULL, {.format = IMPORT_ADJACENCY}},
    {"a b c\nb d\n", "0 1 2;1 3;", 4, 4, "ids are words", {.format = IMPORT_ADJACENCY}},
    {"0 1\n1 2\n",
     "0 1;1 0 2;2 1;",
     3,
     3,
     NULL,
     {.format = IMPORT_ADJACENCY, .reading = {.is_symmetric = true}}},
    {"3 2\n0 1\n1 2\n2\n", NULL, 0, 0, "may be a header n or n m", {.format = IMPORT_ADJACENCY}},
    /* KONECT */
    {"% sym unweighted\n% 2 3 3\n1 2\n2 3\n", "0 1;1 0 2;2 1;", 3, 3, "first line says sym", {0}},
    {"% asym weighted\n1 2 5\n2 3 1\n", "0 1;1 2;", 3, 3, "first line says asym", {0}},
    {"% bip unweighted\n% 3 2 3\n1 1\n1 3\n2 2\n", "0 0 2;1 1;", 3, 2, "says bip", {0}},
    {"% bip unweighted\n% 3 2 4\n1 1\n1 3\n2 2\n", "0 0 2;1 1;", 4, 2, "says bip", {0}},
    {"%bip\n1 7\n1 3\n2 2\n",
     "0 1 2;1 0;",
     3,
     2,
     "ids before are columns, ids behind are rows",
     {0}},
    {"% sym unweighted\n% 5 9 9\n1 2\n2 3\n",
     "0 1;1 0 2;2 1;",
     9,
     9,
     "says 5 edges, 2 follow",
     {0}},
    {"% sym unweighted\n% 2 2 2\n1 2\n2 3\n", "0 1;1 0 2;2 1;", 3, 3, "says sym", {0}},
    {"% bip\n1 1\n", NULL, 0, 0, "--symmetric is for graphs with one kind",
     READ(.is_symmetric = true)},
    {"# Undirected graph: x\n0 1\n", "0 1;", 2, 2, "comments say that it is undirected", {0}},
    {"# Undirected graph: x\n0 1\n1 1\n", "0 1;1 0 1;", 2, 2, NULL, READ(.is_symmetric = true)},
    /* commas, tabs, names of columns, words */
    {"1,2\n", "0 1;", 2, 2, NULL, {0}},
    {"3, 4,x\n 4 ,\t3\r\n", "0 1;1 0;", 2, 2, NULL, {0}},
    {"3\t4\n5\t\t6\n", "0 1;2 3;", 4, 4, NULL, {0}},
    {"source,target,weight\n3,4,1\n4,5,2\n", "0 1;1 2;", 3, 3, "was read as a header", {0}},
    {"Alpha Beta\n3 4\n", "0 1;", 2, 2, "first line, 'Alpha Beta', was read as a header", {0}},
    {"From,To\nx,y\n", "0 1;", 2, 2, "was read as a header", {0}},
    {"x y\nb x\nx a\n", "0 1 3;2 0;", 4, 4, "ids are words, numbered from 0 in the order", {0}},
    {"x y\nb x\n", "0 1;", 2, 2, "first line, 'x y', was read", READ(.header = IMPORT_HEADER_YES)},
    {"from to\nb x\n", "0 1;2 3;", 4, 4, "ids are words", READ(.header = IMPORT_HEADER_NO)},
    {"\"New York\",\"Bonn, D\"\n\"Bonn, D\",Rome\n", "0 1;1 2;", 3, 3, "ids are words", {0}},
    {"New York\tBonn\nBonn\tRio de Janeiro\n", "0 1;1 2;", 3, 3, "ids are words", {0}},
    {"10.0.0.1 10.0.0.2 5\n10.0.0.2 7 6\n", "0 1;1 2;", 3, 3, "ids are words", {0}},
    {"1 2 {'weight': 3, 'x': 4}\n2 3 {}\n", "0 1;1 2;", 3, 3, NULL, {0}},
    {",source,target\n0,1,2\n", NULL, 0, 0, "a first column without a name (leave it out)", {0}},
    {"id,source,target\n0,1,2\n", NULL, 0, 0, "found them in later columns", {0}},
    {"1,,2\n3,4\n", NULL, 0, 0, "a.txt:1: expected an id from 0 to 2^63 - 1", {0}},
    {"2 1\na b\n", NULL, 0, 0, "numbers; say --header yes or --header no", {0}},
    {"2 1\na b\n", "0 1;2 3;", 4, 4, "ids are words", READ(.header = IMPORT_HEADER_NO)},
    {"1 2\n3 x\n", NULL, 0, 0, "a.txt:2: expected an id from 0", {0}},
    {"a b\n3 1.5\n", NULL, 0, 0, "a.txt:2: expected an id, a word or a number, found '1.5'", {0}},
    {"a b c\nb c\n", NULL, 0, 0, "a.txt:2: expected as many columns as in other lines", {0}},
    {"a b knows\nb c knows\n", NULL, 0, 0, "found 3; say --format adjacency", {0}},
    {"a b knows\nb c knows\n", "0 1;1 2;", 3, 3, "could be ids", {EDGES}},
    /* other formats */
    {"%MatrixMarket matrix coordinate real general\n1 2\n", NULL, 0, 0, "--format mtx", {EDGES}},
    {"c x\np sp 3 2\na 1 2 3\n",
     NULL,
     0,
     0,
     "a.txt:2: expected an edge (this is a line of DIMACS",
     {0}},
    {"{\"a\": 1}\n", NULL, 0, 0, "a.txt:1: expected an id", {0}},
    {"<graph id=\"x\">\n<node/>\n", NULL, 0, 0, "a.txt:1: expected an id", {0}},
    {"graph [\n  node [\n", NULL, 0, 0, "a.txt:1: expected an id", {0}},
    {"", NULL, 0, 0, "found an empty file", {.format = IMPORT_ADJACENCY}},
};

/* Edge and adjacency lists: headers, columns of ids, KONECT, commas and words; what could be two things is refused. */
START_TEST(test_edge_lists)
{
    assert_form(&EDGE_LISTS[_i], "a.txt");
}
END_TEST

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
    *options = (struct import_options){.limit = MEMORY_NO_LIMIT};
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

Suite *import_forms_suite(void)
{
    Suite *suite = suite_create("import_forms");
    TCase *test = tcase_create("forms");
    tcase_add_loop_test(test, test_matrices, 0, (int)(sizeof MATRICES / sizeof *MATRICES));
    tcase_add_loop_test(test, test_edge_lists, 0, (int)(sizeof EDGE_LISTS / sizeof *EDGE_LISTS));
    tcase_add_loop_test(test, test_graphs, 0, STYLES);
    suite_add_tcase(suite, test);
    return suite;
}
