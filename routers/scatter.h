/* scatter.h - the packets of all nodes to nodes of their own, drawn at random. */
#ifndef MESHCAST_ROUTERS_SCATTER_H
#define MESHCAST_ROUTERS_SCATTER_H

#include "primitives/keyed_permutation.h"
#include "routers/routing.h"

/* Routes all resting packets, a few a node, to header.target, a few a node. Bit 0 of header.state
 * must be 0; the state stays as it is. Ends with a synchronisation. Steps: measured, about 2 m in a
 * phase `name`. Buffer: 8 packets on their way and those that rest (primitives/unicast_credits.c).
 * FAIL_CHECK: a buffer overflowed. */
enum failure_kind scatter_to_targets(struct routing *routing, const char *name,
                                     struct failure *failure);

#endif
