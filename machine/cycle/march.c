/* march.c - packets march along closed cycles of nodes, all at once.
 *
 * Cycles do not touch one another: a thread takes one after another of its own through all hops
 * while it is in cache (march_line.c). Where a buffer could get fuller than all before, though, all
 * cycles take each step together, and buffers are measured.
 *   Packets that are set aside, or rest on no cycle, stand at their nodes meanwhile, so that the most
 * that a node can hold is known beforehand: those, and one that marches.
 * Cost: 13 bytes a node while it lasts, and 28 bytes for each cycle and 64 slots.
 */
#include "machine/cycle/march_private.h"

#include "machine/footprint_private.h"
#include "machine/tally_private.h"

#include <assert.h>
#include <stdlib.h>

static void do_stage(struct marching *marching, const struct march_line *line, struct tally *tally)
{
    bool copies = !marching->machine->config.copy_is_free;
    struct march_walk walk = march_walk_at(marching, line, tally, marching->hop);
    switch (marching->stage) {
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
        while (walk.hop < marching->until && march_cross(&walk) > 0) {
            march_arrive(&walk);
            if (copies)
                march_copy(&walk);
        }
        break;
    }
}

/* ---- a march ---- */

static uint32_t steps_of_hop(const struct marching *marching)
{
    return marching->machine->config.copy_is_free ? 1 : 2;
}

/* The next stage, where a hop may begin. */
static enum march_stage stage_of_hop(struct marching *marching)
{
    struct machine *machine = marching->machine;
    uint64_t whole = marching->left / steps_of_hop(marching);
    uint32_t hops = marching->hops - marching->hop;
    hops = machine_steps_at_once(machine, whole < hops ? (uint32_t)whole : hops);
    bool may_be_new_peak = marching->most + 1 > machine->attempt.peak && machine->resting > 0;
    if (hops <= 1 || may_be_new_peak)
        return MARCH_HOP;
    marching->until = marching->hop + hops;
    return MARCH_ON;
}

/* The stage is over: the clock, and what comes next. For one thread, while the others wait. */
static void end_stage(struct marching *marching)
{
    uint64_t steps = 1;
    if (marching->stage == MARCH_HOP)
        marching->hop++;
    if (marching->stage == MARCH_ON) {
        steps = (uint64_t)(marching->until - marching->hop) * steps_of_hop(marching);
        marching->hop = marching->until;
    }
    marching->left -= steps;
    marching->kind = machine_end_steps(marching->machine, steps, marching->failure);
    marching->stage = marching->stage == MARCH_HOP && steps_of_hop(marching) > 1
                          ? MARCH_COPY
                          : stage_of_hop(marching);
    marching->done = marching->kind != FAIL_NONE || marching->left == 0;
}

static void march_band(void *context, const struct team *team)
{
    struct marching *marching = context;
    const struct march *march = marching->march;
    struct tally *tally = &marching->machine->tally[team->rank];
    uint32_t first = parallel_band_start(march->cycles, team->rank, team->size);
    uint32_t end = parallel_band_start(march->cycles, team->rank + 1, team->size);
    for (uint32_t i = first; i < end; i++) {
        march_find_places(marching, &marching->line[i], march->cycle(march->context, i).start);
        march_load(marching, &marching->line[i]);
    }
    parallel_barrier(team);
    for (uint32_t i = 0; team->rank == 0 && i < march->cycles; i++)
        if (marching->line[i].most > marching->most)
            marching->most = marching->line[i].most;
    while (!marching->done) {
        for (uint32_t i = first; i < end; i++)
            do_stage(marching, &marching->line[i], tally);
        parallel_barrier(team);
        if (team->rank == 0)
            end_stage(marching);
        parallel_barrier(team);
    }
    for (uint32_t i = first; i < end; i++)
        march_unload(marching, &marching->line[i], marching->hop);
}

static void release(struct marching *marching)
{
    free(marching->line);
    free(marching->group);
    free(marching->place);
    free(marching->packet);
    free(marching->due);
    free(marching->is_on);
}

static bool prepare(struct marching *marching)
{
    const struct march *march = marching->march;
    size_t slots = 0, groups = 0;
    marching->line = memory_allocate(march->cycles, sizeof *marching->line);
    for (uint32_t i = 0; marching->line != NULL && i < march->cycles; i++) {
        uint32_t length = march->cycle(march->context, i).length;
        assert(length > 0);
        marching->line[i] = (struct march_line){.slot = slots, .group = groups, .length = length};
        slots += length;
        groups += march_groups(length);
    }
    assert(slots <= marching->machine->nodes);
    marching->group = memory_allocate(groups, sizeof *marching->group);
    marching->place = memory_allocate(slots, sizeof *marching->place);
    marching->packet = memory_allocate(slots, sizeof *marching->packet);
    marching->due = memory_allocate(slots, sizeof *marching->due);
    marching->is_on = memory_allocate(marching->machine->nodes, 1);
    return marching->line != NULL && marching->group != NULL && marching->place != NULL &&
           marching->packet != NULL && marching->due != NULL && marching->is_on != NULL;
}

/* All nodes are on cycles, which is what makes groups most: a cycle begins one. */
uint64_t march_footprint(const struct machine_needs *needs)
{
    const struct marching *marching = NULL;
    uint64_t of_node = sizeof *marching->place + sizeof *marching->packet + sizeof *marching->due +
                       sizeof *marching->is_on;
    uint64_t groups = needs_nodes(needs) / DUE_GROUP + 1;
    return needs_nodes(needs) * of_node + groups * sizeof *marching->group;
}

enum failure_kind machine_march(struct machine *machine, const struct march *march, uint32_t hops,
                                struct failure *failure)
{
    struct marching marching = {
        .machine = machine, .march = march, .hops = hops, .failure = failure};
    assert(hops < DUE_NEVER / 4);
    if (machine_steps_left(machine) == 0)
        return FAIL_VOID;
    if (machine_judge_steps(machine, failure) != FAIL_NONE)
        return FAIL_CHECK;
    marching.left = attempt_limit(machine, 1 + (uint64_t)hops * steps_of_hop(&marching));
    marching.left = machine_limit_steps(machine, marching.left);
    enum failure_kind kind = prepare(&marching) ? FAIL_NONE : fail_memory(failure, "a march");
    if (kind == FAIL_NONE) {
        parallel_run(machine->config.crew, march_band, &marching);
        kind = marching.kind;
    }
    release(&marching);
    if (kind == FAIL_NONE)
        kind = machine_judge_steps(machine, failure);
    return attempt_judge(machine, kind);
}
