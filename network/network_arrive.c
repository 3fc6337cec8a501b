/* network_arrive.c - headers, other flits, and credits for free places reach the other ends of
 * links.
 *
 * Each band reads the outboxes of all bands. A channel carries one flit per cycle, so the order
 * does not matter.
 */
#include "network/network_private.h"

#include "base/numbers.h"

/* Sends a circuit's acknowledgement back from a channel: the header's place beyond it has come
 * back, so the circuit is reserved from here to its end. It passes one channel per cycle. */
static NEVER_INLINE void acknowledge(struct band *band, const struct channel *channel)
{
    if (channel->used == 0 && channel->owner != NONE && band->segment[channel->owner].out == 1)
        schedule(band, band->cycle + 1,
                 (struct event){.of.ask = {channel->owner, 0}, .kind = EVENT_ACKNOWLEDGE});
}

void credit_frees(struct band *band, uint32_t number, bool releases)
{
    struct network *network = band->network;
    if (!is_link_channel(network, number))
        return;
    uint32_t link = channel_link(network, number);
    const struct queue *requests = &link_at(network, link)->requests;
    if (releases) {
        link_at(network, link)->free |= UINT64_C(1) << (number - link - 1);
        band->counts.taken--;
    }
    if (requests->first != NONE)
        link_release(band, band->segment[band->request.item[requests->first].segment].node, link);
}

static inline void arrive_credit(struct band *band, uint32_t credit)
{
    uint32_t number = credit & ~CREDIT_RELEASES;
    return_credit(band, number, credit != number);
    if (band->network->switching == SWITCHING_CIRCUIT)
        acknowledge(band, channel_at(band->network, number));
}

/* ---- segments in buffers ---- */

void segment_ask_from(struct band *band, uint32_t id, uint64_t due, uint64_t next)
{
    const struct segment *segment = &band->segment[id];
    struct event event = {.of.ask = {id, 0}, .kind = EVENT_ASK};
    if (due > next) {
        band_keep(band, wheel_push(&band->wheel, next, due, event));
        return;
    }
    struct header *header =
        add_requester(band, segment->node, next, segment->message, segment->stop);
    if (header == NULL)
        return;
    header->message = segment->message;
    header->channel = segment->inlet;
    header->stop = segment->stop;
    header->flits = segment->flits;
    header->route = segment->way.route;
    header->segment = id;
}

uint32_t join_buffer(struct band *band, uint32_t node, const struct header *header)
{
    uint32_t id = segment_make(band);
    if (id == NONE)
        return NONE;
    struct channel *channel = channel_at(band->network, header->channel);
    band->segment[id] = (struct segment){.message = header->message,
                                         .since = band->cycle + 1,
                                         .flits = header->flits,
                                         .in = 1,
                                         .inlet = header->channel,
                                         .node = node,
                                         .stop = header->stop,
                                         .next = NONE,
                                         .lacking = 1,
                                         .way.route = header->route};
    bool is_behind =
        channel->last != NONE && band->network->switching != SWITCHING_STORE_AND_FORWARD;
    *(is_behind ? &band->segment[channel->last].next : &channel->first) = id;
    channel->last = id;
    return id;
}

uint32_t header_stays(struct band *band, uint32_t node, const struct header *header)
{
    uint32_t id = segment_make(band);
    if (id == NONE)
        return NONE;
    struct channel *channel = channel_at(band->network, header->channel);
    band->segment[id] = (struct segment){.message = header->message,
                                         .since = band->cycle,
                                         .flits = header->flits,
                                         .in = 1,
                                         .inlet = header->channel,
                                         .node = node,
                                         .stop = header->stop,
                                         .next = channel->first,
                                         .lacking = 1,
                                         .way.route = header->route};
    if (channel->first == NONE)
        channel->last = id;
    channel->first = id;
    return id;
}

void requesters_stay(struct band *band)
{
    struct header_list *list = band->requesters;
    for (uint32_t i = 0; i < list[0].count + list[1].count; i++) {
        struct header *header =
            i < list[0].count ? &list[0].item[i] : &list[1].item[i - list[0].count];
        if (header->segment == NONE)
            header->segment =
                header_stays(band, channel_at(band->network, header->channel)->to, header);
    }
}

/* ---- arrivals ---- */

/* Counts a message that begins to be held at a node under store-and-forward. Messages do not block
 * one another there. */
static NEVER_INLINE void hold_message(struct band *band, uint32_t node)
{
    struct network *network = band->network;
    uint32_t held = ++network->source[node].held;
    if (network->settings.buffer > 0 && held > network->settings.buffer && node < band->overflow)
        band->overflow = node;
    if (band->counts.buffer_peak < held)
        band->counts.buffer_peak = held;
}

