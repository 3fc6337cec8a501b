/* route_link.c - routings of worms that name each node on their way: to a neighbour; and the hops
 * of any routing. */
#include "network/schemes/scheme.h"

#include <assert.h>

static uint32_t classes(const struct topology *topology)
{
    (void)topology;
    return 1;
}

static uint32_t next(const struct topology *topology, uint32_t node, uint32_t target,
                     struct routing_choice choice[ROUTING_CHOICES])
{
    uint32_t port = topology_port_to(topology, node, target);
    assert(port != UINT32_MAX); /* checked by scheme_plan() */
    choice[0] = (struct routing_choice){.port = port};
    return 1;
}

static uint32_t hops(const struct topology *topology, uint32_t node, uint32_t target)
{
    (void)topology;
    (void)node;
    (void)target;
    return 1;
}

const struct routing routing_link = {"link", "every topology", classes, next, hops};
const struct routing routing_up_down = {"up-down", "every topology", classes, next, hops};

/* A stop has room for 64 classes. */
enum { MOST_DIMENSIONS = 7 };

static uint32_t classes_of_sides(const struct topology *topology)
{
    uint32_t dimensions = topology->shape.dimensions;
    if (topology->offset != NULL || topology->shape.kind != TOPOLOGY_MESH ||
        dimensions > MOST_DIMENSIONS)
        return 0;
    return UINT32_C(1) << (dimensions - 1);
}

const struct routing routing_sides = {"sides", "meshes of up to 7 dimensions", classes_of_sides,
                                      next, hops};

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
