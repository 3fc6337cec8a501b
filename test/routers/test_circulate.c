/* test_circulate.c - the steps and packets of router `circulate`, which follow from the set alone (doc/circulate.md);
 * and the walks that it takes.
 */
#include "base/pcg.h"
#include "primitives/ring.h"
#include "test/length.h"
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *circulate_suite(void);

static uint32_t pattern_number(const char *name)
{
    uint32_t number = 0;
    while (strcmp(pattern_at(number)->name, name) != 0)
        number++;
    return number;
}

/* Ways shorter than a group of 64 places, of whole groups, and of groups and a part; corners; rows. */
static const struct mesh MESHES[] = {{2, 2},  {2, 3},   {3, 2},   {4, 4}, {6, 5}, {5, 6},
                                     {8, 8},  {2, 64},  {65, 2},  {3, 3}, {5, 3}, {7, 9},
                                     {11, 9}, {10, 19}, {13, 12}, {1, 2}, {9, 1}, {1, 70}};

/* ---- the steps ---- */

static node_place node_at(struct mesh mesh, node_index node)
{
    return place_of(node / mesh.cols, node % mesh.cols);
}

/* The links from the source to where `node` is first come to on that side, place by place. */
static uint32_t walk(const struct mesh_circuit *circuit, struct mesh mesh, unsigned side,
                     node_index source, node_index node)
{
    uint32_t place = mesh_circuit_home(circuit, side, node_at(mesh, source)), links = 0;
    uint32_t first = place - place % circuit->length;
    for (; links < circuit->length; links++) {
        bool is_home = mesh_circuit_home(circuit, side, node_at(mesh, node)) == place;
        if (mesh_circuit_place(circuit, place) == node_at(mesh, node) && is_home)
            return links;
        place = first + (place + 1 - first) % circuit->length;
        if (place == first && (mesh.rows == 1 || mesh.cols == 1))
            break;
    }
    return UINT32_MAX; /* there is no way */
}

/* The most links that a packet goes on each side. */
struct longest {
    struct mesh_circuit circuit;
    uint32_t links[2];
    bool any;    /* some message is not for its own source alone, .. */
    bool copies; /* .. some one is for several nodes */
};

static void follow_message(struct longest *longest, const struct message_set *set, uint32_t message)
{
    node_index source = set->source[message];
    longest->copies |= set->offset[message + 1] - set->offset[message] > 1;
    for (uint64_t i = set->offset[message]; i < set->offset[message + 1]; i++) {
        node_index node = set->destination[i];
        longest->any = true;
        if (source == longest->circuit.apart[0] && node == longest->circuit.apart[1])
            continue; /* before the tour */
        uint32_t links[2];
        for (unsigned side = 0; side < 2; side++)
            links[side] = walk(&longest->circuit, set->mesh, side, source, node);
        unsigned side = links[1] < links[0] || (links[1] == links[0] && node < source);
        if (links[side] > longest->links[side])
            longest->links[side] = links[side];
    }
}

/* With unit copies the packets of one side hop in even steps, those of the other one in odd steps, from the third one
 * on. */
static uint64_t steps_of_tour(const struct longest *longest, bool is_free)
{
    uint32_t first = longest->links[0], second = longest->links[1];
    uint32_t most = first > second ? first : second;
    if (is_free || !longest->copies)
        return most;
    return first > second ? 2 * first : second > 0 ? 2 * second + 1 : 0;
}

static void check_steps(struct message_set *set)
{
    ck_assert_int_eq(message_set_leave_home(set, NULL), FAIL_NONE);
    struct longest longest = {.circuit = mesh_circuit_of(set->mesh)};
    struct router_case run = router_case_make("circulate", NULL);
    struct router_result result;
    struct failure failure = {0};
    for (uint32_t i = 0; i < set->messages; i++)
        follow_message(&longest, set, i);
    bool is_row = set->mesh.rows == 1 || set->mesh.cols == 1;
    bool has_corner = longest.circuit.apart[0] != MESH_NO_NODE;
    uint32_t nodes = mesh_nodes(set->mesh), rounds = is_row       ? nodes - 1
                                                     : has_corner ? (nodes + 3) / 2
                                                                  : nodes / 2;
    for (int is_free = 0; is_free < 2; is_free++) {
        uint64_t corner = has_corner && longest.any ? 3 - is_free : 0;
        uint64_t steps = corner + steps_of_tour(&longest, is_free);
        run.copy_is_free = is_free;
        ck_assert_int_eq(router_case_run(&run, set, NULL, &result, &failure), FAIL_NONE);
        ck_assert_uint_eq(result.steps, steps);
        ck_assert_uint_le(result.steps, is_free ? rounds + corner : 2 * rounds + 1 + corner);
        ck_assert_uint_le(result.buffer_peak, longest.circuit.capacity);
        ck_assert_uint_eq(result.buffer_capacity, longest.circuit.capacity);
    }
}

