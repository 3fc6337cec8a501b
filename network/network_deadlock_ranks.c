/* network_deadlock_ranks.c - the search for deadlocks where several ranks share the nodes.
 *
 * Method: each rank searches its own parts. A part depends on another rank only at the links that cross, and in two ways:
 * can the part at the front of the next buffer go on, and can the rest of its own worm, on the other side? During the
 * search the band of the other ranks has a part for each, of which nothing is known at first. In rounds the ranks tell one
 * another which of these can go on, and search on, until no rank has found anything more. That is the least solution of all
 * parts together, whatever the order. A record of a link has two halves; the other side's half, which is free here, holds
 * the outside part's id.
 *
 * If any part cannot go on, which ends the run, a search at rank 0 names the cycle of headers (network_gather.c).
 */
#include "network/network_ranks_private.h"

#include "network/network_deadlock_private.h"

/* A channel of a link that crosses; `place`: in own->told. */
struct crossing {
    uint32_t channel, place;
    bool is_out;    /* its packets leave this rank */
    uint32_t other; /* the node on the other side */
};

static struct crossing crossing_at(const struct network *network, uint32_t b, uint32_t vc)
{
    const struct border_link *border = &network->ranks->border[b];
    bool is_out = node_is_here(network, border->from);
    return (struct crossing){border->link + 1 + vc, b * network->vcs + vc, is_out,
                             is_out ? border->to : border->from};
}

/* Tells the other side of a subject here: `bodies` are the front parts of buffers, `credits` worms that have not wholly left
 * the sending side. Told once before the search: there is one; told during it: it can go on. */
static void tell(struct network *network, struct crossing crossing)
{
    struct border_mail *mail = border_mail_to(network, crossing.other);
    border_mail_push(network, crossing.is_out ? &mail->credits : &mail->bodies, crossing.channel);
}

/* True if there is a subject on this side. */
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

/* Makes a part for every subject of the other ranks. */
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

/* True if the subject can go on, on the sending side with all parts behind it. */
static bool subject_can(const struct search *search, struct crossing crossing)
{
    return crossing.is_out ? search->clears[search_owner(search, crossing.channel)]
                           : search->can_go_on[search_front(search, crossing.channel)];
}

/* Tells of the subjects that can go on since the last round; true if there are any. */
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

/* Sets *deadlocked to the number of parts of all ranks that cannot go on. False if there is no memory or a rank failed. */
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
