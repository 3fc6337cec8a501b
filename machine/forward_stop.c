/* forward_stop.c - what becomes of a packet at a stop of machine_forward.
 *
 * The rule gives the packet's parts. One part: the packet leaves, is delivered and ends, rests, or
 * is discarded. Several: a copy is made for one part after another, the packet keeping the rest;
 * with free copies in the step of its arrival, with unit copies one a step and node, first come
 * first served (rules 2 and 3 of the model: what was copied in a step enters queues whose packet
 * for that step has left already, so neither acts again in it). A node of an attempt that has no
 * room takes all packets out of its queues (attempt.c).
 * Cost: O(1) and what the rule costs, a part.
 */
#include "machine/forward_private.h"

#include <assert.h>

void forward_enqueue(struct lane *lane, struct site site, enum direction d, uint64_t word)
{
    struct forward *forward = lane->forward;
    forward->busy[block_index(forward, site.row, site.col)] = 1;
    queue_put(lane->machine, &forward->queues, site.index, d, word);
}

/* Sends `packet` on its way over link `d`. */
static void depart(struct lane *lane, struct site site, uint32_t packet, enum direction d)
{
    const struct routing_rule *rule = lane->rule;
    uint32_t stop = rule->stop(rule->context, site, packet, d), urgency = 0;
    assert(is_ahead(lane->machine, site, d, stop));
    if (rule->urgency != NULL)
        urgency = rule->urgency(rule->context, site, packet, d);
    assert(urgency <= MACHINE_MAX_URGENCY);
    lane->enqueue(lane, site, d,
                  (uint64_t)urgency << URGENCY_SHIFT | (uint64_t)stop << STOP_SHIFT | packet);
}

/* The packet does its one remaining part. */
static void finish(struct lane *lane, enum half half, struct site site, uint32_t packet,
                   unsigned part)
{
    struct machine *machine = lane->machine;
    struct band *band = lane->band;
    if (part & PART_LINKS) {
        depart(lane, site, packet, (enum direction)__builtin_ctz(part));
        return;
    }
    band->travelling--;
    if (part == PART_PARK) {
        machine_rest(machine, site.index, packet);
        band->resting++;
        return;
    }
    machine->occupancy[site.index]--;
    if (part == PART_HERE) {
        assert(machine->header.packet[packet].first == packet);
        band_deliver(machine, band, half, site, packet, packet);
    } else {
        assert(part == PART_DISCARD);
        band_event(machine, band, half, (struct machine_event){{site.index, packet, 0}, 'R'});
    }
}

/* Makes one copy of the packet: of its message into the output queue, or of the packet, for one
 * part. */
static void copy_once(struct lane *lane, enum half half, struct site site, uint32_t packet,
                      unsigned parts)
{
    const struct routing_rule *rule = lane->rule;
    struct band *band = lane->band;
    unsigned choice = parts & ~(unsigned)PART_REST;
    unsigned part = parts & PART_HERE ? (unsigned)PART_HERE : choice & -choice;
    assert(part & (PART_LINKS | PART_HERE | PART_PARK));
    uint32_t taken = rule->take(rule->context, site, packet, (enum part)part);
    assert(taken != packet);
    if (part == PART_HERE) {
        band_deliver(lane->machine, band, half, site, packet, taken);
        return;
    }
    band->copies++;
    band->travelling++;
    lane->machine->occupancy[site.index]++;
    band_event(lane->machine, band, half, (struct machine_event){{site.index, packet, taken}, 'C'});
    finish(lane, half, site, taken, part);
}

static void wait_for_copy(struct lane *lane, struct site site, uint32_t packet)
{
    struct forward *forward = lane->forward;
    if (forward->waiting[site.index])
        lane->machine->next[forward->waiting_last[site.index]] = packet;
    else
        forward->waiting_first[site.index] = packet;
    forward->waiting_last[site.index] = packet;
    forward->waiting[site.index] = 1;
    forward->busy[block_index(forward, site.row, site.col)] = 1;
}

void forward_settle(struct lane *lane, enum half half, struct site site, uint32_t packet)
{
    const struct routing_rule *rule = lane->rule;
    unsigned parts = rule->parts(rule->context, site, packet);
    for (uint32_t copies = 0; !is_single_part(parts); copies++) {
        if (!lane->machine->config.copy_is_free) {
            wait_for_copy(lane, site, packet);
            return;
        }
        assert(copies < lane->machine->header.slots); /* each has a name of its own */
        copy_once(lane, half, site, packet, parts);
        parts = rule->parts(rule->context, site, packet);
    }
    finish(lane, half, site, packet, parts);
}

void forward_copy(struct lane *lane, struct site site)
{
    struct forward *forward = lane->forward;
    const struct routing_rule *rule = lane->rule;
    uint32_t packet = forward->waiting_first[site.index];
    unsigned parts = rule->parts(rule->context, site, packet);
    if (!is_single_part(parts)) {
        copy_once(lane, DEPARTURES, site, packet, parts);
        parts = rule->parts(rule->context, site, packet);
        /* a delivery that ends the packet is left to the next step: it was copied in this one */
        if (!is_single_part(parts) || parts == PART_HERE)
            return;
    }
    if (forward->waiting_last[site.index] == packet)
        forward->waiting[site.index] = 0;
    else
        forward->waiting_first[site.index] = (uint32_t)lane->machine->next[packet];
    finish(lane, DEPARTURES, site, packet, parts);
}

/* ---- no room ---- */

static void discard_list(struct machine *machine, node_index node, uint32_t packet, uint32_t last)
{
    for (bool more = true; more; packet = (uint32_t)machine->next[packet]) {
        more = packet != last;
        machine->travelling--;
        machine->occupancy[node]--;
        band_event(machine, &machine->band[machine->config.threads - 1], ARRIVALS,
                   (struct machine_event){{node, packet, 0}, 'R'});
    }
}

void forward_discard(struct machine *machine, node_index node)
{
    struct forward *forward = machine->forward;
    if (forward == NULL)
        return;
    struct queues *queues = &forward->queues;
    assert(forward->glide == NULL); /* where nodes discard nothing glides */
    for (int d = 0; d < DIRECTIONS && queues->head[d] != NULL; d++) {
        uint32_t first = (uint32_t)queues->head[d][node];
        if (queues->head[d][node] != NO_WORD)
            discard_list(machine, node, first,
                         queues->more[d][node] ? queues->tail[d][node] : first);
        queues->head[d][node] = NO_WORD;
        queues->more[d][node] = 0;
    }
    if (forward->waiting[node])
        discard_list(machine, node, forward->waiting_first[node], forward->waiting_last[node]);
    forward->waiting[node] = 0;
}
