/* burst_case.c - random messages: each is drawn anew from its number whenever it is asked for. */
#include "test/network/burst_case.h"

#include "test/schemes/route_walk.h"

struct multicast random_messages_at(void *context, uint32_t index)
{
    struct random_messages *messages = context;
    struct pcg32 random = pcg32_seed(messages->seed, index);
    uint32_t nodes = messages->topology->nodes, source = pcg32_below(&random, nodes);
    struct multicast multicast = {.source = source,
                                  .destination = messages->destination,
                                  .flits = 1 + pcg32_below(&random, messages->most_flits)};
    multicast.destinations = route_walk_destinations(
        &random, nodes, multicast.source, pcg32_below(&random, messages->most_destinations + 1),
        messages->destination);
    return multicast;
}
