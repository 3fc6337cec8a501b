/* channel_slot.c - packets in the slots of bounded channels, and their copies.
 *
 * A channel is its first packet, beside the node, and a short queue behind it. A packet that
 * arrives at a stop notes once which links it waits for; a part that leaves takes its destinations
 * along (the rule's `take`), and what is left is noted anew.
 * Cost: O(1) a packet; a channel of k slots moves k words when its first packet leaves.
 */
#include "machine/channel_private.h"

#include <assert.h>
#include <string.h>

uint64_t channel_word(struct channel_lane *lane, struct site site, uint32_t packet, unsigned want)
{
    const struct routing_rule *rule = &lane->rule->routing;
    uint64_t word = (uint64_t)lane->rule->class_of(rule->context, packet) << CLASS_SHIFT |
                    (uint64_t)want << WANT_SHIFT | packet;
    if (!is_single_part(want) || !(want & PART_LINKS))
        return word;
    enum direction d = (enum direction)__builtin_ctz(want);
    uint32_t stop = rule->stop(rule->context, site, packet, d);
    assert(is_ahead(lane->machine, site, d, stop));
    return word | (uint64_t)stop << STOP_SHIFT;
}

void channel_deliver(struct channel_lane *lane, enum half half, struct site site, uint32_t packet)
{
    const struct routing_rule *rule = &lane->rule->routing;
    uint32_t slot = rule->take(rule->context, site, packet, PART_HERE);
    band_deliver(lane->machine, lane->band, half, site, packet, slot);
}

uint32_t channel_copy(struct channel_lane *lane, struct site site, uint32_t packet,
                      enum direction d)
{
    const struct routing_rule *rule = &lane->rule->routing;
    uint32_t copy = rule->take(rule->context, site, packet, (enum part)(1u << d));
    assert(copy != packet);
    lane->band->copies++;
    lane->band->travelling++;
    lane->machine->occupancy[site.index]++;
    band_event(lane->machine, lane->band, DEPARTURES,
               (struct machine_event){{site.index, packet, copy}, 'C'});
    return copy;
}

uint64_t channel_settle(struct channel_lane *lane, enum half half, struct site site,
                        uint32_t packet)
{
    const struct routing_rule *rule = &lane->rule->routing;
    unsigned parts = rule->parts(rule->context, site, packet);
    assert(parts == PART_DISCARD ||
           (parts != 0 && (parts & ~(unsigned)(PART_LINKS | PART_HERE)) == 0));
    if (parts == PART_HERE || parts == PART_DISCARD) {
        if (parts == PART_HERE)
            band_deliver(lane->machine, lane->band, half, site, packet, packet);
        else
            band_event(lane->machine, lane->band, half,
                       (struct machine_event){{site.index, packet, 0}, 'R'});
        lane->band->travelling--;
        lane->machine->occupancy[site.index]--;
        return 0;
    }
    if ((parts & PART_HERE) && lane->copy_is_free) {
        channel_deliver(lane, half, site, packet);
        parts &= ~(unsigned)PART_HERE;
    }
    return channel_word(lane, site, packet, parts);
}

void channel_push(struct channel_lane *lane, node_index node, unsigned channel, uint64_t word)
{
    struct channels *channels = lane->channels;
    uint8_t *count = &channels->count[(size_t)node * CHANNELS + channel];
    size_t behind = channels->slots + channels->spare - 1;
    assert(*count < channels->slots + channels->spare);
    if (*count == 0) {
        channels->front[(size_t)node * SOURCES + channel] = word;
        channels->active[node] |= (uint16_t)(1u << channel);
    } else {
        channels->behind[((size_t)node * CHANNELS + channel) * behind + *count - 1u] = word;
    }
    if (++*count >= channels->slots)
        channels->full[node] |= (uint8_t)(1u << channel);
}

void channel_note_full(struct channel_lane *lane, node_index node)
{
    struct channels *channels = lane->channels;
    const uint8_t *count = channels->count + (size_t)node * CHANNELS;
    uint32_t taken = 0;
    unsigned full = 0;
    for (unsigned channel = 0; channel < CHANNELS; channel++) {
        taken += count[channel] > channels->slots ? count[channel] - channels->slots : 0;
        full |= count[channel] >= channels->slots ? 1u << channel : 0;
    }
    assert(taken <= channels->spare);
    for (unsigned i = 0; i < DIRECTIONS && taken < channels->spare; i++) {
        unsigned link = 0x11u << (lane->machine->counts.steps + i) % DIRECTIONS;
        taken += (full & link) != 0;
        full &= ~link;
    }
    channels->full[node] = (uint8_t)full;
}

void channel_pop(struct channel_lane *lane, node_index node, unsigned source)
{
    struct channels *channels = lane->channels;
    if (source >= CHANNELS) {
        channels->active[node] &= (uint16_t) ~(1u << source);
        return;
    }
    channels->emptied[node] |= (uint8_t)(1u << source);
    size_t index = (size_t)node * CHANNELS + source, behind = channels->slots + channels->spare - 1;
    if (--channels->count[index] == 0) {
        channels->active[node] &= (uint16_t) ~(1u << source);
        return;
    }
    uint64_t *queue = channels->behind + index * behind;
    channels->front[(size_t)node * SOURCES + source] = queue[0];
    memmove(queue, queue + 1, (behind - 1) * sizeof *queue);
}

void channel_cross(struct channel_lane *lane, struct site site, enum direction d, uint64_t word)
{
    struct machine *machine = lane->machine;
    lane->channels->out[d][site.index] = word;
    lane->channels->moved[site.index] |= (uint8_t)(1u << d);
    lane->band->packet_hops++;
    machine->occupancy[site.index]--;
    if (!machine_is_watched(machine))
        return;
    const int cols = (int)machine->config.mesh.cols, step[DIRECTIONS] = {-cols, cols, -1, 1};
    band_event(
        machine, lane->band, DEPARTURES,
        (struct machine_event){{(uint32_t)word, site.index, site.index + (uint32_t)step[d]}, 'M'});
}
