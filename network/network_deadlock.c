/* network_deadlock.c - finds the segments that can never go on, and a cycle of headers that wait
 * for one another.
 *
 * The rules are those of doc/network.md ("Deadlock"). At first no segment is known to be able to go
 * on. Each is examined once. A segment that can go on has others examined again: the segment after
 * it in the buffer, the segment that sends into the buffer, and, once the rest of its worm can
 * follow, the headers that wait for the worm's channels. The segments that are left are deadlocked.
 *
 * Headers wait in groups of channels of which any one will do.
 * Cost: a group has its headers examined at most once, so a segment is examined about as often as
 * it has outputs and choices, whatever the number of virtual channels.
 */
#include "network/network_private.h"

#include "base/numbers.h"
#include "network/schemes/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Channels of which any one serves a header: the channels of one class on a link, or the ejection
 * channels of a node. */
struct group {
    uint32_t flits : 31;   /* the longest message that can get one of the channels; 0: none can */
    uint32_t is_known : 1; /* `flits` is set */
    uint32_t waiters;      /* 1 + the place in search->waiter of the newest waiter; 0: none */
};

/* `flits` of a group in which some channel can be released, or its buffer be emptied. */
#define GROUP_ANY_MESSAGE ((UINT32_C(1) << 31) - 1)

/* A segment that blocks another one, and the need of the other one. */
struct blocker {
    uint32_t segment;
    enum network_need need;
    uint32_t to;
};

struct blockers {
    struct blocker *item;
    uint32_t count, allocated;
};

/* Segments are numbered across all bands. */
struct search {
    struct network *network;
    uint32_t base[MOST_BANDS]; /* the number of a band's first segment */
    struct segment **segment;  /* [number] */
    bool *can_go_on;           /* [number]: the segment is known to be able to go on */
    bool *clears;              /* [number]: it and all segments after it in its worm can go on */
    uint32_t *before;          /* [number]: the segment directly before it in its buffer, or NONE */
    uint32_t *open;            /* [opens]: segments in buffers, at the end the deadlocked ones */
    uint32_t opens;
    uint32_t classes;    /* of the routing */
    struct group *group; /* [links][classes], then [nodes] */
    struct index_list
        waiter;              /* pairs: a segment, then the group's next waiter as in struct group */
    struct index_list found; /* segments that can go on, whose dependents are not yet examined */
    struct index_list cleared; /* segments that clear, likewise */
    struct blockers blockers;  /* of one header */
    struct index_list header;  /* the walk along deadlocked headers */
    bool is_short;             /* a list has found no memory */
};

/* Returns the number of a band's segment. */
static uint32_t segment_number(const struct search *search, const struct band *band, uint32_t id)
{
    return search->base[band - search->network->band] + id;
}

static void push(struct search *search, struct index_list *list, uint32_t item)
{
    search->is_short |= !LIST_PUSH(list, item);
}

/* ---- segments around a channel ---- */

/* Returns the band that sends on a channel. */
static const struct band *sending_band(const struct network *network, uint32_t channel)
{
    if (!is_link_channel(network, channel))
        return network_band(network, channel_at(network, channel)->to);
    const struct band *band = network->band;
    while (channel >= band->end_entry)
        band++;
    return band;
}

/* Returns the band of the node to which a channel leads. */
static const struct band *receiving_band(const struct network *network, uint32_t channel)
{
    return network_band(network, channel_at(network, channel)->to);
}

static uint32_t owner_of(const struct search *search, uint32_t channel)
{
    uint32_t id = channel_at(search->network, channel)->owner;
    return id == NONE ? NONE : segment_number(search, sending_band(search->network, channel), id);
}

static uint32_t front_of(const struct search *search, uint32_t channel)
{
    uint32_t id = channel_at(search->network, channel)->first;
    return id == NONE ? NONE : segment_number(search, receiving_band(search->network, channel), id);
}

