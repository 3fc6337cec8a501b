/* star.c - multicast stars: the sides of a multicast, the worms that a rule of ports makes of them, what they cost.
 *
 * Costs are hops of label routing, by its formula where there is one. Else the ways to one target are a tree, since each
 * next hop depends on the node and the target alone: a walk ends where an earlier one to the same target has been, and
 * each node is passed once a target.
 * Cost: star_plan() O(k log k + p^2) for k destinations and p ports, beside its rule; 12 bytes a node while costs are
 * made, of which only those on the ways are touched, and none on meshes of two dimensions.
 */
#include "network/schemes/star.h"

#include "network/schemes/matching.h"

#include <assert.h>
#include <stdlib.h>

uint32_t star_natural_port(const struct star_side *side, uint32_t node)
{
    struct routing_choice choice[ROUTING_CHOICES];
    routing_label.next(side->topology, side->source, node, choice);
    uint32_t next = topology_neighbour(side->topology, side->source, choice[0].port);
    for (uint32_t port = 0; port < side->ports; port++)
        if (side->neighbour[port] == next)
            return port;
    return UINT32_MAX;
}

/* ---- a side ---- */

/* How far a node's label is from the source's. */
static uint32_t height(const struct star_side *side, uint32_t node)
{
    uint32_t label = topology_label(side->topology, node);
    uint32_t source = topology_label(side->topology, side->source);
    return label > source ? label - source : source - label;
}

/* Takes the source's neighbours of the side that are no farther than the last destination, sorted. */
static void find_ports(struct star_side *side)
{
    uint32_t source = topology_label(side->topology, side->source);
    bool grows = topology_label(side->topology, side->node[0]) > source;
    uint32_t farthest = height(side, side->node[side->count - 1]);
    uint32_t links = topology_node_ports(side->topology, side->source);
    for (uint32_t link = 0; link < links; link++) {
        uint32_t node = topology_neighbour(side->topology, side->source, link);
        if (node == TOPOLOGY_NO_NODE || (topology_label(side->topology, node) > source) != grows ||
            height(side, node) > farthest)
            continue;
        uint32_t place = side->ports++;
        for (; place > 0 && height(side, side->neighbour[place - 1]) > height(side, node); place--)
            side->neighbour[place] = side->neighbour[place - 1];
        side->neighbour[place] = node;
    }
}

/* ---- worms ---- */

/* A port's worm to `count` nodes, of which there is at least one. */
static enum failure_kind add_worm(const struct star_side *side, uint32_t port, const uint32_t *node,
                                  uint32_t count, struct plan *plan, struct failure *failure)
{
    if (plan_add_worm(plan, side->source, failure) != FAIL_NONE ||
        (star_natural_port(side, node[0]) != port &&
         plan_add_stop(plan, side->neighbour[port], false, failure) != FAIL_NONE))
        return failure->kind;
    return plan_add_chain(plan, node, count, true, failure);
}

/* Adds the worms of all ports. `node` has room for the destinations, which are put there port by port, and `end`, zeroed,
 * has room for the ports. */
static enum failure_kind add_worms(const struct star_side *side, const uint32_t *port_of,
                                   uint32_t *node, uint32_t *end, struct plan *plan,
                                   struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t i = 0; i < side->count; i++)
        end[port_of[i]]++;
    for (uint32_t port = 0, begin = 0; port < side->ports; port++) {
        uint32_t count = end[port];
        end[port] = begin;
        begin += count;
    }
    for (uint32_t i = 0; i < side->count; i++)
        node[end[port_of[i]]++] = side->node[i];
    for (uint32_t port = 0, begin = 0; kind == FAIL_NONE && port < side->ports; port++) {
        if (end[port] > begin)
            kind = add_worm(side, port, node + begin, end[port] - begin, plan, failure);
        begin = end[port];
    }
    return kind;
}

static enum failure_kind serve_side(struct star_side *side, star_rule *rule, struct plan *plan,
                                    struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    if (side->count == 0)
        return FAIL_NONE;
    uint32_t links = topology_node_ports(side->topology, side->source);
    uint32_t *port_of = memory_allocate(side->count, 2 * sizeof *port_of);
    uint32_t *end = memory_allocate(links, sizeof *end);
    side->neighbour = memory_allocate(links, sizeof *side->neighbour);
    if (port_of == NULL || end == NULL || side->neighbour == NULL) {
        kind = fail_memory(failure, "the ports of a star");
    } else {
        find_ports(side);
        kind = rule(side, port_of, failure);
        if (kind == FAIL_NONE)
            kind = add_worms(side, port_of, port_of + side->count, end, plan, failure);
    }
    free(side->neighbour);
    free(end);
    free(port_of);
    return kind;
}

enum failure_kind star_plan(const struct topology *topology, const struct multicast *multicast,
                            bool is_strict, star_rule *rule, struct plan *plan,
                            struct failure *failure)
{
    struct chain chain;
    if (chain_make(&chain, topology, multicast, chain_label, failure) != FAIL_NONE)
        return failure->kind;
    struct star_side upper = {.topology = topology,
                              .source = multicast->source,
                              .is_strict = is_strict,
                              .longest_bound = &plan->longest_bound,
                              .count = chain.count - chain.source - 1,
                              .node = chain.node + chain.source + 1};
    struct star_side lower = upper;
    lower.count = chain.source;
    lower.node = chain.node;
    chain_reverse(chain.node, chain.source);
    enum failure_kind kind = serve_side(&upper, rule, plan, failure);
    if (kind == FAIL_NONE)
        kind = serve_side(&lower, rule, plan, failure);
    chain_free(&chain);
    return kind;
}

