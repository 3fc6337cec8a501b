/* march_line.c - one cycle of a march: nothing moves but where the cycle begins.
 *
 * All packets of a cycle go to the next node at the same time, so they keep their order, and no two
 * want one link. A cycle is a line of slots, a packet stands in one slot for good, and after h hops
 * slot s is at node s + h of the cycle: what crosses the links in a hop is what the slots hold, and
 * it is counted from them, a bit a slot. A packet computes from its own header in how many hops it
 * has something to do; of 64 slots the earliest of these hops is kept, and only then are they looked
 * at.
 * Invariants: `due` of a slot that is taken lies ahead of the hop that was done last, of others it is
 * DUE_NEVER; packets of the march do not count in machine->occupancy, but as resting.
 * Cost: for a hop of 64 slots a count of bits and a comparison; 64 comparisons when one is due; O(1)
 * and what the rule costs a stop.
 */
#include "machine/cycle/march_private.h"
#include "machine/tally_private.h"
#include "machine/transit/block.h"

#include <assert.h>

static struct site site_of(const struct march_walk *walk, uint32_t slot)
{
    uint32_t cols = walk->call->machine->config.mesh.cols, at = slot + walk->shift;
    node_place place = walk->place[at < walk->line->length ? at : at - walk->line->length];
    return (struct site){place_row(place) * cols + place_col(place), place_row(place),
                         place_col(place)};
}

/* ---- what is due ---- */

static void set_due(struct march_walk *walk, uint32_t slot, struct site site)
{
    const struct march *march = walk->call->march;
    uint32_t ahead = march->due(march->context, site_place(site), walk->packet[slot]);
    struct march_group *group = &walk->group[slot / DUE_GROUP];
    assert(ahead > 0 && ahead < DUE_NEVER / 4);
    walk->due[slot] = walk->hop + ahead;
    if (walk->due[slot] < group->first_due)
        group->first_due = walk->due[slot];
}

/* The slot's packet ends. */
static void remove_slot(struct march_walk *walk, uint32_t slot)
{
    uint64_t bit = UINT64_C(1) << slot % DUE_GROUP;
    walk->due[slot] = DUE_NEVER;
    walk->group[slot / DUE_GROUP].taken &= ~bit;
    walk->group[slot / DUE_GROUP].waiting &= ~bit;
    walk->tally->resting--;
}

/* The slot's packet does all it can do in the step in which it has come. */
static void settle(struct march_walk *walk, uint32_t slot)
{
    struct machine *machine = walk->call->machine;
    const struct march *march = walk->call->march;
    struct site site = site_of(walk, slot);
    uint32_t packet = walk->packet[slot];
    uint64_t bit = UINT64_C(1) << slot % DUE_GROUP;
    unsigned outputs = march->outputs(march->context, site, packet);
    if (!is_single_output(outputs) && !machine->config.copy_is_free) {
        walk->group[slot / DUE_GROUP].waiting |= bit;
        return;
    }
    if (!is_single_output(outputs)) {
        assert(outputs == (OUT_EJECT | OUT_HOLD));
        uint32_t taken = march->take(march->context, site, packet, OUT_EJECT);
        tally_deliver(machine, walk->tally, ARRIVALS, site, packet, taken);
        outputs = march->outputs(march->context, site, packet);
        assert(outputs == OUT_HOLD);
    }
    if (outputs == OUT_HOLD) {
        set_due(walk, slot, site);
        return;
    }
    remove_slot(walk, slot);
    assert(outputs == OUT_EJECT || outputs == OUT_DISCARD);
    assert(outputs == OUT_DISCARD || machine->header.packet[packet].first == packet);
    if (outputs == OUT_EJECT)
        tally_deliver(machine, walk->tally, ARRIVALS, site, packet, packet);
    else
        tally_event(machine, walk->tally, ARRIVALS,
                    (struct machine_event){{site.index, packet, 0}, 'R'});
}

static void look_at_group(struct march_walk *walk, uint32_t index)
{
    uint32_t first = index * DUE_GROUP, left = walk->line->length - first;
    uint64_t due = due_now(walk->due + first, left < DUE_GROUP ? left : DUE_GROUP, walk->hop,
                           &walk->group[index].first_due);
    for (; due != 0; due &= due - 1)
        settle(walk, first + (uint32_t)__builtin_ctzll(due));
}

void march_arrive(struct march_walk *walk)
{
    for (uint32_t i = 0; i < walk->groups; i++)
        if (walk->group[i].first_due == walk->hop)
            look_at_group(walk, i);
}

void march_copy(struct march_walk *walk)
{
    struct machine *machine = walk->call->machine;
    const struct march *march = walk->call->march;
    for (uint32_t i = 0; i < walk->groups; i++) {
        uint64_t waiting = walk->group[i].waiting;
        walk->group[i].waiting = 0;
        for (; waiting != 0; waiting &= waiting - 1) {
            uint32_t slot = i * DUE_GROUP + (uint32_t)__builtin_ctzll(waiting);
            uint32_t packet = walk->packet[slot];
            struct site site = site_of(walk, slot);
            unsigned outputs = march->outputs(march->context, site, packet);
            assert(outputs == (OUT_EJECT | OUT_HOLD));
            uint32_t taken = march->take(march->context, site, packet, OUT_EJECT);
            tally_deliver(machine, walk->tally, DEPARTURES, site, packet, taken);
            outputs = march->outputs(march->context, site, packet);
            assert(outputs == OUT_HOLD);
            (void)outputs;
            set_due(walk, slot, site);
        }
    }
}

