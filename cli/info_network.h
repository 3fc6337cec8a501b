/* info_network.h - what `info` tells of a set on the network. */
#ifndef MESHCAST_CLI_INFO_NETWORK_H
#define MESHCAST_CLI_INFO_NETWORK_H

#include "library/report_form.h"
#include "network/network_bound.h"
#include "workloads/message_set.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct info_network {
    const char *name, *topology; /* the set's file; --topology, or NULL */
    struct report_form form;
    uint64_t limit; /* of memory, in bytes */
};

/* Lower bounds of a burst, in cycles. */
struct info_bounds {
    bool is_known; /* false: it is a graph without its edges */
    struct network_bounds value;
};

/* The bounds of a set with the network's default settings. FAIL_USAGE: --topology is not the set's. */
enum failure_kind info_network_measure(const struct info_network *info,
                                       const struct message_set *set, struct info_bounds *bounds,
                                       struct failure *failure);
json_t *info_network_bounds_json(const struct info_bounds *bounds);
void info_network_print_bounds(const struct info_bounds *bounds);

/* All of a set that the mesh machine does not take. Figures, histograms, and lower bounds in cycles with the
 * network's default settings. Without the edges of a graph there are no bounds. FAIL_USAGE: --topology is not the
 * set's. */
enum failure_kind info_network_print(const struct info_network *info, const struct message_set *set,
                                     struct failure *failure);

#endif
