/* test_import_forms.c - files that leave their format, or could be understood in several ways:
 * their sets, and the notes about them.
 *
 * Expected messages are written by hand.
 */
#include "test/workloads/import_report.h"

#include <check.h>
#include <string.h>

struct form {
    const char *text, *messages; /* messages NULL: refused */
    uint64_t rows, cols;
    const char *note; /* a part of the notes, or of the message; NULL: no notes */
    const char *options;
};

static void assert_form(const struct form *form, const char *name)
{
    struct import_report report;
    import_bytes(&report, form->text, strlen(form->text), name, form->options);
    if (form->messages == NULL) {
        ck_assert_msg(report.status == MESHCAST_INPUT || report.status == MESHCAST_USAGE,
                      "%s: taken", form->text);
        ck_assert_msg(strstr(report.error.text, form->note) != NULL, "%s: %s", form->text,
                      report.error.text);
        return;
    }
    ck_assert_msg(report.status == MESHCAST_OK, "%s: %s", form->text, report.error.text);
    const char *messages = import_messages(&report.set), *notes = report.notes;
    ck_assert_msg(strcmp(messages, form->messages) == 0, "%s: %s", form->text, messages);
    ck_assert_msg(report.rows == form->rows && report.cols == form->cols, "%s: %llu x %llu",
                  form->text, (unsigned long long)report.rows, (unsigned long long)report.cols);
    ck_assert_msg(form->note != NULL ? strstr(notes, form->note) != NULL : notes[0] == '\0',
                  "%s: notes '%s'", form->text, notes);
    import_report_free(&report);
}

#define PLAIN "" /* no options */
#define BANNER "%%MatrixMarket matrix coordinate "

static const struct form MATRICES[] = {
    {"%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n", "0 1;", 2, 2,
     "banner has one %, not two", PLAIN},
    {" \t" BANNER "pattern general\n2 2 1\n2 1\n", "0 1;", 2, 2, "banner has blanks before it",
     PLAIN},
    {"\n \n" BANNER "pattern general\n2 2 1\n2 1\n", "0 1;", 2, 2, "blanks before it", PLAIN},
    {"\xef\xbb\xbf" BANNER "pattern general\n2 2 1\n2 1\n", "0 1;", 2, 2,
     "text has a UTF-8 mark before it", PLAIN},
    {BANNER "real general\n2 2 4\n1 1 nan\n2 1 -Infinity\n1 2 1e+\n2 2\n", "0 0 1;1 0 1;", 2, 2,
     NULL, PLAIN},
    {BANNER "integer general\n2 2 2\n1 1 0.5\n2 1 one\n", "0 0 1;", 2, 2, NULL, PLAIN},
    {BANNER "pattern general\n2 2 2\n1 1 7\n2 1\n", "0 0 1;", 2, 2, NULL, PLAIN},
    {BANNER "complex hermitian\n2 2 2\n1 1 7\n2 1 . .\n", "0 0 1;1 0;", 2, 2, NULL, PLAIN},
    {BANNER "pattern general\r% c\r\r2 2 2\r2 1\r1 2\r", "0 1;1 0;", 2, 2,
     "lines end with CR alone", PLAIN},
    {BANNER "double general\n2 2 1\n2 1 .5\n", "0 1;", 2, 2, NULL, PLAIN},
    {BANNER "unsigned-integer general\n2 2 1\n2 1 3\n", "0 1;", 2, 2, NULL, PLAIN},
    {BANNER "real skew-symmetric\n2 2 2\n1 1 0\n2 1 3\n", "0 0 1;1 0;", 2, 2,
     "diagonal has entries, which are zeros", PLAIN},
    /* files of Network Repository: sizes in a comment, or none */
    {BANNER "pattern symmetric\n% 4 4 2\n2 1\n3 1\n", "0 1 2;1 0;2 0;", 4, 4,
     "line of sizes is the comment in line 2", PLAIN},
    {BANNER "pattern symmetric\n%4 4 9\n2 1\n3 1\n", "0 1 2;1 0;2 0;", 3, 3,
     "line of sizes is missing; the largest row is 3, and column 3", PLAIN},
    {BANNER "pattern general\n%4 2 2\n2 1\n3 1\n", "0 1 2;", 4, 2, "the comment in line 2", PLAIN},
    {BANNER "pattern general\n2 1\n3 1\n", "0 1 2;", 3, 1, "row is 3, and column 1", PLAIN},
    {BANNER "real general\n2 1 0.5\n3 1 1\n", "0 1 2;", 3, 1, "line of sizes is missing", PLAIN},
    {BANNER "real symmetric\n2 1 5\n3 1 1\n", "0 1 2;1 0;2 0;", 3, 3, "sizes is missing", PLAIN},
    {BANNER "integer symmetric\n3 2 1\n1 1 1\n", NULL, 0, 0,
     "a.mtx:2: expected a line of rows, columns and entries, with as many rows as columns", PLAIN},
    {BANNER "real general\n3 3 1.0\n1 1 1\n", NULL, 0, 0,
     "a.mtx:2: expected a line of rows, columns and entries, found others", PLAIN},
    {BANNER "pattern general\n3 3\n1 1 1\n", NULL, 0, 0,
     "a.mtx:2: expected a line of rows, columns and entries, found another number of columns",
     PLAIN},
    {BANNER "pattern general\n2 1\n67108865 1\n", NULL, 0, 0, "a.mtx:3: expected a row from 1",
     PLAIN},
};

