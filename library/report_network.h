/* report_network.h - what `network`, `load`, `plan` and `info` report alike: JSON and tables. */
#ifndef MESHCAST_LIBRARY_REPORT_NETWORK_H
#define MESHCAST_LIBRARY_REPORT_NETWORK_H

#include "library/network_options.h"
#include "library/report_parts.h"
#include "network/burst.h"

#include <stdio.h>

/* A network on which something ran. */
struct network_report {
    const struct topology *topology;
    const struct network_settings *settings;
    const struct network_options *options;
};

/* topology, sizes, graph, nodes. */
void report_set_topology(struct report_object *object, const struct topology *topology);

/* topology, sizes, nodes, and all settings. */
void report_set_network(struct report_object *object, const struct network_report *network);

/* The parameters of a scheme, an object. */
json_t *report_scheme_parameters(const struct scheme *scheme, const struct scheme_choices *choices);

/* "dual", "unicast, routing=label". */
void report_print_scheme(const struct scheme *scheme, const struct scheme_choices *choices,
                         FILE *out);

/* An integer, or "A:B". */
json_t *report_flits_json(struct flits_range flits);

/* An array of {message, worm, node, waits_for, ..}, or null where there is no deadlock. */
json_t *report_deadlock_json(const struct network_wait *wait, size_t waits);

/* Reads an element of such an array of `waits`; what is not as it was written becomes a value in range. */
struct network_wait report_wait_read(const json_t *object, size_t waits);

/* An object: cycles by the kind of the bound; NULL: no memory. */
json_t *report_bounds_json(const struct network_bounds *bounds);

/* "wormhole, 2 virtual channels of 4 flits, .." in lines. */
void report_print_network(const struct network_report *network, FILE *out);

#endif
