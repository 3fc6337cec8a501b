/* capacity.c - an upper bound of the load that a network can carry.
 *
 * Proof: let L be the mean length of a message, and `rate` the messages that a node makes in a cycle.
 * - Injection: a node sends each of its messages once at least, over I channels of a flit a cycle: rate L <= I.
 * - Startups: a serial startup of N cycles goes before each: rate N <= 1.
 * - Consumption: a node takes in all that is bound for it over C channels. Where destinations are uniform these are k
 *   messages for each one that it makes: rate k L <= C.
 * - Bisection: a message from the lower half of a dimension that has a destination in the upper one crosses the middle
 *   once at least. If p is the probability that a message has one, and `links` lead up there, a flit a cycle each:
 *   (nodes of the lower half) rate p L <= links. So it is from the upper half to the lower one.
 */
#include "network/capacity.h"

#include <math.h>

/* The probability that at least one of k distinct nodes is among `these`. The k are drawn from all nodes but the source,
 * which is not among `these`. */
static double chance(uint32_t nodes, uint32_t these, uint32_t k)
{
    double none = 1;
    for (uint32_t i = 0; i < k && none > 0; i++)
        none *= these + i < nodes - 1 ? (double)(nodes - 1 - these - i) / (nodes - 1 - i) : 0;
    return 1 - none;
}

/* The degree of the node that has the fewest links; such a node sends and takes in as much as the others. */
static uint32_t fewest_links(const struct topology *topology)
{
    uint32_t fewest = UINT32_MAX;
    for (uint32_t node = 0; node < topology->nodes; node++) {
        uint32_t degree = topology_degree(topology, node);
        fewest = degree < fewest ? degree : fewest;
    }
    return fewest > 0 ? fewest : 1;
}

static double bisection(const struct open_loop *loop, uint32_t dimension, double flits)
{
    const struct topology *topology = loop->topology;
    uint32_t size = topology->shape.size[dimension], row = topology->nodes / size;
    bool is_ring = topology->shape.kind == TOPOLOGY_TORUS && size > 2;
    uint32_t lower = size / 2 * row, upper = topology->nodes - lower;
    double links = (double)row * (is_ring ? 2 : 1);
    if (size < 2)
        return 1;
    double up = links / (lower * flits * chance(topology->nodes, upper, loop->destinations));
    double down = links / (upper * flits * chance(topology->nodes, lower, loop->destinations));
    return fmin(up, down);
}

double capacity_of(const struct open_loop *loop)
{
    const struct topology *topology = loop->topology;
    const struct network_settings *settings = &loop->settings;
    double flits = ((double)loop->least_flits + loop->most_flits) / 2;
    if (loop->lists != NULL)
        return 1; /* a message in each cycle: nothing is known of the lists */
    uint32_t links = fewest_links(topology);
    uint32_t injection = settings->injection > 0 ? settings->injection : links;
    uint32_t consumption = settings->consumption > 0 ? settings->consumption : links;
    double rate = fmin(1, (settings->is_one_port ? 1 : injection) / flits);
    if (settings->startup > 0 && !settings->startup_is_per_port)
        rate = fmin(rate, 1.0 / settings->startup);
    rate = fmin(rate, consumption / (loop->destinations * flits));
    for (uint32_t i = 0; topology->shape.kind != TOPOLOGY_GRAPH && i < topology->shape.dimensions;
         i++)
        rate = fmin(rate, bisection(loop, i, flits));
    return rate;
}
