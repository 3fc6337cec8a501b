/* circuit_rounds.c - packets circulate, round by round: when each link is ready.
 *
 * In every round all packets go one place on, so a packet stands in one slot for good: slot s of a way
 * is at place s + k in round k. Nothing moves but the number of the round; in which round a packet
 * comes to its next destination is known, and of 64 slots the earliest one is kept, until which nobody
 * looks at them. What differs from link to link is the step in which a round passes it:
 *     step(link, k + 1) = 1 + the largest of step(link', k), for itself and the links beside it,
 *                         and of the steps in which the copies of the packets that cross it are made.
 * Links beside one another have numbers beside one another, but for some eight of them. With free copies
 * a round is a step.
 * Invariants: `due` of a slot lies ahead of the round that was done last; a slot is empty from the
 * round `gone` on.
 * Cost: 32 bytes a place, 8 a link, 8 a node. A round: a comparison for 64 slots, with unit copies
 * three additions a link; O(1) and what the functions cost a destination.
 */
#include "machine/cycle/circuit_rounds_private.h"

#include "machine/footprint_private.h"
#include "machine/transit/block.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void set_due(struct rounds *rounds, uint32_t slot, uint32_t round)
{
    uint32_t length = circuit_of(rounds)->length;
    uint32_t group =
        slot < length ? slot / CIRCUIT_GROUP : rounds->groups + (slot - length) / CIRCUIT_GROUP;
    assert(round > rounds->round);
    rounds->due[slot] = round;
    if (round < rounds->first_due[group])
        rounds->first_due[group] = round;
}

/* ---- links ---- */

/* All links go through a round: the next one that is as late. */
VECTORISED static void pass_links(const uint32_t *restrict before, uint32_t *restrict step,
                                  uint32_t links)
{
    for (uint32_t i = 0; i < links; i++) {
        uint32_t side = before[i] > before[i + 2] ? before[i] : before[i + 2];
        step[i] = 1 + (side > before[i + 1] ? side : before[i + 1]);
    }
}

static void cross(struct rounds *rounds)
{
    uint32_t *step = rounds->before;
    rounds->before = rounds->step;
    rounds->step = step;
    pass_links(rounds->before - 1, step, rounds->run->links);
    for (uint32_t i = 0; i < rounds->corners; i++) {
        const struct corner *corner = &rounds->corner[i];
        uint32_t latest = 0;
        for (uint32_t k = 0; k < corner->count; k++)
            latest = rounds->before[corner->beside[k]] > latest ? rounds->before[corner->beside[k]]
                                                                : latest;
        step[corner->link] = latest + 1;
    }
    for (uint32_t i = 0; i < rounds->stops; i++) {
        const struct stop *stop = &rounds->stop[i];
        uint32_t link = rounds->run->link[stop->place];
        if (stop->came + 1 > step[link])
            step[link] = stop->came + 1;
    }
    rounds->stops = 0;
}

/* The links at a node are added to those beside a link. */
static void add_beside(const struct rounds *rounds, struct corner *corner, uint32_t place)
{
    const struct circling *run = rounds->run;
    node_index node = circuit_site(run, place).index;
    for (int d = 0; d < DIRECTIONS; d++) {
        uint32_t leaving = run->leaving[(size_t)node * DIRECTIONS + (unsigned)d], k = 0;
        if (leaving == CIRCUIT_NO_PLACE)
            continue;
        while (k < corner->count && corner->beside[k] != run->link[leaving])
            k++;
        assert(k < CIRCUIT_BESIDE);
        corner->beside[k] = run->link[leaving];
        corner->count += k == corner->count;
    }
}

static bool is_regular(const struct corner *corner, uint32_t links)
{
    bool is_beside = corner->link > 0 && corner->link + 1 < links && corner->count == 3;
    for (uint32_t k = 0; k < corner->count; k++)
        is_beside &= corner->beside[k] + 1 >= corner->link && corner->beside[k] <= corner->link + 1;
    return is_beside;
}

