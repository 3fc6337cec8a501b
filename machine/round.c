/* round.c - machine_forward where all packets go round a ring and nobody watches.
 *
 * The same steps as in forward.c, which is the plain way and the reference; tests hold both to the
 * same counts. The two ways use different links, so between stops they have nothing to do with each
 * other: two threads take one each (round_way.c). What stops is settled in order at each node: that
 * first which travels north, then south, west, east. Copies are made before packets arrive, so they
 * stand before those in the queues. Stops and copies are at places, of which each thread has a share.
 * Occupancies are added up where packets stand, if they may be a new peak there.
 * Invariant: machine->occupancy counts who waits for a copy at the nodes of the ring; who stands in
 * a queue or a slot counts in these.
 * Cost: 61 bytes a place; four barriers a step. A ring of n places with two packets at
 * each: some 4 n / 64 operations on words a step.
 */
#include "machine/round_private.h"

#include "machine/fetch.h"
#include "machine/footprint_private.h"

#include <assert.h>
#include <stdlib.h>

static struct site site_at(const struct round *round, uint32_t place)
{
    uint32_t row = place_row(round->ring->place[place]), col = place_col(round->ring->place[place]);
    return (struct site){row * round->run->machine->config.mesh.cols + col, row, col};
}

static uint32_t next_place(const struct round *round, uint32_t place)
{
    return place + 1 < round->ring->length ? place + 1 : 0;
}

static uint32_t place_before(const struct round *round, uint32_t place)
{
    return place > 0 ? place - 1 : round->ring->length - 1;
}

/* The direction from a place to another one beside it. */
static enum direction direction_to(const struct round *round, uint32_t from, uint32_t to)
{
    node_place a = round->ring->place[from], b = round->ring->place[to];
    if (place_row(a) != place_row(b))
        return place_row(b) < place_row(a) ? NORTH : SOUTH;
    return place_col(b) < place_col(a) ? WEST : EAST;
}

/* The direction in which packets of a way come to a place. */
static enum direction arriving(const struct round *round, uint32_t place, enum ring_way way)
{
    uint32_t from = way == RING_FORWARD ? place_before(round, place) : next_place(round, place);
    return direction_to(round, from, place);
}

void round_depart(struct lane *lane, struct site site, uint32_t packet, enum direction d)
{
    struct round *round = lane->round;
    const struct routing_ring *ring = round->ring;
    uint32_t place = ring->position[site.index];
    bool goes_on = direction_to(round, place, next_place(round, place)) == d;
    enum ring_way way = goes_on ? RING_FORWARD : RING_BACKWARD;
    assert(goes_on || direction_to(round, place, place_before(round, place)) == d);
    uint32_t hops = ring->hops(lane->rule->context, site, packet, way);
    assert(hops > 0 && hops < ring->length);
    lane->machine->occupancy[site.index]--;
    round_append(lane->machine, &round->way[way], place, (uint64_t)hops << 32 | packet);
    if (lane->arriving < DIRECTIONS) /* no copy of the step to come */
        round->way[way].entering[place / ROUND_GROUP] |= UINT64_C(1) << place % ROUND_GROUP;
}

/* ---- stops ---- */

/* The place's node has packets to copy that it had not before. */
static void note_waiting(struct round_share *share, uint32_t place)
{
    share->waiting[share->waiting_places++] = place;
}

static void settle(const struct round *round, struct round_share *share, struct lane *lane,
                   uint32_t place, enum ring_way way)
{
    struct machine *machine = lane->machine;
    struct site site = site_at(round, place);
    uint32_t packet = round->way[way].stopped[place];
    bool waited = machine->forward->waiting[site.index];
    machine->occupancy[site.index]++;
    lane->arriving = arriving(round, place, way);
    forward_settle(lane, ARRIVALS, site, packet);
    if (!waited && machine->forward->waiting[site.index])
        note_waiting(share, place);
}

/* What has stopped at the places of a group, both ways. */
static void settle_group(struct round *round, struct round_share *share, struct lane *lane,
                         uint32_t group)
{
    uint64_t stopping[RING_WAYS];
    for (enum ring_way way = 0; way < RING_WAYS; way++) {
        stopping[way] = round->way[way].stopping[group];
        round->way[way].stopping[group] = 0;
    }
    uint64_t left = stopping[RING_FORWARD] | stopping[RING_BACKWARD];
    for (; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        uint32_t place = group * ROUND_GROUP + i;
        bool back_first =
            arriving(round, place, RING_BACKWARD) < arriving(round, place, RING_FORWARD);
        for (unsigned k = 0; k < RING_WAYS; k++) {
            enum ring_way way = (k == 0) == back_first ? RING_BACKWARD : RING_FORWARD;
            if (stopping[way] >> i & 1)
                settle(round, share, lane, place, way);
        }
    }
}

