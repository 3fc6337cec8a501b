/* network_deadlock_reference.c - the golden model of the network: deadlocks.
 *
 * To be read after doc/network.md ("Deadlock"). At first no part is known to be able to go on; each
 * round finds more, until one finds none: the rest is deadlocked.
 */
#include "test/reference/network_reference.h"

#include <assert.h>

/* A header's need, and the node at the link's end, or its own. */
struct lack {
    enum network_need need;
    uint32_t to;
};

/* The parts that block another one, each with the need that it leaves open. */
struct blockers {
    uint32_t count;
    const struct golden_part *part[GOLDEN_PARTS];
    struct lack lack[GOLDEN_PARTS];
    struct lack now; /* the one under examination */
};

static uint32_t flits_of(const struct golden_part *part)
{
    return part->worm->flits;
}

static const struct golden_part *front_of(const struct golden_channel *channel)
{
    const struct golden_part *part = channel->last;
    while (part != NULL && part->before != NULL)
        part = part->before;
    return part;
}

static bool can_go_on(const struct golden_part *part, struct blockers *blockers)
{
    if (!part->can_go_on) {
        blockers->lack[blockers->count] = blockers->now;
        blockers->part[blockers->count++] = part;
    }
    return part->can_go_on;
}

/* True if, under wormhole switching, the rest of the owner can pass, so that the channel is
 * released. */
static bool can_be_given_back(const struct golden *g, const struct golden_channel *channel,
                              struct blockers *blockers)
{
    const struct golden_part *part = channel->sender;
    bool can = true;
    if (channel->over->sent < flits_of(part))
        for (; part != NULL && part->left < flits_of(part); part = part->behind)
            can &= can_go_on(part, blockers);
    if (g->settings.releases_when_left && channel->over->next != NULL)
        can &= can_go_on(channel->over->next, blockers);
    return can;
}

/* True if, under cut-through, the buffer has room for the part's message now, or will have it. */
static bool can_take_in(const struct golden *g, const struct golden_channel *channel,
                        const struct golden_part *part, struct blockers *blockers)
{
    uint32_t flits = golden_flits(channel) + flits_of(part);
    if (channel->owner != NULL)
        flits += channel->owner->flits - channel->over->sent;
    bool is_free = channel->owner == NULL || !g->settings.releases_when_left;
    return channel->last == NULL || (is_free && flits <= g->settings.buffer) ||
           can_go_on(front_of(channel), blockers);
}

static bool output_can(struct golden *g, const struct golden_part *part,
                       const struct golden_output *output, struct blockers *blockers)
{
    bool is_wormhole = golden_is_wormhole(g);
    const struct golden_channel *granted = output->channel;
    if (granted != NULL)
        blockers->now = (struct lack){NEED_ROOM, granted->node};
    if (golden_is_circuit(g) && output->next != NULL && output->sent < flits_of(part))
        return can_go_on(output->next, blockers);
    if (granted != NULL)
        return !is_wormhole || granted->kind == GOLDEN_CONSUMPTION ||
               golden_flits(granted) < g->settings.buffer || can_go_on(front_of(granted), blockers);
    struct golden_channel *choice[GOLDEN_CHOICES];
    uint32_t choices = golden_choices(g, part, output, choice);
    for (uint32_t i = 0; i < choices; i++)
        if (choice[i]->owner == NULL && is_wormhole)
            return true;
    bool can = false;
    for (uint32_t i = 0; i < choices; i++) {
        blockers->now = (struct lack){
            choice[i]->kind == GOLDEN_CONSUMPTION ? NEED_CONSUMPTION : NEED_LINK, choice[i]->node};
        if (is_wormhole)
            can |= can_be_given_back(g, choice[i], blockers);
        else
            can |=
                choice[i]->kind == GOLDEN_CONSUMPTION || can_take_in(g, choice[i], part, blockers);
    }
    return can;
}

/* True if the part can go on, as far as it is known; if not, `blockers` has the parts for which it
 * waits. */
static bool part_can(struct golden *g, const struct golden_part *part, struct blockers *blockers)
{
    bool can = true;
    blockers->now = (struct lack){NEED_FRONT, part->node};
    if (part->before != NULL && !can_go_on(part->before, blockers))
        return false;
    for (uint32_t i = 0; i < part->outputs; i++) {
        uint32_t count = blockers->count;
        if (output_can(g, part, &part->output[i], blockers))
            blockers->count = count; /* blockers of other choices do not matter */
        else
            can = false;
    }
    return can;
}

/* True if the part is deadlocked and has its header. */
static bool is_header(const struct golden_part *part)
{
    return !part->can_go_on && part->left == 0;
}

/* True if `part` is the header's own part or behind it, joined to it. */
static bool is_at_or_behind(const struct golden_part *part, const struct golden_part *header)
{
    while (header != NULL && header != part && header->left < flits_of(header))
        header = header->behind;
    return header == part;
}

static bool is_less(struct lack one, struct lack other)
{
    return one.need < other.need || (one.need == other.need && one.to < other.to);
}

/* Returns the least header among the blockers' worms; *lack: the least need that it leaves open. */
static struct golden_part *first_of(struct golden *g, const struct blockers *blockers,
                                    struct lack *lack)
{
    struct golden_part *first = NULL;
    for (uint32_t i = 0; i < g->parts; i++)
        for (uint32_t b = 0; b < blockers->count && is_header(g->part[i]); b++)
            if (is_at_or_behind(blockers->part[b], g->part[i]) &&
                (first == NULL || golden_compare(g->part[i], first) < 0 ||
                 (first == g->part[i] && is_less(blockers->lack[b], *lack)))) {
                first = g->part[i];
                *lack = blockers->lack[b];
            }
    return first;
}

/* Walks from header to header until one repeats, and names those from there on. */
static void name_cycle(struct golden *g, struct golden_part *header)
{
    struct golden_part *walk[GOLDEN_PARTS + 1];
    struct lack lack[GOLDEN_PARTS + 1];
    for (uint32_t length = 0;; length++) {
        for (uint32_t from = 0; from < length; from++)
            if (walk[from] == header) {
                g->waits = length - from;
                for (uint32_t i = 0; i < g->waits; i++)
                    g->wait[i] = (struct network_wait){walk[from + i]->worm->message->number,
                                                       walk[from + i]->worm->number,
                                                       walk[from + i]->node,
                                                       (i + 1) % g->waits,
                                                       walk[from + i]->worm->message->source,
                                                       lack[from + i].need,
                                                       lack[from + i].to};
                return;
            }
        struct blockers blockers;
        blockers.count = 0;
        walk[length] = header;
        part_can(g, header, &blockers);
        header = first_of(g, &blockers, &lack[length]);
        assert(header != NULL);
    }
}

bool golden_search(struct golden *g)
{
    struct golden_part *least = NULL;
    for (uint32_t i = 0; i < g->parts; i++)
        g->part[i]->can_go_on = g->part[i]->entered == 0; /* it is in no buffer yet */
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (uint32_t i = 0; i < g->parts; i++) {
            struct blockers blockers;
            blockers.count = 0;
            if (!g->part[i]->can_go_on && part_can(g, g->part[i], &blockers))
                g->part[i]->can_go_on = is_new = true;
        }
    }
    for (uint32_t i = 0; i < g->parts; i++)
        if (is_header(g->part[i]) && (least == NULL || golden_compare(g->part[i], least) < 0))
            least = g->part[i];
    if (least == NULL)
        return false;
    name_cycle(g, least);
    return true;
}