static void find_corners(struct rounds *rounds)
{
    const struct circling *run = rounds->run;
    for (uint32_t link = 0; link < run->links; link++) {
        struct corner corner = {.link = link};
        add_beside(rounds, &corner, run->ends[2 * (size_t)link]);
        add_beside(rounds, &corner, run->ends[2 * (size_t)link + 1]);
        if (is_regular(&corner, run->links))
            continue;
        assert(rounds->corners < sizeof rounds->corner / sizeof *rounds->corner);
        rounds->corner[rounds->corners++] = corner;
    }
}

/* ---- sources ---- */

static void begin_part(struct rounds *rounds, uint32_t place, uint32_t packet, uint32_t step)
{
    const struct circuit *circuit = circuit_of(rounds);
    struct site site = circuit_site(rounds->run, place);
    uint32_t hops = circuit->hops(circuit->context, place, packet);
    assert(rounds->gone[place] == 0);
    rounds->packet[place] = packet;
    rounds->gone[place] = CIRCUIT_NEVER;
    rounds->living[place >= circuit->length]++;
    rounds->alive[rounds->alive_slots++] = place;
    if (hops == 0) {
        circuit_deliver(rounds->run, rounds->tally, DEPARTURES, site, packet);
        step = rounds->busy[site.index] = rounds->busy[site.index] + 1;
        hops = circuit->hops(circuit->context, place, packet);
    }
    if (step > 0)
        rounds->stop[rounds->stops++] = (struct stop){place, place, step};
    set_due(rounds, place, hops);
}

static void begin(struct rounds *rounds, node_index node)
{
    const struct circuit *circuit = circuit_of(rounds);
    struct site site = machine_site(rounds->machine, node);
    uint32_t packet = rounds->machine->resting_first[node], step = 0;
    if (packet == MACHINE_NONE)
        return;
    circuit_wake(rounds->run, rounds->tally, node);
    rounds->machine->occupancy[node]--;
    uint32_t place = circuit->begin(circuit->context, site, packet, false);
    uint32_t other = circuit->begin(circuit->context, site, packet, true);
    if (other != CIRCUIT_NO_PLACE) {
        uint32_t part = circuit->take(circuit->context, packet);
        rounds->tally->copies++;
        step = rounds->busy[node] = 1;
        begin_part(rounds, other, part, step);
        if (!rounds->copies_are_free && rounds->peak[2].step == CIRCUIT_NEVER)
            rounds->peak[2] = (struct peak){1, node};
    }
    begin_part(rounds, place, packet, step);
}

static void begin_all(struct rounds *rounds)
{
    uint32_t all = CIRCUIT_MOST_WAYS * rounds->groups;
    for (uint32_t i = 0; i < rounds->run->places; i++)
        rounds->due[i] = CIRCUIT_NEVER;
    for (uint32_t i = 0; i < all; i++)
        rounds->first_due[i] = CIRCUIT_NEVER;
    for (node_index node = 0; node < rounds->machine->nodes; node++)
        begin(rounds, node);
    if (rounds->copies_are_free)
        rounds->stops = 0;
}

/* ---- destinations ---- */

/* Marks who is due now; returns the first round in which another one is. */
VECTORISED static uint32_t look_at_due(const uint32_t *restrict due, uint8_t *restrict is_due,
                                       uint32_t now, uint32_t count)
{
    uint32_t least = CIRCUIT_NEVER;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t later = due[i] == now ? CIRCUIT_NEVER : due[i];
        is_due[i] = due[i] == now;
        least = later < least ? later : least;
    }
    return least;
}

VECTORISED static bool any_is(const uint32_t *due, uint32_t now, uint32_t count)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < count; i++)
        any |= due[i] == now;
    return any;
}

static uint32_t find_in_group(struct rounds *rounds, uint32_t *first_due, uint32_t first,
                              uint32_t count, uint32_t found)
{
    uint8_t is_due[CIRCUIT_GROUP];
    *first_due = look_at_due(rounds->due + first, is_due, rounds->round, count);
    for (uint32_t i = 0; i < count; i++) {
        if (i % 8 == 0 && !any_of_eight(is_due + i, count - i)) {
            i += 7;
        } else if (is_due[i]) {
            __builtin_prefetch(&rounds->machine->header.packet[rounds->packet[first + i]], 1);
            rounds->found[found++] = first + i;
        }
    }
    return found;
}

