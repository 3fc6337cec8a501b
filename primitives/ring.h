/* ring.h - the Hamiltonian ring of a mesh (the paper's Fact 1), place by place and as a table. */
#ifndef MESHCAST_PRIMITIVES_RING_H
#define MESHCAST_PRIMITIVES_RING_H

#include "machine/machine.h"

/* The ring of `mesh` has mesh_nodes(mesh) positions, or one less if it leaves out the corner (0, 0).
 * ring_place(): the node at a position. ring_position(): where a node is; of the corner left out UINT32_MAX. */
node_place ring_place(struct mesh mesh, uint32_t position);
uint32_t ring_position(struct mesh mesh, node_place place);
bool ring_is_closed(struct mesh mesh);
bool ring_leaves_out_corner(struct mesh mesh);

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
