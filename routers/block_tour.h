/* block_tour.h - packets tour the Hamiltonian cycles of their blocks, all at once. */
#ifndef MESHCAST_ROUTERS_BLOCK_TOUR_H
#define MESHCAST_ROUTERS_BLOCK_TOUR_H

#include "machine/machine.h"
#include "primitives/tessellation.h"

/* The cycle of all blocks of one size, by places within the block. */
struct block_cycle {
    uint32_t height, width; /* 0: there is no such block */
    node_place *place;      /* [height * width]: at a position */
    uint32_t *position;     /* [height * width]: of a node of the block */
};

struct block_tour {
    const struct tessellation *blocks; /* must outlive the tour */
    struct block_cycle cycle[2][2];    /* [is a row lower][is a column narrower] */
    uint32_t longest;                  /* nodes of a largest block */
    uint32_t hop;                      /* links between neighbours on a cycle, at most: 1 or 2 */
    bool has_pair;                     /* there are blocks of two nodes */
    /* Whether a packet that comes to `site` with `slot`, whose destination it is, finds its message
     * there: then it drops the slot. NULL, as block_tour_make leaves it: never. Several threads. */
    bool (*is_held)(void *context, struct site site, uint32_t slot);
    void *context;
};

/* The cycles of all blocks. Any node finds its neighbours on them in O(1) from the sizes.
 * FAIL_SYSTEM: no memory. The caller frees with block_tour_free, which a zeroed tour survives. */
enum failure_kind block_tour_make(struct block_tour *tour, const struct tessellation *blocks,
                                  struct failure *failure);
void block_tour_free(struct block_tour *tour);

/* How many hops forward lead from `from` to `to`, both of one block. */
uint32_t block_tour_distance(const struct block_tour *tour, node_place from, node_place to);

/* The place that so many hops forward, or with `is_back` back, lead to from `from`; fewer hops than the cycle has
 * places. block_tour_next: one hop, but a block's only place leads to itself. */
node_place block_tour_place(const struct block_tour *tour, node_place from, uint32_t hops,
                            bool is_back);
node_place block_tour_next(const struct block_tour *tour, node_place place, bool is_back);

/* Every resting packet, whose destinations must all lie in its block, tours the block once, delivers to all of
 * them, and is gone then. Packets with the bit `back` in header.state go the other way round; back = 0: all go one
 * way. At most one packet a node goes each way. In the phase that was begun. Uses header.target.
 * Steps: block_tour_steps, whatever the packets. Buffer: 2 packets a node for each way. FAIL_CHECK: a buffer
 * overflowed. FAIL_SYSTEM: no memory. */
enum failure_kind block_tour_run(struct machine *machine, const struct block_tour *tour,
                                 uint8_t back, struct failure *failure);

static inline uint32_t block_tour_packets(bool both_ways)
{
    return both_ways ? 4 : 2;
}

uint64_t block_tour_steps(const struct block_tour *tour, bool copy_is_free, bool both_ways);

#endif
