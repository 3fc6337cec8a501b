/* attempt.h - attempts at a run that may fail for want of steps or room. */
#ifndef MESHCAST_MACHINE_ATTEMPT_H
#define MESHCAST_MACHINE_ATTEMPT_H

#include "machine/machine.h"

/* An attempt at a run that may fail for want of time or room (Section 6 of the paper): all that is
 * different in it. It is void when its steps are spent, or when a node has discarded; it is then given
 * up. */
struct machine_attempt {
    /* The machine whose clock, counts, phases and trace go on here; it stays the caller's, and is
     * not used any more. NULL: they begin. */
    struct machine *before;
    const char *name; /* stands before the names of its phases, but those named "sync" */
    /* Steps, the words of synchronisations not counted, until machine_forward, machine_channel, machine_march and
     * machine_open_plane return FAIL_VOID; 0: unbounded. Kernels of words and planes that are under
     * way when the steps are spent go on to their end. */
    uint64_t budget;
    /* A node that would end a step with more packets than the capacity discards those that rest or wait
     * in queues there. False: that is an overflow. */
    bool discards;
    /* Returns whether `message` was delivered to `node` in an earlier attempt; the node knows this of the
     * messages that it holds. A packet for it is then discarded instead of being delivered again. NULL:
     * no message was. */
    bool (*is_held)(void *context, uint32_t message, node_index node);
    void *context;
};

/* Return whether node `node` has discarded packets for want of room, and whether it has discarded some or
 * still holds one. The node itself knows both. */
bool machine_node_has_discarded(const struct machine *machine, node_index node);
bool machine_node_is_void(const struct machine *machine, node_index node);

/* The steps that an attempt may still take; UINT64_MAX where it has no budget. */
uint64_t machine_steps_left(const struct machine *machine);

/* How many packets nodes have discarded so, and the largest occupancy at the end of a step: of this
 * machine alone, not of those before it. */
uint64_t machine_discarded(const struct machine *machine);
uint32_t machine_own_peak(const struct machine *machine);

/* Every node discards what it holds. The machine keeps its counts and phases alone, and can go on in
 * another attempt. */
void machine_give_up(struct machine *machine);

#endif
