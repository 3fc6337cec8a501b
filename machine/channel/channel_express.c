/* channel_express.c - express packets of machine_channel.
 *
 * Express packets are those of which the algorithm knows that they never crowd: they wait for no
 * credit, they take a link before any packet of a channel does, and they fill no slot of a channel.
 * Their number at a node is bounded by the algorithm, not by the machine; the capacity B holds for all.
 * The first of each queue, the farthest stop first, crosses its link in the next step: it stands in a
 * slot that moves with it (conveyor.c). The others of its queue (link_queue.c), which the algorithm keeps few,
 * have rings of one place. Packets that are woken enter slots, or queues, in the departures of the first step.
 * Cost: 96 bytes a node, of which the operating system need not find the last 48 where no packets
 * meet, and 6 of words for blocks. A hop is a sixty-fourth of some operations on words.
 */
#include "machine/channel/channel_slots_private.h"

#include <assert.h>

/* ---- departures ---- */

/* An express packet is to leave over link `d` as soon as no one is more urgent. */
static void enter(struct channel_worker *worker, struct site site, enum direction d, uint64_t word)
{
    struct machine *machine = worker->machine;
    const struct conveyor_view *view = &worker->express.leaving_view;
    const struct conveyor_line *line = worker->express.leaving;
    const struct link_queues *queues = &worker->channels->express.queues;
    if (conveyor_is_taken(line, site, d)) { /* by one that is before those of the queue */
        link_queue_put_first(machine, queues, site, d, conveyor_clear(view, line, site, d));
        link_queue_put(machine, queues, site, d, word);
        word = link_queue_take(machine, queues, site, d);
    } else {
        machine->occupancy[site.index]--;
    }
    conveyor_set(view, line, site, d, word);
}

/* The farther a stop lies in the direction of travel, the greater. */
static uint64_t stop_farness(enum direction d, uint64_t stop)
{
    return d == SOUTH || d == EAST ? stop : STOP_MASK - stop;
}

bool express_set_out(struct channel_worker *worker, struct site site, uint32_t packet)
{
    const struct routing_rule *rule = &worker->rule->routing;
    unsigned part = rule->outputs(rule->context, site, packet);
    assert(is_single_output(part) && (part & (OUT_LINKS | OUT_HOLD)));
    if (part == OUT_HOLD)
        return false;
    enum direction d = (enum direction)__builtin_ctz(part);
    uint64_t stop = rule->stop(rule->context, site, packet, d);
    assert(is_ahead(worker->machine, site, d, (uint32_t)stop));
    uint64_t word = stop_farness(d, stop) << URGENCY_SHIFT | stop << STOP_SHIFT | packet;
    enter(worker, site, d, word);
    return true;
}

/* ---- arrivals ---- */

/* It is at its stop. */
static void come_to_rest(struct channel_worker *worker, struct site site, uint32_t packet)
{
    machine_rest(worker->machine, site.index, packet);
    worker->tally->travelling--;
    worker->tally->resting++;
    block_of(worker->channels, site)->may_inject |= conveyor_bit(site);
}

static void stop_at(struct channel_worker *worker, struct site first, enum direction d,
                    uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        uint64_t word =
            conveyor_clear(&worker->express.coming_view, worker->express.coming, site, d);
        worker->machine->occupancy[site.index]++;
        come_to_rest(worker, site, (uint32_t)word);
    }
}

bool express_arrive(struct channel_worker *worker, struct span span)
{
    const struct link_queues *queues = &worker->channels->express.queues;
    const struct conveyor_view *view = &worker->express.coming_view;
    struct conveyor_line *line = worker->express.coming;
    uint32_t place = place_of_block(span.start);
    uint64_t exceptional = 0;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t stops = line[d].stops[place], queued = link_queued(queues, span.start)[d];
        exceptional |= stops | queued;
        if (stops != 0)
            stop_at(worker, span.start, d, stops);
        line[d].stops[place] = 0;
        if (queued == 0)
            continue;
        link_queues_empty_slots(worker->machine, queues, view, line, span.start, d,
                                queued & line[d].held[place]);
        link_queues_fill(worker->machine, queues, view, line, span.start, d, queued);
    }
    return exceptional != 0;
}
