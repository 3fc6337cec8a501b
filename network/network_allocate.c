/* network_allocate.c - headers ask for virtual channels and ejection channels, take what is free,
 * and wait for the rest.
 *
 * If a header does not get what it asks for it waits in a queue: of a link (one request in each of
 * the links among which it may choose), or of the node's ejection channels. A queue is served when
 * something that it waits for is released; so a request that waits cannot take anything that is
 * free. A node serves its queues first, then the headers that begin to ask. Queues are in the order
 * of service: since when, message, worm, stop. Most requests join the end, since they have asked
 * for the shortest time; one that asks again, for its next child, joins by its age.
 *
 * Queues of different links are independent as long as no header has a choice. Where one has, and
 * several links of a node were released in one cycle, all requests of these links are served in one
 * order.
 */
#include "network/network_private.h"

#include <stdlib.h>

/* ---- queues of requests ---- */

static uint32_t request_make(struct band *band)
{
    uint32_t id = band->free_request;
    if (id != NONE) {
        band->free_request = band->request.item[id].next;
        return id;
    }
    if (LIST_PUSH(&band->request, (struct request){.link = NONE}))
        return band->request.count - 1;
    band->is_out_of_memory = true;
    return NONE;
}

static struct queue *queue_of(struct network *network, const struct request *request, uint32_t node)
{
    return request->link == NONE ? &network->source[node].requests
                                 : &link_at(network, request->link)->requests;
}

static int compare_requests(const void *one, const void *other)
{
    const struct request *a = one, *b = other;
    if (a->since != b->since)
        return a->since < b->since ? -1 : 1;
    if (a->message != b->message)
        return a->message < b->message ? -1 : 1;
    if (a->worm != b->worm)
        return a->worm < b->worm ? -1 : 1;
    if (a->stop != b->stop)
        return a->stop < b->stop ? -1 : 1;
    return a->output < b->output ? -1 : a->output > b->output;
}

/* Adds a request for an output to the queue of a link, NONE: of the node's ejection channels. */
static void request_join(struct band *band, uint32_t id, uint32_t index, uint32_t link)
{
    uint32_t added = request_make(band);
    if (added == NONE)
        return;
    struct segment *segment = &band->segment[id];
    struct output *output = &segment_outputs(segment)[index];
    struct request *item = band->request.item, *request = &item[added];
    *request = (struct request){.since = segment->since,
                                .message = segment->message->number,
                                .worm = stop_worm(segment->message, segment->stop),
                                .stop = segment->stop,
                                .segment = id,
                                .output = index,
                                .link = link,
                                .sibling = output->requests};
    output->requests = added;
    struct queue *queue = queue_of(band->network, request, segment->node);
    uint32_t before = queue->last;
    while (before != NONE && compare_requests(request, &item[before]) < 0)
        before = item[before].before;
    request->before = before;
    request->next = before != NONE ? item[before].next : queue->first;
    *(before != NONE ? &item[before].next : &queue->first) = added;
    *(request->next != NONE ? &item[request->next].before : &queue->last) = added;
}

/* Takes the requests for an output out of their queues. */
static void requests_leave(struct band *band, uint32_t node, struct output *output)
{
    struct request *item = band->request.item;
    while (output->requests != NONE) {
        uint32_t id = output->requests;
        struct request *request = &item[id];
        struct queue *queue = queue_of(band->network, request, node);
        *(request->before != NONE ? &item[request->before].next : &queue->first) = request->next;
        *(request->next != NONE ? &item[request->next].before : &queue->last) = request->before;
        output->requests = request->sibling;
        request->next = band->free_request;
        band->free_request = id;
    }
}

/* ---- what is free ---- */

/* The links among which a header may choose. */
struct choices {
    uint32_t count;
    struct routing_choice choice[ROUTING_CHOICES];
};

static void find_choices(struct band *band, const struct segment *segment, uint32_t stop,
                         struct choices *choices)
{
    const struct network *network = band->network;
    const struct stop_copy *to = &segment->message->stop[stop];
    choices->count = routing_next_stop(network->routing, network->topology, segment->node, to->node,
                                       to->class, choices->choice);
    if (choices->count > 1)
        band->has_choices = true;
}

/* Gives an output the free virtual channel of lowest number of a class on a link that has room.
 * False: there is none. */