/* What stops soon looks at: its node, its first slot, and what the rule says. */
static void fetch_stops(const struct round *round, const struct round_way *way, uint32_t group)
{
    const struct routing_rule *rule = round->run->rule;
    const struct machine *machine = round->run->machine;
    const struct forward *forward = machine->forward;
    fetch_has_effect();
    for (uint64_t left = way->stopping[group]; left != 0; left &= left - 1) {
        uint32_t place = group * ROUND_GROUP + (uint32_t)__builtin_ctzll(left);
        uint32_t packet = way->stopped[place];
        node_index node = site_at(round, place).index;
        __builtin_prefetch(&machine->occupancy[node], 1);
        __builtin_prefetch(&forward->waiting[node], 1);
        __builtin_prefetch(&forward->waiting_first[node], 1);
        __builtin_prefetch(&forward->waiting_last[node], 1);
        __builtin_prefetch(&machine->delivered_at[machine->header.packet[packet].first], 1);
        if (rule->fetch != NULL)
            rule->fetch(rule->context, packet);
    }
}

static bool is_of_share(const struct round_share *share, uint32_t group)
{
    return group >= share->first && group < share->end;
}

static void settle_all(struct round *round, struct round_share *share, struct lane *lane)
{
    const struct round_way *way = round->way;
    for (enum ring_way w = 0; w < RING_WAYS; w++)
        for (uint32_t i = 0; i < way[w].stop_groups; i++)
            if (is_of_share(share, way[w].stops[i]))
                fetch_stops(round, &way[w], way[w].stops[i]);
    for (enum ring_way w = 0; w < RING_WAYS; w++)
        for (uint32_t i = 0; i < way[w].stop_groups; i++)
            if (is_of_share(share, way[w].stops[i]))
                settle_group(round, share, lane, way[w].stops[i]);
}

/* At the beginning of a step: nodes with packets that wait make their copy. What is to go on stands
 * in a queue, and crosses no link in this step. */
static void copy_all(const struct round *round, struct round_share *share, struct lane *lane)
{
    const struct forward *forward = lane->forward;
    uint32_t kept = 0;
    lane->arriving = DIRECTIONS;
    for (uint32_t i = 0; i < share->waiting_places; i++) {
        uint32_t place = share->waiting[i];
        struct site site = site_at(round, place);
        forward_copy(lane, site);
        if (forward->waiting[site.index])
            share->waiting[kept++] = place;
    }
    share->waiting_places = kept;
}

/* ---- buffers ---- */

static void measure_place(const struct round *round, struct band *band, uint32_t place)
{
    const struct round_way *way = round->way;
    node_index node = site_at(round, place).index;
    uint32_t holds = round->run->machine->occupancy[node];
    for (enum ring_way w = 0; w < RING_WAYS; w++)
        holds += way[w].queue[place].count + round_is_held(&way[w], place);
    band_holds(band, node, holds);
}

/* At most so many packets in slots are at a place of the group. */
static uint32_t most_in_slots(const struct round *round, uint32_t group)
{
    uint64_t on = round_held(&round->way[RING_FORWARD], group);
    uint64_t back = round_held(&round->way[RING_BACKWARD], group);
    return (on & back) != 0 ? 2 : (on | back) != 0 ? 1 : 0;
}

/* Whether some group's queues hold more packets than `most`. */
VECTORISED static bool any_deeper(const uint16_t *on, const uint16_t *back, uint32_t most,
                                  uint32_t groups)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < groups; i++)
        any |= (uint32_t)on[i] + back[i] > most;
    return any;
}

static void measure_group(const struct round *round, struct band *band, uint32_t group)
{
    uint32_t peak = round->run->machine->attempt.peak;
    uint32_t queued = (uint32_t)round->way[RING_FORWARD].deepest[group] +
                      round->way[RING_BACKWARD].deepest[group];
    uint32_t first = group * ROUND_GROUP, length = round->ring->length;
    if (queued < UINT16_MAX && queued + most_in_slots(round, group) <= peak)
        return;
    for (uint32_t i = 0; i < ROUND_GROUP && first + i < length; i++)
        measure_place(round, band, first + i);
}

/* Takes the fullest buffers into the band's peak, where they may be fuller than all before. */
static void measure(const struct round *round, const struct round_share *share, struct band *band)
{
    enum { CHUNK = 256 };
    const uint16_t *on = round->way[RING_FORWARD].deepest;
    const uint16_t *back = round->way[RING_BACKWARD].deepest;
    uint32_t peak = round->run->machine->attempt.peak;
    for (uint32_t i = 0; i < share->waiting_places; i++)
        measure_place(round, band, share->waiting[i]);
    for (uint32_t first = share->first; first < share->end; first += CHUNK) {
        uint32_t count = share->end - first < CHUNK ? share->end - first : CHUNK;
        bool is_low = peak >= RING_WAYS && peak < UINT16_MAX &&
                      !any_deeper(on + first, back + first, peak - RING_WAYS, count);
        for (uint32_t i = 0; i < count && !is_low; i++)
            measure_group(round, band, first + i);
    }
}

