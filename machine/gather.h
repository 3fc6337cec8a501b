/* gather.h - an instruction of the machine: contributions go to one node each, and are combined on
 * the way.
 *
 * A message is here a sum, and each of its slots a contribution to it, which waits in the input
 * queue of the node that made it. A packet is one contribution or several combined ones: it carries
 * their sum, and is named by the first of them. Combining is merging (doc/reduce.md): the two
 * packets are of the same message, at the same node, and wait for the same link; one of them ends.
 * Nothing is copied, so the cost of copies does not matter.
 */
#ifndef MESHCAST_MACHINE_GATHER_H
#define MESHCAST_MACHINE_GATHER_H

#include "machine/rule.h"

/* The destinations of packets. The functions' results follow from the packet's header, the node's
 * place and the run's parameters. They run on several threads at once, for different nodes. */
struct gather_rule {
    void *context;
    /* Returns the link by which `packet` leaves `site`, or OUT_EJECT at its sum's destination.
     * Asked once per node. */
    enum output (*output)(void *context, struct site site, uint32_t packet);
    /* Returns how urgent `packet` is at `site`, 0 .. MACHINE_MAX_URGENCY; asked once per node.
     * NULL: all are equally urgent. */
    uint32_t (*urgency)(void *context, struct site site, uint32_t packet);
    /* Returns the step of the call, 1 .. 2^31, before which a contribution does not leave its node
     * `site` uncombined. NULL: 1. */
    uint32_t (*due)(void *context, struct site site, uint32_t packet);
    /* Slots of a channel, 1 .. 255. A node has a channel per direction of travel and class, 0 or 1,
     * in which arrived packets wait until they leave. A packet crosses a link only if the channel
     * beyond it was not full when the step before ended: a credit. Within a class the links that a
     * packet uses one after another must never close a cycle. 0: queues are unbounded, and
     * `class_of` is not asked. */
    uint32_t slots;
    unsigned (*class_of)(void *context, uint32_t packet);
    /* Adds the contributions of `packet`, which ends, to `into`. NULL: they carry no values. */
    void (*combine)(void *context, uint32_t packet, uint32_t into);
    /* Receives the sum of `packet`, which ends at its destination `site`. NULL: it carries no
     * value. */
    void (*deliver)(void *context, struct site site, uint32_t packet);
};

/* Channels of a node, each with the slots of the rule: it never holds more packets than all of them
 * have room for. */
enum { GATHER_CHANNELS = 2 * DIRECTIONS };

/* Puts contribution `packet`, a packet of one slot, into the input queue of `node`, between
 * instructions. A contribution to `node` itself is injected and delivered at once. FAIL_SYSTEM: no
 * memory. */
enum failure_kind machine_contribute(struct machine *machine, node_index node, uint32_t packet,
                                     struct failure *failure);

/* Moves all contributions until the last has arrived. In a step each link carries the most urgent
 * packet that waits for it, in the buffer or due in the input queue, from where it is injected
 * then; with credits the most urgent one of the buffer that may go, or the first one of the input
 * queue if that may. Of equally urgent packets those in the buffer are first, in the order of
 * arrival. In the input queue packets are ordered by due step, then by urgency, then by name. A
 * packet that arrives at a node is combined with the one of its message that waits for the same
 * link. If that is in the buffer, the combined packet keeps its place there. If it is still in the
 * input queue, due or not, it is injected and becomes part of the packet that arrived. A delivery
 * counts as often as contributions were combined.
 *   Only contributions may be at rest, and no packet under way. Must not be called in an attempt.
 *   FAIL_CHECK: config.most_steps are spent, a buffer overflowed, or packets wait for one another
 * in a cycle. FAIL_SYSTEM: no memory. */
enum failure_kind machine_gather(struct machine *machine, const struct gather_rule *rule,
                                 struct failure *failure);

#endif
