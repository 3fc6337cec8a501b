/* aside.c - resting packets that take no part for a while.
 *
 * An algorithm may move some of the packets at its nodes while others rest, for instance copies, which are sorted,
 * while their masters stay. Instructions, and primitives made of them, take up all resting packets. So those
 * that are to stay are set aside, level upon level, and taken back in the opposite order. Nothing
 * moves and no step passes: packets set aside are in their nodes' buffers and count there.
 * Cost: 4 bytes per node and level, and 4 per node; O(1) per node and packet for each call.
 */
#include "machine/machine_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void aside_free(struct machine *machine)
{
    for (int level = 0; level < ASIDE_LEVELS; level++)
        free(machine->aside.first[level]);
    free(machine->aside.count);
    machine->aside = (struct aside){.depth = 0};
}

static const struct machine_part ASIDE_PART = {.free = aside_free};

static enum failure_kind level_prepare(struct machine *machine, struct failure *failure)
{
    struct aside *aside = &machine->aside;
    assert(aside->depth < ASIDE_LEVELS);
    uint32_t **first = &aside->first[aside->depth];
    if (aside->count == NULL) {
        aside->count = machine_allocate_nodes(machine, sizeof *aside->count);
        machine_register(machine, &ASIDE_PART);
    }
    if (*first == NULL)
        *first = machine_allocate_nodes(machine, sizeof **first);
    if (aside->count == NULL || *first == NULL)
        return fail_memory(failure, "packets set aside");
    return FAIL_NONE;
}

enum failure_kind machine_set_aside(struct machine *machine,
                                    bool (*stays)(void *context, uint32_t packet), void *context,
                                    struct failure *failure)
{
    assert(!machine->has_open_plane);
    if (level_prepare(machine, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    struct aside *aside = &machine->aside;
    uint32_t level = aside->depth++, *first = aside->first[level];
    struct node_range own = machine_nodes(machine);
    uint64_t count = 0;
    aside->most_before[level] = aside->most;
    aside->most = 0;
    for (node_index node = own.first; node < own.end; node++) {
        uint32_t packet = machine->resting_first[node];
        machine->resting_first[node] = first[node] = MACHINE_NONE;
        for (uint32_t next; packet != MACHINE_NONE; packet = next) {
            next = (uint32_t)machine->next[packet];
            if (!stays(context, packet)) {
                machine_rest(machine, node, packet);
                continue;
            }
            machine->next[packet] = first[node];
            first[node] = packet;
            aside->count[node]++;
            count++;
        }
        aside->most = aside->count[node] > aside->most ? aside->count[node] : aside->most;
    }
    machine_agree_most(machine, &aside->most);
    enum failure_kind kind = machine_add_up(machine, &count, failure);
    machine->resting -= count;
    aside->packets[level] = count;
    return kind;
}

void machine_take_back(struct machine *machine)
{
    struct aside *aside = &machine->aside;
    assert(aside->depth > 0);
    assert(!machine->has_open_plane);
    const uint32_t *first = aside->first[--aside->depth];
    struct node_range own = machine_nodes(machine);
    for (node_index node = own.first; node < own.end; node++) {
        uint32_t packet = first[node];
        for (uint32_t next; packet != MACHINE_NONE; packet = next) {
            next = (uint32_t)machine->next[packet];
            machine_rest(machine, node, packet);
            aside->count[node]--;
        }
    }
    aside->most = aside->most_before[aside->depth];
    machine->resting += aside->packets[aside->depth];
}
