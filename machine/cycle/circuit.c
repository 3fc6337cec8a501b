/* circuit.c - packets circulate along closed walks: the links of the walks, memory, and the call.
 *
 * Two places share a link, one for each direction. The call goes round by round (circuit_rounds.c); circuit_lags.c computes
 * the step in which a round passes each link from the steps of the links beside it. The clock follows (circuit_clock.c).
 * Cost: 16 bytes a node and 12 bytes a place while the call lasts, and what the other files say.
 */
#include "machine/cycle/circuit_place.h"

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

static uint32_t *leaving_at(const struct circuit_call *call, uint32_t place, enum direction d)
{
    return &call->leaving[(size_t)circuit_site(call, place).index * DIRECTIONS + d];
}

static enum direction direction_of(const struct circuit_call *call, uint32_t place)
{
    return direction_to(call->place[place], circuit_next_node(call, place));
}

static void find_leaving(struct circuit_call *call)
{
    struct node_range own = machine_nodes(call->machine);
    for (size_t i = (size_t)own.first * DIRECTIONS; i < (size_t)own.end * DIRECTIONS; i++)
        call->leaving[i] = CIRCUIT_NO_PLACE;
    for (uint32_t place = 0; place < call->places; place++) {
        if (call->is_split && circuit_is_foreign(call, place))
            continue;
        uint32_t *leaving = leaving_at(call, place, direction_of(call, place));
        assert(*leaving == CIRCUIT_NO_PLACE);
        *leaving = place;
    }
}

/* Finds the link of `place`, which is a new one if no lower place leaves by it. */
static void find_link(struct circuit_call *call, uint32_t place)
{
    enum direction back = direction_opposite(direction_of(call, place));
    uint32_t next = circuit_next(call, place), across = CIRCUIT_NO_PLACE;
    if (next != CIRCUIT_NO_PLACE) {
        across = *leaving_at(call, next, back);
        assert(across != CIRCUIT_NO_PLACE);
        if (across < place) {
            call->link[place] = call->link[across];
            return;
        }
    }
    assert(call->links < call->places / 2);
    call->link[place] = call->links;
    call->ends[2 * (size_t)call->links] = place;
    call->ends[2 * (size_t)call->links + 1] = across;
    call->links++;
}

/* The link by which packets come to an open stretch. */
static void find_first_link(struct circuit_call *call, const struct circuit_stretch *stretch)
{
    uint32_t there = stretch->first, here = there + 1;
    enum direction back = direction_to(call->place[here], call->place[there]);
    uint32_t out = *leaving_at(call, here, back);
    assert(out != CIRCUIT_NO_PLACE);
    call->link[there] = call->link[out];
    call->ends[2 * (size_t)call->link[out] + 1] = there;
}

static void find_links(struct circuit_call *call)
{
    find_leaving(call);
    for (uint32_t place = 0; place < call->places; place++)
        if (!call->is_split || !circuit_is_foreign(call, place))
            find_link(call, place);
    for (uint32_t i = 0; i < call->stretches; i++)
        if (call->stretch[i].is_open)
            find_first_link(call, &call->stretch[i]);
}

/* Alone: each way is a stretch. False: no memory. */
static bool find_ways(struct circuit_call *call)
{
    const struct circuit *circuit = call->circuit;
    call->stretches = circuit->ways;
    call->places = circuit->ways * circuit->length;
    call->stretch = memory_allocate(circuit->ways, sizeof *call->stretch);
    call->place = memory_allocate(call->places, sizeof *call->place);
    if (call->stretch == NULL || call->place == NULL)
        return false;
    for (uint32_t way = 0; way < circuit->ways; way++)
        call->stretch[way] = (struct circuit_stretch){
            .first = way * circuit->length, circuit->length, way * circuit->length, way, false};
    for (uint32_t place = 0; place < call->places; place++)
        call->place[place] = circuit->place(circuit->context, place);
    return true;
}

/* ---- memory ---- */

