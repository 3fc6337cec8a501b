/* topology.c - meshes, tori and graphs: ports, degrees, distances, labels.
 *
 * On meshes and tori everything is arithmetic on coordinates. On graphs and broken meshes the
 * neighbours of a node ascend, so the port to one is found by bisection, and distances by
 * breadth-first search.
 *
 * Labels are the reflected code of mixed radix: with P the number that the label's digits above
 * dimension i make, digit i is the coordinate if P is even, and its mirror image if P is odd. Two
 * labels that follow one another differ by one step in one coordinate: where P grows by one, it
 * changes its parity, so that the last and the first value of digit i are the same coordinate.
 *
 * In texts of shapes the slowest dimension comes first, in `size` the fastest one: size[0] is
 * written last.
 * Invariant: a valid shape has at most 2^26 nodes, so that node numbers fit into 32 bits, and
 * products of two of its sizes and strides into 64.
 *
 * Cost: O(dimensions) per call; O(log degree) for a port and a link of a graph or broken mesh,
 * O(nodes + links) for a distance.
 */
#include "network/topology/topology.h"

#include "base/text_scan.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- shapes ---- */

const char *const topology_kind_names[TOPOLOGY_KINDS + 1] = {"mesh", "torus", "graph", NULL};

uint32_t shape_nodes(const struct shape *shape)
{
    uint32_t nodes = 1;
    for (uint32_t i = 0; i < shape->dimensions; i++)
        nodes *= shape->size[i];
    return nodes;
}

bool shape_is_valid(const struct shape *shape)
{
    uint64_t nodes = 1;
    if (shape->dimensions < 1 || shape->dimensions > TOPOLOGY_DIMENSIONS ||
        (shape->kind == TOPOLOGY_GRAPH && shape->dimensions != 1))
        return false;
    for (uint32_t i = 0; i < shape->dimensions; i++) {
        nodes *= shape->size[i];
        if (nodes < 1 || nodes > TOPOLOGY_MAX_NODES)
            return false;
    }
    return true;
}

bool shape_equals(const struct shape *one, const struct shape *other)
{
    return one->kind == other->kind && one->dimensions == other->dimensions &&
           memcmp(one->size, other->size, one->dimensions * sizeof *one->size) == 0;
}

void shape_text(const struct shape *shape, char text[TOPOLOGY_TEXT_SIZE])
{
    int used = snprintf(text, TOPOLOGY_TEXT_SIZE, "%s:", topology_kind_names[shape->kind]);
    for (uint32_t i = shape->dimensions; i-- > 0;)
        used += snprintf(text + used, TOPOLOGY_TEXT_SIZE - (size_t)used, "%lu%s",
                         (unsigned long)shape->size[i], i > 0 ? "x" : "");
}

/* Reads a size, and what follows it. 0: there is none, or it is too large. */
static uint32_t read_size(const char **text)
{
    uint64_t size = 0;
    for (; scan_is_digit(**text); ++*text)
        if (size <= TOPOLOGY_MAX_NODES)
            size = size * 10 + (uint64_t)(**text - '0');
    return size <= TOPOLOGY_MAX_NODES ? (uint32_t)size : 0;
}

bool shape_read_sizes(const char *text, enum topology_kind kind, struct shape *shape)
{
    uint32_t size[TOPOLOGY_DIMENSIONS]; /* as they are written */
    *shape = (struct shape){.kind = kind};
    do {
        if (shape->dimensions == TOPOLOGY_DIMENSIONS)
            return false;
        size[shape->dimensions++] = read_size(&text);
    } while (*text++ == 'x');
    for (uint32_t i = 0; i < shape->dimensions; i++)
        shape->size[i] = size[shape->dimensions - 1 - i];
    return text[-1] == '\0' && shape_is_valid(shape);
}

/* ---- topologies ---- */

struct topology topology_of_shape(const struct shape *shape)
{
    assert(shape->kind != TOPOLOGY_GRAPH && shape_is_valid(shape));
    struct topology topology = {
        .shape = *shape, .nodes = shape_nodes(shape), .ports = 2 * shape->dimensions};
    topology.links = (uint64_t)topology.nodes * topology.ports;
    uint32_t stride = 1;
    for (uint32_t i = 0; i < shape->dimensions; i++) {
        topology.stride[i] = stride;
        stride *= shape->size[i];
        topology.inverse[i] = UINT64_MAX / stride + 1;
    }
    return topology;
}

void topology_free(struct topology *topology)
{
    free(topology->offset);
    free(topology->neighbour);
    free(topology->part);
    for (int root = 0; root < TOPOLOGY_ROOTS; root++)
        free(topology->level[root]);
    free(topology->label);
    memset(topology, 0, sizeof *topology);
}

