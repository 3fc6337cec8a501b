/* parked.c - resting packets that are set aside for a while.
 *
 * An algorithm may move some of the packets at its nodes while others rest: for instance copies,
 * which are sorted, while their masters stay. Instructions, and primitives made of them, act on all
 * resting packets. So those that are to stay are parked, level upon level, and taken back in the
 * opposite order. Nothing moves and no step passes: parked packets are in their nodes' buffers and
 * count there.
 * Cost: 4 bytes per node and level, and 4 per node; O(1) per node and packet for each call.
 */
#include "machine/machine_private.h"

#include <assert.h>
#include <stdlib.h>

static void parked_free(struct machine *machine)
{
    for (int level = 0; level < PARKED_LEVELS; level++)
        free(machine->parked.first[level]);
    free(machine->parked.count);
    machine->parked = (struct parked){.depth = 0};
}

static const struct machine_part PARKED_PART = {.free = parked_free};

static enum failure_kind level_prepare(struct machine *machine, struct failure *failure)
{
    struct parked *parked = &machine->parked;
    assert(parked->depth < PARKED_LEVELS);
    uint32_t **first = &parked->first[parked->depth];
    if (parked->count == NULL) {
        parked->count = machine_allocate_nodes(machine, sizeof *parked->count);
        machine_register(machine, &PARKED_PART);
    }
    if (*first == NULL)
        *first = machine_allocate_nodes(machine, sizeof **first);
    if (parked->count == NULL || *first == NULL)
        return fail_memory(failure, "packets set aside");
    return FAIL_NONE;
}

enum failure_kind machine_park(struct machine *machine,
                               bool (*keep_parked)(void *context, uint32_t packet), void *context,
                               struct failure *failure)
{
    assert(!machine->has_open_plane);
    if (level_prepare(machine, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    struct parked *parked = &machine->parked;
    uint32_t level = parked->depth++, *first = parked->first[level];
    struct node_range own = machine_nodes(machine);
    uint64_t count = 0;
    parked->most_before[level] = parked->most;
    parked->most = 0;
    for (node_index node = own.first; node < own.end; node++) {
        uint32_t packet = machine->resting_first[node];
        machine->resting_first[node] = first[node] = MACHINE_NONE;
        for (uint32_t next; packet != MACHINE_NONE; packet = next) {
            next = (uint32_t)machine->next[packet];
            if (!keep_parked(context, packet)) {
                machine_rest(machine, node, packet);
                continue;
            }
            machine->next[packet] = first[node];
            first[node] = packet;
            parked->count[node]++;
            count++;
        }
        parked->most = parked->count[node] > parked->most ? parked->count[node] : parked->most;
    }
    machine_agree_most(machine, &parked->most);
    enum failure_kind kind = machine_add_up(machine, &count, failure);
    machine->resting -= count;
    parked->packets[level] = count;
    return kind;
}

void machine_unpark(struct machine *machine)
{
    struct parked *parked = &machine->parked;
    assert(parked->depth > 0);
    assert(!machine->has_open_plane);
    const uint32_t *first = parked->first[--parked->depth];
    struct node_range own = machine_nodes(machine);
    for (node_index node = own.first; node < own.end; node++) {
        uint32_t packet = first[node];
        for (uint32_t next; packet != MACHINE_NONE; packet = next) {
            next = (uint32_t)machine->next[packet];
            machine_rest(machine, node, packet);
            parked->count[node]--;
        }
    }
    parked->most = parked->most_before[parked->depth];
    machine->resting += parked->packets[parked->depth];
}
