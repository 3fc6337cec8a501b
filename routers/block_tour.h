/* block_tour.h - packets tour the Hamiltonian cycles of their blocks, all at once. */
#ifndef MESHCAST_ROUTERS_BLOCK_TOUR_H
#define MESHCAST_ROUTERS_BLOCK_TOUR_H

#include "machine/machine.h"
#include "primitives/tessellation.h"

/* A closed walk around all blocks of one size, by places within the block. Every node is at one
 * position at which packets start and deliver; one node of an odd x odd block is also at a second
 * one, which they only pass. */
struct block_walk {
    node_place *place;  /* [length] */
    uint32_t *position; /* [height * width]: position of a node, where packets deliver */
};

struct block_cycle {
    uint32_t height, width;    /* 0: no such block */
    uint32_t length;           /* positions of each walk */
    struct block_walk walk[2]; /* forward, back */
};

struct block_tour {
    const struct tessellation *blocks; /* must outlive the tour */
    struct block_cycle cycle[2][2];    /* [is a row lower][is a column narrower] */
    uint32_t longest;                  /* positions of a longest walk */
    /* Links between neighbours on a walk, at most: 2 on a line of three nodes or more, else 1. */
    uint32_t hop;
    bool has_pair;   /* there are blocks of two nodes */
    bool has_corner; /* there are odd x odd blocks that are no lines */
    /* True if a packet that arrives at `site` with `slot`, whose destination it is, finds its
     * message there: then it drops the slot. NULL, the value of block_tour_make: never. Called by
     * several threads. */
    bool (*is_held)(void *context, struct site site, uint32_t slot);
    void *context;
};

/* Makes the walks of all blocks. Any node finds its neighbours on them in O(1) from the sizes.
 * FAIL_SYSTEM: no memory. The caller frees with block_tour_free, for which a zeroed tour is
 * fine. */
enum failure_kind block_tour_make(struct block_tour *tour, const struct tessellation *blocks,
                                  struct failure *failure);
void block_tour_free(struct block_tour *tour);

/* Lets every resting packet, whose destinations must all be in its block, tour the block once and
 * deliver to all of them; it is gone then. Packets with the bit `back` in header.state go the other
 * way round; back = 0: all go one way. At most one packet per node goes each way. In the phase that
 * was begun. Uses header.target.
 * Steps: block_tour_steps, for all packets. Buffer: 2 packets per node for each way. FAIL_CHECK: a
 * buffer overflowed. FAIL_SYSTEM: no memory. */
enum failure_kind block_tour_run(struct machine *machine, const struct block_tour *tour,
                                 uint8_t back, struct failure *failure);

static inline uint32_t block_tour_packets(bool both_ways)
{
    return both_ways ? 4 : 2;
}

uint64_t block_tour_steps(const struct block_tour *tour, bool copy_is_free, bool both_ways);

#endif
