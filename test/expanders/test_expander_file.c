/* test_expander_file.c - graph files: written ones are read back, faults are named.
 */
#include "expanders/expander.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_same(const struct expander *a, const struct expander *b)
{
    ck_assert(a->inputs == b->inputs && a->groups == b->groups && a->degree == b->degree &&
              a->kind == b->kind && a->dimension == b->dimension && a->field.q == b->field.q);
    for (uint32_t u = 0; u < a->inputs; u++)
        for (uint32_t j = 0; j < a->degree; j++)
            ck_assert_uint_eq(expander_neighbour(a, u, j), expander_neighbour(b, u, j));
}

/* Writes the graph into memory and reads it again. */
static void check_round_trip(const struct expander *graph)
{
    char *text = NULL;
    size_t length = 0;
    struct expander again;
    struct failure failure = {0};
    FILE *file = open_memstream(&text, &length);
    ck_assert(expander_write(graph, "a comment", file));
    fclose(file);
    ck_assert_int_eq(expander_read_memory(&again, text, length, "graph", &failure), FAIL_NONE);
    check_same(graph, &again);
    expander_free(&again);
    free(text);
}

/* every kind of graph, written and read back */
START_TEST(round_trips)
{
    struct expander graph;
    struct failure failure = {0};
    ck_assert_int_eq(expander_random(&graph, 100, 30, 7, 1, &failure), FAIL_NONE);
    check_round_trip(&graph);
    graph.kind = EXPANDER_LIST;
    for (uint32_t i = 0; i < 700; i++)
        graph.entry[i] %= 30;
    check_round_trip(&graph);
    expander_free(&graph);
    ck_assert_int_eq(expander_reed_solomon(&graph, 50, 4, 5, 3, &failure), FAIL_NONE);
    check_round_trip(&graph);
    expander_free(&graph);
}
END_TEST

/* comments, blank lines, carriage returns and no end of the last line are fine */
START_TEST(layout)
{
    struct expander graph;
    struct failure failure = {0};
    const char *text =
        "# first\r\n\n  expander 1\tlist 3 3 2 # sizes\r\n0 1\n\n# between\n 1  2#\n2 0";
    ck_assert_int_eq(expander_read_memory(&graph, text, strlen(text), "graph", &failure),
                     FAIL_NONE);
    for (uint32_t u = 0; u < 3; u++)
        ck_assert(expander_neighbour(&graph, u, 0) == u &&
                  expander_neighbour(&graph, u, 1) == (u + 1) % 3);
    expander_free(&graph);
}
END_TEST

static const struct {
    const char *text, *place, *expected;
} WRONG[] = {
    {"", "graph:1:", "the header 'expander 1 KIND ...', found the end of the file"},
    {"mcast 1 3 3\n", "graph:1:", "the header"},
    {"\n# c\nexpander 2 rs 1 1 2 1\n", "graph:3:", "version 1"},
    {"expander 1 tree 1 2 3\n", "graph:1:", "'permutation', 'rs' or 'list', found 'tree'"},
    {"expander 1 list\n", "graph:1:", "the number of inputs p from 1 to"},
    {"expander 1 list 0 1 1\n", "graph:1:", "the number of inputs p from 1 to"},
    {"expander 1 list 99999999999999999999 1 1\n", "graph:1:", "the number of inputs"},
    {"expander 1 list -3 1 1\n", "graph:1:", "found '-3'"},
    {"expander 1 list 3 4 1\n", "graph:1:", "the number of groups c from 1 to 3"},
    {"expander 1 list 3 3 4\n", "graph:1:", "the degree r from 1 to 3"},
    {"expander 1 list 3 3 1 1\n", "graph:1:", "the end of the line, found '1'"},
    {"expander 1 list 67108864 1000 4\n0 1 2 3\n", "graph:1:", "268435456 numbers"},
    {"expander 1 permutation 67108864 1000 4\n", "graph:1:", "268435456 numbers"},
    {"expander 1 list 2 2 2\n0 1\n0\n     ", "graph:3:", "found the end of the line"},
    {"expander 1 list 2 2 2\n0 1 0\n1        ", "graph:2:", "the end of the line, found '0'"},
    {"expander 1 list 2 2 2\n0 2\n0 1\n", "graph:2:", "a group from 0 to 1, found '2'"},
    {"expander 1 list 2 2 2\n0 1\n\n0 x\n", "graph:4:", "found 'x'"},
    {"expander 1 list 2 2 2\n0 1\n0 1\n1 1\n", "graph:4:", "the end of the file"},
    {"expander 1 permutation 2 2 2\n0 1\n2 4\n", "graph:3:", "from 0 to 3, found '4'"},
    {"expander 1 permutation 2 2 2\n0 1\n2 1\n", "graph:3:", "once, found '1'"},
    {"expander 1 rs 16 4 4\n", "graph:1:", "the dimension k"},
    {"expander 1 rs 16 4 6 2\n", "graph:1:", "no field has 6 elements"},
    {"expander 1 rs 16 5 4 2\n", "graph:1:", "r must be 1 .. 4"},
    {"expander 1 rs 15 4 4 2\n", "graph:1:", "must divide"},
    {"expander 1 rs 16 4 4 2\n1\n", "graph:2:", "nothing after the header"},
    {"expander 1 list 2 2 1\n0\x01\n1\n", "graph:2:", "found '0?'"},
};

/* malformed files: name, line and what was expected, and nothing is kept */
START_TEST(malformed)
{
    struct expander graph;
    struct failure failure = {0};
    const char *text = WRONG[_i].text;
    ck_assert_int_eq(expander_read_memory(&graph, text, strlen(text), "graph", &failure),
                     FAIL_INPUT);
    ck_assert_msg(strncmp(failure.text, WRONG[_i].place, strlen(WRONG[_i].place)) == 0 &&
                      strstr(failure.text, WRONG[_i].expected) != NULL,
                  "%s", failure.text);
    ck_assert_ptr_null(graph.entry);
}
END_TEST

/* a file that is not there is the system's failure, and named */
START_TEST(no_file)
{
    struct expander graph;
    struct failure failure = {0};
    ck_assert_int_eq(expander_read(&graph, "/nowhere/graph", &failure), FAIL_SYSTEM);
    ck_assert_ptr_nonnull(strstr(failure.text, "/nowhere/graph"));
    memset(&failure, 0, sizeof failure);
    ck_assert_int_eq(expander_read(&graph, "/", &failure), FAIL_SYSTEM);
}
END_TEST

void expander_file_suite(TCase *tests)
{
    tcase_add_test(tests, round_trips);
    tcase_add_test(tests, layout);
    tcase_add_loop_test(tests, malformed, 0, sizeof WRONG / sizeof *WRONG);
    tcase_add_test(tests, no_file);
}