/* The slots that are due in this round. */
static uint32_t find_due(struct rounds *rounds)
{
    enum { CHUNK = 64 };
    uint32_t length = circuit_of(rounds)->length, found = 0;
    for (uint32_t way = 0; way < circuit_of(rounds)->ways; way++) {
        uint32_t *first_due = rounds->first_due + (size_t)way * rounds->groups;
        for (uint32_t chunk = 0; chunk < rounds->groups; chunk += CHUNK) {
            uint32_t end = rounds->groups - chunk < CHUNK ? rounds->groups : chunk + CHUNK;
            if (!any_is(first_due + chunk, rounds->round, end - chunk))
                continue;
            for (uint32_t group = chunk; group < end; group++) {
                uint32_t at = group * CIRCUIT_GROUP, left = length - at;
                if (first_due[group] == rounds->round)
                    found = find_in_group(rounds, &first_due[group], way * length + at,
                                          left < CIRCUIT_GROUP ? left : CIRCUIT_GROUP, found);
            }
        }
    }
    return found;
}

/* The stop stands in the list so that of two at a node that one is first which is copied first. */
static void add_stop(struct rounds *rounds, struct stop stop)
{
    struct site site = circuit_site(rounds->run, stop.place);
    struct stop *own = &rounds->stop[rounds->stops];
    uint32_t mate = rounds->mate[site.index];
    *own = stop;
    rounds->mate[site.index] = ++rounds->stops;
    if (mate == 0)
        return;
    struct stop *other = &rounds->stop[mate - 1];
    if (circuit_is_first(site, own->place, own->came, other->place, other->came)) {
        *own = *other;
        *other = stop;
    }
}

/* The node makes its copy when it has made those before; `came` becomes the step. */
static void copy(struct rounds *rounds, struct stop *stop)
{
    const struct circuit *circuit = circuit_of(rounds);
    struct site site = circuit_site(rounds->run, stop->place);
    uint32_t packet = rounds->packet[stop->slot], *busy = &rounds->busy[site.index];
    circuit_deliver(rounds->run, rounds->tally, DEPARTURES, site, packet);
    *busy = (*busy > stop->came ? *busy : stop->came) + 1;
    stop->came = *busy;
    rounds->mate[site.index] = 0;
    set_due(rounds, stop->slot,
            rounds->round + circuit->hops(circuit->context, stop->place, packet));
}

static void arrive(struct rounds *rounds, uint32_t slot)
{
    uint32_t place = circuit_place_of_slot(rounds, slot), packet = rounds->packet[slot];
    uint32_t came = circuit_came_to(rounds, place);
    if (rounds->machine->header.packet[packet].first != packet) {
        add_stop(rounds, (struct stop){place, slot, came});
        return;
    }
    circuit_deliver(rounds->run, rounds->tally, ARRIVALS, circuit_site(rounds->run, place), packet);
    rounds->due[slot] = CIRCUIT_NEVER;
    rounds->gone[slot] = rounds->round;
    rounds->living[slot >= circuit_of(rounds)->length]--;
    rounds->last = came > rounds->last ? came : rounds->last;
}

static void fetch(const struct rounds *rounds, uint32_t slot)
{
    const struct machine *machine = rounds->machine;
    uint32_t first = machine->header.packet[rounds->packet[slot]].first;
    __builtin_prefetch(&machine->delivered_at[first], 1);
    __builtin_prefetch(&machine->header.packet[first]);
    __builtin_prefetch(&machine->header.destination[first + (first < rounds->packet[slot])]);
}

static void deliver_all(struct rounds *rounds)
{
    uint32_t found = find_due(rounds);
    for (uint32_t i = 0; i < found; i++)
        fetch(rounds, rounds->found[i]);
    for (uint32_t i = 0; i < found; i++)
        arrive(rounds, rounds->found[i]);
    for (uint32_t i = 0; i < rounds->stops; i++)
        copy(rounds, &rounds->stop[i]);
    if (rounds->copies_are_free)
        rounds->stops = 0;
}

