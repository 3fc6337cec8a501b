/* march.h - an instruction of the machine: packets march along closed cycles of nodes, all at once.
 */
#ifndef MESHCAST_MACHINE_MARCH_H
#define MESHCAST_MACHINE_MARCH_H

#include "machine/machine.h"

/* A cycle: one of its nodes, and how many there are. */
struct march_cycle {
    node_place start;
    uint32_t length;
};

/* What nodes know of a march, from their own place and from the packet that they hold. The functions
 * run on several threads at once, for nodes of different cycles. */
struct march {
    void *context;
    uint32_t cycles; /* no two have a node in common */
    struct march_cycle (*cycle)(void *context, uint32_t cycle);
    /* The neighbour to which a packet goes from `place`; the place itself on a cycle of one node. */
    node_place (*next)(void *context, node_place place);
    /* After how many hops, from `place`, `packet` has something to do: asked where the march begins,
     * when 0 means there, and whenever `packet` has done something and stays, when 0 is wrong. On a
     * cycle of one node nothing may be due but there. */
    uint32_t (*due)(void *context, node_place place, uint32_t packet);
    /* As in a routing_rule, where `packet` is due: PART_HERE, PART_PARK, PART_DISCARD, or PART_HERE
     * | PART_PARK, after which a packet must answer PART_PARK. A packet that parks marches on. */
    unsigned (*parts)(void *context, struct site site, uint32_t packet);
    uint32_t (*take)(void *context, struct site site, uint32_t packet, enum part part);
};

/* Every resting packet on a cycle, at most one a node, marches `hops` hops on and rests there, if it
 * does not end before. First a step in which packets do what is due where they stand; then a hop is
 * one step in which all cross a link, and with unit copies another one, in which those that must be
 * copied are, while all stand. Where a node has no room it discards its packet of the march.
 *   FAIL_CHECK: a buffer overflowed, or config.most_steps are spent; FAIL_VOID: the steps of an attempt are.
 * FAIL_SYSTEM: no memory. Exactly as so many calls of machine_forward would do it, of one step, or of two. */
enum failure_kind machine_march(struct machine *machine, const struct march *march, uint32_t hops,
                                struct failure *failure);

#endif
