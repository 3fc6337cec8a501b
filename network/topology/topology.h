/* topology.h - networks as graphs: meshes and tori of 1 to 8 dimensions, whole or broken, graphs on
 * a Hamiltonian path.
 *
 * Nodes are numbered 0 .. nodes-1, in row-major order. Dimension 0 is the fastest one (x, the
 * column); texts name the slowest one first, so "mesh:4x8" has size[1] = 4 rows and size[0] = 8
 * columns. Each pair of neighbours is joined by two directed links, one each way. A link is named
 * by its number or by the node that sends on it and one of the node's ports.
 *
 * Ports: on meshes and tori port 2 i leads to the neighbour whose coordinate i is one larger, port
 * 2 i + 1 to the one whose coordinate is one smaller. A torus also has links between the first and
 * the last node of a line. In a dimension of size 2 these are the links of a mesh: there is only
 * port 2 i if the coordinate is 0, and only port 2 i + 1 if it is 1. On graphs, and on broken
 * meshes and tori, port p leads to the p-th neighbour, by number.
 *
 * Labels number the nodes along a Hamiltonian path. On meshes and tori that is the snake, the
 * reflected code of the sizes: each dimension runs forth and back as the slower ones count. On
 * graphs labels are the nodes' own numbers. A broken mesh or torus has labels once
 * topology_find_path() found such a path.
 *
 * A broken mesh or torus (topology_break()) lacks links, one way or both, and nodes, which have no
 * links. Its nodes keep their numbers and coordinates, its links are numbered as a graph's. Nodes
 * that links in both directions join, directly or through other nodes, are one part. In each part
 * nodes have levels: hops over such links from the part's root, its least node, and others from its
 * greatest one. The least of the parts with most nodes is the main part; messages that
 * nodes draw at random are sent within it.
 *
 * A link leads up if it leads to a smaller level, or to a smaller number on the same level; else
 * down. Every node but the root has a link up, so the root can be reached by links up, and reaches
 * all of its part by links down.
 *
 * Graphs take 12 bytes per node and 4 per link, broken meshes 20 and 4, other topologies none. */
#ifndef MESHCAST_NETWORK_TOPOLOGY_TOPOLOGY_H
#define MESHCAST_NETWORK_TOPOLOGY_TOPOLOGY_H

#include "base/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOPOLOGY_DIMENSIONS = 8, TOPOLOGY_MAX_NODES = 1 << 26, TOPOLOGY_TEXT_SIZE = 128 };

#define TOPOLOGY_NO_NODE UINT32_MAX /* no node has this number */

/* The node of a part from which levels are counted. */
enum topology_root { TOPOLOGY_LEAST_NODE, TOPOLOGY_GREATEST_NODE, TOPOLOGY_ROOTS };

enum topology_kind { TOPOLOGY_MESH, TOPOLOGY_TORUS, TOPOLOGY_GRAPH, TOPOLOGY_KINDS };

extern const char
    *const topology_kind_names[TOPOLOGY_KINDS + 1]; /* "mesh", "torus", "graph", NULL */

/* The shape in the first line of a message set. A plain value. */
struct shape {
    enum topology_kind kind;
    uint32_t dimensions;                /* 1 .. 8; 1 for a graph */
    uint32_t size[TOPOLOGY_DIMENSIONS]; /* each 1 ..; size[0] of a graph is its number of nodes */
};

