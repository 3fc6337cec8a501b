/* ring.h - the Hamiltonian ring of a mesh (the paper's Fact 1), place by place and as a table. */
#ifndef MESHCAST_PRIMITIVES_RING_H
#define MESHCAST_PRIMITIVES_RING_H

#include "machine/machine.h"

static inline bool ring_is_closed(struct mesh mesh)
{
    return mesh.rows > 1 && mesh.cols > 1;
}

static inline bool ring_leaves_out_corner(struct mesh mesh)
{
    return ring_is_closed(mesh) && mesh.rows % 2 == 1 && mesh.cols % 2 == 1;
}

/* Returns the node at a position: there are mesh_nodes(mesh), or one less if the ring leaves out the corner (0, 0). */
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

/* Returns where a node is; of the corner left out UINT32_MAX. */
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

/* `length` places, neighbours on the mesh one after another; `is_closed` if the last is also a
 * neighbour of the first. An odd x odd mesh has no Hamiltonian cycle: its ring leaves out the
 * corner (0, 0), which hangs beside the ring between `before_corner` and `after_corner`, two
 * places apart on it. A single row or column is an open path. */
struct ring {
    struct mesh mesh;
    uint32_t length;
    bool is_closed, leaves_out_corner;
    node_place *place;                    /* [length] */
    uint32_t *position;                   /* [nodes]; of the corner left out: UINT32_MAX */
    uint32_t before_corner, after_corner; /* positions */
};

/* FAIL_SYSTEM: no memory. Freed with ring_free, which a zeroed ring survives. */
enum failure_kind ring_make(struct ring *ring, struct mesh mesh, struct failure *failure);
void ring_free(struct ring *ring);

#endif
