/* round_way.c - packets that go one way round a ring, between their stops.
 *
 * Where the ring turns costs nothing: a slot moves along the ring, not along a row. What crosses the
 * links in a step is what the slots hold, and is counted from them, a bit a slot; nothing moves but
 * the number of the step, which says where a slot is. The step of a packet's stop is known when it
 * enters its slot; of 64 slots the earliest is kept, and only then are they looked at. Only where
 * packets stand in a queue is anything else to be done: one goes behind them, one enters the slot.
 * Invariants: `due` of a slot that is taken lies ahead of the step that was done last; `held` beyond
 * the last slot is 0.
 * Cost: 28 bytes a place, and 42 for 64 of them. A step: a count of bits and a comparison
 * for 64 slots, a look at each 64 places, O(1) a place with a queue.
 */
#include "machine/round_private.h"

#include "machine/fetch.h"
#include "machine/footprint_private.h"

#include <assert.h>
#include <stdlib.h>

bool round_way_make(struct round_way *way, uint32_t length, bool goes_back)
{
    uint32_t groups = (length + ROUND_GROUP - 1) / ROUND_GROUP;
    *way = (struct round_way){.length = length, .groups = groups, .goes_back = goes_back};
    way->slot = memory_allocate(length, sizeof *way->slot);
    way->first_due = memory_allocate(groups, sizeof *way->first_due);
    way->held = memory_allocate((size_t)groups + 1, sizeof *way->held);
    way->queue = memory_allocate(length, sizeof *way->queue);
    way->queued = memory_allocate(groups, sizeof *way->queued);
    way->some_queued = memory_allocate(groups / ROUND_GROUP + 1, sizeof *way->some_queued);
    way->deepest = memory_allocate(groups, sizeof *way->deepest);
    way->stopping = memory_allocate(groups, sizeof *way->stopping);
    way->stopped = memory_allocate(length, sizeof *way->stopped);
    way->entering = memory_allocate(groups, sizeof *way->entering);
    way->stops = memory_allocate(groups, sizeof *way->stops);
    if (!way->slot || !way->first_due || !way->held || !way->queue || !way->queued ||
        !way->some_queued || !way->deepest || !way->stopping || !way->stopped || !way->entering ||
        !way->stops)
        return false;
    for (uint32_t i = 0; i < length; i++)
        way->slot[i] = (uint64_t)ROUND_NEVER << 32;
    for (uint32_t i = 0; i < groups; i++)
        way->first_due[i] = ROUND_NEVER;
    return true;
}

uint64_t round_way_footprint(uint64_t length)
{
    const struct round_way *way = NULL;
    uint64_t of_place = sizeof *way->slot + sizeof *way->queue + sizeof *way->stopped;
    uint64_t of_group = sizeof *way->first_due + sizeof *way->held + sizeof *way->queued +
                        sizeof *way->deepest + sizeof *way->stopping + sizeof *way->entering +
                        sizeof *way->stops;
    return length * of_place + (length / ROUND_GROUP + 1) * of_group;
}

void round_way_free(struct round_way *way)
{
    free(way->slot);
    free(way->first_due);
    free(way->held);
    free(way->queue);
    free(way->queued);
    free(way->some_queued);
    free(way->deepest);
    free(way->stopping);
    free(way->stopped);
    free(way->entering);
    free(way->stops);
}

/* ---- slots ---- */

/* 64 bits from bit `from` on, or as many as there are before the last of `length`; 0 behind it. */
static uint64_t bits_from(const uint64_t *bits, uint32_t from)
{
    uint32_t group = from / ROUND_GROUP, shift = from % ROUND_GROUP;
    uint64_t low = bits[group] >> shift;
    return shift == 0 ? low : low | bits[group + 1] << (ROUND_GROUP - shift);
}

uint64_t round_held(const struct round_way *way, uint32_t group)
{
    uint32_t first = group * ROUND_GROUP, left = way->length - first;
    uint32_t slot = round_slot(way, first), before_end = way->length - slot;
    uint64_t held = bits_from(way->held, slot);
    if (before_end < ROUND_GROUP)
        held |= way->held[0] << before_end; /* slot 0 comes after the last one */
    return left < ROUND_GROUP ? held & ((UINT64_C(1) << left) - 1) : held;
}

