/* report_network.h - the common reports of `network`, `load`, `plan` and `info`: JSON and
 * tables. */
#ifndef MESHCAST_LIBRARY_REPORT_NETWORK_H
#define MESHCAST_LIBRARY_REPORT_NETWORK_H

#include "library/network_options.h"
#include "library/report_parts.h"
#include "library/table.h"
#include "network/burst.h"

#include <stdio.h>

/* Prints what report_set_missing() sets. */
#define MISSING_TEXT                                                                               \
    "[ without {missing_nodes:node}, {missing_links:link}]"                                        \
    "[{!missing_nodes} without {missing_links:link}]"

/* Sets missing_nodes, missing_links of a broken mesh; nothing of another, or of NULL. */
void report_set_missing(struct report_object *object, const struct topology *topology);

/* Sets topology, sizes, graph, nodes, and the missing parts. */
void report_set_topology(struct report_object *object, const struct topology *topology);

/* Sets topology, sizes, nodes, and all settings. */
void report_set_network(struct report_object *object, const struct topology *topology,
                        const struct network_settings *settings);

/* The figures of a point of `load` in a database (library/command_load.c). */
extern const struct figures load_figures;

/* The key of the mean latency, or of the object that has it. */
#define LATENCY "latency"

/* Sets median, p95, p99, max; null unless `has`. */
void report_set_latencies(struct report_object *object, bool has,
                          const struct latency_summary *latency);

/* Set startups, channel_crossings; buffer_peak, unsent_peak. */
void report_set_sent(struct report_object *object, uint64_t startups, uint64_t crossings);
void report_set_peaks(struct report_object *object, uint64_t buffer, uint64_t unsent);

/* Returns the parameters of a scheme, an object. */
json_t *report_scheme_parameters(const struct scheme *scheme, const struct scheme_choices *choices);

/* Returns an integer, or "A:B". */
json_t *report_flits_json(struct flits_range flits);

/* Returns an array of {message, worm, node, waits_for, ..}, or null without a deadlock. */
json_t *report_deadlock_json(const struct network_wait *wait, size_t waits);

/* Returns an object: cycles by the kind of the bound; NULL: no memory. */
json_t *report_bounds_json(const struct network_bounds *bounds);

/* Prints "wormhole, 2 virtual channels of 4 flits, .." in lines, of an object with the settings. */
void report_print_network(const json_t *json, FILE *out);

#endif
