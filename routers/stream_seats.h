/* stream_seats.h - to which node Step 1 of router `stream` sends the packet of each message. */
#ifndef MESHCAST_ROUTERS_STREAM_SEATS_H
#define MESHCAST_ROUTERS_STREAM_SEATS_H

#include "primitives/mesh_permutation.h"
#include "primitives/public_traffic.h"
#include "primitives/tile_cycle.h"

struct stream_seats {
    const struct tile_cycle *cycle;
    struct mesh_permutation permutation;
};

/* Seats by the permutation of `seed`; the cycle must outlive them. FAIL_SYSTEM: no memory. The caller
 * frees. */
enum failure_kind stream_seats_make(struct stream_seats *seats, const struct tile_cycle *cycle,
                                    uint64_t seed, struct failure *failure);
void stream_seats_free(struct stream_seats *seats);

/* The home of the message of node `source`: the random node itself, or where that lies beyond the cells that all tiles
 * have, the cell of its second seat in the tile. */
struct stream_home {
    node_place node;
    bool is_second;
};
struct stream_home stream_seats_home(const struct stream_seats *seats, node_index source);

/* What it takes at most to route any packets from their sources to these homes, along rows first.
 * FAIL_SYSTEM: no memory. */
enum failure_kind stream_seats_bound(const struct stream_seats *seats,
                                     struct traffic_bounds *bounds, struct failure *failure);

#endif
