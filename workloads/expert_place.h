/* expert_place.h - which nodes the experts of a mixture-of-experts model are on. */
#ifndef MESHCAST_WORKLOADS_EXPERT_PLACE_H
#define MESHCAST_WORKLOADS_EXPERT_PLACE_H

#include "workloads/node_lines.h"

/* EXPERTS_SPREAD: a mesh or torus of two dimensions is cut into about as many tiles as there are experts, other shapes
 * into runs of consecutive nodes, and one expert is in the middle of each. EXPERTS_BLOCK: they are on the first nodes, one
 * after the other. Where there are more experts than nodes, consecutive ones share a node, in both. */
enum { EXPERTS_MOST = 1 << 20 };
enum expert_order { EXPERTS_SPREAD, EXPERTS_BLOCK };

/* The names of the orders, ended by NULL. */
extern const char *const expert_order_names[];

/* Finds the order that --place names (NULL: EXPERTS_SPREAD); false if the text is none's name, but that of a file. */
bool expert_order_find(const char *place, enum expert_order *order);

/* The place of `expert`, below `experts`: a node (EXPERTS_SPREAD), or its number in the order of nodes (EXPERTS_BLOCK). */
node_index expert_place(const struct shape *shape, enum expert_order order, uint32_t experts,
                        uint32_t expert);

/* The nodes of each expert are a line of a struct node_lines. An expert with several is replicated, and a token goes to the
 * nearest of them, of equals to the one with the lowest number. */

/* Places `experts` experts on a node each by expert_place(). FAIL_SYSTEM: no memory. The caller frees the nodes. */
enum failure_kind expert_nodes_place(struct node_lines *nodes, const struct shape *shape,
                                     enum expert_order order, uint32_t experts,
                                     struct failure *failure);

/* Reads the file that --place names, as node_lines_read_source() does; of an order, or NULL, there are no lines then.
 * `experts` is their number if it was given, else 0. FAIL_USAGE: the file cannot be opened, or has another number. */
enum failure_kind expert_nodes_read(struct node_lines *nodes, const char *place, uint32_t experts,
                                    struct failure *failure);

/* The node of the expert that a token of node `from` goes to. Of a graph, whose distances are not known, `topology` is not
 * read, and each expert must have one node. */
node_index expert_nodes_nearest(const struct node_lines *nodes, const struct topology *topology,
                                uint32_t expert, node_index from);

#endif