/* Matrix Market: a banner nearly right, values of any kind, sizes missing or a comment. */
START_TEST(test_matrices)
{
    assert_form(&MATRICES[_i], "a.mtx");
}
END_TEST

#define PATH4 "0 1\n1 2\n2 3\n3 4\n"

static const struct form EDGE_LISTS[] = {
    /* numbers of vertices and edges in the first line */
    {"5 4\n" PATH4, "0 1;1 2;2 3;3 4;", 5, 5, "first line, '5 4', was read as a header", PLAIN},
    {"5 5 4\n" PATH4, "0 1;1 2;2 3;3 4;", 5, 5, "first line, '5 5 4', was read", PLAIN},
    {"# c\n7 4\n" PATH4, "0 1;1 2;2 3;3 4;", 7, 7, "first line, '7 4', was read", PLAIN},
    {"4 2\n1 3\n3 4\n", "0 2;2 3;", 4, 4, "first line, '4 2', was read", PLAIN},
    {"5 4\n" PATH4, "0 1;1 2;2 3;3 4;5 4;", 6, 6, NULL, "header=no"},
    {"4 4\n" PATH4, "0 1;1 2;2 3;3 4;4 4;", 5, 5, NULL, PLAIN}, /* ids 0 to 4 are five */
    {"5 4\n0 1 9\n1 2 0.5\n2 3 x\n3 4\n", "0 1;1 2;2 3;3 4;", 5, 5, "was read as a header", PLAIN},
    {"5 4\n0 1\n1 2\n", "0 1;1 2;", 5, 5, "a header of vertices and edges, though 2 lines follow",
     "header=yes"},
    {"5 4\n0 1\n1 2\n2 3\n", NULL, 0, 0, "may be a header n m, before 3 lines; say --header",
     PLAIN},
    {"5 8\n" PATH4, NULL, 0, 0, "a.txt:1: expected an edge, found '5 8', which may be a header",
     PLAIN},
    {"5 2\n" PATH4, NULL, 0, 0, "may be a header n m, before 4 lines", PLAIN},
    {"9 9\n0 1 5\n1 2 5\n2 0 7\n", NULL, 0, 0, "may be a header n m, before 3 lines", PLAIN},
    {"4 9 3\n0 1 9\n1 8 2\n3 0 7\n", NULL, 0, 0, "the sizes of a matrix without its banner", PLAIN},
    {"9 3 1\n0 1 9\n1 8 2\n3 0 7\n", NULL, 0, 0, "may be a header n m, before 3 lines", PLAIN},
    {"9 9 1\n0 1\n1 8\n3 0\n", NULL, 0, 0, "a header of more columns, before 3 lines", PLAIN},
    {"3 4\n" PATH4, NULL, 0, 0, "ids that fit the header, and a mesh, found a header of 3 vertices",
     "header=yes"},
    {"67108865 1\n1 2\n", NULL, 0, 0, "a header of 67108865 vertices", PLAIN},
    {"70 80\n2 1\n1 0\n", "1 0;2 1;3 4;", 5, 5, NULL, PLAIN}, /* no header: 80 is not near 2 */
    /* columns of ids */
    {"0 1 2 3\n", NULL, 0, 0, "found 4; say --format adjacency", PLAIN},
    {"0 1 2 3\n", "0 1;", 2, 2, "could be ids (an adjacency list needs", "format=edges"},
    {"0 1 2\n1 0 2\n2 0 1\n", NULL, 0, 0, "found 3; say --format adjacency", PLAIN},
    {"0 1 2 3\n1 0\n", NULL, 0, 0, "expected as many columns as in other lines", "format=edges"},
    {"0 1\n1 0 5\n2 1\n", NULL, 0, 0, "a.txt:3: expected as many columns as in other lines", PLAIN},
    {"0 1\n1\n", NULL, 0, 0, "(an adjacency list needs --format adjacency)", PLAIN},
    {"0 1 5\n1 2 7\n2 0 9\n", "0 1;1 2;2 0;", 3, 3, "left out", PLAIN},
    {"2 1 1\n1 2 1\n0 1 2\n", "0 1;1 2;2 1;", 3, 3, "left out", PLAIN},
    {"0 1 5 1700000000\n0 2 1 1600000000\n", "0 1 2;", 3, 3, "left out", PLAIN},
    {"0 1 2 3\n1 0\n5\n", "0 1 2 3;1 0;", 5, 5, NULL, "format=adjacency"},
    {"a b c\nb d\n", "0 1 2;1 3;", 4, 4, "ids are words", "format=adjacency"},
    {"0 1\n1 2\n", "0 1;1 0 2;2 1;", 3, 3, NULL, "format=adjacency symmetric"},
    {"3 2\n0 1\n1 2\n2\n", NULL, 0, 0, "may be a header n or n m", "format=adjacency"},
    /* KONECT */
    {"% sym unweighted\n% 2 3 3\n1 2\n2 3\n", "0 1;1 0 2;2 1;", 3, 3, "first line says sym", PLAIN},
    {"% asym weighted\n1 2 5\n2 3 1\n", "0 1;1 2;", 3, 3, "first line says asym", PLAIN},
    {"% bip unweighted\n% 3 2 3\n1 1\n1 3\n2 2\n", "0 0 2;1 1;", 3, 2, "says bip", PLAIN},
    {"% bip unweighted\n% 3 2 4\n1 1\n1 3\n2 2\n", "0 0 2;1 1;", 4, 2, "says bip", PLAIN},
    {"%bip\n1 7\n1 3\n2 2\n", "0 1 2;1 0;", 3, 2, "ids before are columns, ids after are rows",
     PLAIN},
    {"% sym unweighted\n% 5 9 9\n1 2\n2 3\n", "0 1;1 0 2;2 1;", 9, 9, "says 5 edges, 2 follow",
     PLAIN},
    {"% sym unweighted\n% 2 2 2\n1 2\n2 3\n", "0 1;1 0 2;2 1;", 3, 3, "says sym", PLAIN},
    {"% bip\n1 1\n", NULL, 0, 0, "symmetric is for graphs with one kind", "symmetric"},
    {"# Undirected graph: x\n0 1\n", "0 1;", 2, 2, "comments say that it is undirected", PLAIN},
    {"# Undirected graph: x\n0 1\n1 1\n", "0 1;1 0 1;", 2, 2, NULL, "symmetric"},
    /* commas, tabs, names of columns, words */
    {"\xef\xbb\xbf"
     "0 1\n1 2\n",
     "0 1;1 2;", 3, 3, "text has a UTF-8 mark before it", PLAIN},
    {"3 4\r5 6", "0 1;2 3;", 4, 4, "lines end with CR alone", PLAIN},
    {"1,2\n", "0 1;", 2, 2, NULL, PLAIN},
    {"3, 4,x\n 4 ,\t3\r\n", "0 1;1 0;", 2, 2, "left out", PLAIN},
    {"3\t4\n5\t\t6\n", "0 1;2 3;", 4, 4, NULL, PLAIN},
    {"source,target,weight\n3,4,1\n4,5,2\n", "0 1;1 2;", 3, 3, "was read as a header", PLAIN},
    {"Alpha Beta\n3 4\n", "0 1;", 2, 2, "first line, 'Alpha Beta', was read as a header", PLAIN},
    {"From,To\nx,y\n", "0 1;", 2, 2, "was read as a header", PLAIN},
    {"x y\nb x\nx a\n", "0 1 3;2 0;", 4, 4, "ids are words, numbered from 0 in the order", PLAIN},
    {"x y\nb x\n", "0 1;", 2, 2, "first line, 'x y', was read", "header=yes"},
    {"from to\nb x\n", "0 1;2 3;", 4, 4, "ids are words", "header=no"},
    {"\"New York\",\"Bonn, D\"\n\"Bonn, D\",Rome\n", "0 1;1 2;", 3, 3, "ids are words", PLAIN},
    {"New York\tBonn\nBonn\tRio de Janeiro\n", "0 1;1 2;", 3, 3, "ids are words", PLAIN},
    {"10.0.0.1 10.0.0.2 5\n10.0.0.2 7 6\n", "0 1;1 2;", 3, 3, "ids are words", PLAIN},
    {"1 2 {'weight': 3, 'x': 4}\n2 3 {}\n", "0 1;1 2;", 3, 3, "left out", PLAIN},
    {",source,target\n0,1,2\n", NULL, 0, 0, "a first column without a name (leave it out)", PLAIN},
    {"id,source,target\n0,1,2\n", NULL, 0, 0, "found them in later columns", PLAIN},
    {"1,,2\n3,4\n", NULL, 0, 0, "a.txt:1: expected an id from 0 to 2^63 - 1", PLAIN},
    {"2 1\na b\n", NULL, 0, 0, "numbers; say --header yes or --header no", PLAIN},
    {"2 1\na b\n", "0 1;2 3;", 4, 4, "ids are words", "header=no"},
    {"1 2\n3 x\n", NULL, 0, 0, "a.txt:2: expected an id from 0", PLAIN},
    {"a b\n3 1.5\n", NULL, 0, 0, "a.txt:2: expected an id, a word or a number, found '1.5'", PLAIN},
    {"a b c\nb c\n", NULL, 0, 0, "a.txt:2: expected as many columns as in other lines", PLAIN},
    {"a b knows\nb c knows\n", NULL, 0, 0, "found 3; say --format adjacency", PLAIN},
    {"a b knows\nb c knows\n", "0 1;1 2;", 3, 3, "could be ids", "format=edges"},
    /* other formats */
    {"%MatrixMarket matrix coordinate real general\n1 2\n", NULL, 0, 0, "--format mtx",
     "format=edges"},
    {"c x\np sp 3 2\na 1 2 3\n", NULL, 0, 0, "a.txt:2: expected an edge (this is a line of DIMACS",
     PLAIN},
    {"{\"a\": 1}\n", NULL, 0, 0, "this is JSON other than lines with", PLAIN},
    {"<graph id=\"x\">\n<node/>\n", NULL, 0, 0, "a.txt:1: expected an id", PLAIN},
    {"graph [\n  node [\n", NULL, 0, 0, "this is GML, which is not read", PLAIN},
    {"", NULL, 0, 0, "found an empty file", "format=adjacency"},
};

