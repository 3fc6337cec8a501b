/* permutation_private.h - what permutation.c and permutation_crowd.c share. */
#ifndef MESHCAST_WORKLOADS_PERMUTATION_PRIVATE_H
#define MESHCAST_WORKLOADS_PERMUTATION_PRIVATE_H

#include "base/failure.h"
#include "machine/mesh.h"

/* Set the targets of some nodes, no two the same, and leave the others at MESH_NO_NODE. */
void permutation_hot_column(struct mesh tile, node_index *target);
void permutation_row_to_column(struct mesh tile, node_index *target);
void permutation_adversary(struct mesh tile, node_index *target);

/* Completes target[0 .. nodes-1]: nodes at MESH_NO_NODE stay where their own place is free; the
 * rest take the places that are then free, both in order. FAIL_SYSTEM: no memory. */
enum failure_kind permutation_complete(uint32_t nodes, node_index *target, struct failure *failure);

#endif
