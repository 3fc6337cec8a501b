/* test_expert_place.c - experts placed by a file, with replicas: the nearest by a search from the
 * token's node. */
#include "base/pcg.h"
#include "test/temporary.h"
#include "test/workloads/import_case.h"
#include "workloads/pattern.h"
#include "workloads/pattern_inputs.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPERTS = 6, MOST_REPLICAS = 4, MOST_NODES = 64, MOST_TOKENS = 128, TEXT_SIZE = 1 << 14 };

/* The nodes of each expert, in a file. */
struct table {
    uint32_t replicas[EXPERTS];
    node_index node[EXPERTS][MOST_REPLICAS];
    char path[TEMPORARY_PATH];
};

static struct table draw_table(struct pcg32 *random, uint32_t nodes)
{
    struct table table = {.replicas = {0}};
    FILE *file = temporary_file(table.path);
    fprintf(file, "# nodes of experts\n\n");
    for (int e = 0; e < EXPERTS; e++) {
        table.replicas[e] = 1 + pcg32_below(random, MOST_REPLICAS);
        for (uint32_t r = 0; r < table.replicas[e]; r++) {
            table.node[e][r] = pcg32_below(random, nodes);
            fprintf(file, "%s%u", r > 0 ? "\t" : " ", table.node[e][r]);
        }
        fprintf(file, "\n");
    }
    fclose(file);
    return table;
}

/* Returns the replica that a breadth-first search from the node meets first, of those at one
 * distance the lowest. */
static node_index search(const struct table *table, const struct topology *topology,
                         uint32_t expert, node_index from)
{
    bool is_met[MOST_NODES] = {false}, is_next[MOST_NODES];
    is_met[from] = true;
    for (;;) {
        node_index best = TOPOLOGY_NO_NODE;
        for (uint32_t r = 0; r < table->replicas[expert]; r++)
            if (is_met[table->node[expert][r]] && table->node[expert][r] < best)
                best = table->node[expert][r];
        if (best != TOPOLOGY_NO_NODE)
            return best;
        memcpy(is_next, is_met, sizeof is_met);
        for (node_index v = 0; v < topology->nodes; v++)
            for (uint32_t p = 0; is_met[v] && p < topology_node_ports(topology, v); p++) {
                uint32_t to = topology_neighbour(topology, v, p);
                if (to != TOPOLOGY_NO_NODE)
                    is_next[to] = true;
            }
        memcpy(is_met, is_next, sizeof is_met);
    }
}

static void assert_goes_to(const struct message_set *set, uint32_t message, const bool *wanted)
{
    bool to[MOST_NODES] = {false};
    for (uint64_t d = set->offset[message]; d < set->offset[message + 1]; d++)
        to[set->destination[d]] = true;
    for (node_index v = 0; v < MOST_NODES; v++)
        ck_assert_msg(to[v] == wanted[v], "message %u, node %u: %d", message, v, to[v]);
}

/* Routes on meshes and tori: every token goes to the nearest replica of each expert. */
START_TEST(routes_go_to_the_nearest)
{
    static const struct shape SHAPES[] = {
        {TOPOLOGY_MESH, 2, {6, 5}},     {TOPOLOGY_TORUS, 2, {7, 4}}, {TOPOLOGY_MESH, 3, {4, 4, 3}},
        {TOPOLOGY_TORUS, 3, {3, 5, 4}}, {TOPOLOGY_TORUS, 1, {40}},   {TOPOLOGY_MESH, 1, {33}}};
    struct pcg32 random = pcg32_seed(2, 0x65787065727473);
    char *text = malloc(TEXT_SIZE);
    for (int round = 0; round < 60; round++) {
        struct shape shape = SHAPES[round % 6];
        struct topology topology = topology_of_shape(&shape);
        struct table table = draw_table(&random, topology.nodes);
        uint32_t per_node = 1 + (uint32_t)round % 2, tokens = topology.nodes * per_node;
        bool wanted[MOST_TOKENS][MOST_NODES] = {{false}};
        size_t used = 0;
        for (uint32_t t = 0; t < tokens; t++) {
            used += (size_t)sprintf(text + used, "{\"topk_ids\":[");
            for (int k = 0; k < 3; k++) {
                uint32_t e = pcg32_below(&random, EXPERTS);
                wanted[t][search(&table, &topology, e, t / per_node)] = true;
                used += (size_t)sprintf(text + used, "%s%u", k > 0 ? "," : "", e);
            }
            used += (size_t)sprintf(text + used, "]}\n");
        }
        struct import_options options = {.shape = shape, .per_node = per_node, .place = table.path};
        struct message_set set;
        struct failure failure = {0};
        ck_assert_msg(import_memory(text, used, "a.jsonl", &options, &set, NULL, &failure) ==
                          FAIL_NONE,
                      "%s", failure.text);
        ck_assert_uint_eq(set.messages, tokens);
        for (uint32_t t = 0; t < tokens; t++) {
            ck_assert_uint_eq(set.source[t], t / per_node);
            assert_goes_to(&set, t, wanted[t]);
        }
        message_set_free(&set);
        remove(table.path);
    }
    free(text);
}
END_TEST