/* Edge and adjacency lists: headers, columns of ids, KONECT, commas and words; ambiguous files are
 * refused. */
START_TEST(test_edge_lists)
{
    assert_form(&EDGE_LISTS[_i], "a.txt");
}
END_TEST

#define NETS "0 1;0 4 5 6;1 2 3;4 3 5;"

static const struct form HYPERGRAPHS[] = {
    {"\xef\xbb\xbf"
     "4 7\r1 2\r1 7 5 6\r\r5 6 4\r2 3 4",
     NETS, 7, 4, "lines end with CR alone", PLAIN},
    {"4 7\n0 1\n0 6 4 5\n4 5 3\n1 2 3\n", NETS, 7, 4, NULL, "base=0"},
    {"4 7\n0 1\n0 6 4 5\n4 5 3\n1 2 3\n", NULL, 0, 0, "if they count from 0: --base 0", PLAIN},
    {"4 7 11\n.5 1 2\n-1 1 7 5 6\n1e3 5 6 4\n+2 2 3 4\n1\n2.5\n3\n4\n5\n6\n7\n", NETS, 7, 4,
     "left out", PLAIN},
    {"4 4\n2 3 4\n1\n1 4\n1 3\n", "0 3;0 2;1 2 3;", 4, 4, "those of a METIS graph (--format graph)",
     "format=hgr"},
    {"4 4\n2 3 4\n1\n1 4\n1 2\n", "0 3;0 1;1 2 3;", 4, 4, NULL, PLAIN}, /* line 4 has no 3 */
    {"3 3\n1 2\n1 2\n3 3\n", "0 1;0 1;2 2;", 3, 3, NULL, PLAIN},        /* lines name themselves */
    {"3 4 1\n2 1 3 2\n1 1 3 3\n1 2 2 3\n", "0 1 2;0 2;1 1 2;", 4, 3, "left out",
     PLAIN}, /* too few pairs */
};

