/* steiner.c - the fewest links of a tree from the source of a multicast to all destinations.
 *
 * Method: dynamic programming over sets of destinations (Dreyfus and Wagner, 1971): size[S][v] is
 * the size of the least tree of S and node v: two trees that meet in v, or a neighbour's tree and a
 * link. For sets too large for this, the largest of these bounds:
 * - each destination is the end of a link of its own;
 * - the distance of the farthest destination; on meshes a link between any two neighbouring
 *   coordinates of each dimension, from the smallest to the largest one;
 * - on meshes of at most two dimensions two thirds of the least spanning tree of the terminals by
 *   their distances, since a tree on the grid is one in the plane (Hwang, 1976); elsewhere t / (2 t
 *   - 2) of it for t terminals, since a walk round a tree of L links passes all in 2 L hops, and
 *   its longest leg can be left out.
 * On broken meshes these bounds are those of the whole mesh, and if some links lack one in the
 * other direction there are no other bounds.
 * Cost: O(3^k n) time and 4 n 2^k bytes for k destinations and n nodes; the bounds O(k^2), on
 * graphs times the links; if that is more than STEINER_MOST_WORK, the last bound is left out.
 */
#include "network/schemes/steiner.h"

#include <stdlib.h>
#include <string.h>

enum { FAR = INT32_MAX / 2 };

/* ---- the least tree ---- */

struct least {
    const struct topology *topology;
    uint32_t *size;                         /* by set of destinations and node */
    uint32_t *order, *reached, *was, *tail; /* [nodes]; tail also by size */
};

/* Lists the nodes with a size below FAR by size; returns their number. */
static uint32_t sort(struct least *least, const uint32_t *size)
{
    uint32_t nodes = least->topology->nodes, listed = 0;
    memset(least->tail, 0, ((size_t)nodes + 1) * sizeof *least->tail);
    for (uint32_t node = 0; node < nodes; node++)
        least->tail[size[node] < nodes ? size[node] : nodes]++;
    for (uint32_t at = 0; at < nodes; at++) {
        uint32_t count = least->tail[at];
        least->tail[at] = listed;
        listed += count;
    }
    for (uint32_t node = 0; node < nodes; node++)
        if (size[node] < nodes)
            least->order[least->tail[size[node]]++] = node;
    return listed;
}

/* Lowers sizes until no node's is larger than a neighbour's plus one; takes nodes in the order of
 * their sizes, from the list and from a queue of those that were reached. */
static void spread(struct least *least, uint32_t *size)
{
    uint32_t listed = sort(least, size), next = 0, first = 0, reached = 0;
    memcpy(least->was, size, least->topology->nodes * sizeof *size);
    while (next < listed || first < reached) {
        bool is_reached = first < reached && (next == listed || size[least->reached[first]] <=
                                                                    least->was[least->order[next]]);
        uint32_t node = is_reached ? least->reached[first++] : least->order[next++];
        if (!is_reached && size[node] < least->was[node])
            continue;
        for (uint32_t port = 0; port < topology_node_ports(least->topology, node); port++) {
            uint32_t to = topology_neighbour(least->topology, node, port);
            if (to == TOPOLOGY_NO_NODE || size[to] <= size[node] + 1)
                continue;
            size[to] = size[node] + 1;
            least->reached[reached++] = to;
        }
    }
}

static void meet(struct least *least, uint32_t set)
{
    size_t nodes = least->topology->nodes;
    uint32_t *size = least->size + set * nodes, lowest = set & (~set + 1);
    for (uint32_t part = (set - 1) & set; part > 0; part = (part - 1) & set) {
        if ((part & lowest) == 0)
            continue; /* its complement in the set is a part as well */
        const uint32_t *one = least->size + part * nodes;
        const uint32_t *other = least->size + (set ^ part) * nodes;
        for (size_t node = 0; node < nodes; node++)
            size[node] =
                one[node] + other[node] < size[node] ? one[node] + other[node] : size[node];
    }
}

static uint32_t find_least(struct least *least, const struct multicast *multicast)
{
    size_t nodes = least->topology->nodes;
    uint32_t sets = UINT32_C(1) << multicast->destinations;
    for (size_t i = 0; i < sets * nodes; i++)
        least->size[i] = FAR;
    for (uint32_t set = 1; set < sets; set++) {
        if ((set & (set - 1)) != 0)
            meet(least, set);
        else
            for (uint32_t i = 0; i < multicast->destinations; i++)
                if (set >> i == 1)
                    least->size[set * nodes + multicast->destination[i]] = 0;
        spread(least, least->size + set * nodes);
    }
    return least->size[(sets - 1) * nodes + multicast->source];
}

static bool is_small(const struct topology *topology, uint32_t destinations)
{
    uint64_t work = topology->nodes, room = topology->nodes;
    for (uint32_t i = 0; i < destinations && work <= STEINER_MOST_WORK; i++) {
        work *= 3;
        room *= 2;
    }
    return work <= STEINER_MOST_WORK && room <= STEINER_MOST_ROOM;
}

