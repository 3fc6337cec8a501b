/* ring.h - the Hamiltonian ring of a mesh (the paper's Fact 1), as a table of places. */
#ifndef MESHCAST_PRIMITIVES_RING_H
#define MESHCAST_PRIMITIVES_RING_H

#include "machine/machine.h"

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

/* Any node finds its own row of this table in O(1) from its coordinates and the sizes. FAIL_SYSTEM:
 * no memory. Freed with ring_free, which a zeroed ring survives. */
enum failure_kind ring_make(struct ring *ring, struct mesh mesh, struct failure *failure);
void ring_free(struct ring *ring);

/* The bytes that a ring of `mesh` takes. */
uint64_t ring_footprint(struct mesh mesh);

#endif
