/* network_bound.c - lower bounds on the cycles of a burst, for every scheme.
 *
 * Settings: startup S, router delay R; a hop costs H = 1 + R cycles, under store-and-forward H = L
 * + R for a message of L flits (its header asks R cycles after its tail has come). A message is
 * created at cycle T at the earliest: its start, or, if it waits, `start` cycles after the least
 * time (below) at which its source has all that it waits for. "Carried in cycle t" means that a
 * flit passes a channel then; a delivery is complete one cycle after its last flit passes an
 * ejection channel.
 *
 * Lemma. The message's flits enter a buffer of a node p hops from the source in cycle S + p H at
 * the earliest, and pass an ejection channel there in cycle S + (p + 1) H at the earliest. Proof: a
 * header passes the source's injection channel in cycle S at the earliest (either way of startup).
 * A header that entered a node's buffer in cycle a - 1 asks from cycle a + R on, under
 * store-and-forward if its tail has entered in cycle a - 1, L - 1 cycles after the header; so it
 * enters a neighbour's buffer, or passes an ejection channel, H cycles after it entered (under
 * store-and-forward: L + R). Another sender of the message has absorbed it, so the message was in
 * its buffers before. Induction over hops. The last of L flits follows L - 1 cycles later.
 *
 * Each flit of a message reaches each of its destinations v over a chain of worms, the first of
 * which the source sends; its flits count for the node and cut bounds below, each at a cycle of its
 * own on a channel of its own.
 *
 * Distance: a destination p hops away has a message at S + (p + 1) H + L. The flits after a
 *   circuit's header arrive 2 p + 1 cycles later: the acknowledgement's way back, and their own.
 * Absorption: a node that is bound to get F flits passes at most C in a cycle, the first in cycle a
 *   = the least S + (p + 1) H of its messages: a + ceil(F / C). They come over its `degree` links,
 *   from cycle S + 1 + R on, and are absorbed a cycle later: S + R + 2 + ceil(F / degree).
 * Injection: a node that sends messages of F flits injects each flit once at least, from cycle S
 *   on, I in a cycle; from its injection every flit has p hops and an absorption before it, with p
 *   the distance to its message's farthest destination: S + ceil(F / I) + (least p) + 1. Over
 *   links, from cycle S + 1 + R on, with p - 1 hops left: S + R + 1 + ceil(F / degree) + (least p).
 *   Serial startups: of the messages' first startups the last ends at (messages) S or later, and
 *   what that message does follows: messages S + the least (p + 1) H + L. Startups of a port: a
 *   worm holds an injection channel for S + L cycles: ceil((F + messages S) / I) + (least p) + 1.
 * Bisection: a dimension's lower half is the coordinates below floor(size / 2). A message with its
 *   source in one half and a destination in the other takes each flit over a link between them once
 *   at least: the first in cycle e = S + q H, where q hops end with that link and r hops are left
 *   after it. F flits over K links take e + ceil(F / K) + r + 1 cycles, with the least q H and the
 *   least r of these messages. On a mesh K = nodes / size links join the halves in each direction, on a torus
 *   twice as many if the size is above 2. In a graph the halves are those of the node numbers, with
 *   q = 1 and r = 0. In a broken mesh K counts the links that remain; q and r are those of the
 *   whole mesh, which are no larger, and p is that of a search.
 *
 * Starts: a message's distance counts from its own T. Where many messages share channels, links or
 *   a processor, the first flit passes, or the first startup begins, at the least T of them or
 *   later, so the sum of their work counts from there (absorption over links: from cycle 0). A flit
 *   that passes first counts from the least T + (p + 1) H or T + q H of one message. What follows
 *   the last startup does not: that message may be the first created, which waited for the others'
 *   startups, so the least T and the least (p + 1) H + L are those of two messages. The distances
 *   make the chains: a message that waits starts after the last of them has come at T + S + (p + 1)
 *   H + L.
 *
 * None of this depends on buffers, virtual channels or any order. A minimum of values that are too
 * small is too small itself, so distances that are not searched count as 1.
 *
 * Cost: O(dimensions) per destination, a search per message on graphs and broken meshes (up to a
 * limit); 40 bytes per node, there 48.
 */