static uint32_t last_of(const struct search *search, uint32_t channel)
{
    uint32_t id = channel_at(search->network, channel)->last;
    return id == NONE ? NONE : segment_number(search, receiving_band(search->network, channel), id);
}

static uint32_t behind_of(const struct search *search, const struct segment *segment)
{
    return segment->in < segment->flits && !segment->is_feeder ? owner_of(search, segment->inlet)
                                                               : NONE;
}

/* ---- groups of channels ---- */

static struct group *link_group(const struct search *search, uint32_t link, uint32_t class)
{
    return &search->group[(uint64_t)link / search->network->stride * search->classes + class];
}

static struct group *ejection_group(const struct search *search, uint32_t node)
{
    return &search->group[search->network->topology->links * search->classes + node];
}

static bool can_be_had(const struct search *search, uint32_t channel)
{
    const struct network *network = search->network;
    uint32_t front = front_of(search, channel), owner = owner_of(search, channel);
    bool is_emptied = front == NONE || search->can_go_on[front];
    if (network->switching == SWITCHING_CUT_THROUGH)
        return is_emptied;
    return (owner == NONE || search->clears[owner]) &&
           (is_emptied || !network->settings.releases_when_left);
}

/* Returns, under cut-through, the longest message for which a buffer has room after all that the
 * channel's owner has still to send. */
static uint32_t room_behind_owner(const struct search *search, uint32_t link, uint32_t vc)
{
    const struct network *network = search->network;
    uint32_t channel = link + 1 + vc, owner = owner_of(search, channel);
    uint64_t flits = channel_at(network, channel)->used, buffer = network->settings.buffer;
    bool is_free = (link_at(network, link)->free >> vc & 1) != 0;
    if (!is_free && network->settings.releases_when_left)
        return 0;
    if (owner != NONE)
        flits +=
            search->segment[owner]->flits - output_over(search->segment[owner], channel)->moved;
    return flits < buffer ? (uint32_t)(buffer - flits) : 0;
}

static struct group *known_link_group(const struct search *search, uint32_t link, uint32_t class)
{
    const struct network *network = search->network;
    struct group *group = link_group(search, link, class);
    uint64_t channels = group->is_known ? 0 : network->class_channels[class];
    for (; channels != 0 && group->flits < GROUP_ANY_MESSAGE; channels &= channels - 1) {
        uint32_t vc = (uint32_t)__builtin_ctzll(channels), flits = 0;
        if (can_be_had(search, link + 1 + vc))
            flits = GROUP_ANY_MESSAGE;
        else if (network->switching == SWITCHING_CUT_THROUGH)
            flits = room_behind_owner(search, link, vc);
        if (group->flits < flits)
            group->flits = flits;
    }
    group->is_known = true;
    return group;
}

/* Returns the segment that has an ejection channel of a node, none of which is free. */
static uint32_t consumer_at(const struct search *search, uint32_t node, uint32_t channel)
{
    const struct network *network = search->network;
    uint32_t first = channel_base(network->topology, network->consumption, node);
    return segment_number(search, network_band(network, node), network->consumer[first + channel]);
}

static struct group *known_ejection_group(const struct search *search, uint32_t node)
{
    const struct network *network = search->network;
    struct group *group = ejection_group(search, node);
    if (group->is_known)
        return group;
    bool can = network->node[node].free_ejection != 0;
    uint32_t channels = channels_of(network->topology, network->consumption, node);
    for (uint32_t channel = 0; channel < channels && !can; channel++)
        can = search->clears[consumer_at(search, node, channel)];
    group->flits = can ? GROUP_ANY_MESSAGE : 0;
    group->is_known = true;
    return group;
}

/* ---- outputs of a segment ---- */

/* A walk through the outputs of a segment, or, for a header that has not asked yet, through those
 * that it will ask for. */
struct outputs {
    struct segment *segment;
    uint32_t count; /* of outputs so far */
    uint32_t child; /* the next stop after a branch */
    struct output output;
};