/* Lets a header arrive at a node that stores its whole message. */
static void store_header(struct band *band, struct header header)
{
    struct network *network = band->network;
    uint32_t node = channel_at(network, header.channel)->to;
    channel_at(network, header.channel)->flits++;
    if (header.route.link == NONE)
        header.route = find_route(network, node, header.message, header.stop);
    hold_message(band, node);
    uint32_t id = join_buffer(band, node, &header);
    if (id != NONE && header.flits == 1)
        segment_ask_from(band, id, band->cycle + 1 + network->delay, band->cycle + 1);
}

static inline void arrive_body(struct band *band, uint32_t number)
{
    struct network *network = band->network;
    struct channel *channel = channel_at(network, number);
    struct segment *segment = &band->segment[channel->last];
    segment->in++;
    channel->flits++;
    band->is_broken |= segment->in > segment->flits;
    if (network->switching == SWITCHING_STORE_AND_FORWARD) {
        if (segment->in == segment->flits)
            segment_ask_from(band, channel->last, band->cycle + 1 + network->delay,
                             band->cycle + 1);
        return;
    }
    if (is_link_channel(network, number) && band->counts.buffer_peak < channel->flits)
        band->counts.buffer_peak = channel->flits;
    if (segment->has_asked && (segment->lacking == 0 || !network->is_lockstep))
        list_mover(band, channel->last);
}

/* ---- prefetching ---- */

enum { FETCH_CHANNEL = 10, FETCH_SEGMENT = 5 };

static void arrive_credits(struct band *band, const struct index_list *credits)
{
    const struct network *network = band->network;
    for (uint32_t i = 0; i < credits->count; i++) {
        if (network->is_prefetched && i + FETCH_CHANNEL < credits->count)
            __builtin_prefetch(
                channel_at(network, credits->item[i + FETCH_CHANNEL] & ~CREDIT_RELEASES), 1);
        arrive_credit(band, credits->item[i]);
    }
}

static void arrive_headers(struct band *band, const struct header_list *headers)
{
    const struct network *network = band->network;
    struct header *header = headers->item, *end = header + headers->count;
    for (; header < end; header++) {
        if (network->is_prefetched && header + FETCH_CHANNEL < end) {
            __builtin_prefetch(channel_at(network, header[FETCH_CHANNEL].channel), 1);
            if (header[FETCH_CHANNEL].route.link == NONE)
                __builtin_prefetch(header[FETCH_CHANNEL].message);
        }
        if (network->is_prefetched && header + FETCH_SEGMENT < end)
            __builtin_prefetch(
                &network->node[channel_at(network, header[FETCH_SEGMENT].channel)->to], 1);
        if (network->switching == SWITCHING_STORE_AND_FORWARD)
            store_header(band, *header);
        else
            enter_buffer(band, header->message, header->channel, header->stop, header->flits,
                         header->route);
    }
}

static void arrive_bodies(struct band *band, const struct index_list *bodies)
{
    const struct network *network = band->network;
    for (uint32_t i = 0; i < bodies->count; i++) {
        if (network->is_prefetched && i + FETCH_CHANNEL < bodies->count)
            __builtin_prefetch(channel_at(network, bodies->item[i + FETCH_CHANNEL]), 1);
        if (network->is_prefetched && i + FETCH_SEGMENT < bodies->count) {
            uint32_t last = channel_at(network, bodies->item[i + FETCH_SEGMENT])->last;
            if (last != NONE)
                __builtin_prefetch(&band->segment[last], 1);
        }
        arrive_body(band, bodies->item[i]);
    }
}

static void open_outbox(struct band *band, struct outbox *outbox)
{
    arrive_credits(band, &outbox->credits);
    arrive_headers(band, &outbox->headers);
    arrive_bodies(band, &outbox->bodies);
    outbox->credits.count = outbox->headers.count = outbox->bodies.count = 0;
}

void band_arrive(struct band *band)
{
    struct network *network = band->network;
    open_outbox(band, band->own_outbox);
    for (uint32_t from = 0; from < network->bands; from++)
        if ((network->band[from].receivers[band->cycle & 1] >> band->number & 1) != 0)
            open_outbox(band, &network->band[from].outbox[band->cycle & 1][band->number]);
    for (uint32_t i = 0; i < band->rising.count; i++)
        band->counts.buffer_peak =
            max_u32(band->counts.buffer_peak, channel_at(network, band->rising.item[i])->flits);
    band->rising.count = 0;
}
