/* mesh_permutation.h - permutations that look random and that every node computes for itself: of
 * numbers, and of a mesh's nodes, which spread every row over all columns. */
#ifndef MESHCAST_PRIMITIVES_MESH_PERMUTATION_H
#define MESHCAST_PRIMITIVES_MESH_PERMUTATION_H

#include "machine/machine.h"

enum { KEYED_ROUNDS = 8 };

/* A permutation of 0 .. size-1: O(1) words, the same at every node. */
struct keyed_permutation {
    uint64_t key[KEYED_ROUNDS];
    uint32_t size, width; /* the indices below width * width >= size, as pairs */
};

/* Returns the permutation of (seed, stream) on 0 .. size-1, size at least 1. */
struct keyed_permutation keyed_permutation_make(uint64_t seed, uint64_t stream, uint32_t size);

/* Returns the image of `index`, below size; O(1) expected. */
uint32_t keyed_permutation_at(const struct keyed_permutation *permutation, uint32_t index);

struct mesh_permutation {
    struct mesh mesh;
    struct keyed_permutation *row; /* [row]: permutation of the columns */
    struct keyed_permutation *col; /* [column]: permutation of the rows */
};

/* Makes the permutation of (seed, stream) on the nodes of `mesh`, stream below 2^40. FAIL_SYSTEM:
 * no memory. The caller frees. */
enum failure_kind mesh_permutation_make(struct mesh_permutation *permutation, uint64_t seed,
                                        uint64_t stream, struct mesh mesh, struct failure *failure);
void mesh_permutation_free(struct mesh_permutation *permutation);

/* Returns the image of a node. O(1) expected. */
node_place mesh_permutation_at(const struct mesh_permutation *permutation, node_place node);

#endif
