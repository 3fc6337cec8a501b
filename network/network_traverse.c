/* network_traverse.c - switch traversal: a flit crosses the router, over its outputs and out of its
 * buffer.
 *
 * A flit may move by the state of its band at the beginning of the cycle: flits that arrive and
 * places that become free in this cycle are in outboxes, which are opened when all have moved. A
 * channel that is released at the node itself is free at once, since this cycle's allocation is
 * over.
 *
 * With one virtual channel a link has one owner, and a flit that may move does. A segment that has
 * moved is a mover of the next cycle as well; one that could not sleeps until something arrives.
 * Most headers are between two stops, have no choice, and find their link free: they leave in the
 * cycle in which they ask (bypass), and enter the next buffer at once.
 */
#include "network/network_private.h"

#include <stdlib.h>

/* ---- over a channel ---- */

/* Counts a flit over a channel, and shows it to an observer. */
ALWAYS_INLINE void cross(struct band *band, uint32_t node, const struct message *message,
                         uint32_t stop, uint32_t number, bool is_header, bool is_link)
{
    struct channel *channel = channel_at(band->network, number);
    if (band->network->observation != NULL)
        observe_channel(band, node, message, stop, number, is_header);
    channel->used++;
    band->work++;
    if (is_link) {
        channel->crossings++;
        band->counts.crossings++;
    } else {
        band->counts.startups += is_header;
    }
}

/* Lets a header that has crossed a channel into the next buffer at once, if that is in its band, or
 * puts it into an outbox. */
ALWAYS_INLINE void pass_on(struct band *band, struct message *message, uint32_t number,
                           uint32_t stop, uint32_t flits, struct lookahead_route route)
{
    uint32_t to = channel_at(band->network, number)->to;
    if (is_of_band(band, to) && band->network->switching != SWITCHING_STORE_AND_FORWARD)
        enter_buffer(band, message, number, stop, flits, route);
    else
        band_keep(band,
                  LIST_PUSH(&outbox_to_node(band, to)->headers, (struct header){.message = message,
                                                                                .channel = number,
                                                                                .stop = stop,
                                                                                .flits = flits,
                                                                                .route = route}));
}

void send_header(struct band *band, uint32_t node, const struct header *header)
{
    cross(band, node, header->message, header->stop, header->channel, true, false);
    pass_on(band, header->message, header->channel, header->stop, header->flits, header->route);
}

static void release_channel(struct band *band, uint32_t node, uint32_t channel)
{
    struct network *network = band->network;
    uint32_t link = channel_link(network, channel);
    link_at(network, link)->free |= UINT64_C(1) << (channel - link - 1);
    band->counts.taken--;
    link_release(band, node, link);
}

ALWAYS_INLINE void cross_output(struct band *band, struct segment *segment, struct output *output)
{
    struct network *network = band->network;
    uint32_t number = output->channel, node = segment->node;
    struct outbox *outbox = outbox_to_node(band, channel_at(network, number)->to);
    bool is_header = output->moved == 0;
    cross(band, node, segment->message, is_header ? output->stop : segment->stop, number, is_header,
          is_link_channel(network, number));
    if (is_header)
        band_keep(band, LIST_PUSH(&outbox->headers, (struct header){.message = segment->message,
                                                                    .channel = number,
                                                                    .stop = output->stop,
                                                                    .flits = segment->flits,
                                                                    .route = {.link = NONE}}));
    else
        band_keep(band, LIST_PUSH(&outbox->bodies, number));
    if (++output->moved < segment->flits)
        return;
    channel_at(network, number)->owner = NONE;
    if (is_link_channel(network, number) && !network->settings.releases_when_left)
        release_channel(band, node, number);
}

