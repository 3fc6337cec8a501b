/* circuit.c - packets circulate along closed walks: the links of the walks, and the call.
 *
 * Two places share a link, one for each direction. Where a run is observed it goes step by step
 * (circuit_steps.c: what each node does, from what it knows), otherwise round by round
 * (circuit_rounds.c: when each link does it, from when the links beside it did). Tests hold both to
 * the same counts.
 * Cost: 16 bytes a node and 8 bytes a place while it lasts, and what the two files say.
 */
#include "machine/cycle/circuit_private.h"

#include "machine/footprint_private.h"

#include <assert.h>
#include <stdlib.h>

static enum direction direction_to(node_place from, node_place to)
{
    if (to == from + 1)
        return EAST;
    if (to + 1 == from)
        return WEST;
    assert(place_col(from) == place_col(to));
    assert(place_row(from) + 1 == place_row(to) || place_row(to) + 1 == place_row(from));
    return place_row(to) > place_row(from) ? SOUTH : NORTH;
}

static uint32_t *leaving_at(const struct circling *run, uint32_t place, enum direction d)
{
    return &run->leaving[(size_t)circuit_site(run, place).index * DIRECTIONS + d];
}

static enum direction direction_of(const struct circling *run, uint32_t place)
{
    const node_place *at = run->circuit->place;
    return direction_to(at[place], at[circuit_next(run, place)]);
}

static void find_links(struct circling *run)
{
    for (size_t i = 0; i < (size_t)run->machine->nodes * DIRECTIONS; i++)
        run->leaving[i] = CIRCUIT_NO_PLACE;
    for (uint32_t place = 0; place < run->places; place++) {
        uint32_t *leaving = leaving_at(run, place, direction_of(run, place));
        assert(*leaving == CIRCUIT_NO_PLACE);
        *leaving = place;
    }
    for (uint32_t place = 0; place < run->places; place++) {
        enum direction back = direction_opposite(direction_of(run, place));
        uint32_t across = *leaving_at(run, circuit_next(run, place), back);
        assert(across != CIRCUIT_NO_PLACE);
        if (across < place) {
            run->link[place] = run->link[across];
            continue;
        }
        run->link[place] = run->links;
        run->ends[2 * (size_t)run->links] = place;
        run->ends[2 * (size_t)run->links + 1] = across;
        run->links++;
    }
}

static void release(struct circling *run)
{
    free(run->leaving);
    free(run->link);
    free(run->ends);
}

enum failure_kind machine_circulate(struct machine *machine, const struct circuit *circuit,
                                    struct failure *failure)
{
    struct circling run = {.machine = machine,
                           .circuit = circuit,
                           .places = circuit->ways * circuit->length,
                           .failure = failure};
    enum failure_kind kind = machine_judge_steps(machine, failure);
    assert(machine->travelling == 0 && machine->aside.depth == 0);
    assert(machine_steps_left(machine) == UINT64_MAX);
    if (kind != FAIL_NONE || machine->resting == 0)
        return kind;
    run.leaving = memory_allocate((size_t)machine->nodes * DIRECTIONS, sizeof *run.leaving);
    run.link = memory_allocate(run.places, sizeof *run.link);
    run.ends = memory_allocate(run.places, sizeof *run.ends);
    if (run.leaving == NULL || run.link == NULL || run.ends == NULL) {
        release(&run);
        return fail_memory(failure, "the circuit");
    }
    find_links(&run);
    kind = machine_is_observed(machine) ? circuit_by_steps(&run) : circuit_by_rounds(&run);
    release(&run);
    return kind == FAIL_NONE ? machine_judge_steps(machine, failure) : kind;
}

uint64_t circuit_footprint(const struct machine_needs *needs)
{
    const struct circling *run = NULL;
    uint64_t nodes = needs_nodes(needs), places = CIRCUIT_MOST_WAYS * (nodes + 1);
    if (!(needs->uses & USE_CIRCUIT))
        return 0;
    return nodes * DIRECTIONS * sizeof *run->leaving +
           places * (sizeof *run->link + sizeof *run->ends) +
           (needs->is_observed ? circuit_steps_footprint(places)
                               : circuit_rounds_footprint(nodes, places));
}
