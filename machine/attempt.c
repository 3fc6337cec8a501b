/* attempt.c - attempts at a run that may fail: a budget of steps, and room that is allotted.
 *
 * An attempt is a machine of its own that goes on with the clock, the counters, the phases and the
 * trace of the one before, and with nothing else: the packets of that one were discarded. Its
 * budget counts all steps except those of synchronisation words, in which all nodes take part. The
 * idle steps before them count, since no node sees when the last packet came to rest. When the
 * budget is spent, an instruction reports it, with or without packets left.
 *   Room. A node that would end a step with more packets than the capacity discards all that it
 * holds in queues and at rest, and remembers it. Other nodes continue, since they cannot know.
 * Packets in bounded channels, and parked ones, stay: capacities are such that they fit. The
 * instruction discards when it measures the node at the end of its step, so rows need not wait for
 * one another.
 *   Packets' numbers in the trace continue after those of the previous attempt. The machine keeps
 * account of the packets that are alive, for the events of the attempt's end, only where events are
 * collected.
 * Source: Section 6 of the paper.
 * Cost: a byte per node; if events are collected, a table of the packets that are alive.
 */
#include "machine/attempt.h"

#include "machine/machine_private.h"

#include <assert.h>
#include <string.h>

static void continue_from(struct machine *machine, const struct machine *before)
{
    machine->counts = before->counts;
    machine->curve = before->curve;
    machine->phases = before->phases;
    machine->current_phase = before->current_phase;
    machine->in_sync_phase = before->in_sync_phase;
    memcpy(machine->phase, before->phase, sizeof machine->phase);
    machine->trace_failed = before->trace_failed;
    machine->attempt.first_number = trace_next_number(before);
    machine->attempt.begun = before->counts.steps;
    if (machine->config.expected != NULL) {
        assert(machine->config.expected->attempt < UINT8_MAX);
        machine->config.expected->attempt++;
    }
}

bool attempt_begin(struct machine *machine)
{
    struct machine_config *config = &machine->config;
    struct attempt_state *state = &machine->attempt;
    const struct machine *before = config->attempt->before;
    if (config->attempt->name != NULL)
        snprintf(state->name, sizeof state->name, "%s", config->attempt->name);
    state->given = *config->attempt;
    state->given.name = config->attempt->name == NULL ? NULL : state->name;
    config->attempt = &state->given; /* the caller need not keep its own */
    if (before != NULL)
        continue_from(machine, before);
    bool discards = config->buffer > 0 && config->attempt->discards;
    if (discards)
        state->has_discarded = machine_allocate_nodes(machine, 1);
    return state->has_discarded != NULL || !discards;
}

/* ---- room ---- */

void attempt_discard(struct machine *machine, struct tally *tally, enum event_group group,
                     node_index node, uint32_t packet)
{
    machine->occupancy[node]--;
    tally->discarded++;
    tally_discard(machine, tally, group, node, packet);
}

void attempt_discard_resting(struct machine *machine, struct tally *tally, enum event_group group,
                             node_index node)
{
    uint32_t packet = machine->resting_first[node];
    for (; packet != MACHINE_NONE; packet = (uint32_t)machine->next[packet]) {
        tally->resting--;
        attempt_discard(machine, tally, group, node, packet);
    }
    machine->resting_first[node] = MACHINE_NONE;
    machine->attempt.has_discarded[node] = 1;
}

bool machine_node_has_discarded(const struct machine *machine, node_index node)
{
    const uint8_t *has_discarded = machine->attempt.has_discarded;
    return has_discarded != NULL && has_discarded[node];
}

bool machine_node_is_void(const struct machine *machine, node_index node)
{
    const uint32_t *awaited = machine->attempt.awaited;
    return machine->occupancy[node] > 0 || machine_has_input(machine, node) ||
           (awaited != NULL && awaited[node] > 0) || machine_node_has_discarded(machine, node);
}

enum failure_kind machine_await(struct machine *machine, node_index node, struct failure *failure)
{
    struct attempt_state *state = &machine->attempt;
    if (state->awaited == NULL)
        state->awaited = machine_allocate_nodes(machine, sizeof *state->awaited);
    if (state->awaited == NULL)
        return fail_memory(failure, "the messages to come");
    state->awaited[node]++;
    return FAIL_NONE;
}

uint32_t machine_own_peak(const struct machine *machine)
{
    return machine->attempt.peak;
}

uint64_t machine_discarded(const struct machine *machine)
{
    return machine->attempt.discarded;
}
