/* network_grant.c - headers ask for outputs, and get them.
 *
 * A header asks once; those that begin to ask in a cycle come behind all that wait (network_wait.c). A node is served
 * once a cycle, so what is granted there may move at once where no link has several owners (is_eager): then node,
 * part and link are fetched once. Most headers are between two stops, have no choice, and find their link free: they
 * go on in one step.
 */
#include "network/network_pass_private.h"

/* Where a header that takes the link of `bearing` goes at the next node, if that is known. Links of one port are as
 * far apart as their nodes. */
static inline struct bearing bearing_behind(const struct network *network, struct bearing bearing,
                                            uint32_t from, uint32_t to)
{
    if (bearing.run == 0)
        return (struct bearing){.link = NONE};
    return (struct bearing){bearing.link + (to - from) * network->node_records, bearing.class,
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
    struct channel *channel = channel_at(network, number);
    if (link->free == 0 || channel->used >= network->depth)
        return false;
    struct head head = {.message = part->message,
                        .channel = number,
                        .stop = part->stop,
                        .flits = part->flits,
                        .bearing = bearing_behind(network, bearing, part->node, channel->to)};
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
    channel->owner = id;
    part->since = band->cycle;
    part->has_asked = true;
    part->way.one =
        (struct output){.channel = number, .stop = head.stop, .moved = 1, .requests = NONE};
    part->lacking = 0;
    part->outputs = 1;
    part_leave(band, id);
    list_next(band, id);
    return true;
}

/* A single flit at its last stop that nobody else wants a channel at passes a consumption channel, which stays free. */
static NEVER_INLINE bool end_here(struct band *band, uint32_t id, struct part *part)
{
    const struct stop_copy *stop = &part->message->stop[part->stop];
    uint64_t free = band->network->node[part->node].free_consumption;
    if (part->flits != 1 || stop->node != part->node || stop->span != 1 || free == 0)
        return false;
    if (band->network->observation != NULL)
        observe_consumption(band, part, (uint32_t)__builtin_ctzll(free), true);
    band->work++;
    serve_destination(band, part);
    part_leave_single(band, id, part);
    return true;
}

/* `has_others`: this is not the last part that begins to ask at its node. */
static inline void begin_to_ask(struct band *band, uint32_t id, bool has_others)
{
    struct part *part = &band->part[id];
    struct bearing bearing = part->way.coming.bearing;
    if (band->network->goes_on && (bearing.link != NONE ? go_on(band, id, part, bearing, has_others)
                                                        : !has_others && end_here(band, id, part)))
        return;
    grant_or_wait(band, id);
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
        grant_waiting(band, place);
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
        __builtin_prefetch(channel_at(network, part->inlet), 1);
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
        if (band->network->fetches)
            fetch(band, i);
        serve(band, band->served.item[i], movers);
    }
}
