/* channel_express.c - express packets of machine_channel.
 *
 * Express packets are those of which the algorithm knows that they never crowd: they wait for no
 * credit, they take a link before any packet of a channel does, and they fill no slot. Their number
 * at a node is bounded by the algorithm, not by the machine; the capacity B holds for all.
 * They stand in queues of their own (queue.c), the farthest stop first, and go through a block of
 * nodes at once; those at a stop, and those that meet others, are handled one by one.
 * This is the plain way, taken where somebody watches and where nodes discard. Everywhere else they
 * glide (channel_glide.c).
 * Cost: 84 bytes a node once there are express packets; O(1) a hop, a few instructions where
 * nothing is in the way. A block without any, and beside none, costs a look at a flag.
 */
#include "machine/channel_private.h"

#include <assert.h>

bool express_set_out(struct channel_lane *lane, struct site site, uint32_t packet)
{
    const struct routing_rule *rule = &lane->rule->routing;
    struct channels *channels = lane->channels;
    unsigned part = rule->parts(rule->context, site, packet);
    assert(is_single_part(part) && (part & (PART_LINKS | PART_PARK)));
    if (part == PART_PARK)
        return false;
    enum direction d = (enum direction)__builtin_ctz(part);
    uint64_t stop = rule->stop(rule->context, site, packet, d);
    assert(is_ahead(lane->machine, site, d, (uint32_t)stop));
    uint64_t word = stop_farness(d, stop) << URGENCY_SHIFT | stop << STOP_SHIFT | packet;
    if (lane->glides) {
        express_enter(lane, site, d, word);
        return true;
    }
    queue_put(lane->machine, &channels->express, site.index, d, word);
    block_of(channels, site)->busy |= (uint8_t)part;
    return true;
}

unsigned express_depart(struct channel_lane *lane, struct span span)
{
    struct machine *machine = lane->machine;
    struct queues *queues = &lane->channels->express;
    struct channel_block *block = block_of(lane->channels, span.start);
    unsigned waiting = block->busy & PART_LINKS, left = 0;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        if (!(waiting & 1u << d))
            continue;
        uint32_t taken = queues_take(machine, queues, span, d);
        lane->band->packet_hops += taken;
        if (taken > 0)
            block->sent |= (uint8_t)(1u << d);
        if (queues_refill(machine, queues, span, d))
            left |= 1u << d;
    }
    if (machine_is_watched(machine))
        queues_trace(machine, lane->band, queues, span);
    return left;
}

void express_stop(struct channel_lane *lane, struct site site, uint32_t packet)
{
    machine_rest(lane->machine, site.index, packet);
    lane->band->travelling--;
    lane->band->resting++;
    block_of(lane->channels, site)->eager |= bit_of(site);
}

static void arrive_from(struct channel_lane *lane, struct span span, enum direction d)
{
    struct machine *machine = lane->machine;
    struct queues *queues = &lane->channels->express;
    const uint64_t *in = queues_incoming(machine, queues, span, d);
    uint8_t odd[BLOCK];
    queues_pass(machine, queues, span, d, odd);
    for (uint32_t i = 0; i < span.count; i++) {
        if (i % 8 == 0 && !any_of_eight(odd + i, span.count - i))
            i += 7;
        if (i >= span.count || !odd[i])
            continue;
        struct site site = block_site(span.start, i);
        if (word_stop(in[i]) == (direction_is_vertical(d) ? site.row : site.col))
            express_stop(lane, site, (uint32_t)in[i]);
        else
            queue_put(machine, queues, site.index, d, in[i]);
    }
}

void express_arrive(struct channel_lane *lane, struct span span, unsigned links)
{
    block_of(lane->channels, span.start)->busy |= (uint8_t)links;
    for (; links != 0; links &= links - 1)
        arrive_from(lane, span, (enum direction)__builtin_ctz(links));
}