static bool make(struct circuit_call *call)
{
    if (!(call->is_split ? circuit_find_stretches(call) : find_ways(call)))
        return false;
    call->leaving = machine_allocate_nodes(call->machine, DIRECTIONS * sizeof *call->leaving);
    call->link = memory_allocate(call->places, sizeof *call->link);
    call->ends = memory_allocate(call->places, sizeof *call->ends);
    call->packet = memory_allocate(call->places, sizeof *call->packet);
    call->due.slots = call->places;
    call->due.at = memory_allocate(call->places, sizeof *call->due.at);
    call->due.first = memory_allocate(due_groups(call->places), sizeof *call->due.first);
    call->gone = memory_allocate(call->places, sizeof *call->gone);
    call->found = memory_allocate(call->places, sizeof *call->found);
    call->stop = memory_allocate(call->places, sizeof *call->stop);
    call->alive = memory_allocate(call->places, sizeof *call->alive);
    call->busy = machine_allocate_nodes(call->machine, sizeof *call->busy);
    call->mate = machine_allocate_nodes(call->machine, sizeof *call->mate);
    return call->leaving && call->link && call->ends && call->packet && call->due.at &&
           call->due.first && call->gone && call->found && call->stop && call->alive &&
           call->busy && call->mate;
}

static void release(struct circuit_call *call)
{
    circuit_clock_free(call);
    circuit_lags_free(call);
    circuit_border_free(call);
    free(call->stretch);
    free(call->place);
    free(call->leaving);
    free(call->link);
    free(call->ends);
    free(call->packet);
    free(call->due.at);
    free(call->due.first);
    free(call->gone);
    free(call->found);
    free(call->stop);
    free(call->alive);
    free(call->busy);
    free(call->mate);
}

uint64_t circuit_footprint(const struct machine_needs *needs)
{
    const struct circuit_call *call = NULL;
    uint64_t nodes = needs_nodes(needs), places = CIRCUIT_MOST_WAYS * (nodes + 1);
    uint64_t of_node = DIRECTIONS * sizeof *call->leaving + sizeof *call->busy + sizeof *call->mate;
    uint64_t of_place = sizeof *call->place + sizeof *call->link + sizeof *call->ends +
                        sizeof *call->packet + sizeof *call->due.at + sizeof *call->gone +
                        sizeof *call->found + sizeof *call->stop + sizeof *call->alive;
    return nodes * of_node + places * of_place + circuit_lags_footprint(places / 2) +
           (places / BLOCK + 2) * sizeof *call->due.first +
           (needs->is_observed ? circuit_clock_footprint(places) : 0);
}

/* ---- a call ---- */

/* Returns whether packets are left. Ranks ask one another every few rounds; a round without packets changes nothing. */
static bool is_alive(struct circuit_call *call)
{
    enum { ROUNDS_AT_ONCE = 32 };
    if (!call->is_split)
        return call->living[0] + call->living[1] > 0;
    if (call->round % ROUNDS_AT_ONCE == 0 && call->round != call->agreed) {
        circuit_agree_living(call);
        call->agreed = call->round;
    }
    return call->living_anywhere > 0;
}

static enum failure_kind circulate(struct circuit_call *call, struct failure *failure)
{
    enum { ROUNDS_AT_ONCE = 256 };
    enum failure_kind kind = FAIL_NONE;
    circuit_peak_begin(call);
    circuit_begin(call);
    while (kind == FAIL_NONE && call->now < call->most && is_alive(call)) {
        circuit_do_round(call);
        if (call->round % ROUNDS_AT_ONCE == 0 && is_alive(call))
            kind = circuit_clock_advance(call, false, failure);
    }
    return kind == FAIL_NONE ? circuit_clock_advance(call, true, failure) : kind;
}

enum failure_kind machine_circulate(struct machine *machine, const struct circuit *circuit,
                                    struct failure *failure)
{
    enum failure_kind kind = machine_judge_steps(machine, failure);
    uint64_t most = machine_limit_steps(machine, UINT32_MAX);
    assert(machine->travelling == 0 && machine->aside.depth == 0);
    assert(machine_steps_left(machine) == UINT64_MAX);
    if (kind != FAIL_NONE || machine->resting == 0)
        return kind;
    struct circuit_call call = {.machine = machine,
                                .circuit = circuit,
                                .tally = &machine->tally[0],
                                .copies_are_free = machine->config.copy_is_free,
                                .is_split = ranks_size(machine->config.ranks) > 1,
                                .agreed = UINT32_MAX,
                                .most = (uint32_t)most};
    machine->curve.is_told = true;
    bool is_made = make(&call);
    if (is_made)
        find_links(&call);
    if (is_made && circuit_lags_make(&call) && circuit_find_crossings(&call) &&
        circuit_clock_make(&call))
        kind = circulate(&call, failure);
    else
        kind = fail_memory(failure, "packets that circulate");
    machine->curve.is_told = false;
    if (kind == FAIL_NONE && call.lacks_memory)
        kind = fail_memory(failure, "packets that circulate");
    release(&call);
    return kind == FAIL_NONE ? machine_judge_steps(machine, failure) : kind;
}