/* ---- bounds ---- */

static uint32_t terminal(const struct multicast *multicast, uint32_t i)
{
    return i == 0 ? multicast->source : multicast->destination[i - 1];
}

/* Returns the sum of the terminals' extents in all dimensions of a mesh. */
static uint64_t extents(const struct topology *topology, const struct multicast *multicast)
{
    uint64_t sum = 0;
    for (uint32_t j = 0; j < topology->shape.dimensions; j++) {
        uint32_t least = UINT32_MAX, most = 0;
        for (uint32_t i = 0; i <= multicast->destinations; i++) {
            uint32_t at = topology_coordinate(topology, terminal(multicast, i), j);
            least = at < least ? at : least;
            most = at > most ? at : most;
        }
        sum += most - least;
    }
    return sum;
}

/* Returns the links of the least spanning tree of the terminals, by Prim's method. `distance` has
 * an element per terminal, on entry 0; a terminal that has joined has 0. */
static uint64_t spanning_tree(const struct topology *topology, const struct multicast *multicast,
                              uint32_t *distance)
{
    uint64_t links = 0;
    uint32_t terminals = multicast->destinations + 1, joined = 0;
    for (uint32_t i = 1; i < terminals; i++)
        distance[i] = UINT32_MAX;
    for (uint32_t round = 1; round < terminals; round++) {
        uint32_t nearest = 0;
        for (uint32_t i = 1; i < terminals; i++) {
            if (distance[i] == 0)
                continue;
            uint32_t away =
                topology_distance(topology, terminal(multicast, joined), terminal(multicast, i));
            distance[i] = away < distance[i] ? away : distance[i];
            if (nearest == 0 || distance[i] < distance[nearest])
                nearest = i;
        }
        links += distance[nearest];
        distance[nearest] = 0;
        joined = nearest;
    }
    return links;
}

/* Sets *links to the largest of the bounds, for at least one destination. */
static enum failure_kind lower_bound(const struct topology *topology,
                                     const struct multicast *multicast, uint64_t *links,
                                     struct failure *failure)
{
    uint64_t terminals = (uint64_t)multicast->destinations + 1, other = 0;
    bool is_mesh = topology->shape.kind == TOPOLOGY_MESH;
    bool is_graph = topology->shape.kind == TOPOLOGY_GRAPH;
    const struct topology whole =
        topology_is_broken(topology) ? topology_of_shape(&topology->shape) : *topology;
    topology = &whole; /* a tree on what remains is one on the whole */
    *links = multicast->destinations;
    if (is_mesh)
        other = extents(topology, multicast);
    else if (!is_graph)
        for (uint32_t i = 1; i < terminals; i++) {
            uint32_t away = topology_distance(topology, multicast->source, terminal(multicast, i));
            other = away > other ? away : other;
        }
    *links = other > *links ? other : *links;
    if (is_graph && terminals * terminals * topology->links > STEINER_MOST_WORK)
        return FAIL_NONE;
    uint32_t *distance = memory_allocate(terminals, sizeof *distance);
    if (distance == NULL)
        return fail_memory(failure, "the bound of a tree");
    uint64_t spanning = spanning_tree(topology, multicast, distance);
    if (is_mesh && topology->shape.dimensions <= 2)
        other = (2 * spanning + 2) / 3;
    else
        other = (spanning * terminals + 2 * terminals - 3) / (2 * terminals - 2);
    free(distance);
    *links = other > *links ? other : *links;
    return FAIL_NONE;
}

/* ---- all of it ---- */

enum failure_kind steiner_bound(const struct topology *topology, const struct multicast *multicast,
                                uint64_t *links, bool *is_exact, struct failure *failure)
{
    *links = 0;
    *is_exact = multicast->destinations == 0;
    if (*is_exact)
        return FAIL_NONE;
    if (topology->has_one_way || !is_small(topology, multicast->destinations))
        return lower_bound(topology, multicast, links, failure);
    size_t nodes = topology->nodes;
    struct least least = {
        topology,
        memory_allocate(nodes << multicast->destinations, sizeof *least.size),
        memory_allocate(nodes, sizeof *least.order),
        memory_allocate(nodes, sizeof *least.reached),
        memory_allocate(nodes, sizeof *least.was),
        memory_allocate(nodes + 1, sizeof *least.tail),
    };
    *is_exact = least.size != NULL && least.order != NULL && least.reached != NULL &&
                least.was != NULL && least.tail != NULL;
    if (*is_exact)
        *links = find_least(&least, multicast);
    free(least.size);
    free(least.order);
    free(least.reached);
    free(least.was);
    free(least.tail);
    return *is_exact ? FAIL_NONE : fail_memory(failure, "the least tree");
}
