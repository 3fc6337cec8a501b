/* partial_permutation.h - partial permutations of a small mesh, random ones and sets that crowd columns. */
#ifndef MESHCAST_TEST_PRIMITIVES_PARTIAL_PERMUTATION_H
#define MESHCAST_TEST_PRIMITIVES_PARTIAL_PERMUTATION_H

#include "base/pcg.h"
#include "machine/mesh.h"

enum { PARTIAL_MOST_NODES = 48 * 48, PARTIAL_SET_COUNT = 4 };

struct partial {
    struct mesh mesh;
    node_index target[PARTIAL_MOST_NODES]; /* of each node; MESH_NO_NODE: it sends nothing */
};

/* Nobody sends. */
void partial_clear(struct partial *partial, struct mesh mesh);

/* A random permutation, of which each node takes part with so many percent. */
void partial_shuffle(struct partial *partial, struct pcg32 *random, uint32_t percent);

/* A family of sets: `make` adds that of a number below `variants` to a cleared one. */
struct partial_set {
    void (*make)(struct partial *partial, uint32_t variant);
    uint32_t variants;
};

/* Far columns first; Chinn, Leighton and Tompa's exchange; crowded columns; transposes, the mirror, bit
 * reversal. */
extern const struct partial_set PARTIAL_SETS[PARTIAL_SET_COUNT];

#endif