/* How many packets the line holds. */
VECTORISED static uint32_t count_taken(const struct march_group *group, uint32_t groups)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < groups; i++)
        count += (uint32_t)__builtin_popcountll(group[i].taken);
    return count;
}

uint32_t march_cross(struct march_walk *walk)
{
    uint32_t hops = count_taken(walk->group, walk->groups);
    walk->hop++;
    walk->shift = walk->shift + 1 < walk->line->length ? walk->shift + 1 : 0;
    if (walk->line->length == 1)
        return 0; /* its own successor: it stays */
    walk->tally->packet_hops += hops;
    return hops;
}

void march_tell(const struct march_walk *walk)
{
    struct march_walk next = *walk;
    next.shift = (walk->shift + 1) % walk->line->length;
    for (uint32_t i = 0; i < walk->groups && walk->line->length > 1; i++)
        for (uint64_t left = walk->group[i].taken; left != 0; left &= left - 1) {
            uint32_t slot = i * DUE_GROUP + (uint32_t)__builtin_ctzll(left);
            tally_event(walk->call->machine, walk->tally, DEPARTURES,
                        (struct machine_event){{walk->packet[slot], site_of(walk, slot).index,
                                                site_of(&next, slot).index},
                                               'M'});
        }
}

void march_measure(struct march_walk *walk)
{
    struct machine *machine = walk->call->machine;
    uint32_t before = machine->attempt.peak;
    if (walk->line->most + 1 <= before)
        return;
    for (uint32_t i = 0; i < walk->groups; i++)
        for (uint64_t left = walk->group[i].taken; left != 0; left &= left - 1) {
            uint32_t slot = i * DUE_GROUP + (uint32_t)__builtin_ctzll(left);
            node_index node = site_of(walk, slot).index;
            uint32_t held = machine->occupancy[node] + 1;
            if (!attempt_has_room(machine, held)) {
                machine->occupancy[node]++; /* as if it rested there */
                attempt_discard(machine, walk->tally, node, walk->packet[slot]);
                attempt_discard_resting(machine, walk->tally, node);
                remove_slot(walk, slot);
            } else if (held > before) {
                tally_holds(walk->tally, node, held);
            }
        }
}

/* ---- a line ---- */

struct march_walk march_walk_at(struct march_call *call, const struct march_line *line,
                                struct tally *tally, uint32_t hop)
{
    return (struct march_walk){.call = call,
                               .tally = tally,
                               .line = line,
                               .place = call->place + line->slot,
                               .packet = call->packet + line->slot,
                               .due = call->due + line->slot,
                               .group = call->group + line->group,
                               .groups = march_groups(line->length),
                               .hop = hop,
                               .shift = hop % line->length};
}

static bool is_beside(node_place a, node_place b)
{
    return a + 1 == b || b + 1 == a || place_of(place_row(a) + 1, place_col(a)) == b ||
           place_of(place_row(b) + 1, place_col(b)) == a;
}

/* The line's nodes, each the successor of the one before. */
void march_find_places(struct march_call *call, const struct march_line *line, node_place start)
{
    const struct march *march = call->march;
    struct mesh mesh = call->machine->config.mesh;
    node_place *place = call->place + line->slot, here = start;
    for (uint32_t i = 0; i < line->length; i++) {
        node_index node = place_row(here) * mesh.cols + place_col(here);
        assert(place_row(here) < mesh.rows && place_col(here) < mesh.cols);
        assert(!call->is_on[node]);
        call->is_on[node] = 1;
        place[i] = here;
        here = march->next(march->context, here);
        assert(line->length == 1 || is_beside(place[i], here));
    }
    assert(here == start);
}

/* The packets that rest on the line's nodes stand in its slots. */
void march_load(struct march_call *call, struct march_line *line)
{
    struct machine *machine = call->machine;
    const struct march *march = call->march;
    struct march_walk walk = march_walk_at(call, line, NULL, 0);
    for (uint32_t slot = 0; slot < line->length; slot++) {
        struct site site = site_of(&walk, slot);
        struct march_group *group = &walk.group[slot / DUE_GROUP];
        uint32_t packet = machine->resting_first[site.index];
        if (slot % DUE_GROUP == 0)
            *group = (struct march_group){.first_due = DUE_NEVER};
        walk.due[slot] = DUE_NEVER;
        if (packet != MACHINE_NONE) {
            assert((uint32_t)machine->next[packet] == MACHINE_NONE);
            machine->resting_first[site.index] = MACHINE_NONE;
            machine->occupancy[site.index]--;
            walk.packet[slot] = packet;
            walk.due[slot] = march->due(march->context, walk.place[slot], packet);
            assert(walk.due[slot] < (line->length > 1 ? DUE_NEVER / 4 : 1));
            group->taken |= UINT64_C(1) << slot % DUE_GROUP;
            if (walk.due[slot] < group->first_due)
                group->first_due = walk.due[slot];
        }
        if (machine->occupancy[site.index] > line->most)
            line->most = machine->occupancy[site.index];
    }
}

/* Those that are left rest where they are. */
void march_unload(struct march_call *call, const struct march_line *line, uint32_t hop)
{
    struct machine *machine = call->machine;
    struct march_walk walk = march_walk_at(call, line, NULL, hop);
    for (uint32_t i = 0; i < walk.groups; i++)
        for (uint64_t left = walk.group[i].taken; left != 0; left &= left - 1) {
            uint32_t slot = i * DUE_GROUP + (uint32_t)__builtin_ctzll(left);
            node_index node = site_of(&walk, slot).index;
            machine->occupancy[node]++;
            machine_rest(machine, node, walk.packet[slot]);
        }
}
