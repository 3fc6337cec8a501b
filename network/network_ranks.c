/* network_ranks.c - what the ranks of a network do together: they look around, and add up what is done.
 *
 * Each rank decides by the same numbers. Ranks look around after a stretch of cycles, which is longer the longer flits
 * have moved; a cycle too many changes nothing, and is taken back (network_run.c).
 */
#include "network/network_ranks_private.h"

#include "base/extremes.h"
#include "base/ranks_batch.h"
#include "network/network_steps_private.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_STRETCH = 32 };

/* ---- messages that are here ---- */

struct resident *resident_find(const struct residents *residents, uint32_t number)
{
    const uint32_t *at = number_table_find(&residents->index, number);
    return at != NULL ? &residents->item[*at] : NULL;
}

struct resident *resident_add(struct residents *residents, struct message *message)
{
    struct resident *item =
        memory_grow(residents->item, &residents->room, residents->count + (size_t)1, sizeof *item);
    if (item == NULL)
        return NULL;
    residents->item = item;
    uint32_t *at = number_table_add(&residents->index, message->number);
    if (at == NULL)
        return NULL;
    *at = residents->count++;
    residents->item[*at] = (struct resident){.message = message};
    return &residents->item[*at];
}

/* Takes a message out; the last one gets its place. */
static void resident_remove(struct residents *residents, struct resident *resident)
{
    struct resident last = residents->item[--residents->count];
    *number_table_find(&residents->index, last.message->number) =
        (uint32_t)(resident - residents->item);
    number_table_remove(&residents->index, resident->message->number);
    *resident = last;
}

void residents_free(struct residents *residents)
{
    number_table_free(&residents->index);
    free(residents->item);
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
    const struct ranks *ranks = settings->ranks;
    shape_band(&topology->shape, ranks_rank(ranks), ranks_size(ranks), first, end);
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
    residents_free(&own->residents);
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
    /* ranks_most() finds least values as the largest distances from the type's end. */
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

/* All destinations at a rank have the message: the rank has had its share. */
struct share {
    uint64_t message; /* a number; of such a size that no byte is without a value */
    uint64_t delivered;
};

/* Takes a share at the rank of the message's source. */
static void take_share(void *context, const void *item)
{
    struct network *network = context;
    const struct share *share = item;
    struct resident *resident = resident_find(&network->ranks->residents, (uint32_t)share->message);
    assert(resident != NULL && resident->shares > 0);
    if (resident->delivered < share->delivered)
        resident->delivered = share->delivered;
    if (--resident->shares == 0)
        network_push_done(network, (struct network_delivery){(uint32_t)share->message,
                                                             resident->message->created,
                                                             resident->delivered});
}

/* Returns a list of messages that have finished here and of which no rank has been told; NULL: there is none. */
static struct finished_list *finished_here(const struct network *network)
{
    for (uint32_t b = 0; b < network->bands; b++)
        if (network->band[b].finished.count > 0)
            return &network->band[b].finished;
    return NULL;
}

/* Tells each rank which shares of its messages were had here. */
static bool swap_shares(struct network *network)
{
    struct ranks_batch batch;
    struct finished_list *list = finished_here(network);
    ranks_batch_open(&batch, network->ranks->ranks, sizeof(struct share), take_share, network);
    for (; ranks_batch_next(&batch, list != NULL, &network->failure);
         list = finished_here(network)) {
        const struct finished *finished = &list->item[--list->count];
        struct share share = {finished->message->number, finished->delivered};
        uint32_t to = rank_of(network->ranks, finished->message->source);
        ranks_batch_put(&batch, to, &share, &network->failure);
    }
    return ranks_batch_close(&batch) == FAIL_NONE;
}

static int compare_done(const void *one, const void *other)
{
    const struct network_delivery *a = one, *b = other;
    if (a->delivered != b->delivered)
        return a->delivered < b->delivered ? -1 : 1;
    return a->message < b->message ? -1 : a->message > b->message;
}

/* Drops the message of this number, if it is here. */
static void drop_message(void *context, const void *item)
{
    struct network *network = context;
    const uint32_t *number = item;
    struct resident *resident = resident_find(&network->ranks->residents, *number);
    if (resident == NULL)
        return;
    struct message *message = resident->message;
    resident_remove(&network->ranks->residents, resident);
    block_give(&network->blocks, message, message->bytes);
}

/* Tells all ranks, each of which may have a copy, which messages are done: those of the list from `next` on. */
static bool tell_done(struct network *network, uint32_t next)
{
    struct failure *failure = &network->failure;
    struct ranks *ranks = network->ranks->ranks;
    struct ranks_batch batch;
    ranks_batch_open(&batch, ranks, sizeof(uint32_t), drop_message, network);
    for (; ranks_batch_next(&batch, next < network->done_count, failure); next++)
        for (uint32_t r = 0; r < ranks_size(ranks); r++)
            ranks_batch_put(&batch, r, &network->done[next].message, failure);
    return ranks_batch_close(&batch) == FAIL_NONE;
}

/* Adds up the counts of all ranks; `done` messages of this rank's sources are done since the last call. */
static bool add_counts(struct network *network, uint64_t done)
{
    struct network_ranks *own = network->ranks;
    struct network_counts counts = network_own_counts(network);
    uint64_t sum[] = {counts.messages, counts.deliveries, counts.startups, counts.crossings, done};
    uint64_t most[] = {counts.last_delivery, counts.buffer_peak, counts.unsent_peak};
    if (ranks_sum(own->ranks, sum, sizeof sum / sizeof *sum, &network->failure) != FAIL_NONE ||
        ranks_most(own->ranks, most, sizeof most / sizeof *most, &network->failure) != FAIL_NONE)
        return false;
    own->counts = (struct network_counts){.messages = sum[0],
                                          .done = own->counts.done + sum[4],
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
    uint32_t before = network->done_count;
    if (ended.kind == FAIL_SYSTEM) /* the ranks may not be connected any more */
        return;
    network->failure = (struct failure){0};
    if (swap_shares(network)) {
        uint32_t done = network->done_count - before;
        if (done > 0)
            qsort(network->done + before, done, sizeof *network->done, compare_done);
        if (tell_done(network, before))
            add_counts(network, done);
    }
    if (network->failure.kind == FAIL_NONE)
        network->failure = ended;
}
