/* segmented_broadcast.h - copies of packets along segments of the snake order of tiles. */
#ifndef MESHCAST_PRIMITIVES_SEGMENTED_BROADCAST_H
#define MESHCAST_PRIMITIVES_SEGMENTED_BROADCAST_H

#include "machine/machine.h"
#include "primitives/synchronise.h"
#include "primitives/tessellation.h"

/* What a segment is made of. Positions 0, 1, 2, ... lie along the snake order of a tile,
 * `per_node` on each node. */
struct segments {
    const struct tessellation *tiles;
    uint32_t block;    /* destination slots that a copy takes, at least 1 */
    uint32_t per_node; /* positions of a node, at least 1 */
};

/* In all tiles at once: every resting packet stands at the node of its first position,
 * header.target (a position in its tile), and has the slots of k >= 1 copies, all of `block` slots
 * but perhaps the last. It is split over the positions target .. target + k - 1: a copy rests at
 * the node of each. Segments of different packets must not overlap. Whole blocks move together, so
 * a block of slots stays one copy's. Uses header.state, which it leaves at 0. Ends with
 * synchronisations over the mesh, in `rounds` named `name`.
 * Steps with free copies: at most 2 (h + w) times the positions of a node, in tiles of h rows and w
 * columns. FAIL_CHECK: a buffer overflowed. */
enum failure_kind segmented_broadcast(struct machine *machine, struct segments segments,
                                      const char *name, struct rounds rounds,
                                      struct failure *failure);

#endif