static struct message_set generate(const struct expert_load *load)
{
    struct pattern_options options = {
        .mesh = {8, 8}, .degree = 3, .per_node = 2, .seed = 5, .experts = load};
    struct message_set set;
    struct failure failure = {0};
    ck_assert_msg(pattern_generate(pattern_find("moe"), &options, &set, &failure) == FAIL_NONE,
                  "%s", failure.text);
    return set;
}

/* Pattern moe draws the same experts wherever they are: with a file of one node each as by rule,
 * with replicas each token goes to the nearest replica of each expert that it drew, known from a
 * file of distinct nodes. */
START_TEST(moe_goes_to_the_nearest)
{
    struct pcg32 random = pcg32_seed(3, 0x65787065727473);
    struct shape shape = shape_of_mesh((struct mesh){8, 8});
    struct topology topology = topology_of_shape(&shape);
    struct expert_load rule = {.experts = EXPERTS, .place = EXPERTS_BLOCK}, load = rule;
    struct failure failure = {0};
    struct message_set drawn = generate(&rule); /* expert e is on node e */
    for (int round = 0; round < 20; round++) {
        struct table table = draw_table(&random, 64);
        ck_assert_int_eq(expert_nodes_read(&load.nodes, table.path, 0, NULL, &failure), FAIL_NONE);
        struct message_set set = generate(&load);
        ck_assert_uint_eq(set.messages, drawn.messages);
        for (uint32_t i = 0; i < set.messages; i++) {
            bool wanted[MOST_NODES] = {false};
            ck_assert_uint_eq(set.source[i], drawn.source[i]);
            for (uint64_t d = drawn.offset[i]; d < drawn.offset[i + 1]; d++)
                wanted[search(&table, &topology, drawn.destination[d], set.source[i])] = true;
            assert_goes_to(&set, i, wanted);
        }
        message_set_free(&set);
        node_lines_free(&load.nodes);
        remove(table.path);
    }
    message_set_free(&drawn);
}
END_TEST

/* Without a shape the mesh has room for the experts' nodes; wrong numbers of experts and replicas
 * on a graph are refused. */
START_TEST(shapes_and_numbers)
{
    static const char text[] = "{\"topk_ids\":[1]}\n{\"topk_ids\":[0]}\n";
    char path[TEMPORARY_PATH];
    FILE *file = temporary_file(path);
    fputs("3\n35 7\n", file);
    fclose(file);
    struct message_set set;
    struct failure failure = {0};
    struct import_options options = {.place = path};
    ck_assert_int_eq(import_memory(text, strlen(text), "a.jsonl", &options, &set, NULL, &failure),
                     FAIL_NONE);
    ck_assert_uint_eq(set.mesh.rows, 6);
    ck_assert_uint_eq(set.destination[0], 7);
    ck_assert_uint_eq(set.destination[1], 3);
    message_set_free(&set);
    options.experts = 3;
    ck_assert_int_eq(import_memory(text, strlen(text), "a.jsonl", &options, &set, NULL, &failure),
                     FAIL_USAGE);
    ck_assert_msg(strstr(failure.text, "--experts 3 are not the 2 of ") == failure.text, "%s",
                  failure.text);
    failure = (struct failure){0};
    options.experts = 0;
    options.shape = (struct shape){TOPOLOGY_GRAPH, 1, {50}};
    ck_assert_int_eq(import_memory(text, strlen(text), "a.jsonl", &options, &set, NULL, &failure),
                     FAIL_USAGE);
    ck_assert_msg(strstr(failure.text, "give each expert one node") != NULL, "%s", failure.text);
    failure = (struct failure){0};
    ck_assert_int_eq(
        import_memory("{\"topk_ids\":[2]}", 16, "a.jsonl", &options, &set, NULL, &failure),
        FAIL_INPUT);
    ck_assert_str_eq(failure.text, "a.jsonl:1: expected an expert from 0 to 1, found '2'");
    remove(path);
}
END_TEST

void expert_place_suite(TCase *tests)
{
    tcase_add_test(tests, routes_go_to_the_nearest);
    tcase_add_test(tests, moe_goes_to_the_nearest);
    tcase_add_test(tests, shapes_and_numbers);
}