/* ---- a call ---- */

static void show_progress(const struct rounds *rounds)
{
    enum { PROGRESS_ROUNDS = 64 };
    const struct machine *machine = rounds->machine;
    if (machine->config.progress != NULL && rounds->round % PROGRESS_ROUNDS == 0)
        machine->config.progress(machine->config.progress_context,
                                 machine->counts.steps + rounds->round,
                                 machine->phase[machine->current_phase].name);
}

static bool make(struct rounds *rounds)
{
    const struct circling *run = rounds->run;
    uint32_t nodes = run->machine->nodes, all = CIRCUIT_MOST_WAYS * rounds->groups;
    rounds->packet = memory_allocate(run->places, sizeof *rounds->packet);
    rounds->due = memory_allocate(run->places, sizeof *rounds->due);
    rounds->gone = memory_allocate(run->places, sizeof *rounds->gone);
    rounds->found = memory_allocate(run->places, sizeof *rounds->found);
    rounds->stop = memory_allocate(run->places, sizeof *rounds->stop);
    rounds->alive = memory_allocate(run->places, sizeof *rounds->alive);
    rounds->first_due = memory_allocate(all, sizeof *rounds->first_due);
    rounds->step = memory_allocate((size_t)run->links + 2, sizeof *rounds->step);
    rounds->before = memory_allocate((size_t)run->links + 2, sizeof *rounds->before);
    rounds->busy = memory_allocate(nodes, sizeof *rounds->busy);
    rounds->mate = memory_allocate(nodes, sizeof *rounds->mate);
    bool is_whole = rounds->packet && rounds->due && rounds->gone && rounds->found &&
                    rounds->stop && rounds->alive && rounds->first_due && rounds->step &&
                    rounds->before && rounds->busy && rounds->mate;
    if (rounds->step != NULL)
        rounds->step++;
    if (rounds->before != NULL)
        rounds->before++;
    return is_whole;
}

static void release(struct rounds *rounds)
{
    free(rounds->packet);
    free(rounds->due);
    free(rounds->gone);
    free(rounds->found);
    free(rounds->stop);
    free(rounds->alive);
    free(rounds->first_due);
    free(rounds->step == NULL ? NULL : rounds->step - 1);
    free(rounds->before == NULL ? NULL : rounds->before - 1);
    free(rounds->busy);
    free(rounds->mate);
}

uint64_t circuit_rounds_footprint(uint64_t nodes, uint64_t places)
{
    const struct rounds *rounds = NULL;
    uint64_t of_place = sizeof *rounds->packet + sizeof *rounds->due + sizeof *rounds->gone +
                        sizeof *rounds->found + sizeof *rounds->stop + sizeof *rounds->alive;
    uint64_t of_link = sizeof *rounds->step + sizeof *rounds->before;
    return places * (of_place + of_link) +
           (places / CIRCUIT_GROUP + 2) * sizeof *rounds->first_due +
           nodes * (sizeof *rounds->busy + sizeof *rounds->mate);
}

enum failure_kind circuit_by_rounds(struct circling *run)
{
    struct rounds rounds = {.run = run,
                            .machine = run->machine,
                            .tally = &run->machine->tally[0],
                            .copies_are_free = run->machine->config.copy_is_free,
                            .groups = (run->circuit->length + CIRCUIT_GROUP - 1) / CIRCUIT_GROUP};
    enum failure_kind kind = FAIL_NONE;
    if (make(&rounds)) {
        find_corners(&rounds);
        circuit_peak_begin(&rounds);
        begin_all(&rounds);
        while (rounds.living[0] + rounds.living[1] > 0) {
            rounds.round++;
            rounds.tally->packet_hops += rounds.living[0] + rounds.living[1];
            if (!rounds.copies_are_free)
                cross(&rounds);
            deliver_all(&rounds);
            circuit_peak_measure(&rounds);
            show_progress(&rounds);
        }
        kind = circuit_peak_advance(&rounds);
    } else {
        kind = fail_memory(run->failure, "packets that circulate");
    }
    release(&rounds);
    return kind;
}
