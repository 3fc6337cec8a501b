/* topology.h - networks as graphs: meshes and tori of 1 to 8 dimensions, graphs on a Hamiltonian path.
 *
 * Nodes are numbered 0 .. nodes-1, in row-major order. Dimension 0 is the fastest one (x, the column);
 * texts name the slowest one first, so "mesh:4x8" has size[1] = 4 rows and size[0] = 8 columns. Each
 * pair of neighbours is joined by two directed links, one each way. A link is named by its number or by the
 * node that sends on it and one of the node's ports.
 *
 * Ports: on meshes and tori port 2 i leads to the neighbour whose coordinate i is one larger, port 2 i + 1 to
 * the one whose coordinate is one smaller. A torus has links between the first and the last node of a line
 * too; in a dimension of size 2 these are the links that are there anyway, and there is only port 2 i where
 * the coordinate is 0, only port 2 i + 1 where it is 1. On graphs port p leads to the p-th neighbour, by number.
 *
 * Labels number the nodes along a Hamiltonian path: on meshes and tori the snake (dimension 0 runs forth and
 * back as the others count, which all do so too: the reflected code of the sizes), on graphs the nodes' own
 * numbers. Only the nodes of a graph take memory.
 */
#ifndef MESHCAST_NETWORK_TOPOLOGY_TOPOLOGY_H
#define MESHCAST_NETWORK_TOPOLOGY_TOPOLOGY_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOPOLOGY_DIMENSIONS = 8, TOPOLOGY_MAX_NODES = 1 << 26, TOPOLOGY_TEXT_SIZE = 128 };

#define TOPOLOGY_NO_NODE UINT32_MAX /* no node has this number */

enum topology_kind { TOPOLOGY_MESH, TOPOLOGY_TORUS, TOPOLOGY_GRAPH, TOPOLOGY_KINDS };

extern const char
    *const topology_kind_names[TOPOLOGY_KINDS + 1]; /* "mesh", "torus", "graph", NULL */

/* What the first line of a message set says. A plain value. */
struct shape {
    enum topology_kind kind;
    uint32_t dimensions;                /* 1 .. 8; 1 of a graph */
    uint32_t size[TOPOLOGY_DIMENSIONS]; /* each 1 ..; size[0] of a graph is its number of nodes */
};

struct topology {
    struct shape shape;
    uint32_t nodes;
    uint32_t ports; /* the most that a node has */
    uint64_t links; /* link numbers are below this; not each number is a link of a mesh */
    uint32_t stride[TOPOLOGY_DIMENSIONS]; /* of node numbers, a dimension */
    uint64_t inverse
        [TOPOLOGY_DIMENSIONS]; /* 2^64 / (stride * size), rounded up: topology_coordinate() */
    /* Of graphs, else NULL: the neighbours of node v are neighbour[offset[v] .. offset[v + 1] - 1], ascending. */
    uint64_t *offset;
    uint32_t *neighbour;
};

/* True if sizes and their product are within bounds. */
bool shape_is_valid(const struct shape *shape);

static inline uint32_t shape_nodes(const struct shape *shape)
{
    uint32_t nodes = 1;
    for (uint32_t i = 0; i < shape->dimensions; i++)
        nodes *= shape->size[i];
    return nodes;
}

bool shape_equals(const struct shape *one, const struct shape *other);

/* Writes "mesh:4x8", "torus:8x8x8", "graph:N" (N nodes). */
void shape_text(const struct shape *shape, char text[TOPOLOGY_TEXT_SIZE]);

/* Reads sizes "64x64" (slowest dimension first) up to the text's end. False: `text` is not such a list, or
 * the shape is not valid. */
bool shape_read_sizes(const char *text, enum topology_kind kind, struct shape *shape);

/* Makes a mesh or torus; it cannot fail, and needs no topology_free(). */
struct topology topology_of_shape(const struct shape *shape);

