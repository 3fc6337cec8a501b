/* network_wait.c - headers that ask for outputs take what is free, and wait for the rest.
 *
 * What a header does not get when it asks it waits for in a queue: of a link (one request in each of the
 * links among which it may choose), or of the node's consumption channels. A queue is served when
 * something that it waits for is given back; so a request that waits cannot take anything that is free.
 * Queues stand in the order of service: since when, message, worm, stop.
 *
 * Queues of different links are independent as long as no header has a choice. Where one has, and several links
 * of a node were given back in one cycle, all requests of these links are served in one order.
 */
#include "network/network_steps_private.h"

#include <stdlib.h>

struct choices {
    uint32_t count;
    struct routing_choice choice[ROUTING_CHOICES];
};

/* Gives a free virtual channel of a link to a part; returns the channel. */
static inline uint32_t own_channel(struct band *band, uint32_t id, uint32_t link, uint32_t vc)
{
    uint32_t channel = link + 1 + vc;
    link_at(band->network, link)->free &= ~(UINT64_C(1) << vc);
    channel_at(band->network, channel)->owner = id;
    band->counts.taken++;
    return channel;
}

static inline bool take_channel(struct band *band, uint32_t id, struct output *output,
                                struct routing_choice choice)
{
    struct network *network = band->network;
    struct part *part = &band->part[id];
    uint32_t number = port_link(network, part->node, choice.port);
    struct link *link = link_at(network, number);
    uint64_t free = link->free & network->class_channels[choice.class];
    for (; free != 0; free &= free - 1) {
        uint32_t vc = (uint32_t)__builtin_ctzll(free);
        const struct channel *channel = channel_at(network, number + 1 + vc);
        if (network->is_cut_through && network->depth - channel->used < part->flits)
            continue;
        output->channel = own_channel(band, id, number, vc);
        return true;
    }
    return false;
}

static bool take_consumption(struct band *band, uint32_t id, struct output *output)
{
    struct network *network = band->network;
    uint32_t node = band->part[id].node;
    uint64_t *free = &network->node[node].free_consumption;
    if (*free == 0)
        return false;
    output->channel = (uint32_t)__builtin_ctzll(*free);
    *free &= *free - 1;
    network
        ->consumer[channel_base(network->topology, network->consumption, node) + output->channel] =
        id;
    band->counts.taken++;
    return true;
}

/* Takes the first choice that is free; of a link, `choices` are what was tried. */
static inline bool try_output(struct band *band, uint32_t id, uint32_t index,
                              struct choices *choices)
{
    struct network *network = band->network;
    struct part *part = &band->part[id];
    struct output *output = &part_outputs(part)[index];
    bool has_taken = false;
    if (output->stop == NONE) {
        has_taken = take_consumption(band, id, output);
    } else {
        const struct stop_copy *stop = &part->message->stop[output->stop];
        choices->count = routing_next_stop(network->routing, network->topology, part->node,
                                           stop->node, stop->class, choices->choice);
        if (choices->count > 1)
            band->has_choices = true;
        for (uint32_t i = 0; i < choices->count && !has_taken; i++)
            has_taken = take_channel(band, id, output, choices->choice[i]);
    }
    if (!has_taken)
        return false;
    part->lacking--;
    if (part->lacking == 0 || !network->is_lockstep)
        list_mover(band, id);
    return true;
}

/* Requests an output in the queues of all links that it may be; of one link only once. */
static void wait_for_output(struct band *band, uint32_t id, uint32_t index,
                            const struct choices *choices)
{
    uint32_t node = band->part[id].node;
    if (part_outputs(&band->part[id])[index].stop == NONE) {
        request_join(band, id, index, NONE);
        band->network->node[node].is_asked_to_consume = true;
        return;
    }
    for (uint32_t i = 0; i < choices->count; i++) {
        bool is_again = false;
        for (uint32_t j = 0; j < i; j++)
            is_again |= choices->choice[j].port == choices->choice[i].port;
        if (!is_again)
            request_join(band, id, index, port_link(band->network, node, choices->choice[i].port));
    }
}

/* A header that waits tries again. */
static void try_again(struct band *band, uint32_t id, uint32_t index)
{
    struct choices choices;
    struct part *part = &band->part[id];
    if (part_outputs(part)[index].channel == LACKING && try_output(band, id, index, &choices))
        request_leave(band, part->node, &part_outputs(part)[index]);
}

static void serve_consumption(struct band *band, uint32_t place)
{
    struct node *node = &band->network->node[place];
    const struct queue *requests = &band->network->sender[place].requests;
    while (node->free_consumption != 0 && requests->first != NONE) {
        const struct request *request = &band->request[requests->first];
        try_again(band, request->part, request->output);
    }
    node->is_consumption_pending = false;
    node->is_asked_to_consume = requests->first != NONE;
}

/* An output asks on a link once, so a grant takes no other request out of this queue. */
static void serve_link(struct band *band, struct link *link)
{
    uint32_t a = link->requests.first;
    while (a != NONE && link->free != 0) {
        const struct request *request = &band->request[a];
        a = request->next;
        try_again(band, request->part, request->output);
    }
}