static inline bool take_channel(struct band *band, uint32_t id, struct output *output,
                                uint32_t number, uint32_t class)
{
    struct network *network = band->network;
    struct link *link = link_at(network, number);
    uint32_t room = network->switching == SWITCHING_CUT_THROUGH ? band->segment[id].flits : 0;
    uint64_t free = link->free & network->class_channels[class];
    for (; free != 0; free &= free - 1) {
        uint32_t vc = (uint32_t)__builtin_ctzll(free);
        struct channel *channel = channel_at(network, number + 1 + vc);
        if (network->depth - channel->used < room)
            continue;
        link->free &= ~(UINT64_C(1) << vc);
        channel->owner = id;
        band->counts.taken++;
        output->channel = number + 1 + vc;
        return true;
    }
    return false;
}

static bool take_ejection(struct band *band, uint32_t id, struct output *output)
{
    struct network *network = band->network;
    uint32_t node = band->segment[id].node;
    uint64_t *free = &network->node[node].free_ejection;
    if (*free == 0)
        return false;
    output->channel = (uint32_t)__builtin_ctzll(*free);
    *free &= *free - 1;
    uint32_t first = channel_base(network->topology, network->consumption, node);
    network->consumer[first + output->channel] = id;
    band->counts.taken++;
    return true;
}

/* Grants an output the first choice that is free. For a link, `choices` are those tried. */
static bool grant(struct band *band, uint32_t id, uint32_t index, struct choices *choices)
{
    struct network *network = band->network;
    struct segment *segment = &band->segment[id];
    struct output *output = &segment_outputs(segment)[index];
    bool is_granted = false;
    if (output->stop == NONE) {
        is_granted = take_ejection(band, id, output);
    } else {
        find_choices(band, segment, output->stop, choices);
        for (uint32_t i = 0; i < choices->count && !is_granted; i++)
            is_granted = take_channel(band, id, output,
                                      port_link(network, segment->node, choices->choice[i].port),
                                      choices->choice[i].class);
    }
    if (!is_granted)
        return false;
    segment->lacking--;
    if (segment->lacking == 0 || !network->is_lockstep)
        list_mover(band, id);
    return true;
}

