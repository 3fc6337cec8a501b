/* network_route.c - route computation: the next link of a header.
 *
 * A header without a choice knows its next link when it arrives, and mostly keeps the same port for
 * some nodes (lookahead). At a stop it needs an output for each branch, and an ejection channel
 * where it is a destination.
 */
#include "network/network_private.h"

struct lookahead_route find_route(const struct network *network, uint32_t node,
                                  const struct message *message, uint32_t place)
{
    struct routing_choice choice[ROUTING_CHOICES];
    const struct stop_copy *stop = &message->stop[place];
    if (stop->node == node || routing_next_stop(network->routing, network->topology, node,
                                                stop->node, stop->class, choice) != 1)
        return (struct lookahead_route){.link = NONE};
    return (struct lookahead_route){port_link(network, node, choice->port),
                                    choice->run << 6 | choice->class};
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

/* Lists the needs of a header at a stop: an ejection channel first, then a link to each next
 * stop. */
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
