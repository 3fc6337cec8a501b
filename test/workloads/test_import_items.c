/* test_import_items.c - several items per node: hypergraphs, METIS graphs, routes of experts,
 * partitions.
 *
 * The oracle keeps a message as a row of flags, one per node, and walks those: sources in the order
 * of nodes, messages of one source in the order of the file. It shares nothing with the sort of
 * words that is tested.
 */
#include "base/pcg.h"
#include "test/temporary.h"
#include "test/workloads/import_case.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A square mesh. */
#define SQUARE(side)                                                                               \
    {                                                                                              \
        .kind = TOPOLOGY_MESH, .dimensions = 2, .size = { side, side }                             \
    }

enum { TEXT_SIZE = 1 << 16, MOST_ITEMS = 24, MOST_MESSAGES = 24, MOST_NODES = 64 };

struct text {
    char bytes[TEXT_SIZE];
    size_t length;
};

static void append(struct text *text, const char *more)
{
    size_t length = strlen(more);
    ck_assert_uint_lt(text->length + length, TEXT_SIZE);
    memcpy(text->bytes + text->length, more, length + 1);
    text->length += length;
}

static void append_number(struct text *text, const char *before, uint32_t number)
{
    char word[32];
    snprintf(word, sizeof word, "%s%u", before, number);
    append(text, word);
}

/* Returns the messages "SOURCE DEST .. ; SOURCE DEST .. ;" of a set. */
static const char *messages_of(const struct message_set *set)
{
    static struct text text;
    text.length = 0;
    text.bytes[0] = '\0';
    for (uint32_t i = 0; i < set->messages; i++) {
        append_number(&text, "", set->source[i]);
        for (uint64_t d = set->offset[i]; d < set->offset[i + 1]; d++)
            append_number(&text, " ", set->destination[d]);
        append(&text, ";");
    }
    return text.bytes;
}

static void assert_import(const char *text, const char *name, struct import_options options,
                          uint32_t side, const char *expected)
{
    struct message_set set;
    struct failure failure = {0};
    ck_assert_msg(import_memory(text, strlen(text), name, &options, &set, NULL, &failure) ==
                      FAIL_NONE,
                  "%s", failure.text);
    ck_assert_uint_eq(set.mesh.rows, side);
    ck_assert_str_eq(messages_of(&set), expected);
    message_set_free(&set);
}

/* The hypergraph of hMETIS's manual, in its four formats, and with comments: a message for each
 * hyperedge, from the first vertex's node; one of one vertex is none. */
START_TEST(hypergraphs_by_hand)
{
    static const char *const SAME[] = {
        "4 7\n1 2\n1 7 5 6\n5 6 4\n2 3 4\n",
        "% c\n\n4 7 0\n 1 2 \r\n% 3 4\n\n1\t7 5 6\n5 6 4 % c\n2 3 4",
        "4 7 1\n2 1 2\n3 1 7 5 6\n8 5 6 4\n7 2 3 4\n",
        "4 7 10\n1 2\n1 7 5 6\n5 6 4\n2 3 4\n5\n1\n8\n7\n3\n9\n3\n",
        "4 7 11\n2 1 2\n3 1 7 5 6\n8 5 6 4\n7 2 3 4\n5\n1\n8\n7\n3\n9\n3\n"};
    for (size_t i = 0; i < sizeof SAME / sizeof *SAME; i++) {
        assert_import(SAME[i], "a.hgr", (struct import_options){0}, 3, "0 1;0 4 5 6;1 2 3;4 3 5;");
        assert_import(SAME[i], "a.hgr.gz", (struct import_options){.per_node = 2}, 2,
                      "0 0;0 2 3;0 1;2 1 2;");
        assert_import(SAME[i], "-",
                      (struct import_options){.per_node = 7, .format = IMPORT_HYPERGRAPH}, 1,
                      "0 0;0 0;0 0;0 0;");
    }
    assert_import("3 3\n2\n3 3 1 3\n1 2 2\n", "a.hgr", (struct import_options){0}, 2, "0 1;2 0 2;");
    assert_import("3 3\n2\n3 3 1 3\n1 2 2\n", "a.hgr",
                  (struct import_options){.drop_diagonal = true}, 2, "0 1;2 0;");
}
END_TEST

