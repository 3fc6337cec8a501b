/* circuit_peak.c - when a node first holds so many packets, where they circulate round by round.
 *
 * A packet that comes to a node finds those that came in the same round and no later, and those of the
 * round before that have not left. All packets are looked at until two are known to have met in a step
 * that is past; from then on only the nodes with more places, beside a corner.
 * Cost: O(1) a packet and round until then.
 */
#include "machine/cycle/circuit_rounds_private.h"

#include <assert.h>

void circuit_peak_begin(struct rounds *rounds)
{
    for (uint32_t i = 0; i <= CIRCUIT_HELD; i++)
        rounds->peak[i].step = CIRCUIT_NEVER;
    for (node_index node = 0; node < rounds->machine->nodes; node++) {
        const uint32_t *leaving = rounds->run->leaving + (size_t)node * DIRECTIONS;
        uint32_t places = 0;
        for (int d = 0; d < DIRECTIONS; d++)
            places += leaving[d] != CIRCUIT_NO_PLACE;
        for (int d = 0; places > 2 && d < DIRECTIONS; d++) {
            if (leaving[d] == CIRCUIT_NO_PLACE)
                continue;
            assert(rounds->crowded_places < sizeof rounds->crowded / sizeof *rounds->crowded);
            rounds->crowded[rounds->crowded_places++] = leaving[d];
        }
    }
}

/* How many packets the node of `place` holds at the end of the step in which one came there. */
static uint32_t held_at(const struct rounds *rounds, uint32_t place, uint32_t came)
{
    const struct circling *run = rounds->run;
    const uint32_t *leaving = run->leaving + (size_t)circuit_site(run, place).index * DIRECTIONS;
    uint32_t held = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        uint32_t q = leaving[d];
        if (q == CIRCUIT_NO_PLACE)
            continue;
        uint32_t left = rounds->copies_are_free ? rounds->round : rounds->step[run->link[q]];
        held += rounds->gone[circuit_slot_at(rounds, q, rounds->round)] > rounds->round &&
                circuit_came_to(rounds, q) <= came;
        held += rounds->gone[circuit_slot_at(rounds, q, rounds->round - 1)] >= rounds->round &&
                left > came;
    }
    return held;
}

static void measure_place(struct rounds *rounds, uint32_t place)
{
    if (rounds->gone[circuit_slot_at(rounds, place, rounds->round)] <= rounds->round)
        return;
    uint32_t came = circuit_came_to(rounds, place), held = held_at(rounds, place, came);
    node_index node = circuit_site(rounds->run, place).index;
    assert(held > 0 && held <= CIRCUIT_HELD);
    for (; held > 0; held--) {
        struct peak *peak = &rounds->peak[held];
        if (came < peak->step || (came == peak->step && node < peak->node))
            *peak = (struct peak){came, node};
    }
}

/* Two packets meet: they go different ways, or one waited for a copy. */
static bool may_meet(const struct rounds *rounds)
{
    bool both_ways = rounds->living[0] > 0 && rounds->living[1] > 0;
    bool is_held_up = !rounds->copies_are_free && rounds->tally->copies > 0;
    return both_ways || is_held_up || circuit_of(rounds)->ways == 1;
}

/* Once two packets have met, only at nodes with more places can more do so. */
void circuit_peak_measure(struct rounds *rounds)
{
    for (uint32_t i = 0; i < rounds->crowded_places; i++)
        measure_place(rounds, rounds->crowded[i]);
    if (rounds->peak[2].step < rounds->round || !may_meet(rounds))
        return;
    for (uint32_t i = 0; i < rounds->alive_slots; i++) {
        measure_place(rounds, circuit_place_of_slot(rounds, rounds->alive[i]));
        if (rounds->gone[rounds->alive[i]] != CIRCUIT_NEVER)
            rounds->alive[i--] = rounds->alive[--rounds->alive_slots];
    }
}

enum failure_kind circuit_peak_advance(struct rounds *rounds)
{
    struct machine *machine = rounds->machine;
    enum failure_kind kind = FAIL_NONE;
    uint32_t now = 0;
    for (uint32_t held = 1; kind == FAIL_NONE && held <= CIRCUIT_HELD; held++) {
        const struct peak *peak = &rounds->peak[held];
        bool is_passed = held < CIRCUIT_HELD && peak->step == peak[1].step;
        if (peak->step == CIRCUIT_NEVER || is_passed || held <= machine->attempt.peak)
            continue;
        tally_holds(rounds->tally, peak->node, held);
        kind = machine_end_steps(machine, peak->step - now, rounds->run->failure);
        now = peak->step;
    }
    return kind == FAIL_NONE && rounds->last > now
               ? machine_end_steps(machine, rounds->last - now, rounds->run->failure)
               : kind;
}
