/* star.c - multicast stars: the sides of a multicast, their worms by a rule of ports, and the
 * costs.
 *
 * Costs are hops of label routing, by its formula where there is one. Else the ways to one target
 * are a tree, since each next hop depends only on the node and the target: a walk ends where an
 * earlier one to the same target has been, and each node is passed once per target.
 * Cost: star_plan() O(k log k + p^2) for k destinations and p ports, beside its rule; 12 bytes per
 * node while costs are made, of which only those on the ways are touched, and none on meshes of two
 * dimensions.
 */
#include "network/schemes/star.h"

/* ---- a side ---- */

uint32_t star_natural_port(const struct star_side *side, uint32_t node)
{
    uint32_t next = route_label_next(side->topology, side->source, node);
    for (uint32_t port = 0; port < side->ports; port++)
        if (side->neighbour[port] == next)
            return port;
    return UINT32_MAX;
}

/* Takes the source's neighbours of the side that are no farther than the last destination. */
static void find_ports(struct star_side *side)
{
    const struct topology *topology = side->topology;
    uint32_t source = side->source, links = topology_node_ports(topology, source);
    bool grows = topology_label(topology, side->node[0]) > topology_label(topology, source);
    uint32_t farthest = label_distance(topology, source, side->node[side->count - 1]);
    side->neighbour = plan_scratch(side->plan, links, sizeof *side->neighbour);
    if (side->neighbour == NULL)
        return;
    side->ports = route_label_ports(topology, source, grows, side->neighbour, links);
    while (label_distance(topology, source, side->neighbour[side->ports - 1]) > farthest)
        side->ports--;
    side->size = side->count + side->ports;
}

static void serve_side(struct star_side *side, star_rule *rule)
{
    if (side->count == 0)
        return;
    find_ports(side);
    uint32_t *port_of = plan_scratch(side->plan, side->count, sizeof *port_of);
    uint32_t *node = plan_scratch(side->plan, side->count, sizeof *node);
    if (!side->plan->lacks_memory)
        rule(side, port_of);
    for (uint32_t port = 0; port < side->ports && !side->plan->lacks_memory; port++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < side->count; i++)
            if (port_of[i] == port)
                node[count++] = side->node[i];
        if (count > 0)
            plan_add_path_over(side->planning, side->source, side->neighbour[port], node, count);
    }
}

void star_plan(const struct planning *planning, bool is_strict, star_rule *rule)
{
    struct chain chain = chain_make(planning, chain_label);
    if (chain.node == NULL)
        return;
    struct star_side upper = {.planning = planning,
                              .topology = planning->topology,
                              .plan = planning->plan,
                              .source = planning->multicast->source,
                              .is_strict = is_strict,
                              .count = chain.count - chain.source - 1,
                              .node = chain.node + chain.source + 1};
    struct star_side lower = upper;
    lower.count = chain.source;
    lower.node = chain.node;
    chain_reverse(chain.node, chain.source);
    serve_side(&upper, rule);
    serve_side(&lower, rule);
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
        ways->way[length++] = node;
        node = route_label_next(ways->topology, node, to);
    }
    for (uint32_t hops = ways->hops[node]; length > 0;) {
        node = ways->way[--length];
        ways->hops[node] = ++hops;
        ways->target[node] = to + 1;
    }
    return ways->hops[from];
}

/* Returns the first leg of a worm over a port to destination i. */
static uint32_t first_leg(struct way_lengths *ways, const struct star_side *side, uint32_t port,
                          uint32_t i)
{
    uint32_t node = side->node[i], first = side->neighbour[port];
    uint32_t away = label_distance(side->topology, side->source, first);
    if (side->is_strict ? star_natural_port(side, node) != port
                        : away > label_distance(side->topology, side->source, node))
        return MATCHING_FORBIDDEN;
    return 1 + way_length(ways, first, node);
}

bool star_make_costs(struct star_side *side)
{
    bool are_shortest = route_label_is_shortest(side->topology);
    uint32_t nodes = are_shortest ? 0 : side->topology->nodes, size = side->size;
    uint32_t *words = plan_scratch(side->plan, nodes, 3 * sizeof *words);
    uint32_t *cost = plan_scratch(side->plan, (size_t)size * size, sizeof *cost);
    if (side->plan->lacks_memory)
        return false;
    struct way_lengths ways = {side->topology, are_shortest, words, words + nodes,
                               words + 2 * (size_t)nodes};
    for (uint32_t j = 0; j < side->count; j++)
        for (uint32_t row = 0; row < size; row++) {
            uint32_t from = row < side->ports ? 0 : row - side->ports;
            if (row < side->ports)
                cost[(size_t)row * size + j] = first_leg(&ways, side, row, j);
            else if (from < j)
                cost[(size_t)row * size + j] = way_length(&ways, side->node[from], side->node[j]);
            else
                cost[(size_t)row * size + j] = MATCHING_FORBIDDEN;
        }
    side->cost = cost; /* the ends' are zeros */
    return true;
}

uint32_t star_longest_worm(const struct star_side *side, const uint32_t *port_of)
{
    uint32_t longest = 0;
    for (uint32_t port = 0; port < side->ports; port++) {
        uint32_t length = 0, from = port;
        for (uint32_t i = 0; i < side->count; i++) {
            if (port_of[i] != port)
                continue;
            length += star_cost(side, from, i);
            from = side->ports + i;
        }
        longest = max_u32(longest, length);
    }
    return longest;
}

void star_least_sum(const struct star_side *side, uint32_t *port, int64_t *potential)
{
    uint32_t *next = plan_scratch(side->plan, side->size, sizeof *next);
    if (next == NULL || !matching_find(side->plan, side->cost, side->size, next, potential))
        return;
    for (uint32_t a = 0; a < side->ports; a++)
        for (uint32_t i = next[a]; i < side->count; i = next[side->ports + i])
            port[i] = a;
}
