/* sibling.h - Step 1 of Theorem 2: replication of packets from tile to tile. */
#ifndef MESHCAST_ROUTERS_SIBLING_H
#define MESHCAST_ROUTERS_SIBLING_H

#include "machine/machine.h"
#include "machine/rule.h"
#include "routers/seat.h"

/* The mark of a slot that stands for a tile, not for a destination: a packet that only has marked
 * slots goes there all the same, and delivers nothing (literal replication). */
#define SIBLING_MARK 0x80000000u

struct sibling_rule {
    struct headers *header;
    const struct seats *seats;
};

/* The rule for machine_forward, with the sibling_rule as its context: every resting packet spreads
 * to the c-tiles in which it has slots and rests there at its seat, in each tile as a packet with
 * the slots of that tile, and state 0; one with slots in the tile of its source alone rests there.
 * A packet whose slots in its c-tile are all marked is discarded there; other marks are stripped
 * off. */
struct routing_rule sibling_routing(struct sibling_rule *rule);

#endif
