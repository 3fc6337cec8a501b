/* fewest_chains.c - the fewest chains of destinations, by a largest matching.
 *
 * Method: each destination is matched with the next one of its chain. If m of k destinations have a
 * next one there are k - m chains, so a largest matching gives the fewest, for every rule. It grows
 * by shortest augmenting paths, first from the high nodes, whose next ones are high.
 * Properties: the chains are the fewest, and so are those with a high node. Proof: after the paths
 * from high nodes, as many of these as can be are matched with a next one. Later paths keep matched
 * nodes matched, and a high node only with a high one, so their number stays; the high nodes
 * without a next one are the ends of the chains with high nodes.
 *   Destinations that a search without success reached lead to no free node any more, and are left
 * out for good.
 * Cost: O(k) memory; at most O(k^2) tests of the rule for all searches without success, and as many
 * for each other one.
 */
#include "network/schemes/chains.h"

#include <string.h>

#define NONE UINT32_MAX

/* A cover under way; destinations are named by their places. */
struct cover {
    const struct topology *topology;
    const struct multicast *multicast;
    chain_rule *rule;
    uint32_t *next, *before; /* in the chain, or NONE */
    uint32_t *from;          /* the destination from which the search reached this one */
    uint32_t *queue;         /* destinations whose next ones the search examines */
    uint32_t *open;          /* destinations that the search has not reached */
    uint32_t opens;
};

/* True if the node has a larger coordinate than the source. */
static bool is_high_node(const struct topology *topology, uint32_t source, uint32_t node)
{
    for (uint32_t i = 0; i < topology->shape.dimensions; i++)
        if (topology_coordinate(topology, node, i) > topology_coordinate(topology, source, i))
            return true;
    return false;
}

bool chain_ascends(const struct topology *topology, uint32_t source, uint32_t node, uint32_t next)
{
    (void)source;
    for (uint32_t i = 0; i < topology->shape.dimensions; i++)
        if (topology_coordinate(topology, next, i) < topology_coordinate(topology, node, i))
            return false;
    return true;
}

bool chain_is_x_first(const struct topology *topology, uint32_t source, uint32_t node,
                      uint32_t next)
{
    bool has_stopped = false; /* short of `next` in a dimension */
    for (uint32_t i = 0; i < topology->shape.dimensions; i++) {
        uint32_t from = topology_coordinate(topology, source, i);
        uint32_t at = topology_coordinate(topology, node, i);
        uint32_t to = topology_coordinate(topology, next, i);
        bool is_between = from <= to ? from <= at && at <= to : to <= at && at <= from;
        if (!is_between || (has_stopped && at != from))
            return false;
        has_stopped |= at != to;
    }
    return true;
}

/* Makes `last` the next one of the destination from which it was reached, and so on back to the
 * first one. */
static void augment(struct cover *cover, uint32_t last)
{
    while (last != NONE) {
        uint32_t at = cover->from[last], moved = cover->next[at];
        cover->next[at] = last;
        cover->before[last] = at;
        last = moved;
    }
}

/* Gives a destination a next one if it can; destinations that it reaches leave the list of open
 * ones. */
static bool search(struct cover *cover, uint32_t first)
{
    const uint32_t *destination = cover->multicast->destination;
    uint32_t count = 1;
    cover->queue[0] = first;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = cover->queue[i], kept = 0;
        for (uint32_t j = 0; j < cover->opens; j++) {
            uint32_t to = cover->open[j];
            cover->open[kept++] = to;
            if (to == at || !cover->rule(cover->topology, cover->multicast->source, destination[at],
                                         destination[to]))
                continue;
            kept--;
            cover->from[to] = at;
            if (cover->before[to] == NONE) {
                augment(cover, to);
                return true;
            }
            cover->queue[count++] = cover->before[to];
        }
        cover->opens = kept;
    }
    return false;
}

/* Gives high destinations, or the others, next ones. */
static void match(struct cover *cover, bool is_high, uint32_t *kept)
{
    const struct multicast *multicast = cover->multicast;
    uint32_t keeps = cover->opens;
    memcpy(kept, cover->open, keeps * sizeof *kept);
    for (uint32_t i = 0; i < multicast->destinations; i++) {
        if (is_high_node(cover->topology, multicast->source, multicast->destination[i]) != is_high)
            continue;
        if (!search(cover, i)) {
            keeps = cover->opens;
            memcpy(kept, cover->open, keeps * sizeof *kept);
            continue;
        }
        cover->opens = keeps;
        memcpy(cover->open, kept, keeps * sizeof *kept);
    }
}

/* Adds the chains with a high node, which end with one, or the other chains. */
static void add_chains(struct chains *chains, const struct cover *cover, bool is_high)
{
    const struct multicast *multicast = cover->multicast;
    for (uint32_t i = 0; i < multicast->destinations; i++) {
        uint32_t begin = chain_begin(chains, chains->count), last = i;
        if (cover->before[i] != NONE)
            continue;
        while (cover->next[last] != NONE)
            last = cover->next[last];
        if (is_high_node(cover->topology, multicast->source, multicast->destination[last]) !=
            is_high)
            continue;
        uint32_t nodes = 0;
        for (uint32_t at = i; at != NONE; at = cover->next[at])
            chains->node[begin + nodes++] = multicast->destination[at];
        chains_add(chains, nodes);
    }
}

uint32_t chains_cover(struct chains *chains, const struct planning *planning, chain_rule *rule)
{
    uint32_t k = planning->multicast->destinations, high;
    uint32_t *places = plan_scratch(planning->plan, 6 * (size_t)k, sizeof *places);
    if (planning->plan->lacks_memory)
        return 0;
    struct cover cover = {.topology = planning->topology,
                          .multicast = planning->multicast,
                          .rule = rule,
                          .next = places,
                          .before = places + k,
                          .from = places + 2 * (size_t)k,
                          .queue = places + 3 * (size_t)k,
                          .open = places + 4 * (size_t)k,
                          .opens = k};
    for (uint32_t i = 0; i < k; i++) {
        cover.next[i] = cover.before[i] = NONE;
        cover.open[i] = i;
    }
    match(&cover, true, places + 5 * (size_t)k);
    match(&cover, false, places + 5 * (size_t)k);
    add_chains(chains, &cover, true);
    high = chains->count;
    add_chains(chains, &cover, false);
    return high;
}
