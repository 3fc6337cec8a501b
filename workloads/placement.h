/* placement.h - the nodes of imported items: by K consecutive ones, or by a partition; and of experts. */
#ifndef MESHCAST_WORKLOADS_PLACEMENT_H
#define MESHCAST_WORKLOADS_PLACEMENT_H

#include "workloads/entry_list.h"
#include "workloads/import.h"
#include "workloads/node_order.h"

/* Item i is at place i / per_node, or part[i]; a place is a number in the order of the nodes. */
struct placement {
    struct shape shape;
    struct node_order order;
    uint32_t per_node;
    uint32_t *part;            /* [items], or NULL */
    struct node_lines experts; /* where rows are experts; else none */
    struct topology topology;  /* of experts with replicas */
};

/* Reads the partition, if there is one, chooses the shape, and places the items and experts of the list; `experts` are
 * those of a file, or none, and the placement's from here on. FAIL_USAGE: the shape is too small, or has no such order of
 * nodes; FAIL_INPUT: the partition is not one of these items, or the file of experts not one of this shape. The caller
 * frees the placement. */
enum failure_kind placement_make(struct placement *placement, const struct import_options *options,
                                 const struct entry_list *list, struct node_lines experts,
                                 struct failure *failure);

/* The node of an item. */
static inline node_index placement_item(const struct placement *placement, uint32_t item)
{
    uint32_t place = placement->part != NULL ? placement->part[item] : item / placement->per_node;
    return node_order_at(&placement->order, place);
}

/* The node of a row, of an expert or an item, for a message that the item `sender` sends. */
static inline node_index placement_row(const struct placement *placement, uint32_t row,
                                       uint32_t sender)
{
    if (placement->experts.node == NULL)
        return placement_item(placement, row);
    return expert_nodes_nearest(&placement->experts, &placement->topology, row,
                                placement_item(placement, sender));
}

/* Frees what it holds and clears it; a zeroed placement is fine. */
void placement_free(struct placement *placement);

#endif
