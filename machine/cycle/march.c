/* march.c - packets march along closed cycles of nodes, all at once.
 *
 * Cycles do not touch one another: a thread takes one after another of its own through all hops
 * while it is in cache (march_line.c). Where a buffer could get fuller than all before, though, all
 * cycles take each step together, and buffers are measured.
 *   Packets that are set aside, or rest on no cycle, stand at their nodes meanwhile, so that the most
 * that a node can hold is known beforehand: those, and one that marches.
 * Cost: 13 bytes a node, 24 a cycle, and 24 for each 64 slots of a cycle or fewer, while it lasts.
 */
#include "machine/cycle/march_private.h"

#include "machine/footprint_private.h"
#include "machine/tally_private.h"

#include <assert.h>
#include <stdlib.h>

static void do_stage(struct march_call *call, const struct march_line *line, struct tally *tally)
{
    bool copies = !call->machine->config.copy_is_free;
    struct march_walk walk = march_walk_at(call, line, tally, call->hop);
    switch (call->stage) {
    case MARCH_BEGIN:
        march_arrive(&walk);
        march_copy(&walk);
        break;
    case MARCH_HOP:
        march_tell(&walk);
        march_cross(&walk);
        march_arrive(&walk);
        march_measure(&walk);
        break;
    case MARCH_COPY:
        march_copy(&walk);
        break;
    case MARCH_ON:
        while (walk.hop < call->until && march_cross(&walk) > 0) {
            march_arrive(&walk);
            if (copies)
                march_copy(&walk);
        }
        break;
    }
}

/* ---- a march ---- */

static uint32_t steps_of_hop(const struct march_call *call)
{
    return call->machine->config.copy_is_free ? 1 : 2;
}

/* The next stage, where a hop may begin. */
static enum march_stage stage_of_hop(struct march_call *call)
{
    struct machine *machine = call->machine;
    uint64_t whole = call->left / steps_of_hop(call);
    uint32_t hops = call->hops - call->hop;
    hops = machine_steps_at_once(machine, whole < hops ? (uint32_t)whole : hops);
    bool may_be_new_peak = call->most + 1 > machine->attempt.peak && machine->resting > 0;
    if (hops <= 1 || may_be_new_peak)
        return MARCH_HOP;
    call->until = call->hop + hops;
    return MARCH_ON;
}

/* Ends the stage: advances the clock and chooses the next stage. For one thread, while the others wait. */
static void end_stage(struct march_call *call)
{
    uint64_t steps = 1;
    if (call->stage == MARCH_HOP)
        call->hop++;
    if (call->stage == MARCH_ON) {
        steps = (uint64_t)(call->until - call->hop) * steps_of_hop(call);
        call->hop = call->until;
    }
    call->left -= steps;
    call->kind = machine_end_steps(call->machine, steps, call->failure);
    call->stage =
        call->stage == MARCH_HOP && steps_of_hop(call) > 1 ? MARCH_COPY : stage_of_hop(call);
    call->done = call->kind != FAIL_NONE || call->left == 0;
}

static void march_cycles(void *context, const struct team *team)
{
    struct march_call *call = context;
    const struct march *march = call->march;
    struct tally *tally = &call->machine->tally[team->rank];
    uint32_t first = parallel_band_start(march->cycles, team->rank, team->size);
    uint32_t end = parallel_band_start(march->cycles, team->rank + 1, team->size);
    for (uint32_t i = first; i < end; i++) {
        march_find_places(call, &call->line[i], march->cycle(march->context, i).start);
        march_load(call, &call->line[i]);
    }
    parallel_barrier(team);
    for (uint32_t i = 0; team->rank == 0 && i < march->cycles; i++)
        if (call->line[i].most > call->most)
            call->most = call->line[i].most;
    while (!call->done) {
        for (uint32_t i = first; i < end; i++)
            do_stage(call, &call->line[i], tally);
        parallel_barrier(team);
        if (team->rank == 0)
            end_stage(call);
        parallel_barrier(team);
    }
    for (uint32_t i = first; i < end; i++)
        march_unload(call, &call->line[i], call->hop);
}

static void release(struct march_call *call)
{
    free(call->line);
    free(call->group);
    free(call->place);
    free(call->packet);
    free(call->due);
    free(call->is_on);
}

static bool prepare(struct march_call *call)
{
    const struct march *march = call->march;
    size_t slots = 0, groups = 0;
    call->line = memory_allocate(march->cycles, sizeof *call->line);
    for (uint32_t i = 0; call->line != NULL && i < march->cycles; i++) {
        uint32_t length = march->cycle(march->context, i).length;
        assert(length > 0);
        call->line[i] = (struct march_line){.slot = slots, .group = groups, .length = length};
        slots += length;
        groups += march_groups(length);
    }
    assert(slots <= call->machine->nodes);
    call->group = memory_allocate(groups, sizeof *call->group);
    call->place = memory_allocate(slots, sizeof *call->place);
    call->packet = memory_allocate(slots, sizeof *call->packet);
    call->due = memory_allocate(slots, sizeof *call->due);
    call->is_on = memory_allocate(call->machine->nodes, 1);
    return call->line != NULL && call->group != NULL && call->place != NULL &&
           call->packet != NULL && call->due != NULL && call->is_on != NULL;
}

/* Of one cycle through all nodes: 48 bytes for each further one are not foreseen. */
uint64_t march_footprint(const struct machine_needs *needs)
{
    const struct march_call *call = NULL;
    uint64_t of_node =
        sizeof *call->place + sizeof *call->packet + sizeof *call->due + sizeof *call->is_on;
    uint64_t groups = needs_nodes(needs) / DUE_GROUP + 1;
    return needs_nodes(needs) * of_node + groups * sizeof *call->group;
}

enum failure_kind machine_march(struct machine *machine, const struct march *march, uint32_t hops,
                                struct failure *failure)
{
    struct march_call call = {.machine = machine, .march = march, .hops = hops, .failure = failure};
    assert(hops < DUE_NEVER / 4);
    if (machine_steps_left(machine) == 0)
        return FAIL_VOID;
    if (machine_judge_steps(machine, failure) != FAIL_NONE)
        return FAIL_CHECK;
    call.left = attempt_limit(machine, 1 + (uint64_t)hops * steps_of_hop(&call));
    call.left = machine_limit_steps(machine, call.left);
    enum failure_kind kind = prepare(&call) ? FAIL_NONE : fail_memory(failure, "a march");
    if (kind == FAIL_NONE) {
        parallel_run(machine->config.crew, march_cycles, &call);
        kind = call.kind;
    }
    release(&call);
    if (kind == FAIL_NONE)
        kind = machine_judge_steps(machine, failure);
    return attempt_judge(machine, kind);
}
