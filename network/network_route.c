/* network_route.c - route computation: where a header goes next, and when it begins to ask.
 *
 * A header that the routing leaves no choice knows its next link when it arrives, and mostly keeps the same port for some
 * nodes (lookahead). Headers that begin to ask in one cycle at one node are a list in the order of service:
 * message, worm, stop.
 */
#include "network/network_private.h"

#include <stdlib.h>

void find_route(const struct network *network, uint32_t node, struct header *header)
{
    struct routing_choice choice[ROUTING_CHOICES];
    const struct stop_copy *target = &header->message->stop[header->stop];
    if (target->node != node && routing_next_stop(network->routing, network->topology, node,
                                                  target->node, target->class, choice) == 1)
        header->route = (struct lookahead_route){port_link(network, node, choice->port),
                                                 choice->class, choice->run};
}

/* ---- outputs ---- */

static bool make_outputs(struct segment *segment, uint32_t count)
{
    if (count > 1) {
        struct output *many = memory_allocate(count, sizeof *many);
        if (many == NULL)
            return false;
        segment->way.many = many;
    }
    segment->outputs = (uint16_t)count;
    return true;
}

/* Lists what a header needs at a stop: an ejection channel first, then a link to each next stop. */
static bool find_branches(const struct network *network, struct segment *segment)
{
    const struct stop_copy *stop = segment->message->stop, *here = &stop[segment->stop];
    uint32_t end = segment->stop + here->span, count = here->is_destination, children = 0;
    for (uint32_t child = segment->stop + 1; child < end; child += stop[child].span)
        count++;
    if (!make_outputs(segment, count))
        return false;
    struct output *output = segment_outputs(segment);
    if (here->is_destination)
        *output++ = (struct output){.channel = LACKING, .stop = NONE, .requests = NONE};
    for (uint32_t child = segment->stop + 1; child < end; child += stop[child].span)
        *output++ = (struct output){
            .channel = children++ > 0 && network->settings.is_one_port ? LATER : LACKING,
            .stop = child,
            .requests = NONE};
    segment->lacking = (uint16_t)count;
    return true;
}

bool find_outputs(const struct network *network, struct segment *segment)
{
    if (segment->message->stop[segment->stop].node == segment->node)
        return find_branches(network, segment);
    segment->outputs = 1;
    segment->way.one = (struct output){.channel = LACKING, .stop = segment->stop, .requests = NONE};
    segment->lacking = 1;
    return true;
}

/* ---- requesters ---- */

/* Adds a header to those that begin to ask at its node in the allocation of a cycle. */
static void add_requester(struct band *band, uint32_t node, const struct header *header,
                          uint64_t cycle)
{
    struct header_list *list = &band->requesters[cycle & 1];
    uint32_t added = list->count;
    if (!LIST_PUSH(list, *header)) {
        band->is_out_of_memory = true;
        return;
    }
    activate(band, node);
    uint32_t *place = &band->network->node[node].requesters;
    while (*place != NONE && stop_precedes(list->item[*place].message, list->item[*place].stop,
                                           header->message, header->stop))
        place = &list->item[*place].next;
    list->item[added].next = *place;
    *place = added;
}

void ask_from(struct band *band, uint32_t node, const struct header *header, uint64_t due,
              uint64_t next)
{
    if (due <= next)
        add_requester(band, node, header, next);
    else
        band_keep(band,
                  wheel_push(&band->wheel, next, due,
                             (struct event){.of.ask = {header->segment, 0}, .kind = EVENT_ASK}));
}

void segment_ask_from(struct band *band, uint32_t id, uint64_t due, uint64_t next)
{
    const struct segment *segment = &band->segment[id];
    ask_from(band, segment->node,
             &(struct header){.message = segment->message,
                              .channel = segment->inlet,
                              .stop = segment->stop,
                              .flits = segment->flits,
                              .route = segment->way.route,
                              .segment = id},
             due, next);
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
