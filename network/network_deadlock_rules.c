/* network_deadlock_rules.c - what a part needs to go on: the rules of doc/network.md ("Deadlock"), one by one. */
#include "network/network_deadlock_private.h"

static bool known(struct search *search, uint32_t g)
{
    if (!search->can_go_on[g] && search->names_blockers)
        search_block(search, (struct blocker){g, search->lack.need, search->lack.to});
    return search->can_go_on[g];
}

static void look_at(struct search *search, enum network_need need, uint32_t to)
{
    search->lack.need = need;
    search->lack.to = to;
}

/* The band that sends on a channel. */
static struct band *sending_band(struct network *network, uint32_t channel)
{
    if (!is_link_channel(network, channel))
        return network_band(network, channel_at(network, channel)->to);
    if (!channel_is_here(network, channel))
        return &network->band[network->bands];
    struct band *band = network->band;
    while (channel >= band->end_record)
        band++;
    return band;
}

uint32_t search_front(const struct search *search, uint32_t channel)
{
    const struct network *network = search->network;
    uint32_t id = channel_at(network, channel)->first;
    return id == NONE
               ? NONE
               : search_number(search,
                               search_band(search->network, channel_at(network, channel)->to), id);
}

/* A part and those of its worm behind it can go on, so its tail will come and go. Where one blocker will do it is the
 * last one: it waits for those ahead, as a rule. */
bool search_rest_can(struct search *search, struct band *band, uint32_t id)
{
    struct network *network = search->network;
    bool can = true;
    uint32_t count = search->blockers.count;
    while (id != NONE && !band->part[id].is_feeder) {
        const struct part *part = &band->part[id];
        uint32_t g = search_number(search, band, id);
        if (!search->can_go_on[g] && search->names_blockers == NAMES_ONE_OF_EACH)
            search->blockers.count = count;
        can &= known(search, g);
        band = sending_band(network, part->inlet);
        id = part->in < part->flits ? channel_at(network, part->inlet)->owner : NONE;
    }
    return can;
}

static bool can_be_given_back(struct search *search, uint32_t channel)
{
    struct network *network = search->network;
    bool can = true;
    if (channel_at(network, channel)->owner != NONE)
        can = search_rest_can(search, sending_band(network, channel),
                              channel_at(network, channel)->owner);
    if (network->settings.releases_when_left && search_front(search, channel) != NONE)
        can &= known(search, search_front(search, channel));
    return can;
}

/* Cut-through: the whole message has room, or will have it. */
static bool can_take_in(struct search *search, const struct part *part, uint32_t link, uint32_t vc)
{
    struct network *network = search->network;
    uint32_t channel = link + 1 + vc, front = search_front(search, channel);
    uint64_t flits = (uint64_t)channel_at(network, channel)->used + part->flits;
    bool is_owned = (link_at(network, link)->free >> vc & 1) == 0;
    if (channel_at(network, channel)->owner != NONE) {
        struct part *owner =
            &sending_band(network, channel)->part[channel_at(network, channel)->owner];
        flits += owner->flits - output_over(owner, channel)->moved;
    }
    if (front == NONE)
        return true;
    if (flits <= network->settings.buffer && !(is_owned && network->settings.releases_when_left))
        return true;
    return known(search, front);
}

static bool consumption_can(struct search *search, const struct part *part)
{
    struct network *network = search->network;
    const struct node *node = &network->node[part->node];
    struct band *band = network_band(network, part->node);
    bool can = node->free_consumption != 0 || network->is_cut_through;
    look_at(search, NEED_CONSUMPTION, part->node);
    if (can)
        return true;
    uint32_t first = channel_base(network->topology, network->consumption, part->node);
    for (uint32_t channel = 0;
         channel < channels_of(network->topology, network->consumption, part->node); channel++)
        can |= search_rest_can(search, band, network->consumer[first + channel]);
    return can;
}

/* An output that is not granted, for a stop. */
static bool link_can(struct search *search, const struct part *part, uint32_t stop)
{
    struct network *network = search->network;
    struct routing_choice choice[ROUTING_CHOICES];
    const struct stop_copy *to = &part->message->stop[stop];
    uint32_t choices = routing_next_stop(network->routing, network->topology, part->node, to->node,
                                         to->class, choice);
    for (uint32_t c = 0; c < choices && !network->is_cut_through; c++) {
        uint32_t link = port_link(network, part->node, choice[c].port);
        if ((link_at(network, link)->free & network->class_channels[choice[c].class]) != 0)
            return true;
    }
    bool can = false;
    for (uint32_t c = 0; c < choices; c++) {
        uint32_t link = port_link(network, part->node, choice[c].port);
        look_at(search, NEED_LINK, channel_at(network, link + 1)->to);
        for (uint32_t vc = 0; vc < network->vcs; vc++) {
            if ((network->class_channels[choice[c].class] >> vc & 1) == 0)
                continue;
            can |= network->is_cut_through ? can_take_in(search, part, link, vc)
                                           : can_be_given_back(search, link + 1 + vc);
        }
    }
    return can;
}

static bool granted_can(struct search *search, const struct output *output)
{
    struct network *network = search->network;
    if (output->stop == NONE || network->is_cut_through ||
        channel_at(network, output->channel)->used < network->settings.buffer)
        return true;
    look_at(search, NEED_ROOM, channel_at(network, output->channel)->to);
    return known(search, search_front(search, output->channel));
}

/* What blocks the choices of an output that can go on does not matter. */
static bool drop_blockers(struct search *search, uint32_t count, bool can)
{
    if (can)
        search->blockers.count = count;
    return can;
}

/* The outputs of a header that has not asked yet count as not granted. */
static bool stops_can(struct search *search, const struct part *part)
{
    const struct stop_copy *stop = &part->message->stop[part->stop];
    uint32_t count = search->blockers.count;
    if (stop->node != part->node)
        return drop_blockers(search, count, link_can(search, part, part->stop));
    bool can = true;
    if (stop->is_destination)
        can = drop_blockers(search, count, consumption_can(search, part));
    uint32_t end = part->stop + stop->span;
    for (uint32_t child = part->stop + 1; child < end; child += part->message->stop[child].span) {
        count = search->blockers.count;
        can &= drop_blockers(search, count, link_can(search, part, child));
    }
    return can;
}

bool search_part_can(struct search *search, uint32_t g)
{
    struct part *part = search->part[g];
    look_at(search, NEED_FRONT, part->node);
    if (search->before[g] != NONE && !known(search, search->before[g]))
        return false;
    if (!part->has_asked)
        return stops_can(search, part);
    const struct output *output = part_outputs(part);
    bool can = true;
    for (uint32_t i = 0; i < part->outputs; i++) {
        uint32_t count = search->blockers.count;
        bool output_can = output[i].channel < LATER ? granted_can(search, &output[i])
                          : output[i].stop == NONE  ? consumption_can(search, part)
                                                    : link_can(search, part, output[i].stop);
        can &= drop_blockers(search, count, output_can);
    }
    return can;
}