/* Steps to the next output; false if there is none. */
static bool outputs_next(struct outputs *outputs)
{
    struct segment *segment = outputs->segment;
    const struct stop_copy *stop = segment->message->stop;
    uint32_t at = outputs->count++;
    if (segment->has_asked && at < segment->outputs)
        outputs->output = segment_outputs(segment)[at];
    if (segment->has_asked)
        return at < segment->outputs;
    outputs->output = (struct output){.channel = LACKING, .stop = segment->stop};
    if (stop[segment->stop].node != segment->node)
        return at == 0;
    if (at == 0)
        outputs->child = segment->stop + 1;
    outputs->output.stop = at == 0 && stop[segment->stop].is_destination ? NONE : outputs->child;
    if (outputs->output.stop == NONE)
        return true;
    if (outputs->child == segment->stop + stop[segment->stop].span)
        return false;
    outputs->child += stop[outputs->child].span;
    return true;
}

/* Finds the links that an output may take before it is granted one; returns their number. */
static uint32_t choices_of(const struct search *search, const struct segment *segment,
                           uint32_t stop, struct routing_choice choice[ROUTING_CHOICES])
{
    const struct network *network = search->network;
    const struct stop_copy *to = &segment->message->stop[stop];
    return routing_next_stop(network->routing, network->topology, segment->node, to->node,
                             to->class, choice);
}

/* Finds the groups that an output may use before it is granted a channel; returns their number. */
static uint32_t groups_of(const struct search *search, const struct segment *segment, uint32_t stop,
                          struct group *group[ROUTING_CHOICES])
{
    struct routing_choice choice[ROUTING_CHOICES];
    if (stop == NONE) {
        group[0] = known_ejection_group(search, segment->node);
        return 1;
    }
    uint32_t choices = choices_of(search, segment, stop, choice);
    for (uint32_t c = 0; c < choices; c++)
        group[c] = known_link_group(
            search, port_link(search->network, segment->node, choice[c].port), choice[c].class);
    return choices;
}

static bool granted_can(const struct search *search, const struct output *output)
{
    const struct network *network = search->network;
    if (output->stop != NONE && network->switching == SWITCHING_CIRCUIT && output->moved > 0)
        return search->can_go_on[last_of(search, output->channel)];
    return output->stop == NONE || network->switching == SWITCHING_CUT_THROUGH ||
           channel_at(network, output->channel)->used < network->settings.buffer ||
           search->can_go_on[front_of(search, output->channel)];
}

static bool output_can(const struct search *search, const struct segment *segment,
                       const struct output *output)
{
    struct group *group[ROUTING_CHOICES];
    if (output->channel < LATER)
        return granted_can(search, output);
    if (output->stop == NONE && search->network->switching == SWITCHING_CUT_THROUGH)
        return true;
    uint32_t groups = groups_of(search, segment, output->stop, group);
    for (uint32_t i = 0; i < groups; i++)
        if (segment->flits <= group[i]->flits)
            return true;
    return false;
}

/* Enters a segment in the groups for which its output waits. A granted output waits for the segment
 * at the front of its buffer, which finds it as the channel's owner. */
static void wait_in_groups(struct search *search, uint32_t g, const struct output *output)
{
    struct group *group[ROUTING_CHOICES];
    if (output->channel < LATER)
        return;
    uint32_t groups = groups_of(search, search->segment[g], output->stop, group);
    for (uint32_t i = 0; i < groups; i++) {
        push(search, &search->waiter, g);
        push(search, &search->waiter, group[i]->waiters);
        group[i]->waiters = search->waiter.count - 1;
    }
}

static bool can_be_shown(struct search *search, uint32_t g)
{
    struct outputs outputs = {.segment = search->segment[g]};
    if (search->before[g] != NONE && !search->can_go_on[search->before[g]])
        return false;
    while (outputs_next(&outputs))
        if (!output_can(search, outputs.segment, &outputs.output)) {
            wait_in_groups(search, g, &outputs.output);
            return false;
        }
    search->can_go_on[g] = true;
    return true;
}