static const struct form PATOH[] = {
    {"1 7 4 12\n1 2\n1 7 5 6\n5 6 4\n2 3 4\n", NETS, 7, 4, NULL, PLAIN},
    {"% c\n0 7 4 12 0\n0 1\n\n0 6 4 5 % c\n4 5 3\n1 2 3\n", NETS, 7, 4, NULL, PLAIN},
    {"0 7 4 12 1\n0 1\n0 6 4 5\n4 5 3\n1 2 3\n1 2 3 4\n5 6 7\n", NETS, 7, 4, "left out", PLAIN},
    {"0 7 4 12 2\n9 0 1\n9 0 6 4 5\n9 4 5 3\n9 1 2 3\n", NETS, 7, 4, "left out", PLAIN},
    {"0 7 4 12 3 2\n9 0 1\n9 0 6 4 5\n9 4 5 3\n9 1 2 3\n1 2\n3 4\n5 6\n7 8\n9 1\n1 2\n3 4\n", NETS,
     7, 4, "left out", PLAIN},
    {"0 2 1 2\n0 1\n", NULL, 0, 0, "base is for format hgr and graph", "base=0"},
};

static const struct form METIS[] = {
    {"4 2\n1\n0 2\n1\n\n", "0 1;1 0 2;2 1;", 4, 4, NULL, "base=0"},
    {"4 2\n1\n0 2\n1\n\n", NULL, 0, 0, "a.graph:3: expected a neighbour from 1 to 4 (if they",
     PLAIN},
    {"4 2 011 2\n1 .5 2 9\n1 1e9 1 -1 3 0\n1 1 2 +2\n1 1", "0 1;1 0 2;2 1;", 4, 4, "left out",
     PLAIN},
    {"5 2\n2\n1 3\n2\n", "0 1;1 0 2;2 1;", 5, 5, "last lines are missing, of vertices", PLAIN},
    {"3 3\n2 3\n1 3\n1 1\n", "0 1 2;1 0 2;2 0;", 3, 3, "edges are not all in the lines of both",
     "format=graph"},
    {"2 1\n2\n1\n", NULL, 0, 0, "symmetric and header are for", "symmetric"},
    {"2 1\n2\n1\n", NULL, 0, 0, "symmetric and header are for", "header=no"},
};

