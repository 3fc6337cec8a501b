/* segment_heads.h - packets spread to the segments of the snake that they are to fill (Proposition
 * 3, Steps 2(b) and 2(c)). */
#ifndef MESHCAST_PRIMITIVES_SEGMENT_HEADS_H
#define MESHCAST_PRIMITIVES_SEGMENT_HEADS_H

#include "machine/machine.h"
#include "primitives/tessellation.h"

/* Heads in every tile at once. Positions 0, 1, 2, .. follow the snake order of a tile, one per
 * node. A head belongs to a batch. In the order of their nodes along the snake those of one batch
 * in a tile have the numbers 0, 1, 2, .., and their segments follow one another from position 0
 * on. */
struct segment_heads {
    const struct tessellation *tiles;
    uint32_t batches;     /* 1 or 2 */
    struct excess excess; /* of the heads of one batch */
    uint32_t longest;     /* no segment has more positions, which every node knows */
    /* Returns the packet's batch: 0, or 1. */
    uint32_t (*batch)(void *context, uint32_t packet);
    /* Returns the packet's number modulo the width of its tile. */
    uint32_t (*column)(void *context, uint32_t packet);
    /* Return the number of positions of the packet's segment, at least 1; and the number of slots
     * that the first `copies` copies take from the front of its range. */
    uint32_t (*copies)(void *context, uint32_t packet);
    uint32_t (*slots)(void *context, uint32_t packet, uint32_t copies);
    void *context;
};

/* Spreads all resting packets, which are heads; header.target is the first position of the segment.
 * With free copies it is split over the positions, as by segmented_broadcast: a copy rests at the
 * node of each, and header.target is its position. With unit copies it rests whole at the node of
 * the first. In the phase that was begun, of a length that every node computes:
 * segment_heads_steps. Buffer: segment_heads_packets. FAIL_CHECK: a buffer overflowed. */
enum failure_kind segment_heads_spread(struct machine *machine, const struct segment_heads *heads,
                                       struct failure *failure);

/* Returns the steps. In tiles of at most h rows and w columns, with L batches: w - 1 + h - 1 + w -
 * 1 + 3 (L - 1), less for sides of 1; with free copies D + L - 1 more, D the borders between rows
 * that the longest segment crosses. With an excess of e in a row and E in a tile L e + ceil(E / w)
 * more, w of a narrowest tile; and where e is 3 or more and L = 2 another w - 2 for rows. */
uint64_t segment_heads_steps(const struct segment_heads *heads, bool copy_is_free);

/* Returns the most packets at a node: 3 per batch; with an excess of one at a node 7 for two
 * batches, but 8 if it is two in a row, and more if there are more in a row than nodes. */
uint32_t segment_heads_packets(const struct segment_heads *heads);

#endif