/* Every pattern. */
START_TEST(patterns)
{
    static const uint32_t congestion[] = {1, 3, 16, 200};
    for (uint32_t pattern = 0; pattern < pattern_count(); pattern++)
        for (uint32_t c = 0; c < sizeof congestion / sizeof *congestion; c++) {
            struct message_set set;
            if (!router_case_pattern(&set, pattern, MESHES[_i], 0, congestion[c], pattern + c))
                continue;
            check_steps(&set);
            message_set_free(&set);
        }
}
END_TEST

/* Many stop at once, where each node makes one copy a step, both ways. */
START_TEST(crowds)
{
    struct message_set set;
    uint32_t broadcast = pattern_number("broadcast");
    for (uint32_t c = 2; c <= 130; c *= 3) {
        struct mesh mesh = {c % 4 == 2 ? 12 : 11, 11};
        ck_assert(router_case_pattern(&set, broadcast, mesh, 0, c < 121 ? c : 121, c));
        check_steps(&set);
        message_set_free(&set);
    }
}
END_TEST

/* One message alone: to itself, to a neighbour, across, to all these; and none at all. */
START_TEST(alone)
{
    static const char *const sets[] = {"mcast 1 10 20\n", "mcast 1 10 20\n43 43\n",
                                       "mcast 1 10 20\n43 44\n", "mcast 1 10 20\n43 131\n",
                                       "mcast 1 10 20\n43 0 19 42 43 44 131 199\n"};
    for (uint32_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct message_set set;
        router_case_set(&set, sets[i]);
        check_steps(&set);
        message_set_free(&set);
    }
}
END_TEST

/* A run of several tours ends with its last packet, also where other messages, for their own sources alone, take no tour.
 * Node (0, 0) sends first to its neighbour, and 4 * 4 / 2 steps later to the node three links away. */
START_TEST(own_messages_take_no_tour)
{
    struct router_case run = router_case_make("circulate", NULL);
    struct router_result result;
    struct failure failure = {0};
    struct message_set set;
    router_case_set(&set, "mcast 2 mesh 4 4\n5 5\n5 5\n5 5\n5 5\n0 0\n0 1\n0 12\nend 7\n");
    for (int is_free = 0; is_free < 2; is_free++) {
        run.copy_is_free = is_free;
        ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &failure), FAIL_NONE);
        ck_assert_uint_eq(result.steps, 8 + 3);
    }
    message_set_free(&set);
}
END_TEST

