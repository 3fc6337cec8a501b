/* route_walk.c - the hops of a way, one after the other. */
#include "network/schemes/scheme.h"

uint32_t routing_walk(const struct routing *routing, const struct topology *topology, uint32_t node,
                      uint32_t target)
{
    struct routing_choice choice[ROUTING_CHOICES];
    uint32_t hops = 0;
    for (; node != target; hops++) {
        routing->next(topology, node, target, choice);
        node = topology_neighbour(topology, node, choice[0].port);
    }
    return hops;
}
