/* mesh_circuit.h - closed walks by which packets tour a mesh, one each way. */
#ifndef MESHCAST_PRIMITIVES_MESH_CIRCUIT_H
#define MESHCAST_PRIMITIVES_MESH_CIRCUIT_H

#include "machine/cycle.h"

/* Two ways, one for each side: packets of each node tour forward and backward. Even meshes: n places each. Odd x odd
 * meshes: n + 1 places, since each way turns aside to the corner (0, 0), forward from (1, 0) and backward from (0, 1).
 * A single row or column: n places from end to end; these ways are not closed. */
struct mesh_circuit {
    struct mesh mesh;
    uint32_t length; /* of a way */
    uint32_t
        around; /* links once round it; where it is not closed more than between any two of its places */
    uint32_t capacity; /* the most places of a node: 2 as a rule, 3 beside the corner */
    /* Within so many rounds each node is reached from any other on one of the sides, but for apart[1] from apart[0];
     * MESH_NO_NODE: there is no such pair. */
    uint32_t rounds;
    node_index apart[2];
};

/* Returns the circuit of a mesh. O(1). */
struct mesh_circuit mesh_circuit_of(struct mesh mesh);

/* Returns the node at place 0 .. 2 * length - 1, which any node finds in O(1); those of the way back come last. */
node_place mesh_circuit_place(const struct mesh_circuit *circuit, uint32_t place);

/* home[side] becomes the place where packets from `node` begin on that side, and where packets to it stop;
 * mesh_circuit_home() returns that of one side. */
void mesh_circuit_homes(const struct mesh_circuit *circuit, node_place node, uint32_t home[2]);
uint32_t mesh_circuit_home(const struct mesh_circuit *circuit, unsigned side, node_place node);

/* Returns the number of links of that side from place `from` to place `to`; circuit->length or more: there is no way. */
static inline uint32_t mesh_circuit_links(const struct mesh_circuit *circuit, uint32_t from,
                                          uint32_t to)
{
    return to >= from ? to - from : to + circuit->around - from;
}

/* The links of that side between two nodes. */
static inline uint32_t mesh_circuit_hops(const struct mesh_circuit *circuit, unsigned side,
                                         node_place from, node_place to)
{
    return mesh_circuit_links(circuit, mesh_circuit_home(circuit, side, from),
                              mesh_circuit_home(circuit, side, to));
}

#endif
