/* network_switch.c - switch allocation: which flits cross their routers in this cycle.
 *
 * Whether a flit may move is decided by what its band knew at the beginning of the cycle: flits that arrive and places that
 * become free in this cycle are in outboxes, which are opened when all have moved. What is released at the node itself
 * is free at once, since this cycle's allocation is over.
 *
 * With one virtual channel a link has one owner, and a flit that may move does. With several, segments bid for their links
 * first; then segments that need several links at once choose, then each link takes its winner. A segment that has
 * moved or bid is a mover of the next cycle as well; one that could not sleeps.
 */
#include "network/network_private.h"

static inline void list_next(struct band *band, uint32_t id)
{
    band->segment[id].is_listed = true;
    band_keep(band, LIST_PUSH(&band->next_movers, id));
}

static void bid(struct band *band, uint32_t channel)
{
    struct network *network = band->network;
    uint32_t number = channel_link(network, channel);
    struct link *link = link_at(network, number);
    if (link->ready == 0)
        band_keep(band, LIST_PUSH(&band->contested, number));
    link->ready |= UINT64_C(1) << (channel - number - 1);
}

/* True if an output has a channel whose buffer has room, or an ejection channel. */
static inline bool has_room(const struct network *network, const struct output *output)
{
    return output->stop == NONE || channel_at(network, output->channel)->used < network->depth;
}

/* True if a flit over an output must win its link first. */
static inline bool is_contested(const struct network *network, const struct output *output)
{
    return network->vcs > 1 && output->stop != NONE && is_link_channel(network, output->channel);
}

/* ---- segments that move ---- */

/* Moves a segment with one output, for which lockstep and each output by itself are the same. */
static inline void advance_one(struct band *band, uint32_t id)
{
    struct network *network = band->network;
    struct segment *segment = &band->segment[id];
    const struct output *output = &segment->way.one;
    segment->is_listed = false;
    if (segment->out == segment->in || output->channel >= LATER || !has_room(network, output))
        return;
    if (is_contested(network, output)) {
        segment->is_listed = true;
        bid(band, output->channel);
        return;
    }
    traverse_all(band, id);
    if (segment->message == NULL)
        return;
    segment->is_listed = true;
    if (network->vcs == 1)
        band_keep(band, LIST_PUSH(&band->next_movers, id));
}

static uint32_t move_together(struct band *band, uint32_t id)
{
    struct segment *segment = &band->segment[id];
    segment->has_moved = band->network->follows_at_once;
    uint32_t follower = traverse_all(band, id);
    if (segment->message != NULL && band->network->vcs == 1)
        list_next(band, id);
    return follower;
}

/* Moves a segment over all outputs if it can. Returns a segment that may follow. */
static uint32_t advance_together(struct band *band, uint32_t id)
{
    struct network *network = band->network;
    struct segment *segment = &band->segment[id];
    if (segment->has_moved)
        return NONE;
    segment->is_listed = false;
    if (segment->lacking != 0 || segment->out == segment->in)
        return NONE;
    const struct output *output = segment_outputs(segment);
    uint32_t links = 0, channel = NONE;
    for (uint32_t i = 0; i < segment->outputs; i++) {
        if (!has_room(network, &output[i]))
            return NONE;
        if (is_contested(network, &output[i])) {
            channel = output[i].channel;
            links++;
        }
    }
    segment->is_listed = network->vcs > 1;
    if (links == 0)
        return move_together(band, id);
    if (links == 1)
        bid(band, channel);
    else
        band_keep(band, LIST_PUSH(&band->wide, id));
    return NONE;
}

/* Moves a segment over each output that can take its next flit. */
static void advance_each(struct band *band, uint32_t id)
{
    struct network *network = band->network;
    struct segment *segment = &band->segment[id];
    struct output *output = segment_outputs(segment);
    bool has_acted = false;
    for (uint32_t i = 0; i < segment->outputs; i++) {
        if (output[i].channel >= LATER || output[i].moved == segment->in ||
            !has_room(network, &output[i]))
            continue;
        if (is_contested(network, &output[i]))
            bid(band, output[i].channel);
        else if (output[i].stop == NONE)
            eject_flit(band, segment, &output[i]);
        else
            traverse_output(band, segment, &output[i]);
        has_acted = true;
    }
    segment->is_listed = has_acted && network->vcs > 1;
    leave_if_passed(band, id);
    if (has_acted && segment->message != NULL && network->vcs == 1)
        list_next(band, id);
}

/* ---- several virtual channels ---- */

