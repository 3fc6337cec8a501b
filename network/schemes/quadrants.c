/* quadrants.c - chains: the destinations about a source in quadrants, sweeps, greedy chains.
 *
 * Greedy chains are the fewest: a site that a chain passes over is after one of the chain in the
 * sweep, and has a smaller coordinate along it, so no chain has both. The one of the chain was
 * passed over by the chain before, and so on: that is a site of each chain, and no two of them can
 * be in a chain together.
 * Cost: O(k log k) for k destinations, and O(k) per chain; 36 bytes per destination.
 */
#include "network/schemes/chains.h"

#include <assert.h>
#include <stdlib.h>

static enum quadrant quadrant_of(const uint32_t at[2], const uint32_t source[2])
{
    if (at[0] < source[0] && at[1] > source[1])
        return NORTH_WEST;
    if (at[0] > source[0] && at[1] < source[1])
        return SOUTH_EAST;
    return at[0] >= source[0] && at[1] >= source[1] ? NORTH_EAST : SOUTH_WEST;
}

struct chains chains_make(const struct planning *planning)
{
    uint32_t nodes = planning->multicast->destinations;
    uint32_t *words = plan_scratch(planning->plan, nodes, 2 * sizeof *words);
    return (struct chains){0, words, words == NULL ? NULL : words + nodes};
}

void chains_plan(const struct chains *chains, const struct planning *planning)
{
    for (uint32_t i = 0; i < chains->count; i++) {
        uint32_t begin = chain_begin(chains, i);
        plan_add_path(planning->plan, planning->multicast->source, chains->node + begin,
                      chains->end[i] - begin);
    }
}

struct quadrants quadrants_make(const struct planning *planning)
{
    const struct topology *topology = planning->topology;
    const struct multicast *multicast = planning->multicast;
    struct quadrants q = {
        .count = multicast->destinations,
        .source = {mesh_2d_x(topology, multicast->source), mesh_2d_y(topology, multicast->source)},
        .site = plan_scratch(planning->plan, multicast->destinations, sizeof *q.site),
        .eastward = plan_scratch(planning->plan, multicast->destinations, sizeof *q.eastward)};
    if (planning->plan->lacks_memory)
        return q;
    for (uint32_t i = 0; i < q.count; i++) {
        uint32_t node = multicast->destination[i];
        struct site site = {.at = {mesh_2d_x(topology, node), mesh_2d_y(topology, node)},
                            .node = node};
        site.quadrant = quadrant_of(site.at, q.source);
        q.left[site.quadrant]++;
        q.site[i] = site;
        q.eastward[i] = (uint64_t)site.at[0] << 32 | i;
    }
    qsort(q.eastward, q.count, sizeof *q.eastward, compare_u64);
    return q;
}

uint32_t quadrants_take(struct quadrants *quadrants, struct site *site)
{
    assert(!site->is_taken);
    site->is_taken = true;
    quadrants->left[site->quadrant]--;
    return site->node;
}

uint32_t quadrants_take_chain(struct quadrants *quadrants, enum sweep sweep, enum quadrant of,
                              uint32_t *node)
{
    uint32_t count = 0, least = 0;
    for (uint32_t i = 0; i < quadrants->count; i++) {
        struct site *site = quadrants_site(quadrants, sweep, i);
        if (site->is_taken || (of != QUADRANTS && site->quadrant != of) || site->at[!sweep] < least)
            continue;
        least = site->at[!sweep];
        node[count++] = quadrants_take(quadrants, site);
    }
    return count;
}
