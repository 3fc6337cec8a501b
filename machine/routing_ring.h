/* routing_ring.h - a closed ring of nodes along which all packets of machine_forward go, both ways.
 */
#ifndef MESHCAST_MACHINE_ROUTING_RING_H
#define MESHCAST_MACHINE_ROUTING_RING_H

#include "machine/machine.h"

/* The way of packets that go from place[i] to place[i + 1], and of those that go back. */
enum ring_way { RING_FORWARD, RING_BACKWARD, RING_WAYS };

/* What a node and a packet know of the ring. Under a rule with a ring packets rest nowhere: they end
 * at stops, or go on the same way. `stop` has them stop at each place where the ring turns, too,
 * where they have one part, the ring's next link. */
struct routing_ring {
    uint32_t length;         /* 3 or more */
    const node_place *place; /* [length]: each a neighbour of the next, the last one of the first */
    const uint32_t *position; /* [node]: of its place; of nodes without one it is not asked */
    /* After how many links `packet`, which leaves `site` that way, has something to do: 1 ..
     * length - 1. */
    uint32_t (*hops)(void *context, struct site site, uint32_t packet, enum ring_way way);
};

#endif