static void enter(struct round_way *way, uint32_t slot, uint64_t word, uint32_t now)
{
    uint32_t group = slot / ROUND_GROUP, due = now + (uint32_t)(word >> 32);
    way->slot[slot] = (uint64_t)due << 32 | (uint32_t)word;
    if (due < way->first_due[group])
        way->first_due[group] = due;
}

/* ---- queues ---- */

void round_append(struct machine *machine, struct round_way *way, uint32_t place, uint64_t word)
{
    struct round_queue *queue = &way->queue[place];
    uint32_t group = place / ROUND_GROUP;
    if (queue->count == 0)
        queue->first = word;
    else
        machine->next[queue->last] = word;
    queue->last = (uint32_t)word;
    queue->count++;
    way->queued[group] |= UINT64_C(1) << place % ROUND_GROUP;
    way->some_queued[group / ROUND_GROUP] |= UINT64_C(1) << group % ROUND_GROUP;
    if (queue->count > way->deepest[group])
        way->deepest[group] = queue->count < UINT16_MAX ? (uint16_t)queue->count : UINT16_MAX;
}

/* The first packet leaves, of several. */
static uint64_t take_of_several(const struct machine *machine, struct round_queue *queue)
{
    uint64_t word = queue->first;
    queue->first = machine->next[(uint32_t)word];
    return word;
}

/* The first packets of the queues at places of a group enter their slots, which are empty. */
static void enter_slots(const struct machine *machine, struct round_way *way, uint32_t group,
                        uint64_t places, uint32_t now)
{
    for (uint64_t left = places; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        uint32_t place = group * ROUND_GROUP + i, slot = round_slot(way, place);
        struct round_queue *queue = &way->queue[place];
        enter(way, slot, queue->count > 1 ? take_of_several(machine, queue) : queue->first, now);
        way->held[slot / ROUND_GROUP] |= UINT64_C(1) << slot % ROUND_GROUP;
        if (--queue->count == 0)
            way->queued[group] &= ~(UINT64_C(1) << i);
    }
    if (way->queued[group] == 0) {
        way->deepest[group] = 0;
        way->some_queued[group / ROUND_GROUP] &= ~(UINT64_C(1) << group % ROUND_GROUP);
    }
}

void round_fill(const struct machine *machine, struct round_way *way, uint32_t group, uint32_t now)
{
    enter_slots(machine, way, group, way->queued[group] & ~round_held(way, group), now);
}

/* Those that stopped in the step before and go on: a copy that was made since is not the first of a
 * queue then, or does not enter. */
static void enter_all(const struct machine *machine, struct round_way *way, uint32_t before)
{
    for (uint32_t i = 0; i < way->stop_groups; i++) {
        uint32_t group = way->stops[i];
        enter_slots(machine, way, group, way->entering[group] & ~round_held(way, group), before);
        way->entering[group] = 0;
    }
    way->stop_groups = 0;
}

/* Packets in slots find others at these places. */
static void go_behind(struct machine *machine, struct round_way *way, uint32_t group,
                      uint64_t meeting, uint32_t now)
{
    for (; meeting != 0; meeting &= meeting - 1) {
        uint32_t place = group * ROUND_GROUP + (uint32_t)__builtin_ctzll(meeting);
        uint32_t slot = round_slot(way, place);
        struct round_queue *queue = &way->queue[place];
        uint64_t come = way->slot[slot] - ((uint64_t)now << 32); /* the links that are left */
        if (queue->count == 1) {
            enter(way, slot, queue->first, now);
            queue->first = come;
        } else {
            enter(way, slot, take_of_several(machine, queue), now);
            machine->next[queue->last] = come;
        }
        queue->last = (uint32_t)come;
    }
}

/* ---- a step ---- */

VECTORISED static uint64_t count_held(const uint64_t *held, uint32_t groups)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < groups; i++)
        count += (uint64_t)__builtin_popcountll(held[i]);
    return count;
}

