/* cycle.h - instructions of the machine: packets go along closed walks, all at once (machine_march) or in step with
 * their neighbours (machine_circulate).
 */
#ifndef MESHCAST_MACHINE_CYCLE_H
#define MESHCAST_MACHINE_CYCLE_H

#include "machine/rule.h"

/* ---- all at once ---- */

/* A cycle: one of its nodes, how many there are, and in which rows: first .. end - 1. */
struct march_cycle {
    node_place start;
    uint32_t length;
    uint32_t first_row, end_row;
};

/* The rule of a march: a node knows its own place and the packet that it holds. The functions
 * run on several threads at once, for nodes of different cycles. */
struct march {
    void *context;
    uint32_t cycles; /* no two have a node in common */
    struct march_cycle (*cycle)(void *context, uint32_t cycle);
    /* The neighbour to which a packet goes from `place`; the place itself on a cycle of one node. */
    node_place (*next)(void *context, node_place place);
    /* Returns after how many hops from `place` `packet` has something to do. Asked when the march begins (0: at
     * `place` itself) and whenever `packet` has done something and marches on (at least 1). On a cycle of one node
     * nothing may be due later than at the beginning. */
    uint32_t (*due)(void *context, node_place place, uint32_t packet);
    /* As in a routing_rule, asked where `packet` is due. It returns OUT_EJECT, OUT_HOLD (the packet marches on),
     * OUT_DISCARD, or OUT_EJECT | OUT_HOLD, after which it must return OUT_HOLD. */
    unsigned (*outputs)(void *context, struct site site, uint32_t packet);
    uint32_t (*take)(void *context, struct site site, uint32_t packet, enum output output);
};

/* Moves every resting packet on a cycle, at most one a node, by `hops` hops; it rests there unless it ends before.
 * In a first step packets do what is due where they are. A hop is one step in which all cross a link, and with unit
 * copies a second one in which copies are made while nothing moves. A node without room discards its packet of the
 * march. Steps, counts and events are those of as many calls of machine_forward, of one step or of two.
 *   FAIL_CHECK: a buffer overflowed, or config.most_steps are spent. FAIL_VOID: the steps of an attempt are spent.
 * FAIL_SYSTEM: no memory. */
enum failure_kind machine_march(struct machine *machine, const struct march *march, uint32_t hops,
                                struct failure *failure);

/* ---- in step with their neighbours ---- */

enum { CIRCUIT_MOST_WAYS = 2 };

#define CIRCUIT_NO_PLACE UINT32_MAX

/* Closed walks of equal length, the ways, over the nodes of a mesh. Place i of way w is
 * a node, where a packet comes from place i - 1 and goes on to place i + 1; its number is w * length + i. No
 * two places leave a node over the same link, and both directions of each link in use are used.
 *   A node knows its own places and, of the packets that it holds, what the functions return. These
 * are called by one thread. */
struct circuit {
    void *context;
    uint32_t ways, length;
    node_place (*place)(void *context,
                        uint32_t place); /* the node at place 0 .. ways * length - 1 */
    /* Returns the place where `packet`, which rests at `site`, begins; with `split` the place, another one, where the
     * part begins that is split off it before (CIRCUIT_NO_PLACE: there is none). The first destination of what stays
     * must then be at least a hop away. */
    uint32_t (*begin)(void *context, struct site site, uint32_t packet, bool split);
    /* Splits that part off, and returns it. */
    uint32_t (*take)(void *context, uint32_t packet);
    /* Returns how many links are between `place` and the first destination of `packet`; 0 only where it
     * begins. */
    uint32_t (*hops)(void *context, uint32_t place, uint32_t packet);
};

/* Moves all resting packets, at most one a node, round their ways until they are delivered; each visits its
 * destinations in the order of its range.
 *   Rounds. In a round every place hands its packet, or nothing, to the next one. A link does so both ways in the
 * same step, when both its nodes are ready. A node is ready for a link when it has been through the round before on
 * all its links, and has made the copies of the packet that goes over this one. Its neighbour learns that by a
 * credit: the slot of the node's buffer that faces the link is not full. That is so if the slot's packet leaves by
 * this link, or if the slot is empty and not kept; a node keeps an empty slot for a packet of its own that must
 * still be copied, and until it has been through the round on all links. A node makes one copy a step, for the
 * packet that came first; of two that came at once, for that of the lower place if row + col is even, else for that
 * of the higher one. With free copies all nodes are always ready.
 *   A node holds no more packets than it has places. Steps: at most a step for each round, and with unit copies as
 * many more as the most copies that one node makes in that round; the first copies, at the sources, count as a
 * round, and in the last one there are none.
 *   FAIL_CHECK: config.most_steps are spent, or a buffer overflowed: only where the capacity is less than the
 * circuit's. The clock then stands at that step's end; hops, copies and deliveries are those of whole rounds, some
 * of them of later steps. FAIL_SYSTEM: no memory. Not to be called in an attempt with a budget. */
enum failure_kind machine_circulate(struct machine *machine, const struct circuit *circuit,
                                    struct failure *failure);

#endif
