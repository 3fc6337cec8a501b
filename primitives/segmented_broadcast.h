/* segmented_broadcast.h - copies of packets along segments of the snake order of tiles. */
#ifndef MESHCAST_PRIMITIVES_SEGMENTED_BROADCAST_H
#define MESHCAST_PRIMITIVES_SEGMENTED_BROADCAST_H

#include "machine/machine.h"
#include "primitives/tessellation.h"

/* Segments of packets. Positions 0, 1, 2, ... follow the snake order of a tile, `per_node` on each
 * node. */
struct segments {
    const struct tessellation *tiles;
    uint32_t per_node; /* per node, at least 1 */
    uint32_t longest;  /* no segment has more positions, which every node knows; 0: any length */
    uint32_t block;    /* destination slots that a copy takes; 0: by the functions below */
    /* Returns the number of copies of `packet`; 0: it is no segment's and rests. */
    uint32_t (*copies)(void *context, uint32_t packet);
    /* Returns the number of slots that the first `copies` of them take from the front of its
     * range. */
    uint32_t (*slots)(void *context, uint32_t packet, uint32_t copies);
    void *context;
};

/* Spreads packets along their segments in all tiles at once: every resting packet is at the node of
 * its first position, header.target (a position in its tile), and becomes k >= 1 copies: with
 * `block`, as many as its slots make blocks, the last of which may be short. It is split over the
 * positions target .. target + k - 1: a copy rests at the node of each, and header.target is its
 * position. Segments of different packets must not overlap. A copy's block of slots does not follow
 * from its position. Packets are split at the front of their ranges only. Runs in a phase `name`
 * (NULL: the one that was begun) whose length every node knows, so no synchronisation ends it:
 * segmented_broadcast_steps. Buffer: at most per_node + 3 packets per node. FAIL_CHECK: a buffer
 * overflowed. */
enum failure_kind segmented_broadcast(struct machine *machine, const struct segments *segments,
                                      const char *name, struct failure *failure);

/* Returns the length, for tiles of at most h rows and w columns: let D be h + w - 2, or if it is
 * less floor((longest + per_node - 2) / per_node), the most nodes of a segment after its first.
 *     free copies   D (1 if that is 0 and a node has several positions)
 *     unit copies   2 D + 2 + 4 (per_node - 1) */
uint64_t segmented_broadcast_steps(const struct segments *segments, bool copy_is_free);

#endif