struct topology {
    struct shape shape;
    uint32_t nodes;
    uint32_t ports; /* the most that a node has */
    uint64_t links; /* link numbers are below this; not each number is a link of a mesh */
    uint32_t stride[TOPOLOGY_DIMENSIONS]; /* of node numbers, per dimension */
    uint64_t inverse
        [TOPOLOGY_DIMENSIONS]; /* 2^64 / (stride * size), rounded up: topology_coordinate() */
    /* Neighbour lists of graphs and broken meshes, else NULL: node v has the neighbours
     * neighbour[offset[v]] to neighbour[offset[v + 1] - 1], ascending. */
    uint64_t *offset;
    uint32_t *neighbour;
    /* Of broken meshes, else NULL. */
    const char *without; /* the name of the file that broke it, the caller's; NULL: none did */
    uint32_t *part; /* [nodes] the least node of the node's part; TOPOLOGY_NO_NODE: it is dead */
    uint32_t *level[TOPOLOGY_ROOTS]; /* [nodes]; of graphs also, from the least node */
    uint32_t *label;                 /* [nodes]; NULL until topology_find_path() finds them */
    const char *no_path;             /* why it found none: a sentence */
    uint32_t main_part, main_nodes;  /* the least node of the main part, and the nodes in it */
    uint32_t dead_nodes;
    uint64_t missing_links; /* those of dead nodes among them */
    bool has_one_way;       /* links without one in the other direction */
};

/* True if sizes and their product are within bounds. */
bool shape_is_valid(const struct shape *shape);

uint32_t shape_nodes(const struct shape *shape);
bool shape_equals(const struct shape *one, const struct shape *other);

/* Writes "mesh:4x8", "torus:8x8x8", "graph:N" (N nodes). */
void shape_text(const struct shape *shape, char text[TOPOLOGY_TEXT_SIZE]);

/* Reads sizes "64x64" (slowest dimension first) up to the text's end. False: `text` is not such a
 * list, or the shape is not valid. */
bool shape_read_sizes(const char *text, enum topology_kind kind, struct shape *shape);

/* Makes a mesh or torus; it cannot fail, and needs no topology_free(). */
struct topology topology_of_shape(const struct shape *shape);

/* Reads an edge list ("-": standard input): a line "u v" per edge, in either direction or both,
 * further columns ignored; '#' and '%' begin comments. Vertices are 0 .. N-1, as given, N - 1 the
 * largest one. FAIL_INPUT (file, line, what was expected): no edge list, u = v, too many nodes, or
 * i and i + 1 are not joined somewhere. */
enum failure_kind topology_read_graph(struct topology *topology, const char *path,
                                      struct failure *failure);

/* Reads the same from `length` bytes in memory; `name` stands for the file's name in messages. */
enum failure_kind topology_read_graph_memory(struct topology *topology, const void *bytes,
                                             size_t length, const char *name,
                                             struct failure *failure);

/* Makes the topology that `text` names: "mesh:64x64", "torus:8x8x8", "graph:FILE". FAIL_USAGE: it
 * is no such text; else as topology_read_graph(). */
enum failure_kind topology_parse(struct topology *topology, const char *text,
                                 struct failure *failure);

/* Returns the FILE of a text "graph:FILE"; NULL: it is no such text, or NULL. */
const char *topology_text_file(const char *text);

/* Returns a hash of nodes and edges, which distinguishes graphs and broken meshes by content. Not
 * for other topologies. */
uint64_t topology_hash(const struct topology *topology);

/* ---- broken meshes and tori ---- */

/* Removes the nodes and links that a file names from a whole mesh or torus. Lines: "node I", "link
 * A B" (both directions), "link A>B" (one); '#' begins a comment. FAIL_USAGE: it is a graph.
 * FAIL_INPUT (file, line, what was expected): a node off the topology, a link between no
 * neighbours, or nothing remains. The topology is then as it was. */
enum failure_kind topology_break(struct topology *topology, const char *path,
                                 struct failure *failure);

/* Reads the same from `length` bytes in memory; `name` stands for the file's name in messages. */
enum failure_kind topology_break_memory(struct topology *topology, const void *bytes, size_t length,
                                        const char *name, struct failure *failure);

/* Does the same from marks: is_dead[nodes] and is_missing[links] of a whole mesh or torus.
 * FAIL_INPUT: nothing remains. */
struct topology_faults {
    bool *is_dead, *is_missing;
};
bool topology_faults_make(struct topology_faults *faults, const struct topology *whole);
void topology_faults_free(struct topology_faults *faults);
enum failure_kind topology_break_by(struct topology *topology, const struct topology_faults *faults,
                                    struct failure *failure);

