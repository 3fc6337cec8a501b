/* node_order.h - which node of a shape owns index i: the maps of `import`. */
#ifndef MESHCAST_WORKLOADS_NODE_ORDER_H
#define MESHCAST_WORKLOADS_NODE_ORDER_H

#include "base/failure.h"
#include "machine/mesh.h"
#include "network/topology/topology.h"
#include "workloads/import.h"

/* A map from indices to the nodes of a shape, one to one. */
struct node_order {
    struct shape shape;
    node_index (*at)(const struct node_order *order, uint32_t index);
    node_index *table; /* NULL where the map is arithmetic */
};

/* Makes `map` for the indices 0 .. indices-1 of a valid shape that has at least so many nodes. `seed` counts only for
 * IMPORT_RANDOM. FAIL_USAGE: the shape has no such order; FAIL_SYSTEM: no memory. The caller frees the order. */
enum failure_kind node_order_make(struct node_order *order, enum import_map map,
                                  const struct shape *shape, uint32_t indices, uint64_t seed,
                                  struct failure *failure);

/* The node that owns `index`, below the number of indices that the order was made for. */
static inline node_index node_order_at(const struct node_order *order, uint32_t index)
{
    return order->at(order, index);
}

/* Frees the table and clears the order; a zeroed order is fine. */
void node_order_free(struct node_order *order);

#endif
