/* input_queue.c - messages that wait at their sources, outside of the buffer.
 *
 * A node's queue is a list through `next`, as that of its resting packets is. Its packets count among those that
 * rest, so that an instruction which would end with the last of these goes on; they are in no buffer, and no
 * event is told, before they are injected.
 * Cost: 8 bytes a node, from the first packet that waits on.
 */
#include "machine/machine_private.h"
#include "machine/tally_private.h"

#include <stdlib.h>
#include <string.h>

static bool input_allocate(struct machine *machine)
{
    uint32_t nodes = machine->nodes;
    if (machine->input_last != NULL)
        return true;
    machine->input_first = memory_allocate(nodes, sizeof *machine->input_first);
    machine->input_last = memory_allocate(nodes, sizeof *machine->input_last);
    if (machine->input_first == NULL || machine->input_last == NULL) {
        free(machine->input_first);
        free(machine->input_last);
        machine->input_first = machine->input_last = NULL;
        return false;
    }
    memset(machine->input_first, 0xff, nodes * sizeof *machine->input_first);
    return true;
}

enum failure_kind machine_queue(struct machine *machine, node_index node, uint32_t packet,
                                struct failure *failure)
{
    if (machine->resting_first[node] == MACHINE_NONE ||
        packet_ends_at(machine, machine_site(machine, node), packet))
        return machine_inject(machine, node, packet, failure);
    if (!input_allocate(machine))
        return fail_memory(failure, "the input queues");
    if (machine->input_first[node] == MACHINE_NONE)
        machine->input_first[node] = packet;
    else
        machine->next[machine->input_last[node]] = packet;
    machine->input_last[node] = packet;
    machine->next[packet] = MACHINE_NONE;
    machine->resting++;
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