/* Returns the links that a broken mesh lacks, missing_links of them, each FROM << 32 | TO, by their
 * senders. The caller frees; NULL: no memory. */
uint64_t *topology_list_missing(const struct topology *broken);

static inline bool topology_is_broken(const struct topology *topology)
{
    return topology->part != NULL;
}

/* True if a node of any topology is alive, and in the main part. */
static inline bool topology_is_main(const struct topology *topology, uint32_t node)
{
    return topology->part == NULL || topology->part[node] == topology->main_part;
}

static inline uint32_t topology_main_nodes(const struct topology *topology)
{
    return topology->part == NULL ? topology->nodes : topology->main_nodes;
}

/* Writes the shape, and the number of missing nodes and links: "mesh:4x4 without 1 node, 10
 * links". */
enum { TOPOLOGY_LONG_TEXT_SIZE = TOPOLOGY_TEXT_SIZE + 64 };
void topology_text(const struct topology *topology, char text[TOPOLOGY_LONG_TEXT_SIZE]);

/* Searches for a Hamiltonian path of a broken mesh, and labels nodes along it; without one, no_path
 * gives the reason. FAIL_SYSTEM: no memory. */
enum failure_kind topology_find_path(struct topology *topology, struct failure *failure);

/* Finds levels, parts if topology->part has room for them, and the main part, of a topology with
 * neighbour lists; is_dead[nodes] may be NULL. False: no memory. For makers of topologies. */
bool topology_find_levels(struct topology *topology, const bool *is_dead);

/* Returns the node's level and number as one number, by which links lead up or down. The node is
 * not dead, and graphs have levels from their least node only. */
uint64_t topology_height(const struct topology *topology, enum topology_root root, uint32_t node);

/* Frees a topology; a zeroed one is fine. */
void topology_free(struct topology *topology);

/* Returns coordinate `dimension` of a node of a mesh or torus: node / stride % size, without a
 * division. The product is the fraction of node / (stride * size), in units of 2^-64 and too large
 * by less than 2^26 of them; times the size its whole part is the coordinate, because stride * size
 * is at most 2^26 too. (With stride * size = 1 the inverse is 2^64, which wraps to 0, and so is the
 * coordinate.) */
static inline uint32_t topology_coordinate(const struct topology *topology, uint32_t node,
                                           uint32_t dimension)
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t fraction = topology->inverse[dimension] * node;
    return (uint32_t)((wide)fraction * topology->shape.size[dimension] >> 64);
}

/* Returns the number of a node's ports: on meshes and tori 2 per dimension, including ports that
 * lead nowhere. */
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

/* Returns the number of links that leave the node. */
uint32_t topology_degree(const struct topology *topology, uint32_t node);

/* Returns the number of links to the node: the same, unless a broken mesh lacks links in one
 * direction. */
uint32_t topology_in_degree(const struct topology *topology, uint32_t node);

static inline uint64_t topology_link(const struct topology *topology, uint32_t node, uint32_t port)
{
    return topology->offset != NULL ? topology->offset[node] + port
                                    : (uint64_t)node * topology->ports + port;
}

/* Returns the node that sends on a link. */
uint32_t topology_link_from(const struct topology *topology, uint64_t link);

/* Returns the hops of a shortest path; on graphs and broken meshes by a search, O(nodes + links).
 * UINT32_MAX: there is none, or no memory. */
uint32_t topology_distance(const struct topology *topology, uint32_t one, uint32_t other);

/* Fills hops[] with the hops of shortest paths from `source` to all nodes, and 1; 0: there is none.
 * queue[] has room for all nodes. For topologies with neighbour lists. */
void topology_search(const struct topology *topology, uint32_t source, uint32_t *hops,
                     uint32_t *queue);

/* Returns the label of a node, 0 .. nodes - 1; of a broken mesh only after topology_find_path() has
 * found some. */
uint32_t topology_label(const struct topology *topology, uint32_t node);

#endif
