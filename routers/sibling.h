/* sibling.h - Step 1 of Theorem 2: replication of packets from tile to tile, and the seat of a
 * message in every tile. */
#ifndef MESHCAST_ROUTERS_SIBLING_H
#define MESHCAST_ROUTERS_SIBLING_H

#include "primitives/tessellation.h"
#include "routers/routing.h"

/* The cells that all tiles of nested halvings have in common: height x width of them, the sides of
 * a smallest tile. */
struct seats {
    const struct tessellation *tiles; /* by tessellation_make; must outlive the seats */
    uint32_t height, width;
};

/* Returns the seats of these tiles. For the bounds below they may be those of
 * tessellation_numbers. */
struct seats seats_make(const struct tessellation *tiles);

/* Returns the cell at which the messages of `source` have their seats, in every tile. */
node_place seat_of(const struct seats *seats, node_place source);

/* Returns the most sources with seats at one cell: proven, and reached on equal tiles. */
uint32_t seats_at_cell(const struct seats *seats);

/* Returns the most packets of a node in Step 1, if each source sends at most `most_sent` messages:
 * proven. */
uint64_t seats_step_1_buffer(const struct seats *seats, uint32_t most_sent);

/* Makes the choices of a router whose messages have their seats in so many tiles. */
enum failure_kind seats_choose(struct mesh mesh, uint64_t tiles, struct router_choices *choices,
                               struct failure *failure);

/* The mark of a slot that represents a tile, not a destination: a packet with only marked slots
 * also goes there, and delivers nothing (literal replication). */
#define SIBLING_MARK 0x80000000u

struct sibling_rule {
    struct headers *header;
    const struct seats *seats;
};

/* The rule for machine_forward, with the sibling_rule as its context: every resting packet spreads
 * to the c-tiles in which it has slots and rests there at its seat, in each tile as a packet with
 * the slots of that tile, and state 0; one with slots only in the tile of its source rests there. A
 * packet whose slots in its c-tile are all marked is discarded there; other marks are stripped
 * off. */
struct routing_rule sibling_routing(struct sibling_rule *rule);

/* ---- variant=paper (replicate_paper.c) ---- */

/* The members of a router_method for the variant. FAIL_USAGE: Lemma 1 is needed, and nodes send too
 * many messages for it. */
enum failure_kind replicate_paper_route(struct routing *routing, struct failure *failure);
struct attempt_limits replicate_paper_limits(const struct routing *routing);
/* Returns the number of tiles of the run's mesh: the largest power of two up to c / l into which it
 * can be halved. */
uint64_t replicate_paper_tiles(const struct routing *routing);

#endif
