/* test_header_words.c - words of headers: by hand, and against an oracle that marks nodes in an
 * array. */
#include "base/pcg.h"
#include "workloads/header_words.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 16, CUBES = 81 };

static struct header_words words_of(const char *text)
{
    struct message_set set;
    struct failure failure = {0};
    ck_assert_msg(message_set_read_memory(&set, text, strlen(text), "set", &failure) == FAIL_NONE,
                  "%s", failure.text);
    struct header_words words;
    ck_assert_int_eq(header_words_of(&set, &words, &failure), FAIL_NONE);
    message_set_free(&set);
    return words;
}

/* 4 x 8 nodes, words of 5 bits: a bitmap has 7. A block, a row of eight, a scatter, a diagonal, one
 * node. */
START_TEST(by_hand)
{
    struct header_words words = words_of("mcast 1 4 8\n0 9 10 17 18\n1 8 9 10 11 12 13 14 15\n"
                                         "2 0 2 4 6 8 10 12 14\n3 0 9 18\n4 31\n");
    ck_assert_uint_eq(words.bits, 5);
    static const struct header_figures EXPECTED[HEADER_KINDS] = {
        [HEADER_LIST] = {.messages = 5, .smallest = 2, .words = 24, .largest = 8},
        [HEADER_BITMAP] = {.messages = 5, .smallest = 0, .words = 35, .largest = 7},
        [HEADER_RANGES] = {.messages = 5,
                           .smallest = 1,
                           .words = 4 + 2 + 16 + 6 + 2,
                           .largest = 16},
        [HEADER_RECTANGLE] = {.messages = 3, .smallest = 1, .words = 6, .largest = 2},
        [HEADER_MASKS] = {.messages = 5, .smallest = 1, .words = 8 + 2 + 2 + 6 + 2, .largest = 8}};
    for (int kind = 0; kind < HEADER_KINDS; kind++) {
        ck_assert_uint_eq(words.kind[kind].messages, EXPECTED[kind].messages);
        ck_assert_uint_eq(words.kind[kind].smallest, EXPECTED[kind].smallest);
        ck_assert_uint_eq(words.kind[kind].words, EXPECTED[kind].words);
        ck_assert_uint_eq(words.kind[kind].largest, EXPECTED[kind].largest);
    }
    ck_assert_uint_eq(words.best.words, 2 + 2 + 2 + 3 + 1);
    ck_assert_uint_eq(words.best.largest, 3);
    ck_assert_uint_eq(words.best.messages, 5);
}
END_TEST

/* A graph has no rectangles; one node needs a word of a bit; an empty set has nothing. */
START_TEST(shapes)
{
    struct header_words words = words_of("mcast 2 graph 4\n0 0 1 2 3\nend 1\n");
    ck_assert_uint_eq(words.kind[HEADER_RECTANGLE].messages, 0);
    ck_assert_uint_eq(words.kind[HEADER_RANGES].words, 2);
    words = words_of("mcast 1 1 1\n0 0\n");
    ck_assert_uint_eq(words.bits, 1);
    ck_assert_uint_eq(words.best.words, 1);
    words = words_of("mcast 2 mesh 2 3 4\n0 1 2 5 6 13 14 17 18\nend 1\n"); /* 2 x 2 x 2 */
    ck_assert_uint_eq(words.kind[HEADER_RECTANGLE].words, 2);
    words = words_of("mcast 1 2 2\n");
    ck_assert_uint_eq(words.best.messages, 0);
}
END_TEST

/* Random boxes of 5 x 6 x 7 nodes, some with a node more or less. */
START_TEST(boxes)
{
    enum { Z = 5, Y = 6, X = 7, NODES = Z * Y * X };
    struct pcg32 random = pcg32_seed(3, 0x626f78);
    for (int round = 0; round < 300; round++) {
        char text[2048] = "mcast 2 mesh 5 6 7\n0";
        bool in[NODES + 1] = {false};
        uint32_t from[3], to[3], size[3] = {Z, Y, X}, count = 0, runs = 0, spoilt = NODES;
        for (int d = 0; d < 3; d++) {
            from[d] = pcg32_below(&random, size[d]);
            to[d] = from[d] + pcg32_below(&random, size[d] - from[d]);
        }
        for (uint32_t z = from[0]; z <= to[0]; z++)
            for (uint32_t y = from[1]; y <= to[1]; y++)
                for (uint32_t x = from[2]; x <= to[2]; x++)
                    in[(z * Y + y) * X + x] = true;
        if (round % 2 ==
            1) { /* a corner goes, of a box with more than one node in every dimension */
            spoilt = (from[0] * Y + from[1]) * X + from[2];
            in[spoilt] = to[0] == from[0] || to[1] == from[1] || to[2] == from[2];
        }
        for (uint32_t v = 0; v < NODES; v++) {
            count += in[v];
            runs += in[v] && (v == 0 || !in[v - 1]);
            if (in[v])
                snprintf(text + strlen(text), sizeof text - strlen(text), " %u", v);
        }
        strcat(text, "\nend 1\n");
        struct header_words words = words_of(text);
        bool is_box = spoilt == NODES || in[spoilt];
        ck_assert_uint_eq(words.kind[HEADER_LIST].words, count);
        ck_assert_uint_eq(words.kind[HEADER_RANGES].words, 2 * runs);
        ck_assert_uint_eq(words.kind[HEADER_BITMAP].words, (NODES + 7) / 8);
        ck_assert_uint_eq(words.kind[HEADER_RECTANGLE].messages, is_box);
    }
}
END_TEST

