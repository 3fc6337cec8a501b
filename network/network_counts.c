/* network_counts.c - a network's state and counts, for callers. */
#include "network/network_private.h"

#include <string.h>

struct network_counts network_counts(const struct network *network)
{
    struct network_counts sum = {.cycle = network->cycle};
    for (uint32_t b = 0; b < network->bands; b++) {
        const struct band_counts *counts = &network->band[b].counts;
        sum.messages += counts->messages;
        sum.done += counts->done;
        sum.deliveries += counts->deliveries;
        sum.startups += counts->startups;
        sum.crossings += counts->crossings;
        if (sum.last_delivery < counts->last_delivery)
            sum.last_delivery = counts->last_delivery;
        if (sum.buffer_peak < counts->buffer_peak)
            sum.buffer_peak = counts->buffer_peak;
        if (sum.unsent_peak < counts->unsent_peak)
            sum.unsent_peak = counts->unsent_peak;
    }
    return sum;
}

const struct network_delivery *network_take_done(struct network *network, size_t *count)
{
    if (network->is_done_taken)
        network->done.count = 0;
    network->is_done_taken = true;
    *count = network->done.count;
    return network->done.item;
}

const struct network_wait *network_deadlock(const struct network *network, size_t *count)
{
    *count = network->waits;
    return network->wait;
}

enum failure_kind network_keep_deadlock(const struct network *network, struct network_wait **wait,
                                        size_t *waits, struct failure *failure)
{
    if (network->waits == 0)
        return FAIL_NONE;
    *wait = memory_allocate(network->waits, sizeof **wait);
    if (*wait == NULL)
        return fail_memory(failure, "the worms of a deadlock");
    memcpy(*wait, network->wait, network->waits * sizeof **wait);
    *waits = network->waits;
    return FAIL_NONE;
}

uint64_t network_link_flits(const struct network *network, uint64_t link)
{
    uint64_t sum = 0;
    for (uint32_t vc = 0; vc < network->vcs; vc++)
        sum += channel_at(network, (uint32_t)link * network->stride + 1 + vc)->crossings;
    return sum;
}

/* Returns the least of several links, which are numbered in the order of the nodes that send on
 * them. */
uint64_t network_busiest_link(const struct network *network, uint32_t *from, uint32_t *to)
{
    const struct topology *topology = network->topology;
    uint64_t most = 0;
    for (uint32_t i = 0; i <= topology->nodes / 64; i++) {
        for (uint64_t word = begun_word(network, i); word != 0; word &= word - 1) {
            uint32_t node = i * 64 + (uint32_t)__builtin_ctzll(word);
            for (uint32_t port = 0; port < topology_node_ports(topology, node); port++) {
                uint64_t flits = network_link_flits(network, topology_link(topology, node, port));
                if (flits > most) {
                    most = flits;
                    *from = node;
                    *to = topology_neighbour(topology, node, port);
                }
            }
        }
    }
    return most;
}

/* Returns the segment that names the owner of a channel: the one that sends over it, or, when its
 * tail is sent, the one in its buffer. */
static const struct segment *owner_of(const struct network *network, uint64_t link,
                                      const struct channel *channel)
{
    if (channel->owner == NONE)
        return &network_band(network, channel->to)->segment[channel->last];
    uint32_t from = topology_link_from(network->topology, link);
    return &network_band(network, from)->segment[channel->owner];
}

struct network_channel network_channel_at(const struct network *network, uint64_t link, uint32_t vc)
{
    uint32_t number = (uint32_t)link * network->stride;
    const struct channel *channel = channel_at(network, number + 1 + vc);
    struct network_channel seen = {UINT32_MAX, UINT32_MAX, channel->flits};
    if (node_is_begun(network, topology_link_from(network->topology, link)) &&
        channel->to != TOPOLOGY_NO_NODE && (link_at(network, number)->free >> vc & 1) == 0) {
        const struct segment *segment = owner_of(network, link, channel);
        seen.message = segment->message->number;
        seen.worm = stop_worm(segment->message, segment->stop);
    }
    return seen;
}

uint64_t network_unsent(const struct network *network, uint32_t node)
{
    return network->source[node].unsent;
}

uint64_t network_all_unsent(const struct network *network)
{
    uint64_t unsent = 0;
    for (uint32_t node = 0; node < network->topology->nodes; node++)
        unsent += network->source[node].unsent;
    return unsent;
}
