/* march.c - packets march along closed cycles of nodes, all at once.
 *
 * Cycles do not touch one another: a thread takes one after another of its own through all hops
 * while it is in cache (march_line.c). Where a buffer could get fuller than all before, though, all
 * cycles take each step together, and buffers are measured.
 *   Packets that are set aside, or rest on no cycle, stand at their nodes meanwhile, so that the most
 * that a node can hold is known beforehand: those, and one that marches.
 * Calls of machine_forward for a hop each do the same.
 * Cost: 13 bytes a node while it lasts, and 28 bytes for each cycle and 64 slots.
 */
#include "machine/cycle/march_private.h"

#include "machine/footprint_private.h"

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
        march_cross(&walk);
        march_arrive(&walk);
        march_measure(&walk);
        break;
    case MARCH_COPY:
        march_copy(&walk);
        break;
    case MARCH_REST:
        while (walk.hop < marching->hops && march_cross(&walk) > 0) {
            march_arrive(&walk);
            if (copies)
                march_copy(&walk);
        }
        break;
    }
}

/* ---- a march ---- */

/* The stage is over: the clock, and what comes next. For one thread, while the others wait. */
static void end_stage(struct marching *marching)
{
    struct machine *machine = marching->machine;
    uint64_t steps = 1;
    if (marching->stage == MARCH_HOP)
        marching->hop++;
    if (marching->stage == MARCH_REST) {
        steps = (uint64_t)(marching->hops - marching->hop) * (machine->config.copy_is_free ? 1 : 2);
        marching->hop = marching->hops;
    }
    marching->kind = machine_end_steps(machine, steps, marching->failure);
    if (marching->stage == MARCH_HOP && !machine->config.copy_is_free)
        marching->stage = MARCH_COPY;
    else if (marching->most + 1 <= machine->attempt.peak || machine->resting == 0)
        marching->stage = MARCH_REST;
    else
        marching->stage = MARCH_HOP;
    bool is_over = marching->stage != MARCH_COPY && marching->hop == marching->hops;
    marching->done = marching->kind != FAIL_NONE || is_over;
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
    uint64_t groups = needs_nodes(needs) / MARCH_GROUP + 1;
    if (!(needs->uses & USE_MARCH) || needs_all_steps(needs))
        return 0;
    return needs_nodes(needs) * of_node + groups * sizeof *marching->group;
}

bool machine_may_march(const struct machine *machine, uint32_t hops)
{
    uint64_t steps = 1 + (uint64_t)hops * (machine->config.copy_is_free ? 1 : 2);
    return !machine_is_observed(machine) && machine->attempt.has_discarded == NULL &&
           machine_steps_left(machine) > steps;
}

enum failure_kind machine_march(struct machine *machine, const struct march *march, uint32_t hops,
                                struct failure *failure)
{
    struct marching marching = {
        .machine = machine, .march = march, .hops = hops, .failure = failure};
    assert(machine_may_march(machine, hops) && hops < MARCH_NEVER / 4);
    enum failure_kind kind = prepare(&marching) ? FAIL_NONE : fail_memory(failure, "a march");
    if (kind == FAIL_NONE) {
        parallel_run(machine->config.crew, march_band, &marching);
        kind = marching.kind;
    }
    release(&marching);
    return kind;
}
