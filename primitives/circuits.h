/* circuits.h - the closed walks by which packets tour a mesh, whole or broken. */
#ifndef MESHCAST_PRIMITIVES_CIRCUITS_H
#define MESHCAST_PRIMITIVES_CIRCUITS_H

#include "base/failure.h"
#include "primitives/ring.h"

struct topology;

/* A whole mesh has one circuit. A broken one has a circuit for each part of at least two nodes.
 * Both of its ways are one walk, forward and backward, which visits all nodes of the part and uses
 * each direction of a link at most once. Packets begin and stop at the first place of a node. */
struct circuits {
    struct mesh_circuit all; /* of a broken mesh only capacity and rounds, which suffice for all */
    bool is_one_way;         /* all packets go forward */
    uint32_t parts;          /* of a broken mesh, else 0 */
    struct mesh_circuit *circuit; /* [parts] */
    /* [node]: its part, UINT32_MAX without one; its first place there */
    uint32_t *part, *position;
    node_place *place; /* of all circuits, one after the other */
};

/* Makes the circuits; `broken`: the mesh if it is broken, else NULL. `at_once`: both ways hop in
 * the same steps, so packets go one way if both would use a link in the same direction. To be freed
 * with circuits_free, after a failure too. FAIL_SYSTEM: no memory. */
enum failure_kind circuits_make(struct circuits *circuits, struct mesh mesh,
                                const struct topology *broken, bool at_once,
                                struct failure *failure);
void circuits_free(struct circuits *circuits);

/* Returns the circuit with cycles 2 part and 2 part + 1. */
static inline const struct mesh_circuit *circuits_of_part(const struct circuits *circuits,
                                                          uint32_t part)
{
    return circuits->parts > 0 ? &circuits->circuit[part] : &circuits->all;
}

/* Returns the circuit that visits a node, which is in a part. */
static inline const struct mesh_circuit *circuits_at(const struct circuits *circuits,
                                                     node_place node)
{
    if (circuits->parts == 0)
        return &circuits->all;
    return &circuits->circuit[circuits->part[mesh_index(circuits->all.mesh, node)]];
}

#endif
