/* route_walk.h - the way that a routing gives, and topologies on which routings and schemes are
 * tried. */
#ifndef MESHCAST_TEST_SCHEMES_ROUTE_WALK_H
#define MESHCAST_TEST_SCHEMES_ROUTE_WALK_H

#include "base/pcg.h"
#include "network/schemes/scheme.h"

#include <stddef.h>
#include <stdint.h>

enum { ROUTE_WALK_HOPS = 512 };

struct route_walk {
    uint32_t hops;
    uint32_t node[ROUTE_WALK_HOPS + 1]; /* hops + 1 of them */
    uint64_t link[ROUTE_WALK_HOPS];
    uint32_t class[ROUTE_WALK_HOPS];
};

/* By first choices; the test fails if it leaves the topology or the classes, or does not arrive. */
void route_walk(struct route_walk *walk, const struct topology *topology,
                const struct routing *routing, uint32_t from, uint32_t to);

/* The topology of "mesh:4x4", "torus:8x8", or "graph:N:EDGES": N nodes, the path 0 .. N-1, and
 * EDGES random edges. topology_free() it. */
struct topology route_walk_topology(const char *text);

/* Draws `count` random nodes except `source`, ascending; fewer if there are not so many. Returns
 * their number. */
uint32_t route_walk_destinations(struct pcg32 *random, uint32_t nodes, uint32_t source,
                                 uint32_t count, uint32_t *destination);

#endif
