/* network_deadlock.c - finds the parts that can never go on, and a cycle of headers that wait for one another.
 *
 * Method: the rules are those of doc/network.md ("Deadlock"); network_deadlock_rules.c has what a part waits for. At first
 * no part is known to be able to go on. Each is looked at once. A part that can go on has others looked at again: the part
 * behind it in the buffer, the part that sends into the buffer, and, once the rest of its worm can follow, the headers that
 * wait for the worm's channels. The parts that are left are deadlocked.
 *
 * Headers wait in groups of channels of which any one will do.
 * Cost: a group has its headers looked at at most once, so a part is looked at about as often as it has outputs and choices,
 * whatever the number of virtual channels.
 */
#include "network/network_deadlock_private.h"

#include "base/numbers.h"

#include <stdio.h>
#include <stdlib.h>

static size_t groups_of(const struct search *search)
{
    const struct topology *topology = search->network->topology;
    return (size_t)topology->links * search->classes + topology->nodes;
}

static bool make_arrays(struct search *search, uint32_t parts)
{
    search->classes = search->network->routing->classes(search->network->topology);
    search->part = memory_allocate(parts, sizeof *search->part);
    search->can_go_on = memory_allocate(parts, sizeof *search->can_go_on);
    search->clears = memory_allocate(parts, sizeof *search->clears);
    search->before = memory_allocate(parts, sizeof *search->before);
    search->open = memory_allocate(parts, sizeof *search->open);
    search->group = memory_allocate_sparse(groups_of(search), sizeof *search->group);
    return search->part != NULL && search->can_go_on != NULL && search->clears != NULL &&
           search->before != NULL && search->open != NULL && search->group != NULL;
}

static void add_part(struct search *search, struct band *band, uint32_t id)
{
    struct network *network = search->network;
    struct part *part = &band->part[id];
    uint32_t g = search_number(search, band, id);
    search->part[g] = part;
    search->can_go_on[g] = search->clears[g] =
        part->message == NULL || (part->is_feeder && !network->is_circuit);
    if (search->can_go_on[g])
        return;
    search->open[search->opens++] = g;
    if (!node_is_begun(network, part->node))
        node_begin(network, part->node);
    if (part->next != NONE)
        search->before[search_number(search, band, part->next)] = g;
}

/* Numbers the parts of all bands, and lists those that are in buffers. */
bool search_begin(struct search *search, struct network *network)
{
    uint32_t total = 0;
    *search = (struct search){.network = network};
    for (uint32_t b = 0; b < network->bands; b++) {
        search->base[b] = total;
        total += network->band[b].parts;
    }
    if (!make_arrays(search, total))
        return false;
    network->searches.searches++;
    for (uint32_t g = 0; g < total; g++)
        search->before[g] = NONE;
    for (uint32_t b = 0; b < network->bands; b++)
        for (uint32_t id = 0; id < network->band[b].parts; id++)
            add_part(search, &network->band[b], id);
    return true;
}

void search_end(struct search *search)
{
    search->network->searches.waiters += search->waiter.count / 2;
    free(search->part);
    free(search->can_go_on);
    free(search->clears);
    free(search->before);
    free(search->open);
    memory_free_sparse(search->group, groups_of(search) * sizeof *search->group);
    free(search->waiter.item);
    free(search->found.item);
    free(search->cleared.item);
    free(search->blockers.item);
    free(search->header.item);
}

/* ---- what can go on ---- */

/* Looks at a part that is not known to be able to go on. */
static void look(struct search *search, uint32_t g)
{
    search->network->searches.looks++;
    if (search->part[g]->message != NULL && !search->can_go_on[g] && search_look(search, g))
        search_push(search, &search->found, g);
}

/* Looks at all headers that wait in a group, since one of its channels can be had. */
static void open_group(struct search *search, struct group *group)
{
    if (group->flits == GROUP_ANY_MESSAGE)
        return;
    group->flits = GROUP_ANY_MESSAGE;
    group->is_known = true;
    for (uint32_t place = group->waiters; place != 0 && !search->is_short;) {
        uint32_t waiter = search->waiter.item[place - 1];
        place = search->waiter.item[place];
        look(search, waiter);
    }
}

/* Opens the channel's group if the channel can be had, now that more is known of its owner or its buffer. */
static void try_channel(struct search *search, uint32_t channel)
{
    const struct network *network = search->network;
    if (!is_link_channel(network, channel) || !search_can_be_had(search, channel))
        return;
    uint32_t link = channel_link(network, channel), vc = channel - link - 1;
    open_group(search, search_link_group(search, link, vc * search->classes / network->vcs));
}

/* Notes that the part clears, if it does, now that more is known of it or of the one behind it in the worm. */
static void try_rest(struct search *search, uint32_t g)
{
    uint32_t behind = search_behind(search, search->part[g]);
    if (search->clears[g] || !search->can_go_on[g] || (behind != NONE && !search->clears[behind]))
        return;
    search->clears[g] = true;
    search_push(search, &search->cleared, g);
}