/* Returns the place of a neighbour of a graph's node among them. */
static uint32_t find_neighbour(const struct topology *topology, uint32_t node, uint32_t neighbour)
{
    const uint32_t *first = topology->neighbour + topology->offset[node];
    uint32_t low = 0, high = topology_node_ports(topology, node);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (first[middle] < neighbour)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < topology_node_ports(topology, node) && first[low] == neighbour;
    return found ? low : UINT32_MAX;
}

uint32_t topology_port_to(const struct topology *topology, uint32_t node, uint32_t neighbour)
{
    if (topology->offset != NULL)
        return find_neighbour(topology, node, neighbour);
    for (uint32_t port = 0; port < topology->ports; port++)
        if (topology_neighbour(topology, node, port) == neighbour)
            return port;
    return UINT32_MAX;
}

uint32_t topology_degree(const struct topology *topology, uint32_t node)
{
    if (topology->offset != NULL)
        return topology_node_ports(topology, node);
    uint32_t degree = 0;
    for (uint32_t port = 0; port < topology->ports; port++)
        degree += topology_neighbour(topology, node, port) != TOPOLOGY_NO_NODE;
    return degree;
}

uint32_t topology_in_degree(const struct topology *topology, uint32_t node)
{
    if (!topology_is_broken(topology))
        return topology_degree(topology, node);
    const struct topology whole = topology_of_shape(&topology->shape);
    uint32_t degree = 0;
    for (uint32_t port = 0; port < whole.ports; port++) {
        uint32_t from = topology_neighbour(&whole, node, port);
        degree += from != TOPOLOGY_NO_NODE && topology_port_to(topology, from, node) != UINT32_MAX;
    }
    return degree;
}

uint32_t topology_link_from(const struct topology *topology, uint64_t link)
{
    if (topology->offset == NULL)
        return (uint32_t)(link / topology->ports);
    /* the last node whose first link is not beyond it */
    uint32_t low = 0, high = topology->nodes - 1;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (topology->offset[middle] <= link)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

void topology_search(const struct topology *topology, uint32_t source, uint32_t *hops,
                     uint32_t *queue)
{
    uint32_t queued = 1;
    memset(hops, 0, topology->nodes * sizeof *hops);
    queue[0] = source;
    hops[source] = 1;
    for (uint32_t next = 0; next < queued; next++) {
        uint32_t node = queue[next];
        for (uint64_t i = topology->offset[node]; i < topology->offset[node + 1]; i++) {
            uint32_t neighbour = topology->neighbour[i];
            if (hops[neighbour] > 0)
                continue;
            hops[neighbour] = hops[node] + 1;
            queue[queued++] = neighbour;
        }
    }
}

/* Returns the hops from one node to another by a search. */
static uint32_t search(const struct topology *topology, uint32_t one, uint32_t other)
{
    uint32_t *hops = memory_allocate(topology->nodes, sizeof *hops);
    uint32_t *queue = memory_allocate(topology->nodes, sizeof *queue);
    uint32_t found = UINT32_MAX;
    if (hops != NULL && queue != NULL) {
        topology_search(topology, one, hops, queue);
        found = hops[other] - 1;
    }
    free(hops);
    free(queue);
    return found;
}

uint32_t topology_distance(const struct topology *topology, uint32_t one, uint32_t other)
{
    if (topology->offset != NULL)
        return search(topology, one, other);
    uint32_t hops = 0;
    for (uint32_t i = 0; i < topology->shape.dimensions; i++) {
        uint32_t from = topology_coordinate(topology, one, i);
        uint32_t to = topology_coordinate(topology, other, i);
        uint32_t straight = from < to ? to - from : from - to;
        uint32_t around = topology->shape.size[i] - straight;
        hops += topology->shape.kind == TOPOLOGY_TORUS && around < straight ? around : straight;
    }
    return hops;
}

uint32_t topology_label(const struct topology *topology, uint32_t node)
{
    if (topology->label != NULL)
        return topology->label[node];
    if (topology->offset != NULL)
        return node;
    uint32_t label = 0;
    for (uint32_t i = topology->shape.dimensions; i-- > 0;) {
        uint32_t size = topology->shape.size[i], x = topology_coordinate(topology, node, i);
        label = label * size + (label % 2 == 0 ? x : size - 1 - x);
    }
    return label;
}

uint64_t topology_height(const struct topology *topology, enum topology_root root, uint32_t node)
{
    uint32_t from = root == TOPOLOGY_LEAST_NODE ? 0 : topology->nodes - 1;
    uint32_t level = topology->level[root] != NULL ? topology->level[root][node]
                                                   : topology_distance(topology, from, node);
    return (uint64_t)level << 32 | node;
}