/* All requests of the pending links, in one order. */
static void serve_together(struct band *band, uint32_t first)
{
    struct network *network = band->network;
    uint32_t count = 0;
    for (uint32_t l = first; l != NONE; l = link_at(network, l)->pending)
        for (uint32_t a = link_at(network, l)->requests.first; a != NONE; a = band->request[a].next)
            count++;
    struct request *requests = memory_allocate(count, sizeof *requests);
    if (requests == NULL) {
        band->is_out_of_memory = true;
        return;
    }
    count = 0;
    for (uint32_t l = first; l != NONE; l = link_at(network, l)->pending)
        for (uint32_t a = link_at(network, l)->requests.first; a != NONE; a = band->request[a].next)
            requests[count++] = band->request[a];
    qsort(requests, count, sizeof *requests, request_compare);
    for (uint32_t i = 0; i < count; i++)
        try_again(band, requests[i].part, requests[i].output);
    free(requests);
}

static void serve_pending(struct band *band, struct node *node)
{
    struct network *network = band->network;
    uint32_t first = node->pending;
    bool is_one = link_at(network, first)->pending == NONE;
    if (band->has_choices && !is_one)
        serve_together(band, first);
    for (uint32_t l = first; l != NONE; l = link_at(network, l)->pending) {
        link_at(network, l)->is_pending = false;
        if (!band->has_choices || is_one)
            serve_link(band, link_at(network, l));
    }
    node->pending = NONE;
}

/* Lists what a header needs at a stop: a consumption channel first, then a link for each next stop. */
static bool find_branches(const struct network *network, struct part *part)
{
    const struct stop_copy *stop = &part->message->stop[part->stop];
    uint32_t end = part->stop + stop->span, count = stop->is_destination, children = 0;
    for (uint32_t child = part->stop + 1; child < end; child += part->message->stop[child].span)
        count++;
    if (!part_make_outputs(part, count))
        return false;
    struct output *output = part_outputs(part);
    if (stop->is_destination)
        *output++ = (struct output){.channel = LACKING, .stop = NONE, .requests = NONE};
    for (uint32_t child = part->stop + 1; child < end; child += part->message->stop[child].span)
        *output++ = (struct output){
            .channel = children++ > 0 && network->settings.is_one_port ? LATER : LACKING,
            .stop = child,
            .requests = NONE};
    part->lacking = (uint16_t)count;
    return true;
}

/* Lists what the header needs here; between two stops that is one link. */
static inline bool find_outputs(const struct network *network, struct part *part)
{
    if (part->message->stop[part->stop].node == part->node)
        return find_branches(network, part);
    part->outputs = 1;
    part->way.one = (struct output){.channel = LACKING, .stop = part->stop, .requests = NONE};
    part->lacking = 1;
    return true;
}

/* A header that has no choice takes a channel of its link. */
static bool take_only_channel(struct band *band, uint32_t id, struct part *part,
                              struct bearing bearing)
{
    struct network *network = band->network;
    uint64_t free = link_at(network, bearing.link)->free & network->class_channels[bearing.class];
    if (free == 0 || network->is_cut_through)
        return false;
    uint32_t channel = own_channel(band, id, bearing.link, (uint32_t)__builtin_ctzll(free));
    part->way.one = (struct output){.channel = channel, .stop = part->stop, .requests = NONE};
    part->lacking = 0;
    part->outputs = 1;
    part->is_listed = true;
    band_keep(band, index_push(&band->movers, id));
    return true;
}

void grant_or_wait(struct band *band, uint32_t id)
{
    struct part *part = &band->part[id];
    struct bearing bearing = part->way.coming.bearing;
    part->since = band->cycle;
    part->has_asked = true;
    if (bearing.link != NONE && take_only_channel(band, id, part, bearing))
        return;
    if (!find_outputs(band->network, part)) {
        band->is_out_of_memory = true;
        return;
    }
    for (uint32_t i = 0; i < part->outputs; i++) {
        struct choices choices;
        if (part_outputs(part)[i].channel == LACKING && !try_output(band, id, i, &choices))
            wait_for_output(band, id, i, &choices);
    }
}

void grant_ask_again(struct band *band, uint32_t id, uint32_t index)
{
    struct network *network = band->network;
    struct part *part = &band->part[id];
    struct output *output = &part_outputs(part)[index];
    struct choices choices = {0};
    output->channel = LACKING;
    const struct stop_copy *stop = &part->message->stop[output->stop];
    choices.count = routing_next_stop(network->routing, network->topology, part->node, stop->node,
                                      stop->class, choices.choice);
    if (choices.count > 1)
        band->has_choices = true;
    wait_for_output(band, id, index, &choices);
    for (uint32_t i = 0; i < choices.count; i++)
        link_pend(band, part->node, port_link(network, part->node, choices.choice[i].port));
}

void grant_waiting(struct band *band, uint32_t place)
{
    struct node *node = &band->network->node[place];
    if (node->is_consumption_pending)
        serve_consumption(band, place);
    if (node->pending != NONE)
        serve_pending(band, node);
    if (node->has_sendings)
        sender_serve(band, place);
}