static const struct form DIMACS[] = {
    {"c x\np sp 4 3\na 1 2 7\n\na 2 3 1\nc\na 1 3 5\n", "0 1 2;1 2;", 4, 4, "left out", PLAIN},
    {"p edge 4 3\nn 1 5\ne 1 2\ne 2 3\ne 3 3\n", "0 1;1 0 2;2 1 2;", 4, 4, NULL, PLAIN},
    {"p col 3 2 7\ne 1 2\ne 3 2\n", "0 1;1 0 2;2 1;", 3, 3, NULL, PLAIN},
    {"p max 3 2\nn 1 s\nn 3 t\na 1 2 5\na 2 3 5\n", "0 1;1 2;", 3, 3, "left out", PLAIN},
    {"p col 3 4\ne 1 2\ne 3 2\n", "0 1;1 0 2;2 1;", 3, 3, "header says 4 edges, 2 follow", PLAIN},
    {"p edges 3 1\ne 1 2\ne 2 1\n", "0 1;1 0;", 3, 3, "header says 1 edges, 2 follow", PLAIN},
    {"p sp 3 0\n", "", 3, 3, NULL, PLAIN},
};

#define RB_LINES "title   key\n 3 1 1 1\n"

static const struct form BOEING[] = {
    {RB_LINES "rua 12 3 5 0\n(4I2) (3I2) (3E10.1)\n 1 3 6 6\n11 112\n 3 4\n1 2 3\n",
     "0 0 10;1 2 3 11;", 12, 3, NULL, PLAIN},
    {RB_LINES "PSA            3             3             4             0\n(26i3)          (40i2)\n"
              "  1  3  4  5\n 1 2 2 3\n",
     "0 0 1;1 0 1;2 2;", 3, 3, NULL, PLAIN},
    {RB_LINES "cza 3 3 2 0\n(I8)(2I4.3)\n       1\n       3\n       3\n       3\n 002 003\n",
     "0 1 2;1 0;2 0;", 3, 3, NULL, PLAIN},
    {"Harwell-Boeing\n 4 1 1 1 1\nRUA 2 2 2 0\n(3I3)(2I3)(2F5)(2F5)\nF 1 0\n  1  2  3\n  2  1\n",
     "0 1;1 0;", 2, 2, NULL, PLAIN},
    {RB_LINES "rua 2 2 2 0\n(2I3)(2I3)\n  1  2  3\n  2  1\n", "0 1;1 0;", 2, 2,
     "lines hold more numbers than its formats say", PLAIN},
    {RB_LINES "qra 2 1 0 0\n(2I3)(2I3)\n  1\n  1\n", "", 2, 1, NULL, PLAIN},
};

