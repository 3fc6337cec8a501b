/* network_deadlock_rules.c - the rules of doc/network.md ("Deadlock"), one by one: what a part needs to go on. */
#include "network/network_deadlock_private.h"

/* ---- parts around a channel ---- */

/* Returns the band that sends on a channel. */
static const struct band *sending_band(const struct network *network, uint32_t channel)
{
    if (!is_link_channel(network, channel))
        return network_band(network, channel_at(network, channel)->to);
    const struct band *band = network->band;
    while (channel >= band->end_record)
        band++;
    return band;
}

/* Returns the band of the node to which a channel leads. */
static const struct band *receiving_band(const struct network *network, uint32_t channel)
{
    return network_band(network, channel_at(network, channel)->to);
}

uint32_t search_owner(const struct search *search, uint32_t channel)
{
    uint32_t id = channel_at(search->network, channel)->owner;
    return id == NONE ? NONE : search_number(search, sending_band(search->network, channel), id);
}

uint32_t search_front(const struct search *search, uint32_t channel)
{
    uint32_t id = channel_at(search->network, channel)->first;
    return id == NONE ? NONE : search_number(search, receiving_band(search->network, channel), id);
}

uint32_t search_last(const struct search *search, uint32_t channel)
{
    uint32_t id = channel_at(search->network, channel)->last;
    return id == NONE ? NONE : search_number(search, receiving_band(search->network, channel), id);
}

uint32_t search_behind(const struct search *search, const struct part *part)
{
    return part->in < part->flits && !part->is_feeder ? search_owner(search, part->inlet) : NONE;
}

/* ---- groups of channels ---- */

struct group *search_link_group(const struct search *search, uint32_t link, uint32_t class)
{
    return &search->group[(uint64_t)link / search->network->stride * search->classes + class];
}

struct group *search_consumption_group(const struct search *search, uint32_t node)
{
    return &search->group[search->network->topology->links * search->classes + node];
}

bool search_can_be_had(const struct search *search, uint32_t channel)
{
    const struct network *network = search->network;
    uint32_t front = search_front(search, channel), owner = search_owner(search, channel);
    bool is_emptied = front == NONE || search->can_go_on[front];
    if (network->is_cut_through)
        return is_emptied;
    return (owner == NONE || search->clears[owner]) &&
           (is_emptied || !network->settings.releases_when_left);
}

/* Cut-through: returns the longest message for which a buffer has room after all that the channel's owner has still to
 * send. */
static uint32_t room_behind_owner(const struct search *search, uint32_t link, uint32_t vc)
{
    const struct network *network = search->network;
    uint32_t channel = link + 1 + vc, owner = search_owner(search, channel);
    uint64_t flits = channel_at(network, channel)->used, buffer = network->settings.buffer;
    bool is_free = (link_at(network, link)->free >> vc & 1) != 0;
    if (!is_free && network->settings.releases_when_left)
        return 0;
    if (owner != NONE)
        flits += search->part[owner]->flits - output_over(search->part[owner], channel)->moved;
    return flits < buffer ? (uint32_t)(buffer - flits) : 0;
}

static struct group *known_link_group(const struct search *search, uint32_t link, uint32_t class)
{
    const struct network *network = search->network;
    struct group *group = search_link_group(search, link, class);
    uint64_t channels = group->is_known ? 0 : network->class_channels[class];
    for (; channels != 0 && group->flits < GROUP_ANY_MESSAGE; channels &= channels - 1) {
        uint32_t vc = (uint32_t)__builtin_ctzll(channels), flits = 0;
        if (search_can_be_had(search, link + 1 + vc))
            flits = GROUP_ANY_MESSAGE;
        else if (network->is_cut_through)
            flits = room_behind_owner(search, link, vc);
        if (group->flits < flits)
            group->flits = flits;
    }
    group->is_known = true;
    return group;
}

