/* cycle.h - an instruction of the machine: packets march along closed walks, all at once. */
#ifndef MESHCAST_MACHINE_CYCLE_H
#define MESHCAST_MACHINE_CYCLE_H

#include "machine/rule.h"

/* A cycle: the number of its places, and the rows first .. end - 1 that contain its nodes. */
struct march_cycle {
    uint32_t length;
    uint32_t first_row, end_row;
};

#define MARCH_NO_PLACE UINT32_MAX

/* The rule of a march: a node knows its own places and the packets that it holds. The functions run
 * on several threads at once, for nodes of different cycles. */
struct march {
    void *context;
    uint32_t cycles; /* no two have a node in common, except the two ways of one walk */
    struct march_cycle (*cycle)(void *context, uint32_t cycle);
    /* Returns the node at place 0 .. length - 1 of a cycle. Consecutive places are a link apart. If
     * the last place is not beside the first one, packets must end before they would cross from
     * it. */
    node_place (*place)(void *context, uint32_t cycle, uint32_t number);
    /* Returns the number of hops from `place` after which `packet` acts. Asked when the march
     * begins (0: at `place` itself) and whenever `packet` has acted and marches on (at least 1). On
     * a cycle of one node nothing may be due later than at the beginning. */
    uint32_t (*due)(void *context, node_place place, uint32_t packet);
    /* Returns the outputs as in a routing_rule, asked where `packet` is due: OUT_EJECT, OUT_HOLD
     * (the packet marches on), OUT_DISCARD, or OUT_EJECT | OUT_HOLD, after which it must return
     * OUT_HOLD. */
    unsigned (*outputs)(void *context, struct site site, uint32_t packet);
    uint32_t (*take)(void *context, struct site site, uint32_t packet, enum output output);
    /* Two ways: cycles 2 i and 2 i + 1 visit the same nodes, also more than once, and one thread
     * moves all packets. NULL: one way. */
    const struct march_paths *paths;
};

struct march_paths {
    /* Returns the place of `cycle` at which `packet`, which rests at `site`, begins;
     * MARCH_NO_PLACE: it goes along the other way. A packet that is to be split begins on cycle
     * 2 i. */
    uint32_t (*begin)(void *context, uint32_t cycle, struct site site, uint32_t packet);
    /* Splits off the part that goes along cycle 2 i, and returns it; the rest then begins on cycle
     * 2 i + 1. MACHINE_NONE: `packet` goes along one cycle. Nothing may be due to the part at the
     * beginning. */
    uint32_t (*split)(void *context, uint32_t packet);
    bool copies_nothing; /* no packet is split or copied, which all nodes know */
};

/* Moves every resting packet on a cycle, at most one per node, by `hops` hops; it rests there
 * unless it ends before.
 *   One way. In a first step packets do what is due where they are. A hop is one step in which all
 * cross a link, and with unit copies a second one in which copies are made while nothing moves. A
 * node without room discards its packet of the march.
 *   Two ways. With free copies, or if nothing is copied, a hop is one step for all packets; those
 * that begin are split, and do what is due, before the first one. With unit copies the ways take
 * turns. In the first step packets are split, and those of cycles 2 i do what is due where they
 * are. In every even step the packets of cycles 2 i hop, in every other odd step those of cycles
 * 2 i + 1; meanwhile the packets of the others are copied where that is due. So no node makes two
 * copies in a step. All packets that rest must be on a cycle and end within `hops` hops; the march
 * ends with the last of them.
 *   Steps, counts and events are those of as many calls of machine_forward, of one step or of two.
 *   FAIL_CHECK: a buffer overflowed, or config.most_steps are spent. FAIL_VOID: the steps of an
 * attempt are spent. FAIL_SYSTEM: no memory. */
enum failure_kind machine_march(struct machine *machine, const struct march *march, uint32_t hops,
                                struct failure *failure);

#endif
