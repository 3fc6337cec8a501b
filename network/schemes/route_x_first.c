/* route_x_first.c - routing by dimensions: dimension 0 first, then 1, ..; on tori with datelines.
 *
 * On a torus a header takes the shorter way round each ring. Half a ring away both are equally
 * long; then the parity of a sum decides: its coordinate on the ring, and those of its node and its
 * target in the later dimensions, in which it has not moved yet. So each row of sources uses both
 * alike in an exchange among all. After the first hop one way is shorter.
 *   It takes class 0 on the links before the wraparound link, and class 1 on that link, on the
 * links after it, and on ways without it. In class 1 no way comes back to the wraparound link, since a way is at most
 * half a ring. So there is an order of the channels in which every way ascends: dimension after
 * dimension, class 0 before class 1, and in a class from link to link. Hence no cycle of waiting,
 * and no deadlock.
 *
 * Source: Dally, Seitz, Deadlock-free message routing in multiprocessor interconnection networks,
 * 1987.
 */
#include "network/schemes/scheme.h"

#include <assert.h>

/* A ring of up to 3 nodes is crossed in one hop: no header holds one of its links and asks for
 * another. */
enum { RING_OF_ONE_HOP = 3 };

static uint32_t classes(const struct topology *topology)
{
    if (topology->offset != NULL)
        return 0;
    if (topology->shape.kind == TOPOLOGY_TORUS)
        for (uint32_t i = 0; i < topology->shape.dimensions; i++)
            if (topology->shape.size[i] > RING_OF_ONE_HOP)
                return 2;
    return 1;
}

/* True if a header goes up round the ring of dimension i, in which it is next to move. */
static bool goes_up(const struct topology *topology, uint32_t node, uint32_t target, uint32_t i)
{
    uint32_t size = topology->shape.size[i], from = topology_coordinate(topology, node, i);
    uint32_t up = (topology_coordinate(topology, target, i) + size - from) % size, sum = from;
    if (2 * up != size)
        return 2 * up < size;
    for (uint32_t j = i + 1; j < topology->shape.dimensions; j++)
        sum += topology_coordinate(topology, node, j) + topology_coordinate(topology, target, j);
    return sum % 2 == 0;
}

/* Returns the next link on a ring of `size` nodes from coordinate `from` to `to`. */
static struct routing_choice ring_choice(uint32_t size, uint32_t from, uint32_t to, bool grows)
{
    uint32_t up = to > from ? to - from : to + size - from;
    bool wraps = grows ? from > to : from < to;
    uint32_t to_end = grows ? size - 1 - from : from;
    /* The one link of a ring of 2 has only the port that leads inwards */
    if (size == 2)
        return (struct routing_choice){.port = from, .class = 1};
    if (wraps && to_end > 0)
        return (struct routing_choice){.port = grows ? 0 : 1, .class = 0, .run = to_end - 1};
    return (struct routing_choice){
        .port = grows ? 0 : 1, .class = 1, .run = (grows ? up : size - up) - 1};
}

static uint32_t next(const struct topology *topology, uint32_t node, uint32_t target,
                     struct routing_choice choice[ROUTING_CHOICES])
{
    bool is_torus = topology->shape.kind == TOPOLOGY_TORUS;
    for (uint32_t i = 0; i < topology->shape.dimensions; i++) {
        uint32_t from = topology_coordinate(topology, node, i);
        uint32_t to = topology_coordinate(topology, target, i);
        if (from == to)
            continue;
        if (is_torus)
            choice[0] =
                ring_choice(topology->shape.size[i], from, to, goes_up(topology, node, target, i));
        else
            choice[0] = from < to ? (struct routing_choice){.port = 0, .run = to - from - 1}
                                  : (struct routing_choice){.port = 1, .run = from - to - 1};
        choice[0].port += 2 * i;
        if (is_torus && classes(topology) == 1)
            choice[0].class = 0;
        return 1;
    }
    assert(!"a header asks at its target");
    return 0;
}

const struct routing routing_x_first = {"x-first", "meshes and tori", classes, next,
                                        topology_distance};
