/* node_bound.h - the bound of single nodes that receive much. Inside the workloads only. */
#ifndef MESHCAST_WORKLOADS_NODE_BOUND_H
#define MESHCAST_WORKLOADS_NODE_BOUND_H

#include "workloads/crossing.h"

/* Raises BOUND_NODE where the messages that a node receives from elsewhere, received[node], and their distances, prove more
 * than the bounds so far. FAIL_SYSTEM: no memory. */
enum failure_kind node_bounds_raise(const struct message_set *set, const uint32_t *received,
                                    struct lower_bounds *bounds, struct failure *failure);

#endif