#include "network/network_bound.h"

#include "base/numbers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SEARCHED ((uint64_t)1 << 30) /* links */

const char *const network_bound_names[NETWORK_BOUND_KINDS + 1] = {"distance", "absorption",
                                                                  "injection", "bisection", NULL};

/* A node's deliveries. Those of a set come in no order of nodes, so they are apart from the node's
 * messages. */
struct node_arrivals {
    uint64_t absorbed; /* flits */
    uint64_t first;    /* least T + (p + 1) H of them; UINT64_MAX: there are none */
};

/* A node's messages. */
struct node_load {
    uint64_t injected; /* flits */
    uint64_t tail;     /* least (p + 1) H + L */
    uint64_t start;    /* least T */
    uint32_t messages;
    uint32_t nearest; /* least p */
};

/* From one half of a dimension to the other. */
struct cut {
    uint64_t flits, links;
    uint64_t first; /* least T + q H */
    uint32_t rest;  /* least r */
};

struct network_bound {
    const struct topology *topology;
    struct network_settings settings;
    uint64_t distance;
    struct node_load *load;                 /* [nodes] */
    struct node_arrivals *arrivals;         /* [nodes] */
    struct cut cut[TOPOLOGY_DIMENSIONS][2]; /* [1]: from the upper half to the lower one */
    /* Of graphs and broken meshes: */
    uint32_t source; /* of the last search */
    uint32_t *hops;  /* from the message's source, and 1; 0: not known */
    uint32_t *queue;
};

static bool is_graph(const struct network_bound *bound)
{
    return bound->topology->shape.kind == TOPOLOGY_GRAPH;
}

/* True if distances need a search. */
static bool is_searched(const struct network_bound *bound)
{
    return bound->topology->offset != NULL;
}

static uint32_t coordinate(const struct network_bound *bound, uint32_t node, uint32_t dimension)
{
    return is_graph(bound) ? node : topology_coordinate(bound->topology, node, dimension);
}

/* Counts the links of a topology with neighbour lists from each half of a dimension to the
 * other. */
static void count_listed(struct network_bound *bound, uint32_t dimension)
{
    const struct topology *topology = bound->topology;
    struct cut *cut = bound->cut[dimension];
    uint32_t half = topology->shape.size[dimension] / 2;
    for (uint32_t v = 0; v < topology->nodes; v++)
        for (uint32_t port = 0; port < topology_node_ports(topology, v); port++) {
            uint32_t to = topology_neighbour(topology, v, port);
            bool is_upper = coordinate(bound, v, dimension) >= half;
            cut[is_upper].links += is_upper != (coordinate(bound, to, dimension) >= half);
        }
}

/* Counts the links of each direction between the halves of each dimension. */
static void count_cuts(struct network_bound *bound)
{
    const struct topology *topology = bound->topology;
    bool is_torus = topology->shape.kind == TOPOLOGY_TORUS;
    for (uint32_t i = 0; i < topology->shape.dimensions; i++) {
        uint32_t size = topology->shape.size[i];
        uint64_t links = (uint64_t)topology->nodes / size * (is_torus && size > 2 ? 2 : 1);
        if (is_searched(bound))
            count_listed(bound, i);
        else
            bound->cut[i][0].links = bound->cut[i][1].links = links;
    }
}

enum failure_kind network_bound_make(struct network_bound **bound, const struct topology *topology,
                                     const struct network_settings *settings,
                                     struct failure *failure)
{
    struct network_bound *own = memory_allocate(1, sizeof *own);
    *bound = own;
    if (own == NULL)
        return fail_memory(failure, "a lower bound");
    *own = (struct network_bound){
        .topology = topology, .settings = *settings, .source = TOPOLOGY_NO_NODE};
    own->load = memory_allocate(topology->nodes, sizeof *own->load);
    own->arrivals = memory_allocate(topology->nodes, sizeof *own->arrivals);
    bool has_memory = own->load != NULL && own->arrivals != NULL;
    if (is_searched(own)) {
        own->hops = memory_allocate(topology->nodes, sizeof *own->hops);
        own->queue = memory_allocate(topology->nodes, sizeof *own->queue);
        has_memory = has_memory && own->hops != NULL && own->queue != NULL;
    }
    if (!has_memory) {
        network_bound_free(own);
        *bound = NULL;
        return fail_memory(failure, "a lower bound");
    }
    for (uint32_t i = 0; i < topology->nodes; i++)
        own->arrivals[i].first = UINT64_MAX;
    count_cuts(own);
    return FAIL_NONE;
}

