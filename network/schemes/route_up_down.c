/* route_up_down.c - paths that lead up, then down: on every topology, broken or not, without a
 * deadlock.
 *
 * topology.h defines the links that lead up. A path takes any number of links up, then any number
 * of links down, and is named node by node in its worm's stops (routing_up_down goes to
 * neighbours).
 *
 * Paths exist: from every node links up lead to its part's root, and from the root links down lead
 * to all of the part. No deadlock comes between worms that do not branch: number the links up by
 * the heights of their senders, falling, then the links down by the heights of their receivers,
 * growing. Along a path these numbers grow, so a worm that holds a link waits only for links with
 * larger numbers. Nor does one come with trees, if each branch waits in room for the whole message
 * (cut-through), since each goes on by itself.
 *
 * Method: a search over links up from the source finds the nodes that are up, and their hops. A
 * second one begins at all of these in the order of hops, over links down, to the other nodes. So
 * every node is reached once, and the paths are a tree. On a topology without odd rings levels of
 * neighbours differ by 1, so no path to a node up is shorter than one over links up only; all paths
 * are then the shortest that lead up, then down. On a whole mesh that is negative-first, and they
 * are shortest paths.
 *
 * Levels count from the least node of a part or from the greatest: paths of two classes of channels
 * use one each, so that not all of them crowd about one root.
 *
 * For queues without bounds, where nothing can deadlock, the first search may take all links
 * (is_any); it then reaches every node, by shortest paths.
 *
 * Cost: O(nodes + links) per search, which ends where the last destination was found; 12 bytes per
 * node.
 * Source: M. Schroeder et al., Autonet: a high-speed, self-configuring local area network using
 * point-to-point links, 1991. */
#include "network/schemes/up_down.h"

#include "network/schemes/scheme_private.h"

#include <assert.h>
#include <stdlib.h>

/* Returns the preference of a link over others that lead to the same node in as many hops, drawn
 * for the source and the link. With goes_straight the link straight on is first, and the others are
 * drawn for the source and the direction. */
static uint32_t preference(const struct up_down *paths, uint32_t from, uint32_t to)
{
    uint32_t direction = to - from;
    bool is_straight = paths->goes_straight && direction == from - up_down_parent(paths, from);
    uint64_t link = paths->goes_straight ? direction : (uint64_t)from << 16 ^ to;
    uint64_t mixed = ((uint64_t)paths->source << 32 ^ link) * UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)is_straight << 31 | (uint32_t)(mixed >> 33);
}

/* Adds the neighbours of a node over links up, or down, that were not reached; one that was, in as
 * many hops, may come from this node instead. A node reached only by links up stays so. */
static void add_neighbours(struct up_down *paths, const struct topology *topology, uint32_t node,
                           bool up)
{
    uint64_t height = topology_height(topology, paths->root, node);
    uint32_t flag = up ? UP_DOWN_UP : 0;
    for (uint32_t port = 0; port < topology_node_ports(topology, node); port++) {
        uint32_t to = topology_neighbour(topology, node, port);
        if (to == TOPOLOGY_NO_NODE ||
            (!paths->is_any && (topology_height(topology, paths->root, to) < height) != up))
            continue;
        if (paths->hops[to] == 0) {
            paths->hops[to] = paths->hops[node] + 1;
            paths->parent[to] = node | flag;
            paths->reached[paths->count++] = to;
        } else if (paths->hops[to] == paths->hops[node] + 1 &&
                   (up || (paths->parent[to] & UP_DOWN_UP) == 0) &&
                   preference(paths, node, to) > preference(paths, up_down_parent(paths, to), to)) {
            paths->parent[to] = node | flag;
        }
    }
}

void up_down_free(struct up_down *paths)
{
    free(paths->hops);
    free(paths->parent);
    free(paths->reached);
    *paths = (struct up_down){0};
}

void up_down_forget(struct up_down *paths)
{
    for (uint32_t i = 0; i < paths->count; i++)
        paths->hops[paths->reached[i]] = 0;
    paths->count = 0;
}

static bool make_room(struct up_down *paths, uint32_t nodes)
{
    if (nodes <= paths->room)
        return true;
    const struct up_down set = {
        .is_any = paths->is_any, .spreads = paths->spreads, .root = paths->root};
    up_down_free(paths);
    *paths = set;
    paths->hops = memory_allocate(nodes, sizeof *paths->hops);
    paths->parent = memory_allocate(nodes, sizeof *paths->parent);
    paths->reached = memory_allocate(nodes, sizeof *paths->reached);
    paths->room = nodes;
    if (paths->hops != NULL && paths->parent != NULL && paths->reached != NULL)
        return true;
    up_down_free(paths);
    return false;
}

bool up_down_begin(struct up_down *paths, const struct topology *topology, uint32_t source,
                   bool goes_straight)
{
    if (paths->count > 0 && paths->source == source)
        return true;
    up_down_forget(paths);
    if (!make_room(paths, topology->nodes))
        return false;
    paths->source = source;
    paths->goes_straight = goes_straight && !paths->spreads;
    paths->hops[source] = 1;
    paths->parent[source] = source | UP_DOWN_UP;
    paths->reached[paths->count++] = source;
    for (uint32_t next = 0; next < paths->count; next++)
        add_neighbours(paths, topology, paths->reached[next], true);
    paths->up = 0;
    paths->ups = paths->down = paths->count;
    return true;
}

void up_down_reach(struct up_down *paths, const struct topology *topology, uint32_t node)
{
    const uint32_t *hops = paths->hops, *reached = paths->reached;
    for (;;) {
        bool has_up = paths->up < paths->ups, has_down = paths->down < paths->count;
        bool is_up =
            has_up && (!has_down || hops[reached[paths->up]] <= hops[reached[paths->down]]);
        uint32_t *next = is_up ? &paths->up : &paths->down;
        if (hops[node] > 0 && (!(has_up || has_down) || hops[reached[*next]] >= hops[node]))
            return;
        assert(has_up || has_down); /* all of a part is reached */
        add_neighbours(paths, topology, reached[(*next)++], false);
    }
}

void plan_add_up_down(const struct planning *planning, uint32_t sender, uint32_t node)
{
    struct plan *plan = planning->plan;
    struct up_down *paths = &plan->paths;
    plan->lacks_memory |= !up_down_begin(paths, planning->topology, sender, false);
    if (plan->lacks_memory)
        return;
    up_down_reach(paths, planning->topology, node);
    uint32_t stops = paths->hops[node] - 1, *stop = plan_scratch(plan, stops, sizeof *stop);
    if (stop == NULL)
        return;
    plan_add_worm(plan, sender);
    for (uint32_t at = node, left = stops; left-- > 0; at = up_down_parent(paths, at))
        stop[left] = at;
    plan_add_chain(plan, stop, stops - 1, false);
    plan_add_stop(plan, node, true);
}
