/* forward_memory.c - the arrays of machine_forward: made once, when packets first move.
 *
 * Queues cost 104 bytes a node; the counts of the input channels another 8, once packets are held
 * by credits.
 */
#include "machine/forward_private.h"

#include <stdlib.h>
#include <string.h>

static void forward_release(struct machine *machine, struct forward *forward)
{
    if (forward == NULL)
        return;
    for (int d = 0; d < DIRECTIONS; d++) {
        free(forward->head[d]);
        padded_free(machine, forward->out[d], sizeof(uint64_t));
        free(forward->tail[d]);
        free(forward->more[d]);
        free(forward->held[d]);
        padded_free(machine, forward->full[d], 1);
    }
    free(forward->waiting);
    free(forward->waiting_first);
    free(forward->waiting_last);
    free(forward->busy);
    if (forward->sent != NULL)
        free(forward->sent - forward->blocks - 1);
    free(forward);
}

void forward_free(struct machine *machine)
{
    forward_release(machine, machine->forward);
    machine->forward = NULL;
}

static bool queues_allocate(struct machine *machine, struct forward *forward)
{
    size_t nodes = machine->nodes, padded = nodes + 2 * machine_padding(machine);
    for (int d = 0; d < DIRECTIONS; d++) {
        forward->head[d] = memory_allocate(nodes, sizeof(uint64_t));
        forward->out[d] = padded_allocate(machine, sizeof(uint64_t));
        forward->tail[d] = memory_allocate(nodes, sizeof(uint32_t));
        forward->more[d] = memory_allocate(nodes, 1);
        if (!forward->head[d] || !forward->out[d] || !forward->tail[d] || !forward->more[d])
            return false;
        memset(forward->head[d], 0xff, nodes * sizeof(uint64_t));
        memset(forward->out[d] - machine_padding(machine), 0xff, padded * sizeof(uint64_t));
    }
    return true;
}

static enum failure_kind queues_prepare(struct machine *machine, struct failure *failure)
{
    struct forward *forward = memory_allocate(1, sizeof *forward);
    bool whole = forward != NULL && queues_allocate(machine, forward);
    if (whole) {
        forward->blocks = (machine->config.mesh.cols + BLOCK - 1) / BLOCK;
        size_t blocks = (size_t)forward->blocks * machine->config.mesh.rows;
        forward->waiting = memory_allocate(machine->nodes, 1);
        forward->waiting_first = memory_allocate(machine->nodes, sizeof(uint32_t));
        forward->waiting_last = memory_allocate(machine->nodes, sizeof(uint32_t));
        forward->busy = memory_allocate(blocks, 1);
        uint8_t *sent = memory_allocate(blocks + 2 * (forward->blocks + 1), 1);
        forward->sent = sent == NULL ? NULL : sent + forward->blocks + 1;
        whole = forward->waiting && forward->waiting_first && forward->waiting_last &&
                forward->busy && forward->sent;
    }
    if (whole) {
        machine->forward = forward;
        return FAIL_NONE;
    }
    forward_release(machine, forward);
    return fail_memory(failure, "the links' queues");
}

static enum failure_kind credits_prepare(struct machine *machine, struct failure *failure)
{
    struct forward *forward = machine->forward;
    for (int d = 0; d < DIRECTIONS; d++) {
        forward->held[d] = memory_allocate(machine->nodes, 1);
        forward->full[d] = padded_allocate(machine, 1);
        if (forward->held[d] == NULL || forward->full[d] == NULL)
            return fail_memory(failure, "the input channels");
    }
    return FAIL_NONE;
}

enum failure_kind forward_prepare(struct machine *machine, uint32_t slots, struct failure *failure)
{
    if (machine->forward == NULL && queues_prepare(machine, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    machine->forward->slots = slots;
    bool lacks_credits = slots > 0 && machine->forward->full[DIRECTIONS - 1] == NULL;
    return lacks_credits ? credits_prepare(machine, failure) : FAIL_NONE;
}
