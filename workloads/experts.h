/* experts.h - files with some nodes per line, and the nodes of the experts of a mixture-of-experts
 * model. */
#ifndef MESHCAST_WORKLOADS_EXPERTS_H
#define MESHCAST_WORKLOADS_EXPERTS_H

#include "base/byte_source.h"
#include "machine/mesh.h"
#include "network/topology/topology.h"

/* Nodes by lines; from a file, or made otherwise. */
struct node_lines {
    uint32_t lines;
    uint32_t *first;       /* [lines + 1]: line i is node[first[i]] .. node[first[i + 1] - 1] */
    node_index *node;      /* NULL: no lines */
    bool has_several;      /* several nodes on some line */
    const char *path;      /* of the file, or NULL, .. */
    node_index largest;    /* .. the largest number of a node in it .. */
    uint64_t largest_line; /* .. and its line */
};

struct node_lines_format {
    const char *what;  /* a line's noun in messages: "expert" */
    uint32_t most;     /* lines */
    bool is_disjoint;  /* no node is repeated */
    bool is_partition; /* `most` lines of one node, as METIS, KaHyPar and PaToH write them */
    const struct topology *broken; /* nodes must be in its main part; NULL: they may be dead */
};

/* Reads lines of node numbers with blanks between, at least one per line; blank lines, and those
 * that begin with # or %, are ignored. FAIL_INPUT names the file, the line and what was expected;
 * FAIL_SYSTEM: no memory. `path`, for messages, stays the caller's; the source is closed. The
 * caller frees the lines. */
enum failure_kind node_lines_read_source(struct node_lines *lines,
                                         const struct node_lines_format *format,
                                         struct byte_source *source, const char *path,
                                         struct failure *failure);

/* FAIL_INPUT: a node of the file is not in the shape. */
enum failure_kind node_lines_check(const struct node_lines *lines, const struct shape *shape,
                                   struct failure *failure);

/* Frees the arrays and clears the lines; zeroed ones are fine. */
void node_lines_free(struct node_lines *lines);

/* EXPERTS_SPREAD: a mesh or torus of two dimensions is cut into about as many tiles as there are
 * experts, other shapes into runs of consecutive nodes, and one expert is in the middle of each.
 * EXPERTS_BLOCK: they are on the first nodes, one after the other. If there are more experts than
 * nodes, consecutive ones share a node, in both. */
enum { EXPERTS_MOST = 1 << 20 };
enum expert_order { EXPERTS_SPREAD, EXPERTS_BLOCK };

/* The names of the orders, ended by NULL. */
extern const char *const expert_order_names[];

/* Finds the order that --place names (NULL: EXPERTS_SPREAD); false if the text names a file
 * instead. */
bool expert_order_find(const char *place, enum expert_order *order);

/* Returns the place of `expert`, below `experts`: a node (EXPERTS_SPREAD), or its number in the
 * order of nodes (EXPERTS_BLOCK). */
node_index expert_place(const struct shape *shape, enum expert_order order, uint32_t experts,
                        uint32_t expert);

/* The nodes of each expert are a line of a struct node_lines. An expert with several is replicated,
 * and a token goes to the nearest of them, of equals to the one with the lowest number. */

/* Places `experts` experts on a node each by expert_place(). FAIL_SYSTEM: no memory. The caller
 * frees the nodes. */
enum failure_kind expert_nodes_place(struct node_lines *nodes, const struct shape *shape,
                                     enum expert_order order, uint32_t experts,
                                     struct failure *failure);

/* Reads the file that --place names, as node_lines_read_source() does, for `broken` as in its
 * format; for an order, or NULL, there are no lines then. `experts` is their given number, else 0. FAIL_USAGE: the file cannot be
 * opened, or has another number. */
enum failure_kind expert_nodes_read(struct node_lines *nodes, const char *place, uint32_t experts,
                                    const struct topology *broken, struct failure *failure);

/* Returns the node of the expert to which a token of node `from` goes. For a graph, whose distances
 * are not known, `topology` is not read, and each expert must have one node. */
node_index expert_nodes_nearest(const struct node_lines *nodes, const struct topology *topology,
                                uint32_t expert, node_index from);

#endif
