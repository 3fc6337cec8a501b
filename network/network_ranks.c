/* network_ranks.c - what the ranks of a network do together: they look around, and add up what is done.
 *
 * Each rank decides by the same numbers. Ranks look around after a stretch of cycles, which is longer the longer flits
 * have moved; a cycle too many changes nothing, and is taken back (network_run.c).
 */
#include "network/network_ranks_private.h"

#include "base/extremes.h"
#include "network/network_steps_private.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_RESIDENTS = 64, LONGEST_STRETCH = 32 };

/* ---- messages that are here ---- */

static uint32_t home_of(const struct residents *residents, uint32_t number)
{
    return (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (residents->room - 1);
}

/* The place of a message, or the empty one where it would be. */
static uint32_t place_of(const struct residents *residents, uint32_t number)
{
    uint32_t place = home_of(residents, number);
    while (residents->item[place].message != NULL &&
           residents->item[place].message->number != number)
        place = (place + 1) & (residents->room - 1);
    return place;
}

struct resident *resident_find(const struct residents *residents, uint32_t number)
{
    if (residents->room == 0)
        return NULL;
    struct resident *resident = &residents->item[place_of(residents, number)];
    return resident->message != NULL ? resident : NULL;
}

static bool grow(struct residents *residents)
{
    struct residents more = {.room = residents->room == 0 ? FIRST_RESIDENTS : 2 * residents->room};
    more.count = residents->count;
    more.item = more.room == 0 ? NULL : memory_allocate(more.room, sizeof *more.item);
    if (more.item == NULL)
        return false;
    for (uint32_t i = 0; i < residents->room; i++)
        if (residents->item[i].message != NULL)
            more.item[place_of(&more, residents->item[i].message->number)] = residents->item[i];
    free(residents->item);
    *residents = more;
    return true;
}

struct resident *resident_add(struct residents *residents, struct message *message)
{
    if (2 * residents->count >= residents->room && !grow(residents))
        return NULL;
    struct resident *resident = &residents->item[place_of(residents, message->number)];
    *resident = (struct resident){.message = message};
    residents->count++;
    return resident;
}

/* Takes an entry out; those behind it move up, as far as they would not be found any more. */
static void resident_remove(struct residents *residents, struct resident *resident)
{
    uint32_t mask = residents->room - 1, empty = (uint32_t)(resident - residents->item);
    residents->count--;
    for (uint32_t i = (empty + 1) & mask; residents->item[i].message != NULL; i = (i + 1) & mask) {
        uint32_t home = home_of(residents, residents->item[i].message->number);
        if (((i - home) & mask) < ((i - empty) & mask))
            continue;
        residents->item[empty] = residents->item[i];
        empty = i;
    }
    residents->item[empty].message = NULL;
}

static uint32_t rank_of(const struct network_ranks *own, uint32_t node)
{
    return ranks_owner(own->ranks, own->rows, node / own->row);
}

void message_set_left(const struct network *network, struct message *message)
{
    uint32_t left = 0, stops = message_stops(message);
    for (uint32_t s = 0; s < stops; s++)
        left += message->stop[s].is_destination && node_is_here(network, message->stop[s].node);
    atomic_init(&message->left, left);
}

/* The ranks that have destinations, and that of the source. */
static uint32_t count_shares(const struct network *network, const struct message *message)
{
    struct network_ranks *own = network->ranks;
    uint32_t shares = 1, stops = message_stops(message);
    for (uint32_t s = 0; s < stops; s++) {
        const struct stop_copy *stop = &message->stop[s];
        if (!stop->is_destination || node_is_here(network, stop->node))
            continue;
        uint32_t *mark = &own->mark[rank_of(own, stop->node)];
        shares += *mark != message->number + 1;
        *mark = message->number + 1;
    }
    return shares;
}

bool network_ranks_post(struct network *network, struct message *message)
{
    struct network_ranks *own = network->ranks;
    struct resident *resident = resident_add(&own->residents, message);
    if (resident == NULL)
        return false;
    message_set_left(network, message);
    resident->shares = count_shares(network, message);
    own->shares += resident->shares;
    return true;
}

/* ---- life ---- */

static uint32_t rows_of(const struct topology *topology)
{
    return topology->shape.size[topology->shape.dimensions - 1];
}

void network_nodes_here(const struct network_settings *settings, const struct topology *topology,
                        uint32_t *first, uint32_t *end)
{
    uint32_t rows = rows_of(topology), row = topology->nodes / rows;
    *first = ranks_start(settings->ranks, rows) * row;
    *end = ranks_end(settings->ranks, rows) * row;
}

static bool add_border(struct network *network, uint32_t *room, uint32_t from, uint32_t port)
{
    struct network_ranks *own = network->ranks;
    if (own->borders == *room) {
        void *more = list_grow(own->border, room, sizeof *own->border);
        if (more == NULL)
            return false;
        own->border = more;
    }
    own->border[own->borders++] = (struct border_link){
        port_link(network, from, port), from, topology_neighbour(network->topology, from, port)};
    return true;
}

/* Lists the links that cross, and begins the nodes at both ends: a link's record is in use at both. */
static bool find_borders(struct network *network)
{
    const struct topology *topology = network->topology;
    struct network_ranks *own = network->ranks;
    uint32_t room = 0;
    for (uint32_t node = network->first; node < network->end; node++) {
        if (!own->is_graph && node == network->first + own->row && node < network->end - own->row)
            node = network->end - own->row; /* nodes between have no such links */
        for (uint32_t port = 0; port < topology_node_ports(topology, node); port++) {
            uint32_t other = topology_neighbour(topology, node, port);
            if (other == TOPOLOGY_NO_NODE || node_is_here(network, other))
                continue;
            if (!add_border(network, &room, node, port) ||
                !add_border(network, &room, other, topology_port_to(topology, other, node)))
                return false;
        }
    }
    for (uint32_t b = 0; b < own->borders; b++)
        if (!node_is_begun(network, own->border[b].from))
            node_begin(network, own->border[b].from);
    return true;
}

bool network_ranks_make(struct network *network)
{
    const struct topology *topology = network->topology;
    struct network_ranks *own = memory_allocate(1, sizeof *own);
    network->ranks = own;
    if (own == NULL)
        return false;
    own->ranks = network->settings.ranks;
    own->rows = rows_of(topology);
    own->row = topology->nodes / own->rows;
    own->is_graph = topology->shape.kind == TOPOLOGY_GRAPH;
    own->wraps = topology->shape.kind == TOPOLOGY_TORUS && own->rows > 2;
    own->outboxes = own->is_graph ? ranks_size(own->ranks) : RANK_SIDES;
    own->outbox = memory_allocate(own->outboxes, sizeof *own->outbox);
    own->mark = memory_allocate(ranks_size(own->ranks), sizeof *own->mark);
    own->stretch = 1;
    if (own->outbox == NULL || own->mark == NULL || !find_borders(network))
        return false;
    own->told = memory_allocate((size_t)own->borders * network->vcs, sizeof *own->told);
    return own->told != NULL;
}

void network_ranks_free(struct network *network)
{
    struct network_ranks *own = network->ranks;
    if (own == NULL)
        return;
    for (uint32_t i = 0; i < own->outboxes && own->outbox != NULL; i++) {
        free(own->outbox[i].heads.item);
        free(own->outbox[i].bodies.item);
        free(own->outbox[i].credits.item);
    }
    free(own->outbox);
    free(own->mark);
    free(own->border);
    free(own->told);
    free(own->residents.item);
    free(own);
}

/* ---- what all know together ---- */

static struct trail own_trail(const struct network *network)
{
    struct trail trail = {0};
    for (uint32_t b = 0; b < network->bands; b++) {
        const struct trail *band = &network->band[b].trail;
        trail.moved = larger_wide(band->moved, trail.moved);
        trail.due = larger_wide(band->due, trail.due);
        trail.done = larger_wide(band->done, trail.done);
    }
    return trail;
}

void network_ranks_look(struct network *network, struct overview *all)
{
    struct network_ranks *own = network->ranks;
    struct failure *failure = &network->failure;
    struct trail trail = own_trail(network);
    uint64_t sum[] = {all->work,     all->done,  own->shares,
                      all->taken,    all->parts, all->is_out_of_memory + UINT64_C(0),
                      all->is_broken};
    /* The least of a number is the most of what is left above it */
    uint64_t most[] = {UINT64_MAX - all->due, UINT32_MAX - all->overflow, trail.moved, trail.due,
                       trail.done};
    if (ranks_sum(own->ranks, sum, sizeof sum / sizeof *sum, failure) != FAIL_NONE ||
        ranks_most(own->ranks, most, sizeof most / sizeof *most, failure) != FAIL_NONE)
        return;
    *all = (struct overview){.work = sum[0],
                             .done = sum[1],
                             .posted = sum[2],
                             .taken = sum[3],
                             .parts = sum[4],
                             .is_out_of_memory = sum[5] > 0,
                             .is_broken = sum[6] > 0,
                             .due = UINT64_MAX - most[0],
                             .overflow = UINT32_MAX - (uint32_t)most[1]};
    own->trail = (struct trail){most[2], most[3], most[4]};
    own->stretch = all->work == 0                       ? 1
                   : own->stretch < LONGEST_STRETCH / 2 ? 2 * own->stretch
                                                        : LONGEST_STRETCH;
}

/* ---- what is done ---- */

/* A rank's share of a message has been had. */
struct share {
    uint32_t message;
    uint64_t delivered;
};

/* The shares that were had here since the last call, in the order of the ranks to which they go: to rank r those before
 * end[r], [size]. */
static struct share *take_shares(struct network *network, size_t *end)
{
    size_t total = 0;
    uint32_t size = ranks_size(network->ranks->ranks);
    for (uint32_t b = 0; b < network->bands; b++) {
        const struct finished_list *list = &network->band[b].finished;
        for (uint32_t i = 0; i < list->count; i++)
            end[rank_of(network->ranks, list->item[i].message->source)]++;
    }
    for (uint32_t r = 0; r < size;
         r++) { /* where those of r begin; it moves on to where they end */
        size_t count = end[r];
        end[r] = total;
        total += count;
    }
    struct share *share = memory_allocate(total, sizeof *share);
    for (uint32_t b = 0; b < network->bands && share != NULL; b++) {
        struct finished_list *list = &network->band[b].finished;
        for (uint32_t i = 0; i < list->count; i++) {
            const struct message *message = list->item[i].message;
            share[end[rank_of(network->ranks, message->source)]++] =
                (struct share){message->number, list->item[i].delivered};
        }
        list->count = 0;
    }
    return share;
}

/* Gives each rank the shares of its messages. *all, which the caller frees, are those of this rank's. */
static bool swap_shares(struct network *network, struct share **all, size_t *count)
{
    struct network_ranks *own = network->ranks;
    uint32_t size = ranks_size(own->ranks);
    size_t *bytes = memory_allocate(size, sizeof *bytes);
    struct share *share = bytes == NULL ? NULL : take_shares(network, bytes);
    void *came = NULL;
    *all = NULL;
    *count = 0;
    if (share == NULL) {
        fail_memory(&network->failure, "messages that are done");
    } else {
        for (uint32_t r = size; r-- > 0;)
            bytes[r] = (bytes[r] - (r > 0 ? bytes[r - 1] : 0)) * sizeof *share;
        if (ranks_swap(own->ranks, share, bytes, &came, &network->failure) == FAIL_NONE)
            for (uint32_t r = 0; r < size; r++)
                *count += bytes[r] / sizeof *share;
    }
    free(share);
    free(bytes);
    *all = came;
    return network->failure.kind == FAIL_NONE;
}

/* Keeps of the shares of this rank's messages what is now done, in place; returns how many. */
static size_t finish_shares(struct network *network, const struct share *share, size_t count,
                            struct network_delivery *done)
{
    size_t finished = 0;
    for (size_t i = 0; i < count; i++) {
        struct resident *resident = resident_find(&network->ranks->residents, share[i].message);
        assert(resident != NULL && resident->shares > 0);
        if (resident->delivered < share[i].delivered)
            resident->delivered = share[i].delivered;
        if (--resident->shares == 0)
            done[finished++] = (struct network_delivery){
                share[i].message, resident->message->created, resident->delivered};
    }
    return finished;
}

static int compare_done(const void *one, const void *other)
{
    const struct network_delivery *a = one, *b = other;
    if (a->delivered != b->delivered)
        return a->delivered < b->delivered ? -1 : 1;
    return a->message < b->message ? -1 : a->message > b->message;
}

/* Gives all ranks what is done at each, in the order of network_take_done(). The caller frees *all. */
static bool share_done(struct network *network, const struct network_delivery *done, size_t count,
                       struct network_delivery **all, uint64_t *total)
{
    struct network_ranks *own = network->ranks;
    size_t *bytes = memory_allocate(ranks_size(own->ranks), sizeof *bytes);
    void *collected = NULL;
    *total = 0;
    *all = NULL;
    if (bytes == NULL)
        return fail_memory(&network->failure, "messages that are done") == FAIL_NONE;
    if (ranks_collect(own->ranks, done, count * sizeof *done, &collected, bytes,
                      &network->failure) == FAIL_NONE) {
        for (uint32_t r = 0; r < ranks_size(own->ranks) && collected != NULL; r++)
            *total += bytes[r] / sizeof *done;
        if (collected != NULL)
            qsort(collected, *total, sizeof *done, compare_done);
        ranks_share(own->ranks, total, sizeof *total, &network->failure);
    }
    free(bytes);
    if (network->failure.kind == FAIL_NONE && collected == NULL) {
        collected = memory_allocate(*total, sizeof *done);
        if (collected == NULL)
            fail_memory(&network->failure, "messages that are done");
    }
    if (network->failure.kind == FAIL_NONE)
        ranks_share(own->ranks, collected, *total * sizeof *done, &network->failure);
    *all = collected;
    return network->failure.kind == FAIL_NONE;
}

/* Joins the list of what is done, and drops the messages that are here. */
static void keep_done(struct network *network, const struct network_delivery *done, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        struct resident *resident = resident_find(&network->ranks->residents, done[i].message);
        if (!network_add_done(network, done[i]))
            return;
        if (resident == NULL)
            continue;
        struct message *message = resident->message;
        resident_remove(&network->ranks->residents, resident);
        block_give(&network->blocks, message, message->bytes);
    }
}