/* All nodes send to a row, of which two packets meet at each node in every hop. */
START_TEST(crowded_rows)
{
    static const struct mesh meshes[] = {{16, 16}, {15, 16}, {15, 15}, {1, 40}, {2, 30}};
    for (uint32_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        for (uint32_t row = 0; row < meshes[i].rows; row += 1 + meshes[i].rows / 3) {
            uint32_t nodes = mesh_nodes(meshes[i]), cols = meshes[i].cols;
            char *text = calloc((size_t)nodes * cols + 8, 8), *end = text;
            ck_assert_ptr_nonnull(text);
            end += sprintf(end, "mcast 1 %u %u\n", meshes[i].rows, cols);
            for (uint32_t source = 0; source < nodes; source++) {
                end += sprintf(end, "%u", source);
                for (uint32_t col = 0; col < cols; col++)
                    end += sprintf(end, " %u", row * cols + col);
                end += sprintf(end, "\n");
            }
            struct message_set set;
            router_case_set(&set, text);
            free(text);
            check_steps(&set);
            message_set_free(&set);
        }
}
END_TEST

/* A set of few messages to a few nodes each, of which some are those of many messages. */
static void draw_few(struct message_set *set, struct mesh mesh, uint64_t seed)
{
    enum { MESSAGES = 40, CROWDS = 12, MOST_SENT = 6 };
    char text[MESSAGES * 100], *end = text;
    uint32_t nodes = mesh_nodes(mesh), every = nodes / MESSAGES, draws = 0;
    end += sprintf(end, "mcast 1 %u %u\n", mesh.rows, mesh.cols);
    for (uint32_t message = 0; message < MESSAGES; message++) {
        uint32_t sent = 1 + pcg32_at(seed, 0, draws++) % MOST_SENT,
                 start = pcg32_at(seed, 0, draws++);
        end += sprintf(end, "%u", message * every + pcg32_at(seed, 0, draws++) % every);
        for (uint32_t i = 0; i < sent; i++) {
            uint32_t crowd = (start + i) % CROWDS,
                     node = pcg32_at(seed, 1, crowd) % (nodes / CROWDS);
            end += sprintf(end, " %u", crowd * (nodes / CROWDS) + node);
        }
        end += sprintf(end, "\n");
    }
    router_case_set(set, text);
}

/* Few packets on many links: a run that nobody observes takes several steps at once, and one with a trace does not. Both
 * must be the same, and the trace a right one. */
START_TEST(few)
{
    static const struct mesh meshes[] = {{72, 73}, {71, 73}, {1, 3000}};
    for (uint32_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        for (uint64_t seed = 0; seed < (TEST_IS_SHORT ? 2 : 20); seed++) {
            struct message_set set;
            struct router_case run = router_case_make("circulate", NULL);
            draw_few(&set, meshes[i], seed);
            router_case_check(&run, &set, NULL);
            message_set_free(&set);
        }
}
END_TEST

/* Each way is a walk over links, no two places leave by the same one, and both directions of a link
 * are used or none. That of a row or column is not closed. From everywhere to everywhere there are at most `rounds` links on one side. */
START_TEST(walks)
{
    struct mesh mesh = MESHES[_i];
    struct mesh_circuit circuit = mesh_circuit_of(mesh);
    uint32_t nodes = mesh_nodes(mesh);
    uint8_t *uses = calloc((size_t)nodes * nodes, 1), *places = calloc(nodes, 1);
    ck_assert(uses != NULL && places != NULL);
    for (uint32_t i = 0; i < 2 * circuit.length; i++) {
        uint32_t first = i - i % circuit.length;
        node_place a = mesh_circuit_place(&circuit, i);
        ck_assert_uint_le(++places[place_row(a) * mesh.cols + place_col(a)],
                          nodes > 2 ? circuit.capacity : 2);
        if ((mesh.rows == 1 || mesh.cols == 1) && i + 1 - first == circuit.length)
            continue;
        node_place b = mesh_circuit_place(&circuit, first + (i + 1 - first) % circuit.length);
        node_index from = place_row(a) * mesh.cols + place_col(a);
        node_index to = place_row(b) * mesh.cols + place_col(b);
        uint32_t rows =
            place_row(a) > place_row(b) ? place_row(a) - place_row(b) : place_row(b) - place_row(a);
        uint32_t cols =
            place_col(a) > place_col(b) ? place_col(a) - place_col(b) : place_col(b) - place_col(a);
        ck_assert_uint_eq(rows + cols, 1);
        ck_assert_uint_eq(uses[(size_t)from * nodes + to]++, 0);
    }
    for (node_index a = 0; a < nodes; a++)
        for (node_index b = 0; b < nodes; b++) {
            uint32_t on = mesh_circuit_hops(&circuit, 0, node_at(mesh, a), node_at(mesh, b));
            uint32_t back = mesh_circuit_hops(&circuit, 1, node_at(mesh, a), node_at(mesh, b));
            ck_assert_uint_eq(uses[(size_t)a * nodes + b], uses[(size_t)b * nodes + a]);
            bool is_apart = a == circuit.apart[0] && b == circuit.apart[1];
            ck_assert(is_apart || on <= circuit.rounds || back <= circuit.rounds);
            uint32_t walked[2] = {walk(&circuit, mesh, 0, a, b), walk(&circuit, mesh, 1, a, b)};
            ck_assert(walked[0] == UINT32_MAX ? on >= circuit.length : on == walked[0]);
            ck_assert(walked[1] == UINT32_MAX ? back >= circuit.length : back == walked[1]);
        }
    free(uses);
    free(places);
}
END_TEST

Suite *circulate_suite(void)
{
    Suite *suite = suite_create("circulate");
    TCase *tests = tcase_create("circulate");
    tcase_add_loop_test(tests, patterns, 0, sizeof MESHES / sizeof *MESHES);
    tcase_add_test(tests, crowds);
    tcase_add_test(tests, alone);
    tcase_add_test(tests, own_messages_take_no_tour);
    tcase_add_test(tests, crowded_rows);
    tcase_add_test(tests, few);
    tcase_add_loop_test(tests, walks, 0, sizeof MESHES / sizeof *MESHES);
    suite_add_tcase(suite, tests);
    return suite;
}