/* A path of three vertices in METIS's formats; an empty line is a vertex. */
START_TEST(graphs_by_hand)
{
    static const char *const SAME[] = {"4 2\n2\n1 3\n2\n\n",
                                       "% c\n4 2 000\n2\n% 1\n1 3\n% 1 2\n2 \n \n",
                                       "4 2 1\n2 9\n1 9 3 8\r\n2 8\n\n\n\n",
                                       "4 2 011\n5 2 9\n6 1 9 3 8\n7 2 8\n8\n",
                                       "4 2 010 2\n5 5 2\n6 6 1 3\n7 7 2\n8 8\n",
                                       "4 2 110 2\n4 5 5 2\n4 6 6 1 3\n4 7 7 2\n4 8 8",
                                       "4 2 100\n1 2\n1 1 3\n1 2\n1\n"};
    for (size_t i = 0; i < sizeof SAME / sizeof *SAME; i++) {
        assert_import(SAME[i], "a.graph", (struct import_options){0}, 2, "0 1;1 0 2;2 1;");
        assert_import(SAME[i], "a.graph", (struct import_options){.per_node = 2}, 2,
                      "0 0;0 0 1;1 0;");
    }
    assert_import("2 0\n\n\n", "a.graph", (struct import_options){0}, 2, "");
}
END_TEST

/* Tokens and their experts: other members of the object, blanks, tokens without experts,
 * repeats. */
START_TEST(routes_by_hand)
{
    static const char text[] =
        "{\"topk_ids\":[1,2]}\n\n"
        " { \"more\" : {\"topk_ids\":[9]} , \"topk_ids\" : [ 0, 3 ,0 ] } \r\n"
        "{\"topk_ids\":[ ],\"w\":[0.5,[\"}\"]]}\n{\"topk_ids\":[2]}";
    assert_import(text, "a.jsonl", (struct import_options){0}, 2, "0 1 2;1 0 3;3 2;");
    assert_import(text, "a.jsonl",
                  (struct import_options){.per_node = 2, .place = "block", .map = IMPORT_SNAKE}, 2,
                  "0 1 3;0 0 2;1 3;");
    assert_import(text, "a.jsonl", (struct import_options){.experts = 4, .shape = SQUARE(4)}, 4,
                  "0 7 13;1 5 15;3 13;");
    assert_import(text, "a.jsonl",
                  (struct import_options){.experts = 4, .shape = SQUARE(4), .place = "block"}, 4,
                  "0 1 2;1 0 3;3 2;");
    assert_import(text, "a.jsonl", (struct import_options){.experts = 8, .per_node = 4}, 1,
                  "0 0;0 0;0 0;");
}
END_TEST

/* Experts are distinct nodes while there are no more than nodes, and a tile each on 64 x 64; the
 * block is 0, 1, .. */
START_TEST(experts_have_places)
{
    static const struct mesh MESHES[] = {{1, 1}, {1, 9}, {9, 1}, {4, 4}, {5, 3}, {3, 17}, {8, 8}};
    bool taken[64];
    for (size_t m = 0; m < sizeof MESHES / sizeof *MESHES; m++)
        for (uint32_t experts = 1; experts <= mesh_nodes(MESHES[m]); experts++) {
            struct shape shape = shape_of_mesh(MESHES[m]);
            memset(taken, 0, sizeof taken);
            for (uint32_t e = 0; e < experts; e++) {
                node_index v = expert_place(&shape, EXPERTS_SPREAD, experts, e);
                ck_assert_uint_lt(v, mesh_nodes(MESHES[m]));
                ck_assert(!taken[v]);
                taken[v] = true;
                ck_assert_uint_eq(expert_place(&shape, EXPERTS_BLOCK, experts, e), e);
            }
        }
    struct shape large = SQUARE(64), small = SQUARE(4);
    for (uint32_t e = 0; e < 60; e++)
        ck_assert_uint_eq(expert_place(&large, EXPERTS_SPREAD, 60, e),
                          (e / 8 * 8 + 4) * 64 + e % 8 * 8 + 4);
    for (uint32_t e = 0; e < 48; e++)
        ck_assert_uint_eq(expert_place(&small, EXPERTS_BLOCK, 48, e), e / 3);
}
END_TEST

/* ---- the oracle ---- */

struct dense {
    uint32_t messages, items, sender[MOST_MESSAGES]; /* items */
    bool has[MOST_MESSAGES][MOST_ITEMS];             /* [message][item] */
};

