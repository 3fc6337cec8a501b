/* network_traverse.c - a flit crosses the router: over its outputs, and out of its buffer.
 *
 * Most headers are between two stops, have no choice, and find their link free. Where links have one channel, nobody else
 * wants such a link in this cycle, so they cross it when they ask (bypass).
 */
#include "network/network_private.h"

#include <stdlib.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* ---- over a channel ---- */

/* Counts a flit over a channel, and shows it to an observer. */
ALWAYS_INLINE struct channel *cross(struct band *band, uint32_t node, const struct message *message,
                                    uint32_t stop, uint32_t number, bool is_header)
{
    struct network *network = band->network;
    struct channel *channel = channel_at(network, number);
    if (network->observation != NULL)
        observe_channel(band, node, message, stop, number, is_header);
    channel->used++;
    band->work++;
    if (is_link_channel(network, number)) {
        channel->crossings++;
        band->counts.crossings++;
    } else {
        band->counts.startups += is_header;
    }
    return channel;
}

/* Sends a header over its channel. In its own band it may be in the next buffer at once. */
ALWAYS_INLINE void cross_header(struct band *band, uint32_t node, struct header header,
                                bool may_enter)
{
    const struct channel *channel =
        cross(band, node, header.message, header.stop, header.channel, true);
    if (may_enter && is_of_band(band, channel->to) &&
        band->network->switching != SWITCHING_STORE_AND_FORWARD)
        enter_buffer(band, header);
    else
        band_keep(band, LIST_PUSH(&outbox_to_node(band, channel->to)->headers, header));
}

void send_header(struct band *band, uint32_t node, const struct header *header)
{
    cross_header(band, node, *header, true);
}

void release_channel(struct band *band, uint32_t node, uint32_t channel)
{
    struct network *network = band->network;
    uint32_t link = channel_link(network, channel);
    link_at(network, link)->free |= UINT64_C(1) << (channel - link - 1);
    band->counts.taken--;
    link_release(band, node, link, band->cycle + 1);
}

void traverse_output(struct band *band, struct segment *segment, struct output *output)
{
    struct network *network = band->network;
    uint32_t number = output->channel, node = segment->node;
    if (output->moved == 0) {
        cross_header(band, node,
                     (struct header){.message = segment->message,
                                     .channel = number,
                                     .stop = output->stop,
                                     .flits = segment->flits,
                                     .route = {.link = NONE}},
                     false);
    } else {
        const struct channel *channel =
            cross(band, node, segment->message, segment->stop, number, false);
        band_keep(band, LIST_PUSH(&outbox_to_node(band, channel->to)->bodies, number));
    }
    if (++output->moved < segment->flits)
        return;
    channel_at(network, number)->owner = NONE;
    if (is_link_channel(network, number) && !network->settings.releases_when_left)
        release_channel(band, node, number);
}

/* ---- out of the buffer ---- */

static void segment_free(struct band *band, uint32_t id)
{
    struct segment *segment = &band->segment[id];
    if (segment->outputs > 1)
        free(segment->way.many);
    segment->is_listed = false;
    segment->outputs = 0;
    segment->message = NULL;
    segment->next = band->free_segment;
    band->free_segment = id;
    band->live_segments--;
}

/* Takes the segment of a worm whose tail has left out of its buffer; NONE: it had none. The next worm comes to the front. */
ALWAYS_INLINE void leave_front(struct band *band, uint32_t node, uint32_t number, uint32_t id)
{
    struct network *network = band->network;
    if (network->switching == SWITCHING_STORE_AND_FORWARD) {
        network->source[node].held--;
    } else {
        struct channel *inlet = channel_at(network, number);
        if (id != NONE)
            inlet->first = band->segment[id].next;
        if (inlet->first == NONE)
            inlet->last = NONE;
        else
            segment_ask_from(band, inlet->first, band->segment[inlet->first].since + network->delay,
                             band->cycle + 1);
    }
    if (is_link_channel(network, number))
        return;
    /* The injection channel is free */
    struct node *at = &network->node[node];
    at->free_injection |= UINT64_C(1)
                          << (number - network->link_entries -
                              channel_base(network->topology, network->injection, node));
    band->counts.taken--;
    if (at->has_waiting_worms)
        activate_source(band, node);
}

/* Gives back the place of a flit that leaves a buffer. */
ALWAYS_INLINE void send_credit(struct band *band, uint32_t inlet, bool is_tail)
{
    uint32_t release = is_tail && band->network->settings.releases_when_left ? CREDIT_RELEASES : 0;
    band_keep(band, LIST_PUSH(&outbox_to_channel(band, inlet)->credits, inlet | release));
}

uint32_t leave_buffer(struct band *band, uint32_t id)
{
    struct network *network = band->network;
    struct segment *segment = &band->segment[id];
    uint32_t follower = NONE;
    bool is_tail = ++segment->out == segment->flits;
    bool is_reserving = network->switching == SWITCHING_CIRCUIT && segment->out == 1 && !is_tail;
    if (!segment->is_feeder) {
        struct channel *inlet = channel_at(network, segment->inlet);
        inlet->flits--;
        /* After a header that reserves more of its circuit the acknowledgement gives the place back */
        if (is_reserving && (segment->outputs > 1 || segment->way.one.stop != NONE))
            return NONE;
        /* As long as the tail has not come the owner is of the same worm */
        if (network->follows_at_once && segment->in < segment->flits && !is_reserving) {
            inlet->used--;
            follower = inlet->owner;
        } else {
            send_credit(band, segment->inlet, is_tail);
        }
        if (is_tail)
            leave_front(band, segment->node, segment->inlet, id);
    }
    if (is_tail)
        segment_free(band, id);
    return follower;
}

