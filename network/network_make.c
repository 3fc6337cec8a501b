/* network_make.c - a network is made and freed.
 *
 * The arrays of nodes and links are zero at first, and a node's share of them is written when the
 * node is first touched (node_begin()). The system gives memory only for written pages, so a large
 * network with little traffic costs little time and memory.
 */
#include "network/network_private.h"

#include <stdlib.h>

enum { LINE = 64, CACHE_BYTES = 256 << 10, BAND_NODES = 4096, CACHE_BANDS = 16 };

static_assert(sizeof(union port_entry) == LINE / 2,
              "a link with one channel is a line of the cache");
static_assert(sizeof(struct node) == LINE / 2, "no node stands on two lines of the cache");

static void set_rules(struct network *network)
{
    const struct network_settings *settings = &network->settings;
    const struct topology *topology = network->topology;
    network->switching = settings->switching;
    network->is_lockstep =
        settings->switching == SWITCHING_WORMHOLE || settings->switching == SWITCHING_CIRCUIT;
    network->vcs = settings->vcs;
    network->depth =
        settings->switching == SWITCHING_STORE_AND_FORWARD ? UINT32_MAX : settings->buffer;
    network->delay = settings->router_delay;
    network->injection = injection_setting(settings);
    network->consumption = settings->consumption;
    network->follows_at_once = network->is_lockstep && settings->buffer == 1 && settings->vcs == 1;
    network->bypasses = settings->vcs == 1 && !network->follows_at_once;
    uint32_t classes = network->routing->classes(topology);
    for (uint32_t vc = 0; vc < network->vcs; vc++)
        network->class_channels[vc * classes / network->vcs] |= UINT64_C(1) << vc;
    network->stride = network->vcs + 1;
    network->node_entries = topology->ports * network->stride;
    network->link_entries = (uint32_t)(topology->links * network->stride);
    network->entries = network->link_entries + (uint32_t)channels_in(topology, network->injection);
    network->is_prefetched =
        network->entries * sizeof *network->entry + topology->nodes * sizeof *network->node >
        CACHE_BYTES;
}

static uint64_t all_bits(uint32_t count)
{
    return UINT64_MAX >> (64 - count);
}

static void set_channel(struct network *network, uint32_t channel, uint32_t to)
{
    *channel_at(network, channel) =
        (struct channel){.owner = NONE, .to = to, .first = NONE, .last = NONE};
}

void node_begin(struct network *network, uint32_t v)
{
    const struct topology *topology = network->topology;
    uint32_t injection = channels_of(topology, network->injection, v);
    uint32_t consumption = channels_of(topology, network->consumption, v);
    network->node[v] = (struct node){.free_ejection = all_bits(consumption),
                                     .free_injection = all_bits(injection),
                                     .requesters = NONE,
                                     .is_begun = true,
                                     .released = NONE};
    atomic_fetch_or_explicit(&network->begun[v / 64], UINT64_C(1) << v % 64, memory_order_relaxed);
    for (uint32_t port = 0; port < topology_node_ports(topology, v); port++) {
        uint32_t link = port_link(network, v, port);
        uint32_t to = topology_neighbour(topology, v, port);
        *link_at(network, link) = (struct link){
            .free = to == TOPOLOGY_NO_NODE ? 0 : all_bits(network->vcs), .requests = {NONE, NONE}};
        for (uint32_t vc = 0; vc < network->vcs; vc++)
            set_channel(network, link + 1 + vc, to);
    }
    network->source[v].requests = (struct queue){NONE, NONE};
    uint32_t first = network->link_entries + channel_base(topology, network->injection, v);
    for (uint32_t channel = 0; channel < injection; channel++)
        set_channel(network, first + channel, v);
}

/* Returns an array that begins on a cache line, in a block that the caller frees. */
static void *on_lines(size_t count, size_t size, void **block)
{
    *block = count > SIZE_MAX / size - 2 ? NULL : memory_allocate_sparse(count * size + LINE, 1);
    if (*block == NULL)
        return NULL;
    return (void *)(((uintptr_t)*block + LINE - 1) / LINE * LINE);
}

static bool make_arrays(struct network *network)
{
    const struct topology *topology = network->topology;
    uint32_t nodes = topology->nodes;
    network->entry = on_lines(network->entries, sizeof *network->entry, &network->entry_block);
    network->node = on_lines(nodes, sizeof *network->node, &network->node_block);
    network->source = memory_allocate_sparse(nodes, sizeof *network->source);
    network->consumer = memory_allocate_sparse(channels_in(topology, network->consumption),
                                               sizeof *network->consumer);
    network->begun = memory_allocate(nodes / 64 + 1, sizeof *network->begun);
    network->band = memory_allocate(network->bands, sizeof *network->band);
    return network->entry != NULL && network->node != NULL && network->source != NULL &&
           network->consumer != NULL && network->begun != NULL && network->band != NULL;
}

static bool make_outboxes(struct band *band, uint32_t bands)
{
    for (int parity = 0; parity < 2; parity++) {
        band->outbox[parity] = memory_allocate(bands, sizeof *band->outbox[parity]);
        if (band->outbox[parity] == NULL)
            return false;
    }
    return true;
}

