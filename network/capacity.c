/* capacity.c - an upper bound of the load that a network can carry.
 *
 * Proof: let L be the mean length of a message, and `rate` the messages that a node makes per
 * cycle.
 * - Injection: a node sends each message that has a destination elsewhere at least once, over I
 *   channels of one flit per cycle. If s is the share of such messages: rate s L <= I.
 * - Startups: a serial startup of N cycles precedes each of them: rate s N <= 1.
 * - Consumption: a node consumes all that is bound for it over C channels. If r messages per cycle
 *   are bound for it when each sender makes one per cycle: rate r L <= C. With uniform destinations
 *   r is the mean number of destinations.
 * - Bisection: a message from the lower half of a dimension that has a destination in the upper
 *   half crosses the middle at least once. If u such messages are made per cycle when each sender
 *   makes one, and `links` lead up there, with one flit per cycle each: rate u L <= links. The same
 *   holds from the upper half to the lower half. On a broken mesh these are the links that remain.
 *
 * For `unicast` with x-first more is known. Each of the r worms that a message has on average goes
 * to a node that is drawn from all others. So the mean number of them on a link follows from the
 * pairs of nodes whose way has that link. In dimension i the source agrees with the link in the
 * dimensions after i, the destination in the dimensions before i.
 */
#include "network/open_loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The two halves of a dimension: nodes whose coordinate is below lower_size, and the others. */
struct halves {
    const struct topology *topology;
    uint32_t dimension, lower_size;
};

static bool is_upper(const struct halves *halves, uint32_t node)
{
    return topology_coordinate(halves->topology, node, halves->dimension) >= halves->lower_size;
}

/* ---- uniform destinations ---- */

/* Returns the probability that at least one of k distinct nodes is among `these`. The k are drawn
 * from all nodes but the source, which is not among `these`. */
static double chance(uint32_t nodes, uint32_t these, uint32_t k)
{
    double none = 1;
    for (uint32_t i = 0; i < k && none > 0; i++)
        none *= these + i < nodes - 1 ? (double)(nodes - 1 - these - i) / (nodes - 1 - i) : 0;
    return 1 - none;
}

/* Returns the messages per cycle from one half to `these` nodes of the other when each node makes
 * one. */
static double uniform_crossing(const struct open_loop *loop, uint32_t these)
{
    uint32_t nodes = topology_main_nodes(loop->topology);
    double crossing = 0;
    for (uint32_t i = 0; i < loop->mix.kinds; i++)
        crossing += loop->mix.kind[i].share * chance(nodes, these, loop->mix.kind[i].destinations);
    return (nodes - these) * crossing;
}

static double uniform_received(const struct open_loop *loop)
{
    double received = 0;
    for (uint32_t i = 0; i < loop->mix.kinds; i++)
        received += loop->mix.kind[i].share * loop->mix.kind[i].destinations;
    return received;
}

/* ---- lists ---- */

/* Returns the probability that `source` draws a certain one of its lists. */
static double weight_of(const struct destination_lists *lists, uint32_t source)
{
    return 1.0 / (double)(lists->first[source + 1] - lists->first[source]);
}

/* Returns the share of a source's messages that have a destination elsewhere or, with `halves`, in
 * the half where the source is not. */
static double share_leaving(const struct destination_lists *lists, uint32_t source,
                            const struct halves *halves)
{
    double share = 0;
    for (uint64_t list = lists->first[source]; list < lists->first[source + 1]; list++) {
        bool leaves = false;
        for (uint64_t i = lists->offset[list]; i < lists->offset[list + 1] && !leaves; i++)
            leaves = halves == NULL
                         ? lists->destination[i] != source
                         : is_upper(halves, lists->destination[i]) != is_upper(halves, source);
        share += leaves ? weight_of(lists, source) : 0;
    }
    return share;
}

static double lists_crossing(const struct open_loop *loop, const struct halves *halves,
                             bool is_upwards)
{
    double crossing = 0;
    for (uint32_t node = 0; node < loop->topology->nodes; node++)
        if (is_upper(halves, node) != is_upwards)
            crossing += share_leaving(loop->lists, node, halves);
    return crossing;
}

/* Adds the messages that each node receives per cycle, when each sender makes a message per cycle,
 * to received[]. */
static void add_received(const struct destination_lists *lists, uint32_t nodes, double *received)
{
    for (uint32_t node = 0; node < nodes; node++)
        for (uint64_t list = lists->first[node]; list < lists->first[node + 1]; list++)
            for (uint64_t i = lists->offset[list]; i < lists->offset[list + 1]; i++)
                if (lists->destination[i] != node)
                    received[lists->destination[i]] += weight_of(lists, node);
}

/* ---- the bounds ---- */

static double mean_flits(const struct open_loop *loop)
{
    return ((double)loop->least_flits + loop->most_flits) / 2;
}

/* Returns the bound by the channels of a node that sends the share `sent` of its messages. */
static double node_bound(const struct open_loop *loop, uint32_t node, double sent, double received)
{
    const struct network_settings *settings = &loop->settings;
    uint32_t degree = topology_degree(loop->topology, node), links = degree > 0 ? degree : 1;
    double injection = settings->is_one_port     ? 1
                       : settings->injection > 0 ? settings->injection
                                                 : links;
    double consumption = settings->consumption > 0 ? settings->consumption : links;
    double rate = fmin(injection / sent, consumption / received) / mean_flits(loop);
    if (settings->startup > 0 && !settings->startup_is_per_port)
        rate = fmin(rate, 1 / (sent * settings->startup));
    return rate;
}

