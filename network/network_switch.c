/* network_switch.c - switch allocation on links with several virtual channels: the flits that cross
 * in this cycle.
 *
 * Segments bid for their links first; then segments that need several links at once choose, then
 * each link takes its winner. A segment that has moved or bid is a mover of the next cycle as well;
 * one that could not sleeps until something arrives.
 */
#include "network/network_private.h"

static void bid(struct band *band, uint32_t channel)
{
    struct network *network = band->network;
    uint32_t number = channel_link(network, channel);
    struct link *link = link_at(network, number);
    if (link->ready == 0)
        band_keep(band, LIST_PUSH(&band->contested, number));
    link->ready |= UINT64_C(1) << (channel - number - 1);
}

/* True if a flit over an output must win its link first. */
static inline bool is_contested(const struct network *network, const struct output *output)
{
    return output->stop != NONE && is_link_channel(network, output->channel);
}

/* Lets a segment in lockstep bid for the link that it needs, if its next flit may move. One that
 * needs no link moves. */
static void bid_together(struct band *band, uint32_t id)
{
    const struct network *network = band->network;
    struct segment *segment = &band->segment[id];
    const struct output *output = segment_outputs(segment);
    uint32_t links = 0, channel = NONE;
    if (!may_cross_all(network, segment))
        return;
    segment->is_listed = true;
    for (uint32_t i = 0; i < segment->outputs; i++)
        if (is_contested(network, &output[i])) {
            channel = output[i].channel;
            links++;
        }
    if (links == 0)
        traverse_all(band, id);
    else if (links == 1)
        bid(band, channel);
    else
        band_keep(band, LIST_PUSH(&band->wide, id));
}

/* Lets a segment bid for each link that can take its next flit. Other outputs take it. */
static void bid_each(struct band *band, uint32_t id)
{
    const struct network *network = band->network;
    struct segment *segment = &band->segment[id];
    struct output *output = segment_outputs(segment);
    bool has_acted = false;
    for (uint32_t i = 0; i < segment->outputs; i++) {
        if (!may_cross(network, segment, &output[i]))
            continue;
        if (is_contested(network, &output[i]))
            bid(band, output[i].channel);
        else if (output[i].stop == NONE)
            eject_flit(band, segment, &output[i]);
        else
            traverse_output(band, segment, &output[i]);
        has_acted = true;
    }
    segment->is_listed = has_acted;
    leave_if_passed(band, id);
}

/* ---- the winners ---- */

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

/* True if all links of the outputs are free in this cycle. Two branches over one link never are: it
 * passes one flit per cycle. */
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

/* Moves segments that need several links: they take all of them or none. */
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
        traverse_all(band, id);
    }
    band->wide.count = 0;
}

static void move_winner(struct band *band, uint32_t channel)
{
    uint32_t id = channel_at(band->network, channel)->owner;
    struct segment *segment = &band->segment[id];
    if (band->network->is_lockstep) {
        traverse_all(band, id);
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
}

void band_switch(struct band *band)
{
    for (uint32_t i = 0; i < band->movers.count; i++) {
        uint32_t id = band->movers.item[i];
        band->segment[id].is_listed = false;
        if (band->network->is_lockstep)
            bid_together(band, id);
        else
            bid_each(band, id);
    }
    arbitrate(band);
    for (uint32_t i = 0; i < band->movers.count; i++) {
        uint32_t id = band->movers.item[i];
        if (band->segment[id].is_listed)
            band_keep(band, LIST_PUSH(&band->next_movers, id));
    }
    swap_movers(band);
}