/* Returns the part that has a consumption channel of a node, none of which is free. */
static uint32_t consumer_at(const struct search *search, uint32_t node, uint32_t channel)
{
    const struct network *network = search->network;
    uint32_t first = channel_base(network->topology, network->consumption, node);
    return search_number(search, network_band(network, node), network->consumer[first + channel]);
}

static struct group *known_consumption_group(const struct search *search, uint32_t node)
{
    const struct network *network = search->network;
    struct group *group = search_consumption_group(search, node);
    if (group->is_known)
        return group;
    bool can = network->node[node].free_consumption != 0;
    uint32_t channels = channels_of(network->topology, network->consumption, node);
    for (uint32_t channel = 0; channel < channels && !can; channel++)
        can = search->clears[consumer_at(search, node, channel)];
    group->flits = can ? GROUP_ANY_MESSAGE : 0;
    group->is_known = true;
    return group;
}

/* ---- outputs of a part ---- */

/* A walk through the outputs of a part, or of a header that has not asked yet through those that it will ask for. */
struct outputs {
    struct part *part;
    uint32_t count; /* of outputs so far */
    uint32_t child; /* the next stop after a branch */
    struct output output;
};

/* Steps to the next output; false if there is none. */
static bool outputs_next(struct outputs *outputs)
{
    struct part *part = outputs->part;
    const struct stop_copy *stop = part->message->stop;
    uint32_t at = outputs->count++;
    if (part->has_asked && at < part->outputs)
        outputs->output = part_outputs(part)[at];
    if (part->has_asked)
        return at < part->outputs;
    outputs->output = (struct output){.channel = LACKING, .stop = part->stop};
    if (stop[part->stop].node != part->node)
        return at == 0;
    if (at == 0)
        outputs->child = part->stop + 1;
    outputs->output.stop = at == 0 && stop[part->stop].is_destination ? NONE : outputs->child;
    if (outputs->output.stop == NONE)
        return true;
    if (outputs->child == part->stop + stop[part->stop].span)
        return false;
    outputs->child += stop[outputs->child].span;
    return true;
}

/* Finds the links that an output may take before it is granted one; returns their number. */
static uint32_t choices_of(const struct search *search, const struct part *part, uint32_t stop,
                           struct routing_choice choice[ROUTING_CHOICES])
{
    const struct network *network = search->network;
    const struct stop_copy *to = &part->message->stop[stop];
    return routing_next_stop(network->routing, network->topology, part->node, to->node, to->class,
                             choice);
}

/* Finds the groups of which an output may take any channel before it is granted one; returns their number. */
static uint32_t groups_of(const struct search *search, const struct part *part, uint32_t stop,
                          struct group *group[ROUTING_CHOICES])
{
    struct routing_choice choice[ROUTING_CHOICES];
    if (stop == NONE) {
        group[0] = known_consumption_group(search, part->node);
        return 1;
    }
    uint32_t choices = choices_of(search, part, stop, choice);
    for (uint32_t c = 0; c < choices; c++)
        group[c] = known_link_group(search, port_link(search->network, part->node, choice[c].port),
                                    choice[c].class);
    return choices;
}

static bool granted_can(const struct search *search, const struct output *output)
{
    const struct network *network = search->network;
    if (output->stop != NONE && network->is_circuit && output->moved > 0)
        return search->can_go_on[search_last(search, output->channel)];
    return output->stop == NONE || network->is_cut_through ||
           channel_at(network, output->channel)->used < network->settings.buffer ||
           search->can_go_on[search_front(search, output->channel)];
}

static bool output_can(const struct search *search, const struct part *part,
                       const struct output *output)
{
    struct group *group[ROUTING_CHOICES];
    if (output->channel < LATER)
        return granted_can(search, output);
    if (output->stop == NONE && search->network->is_cut_through)
        return true;
    uint32_t groups = groups_of(search, part, output->stop, group);
    for (uint32_t i = 0; i < groups; i++)
        if (part->flits <= group[i]->flits)
            return true;
    return false;
}

/* Enters a part in the groups for which its output waits. A granted output waits for the part at the front of its buffer,
 * which finds it as the channel's owner. */