/* Reads an edge list ("-": standard input): a line "u v" an edge, in either direction or both,
 * further columns ignored; '#' and '%' begin comments. Vertices are 0 .. N-1, as given, N - 1 the largest one.
 * FAIL_INPUT (file, line, what was expected): no edge list, u = v, too many nodes, or i and i + 1 are not
 * joined somewhere. */
enum failure_kind topology_read_graph(struct topology *topology, const char *path,
                                      struct failure *failure);

/* Reads the same from `length` bytes in memory; `name` stands for the file's name in messages. */
enum failure_kind topology_read_graph_memory(struct topology *topology, const void *bytes,
                                             size_t length, const char *name,
                                             struct failure *failure);

/* Makes the topology that `text` names: "mesh:64x64", "torus:8x8x8", "graph:FILE". FAIL_USAGE: it is no
 * such text; else as topology_read_graph(). */
enum failure_kind topology_parse(struct topology *topology, const char *text,
                                 struct failure *failure);

/* Returns the FILE of a text "graph:FILE"; NULL: it is no such text, or NULL. */
const char *topology_text_file(const char *text);

/* Tells graphs apart whatever their files are called: a hash of nodes and edges. Of a graph only. */
uint64_t topology_hash(const struct topology *topology);

/* Frees a topology; a zeroed one is fine. */
void topology_free(struct topology *topology);

/* Returns coordinate `dimension` of a node of a mesh or torus: node / stride % size, without a division. The product
 * is the fraction of node / (stride * size), in units of 2^-64 and too large by less than 2^26 of them; times
 * the size its whole part is the coordinate, because stride * size is at most 2^26 too. (With stride * size = 1
 * the inverse is 2^64, which wraps to 0, and so is the coordinate.) */
static inline uint32_t topology_coordinate(const struct topology *topology, uint32_t node,
                                           uint32_t dimension)
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t fraction = topology->inverse[dimension] * node;
    return (uint32_t)((wide)fraction * topology->shape.size[dimension] >> 64);
}

/* Returns how many ports a node has: on meshes and tori 2 per dimension, also where a port leads nowhere. */
static inline uint32_t topology_node_ports(const struct topology *topology, uint32_t node)
{
    return topology->offset != NULL
               ? (uint32_t)(topology->offset[node + 1] - topology->offset[node])
               : topology->ports;
}

/* Returns the neighbour at a port below topology_node_ports(), or TOPOLOGY_NO_NODE. */
static inline uint32_t topology_neighbour(const struct topology *topology, uint32_t node,
                                          uint32_t port)
{
    if (topology->offset != NULL)
        return topology->neighbour[topology->offset[node] + port];
    uint32_t dimension = port / 2, x = topology_coordinate(topology, node, dimension);
    uint32_t last = topology->shape.size[dimension] - 1, stride = topology->stride[dimension];
    bool wraps = topology->shape.kind == TOPOLOGY_TORUS && last > 1;
    if (port % 2 == 0)
        return x < last ? node + stride : wraps ? node - last * stride : TOPOLOGY_NO_NODE;
    return x > 0 ? node - stride : wraps ? node + last * stride : TOPOLOGY_NO_NODE;
}

/* Returns the port of `node` that leads to `neighbour`; UINT32_MAX: they are not joined. */
uint32_t topology_port_to(const struct topology *topology, uint32_t node, uint32_t neighbour);

/* Returns how many links leave the node. */
uint32_t topology_degree(const struct topology *topology, uint32_t node);

static inline uint64_t topology_link(const struct topology *topology, uint32_t node, uint32_t port)
{
    return topology->offset != NULL ? topology->offset[node] + port
                                    : (uint64_t)node * topology->ports + port;
}

/* Returns the node that sends on a link. */
uint32_t topology_link_from(const struct topology *topology, uint64_t link);

/* Returns the hops of a shortest path; on graphs by a search, O(nodes + links). UINT32_MAX: no memory. */
uint32_t topology_distance(const struct topology *topology, uint32_t one, uint32_t other);

/* Returns the label of a node, 0 .. nodes - 1. */
uint32_t topology_label(const struct topology *topology, uint32_t node);

#endif
