/* scatter.h - every packet to a random node of its own. */
#ifndef MESHCAST_ROUTERS_SCATTER_H
#define MESHCAST_ROUTERS_SCATTER_H

#include "primitives/keyed_permutation.h"
#include "routers/routing.h"

/* Routes each resting packet, at most one of a message, to the node whose index is the image of its
 * message's source, so that no two meet at a node. Ends with a synchronisation; header.state is 0
 * before and after. Steps: measured, about 2 m in a phase `name`. Buffer: 9 packets a node proven, 6
 * measured (primitives/unicast_credits.c). FAIL_CHECK: a buffer overflowed. */
enum failure_kind scatter(struct routing *routing, const struct keyed_permutation *permutation,
                          const char *name, struct failure *failure);

/* The same with header.target already set: any packets, a few a node, to nodes of their own. Bit 0
 * of header.state must be 0; the state stays as it is. */
enum failure_kind scatter_to_targets(struct routing *routing, const char *name,
                                     struct failure *failure);

#endif
