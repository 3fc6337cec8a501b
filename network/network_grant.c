/* network_grant.c - headers ask for outputs, and get them.
 *
 * A header asks once. What it does not get then it waits for in a queue: of a link (one request in each of the
 * links among which it may choose), or of the node's consumption channels. A queue is served when
 * something that it waits for is given back; so a request that waits cannot take anything that is free.
 * Queues stand in the order of service: since when, message, worm, stop. Those that begin to ask in
 * this cycle come behind all others.
 *
 * A node is served once a cycle, so what is granted there may move at once where no link has several owners
 * (is_eager): then node, part and link are fetched once.
 *
 * Queues of different links are independent as long as no header has a choice. Where one has, and several links
 * of a node were given back in one cycle, all requests of these links are served in one order.
 */
#include "network/network_pass_private.h"

#include <stdlib.h>

struct choices {
    uint32_t count;
    struct routing_choice choice[ROUTING_CHOICES];
};

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
        struct lane *lane = lane_at(network, number + 1 + vc);
        if (network->is_cut_through && network->room - lane->used < part->flits)
            continue;
        link->free &= ~(UINT64_C(1) << vc);
        lane->owner = id;
        output->lane = number + 1 + vc;
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
    output->lane = (uint32_t)__builtin_ctzll(*free);
    *free &= *free - 1;
    network->consumer[channel_base(network->topology, network->consumption, node) + output->lane] =
        id;
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
        choices->count = network->routing->next(
            network->topology, part->node, part->message->stop[output->stop].node, choices->choice);
        if (choices->count > 1)
            band->has_choices = true;
        for (uint32_t i = 0; i < choices->count && !has_taken; i++)
            has_taken = take_channel(band, id, output, choices->choice[i]);
    }
    if (!has_taken)
        return false;
    band->counts.taken++;
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
    if (part_outputs(part)[index].lane == LACKING && try_output(band, id, index, &choices))
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
        *output++ = (struct output){.lane = LACKING, .stop = NONE, .requests = NONE};
    for (uint32_t child = part->stop + 1; child < end; child += part->message->stop[child].span)
        *output++ = (struct output){
            .lane = children++ > 0 && network->settings.is_one_port ? LATER : LACKING,
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
    part->way.one = (struct output){.lane = LACKING, .stop = part->stop, .requests = NONE};
    part->lacking = 1;
    return true;
}

/* Where a header that takes the link of `bearing` goes at the next node, if that is known. Links of one port are as
 * far apart as their nodes. */
static inline struct bearing bearing_behind(const struct network *network, struct bearing bearing,
                                            uint32_t from, uint32_t to)
{
    if (bearing.run == 0)
        return (struct bearing){.link = NONE};
    return (struct bearing){bearing.link + (to - from) * network->node_slots, bearing.class,
                            bearing.run - 1};
}

/* A header that has no choice takes the channel of its link and moves at once, where links have one channel each.
 * A single flit takes it and gives it back: the channel is not free for those that ask at this node in the same
 * cycle, if there are `others`. */
ALWAYS_INLINE bool go_on(struct band *band, uint32_t id, struct part *part, struct bearing bearing,
                         bool has_others)
{
    struct network *network = band->network;
    uint32_t number = bearing.link + 1;
    struct link *link = link_at(network, bearing.link);
    struct lane *lane = lane_at(network, number);
    if (link->free == 0 || lane->used >= network->room)
        return false;
    struct head head = {.message = part->message,
                        .lane = number,
                        .stop = part->stop,
                        .flits = part->flits,
                        .bearing = bearing_behind(network, bearing, part->node, lane->to)};
    pass_header(band, part->node, head);
    bool is_single = head.flits == 1, is_kept = network->settings.releases_when_left;
    if (!is_single || is_kept || has_others) {
        link->free = 0;
        band->counts.taken++;
    }
    if (is_single) {
        if (has_others && !is_kept)
            band_keep(band, index_push(&band->passed, number));
        part_leave_single(band, id, part);
        return true;
    }
    lane->owner = id;
    part->since = band->cycle;
    part->has_asked = true;
    part->way.one =
        (struct output){.lane = number, .stop = head.stop, .moved = 1, .requests = NONE};
    part->lacking = 0;
    part->outputs = 1;
    part_leave(band, id);
    list_next(band, id);
    return true;
}

/* A single flit at its last stop that nobody else wants a channel at passes a consumption channel, which stays free. */
static inline bool end_here(struct band *band, uint32_t id, struct part *part)
{
    const struct stop_copy *stop = &part->message->stop[part->stop];
    uint64_t free = band->network->node[part->node].free_consumption;
    if (part->flits != 1 || stop->node != part->node || stop->span != 1 || free == 0)
        return false;
    if (band->network->watch != NULL)
        watch_consumption(band, part, (uint32_t)__builtin_ctzll(free), true);
    band->work++;
    serve_destination(band, part);
    part_leave_single(band, id, part);
    return true;
}

