/* chains.h - chains of destinations that a worm can visit one after the other. Private to the
 * schemes.
 *
 * On meshes of one or two dimensions they are cut greedily from the destinations, by their
 * positions about the source (quadrants.c); elsewhere they are found by a largest matching
 * (fewest_chains.c).
 */
#ifndef MESHCAST_NETWORK_SCHEMES_CHAINS_H
#define MESHCAST_NETWORK_SCHEMES_CHAINS_H

#include "network/schemes/scheme_private.h"

/* Chains one after the other: chain i ends before node[end[i]]. */
struct chains {
    uint32_t count, *node, *end;
};

/* Returns room for the chains of all destinations; none if the plan lacks memory. */
struct chains chains_make(const struct planning *planning);

/* Returns the first place of a chain in chains->node; of the next one if there are i chains. */
static inline uint32_t chain_begin(const struct chains *chains, uint32_t i)
{
    return i == 0 ? 0 : chains->end[i - 1];
}

/* Adds the next chain, whose nodes have been written. */
static inline void chains_add(struct chains *chains, uint32_t nodes)
{
    chains->end[chains->count] = chain_begin(chains, chains->count) + nodes;
    chains->count++;
}

/* Adds a worm from the source past the nodes of each chain. */
void chains_plan(const struct chains *chains, const struct planning *planning);

/* ---- quadrants ---- */

/* North-east and south-west have the axes of the source, as Libeskind-Hadas et al. have them. */
enum quadrant { NORTH_WEST, SOUTH_EAST, NORTH_EAST, SOUTH_WEST, QUADRANTS };

/* Column by column from the west, in each from the south; or row by row from the south, in each
 * from the west. */
enum sweep { BY_COLUMNS, BY_ROWS };

struct site {
    uint32_t at
        [2]; /* x, y: at[sweep] counts the columns or rows of a sweep, at[!sweep] runs along them */
    uint32_t node;
    enum quadrant quadrant;
    bool is_taken;
};

struct quadrants {
    uint32_t count, left[QUADRANTS]; /* sites, and how many of each quadrant are not taken */
    uint32_t source[2];
    struct site *site;  /* in the order of rows */
    uint64_t *eastward; /* their places in the order of columns, in the lower half of each */
};

/* Sorts the destinations; the plan may lack memory after it. */
struct quadrants quadrants_make(const struct planning *planning);

/* Returns the i-th site of a sweep. */
static inline struct site *quadrants_site(struct quadrants *quadrants, enum sweep sweep, uint32_t i)
{
    return &quadrants->site[sweep == BY_COLUMNS ? (uint32_t)quadrants->eastward[i] : i];
}

/* Takes a site; returns its node. */
uint32_t quadrants_take(struct quadrants *quadrants, struct site *site);

/* Takes a chain, in which neither coordinate shrinks, and writes its nodes: in the order of the
 * sweep each site that extends it, of all quadrants (QUADRANTS), or of one. Repeated until a
 * quadrant is empty, by one sweep, this gives the fewest chains into which it can be cut. Returns
 * the number of nodes. */
uint32_t quadrants_take_chain(struct quadrants *quadrants, enum sweep sweep, enum quadrant of,
                              uint32_t *node);

/* ---- the fewest chains on meshes of any dimension ---- */

/* True if a worm from the source can go on from destination `node` to destination `next`. For a
 * given source this is a partial order of all nodes. */
typedef bool chain_rule(const struct topology *topology, uint32_t source, uint32_t node,
                        uint32_t next);

/* True if no coordinate of `next` is smaller than that of `node`. */
bool chain_ascends(const struct topology *topology, uint32_t source, uint32_t node, uint32_t next);

/* True if the x-first way from the source to `next` passes `node`. */
bool chain_is_x_first(const struct topology *topology, uint32_t source, uint32_t node,
                      uint32_t next);

/* Covers the destinations by the fewest chains. Chains with a high node, which has a larger
 * coordinate than the source, come first, and are the fewest as well; returns their number. The
 * rule must lead from high nodes only to high ones. */
uint32_t chains_cover(struct chains *chains, const struct planning *planning, chain_rule *rule);

#endif
