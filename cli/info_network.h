/* info_network.h - what `info` tells of a set that the network takes and the mesh machine does not. */
#ifndef MESHCAST_CLI_INFO_NETWORK_H
#define MESHCAST_CLI_INFO_NETWORK_H

#include "workloads/message_set.h"

#include <stdbool.h>
#include <stdint.h>

struct info_network {
    const char *name, *topology; /* the set's file; --topology, or NULL */
    bool json;
    uint64_t limit; /* of memory, in bytes */
};

/* Figures, histograms, and lower bounds in cycles with the network's default settings. Without the edges of a
 * graph there are no bounds. FAIL_USAGE: --topology is not the set's. */
enum failure_kind info_network_print(const struct info_network *info, const struct message_set *set,
                                     struct failure *failure);

#endif