static void wait_in_groups(struct search *search, uint32_t g, const struct output *output)
{
    struct group *group[ROUTING_CHOICES];
    if (output->channel < LATER)
        return;
    uint32_t groups = groups_of(search, search->part[g], output->stop, group);
    for (uint32_t i = 0; i < groups; i++) {
        search_push(search, &search->waiter, g);
        search_push(search, &search->waiter, group[i]->waiters);
        group[i]->waiters = search->waiter.count - 1;
    }
}

bool search_look(struct search *search, uint32_t g)
{
    struct outputs outputs = {.part = search->part[g]};
    if (search->before[g] != NONE && !search->can_go_on[search->before[g]])
        return false;
    while (outputs_next(&outputs))
        if (!output_can(search, outputs.part, &outputs.output)) {
            wait_in_groups(search, g, &outputs.output);
            return false;
        }
    search->can_go_on[g] = true;
    return true;
}

/* ---- what a part waits for ---- */

void search_block(struct search *search, struct blocker blocker)
{
    struct blockers *list = &search->blockers;
    if (list->count == list->allocated) {
        void *more = list_grow(list->item, &list->allocated, sizeof *list->item);
        search->is_short |= more == NULL;
        if (more == NULL)
            return;
        list->item = more;
    }
    list->item[list->count++] = blocker;
}

static void block_unless_it_can(struct search *search, struct blocker blocker)
{
    if (!search->can_go_on[blocker.part])
        search_block(search, blocker);
}

/* Adds all parts from blocker.part backwards that cannot go on, since the worm's tail gives the channel back. */
static void block_by_rest(struct search *search, struct blocker blocker)
{
    for (; blocker.part != NONE; blocker.part = search_behind(search, search->part[blocker.part]))
        block_unless_it_can(search, blocker);
}

static void block_by_channel(struct search *search, uint32_t channel, uint32_t to)
{
    const struct network *network = search->network;
    uint32_t front = search_front(search, channel);
    if (!network->is_cut_through)
        block_by_rest(search, (struct blocker){search_owner(search, channel), NEED_LINK, to});
    if (front != NONE && (network->is_cut_through || network->settings.releases_when_left))
        block_unless_it_can(search, (struct blocker){front, NEED_LINK, to});
}

static void block_by_output(struct search *search, const struct part *part,
                            const struct output *output)
{
    const struct network *network = search->network;
    struct routing_choice choice[ROUTING_CHOICES];
    if (output->channel < LATER) {
        block_unless_it_can(search,
                            (struct blocker){search_front(search, output->channel), NEED_ROOM,
                                             channel_at(network, output->channel)->to});
        return;
    }
    if (output->stop == NONE) {
        uint32_t channels = channels_of(network->topology, network->consumption, part->node);
        for (uint32_t channel = 0; channel < channels; channel++)
            block_by_rest(search, (struct blocker){consumer_at(search, part->node, channel),
                                                   NEED_CONSUMPTION, part->node});
        return;
    }
    uint32_t choices = choices_of(search, part, output->stop, choice);
    for (uint32_t c = 0; c < choices; c++) {
        uint32_t first = port_link(network, part->node, choice[c].port) + 1;
        for (uint32_t vc = 0; vc < network->vcs; vc++)
            if ((network->class_channels[choice[c].class] >> vc & 1) != 0)
                block_by_channel(search, first + vc, channel_at(network, first)->to);
    }
}

void search_name_blockers(struct search *search, uint32_t g)
{
    struct outputs outputs = {.part = search->part[g]};
    uint32_t before = search->before[g];
    search->blockers.count = 0;
    if (before != NONE && !search->can_go_on[before]) {
        block_unless_it_can(search, (struct blocker){before, NEED_FRONT, outputs.part->node});
        return;
    }
    while (outputs_next(&outputs))
        if (!output_can(search, outputs.part, &outputs.output))
            block_by_output(search, outputs.part, &outputs.output);
}
