/* forward_memory.c - the arrays of machine_forward: made once, when packets first move.
 *
 * What waits for copies costs 9 bytes a node; slots and queues: forward_queues.c.
 */
#include "machine/forward/forward_step_private.h"

#include "machine/footprint_private.h"

#include <stdlib.h>

static void forward_release(struct forward *forward)
{
    if (forward == NULL)
        return;
    free(forward->waiting);
    free(forward->waiting_first);
    free(forward->waiting_last);
    free(forward->has_copies);
    free(forward);
}

void forward_free(struct machine *machine)
{
    forward_queues_free(machine);
    forward_release(machine->forward);
    machine->forward = NULL;
}

static enum failure_kind waiting_prepare(struct machine *machine, struct failure *failure)
{
    struct forward *forward = memory_allocate(1, sizeof *forward);
    bool whole = forward != NULL;
    if (whole) {
        forward->blocks = blocks_of_row(machine);
        forward->waiting = memory_allocate(machine->nodes, 1);
        forward->waiting_first = memory_allocate(machine->nodes, sizeof(uint32_t));
        forward->waiting_last = memory_allocate(machine->nodes, sizeof(uint32_t));
        forward->has_copies =
            memory_allocate((size_t)machine->config.mesh.rows * forward->blocks, 1);
        whole = forward->waiting && forward->waiting_first && forward->waiting_last &&
                forward->has_copies;
    }
    if (whole) {
        machine->forward = forward;
        return FAIL_NONE;
    }
    forward_release(forward);
    return fail_memory(failure, "the nodes' copies");
}

uint64_t forward_footprint(const struct machine_needs *needs)
{
    const struct forward *forward = NULL;
    uint64_t of_node =
        sizeof *forward->waiting + sizeof *forward->waiting_first + sizeof *forward->waiting_last;
    if (!(needs->uses & USES_OF_FORWARD))
        return 0;
    return needs_nodes(needs) * of_node + blocks_of_mesh(needs->mesh) +
           forward_queues_footprint(needs);
}

enum failure_kind forward_prepare(struct machine *machine, const struct routing_rule *rule,
                                  struct failure *failure)
{
    if (machine->forward == NULL && waiting_prepare(machine, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    return forward_queues_prepare(machine, rule, failure);
}
