/* unicast_route.h - permutation routing and (k,k)-routing: packets to targets, in all tiles at
 * once.
 *
 * Every method routes all resting packets to header.target (a node_place) of their own tile; a
 * packet does not leave its tile. Nodes send and receive at most k packets each; any of them may
 * send fewer, or none. Those whose length is not known before end with the model's synchronisation.
 * FAIL_CHECK: a buffer overflowed. FAIL_SYSTEM: no memory.
 */
#ifndef MESHCAST_PRIMITIVES_UNICAST_ROUTE_H
#define MESHCAST_PRIMITIVES_UNICAST_ROUTE_H

#include "machine/machine.h"
#include "primitives/synchronise.h"
#include "primitives/tessellation.h"

/* A plan, which every node knows: methods with a plan use header.state and leave it at 0. */
struct unicast_plan {
    const struct tessellation *tiles;
    const char *name; /* of the phases; NULL, for unicast_blocks: none is begun */
    uint32_t k;       /* the most packets that a node sends or receives, at least 1 */
    uint64_t seed;    /* of the random lines of unicast_spread */
    /* For unicast_spread: packets start in waves that are drawn, a wave each of a node's, so that
     * no set makes many packets of one wave meet. False: a node's packets start in the first waves,
     * in the order in which they rest. */
    bool draws_waves;
    /* For unicast_spread: each packet has one destination, header.target, and is delivered there.
     * This is the run's last phase, so no synchronisation ends it. */
    bool delivers;
};

/* Routes greedily, first come first served: for k = 1 along rows first, else half of the packets
 * along columns first. Steps: O(k m); measured k m / 2 or 2 m. Buffer: m / 2 and more at worst. */
enum failure_kind unicast_greedy(struct machine *machine, const struct unicast_plan *plan,
                                 struct failure *failure);

/* At most `starts` packets start at a node, `turns` packets of a row of a tile go to one column,
 * and `ends` packets have one target; each at least 1. */
struct unicast_legs {
    uint32_t starts, turns, ends;
};

/* Routes along rows, and when all have turned along columns, farthest first. Steps: exactly
 * unicast_legs_steps, enough for all traffic within `legs`, and no synchronisation. Buffer:
 * unicast_legs_packets at most, without parked ones. Phase `name`. FAIL_CHECK also: there were more
 * packets than `legs` allows. header.state stays as it is. */
enum failure_kind unicast_along_legs(struct machine *machine, const struct tessellation *tiles,
                                     const char *name, const struct unicast_legs *legs,
                                     struct failure *failure);
uint64_t unicast_legs_steps(const struct tessellation *tiles, const struct unicast_legs *legs);
uint32_t unicast_legs_packets(const struct unicast_legs *legs);

/* Does the same with lengths of the legs, and packets at a node, that the caller has proven; or
 * along columns first. steps[0] = 0: a packet turns when it arrives, and steps[1] is the length of
 * both. FAIL_CHECK: that was not enough. */
enum failure_kind unicast_in_legs(struct machine *machine, const char *name, bool columns_first,
                                  const uint64_t steps[2], uint32_t packets,
                                  struct failure *failure);

/* Routes deterministically with at most `packets` packets per node, 5 or more and 2 k + 1 or more:
 * each tile is cut into blocks that are sorted by the targets' columns, then packets go along rows
 * and columns. A node sends at most one packet, and receives k = plan->k at most: k = 1 is a
 * partial permutation. Steps: exactly those of unicast_blocks_choose, and no synchronisation.
 * Buffer: `packets`. header.state stays as it is. */
enum failure_kind unicast_blocks(struct machine *machine, const struct unicast_plan *plan,
                                 uint32_t packets, struct failure *failure);

/* The number of blocks, down and across, into which tiles are cut, and their proven figures. */
struct block_choice {
    struct mesh blocks; /* rows = 0: none, and nothing is sorted */
    uint64_t steps;     /* of unicast_blocks, exactly */
    uint32_t packets;   /* the most at a node after sorting, which holds up to 3 */
};

/* Finds the choice with the fewest steps that holds at most `packets`. FAIL_SYSTEM: no memory. */
enum failure_kind unicast_blocks_choose(const struct unicast_plan *plan, uint32_t packets,
                                        struct block_choice *choice, struct failure *failure);

/* Does the same with so many blocks, 1 .. the sides of a smallest tile, or none. */
enum failure_kind unicast_by_blocks(struct machine *machine, const struct unicast_plan *plan,
                                    struct mesh blocks, struct failure *failure);

/* Routes k packets per node: each goes first to a random line near its own, then along one
 * dimension and the other, half of them in either order; the nodes' packets start one by one, about
 * m / 2 steps apart.
 * Steps: measured, about k m / 2 + 2 m. Buffer: measured at most k + 10 for k up to 16, k + 17 up
 * to 512 (m up to 256, every pattern). */
enum failure_kind unicast_spread(struct machine *machine, const struct unicast_plan *plan,
                                 struct failure *failure);

/* ---- for kernels that route by themselves ---- */

/* Returns the outputs of a packet that goes to header.packet[packet].target: the next link, first
 * along its row if `row_first`, else along its column; OUT_HOLD at the target. */
unsigned unicast_outputs(const struct headers *header, struct site site, uint32_t packet,
                         bool row_first);

/* Returns the stop of a packet on its way to its target over `direction`. */
uint32_t unicast_stop(const struct headers *header, uint32_t packet, enum direction direction);

/* Returns an urgency that is the same at all nodes of a leg over `direction`: the place `remaining`
 * steps from `site`, counted from the mesh's border behind. On a packet's last leg: farthest
 * first. */
uint32_t unicast_urgency(struct mesh mesh, struct site site, uint32_t remaining,
                         enum direction direction);

/* Returns the rule of greedy routing: packets with an even value in header.state go along rows
 * first, those with an odd one along columns first. `farthest_first` or first come first served;
 * the context is the machine. */
struct routing_rule unicast_rule(struct machine *machine, bool farthest_first);

/* Routes greedily by header.state, first come first served, in `rounds` of known lengths. */
enum failure_kind unicast_route(struct machine *machine, const char *name, struct rounds rounds,
                                struct failure *failure);

#endif