static bool make_bands(struct network *network)
{
    const struct topology *topology = network->topology;
    for (uint32_t b = 0; b < network->bands; b++) {
        struct band *band = &network->band[b];
        band->network = network;
        band->number = b;
        band->free_segment = band->free_request = band->overflow = NONE;
        if (!make_outboxes(band, network->bands))
            return false;
        band->first = parallel_band_start(topology->nodes, b, network->bands);
        band->end = parallel_band_start(topology->nodes, b + 1, network->bands);
        band->first_entry = (uint32_t)(topology_link(topology, band->first, 0) * network->stride);
        band->end_entry = band->end == topology->nodes
                              ? network->link_entries
                              : (uint32_t)(topology_link(topology, band->end, 0) * network->stride);
    }
    return true;
}

/* Returns the number of threads that share the work: one if events must come in one order (an
 * observer), or if a move depends on moves of the same cycle (a flit follows into a slot at
 * once). */
static uint32_t threads_of(const struct network *network, const struct network_observer *observer)
{
    uint32_t threads = network->settings.threads, nodes = network->topology->nodes;
    if (observer != NULL || network->follows_at_once)
        return 1;
    threads = threads < MOST_BANDS ? threads : MOST_BANDS;
    return threads < nodes ? threads : nodes;
}

/* Returns the number of bands, the same per thread. Large networks have several per thread: flits
 * enter a band, and leave it in the next cycle, while its data are in the cache. */
static uint32_t bands_of(const struct network *network, const struct network_observer *observer,
                         uint32_t threads)
{
    uint32_t bands = network->topology->nodes / BAND_NODES;
    if (observer != NULL || network->follows_at_once || bands <= threads)
        return threads;
    bands = bands < CACHE_BANDS ? bands : CACHE_BANDS;
    return (bands + threads - 1) / threads * threads;
}

enum failure_kind network_make(struct network **made, const struct topology *topology,
                               const struct routing *routing,
                               const struct network_settings *settings,
                               const struct network_observer *observer, struct failure *failure)
{
    *made = NULL;
    enum failure_kind kind = network_check_settings(settings, topology, routing, 1, failure);
    if (kind != FAIL_NONE)
        return kind;
    struct network *network = memory_allocate(1, sizeof *network);
    if (network == NULL)
        return fail_memory(failure, "a network");
    network->topology = topology;
    network->routing = routing;
    network->settings = *settings;
    set_rules(network);
    uint32_t threads = threads_of(network, observer);
    network->bands = bands_of(network, observer, threads);
    bool has_memory = make_arrays(network) && make_bands(network);
    if (has_memory && observer != NULL)
        has_memory = (network->observation = observation_make(observer, network)) != NULL;
    if (!has_memory) {
        network_free(network);
        return fail_memory(failure, "a network");
    }
    network->threads = parallel_begin(threads); /* if it is one, it does the work of all */
    *made = network;
    return FAIL_NONE;
}

static void free_band(struct band *band, uint32_t bands)
{
    for (uint32_t id = 0; id < band->segments; id++)
        if (band->segment[id].message != NULL && band->segment[id].outputs > 1)
            free(band->segment[id].way.many);
    for (int parity = 0; parity < 2; parity++) {
        for (uint32_t b = 0; b < bands && band->outbox[parity] != NULL; b++) {
            free(band->outbox[parity][b].headers.item);
            free(band->outbox[parity][b].bodies.item);
            free(band->outbox[parity][b].credits.item);
        }
        free(band->outbox[parity]);
    }
    wheel_free(&band->wheel);
    free(band->segment_block);
    free(band->request.item);
    free(band->requesters[0].item);
    free(band->requesters[1].item);
    free(band->sources.item);
    free(band->active.item);
    free(band->bypassing.item);
    free(band->rising.item);
    free(band->movers.item);
    free(band->next_movers.item);
    free(band->contested.item);
    free(band->wide.item);
    free(band->finished.item);
    free(band->receipts.item);
}

static void free_arrays(struct network *network)
{
    const struct topology *topology = network->topology;
    size_t nodes = network->expects_traffic ? 0 : topology->nodes; /* whose use is not expected */
    size_t records = network->expects_traffic ? 0 : network->entries;
    size_t consumers = network->expects_traffic ? 0 : channels_in(topology, network->consumption);
    memory_free_sparse(network->entry_block, records * sizeof *network->entry + LINE);
    memory_free_sparse(network->node_block, nodes * sizeof *network->node + LINE);
    memory_free_sparse(network->source, nodes * sizeof *network->source);
    memory_free_sparse(network->consumer, consumers * sizeof *network->consumer);
}

void network_free(struct network *network)
{
    if (network == NULL)
        return;
    if (network->observation != NULL)
        observe_cycle(network->observation, network->cycle, true);
    observation_free(network->observation);
    for (uint32_t b = 0; b < network->bands && network->band != NULL; b++)
        free_band(&network->band[b], network->bands);
    block_pool_free(&network->blocks);
    free_arrays(network);
    free(network->begun);
    free(network->band);
    free(network->table.item);
    free(network->done.item);
    free(network->receipts.item);
    free(network->wait);
    free(network);
}
