/* rule.h - an algorithm's decisions where a packet stops. */
#ifndef MESHCAST_MACHINE_RULE_H
#define MESHCAST_MACHINE_RULE_H

#include "machine/machine.h"

/* Keeps the calls of a function that only fetches memory into the cache: gcc would otherwise find
 * that it has no effect. */
#define FETCH_HAS_EFFECT() __asm__ volatile("")

/* The most urgent packet of a queue: room for a remaining distance plus a coordinate. */
#define MACHINE_MAX_URGENCY ((1u << 17) - 1)

/* The outputs of a stop, as bits: links over which copies go, a delivery, a copy that rests here,
 * and the packet's state afterwards. If there is exactly one output, the packet itself takes it. */
enum output {
    OUT_NORTH = 1 << NORTH,
    OUT_SOUTH = 1 << SOUTH,
    OUT_WEST = 1 << WEST,
    OUT_EAST = 1 << EAST,
    OUT_LINKS = OUT_NORTH | OUT_SOUTH | OUT_WEST | OUT_EAST,
    OUT_EJECT = 1 << 4,   /* deliver one destination at this node */
    OUT_AGAIN = 1 << 5,   /* never alone: the rule is asked again about the other destinations */
    OUT_HOLD = 1 << 6,    /* rest here until the next instruction */
    OUT_DISCARD = 1 << 7, /* nothing left to deliver */
};

/* Returns the link along a column (vertical) or a row that leads from coordinate `here` to `there`,
 * another one. */
static inline enum output link_along(bool is_vertical, uint32_t here, uint32_t there)
{
    if (is_vertical)
        return there < here ? OUT_NORTH : OUT_SOUTH;
    return there < here ? OUT_WEST : OUT_EAST;
}

/* Returns the link by which a packet leaves `site` on its way to `to`, another node, along its
 * column first or along its row first. */
static inline enum output link_towards(struct site site, node_place to, bool column_first)
{
    bool is_vertical = column_first ? site.row != place_row(to) : site.col == place_col(to);
    return is_vertical ? link_along(true, site.row, place_row(to))
                       : link_along(false, site.col, place_col(to));
}

/* An algorithm's decisions at a packet's stops. They follow from the packet's header, the node's
 * place and the run's parameters. The functions run on several threads at once, for different
 * nodes. */
struct routing_rule {
    void *context;
    /* Returns the outputs of `packet` at `site`, at least one; the same answer until one is
     * taken. */
    unsigned (*outputs)(void *context, struct site site, uint32_t packet);
    /* Splits the part for `output` (a link, OUT_EJECT or OUT_HOLD) off `packet`, which keeps the
     * rest. Returns the packet that carries it: for OUT_EJECT the slot that is delivered. NULL if
     * never needed. */
    uint32_t (*take)(void *context, struct site site, uint32_t packet, enum output output);
    /* Returns where `packet`, which leaves over `direction`, must stop next: a column for WEST and
     * EAST, a row for NORTH and SOUTH, on that side of `site`. */
    uint32_t (*stop)(void *context, struct site site, uint32_t packet, enum direction direction);
    /* Returns how urgent `packet` is on its way over `direction` to that stop, 0 ..
     * MACHINE_MAX_URGENCY: asked once, when it leaves `site`. NULL: all are equally urgent. Only
     * for machine_forward. */
    uint32_t (*urgency)(void *context, struct site site, uint32_t packet, enum direction direction);
    /* Fetches into the cache the memory that the functions above will soon read for `packet`,
     * except the fields of its header and its last slot, which are there. NULL: they read nothing
     * else. */
    void (*fetch)(void *context, uint32_t packet);
    /* Only for machine_forward. Lockstep: if buffers have a capacity, no row begins a step before
     * all have done the step before, so the rule is never called for a step after the overflowing
     * one. For rules that may be wrong, or that count. False: rows may be some steps apart. */
    bool by_steps;
    /* Only for machine_forward, and for rules that deliver nothing: the most packets that a node is
     * proven to hold in this call, without the parked ones. The call returns FAIL_CHECK if a node
     * ends a step with more, as at the machine's own capacity. 0: nothing is proven. */
    uint32_t capacity;
};

#endif