/* A header that has no choice takes a channel of its link. */
static bool take_only_channel(struct band *band, uint32_t id, struct part *part,
                              struct bearing bearing)
{
    struct network *network = band->network;
    struct link *link = link_at(network, bearing.link);
    uint64_t free = link->free & network->class_channels[bearing.class];
    if (free == 0 || network->is_cut_through)
        return false;
    uint32_t vc = (uint32_t)__builtin_ctzll(free), lane = bearing.link + 1 + vc;
    link->free ^= UINT64_C(1) << vc;
    lane_at(network, lane)->owner = id;
    part->way.one = (struct output){.lane = lane, .stop = part->stop, .requests = NONE};
    part->lacking = 0;
    part->outputs = 1;
    part->is_listed = true;
    band->counts.taken++;
    band_keep(band, index_push(&band->movers, id));
    return true;
}

/* `has_others`: this is not the last part that begins to ask at its node. */
static NEVER_INLINE void ask_for_outputs(struct band *band, uint32_t id, bool has_others)
{
    struct part *part = &band->part[id];
    struct bearing bearing = part->way.coming.bearing;
    if (bearing.link == NONE && band->network->goes_on && !has_others && end_here(band, id, part))
        return;
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
        if (part_outputs(part)[i].lane == LACKING && !try_output(band, id, i, &choices))
            wait_for_output(band, id, i, &choices);
    }
}

static inline void begin_to_ask(struct band *band, uint32_t id, bool has_others)
{
    struct part *part = &band->part[id];
    struct bearing bearing = part->way.coming.bearing;
    if (bearing.link == NONE || !band->network->goes_on ||
        !go_on(band, id, part, bearing, has_others))
        ask_for_outputs(band, id, has_others);
}

void grant_ask_again(struct band *band, uint32_t id, uint32_t index)
{
    struct network *network = band->network;
    struct part *part = &band->part[id];
    struct output *output = &part_outputs(part)[index];
    struct choices choices = {0};
    output->lane = LACKING;
    choices.count = network->routing->next(network->topology, part->node,
                                           part->message->stop[output->stop].node, choices.choice);
    if (choices.count > 1)
        band->has_choices = true;
    wait_for_output(band, id, index, &choices);
    for (uint32_t i = 0; i < choices.count; i++)
        link_pend(band, part->node, port_link(network, part->node, choices.choice[i].port));
}

/* What waits at a node, before what begins to ask. */
static NEVER_INLINE void serve_waiting(struct band *band, uint32_t place)
{
    struct node *node = &band->network->node[place];
    if (node->is_consumption_pending)
        serve_consumption(band, place);
    if (node->pending != NONE)
        serve_pending(band, node);
    if (node->has_sendings)
        sender_serve(band, place);
}

/* What was granted at a node moves. */
static NEVER_INLINE void move_granted(struct band *band, uint32_t movers)
{
    uint32_t id = band->movers.item[movers];
    if (band->movers.count > movers + 1 || band->part[id].outputs > 1) {
        band_advance(band, movers);
        return;
    }
    band->movers.count = movers;
    advance_one(band, id);
}

/* Serves a node. `movers`: how many were listed before. */
static inline void serve(struct band *band, uint32_t place, uint32_t movers)
{
    struct node *node = &band->network->node[place];
    uint32_t newcomer = node->newcomers;
    node->is_touched = false;
    node->newcomers = NONE;
    if (node->is_consumption_pending || node->has_sendings || node->pending != NONE)
        serve_waiting(band, place);
    while (newcomer != NONE) {
        uint32_t id = newcomer;
        newcomer = band->part[id].way.coming.newcomer;
        begin_to_ask(band, id, newcomer != NONE);
    }
    while (band->passed.count > 0)
        give_back_channel(band, place, band->passed.item[--band->passed.count]);
    if (band->network->is_eager && band->movers.count > movers)
        move_granted(band, movers);
}

/* ---- what is needed soon is fetched ---- */

enum { FETCH_NODE = 16, FETCH_PART = 10, FETCH_LINK = 5 };

/* The first newcomer of the node at a place in the list, or NONE. */
static inline uint32_t newcomer_at(const struct band *band, uint32_t i)
{
    return i < band->served.count ? band->network->node[band->served.item[i]].newcomers : NONE;
}

/* Fetches what serving the nodes behind place `i` will need. */
static inline void fetch(struct band *band, uint32_t i)
{
    struct network *network = band->network;
    if (i + FETCH_NODE < band->served.count)
        __builtin_prefetch(&network->node[band->served.item[i + FETCH_NODE]], 1);
    uint32_t id = newcomer_at(band, i + FETCH_PART);
    if (id != NONE)
        __builtin_prefetch(&band->part[id], 1);
    id = newcomer_at(band, i + FETCH_LINK);
    for (; id != NONE; id = band->part[id].way.coming.newcomer) {
        const struct part *part = &band->part[id];
        __builtin_prefetch(lane_at(network, part->inlet), 1);
        if (part->way.coming.bearing.link != NONE)
            __builtin_prefetch(link_at(network, part->way.coming.bearing.link), 1);
        else
            __builtin_prefetch(part->message);
    }
}

void band_grant(struct band *band)
{
    struct index_list served = band->touched;
    band->touched = band->served;
    band->touched.count = 0;
    band->served = served;
    uint32_t movers = band->movers.count;
    for (uint32_t i = 0; i < band->served.count; i++) {
        fetch(band, i);
        serve(band, band->served.item[i], movers);
    }
}