/* ---- blockers of a segment ---- */

static void block(struct search *search, struct blocker blocker)
{
    search->is_short |= !LIST_PUSH(&search->blockers, blocker);
}

static void block_unless_it_can(struct search *search, struct blocker blocker)
{
    if (!search->can_go_on[blocker.segment])
        block(search, blocker);
}

/* Adds all segments from blocker.segment backwards that cannot go on, since the worm's tail
 * releases the channel. */
static void block_by_rest(struct search *search, struct blocker blocker)
{
    for (; blocker.segment != NONE;
         blocker.segment = behind_of(search, search->segment[blocker.segment]))
        block_unless_it_can(search, blocker);
}

static void block_by_channel(struct search *search, uint32_t channel, uint32_t to)
{
    const struct network *network = search->network;
    uint32_t front = front_of(search, channel);
    if (network->switching != SWITCHING_CUT_THROUGH)
        block_by_rest(search, (struct blocker){owner_of(search, channel), NEED_LINK, to});
    if (front != NONE &&
        (network->switching == SWITCHING_CUT_THROUGH || network->settings.releases_when_left))
        block_unless_it_can(search, (struct blocker){front, NEED_LINK, to});
}

static void block_by_output(struct search *search, const struct segment *segment,
                            const struct output *output)
{
    const struct network *network = search->network;
    struct routing_choice choice[ROUTING_CHOICES];
    if (output->channel < LATER) {
        block_unless_it_can(search, (struct blocker){front_of(search, output->channel), NEED_ROOM,
                                                     channel_at(network, output->channel)->to});
        return;
    }
    if (output->stop == NONE) {
        uint32_t channels = channels_of(network->topology, network->consumption, segment->node);
        for (uint32_t channel = 0; channel < channels; channel++)
            block_by_rest(search, (struct blocker){consumer_at(search, segment->node, channel),
                                                   NEED_CONSUMPTION, segment->node});
        return;
    }
    uint32_t choices = choices_of(search, segment, output->stop, choice);
    for (uint32_t c = 0; c < choices; c++) {
        uint32_t first = port_link(network, segment->node, choice[c].port) + 1;
        for (uint32_t vc = 0; vc < network->vcs; vc++)
            if ((network->class_channels[choice[c].class] >> vc & 1) != 0)
                block_by_channel(search, first + vc, channel_at(network, first)->to);
    }
}

static void name_blockers(struct search *search, uint32_t g)
{
    struct outputs outputs = {.segment = search->segment[g]};
    uint32_t before = search->before[g];
    search->blockers.count = 0;
    if (before != NONE && !search->can_go_on[before]) {
        block_unless_it_can(search, (struct blocker){before, NEED_FRONT, outputs.segment->node});
        return;
    }
    while (outputs_next(&outputs))
        if (!output_can(search, outputs.segment, &outputs.output))
            block_by_output(search, outputs.segment, &outputs.output);
}

/* ---- the search ---- */

static size_t group_count(const struct search *search)
{
    const struct topology *topology = search->network->topology;
    return (size_t)topology->links * search->classes + topology->nodes;
}

static bool make_arrays(struct search *search, uint32_t segments)
{
    search->classes = search->network->routing->classes(search->network->topology);
    search->segment = memory_allocate(segments, sizeof *search->segment);
    search->can_go_on = memory_allocate(segments, sizeof *search->can_go_on);
    search->clears = memory_allocate(segments, sizeof *search->clears);
    search->before = memory_allocate(segments, sizeof *search->before);
    search->open = memory_allocate(segments, sizeof *search->open);
    search->group = memory_allocate_sparse(group_count(search), sizeof *search->group);
    return search->segment != NULL && search->can_go_on != NULL && search->clears != NULL &&
           search->before != NULL && search->open != NULL && search->group != NULL;
}

