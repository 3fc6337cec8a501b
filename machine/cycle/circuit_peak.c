/* circuit_peak.c - the steps in which a node first holds one, two, .. packets that circulate.
 *
 * A packet that comes to a node finds there the packets that came in the same round and no later, and those of the
 * round before that have not left. All packets are looked at until two are known to have met in a step
 * that is past. From then on only nodes with more than two places can hold more, which are beside corners.
 * Cost: O(1) a packet and round until then.
 */
#include "machine/cycle/circuit_place.h"

#include <assert.h>

void circuit_peak_begin(struct circuit_call *call)
{
    for (uint32_t i = 0; i <= CIRCUIT_HELD; i++)
        call->peak[i].step = DUE_NEVER;
    struct node_range own = machine_nodes(call->machine);
    for (node_index node = own.first; node < own.end; node++) {
        const uint32_t *leaving = call->leaving + (size_t)node * DIRECTIONS;
        uint32_t places = 0;
        for (int d = 0; d < DIRECTIONS; d++)
            places += leaving[d] != CIRCUIT_NO_PLACE;
        for (int d = 0; places > 2 && d < DIRECTIONS; d++) {
            if (leaving[d] == CIRCUIT_NO_PLACE)
                continue;
            assert(call->crowded_places < sizeof call->crowded / sizeof *call->crowded);
            call->crowded[call->crowded_places++] = leaving[d];
        }
    }
}

/* Returns how many packets the node of `place` holds at the end of step `came`, in which one came there. */
static uint32_t held_at(const struct circuit_call *call, uint32_t place, uint32_t came)
{
    const uint32_t *leaving = call->leaving + (size_t)circuit_site(call, place).index * DIRECTIONS;
    uint32_t held = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        uint32_t q = leaving[d];
        if (q == CIRCUIT_NO_PLACE)
            continue;
        uint32_t left = call->copies_are_free ? call->round : circuit_step(call, call->link[q]);
        held += call->gone[circuit_slot_at(call, q, call->round)] > call->round &&
                circuit_came_to(call, q) <= came;
        held += call->gone[circuit_slot_at(call, q, call->round - 1)] >= call->round && left > came;
    }
    return held;
}

static void measure_place(struct circuit_call *call, uint32_t place)
{
    if (call->gone[circuit_slot_at(call, place, call->round)] <= call->round)
        return;
    uint32_t came = circuit_came_to(call, place), held = held_at(call, place, came);
    node_index node = circuit_site(call, place).index;
    assert(held > 0 && held <= CIRCUIT_HELD);
    for (; held > 0; held--) {
        struct peak *peak = &call->peak[held];
        if (came < peak->step || (came == peak->step && node < peak->node))
            *peak = (struct peak){came, node};
    }
}

/* Returns whether two packets may meet at a node: some go each way, one has waited for a copy, or there is a single
 * way, which comes to a node twice. A rank does not know how many go which way in others. */
static bool may_meet(const struct circuit_call *call)
{
    bool both_ways = call->living[0] > 0 && call->living[1] > 0;
    return both_ways || call->is_held_up || call->circuit->ways == 1 || call->is_split;
}

void circuit_peak_measure(struct circuit_call *call)
{
    for (uint32_t i = 0; i < call->crowded_places; i++)
        measure_place(call, call->crowded[i]);
    if (call->peak[2].step < call->round || !may_meet(call))
        return;
    for (uint32_t i = 0; i < call->alive_slots; i++) {
        measure_place(call, circuit_place_of_slot(call, call->alive[i]));
        if (call->gone[call->alive[i]] != DUE_NEVER)
            call->alive[i--] = call->alive[--call->alive_slots];
    }
}
