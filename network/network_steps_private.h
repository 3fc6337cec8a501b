/* network_steps_private.h - the steps of a cycle, and what they share.
 *
 * A cycle of a band: band_start() takes the events that are due, band_grant() serves the touched nodes,
 * band_move() moves flits. When all bands have moved, band_enter() lets them enter the next buffers.
 */
#ifndef MESHCAST_NETWORK_NETWORK_STEPS_PRIVATE_H
#define MESHCAST_NETWORK_NETWORK_STEPS_PRIVATE_H

#include "network/network_observe_private.h"
#include "network/network_private.h"

void band_start(struct band *band);
void band_grant(struct band *band);
void band_move(struct band *band);
void band_enter(struct band *band);

/* Moves those of the listed parts that may move, from place `first` of the list on, and takes them off it. */
void band_advance(struct band *band, uint32_t first);

/* Grants injection channels and starts startups at a node. */
void sender_serve(struct band *band, uint32_t node);

/* Grants what a part's header asks for from this cycle on, or lets it wait. */
void grant_or_wait(struct band *band, uint32_t id);

/* Grants what waits at a node, before what begins to ask. */
void grant_waiting(struct band *band, uint32_t node);

/* Lets a part's header begin to ask at `due`, after the coming grants of cycle `next`. */
void ask_later(struct band *band, uint32_t id, uint64_t due, uint64_t next);

/* Lets a part ask for its next output, from this cycle on, as long as it has asked already (one port). */
void grant_ask_again(struct band *band, uint32_t id, uint32_t output);

/* Makes a node, its links and channels, out of zeros; nothing has been there yet. */
void node_begin(struct network *network, uint32_t node);

/* A part that is new to the pool, or NONE: no memory. What the pointers to parts point to may have moved. */
uint32_t part_add(struct band *band);
bool part_make_outputs(struct part *part, uint32_t count);
void part_free_outputs(struct part *part);

/* Lets a part's output wait in the queue of a link, NONE: of its node's consumption channels. */
void request_join(struct band *band, uint32_t id, uint32_t index, uint32_t link);

/* Takes the requests for an output out of their queues. */
void request_leave(struct band *band, uint32_t node, struct output *output);

/* The order of service, for qsort(). */
int request_compare(const void *one, const void *other);

/* Whether parts are deadlocked at the end of `cycle`; then the network's list of waits names them. */
enum failure_kind network_find_deadlock(struct network *network, uint64_t cycle);

static inline uint32_t part_make(struct band *band)
{
    uint32_t id = band->free_part;
    if (id == NONE)
        id = part_add(band);
    else
        band->free_part = band->part[id].next;
    band->live_parts += id != NONE;
    return id;
}

/* Gives a part without outputs back to the pool. */
static inline void part_give(struct band *band, uint32_t id)
{
    struct part *part = &band->part[id];
    part->message = NULL;
    part->next = band->free_part;
    band->free_part = id;
    band->live_parts--;
}

static inline void part_free(struct band *band, uint32_t id)
{
    struct part *part = &band->part[id];
    if (part->outputs > 1)
        part_free_outputs(part);
    part->is_listed = false;
    part->outputs = 0;
    part_give(band, id);
}

static inline struct output *part_outputs(struct part *part)
{
    return part->outputs <= 1 ? &part->way.one : part->way.many;
}

/* The output that sends over a channel. One that is done may have had it before. */
static inline struct output *output_over(struct part *part, uint32_t channel)
{
    struct output *output = part_outputs(part);
    while (output->stop == NONE || output->channel != channel || output->moved == part->flits)
        output++;
    return output;
}

static inline struct channel *channel_at(const struct network *network, uint32_t channel)
{
    return &network->record[channel].channel;
}

static inline struct link *link_at(const struct network *network, uint32_t link)
{
    return &network->record[link].link;
}

static inline bool is_link_channel(const struct network *network, uint32_t channel)
{
    return channel < network->link_records;
}

/* The link of a channel. */
static inline uint32_t channel_link(const struct network *network, uint32_t channel)
{
    return network->vcs == 1 ? channel - 1 : channel - channel % network->stride;
}

/* The link at a port. */
static inline uint32_t port_link(const struct network *network, uint32_t node, uint32_t port)
{
    return (uint32_t)topology_link(network->topology, node, port) * network->stride;
}

static inline uint32_t part_worm(const struct part *part)
{
    return part->message->stop[part->stop].worm;
}

/* Whether (message, worm, stop) of one part come before those of another. */
static inline bool part_precedes(const struct part *one, const struct part *other)
{
    if (one->message->number != other->message->number)
        return one->message->number < other->message->number;
    uint32_t worm = part_worm(one), other_worm = part_worm(other);
    return worm != other_worm ? worm < other_worm : one->stop < other->stop;
}

static inline void band_keep(struct band *band, bool has_memory)
{
    if (!has_memory)
        band->is_out_of_memory = true;
}

static inline void schedule(struct band *band, uint64_t due, struct event event)
{
    band_keep(band, wheel_push(&band->wheel, band->cycle, due, event));
}

/* The node will be served by the next grants. */
static inline void touch(struct band *band, uint32_t node)
{
    struct node *touched = &band->network->node[node];
    if (touched->is_touched)
        return;
    if (!node_is_begun(band->network, node))
        node_begin(band->network, node);
    touched->is_touched = true;
    band_keep(band, index_push(&band->touched, node));
}

/* The part tries to move its next flit in the coming moves. */
static inline void list_mover(struct band *band, uint32_t id)
{
    struct part *part = &band->part[id];
    if (part->is_listed)
        return;
    part->is_listed = true;
    band_keep(band, index_push(&band->movers, id));
}

/* Something on a link that its headers ask for may have become free. */
static inline void link_pend(struct band *band, uint32_t node, uint32_t link)
{
    struct link *freed = link_at(band->network, link);
    if (freed->requests.first == NONE || freed->is_pending)
        return;
    freed->is_pending = true;
    freed->pending = band->network->node[node].pending;
    band->network->node[node].pending = link;
    touch(band, node);
}

/* A virtual channel is free from the next grants on. `node` sends on it. */
static inline void give_back_channel(struct band *band, uint32_t node, uint32_t channel)
{
    struct network *network = band->network;
    uint32_t link = channel_link(network, channel);
    link_at(network, link)->free |= UINT64_C(1) << (channel - link - 1);
    band->counts.taken--;
    link_pend(band, node, link);
}

/* The part's header begins to ask in the coming grants. */
static inline void add_newcomer(struct band *band, uint32_t id)
{
    struct part *part = &band->part[id];
    touch(band, part->node);
    uint32_t *place = &band->network->node[part->node].newcomers;
    while (*place != NONE && part_precedes(&band->part[*place], part))
        place = &band->part[*place].way.coming.newcomer;
    part->way.coming.newcomer = *place;
    *place = id;
}

/* The part's header begins to ask at `due`, which is not before `next`, the cycle of the coming grants. */
static inline void ask_at(struct band *band, uint32_t id, uint64_t due, uint64_t next)
{
    if (due <= next)
        add_newcomer(band, id);
    else
        ask_later(band, id, due, next);
}

#endif
