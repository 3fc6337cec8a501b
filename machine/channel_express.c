/* channel_express.c - express packets, and what resting packets do, under machine_channel.
 *
 * Express packets are those of which the algorithm knows that they never crowd: they wait for no
 * credit, they take a link before any packet of a channel does, and they fill no slot. Their number
 * at a node is bounded by the algorithm, not by the machine; the capacity B holds for all.
 * A resting packet may hand a copy to the node's slot for injection, or enter it itself. With free
 * copies it may set out in the same step; with unit copies the copy is what it does in this step,
 * and neither acts again before the next one (rules 2 and 3 of the model).
 * Cost: 49 bytes a node once there are express packets; O(1) a hop.
 */
#include "machine/channel_private.h"

#include <assert.h>
#include <stdlib.h>

enum failure_kind express_prepare(struct machine *machine, struct channels *channels,
                                  struct failure *failure)
{
    channels->express_links = memory_allocate(machine->nodes, 1);
    bool whole = channels->express_links != NULL;
    for (int d = 0; d < DIRECTIONS; d++) {
        channels->express[d] = memory_allocate(machine->nodes, sizeof(uint64_t));
        channels->express_last[d] = memory_allocate(machine->nodes, sizeof(uint32_t));
        whole = whole && channels->express[d] && channels->express_last[d];
    }
    if (whole)
        return FAIL_NONE;
    express_free(channels);
    return fail_memory(failure, "the express packets");
}

void express_free(struct channels *channels)
{
    for (int d = 0; d < DIRECTIONS; d++) {
        free(channels->express[d]);
        free(channels->express_last[d]);
        channels->express[d] = NULL;
        channels->express_last[d] = NULL;
    }
    free(channels->express_links);
    channels->express_links = NULL;
}

/* Whether `word` has a farther stop in the direction of travel than `other`. */
static bool is_farther(enum direction d, uint64_t word, uint64_t other)
{
    uint64_t stop = word >> STOP_SHIFT & STOP_MASK, others = other >> STOP_SHIFT & STOP_MASK;
    return d == SOUTH || d == EAST ? stop > others : stop < others;
}

/* Puts `word` into the list behind `first`, which goes before it. */
static void insert_behind(struct channel_lane *lane, node_index node, enum direction d,
                          uint64_t word)
{
    struct channels *channels = lane->channels;
    uint64_t *next = lane->machine->next;
    uint32_t before = (uint32_t)channels->express[d][node];
    uint32_t *last = &channels->express_last[d][node];
    while (before != *last && !is_farther(d, word, next[before]))
        before = (uint32_t)next[before];
    if (before == *last)
        *last = (uint32_t)word;
    else
        next[(uint32_t)word] = next[before];
    next[before] = word;
}

void express_enter(struct channel_lane *lane, node_index node, enum direction d, uint64_t word)
{
    struct channels *channels = lane->channels;
    uint8_t *links = &channels->express_links[node];
    uint64_t *first = &channels->express[d][node];
    if (!(*links & 1u << d)) {
        *first = word;
        *links |= (uint8_t)(1u << d);
        return;
    }
    if (!(*links & 16u << d))
        channels->express_last[d][node] = (uint32_t)*first;
    *links |= (uint8_t)(16u << d);
    if (is_farther(d, word, *first)) {
        lane->machine->next[(uint32_t)word] = *first;
        *first = word;
    } else {
        insert_behind(lane, node, d, word);
    }
}

static void leave(struct channel_lane *lane, struct site site, enum direction d)
{
    struct channels *channels = lane->channels;
    uint64_t *first = &channels->express[d][site.index], word = *first;
    uint8_t *links = &channels->express_links[site.index];
    if (*links & 16u << d) {
        *first = lane->machine->next[(uint32_t)word];
        if (channels->express_last[d][site.index] == (uint32_t)*first)
            *links &= (uint8_t) ~(16u << d);
    } else {
        *links &= (uint8_t) ~(1u << d);
    }
    channel_cross(lane, site, d, word);
}

unsigned express_depart(struct channel_lane *lane, struct site site)
{
    unsigned links = lane->channels->express_links[site.index] & PART_LINKS;
    for (unsigned left = links; left != 0; left &= left - 1)
        leave(lane, site, (enum direction)__builtin_ctz(left));
    return links;
}

/* Sets an express packet on its way; false if it wants to rest. */
static bool set_out(struct channel_lane *lane, struct site site, uint32_t packet)
{
    const struct routing_rule *rule = &lane->rule->routing;
    unsigned part = rule->parts(rule->context, site, packet);
    assert(is_single_part(part) && (part & (PART_LINKS | PART_PARK)));
    if (part == PART_PARK)
        return false;
    enum direction d = (enum direction)__builtin_ctz(part);
    uint32_t stop = rule->stop(rule->context, site, packet, d);
    assert(is_ahead(lane->machine, site, d, stop));
    express_enter(lane, site.index, d,
                  (uint64_t)CHANNEL_EXPRESS << CLASS_SHIFT | (uint64_t)stop << STOP_SHIFT | packet);
    return true;
}

void express_arrive(struct channel_lane *lane, struct site site, uint32_t packet)
{
    machine_rest(lane->machine, site.index, packet);
    lane->band->travelling--;
    lane->band->resting++;
}

/* ---- packets at rest ---- */

static void enter_slot(struct channel_lane *lane, struct site site, uint32_t packet)
{
    uint64_t word = channel_settle(lane, DEPARTURES, site, packet);
    if (word == 0)
        return;
    lane->channels->front[(size_t)site.index * SOURCES + INJECTED] = word;
    lane->channels->active[site.index] |= 1u << INJECTED;
}

/* A copy of the resting `packet` goes into the slot; one that would end here is delivered. */
static void inject_copy(struct channel_lane *lane, struct site site, uint32_t packet, uint32_t copy)
{
    const struct routing_rule *rule = &lane->rule->routing;
    struct band *band = lane->band;
    if (rule->parts(rule->context, site, copy) == PART_HERE) {
        band_deliver(lane->machine, band, DEPARTURES, site, packet, copy);
        return;
    }
    band->copies++;
    band->travelling++;
    lane->machine->occupancy[site.index]++;
    band_event(lane->machine, band, DEPARTURES,
               (struct machine_event){{site.index, packet, copy}, 'C'});
    enter_slot(lane, site, copy);
}

struct woken channel_wake(struct channel_lane *lane, struct site site, bool waking)
{
    const struct channel_rule *rule = lane->rule;
    struct machine *machine = lane->machine;
    struct woken woken = {0};
    uint32_t next, packet = machine->resting_first[site.index];
    machine->resting_first[site.index] = MACHINE_NONE;
    for (; packet != MACHINE_NONE; packet = next) {
        uint32_t taken = MACHINE_NONE;
        next = (uint32_t)machine->next[packet];
        if (!(lane->channels->active[site.index] & 1u << INJECTED) && !woken.has_copied)
            taken =
                rule->inject == NULL ? packet : rule->inject(rule->routing.context, site, packet);
        if (taken == packet) {
            lane->band->resting--;
            lane->band->travelling++;
            enter_slot(lane, site, packet);
            continue;
        }
        if (taken != MACHINE_NONE)
            inject_copy(lane, site, packet, taken);
        if (taken != MACHINE_NONE && !lane->copy_is_free) {
            woken = (struct woken){.fresh = 1u << INJECTED, .has_copied = true};
        } else if (waking && rule->inject != NULL && set_out(lane, site, packet)) {
            lane->band->resting--;
            lane->band->travelling++;
            continue;
        }
        machine_rest(machine, site.index, packet);
    }
    return woken;
}
