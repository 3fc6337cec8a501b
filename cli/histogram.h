/* histogram.h - counts in buckets 0, 1, 2-3, 4-7, .., each twice as wide as the last, so that a power law fits
 * on a screen.
 */
#ifndef MESHCAST_CLI_HISTOGRAM_H
#define MESHCAST_CLI_HISTOGRAM_H

#include "workloads/message_set.h"

#include <jansson.h>

enum { HISTOGRAM_BUCKETS = 34 }; /* 0, then one for each bit of a uint32_t, and one to spare */

struct histogram {
    uint64_t count[HISTOGRAM_BUCKETS];
};

/* Messages by how many destinations they have. */
struct histogram histogram_of_degrees(const struct message_set *set);

/* The set's nodes by how often each stands among the `count` ones of node[]. FAIL_SYSTEM: no memory for a count
 * a node. */
enum failure_kind histogram_of_nodes(const struct message_set *set, const node_index *node,
                                     uint64_t count, struct histogram *histogram,
                                     struct failure *failure);

/* An array of {from, to, count}, without empty buckets; NULL: no memory. */
json_t *histogram_json(const struct histogram *histogram);

/* Prints the buckets from the first to the last that is not empty, with bars, under a heading. */
void histogram_print(const char *heading, const struct histogram *histogram);

#endif
