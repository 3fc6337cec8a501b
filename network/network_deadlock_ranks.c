/* network_deadlock_ranks.c - the search for deadlocks where several ranks share the nodes.
 *
 * Each rank searches its own parts. Of what is at another rank a part needs two things, and only at the links that cross:
 * whether the part at the front of the next buffer can go on, and whether those of its own worm
 * that are behind it, on the other side, can. For both the band that stands for what is outside gets a part during the search, of which nothing is known at
 * first. In rounds the ranks tell what they have found of these, and search on, until nobody has found anything more: that is
 * the least solution of all parts together, whatever the order. A record of a link has two halves, of which the other
 * side's is free here; it holds the outside part's id.
 *
 * If any part cannot go on, which ends the run, the cycle of headers is named by a search at rank 0 (network_gather.c).
 */
#include "network/network_ranks_private.h"

#include "network/network_deadlock_private.h"

/* A channel of a link that crosses; `place`: in own->told. */
struct crossing {
    uint32_t channel, place;
    bool is_out;    /* of here */
    uint32_t other; /* the node on the other side */
};

static struct crossing crossing_at(const struct network *network, uint32_t b, uint32_t vc)
{
    const struct border_link *border = &network->ranks->border[b];
    bool is_out = node_is_here(network, border->from);
    return (struct crossing){border->link + 1 + vc, b * network->vcs + vc, is_out,
                             is_out ? border->to : border->from};
}

/* Tells that something is here of which the other side may want to know whether it can go on: `bodies` are of fronts,
 * `credits` of worms that have not left the sending side. */
static void tell(struct network *network, struct crossing crossing)
{
    struct border_mail *mail = border_mail_to(network, crossing.other);
    border_mail_push(network, crossing.is_out ? &mail->credits : &mail->bodies, crossing.channel);
}

/* Whether there is something to tell of on this side. */
static bool has_subject(const struct network *network, struct crossing crossing)
{
    const struct channel *channel = channel_at(network, crossing.channel);
    return (crossing.is_out ? channel->owner : channel->first) != NONE;
}

static void add_outside(struct network *network, uint32_t channel, uint32_t *id)
{
    struct band *outside = &network->band[network->bands];
    *id = part_make(outside);
    if (*id != NONE)
        outside->part[*id] = (struct part){.flits = 1,
                                           .in = 1,
                                           .inlet = channel,
                                           .next = NONE,
                                           .outputs = 1,
                                           .way.one = {.channel = channel, .requests = NONE}};
}

static void add_subjects(void *context, const struct border_mail *mail)
{
    struct network *network = context;
    for (uint32_t i = 0; i < mail->bodies.count; i++) {
        uint32_t channel = mail->bodies.item[i];
        add_outside(network, channel, &channel_at(network, channel)->first);
    }
    for (uint32_t i = 0; i < mail->credits.count; i++) {
        uint32_t channel = mail->credits.item[i];
        add_outside(network, channel, &channel_at(network, channel)->owner);
    }
}

/* Gives the outside parts to all that has something to tell. */
static bool begin_outside(struct network *network)
{
    struct network_ranks *own = network->ranks;
    for (uint32_t b = 0; b < own->borders; b++)
        for (uint32_t vc = 0; vc < network->vcs; vc++) {
            struct crossing crossing = crossing_at(network, b, vc);
            own->told[crossing.place] = !has_subject(network, crossing);
            if (!own->told[crossing.place])
                tell(network, crossing);
        }
    return border_mail_exchange(network, add_subjects, network) &&
           !network->band[network->bands].is_out_of_memory;
}

static void end_outside(struct network *network)
{
    struct band *outside = &network->band[network->bands];
    for (uint32_t b = 0; b < network->ranks->borders; b++)
        for (uint32_t vc = 0; vc < network->vcs; vc++) {
            struct crossing crossing = crossing_at(network, b, vc);
            struct channel *channel = channel_at(network, crossing.channel);
            *(crossing.is_out ? &channel->first : &channel->owner) = NONE;
        }
    outside->parts = outside->live_parts = 0;
    outside->free_part = NONE;
}

/* ---- rounds ---- */

/* Whether what is to be told of can go on. */
static bool subject_can(const struct search *search, struct crossing crossing)
{
    return crossing.is_out ? search->clears[search_owner(search, crossing.channel)]
                           : search->can_go_on[search_front(search, crossing.channel)];
}

/* Tells what has been found since the last round; returns whether there was any. */
static bool tell_found(struct search *search)
{
    struct network *network = search->network;
    struct network_ranks *own = network->ranks;
    bool has_told = false;
    for (uint32_t b = 0; b < own->borders; b++)
        for (uint32_t vc = 0; vc < network->vcs; vc++) {
            struct crossing crossing = crossing_at(network, b, vc);
            if (own->told[crossing.place] || !subject_can(search, crossing))
                continue;
            own->told[crossing.place] = true;
            tell(network, crossing);
            has_told = true;
        }
    return has_told;
}

static void hear(struct search *search, uint32_t id)
{
    uint32_t g = search_number(search, &search->network->band[search->network->bands], id);
    search->can_go_on[g] = true;
    search_push(search, &search->found, g);
}

static void hear_found(void *context, const struct border_mail *mail)
{
    struct search *search = context;
    for (uint32_t i = 0; i < mail->bodies.count; i++)
        hear(search, channel_at(search->network, mail->bodies.item[i])->first);
    for (uint32_t i = 0; i < mail->credits.count; i++)
        hear(search, channel_at(search->network, mail->credits.item[i])->owner);
    search_spread(search);
}

/* Sets *deadlocked to the parts of all ranks that cannot go on; false: no memory, or the ranks cannot go on. */
static bool search_in_rounds(struct search *search, uint64_t *deadlocked)
{
    struct network *network = search->network;
    struct ranks *ranks = network->settings.ranks;
    search_find(search);
    for (;;) {
        bool has_told = tell_found(search);
        if (search->is_short || ranks_any(ranks, &has_told, &network->failure) != FAIL_NONE)
            return false;
        if (!has_told)
            break;
        if (!border_mail_exchange(network, hear_found, search))
            return false;
    }
    search_keep_deadlocked(search);
    *deadlocked = search->opens;
    return ranks_sum(ranks, deadlocked, 1, &network->failure) == FAIL_NONE;
}

bool network_ranks_search(struct network *network)
{
    struct search search = {.network = network};
    uint64_t deadlocked = 0;
    bool is_done = begin_outside(network) && search_begin(&search, network) &&
                   search_in_rounds(&search, &deadlocked);
    search_end(&search);
    end_outside(network);
    if (!is_done || deadlocked == 0)
        return is_done;
    bool has_found = network_gather_search(network);
    assert(!has_found || network->waits > 0); /* both searches have one solution */
    return has_found;
}