/* Returns the set by another method, as text. */
static const char *oracle(const struct dense *dense, const uint32_t *node_of)
{
    static struct text text;
    text.length = 0;
    text.bytes[0] = '\0';
    for (uint32_t source = 0; source < MOST_NODES; source++)
        for (uint32_t m = 0; m < dense->messages; m++) {
            bool to[MOST_NODES] = {false}, is_empty = true;
            if (node_of[dense->sender[m]] != source)
                continue;
            for (uint32_t i = 0; i < dense->items; i++)
                if (dense->has[m][i]) {
                    to[node_of[i]] = true;
                    is_empty = false;
                }
            if (is_empty)
                continue;
            append_number(&text, "", source);
            for (uint32_t v = 0; v < MOST_NODES; v++)
                if (to[v])
                    append_number(&text, " ", v);
            append(&text, ";");
        }
    return text.bytes;
}

/* Draws a random hypergraph, or the same matrix as Matrix Market (each message from its own
 * number). */
static void draw(struct dense *dense, struct text *text, struct pcg32 *random, bool is_matrix)
{
    struct text lines = {.length = 0};
    uint32_t entries = 0;
    *dense = (struct dense){.items = 1 + pcg32_below(random, MOST_ITEMS)};
    dense->messages = is_matrix ? dense->items : 1 + pcg32_below(random, MOST_MESSAGES);
    for (uint32_t m = 0; m < dense->messages; m++) {
        dense->sender[m] = is_matrix ? m : pcg32_below(random, dense->items);
        if (!is_matrix)
            append_number(&lines, "", dense->sender[m] + 1);
        for (uint32_t pins = pcg32_below(random, 6); pins > 0; pins--) {
            uint32_t item = pcg32_below(random, dense->items);
            dense->has[m][item] = true;
            entries++;
            append_number(&lines, is_matrix ? "" : " ", item + 1);
            if (is_matrix) {
                append_number(&lines, " ", m + 1);
                append(&lines, "\n");
            }
        }
        append(&lines, is_matrix ? "" : "\n");
    }
    text->length = 0;
    append(text, is_matrix ? "%%MatrixMarket matrix coordinate pattern general\n" : "");
    append_number(text, "", is_matrix ? dense->items : dense->messages);
    append_number(text, " ", dense->items);
    if (is_matrix)
        append_number(text, " ", entries);
    append(text, "\n");
    if (lines.length > 0)
        append(text, lines.bytes);
}

/* Random ones, by K items per node and by a partition, in row order. */
START_TEST(as_the_oracle)
{
    struct pcg32 random = pcg32_seed(5, 0x6974656d73);
    struct text *text = malloc(sizeof *text);
    for (int round = 0; round < 400; round++) {
        struct dense dense;
        uint32_t node_of[MOST_ITEMS], most = 0, side = 1, per_node = 1 + pcg32_below(&random, 5);
        struct import_options options = {.per_node = per_node};
        char path[TEMPORARY_PATH] = "";
        draw(&dense, text, &random, round % 2 == 0);
        FILE *part = round % 3 == 0 ? temporary_file(path) : NULL;
        for (uint32_t i = 0; i < dense.items; i++) {
            node_of[i] = part != NULL ? pcg32_below(&random, 20) : i / per_node;
            most = node_of[i] > most ? node_of[i] : most;
            if (part != NULL)
                fprintf(part, "%u\n", node_of[i]);
        }
        while (side * side <= most)
            side++;
        if (part != NULL) {
            fclose(part);
            options = (struct import_options){.part = path};
        }
        assert_import(text->bytes, round % 2 == 0 ? "a.mtx" : "a.hgr", options, side,
                      oracle(&dense, node_of));
        if (part != NULL)
            remove(path);
    }
    free(text);
}
END_TEST

/* ---- versions, refusals ---- */

/* Version 1 wherever no node has two messages, whatever the order of the nodes. */
START_TEST(versions)
{
    static const char graph[] = "9 9\n2 9\n1 3\n2 4\n3 5\n4 6\n5 7\n6 8\n7 9\n8 1\n";
    for (int map = IMPORT_ROW; map <= IMPORT_RANDOM; map++)
        for (uint32_t per_node = 1; per_node <= 2; per_node++) {
            struct import_options options = {.map = (enum import_map)map, .per_node = per_node};
            struct message_set set;
            struct failure failure = {0};
            ck_assert_int_eq(
                import_memory(graph, strlen(graph), "a.graph", &options, &set, NULL, &failure),
                FAIL_NONE);
            ck_assert_int_eq(message_set_version(&set), (int)per_node);
            ck_assert_uint_eq(message_set_most_sent(&set), per_node);
            ck_assert_uint_eq(set.messages, 9);
            message_set_free(&set);
        }
}
END_TEST

static void assert_refused(const char *text, const char *name, struct import_options options,
                           const char *fragment)
{
    struct message_set set;
    struct failure failure = {0};
    ck_assert_int_eq(import_memory(text, strlen(text), name, &options, &set, NULL, &failure),
                     FAIL_USAGE);
    ck_assert_msg(strstr(failure.text, fragment) != NULL, "%s", failure.text);
    ck_assert_ptr_null(set.source);
}

