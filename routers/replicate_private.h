/* replicate_private.h - what the variants of router `replicate` share: tiles, seats, the plan of a run. */
#ifndef MESHCAST_ROUTERS_REPLICATE_PRIVATE_H
#define MESHCAST_ROUTERS_REPLICATE_PRIVATE_H

#include "machine/rule.h"
#include "primitives/tessellation.h"
#include "routers/routing.h"
#include "routers/seat.h"

struct replicate_plan {
    uint64_t tiles, buffer; /* buffer: the packets per node that are proven to be enough */
    uint32_t slots; /* of a channel, where a variant has channels; 0: the plan does not fit */
};

/* One run, after routing_start(): each message rests at its source as one packet. */
struct replicate {
    struct routing *routing;
    struct headers *header;
    struct replicate_plan plan;
    struct tessellation tiles;
    struct seats seats;
    struct routing_rule step_1; /* of sibling.h */
    bool prune;
};

struct replicate_variant {
    /* Returns the plan that the options allow, with `slots` 0 if there is none: routing->options->buffer is then less
     * than least_buffer() returns. */
    struct replicate_plan (*plan)(const struct routing *routing);
    uint32_t (*least_buffer)(const struct routing *routing);
    enum failure_kind (*run)(struct replicate *replicate, struct failure *failure);
    /* Returns the instructions of a run by this plan: bits USE_.. */
    unsigned (*uses)(const struct replicate_plan *plan);
    double of_root, of_side; /* the goal of its steps: of_root S + of_side m */
};

extern const struct replicate_variant replicate_merged, replicate_paper;

/* Delivers all packets: each that rests goes to the tiles of its destinations by Step 1's rule, as an express packet. In
 * such a tile it becomes a dimension-ordered tree to its destinations there, through bounded channels. */
enum failure_kind replicate_deliver(struct replicate *replicate, struct failure *failure);

/* Returns the number of messages that a cell of one of so many tiles can have its seat for, and the packets that Step 1
 * brings to a node at most, as seats_step_1_buffer(). */
struct replicate_seats {
    uint64_t at_cell, step_1;
};
struct replicate_seats replicate_seats_of(const struct routing *routing, uint64_t tiles);

#endif
