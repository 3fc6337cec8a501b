/* topology_handle.c - topologies as handles: parsed, made from edges, asked.
 *
 * Method: edges become the text of an edge list, which the reader of files takes, so that what is wrong
 * with them is told as it is of a file. Cost: at most 20 bytes an edge beside the graph.
 */
#include "library/handle_private.h"

#include <stdio.h>
#include <stdlib.h>

static struct meshcast_topology *topology_new(struct failure *failure)
{
    struct meshcast_topology *topology = memory_allocate(1, sizeof *topology);
    if (topology == NULL)
        fail_memory(failure, "a topology");
    return topology;
}

static struct meshcast_topology *topology_give(struct meshcast_topology *topology,
                                               struct failure *failure,
                                               struct meshcast_error *error)
{
    if (error_give(error, failure) == MESHCAST_OK) {
        shape_text(&topology->topology.shape, topology->text);
        return topology;
    }
    free(topology);
    return NULL;
}

struct meshcast_topology *meshcast_topology_parse(const char *text, struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_topology *topology = topology_new(&failure);
    if (topology != NULL)
        topology_parse(&topology->topology, text, &failure);
    return topology_give(topology, &failure, error);
}

static enum failure_kind read_edges(struct topology *topology, uint64_t edges, const uint32_t *from,
                                    const uint32_t *to, struct failure *failure)
{
    enum { EDGE_SIZE = 2 * 10 + 3 };
    char *text = memory_allocate(edges + 1, EDGE_SIZE);
    size_t length = 0;
    if (text == NULL)
        return fail_memory(failure, "the edges of a graph");
    for (uint64_t i = 0; i < edges; i++)
        length += (size_t)snprintf(text + length, EDGE_SIZE, "%lu %lu\n", (unsigned long)from[i],
                                   (unsigned long)to[i]);
    topology_read_graph_memory(topology, text, length, "edges", failure);
    free(text);
    return failure->kind;
}

struct meshcast_topology *meshcast_topology_from_edges(uint64_t edges, const uint32_t *from,
                                                       const uint32_t *to,
                                                       struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_topology *topology = topology_new(&failure);
    if (topology != NULL)
        read_edges(&topology->topology, edges, from, to, &failure);
    return topology_give(topology, &failure, error);
}

void meshcast_topology_free(struct meshcast_topology *topology)
{
    if (topology != NULL)
        topology_free(&topology->topology);
    free(topology);
}

const char *meshcast_topology_text(const struct meshcast_topology *topology)
{
    return topology->text;
}

uint32_t meshcast_topology_nodes(const struct meshcast_topology *topology)
{
    return topology->topology.nodes;
}

uint64_t meshcast_topology_links(const struct meshcast_topology *topology)
{
    return topology->topology.links;
}

bool meshcast_topology_link(const struct meshcast_topology *topology, uint64_t link, uint32_t *from,
                            uint32_t *to)
{
    const struct topology *inner = &topology->topology;
    if (link >= inner->links)
        return false;
    uint32_t node = topology_link_from(inner, link);
    uint32_t port = (uint32_t)(link - topology_link(inner, node, 0));
    uint32_t neighbour = topology_neighbour(inner, node, port);
    if (neighbour == TOPOLOGY_NO_NODE)
        return false;
    *from = node;
    *to = neighbour;
    return true;
}
