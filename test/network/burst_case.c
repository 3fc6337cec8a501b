/* burst_case.c - random messages: each is drawn anew from its number whenever it is asked for. */
#include "test/network/burst_case.h"

#include "test/schemes/route_walk.h"

#include <stdlib.h>

struct multicast random_messages_at(void *context, uint32_t index)
{
    struct random_messages *messages = context;
    uint32_t number = messages->number != NULL ? messages->number[index] : index;
    struct pcg32 random = pcg32_seed(messages->seed, number);
    uint32_t nodes = messages->topology->nodes, source = pcg32_below(&random, nodes);
    struct multicast multicast = {.source = source,
                                  .destination = messages->destination,
                                  .flits = 1 + pcg32_below(&random, messages->most_flits)};
    multicast.destinations = route_walk_destinations(
        &random, nodes, multicast.source, pcg32_below(&random, messages->most_destinations + 1),
        messages->destination);
    return multicast;
}

void random_messages_choose(struct random_messages *messages, uint32_t count, struct burst *burst)
{
    uint32_t first, end, here = 0, *number = calloc(count, sizeof *number);
    if (number == NULL)
        abort();
    messages->number = NULL;
    network_nodes_here(&burst->settings, burst->topology, &first, &end);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t source = random_messages_at(messages, i).source;
        if (source >= first && source < end)
            number[here++] = i;
    }
    messages->number = number;
    burst->messages = count;
    burst->here = here;
    burst->number = number;
    burst->message = random_messages_at;
    burst->message_context = messages;
}
