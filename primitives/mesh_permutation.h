/* mesh_permutation.h - permutations of a mesh's nodes that look random, spread every row over all
 * columns, and that every node computes for itself. */
#ifndef MESHCAST_PRIMITIVES_MESH_PERMUTATION_H
#define MESHCAST_PRIMITIVES_MESH_PERMUTATION_H

#include "machine/machine.h"
#include "primitives/keyed_permutation.h"

struct mesh_permutation {
    struct mesh mesh;
    struct keyed_permutation *row; /* [row]: of the columns */
    struct keyed_permutation *col; /* [column]: of the rows */
};

/* The permutation of (seed, stream) on the nodes of `mesh`, stream below 2^40. FAIL_SYSTEM: no
 * memory. The caller frees. */
enum failure_kind mesh_permutation_make(struct mesh_permutation *permutation, uint64_t seed,
                                        uint64_t stream, struct mesh mesh, struct failure *failure);
void mesh_permutation_free(struct mesh_permutation *permutation);

/* Returns the image of a node. O(1) expected. */
node_place mesh_permutation_at(const struct mesh_permutation *permutation, node_place node);

#endif