void network_bound_free(struct network_bound *bound)
{
    if (bound == NULL)
        return;
    free(bound->load);
    free(bound->arrivals);
    free(bound->hops);
    free(bound->queue);
    free(bound);
}

/* Fills hops from a node, unless too many links were searched for the messages before this one. */
static void search(struct network_bound *bound, uint32_t number, uint32_t source)
{
    const struct topology *topology = bound->topology;
    bool is_found = number * (topology->nodes + topology->links) < MOST_SEARCHED;
    if (!is_found)
        source = TOPOLOGY_NO_NODE;
    if (bound->source == source)
        return;
    bound->source = source;
    if (is_found)
        topology_search(topology, source, bound->hops, bound->queue);
    else
        memset(bound->hops, 0, topology->nodes * sizeof *bound->hops);
}

static uint64_t hop_of(const struct network_bound *bound, uint32_t flits)
{
    bool is_stored = bound->settings.switching == SWITCHING_STORE_AND_FORWARD;
    return (uint64_t)bound->settings.router_delay + (is_stored ? flits : 1);
}

/* A message's way in one dimension, from coordinate x of its source. */
struct way {
    uint32_t x, size, half;
    uint32_t rest; /* the most hops after the cut */
    bool crosses;
};

/* Returns the hops from coordinate x up to the other half of a dimension: on to its first node. */
static inline uint32_t hops_across(enum topology_kind kind, const struct way *way, uint32_t x)
{
    uint32_t straight = x < way->half ? way->half - x : x - way->half + 1;
    uint32_t around = x < way->half ? x + 1 : way->size - x;
    if (kind == TOPOLOGY_GRAPH)
        return 1;
    return kind == TOPOLOGY_TORUS ? min_u32(straight, around) : straight;
}

/* Follows a way to coordinate y; returns its hops, which are none on graphs. */
static inline uint32_t follow(enum topology_kind kind, struct way *way, uint32_t y)
{
    uint32_t straight = difference(way->x, y);
    bool crosses = (way->x < way->half) != (y < way->half); /* no branch: it cannot be predicted */
    uint32_t behind = hops_across(kind, way, y) - 1;        /* as many as back, less one */
    way->rest = max_u32(way->rest, crosses ? behind : 0);
    way->crosses |= crosses;
    if (kind == TOPOLOGY_GRAPH)
        return 0;
    return kind == TOPOLOGY_TORUS ? min_u32(straight, way->size - straight) : straight;
}

/* Returns the hops from a message's source to a node, whose ways in all dimensions are followed. */
static uint32_t hops_to(const struct network_bound *bound, struct way *way, uint32_t node)
{
    const struct shape *shape = &bound->topology->shape;
    uint32_t hops = 0;
    for (uint32_t i = 0; i < shape->dimensions; i++)
        hops += follow(shape->kind, &way[i], coordinate(bound, node, i));
    if (is_searched(bound) && bound->hops[node] > 0)
        return bound->hops[node] - 1;
    return is_graph(bound) ? 1 : hops;
}

/* Returns (p + 1) H + L, or the later time of the last flit over a circuit. */
static uint64_t tail_time(const struct network_bound *bound, uint32_t hops, uint32_t flits)
{
    uint64_t tail = (hops + (uint64_t)1) * hop_of(bound, flits) + flits;
    bool is_circuit = bound->settings.switching == SWITCHING_CIRCUIT && flits > 1;
    return tail + (is_circuit ? 2 * hops + (uint64_t)1 : 0);
}