/* Marks who is due now; returns the first step in which another one is. */
VECTORISED static uint32_t look_at_due(const uint64_t *restrict slot, uint8_t *restrict is_due,
                                       uint32_t now, uint32_t count)
{
    uint32_t least = ROUND_NEVER;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t due = (uint32_t)(slot[i] >> 32), later = due == now ? ROUND_NEVER : due;
        is_due[i] = due == now;
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

static uint32_t place_of_slot(const struct round_way *way, uint32_t slot)
{
    if (way->goes_back)
        return slot >= way->turn ? slot - way->turn : slot + way->length - way->turn;
    return slot + way->turn < way->length ? slot + way->turn : slot + way->turn - way->length;
}

static void stop(const struct machine *machine, struct round_way *way, uint32_t slot)
{
    uint32_t place = place_of_slot(way, slot), group = place / ROUND_GROUP;
    header_fetch(machine, (uint32_t)way->slot[slot]);
    way->slot[slot] |= (uint64_t)ROUND_NEVER << 32;
    way->held[slot / ROUND_GROUP] &= ~(UINT64_C(1) << slot % ROUND_GROUP);
    if (way->stopping[group] == 0)
        way->stops[way->stop_groups++] = group;
    way->stopping[group] |= UINT64_C(1) << place % ROUND_GROUP;
    way->stopped[place] = (uint32_t)way->slot[slot];
}

static void find_stops(const struct machine *machine, struct round_way *way, uint32_t group,
                       uint32_t now)
{
    uint32_t first = group * ROUND_GROUP, left = way->length - first;
    uint32_t count = left < ROUND_GROUP ? left : ROUND_GROUP;
    uint8_t is_due[ROUND_GROUP];
    way->first_due[group] = look_at_due(way->slot + first, is_due, now, count);
    for (uint32_t i = 0; i < count; i++) {
        if (i % 8 == 0 && !any_of_eight(is_due + i, count - i))
            i += 7;
        else if (is_due[i])
            stop(machine, way, first + i);
    }
}

static void find_all_stops(const struct machine *machine, struct round_way *way, uint32_t now)
{
    enum { CHUNK = 64 };
    for (uint32_t first = 0; first < way->groups; first += CHUNK) {
        uint32_t count = way->groups - first < CHUNK ? way->groups - first : CHUNK;
        if (!any_is(way->first_due + first, now, count))
            continue;
        for (uint32_t i = first; i < first + count; i++)
            if (way->first_due[i] == now)
                find_stops(machine, way, i, now);
    }
}

/* Queues and slots where packets soon meet, or enter. */
static void fetch_queued(const struct round_way *way, uint32_t group)
{
    fetch_has_effect();
    for (uint64_t left = way->queued[group]; left != 0; left &= left - 1) {
        uint32_t place = group * ROUND_GROUP + (uint32_t)__builtin_ctzll(left);
        __builtin_prefetch(&way->queue[place], 1);
        __builtin_prefetch(&way->slot[round_slot(way, place)], 1);
    }
}

/* 64 groups of places, those of which have a queue are bits. */
static void cross_groups(struct machine *machine, struct round_way *way, uint32_t first,
                         uint64_t groups, uint32_t now)
{
    for (uint64_t left = groups; left != 0; left &= left - 1)
        fetch_queued(way, first + (uint32_t)__builtin_ctzll(left));
    for (uint64_t left = groups; left != 0; left &= left - 1) {
        uint32_t group = first + (uint32_t)__builtin_ctzll(left);
        uint64_t meeting = way->queued[group] & round_held(way, group);
        go_behind(machine, way, group, meeting, now);
        if (meeting != way->queued[group])
            round_fill(machine, way, group, now);
    }
}

uint64_t round_cross(struct machine *machine, struct round_way *way, uint32_t now)
{
    enter_all(machine, way, now - 1);
    uint64_t hops = count_held(way->held, way->groups);
    way->turn = way->turn + 1 < way->length ? way->turn + 1 : 0;
    find_all_stops(machine, way, now);
    for (uint32_t first = 0; first < way->groups; first += ROUND_GROUP)
        cross_groups(machine, way, first, way->some_queued[first / ROUND_GROUP], now);
    return hops;
}