/* Options that are not for the format, and a mesh that is too small. */
START_TEST(options_are_refused)
{
    static const char graph[] = "3 2\n2\n1 3\n2\n", routes[] = "{\"topk_ids\":[1]}\n";
    assert_refused(graph, "a.graph", (struct import_options){.experts = 3}, "for --format routes");
    assert_refused(graph, "a.graph", (struct import_options){.place = "block"},
                   "for --format routes");
    assert_refused(routes, "a.jsonl", (struct import_options){.drop_diagonal = true},
                   "--no-diagonal");
    assert_refused(graph, "a.graph", (struct import_options){.per_node = 2, .part = "a"},
                   "give --part or --per-node");
    assert_refused(graph, "a.graph", (struct import_options){.per_node = 1, .shape = SQUARE(1)},
                   "mesh:1x1 has room for 1 of 3 indices; the least square mesh has side 2");
    assert_refused(graph, "a.graph", (struct import_options){.per_node = 2, .shape = SQUARE(1)},
                   "mesh:1x1 has room for 1 of 2 nodes; the least square mesh has side 2");
}
END_TEST

/* More experts than --experts allows are refused at their line. */
START_TEST(experts_are_counted)
{
    static const char routes[] = "{\"topk_ids\":[59]}\n{\"topk_ids\":[1,60]}\n";
    struct import_options options = {.experts = 60};
    struct message_set set;
    struct failure failure = {0};
    ck_assert_int_eq(
        import_memory(routes, strlen(routes), "a.jsonl", &options, &set, NULL, &failure),
        FAIL_INPUT);
    ck_assert_str_eq(failure.text, "a.jsonl:2: expected an expert from 0 to 59, found '60'");
}
END_TEST

/* Weights that were left out are reported: those of vertices, of edges, and columns of an edge
 * list. */
START_TEST(weights_are_told)
{
    static const struct {
        const char *text, *name, *note;
    } CASES[] = {{"2 3 11\n7 1 2\n8 2 3\n1\n2\n3\n", "a.hgr", "5 weights were left out"},
                 {"2 3\n1 2\n2 3\n", "a.hgr", ""},
                 {"2 1 011\n5 2 9\n6 1 9\n", "a.graph", "4 weights were left out"},
                 {"1 2 0.5\n2 3\n3 1 x y\n", "a.txt", "were left out, in 2 lines"},
                 {"1 2\n2 3\n", "a.txt", ""}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct import_options options = {.seed = 0};
        struct import_summary summary;
        struct message_set set;
        struct failure failure = {0};
        ck_assert_int_eq(import_memory(CASES[i].text, strlen(CASES[i].text), CASES[i].name,
                                       &options, &set, &summary, &failure),
                         FAIL_NONE);
        ck_assert_uint_eq(summary.notes.count, CASES[i].note[0] != '\0');
        ck_assert_ptr_nonnull(strstr(summary.notes.text[0], CASES[i].note));
        message_set_free(&set);
    }
}
END_TEST

/* A line of a hypergraph or a graph may be longer than those of other formats. */
START_TEST(long_lines)
{
    enum { PINS = 40000 };
    char *text = malloc((size_t)PINS * 12 + 64);
    size_t length = (size_t)sprintf(text, "1 %d\n1", PINS);
    for (int pin = 2; pin <= PINS; pin++)
        length += (size_t)sprintf(text + length, " %d", pin);
    sprintf(text + length, "\n");
    struct import_options options = {.seed = 0};
    struct message_set set;
    struct failure failure = {0};
    ck_assert_int_eq(import_memory(text, strlen(text), "a.hgr", &options, &set, NULL, &failure),
                     FAIL_NONE);
    ck_assert_uint_eq(set.deliveries, PINS - 1);
    message_set_free(&set);
    free(text);
}
END_TEST

void import_items_suite(TCase *tests)
{
    tcase_add_test(tests, hypergraphs_by_hand);
    tcase_add_test(tests, graphs_by_hand);
    tcase_add_test(tests, routes_by_hand);
    tcase_add_test(tests, experts_have_places);
    tcase_add_test(tests, as_the_oracle);
    tcase_add_test(tests, versions);
    tcase_add_test(tests, options_are_refused);
    tcase_add_test(tests, experts_are_counted);
    tcase_add_test(tests, weights_are_told);
    tcase_add_test(tests, long_lines);
}
