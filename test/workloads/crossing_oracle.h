/* crossing_oracle.h - counts the messages over the edge of a rectangle, slowly, by the
 * definitions. */
#ifndef MESHCAST_TEST_WORKLOADS_CROSSING_ORACLE_H
#define MESHCAST_TEST_WORKLOADS_CROSSING_ORACLE_H

#include "workloads/lower_bound.h"

bool oracle_holds(const struct rectangle *region, struct mesh mesh, node_index node);

/* Returns the links from nodes inside to nodes outside. */
uint32_t oracle_links(const struct rectangle *region, struct mesh mesh);

/* Returns the distance of two nodes. */
uint32_t oracle_apart(struct mesh mesh, node_index u, node_index v);

/* Returns the messages that must enter (or leave), with more than `before` steps to the first link
 * and `after` steps or more after it. */
uint64_t oracle_crossings(const struct message_set *set, const struct rectangle *region,
                          bool entering, uint32_t before, uint32_t after);

/* Returns a / b, rounded up; 0 if b is 0. */
uint64_t oracle_ceiling(uint64_t a, uint64_t b);

#endif
