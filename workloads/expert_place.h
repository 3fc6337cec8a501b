/* expert_place.h - which node an expert of a mixture-of-experts model is on. */
#ifndef MESHCAST_WORKLOADS_EXPERT_PLACE_H
#define MESHCAST_WORKLOADS_EXPERT_PLACE_H

#include "machine/mesh.h"
#include "topology/topology.h"

/* EXPERTS_SPREAD: a mesh or torus of two dimensions is cut into about as many tiles as there are experts, other shapes
 * into runs of consecutive nodes, and one expert is in the middle of each. EXPERTS_BLOCK: they are on the first nodes, one after the other. Where there are more experts than
 * nodes, consecutive ones share a node, in both. */
enum { EXPERTS_MOST = 1 << 20 };
enum expert_order { EXPERTS_SPREAD, EXPERTS_BLOCK };

/* The names of the orders, ended by NULL. */
extern const char *const expert_order_names[];

/* The place of `expert`, below `experts`: a node (EXPERTS_SPREAD), or its number in the order of nodes (EXPERTS_BLOCK). */
node_index expert_place(const struct shape *shape, enum expert_order order, uint32_t experts,
                        uint32_t expert);

#endif
