/* route_label.c - routing by labels along a Hamiltonian path, on every topology.
 *
 * Along a way labels only grow, or only shrink. So a worm that holds a link to a larger label waits
 * only for links between still larger labels (and likewise for smaller ones), and no deadlock can
 * arise.
 *
 * On meshes of two dimensions ways are shortest ones. To a larger label, and a row farther than the
 * next one: the link to the next row has the largest label, and is allowed. In the row itself the
 * only link to a larger label leads towards the target. From the row before, the link to the next
 * row is allowed unless it would lead past the target; then the link along the row, in which labels
 * grow the other way, leads to the target's column. Likewise to smaller labels. With three
 * dimensions that is not so: from a plane to the next one a way may pass the target's row, and come
 * back to it.
 *
 * Source: X. Lin, P. McKinley, L. Ni, Deadlock-free multicast wormhole routing in 2-D mesh
 * multicomputers, 1994.
 */
#include "network/schemes/scheme_private.h"

#include <assert.h>

static uint32_t classes(const struct topology *topology)
{
    return !topology_is_broken(topology) || topology->label != NULL;
}

/* Returns the port on meshes, where a node has at most one neighbour with a larger label in each
 * dimension. Those of slower dimensions are farther in labels, so the first one that is not past
 * the target is the choice; likewise with smaller labels. The direction in which labels grow in a
 * dimension changes with each step of the slower ones. */
static uint32_t port_on_mesh(const struct topology *topology, uint32_t node, uint32_t here,
                             uint32_t end)
{
    uint32_t slower = 0; /* the label's part of the slower dimensions */
    for (uint32_t i = topology->shape.dimensions; i-- > 0;) {
        bool is_even = slower % 2 == 0;
        uint32_t port = 2 * i + (is_even != (here < end));
        uint32_t neighbour = topology_neighbour(topology, node, port);
        if (neighbour != TOPOLOGY_NO_NODE) {
            uint32_t label = topology_label(topology, neighbour);
            if (here < end ? label <= end : label >= end)
                return port;
        }
        uint32_t size = topology->shape.size[i], x = topology_coordinate(topology, node, i);
        slower = slower * size + (is_even ? x : size - 1 - x);
    }
    return UINT32_MAX;
}

static uint32_t port_anywhere(const struct topology *topology, uint32_t node, uint32_t here,
                              uint32_t end)
{
    uint32_t ports = topology_node_ports(topology, node), best = UINT32_MAX, best_label = here;
    for (uint32_t port = 0; port < ports; port++) {
        uint32_t neighbour = topology_neighbour(topology, node, port);
        if (neighbour == TOPOLOGY_NO_NODE)
            continue;
        uint32_t label = topology_label(topology, neighbour);
        if (here < end ? label > best_label && label <= end : label < best_label && label >= end) {
            best = port;
            best_label = label;
        }
    }
    return best;
}

static uint32_t next(const struct topology *topology, uint32_t node, uint32_t target,
                     struct routing_choice choice[ROUTING_CHOICES])
{
    uint32_t here = topology_label(topology, node), end = topology_label(topology, target);
    assert(here != end);
    uint32_t port = topology->offset == NULL && topology->shape.kind == TOPOLOGY_MESH
                        ? port_on_mesh(topology, node, here, end)
                        : port_anywhere(topology, node, here, end);
    assert(port != UINT32_MAX); /* the next node of the path is a neighbour */
    choice[0] = (struct routing_choice){.port = port};
    return 1;
}

uint32_t route_label_ports(const struct topology *topology, uint32_t node, bool grows,
                           uint32_t *neighbour, uint32_t most)
{
    uint32_t here = topology_label(topology, node), count = 0;
    for (uint32_t port = 0; port < topology_node_ports(topology, node); port++) {
        uint32_t next = topology_neighbour(topology, node, port), place = count;
        if (next == TOPOLOGY_NO_NODE || (topology_label(topology, next) > here) != grows)
            continue;
        uint32_t away = label_distance(topology, node, next);
        for (; place > 0 && label_distance(topology, node, neighbour[place - 1]) > away; place--)
            if (place < most)
                neighbour[place] = neighbour[place - 1];
        if (place < most)
            neighbour[place] = next;
        count += count < most;
    }
    return count;
}

uint32_t route_label_next(const struct topology *topology, uint32_t node, uint32_t target)
{
    struct routing_choice choice[ROUTING_CHOICES];
    next(topology, node, target, choice);
    return topology_neighbour(topology, node, choice[0].port);
}

bool route_label_is_shortest(const struct topology *topology)
{
    return topology->offset == NULL && topology->shape.kind == TOPOLOGY_MESH &&
           topology->shape.dimensions <= 2;
}

static uint32_t hops(const struct topology *topology, uint32_t node, uint32_t target)
{
    if (route_label_is_shortest(topology))
        return topology_distance(topology, node, target);
    return routing_walk(&routing_label, topology, node, target);
}

const struct routing routing_label = {"label", "every topology", classes, next, hops};
