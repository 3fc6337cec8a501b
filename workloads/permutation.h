/* permutation.h - permutations of the nodes of one tile: one table, one call to fill an array. */
#ifndef MESHCAST_WORKLOADS_PERMUTATION_H
#define MESHCAST_WORKLOADS_PERMUTATION_H

#include "base/failure.h"
#include "machine/mesh.h"

/* A row of the table. `summary` is one line; `contract` gives each node's target exactly, for every
 * number of rows and columns. */
struct permutation {
    const char *name, *summary, *contract;
};

uint32_t permutation_count(void);
const struct permutation *permutation_at(uint32_t index);

/* Returns the permutation of that name, or NULL. */
const struct permutation *permutation_find(const char *name);

/* Fills target[0 .. n-1] with the node to which each of the n nodes of `tile` is sent, both as
 * row * cols + col within the tile; each node is the target of exactly one. Only a random one
 * depends on `seed`. Every tile that is a valid mesh has every permutation. FAIL_SYSTEM: no memory;
 * the contents of `target` are then undefined. */
enum failure_kind permutation_fill(const struct permutation *permutation, struct mesh tile,
                                   uint64_t seed, node_index *target, struct failure *failure);

#endif
