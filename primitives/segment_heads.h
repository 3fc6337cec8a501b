/* segment_heads.h - packets spread to the segments of the snake that they are to fill (Proposition
 * 3, Steps 2(b) and 2(c)). */
#ifndef MESHCAST_PRIMITIVES_SEGMENT_HEADS_H
#define MESHCAST_PRIMITIVES_SEGMENT_HEADS_H

#include "machine/machine.h"
#include "primitives/tessellation.h"

/* Heads in every tile at once. Positions 0, 1, 2, .. lie along the snake order of a tile, one on
 * each node. A head belongs to a batch. In the order of their nodes along the snake those of one
 * batch in a tile have the numbers 0, 1, 2, .., and their segments follow one another from position
 * 0 on. */
struct segment_heads {
    const struct tessellation *tiles;
    uint32_t batches;     /* 1 or 2 */
    struct excess excess; /* of the heads of one batch */
    uint32_t longest;     /* no segment has more positions, as every node knows */
    /* 0, or 1: the packet's batch. */
    uint32_t (*batch)(void *context, uint32_t packet);
    /* The packet's number modulo the width of its tile. */
    uint32_t (*column)(void *context, uint32_t packet);
    /* How many positions the packet's segment has, at least 1; and how many slots the first
     * `copies` copies take from the front of its range. */
    uint32_t (*copies)(void *context, uint32_t packet);
    uint32_t (*slots)(void *context, uint32_t packet, uint32_t copies);
    void *context;
};

/* Every resting packet is a head, header.target the first position of its segment. With free copies
 * it is split over the positions, as by segmented_broadcast: a copy rests at the node of each, and
 * header.target is its position. With unit copies it rests whole at the node of the first. In the
 * phase that was begun, of a length that every node computes: segment_heads_steps. Buffer:
 * segment_heads_packets. FAIL_CHECK: a buffer overflowed. */
enum failure_kind segment_heads_spread(struct machine *machine, const struct segment_heads *heads,
                                       struct failure *failure);

/* In tiles of at most h rows and w columns, with L batches: w - 1 + h - 1 + w - 1 + 3 (L - 1), less
 * for sides of 1; with free copies D + L - 1 more, D the borders between rows that the longest
 * segment crosses. With an excess of e in a row and E in a tile L e + ceil(E / w) more, w of a
 * narrowest tile; and where e is 3 or more and L = 2 another w - 2 for rows. */
uint64_t segment_heads_steps(const struct segment_heads *heads, bool copy_is_free);

/* 3 of each batch; with an excess of one at a node 7 of two batches, but 8 if it is two in a row,
 * and more if there are more in a row than nodes. */
uint32_t segment_heads_packets(const struct segment_heads *heads);

#endif
