/* ring.h - the Hamiltonian ring of a mesh (the paper's Fact 1), and closed walks by which packets
 * tour a mesh, one each way. */
#ifndef MESHCAST_PRIMITIVES_RING_H
#define MESHCAST_PRIMITIVES_RING_H

#include "machine/cycle.h"

static inline bool ring_is_closed(struct mesh mesh)
{
    return mesh.rows > 1 && mesh.cols > 1;
}

static inline bool ring_leaves_out_corner(struct mesh mesh)
{
    return ring_is_closed(mesh) && mesh.rows % 2 == 1 && mesh.cols % 2 == 1;
}

/* Returns the node at a position: there are mesh_nodes(mesh), or one less if the ring leaves out
 * the corner (0, 0). Consecutive nodes are neighbours on the mesh; if the ring is closed the last
 * is also a neighbour of the first. An odd x odd mesh has no Hamiltonian cycle: its ring leaves out
 * the corner (0, 0), whose neighbours are two positions apart on it. A single row or column is an
 * open path. */
node_place ring_place(struct mesh mesh, uint32_t position);

/* ---- for ring_position() ---- */

/* rows even */
static inline uint32_t ring_even_position(uint32_t rows, uint32_t cols, uint32_t row, uint32_t col)
{
    if (col == 0)
        return row == 0 ? 0 : rows * cols - row;
    return row * (cols - 1) + (row % 2 == 0 ? col : cols - col);
}

/* rows and cols odd, at least 3 */
uint32_t ring_odd_position(uint32_t rows, uint32_t cols, uint32_t row, uint32_t col);

/* Returns the position of a node; UINT32_MAX for the corner that is left out. */
static inline uint32_t ring_position(struct mesh mesh, node_place place)
{
    uint32_t row = place_row(place), col = place_col(place);
    if (!ring_is_closed(mesh))
        return row + col;
    if (mesh.rows % 2 == 0)
        return ring_even_position(mesh.rows, mesh.cols, row, col);
    if (mesh.cols % 2 == 0)
        return ring_even_position(mesh.cols, mesh.rows, col, row);
    return ring_odd_position(mesh.rows, mesh.cols, row, col);
}

/* ---- circuits ---- */

/* Two ways, one for each side: packets of each node tour forward and backward. Even meshes: n
 * places each. Odd x odd meshes: n + 1 places, since each way turns aside to the corner (0, 0),
 * forward from (1, 0) and backward from (0, 1). A single row or column: n places from end to end;
 * these ways are not closed. Broken meshes: circuits.h. */
struct mesh_circuit {
    struct mesh mesh;
    uint32_t length;   /* of a way */
    uint32_t around;   /* links once around; if it is open, more than between any places */
    uint32_t capacity; /* the most places of a node: usually 2, 3 beside the corner */
    /* Within so many rounds each node is reached from any other on one of the sides, except
     * apart[1] from apart[0]; MESH_NO_NODE: no such pair. */
    uint32_t rounds;
    node_index apart[2];
    /* Of a part of a broken mesh, else NULL: the node at each place, and [node] its first place. */
    const node_place *walk;
    const uint32_t *position;
};

/* Returns the circuit of a whole mesh. O(1). */
struct mesh_circuit mesh_circuit_of(struct mesh mesh);

/* Returns the node at place 0 .. 2 * length - 1, which any node finds in O(1); the places of the
 * way back are last. */
node_place mesh_circuit_place(const struct mesh_circuit *circuit, uint32_t place);

/* Sets home[side] to the place where packets from `node` begin on that side, and where packets to
 * it stop; mesh_circuit_home() returns that of one side. */
void mesh_circuit_homes(const struct mesh_circuit *circuit, node_place node, uint32_t home[2]);
uint32_t mesh_circuit_home(const struct mesh_circuit *circuit, unsigned side, node_place node);

/* Returns the number of links of that side from place `from` to place `to`; circuit->length or
 * more: no way. */
static inline uint32_t mesh_circuit_links(const struct mesh_circuit *circuit, uint32_t from,
                                          uint32_t to)
{
    return to >= from ? to - from : to + circuit->around - from;
}

/* Returns the links of that side between two nodes. */
static inline uint32_t mesh_circuit_hops(const struct mesh_circuit *circuit, unsigned side,
                                         node_place from, node_place to)
{
    return mesh_circuit_links(circuit, mesh_circuit_home(circuit, side, from),
                              mesh_circuit_home(circuit, side, to));
}

#endif