static void add_segment(struct search *search, struct band *band, uint32_t id)
{
    struct network *network = search->network;
    struct segment *segment = &band->segment[id];
    uint32_t g = segment_number(search, band, id);
    search->segment[g] = segment;
    search->can_go_on[g] = search->clears[g] =
        segment->message == NULL || (segment->is_feeder && network->switching != SWITCHING_CIRCUIT);
    if (search->can_go_on[g])
        return;
    search->open[search->opens++] = g;
    if (!node_is_begun(network, segment->node))
        node_begin(network, segment->node);
    if (segment->next != NONE)
        search->before[segment_number(search, band, segment->next)] = g;
}

/* Numbers the segments of all bands, and lists those that are in buffers. */
static bool begin_search(struct search *search, struct network *network)
{
    uint32_t total = 0;
    *search = (struct search){.network = network};
    for (uint32_t b = 0; b < network->bands; b++) {
        requesters_stay(&network->band[b]);
        search->base[b] = total;
        total += network->band[b].segments;
    }
    if (!make_arrays(search, total))
        return false;
    for (uint32_t g = 0; g < total; g++)
        search->before[g] = NONE;
    for (uint32_t b = 0; b < network->bands; b++)
        for (uint32_t id = 0; id < network->band[b].segments; id++)
            add_segment(search, &network->band[b], id);
    return true;
}

static void end_search(struct search *search)
{
    free(search->segment);
    free(search->can_go_on);
    free(search->clears);
    free(search->before);
    free(search->open);
    memory_free_sparse(search->group, group_count(search) * sizeof *search->group);
    free(search->waiter.item);
    free(search->found.item);
    free(search->cleared.item);
    free(search->blockers.item);
    free(search->header.item);
}

/* ---- spreading ---- */

/* Examines a segment that is not known to be able to go on. */
static void examine(struct search *search, uint32_t g)
{
    if (search->segment[g]->message != NULL && !search->can_go_on[g] && can_be_shown(search, g))
        push(search, &search->found, g);
}

/* Examines all headers that wait in a group, since one of its channels is available. */
static void open_group(struct search *search, struct group *group)
{
    if (group->flits == GROUP_ANY_MESSAGE)
        return;
    group->flits = GROUP_ANY_MESSAGE;
    group->is_known = true;
    for (uint32_t place = group->waiters; place != 0 && !search->is_short;) {
        uint32_t waiter = search->waiter.item[place - 1];
        place = search->waiter.item[place];
        examine(search, waiter);
    }
}

/* Opens the channel's group if the channel is available, now that more is known about its owner or
 * its buffer. */
static void try_channel(struct search *search, uint32_t channel)
{
    const struct network *network = search->network;
    if (!is_link_channel(network, channel) || !can_be_had(search, channel))
        return;
    uint32_t link = channel_link(network, channel), vc = channel - link - 1;
    open_group(search, link_group(search, link, vc * search->classes / network->vcs));
}

/* Notes that the segment clears, if it does, now that more is known about it or about the one after
 * it in the worm. */
static void try_rest(struct search *search, uint32_t g)
{
    uint32_t behind = behind_of(search, search->segment[g]);
    if (search->clears[g] || !search->can_go_on[g] || (behind != NONE && !search->clears[behind]))
        return;
    search->clears[g] = true;
    push(search, &search->cleared, g);
}

/* Examines the segment after one that can go on in its buffer, and the segments that wait for the
 * buffer. */
static void spread_found(struct search *search, uint32_t g)
{
    const struct segment *segment = search->segment[g];
    if (segment->next != NONE)
        examine(search, segment_number(search, network_band(search->network, segment->node),
                                       segment->next));
    if (!segment->is_feeder && (search->network->switching == SWITCHING_CIRCUIT ||
                                front_of(search, segment->inlet) == g)) {
        uint32_t owner = owner_of(search, segment->inlet);
        if (owner != NONE)
            examine(search, owner);
        try_channel(search, segment->inlet);
    }
    try_rest(search, g);
}

