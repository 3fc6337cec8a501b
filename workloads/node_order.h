/* node_order.h - which node of a square mesh owns index i: the maps of `import`. */
#ifndef MESHCAST_WORKLOADS_NODE_ORDER_H
#define MESHCAST_WORKLOADS_NODE_ORDER_H

#include "base/failure.h"
#include "machine/mesh.h"
#include "workloads/import.h"

/* A map from indices to the nodes of a square mesh, one to one. */
struct node_order {
    uint32_t side;
    node_index (*at)(const struct node_order *order, uint32_t index);
    node_index *table; /* NULL where the map is arithmetic */
};

/* Finds a map by its name; false if there is none. */
bool node_order_find(const char *name, enum import_map *map);

/* Makes `map` for the indices 0 .. indices-1, indices <= side^2, of a mesh that is valid. `seed`
 * counts for IMPORT_RANDOM alone. FAIL_SYSTEM: no memory. The caller frees the order. */
enum failure_kind node_order_make(struct node_order *order, enum import_map map, uint32_t side,
                                  uint32_t indices, uint64_t seed, struct failure *failure);

/* The node that owns `index`, below the number of indices that the order was made for. */
static inline node_index node_order_at(const struct node_order *order, uint32_t index)
{
    return order->at(order, index);
}

/* Frees the table and clears the order; a zeroed order is fine. */
void node_order_free(struct node_order *order);

#endif
