/* input_queue.c - messages that wait at their sources, outside of the buffer.
 *
 * A node's queue is a list through `next`, as that of its resting packets is. Its packets count among those that
 * rest, so that an instruction which would end with the last of these goes on; they are in no buffer, and no
 * event is told, before they are injected.
 * Cost: 8 bytes per node, from the first packet that waits on.
 */
#include "machine/gather.h"
#include "machine/machine_private.h"
#include "machine/tally_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool input_allocate(struct machine *machine)
{
    uint32_t cols = machine->config.mesh.cols;
    size_t first = (size_t)machine->first_row * cols;
    size_t count = (size_t)(machine->end_row - machine->first_row) * cols;
    if (machine->input_last != NULL)
        return true;
    machine->input_first = machine_allocate_nodes(machine, sizeof *machine->input_first);
    machine->input_last = machine_allocate_nodes(machine, sizeof *machine->input_last);
    if (machine->input_first == NULL || machine->input_last == NULL) {
        free(machine->input_first);
        free(machine->input_last);
        machine->input_first = machine->input_last = NULL;
        return false;
    }
    memset(machine->input_first + first, 0xff, count * sizeof *machine->input_first);
    return true;
}

static enum failure_kind wait_in_input(struct machine *machine, node_index node, uint32_t packet,
                                       struct failure *failure)
{
    if (!input_allocate(machine))
        return fail_memory(failure, "the input queues");
    if (machine->input_first[node] == MACHINE_NONE)
        machine->input_first[node] = packet;
    else
        machine->next[machine->input_last[node]] = packet;
    machine->input_last[node] = packet;
    machine->next[packet] = MACHINE_NONE;
    machine->tally[0].resting++;
    return FAIL_NONE;
}

enum failure_kind machine_queue(struct machine *machine, node_index node, uint32_t packet,
                                struct failure *failure)
{
    bool is_first = machine->resting_first[node] == MACHINE_NONE;
    if (!is_first && !packet_ends_at(machine, machine_site(machine, node), packet))
        return wait_in_input(machine, node, packet, failure);
    machine_inject(machine, node, packet);
    return FAIL_NONE;
}

enum failure_kind machine_contribute(struct machine *machine, node_index node, uint32_t packet,
                                     struct failure *failure)
{
    assert(machine->header.packet[packet].first == packet);
    if (!packet_ends_at(machine, machine_site(machine, node), packet))
        return wait_in_input(machine, node, packet, failure);
    machine_inject(machine, node, packet);
    return FAIL_NONE;
}

void machine_inject_input(struct machine *machine, struct tally *tally, node_index node)
{
    uint32_t packet = machine->input_first[node];
    machine->input_first[node] = (uint32_t)machine->next[packet];
    tally_injection(machine, tally, node, packet);
    machine_rest(machine, node, packet);
    machine->occupancy[node]++;
}
