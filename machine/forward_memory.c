/* forward_memory.c - the arrays of machine_forward: made once, when packets first move.
 *
 * What waits for copies costs 9 bytes a node. Queues of planes cost 84; those of packets that glide:
 * glide_memory.c. A run needs one kind or the other.
 */
#include "machine/forward_private.h"

#include "machine/footprint_private.h"

#include <stdlib.h>

static void forward_release(struct machine *machine, struct forward *forward)
{
    if (forward == NULL)
        return;
    queues_free(machine, &forward->queues);
    free(forward->waiting);
    free(forward->waiting_first);
    free(forward->waiting_last);
    block_flags_free(machine, forward->busy);
    block_flags_free(machine, forward->sent);
    free(forward);
}

void forward_free(struct machine *machine)
{
    glide_free(machine);
    forward_release(machine, machine->forward);
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
        forward->busy = block_flags_allocate(machine);
        forward->sent = block_flags_allocate(machine);
        whole = forward->waiting && forward->waiting_first && forward->waiting_last &&
                forward->busy && forward->sent;
    }
    if (whole) {
        machine->forward = forward;
        return FAIL_NONE;
    }
    forward_release(machine, forward);
    return fail_memory(failure, "the nodes' copies");
}

static enum failure_kind queues_prepare(struct machine *machine, struct failure *failure)
{
    struct queues *queues = &machine->forward->queues;
    if (queues->out[DIRECTIONS - 1] != NULL)
        return FAIL_NONE;
    if (queues_allocate(machine, queues))
        return FAIL_NONE;
    queues_free(machine, queues);
    return fail_memory(failure, "the links' queues");
}

uint64_t forward_footprint(const struct machine_needs *needs)
{
    const struct forward *forward = NULL;
    uint64_t nodes = needs_nodes(needs);
    bool are_queues = needs_all_steps(needs) || (needs->uses & USE_SHORT);
    if (!(needs->uses & USES_OF_FORWARD))
        return 0;
    uint64_t bytes = nodes * (sizeof *forward->waiting + sizeof *forward->waiting_first +
                              sizeof *forward->waiting_last) +
                     2 * blocks_of_mesh(needs->mesh);
    if (are_queues)
        bytes += queue_footprint(needs->mesh);
    if (needs_all_steps(needs))
        return bytes;
    return bytes + glide_footprint(needs);
}

enum failure_kind forward_prepare(struct machine *machine, const struct routing_rule *rule,
                                  enum forward_way way, struct failure *failure)
{
    bool glides = way == FORWARD_GLIDING;
    if (machine->forward == NULL && waiting_prepare(machine, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    machine->forward->glides = glides;
    return glides ? glide_prepare(machine, rule, failure) : queues_prepare(machine, failure);
}
