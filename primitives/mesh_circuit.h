/* mesh_circuit.h - closed walks by which packets tour a mesh, one each way. */
#ifndef MESHCAST_PRIMITIVES_MESH_CIRCUIT_H
#define MESHCAST_PRIMITIVES_MESH_CIRCUIT_H

#include "machine/cycle.h"

/* Two sides: packets of each node tour forward and backward. Even meshes: a way for each side, of n
 * places. Odd x odd meshes: n + 1 places, since each way turns aside to the corner (0, 0), forward
 * from (1, 0) and backward from (0, 1). A single row or column: one way, there and back. */
struct mesh_circuit {
    uint32_t ways, length;
    node_place *place; /* [ways * length] */
    uint32_t *home[2]; /* [side][node]: the place where its packets begin, and where others stop */
    uint32_t capacity; /* the most places of a node: 2 as a rule, 3 beside the corner */
    uint32_t
        rounds; /* within so many each node is reached from any other, on one of the sides .. */
    node_index apart[2]; /* .. but for the second from the first of these; MESH_NO_NODE: none */
};

/* Any node finds its own entries in O(1) from its coordinates and the sizes. FAIL_SYSTEM: no memory. Freed
 * with mesh_circuit_free, which a zeroed circuit survives. */
enum failure_kind mesh_circuit_make(struct mesh_circuit *circuit, struct mesh mesh,
                                    struct failure *failure);
void mesh_circuit_free(struct mesh_circuit *circuit);

/* The links of that side between two nodes. */
static inline uint32_t mesh_circuit_hops(const struct mesh_circuit *circuit, unsigned side,
                                         node_index from, node_index to)
{
    uint32_t a = circuit->home[side][from], b = circuit->home[side][to];
    return b >= a ? b - a : b + circuit->length - a;
}

/* The bytes that it takes at most while it is made. */
uint64_t mesh_circuit_footprint(struct mesh mesh);

#endif