/* Examines the segments that wait for the channels of a segment that clears, and the segments ahead
 * of it. */
static void spread_cleared(struct search *search, uint32_t g)
{
    struct segment *segment = search->segment[g];
    const struct output *output = segment_outputs(segment);
    for (uint32_t i = 0; i < segment->outputs; i++) {
        uint32_t channel = output[i].channel;
        if (channel < LATER && output[i].stop == NONE)
            open_group(search, ejection_group(search, segment->node));
        if (channel >= LATER || output[i].stop == NONE || owner_of(search, channel) != g)
            continue;
        try_channel(search, channel);
        uint32_t ahead = last_of(search, channel);
        if (ahead != NONE && behind_of(search, search->segment[ahead]) == g)
            try_rest(search, ahead);
    }
}

static void spread(struct search *search)
{
    while ((search->found.count > 0 || search->cleared.count > 0) && !search->is_short)
        if (search->found.count > 0)
            spread_found(search, search->found.item[--search->found.count]);
        else
            spread_cleared(search, search->cleared.item[--search->cleared.count]);
}

static void find_all(struct search *search)
{
    for (uint32_t i = 0; i < search->opens && !search->is_short; i++) {
        examine(search, search->open[i]);
        spread(search);
    }
}

static void keep_deadlocked(struct search *search)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < search->opens; i++)
        if (!search->can_go_on[search->open[i]])
            search->open[kept++] = search->open[i];
    search->opens = kept;
}

/* ---- the named cycle ---- */

static bool is_header(const struct search *search, uint32_t g)
{
    return !search->can_go_on[g] && search->segment[g]->out == 0;
}

/* Returns the segment of the same worm in the buffer of the channel, or NONE. */
static uint32_t segment_ahead(const struct search *search, const struct segment *segment,
                              uint32_t channel)
{
    const struct network *network = search->network;
    uint32_t id = channel_at(network, channel)->first, found = NONE;
    struct band *band = network_band(search->network, channel_at(network, channel)->to);
    for (; id != NONE; id = band->segment[id].next)
        if (band->segment[id].message == segment->message &&
            stop_worm(band->segment[id].message, band->segment[id].stop) ==
                stop_worm(segment->message, segment->stop))
            found = id;
    return found == NONE ? NONE : segment_number(search, band, found);
}

/* True if `one` is to be named rather than `other`: the need that is first in network_need, then
 * the lesser node. */
static bool lacks_less(struct blocker one, struct blocker other)
{
    return one.need < other.need || (one.need == other.need && one.to < other.to);
}

/* Returns the least deadlocked header at the blockers or ahead of them, with the need that blocks
 * there, or NONE. Empties the list of blockers. */
static struct blocker least_header(struct search *search)
{
    struct blocker least = {.segment = NONE};
    while (search->blockers.count > 0) {
        struct blocker blocker = search->blockers.item[--search->blockers.count];
        uint32_t g = blocker.segment;
        struct segment *segment = search->segment[g];
        if (is_header(search, g)) {
            if (least.segment == NONE ||
                segment_precedes(segment, search->segment[least.segment]) ||
                (least.segment == g && lacks_less(blocker, least)))
                least = blocker;
            continue;
        }
        const struct output *output = segment_outputs(segment);
        for (uint32_t i = 0; i < segment->outputs && segment->out > 0; i++) {
            if (output[i].stop == NONE)
                continue;
            uint32_t ahead = segment_ahead(search, segment, output[i].channel);
            if (ahead != NONE)
                block(search, (struct blocker){ahead, blocker.need, blocker.to});
        }
    }
    return least;
}

/* Returns the place of a header in the walk, or NONE. */
static uint32_t place_in_walk(const struct search *search, uint32_t g)
{
    for (uint32_t i = 0; i < search->header.count; i++)
        if (search->header.item[i] == g)
            return i;
    return NONE;
}