/* Hypergraphs of hMETIS and PaToH: vertices from 0, weights of any form, graphs of METIS in
 * disguise. */
START_TEST(test_hypergraphs)
{
    for (size_t i = 0; i < sizeof HYPERGRAPHS / sizeof *HYPERGRAPHS; i++)
        assert_form(&HYPERGRAPHS[i], "a.hgr");
    for (size_t i = 0; i < sizeof PATOH / sizeof *PATOH; i++)
        assert_form(&PATOH[i], "a.patoh");
}
END_TEST

/* Graphs of METIS and DIMACS: weights of any form, missing lines, hypergraphs in disguise. */
START_TEST(test_other_graphs)
{
    for (size_t i = 0; i < sizeof METIS / sizeof *METIS; i++)
        assert_form(&METIS[i], "a.graph");
    for (size_t i = 0; i < sizeof DIMACS / sizeof *DIMACS; i++)
        assert_form(&DIMACS[i], "a.col");
}
END_TEST

/* Rutherford-Boeing and Harwell-Boeing: fields that touch, symmetry, lines of right-hand sides. */
START_TEST(test_boeing)
{
    for (size_t i = 0; i < sizeof BOEING / sizeof *BOEING; i++)
        assert_form(&BOEING[i], "a.rb");
}
END_TEST

void import_forms_suite(TCase *test)
{
    tcase_add_loop_test(test, test_matrices, 0, (int)(sizeof MATRICES / sizeof *MATRICES));
    tcase_add_loop_test(test, test_edge_lists, 0, (int)(sizeof EDGE_LISTS / sizeof *EDGE_LISTS));
    tcase_add_test(test, test_hypergraphs);
    tcase_add_test(test, test_other_graphs);
    tcase_add_test(test, test_boeing);
}