/* Adds a message to the cuts that it must cross. */
static void add_to_cuts(struct network_bound *bound, const struct multicast *multicast,
                        uint64_t start, const struct way *way)
{
    const struct shape *shape = &bound->topology->shape;
    uint64_t hop = hop_of(bound, multicast->flits);
    for (uint32_t i = 0; i < shape->dimensions; i++) {
        if (!way[i].crosses)
            continue;
        struct cut *cut = &bound->cut[i][way[i].x >= way[i].half];
        uint64_t first = start + hops_across(shape->kind, &way[i], way[i].x) * hop;
        cut->first = cut->flits == 0 || first < cut->first ? first : cut->first;
        cut->rest = cut->flits == 0 ? way[i].rest : min_u32(way[i].rest, cut->rest);
        cut->flits += multicast->flits;
    }
}

void network_bound_add(struct network_bound *bound, uint32_t number,
                       const struct multicast *multicast, uint64_t start)
{
    uint64_t hop = hop_of(bound, multicast->flits), flits = multicast->flits;
    const struct shape *shape = &bound->topology->shape;
    struct way way[TOPOLOGY_DIMENSIONS];
    uint32_t farthest = 0;
    if (multicast->destinations == 0)
        return;
    if (is_searched(bound))
        search(bound, number, multicast->source);
    for (uint32_t i = 0; i < shape->dimensions; i++)
        way[i] = (struct way){.x = coordinate(bound, multicast->source, i),
                              .size = shape->size[i],
                              .half = shape->size[i] / 2};
    for (uint32_t j = 0; j < multicast->destinations;
         j++) /* most are not in a cache, and wait together */
        __builtin_prefetch(&bound->arrivals[multicast->destination[j]], 1);
    for (uint32_t j = 0; j < multicast->destinations; j++) {
        uint32_t node = multicast->destination[j], hops = hops_to(bound, way, node);
        struct node_arrivals *to = &bound->arrivals[node];
        farthest = hops > farthest ? hops : farthest;
        /* No branch, which would wait for memory */
        to->first = min_u64(to->first, start + (hops + (uint64_t)1) * hop);
        to->absorbed += flits;
    }

    struct node_load *from = &bound->load[multicast->source];
    uint64_t tail = tail_time(bound, farthest, multicast->flits);
    from->tail = from->messages == 0 || tail < from->tail ? tail : from->tail;
    from->nearest = from->messages == 0 ? farthest : min_u32(farthest, from->nearest);
    from->start = from->messages == 0 ? start : min_u64(start, from->start);
    from->messages++;
    from->injected += flits;
    bound->distance = max_u64(bound->distance, start + bound->settings.startup + tail);
    add_to_cuts(bound, multicast, start, way);
}

/* ---- messages that wait ---- */

/* Returns the least hops from a message's source to a node; the message was added last. */
static uint32_t least_hops(const struct network_bound *bound, uint32_t source, uint32_t node)
{
    if (!is_searched(bound))
        return topology_distance(bound->topology, source, node);
    return bound->hops[node] > 0 ? bound->hops[node] - 1 : 1;
}

/* Adds a message whose earliest start is known, and lets those start that wait for it. */
static void add_and_receive(struct network_bound *bound, struct starts *starts, uint32_t number,
                            const struct multicast *multicast, uint64_t start)
{
    network_bound_add(bound, number, multicast, start);
    if (!starts_await(starts, number))
        return;
    for (uint64_t i = starts->first[number]; i < starts->first[number + 1]; i++) {
        uint32_t node = (uint32_t)(starts->waiter[i] >> 32);
        uint32_t hops = least_hops(bound, multicast->source, node);
        if (i == starts->first[number] || starts->waiter[i - 1] >> 32 != node)
            starts_receive(starts, number, node,
                           start + bound->settings.startup +
                               tail_time(bound, hops, multicast->flits));
    }
}

