/* test_import_shapes.c - import on rectangles, tori and graphs: the places of items, against the
 * topology's own neighbours. */
#include "base/pcg.h"
#include "network/topology/topology.h"
#include "test/workloads/import_case.h"
#include "workloads/placement.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct shape shape_of(const char *kind, const char *sizes)
{
    struct shape shape;
    enum topology_kind number = TOPOLOGY_MESH;
    while (strcmp(topology_kind_names[number], kind) != 0)
        number++;
    ck_assert(shape_read_sizes(sizes, number, &shape));
    return shape;
}

/* Meshes and tori of 1 to 4 dimensions, and a graph. */
enum { SHAPES = 10, MOST_NODES = 256 };
static struct shape shape_number(int index)
{
    static const char *const TEXT[SHAPES][2] = {
        {"mesh", "17"},    {"mesh", "3x11"}, {"mesh", "11x3"}, {"torus", "4x6"},
        {"mesh", "3x4x5"}, {"torus", "2x3"}, {"torus", "13"},  {"mesh", "2x3x2x5"},
        {"graph", "19"},   {"mesh", "1x9"}};
    return shape_of(TEXT[index][0], TEXT[index][1]);
}

static struct message_set import_on(const char *text, struct import_options options)
{
    struct message_set set;
    struct failure failure = {0};
    ck_assert_msg(import_memory(text, strlen(text), "a.mtx", &options, &set, NULL, &failure) ==
                      FAIL_NONE,
                  "%s", failure.text);
    return set;
}

/* The matrix of a topology's graph, in row order on that topology, sends to each node's
 * neighbours. */
START_TEST(neighbours_stay_neighbours)
{
    struct shape shape = shape_number(_i);
    if (shape.kind == TOPOLOGY_GRAPH)
        return;
    struct topology topology = topology_of_shape(&shape);
    char *text = malloc(1 << 16), *lines = malloc(1 << 16);
    uint32_t entries = 0;
    size_t used = 0;
    for (uint32_t v = 0; v < topology.nodes; v++)
        for (uint32_t port = 0; port < topology.ports; port++) {
            uint32_t to = topology_neighbour(&topology, v, port);
            if (to == TOPOLOGY_NO_NODE || topology_port_to(&topology, v, to) != port)
                continue;
            used += (size_t)sprintf(lines + used, "%u %u\n", to + 1, v + 1);
            entries++;
        }
    sprintf(text, "%%%%MatrixMarket matrix coordinate pattern general\n%u %u %u\n%s",
            topology.nodes, topology.nodes, entries, lines);
    struct message_set set = import_on(text, (struct import_options){.shape = shape});
    ck_assert(shape_equals(&set.shape, &shape));
    ck_assert_int_eq(message_set_version(&set),
                     shape.kind == TOPOLOGY_MESH && shape.dimensions == 2 ? 1 : 2);
    ck_assert_uint_eq(set.messages, topology.nodes);
    ck_assert_uint_eq(set.deliveries, entries);
    for (uint32_t i = 0; i < set.messages; i++)
        for (uint64_t d = set.offset[i]; d < set.offset[i + 1]; d++)
            ck_assert_uint_eq(topology_distance(&topology, set.source[i], set.destination[d]), 1);
    message_set_free(&set);
    free(text);
    free(lines);
}
END_TEST

/* A grid of 30 x 50 vertices has a hop for each entry on 30 x 50 nodes, on the least square the sum
 * of distances there. */
START_TEST(grid_on_its_rectangle)
{
    enum { ROWS = 30, COLS = 50, SIDE = 39, ENTRIES = 2 * (ROWS * (COLS - 1) + COLS * (ROWS - 1)) };
    char *text = malloc(1 << 17);
    size_t used =
        (size_t)sprintf(text, "%%%%MatrixMarket matrix coordinate pattern general\n%d %d %d\n",
                        ROWS * COLS, ROWS * COLS, ENTRIES);
    uint64_t on_square = 0;
    for (int v = 0; v < ROWS * COLS; v++)
        for (int to = 0; to < ROWS * COLS; to++)
            if (abs(v / COLS - to / COLS) + abs(v % COLS - to % COLS) == 1) {
                used += (size_t)sprintf(text + used, "%d %d\n", to + 1, v + 1);
                on_square += (uint64_t)(abs(v / SIDE - to / SIDE) + abs(v % SIDE - to % SIDE));
            }
    struct shape shape[2] = {{0}, shape_of("mesh", "30x50")};
    for (int i = 0; i < 2; i++) {
        struct message_set set = import_on(text, (struct import_options){.shape = shape[i]});
        struct topology topology = topology_of_shape(&set.shape);
        uint64_t hops = 0;
        for (uint32_t m = 0; m < set.messages; m++)
            for (uint64_t d = set.offset[m]; d < set.offset[m + 1]; d++)
                hops += topology_distance(&topology, set.source[m], set.destination[d]);
        ck_assert_uint_eq(hops, i == 0 ? on_square : ENTRIES);
        message_set_free(&set);
    }
    free(text);
}
END_TEST

/* Row order gives an item the node of its number on every shape, also with several items a node. */
START_TEST(row_order_is_the_same_everywhere)
{
    struct shape shape = shape_number(_i);
    struct pcg32 random = pcg32_seed(9, (uint64_t)_i);
    uint32_t items = 2 * shape_nodes(&shape);
    char text[4096];
    size_t used = (size_t)sprintf(text, "%%%%MatrixMarket matrix coordinate pattern general\n");
    used += (size_t)sprintf(text + used, "%u %u 200\n", items, items);
    for (int i = 0; i < 200; i++)
        used += (size_t)sprintf(text + used, "%u %u\n", 1 + pcg32_below(&random, items),
                                1 + pcg32_below(&random, items));
    struct message_set square = import_on(text, (struct import_options){.per_node = 2});
    struct message_set set =
        import_on(text, (struct import_options){.per_node = 2, .shape = shape});
    ck_assert_uint_eq(set.messages, square.messages);
    ck_assert_uint_eq(set.deliveries, square.deliveries);
    ck_assert(memcmp(set.source, square.source, set.messages * sizeof *set.source) == 0);
    ck_assert(
        memcmp(set.destination, square.destination, set.deliveries * sizeof *set.destination) == 0);
    message_set_free(&set);
    message_set_free(&square);
}
END_TEST

