/* route_negative_first.c - routing on meshes: first to smaller coordinates, then to larger ones.
 *
 * While the target has a smaller coordinate, a header may take each link that leads towards it to a
 * smaller one; after that, each that leads towards it to a larger one. `negative-first` is
 * adaptive: the header takes the first of them, dimension 0 first, that is free.
 * `negative-first-fixed` waits for the first one.
 *
 * A worm of several stops is also free of deadlock if no leg of it needs a smaller coordinate once
 * a leg has taken a larger one. Proof: a worm that holds a link to a larger coordinate waits only
 * for links of this kind at nodes with larger sums of coordinates. One that holds a link to a
 * smaller coordinate waits for these, or for links at nodes with smaller sums. So there is an order
 * of the links in which every way ascends. The schemes guarantee such lists.
 *
 * Sources: C. Glass, L. Ni, The turn model for adaptive routing, 1992; R. Libeskind-Hadas et al.,
 * Adaptive multicast routing in wormhole networks, 1997.
 */
#include "network/schemes/scheme.h"

#include <assert.h>

static uint32_t classes(const struct topology *topology)
{
    return topology->offset == NULL && topology->shape.kind == TOPOLOGY_MESH;
}

/* Finds all ports that bring the header nearer to the target in its present direction. */
static uint32_t next(const struct topology *topology, uint32_t node, uint32_t target,
                     struct routing_choice choice[ROUTING_CHOICES])
{
    uint32_t larger[ROUTING_CHOICES], larger_ones = 0, count = 0;
    for (uint32_t i = 0; i < topology->shape.dimensions; i++) {
        uint32_t from = topology_coordinate(topology, node, i);
        uint32_t to = topology_coordinate(topology, target, i);
        if (to < from)
            choice[count++] = (struct routing_choice){.port = 2 * i + 1};
        if (to > from)
            larger[larger_ones++] = 2 * i;
    }
    assert(count + larger_ones > 0); /* no header asks at its target */
    if (count > 0)
        return count;
    for (uint32_t i = 0; i < larger_ones; i++)
        choice[i] = (struct routing_choice){.port = larger[i]};
    return larger_ones;
}

static uint32_t next_fixed(const struct topology *topology, uint32_t node, uint32_t target,
                           struct routing_choice choice[ROUTING_CHOICES])
{
    next(topology, node, target, choice);
    return 1;
}

const struct routing routing_negative_first = {"negative-first", "meshes", classes, next,
                                               topology_distance};
const struct routing routing_negative_first_fixed = {"negative-first-fixed", "meshes", classes,
                                                     next_fixed, topology_distance};
