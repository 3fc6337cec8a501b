/* route_walk.c - ways of routings, and topologies for tests. */
#include "test/schemes/route_walk.h"

#include "test/temporary.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void route_walk(struct route_walk *walk, const struct topology *topology,
                const struct routing *routing, uint32_t from, uint32_t to)
{
    uint32_t classes = routing->classes(topology);
    struct routing_choice last = {0};
    walk->hops = 0;
    walk->node[0] = from;
    while (from != to) {
        struct routing_choice choice[ROUTING_CHOICES];
        uint32_t count = routing->next(topology, from, to, choice);
        ck_assert_uint_ge(count, 1);
        ck_assert_uint_le(count, ROUTING_CHOICES);
        ck_assert_uint_lt(choice[0].class, classes);
        /* The hop before has said so */
        if (last.run > 0) {
            ck_assert_uint_eq(count, 1);
            ck_assert_uint_eq(choice[0].port, last.port);
            ck_assert_uint_eq(choice[0].class, last.class);
            ck_assert_uint_eq(choice[0].run, last.run - 1);
        }
        last = choice[0];
        uint32_t next = topology_neighbour(topology, from, choice[0].port);
        ck_assert_uint_ne(next, TOPOLOGY_NO_NODE);
        ck_assert_uint_lt(walk->hops, ROUTE_WALK_HOPS);
        walk->link[walk->hops] = topology_link(topology, from, choice[0].port);
        walk->class[walk->hops] = choice[0].class;
        walk->node[++walk->hops] = from = next;
    }
}

static struct topology random_graph(uint32_t nodes, uint32_t edges)
{
    char path[TEMPORARY_PATH];
    struct topology topology;
    struct failure failure = {0};
    struct pcg32 random = pcg32_seed(nodes, edges);
    FILE *file = temporary_file(path);
    for (uint32_t i = 0; i + 1 < nodes; i++)
        fprintf(file, "%u %u\n", i, i + 1);
    for (uint32_t i = 0; i < edges; i++) {
        uint32_t one = pcg32_below(&random, nodes), other = pcg32_below(&random, nodes);
        if (one != other)
            fprintf(file, "%u %u\n", one, other);
    }
    fclose(file);
    ck_assert_msg(topology_read_graph(&topology, path, &failure) == FAIL_NONE, "%s", failure.text);
    unlink(path);
    return topology;
}

struct topology route_walk_topology(const char *text)
{
    uint32_t nodes, edges;
    struct topology topology;
    struct failure failure = {0};
    if (sscanf(text, "graph:%u:%u", &nodes, &edges) == 2)
        return random_graph(nodes, edges);
    ck_assert_msg(topology_parse(&topology, text, &failure) == FAIL_NONE, "%s", failure.text);
    return topology;
}

uint32_t route_walk_destinations(struct pcg32 *random, uint32_t nodes, uint32_t source,
                                 uint32_t count, uint32_t *destination)
{
    uint32_t taken = 0, seen = 0;
    for (uint32_t node = 0; node < nodes; node++) {
        if (node == source)
            continue;
        /* Each of the nodes - 1 - seen that are left is as likely */
        if (pcg32_below(random, nodes - 1 - seen) < count - taken)
            destination[taken++] = node;
        seen++;
        if (taken == count)
            break;
    }
    return taken;
}