/* Row, snake and random orders meet each node of every shape once; along the snake nodes are
 * joined, on a graph in the order of their numbers. */
START_TEST(orders_on_every_shape)
{
    static const enum import_map MAPS[] = {IMPORT_ROW, IMPORT_SNAKE, IMPORT_RANDOM};
    struct shape shape = shape_number(_i);
    uint32_t nodes = shape_nodes(&shape);
    for (size_t m = 0; m < sizeof MAPS / sizeof *MAPS; m++) {
        struct node_order order;
        struct failure failure = {0};
        bool seen[MOST_NODES] = {false};
        ck_assert_int_eq(node_order_make(&order, MAPS[m], &shape, nodes, 4, &failure), FAIL_NONE);
        for (uint32_t i = 0; i < nodes; i++) {
            node_index node = node_order_at(&order, i);
            ck_assert_uint_lt(node, nodes);
            ck_assert(!seen[node]);
            seen[node] = true;
            if (MAPS[m] != IMPORT_SNAKE)
                continue;
            if (shape.kind == TOPOLOGY_GRAPH) {
                ck_assert_uint_eq(node, i);
                continue;
            }
            struct topology topology = topology_of_shape(&shape);
            ck_assert_uint_eq(topology_label(&topology, node), i);
            if (i > 0)
                ck_assert_uint_eq(topology_distance(&topology, node_order_at(&order, i - 1), node),
                                  1);
        }
        node_order_free(&order);
    }
}
END_TEST

/* Hilbert's order meets each node of every rectangle up to 40 x 40 once, from node to neighbour,
 * but for one diagonal step where the longer side is odd and the shorter one is even. */
START_TEST(hilbert_on_rectangles)
{
    for (int rows = 1; rows <= 40; rows++)
        for (int cols = 1; cols <= 40; cols++) {
            struct shape shape = shape_of_mesh((struct mesh){(uint32_t)rows, (uint32_t)cols});
            struct node_order order;
            struct failure failure = {0};
            bool *seen = calloc((size_t)(rows * cols), sizeof *seen);
            int longer = rows > cols ? rows : cols, shorter = rows + cols - longer, diagonal = 0;
            ck_assert_int_eq(node_order_make(&order, IMPORT_HILBERT, &shape,
                                             (uint32_t)(rows * cols), 0, &failure),
                             FAIL_NONE);
            for (int i = 0; i < rows * cols; i++) {
                int node = (int)node_order_at(&order, (uint32_t)i);
                ck_assert(node < rows * cols && !seen[node]);
                seen[node] = true;
                int before = i > 0 ? (int)node_order_at(&order, (uint32_t)i - 1) : 0;
                int down = abs(node / cols - before / cols),
                    across = abs(node % cols - before % cols);
                ck_assert(down <= 1 && across <= 1);
                diagonal += down + across == 2;
            }
            ck_assert_msg(diagonal <= (longer % 2 == 1 && shorter % 2 == 0),
                          "%d x %d: %d diagonal steps", rows, cols, diagonal);
            node_order_free(&order);
            free(seen);
        }
}
END_TEST

/* A shape that is too small, and an order that it does not have, are wrong usage. */
START_TEST(refusals)
{
    static const char text[] = "%%MatrixMarket matrix coordinate pattern general\n2 26 1\n1 26\n";
    const struct {
        struct shape shape;
        enum import_map map;
        const char *message;
    } CASES[] = {
        {shape_of("mesh", "5x5"), IMPORT_ROW,
         "mesh:5x5 has room for 25 of 26 indices; the least square mesh has side 6, or --per-node "
         "larger"},
        {shape_of("torus", "2x3x4"), IMPORT_SNAKE,
         "torus:2x3x4 has room for 24 of 26 indices; the least square mesh has side 6, or "
         "--per-node larger"},
        {shape_of("torus", "3x3x4"), IMPORT_HILBERT,
         "the order hilbert is one of meshes and tori of two dimensions, torus:3x3x4 is none; row, "
         "snake and random are orders of every topology"},
        {shape_of("graph", "30"), IMPORT_HILBERT,
         "the order hilbert is one of meshes and tori of two dimensions, graph:30 is none; row, "
         "snake and random are orders of every topology"}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct import_options options = {.shape = CASES[i].shape, .map = CASES[i].map};
        struct message_set set;
        struct failure failure = {0};
        ck_assert_int_eq(import_memory(text, strlen(text), "a.mtx", &options, &set, NULL, &failure),
                         FAIL_USAGE);
        ck_assert_str_eq(failure.text, CASES[i].message);
        ck_assert_ptr_null(set.source);
    }
}
END_TEST

void import_shapes_suite(TCase *tests)
{
    tcase_add_loop_test(tests, neighbours_stay_neighbours, 0, SHAPES);
    tcase_add_test(tests, grid_on_its_rectangle);
    tcase_add_loop_test(tests, row_order_is_the_same_everywhere, 0, SHAPES);
    tcase_add_loop_test(tests, orders_on_every_shape, 0, SHAPES);
    tcase_add_test(tests, hilbert_on_rectangles);
    tcase_add_test(tests, refusals);
}