/* ---- a call ---- */

/* All packets rest, and are looked at. For one thread. */
static void wake(struct round *round, struct lane *lane)
{
    struct mesh mesh = lane->machine->config.mesh;
    for (uint32_t row = 0; row < mesh.rows; row++)
        forward_wake_row(lane, (struct site){row * mesh.cols, row, 0});
    for (uint32_t group = 0; group < round->groups; group++)
        for (enum ring_way way = 0; way < RING_WAYS; way++)
            round_fill(lane->machine, &round->way[way], group, 0);
}

/* A thread's share, and who waits for copies there. */
static void find_share(struct round *round, struct round_share *share, const struct team *team)
{
    uint32_t bundles = (round->groups + ROUND_GROUP - 1) / ROUND_GROUP;
    uint32_t end = parallel_band_start(bundles, team->rank + 1, team->size) * ROUND_GROUP;
    share->first = parallel_band_start(bundles, team->rank, team->size) * ROUND_GROUP;
    share->end = end < round->groups ? end : round->groups;
    share->waiting = round->waiting + (size_t)share->first * ROUND_GROUP;
    for (uint32_t place = share->first * ROUND_GROUP;
         place < share->end * ROUND_GROUP && place < round->ring->length; place++)
        if (round->run->forward->waiting[site_at(round, place).index])
            note_waiting(share, place);
}

/* For one thread. */
static void end_step(struct round *round)
{
    forward_end_step(round->run);
    round->now++;
}

static void round_band(void *context, const struct team *team)
{
    struct forwarding *run = context;
    struct round *round = run->round;
    struct machine *machine = run->machine;
    struct round_share *share = &round->share[team->rank];
    struct lane lane = {.machine = machine,
                        .forward = run->forward,
                        .rule = run->rule,
                        .band = &machine->band[team->rank],
                        .round = round};
    uint32_t workers = team->size < RING_WAYS ? team->size : RING_WAYS;
    if (team->rank == 0)
        wake(round, &lane);
    parallel_barrier(team);
    find_share(round, share, team);
    while (!run->done) {
        copy_all(round, share, &lane);
        parallel_barrier(team);
        for (enum ring_way way = 0; way < RING_WAYS; way++)
            if (way % workers == team->rank)
                lane.band->packet_hops += round_cross(machine, &round->way[way], round->now + 1);
        parallel_barrier(team);
        settle_all(round, share, &lane);
        measure(round, share, lane.band);
        parallel_barrier(team);
        if (team->rank == 0)
            end_step(round);
        parallel_barrier(team);
    }
}

static bool make(struct round *round, uint32_t threads)
{
    uint32_t length = round->ring->length;
    round->groups = (length + ROUND_GROUP - 1) / ROUND_GROUP;
    round->waiting = memory_allocate(length, sizeof *round->waiting);
    round->share = memory_allocate(threads, sizeof *round->share);
    return round_way_make(&round->way[RING_FORWARD], length, false) &&
           round_way_make(&round->way[RING_BACKWARD], length, true) && round->waiting != NULL &&
           round->share != NULL;
}

/* Threads are worth their barriers where enough stops: with d = c = 2 on 256 x 256 two took 1.4 times as
 * long as one, with d = c = 4 0.8 times. */
static struct crew *crew_if_worth(const struct machine *machine, uint32_t length)
{
    enum { SLOTS_OF_A_PLACE = 3 };
    return machine->config.slots / length >= SLOTS_OF_A_PLACE ? machine->config.crew : NULL;
}

uint64_t round_footprint(const struct machine_needs *needs)
{
    const struct round *round = NULL;
    uint64_t nodes = needs_nodes(needs);
    if (!(needs->uses & USE_RING) || needs_all_steps(needs))
        return 0;
    return RING_WAYS * round_way_footprint(nodes) + nodes * sizeof *round->waiting;
}

enum failure_kind round_run(struct forwarding *run)
{
    struct round round = {.run = run, .ring = run->rule->ring};
    uint32_t threads = run->machine->config.threads;
    enum failure_kind kind = FAIL_NONE;
    assert(run->waking && run->machine->travelling == 0 && run->rule->urgency == NULL);
    if (make(&round, threads)) {
        run->round = &round;
        parallel_run(crew_if_worth(run->machine, round.ring->length), round_band, run);
        kind = run->kind;
    } else {
        kind = fail_memory(run->failure, "the ring");
    }
    for (enum ring_way way = 0; way < RING_WAYS; way++)
        round_way_free(&round.way[way]);
    free(round.waiting);
    free(round.share);
    return kind;
}