/* Requests an output in the queues of all links that are its choices; once per link. */
static void wait_for_output(struct band *band, uint32_t id, uint32_t index,
                            const struct choices *choices)
{
    uint32_t node = band->segment[id].node;
    if (segment_outputs(&band->segment[id])[index].stop == NONE) {
        request_join(band, id, index, NONE);
        band->network->node[node].is_ejection_asked = true;
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

/* ---- requests that wait ---- */

/* Grants a request that waits a channel that is free by now, if any. */
static void try_again(struct band *band, const struct request *request)
{
    struct choices choices;
    uint32_t id = request->segment, index = request->output;
    struct segment *segment = &band->segment[id];
    if (segment_outputs(segment)[index].channel == LACKING && grant(band, id, index, &choices))
        requests_leave(band, segment->node, &segment_outputs(segment)[index]);
}

static NEVER_INLINE void serve_ejection(struct band *band, uint32_t place)
{
    struct node *node = &band->network->node[place];
    const struct queue *requests = &band->network->source[place].requests;
    while (node->free_ejection != 0 && requests->first != NONE)
        try_again(band, &band->request.item[requests->first]);
    node->is_ejection_released = false;
    node->is_ejection_asked = requests->first != NONE;
}

/* Serves the requests of one link. An output asks on a link once, so a grant takes no other request
 * out of the queue. */
static void serve_link(struct band *band, struct link *link)
{
    uint32_t id = link->requests.first;
    while (id != NONE && link->free != 0) {
        const struct request *request = &band->request.item[id];
        id = request->next;
        try_again(band, request);
    }
}

/* Serves all requests of the released links in one order. */
static void serve_together(struct band *band, uint32_t first)
{
    struct network *network = band->network;
    struct request_list all = {0};
    for (uint32_t l = first; l != NONE; l = link_at(network, l)->next_released)
        for (uint32_t id = link_at(network, l)->requests.first; id != NONE;
             id = band->request.item[id].next)
            band_keep(band, LIST_PUSH(&all, band->request.item[id]));
    if (all.count > 0)
        qsort(all.item, all.count, sizeof *all.item, compare_requests);
    for (uint32_t i = 0; i < all.count; i++)
        try_again(band, &all.item[i]);
    free(all.item);
}

static NEVER_INLINE void serve_released(struct band *band, struct node *node)
{
    struct network *network = band->network;
    bool is_together = band->has_choices && link_at(network, node->released)->next_released != NONE;
    if (is_together)
        serve_together(band, node->released);
    for (uint32_t l = node->released; l != NONE; l = link_at(network, l)->next_released) {
        link_at(network, l)->is_released = false;
        if (!is_together)
            serve_link(band, link_at(network, l));
    }
    node->released = NONE;
}

void ask_next_output(struct band *band, uint32_t id, uint32_t index)
{
    struct segment *segment = &band->segment[id];
    struct output *output = &segment_outputs(segment)[index];
    struct choices choices;
    output->channel = LACKING;
    find_choices(band, segment, output->stop, &choices);
    wait_for_output(band, id, index, &choices);
    for (uint32_t i = 0; i < choices.count; i++)
        link_release(band, segment->node,
                     port_link(band->network, segment->node, choices.choice[i].port));
}

/* ---- headers that begin to ask ---- */

/* Grants a header that has no choice a channel of its link. */
static bool grant_route(struct band *band, uint32_t id, struct lookahead_route route)
{
    struct segment *segment = &band->segment[id];
    struct output output = {.stop = segment->stop, .requests = NONE};
    if (!take_channel(band, id, &output, route.link, route.run_class % 64))
        return false;
    segment->way.one = output;
    segment->lacking = 0;
    segment->outputs = 1;
    list_mover(band, id);
    return true;
}

/* Grants a header a channel that it needs, or lets it wait for one. */
static NEVER_INLINE void ask(struct band *band, uint32_t node, const struct header *header)
{
    uint32_t id = header->segment != NONE ? header->segment : header_stays(band, node, header);
    if (id == NONE)
        return;
    struct segment *segment = &band->segment[id];
    segment->since = band->cycle;
    segment->has_asked = true;
    if (header->route.link != NONE && grant_route(band, id, header->route))
        return;
    if (!find_outputs(band->network, segment)) {
        band->is_out_of_memory = true;
        return;
    }
    for (uint32_t i = 0; i < segment->outputs; i++) {
        struct choices choices;
        if (segment_outputs(segment)[i].channel == LACKING && !grant(band, id, i, &choices))
            wait_for_output(band, id, i, &choices);
    }
}

/* Lets a header leave in this cycle, if it needs only free channels: the channel of its route's
 * link, or, for a single flit that ends here, an ejection channel. */
static inline bool grant_bypass(struct band *band, struct node *node, uint32_t place)
{
    const struct network *network = band->network;
    struct header *header = &band->requesters[band->cycle & 1].item[place];
    if (header->route.link != NONE) {
        struct link *link = link_at(network, header->route.link);
        uint32_t number = header->route.link + 1;
        uint32_t room = network->switching == SWITCHING_CUT_THROUGH ? header->flits : 1;
        if (link->free == 0 || network->depth - channel_at(network, number)->used < room)
            return false;
        link->free = 0;
        header->output = number;
    } else {
        const struct stop_copy *stop = &header->message->stop[header->stop];
        if (header->flits != 1 || !stop->is_destination || stop->span != 1 ||
            node->free_ejection == 0 || stop->node != channel_at(network, header->channel)->to)
            return false;
        header->output = (uint32_t)__builtin_ctzll(node->free_ejection);
        node->free_ejection &= node->free_ejection - 1;
    }
    band_keep(band, LIST_PUSH(&band->bypassing, place));
    return true;
}

static inline void serve_node(struct band *band, uint32_t place)
{
    struct node *node = &band->network->node[place];
    const struct header_list *requesters = &band->requesters[band->cycle & 1];
    node->is_active = false;
    if (node->is_ejection_released)
        serve_ejection(band, place);
    if (node->released != NONE)
        serve_released(band, node);
    for (uint32_t i = node->requesters; i != NONE; i = requesters->item[i].next)
        if (!band->network->bypasses || !grant_bypass(band, node, i))
            ask(band, place, &requesters->item[i]);
    node->requesters = NONE;
}

/* ---- prefetching ---- */

enum { FETCH_NODE = 24, FETCH_LINK = 12 };

/* Fetches the data for serving the nodes after place `i` of the list. */
static inline void fetch(struct band *band, uint32_t i)
{
    struct network *network = band->network;
    const struct index_list *active = &band->active;
    const struct header_list *requesters = &band->requesters[band->cycle & 1];
    if (i + FETCH_NODE < active->count)
        __builtin_prefetch(&network->node[active->item[i + FETCH_NODE]], 1);
    if (i + FETCH_LINK >= active->count)
        return;
    uint32_t id = network->node[active->item[i + FETCH_LINK]].requesters;
    for (; id != NONE; id = requesters->item[id].next) {
        const struct header *header = &requesters->item[id];
        if (header->route.link != NONE)
            __builtin_prefetch(link_at(network, header->route.link), 1);
        else
            __builtin_prefetch(header->message);
    }
}

void band_allocate(struct band *band)
{
    for (uint32_t i = 0; i < band->active.count; i++) {
        if (band->network->is_prefetched)
            fetch(band, i);
        serve_node(band, band->active.item[i]);
    }
    band->active.count = 0;
}