static void add_burst(struct network_bound *bound, struct starts *starts,
                      const struct burst_messages *messages)
{
    for (uint32_t i = 0; messages->timing == NULL && i < messages->count; i++) {
        struct multicast multicast = messages->at(messages->context, i);
        network_bound_add(bound, i, &multicast, 0);
    }
    for (uint64_t start; (start = starts_next(starts)) < UINT64_MAX;) {
        uint32_t number = starts_take(starts);
        struct multicast multicast = messages->at(messages->context, number);
        add_and_receive(bound, starts, number, &multicast, start);
    }
}

enum failure_kind network_bound_burst(struct network_bounds *bounds,
                                      const struct topology *topology,
                                      const struct network_settings *settings,
                                      const struct burst_messages *messages,
                                      struct failure *failure)
{
    struct network_bound *bound = NULL;
    struct starts starts;
    const struct timings timings = burst_timings(messages);
    if (starts_make(&starts, &timings, failure) == FAIL_NONE &&
        network_bound_make(&bound, topology, settings, failure) == FAIL_NONE) {
        add_burst(bound, &starts, messages);
        *bounds = network_bound_read(bound);
    }
    network_bound_free(bound);
    starts_free(&starts);
    return failure->kind;
}

/* ---- the bounds ---- */

static uint64_t divided_up(uint64_t flits, uint64_t channels)
{
    return (flits + channels - 1) / channels;
}

static void raise_to(uint64_t *most, uint64_t cycles)
{
    if (cycles > *most)
        *most = cycles;
}

static void bound_node(const struct network_bound *bound, uint32_t node, uint64_t *absorption,
                       uint64_t *injection)
{
    const struct network_settings *settings = &bound->settings;
    const struct node_load *load = &bound->load[node];
    const struct node_arrivals *arrivals = &bound->arrivals[node];
    uint64_t startup = settings->startup, delay = settings->router_delay;
    if (arrivals->absorbed == 0 && load->messages == 0)
        return;
    uint64_t degree = topology_degree(bound->topology, node);
    uint64_t consumptions = settings->consumption > 0 ? settings->consumption : degree;
    uint64_t injections = settings->is_one_port     ? 1
                          : settings->injection > 0 ? settings->injection
                                                    : degree;
    if (arrivals->absorbed > 0) {
        raise_to(absorption,
                 startup + arrivals->first + divided_up(arrivals->absorbed, consumptions));
        raise_to(absorption,
                 startup + delay + 2 +
                     divided_up(arrivals->absorbed, topology_in_degree(bound->topology, node)));
    }
    if (load->messages > 0) {
        uint64_t startups = load->messages * startup, first = load->start;
        uint64_t behind = first + load->nearest + (uint64_t)1;
        raise_to(injection, startup + divided_up(load->injected, injections) + behind);
        raise_to(injection, startup + delay + divided_up(load->injected, degree) + behind);
        raise_to(injection, settings->startup_is_per_port
                                ? divided_up(load->injected + startups, injections) + behind
                                : first + startups + load->tail);
    }
}

struct network_bounds network_bound_read(const struct network_bound *bound)
{
    struct network_bounds bounds = {.cycles = {[NETWORK_BOUND_DISTANCE] = bound->distance}};
    for (uint32_t node = 0; node < bound->topology->nodes; node++)
        bound_node(bound, node, &bounds.cycles[NETWORK_BOUND_ABSORPTION],
                   &bounds.cycles[NETWORK_BOUND_INJECTION]);
    for (uint32_t i = 0; i < bound->topology->shape.dimensions; i++)
        for (int side = 0; side < 2; side++) {
            const struct cut *cut = &bound->cut[i][side];
            if (cut->flits > 0)
                raise_to(&bounds.cycles[NETWORK_BOUND_BISECTION],
                         bound->settings.startup + cut->first + divided_up(cut->flits, cut->links) +
                             cut->rest + 1);
        }
    for (int kind = 0; kind < NETWORK_BOUND_KINDS; kind++)
        if (bounds.cycles[kind] > bounds.lower_bound) {
            bounds.largest = (enum network_bound_kind)kind;
            bounds.lower_bound = bounds.cycles[kind];
        }
    return bounds;
}
