/* channel_express.c - express packets of machine_channel.
 *
 * Express packets are those that never crowd, as the algorithm knows: they wait for no credit, they have priority
 * over packets of channels on every link, and they fill no slot of a channel. The algorithm, not the machine,
 * bounds their number at a node; the capacity B counts them, too.
 * The first of each queue, that with the farthest stop, crosses its link in the next step: it is in a slot that
 * moves with it (conveyor.c). The others, of which the algorithm has few, are in a queue (link_queue.c) whose ring
 * has one place. Packets that set out enter slots, or queues, in the departures of a step; with unit copies a copy
 * enters the queue, from which it comes into the slot in the arrivals.
 * Cost: 96 bytes per node, the last 48 of which take memory only where packets meet, and 6 for the bits of blocks. A
 * hop is a sixty-fourth of some operations on words.
 */
#include "machine/channel/channel_conveyor_private.h"
#include "machine/tally_private.h"

#include <assert.h>

/* ---- departures ---- */

/* Puts an express packet into the slot of link `d`, or into its queue if another one is more urgent. */
static void enter(struct channel_worker *worker, struct site site, enum direction d, uint64_t word)
{
    struct machine *machine = worker->machine;
    const struct conveyor_view *view = &worker->express.leaving_view;
    const struct conveyor_line *line = worker->express.leaving;
    const struct link_queues *queues = &worker->channels->express.queues;
    if (conveyor_is_taken(line, site, d)) { /* by a packet that goes before those of the queue */
        link_queue_put_first(machine, queues, site, d, conveyor_clear(view, line, site, d));
        link_queue_put(machine, queues, site, d, word);
        word = link_queue_take(machine, queues, site, d);
    } else {
        machine->occupancy[site.index]--;
    }
    conveyor_set(view, line, site, d, word);
}

/* Returns a number that is the greater the farther the stop lies in the direction of travel. */
static uint64_t stop_farness(enum direction d, uint64_t stop)
{
    return d == SOUTH || d == EAST ? stop : STOP_MASK - stop;
}

/* Returns the word of a packet that leaves over link `d`. */
static uint64_t express_word(const struct channel_worker *worker, struct site site, uint32_t packet,
                             enum direction d)
{
    const struct routing_rule *rule = &worker->rule->routing;
    uint64_t stop = rule->stop(rule->context, site, packet, d);
    assert(is_ahead(worker->machine, site, d, (uint32_t)stop));
    return stop_farness(d, stop) << URGENCY_SHIFT | stop << STOP_SHIFT | packet;
}

bool express_set_out(struct channel_worker *worker, struct site site, uint32_t packet,
                     bool *has_copied)
{
    const struct channel_rule *rule = worker->rule;
    const struct routing_rule *routing = &rule->routing;
    for (;;) {
        unsigned outputs = routing->outputs(routing->context, site, packet);
        if (!(outputs & OUT_LINKS) || rule->class_of(routing->context, packet) != CHANNEL_EXPRESS)
            return false;
        enum direction d = (enum direction)__builtin_ctz(outputs & OUT_LINKS);
        if (is_single_output(outputs)) {
            enter(worker, site, d, express_word(worker, site, packet, d));
            return true;
        }
        uint32_t taken = routing->take(routing->context, site, packet, (enum output)(1u << d));
        tally_copy(worker->machine, worker->tally, DEPARTURES, site.index, packet, taken);
        uint64_t word = express_word(worker, site, taken, d);
        if (!worker->copy_is_free) { /* the copy may not leave before the next step */
            link_queue_put(worker->machine, &worker->channels->express.queues, site, d, word);
            *has_copied = true;
            return false;
        }
        enter(worker, site, d, word);
    }
}

/* ---- arrivals ---- */

/* Brings a packet at its stop to rest. */
static void come_to_rest(struct channel_worker *worker, struct site site, uint32_t packet)
{
    tally_rest(worker->machine, worker->tally, site.index, packet);
    struct channel_block *block = block_of(worker->channels, site);
    block->may_inject |= conveyor_bit(site);
    if (worker->rule->has_express)
        block->may_set_out |= conveyor_bit(site);
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
