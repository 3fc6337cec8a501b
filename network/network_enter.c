/* network_enter.c - what moved in a cycle enters the next buffers; slots that became free are free.
 *
 * Each band reads the mail of all bands. A channel brings one flit a cycle, so the order does not matter.
 */
#include "network/network_pass_private.h"

/* Sends a circuit's acknowledgement back from a channel: the header's slot beyond it has come back, so the circuit is
 * reserved from here to its end. It passes one channel per cycle. */
static NEVER_INLINE void acknowledge(struct band *band, const struct channel *channel)
{
    if (channel->used == 0 && channel->owner != NONE && band->part[channel->owner].out == 1)
        schedule(band, band->cycle + 1,
                 (struct event){.of.ask = {channel->owner, 0}, .kind = EVENT_ACKNOWLEDGE});
}

static inline void enter_credit(struct band *band, uint32_t credit)
{
    struct network *network = band->network;
    uint32_t number = credit & ~CREDIT_RELEASES;
    struct channel *channel = channel_at(network, number);
    /* Only a full buffer makes its sender wait */
    if (channel->used-- >= network->depth && channel->owner != NONE) {
        struct part *part = &band->part[channel->owner];
        if (part->out < part->in && (part->lacking == 0 || !network->is_lockstep))
            list_mover(band, channel->owner);
    }
    if (network->is_circuit)
        acknowledge(band, channel);
    if (!is_link_channel(network, number))
        return;
    /* Under cut-through a free channel may have room now */
    if (credit == number && !network->is_cut_through)
        return;
    uint32_t link = channel_link(network, number);
    const struct queue *requests = &link_at(network, link)->requests;
    if (credit != number) {
        link_at(network, link)->free |= UINT64_C(1) << (number - link - 1);
        band->counts.taken--;
    }
    if (requests->first != NONE)
        link_pend(band, band->part[band->request[requests->first].part].node, link);
}

/* As much of the message has come as the header needs to ask: the whole one under store-and-forward, else the header. */
static inline void came(struct band *band, uint32_t id)
{
    ask_at(band, id, band->cycle + 1 + band->network->delay, band->cycle + 1);
}

/* The routing says where a header between two stops goes, if it has no choice. */
static NEVER_INLINE void route(const struct network *network, struct part *part)
{
    struct routing_choice choice[ROUTING_CHOICES];
    const struct stop_copy *target = &part->message->stop[part->stop];
    if (target->node != part->node &&
        routing_next_stop(network->routing, network->topology, part->node, target->node,
                          target->class, choice) == 1)
        part->way.coming.bearing = (struct bearing){port_link(network, part->node, choice->port),
                                                    choice->class, choice->run};
}

/* Messages at a node do not stand in one another's way, and are counted. */
static NEVER_INLINE void store_head(struct band *band, uint32_t id)
{
    struct network *network = band->network;
    const struct part *part = &band->part[id];
    uint32_t held = ++network->sender[part->node].held;
    if (network->settings.buffer > 0 && held > network->settings.buffer &&
        part->node < band->overflow)
        band->overflow = part->node;
    if (band->counts.buffer_peak < held)
        band->counts.buffer_peak = held;
    if (part->flits == 1)
        came(band, id);
}

ALWAYS_INLINE void enter_head(struct band *band, const struct head *head)
{
    struct network *network = band->network;
    struct channel *channel = channel_at(network, head->channel);
    uint32_t id = part_make(band), before = channel->last, flits = ++channel->flits;
    if (id == NONE)
        return;
    struct part *part = &band->part[id];
    *part = (struct part){.message = head->message,
                          .since = band->cycle + 1,
                          .flits = head->flits,
                          .in = 1,
                          .inlet = head->channel,
                          .node = channel->to,
                          .stop = head->stop,
                          .next = NONE,
                          .lacking = 1,
                          .way.coming.bearing = head->bearing};
    if (head->bearing.link == NONE)
        route(network, part);
    channel->last = id;
    if (network->is_stored) {
        store_head(band, id);
        return;
    }
    if (flits > band->counts.buffer_peak && is_link_channel(network, head->channel))
        band->counts.buffer_peak = flits;
    if (before == NONE) {
        channel->first = id;
        came(band, id);
    } else {
        band->part[before].next = id;
    }
}

static inline void enter_body(struct band *band, uint32_t number)
{
    struct network *network = band->network;
    struct channel *channel = channel_at(network, number);
    struct part *part = &band->part[channel->last];
    part->in++;
    channel->flits++;
    band->is_broken |= part->in > part->flits;
    if (network->is_stored) {
        if (part->in == part->flits)
            came(band, channel->last);
        return;
    }
    if (is_link_channel(network, number) && band->counts.buffer_peak < channel->flits)
        band->counts.buffer_peak = channel->flits;
    if (part->has_asked && (part->lacking == 0 || !network->is_lockstep))
        list_mover(band, channel->last);
}

enum { FETCH_CHANNEL = 10, FETCH_PART = 5 };

static void read_credits(struct band *band, const struct index_list *credits)
{
    const struct network *network = band->network;
    bool fetches = network->fetches;
    for (uint32_t i = 0; i < credits->count; i++) {
        if (fetches && i + FETCH_CHANNEL < credits->count)
            __builtin_prefetch(
                channel_at(network, credits->item[i + FETCH_CHANNEL] & ~CREDIT_RELEASES), 1);
        enter_credit(band, credits->item[i]);
    }
}

static void read_heads(struct band *band, const struct head_list *heads)
{
    const struct network *network = band->network;
    const struct head *head = heads->item, *end = head + heads->count;
    bool fetches = network->fetches;
    for (; head < end; head++) {
        if (fetches && head + FETCH_CHANNEL < end) {
            __builtin_prefetch(channel_at(network, head[FETCH_CHANNEL].channel), 1);
            if (head[FETCH_CHANNEL].bearing.link == NONE)
                __builtin_prefetch(head[FETCH_CHANNEL].message);
        }
        if (fetches && head + FETCH_PART < end)
            __builtin_prefetch(&network->node[channel_at(network, head[FETCH_PART].channel)->to],
                               1);
        enter_head(band, head);
    }
}

static void read_bodies(struct band *band, const struct index_list *bodies)
{
    const struct network *network = band->network;
    bool fetches = network->fetches;
    for (uint32_t i = 0; i < bodies->count; i++) {
        if (fetches && i + FETCH_CHANNEL < bodies->count)
            __builtin_prefetch(channel_at(network, bodies->item[i + FETCH_CHANNEL]), 1);
        if (fetches && i + FETCH_PART < bodies->count) {
            uint32_t last = channel_at(network, bodies->item[i + FETCH_PART])->last;
            if (last != NONE)
                __builtin_prefetch(&band->part[last], 1);
        }
        enter_body(band, bodies->item[i]);
    }
}

static void read_mail(struct band *band, struct mail *mail)
{
    read_credits(band, &mail->credits);
    read_heads(band, &mail->heads);
    read_bodies(band, &mail->bodies);
    mail->credits.count = mail->heads.count = mail->bodies.count = 0;
}

void band_enter(struct band *band)
{
    struct network *network = band->network;
    read_mail(band, band->own_mail);
    for (uint32_t from = 0; from < network->bands; from++)
        if ((network->band[from].sent[band->cycle & 1] >> band->number & 1) != 0)
            read_mail(band, &network->band[from].mail[band->cycle & 1][band->number]);
}
