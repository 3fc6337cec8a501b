/* network_deadlock.c - which parts can never go on, and a cycle of headers that wait for one another.
 *
 * The rules are those of doc/network.md ("Deadlock"). At first no part is known to be able to go on. Each is looked at
 * once; one that cannot be shown to go on yet stands by at parts it waits for, and is looked at again when one of them
 * is known to go on. The rest is deadlocked. So a part costs as many looks as it has parts to wait for, at most.
 *
 * network_deadlock_rules.c says what a part waits for.
 */
#include "network/network_deadlock_private.h"
#include "network/network_ranks_private.h"

#include <stdlib.h>
#include <string.h>

/* Numbers the parts of all bands, and lists those that are in buffers. */
bool search_begin(struct search *search, struct network *network)
{
    uint32_t total = 0;
    *search = (struct search){.network = network};
    for (uint32_t b = 0; b < network->mailers; b++) {
        search->base[b] = total;
        total += network->band[b].parts;
    }
    search->part = memory_allocate(total, sizeof *search->part);
    search->can_go_on = memory_allocate(total, sizeof *search->can_go_on);
    search->before = memory_allocate(total, sizeof *search->before);
    search->open = memory_allocate(total, sizeof *search->open);
    search->bystanders = memory_allocate(total, sizeof *search->bystanders);
    if (search->part == NULL || search->can_go_on == NULL || search->before == NULL ||
        search->open == NULL || search->bystanders == NULL)
        return false;
    for (uint32_t g = 0; g < total; g++)
        search->before[g] = search->bystanders[g] = NONE;
    for (uint32_t b = 0; b < network->bands; b++) {
        struct band *band = &network->band[b];
        for (uint32_t id = 0; id < band->parts; id++) {
            struct part *part = &band->part[id];
            uint32_t g = search->base[b] + id;
            search->part[g] = part;
            search->can_go_on[g] = part->message == NULL || part->is_feeder;
            if (search->can_go_on[g])
                continue;
            search->open[search->opens++] = g;
            if (!node_is_begun(network, part->node))
                node_begin(network, part->node);
            if (part->next != NONE)
                search->before[search->base[b] + part->next] = g;
        }
    }
    return true;
}

void search_end(struct search *search)
{
    free(search->part);
    free(search->can_go_on);
    free(search->before);
    free(search->open);
    free(search->bystanders);
    free(search->bystander.item);
    free(search->found.item);
    free(search->blockers.item);
    free(search->header.item);
}

/* Whether a part is known to be able to go on; if not, it will be looked at again. */
static bool look(struct search *search, uint32_t g)
{
    search->blockers.count = 0;
    search->can_go_on[g] = search_part_can(search, g);
    for (uint32_t i = 0; i < search->blockers.count && !search->can_go_on[g]; i++) {
        uint32_t blocker = search->blockers.item[i].part, place = search->bystander.count;
        search->is_short |= !index_push(&search->bystander, g);
        search->is_short |= !index_push(&search->bystander, search->bystanders[blocker]);
        search->bystanders[blocker] = place;
    }
    return search->can_go_on[g];
}

/* Looks at those that stand by at what is found to be able to go on. */
void search_spread(struct search *search)
{
    search->names_blockers = NAMES_ONE_OF_EACH;
    while (search->found.count > 0 && !search->is_short) {
        uint32_t place = search->bystanders[search->found.item[--search->found.count]];
        while (place != NONE && !search->is_short) {
            uint32_t bystander = search->bystander.item[place];
            place = search->bystander.item[place + 1];
            if (!search->can_go_on[bystander] && look(search, bystander))
                search->is_short |= !index_push(&search->found, bystander);
        }
    }
    search->names_blockers = NAMES_NONE;
}

void search_find(struct search *search)
{
    for (uint32_t i = 0; i < search->opens && !search->is_short; i++) {
        uint32_t g = search->open[i];
        search->names_blockers = NAMES_ONE_OF_EACH;
        if (search->can_go_on[g] || !look(search, g))
            continue;
        search->is_short |= !index_push(&search->found, g);
        search_spread(search);
    }
    search->names_blockers = NAMES_NONE;
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

/* The part of the same worm that a channel brings to, or NONE. */
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

/* Of two things that are lacked of one header the first of network_need, and of two links the one to the least node,
 * is named. */
static bool lacks_less(struct blocker one, struct blocker other)
{
    return one.need < other.need || (one.need == other.need && one.to < other.to);
}

/* The least deadlocked header at the blockers or ahead of them, with what is lacked of it, or NONE; they are used
 * up. */
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

/* Where a header stands in the walk, or NONE. */
static uint32_t place_in_walk(const struct search *search, uint32_t g)
{
    for (uint32_t i = 0; i < search->header.count; i++)
        if (search->header.item[i] == g)
            return i;
    return NONE;
}

/* The header that the header g waits for. */
static struct blocker next_header(struct search *search, uint32_t g)
{
    search->blockers.count = 0;
    search->names_blockers = NAMES_ALL;
    search_part_can(search, g);
    search->names_blockers = NAMES_NONE;
    return least_header(search);
}

static struct network_wait wait_of(struct search *search, uint32_t g, uint32_t next)
{
    const struct part *part = search->part[g];
    struct blocker lack = next_header(search, g);
    return (struct network_wait){part->message->number, part_worm(part), part->node, next,
                                 part->message->source, lack.need,       lack.to};
}

/* Walks from the least header until one comes again; those from there on are named. */
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
        search->is_short |= !index_push(&search->header, header);
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

bool network_search_alone(struct network *network)
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

enum failure_kind network_find_deadlock(struct network *network, uint64_t cycle)
{
    if (!(network->ranks != NULL ? network_ranks_search(network) : network_search_alone(network)))
        return fail_memory(&network->failure, "the search for deadlocks");
    if (network->waits == 0)
        return FAIL_NONE;
    return fail(
        &network->failure, FAIL_CHECK,
        "deadlock in cycle %llu: %zu headers wait for one another, the first is that of worm %u of "
        "message %u at node %u",
        (unsigned long long)cycle, network->waits, network->wait[0].worm, network->wait[0].message,
        network->wait[0].node);
}
