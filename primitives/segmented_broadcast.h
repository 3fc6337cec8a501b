/* segmented_broadcast.h - copies of packets along segments of the mesh's snake order. */
#ifndef MESHCAST_PRIMITIVES_SEGMENTED_BROADCAST_H
#define MESHCAST_PRIMITIVES_SEGMENTED_BROADCAST_H

#include "machine/machine.h"
#include "primitives/synchronise.h"

/* What a segment is made of. Positions 0, 1, 2, ... lie along the snake order of the whole mesh,
 * `per_node` on each node. */
struct segments {
    uint32_t block;    /* destination slots that a copy takes, at least 1 */
    uint32_t per_node; /* positions of a node, at least 1 */
};

/* Every resting packet stands at the node of its first position, header.target (a position), and
 * has the slots of k >= 1 copies, all of `block` slots but perhaps the last. It is split over the
 * positions target .. target + k - 1: a copy rests at the node of each. Segments of different
 * packets must not overlap. Whole blocks move together, so a block of slots stays one copy's.
 * Uses header.state, which it leaves at 0. Ends with synchronisations, in `rounds` named `name`.
 * Steps with free copies: at most 2 rows + 2 cols a position of a node. FAIL_CHECK: a buffer
 * overflowed. */
enum failure_kind segmented_broadcast(struct machine *machine, struct segments segments,
                                      const char *name, struct rounds rounds,
                                      struct failure *failure);

#endif