/* Lists the nodes, as bits, that each pair names; returns the number of distinct pairs. */
static int list_cubes(uint32_t nodes, unsigned bits, uint32_t *cube)
{
    int cubes = 0;
    for (uint32_t mask = 0; mask < 1u << bits; mask++)
        for (uint32_t value = 0; value < 1u << bits; value++) {
            uint32_t named = 0;
            for (uint32_t v = 0; v < nodes; v++)
                named |= (uint32_t)((v & ~mask) == value) << v;
            if (named != 0)
                cube[cubes++] = named;
        }
    return cubes;
}

/* True if `pairs` of the cubes, all within `wanted`, name the nodes of `left`: one must name the
 * lowest of them. */
static bool can_name(uint32_t left, uint32_t wanted, int pairs, const uint32_t *cube, int cubes)
{
    if (left == 0 || pairs == 0)
        return left == 0;
    for (int i = 0; i < cubes; i++)
        if ((cube[i] & ~wanted) == 0 && (cube[i] & left & (0 - left)) != 0 &&
            can_name(left & ~cube[i], wanted, pairs - 1, cube, cubes))
            return true;
    return false;
}

/* Returns the pairs of masks of a message to `count` nodes of a line of so many. */
static uint64_t pairs_of(uint32_t nodes, const node_index *node, uint64_t count)
{
    struct failure failure = {0};
    struct message_set set;
    struct header_words words;
    struct shape shape = {.kind = TOPOLOGY_GRAPH, .dimensions = 1, .size = {nodes}};
    ck_assert_int_eq(message_set_allocate(&set, shape, count > 0, count, &failure), FAIL_NONE);
    if (count > 0)
        memcpy(set.destination, node, count * sizeof *node);
    ck_assert_int_eq(header_words_of(&set, &words, &failure), FAIL_NONE);
    message_set_free(&set);
    return words.kind[HEADER_MASKS].words / 2;
}

/* All sets of up to 11 nodes, and each 61st of 16: with up to five nodes the fewest pairs, else at
 * most three more, and at most a twentieth more in all. */
START_TEST(against_the_least)
{
    for (uint32_t nodes = 1; nodes <= MOST_NODES; nodes += nodes == 11 ? 5 : 1) {
        node_index node[MOST_NODES];
        uint32_t cube[CUBES], bits = 1;
        uint64_t found = 0, least = 0;
        while ((nodes - 1) >> bits != 0)
            bits++;
        int cubes = list_cubes(nodes, bits, cube);
        for (uint32_t wanted = 1; wanted<1u << nodes; wanted += nodes> 11 ? 61 : 1) {
            uint32_t count = 0;
            for (uint32_t v = 0; v < nodes; v++)
                if (wanted >> v & 1)
                    node[count++] = v;
            uint64_t pairs = pairs_of(nodes, node, count);
            int fewest = 1;
            while (!can_name(wanted, wanted, fewest, cube, cubes))
                fewest++;
            ck_assert_uint_ge(pairs, (uint64_t)fewest);
            ck_assert_uint_le(pairs, (uint64_t)fewest + (nodes > 5 ? 3 : 0));
            found += pairs;
            least += (uint64_t)fewest;
        }
        ck_assert_msg(20 * found <= 21 * least, "%u nodes", nodes);
    }
}
END_TEST

/* Large ones: all nodes, a row and a column of a mesh, a box that no power of two bounds, none. */
START_TEST(large)
{
    enum { ROWS = 100, COLS = 64, NODES = ROWS * COLS };
    static node_index node[NODES];
    static const struct {
        uint32_t rows[2], cols[2];
        uint64_t pairs;
    } BOX[] = {{{0, ROWS}, {0, COLS}, 1}, {{37, 38}, {0, COLS}, 1}, {{0, ROWS}, {21, 22}, 1},
               {{4, 8}, {8, 16}, 1},      {{0, 96}, {0, 3}, 4},     {{5, 5}, {0, 0}, 0}};
    for (size_t b = 0; b < sizeof BOX / sizeof *BOX; b++) {
        uint64_t count = 0;
        for (uint32_t r = BOX[b].rows[0]; r < BOX[b].rows[1]; r++)
            for (uint32_t c = BOX[b].cols[0]; c < BOX[b].cols[1]; c++)
                node[count++] = r * COLS + c;
        ck_assert_uint_eq(pairs_of(NODES, node, count), BOX[b].pairs);
    }
}
END_TEST

void header_words_suite(TCase *tests)
{
    tcase_add_test(tests, by_hand);
    tcase_add_test(tests, shapes);
    tcase_add_test(tests, boxes);
    tcase_add_test(tests, against_the_least);
    tcase_add_test(tests, large);
}
