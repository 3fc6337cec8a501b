/* fewest_chains.h - the fewest chains of destinations that worms can visit, on meshes of any dimension. Private to the
 * schemes. */
#ifndef MESHCAST_NETWORK_SCHEMES_FEWEST_CHAINS_H
#define MESHCAST_NETWORK_SCHEMES_FEWEST_CHAINS_H

#include "network/schemes/scheme.h"

/* Chains one after the other: chain i ends before node[end[i]]. */
struct chains {
    uint32_t count, *node, *end;
};

/* True if a worm from the source can go on from destination `node` to destination `next`. For a given source this is a
 * partial order of all nodes. */
typedef bool chain_rule(const struct topology *topology, uint32_t source, uint32_t node,
                        uint32_t next);

/* True if no coordinate of `next` is smaller than that of `node`. */
bool chain_ascends(const struct topology *topology, uint32_t source, uint32_t node, uint32_t next);

/* True if the x-first way from the source to `next` passes `node`. */
bool chain_is_x_first(const struct topology *topology, uint32_t source, uint32_t node,
                      uint32_t next);

/* Allocates room for chains of so many nodes; chains_free() also after a failure. FAIL_SYSTEM: no memory. */
enum failure_kind chains_make(struct chains *chains, uint32_t nodes, struct failure *failure);
void chains_free(struct chains *chains);

/* Returns the first place of a chain in chains->node. */
static inline uint32_t chain_begin(const struct chains *chains, uint32_t i)
{
    return i == 0 ? 0 : chains->end[i - 1];
}

/* True if the node has a larger coordinate than the source. */
bool chain_is_high(const struct topology *topology, uint32_t source, uint32_t node);

/* Covers the destinations by the fewest chains. Chains with a high node come first, and are the fewest as well; sets *high to
 * their number. The rule must lead from high nodes only to high ones. FAIL_SYSTEM: no memory. */
enum failure_kind chains_cover(struct chains *chains, const struct topology *topology,
                               const struct multicast *multicast, chain_rule *rule, uint32_t *high,
                               struct failure *failure);

#endif