/* Returns the header for which the header g waits. */
static struct blocker next_header(struct search *search, uint32_t g)
{
    name_blockers(search, g);
    return least_header(search);
}

static struct network_wait wait_of(struct search *search, uint32_t g, uint32_t next)
{
    const struct segment *segment = search->segment[g];
    struct blocker lack = next_header(search, g);
    return (struct network_wait){segment->message->number,
                                 stop_worm(segment->message, segment->stop),
                                 segment->node,
                                 next,
                                 segment->message->source,
                                 lack.need,
                                 lack.to};
}

/* Walks from the least header until one repeats, and names the headers from that one on. */
static bool name_cycle(struct search *search)
{
    struct network *network = search->network;
    uint32_t header = NONE, from;
    for (uint32_t i = 0; i < search->opens; i++) {
        uint32_t g = search->open[i];
        if (is_header(search, g) &&
            (header == NONE || segment_precedes(search->segment[g], search->segment[header])))
            header = g;
    }
    while (header != NONE && (from = place_in_walk(search, header)) == NONE) {
        push(search, &search->header, header);
        header = next_header(search, header).segment;
    }
    assert(header != NONE || search->is_short);
    if (search->is_short)
        return false;
    uint32_t count = search->header.count - from;
    network->wait = memory_allocate(count, sizeof *network->wait);
    if (network->wait == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        network->wait[i] = wait_of(search, search->header.item[from + i], (i + 1) % count);
    network->waits = count;
    return !search->is_short;
}

const char *const network_need_names[NETWORK_NEEDS + 1] = {"consumption channel", "virtual channel",
                                                           "room", "front of the buffer", NULL};

/* Fills the list of waits; false: no memory. */
static bool search_waits(struct network *network)
{
    struct search search;
    bool has_memory = begin_search(&search, network);
    if (has_memory) {
        find_all(&search);
        keep_deadlocked(&search);
        if (search.opens > 0 && !search.is_short)
            has_memory = name_cycle(&search);
    }
    end_search(&search);
    return has_memory && !search.is_short;
}

/* Writes the option with which the same messages cannot deadlock: doc/network.md ("Deadlock") has
 * the proof. */
static void describe_cure(const struct network *network, char *text, size_t size)
{
    const struct topology *topology = network->topology;
    bool is_ordered = network->routing != &routing_link && network->routing != &routing_sides;
    uint32_t most = 0;
    for (uint32_t node = 0; node < topology->nodes; node++)
        most = max_u32(most, topology_degree(topology, node));
    if (is_ordered && most <= NETWORK_MAX_CHANNELS / network->vcs)
        snprintf(text, size, "--consumption %u", most * network->vcs);
    else /* whose --buffer counts messages, and which has no --release */
        snprintf(text, size, "--switching store-and-forward without --buffer and --release");
}

enum failure_kind network_find_deadlock(struct network *network, uint64_t cycle)
{
    if (!search_waits(network))
        return fail_memory(&network->failure, "the search for deadlocks");
    if (network->waits == 0)
        return FAIL_NONE;
    char cure[80];
    describe_cure(network, cure, sizeof cure);
    return fail(
        &network->failure, FAIL_CHECK,
        "deadlock in cycle %llu: %zu headers wait for one another, the first is that of worm %u of "
        "message %u at node %u; %s would prevent it",
        (unsigned long long)cycle, network->waits, network->wait[0].worm, network->wait[0].message,
        network->wait[0].node, cure);
}

void network_advise(const struct network *network, const struct scheme *scheme,
                    struct failure *failure)
{
    size_t used = strlen(failure->text);
    uint32_t classes = routing_sides.classes(network->topology);
    if (network->waits > 0 && scheme->routing == tree_routing_by_classes && classes > 0)
        snprintf(failure->text + used, sizeof failure->text - used,
                 ", or --param classes=sides with --switching cut-through, --vcs %u or more, and a "
                 "--buffer for whole messages",
                 classes);
}