void traverse_output(struct band *band, struct segment *segment, struct output *output)
{
    cross_output(band, segment, output);
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

/* Removes the segment of a worm whose tail has left from its buffer; NONE: it had none. The next
 * worm is then at the front. */
ALWAYS_INLINE void leave_front(struct band *band, struct channel *inlet, uint32_t id)
{
    const struct network *network = band->network;
    if (network->switching == SWITCHING_STORE_AND_FORWARD) {
        network->source[inlet->to].held--;
        return;
    }
    if (id != NONE)
        inlet->first = band->segment[id].next;
    if (inlet->first == NONE)
        inlet->last = NONE;
    else
        segment_ask_from(band, inlet->first, band->segment[inlet->first].since + network->delay,
                         band->cycle + 1);
}

static void release_injection(struct band *band, uint32_t number)
{
    const struct network *network = band->network;
    uint32_t place = channel_at(network, number)->to;
    struct node *node = &network->node[place];
    node->free_injection |= UINT64_C(1)
                            << (number - network->link_entries -
                                channel_base(network->topology, network->injection, place));
    band->counts.taken--;
    if (node->has_waiting_worms)
        activate_source(band, place);
}

/* Gives back the place of a flit that leaves a buffer. */
ALWAYS_INLINE void send_credit(struct band *band, uint32_t inlet, bool is_tail)
{
    uint32_t release = is_tail && band->network->settings.releases_when_left ? CREDIT_RELEASES : 0;
    band_keep(band, LIST_PUSH(&outbox_to_channel(band, inlet)->credits, inlet | release));
}

ALWAYS_INLINE uint32_t leave_buffer(struct band *band, uint32_t id)
{
    struct network *network = band->network;
    struct segment *segment = &band->segment[id];
    uint32_t follower = NONE;
    bool is_tail = ++segment->out == segment->flits;
    bool is_reserving = network->switching == SWITCHING_CIRCUIT && segment->out == 1 && !is_tail;
    if (!segment->is_feeder) {
        struct channel *inlet = channel_at(network, segment->inlet);
        inlet->flits--;
        /* After a header that reserves more of its circuit the acknowledgement gives the place
         * back */
        if (is_reserving && (segment->outputs > 1 || segment->way.one.stop != NONE))
            return NONE;
        /* As long as the tail has not come the owner is of the same worm */
        if (network->follows_at_once && segment->in < segment->flits && !is_reserving) {
            inlet->used--;
            follower = inlet->owner;
        } else {
            send_credit(band, segment->inlet, is_tail);
        }
        if (is_tail) {
            leave_front(band, inlet, id);
            if (!is_link_channel(network, segment->inlet))
                release_injection(band, segment->inlet);
        }
    }
    if (is_tail)
        segment_free(band, id);
    return follower;
}

static inline void list_next(struct band *band, uint32_t id)
{
    band->segment[id].is_listed = true;
    band_keep(band, LIST_PUSH(&band->next_movers, id));
}

ALWAYS_INLINE void pass_output(struct band *band, struct segment *segment, struct output *output)
{
    if (output->stop == NONE)
        eject_flit(band, segment, output);
    else
        cross_output(band, segment, output);
}

uint32_t traverse_all(struct band *band, uint32_t id)
{
    struct segment *segment = &band->segment[id];
    struct output *output = segment_outputs(segment);
    for (uint32_t i = 0; i < segment->outputs; i++)
        pass_output(band, segment, &output[i]);
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

/* ---- headers that leave in the cycle in which they ask ---- */

/* Lets a single flit leave its buffer; no flit of its worm could follow. All headers that may ask
 * for its place have asked in this cycle, so it is given back at once. */
ALWAYS_INLINE void leave_single(struct band *band, const struct header *header)
{
    const struct network *network = band->network;
    uint32_t number = header->channel;
    struct channel *inlet = channel_at(network, number);
    inlet->flits--;
    leave_front(band, inlet, header->segment);
    if (header->segment != NONE)
        segment_free(band, header->segment);
    if (number - band->first_entry < band->end_entry - band->first_entry) {
        return_credit(band, number, network->settings.releases_when_left);
    } else if (is_link_channel(network, number)) {
        send_credit(band, number, true);
    } else {
        inlet->used--;
        release_injection(band, number);
    }
}

/* Returns the route of a header at the node after the link of its present one. Links of one port
 * are as far apart as their nodes. */
static inline struct lookahead_route
next_route(const struct network *network, struct lookahead_route route, uint32_t from, uint32_t to)
{
    uint32_t link = route.link + (to - from) * network->node_entries;
    return (struct lookahead_route){route.run_class < 64 ? NONE : link, route.run_class - 64};
}

/* Lets a header that has crossed a channel leave its buffer, from which flits will follow. */
static NEVER_INLINE void lead_worm(struct band *band, uint32_t node, const struct header *header)
{
    uint32_t id = header->segment != NONE ? header->segment : header_stays(band, node, header);
    if (id == NONE)
        return;
    struct segment *segment = &band->segment[id];
    channel_at(band->network, header->output)->owner = id;
    segment->since = band->cycle;
    segment->has_asked = true;
    segment->way.one = (struct output){
        .channel = header->output, .stop = header->stop, .moved = 1, .requests = NONE};
    segment->lacking = 0;
    segment->outputs = 1;
    leave_buffer(band, id);
    list_mover(band, id);
}

/* Moves a header over the channel of its route, which it has since this cycle. A single flit gives
 * it back. */
ALWAYS_INLINE void forward_header(struct band *band, uint32_t node, const struct header *header)
{
    struct network *network = band->network;
    uint32_t to = channel_at(network, header->output)->to;
    cross(band, node, header->message, header->stop, header->output, true, true);
    pass_on(band, header->message, header->output, header->stop, header->flits,
            next_route(network, header->route, node, to));
    if (header->flits > 1) {
        band->counts.taken++;
        lead_worm(band, node, header);
        return;
    }
    if (network->settings.releases_when_left) {
        band->counts.taken++;
    } else {
        struct link *link = link_at(network, header->route.link);
        link->free = 1;
        if (link->requests.first != NONE)
            link_release(band, node, header->route.link);
    }
    leave_single(band, header);
}

static inline void eject_header(struct band *band, uint32_t node, const struct header *header)
{
    if (band->network->observation != NULL)
        observe_ejection(band, node, header->message, header->stop, header->output, true);
    band->work++;
    eject_tail(band, node, header->message, header->stop, header->output);
    leave_single(band, header);
}

enum { FETCH_INLET = 16, FETCH_NODE = 10 };

/* Fetches the data for the headers after place `i` of the list. */
static inline void fetch_bypassing(const struct band *band, const struct header *requester,
                                   uint32_t i)
{
    const struct network *network = band->network;
    const struct index_list *bypassing = &band->bypassing;
    if (i + FETCH_INLET < bypassing->count)
        __builtin_prefetch(channel_at(network, requester[bypassing->item[i + FETCH_INLET]].channel),
                           1);
    if (i + FETCH_NODE >= bypassing->count)
        return;
    const struct header *header = &requester[bypassing->item[i + FETCH_NODE]];
    if (header->route.link != NONE)
        __builtin_prefetch(&network->node[channel_at(network, header->output)->to], 1);
}

static void traverse_bypassing(struct band *band)
{
    const struct network *network = band->network;
    const struct header_list *requesters = &band->requesters[band->cycle & 1];
    bool is_prefetched = network->is_prefetched;
    for (uint32_t i = 0; i < band->bypassing.count; i++) {
        const struct header *header = &requesters->item[band->bypassing.item[i]];
        uint32_t node = channel_at(network, header->channel)->to;
        if (is_prefetched)
            fetch_bypassing(band, requesters->item, i);
        if (header->route.link != NONE)
            forward_header(band, node, header);
        else
            eject_header(band, node, header);
    }
    band->bypassing.count = 0;
}

/* ---- all other flits ---- */

/* Moves a segment over each output that can take its next flit. */
static NEVER_INLINE void traverse_each(struct band *band, uint32_t id)
{
    struct segment *segment = &band->segment[id];
    struct output *output = segment_outputs(segment);
    bool has_moved = false;
    for (uint32_t i = 0; i < segment->outputs; i++) {
        if (!may_cross(band->network, segment, &output[i]))
            continue;
        pass_output(band, segment, &output[i]);
        has_moved = true;
    }
    leave_if_passed(band, id);
    if (has_moved && segment->message != NULL)
        list_next(band, id);
}

/* Moves a segment over its outputs, if it may. Returns a segment that may follow into its place, or
 * NONE. */
ALWAYS_INLINE uint32_t traverse(struct band *band, uint32_t id)
{
    struct network *network = band->network;
    struct segment *segment = &band->segment[id];
    uint32_t follower;
    if (segment->has_moved)
        return NONE;
    segment->is_listed = false;
    if (segment->outputs == 1) {
        if (!may_cross(network, segment, &segment->way.one))
            return NONE;
        pass_output(band, segment, &segment->way.one);
        follower = leave_buffer(band, id);
    } else if (network->is_lockstep) {
        if (!may_cross_all(network, segment))
            return NONE;
        follower = traverse_all(band, id);
    } else {
        traverse_each(band, id);
        return NONE;
    }
    if (segment->message == NULL)
        return follower;
    segment->has_moved = network->follows_at_once;
    list_next(band, id);
    return follower;
}

enum { FETCH_SEGMENT = 8, FETCH_CHANNELS = 4 };

static void fetch(struct band *band, uint32_t i)
{
    const struct index_list *movers = &band->movers;
    if (i + FETCH_SEGMENT < movers->count)
        __builtin_prefetch(&band->segment[movers->item[i + FETCH_SEGMENT]], 1);
    if (i + FETCH_CHANNELS >= movers->count)
        return;
    struct segment *segment = &band->segment[movers->item[i + FETCH_CHANNELS]];
    if (!segment->is_feeder)
        __builtin_prefetch(channel_at(band->network, segment->inlet), 1);
    if (segment->outputs == 1 && segment->way.one.stop != NONE)
        __builtin_prefetch(channel_at(band->network, segment->way.one.channel), 1);
}

void band_traverse(struct band *band)
{
    bool is_prefetched = band->network->is_prefetched;
    for (uint32_t i = 0; i < band->movers.count; i++) {
        if (is_prefetched)
            fetch(band, i);
        for (uint32_t id = band->movers.item[i]; id != NONE;)
            id = traverse(band, id);
    }
    swap_movers(band);
    if (band->network->follows_at_once)
        for (uint32_t i = 0; i < band->movers.count; i++)
            band->segment[band->movers.item[i]].has_moved = false;
    traverse_bypassing(band);
}
