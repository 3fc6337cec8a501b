/* placement.h - the maps of `import`: the node of a shape that owns each index; the nodes of items,
 * by K consecutive ones or by a partition, and of experts; and the set of a matrix's entries on
 * these. */
#ifndef MESHCAST_WORKLOADS_PLACEMENT_H
#define MESHCAST_WORKLOADS_PLACEMENT_H

#include "workloads/import_formats.h"

/* A map from indices to the nodes of a shape, one to one. */
struct node_order {
    struct shape shape;
    enum import_map map;
    node_index *table; /* of the nodes by index; NULL if the map is arithmetic */
};

/* Makes `map` for the indices 0 .. indices-1 of a valid shape that has at least so many nodes.
 * `seed` counts only for IMPORT_RANDOM. FAIL_USAGE: the shape has no such order; FAIL_SYSTEM: no
 * memory. The caller frees the order. */
enum failure_kind node_order_make(struct node_order *order, enum import_map map,
                                  const struct shape *shape, uint32_t indices, uint64_t seed,
                                  struct failure *failure);

/* Takes nodes outside the main part of a broken topology out of an order of all its nodes; the
 * others follow each other without gaps. FAIL_SYSTEM: no memory; the order is freed then. */
enum failure_kind node_order_keep_main(struct node_order *order, const struct topology *topology,
                                       struct failure *failure);

/* Returns the node that owns `index`, below the number of indices that the order was made for. */
node_index node_order_at(const struct node_order *order, uint32_t index);

/* Frees the table and clears the order; a zeroed order is fine. */
void node_order_free(struct node_order *order);

/* Returns the least square mesh that has so many nodes, at least 1. */
struct shape least_square(uint32_t places);

/* Item i is at place i / per_node, or part[i]; a place is a number in the order of the nodes. */
struct placement {
    struct shape shape;
    struct node_order order;
    uint32_t per_node;
    uint32_t *part;            /* [items], or NULL */
    struct node_lines experts; /* if rows are experts; else none */
    struct topology topology;  /* of experts with replicas */
};

/* Reads the partition, if there is one, chooses the shape, and places the items and experts of the
 * list; `experts` are those of a file, or none, and the placement's from here on. FAIL_USAGE: the
 * shape is too small, or has no such order of nodes; FAIL_INPUT: the partition is not one of these
 * items, or the file of experts not one of this shape. The caller frees the placement. */
enum failure_kind placement_make(struct placement *placement, const struct import_options *options,
                                 const struct entry_list *list, struct node_lines experts,
                                 struct failure *failure);

/* Returns the node of an item. */
static inline node_index placement_item(const struct placement *placement, uint32_t item)
{
    uint32_t place = placement->part != NULL ? placement->part[item] : item / placement->per_node;
    return node_order_at(&placement->order, place);
}

/* Returns the node of a row, of an expert or an item, for a message that the item `sender`
 * sends. */
static inline node_index placement_row(const struct placement *placement, uint32_t row,
                                       uint32_t sender)
{
    if (placement->experts.node == NULL)
        return placement_item(placement, row);
    return expert_nodes_nearest(&placement->experts, &placement->topology, row,
                                placement_item(placement, sender));
}

/* Frees its contents and clears it; a zeroed placement is fine. */
void placement_free(struct placement *placement);

/* Makes the set in which each column with entries is a message, in the order of its source and then
 * of columns; rows on one node count once, and entries of a column in its own sender are left out
 * if the diagonal is dropped. The entries are used up. The caller frees the set. */
enum failure_kind entry_set_make(struct message_set *set, struct entry_list *list,
                                 const struct placement *placement, bool drop_diagonal,
                                 struct failure *failure);

#endif