static bool add_counts(struct network *network)
{
    struct network_ranks *own = network->ranks;
    struct network_counts counts = network_own_counts(network);
    uint64_t sum[] = {counts.messages, counts.deliveries, counts.startups, counts.crossings};
    uint64_t most[] = {counts.last_delivery, counts.buffer_peak, counts.unsent_peak};
    if (ranks_sum(own->ranks, sum, sizeof sum / sizeof *sum, &network->failure) != FAIL_NONE ||
        ranks_most(own->ranks, most, sizeof most / sizeof *most, &network->failure) != FAIL_NONE)
        return false;
    own->counts = (struct network_counts){.messages = sum[0],
                                          .done = own->counts.done,
                                          .deliveries = sum[1],
                                          .startups = sum[2],
                                          .crossings = sum[3],
                                          .last_delivery = most[0],
                                          .buffer_peak = (uint32_t)most[1],
                                          .unsent_peak = most[2]};
    return true;
}

void network_ranks_collect(struct network *network)
{
    struct failure ended = network->failure; /* the same at all ranks */
    struct share *share = NULL;
    struct network_delivery *own = NULL, *all = NULL;
    size_t shares;
    uint64_t count;
    if (ended.kind == FAIL_SYSTEM) /* the ranks may not be connected any more */
        return;
    network->failure = (struct failure){0};
    if (swap_shares(network, &share, &shares)) {
        own = memory_allocate(shares, sizeof *own);
        if (own == NULL)
            fail_memory(&network->failure, "messages that are done");
        else if (share_done(network, own, finish_shares(network, share, shares, own), &all,
                            &count)) {
            network->ranks->counts.done += count;
            keep_done(network, all, count);
            add_counts(network);
        }
    }
    free(share);
    free(own);
    free(all);
    if (network->failure.kind == FAIL_NONE)
        network->failure = ended;
}
