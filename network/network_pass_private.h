/* network_pass_private.h - how a flit passes an output and leaves its buffer.
 *
 * These are the innermost steps. They are part of the loops that call them: called as functions they would
 * take a tenth of all instructions for entry and exit alone.
 */
#ifndef MESHCAST_NETWORK_NETWORK_PASS_PRIVATE_H
#define MESHCAST_NETWORK_NETWORK_PASS_PRIVATE_H

#include "network/network_steps_private.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))
/* What is seldom needed, so that it takes no registers from what often is. */
#define NEVER_INLINE __attribute__((noinline))

/* A flit passes a consumption channel. */
void pass_consumption(struct band *band, struct part *part, struct output *output);

/* The tail has passed a consumption channel at the part's stop. */
void serve_destination(struct band *band, const struct part *part);

/* The mail to another band. */
static inline struct mail *mail_out(struct band *band, const struct band *to)
{
    band->sent[band->cycle & 1] |= UINT64_C(1) << to->number;
    return &band->mail[band->cycle & 1][to->number];
}

/* The mail to the band of a node, or of a channel's sending side, that is not this band's. */
struct mail *mail_to_other_node(struct band *band, uint32_t node);
struct mail *mail_to_other_channel(struct band *band, uint32_t channel);

static inline struct mail *mail_to_node(struct band *band, uint32_t node)
{
    if (node - band->first < band->end - band->first)
        return band->own_mail;
    return mail_to_other_node(band, node);
}

static inline struct mail *mail_to_channel(struct band *band, uint32_t channel)
{
    if (channel - band->first_record < band->end_record - band->first_record ||
        !is_link_channel(band->network, channel))
        return band->own_mail;
    return mail_to_other_channel(band, channel);
}

/* ---- a flit over a channel ---- */

/* A header leaves a node over a channel. */
ALWAYS_INLINE void pass_header(struct band *band, uint32_t node, struct head head)
{
    struct network *network = band->network;
    struct channel *channel = channel_at(network, head.channel);
    if (network->observation != NULL)
        observe_channel(band, node, head.message, head.stop, head.channel, true);
    channel->used++;
    band->work++;
    if (is_link_channel(network, head.channel)) {
        channel->crossings++;
        band->counts.crossings++;
    } else {
        band->counts.startups++;
    }
    band_keep(band, head_push(&mail_to_node(band, channel->to)->heads, head));
}

ALWAYS_INLINE void pass_body(struct band *band, const struct part *part, uint32_t number)
{
    struct network *network = band->network;
    struct channel *channel = channel_at(network, number);
    if (network->observation != NULL)
        observe_channel(band, part->node, part->message, part->stop, number, false);
    channel->used++;
    band->work++;
    if (is_link_channel(network, number)) {
        channel->crossings++;
        band->counts.crossings++;
    }
    band_keep(band, index_push(&mail_to_node(band, channel->to)->bodies, number));
}

ALWAYS_INLINE void pass_channel(struct band *band, struct part *part, struct output *output)
{
    struct network *network = band->network;
    if (output->moved == 0)
        pass_header(band, part->node,
                    (struct head){.message = part->message,
                                  .channel = output->channel,
                                  .stop = output->stop,
                                  .flits = part->flits,
                                  .bearing = {.link = NONE}});
    else
        pass_body(band, part, output->channel);
    if (++output->moved < part->flits)
        return;
    channel_at(network, output->channel)->owner = NONE;
    if (is_link_channel(network, output->channel) && !network->settings.releases_when_left)
        give_back_channel(band, part->node, output->channel);
}

/* ---- out of the buffer ---- */

/* The tail has left: the next worm in the buffer comes to its front. */
ALWAYS_INLINE void part_finish(struct band *band, uint32_t id)
{
    struct network *network = band->network;
    struct part *part = &band->part[id];
    if (network->is_stored) {
        network->sender[part->node].held--;
    } else {
        struct channel *inlet = channel_at(network, part->inlet);
        inlet->first = part->next;
        if (part->next != NONE)
            ask_at(band, part->next, band->part[part->next].since + network->delay,
                   band->cycle + 1);
        else
            inlet->last = NONE;
    }
    if (is_link_channel(network, part->inlet))
        return;
    /* The injection channel is free */
    uint32_t number = part->inlet - network->link_records -
                      channel_base(network->topology, network->injection, part->node);
    network->node[part->node].free_injection |= UINT64_C(1) << number;
    band->counts.taken--;
    if (network->node[part->node].has_sendings)
        touch(band, part->node);
}

/* The flit that was next has moved over all outputs. Returns a part that may follow into its slot, or NONE. */
ALWAYS_INLINE uint32_t part_leave(struct band *band, uint32_t id)
{
    struct network *network = band->network;
    struct part *part = &band->part[id];
    uint32_t follower = NONE;
    bool is_tail = ++part->out == part->flits;
    bool is_reserving = network->is_circuit && part->out == 1 && !is_tail;
    if (!part->is_feeder) {
        struct channel *channel = channel_at(network, part->inlet);
        channel->flits--;
        /* Behind a header that reserves more of its circuit the acknowledgement gives the slot back */
        if (is_reserving && (part->outputs > 1 || part->way.one.stop != NONE))
            return NONE;
        /* As long as the tail has not come the owner is of the same worm */
        if (network->follows && part->in < part->flits && !is_reserving) {
            channel->used--;
            follower = channel->owner;
        } else {
            uint32_t release =
                is_tail && network->settings.releases_when_left ? CREDIT_RELEASES : 0;
            band_keep(band, index_push(&mail_to_channel(band, part->inlet)->credits,
                                       part->inlet | release));
        }
        if (is_tail)
            part_finish(band, id);
    }
    if (is_tail)
        part_free(band, id);
    return follower;
}

/* A single flit, which has no outputs to free and is on no list, has moved on; no other one follows into its slot. */
ALWAYS_INLINE void part_leave_single(struct band *band, uint32_t id, struct part *part)
{
    struct network *network = band->network;
    uint32_t release = network->settings.releases_when_left ? CREDIT_RELEASES : 0;
    channel_at(network, part->inlet)->flits--;
    band_keep(band,
              index_push(&mail_to_channel(band, part->inlet)->credits, part->inlet | release));
    part_finish(band, id);
    part_give(band, id);
}

static inline void list_next(struct band *band, uint32_t id)
{
    band->part[id].is_listed = true;
    band_keep(band, index_push(&band->next_movers, id));
}

/* ---- one output ---- */

static inline void bid(struct band *band, uint32_t channel)
{
    struct network *network = band->network;
    uint32_t number = channel_link(network, channel);
    struct link *link = link_at(network, number);
    if (link->ready == 0)
        band_keep(band, index_push(&band->contested, number));
    link->ready |= UINT64_C(1) << (channel - number - 1);
}

/* What most parts need; both ways of moving come to the same. */
ALWAYS_INLINE void advance_one(struct band *band, uint32_t id)
{
    struct network *network = band->network;
    struct part *part = &band->part[id];
    struct output *output = &part->way.one;
    part->is_listed = false;
    if (part->out == part->in || output->channel >= LATER)
        return;
    if (output->stop == NONE) {
        pass_consumption(band, part, output);
    } else {
        if (channel_at(network, output->channel)->used >= network->depth)
            return;
        if (network->vcs > 1 && is_link_channel(network, output->channel)) {
            part->is_listed = true;
            bid(band, output->channel);
            return;
        }
        pass_channel(band, part, output);
    }
    part_leave(band, id);
    if (part->message == NULL)
        return;
    if (network->vcs == 1)
        list_next(band, id);
    else
        part->is_listed = true;
}

#endif
