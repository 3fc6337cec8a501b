/* attempt.h - attempts at a run that may fail for want of steps or room. */
#ifndef MESHCAST_MACHINE_ATTEMPT_H
#define MESHCAST_MACHINE_ATTEMPT_H

#include "machine/machine.h"

/* The settings of an attempt, a run that may fail (Section 6 of the paper). It is void when its
 * steps are spent, or when a node has discarded packets; it is then given up. A node keeps messages
 * that an earlier attempt delivered to it (config.expected): another packet with such a message is
 * discarded there instead of being delivered again. */
struct machine_attempt {
    /* The machine whose clock, counts, phases and trace this one continues; it stays the caller's,
     * and is not used any more. NULL: they begin here. */
    struct machine *before;
    const char *name; /* prefix of the names of its phases, except those named "sync" */
    /* The steps after which machine_forward, machine_channel, machine_march and machine_open_plane
     * return FAIL_VOID; those in which words of synchronisations cross links do not count. 0:
     * unbounded. Kernels of words and planes continue to their end when the steps are spent. */
    uint64_t budget;
    /* True if a node that would end a step with more packets than the capacity discards those that
     * rest or wait in queues there. False: the buffer overflows. */
    bool discards;
};

/* Notes that machine_inject() will bring another packet to `node`: until then the node is void.
 * FAIL_SYSTEM: no memory. */
enum failure_kind machine_await(struct machine *machine, node_index node, struct failure *failure);

/* True if node `node` has discarded packets for want of room; if it has discarded some, still holds
 * one, or has one that has not entered yet. The node itself knows both. */
bool machine_node_has_discarded(const struct machine *machine, node_index node);
bool machine_node_is_void(const struct machine *machine, node_index node);

/* Returns the steps that an attempt may still take; UINT64_MAX if it has no budget. */
uint64_t machine_steps_left(const struct machine *machine);

/* Return the number of packets that nodes have discarded for want of room, and the largest
 * occupancy at the end of a step, both of this machine only, without the previous ones. */
uint64_t machine_discarded(const struct machine *machine);
uint32_t machine_own_peak(const struct machine *machine);

/* Ends the attempt: every node discards all it holds. The machine keeps only its counts and phases,
 * which another attempt can continue. */
void machine_give_up(struct machine *machine);

#endif
