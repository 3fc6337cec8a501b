/* quadrants.c - destinations about a source: quadrants, sweeps, greedy chains.
 *
 * Greedy chains are the fewest: a site that a chain passes over stands behind one of the chain in the sweep, and has a
 * smaller coordinate along it, so no chain has both. The one of the chain was passed over by the chain before, and so
 * on: that is a site of each chain, and no two of them can be in a chain together.
 * Cost: O(k log k) for k destinations, and O(k) a chain; 36 bytes a destination.
 */
#include "network/schemes/quadrants.h"

#include "base/numbers.h"
#include "network/schemes/mesh_2d.h"

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

enum failure_kind quadrants_make(struct quadrants *quadrants, const struct topology *topology,
                                 const struct multicast *multicast, struct failure *failure)
{
    struct quadrants *q = quadrants;
    *q = (struct quadrants){
        .count = multicast->destinations,
        .source = {mesh_2d_x(topology, multicast->source), mesh_2d_y(topology, multicast->source)},
        .site = memory_allocate(multicast->destinations, sizeof *q->site),
        .eastward = memory_allocate(multicast->destinations, sizeof *q->eastward),
        .node = memory_allocate(multicast->destinations, sizeof *q->node),
    };
    if (q->site == NULL || q->eastward == NULL || q->node == NULL) {
        quadrants_free(q);
        return fail_memory(failure, "the destinations of a multicast");
    }
    for (uint32_t i = 0; i < q->count; i++) {
        uint32_t node = multicast->destination[i];
        struct site site = {.at = {mesh_2d_x(topology, node), mesh_2d_y(topology, node)},
                            .node = node};
        site.quadrant = quadrant_of(site.at, q->source);
        q->left[site.quadrant]++;
        q->site[i] = site;
        q->eastward[i] = (uint64_t)site.at[0] << 32 | i;
    }
    qsort(q->eastward, q->count, sizeof *q->eastward, compare_u64);
    return FAIL_NONE;
}

void quadrants_free(struct quadrants *quadrants)
{
    free(quadrants->site);
    free(quadrants->eastward);
    free(quadrants->node);
    *quadrants = (struct quadrants){0};
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
