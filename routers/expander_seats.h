/* expander_seats.h - where the replicas of router `expander` find their groups, and sit in them. */
#ifndef MESHCAST_ROUTERS_EXPANDER_SEATS_H
#define MESHCAST_ROUTERS_EXPANDER_SEATS_H

#include "expanders/expander.h"
#include "primitives/public_traffic.h"
#include "primitives/tile_cycle.h"

struct expander_seats {
    const struct expander *graph; /* not a list; both must outlive the seats */
    const struct tile_cycle *cycle;
    struct mesh mesh;
    uint32_t inputs;      /* of the graph that are somebody's: ceil(n / r) */
    struct mesh cells;    /* of a tile, those that all tiles have: where replicas sit */
    uint32_t layers;      /* seats in a cell */
    struct excess excess; /* of the replicas of a group */
    struct traffic_bounds there, home; /* of all ways from entries to seats, along rows first, and
                                        * from where the walk ends to entries, along columns first */
};

enum { EXPANDER_MOST_LAYERS = 4 };

/* Makes seats for a graph with as many groups as the cycle has tiles. FAIL_USAGE: a group has
 * more replicas than a tile has seats. FAIL_SYSTEM: no memory. Nothing to free. */
enum failure_kind expander_seats_make(struct expander_seats *seats, const struct expander *graph,
                                      const struct tile_cycle *cycle, struct failure *failure);

/* Returns the node that has entry j of an input. */
node_place expander_entry(const struct expander_seats *seats, uint32_t input, uint32_t j);

/* Returns the tile of a group. */
uint32_t expander_tile(const struct expander_seats *seats, uint32_t group);

/* Returns the seat of replica j of an input: a node of its group's tile, and a layer. */
node_place expander_seat(const struct expander_seats *seats, uint32_t input, uint32_t j,
                         uint32_t *layer);

#endif