/* Counts the nodes in the lower half that send, and the links that lead to the upper half and
 * back. */
static uint32_t count_halves(const struct halves *halves, uint64_t links[2])
{
    const struct topology *topology = halves->topology;
    uint32_t size = topology->shape.size[halves->dimension], row = topology->nodes / size;
    uint32_t lower = 0;
    links[0] = links[1] =
        (uint64_t)row * (topology->shape.kind == TOPOLOGY_TORUS && size > 2 ? 2 : 1);
    if (!topology_is_broken(topology))
        return size / 2 * row;
    links[0] = links[1] = 0;
    for (uint32_t node = 0; node < topology->nodes; node++) {
        lower += topology_is_main(topology, node) && !is_upper(halves, node);
        for (uint32_t port = 0; port < topology_node_ports(topology, node); port++)
            links[is_upper(halves, node)] +=
                is_upper(halves, node) !=
                is_upper(halves, topology_neighbour(topology, node, port));
    }
    return lower;
}

static double bisection_bound(const struct open_loop *loop, uint32_t dimension)
{
    const struct topology *topology = loop->topology;
    bool is_uniform = loop->lists == NULL;
    struct halves halves = {topology, dimension, topology->shape.size[dimension] / 2};
    uint64_t links[2];
    uint32_t lower = count_halves(&halves, links);
    double up = is_uniform ? uniform_crossing(loop, topology_main_nodes(topology) - lower)
                           : lists_crossing(loop, &halves, true);
    double down = is_uniform ? uniform_crossing(loop, lower) : lists_crossing(loop, &halves, false);
    double flits = mean_flits(loop);
    return fmin((double)links[0] / flits / up, (double)links[1] / flits / down);
}

enum failure_kind capacity_of(const struct open_loop *loop, double *capacity,
                              struct failure *failure)
{
    const struct topology *topology = loop->topology;
    uint32_t nodes = topology->nodes;
    double *received = memory_allocate(loop->lists == NULL ? 0 : nodes, sizeof *received);
    if (received == NULL)
        return fail_memory(failure, "the messages that nodes receive");
    if (loop->lists != NULL)
        add_received(loop->lists, nodes, received);
    *capacity = 1; /* a node makes at most one message per cycle */
    for (uint32_t node = 0; node < nodes; node++) {
        if (loop->lists == NULL && !topology_is_main(topology, node))
            continue;
        double sent = loop->lists == NULL ? 1 : share_leaving(loop->lists, node, NULL);
        double taken = loop->lists == NULL ? uniform_received(loop) : received[node];
        *capacity = fmin(*capacity, node_bound(loop, node, sent, taken));
    }
    for (uint32_t i = 0; topology->shape.kind != TOPOLOGY_GRAPH && i < topology->shape.dimensions;
         i++)
        *capacity = fmin(*capacity, bisection_bound(loop, i));
    free(received);
    return FAIL_NONE;
}

/* ---- dimension by dimension ---- */

/* Returns the number of ways over the busiest link of a dimension, when each node sends to all
 * others. Ways of half a ring are divided by the rule of routing_x_first: by the parity of the
 * coordinate on the ring and of the coordinates in later dimensions. */
static double most_ways(const struct topology *topology, uint32_t dimension)
{
    const struct shape *shape = &topology->shape;
    uint32_t size = shape->size[dimension], later = 1;
    for (uint32_t i = dimension + 1; i < shape->dimensions; i++)
        later *= shape->size[i];
    double before = (double)topology->nodes / size / later; /* sources of a way in the dimension */
    if (shape->kind != TOPOLOGY_TORUS || size == 2)
        return before * later * (size / 2) * (size - size / 2);
    uint32_t least = (size - 1) / 2, half = size % 2 == 0 ? size / 2 : 0;
    double shorter = least * (least + 1.0) / 2;
    /* Ways of half a ring over a link start at `half` coordinates. Those of one parity take it to
     * destinations of one parity, the others to destinations of the other parity. An odd count has
     * one more of the first parity. */
    double equal =
        (double)(half - half / 2) * (later - later / 2) + (double)(half / 2) * (later / 2);
    return before * (shorter * later + equal);
}

double capacity_of_routing(const struct open_loop *loop)
{
    const struct topology *topology = loop->topology;
    if (loop->lists != NULL || strcmp(loop->scheme->name, "unicast") != 0 ||
        loop->scheme->routing(&loop->choices) != &routing_x_first)
        return 0;
    double worms = uniform_received(loop), most = 0, capacity = 1;
    for (uint32_t i = 0; i < topology->shape.dimensions; i++)
        most = fmax(most, most_ways(topology, i));
    for (uint32_t node = 0; node < topology->nodes; node++)
        capacity = fmin(capacity, node_bound(loop, node, worms, worms));
    return fmin(capacity, (topology->nodes - 1) / (most * worms * mean_flits(loop)));
}
