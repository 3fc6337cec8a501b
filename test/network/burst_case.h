/* burst_case.h - messages of random sources, lengths and destinations, by number, for tests of bursts. */
#ifndef MESHCAST_TEST_NETWORK_BURST_CASE_H
#define MESHCAST_TEST_NETWORK_BURST_CASE_H

#include "network/burst.h"

struct random_messages {
    const struct topology *topology;
    uint64_t seed;
    uint32_t most_destinations, most_flits;
    uint32_t destination[512]; /* few of many nodes */
};

/* A message of `context`, which is a struct random_messages: what struct burst asks for. */
struct multicast random_messages_at(void *context, uint32_t index);

#endif