/* Sorts the segments that need several links by message and worm. Insertion: they are few. */
static void sort_wide(struct band *band)
{
    uint32_t *wide = band->wide.item;
    for (uint32_t i = 1; i < band->wide.count; i++) {
        uint32_t id = wide[i], place = i;
        for (; place > 0 && segment_precedes(&band->segment[id], &band->segment[wide[place - 1]]);
             place--)
            wide[place] = wide[place - 1];
        wide[place] = id;
    }
}

/* True if all links of the outputs are free in this cycle. Two branches over one link never are: it passes one flit per cycle. */
static bool can_take_links(const struct network *network, uint32_t outputs,
                           const struct output *output)
{
    for (uint32_t i = 0; i < outputs; i++) {
        if (output[i].stop == NONE)
            continue;
        uint32_t link = channel_link(network, output[i].channel);
        if (link_at(network, link)->is_taken)
            return false;
        for (uint32_t j = 0; j < i; j++)
            if (output[j].stop != NONE && channel_link(network, output[j].channel) == link)
                return false;
    }
    return true;
}

/* Takes the link of a channel in this cycle; the next channel has the next turn. */
static void take_link(struct network *network, uint32_t channel)
{
    uint32_t number = channel_link(network, channel), vc = channel - number - 1;
    link_at(network, number)->is_taken = true;
    link_at(network, number)->pointer = (uint8_t)((vc + 1) % network->vcs);
}

/* Segments that need several links take all of them or none. */
static void choose_wide(struct band *band)
{
    struct network *network = band->network;
    sort_wide(band);
    for (uint32_t w = 0; w < band->wide.count; w++) {
        uint32_t id = band->wide.item[w];
        const struct segment *segment = &band->segment[id];
        const struct output *output = segment_outputs(&band->segment[id]);
        if (!can_take_links(network, segment->outputs, output))
            continue;
        for (uint32_t i = 0; i < segment->outputs; i++) {
            if (output[i].stop == NONE)
                continue;
            bid(band, output[i].channel);
            take_link(network, output[i].channel);
        }
        move_together(band, id);
    }
    band->wide.count = 0;
}

static void move_winner(struct band *band, uint32_t channel)
{
    uint32_t id = channel_at(band->network, channel)->owner;
    struct segment *segment = &band->segment[id];
    if (band->network->is_lockstep) {
        move_together(band, id);
        return;
    }
    traverse_output(band, segment, output_over(segment, channel));
    leave_if_passed(band, id);
}

/* Grants each link for which segments bid to one of its virtual channels, by round robin. */
static void arbitrate(struct band *band)
{
    struct network *network = band->network;
    choose_wide(band);
    for (uint32_t i = 0; i < band->contested.count; i++) {
        uint32_t number = band->contested.item[i];
        struct link *link = link_at(network, number);
        uint64_t from_pointer = link->ready & UINT64_MAX << link->pointer;
        uint64_t ready = from_pointer != 0 ? from_pointer : link->ready;
        bool is_taken = link->is_taken;
        uint32_t channel = number + 1 + (uint32_t)__builtin_ctzll(ready);
        if (!is_taken) {
            take_link(network, channel);
            move_winner(band, channel);
        }
        link->ready = 0;
        link->is_taken = false;
    }
    band->contested.count = 0;
    for (uint32_t i = 0; i < band->movers.count; i++) {
        uint32_t id = band->movers.item[i];
        if (band->segment[id].is_listed)
            band_keep(band, LIST_PUSH(&band->next_movers, id));
    }
}

/* ---- the cycle ---- */

static void swap_movers(struct band *band)
{
    struct index_list moved = band->movers;
    band->movers = band->next_movers;
    band->next_movers = moved;
    band->next_movers.count = 0;
    if (band->network->follows_at_once)
        for (uint32_t i = 0; i < band->movers.count; i++)
            band->segment[band->movers.item[i]].has_moved = false;
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

void band_switch(struct band *band)
{
    const struct network *network = band->network;
    for (uint32_t i = 0; i < band->movers.count; i++) {
        uint32_t id = band->movers.item[i];
        if (network->is_prefetched)
            fetch(band, i);
        if (band->segment[id].outputs == 1 && !network->follows_at_once)
            advance_one(band, id);
        else if (!network->is_lockstep)
            advance_each(band, id);
        else /* a segment, then those that follow it */
            while (id != NONE)
                id = advance_together(band, id);
    }
    if (network->vcs > 1)
        arbitrate(band);
    swap_movers(band);
}