/* ---- costs ---- */

/* Hops of the ways to one target at a time. */
struct way_lengths {
    const struct topology *topology;
    bool are_shortest;
    uint32_t *hops;   /* to the target, of each node on the ways so far */
    uint32_t *target; /* the one that hops[] is for, + 1 */
    uint32_t *way;    /* nodes of the walk */
};

static uint32_t way_length(struct way_lengths *ways, uint32_t from, uint32_t to)
{
    uint32_t length = 0, node = from;
    if (ways->are_shortest)
        return topology_distance(ways->topology, from, to);
    ways->hops[to] = 0;
    ways->target[to] = to + 1;
    while (ways->target[node] != to + 1) {
        struct routing_choice choice[ROUTING_CHOICES];
        ways->way[length++] = node;
        routing_label.next(ways->topology, node, to, choice);
        node = topology_neighbour(ways->topology, node, choice[0].port);
    }
    for (uint32_t hops = ways->hops[node]; length > 0;) {
        node = ways->way[--length];
        ways->hops[node] = ++hops;
        ways->target[node] = to + 1;
    }
    return ways->hops[from];
}

/* The first leg of a worm over a port to destination i. */
static uint32_t first_leg(struct way_lengths *ways, const struct star_side *side, uint32_t port,
                          uint32_t i)
{
    uint32_t node = side->node[i], first = side->neighbour[port];
    if (side->is_strict ? star_natural_port(side, node) != port
                        : height(side, first) > height(side, node))
        return MATCHING_FORBIDDEN;
    return 1 + way_length(ways, first, node);
}

static void fill_costs(struct star_costs *costs, const struct star_side *side,
                       struct way_lengths *ways)
{
    uint32_t count = side->count, ports = side->ports;
    for (uint32_t j = 0; j < costs->size; j++)
        for (uint32_t row = 0; row < costs->size; row++) {
            uint32_t *cost = &costs->cost[(size_t)row * costs->size + j];
            if (j >= count)
                *cost = 0;
            else if (row < ports)
                *cost = first_leg(ways, side, row, j);
            else if (row - ports < j)
                *cost = way_length(ways, side->node[row - ports], side->node[j]);
            else
                *cost = MATCHING_FORBIDDEN;
        }
}

enum failure_kind star_costs_make(struct star_costs *costs, const struct star_side *side,
                                  struct failure *failure)
{
    bool are_shortest = route_label_is_shortest(side->topology);
    uint32_t nodes = are_shortest ? 0 : side->topology->nodes, size = side->count + side->ports;
    struct way_lengths ways = {
        side->topology, are_shortest, memory_allocate(nodes, sizeof *ways.hops),
        memory_allocate(nodes, sizeof *ways.target), memory_allocate(nodes, sizeof *ways.way)};
    *costs = (struct star_costs){size, NULL};
    if (ways.hops != NULL && ways.target != NULL && ways.way != NULL)
        costs->cost = memory_allocate((size_t)size * size, sizeof *costs->cost);
    if (costs->cost != NULL)
        fill_costs(costs, side, &ways);
    free(ways.hops);
    free(ways.target);
    free(ways.way);
    return costs->cost != NULL ? FAIL_NONE : fail_memory(failure, "the costs of a star");
}

uint32_t star_length_bound(const struct star_side *side, const struct star_costs *costs,
                           int64_t least_sum, int64_t *way)
{
    uint32_t ports = side->ports;
    int64_t farthest = 0;
    for (uint32_t j = 0; j < side->count; j++) {
        way[j] = INT64_MAX;
        for (uint32_t row = 0; row < ports + j; row++) {
            int64_t cost = costs->cost[(size_t)row * costs->size + j];
            int64_t before = row < ports ? 0 : way[row - ports];
            if (cost != MATCHING_FORBIDDEN && before != INT64_MAX && before + cost < way[j])
                way[j] = before + cost;
        }
        farthest = way[j] > farthest ? way[j] : farthest;
    }
    int64_t share = (least_sum + ports - 1) / ports;
    return (uint32_t)(share > farthest ? share : farthest);
}

uint32_t star_longest_worm(const struct star_side *side, const struct star_costs *costs,
                           const uint32_t *port_of)
{
    uint32_t longest = 0;
    for (uint32_t port = 0; port < side->ports; port++) {
        uint32_t length = 0, from = port;
        for (uint32_t i = 0; i < side->count; i++) {
            if (port_of[i] != port)
                continue;
            length += costs->cost[(size_t)from * costs->size + i];
            from = side->ports + i;
        }
        longest = length > longest ? length : longest;
    }
    return longest;
}

void star_costs_free(struct star_costs *costs)
{
    free(costs->cost);
    *costs = (struct star_costs){0};
}