uint32_t traverse_all(struct band *band, uint32_t id)
{
    struct segment *segment = &band->segment[id];
    struct output *output = segment_outputs(segment);
    for (uint32_t i = 0; i < segment->outputs; i++) {
        if (output[i].stop == NONE)
            eject_flit(band, segment, &output[i]);
        else
            traverse_output(band, segment, &output[i]);
    }
    return leave_buffer(band, id);
}

void leave_if_passed(struct band *band, uint32_t id)
{
    struct segment *segment = &band->segment[id];
    struct output *output = segment_outputs(segment);
    uint32_t least = segment->flits;
    for (uint32_t i = 0; i < segment->outputs; i++) {
        if (output[i].moved < least)
            least = output[i].moved;
        /* Serial outputs: starts the next one after the tail has left */
        if (output[i].channel == LATER && output[i - 1].moved == segment->flits) {
            output[i].channel = LACKING;
            schedule(band, band->cycle + 1, (struct event){.of.ask = {id, i}, .kind = EVENT_CHILD});
        }
    }
    if (least > segment->out)
        leave_buffer(band, id);
}

/* ---- bypass ---- */

/* A single flit leaves its buffer, and there is no flit of its worm that could follow. */
ALWAYS_INLINE void leave_single(struct band *band, uint32_t node, const struct header *header)
{
    channel_at(band->network, header->channel)->flits--;
    send_credit(band, header->channel, true);
    leave_front(band, node, header->channel, header->segment);
    if (header->segment != NONE)
        segment_free(band, header->segment);
}

/* Returns the route of a header at the node after the link of its present one. Links of one port are as far apart as their
 * nodes. */
static inline struct lookahead_route
next_route(const struct network *network, struct lookahead_route route, uint32_t from, uint32_t to)
{
    if (route.run == 0)
        return (struct lookahead_route){.link = NONE};
    return (struct lookahead_route){route.link + (to - from) * network->node_entries, route.class,
                                    route.run - 1};
}

/* Lets a header cross the link of its route, if its channel is free and has room. A single flit takes the channel and releases
 * it; it is not free for those that ask at this node in the same cycle, if there are others. */
ALWAYS_INLINE bool forward_header(struct band *band, uint32_t node, const struct header *header,
                                  bool has_others)
{
    struct network *network = band->network;
    uint32_t number = header->route.link + 1, id = header->segment, flits = header->flits;
    struct link *link = link_at(network, header->route.link);
    struct channel *channel = channel_at(network, number);
    uint32_t room = network->switching == SWITCHING_CUT_THROUGH ? flits : 1;
    if (link->free == 0 || network->depth - channel->used < room)
        return false;
    cross_header(band, node,
                 (struct header){.message = header->message,
                                 .channel = number,
                                 .stop = header->stop,
                                 .flits = flits,
                                 .route = next_route(network, header->route, node, channel->to)},
                 true);
    bool is_kept = network->settings.releases_when_left;
    if (flits > 1 || is_kept || has_others) {
        link->free = 0;
        band->counts.taken++;
    }
    if (flits == 1) {
        if (has_others && !is_kept)
            band_keep(band, LIST_PUSH(&band->passed, number));
        leave_single(band, node, header);
        return true;
    }
    if (id == NONE && (id = header_stays(band, node, header)) == NONE)
        return true;
    struct segment *segment = &band->segment[id];
    channel->owner = id;
    segment->since = band->cycle;
    segment->has_asked = true;
    segment->way.one =
        (struct output){.channel = number, .stop = header->stop, .moved = 1, .requests = NONE};
    segment->lacking = 0;
    segment->outputs = 1;
    leave_buffer(band, id);
    segment->is_listed = true;
    band_keep(band, LIST_PUSH(&band->next_movers, id));
    return true;
}

/* Lets a single flit at its last stop, for which nobody else asks there, pass an ejection channel, which stays free. */
static bool eject_header(struct band *band, uint32_t node, const struct header *header)
{
    const struct stop_copy *stop = &header->message->stop[header->stop];
    uint64_t free = band->network->node[node].free_ejection;
    if (header->flits != 1 || stop->node != node || stop->span != 1 || free == 0)
        return false;
    if (band->network->observation != NULL)
        observe_ejection(band, node, header->message, header->stop, (uint32_t)__builtin_ctzll(free),
                         true);
    band->work++;
    serve_destination(band, header->message, header->stop);
    leave_single(band, node, header);
    return true;
}

bool traverse_bypass(struct band *band, uint32_t node, const struct header *header, bool has_others)
{
    if (header->route.link != NONE)
        return forward_header(band, node, header, has_others);
    return !has_others && eject_header(band, node, header);
}