/* Looks at the part behind one that can go on in its buffer, and at the parts that wait for the buffer. */
static void spread_found(struct search *search, uint32_t g)
{
    const struct part *part = search->part[g];
    if (part->next != NONE)
        look(search, search_number(search, network_band(search->network, part->node), part->next));
    if (!part->is_feeder &&
        (search->network->is_circuit || search_front(search, part->inlet) == g)) {
        uint32_t owner = search_owner(search, part->inlet);
        if (owner != NONE)
            look(search, owner);
        try_channel(search, part->inlet);
    }
    try_rest(search, g);
}

/* Looks at the parts that wait for the channels of a part that clears, and at the parts ahead of it. */
static void spread_cleared(struct search *search, uint32_t g)
{
    struct part *part = search->part[g];
    const struct output *output = part_outputs(part);
    for (uint32_t i = 0; i < part->outputs; i++) {
        uint32_t channel = output[i].channel;
        if (channel < LATER && output[i].stop == NONE)
            open_group(search, search_consumption_group(search, part->node));
        if (channel >= LATER || output[i].stop == NONE || search_owner(search, channel) != g)
            continue;
        try_channel(search, channel);
        uint32_t ahead = search_last(search, channel);
        if (ahead != NONE && search_behind(search, search->part[ahead]) == g)
            try_rest(search, ahead);
    }
}

void search_spread(struct search *search)
{
    while ((search->found.count > 0 || search->cleared.count > 0) && !search->is_short)
        if (search->found.count > 0)
            spread_found(search, search->found.item[--search->found.count]);
        else
            spread_cleared(search, search->cleared.item[--search->cleared.count]);
}

void search_find(struct search *search)
{
    for (uint32_t i = 0; i < search->opens && !search->is_short; i++) {
        look(search, search->open[i]);
        search_spread(search);
    }
}

void search_keep_deadlocked(struct search *search)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < search->opens; i++)
        if (!search->can_go_on[search->open[i]])
            search->open[kept++] = search->open[i];
    search->opens = kept;
}

/* ---- the cycle that is named ---- */

static bool is_header(const struct search *search, uint32_t g)
{
    return !search->can_go_on[g] && search->part[g]->out == 0;
}

/* Returns the part of the same worm in the buffer of the channel, or NONE. */
static uint32_t part_ahead(const struct search *search, const struct part *part, uint32_t channel)
{
    const struct network *network = search->network;
    uint32_t id = channel_at(network, channel)->first, found = NONE;
    struct band *band = network_band(search->network, channel_at(network, channel)->to);
    for (; id != NONE; id = band->part[id].next)
        if (band->part[id].message == part->message &&
            part_worm(&band->part[id]) == part_worm(part))
            found = id;
    return found == NONE ? NONE : search_number(search, band, found);
}

/* True if `one` is to be named rather than `other`: the need that comes first in network_need, then the lesser node. */
static bool lacks_less(struct blocker one, struct blocker other)
{
    return one.need < other.need || (one.need == other.need && one.to < other.to);
}

/* Returns the least deadlocked header at the blockers or ahead of them, with what is lacked of it, or NONE. Empties the
 * list of blockers. */
static struct blocker least_header(struct search *search)
{
    struct blocker least = {.part = NONE};
    while (search->blockers.count > 0) {
        struct blocker blocker = search->blockers.item[--search->blockers.count];
        uint32_t g = blocker.part;
        struct part *part = search->part[g];
        if (is_header(search, g)) {
            if (least.part == NONE || part_precedes(part, search->part[least.part]) ||
                (least.part == g && lacks_less(blocker, least)))
                least = blocker;
            continue;
        }
        const struct output *output = part_outputs(part);
        for (uint32_t i = 0; i < part->outputs && part->out > 0; i++) {
            if (output[i].stop == NONE)
                continue;
            uint32_t ahead = part_ahead(search, part, output[i].channel);
            if (ahead != NONE)
                search_block(search, (struct blocker){ahead, blocker.need, blocker.to});
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
    search_name_blockers(search, g);
    return least_header(search);
}

static struct network_wait wait_of(struct search *search, uint32_t g, uint32_t next)
{
    const struct part *part = search->part[g];
    struct blocker lack = next_header(search, g);
    return (struct network_wait){part->message->number, part_worm(part), part->node, next,
                                 part->message->source, lack.need,       lack.to};
}

/* Walks from the least header until one comes again, and names the headers from that one on. */
static bool name_cycle(struct search *search)
{
    struct network *network = search->network;
    uint32_t header = NONE, from;
    for (uint32_t i = 0; i < search->opens; i++) {
        uint32_t g = search->open[i];
        if (is_header(search, g) &&
            (header == NONE || part_precedes(search->part[g], search->part[header])))
            header = g;
    }
    while (header != NONE && (from = place_in_walk(search, header)) == NONE) {
        search_push(search, &search->header, header);
        header = next_header(search, header).part;
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
    bool has_memory = search_begin(&search, network);
    if (has_memory) {
        search_find(&search);
        search_keep_deadlocked(&search);
        if (search.opens > 0 && !search.is_short)
            has_memory = name_cycle(&search);
    }
    search_end(&search);
    return has_memory && !search.is_short;
}

/* Writes the option with which the same messages cannot deadlock: doc/network.md ("Deadlock") has the proof. */
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
